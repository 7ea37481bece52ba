// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/edge_trust.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/space/edge_score.h>

namespace emgnn {

namespace {

// Nobody is surer than this of an edge.
constexpr double kSurest = 0.999;

std::vector<float> log_odds_of_weights(const Dataset& data, const Csr& view) {
  std::vector<float> out;
  for (int32_t i = 0; i < view.num_rows; ++i) {
    for (const auto [e, j] : view.row(i)) {
      const double p = view.value(e);
      if (!(p >= 0.0 && p <= 1.0)) {
        throw DataError(fmt::format(
            "dataset {}: the edge {} - {} has weight {}; space.confidence=weight expects 0 to 1",
            data.name, data.node_name(i), data.node_name(j), p));
      }
      const double kept = std::clamp(p, 1.0 - kSurest, kSurest);
      out.push_back(static_cast<float>(std::log(kept / (1.0 - kept))));
    }
  }
  return out;
}

}  // namespace

TrustPoint TrustPoint::of(int id) {
  return {{id / (kValues * kValues), id / kValues % kValues, id % kValues}};
}

int TrustPoint::id() const { return (place[0] * kValues + place[1]) * kValues + place[2]; }

double TrustPoint::value(int axis) const {
  const auto a = static_cast<size_t>(axis);
  return kGrid[a][static_cast<size_t>(place[a])];
}

EdgeTrust::EdgeTrust(Csr adjacency, std::vector<float> score, std::vector<float> confidence)
    : adjacency_(std::move(adjacency)),
      score_(std::move(score)),
      confidence_(std::move(confidence)) {}

std::vector<float> EdgeTrust::agreement(std::span<const double> prob, int64_t classes) const {
  std::vector<float> out(adjacency_.col.size());
  const auto width = static_cast<size_t>(classes);
  for (int32_t i = 0; i < adjacency_.num_rows; ++i) {
    const std::span<const double> here = prob.subspan(static_cast<size_t>(i) * width, width);
    for (const auto [e, j] : adjacency_.row(i)) {
      const std::span<const double> there = prob.subspan(static_cast<size_t>(j) * width, width);
      double same = 0.0;
      for (size_t c = 0; c < width; ++c) same += here[c] * there[c];
      out[static_cast<size_t>(e)] = static_cast<float>(2.0 * same - 1.0);
    }
  }
  return out;
}

std::vector<float> EdgeTrust::probability(const TrustPoint& point,
                                          std::span<const float> agreement) const {
  std::vector<float> out(adjacency_.col.size());
  for (size_t e = 0; e < out.size(); ++e) {
    double odds = point.value(0) + point.value(1) * score_[e];
    if (!confidence_.empty()) odds += confidence_[e];
    if (!agreement.empty()) odds += point.value(2) * agreement[e];
    out[e] = static_cast<float>(1.0 / (1.0 + std::exp(-odds)));
  }
  return out;
}

std::vector<float> EdgeTrust::normalised(const TrustPoint& point, std::span<const float> agreement,
                                         Normalisation normalisation) const {
  std::vector<float> out = probability(point, agreement);
  const auto n = static_cast<size_t>(adjacency_.num_rows);
  std::vector<double> degree(n, 1.0);
  for (size_t i = 0; i < n; ++i) {
    for (const auto [e, j] : adjacency_.row(static_cast<int32_t>(i))) {
      // A weight that is the user's confidence is in the probability already.
      if (confidence_.empty()) out[static_cast<size_t>(e)] *= adjacency_.value(e);
      degree[i] += out[static_cast<size_t>(e)];
    }
  }
  const bool row = normalisation == Normalisation::kRow;
  for (size_t i = 0; i < n; ++i) {
    for (const auto [e, j] : adjacency_.row(static_cast<int32_t>(i))) {
      const double scale = row ? degree[i] : std::sqrt(degree[i] * degree[static_cast<size_t>(j)]);
      out[static_cast<size_t>(e)] = static_cast<float>(out[static_cast<size_t>(e)] / scale);
    }
  }
  for (const double d : degree) out.push_back(static_cast<float>(1.0 / d));
  return out;
}

std::shared_ptr<const EdgeTrust> distrust(const Dataset& data, const Csr& graph, Csr view,
                                          Confidence confidence) {
  std::vector<float> sure;
  if (confidence == Confidence::kWeight) sure = log_odds_of_weights(data, view);
  std::vector<float> score = edge_scores(data.features, graph, view);
  return std::make_shared<const EdgeTrust>(std::move(view), std::move(score), std::move(sure));
}

TrustedWeights::TrustedWeights(std::vector<std::shared_ptr<const EdgeTrust>> views,
                               Normalisation normalisation, std::span<const double> prob,
                               int64_t classes)
    : views_(std::move(views)),
      normalisation_(normalisation),
      agreement_(views_.size()),
      made_(views_.size() * size_t{TrustPoint::kCount}) {
  for (size_t v = 0; v < views_.size() && !prob.empty(); ++v)
    if (views_[v]) agreement_[v] = views_[v]->agreement(prob, classes);
}

const std::vector<float>& TrustedWeights::normalised(size_t view, int trust) const {
  const std::lock_guard lock(mutex_);
  auto& made = made_[view * TrustPoint::kCount + static_cast<size_t>(trust)];
  if (!made)
    made = std::make_unique<const std::vector<float>>(
        views_[view]->normalised(TrustPoint::of(trust), agreement_[view], normalisation_));
  return *made;
}

std::vector<float> TrustedWeights::probability(size_t view, int trust) const {
  return views_[view]->probability(TrustPoint::of(trust), agreement_[view]);
}

}  // namespace emgnn
