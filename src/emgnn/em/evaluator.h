// SPDX-License-Identifier: Apache-2.0
// Runs a backbone without dropout over many graphs at once, on just the rows that somebody reads.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <emgnn/em/options.h>
#include <emgnn/em/posterior.h>
#include <emgnn/em/problem.h>
#include <emgnn/models/backbone.h>
#include <emgnn/space/family.h>

namespace emgnn {

struct Expectation {
  at::Tensor
      log_prob;  // float64 [rows, classes]: log of the prediction over the whole distribution
  at::Tensor
      spread;  // float64 [rows, classes]: standard deviation over λ ~ p of the class probability
};

class Evaluator {
 public:
  // All arguments outlive the evaluator.
  Evaluator(const GraphFamily& family, const Backbone& backbone, const Features& x,
            std::span<const int32_t> rows);

  const FamilyView& view() const { return *view_; }
  const InputFeatures& input() const { return input_; }

  // Mean cross-entropy of the rows under each graph; label int64 [rows]. The poll is called between
  // tiles of graphs.
  std::vector<double> losses(std::span<const int64_t> lam_ids, const at::Tensor& label,
                             const Poll& poll = {}) const;

  // The prediction z = E_{λ~p}[Ψ(λ, x)] for the rows, from averaged logits or averaged
  // probabilities. The graphs are streamed in tiles: memory grows with the rows, not with the
  // number of graphs.
  Expectation expect(const Posterior& posterior, Average average, const Poll& poll = {}) const;

 private:
  template <class Consume>
  void for_each_tile(std::span<const int64_t> lam_ids, const Poll& poll, Consume&& consume) const;

  const Backbone* backbone_;
  std::shared_ptr<const FamilyView> view_;
  InputFeatures input_;
  size_t tile_;
};

}  // namespace emgnn
