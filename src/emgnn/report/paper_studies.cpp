// SPDX-License-Identifier: Apache-2.0
// Two studies of EMGNN (ICML 2024) on citation graphs with 20 labels per class: how long a run
// takes, and what wrong edges do.
#include <emgnn/report/paper_tables.h>

namespace emgnn {

// Seconds of training and prediction, the paper's on its own machine with a GPU. The paper's Pubmed
// has TF-IDF features; beside its figures stands the same graph with word presence.
PaperTable paper_table_of_runtimes() {
  return {.name = "runtime",
          .metrics = {{.name = "seconds", .of = [](const RunRecord& run) { return run.seconds; }}},
          .columns = {{"cora", "cora", {}},
                      {"citeseer", "citeseer", {}},
                      {"pubmed-presence", "pubmed-presence", {}}},
          .rows = {{"gcn", "gcn", {}, {}},
                   {"bgcn", "", {}, {{328.14, 2.18}, {323.55, 4.86}, {1446.91, 31.31}}},
                   {"rsgnn", "", {}, {{147.09, 4.68}, {164.83, 1.71}, {341.52, 3.06}}},
                   {"em-gcn", "em-gcn", {}, {{86.06, 1.39}, {65.19, 14.27}, {102.18, 2.63}}}}};
}

// Accuracy on Cora when a share of the edges is replaced. The paper shows it as a drawing, without
// figures.
PaperTable paper_table_of_perturbations() {
  std::vector<PaperColumn> columns;
  for (int percent = 0; percent <= 30; percent += 5) {
    const std::string number = std::to_string(percent);
    columns.push_back({"cora-" + number, "cora", {"perturb=" + number}});
  }
  return {.name = "perturbation",
          .metrics = {test_score(main_score(Task::kClassification))},
          .columns = columns,
          .rows = {{"gcn", "gcn", {}, {}}, {"em-gcn", "em-gcn", {}, {}}}};
}

}  // namespace emgnn
