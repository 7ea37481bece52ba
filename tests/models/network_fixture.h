// SPDX-License-Identifier: Apache-2.0
// A small family of graphs with features, and what every network must do on it.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <memory>

#include "../space/dense_propagation.h"
#include "../space/small_graph.h"
#include "dense_network.h"
#include "gradient_check.h"
#include "networks.h"
#include "permuted.h"

#include <emgnn/space/mixture.h>

namespace emgnn {

class NetworkTest : public testing::Test {
 protected:
  static constexpr int32_t kNodes = 19, kWords = 7, kClasses = 3;
  static constexpr NetworkShape kShape{
      .num_nodes = kNodes, .num_features = kWords, .num_outputs = kClasses};

  at::Tensor dense_features() const {
    return at::tensor(data_->features.dense.to_vector()).view({kNodes, kWords}).to(at::kDouble);
  }
  // A_λ and S_λ of the g-th graph.
  at::Tensor dense_adjacency(size_t g) const {
    return emgnn::dense_adjacency(data_->graph, family_->point(lams_[g]));
  }
  at::Tensor dense_propagation(size_t g) const {
    return emgnn::dense_propagation(dense_adjacency(g), Normalisation::kRow);
  }

  at::Tensor run(const Network& network, std::span<const int32_t> rows,
                 std::span<const int64_t> lams, const Mode& mode = {}) const {
    const GraphBatch batch = family_->view(rows, network.needs())->batch({.lam_ids = lams});
    return run_network(network, batch, mode);
  }

  // Of all graphs and of each alone; `dense(g)` is the output [nodes, classes] from the definition.
  // float32 through a few layers of sums of at most kNodes · 3 numbers of size 1.
  template <class Dense>
  void expect_matches(const Network& network, const Dense& dense) const {
    const at::NoGradGuard no_grad;
    const at::Tensor batched = run(network, rows_, lams_);
    ASSERT_EQ(batched.sizes(), (std::vector<int64_t>{3, kNodes, kClasses}));
    for (size_t g = 0; g < lams_.size(); ++g) {
      const at::Tensor want = dense(g).to(at::kFloat);
      const int64_t one[] = {lams_[g]};
      EXPECT_TRUE(at::allclose(batched[static_cast<int64_t>(g)], want, 1e-4, 1e-5)) << g;
      EXPECT_TRUE(at::allclose(run(network, rows_, one)[0], want, 1e-4, 1e-5)) << g;
    }
  }

  void expect_gradients_match(const Network& network, double tolerance, double h = 0.01) const {
    const std::vector<int32_t> some = {13, 2, 7, 0, 5, 18};
    const Mode mode{.training = true, .seed = 4, .step = 2};
    expect_parameter_gradients_match(
        network, [&] { return run(network, some, lams_, mode); }, h, tolerance);
  }

  void expect_permuting_nodes_permutes_outputs(const Network& network) const {
    const at::NoGradGuard no_grad;
    const std::vector<int32_t> number = random_permutation(kNodes, 3);
    const auto family = MixtureFamily::make(permuted_nodes(*data_, number), {.step = 0.25});
    const GraphBatch batch = family->view(rows_, network.needs())->batch({.lam_ids = lams_});
    const at::Tensor got = run_network(network, batch).index_select(1, at::tensor(number));
    const at::Tensor want = run(network, rows_, lams_);
    EXPECT_TRUE(at::allclose(got, want, 1e-4, 1e-5));
    EXPECT_FALSE(at::allclose(got, want.index_select(1, at::tensor(number)), 1e-2, 1e-2));
  }

  const std::shared_ptr<const Dataset> data_ = data_of(small_graph(kNodes, 2, 25, 3), kWords);
  const std::shared_ptr<const MixtureFamily> family_ = MixtureFamily::make(data_, {.step = 0.25});
  const std::vector<int32_t> rows_ = all_rows(kNodes);
  const std::vector<int64_t> lams_ = {0, 1, 4};
};

}  // namespace emgnn
