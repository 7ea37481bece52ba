// SPDX-License-Identifier: Apache-2.0
// SeHGNN (Yang et al. 2023): what meta-paths find around a node, computed before training, fused by
// attention. Blocks B_k of features and of labels; x_k = drop(B_k E_k), then twice
//   x ← drop(prelu(layer_norm([x_k W_k + b_k]_k)))      one norm over all blocks of a node
// and among the M blocks of a node, with q = x W_q + b_q and k, v alike,
//   x ← x + γ softmax(q kᵀ / √d) v                       γ starts at 0
// All blocks side by side go through a linear layer into a perceptron with batch norms. Classes: the
// last norm is of the outputs. With head_residual its hidden layers add to what they are given, and
// the outputs of a row have a norm of their own.
#pragma once

#include <string>
#include <vector>

#include <emgnn/models/batch_norm.h>
#include <emgnn/models/network.h>

namespace emgnn {

struct SeHgnnOptions {
  int64_t hidden = 512;
  int64_t feature_hops = 2;
  int64_t label_hops = 2;
  int64_t head_layers = 3;
  double dropout = 0.5;
  double input_dropout = 0.5;
  bool own_residual = false;
  bool head_residual = false;
};
void describe(OptionVisitor& visitor, SeHgnnOptions& options);

class SeHgnn : public Network {
 public:
  struct Block {
    std::string name;
    int64_t width = 0;
  };
  struct Plan {
    std::vector<Block> blocks;  // the node's own features first
    int64_t num_outputs = 0;
    bool norm_outputs = true;
    uint64_t seed = 0;
  };
  SeHgnn(const SeHgnnOptions& options, const Plan& plan);

  NetworkNeeds needs() const override { return {}; }
  // B_0 E_0.
  at::Tensor embed(const c10::intrusive_ptr<InputFeatures>& x, const Mode& mode) const override;
  // [rows, outputs] from batch.blocks.
  at::Tensor forward(const GraphBatch& batch, const at::Tensor& embedded,
                     const Mode& mode) const override;

 private:
  struct Dense {
    at::Tensor weight, bias;
    at::Tensor operator()(const at::Tensor& h) const;
  };
  struct Projection {
    at::Tensor weight, bias;            // [blocks, hidden, hidden], [blocks, 1, hidden]
    at::Tensor norm_weight, norm_bias;  // [blocks · hidden]
    at::Tensor slope;                   // of the prelu, [1]
  };
  struct HeadLayer {
    at::Tensor slope;
    Dense dense;
    BatchNorm norm;  // no moments: none
  };

  int64_t num_blocks() const { return static_cast<int64_t>(embeddings_.size()); }
  Dense make_dense(const std::string& name, int64_t inputs, int64_t outputs, Rng& rng);
  Dense make_plain_dense(const std::string& name, int64_t inputs, int64_t outputs, Rng& rng);
  void make_projections(Rng& rng);
  void make_head(const Plan& plan, Rng& rng);
  at::Tensor project(size_t number, const at::Tensor& x, const Mode& mode) const;
  at::Tensor fuse(const at::Tensor& x) const;
  at::Tensor run_head(const at::Tensor& h, const Mode& mode) const;

  SeHgnnOptions options_;
  bool norms_rows_;  // the outputs
  std::vector<at::Tensor> embeddings_;
  std::vector<Projection> projections_;
  Dense query_, key_, value_;
  at::Tensor gamma_;
  Dense concat_, own_;
  std::vector<HeadLayer> head_;
};

}  // namespace emgnn
