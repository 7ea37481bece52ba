// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/stored_results.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>
#include <emgnn/learn/mean_std.h>
#include <emgnn/learn/score_info.h>
#include <emgnn/run/same_run.h>

namespace emgnn {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

RunFolder folder_at(const fs::path& path) {
  RunFolder out;
  out.move_to(path);
  return out;
}

// What the data is of, by the manifest of a run.
LabelKind labels_of(const RunFolder& folder) {
  const std::string file = folder.name_of(kManifestFile);
  const Json manifest = Json::parse(folder.read(kManifestFile).value_or(""), nullptr, false);
  const Json::json_pointer task("/data/task");
  if (!manifest.is_object() || !manifest.contains(task) || !manifest.at(task).is_string())
    throw DataError(fmt::format("{}: damaged: data.task is missing", file));
  try {
    return kind_of_task(manifest.at(task).get<std::string>()).value_or(LabelKind::kNone);
  } catch (const UsageError& error) {
    throw DataError(fmt::format("{}: damaged: {}", file, error.what()));
  }
}

std::optional<double> mean_of(const std::vector<SeriesTimes>& all, const auto& counts) {
  std::vector<double> each;
  for (const SeriesTimes& series : all)
    if (counts(series)) each.insert(each.end(), series.seconds.begin(), series.seconds.end());
  if (each.empty()) return std::nullopt;
  return mean_std(each).mean;
}

}  // namespace

std::optional<Results> stored_results(const RunRequest& request,
                                      const std::map<std::string, std::string>& values) {
  if (!request.out) return std::nullopt;
  const ConfigRequest& config = request.config;
  check_same_identity(folder_at(*request.out),
                      identity_json(config, request.seed, has_seed_folders(request)));
  Results out{
      .dataset = config.dataset, .method = config.method, .config = {}, .scores = {}, .runs = {}};
  for (int64_t r = 0; r < request.runs; ++r) {
    const RunFolder folder = folder_at(folder_of_run(*request.out, request, r));
    if (!folder.read(kResultsFile)) return std::nullopt;
    check_same_identity(
        folder, identity_json(config, request.seed + static_cast<uint64_t>(r), /*several=*/false));
    check_same_values(folder, values, config.method);
    out.runs.push_back(finished_run(request, r));
    // fit says in its words what such a run lacks.
    if (!out.runs.back().test || (request.rank_graphs && !out.runs.back().graph_rank))
      return std::nullopt;
    if (r > 0) continue;
    const auto known = score_info(labels_of(folder));
    out.scores.assign(known.begin(), known.end());
  }
  return out;
}

int64_t num_finished(const RunRequest& request) {
  int64_t done = 0;
  std::error_code error;
  while (request.out && done < request.runs &&
         fs::exists(folder_of_run(*request.out, request, done) / kResultsFile, error))
    ++done;
  return done;
}

RunRecord finished_run(const RunRequest& request, int64_t r) {
  const RunFolder folder = folder_at(folder_of_run(request.out.value(), request, r));
  return parse_single_run(folder.read(kResultsFile).value_or(""), folder.name_of(kResultsFile));
}

std::optional<double> seconds_left(const std::vector<SeriesTimes>& all, int64_t at_a_time) {
  const std::optional<double> any = mean_of(all, [](const SeriesTimes&) { return true; });
  if (!any) return std::nullopt;
  double sum = 0.0, longest = 0.0;
  for (const SeriesTimes& one : all) {
    const auto left = static_cast<double>(one.runs - std::ssize(one.seconds));
    std::optional<double> each = mean_of(all, [&](const SeriesTimes& s) { return &s == &one; });
    if (!each) each = mean_of(all, [&](const SeriesTimes& s) { return s.row == one.row; });
    if (!each) each = mean_of(all, [&](const SeriesTimes& s) { return s.column == one.column; });
    const double here = left * each.value_or(*any);
    sum += here;
    longest = std::max(longest, here);
  }
  return std::max(longest, sum / static_cast<double>(at_a_time));
}

}  // namespace emgnn
