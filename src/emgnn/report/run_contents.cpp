// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/run_contents.h>

#include <limits>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/learn/score_info.h>

namespace emgnn {

namespace {

namespace fs = std::filesystem;

constexpr size_t kDrawn = 8;  // neighbourhoods

std::string predictions_file(const StoredFit& fit) {
  return (fit.folder / "predictions.csv").string();
}

void read_predictions(RunContents& out) {
  PredictionCollector collector(out.runs.labels, out.part());
  const StoredFit& shown = out.runs.shown();
  const auto add = [&](const StoredFit& fit) {
    const std::string file = predictions_file(fit);
    if (!fs::exists(file)) throw DataError(fmt::format("{}: missing: a finished run has it", file));
    const std::optional<double> temperature = stored_temperature(fit);
    if (&fit == &shown) out.temperature = temperature;
    collector.add(read_file(file), file, temperature);
  };
  add(shown);  // the first is the one whose rows are listed
  for (const StoredFit& fit : out.runs.fits)
    if (&fit != &shown && fit.record) add(fit);
  out.predictions = collector.summary();
}

// The least sure nodes, and some at the ends of what is most in doubt or wanted most.
std::vector<std::string> centres_of(const RunContents& out) {
  std::vector<std::string> centres;
  for (const RowNote& row : out.predictions->unsure) {
    if (centres.size() == kDrawn / 2) break;
    centres.push_back(row.name);
  }
  for (size_t i = 0; i < kShownRows; ++i) {
    if (i < out.edges.doubtful.size()) centres.push_back(out.edges.doubtful[i].source);
    if (i < out.edges.wanted.size()) centres.push_back(out.edges.wanted[i].source);
  }
  return centres;
}

void read_edges(RunContents& out, const std::vector<std::string>& asked) {
  const StoredFit& shown = out.runs.shown();
  for (const char* file : {"edges.csv", "edges-member-0.csv"})
    if (out.edge_file.empty() && fs::exists(shown.folder / file)) out.edge_file = file;
  if (out.edge_file.empty()) return;
  const std::string path = (shown.folder / out.edge_file).string(), text = read_file(path);
  out.edges = summarise_edges(text, path);
  const std::string file = predictions_file(shown), predictions = read_file(file);
  const std::set<std::string> wanted(asked.begin(), asked.end());
  std::map<std::string, RowNote> known;
  if (!wanted.empty()) known = notes_of(predictions, file, out.runs.labels, wanted);
  for (const std::string& node : asked)
    if (known.contains(node)) out.asked.push_back(node);
  out.around = neighbourhoods(text, path, out.asked, centres_of(out), kDrawn);
  std::set<std::string> names;
  for (const std::vector<EdgeNote>* list : {&out.edges.doubtful, &out.edges.wanted})
    for (const EdgeNote& edge : *list) names.insert({edge.source, edge.target});
  for (const Neighbourhood& around : out.around) {
    names.insert(around.centre);
    names.insert(around.nodes.begin(), around.nodes.end());
  }
  out.notes = notes_of(predictions, file, out.runs.labels, names);
}

}  // namespace

const ScoreInfo& RunContents::main_score() const { return main_score_info(runs.labels); }

std::vector<double> RunContents::values_of(const std::string& score) const {
  std::vector<double> out;
  for (const RunRecord& run : finished) {
    const Scores& scores = runs.has_test() ? run.test.value() : run.validation.scores;
    const double* value = scores.find(score);
    out.push_back(value == nullptr ? std::numeric_limits<double>::quiet_NaN() : *value);
  }
  return out;
}

RunContents read_contents(const fs::path& folder, const std::vector<std::string>& asked) {
  RunContents out{.runs = read_runs(folder)};
  if (out.runs.labels == LabelKind::kNone)
    throw DataError(fmt::format("{}: the runs have no labels", folder.string()));
  out.finished = out.runs.finished();
  if (out.finished.empty()) return out;
  read_predictions(out);
  read_edges(out, asked);
  return out;
}

}  // namespace emgnn
