// SPDX-License-Identifier: Apache-2.0
// The simplified graph convolution (Wu et al. 2019): S^K X W + b, a linear model of features that
// are averaged over the neighbourhood.
#pragma once

#include <emgnn/models/network.h>

namespace emgnn {

struct SgcOptions {
  int64_t hops = 2;
  double input_dropout = 0.0;
  Init init = Init::kXavierUniform;
};
void describe(OptionVisitor& visitor, SgcOptions& options);

class Sgc : public Network {
 public:
  Sgc(const SgcOptions& options, const NetworkShape& shape, uint64_t seed);

  NetworkNeeds needs() const override {
    return {.num_hops = static_cast<int>(options_.hops), .widest_layer = weight_.size(1)};
  }
  // S^K (X W): the product is the same under every graph.
  at::Tensor embed(const c10::intrusive_ptr<InputFeatures>& x, const Mode& mode) const override;
  at::Tensor forward(const GraphBatch& batch, const at::Tensor& embedded,
                     const Mode& mode) const override;
  int num_stages() const override { return static_cast<int>(options_.hops); }
  at::Tensor stage(int number, const Propagation& hop, const at::Tensor& rows,
                   const Mode& mode) const override;
  bool needs_no_edges(int /*stage*/) const override { return true; }

 private:
  SgcOptions options_;
  at::Tensor weight_, bias_;
};

}  // namespace emgnn
