// SPDX-License-Identifier: Apache-2.0
// Every network on every family: what must hold whatever the two are.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "../base/with_threads.h"
#include "../space/random_molecules.h"
#include "../space/rewire_graph.h"
#include "gradient_check.h"
#include "networks.h"
#include "permuted.h"

#include <emgnn/space/mixture.h>
#include <emgnn/space/molecule_mixture.h>
#include <emgnn/space/no_graph.h>

namespace emgnn {
namespace {

constexpr int32_t kWords = 6;
constexpr int64_t kOutputs = 3;

// The same sums in another order: each of up to three layers adds at most 64 products of which the
// float32 rounding is 6e-8; sums over neighbours come from a mean times the degree, below 16.
constexpr double kClose = 3 * 64 * 16 * 6e-8;

void expect_close(const at::Tensor& got, const at::Tensor& want) {
  ASSERT_EQ(got.sizes(), want.sizes());
  const double scale = want.abs().max().item<double>();
  EXPECT_GT(scale, 1e-3);
  EXPECT_LE((got - want).abs().max().item<double>(), kClose * scale);
}

// The outputs are B + F W for some B and W, whatever the graph: nothing of them is left outside the
// columns of F and of ones.
void expect_linear(const at::Tensor& outputs, const at::Tensor& features) {
  const at::Tensor y = outputs.reshape({-1, outputs.size(-1)}).to(at::kDouble);
  const at::Tensor f = features.reshape({-1, features.size(-1)}).to(at::kDouble);
  ASSERT_EQ(f.size(0), y.size(0));
  const at::Tensor x = at::cat({f, at::ones({f.size(0), 1}, at::kDouble)}, 1);
  expect_close(x.matmul(at::linalg_pinv(x).matmul(y)), y);
}

StackOptions stack_of(int64_t hidden) {
  return {.layers = 3,
          .hidden = hidden,
          .activation = kernels::Activation::kElu,
          .dropout = 0.3,
          .input_dropout = 0.2,
          .init = Init::kUniformOut};
}

std::shared_ptr<const GraphFamily> node_family(const std::string& name, int32_t num_nodes) {
  const int edges = 2 * num_nodes;
  const auto normalisation =
      name.ends_with("symmetric") ? Normalisation::kSymmetric : Normalisation::kRow;
  const auto data = data_of(small_graph(num_nodes, 3, edges / 3, 5), kWords);
  if (name == "observed") return MixtureFamily::observed_only(data, {});
  if (name == "no_graph") return std::make_shared<NoGraphFamily>(data);
  if (name.starts_with("mixture"))
    return MixtureFamily::make(data, {.normalisation = normalisation, .step = 0.25});
  const auto drawing = name == "rewire_authors" ? Drawing::kAuthors : Drawing::kCoupled;
  return rewire_family(
      random_rewire_graph(num_nodes, static_cast<size_t>(edges), static_cast<size_t>(edges), 5),
      {.normalisation = normalisation,
       .grid = 4,
       .max_drop = 0.5,
       .max_add = 0.3,
       .draws = 2,
       .drawing = drawing},
      7, kWords);
}

std::shared_ptr<const MoleculeFamily> molecule_family(const std::string& name, int64_t count,
                                                      bool permuted = false) {
  auto molecules = std::make_shared<const Molecules>(random_molecules(count, 2, 7));
  if (permuted) molecules = permuted_atoms(*molecules, 1);
  const BondOptions bonds{.aggregation = name.ends_with("sum")         ? Aggregation::kSum
                                         : name.ends_with("symmetric") ? Aggregation::kSymmetric
                                                                       : Aggregation::kMean,
                          .self_loops = name.find("loops") != std::string::npos,
                          .edge_distances = name.find("lengths") != std::string::npos};
  if (name.starts_with("bonds")) return MoleculeFamily::bonds_only(molecules, bonds);
  if (name.starts_with("views")) {
    return std::make_shared<const MoleculeMixture>(
        molecules,
        AtomMixtureOptions{.bonds = bonds, .views = "bonds, two-bonds, shell:1.5-3", .step = 0.25});
  }
  return MoleculeFamily::by_distance(molecules,
                                     {.bonds = bonds, .last_radius = 5.0, .radius_step = 0.25});
}

// A few points of Λ̂ in no order, the first and the last among them.
std::vector<int64_t> some_lambdas(const GraphFamily& family) {
  const int64_t n = family.size();
  return n == 1 ? std::vector<int64_t>{0} : std::vector<int64_t>{n / 2, 0, n - 1, n / 3, n - 2};
}

struct Evaluated {
  at::Tensor outputs;  // [λ, replicates, rows, width]
  int tiles = 0, polls = 0;
};

Evaluated evaluate(const Network& network, const FamilyView& view, std::span<const int64_t> lams,
                   bool features = false) {
  const at::NoGradGuard no_grad;
  Evaluated out;
  std::vector<at::Tensor> parts;
  int64_t taken = 0;
  view.evaluate(
      {.lam_ids = lams},
      [&](const GraphBatch& batch) {
        ++out.tiles;
        return features ? network.last_features(batch, network.embed(batch.input, {}), {})
                        : run_network(network, batch);
      },
      [&](size_t first, const at::Tensor& outputs) {
        EXPECT_EQ(static_cast<int64_t>(first), taken);  // in ascending order, without gaps
        taken += outputs.size(0);
        parts.push_back(outputs);
      },
      [&] { ++out.polls; });
  out.outputs = at::cat(parts);
  return out;
}

// Outputs, gradients and buffers of one gradient step, and what follows from it.
std::vector<at::Tensor> step(const Network& network, const GraphBatch& batch) {
  const Mode mode{.training = true, .seed = 4, .step = 2};
  std::vector<at::Tensor> out = {run_network(network, batch, mode)};
  out[0].square().sum().backward();
  for (const Parameter& p : network.parameters()) out.push_back(p.value.grad());
  out.push_back(run_network(network, batch));
  return out;
}

template <class Run>
void expect_same_bits_with_any_number_of_threads(const Run& run) {
  at::set_num_threads(1);
  const std::vector<at::Tensor> one = with_threads(1, run);
  for (int threads : {2, 5}) {
    const std::vector<at::Tensor> other = with_threads(threads, run);
    ASSERT_EQ(other.size(), one.size());
    for (size_t i = 0; i < one.size(); ++i)
      EXPECT_TRUE(other[i].equal(one[i])) << threads << " threads, tensor " << i;
  }
}

// (network, family)
using Case = std::tuple<const char*, const char*>;

std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string name = std::string(std::get<0>(info.param)) + "_on_" + std::get<1>(info.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class NodesTest : public testing::TestWithParam<Case> {
 protected:
  static constexpr int32_t kNodes = 23;

  static std::shared_ptr<Network> make(int32_t num_nodes, int64_t hidden) {
    return make_network(std::get<0>(GetParam()), stack_of(hidden),
                        {.num_nodes = num_nodes, .num_features = kWords, .num_outputs = kOutputs});
  }
  at::Tensor run(std::span<const int32_t> rows, std::span<const int64_t> lams) const {
    const at::NoGradGuard no_grad;
    return run_network(*network_, family_->view(rows, network_->needs())->batch({.lam_ids = lams}));
  }

  const std::shared_ptr<const GraphFamily> family_ = node_family(std::get<1>(GetParam()), kNodes);
  const std::shared_ptr<Network> network_ = make(kNodes, 5);
  const std::vector<int32_t> rows_ = all_rows(kNodes);
  const std::vector<int64_t> lams_ = some_lambdas(*family_);
};

TEST_P(NodesTest, ABatchOfGraphsEqualsEachAlone) {
  const at::Tensor batched = run(rows_, lams_);
  ASSERT_EQ(batched.sizes(),
            (std::vector<int64_t>{static_cast<int64_t>(lams_.size()), kNodes, kOutputs}));
  for (size_t g = 0; g < lams_.size(); ++g)
    expect_close(run(rows_, {&lams_[g], 1})[0], batched[static_cast<int64_t>(g)]);
}

TEST_P(NodesTest, RowsOfAViewEqualThoseOfAllRows) {
  const std::vector<int32_t> some = {13, 2, 7};
  expect_close(run(some, lams_), run(rows_, lams_).index_select(1, at::tensor(some)));
}

TEST_P(NodesTest, OutputsAreLinearInTheLastFeatures) {
  const std::string name = std::get<0>(GetParam());
  ASSERT_EQ(network_->has_last_features(),
            name.starts_with("gcn") || name.starts_with("gat") || name == "gin");
  if (!network_->has_last_features()) return;
  const auto view = family_->view(rows_, network_->needs());
  expect_linear(evaluate(*network_, *view, lams_).outputs,
                evaluate(*network_, *view, lams_, true).outputs);
}

TEST_P(NodesTest, ManyTilesEqualOne) {
  const std::vector<int64_t> lams = family_->all_ids();
  const auto view = family_->view(rows_, network_->needs());
  const Evaluated one = evaluate(*network_, *view, lams);
  EXPECT_EQ(one.tiles, 1);
  // So wide that only a few graphs fit.
  NetworkNeeds wide = network_->needs();
  wide.widest_layer = 20'000;
  const Evaluated many = evaluate(*network_, *family_->view(rows_, wide), lams);
  EXPECT_GE(many.tiles, lams.size() > 1 ? 3 : 1);
  EXPECT_EQ(many.polls, many.tiles);
  ASSERT_EQ(one.outputs.sizes(),
            (std::vector<int64_t>{static_cast<int64_t>(lams.size()), 1, kNodes, kOutputs}));
  expect_close(many.outputs, one.outputs);
  expect_close(one.outputs.squeeze(1), run(rows_, lams));
}

TEST_P(NodesTest, BitsDoNotDependOnThreads) {
  constexpr int32_t kMany = 150;
  const auto family = node_family(std::get<1>(GetParam()), kMany);
  const std::vector<int32_t> rows = all_rows(kMany);
  expect_same_bits_with_any_number_of_threads([&] {
    const auto network = make(kMany, 32);
    const auto view = family->view(rows, network->needs());
    return step(*network, view->batch({.lam_ids = lams_}));
  });
}

INSTANTIATE_TEST_SUITE_P(
    All, NodesTest,
    testing::Combine(testing::Values("gcn", "gcn-separate", "acm", "acm-structure", "gat",
                                     "gat-weighted", "gin", "sgc", "mlp"),
                     testing::Values("mixture", "mixture_symmetric", "observed", "rewire",
                                     "rewire_symmetric", "rewire_authors", "no_graph")),
    case_name);

class MoleculesTest : public testing::TestWithParam<Case> {
 protected:
  static constexpr int64_t kCount = 9;

  static std::shared_ptr<Network> make(int64_t hidden, const GraphFamily& family) {
    return make_network(std::get<0>(GetParam()), stack_of(hidden),
                        {.num_features = kNumAtomFeatures,
                         .num_outputs = kOutputs,
                         .reads_out = true,
                         .num_entry_features = family.num_entry_features()});
  }
  at::Tensor outputs(std::span<const int32_t> rows, std::span<const int64_t> lams) const {
    return evaluate(*network_, *family_->view(rows, network_->needs()), lams).outputs;
  }

  MoleculesTest() {
    // Terms of λ begin as zeros.
    const at::NoGradGuard no_grad;
    for (const Parameter& p : network_->parameters()) {
      if (p.name.find("lambda") != std::string::npos)
        at::Tensor(p.value).add_(random_tensor(p.value.sizes().vec(), 9, -0.3, 0.3));
    }
  }

  const std::shared_ptr<const MoleculeFamily> family_ =
      molecule_family(std::get<1>(GetParam()), kCount);
  const std::shared_ptr<Network> network_ = make(5, *family_);
  const std::vector<int32_t> rows_ = all_rows(kCount);
  const std::vector<int64_t> lams_ = some_lambdas(*family_);
};

TEST_P(MoleculesTest, ManyGraphsEqualEachAlone) {
  const at::Tensor all = outputs(rows_, lams_);
  ASSERT_EQ(all.sizes(), (std::vector<int64_t>{static_cast<int64_t>(lams_.size()),
                                               family_->num_conformers(), kCount, kOutputs}));
  for (size_t g = 0; g < lams_.size(); ++g)
    expect_close(outputs(rows_, {&lams_[g], 1})[0], all[static_cast<int64_t>(g)]);
}

TEST_P(MoleculesTest, PermutingAtomsChangesNothing) {
  const auto turned = molecule_family(std::get<1>(GetParam()), kCount, true);
  expect_close(evaluate(*network_, *turned->view(rows_, network_->needs()), lams_).outputs,
               outputs(rows_, lams_));
}

TEST_P(MoleculesTest, OutputsAreLinearInTheLastFeatures) {
  ASSERT_TRUE(network_->has_last_features());
  const auto view = family_->view(rows_, network_->needs());
  expect_linear(outputs(rows_, lams_), evaluate(*network_, *view, lams_, true).outputs);
}

// evaluate() runs equal graphs once and lets graphs share rows; a plain batch does neither.
TEST_P(MoleculesTest, EvaluationEqualsAPlainBatchOfItems) {
  const at::NoGradGuard no_grad;
  std::vector<MoleculeItem> items;
  for (int64_t lam_id : lams_) {
    for (int64_t c = 0; c < family_->num_conformers(); ++c)
      for (int64_t m = 0; m < kCount; ++m) items.push_back(family_->item(m, lam_id, c));
  }
  const at::Tensor plain =
      run_network(*network_, family_->batch(items, {.num_hops = network_->needs().num_hops,
                                                    .one_hop = network_->needs().keeps_entries}));
  expect_close(outputs(rows_, lams_).view({-1, kOutputs}), plain);
}

TEST_P(MoleculesTest, RowsOfAViewEqualThoseOfAllRows) {
  const std::vector<int32_t> some = {5, 1, 8};
  expect_close(outputs(some, lams_), outputs(rows_, lams_).index_select(2, at::tensor(some)));
}

TEST_P(MoleculesTest, ManyTilesEqualOne) {
  const std::vector<int64_t> lams = family_->all_ids();
  const Evaluated one = evaluate(*network_, *family_->view(rows_, network_->needs()), lams);
  EXPECT_EQ(one.tiles, 1);
  // So wide that a few molecules fit.
  NetworkNeeds wide = network_->needs();
  wide.widest_layer = int64_t{1} << 17;
  const Evaluated many = evaluate(*network_, *family_->view(rows_, wide), lams);
  EXPECT_GE(many.tiles, 3);
  EXPECT_EQ(many.polls, many.tiles);
  expect_close(many.outputs, one.outputs);
}

TEST_P(MoleculesTest, BitsDoNotDependOnThreads) {
  const auto family = molecule_family(std::get<1>(GetParam()), 60);
  const std::vector<int32_t> rows = all_rows(60);
  expect_same_bits_with_any_number_of_threads([&] {
    const auto network = make(32, *family);
    const auto view = family->view(rows, network->needs());
    std::vector<at::Tensor> out =
        step(*network, view->batch({.lam_ids = lams_, .seed = 1, .step = 2}));
    out.push_back(evaluate(*network, *view, lams_).outputs);
    return out;
  });
}

INSTANTIATE_TEST_SUITE_P(
    All, MoleculesTest,
    testing::Combine(testing::Values("gcn", "gcn-separate", "gat", "gat-weighted", "gin",
                                     "gcn-star", "gcn-star-affine", "mlp"),
                     testing::Values("bonds", "bonds_loops", "distance", "distance_sum",
                                     "distance_loops_symmetric")),
    case_name);
// Without weights that depend on λ, which is no number here.
INSTANTIATE_TEST_SUITE_P(OfViews, MoleculesTest,
                         testing::Combine(testing::Values("gcn", "gcn-separate", "gat",
                                                          "gat-weighted", "gin", "gcn-star", "mlp"),
                                          testing::Values("views", "views_sum",
                                                          "views_loops_symmetric")),
                         case_name);
INSTANTIATE_TEST_SUITE_P(OfEntries, MoleculesTest,
                         testing::Combine(testing::Values("mpnn", "attentivefp", "weave"),
                                          testing::Values("bonds_loops_sum", "bonds_lengths_sum",
                                                          "distance_lengths",
                                                          "distance_lengths_loops_symmetric",
                                                          "views_lengths", "views_loops_sum")),
                         case_name);

// A molecule's rows are sums of its own entries in an order of their own: nothing else of the batch
// changes a bit of them.
class EntriesTest : public MoleculesTest {};

TEST_P(EntriesTest, OneGraphHasTheBitsThatItHasAmongMany) {
  const at::Tensor all = outputs(rows_, lams_);
  for (size_t g = 0; g < lams_.size(); ++g)
    EXPECT_TRUE(outputs(rows_, {&lams_[g], 1})[0].equal(all[static_cast<int64_t>(g)]));
  const std::vector<int32_t> some = {5, 1, 8};
  EXPECT_TRUE(outputs(some, lams_).equal(all.index_select(2, at::tensor(some))));
}

INSTANTIATE_TEST_SUITE_P(All, EntriesTest,
                         testing::Combine(testing::Values("mpnn", "attentivefp", "weave"),
                                          testing::Values("distance_lengths_sum", "views_lengths")),
                         case_name);

}  // namespace
}  // namespace emgnn
