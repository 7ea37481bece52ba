// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/registry.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/size_limits.h>
#include <emgnn/data/cache.h>
#include <emgnn/data/generators.h>
#include <emgnn/data/graph_file.h>
#include <emgnn/data/known_datasets.h>
#include <emgnn/data/load_molecules.h>
#include <emgnn/data/node_order.h>
#include <emgnn/data/own_graph.h>
#include <emgnn/data/split.h>
#include <emgnn/graph/perturb.h>

namespace emgnn {
namespace {

namespace fs = std::filesystem;

fs::path data_dir_of(const DatasetRequest& request) {
  return request.data_dir.empty() ? default_data_dir() : request.data_dir;
}

Checksums checksums_of(const DatasetRequest& request) {
  return request.allow_modified ? Checksums::kIgnore : Checksums::kRequire;
}

ParsedDataset parse_known(const KnownDataset& known, const DatasetRequest& request) {
  const fs::path data_dir = data_dir_of(request);
  const auto parse = [&] {
    ParsedDataset parsed =
        known.load(SourceFiles(data_dir, known.info.name, checksums_of(request)));
    parsed.dataset.name = known.info.name;
    if (!request.allow_modified && known.counts.nodes > 0) check_counts(parsed, known.counts);
    return parsed;
  };
  if (!request.use_cache || known.info.files.empty()) return parse();
  CacheRequest cache{known.info.name, request.allow_modified ? "modified" : "published", {}};
  for (const std::string& file : known.info.files) cache.sources.push_back(data_dir / file);
  return load_through_cache(cache, parse);
}

ParsedDataset parse_directory(const fs::path& directory, const DatasetRequest& request) {
  OwnGraphSources sources = find_own_graph(directory);
  sources.task = request.task;
  const std::string name = fs::weakly_canonical(directory).filename().string();
  sources.directed_relations = request.directed_relations;
  const auto parse = [&] {
    ParsedDataset parsed = load_own_graph(sources, name);
    sort_nodes(parsed);
    return parsed;
  };
  const std::string form =
      fmt::format("own {}{}", request.task, request.directed_relations ? " directed" : "");
  return request.use_cache ? load_through_cache({name, form, sources.files()}, parse) : parse();
}

std::vector<fs::path> edge_files(const OwnGraphSources& sources) {
  std::vector<fs::path> out = sources.adjacency;
  for (const fs::path& path : {sources.edges, sources.graphml})
    if (!path.empty()) out.push_back(path);
  return out;
}

// One symmetric relation between two types -> one relation per direction: XY leaves the type that
// was X, YX comes back.
TypedGraph split_directions(const Dataset& dataset, const std::string& requested) {
  const KnownDataset* known = find_known_dataset(requested);
  if (known == nullptr || known->info.kind != "heterogeneous") {
    throw UsageError(
        fmt::format("{}: only imdb, acm and dblp come with directed relations", requested));
  }
  TypedGraph directed{dataset.graph.num_nodes, {}};
  for (const Relation& relation : dataset.graph.relations) {
    Coo forward;
    const Csr& a = relation.adjacency;
    // A relation is named by the initials of its two types, the source first.
    const auto source_initial = static_cast<char>(std::tolower(relation.name.front()));
    for (int32_t r = 0; r < a.num_rows; ++r) {
      const auto type = static_cast<size_t>(dataset.node_type[static_cast<size_t>(r)]);
      if (dataset.node_type_names[type].front() != source_initial) continue;
      for (int32_t k = a.rowptr[static_cast<size_t>(r)]; k < a.rowptr[static_cast<size_t>(r) + 1];
           ++k) {
        forward.row.push_back(r);
        forward.col.push_back(a.col[static_cast<size_t>(k)]);
      }
    }
    Csr there = csr_from_coo(a.num_rows, a.num_cols, forward, Duplicates::kKeepFirst);
    Csr back = transpose(there).csr;
    directed.relations.push_back({relation.name, std::move(there)});
    directed.relations.push_back(
        {std::string(relation.name.rbegin(), relation.name.rend()), std::move(back)});
  }
  return directed;
}

// Of an own graph the reader has kept them apart, where there are any.
void keep_directions(Dataset& dataset, const std::string& requested) {
  if (!is_own_graph(requested)) {
    dataset.graph = split_directions(dataset, requested);
    return;
  }
  const std::vector<Relation>& all = dataset.graph.relations;
  if (std::all_of(all.begin(), all.end(),
                  [](const auto& r) { return is_symmetric(r.adjacency); })) {
    throw UsageError(fmt::format(
        "{}: data.directed_relations has nothing to keep apart: no edge type is another one "
        "reversed",
        requested));
  }
}

void perturb_graph(Dataset& dataset, double percent, uint64_t seed) {
  EMGNN_CHECK(dataset.graph.relations.size() == 1, "perturb needs a graph with one edge type",
              dataset.graph.relations.size());
  Csr& adjacency = dataset.graph.relations.front().adjacency;
  Csr perturbed = perturb_edges(adjacency, percent, seed);
  dataset.perturbation = edge_changes(adjacency, perturbed);
  adjacency = std::move(perturbed);
}

void normalise_feature_rows(Features& features) {
  if (features.is_sparse) {
    features.sparse = normalise_rows(features.sparse);
    return;
  }
  const auto width = static_cast<size_t>(features.num_cols);
  for (size_t begin = 0; begin < features.dense.size(); begin += width) {
    double sum = 0;
    for (size_t k = begin; k < begin + width; ++k) sum += features.dense[k];
    for (size_t k = begin; sum != 0 && k < begin + width; ++k) {
      features.dense[k] = static_cast<float>(features.dense[k] / sum);
    }
  }
}

}  // namespace

std::vector<DatasetInfo> list_datasets() {
  std::vector<DatasetInfo> infos;
  for (const KnownDataset& known : known_datasets()) infos.push_back(known.info);
  return infos;
}

const DatasetInfo& dataset_info(const std::string& name) {
  return require_known_dataset(name).info;
}

bool is_molecule_table(const std::string& name) {
  if (const KnownDataset* known = find_known_dataset(name)) return known->read_molecules != nullptr;
  return is_molecule_file(name);
}

void check_known(const std::string& name) {
  if (!is_own_graph(name) && !is_molecule_table(name)) dataset_info(name);
}

bool is_own_graph(const std::string& name) {
  std::error_code error;  // a name that cannot be a path is no directory
  if (find_known_dataset(name) != nullptr) return false;
  return fs::is_directory(name, error) ||
         (has_graph_file_suffix(name) && fs::is_regular_file(name, error));
}

bool is_large_graph(const std::string& name) {
  constexpr uintmax_t kBytesOfAnEdge = 16;  // of a text file
  const auto most = static_cast<uintmax_t>(SizeLimits{}.full_batch_entries);
  if (name.starts_with(fmt::format("{}:", kPowerLaw)))
    return 2 * static_cast<uintmax_t>(parse_power_law(name).num_edges) > most;
  if (!is_own_graph(name)) return false;
  if (!fs::is_directory(name)) return static_cast<uintmax_t>(graph_file_entries(name)) > most;
  uintmax_t bytes = 0;
  for (const fs::path& path : edge_files(find_own_graph(name))) {
    std::error_code error;
    const uintmax_t size = fs::file_size(path, error);
    if (!error) bytes += size;
  }
  return 2 * bytes / kBytesOfAnEdge > most;
}

ParsedDataset parse_dataset(const DatasetRequest& request) {
  if (is_molecule_table(request.name)) {
    throw UsageError(
        fmt::format("{} is a table of molecules, not a graph with labelled nodes", request.name));
  }
  if (is_own_graph(request.name) && has_graph_file_suffix(request.name) &&
      !fs::is_directory(request.name)) {
    ParsedDataset parsed = read_graph_file(request.name);
    check_task(request.task, parsed.dataset.labels, request.name);
    return parsed;
  }
  if (is_own_graph(request.name)) return parse_directory(request.name, request);
  ParsedDataset parsed = parse_known(require_known_dataset(request.name), request);
  check_task(request.task, parsed.dataset.labels, request.name);
  return parsed;
}

DatasetSummary summarise_dataset(const DatasetRequest& request) {
  const ParsedDataset parsed = parse_dataset(request);
  const bool has_split = !parsed.splits.empty() || !request.split.empty();
  return describe(
      parsed, has_split ? make_split(parsed, {request.split, request.seed, request.run}) : Split{});
}

Dataset load_dataset(const DatasetRequest& request) {
  ParsedDataset parsed = parse_dataset(request);
  if (request.with_split)
    parsed.dataset.split = make_split(parsed, {request.split, request.seed, request.run});
  if (request.directed_relations) keep_directions(parsed.dataset, request.name);
  if (request.perturb > 0.0) {
    perturb_graph(parsed.dataset, request.perturb,
                  request.seed + static_cast<uint64_t>(request.run));
  }
  if (request.row_normalise) normalise_feature_rows(parsed.dataset.features);
  request.with_split ? check(parsed.dataset) : check_without_split(parsed.dataset);
  return std::move(parsed.dataset);
}

fs::path default_data_dir() {
  if (const char* dir = std::getenv("EMGNN_DATA"); dir && *dir) return dir;
  return user_cache_dir() / "data";
}

}  // namespace emgnn
