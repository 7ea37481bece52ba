// SPDX-License-Identifier: Apache-2.0
// GIN for molecules beside the same network of LibTorch's own modules, over several gradient steps with dropout:
// outputs, gradients, the running moments of the batch norms, and what evaluation makes of them.
#include <emgnn/models/molecular_gin.h>

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bonded_molecules.h"

namespace emgnn {
namespace {

constexpr BondOptions kPlainBonds{.aggregation = Aggregation::kSum, .self_loops = false};

MolecularGinLayer::Options options_of(Jumping jumping, double dropout = 0.4) {
  return {.stack = {.layers = 3, .hidden = 6, .dropout = dropout},
          .molecular = {.jumping = jumping}};
}

std::shared_ptr<Network> make_gin(const MolecularGinLayer::Options& options,
                                  const HeadOptions& head) {
  return make_stack<MolecularGinLayer>({.stack = options.stack,
                                        .head = head,
                                        .shape = kMoleculeShape,
                                        .seed = 6,
                                        .hidden_outputs = options.stack.hidden,
                                        .jumping = options.molecular.jumping},
                                       options);
}

// Molecules end to end: an entry for each direction of a bond.
struct TorchBatch {
  at::Tensor x, from, to, f, molecule, sizes;

  TorchBatch(const Molecules& molecules, const std::vector<int32_t>& some) {
    std::vector<at::Tensor> atoms, features;
    std::vector<int64_t> source, target, of_atom;
    int64_t first = 0;
    for (size_t m = 0; m < some.size(); ++m) {
      const BondedMolecule one = bonded_molecule(molecules, some[m]);
      atoms.push_back(one.x);
      for (const BondedMolecule::Entry& e : one.entries) {
        if (e.from == e.to) continue;
        source.push_back(first + e.from);
        target.push_back(first + e.to);
        features.push_back(e.f);
      }
      of_atom.insert(of_atom.end(), static_cast<size_t>(one.num_atoms()), static_cast<int64_t>(m));
      first += one.num_atoms();
    }
    x = at::cat(atoms);
    f = at::stack(features);
    from = at::tensor(source);
    to = at::tensor(target);
    molecule = at::tensor(of_atom);
    sizes = at::zeros({static_cast<int64_t>(some.size()), 1}, at::kDouble)
                .index_add(0, molecule, at::ones({first, 1}, at::kDouble));
  }
};

class TorchGin {
 public:
  TorchGin(const Network& network, const MolecularGinLayer::Options& options, Readout readout)
      : network_(network), options_(options), readout_(readout) {
    const int64_t width = options.stack.hidden;
    linear("layers.0.embedding", kNumAtomFeatures, width);
    for (int64_t l = 0; l < options.stack.layers; ++l) {
      linear(name(l, "inner"), width, 2 * width);
      linear(name(l, "outer"), 2 * width, width);
      torch::nn::BatchNorm1d norm(width);
      norm->to(at::kDouble);
      norm_.push_back(norm);
    }
    const bool concat = options.molecular.jumping == Jumping::kConcat;
    linear("output", (concat ? options.stack.layers + 1 : 1) * width, kMoleculeShape.num_outputs);
  }

  // The weights of the network, not its running moments.
  void copy_weights() {
    const at::NoGradGuard no_grad;
    weights_.clear();
    for (auto& [name, map] : linear_) {
      map->weight.copy_(value_of(network_, name + ".weight").t());
      map->bias.copy_(value_of(network_, name + ".bias"));
      weights_.emplace_back(name + ".weight", map->weight);
      weights_.emplace_back(name + ".bias", map->bias);
    }
    bond_weight_.clear();
    for (int64_t l = 0; l < options_.stack.layers; ++l) {
      const auto& norm = norm_[static_cast<size_t>(l)];
      norm->weight.copy_(layer_value(network_, l, "norm_weight"));
      norm->bias.copy_(layer_value(network_, l, "norm_bias"));
      bond_weight_.push_back(layer_value(network_, l, "bond_weight").detach().requires_grad_());
      weights_.emplace_back(name(l, "norm_weight"), norm->weight);
      weights_.emplace_back(name(l, "norm_bias"), norm->bias);
      weights_.emplace_back(name(l, "bond_weight"), bond_weight_.back());
    }
    for (auto& [name, weight] : weights_) weight.mutable_grad().reset();
  }

  at::Tensor forward(const TorchBatch& batch, const Mode& mode) {
    at::Tensor h = at_name("layers.0.embedding")->forward(batch.x);
    std::vector<at::Tensor> states = {h};
    for (int64_t l = 0; l < options_.stack.layers; ++l) {
      const auto k = static_cast<size_t>(l);
      const at::Tensor message = h.index_select(0, batch.from) + batch.f.matmul(bond_weight_[k]);
      const at::Tensor sum = h.index_add(0, batch.to, message);
      norm_[k]->train(mode.training);
      h = at_name(name(l, "outer"))->forward(at::relu(at_name(name(l, "inner"))->forward(sum)));
      h = norm_[k]->forward(h);
      if (l + 1 < options_.stack.layers) h = at::relu(h);
      h = h * mask(h, static_cast<int>(l), mode);
      states.push_back(h);
    }
    return at_name("output")->forward(read_out(batch, jumped(states)));
  }

  const std::vector<std::pair<std::string, at::Tensor>>& weights() const { return weights_; }
  const torch::nn::BatchNorm1d& norm(int64_t l) const { return norm_[static_cast<size_t>(l)]; }

 private:
  static std::string name(int64_t l, const char* of) {
    return "layers." + std::to_string(l) + "." + of;
  }
  void linear(const std::string& name, int64_t inputs, int64_t outputs) {
    torch::nn::Linear map(inputs, outputs);
    map->to(at::kDouble);
    linear_.emplace_back(name, map);
  }
  torch::nn::Linear& at_name(const std::string& name) {
    for (auto& [other, map] : linear_)
      if (other == name) return map;
    throw std::logic_error("no " + name);
  }
  // What the network drops; that it is dropout, the test below says.
  at::Tensor mask(const at::Tensor& h, int layer, const Mode& mode) const {
    const at::NoGradGuard no_grad;
    return dropped(at::ones(h.sizes(), at::kFloat), options_.stack.dropout, hidden_dropout(layer),
                   mode)
        .to(at::kDouble);
  }
  at::Tensor jumped(const std::vector<at::Tensor>& states) const {
    switch (options_.molecular.jumping) {
      case Jumping::kLast:
        return states.back();
      case Jumping::kConcat:
        return at::cat(states, 1);
      case Jumping::kMax:
        return at::stack(states).amax(0);
      case Jumping::kSum:
        return at::stack(states).sum(0);
    }
    throw std::logic_error("no such jumping");
  }
  at::Tensor read_out(const TorchBatch& batch, const at::Tensor& h) const {
    const at::Tensor sum =
        at::zeros({batch.sizes.size(0), h.size(1)}, at::kDouble).index_add(0, batch.molecule, h);
    return readout_ == Readout::kSum ? sum : sum / batch.sizes;
  }

  const Network& network_;
  MolecularGinLayer::Options options_;
  Readout readout_;
  std::vector<std::pair<std::string, torch::nn::Linear>> linear_;
  std::vector<torch::nn::BatchNorm1d> norm_;
  std::vector<at::Tensor> bond_weight_;
  std::vector<std::pair<std::string, at::Tensor>> weights_;
};

void expect_near(const at::Tensor& got, const at::Tensor& want, double tolerance,
                 const std::string& what) {
  ASSERT_EQ(got.sizes(), want.sizes()) << what;
  EXPECT_LE((got.to(at::kDouble) - want).abs().max().item<double>(), tolerance) << what;
}

// A bias before a norm has no gradient but the error of sums of the largest ones. Then the network's weights
// take a step down.
void expect_torch_gradients(const Network& network, const at::Tensor& got, const at::Tensor& want,
                            const TorchGin& torch_gin) {
  const std::vector<at::Tensor> gradients = parameter_gradients(network, got);
  (want * random_tensor(want.sizes().vec(), 1234).to(at::kDouble)).sum().backward();
  double largest = 0.0;
  for (const auto& [name, weight] : torch_gin.weights())
    largest = std::max(largest, weight.grad().abs().max().item<double>());
  ASSERT_EQ(gradients.size(), torch_gin.weights().size());
  for (size_t k = 0; k < gradients.size(); ++k) {
    const std::string& name = network.parameters()[k].name;
    const auto found = std::find_if(torch_gin.weights().begin(), torch_gin.weights().end(),
                                    [&](const auto& weight) { return weight.first == name; });
    ASSERT_NE(found, torch_gin.weights().end()) << name;
    const at::Tensor& gradient = found->second.grad();
    const bool turned = gradient.dim() == 2 && !name.ends_with("bond_weight");
    expect_near(gradients[k], turned ? gradient.t() : gradient, 2 * kPathError * largest, name);
    const at::NoGradGuard no_grad;
    at::Tensor(network.parameters()[k].value).sub_(gradients[k], 0.02 / largest);
  }
}

void expect_same_moments(const Network& network, const TorchGin& torch_gin, int64_t layers) {
  for (int64_t l = 0; l < layers; ++l) {
    const auto& norm = torch_gin.norm(l);
    const double largest = std::max(1.0, norm->running_var.abs().max().item<double>());
    expect_near(layer_value(network, l, "norm_mean"), norm->running_mean, kPathError * largest,
                "mean of layer " + std::to_string(l));
    expect_near(layer_value(network, l, "norm_var"), norm->running_var, kPathError * largest,
                "variance of layer " + std::to_string(l));
  }
}

TEST(MolecularGin, TrainsAsLibTorchsModulesDo) {
  const BondedFixture fixture(12);
  const std::vector<std::vector<int32_t>> batches = {
      {0, 3, 5, 1}, {2, 4, 7, 8, 9}, {11, 10, 6}, {1, 2, 3, 4, 5, 6}};
  for (const Jumping jumping : {Jumping::kLast, Jumping::kConcat, Jumping::kMax, Jumping::kSum}) {
    for (const Readout readout : {Readout::kSum, Readout::kMean}) {
      const MolecularGinLayer::Options options = options_of(jumping);
      const auto network = make_gin(options, {.readout = readout, .head = 0});
      TorchGin torch_gin(*network, options, readout);
      for (size_t k = 0; k < batches.size(); ++k) {
        const Mode training{.training = true, .seed = 3, .step = k};
        torch_gin.copy_weights();
        const at::Tensor got =
            fixture.run(fixture.molecules, *network, batches[k], training, kPlainBonds);
        const at::Tensor want =
            torch_gin.forward(TorchBatch(*fixture.molecules, batches[k]), training);
        expect_near_definition(got, want.detach());
        expect_torch_gradients(*network, got, want, torch_gin);
        expect_same_moments(*network, torch_gin, options.stack.layers);
      }
      torch_gin.copy_weights();
      const at::NoGradGuard no_grad;
      for (const std::vector<int32_t>& some : batches) {
        expect_near_definition(fixture.run(fixture.molecules, *network, some, {}, kPlainBonds),
                               torch_gin.forward(TorchBatch(*fixture.molecules, some), {}));
      }
    }
  }
}

// Zeros, and 1/(1 − p) otherwise, others behind each layer and at each step. The share of zeros among
// n is within five of its deviations √(p (1 − p) / n).
TEST(MolecularGin, DropsAShareOfTheRowsBehindEachLayer) {
  const double p = 0.4;
  const int64_t n = 20'000;
  const auto mask = [&](int layer, uint64_t step) {
    return dropped(at::ones({n / 10, 10}, at::kFloat), p, hidden_dropout(layer),
                   {.training = true, .seed = 3, .step = step});
  };
  for (const auto& [layer, step] : {std::pair{0, 0}, {1, 0}, {4, 7}}) {
    const at::Tensor m = mask(layer, static_cast<uint64_t>(step));
    const double zeros = m.eq(0.0).sum().item<double>() / static_cast<double>(n);
    EXPECT_NEAR(zeros, p, 5.0 * std::sqrt(p * (1.0 - p) / static_cast<double>(n)));
    EXPECT_LE((m.masked_select(m.ne(0.0)) - 1.0 / (1.0 - p)).abs().max().item<double>(), 1e-6);
  }
  EXPECT_FALSE(mask(0, 0).equal(mask(1, 0)));
  EXPECT_FALSE(mask(0, 0).equal(mask(0, 1)));
}

// As LibTorch's Linear, biases too. Xavier's weights of one output are √6 times as large, and a sum over atoms and
// layers of them is far off any target.
TEST(MolecularGin, BeginsWithTheCustomaryOutput) {
  const auto network =
      make_gin(options_of(Jumping::kSum), {.readout = Readout::kSum, .head = 0, .head_norm = true});
  const double bound = 1.0 / std::sqrt(6.0);
  for (const char* name : {"output.weight", "output.bias"}) {
    const double largest = value_of(*network, name).abs().max().item<double>();
    EXPECT_LE(largest, bound) << name;
    EXPECT_GT(largest, 0.0) << name;
  }
  EXPECT_FALSE(has_parameter(*network, "head.norm_weight"));  // no perceptron, no norm
}

}  // namespace
}  // namespace emgnn
