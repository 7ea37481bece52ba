// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/learned_mixture.h>

#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>

#include <utility>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

class MixedPropagation : public Propagation {
 public:
  MixedPropagation(c10::intrusive_ptr<Propagation> graphs, const at::Tensor& share)
      : graphs_(std::move(graphs)), share_(share.view({-1, 1, 1})) {}

  int64_t num_graphs() const override { return 1; }
  int64_t num_inputs() const override { return graphs_->num_inputs(); }
  int64_t num_outputs() const override { return graphs_->num_outputs(); }

  at::Tensor apply(const at::Tensor& h) const override {
    return sum(graphs_->apply(h.dim() == 3 ? h.squeeze(0) : h));
  }
  at::Tensor self(const at::Tensor& h) const override { return graphs_->self(h); }
  at::Tensor diagonal() const override { return sum(graphs_->diagonal()); }
  const std::vector<int32_t>& input_nodes() const override { return graphs_->input_nodes(); }

 protected:
  c10::intrusive_ptr<Edges> make_edges() const override {
    throw UsageError(
        "space.mixing=learned: this network looks at single edges, whose shares it could not "
        "learn; use shares, or a network such as gcn");
  }

 private:
  at::Tensor sum(const at::Tensor& each) const { return (each * share_).sum(0, true); }

  c10::intrusive_ptr<Propagation> graphs_;
  at::Tensor share_;  // [graphs, 1, 1]
};

}  // namespace

c10::intrusive_ptr<Propagation> mixed(c10::intrusive_ptr<Propagation> graphs, at::Tensor share) {
  return c10::make_intrusive<MixedPropagation>(std::move(graphs), share);
}

LearnedMixture::LearnedMixture(std::shared_ptr<Network> network, int64_t num_views)
    : network_(std::move(network)) {
  for (const Parameter& p : network_->parameters())
    add_parameter(p.name, p.value, p.layer, p.per_node);
  for (const Buffer& buffer : network_->buffers()) add_buffer(buffer.name, buffer.value);
  alpha_ = add_parameter("views.alpha", at::zeros({num_views}, at::kFloat), kNoLayer);
}

at::Tensor LearnedMixture::forward(const GraphBatch& batch, const at::Tensor& embedded,
                                   const Mode& mode) const {
  const at::Tensor share = at::softmax(alpha_, 0);
  GraphBatch one = batch;
  for (c10::intrusive_ptr<Propagation>& hop : one.hops) hop = mixed(hop, share);
  return network_->forward(one, embedded, mode);
}

std::vector<double> LearnedMixture::shares() const {
  const at::Tensor share = at::softmax(alpha_.detach().to(at::kDouble), 0);
  return {share.data_ptr<double>(), share.data_ptr<double>() + share.numel()};
}

}  // namespace emgnn
