// SPDX-License-Identifier: Apache-2.0
// One hop of the mixture family's receptive field, and the batched operator over it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <emgnn/graph/typed_graph.h>
#include <emgnn/space/options.h>
#include <emgnn/space/parameter_space.h>
#include <emgnn/space/propagation.h>

namespace emgnn {

// What every relation stores on the entries of one hop: its weights, or what is left of them when
// each relation is normalised by itself, with a 1 on the diagonal where it has no neighbours.
struct MixtureHop {
  HopPattern pattern;
  Normalisation normalisation;
  Mixing mixing;
  std::vector<std::vector<float>> weight;  // [num_relations][entries], 0 where it has no edge
  std::vector<uint8_t> is_diagonal;        // [entries]
  std::vector<std::vector<float>> degree_output;  // [num_relations][outputs]
  std::vector<std::vector<float>> degree_input;   // [num_relations][inputs]
  std::vector<Csr> term;  // [num_relations + 1]: A_t restricted to the hop; last the identity
  std::vector<Csr> term_transposed;

  MixtureHop(Hop hop, const UnionPattern& graph, const std::vector<std::vector<double>>& degree,
             const MixtureOptions& options);

 private:
  void normalise(std::vector<float>& w, size_t t) const;
};

// S_λ of several λ on one hop; by shares a point's last coordinate is of the node itself. With a
// shared input h, and by shares or row-normalised, it uses
//   S_λ h = Σ_t λ_t (A_t h) + λ_none h,  or  D_λ⁻¹ (Σ_t λ_t (A_t h) + h):
// one product per relation serves every λ, the rest is a row-wise combination. In the other cases
// the graphs differ in the values over one pattern.
c10::intrusive_ptr<Propagation> mixture_propagation(std::shared_ptr<const MixtureHop> hop,
                                                    const std::vector<LambdaPoint>& points);

}  // namespace emgnn
