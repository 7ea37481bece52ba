// SPDX-License-Identifier: Apache-2.0
// A small run of every kind, and what its report shows.
#include <csignal>

#include "browser/pages.h"
#include "cli/small_graph.h"
#include "cli/small_molecules.h"

namespace emgnn::cli_test {
namespace {

struct Kind {
  const char* name;
  std::vector<std::string> call;
  std::vector<std::string> charts;
  std::vector<std::string> says = {};  // parts of the HTML
};

// `method` on a dataset, with settings.
std::vector<std::string> call(const std::string& dataset, const std::string& method,
                              const std::vector<std::string>& settings = {}) {
  std::vector<std::string> out = {"--dataset", dataset, "--method", method};
  for (const std::string& setting : settings) out = joined(out, {"--set", setting});
  return out;
}

std::vector<std::string> em(const std::string& dataset, const std::vector<std::string>& settings) {
  return call(dataset, "em-gcn", joined({"em.rounds=2", "em.steps=3"}, settings));
}

std::vector<std::string> em_molecules(const std::string& dataset,
                                      const std::vector<std::string>& settings) {
  return call(dataset, "em-gcn-star",
              joined({"em.rounds=2", "em.steps=2", "em.warmup=1"}, settings));
}

const std::vector<Kind>& other_kinds() {
  static const std::vector<Kind> kinds = {
      {"three-views",
       em("noisy-citations", {"space.family=mixture", "space.views=given,knn:5,two-hop"}),
       {"Probability of each mixture", "Reliability"}},
      {"sampled",
       em("noisy-relations", {"em.posterior=mcmc", "mcmc.steps=200", "mcmc.burn_in=20"}),
       {"Accepted proposals", "Effective draws"}},
      {"labels", em("noisy-labels", {}), {"Validation"}},
      {"values", em("noisy-values", {}), {"Predicted against"}},
      {"ensemble",
       call("noisy-relations", "gcn", {"ensemble=2", "fit.epochs=3"}),
       {"Reliability"},
       {"one after the other"}},
      {"bgcn",
       call("noisy-citations", "bgcn",
            {"fit.epochs=6", "bgcn.warmup=2", "bgcn.burn_in=1", "bgcn.random_iterations=20",
             "bgcn.iterations=10"}),
       {"Confusion"}},
      {"named",
       joined(em("<u>a & \"b\"", {"space.views=given"}), {"--preset", "none"}),
       {"Probability of each mixture"}}};
  return kinds;
}

// Of a distribution with many parameters, of one graph that was learned, and of none.
const std::vector<Kind>& kinds_of_graphs() {
  static const std::vector<Kind> kinds = {
      {"five-views",
       em("noisy-citations",
          {"space.family=mixture", "space.views=given,knn:5,two-hop,ppr,random:5"}),
       {"Weights of the views", "Mean of the distribution", "Rank-normalised"},
       {"<h4>Sampling</h4>"}},
      {"reliable",
       em("noisy-citations",
          {"space.family=mixture", "space.mixing=shares", "space.views=reliable,knn:5,two-hop"}),
       {"Weights of the views", "Probability of trust", "Probability of similarity",
        "Probability of agreement", "ϱ"},
       {"Most doubtful edges", "A wide line is a probable edge", "data-chooser"}},
      {"rsgnn",
       call("noisy-citations", "rsgnn", {"fit.epochs=3"}),
       {"Confusion"},
       {"One graph was learned", "Most wanted edges", "an edge of large weight", "data-chooser"}},
      {"learned",
       call("noisy-relations", "gcn", {"fit.epochs=3", "space.mixing=learned"}),
       {"Loss"},
       {"One graph was learned", "Shares of the one graph that was learned"}},
      {"label-propagation",
       call("noisy-relations", "label-propagation"),
       {"Confusion", "Reliability"},
       {"takes it as it is", "is not trained in epochs"}},
      {"mlp", call("noisy-relations", "mlp", {"fit.epochs=3"}), {"Loss"}, {"sees no graph"}},
      {"set-aside",
       em("noisy-relations", {"calibration_share=0.5", "calibrate=validation"}),
       {"Reliability", "Weight of informative"},
       {"before calibration"}},
      {"gaussian",
       em("noisy-values", {"task.loss=gaussian", "calibrate=validation", "ensemble=2"}),
       {"Predicted against", "Validation RMSE"},
       {"its 90 % interval<", "std over graphs", "std over networks", "Largest errors"}},
      {"networks",
       call("noisy-values", "gcn", {"fit.epochs=3", "ensemble=2"}),
       {"Predicted against"},
       {"over the networks alone"}}};
  return kinds;
}

const std::vector<Kind>& kinds_of_molecules() {
  static const std::vector<Kind> kinds = {
      {"forest",
       call("toy-molecules", "rf", {"model.trees=20"}),
       {"Predicted against"},
       {"over the trees alone", "sees no graph", "molecules predicted", "is not trained in epochs",
        "depend most on the tree"}},
      {"ridge", call("toy-molecules", "ridge"), {"Predicted against"}, {"Largest errors"}},
      {"forest-labels",
       call("toy-molecules-binary", "rf", {"model.trees=20"}),
       {},
       {"tree information", "Least sure answers"}},
      {"labels", em_molecules("toy-molecules-binary", {}), {"Probability of radius", "Loss"}, {}},
      {"classes",
       joined(em_molecules("mine.csv", {"data.smiles=SMILES", "data.target=kind", "task=classes"}),
              {"--preset", "none"}),
       {"Confusion", "Reliability", "Probability of radius"},
       {"molecules predicted", "SMILES"}},
      {"gaussian",
       em_molecules("toy-molecules", {"task.loss=gaussian", "calibrate=validation"}),
       {"Predicted against", "Probability of radius"},
       {"its 90 % interval<", "coverage of 90 %"}}};
  return kinds;
}

class KindsInBrowser : public ReportInBrowser {
 protected:
  std::vector<Expected> reports_of(const std::vector<Kind>& kinds) {
    std::vector<Expected> out;
    for (const Kind& kind : kinds) {
      train(place, kind.name, kind.call);
      out.push_back({std::string(kind.name) + ".html", kind.charts, kind.says});
      report(place, {kind.name}, out.back().file);
    }
    return out;
  }
};

TEST_F(KindsInBrowser, OfGraphsWithAndWithoutADistribution) {
  const std::vector<Expected> reports = reports_of(kinds_of_graphs());
  look_at(reports);
  look_at(reports, Colours::kDark);
}

TEST_F(KindsInBrowser, OfMoleculesOfEveryTask) {
  std::string table = "SMILES,kind\n";
  for (const std::vector<std::string>& row : rows(small_table()))
    if (row[1] != "SMILES") table += row[1] + "," + (row[1].size() > 6 ? "long" : "short") + "\n";
  write(place, "mine.csv", table);
  const std::vector<Expected> reports = reports_of(kinds_of_molecules());
  for (const Expected& one : reports)
    EXPECT_EQ(read(place.path() / one.file).find("No single edge"), std::string::npos) << one.file;
  look_at(reports);
  look_at(reports, Colours::kDark);
}

TEST_F(KindsInBrowser, OfOtherKindsRendersInBothColours) {
  SmallGraph graph;
  graph.edge_types = {"<u>near", "far"};
  graph.write(place, "<u>a & \"b\"");
  std::vector<Expected> reports = reports_of(other_kinds());
  Program program(place, joined({"train", "--quiet", "--out", "unfinished"},
                                em("noisy-relations", {"em.rounds=5000", "stop.rule=never"})));
  program.wait_until_written(place.path() / "unfinished/metrics.jsonl", 1000);
  program.send(SIGINT);
  ASSERT_EQ(program.wait().status, 4);
  report(place, {"unfinished"}, "unfinished.html");
  reports.push_back({"unfinished.html", {"Loss"}});
  look_at(reports);
  look_at(reports, Colours::kDark);
}

}  // namespace
}  // namespace emgnn::cli_test
