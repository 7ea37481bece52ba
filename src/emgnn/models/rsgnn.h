// SPDX-License-Identifier: Apache-2.0
// RSGNN (Dai et al. 2022): a perceptron of the features predicts how strongly nodes are linked, and a
// GCN classifies the nodes on the graph of these weights.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <emgnn/models/gcn.h>
#include <emgnn/models/pair_graph.h>
#include <emgnn/space/link_candidates.h>

namespace emgnn {

struct RsgnnOptions {
  GcnOptions classifier{.stack = {.layers = 2, .hidden = 16, .dropout = 0.5}};
  int64_t link_hidden = 64;
  int64_t candidates = 100;       // n_p
  int64_t negatives = 25;         // n_n / 2
  double reconstruction = 3.0;    // α
  double smoothness = 0.3;        // β
  double distance_scale = 100.0;  // σ
  double min_weight = 0.05;       // t_small
  double sure_weight = 0.8;
};
void describe(OptionVisitor& visitor, RsgnnOptions& options);

// The classifier; beside it the link predictor, whose parameters have an optimiser of their own.
class Rsgnn : public Network {
 public:
  static constexpr int kLinkOptimiser = 1;

  Rsgnn(const RsgnnOptions& options, const NetworkShape& shape, uint64_t seed);

  // z = relu(X B₁ + c₁) B₂ + c₂, [rows, link_hidden]
  at::Tensor link_rows(const c10::intrusive_ptr<InputFeatures>& x) const;
  std::vector<at::Tensor> link_parameters() const;

  NetworkNeeds needs() const override { return classifier_->needs(); }
  at::Tensor embed(const c10::intrusive_ptr<InputFeatures>& x, const Mode& mode) const override {
    return classifier_->embed(x, mode);
  }
  at::Tensor forward(const GraphBatch& batch, const at::Tensor& embedded,
                     const Mode& mode) const override {
    return classifier_->forward(batch, embedded, mode);
  }

 private:
  std::unique_ptr<Network> classifier_;
  at::Tensor weight_[2], bias_[2];  // B and c
};

// The graph that rows z make: w_ij = z_i·z_j where that is at least the smallest weight and positive,
// else 0. Of the candidates it has those of positive weight, the edges of the data and the loops;
// the others weigh nothing and have no gradient.
struct LinkGraph {
  at::Tensor rows;      // z, differentiable, and so are
  Csr pairs;            // (i, j), i <= j
  at::Tensor product;   // [pairs] z_i·z_j
  at::Tensor weight;    // [pairs] w_ij
  at::Tensor observed;  // int64 [edges of the data] their places among the pairs
  c10::intrusive_ptr<PairGraph> graph;
  at::Tensor values;  // of P, as normalised() gives them
};

class LinkGraphMaker {
 public:
  LinkGraphMaker(std::shared_ptr<const LinkCandidates> candidates, double min_weight);
  LinkGraph make(const at::Tensor& rows) const;

 private:
  std::shared_ptr<const LinkCandidates> candidates_;
  c10::intrusive_ptr<Edges> all_;  // the candidates
  double min_weight_;
};

// Pairs whose products z_i·z_j should be some number, each as important as its factor.
struct LinkTargets {
  at::Tensor product;  // [pairs]
  at::Tensor factor;   // float [pairs]
};
// exp(sign ‖x_i − x_j‖² / scale²). UsageError where that is too large to be a number.
at::Tensor distance_factor(std::span<const float> squared_distance, double sign, double scale);
// L_rec = n / (|E⁺| + |E⁻|) (Σ_E⁺ f_ij (z_i·z_j − 1)² + Σ_E⁻ f_ij (z_i·z_j)²), float64
at::Tensor reconstruction_loss(int64_t num_nodes, const LinkTargets& edges,
                               const LinkTargets& non_edges);

// The pull between the answers of linked nodes, for weights that do not change.
struct SmoothnessMatrix {
  c10::intrusive_ptr<Edges> edges;
  at::Tensor values;  // of M, [1, entries, 1]
  at::Tensor degree;  // [nodes, 1] row sums of M
};
// i → j counts where j has a label, or where neither has one, i < j and w_ij >= sure; M_ij = M_ji is
// the sum of w over the directions that count.
SmoothnessMatrix smoothness_matrix(const LinkGraph& links, std::span<const uint8_t> labelled,
                                   double sure);
// L_smooth = (1/n) Σ w_ij ‖y_i − y_j‖² over these, y the class probabilities [nodes, classes]
at::Tensor smoothness_loss(const SmoothnessMatrix& matrix, const at::Tensor& probability);

}  // namespace emgnn
