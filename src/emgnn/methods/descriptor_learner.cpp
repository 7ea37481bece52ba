// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/descriptor_learner.h>

#include <ATen/ATen.h>

#include <algorithm>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

std::vector<double> numbers_of(const at::Tensor& tensor) {
  const at::Tensor plain = tensor.to(at::kDouble).contiguous();
  return {plain.data_ptr<double>(), plain.data_ptr<double>() + plain.numel()};
}

void append(std::vector<double>& to, const std::vector<double>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

DescriptorLearner::DescriptorLearner(const LearnerInput& input)
    : data_(input.data),
      task_(make_task(data_->labels(), {}, data_->split().train)),
      scale_(DescriptorScale::fit(data_->table()->molecules, data_->split().train)) {}

void DescriptorLearner::visit_state(StateVisitor& visitor) {
  task_->visit_state(visitor);
  visitor.numbers("descriptors/mean", scale_.mean);
  visitor.numbers("descriptors/factor", scale_.factor);
  if (scale_.mean.size() != size_t{kNumDescriptors} || scale_.factor.size() != scale_.mean.size())
    visitor.fail("descriptors/mean is of other descriptors");
}

KnownOutputs DescriptorLearner::known_outputs() const {
  const TargetRows target = task_->target(train());
  const at::Tensor value = target.cls.defined() ? at::one_hot(target.cls, width()) : target.value;
  const at::Tensor weight = target.weight.defined() ? target.weight : at::ones_like(value);
  return {numbers_of(value), numbers_of(weight)};
}

FeatureRows DescriptorLearner::rows_of(std::span<const int32_t> rows) const {
  return descriptor_rows(data_->table()->molecules, rows, scale_);
}

Prediction DescriptorLearner::expectation_of(const Outputs& outputs, std::span<const int32_t> rows,
                                             const Poll& poll) const {
  const at::NoGradGuard no_grad;
  Prediction all{.rows = {rows.begin(), rows.end()}, .width = width()};
  for (size_t begin = 0; begin < rows.size(); begin += outputs.at_once) {
    if (poll) poll();
    const auto some = rows.subspan(begin, std::min(outputs.at_once, rows.size() - begin));
    const std::unique_ptr<Expectation> mean = task_->expectation(outputs.average);
    mean->add(outputs.of(rows_of(some)), 1.0, outputs.temperature);
    Prediction part;
    mean->finish(part);
    append(all.value, part.value);
    append(all.graph_part, part.graph_part);
    append(all.noise, part.noise);
    append(all.votes, part.votes);
  }
  return all;
}

}  // namespace emgnn
