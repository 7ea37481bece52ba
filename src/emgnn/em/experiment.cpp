// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/experiment.h>

#include <fmt/ranges.h>

#include <algorithm>

#include <emgnn/base/error.h>
#include <emgnn/em/node_problem.h>
#include <emgnn/em/rewire_input.h>
#include <emgnn/em/shipped_configs.h>
#include <emgnn/models/backbones.h>
#include <emgnn/space/mixture.h>

namespace emgnn {

namespace {

// Names that are reserved for methods of later versions.
constexpr const char* kNotYet[] = {"gat",   "gtn",         "simple-hgn", "sehgnn", "dropedge",
                                   "rsgnn", "bgcn",        "acmp",       "gin",    "weave",
                                   "mpnn",  "attentivefp", "em-gcn-star"};

bool is_em(const std::string& method) { return method.starts_with("em-"); }

const BackboneKind& backbone_of(const std::string& method) {
  const std::vector<BackboneKind>& all = backbones();
  return *std::find_if(all.begin(), all.end(), [&](const BackboneKind& kind) {
    return kind.method == method || kind.em_method == method;
  });
}

void check_method(const std::string& method) {
  std::vector<std::string> names;
  for (const MethodInfo& info : methods()) names.push_back(info.name);
  if (std::find(names.begin(), names.end(), method) != names.end()) return;
  for (const char* planned : kNotYet) {
    if (method == planned) {
      throw UsageError(fmt::format("method {} is not part of this version; it has {}", method,
                                   fmt::join(names, ", ")));
    }
  }
  const std::vector<std::string> near = near_matches(method, names);
  throw UsageError(fmt::format("unknown method \"{}\"; {} {}", method,
                               near.empty() ? "known:" : "did you mean",
                               fmt::join(near.empty() ? names : near, ", ")));
}

}  // namespace

std::vector<MethodInfo> methods() {
  std::vector<MethodInfo> all;
  for (const BackboneKind& kind : backbones()) {
    all.push_back({kind.method, kind.summary + " on the graph as given"});
    all.push_back({kind.em_method,
                   "the same network trained over a learned distribution of graphs (em.variant = "
                   "pt, po, pd, ph)"});
  }
  return all;
}

RunConfig default_config(const std::string& method, const std::string& dataset_name) {
  check_method(method);
  RunConfig config;
  // A plain network is EM over the one observed graph: PD gives that graph weight 1.
  if (!is_em(method)) {
    config.train.em.variant = Variant::kPd;
    config.train.em.warmup = 0;
    config.train.em.draws = 1;
  }
  for (const ShippedConfig& shipped : shipped_configs()) {
    if (shipped.dataset != dataset_name) continue;
    const std::string name = "configs/" + std::string(shipped.dataset) + ".toml";
    read_toml_section(config, shipped.text, name, "any");
    read_toml_section(config, shipped.text, name, method);
  }
  return config;
}

Preparation prepare(const Dataset& dataset, const std::string& method, const RunConfig& config) {
  check_method(method);
  const SpaceOptions& space = config.train.space;
  if (!is_em(method) || !rewires(dataset.graph, space)) return {};
  return {.candidates = find_candidates(dataset, space)};
}

Experiment::Experiment(const Dataset& dataset, const std::string& method, const RunConfig& config,
                       uint64_t seed)
    : Experiment(dataset, prepare(dataset, method, config), method, config, seed) {}

Experiment::Experiment(const Dataset& dataset, const Preparation& preparation,
                       const std::string& method, const RunConfig& config, uint64_t seed) {
  check_method(method);
  const TrainOptions& options = config.train;
  if (!is_em(method)) {
    family_ = MixtureFamily::observed_only(dataset.graph, options.space.normalisation);
  } else if (rewires(dataset.graph, options.space)) {
    auto family = std::make_unique<RewireFamily>(
        rewire_graph(dataset, preparation.candidates, options.space), options.space, seed);
    rewire_family_ = family.get();
    family_ = std::move(family);
  } else {
    family_ = std::make_unique<MixtureFamily>(dataset.graph, options.space);
  }
  const BackboneSizes sizes{.num_nodes = dataset.graph.num_nodes,
                            .num_features = dataset.features.num_cols,
                            .num_outputs = dataset.num_classes()};
  backbone_ = backbone_of(method).make(options.model, sizes, seed);
  problem_ = std::make_unique<NodeProblem>(dataset, *family_, *backbone_, options.em);
  trainer_ = std::make_unique<Trainer>(*problem_, options, seed);
}

}  // namespace emgnn
