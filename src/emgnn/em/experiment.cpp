// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/experiment.h>

#include <fmt/ranges.h>

#include <emgnn/base/error.h>
#include <emgnn/em/rewire_input.h>
#include <emgnn/em/shipped_configs.h>
#include <emgnn/space/mixture.h>

namespace emgnn {

namespace {

// A plain network is EM over the one observed graph: PD gives that graph weight 1.
constexpr const char* kPlainGcn = "gcn";
constexpr const char* kEmGcn = "em-gcn";

bool is_em(const std::string& method) { return method.starts_with("em-"); }

void check_method(const std::string& method) {
  std::vector<std::string> names;
  for (const MethodInfo& info : methods()) names.push_back(info.name);
  if (std::find(names.begin(), names.end(), method) != names.end()) return;
  const std::vector<std::string> near = near_matches(method, names);
  throw UsageError(fmt::format("unknown method \"{}\"; {} {}", method,
                               near.empty() ? "known:" : "did you mean",
                               fmt::join(near.empty() ? names : near, ", ")));
}

}  // namespace

std::vector<MethodInfo> methods() {
  return {{kPlainGcn, "graph convolutional network on the graph as given"},
          {kEmGcn,
           "the same network trained over a learned distribution of graphs (em.variant = pt, po, "
           "pd, ph)"}};
}

RunConfig default_config(const std::string& method, const std::string& dataset_name) {
  check_method(method);
  RunConfig config;
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
  backbone_ =
      std::make_unique<Gcn>(options.model, dataset.features.num_cols, dataset.num_classes(), seed);
  trainer_ = std::make_unique<Trainer>(dataset, *family_, *backbone_, options, seed);
}

}  // namespace emgnn
