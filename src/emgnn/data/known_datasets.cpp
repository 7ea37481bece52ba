// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/known_datasets.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/options.h>
#include <emgnn/data/generators.h>
#include <emgnn/data/molecule_split.h>
#include <emgnn/data/toy_molecules.h>

namespace emgnn {
namespace {

std::vector<std::string> planetoid_files(const std::string& set,
                                         std::initializer_list<const char*> parts) {
  std::vector<std::string> files;
  for (const char* part : parts) files.push_back("planetoid/ind." + set + "." + part);
  return files;
}

KnownDataset planetoid(const std::string& set, PublishedCounts counts, const std::string& summary) {
  return {{set,
           "citation",
           summary,
           planetoid_files(set, {"x", "y", "tx", "ty", "allx", "ally", "graph", "test.index"}),
           {"planetoid"}},
          std::move(counts),
          [set](const SourceFiles& files) { return load_planetoid(files, set); },
          nullptr,
          nullptr};
}

KnownDataset pubmed_presence(PublishedCounts counts) {
  std::vector<std::string> files =
      planetoid_files("pubmed", {"y", "ty", "ally", "graph", "test.index"});
  files.insert(files.end(), {"planetoid/pubmed-presence/features.txt",
                             "planetoid/pubmed-presence/planetoid-index-map.json.gz"});
  return {{"pubmed-presence",
           "citation",
           "Pubmed with word presence instead of TF-IDF weights",
           std::move(files),
           {"planetoid"}},
          std::move(counts),
          load_pubmed_presence,
          nullptr,
          nullptr};
}

KnownDataset geom_gcn(const std::string& directory, const std::string& split_set,
                      PublishedCounts counts, const std::string& summary) {
  std::vector<std::string> files = {"geom-gcn/" + directory + "/out1_node_feature_label.txt",
                                    "geom-gcn/" + directory + "/out1_graph_edges.txt"};
  for (int i = 0; i < 10; ++i)
    files.push_back(fmt::format("geom-gcn/splits/{}_split_0.6_0.2_{}.npz", split_set, i));
  return {{directory, "web", summary, std::move(files), {"geom-gcn", "geom-gcn:0..9"}},
          std::move(counts),
          [directory, split_set](const SourceFiles& from) {
            return load_geom_gcn(from, directory, split_set);
          },
          nullptr,
          nullptr};
}

KnownDataset gtn(const std::string& name, GtnLayout layout, PublishedCounts counts,
                 const std::string& summary) {
  layout.zip = "gtn/" + name + ".zip";
  DatasetInfo info{name, "heterogeneous", summary, {layout.zip}, {}};
  for (const GtnLayout::LabelFile& labels : layout.labels) {
    info.splits.push_back(labels.split);
    if (!labels.path.empty()) info.files.push_back(labels.path);
  }
  return {
      std::move(info), std::move(counts),
      [layout = std::move(layout)](const SourceFiles& files) { return load_gtn(files, layout); },
      nullptr, nullptr};
}

KnownDataset am_gcn(const std::string& name, const std::string& file, PublishedCounts counts,
                    const std::string& summary) {
  return {{name,
           "social",
           summary,
           {"am-gcn/" + file + ".zip"},
           {"am-gcn", "labels-per-class:40", "labels-per-class:60"}},
          std::move(counts),
          [file](const SourceFiles& files) { return load_am_gcn(files, file); },
          nullptr,
          nullptr};
}

// Tables in the form of a user's own graph.
KnownDataset graph_tables(const std::string& name, const std::string& kind,
                          const std::string& split, PublishedCounts counts,
                          const std::string& summary) {
  return {{name, kind, summary, {name + "/nodes.csv", name + "/edges.csv"}, {"fixed", split}},
          std::move(counts),
          [name, split](const SourceFiles& files) { return load_graph_tables(files, name, split); },
          nullptr,
          nullptr};
}

KnownDataset molecules(const std::string& name, const std::string& path, const std::string& target,
                       int64_t count, const std::string& summary) {
  PublishedCounts counts;
  counts.nodes = count;
  return {
      {name, "molecules", summary, {path}, {kRandomMoleculeSplit, kScaffoldSplit}},
      std::move(counts),
      nullptr,
      [path, target](const SourceFiles& files, MoleculeColumns columns, const std::string& task) {
        if (columns.target.empty()) columns.target = target;
        return load_moleculenet(files, path, columns, task);
      },
      nullptr};
}

KnownDataset toy_molecules(const std::string& name, const std::string& summary,
                           std::function<Labels(const Molecules&)> measure) {
  return {{name, "molecules", summary, {}, {kRandomMoleculeSplit, kScaffoldSplit}},
          {},
          nullptr,
          [name](const SourceFiles&, const MoleculeColumns& columns, const std::string&) {
            return toy_molecule_rows(name, columns);
          },
          std::move(measure)};
}

// The generator's seed is fixed: all runs share the data.
KnownDataset generated(const std::string& name, const std::string& summary,
                       std::function<Dataset(uint64_t seed)> generate) {
  return {{name, "generated", summary, {}, {"generated"}},
          {},
          [generate = std::move(generate)](const SourceFiles&) {
            ParsedDataset parsed;
            parsed.dataset = generate(0);
            parsed.splits.push_back({"generated", std::exchange(parsed.dataset.split, {})});
            return parsed;
          },
          nullptr,
          nullptr};
}

KnownDataset power_law_named(const std::string& name) {
  return generated(
      name,
      "a graph of any size with several relations, power-law:nodes=2e5,edges=1e6; "
      "needs no file",
      [options = parse_power_law(name)](uint64_t seed) { return power_law(options, seed); });
}

std::vector<KnownDataset> make_table() {
  const PublishedCounts pubmed{19717, {{"citation", 44324}}, 500, {4103, 7739, 7875}, 60, 500,
                               1000};
  return {
      generated("noisy-relations",
                "items linked by an informative and a misleading relation; needs no file",
                [](uint64_t seed) { return noisy_relations({}, seed); }),
      generated("noisy-citations", "citations, some spurious and some missing; needs no file",
                [](uint64_t seed) { return noisy_citations({}, seed); }),
      generated("noisy-labels", "texts with several topics each, linked by topic; needs no file",
                [](uint64_t seed) { return noisy_labels({}, seed); }),
      generated("noisy-values", "stations that measure the same quantity; needs no file",
                [](uint64_t seed) { return noisy_values({}, seed); }),
      power_law_named(kPowerLaw),
      toy_molecules("toy-molecules",
                    "small molecules and their radius of gyration, Å; needs no file", toy_sizes),
      toy_molecules("toy-molecules-binary",
                    "the same molecules, and whether each is larger than most; needs no file",
                    toy_is_large),
      gtn("imdb",
          {"",
           {{"movie", 4661}, {"director", 6931}, {"actor", 12772}},
           {{{"MD", 0, 1}, {"MA", 0, 2}}},
           0,
           3,
           {{"emgnn", "gtn/imdb.labels.emgnn-release.pkl"}, {"gtn", ""}}},
          {12772, {{"MD", 4661}, {"MA", 13983}}, 1256, {543, 924, 1472}, 300, 300, 2339},
          "movies, directors and actors; the genre of movies"),
      gtn("acm",
          {"",
           {{"paper", 3025}, {"author", 8937}, {"subject", 8994}},
           {{{"PA", 0, 1}, {"PS", 0, 2}}},
           0,
           3,
           {{"gtn", ""}}},
          {8994, {{"PA", 9936}, {"PS", 3025}}, 1902, {994, 970, 1061}, 600, 300, 2125},
          "papers, authors and subjects; the area of papers"),
      gtn("dblp",
          {"",
           {{"author", 4057}, {"paper", 18385}, {"conference", 18405}},
           {{{"PA", 1, 0}, {"PC", 1, 2}}},
           0,
           4,
           {{"gtn", ""}}},
          {18405, {{"PA", 19645}, {"PC", 14328}}, 334, {1197, 745, 1109, 1006}, 800, 400, 2857},
          "authors, papers and conferences; the area of authors"),
      planetoid(
          "cora",
          {2708, {{"citation", 5278}}, 1433, {351, 217, 418, 818, 426, 298, 180}, 140, 500, 1000},
          "papers on machine learning and their citations, 0/1 bag of words"),
      planetoid("citeseer",
                {3327, {{"citation", 4552}}, 3703, {249, 590, 668, 701, 596, 508}, 120, 500, 1000},
                "computer science papers and their citations, 0/1 bag of words"),
      planetoid("pubmed", pubmed, "papers on diabetes and their citations, TF-IDF of 500 words"),
      pubmed_presence(pubmed),
      geom_gcn("texas", "texas", {183, {{"link", 279}}, 1703, {33, 1, 18, 101, 30}, 87, 59, 37},
               "web pages of a department and their links"),
      geom_gcn("wisconsin", "wisconsin",
               {251, {{"link", 450}}, 1703, {10, 70, 118, 32, 21}, 120, 80, 51},
               "web pages of a department and their links"),
      geom_gcn("cornell", "cornell", {183, {{"link", 277}}, 1703, {38, 16, 30, 82, 17}, 87, 59, 37},
               "web pages of a department and their links, as corrected in July 2022"),
      geom_gcn("cornell-before-2022-07", "cornell",
               {183, {{"link", 277}}, 1703, {33, 1, 18, 101, 30}, 87, 59, 37},
               "Cornell as first published, with the features and labels of Texas"),
      am_gcn("blogcatalog", "BlogCatalog",
             {5196, {{"follow", 171743}}, 8189, {885, 777, 921, 858, 892, 863}, 120, 500, 1000},
             "bloggers who follow each other, and the words of their blogs"),
      am_gcn("flickr", "flickr",
             {7575,
              {{"follow", 239738}},
              12047,
              {834, 799, 856, 801, 795, 888, 843, 876, 883},
              180,
              500,
              1000},
             "users of a photo site who follow each other, and the tags of their interests"),
      graph_tables("yeast", "interaction", "stratified:0.2/0.2/0.6",
                   {2617,
                    {{"high", 2455}, {"medium", 9400}},
                    18,
                    {60, 109, 148, 261, 99, 200, 101, 295, 193, 256, 48, 249},
                    405,
                    402,
                    1212},
                   "proteins and their interactions of high and medium confidence; no features"),
      molecules("freesolv", "moleculenet/SAMPL.csv", "expt", 642,
                "hydration free energy, kcal/mol"),
      molecules("esol", "moleculenet/delaney-processed.csv",
                "measured log solubility in mols per litre", 1128, "log solubility, mol/l"),
      molecules("lipophilicity", "moleculenet/Lipophilicity.csv", "exp", 4200, "log D"),
  };
}

}  // namespace

const std::vector<KnownDataset>& known_datasets() {
  static const std::vector<KnownDataset> table = make_table();
  return table;
}

namespace {

// Those with options in their names, made when first asked for.
const KnownDataset* generated_by_name(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, KnownDataset> made;
  const std::lock_guard lock(mutex);
  const auto known = made.find(name);
  if (known != made.end()) return &known->second;
  return &made.emplace(name, power_law_named(name)).first->second;
}

}  // namespace

const KnownDataset* find_known_dataset(const std::string& name) {
  if (name.starts_with(fmt::format("{}:", kPowerLaw))) return generated_by_name(name);
  const auto& table = known_datasets();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const KnownDataset& d) { return d.info.name == name; });
  return found == table.end() ? nullptr : &*found;
}

const KnownDataset& require_known_dataset(const std::string& name) {
  if (const KnownDataset* known = find_known_dataset(name)) return *known;
  std::vector<std::string> names;
  for (const KnownDataset& known : known_datasets()) names.push_back(known.info.name);
  const std::vector<std::string> near = near_matches(name, names);
  const std::string hint =
      near.empty() ? "" : fmt::format("did you mean {}? ", fmt::join(near, " or "));
  throw UsageError(
      fmt::format("no dataset, no directory and no .csv or .sdf file {:?}; {}the names are {}",
                  name, hint, fmt::join(names, ", ")));
}

void check_counts(const ParsedDataset& parsed, const PublishedCounts& counts) {
  const Dataset& dataset = parsed.dataset;
  const auto compare = [&](std::string_view what, int64_t found, int64_t published) {
    if (found == published) return;
    throw DataError(fmt::format("dataset {}: {} {}, but {} are published", dataset.name, found,
                                what, published));
  };
  compare("nodes", dataset.graph.num_nodes, counts.nodes);
  compare("features", dataset.features.num_cols, counts.features);
  compare("relations", static_cast<int64_t>(dataset.graph.relations.size()),
          static_cast<int64_t>(counts.edges.size()));
  for (const Relation& relation : dataset.graph.relations) {
    compare(relation.name + " edges", relation.adjacency.num_entries() / 2,
            counts.edges.at(relation.name));
  }
  compare("classes", dataset.labels.num_classes(), static_cast<int64_t>(counts.class_sizes.size()));
  std::vector<int64_t> sizes(counts.class_sizes.size(), 0);
  for (const int32_t label : dataset.labels.cls) {
    if (label != kNoLabel) ++sizes[static_cast<size_t>(label)];
  }
  for (size_t c = 0; c < sizes.size(); ++c) {
    compare("nodes of class " + dataset.labels.names[c], sizes[c], counts.class_sizes[c]);
  }
  for (const NamedSplit& named : parsed.splits) {
    if (!named.name.starts_with("labels-per-class:"))  // the name says how many, the loader checks
      compare("training nodes", static_cast<int64_t>(named.split.train.size()), counts.train);
    compare("validation nodes", static_cast<int64_t>(named.split.validation.size()),
            counts.validation);
    compare("test nodes", static_cast<int64_t>(named.split.test.size()), counts.test);
  }
}

}  // namespace emgnn
