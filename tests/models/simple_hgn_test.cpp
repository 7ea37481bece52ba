// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/simple_hgn.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "dense_network.h"
#include "gradient_check.h"
#include "networks.h"
#include "typed_graph.h"

#include <emgnn/base/error.h>
#include <emgnn/space/mixture.h>

namespace emgnn {
namespace {

constexpr int32_t kNodes = 17, kWords = 6;
constexpr int64_t kClasses = 3;

SimpleHgnOptions options_of(int64_t layers) {
  SimpleHgnOptions out{.edge_width = 4, .attention_residual = 0.3};
  out.gat.stack.layers = layers;
  out.gat.stack.hidden = 5;
  out.gat.heads = 2;
  out.gat.output_heads = 2;
  return out;
}

struct Setting {
  int relations = 2;
  int32_t types = 3;
  int64_t layers = 4;
};

class SimpleHgnTest : public testing::TestWithParam<Setting> {
 protected:
  std::shared_ptr<SimpleHgn> make(bool unit_outputs = true) const {
    return std::make_shared<SimpleHgn>(options_,
                                       SimpleHgn::Plan{.shape = {kNodes, kWords, kClasses},
                                                       .data = data_,
                                                       .num_views = GetParam().relations,
                                                       .unit_outputs = unit_outputs,
                                                       .seed = 6});
  }
  at::Tensor run(const Network& network, const std::vector<int32_t>& rows,
                 const Mode& mode = {}) const {
    const auto family = MixtureFamily::observed_only(data_, {});
    return run_network(network, family->view(rows, network.needs())->batch({}), mode)[0];
  }
  int32_t type_of(int32_t node) const {
    return data_->node_type.empty() ? 0 : data_->node_type[static_cast<size_t>(node)];
  }

  // The kind of the entry from j to i, or -1; from the definition.
  int64_t kind(int32_t i, int32_t j) const {
    if (i == j) return 2 * GetParam().relations;
    for (int64_t r = 0; r < GetParam().relations; ++r) {
      const Csr& a = data_->graph.relations[static_cast<size_t>(r)].adjacency;
      for (const int32_t c : a.row(i).col)
        if (c == j) return 2 * r + (type_of(i) > type_of(j) ? 1 : 0);
    }
    return -1;
  }

  // [heads, nodes, nodes] of one layer, before the attention of the layer before is mixed in.
  at::Tensor dense_attention(const Network& network, int64_t l, const at::Tensor& z) const {
    const at::Tensor left = layer_value(network, l, "attention_left");
    const at::Tensor right = layer_value(network, l, "attention_right");
    const at::Tensor of_kind = layer_value(network, l, "attention_kind");
    const at::Tensor embedded =
        layer_value(network, l, "kind").matmul(layer_value(network, l, "kind_weight"));
    std::vector<at::Tensor> heads;
    for (int64_t h = 0; h < left.size(0); ++h) {
      const at::Tensor zh = z.chunk(left.size(0), 1)[static_cast<size_t>(h)];
      const at::Tensor eh = embedded.chunk(left.size(0), 1)[static_cast<size_t>(h)];
      std::vector<at::Tensor> rows;
      for (int32_t i = 0; i < kNodes; ++i) {
        std::vector<at::Tensor> row;
        for (int32_t j = 0; j < kNodes; ++j) {
          const int64_t k = kind(i, j);
          row.push_back(k < 0 ? at::zeros({}, at::kDouble)
                              : at::leaky_relu(left[h].dot(zh[i]) + right[h].dot(zh[j]) +
                                                   of_kind[h].dot(eh[k]),
                                               options_.gat.attention_slope)
                                    .exp());
        }
        const at::Tensor all = at::stack(row);
        rows.push_back(all / all.sum());
      }
      heads.push_back(at::stack(rows));
    }
    return at::stack(heads);
  }

  at::Tensor dense_input(const Network& network) const {
    const at::Tensor x =
        at::tensor(data_->features.dense.to_vector()).view({kNodes, kWords}).to(at::kDouble);
    const at::Tensor w = value_of(network, "input.weight"), b = value_of(network, "input.bias");
    std::vector<at::Tensor> rows;
    for (int32_t i = 0; i < kNodes; ++i)
      rows.push_back(x[i].matmul(w.chunk(b.size(0), 1)[static_cast<size_t>(type_of(i))]) +
                     b[type_of(i)]);
    return at::stack(rows);
  }

  at::Tensor dense(const Network& network, bool unit_outputs = true) const {
    at::Tensor h = dense_input(network), before;
    const int64_t layers = options_.gat.stack.layers;
    for (int64_t l = 0; l < layers; ++l) {
      const at::Tensor z = h.matmul(layer_value(network, l, "weight"));
      at::Tensor alpha = dense_attention(network, l, z);
      if (l > 0 && l + 1 < layers) alpha = 0.7 * alpha + 0.3 * before;
      before = alpha.detach();
      std::vector<at::Tensor> heads;
      for (int64_t k = 0; k < alpha.size(0); ++k)
        heads.push_back(alpha[k].matmul(z.chunk(alpha.size(0), 1)[static_cast<size_t>(k)]));
      at::Tensor out = at::cat(heads, 1);
      if (l > 0) out = out + h.matmul(layer_value(network, l, "residual"));
      h = l + 1 < layers ? at::elu(out) : at::stack(out.chunk(alpha.size(0), 1)).mean(0);
    }
    return unit_outputs ? h / h.norm(2, {1}, true) : h;
  }

  const SimpleHgnOptions options_ = options_of(GetParam().layers);
  const std::shared_ptr<const Dataset> data_ =
      typed_data(kNodes, GetParam().relations, GetParam().types, kWords);
  const std::vector<int32_t> all_ = all_rows(kNodes), some_ = {11, 2, 7};
};

// Numbers of size 1 in up to four layers. In each: products of at most 10 numbers, scores of three
// such, a softmax and a sum over at most 17 neighbours, fewer than 64 roundings one after the other.
constexpr double kClose = 4 * 64 * kUnitRounding;

TEST_P(SimpleHgnTest, MatchesTheDefinitionOnDenseMatrices) {
  const at::NoGradGuard no_grad;
  for (const bool unit : {true, false}) {
    const auto network = make(unit);
    const at::Tensor want = dense(*network, unit).to(at::kFloat);
    EXPECT_TRUE(at::allclose(run(*network, all_), want, kClose, kClose));
    // Only what these rows see of the graph is computed.
    EXPECT_TRUE(at::allclose(run(*network, some_), want.index_select(0, at::tensor(some_)), kClose,
                             kClose));
  }
}

TEST_P(SimpleHgnTest, GradientsMatchThoseOfTheDefinition) {
  const auto network = make();
  // There and back.
  expect_same_parameter_gradients(*network, run(*network, all_), dense(*network), 2 * kClose);
}

TEST_P(SimpleHgnTest, OutputsOfClassesHaveNormOne) {
  const at::NoGradGuard no_grad;
  const at::Tensor norm = run(*make(), all_).norm(2, {1});
  EXPECT_TRUE(at::allclose(norm, at::ones_like(norm), 1e-6, 1e-6));
}

TEST_P(SimpleHgnTest, DropsInTrainingOnly) {
  const at::NoGradGuard no_grad;
  const auto network = make();
  EXPECT_TRUE(run(*network, all_).equal(run(*network, all_, {.seed = 9, .step = 3})));
  EXPECT_FALSE(run(*network, all_, {.training = true, .seed = 9, .step = 3})
                   .equal(run(*network, all_, {.training = true, .seed = 9, .step = 4})));
}

INSTANTIATE_TEST_SUITE_P(Graphs, SimpleHgnTest,
                         testing::Values(Setting{2, 3, 4}, Setting{5, 2, 3}, Setting{1, 1, 3},
                                         Setting{2, 1, 1}),
                         [](const auto& info) {
                           return std::to_string(info.param.relations) + "Relations" +
                                  std::to_string(info.param.types) + "Types" +
                                  std::to_string(info.param.layers) + "Layers";
                         });

TEST(TypedEntries, BothDirectionsAndSelfLoopsAreKinds) {
  auto data = std::make_shared<Dataset>(*typed_data(4, 1, 2, kWords));
  data->node_type = {1, 0, 0, 1};
  // 0-1 joins the types, 1-2 does not.
  data->graph.relations = {
      {"a", csr_from_coo(4, 4, {{0, 1}, {1, 0}, {}}, Duplicates::kSum)},
      {"b", csr_from_coo(4, 4, {{0, 1, 1, 2}, {1, 0, 2, 1}, {}}, Duplicates::kSum)}};
  const auto family = MixtureFamily::observed_only(data, {});
  const GraphBatch batch = family->view(all_rows(4), {.num_hops = 1})->batch({});
  const TypedEntries entries(batch.hop(0), *data, 2);
  // rows {0: 0 1}, {1: 0 1 2}, {2: 1 2}, {3: 3}
  EXPECT_EQ(entries.kinds()->kind, (std::vector<int32_t>{4, 1, 0, 4, 2, 2, 4, 4}));
  EXPECT_THROW(TypedEntries(batch.hop(0), *data, 3), UsageError);
}

// Node 1 sees nobody, so that by symmetric shares nothing is left of the edge that leads to it.
TEST(TypedEntries, AnEdgeWithoutWeightIsNoSelfLoop) {
  auto data = std::make_shared<Dataset>(*typed_data(4, 1, 2, kWords));
  data->node_type = {1, 0, 0, 1};
  data->graph.relations = {{"a", csr_from_coo(4, 4, {{0}, {1}, {}}, Duplicates::kSum)}};
  const auto family = MixtureFamily::observed_only(
      data, {.normalisation = Normalisation::kSymmetric, .mixing = Mixing::kShares});
  const GraphBatch batch = family->view(all_rows(4), {.num_hops = 1})->batch({});
  ASSERT_EQ(batch.hop(0).edges()->weight[0][1].item<float>(), 0.0F);
  // rows {0: 0 1}, {1: 1}, {2: 2}, {3: 3}
  EXPECT_EQ(TypedEntries(batch.hop(0), *data, 1).kinds()->kind,
            (std::vector<int32_t>{2, 1, 2, 2, 2}));
}

}  // namespace
}  // namespace emgnn
