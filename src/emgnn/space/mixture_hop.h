// SPDX-License-Identifier: Apache-2.0
// One hop of the mixture family's receptive field, and the batched operator over it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <emgnn/graph/typed_field.h>
#include <emgnn/space/edge_trust.h>
#include <emgnn/space/options.h>
#include <emgnn/space/parameter_space.h>
#include <emgnn/space/propagation.h>

namespace emgnn {

using Trusts = std::vector<std::shared_ptr<const EdgeTrust>>;  // of views; null: taken as it is

// What every view stores on the entries of one hop: its weights, or what is left of them when each
// view is normalised by itself, with a 1 on the diagonal where it has no neighbours. The weights of
// a view whose edges are trusted more or less are known when λ is.
struct MixtureHop {
  HopPattern pattern;
  Normalisation normalisation;
  Mixing mixing;
  std::vector<std::vector<float>> weight;  // [views][entries], 0 where it has no edge
  std::vector<uint8_t> is_diagonal;        // [entries]
  std::vector<int32_t> type;               // [entries] the first view that has it; diagonal last
  std::vector<std::vector<float>> degree_output;  // [views][outputs]
  std::vector<std::vector<float>> degree_input;   // [views][inputs]

  // Where a view has entries, [views + 1], the identity last. That of a view in doubt has no values
  // of its own: it says which of the hop's entries are its own, where their weights stand in
  // TrustedWeights::normalised, and which of them each entry of `back` is.
  struct Term {
    Csr csr, back;  // back: its transpose
    std::vector<int32_t> entry, trusted, back_place;
  };
  std::vector<Term> term;

  MixtureHop(TypedHop hop, const std::vector<std::vector<double>>& degree, const Trusts& trusts,
             const MixtureOptions& options);

  bool in_doubt(size_t view) const { return !term[view].entry.empty(); }

 private:
  void normalise(std::vector<float>& w, size_t t) const;
  void add_view(std::vector<float> w, size_t t, const EdgeTrust* trust);
  void add_doubted_term(const Csr& view);
};

// λ: a weight or share of every view, with shares one more of the node itself; and how edges are
// trusted, by its TrustPoint.
struct MixturePoint {
  LambdaPoint weight;
  int trust = 0;
};

// S_λ of several λ on one hop. With a shared input h, and by shares or row-normalised, it uses
//   S_λ h = Σ_t λ_t (A_t h) + λ_none h,  or  D_λ⁻¹ (Σ_t λ_t (A_t h) + h):
// one product per view serves every λ, the rest is a row-wise combination; a view in doubt takes
// one for each way to trust its edges. In the other cases the graphs differ in the values over one
// pattern.
c10::intrusive_ptr<Propagation> mixture_propagation(std::shared_ptr<const MixtureHop> hop,
                                                    const std::vector<MixturePoint>& points,
                                                    const TrustedWeights& trusted);

}  // namespace emgnn
