// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/evaluator.h>

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include <emgnn/models/task.h>

namespace emgnn {

namespace {
// Floats of one layer's activations over all graphs of a tile: about what the last-level cache
// holds.
constexpr int64_t kTileFloats = int64_t{1} << 21;
}  // namespace

Evaluator::Evaluator(const GraphFamily& family, const Backbone& backbone, const Features& x,
                     std::span<const int32_t> rows)
    : backbone_(&backbone),
      view_(family.view(rows, backbone.num_hops())),
      input_(x, view_->input_rows()) {
  const int64_t per_graph = std::max<int64_t>(1, view_->max_rows() * backbone.widest_layer());
  tile_ = static_cast<size_t>(std::max<int64_t>(1, kTileFloats / per_graph));
}

template <class Consume>
void Evaluator::for_each_tile(std::span<const int64_t> lam_ids, const Poll& poll,
                              Consume&& consume) const {
  const at::NoGradGuard no_grad;
  const Pass pass;
  const at::Tensor embedded = backbone_->embed(input_, pass);
  for (size_t begin = 0; begin < lam_ids.size(); begin += tile_) {
    if (poll) poll();
    const auto tile = lam_ids.subspan(begin, std::min(tile_, lam_ids.size() - begin));
    consume(begin, backbone_->forward(view_->shifts(tile), embedded, pass));
  }
}

std::vector<double> Evaluator::losses(std::span<const int64_t> lam_ids, const at::Tensor& label,
                                      const Poll& poll) const {
  std::vector<double> losses(lam_ids.size());
  for_each_tile(lam_ids, poll, [&](size_t begin, const at::Tensor& logits) {
    const at::Tensor loss = cross_entropy(logits, label);
    std::copy_n(loss.data_ptr<double>(), loss.numel(),
                losses.begin() + static_cast<ptrdiff_t>(begin));
  });
  return losses;
}

Expectation Evaluator::expect(const Posterior& posterior, Average average, const Poll& poll) const {
  at::Tensor mean_logits, mean_prob, mean_square;
  for_each_tile(posterior.lam_ids(), poll, [&](size_t begin, const at::Tensor& tile) {
    const at::Tensor logits = tile.to(at::kDouble);
    const at::Tensor prob = at::softmax(logits, 2);
    if (!mean_logits.defined()) mean_logits = at::zeros_like(logits[0]);
    if (!mean_prob.defined()) mean_prob = at::zeros_like(mean_logits);
    if (!mean_square.defined()) mean_square = at::zeros_like(mean_logits);
    for (int64_t g = 0; g < logits.size(0); ++g) {
      const double p = std::exp(posterior.log_probs()[begin + static_cast<size_t>(g)]);
      mean_logits.add_(logits[g], p);
      mean_prob.add_(prob[g], p);
      mean_square.add_(prob[g].square(), p);
    }
  });
  Expectation out;
  out.log_prob = average == Average::kLogits ? at::log_softmax(mean_logits, 1) : mean_prob.log();
  out.spread = (mean_square - mean_prob.square()).clamp_min(0.0).sqrt();
  return out;
}

}  // namespace emgnn
