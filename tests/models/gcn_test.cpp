// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/gcn.h>

#include "backbone_fixture.h"

namespace emgnn {
namespace {

class GcnTest : public BackboneTest, public testing::WithParamInterface<SelfWeights> {
 protected:
  // Three layers: the embedded one, one that keeps its width and one that narrows.
  static Gcn make(kernels::Activation activation = kernels::Activation::kRelu) {
    const ModelOptions options{.layers = 3,
                               .hidden = 5,
                               .activation = activation,
                               .dropout = 0.3,
                               .input_dropout = 0.2,
                               .self = GetParam(),
                               .init = Init::kUniformOut};
    return {options, kWords, kClasses, 6};
  }
};

TEST_P(GcnTest, MatchesTheDefinitionOnDenseMatrices) {
  const Gcn gcn = make();
  const at::NoGradGuard no_grad;
  const at::Tensor got = run(gcn, rows_, lams_);
  for (size_t g = 0; g < lams_.size(); ++g) {
    const at::Tensor s = dense_shift(graph_, family_.point(lams_[g]), Normalisation::kRow);
    at::Tensor h = dense_features();
    for (int layer = 0; layer < 3; ++layer) {
      at::Tensor next;
      for (const Parameter& p : gcn.parameters()) {
        if (p.layer != layer) continue;
        const at::Tensor value = p.value.to(at::kDouble);
        if (p.name.ends_with(".weight")) next = s.matmul(h).matmul(value);
        if (p.name.ends_with(".self_weight")) next = next + h.matmul(value);
        if (p.name.ends_with(".bias")) next = next + value;
      }
      h = layer < 2 ? next.relu() : next;
    }
    EXPECT_TRUE(at::allclose(got[static_cast<int64_t>(g)], h.to(at::kFloat), 1e-4, 1e-5));
  }
}

TEST_P(GcnTest, HasWeightsForTheNodeItselfOnlyWhenAsked) {
  EXPECT_EQ(make().parameters().size(), GetParam() == SelfWeights::kSeparate ? 9U : 6U);
}

TEST_P(GcnTest, BatchEqualsALoopOverSingleGraphs) { expect_batch_equals_single_graphs(make()); }

TEST_P(GcnTest, PrunedRowsEqualTheFullComputation) { expect_view_equals_full_graph(make()); }

TEST_P(GcnTest, GradientsMatchFiniteDifferences) {
  // As for the channels of ACM, over three layers.
  expect_gradients_match(make(kernels::Activation::kElu), 0.03);
}

TEST_P(GcnTest, BitsDoNotDependOnThreads) { expect_bits_do_not_depend_on_threads(make()); }

INSTANTIATE_TEST_SUITE_P(Self, GcnTest,
                         testing::Values(SelfWeights::kShared, SelfWeights::kSeparate));

}  // namespace
}  // namespace emgnn
