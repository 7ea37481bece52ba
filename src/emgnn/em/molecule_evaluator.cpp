// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/molecule_evaluator.h>

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

// Floats of one layer's activations in a tile: about what the last-level cache holds.
constexpr int64_t kTileFloats = int64_t{1} << 20;

}  // namespace

struct MoleculeEvaluator::Predictions {
  size_t num_conformers, num_lams;
  std::vector<int32_t> index;  // [molecules, conformers, λ] into value
  std::vector<double> value;   // one for each item

  double at(size_t molecule, size_t conformer, size_t lam) const {
    const size_t place = (molecule * num_conformers + conformer) * num_lams + lam;
    return value[static_cast<size_t>(index[place])];
  }
};

MoleculeEvaluator::MoleculeEvaluator(const MoleculeFamily& family, const MoleculeBackbone& backbone,
                                     std::span<const int32_t> molecules)
    : family_(&family), backbone_(&backbone), molecules_(molecules.begin(), molecules.end()) {}

MoleculeEvaluator::Predictions MoleculeEvaluator::predict(std::span<const int64_t> lam_ids) const {
  Predictions out{.num_conformers = static_cast<size_t>(family_->num_conformers()),
                  .num_lams = lam_ids.size()};
  out.index.resize(molecules_.size() * out.num_conformers * out.num_lams);
  std::vector<size_t> ascending(lam_ids.size());
  std::iota(ascending.begin(), ascending.end(), size_t{0});
  std::sort(ascending.begin(), ascending.end(),
            [&](size_t a, size_t b) { return lam_ids[a] < lam_ids[b]; });
  std::vector<MoleculeItem> items;
  auto place = out.index.begin();
  for (int32_t molecule : molecules_) {
    for (size_t c = 0; c < out.num_conformers; ++c, place += static_cast<ptrdiff_t>(out.num_lams)) {
      bool first = true;
      for (size_t l : ascending) {
        const MoleculeItem item = family_->item(molecule, lam_ids[l], static_cast<int64_t>(c));
        if (first || backbone_->reads_lambda() || item.level != items.back().level)
          items.push_back(item);
        first = false;
        place[static_cast<ptrdiff_t>(l)] = static_cast<int32_t>(items.size()) - 1;
      }
    }
  }
  out.value = evaluate(items);
  return out;
}

std::vector<double> MoleculeEvaluator::evaluate(std::span<const MoleculeItem> items) const {
  const at::NoGradGuard no_grad;
  const int64_t max_rows = kTileFloats / backbone_->widest_layer();
  std::vector<double> value;
  value.reserve(items.size());
  for (size_t begin = 0, end = 0; begin < items.size(); begin = end) {
    if (poll_) poll_();
    int64_t rows = 0;
    while (end < items.size() && (end == begin || rows < max_rows))
      rows += family_->num_atoms(items[end++].molecule);
    const MoleculeBatch batch = family_->batch(items.subspan(begin, end - begin),
                                               backbone_->num_hops(), !backbone_->reads_lambda());
    const at::Tensor z = backbone_->forward(batch, Pass{});
    value.insert(value.end(), z.data_ptr<float>(), z.data_ptr<float>() + z.numel());
  }
  return value;
}

std::vector<double> MoleculeEvaluator::losses(std::span<const int64_t> lam_ids,
                                              std::span<const double> target,
                                              RegressionLoss loss) const {
  EMGNN_CHECK(target.size() == molecules_.size(), "one target for each molecule is needed",
              target.size());
  const Predictions z = predict(lam_ids);
  std::vector<double> losses(lam_ids.size());
  for (size_t l = 0; l < losses.size(); ++l) {
    for (size_t i = 0; i < target.size(); ++i) {
      double mean = 0.0;
      for (size_t c = 0; c < z.num_conformers; ++c) mean += z.at(i, c, l);
      mean /= static_cast<double>(z.num_conformers);
      losses[l] += regression_loss(loss, mean, target[i]);
    }
    losses[l] /= static_cast<double>(target.size());
  }
  return losses;
}

MoleculeExpectation MoleculeEvaluator::expect(const Posterior& posterior,
                                              const TargetScale& scale) const {
  const Predictions z = predict(posterior.lam_ids());
  MoleculeExpectation out;
  std::vector<double> prob;  // of λ and one conformer
  for (double log_prob : posterior.log_probs())
    prob.push_back(std::exp(log_prob) / static_cast<double>(z.num_conformers));
  for (size_t i = 0; i < molecules_.size(); ++i) {
    const auto expectation = [&](const auto& f) {
      double sum = 0.0;
      for (size_t c = 0; c < z.num_conformers; ++c)
        for (size_t l = 0; l < prob.size(); ++l) sum += prob[l] * f(z.at(i, c, l));
      return sum;
    };
    const double mean = expectation([](double value) { return value; });
    const double variance =
        expectation([mean](double value) { return (value - mean) * (value - mean); });
    out.mean.push_back(scale.restore(mean));
    out.spread.push_back(scale.std * std::sqrt(variance));
  }
  return out;
}

MoleculeExpectation MoleculeEvaluator::observed(const TargetScale& scale) const {
  const at::NoGradGuard no_grad;
  MoleculeExpectation out;
  out.spread.assign(molecules_.size(), 0.0);
  constexpr size_t kAtOnce = 256;
  for (size_t begin = 0; begin < molecules_.size(); begin += kAtOnce) {
    if (poll_) poll_();
    const auto some =
        std::span(molecules_).subspan(begin, std::min(kAtOnce, molecules_.size() - begin));
    const at::Tensor z = backbone_->forward(family_->observed(some, backbone_->num_hops()), Pass{});
    for (int64_t i = 0; i < z.numel(); ++i)
      out.mean.push_back(scale.restore(z.data_ptr<float>()[i]));
  }
  return out;
}

}  // namespace emgnn
