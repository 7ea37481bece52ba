// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/agreement.h>

#include <ATen/ATen.h>

namespace emgnn {

void describe(OptionVisitor& visitor, AgreementOptions& options) {
  visitor.real("agreement.weight", options.weight, 0.0, 1e6,
               "weight of the loss that makes the drawn graphs agree on all nodes, labelled "
               "or not; grows to this over the first half of training");
  visitor.real("agreement.temperature", options.temperature, 0.01, 1.0,
               "below 1 the answer to agree on is surer than the mean of the graphs");
  visitor.real("agreement.balance", options.balance, 0.0, 1.0,
               "how strongly that answer is held to equally frequent classes");
}

at::Tensor disagreement(const at::Tensor& logits, const AgreementOptions& options) {
  constexpr double kSmallest = 1e-100;  // keeps the logarithm finite
  const at::Tensor prob = at::softmax(logits.to(at::kDouble), 2);
  const at::Tensor mean = prob.detach().mean(0).clamp_min(kSmallest);
  const at::Tensor frequency = mean.mean(0, /*keepdim=*/true);
  const at::Tensor answer =
      at::softmax((mean.log() - frequency.log() * options.balance) / options.temperature, 1);
  return (prob - answer).square().sum(2).mean();
}

}  // namespace emgnn
