// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/sehgnn.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "dense_network.h"
#include "gradient_check.h"
#include "networks.h"
#include "typed_graph.h"

#include <emgnn/base/error.h>
#include <emgnn/data/data.h>
#include <emgnn/space/metapath_family.h>

namespace emgnn {
namespace {

constexpr int32_t kNodes = 40, kWords = 6;
constexpr int64_t kClasses = 3;

// Every node has a label; those of even number are for training.
std::shared_ptr<const Dataset> labelled() {
  auto data = std::make_shared<Dataset>(*typed_data(kNodes, 2, 1, kWords));
  data->labels = unknown_classes(kNodes, {"a", "b", "c"});
  for (int32_t v = 0; v < kNodes; ++v) {
    data->labels.cls[static_cast<size_t>(v)] = v % 3;
    if (v % 2 == 0) data->split.train.push_back(v);
  }
  return data;
}

struct Head {
  const char* name;
  bool norm_outputs, residual;
};

class SeHgnnTest : public testing::TestWithParam<Head> {
 protected:
  SeHgnnTest() {
    const MetapathWalks walks(*data_, all_rows(kNodes));
    family_ = std::make_shared<MetapathFamily>(
        data_, walks.rows(), std::make_shared<const MetapathBlocks>(feature_blocks(walks, 1)),
        label_blocks(walks, 1, data_->split.train));
  }

  // γ = 0 would hide the attention.
  std::shared_ptr<SeHgnn> make(double dropout = 0.0) const {
    SeHgnn::Plan plan{
        .blocks = {}, .num_outputs = kClasses, .norm_outputs = GetParam().norm_outputs, .seed = 3};
    for (const MetapathBlock* block : family_->blocks())
      plan.blocks.push_back({block->name, block->rows.num_cols});
    auto out = std::make_shared<SeHgnn>(SeHgnnOptions{.hidden = 8,
                                                      .head_layers = 3,
                                                      .dropout = dropout,
                                                      .input_dropout = dropout,
                                                      .own_residual = true,
                                                      .head_residual = GetParam().residual},
                                        plan);
    for (const Parameter& p : out->parameters())
      if (p.name == "fusion.gamma") p.value.detach().fill_(0.7);
    return out;
  }
  at::Tensor run(const Network& network, const std::vector<int32_t>& rows,
                 const Mode& mode = {}) const {
    return run_network(network, family_->view(rows, network.needs())->batch({}), mode);
  }
  // As predictions are made, a part of the rows at a time.
  at::Tensor evaluate(const Network& network, const std::vector<int32_t>& rows) const {
    const at::NoGradGuard no_grad;
    const std::vector<int64_t> one = {0};
    at::Tensor out;
    family_->view(rows, network.needs())
        ->evaluate(
            {.lam_ids = one}, [&](const GraphBatch& batch) { return run_network(network, batch); },
            [&](size_t, const at::Tensor& taken) { out = taken; }, {});
    return out[0][0];
  }

  static at::Tensor dense(const Network& network, const at::Tensor& h, const std::string& name) {
    return h.matmul(value_of(network, name + ".weight")) + value_of(network, name + ".bias");
  }
  static at::Tensor prelu(const Network& network, const at::Tensor& h, const std::string& name) {
    return at::where(h.gt(0), h, h * value_of(network, name + ".slope"));
  }

  // Node by node from the definition; `training`: with the moments of the batch.
  at::Tensor definition(const SeHgnn& network, bool training) const {
    std::vector<at::Tensor> embedded;
    const std::vector<const MetapathBlock*> blocks = family_->blocks();
    for (size_t k = 0; k < blocks.size(); ++k) {
      const Features& x = blocks[k]->rows;
      EXPECT_FALSE(x.is_sparse);
      embedded.push_back(at::tensor(x.dense.to_vector())
                             .view({x.num_rows, x.num_cols})
                             .to(at::kDouble)
                             .matmul(value_of(network, network.parameters()[k].name)));
    }
    std::vector<at::Tensor> rows;
    for (int64_t i = 0; i < kNodes; ++i) rows.push_back(row_before_head(network, embedded, i));
    return head(network, at::stack(rows), training);
  }

  static at::Tensor head(const Network& network, const at::Tensor& h, bool training) {
    const auto normed = [&](const at::Tensor& z, const std::string& name) {
      const at::Tensor mean = training ? z.mean(0) : value_of(network, name + ".norm_mean");
      const at::Tensor var =
          training ? (z - mean).square().mean(0) : value_of(network, name + ".norm_var");
      return (z - mean) / (var + 1e-5).sqrt();
    };
    at::Tensor x = prelu(network, h, "head.0");
    for (const std::string l : {"0", "1"}) {
      const at::Tensor next = prelu(network, normed(dense(network, x, "head." + l), "head." + l),
                                    l == "0" ? "head.1" : "head.2");
      x = GetParam().residual ? x + next : next;
    }
    const at::Tensor z = dense(network, x, "head.2");
    if (!GetParam().norm_outputs) return z;
    if (!GetParam().residual) return normed(z, "head.2");
    const at::Tensor from_mean = z - z.mean(1, true);
    return from_mean / (from_mean.square().mean(1, true) + 1e-5).sqrt();
  }

  static at::Tensor row_before_head(const Network& network, const std::vector<at::Tensor>& embedded,
                                    int64_t i) {
    std::vector<at::Tensor> x;
    for (const at::Tensor& block : embedded) x.push_back(block[i]);
    const at::Tensor own = x[0];
    for (int l = 0; l < 2; ++l) {
      const std::string name = "projection." + std::to_string(l);
      const at::Tensor w = value_of(network, name + ".weight"),
                       b = value_of(network, name + ".bias");
      for (size_t k = 0; k < x.size(); ++k) {
        const auto at = static_cast<int64_t>(k);
        x[k] = x[k].matmul(w[at]) + b[at][0];
      }
      at::Tensor all = at::cat(x);
      all = (all - all.mean()) / ((all - all.mean()).square().mean() + 1e-5).sqrt();
      all = all * value_of(network, name + ".norm_weight") + value_of(network, name + ".norm_bias");
      x = prelu(network, all, name).chunk(static_cast<int64_t>(x.size()));
    }
    std::vector<at::Tensor> fused;
    for (const at::Tensor& from : x) {
      std::vector<at::Tensor> score;
      for (const at::Tensor& to : x)
        score.push_back(dense(network, from, "fusion.query").dot(dense(network, to, "fusion.key")) /
                        std::sqrt(2.0));  // hidden / 4
      const at::Tensor share = at::softmax(at::stack(score), 0);
      at::Tensor sum = at::zeros_like(from);
      for (size_t k = 0; k < x.size(); ++k)
        sum = sum + share[static_cast<int64_t>(k)] * dense(network, x[k], "fusion.value");
      fused.push_back(from + value_of(network, "fusion.gamma") * sum);
    }
    return dense(network, at::cat(fused), "concat") + dense(network, own, "own");
  }

  const std::shared_ptr<const Dataset> data_ = labelled();
  std::shared_ptr<const MetapathFamily> family_;
  const std::vector<int32_t> all_ = all_rows(kNodes), some_ = {31, 2, 7};
};

// Numbers of size 1. One after the other: a product of at most 6 numbers; two of 8, each with a norm
// over 40; attention, of 8, 5 and 8; a product of 40; three of 8, each with a norm over 40 rows. A
// norm is a mean and a variance: fewer than 512 roundings.
constexpr double kClose = 512 * kUnitRounding;

TEST_P(SeHgnnTest, MatchesTheDefinition) {
  const auto network = make();
  ASSERT_EQ(family_->blocks().size(), 5U);  // three of features, two of labels
  {
    const at::NoGradGuard no_grad;
    const at::Tensor want = definition(*network, true).to(at::kFloat);
    EXPECT_TRUE(at::allclose(run(*network, all_, {.training = true}), want, kClose, kClose));
  }
  // Training has moved the running moments; now they count.
  const at::NoGradGuard no_grad;
  const at::Tensor want = definition(*network, false).to(at::kFloat);
  EXPECT_TRUE(at::allclose(evaluate(*network, all_), want, kClose, kClose));
  EXPECT_FALSE(at::allclose(definition(*network, true).to(at::kFloat), want, 0.1, 0.1));
}

TEST_P(SeHgnnTest, GradientsMatchThoseOfTheDefinition) {
  const auto network = make();
  const at::Tensor out = run(*network, all_, {.training = true});
  const std::vector<at::Tensor> got = parameter_gradients(*network, out);
  const std::vector<at::Tensor> want = parameter_gradients(*network, definition(*network, true));
  const auto size = [](const at::Tensor& grad) { return grad.abs().max().item<double>(); };
  double largest = 0.0;
  for (const at::Tensor& grad : want) largest = std::max(largest, size(grad));
  // There and back; and where the terms of all rows cancel, as for a bias before a norm, their sum.
  for (size_t k = 0; k < got.size(); ++k)
    EXPECT_LE(size(got[k] - want[k]), 2 * kClose * size(want[k]) + kNodes * kUnitRounding * largest)
        << network->parameters()[k].name;
}

TEST_P(SeHgnnTest, RowsThatAreAskedForTogetherDoNotMatter) {
  const auto network = make();
  {
    const at::NoGradGuard no_grad;
    run(*network, all_, {.training = true});
  }
  const at::Tensor all = evaluate(*network, all_), some = evaluate(*network, some_);
  // Of the above, the products alone may be summed in another order.
  constexpr double kOrder = 128 * kUnitRounding;
  EXPECT_TRUE(at::allclose(some, all.index_select(0, at::tensor(some_)), kOrder, kOrder));
  EXPECT_TRUE(at::allclose(evaluate(*network, {7})[0], all[7], kOrder, kOrder));
}

TEST_P(SeHgnnTest, DropsInTrainingOnly) {
  const at::NoGradGuard no_grad;
  const auto network = make(0.4);
  EXPECT_TRUE(run(*network, all_).equal(run(*network, all_, {.seed = 9, .step = 3})));
  EXPECT_FALSE(run(*network, all_, {.training = true, .seed = 9, .step = 3})
                   .equal(run(*network, all_, {.training = true, .seed = 9, .step = 4})));
}

TEST_P(SeHgnnTest, OtherNodesThanThosePredictedAreRefused) {
  const MetapathWalks walks(*data_, {0, 1, 2});
  const auto few = std::make_shared<MetapathFamily>(
      data_, walks.rows(), std::make_shared<const MetapathBlocks>(feature_blocks(walks, 1)),
      MetapathBlocks{});
  EXPECT_NO_THROW(few->view(std::vector<int32_t>{2}, {}));
  EXPECT_THROW(few->view(std::vector<int32_t>{3}, {}), UsageError);
}

INSTANTIATE_TEST_SUITE_P(Heads, SeHgnnTest,
                         testing::Values(Head{"normed", true, false}, Head{"bare", false, false},
                                         Head{"residual", true, true},
                                         Head{"residual_bare", false, true}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace emgnn
