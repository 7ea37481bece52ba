// SPDX-License-Identifier: Apache-2.0
// A layer that looks at no neighbour: H W + b.
#pragma once

#include <emgnn/models/layer.h>

namespace emgnn {

class DenseLayer : public Layer {
 public:
  DenseLayer(Network& network, const LayerPlace& place, const StackOptions& options);

  int64_t widest() const override { return weight_.size(1); }
  at::Tensor embed(const c10::intrusive_ptr<InputFeatures>& x, double dropout,
                   const Mode& mode) const override {
    return input_product(x, weight_, dropout, mode);
  }
  at::Tensor from_embedded(const Propagation& hop, const at::Tensor& embedded,
                           const Mode& mode) const override;
  at::Tensor forward(const Propagation& hop, const at::Tensor& h,
                     const Mode& /*mode*/) const override {
    return dense_product(hop.self(h), weight_);
  }
  at::Tensor bias() const override { return bias_; }

 private:
  at::Tensor weight_, bias_;
};

}  // namespace emgnn
