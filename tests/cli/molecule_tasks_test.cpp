// SPDX-License-Identifier: Apache-2.0
// Every method for molecules on every kind of target, from a user's CSV or SDF file to the scores.
#include <gtest/gtest.h>

#include <cmath>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.h"

namespace emgnn::cli_test {
namespace {

using Json = nlohmann::ordered_json;

// A chain of carbon atoms with an end of another element, and what is to be predicted of it.
struct Chain {
  int carbons;
  std::string end;
  std::vector<std::pair<std::string, std::string>> targets;
};

std::vector<Chain> chains() {
  std::vector<Chain> out;
  for (int carbons = 1; carbons <= 10; ++carbons) {
    for (const char* end : {"O", "N", "F", "S"}) {
      const bool polar = *end == 'O' || *end == 'N';
      const auto number = static_cast<int>(out.size());
      const std::string value = std::to_string(0.7 * carbons + (polar ? 1.0 : 0.0));
      out.push_back({carbons,
                     end,
                     {{"value", value},
                      {"gaps", number % 4 == 1 ? "" : std::to_string(20 - carbons)},
                      {"active", polar ? "1" : "0"},
                      {"class", carbons % 3 == 0 ? "long"
                                : polar          ? "polar"
                                                 : "other"}}});
    }
  }
  return out;
}

std::string as_csv() {
  std::string text = "smiles,value,gaps,active,class\n";
  for (const Chain& chain : chains()) {
    text += std::string(static_cast<size_t>(chain.carbons), 'C') + chain.end;
    for (const auto& [name, cell] : chain.targets) text += "," + cell;
    text += "\n";
  }
  return text;
}

// With coordinates of a zigzag; a gap is a property that is not there.
std::string as_sdf() {
  std::ostringstream text;
  text << std::fixed << std::setprecision(4);
  for (const Chain& chain : chains()) {
    const int atoms = chain.carbons + 1;
    text << "chain\n  emgnn\n\n"
         << std::setw(3) << atoms << std::setw(3) << chain.carbons
         << "  0  0  0  0  0  0  0  0999 V2000\n";
    for (int a = 0; a < atoms; ++a) {
      text << std::setw(10) << 1.25 * a << std::setw(10) << 0.8 * (a % 2) << std::setw(10)
           << 0.3 * (a % 3) << " " << (a + 1 == atoms ? chain.end : "C") << "   0  0\n";
    }
    for (int a = 1; a < atoms; ++a)
      text << std::setw(3) << a << std::setw(3) << a + 1 << "  1  0\n";
    text << "M  END\n";
    for (const auto& [name, cell] : chain.targets)
      if (!cell.empty()) text << "> <" << name << ">\n" << cell << "\n\n";
    text << "$$$$\n";
  }
  return text.str();
}

// All methods that `emgnn methods` says are for molecules.
std::vector<std::string> molecule_methods(const Workplace& place) {
  std::istringstream lines(run(place, {"methods"}).out);
  std::vector<std::string> out;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (line.find("molecules  ") != std::string::npos) out.push_back(name);
  }
  return out;
}

struct MoleculeTask {
  std::string target;
  std::vector<std::string> scores;
};

Outcome train(const Workplace& place, const std::string& file, const std::string& method,
              const std::string& target, const std::string& folder) {
  std::vector<std::string> call = {"train", "--dataset", file,      "--method", method,
                                   "--out", folder,      "--quiet", "--json"};
  std::vector<std::string> settings = {"data.target=" + target, "split=random:0.5/0.25/0.25"};
  const bool network = method != "rf" && method != "ridge";
  if (network) settings.insert(settings.end(), {"model.hidden=8", "optim.batch=16"});
  if (method.starts_with("em-")) {
    settings.insert(settings.end(),
                    {"em.rounds=1", "em.steps=1", "em.warmup=1", "space.radius_step=1"});
  } else if (network) {
    settings.emplace_back("fit.epochs=2");
  }
  for (const std::string& setting : settings) call.insert(call.end(), {"--set", setting});
  return run(place, call);
}

TEST(Molecules, AreForEveryMethodAndEveryKindOfTarget) {
  const Workplace place;
  write(place, "mine.csv", as_csv());
  write(place, "mine.sdf", as_sdf());
  const std::vector<MoleculeTask> tasks = {
      {"value", {"rmse", "mae", "r2"}},
      {"value,gaps", {"rmse", "mae", "r2"}},
      {"active", {"roc_auc", "average_precision", "accuracy"}},
      {"class", {"accuracy", "macro_f1", "nll"}},
  };
  const std::vector<std::string> methods = molecule_methods(place);
  ASSERT_GE(methods.size(), 15U);
  // Every method on both files, and every task.
  for (size_t m = 0; m < methods.size(); ++m) {
    for (size_t t = 0; t < tasks.size(); ++t) {
      const std::string file = (m + t) % 2 == 0 ? "mine.csv" : "mine.sdf";
      const std::string what = methods[m] + " on " + tasks[t].target + " of " + file;
      const std::string folder = methods[m] + "-" + std::to_string(t);
      const Outcome outcome = train(place, file, methods[m], tasks[t].target, folder);
      ASSERT_EQ(outcome.status, 0) << what << ": " << outcome.err;
      const Json json = Json::parse(outcome.out);
      for (const char* part : {"validation", "test"}) {
        for (const std::string& score : tasks[t].scores) {
          const Json& got = json["runs"][0][part][score];
          ASSERT_TRUE(got.is_number()) << what << ", " << part << " " << score;
          EXPECT_TRUE(std::isfinite(got.get<double>())) << what << ", " << part << " " << score;
        }
      }
      EXPECT_EQ(json["posterior"].size(), methods[m].starts_with("em-") ? 10U : 0U) << what;
      if (t > 0) continue;
      const Outcome predicted =
          run(place, {"predict", "--run", folder, "--dataset", file, "--out", "again.csv"});
      ASSERT_EQ(predicted.status, 0) << what << ": " << predicted.err;
      EXPECT_EQ(rows(read(place.path() / "again.csv")).size(), 41U) << what;
    }
  }
}

}  // namespace
}  // namespace emgnn::cli_test
