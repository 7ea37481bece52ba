// SPDX-License-Identifier: Apache-2.0
// Affine maps and recurrent cells with the customary first weights: U(±1/√inputs) of a map,
// U(±1/√width) of a cell, biases too.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <emgnn/models/network.h>

namespace emgnn {

// Adds weights to one layer of a network, under names that begin with `prefix`.
class WeightMaker {
 public:
  WeightMaker(Network& network, std::string prefix, int layer, uint64_t seed)
      : network_(network),
        prefix_(std::move(prefix)),
        layer_(layer),
        rng_(seed, Stream::kInit, static_cast<uint64_t>(layer)) {}

  at::Tensor uniform(const std::string& name, std::vector<int64_t> shape, double bound);

 private:
  Network& network_;
  std::string prefix_;
  int layer_;
  Rng rng_;
};

// x W + b
class Linear {
 public:
  Linear() = default;
  Linear(at::Tensor weight, at::Tensor bias) : weight_(std::move(weight)), bias_(std::move(bias)) {}
  Linear(WeightMaker& make, const std::string& name, int64_t inputs, int64_t outputs);

  at::Tensor operator()(const at::Tensor& x) const;
  // drop(act(x W + b))
  at::Tensor operator()(const at::Tensor& x, const Nonlinearity& f, const Mode& mode) const;
  const at::Tensor& weight() const { return weight_; }
  const at::Tensor& bias() const { return bias_; }

 private:
  at::Tensor weight_, bias_;
};

// The gated recurrent unit, with [x_r | x_z | x_n] = x W + b and [h_r | h_z | h_n] = h U + c:
//   r = σ(x_r + h_r)   z = σ(x_z + h_z)   n = tanh(x_n + r h_n)   h ← (1 − z) n + z h
class GruCell {
 public:
  GruCell() = default;
  GruCell(WeightMaker& make, const std::string& name, int64_t inputs, int64_t width);

  at::Tensor operator()(const at::Tensor& x, const at::Tensor& h) const;

 private:
  at::Tensor weight_, bias_, state_weight_, state_bias_;
};

// Long short-term memory, with [i | f | g | o] = x W + b + h U + c:
//   s ← σ(f) s + σ(i) tanh(g)   h ← σ(o) tanh(s)
class LstmCell {
 public:
  struct State {
    at::Tensor h, s;  // [rows, width]
  };
  LstmCell(WeightMaker& make, const std::string& name, int64_t inputs, int64_t width);

  State operator()(const at::Tensor& x, const State& before) const;

 private:
  at::Tensor weight_, bias_, state_weight_, state_bias_;
};

}  // namespace emgnn
