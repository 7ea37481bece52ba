// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/method.h>

#include <fmt/ranges.h>

#include <algorithm>

#include <emgnn/base/error.h>
#include <emgnn/em/shipped_configs.h>
#include <emgnn/models/backbones.h>

namespace emgnn {

namespace {

// Names that are reserved for methods of later versions.
constexpr const char* kNotYet[] = {"gat",      "gtn",   "simple-hgn", "sehgnn",
                                   "dropedge", "rsgnn", "bgcn",       "acmp",
                                   "gin",      "weave", "mpnn",       "attentivefp"};

constexpr const char* kOverGraphs =
    "the same network trained over a learned distribution of graphs (em.variant = pt, po, pd, ph)";

std::vector<MethodInfo> all_methods() {
  std::vector<MethodInfo> all;
  for (const BackboneKind& kind : backbones()) {
    all.push_back({kind.method, kind.summary + " on the graph as given", DataKind::kGraph, false});
    all.push_back({kind.em_method, kOverGraphs, DataKind::kGraph, true});
  }
  all.push_back({"gcn-star", "molecules: graph convolutions of degree 1 on the bonds as given",
                 DataKind::kMolecules, false});
  all.push_back({"em-gcn-star",
                 "molecules: the same network trained over a learned distribution of distances up "
                 "to which atoms are joined",
                 DataKind::kMolecules, true});
  return all;
}

std::vector<std::string> names_of(DataKind kind) {
  std::vector<std::string> names;
  for (const MethodInfo& info : methods()) {
    if (info.data == kind) names.push_back(info.name);
  }
  return names;
}

void read_shipped(RunConfig& config, const std::string& file, const std::string& method) {
  for (const ShippedConfig& shipped : shipped_configs()) {
    if (shipped.dataset != file) continue;
    const std::string name = "configs/" + file + ".toml";
    read_toml_section(config, shipped.text, name, "any");
    read_toml_section(config, shipped.text, name, method);
  }
}

}  // namespace

const std::vector<MethodInfo>& methods() {
  static const std::vector<MethodInfo> all = all_methods();
  return all;
}

const MethodInfo& method_info(const std::string& name) {
  std::vector<std::string> names;
  for (const MethodInfo& info : methods()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  if (std::find(std::begin(kNotYet), std::end(kNotYet), name) != std::end(kNotYet)) {
    throw UsageError(fmt::format("method {} is not part of this version; it has {}", name,
                                 fmt::join(names, ", ")));
  }
  const std::vector<std::string> near = near_matches(name, names);
  throw UsageError(fmt::format("unknown method \"{}\"; {} {}", name,
                               near.empty() ? "known:" : "did you mean",
                               fmt::join(near.empty() ? names : near, ", ")));
}

void check_data_kind(const std::string& method, DataKind kind, const std::string& dataset_name) {
  if (method_info(method).data == kind) return;
  throw UsageError(fmt::format("method {} is for {}, and {} is {}; use {}", method,
                               kind == DataKind::kGraph ? "molecules" : "the nodes of a graph",
                               dataset_name,
                               kind == DataKind::kGraph ? "a graph" : "a table of molecules",
                               fmt::join(names_of(kind), ", ")));
}

RunConfig default_config(const std::string& method, const std::string& dataset_name) {
  const MethodInfo& info = method_info(method);
  RunConfig config;
  // A plain network is EM over the one observed graph: PD gives that graph weight 1.
  if (!info.em) {
    config.train.em.variant = Variant::kPd;
    config.train.em.warmup = 0;
    config.train.em.draws = 1;
    config.data.molecules.conformers.count = 0;  // the bonds need no coordinates
  }
  if (info.data == DataKind::kMolecules) read_shipped(config, "molecules", method);
  read_shipped(config, dataset_name, method);
  return config;
}

}  // namespace emgnn
