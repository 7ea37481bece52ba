// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/load.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/data/load_molecules.h>
#include <emgnn/data/molecule_split.h>
#include <emgnn/data/registry.h>
#include <emgnn/data/split_shares.h>

namespace emgnn {

namespace {

std::vector<std::string> with_name(const std::string& dataset, std::vector<std::string> notes) {
  for (std::string& note : notes) note = fmt::format("{}: {}", dataset, note);
  return notes;
}

std::vector<std::string> notes_of(const MoleculeTable& table, const std::string& dataset) {
  std::vector<std::string> notes = with_name(dataset, table.notes);
  if (table.rejects.empty()) return notes;
  const Reject& first = table.rejects.front();
  notes.push_back(fmt::format("{}: {} of {} rows are left out, row {} because: {}", dataset,
                              table.rejects.size(), table.rejects.size() + table.row.size(),
                              first.row, first.reason));
  return notes;
}

}  // namespace

DataKind kind_of(const std::string& dataset) {
  check_known(dataset);
  return is_molecule_table(dataset) ? DataKind::kMolecules : DataKind::kGraph;
}

std::string group_of(const std::string& dataset) {
  if (is_molecule_table(dataset)) return "molecules";
  if (is_large_graph(dataset)) return "large-graphs";
  return is_own_graph(dataset) ? "own-graphs" : dataset_info(dataset).kind;
}

bool is_own_data(const std::string& dataset) {
  return is_own_graph(dataset) || (is_molecule_table(dataset) && is_molecule_file(dataset));
}

std::string lasting_name(const std::string& dataset) {
  if (!is_own_data(dataset)) return dataset;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(dataset)).string();
}

void DataSource::set_aside(Split& split, int64_t run) {
  constexpr uint32_t kSetAside = 1;  // of the stream of splits
  calibration_.clear();
  const double share = request_.options.calibration_share;
  if (share == 0.0 || !request_.with_split) return;
  std::vector<int32_t>& validation = split.validation;
  const auto count =
      static_cast<size_t>(std::llround(share * static_cast<double>(validation.size())));
  if (count == 0 || count == validation.size()) {
    throw UsageError(fmt::format(
        "calibration_share={}: {} of {} validation rows would be set aside; both parts need some",
        share, count, validation.size()));
  }
  std::vector<int32_t> order = validation;
  std::sort(order.begin(), order.end());
  Rng rng(request_.seed + static_cast<uint64_t>(run), Stream::kSplit, 0, kSetAside);
  shuffle(order, rng);
  calibration_.assign(order.begin(), order.begin() + static_cast<ptrdiff_t>(count));
  std::sort(calibration_.begin(), calibration_.end());
  std::erase_if(validation, [&](int32_t row) {
    return std::binary_search(calibration_.begin(), calibration_.end(), row);
  });
}

std::shared_ptr<const Data> DataSource::load(int64_t run, const MoleculeObserver& observer) {
  const DataOptions& options = request_.options;
  if (is_molecule_table(request_.dataset)) {
    if (!table_) {
      table_ = std::make_shared<MoleculeTable>(load_molecules({.name = request_.dataset,
                                                               .data_dir = request_.data_dir,
                                                               .task = options.task,
                                                               .options = options.molecules},
                                                              observer));
      notes_ = notes_of(*table_, request_.dataset);
      if (request_.with_split && table_->labels.kind == LabelKind::kNone) {
        throw UsageError(fmt::format(
            "{}: nothing to learn: name the column to predict with --set data.target=COLUMN",
            request_.dataset));
      }
    }
    Split split;
    if (request_.with_split)
      split = make_split(
          *table_, {.spec = options.split, .seed = request_.seed, .run = static_cast<int>(run)});
    set_aside(split, run);
    return std::make_shared<Data>(table_, std::move(split));
  }
  const DatasetRequest request{.name = request_.dataset,
                               .data_dir = request_.data_dir,
                               .split = options.split,
                               .task = options.task,
                               .seed = request_.seed,
                               .run = static_cast<int>(run),
                               .directed_relations = options.directed_relations,
                               .row_normalise = options.normalise_features,
                               .perturb = options.perturb,
                               .with_split = request_.with_split};
  if (notes_.empty() && is_own_graph(request_.dataset))
    notes_ = with_name(request_.dataset, parse_dataset(request).notes);
  Dataset graph = load_dataset(request);
  set_aside(graph.split, run);
  return std::make_shared<Data>(std::move(graph));
}

}  // namespace emgnn
