// SPDX-License-Identifier: Apache-2.0
// Small data of both kinds, and networks for it.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "../space/random_molecules.h"

#include <emgnn/data/data.h>
#include <emgnn/data/generators.h>
#include <emgnn/learn/problem.h>
#include <emgnn/models/gcn.h>
#include <emgnn/models/gcn_star.h>
#include <emgnn/space/mixture.h>
#include <emgnn/space/molecule_family.h>

namespace emgnn {

inline Dataset small_relations() {
  return noisy_relations({.num_items = 240,
                          .num_people = 120,
                          .num_places = 60,
                          .num_words = 60,
                          .train_per_class = 10,
                          .validation_per_class = 20},
                         1);
}

inline NetworkShape shape_of(const Data& data, const Task& task) {
  const bool molecules = data.kind() == DataKind::kMolecules;
  return {.num_nodes = molecules ? 0 : data.num_rows(),
          .num_features = data.num_features(),
          .num_outputs = task.num_outputs(),
          .reads_out = molecules};
}

inline std::shared_ptr<Network> make_gcn(const GcnOptions& options, const NetworkShape& shape,
                                         uint64_t seed) {
  return std::make_shared<LayerStack>(
      LayerStack::Plan{options.stack, {}, shape, seed, options.stack.hidden},
      [&](Network& network, const LayerPlace& place) {
        return std::make_unique<GcnLayer>(network, place, options);
      });
}

// A GCN over the mixtures of a graph's edge types.
inline ProblemParts gcn_parts(std::shared_ptr<const Data> data, const GcnOptions& options,
                              uint64_t seed, const MixtureOptions& mixture = {}) {
  ProblemParts parts{
      .data = std::move(data), .family = nullptr, .network = nullptr, .task = nullptr};
  std::shared_ptr<const ViewSet> views;
  if (mixture.views != kGivenViews)
    views = std::make_shared<const ViewSet>(make_views(*parts.data->graph(), mixture.views));
  parts.family = MixtureFamily::make(parts.data->graph(), mixture, views);
  parts.task = make_task(parts.data->labels(), {}, parts.data->split().train);
  parts.network = make_gcn(options, shape_of(*parts.data, *parts.task), seed);
  return parts;
}

// `count` made-up molecules with a value each, all of them for training.
inline std::shared_ptr<const Data> random_molecule_data(int64_t count, int64_t conformers) {
  auto table = std::make_shared<MoleculeTable>();
  table->name = "molecules";
  table->molecules = random_molecules(count, conformers, 7);
  table->labels = {.kind = LabelKind::kValues, .num_rows = count, .names = {"y"}};
  Split split;
  for (int32_t m = 0; m < count; ++m) {
    table->labels.value.push_back(0.3 * (m % 7) - 0.1 * m);
    table->row.push_back(m + 1);
    split.train.push_back(m);
  }
  return std::make_shared<const Data>(std::move(table), std::move(split));
}

inline std::shared_ptr<const Molecules> molecules_of(const Data& data) {
  return {data.table(), &data.table()->molecules};
}

}  // namespace emgnn
