// SPDX-License-Identifier: Apache-2.0
// What every network has: weights that are trained, and buffers that are only kept.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include <emgnn/base/rng.h>
#include <emgnn/models/options.h>

namespace emgnn {

struct Parameter {
  std::string name;
  at::Tensor value;  // a leaf that requires a gradient
  int layer = 0;
};

// State that belongs to the weights but has no gradient, such as the running moments of a batch
// norm: a pass in training writes it in place.
struct Buffer {
  std::string name;
  at::Tensor value;
};

class Network {
 public:
  virtual ~Network() = default;

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Buffer>& buffers() const { return buffers_; }

 protected:
  at::Tensor add_parameter(std::string name, at::Tensor value, int layer);
  at::Tensor add_buffer(std::string name, at::Tensor value);

 private:
  std::vector<Parameter> parameters_;
  std::vector<Buffer> buffers_;
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
