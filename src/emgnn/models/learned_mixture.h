// SPDX-License-Identifier: Apache-2.0
// One graph that is learned by gradient: S = Σ_v softmax(α)_v S_v over the views, each normalised by
// itself, and the node itself. α is a parameter beside the weights of the network that runs on S.
#pragma once

#include <memory>
#include <vector>

#include <emgnn/models/network.h>

namespace emgnn {

// Of a batch of graphs the one graph Σ_g share_g S_g; differentiable in the shares, too. It has no
// edges to look at one by one: UsageError.
c10::intrusive_ptr<Propagation> mixed(c10::intrusive_ptr<Propagation> graphs, at::Tensor share);

class LearnedMixture : public Network {
 public:
  // On batches of `num_views` graphs; begins with equal shares.
  LearnedMixture(std::shared_ptr<Network> network, int64_t num_views);

  NetworkNeeds needs() const override { return network_->needs(); }
  at::Tensor embed(const c10::intrusive_ptr<InputFeatures>& x, const Mode& mode) const override {
    return network_->embed(x, mode);
  }
  at::Tensor forward(const GraphBatch& batch, const at::Tensor& embedded,
                     const Mode& mode) const override;
  std::vector<double> shares() const override;

 private:
  std::shared_ptr<Network> network_;
  at::Tensor alpha_;
};

}  // namespace emgnn
