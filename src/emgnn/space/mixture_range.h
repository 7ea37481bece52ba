// SPDX-License-Identifier: Apache-2.0
// One hop of a mixture from all nodes to a range of them, read out of the relations as they are
// stored: what a network needs that is run layer by layer on a graph of any size.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <emgnn/graph/typed_graph.h>
#include <emgnn/space/mixture_hop.h>
#include <emgnn/space/options.h>
#include <emgnn/space/propagation.h>

namespace emgnn {

// What all ranges share.
struct MixtureGraph {
  std::shared_ptr<const TypedGraph> graph;
  std::vector<std::vector<double>> degree;  // [relations][nodes]
  Normalisation normalisation = Normalisation::kRow;
  Mixing mixing = Mixing::kDegree;
};

// S_λ of several λ, no view of which is in doubt. No gradients, no edges().
c10::intrusive_ptr<Propagation> mixture_range(std::shared_ptr<const MixtureGraph> graph,
                                              int32_t begin, int32_t end,
                                              std::vector<MixturePoint> points);

}  // namespace emgnn
