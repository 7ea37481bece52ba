// SPDX-License-Identifier: Apache-2.0
// A network Ψ(λ, x; θ): weights that are trained, buffers that are only kept, and how it runs. It
// does not know whether it runs on one graph or on many, on nodes or on molecules.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <emgnn/base/rng.h>
#include <emgnn/data/descriptors.h>
#include <emgnn/models/ops.h>
#include <emgnn/models/options.h>
#include <emgnn/space/family.h>

namespace emgnn {

inline constexpr int kNoLayer = -1;  // not pulled to zero by weight decay

struct Parameter {
  std::string name;
  at::Tensor value;  // a leaf that requires a gradient
  int layer = 0;
  bool per_node = false;  // its rows belong to the nodes of the graph it was made for
  int optimiser = 0;      // which one trains it, where a network has several
};

// State that belongs to the weights but has no gradient, such as the running moments of a batch
// norm: training writes it in place.
struct Buffer {
  std::string name;
  at::Tensor value;
};

// What a network is made for.
struct NetworkShape {
  int64_t num_nodes = 0;  // of the graph; 0 where rows are no nodes of one graph
  int64_t num_features = 0;
  int64_t num_outputs = 0;
  bool reads_out = false;          // the outputs are of whole small graphs, not of rows
  int64_t num_entry_features = 0;  // of an entry of the graphs; 0: there are none
  // How a head scales the descriptors of molecules; null: it reads none. Only looked at while the
  // network is made.
  const DescriptorScale* descriptors = nullptr;
};

class Network {
 public:
  virtual ~Network() = default;

  virtual NetworkNeeds needs() const = 0;
  // Weights belong to single nodes: the network is of no use on others.
  bool has_node_weights() const;

  // The part that no λ changes, computed once for a whole batch or sweep of graphs.
  virtual at::Tensor embed(const c10::intrusive_ptr<InputFeatures>& x, const Mode& mode) const = 0;
  // Outputs from embed()'s result: [num_graphs, output rows of the last hop, num_outputs], or
  // [items, num_outputs] of small graphs. In training it updates the buffers.
  virtual at::Tensor forward(const GraphBatch& batch, const at::Tensor& embedded,
                             const Mode& mode) const = 0;

  // What the last weights are multiplied with, of the same rows as forward()'s: the outputs are
  // linear in it, up to a bias. Not every network ends in such a product.
  virtual bool has_last_features() const { return false; }
  virtual at::Tensor last_features(const GraphBatch& batch, const at::Tensor& embedded,
                                   const Mode& mode) const;

  // The same layer by layer, on all rows of a graph before the next layer: stage k makes of the rows
  // that the hop reads, of embed() or prepare(), those that it leads to; the last gives the outputs.
  // prepare(k) is what stage k does to each row by itself. With 0 stages it runs as a whole only.
  virtual int num_stages() const { return 0; }
  virtual at::Tensor prepare(int stage, const at::Tensor& h, const Mode& mode) const;
  virtual at::Tensor stage(int number, const Propagation& hop, const at::Tensor& rows,
                           const Mode& mode) const;
  // The stage asks nothing of a hop but apply(), self() and diagonal().
  virtual bool needs_no_edges(int /*stage*/) const { return false; }

  // Of the views, where the network itself mixes them; empty: it does not.
  virtual std::vector<double> shares() const { return {}; }

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Buffer>& buffers() const { return buffers_; }

  // For the layers that the network is made of.
  at::Tensor add_parameter(std::string name, at::Tensor value, int layer, bool per_node = false) {
    return add_parameter({std::move(name), std::move(value), layer, per_node});
  }
  at::Tensor add_parameter(Parameter parameter);
  at::Tensor add_buffer(std::string name, at::Tensor value);

 private:
  std::vector<Parameter> parameters_;
  std::vector<Buffer> buffers_;
};

// Which dropout is behind hidden layer l; 0 is the input's.
inline uint32_t hidden_dropout(int layer) { return 1 + static_cast<uint32_t>(layer); }

// Each entry ~ U(±bound).
at::Tensor init_uniform(std::vector<int64_t> shape, double bound, Rng& rng);
// Each entry ~ N(0, std²).
at::Tensor init_normal(std::vector<int64_t> shape, double std, Rng& rng);
// W [rows, cols] ~ U(±√(6/(rows+cols))), ~ U(±1/√cols), or ~ N(0, 4/(rows+cols)).
at::Tensor init_weight(int64_t rows, int64_t cols, Init init, Rng& rng);
// Zero with either Xavier; ~ U(±1/√size) otherwise.
at::Tensor init_bias(int64_t size, Init init, Rng& rng);

}  // namespace emgnn
