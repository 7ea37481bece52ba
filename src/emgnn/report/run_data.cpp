// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/run_data.h>

#include <utility>

namespace emgnn {

void check_kind(const std::string& dataset, const std::string& method) {
  check_known(dataset);
  check_data_kind(method, is_molecule_table(dataset) ? DataKind::kMolecules : DataKind::kGraph,
                  dataset);
}

std::unique_ptr<RunSource> open_source(const std::string& dataset,
                                       const std::filesystem::path& data_dir, RunMethod method) {
  const DataOptions options = method.config.data;
  if (is_molecule_table(dataset)) {
    return molecule_source({.name = dataset, .data_dir = data_dir, .options = options.molecules},
                           std::move(method));
  }
  const uint64_t seed = method.seed;
  return node_source({.name = dataset,
                      .data_dir = data_dir,
                      .split = options.split,
                      .seed = seed,
                      .directed_relations = options.directed_relations,
                      .row_normalise = options.normalise_features,
                      .perturb = options.perturb},
                     std::move(method));
}

}  // namespace emgnn
