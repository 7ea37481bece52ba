// SPDX-License-Identifier: Apache-2.0
// A small family of graphs with features, and what every backbone must do on it.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <numeric>

#include "../space/dense_shift.h"
#include "../space/small_graph.h"
#include "gradient_check.h"

#include <emgnn/base/threads.h>

namespace emgnn {

class BackboneTest : public testing::Test {
 protected:
  static constexpr int32_t kNodes = 19;
  static constexpr int64_t kWords = 7, kClasses = 3;

  BackboneTest() : rows_(kNodes) {
    std::iota(rows_.begin(), rows_.end(), 0);
    const at::Tensor x = random_tensor({kNodes, kWords}, 11);
    features_.dense.assign(x.data_ptr<float>(), x.data_ptr<float>() + x.numel());
  }

  at::Tensor dense_features() {
    return at::from_blob(features_.dense.data(), {kNodes, kWords}, at::kFloat).to(at::kDouble);
  }

  at::Tensor run(const Backbone& backbone, std::span<const int32_t> rows,
                 std::span<const int64_t> lams, const Pass& pass = {}) const {
    const auto view = family_.view(rows, backbone.num_hops());
    const InputFeatures x(features_, view->input_rows());
    return backbone.forward(view->shifts(lams), backbone.embed(x, pass), pass);
  }

  void expect_batch_equals_single_graphs(const Backbone& backbone) const {
    const at::Tensor batched = run(backbone, rows_, lams_);
    for (size_t g = 0; g < lams_.size(); ++g) {
      const int64_t one[] = {lams_[g]};
      // A batch sums a shared input in another order than one graph does.
      EXPECT_TRUE(at::allclose(batched[g], run(backbone, rows_, one)[0], 1e-4, 1e-5));
    }
  }

  void expect_view_equals_full_graph(const Backbone& backbone) const {
    const std::vector<int32_t> some = {13, 2, 7};
    const at::Tensor full = run(backbone, rows_, lams_);
    EXPECT_TRUE(at::allclose(run(backbone, some, lams_), full.index_select(1, at::tensor(some)),
                             1e-5, 1e-6));
  }

  void expect_gradients_match(const Backbone& backbone, double tolerance) const {
    const std::vector<int32_t> some = {13, 2, 7, 0, 5, 18};
    const Pass pass{.training = true, .seed = 4, .step = 2};
    expect_parameter_gradients_match(
        backbone, [&] { return run(backbone, some, lams_, pass); }, 0.01, tolerance);
  }

  void expect_bits_do_not_depend_on_threads(const Backbone& backbone) const {
    const Pass pass{.training = true, .seed = 4, .step = 2};
    std::vector<std::vector<at::Tensor>> results;
    for (int threads : {1, 2, 5}) {
      set_num_threads(threads);
      std::vector<at::Tensor> result = {run(backbone, rows_, lams_, pass)};
      result[0].square().sum().backward();
      for (const Parameter& parameter : backbone.parameters()) {
        result.push_back(parameter.value.grad().clone());
        at::Tensor(parameter.value).mutable_grad().reset();
      }
      results.push_back(std::move(result));
    }
    for (size_t k = 1; k < results.size(); ++k) {
      for (size_t i = 0; i < results[k].size(); ++i)
        EXPECT_TRUE(results[k][i].equal(results[0][i])) << "tensor " << i;
    }
  }

  const TypedGraph graph_ = small_graph(kNodes, 2, 25, 3);
  const MixtureFamily family_{graph_, {.step = 0.25}};
  Features features_{.num_rows = kNodes, .num_cols = kWords, .is_sparse = false};
  std::vector<int32_t> rows_;
  const std::vector<int64_t> lams_ = {0, 1, 4};
};

}  // namespace emgnn
