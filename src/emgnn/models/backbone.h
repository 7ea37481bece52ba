// SPDX-License-Identifier: Apache-2.0
// A backbone Ψ(λ, x; θ): written against Shift, it does not know whether it runs on one graph or on
// many.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include <emgnn/base/rng.h>
#include <emgnn/models/ops.h>
#include <emgnn/models/options.h>
#include <emgnn/space/shift.h>

namespace emgnn {

struct Parameter {
  std::string name;
  at::Tensor value;  // a leaf that requires a gradient
  int layer = 0;
};

struct BackboneSizes {
  int64_t num_nodes = 0;
  int64_t num_features = 0;
  int64_t num_outputs = 0;
};

class Backbone {
 public:
  virtual ~Backbone() = default;

  virtual int num_hops() const = 0;  // how far a row's output reaches into the graph
  virtual int64_t widest_layer() const = 0;

  // The part that no λ changes, computed once for a whole batch or sweep of graphs.
  virtual at::Tensor embed(const InputFeatures& x, const Pass& pass) const = 0;
  // Outputs [num_graphs, output rows of the last hop, num_outputs] from embed()'s result.
  virtual at::Tensor forward(const Shift& shift, const at::Tensor& embedded,
                             const Pass& pass) const = 0;

  const std::vector<Parameter>& parameters() const { return parameters_; }

 protected:
  at::Tensor add_parameter(std::string name, at::Tensor value, int layer);

 private:
  std::vector<Parameter> parameters_;
};

// Where the dropout behind hidden layer l draws from; place 0 is the input's.
inline uint32_t hidden_place(int layer) { return 1 + static_cast<uint32_t>(layer); }

// Each entry ~ U(±bound).
at::Tensor init_uniform(std::vector<int64_t> shape, double bound, Rng& rng);
// W [rows, cols] ~ U(±√(6/(rows+cols))), or ~ U(±1/√cols).
at::Tensor init_weight(int64_t rows, int64_t cols, Init init, Rng& rng);
// Zero with Xavier; ~ U(±1/√size) otherwise.
at::Tensor init_bias(int64_t size, Init init, Rng& rng);

}  // namespace emgnn
