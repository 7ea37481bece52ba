// SPDX-License-Identifier: Apache-2.0
// Reports of real runs in a real browser.
#include "browser/pages.h"

namespace emgnn::cli_test {
namespace {

// What the other tests look for would be seen: an error of a script, and a script that is refused.
TEST_F(ReportInBrowser, ComplaintsAreHeard) {
  write(place, "bad.html",
        "<!DOCTYPE html><script>throw new Error('first');</script><meta "
        "http-equiv=\"Content-Security-Policy\" content=\"script-src "
        "'none'\"><script>second()</script>");
  dumped(place, "bad.html");
  EXPECT_NE(complaints(place).find("first"), std::string::npos) << read(place.path() / "said");
  EXPECT_NE(complaints(place).find("Content Security Policy"), std::string::npos);
}

TEST_F(ReportInBrowser, OfGraphsRendersWithoutAWordAtAnyWidth) {
  const std::vector<std::string> relations = {"--dataset", "noisy-relations", "--runs", "2"};
  train(place, "em", joined(relations, {"--method", "em-gcn", "--set", "em.rounds=4"}));
  train(place, "gcn", joined(relations, {"--method", "gcn"}));
  train(place, "rewire",
        {"--dataset", "noisy-citations", "--method", "em-gcn", "--set", "em.recipe=published",
         "--set", "em.rounds=3", "--set", "calibrate=validation"});
  report(place, {"em"}, "em.html");
  report(place, {"gcn/seed-1"}, "gcn.html");
  report(place, {"rewire"}, "rewire.html");
  report(place, {"em", "gcn"}, "both.html");
  const std::vector<std::string> any = {"Loss", "Validation accuracy", "Confusion", "Reliability"};
  look_at({{"em.html", joined(any, {"Weight of informative", "Mean of the distribution", "ϱ"})},
           {"gcn.html", any},
           {"rewire.html", joined(any, {"Probability of each point"})},
           {"both.html", joined(any, {"Each run", "Weight of informative"})}});
  // One report by itself: the list of nodes was filled in, and one drawing is chosen.
  const std::string dom = dumped(place, "rewire.html");
  EXPECT_NE(dom.find("<p class=\"choice\">"), std::string::npos);
  EXPECT_NE(dom.find("data-of=\"edge\" hidden"), std::string::npos);
  EXPECT_NE(dom.find("before calibration"), std::string::npos);
  EXPECT_EQ(complaints(place), "");
}

TEST_F(ReportInBrowser, OfMoleculesRendersWithoutAWordAtAnyWidth) {
  train(place, "mol",
        {"--dataset", "toy-molecules", "--method", "em-gcn-star", "--set", "em.rounds=2"});
  report(place, {"mol"}, "mol.html");
  look_at(
      {{"mol.html", {"Loss", "Validation RMSE", "Probability of radius", "Predicted against"}}});
}

}  // namespace
}  // namespace emgnn::cli_test
