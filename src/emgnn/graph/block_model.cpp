// SPDX-License-Identifier: Apache-2.0
#include <emgnn/graph/block_model.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>

namespace emgnn {

namespace {

double sum_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// Gamma(shape, 1) by Marsaglia and Tsang (2000); a shape below 1 by U^(1/shape) Gamma(shape + 1).
double draw_gamma(double shape, Rng& rng) {
  if (shape < 1.0) {
    const double u = 1.0 - rng.uniform();  // (0, 1]
    return draw_gamma(shape + 1.0, rng) * std::pow(u, 1.0 / shape);
  }
  const double d = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = rng.normal(), v = std::pow(1.0 + c * x, 3.0);
    if (v > 0.0 && std::log(1.0 - rng.uniform()) < 0.5 * x * x + d * (1.0 - v + std::log(v)))
      return d * v;
  }
}

}  // namespace

std::vector<double> BlockModel::memberships() const {
  const auto width = static_cast<size_t>(num_communities);
  std::vector<double> out(phi.size());
  for (size_t row = 0; row < phi.size(); row += width) {
    const double sum = sum_of(std::span(phi).subspan(row, width));
    for (size_t k = row; k < row + width; ++k) out[k] = phi[k] / sum;
  }
  return out;
}

std::vector<double> BlockModel::strengths() const {
  std::vector<double> out;
  for (size_t k = 0; k < theta.size(); k += 2)
    out.push_back(theta[k + 1] / (theta[k] + theta[k + 1]));
  return out;
}

std::vector<int32_t> communities_of(std::span<const double> memberships, int64_t num_communities) {
  const auto width = static_cast<size_t>(num_communities);
  std::vector<int32_t> out;
  for (size_t row = 0; row < memberships.size(); row += width) {
    const auto of_node = memberships.subspan(row, width);
    out.push_back(
        static_cast<int32_t>(std::max_element(of_node.begin(), of_node.end()) - of_node.begin()));
  }
  return out;
}

double link_probability(std::span<const double> a, std::span<const double> b,
                        std::span<const double> strengths, double cross) {
  double sum = 0.0;
  for (size_t k = 0; k < strengths.size(); ++k)
    sum += a[k] * (strengths[k] * b[k] + cross * (1.0 - b[k]));
  return sum;
}

BlockModel random_block_model(int64_t num_nodes, int64_t num_communities, double cross,
                              uint64_t seed) {
  EMGNN_CHECK(num_communities >= 1, "a block model has at least one community", num_communities);
  BlockModel out{.num_communities = num_communities, .cross = cross, .phi = {}, .theta = {}};
  Rng rng(seed, Stream::kBlockModel, 0, BlockDraw::kStart);
  const auto draw = [&](double shape) { return std::max(draw_gamma(shape, rng), kLeastParameter); };
  for (int64_t k = 0; k < 2 * num_communities; ++k) out.theta.push_back(draw(1.0));
  for (int64_t i = 0; i < num_nodes * num_communities; ++i)
    out.phi.push_back(draw(1.0 / static_cast<double>(num_communities)));
  return out;
}

void restart(BlockModel& model, const Csr& graph, std::span<const double> memberships) {
  EMGNN_DCHECK(memberships.size() == model.phi.size());
  const auto width = static_cast<size_t>(model.num_communities);
  for (size_t row = 0; row < memberships.size(); row += width) {
    const double scale = sum_of(std::span(model.phi).subspan(row, width));
    for (size_t k = row; k < row + width; ++k)
      model.phi[k] = std::max(memberships[k] * scale, kLeastParameter);
  }
  const std::vector<int32_t> community = communities_of(memberships, model.num_communities);
  std::vector<double> nodes(width), entries(width);
  for (int32_t i = 0; i < graph.num_rows; ++i) {
    const auto own = static_cast<size_t>(community[static_cast<size_t>(i)]);
    nodes[own] += 1.0;
    for (const int32_t j : graph.row(i).col)
      if (community[static_cast<size_t>(j)] == community[static_cast<size_t>(i)])
        entries[own] += 1.0;
  }
  for (size_t k = 0; k < width; ++k) {
    const double scale = model.theta[2 * k] + model.theta[2 * k + 1];
    const double strength = entries[k] / (nodes[k] * nodes[k] + 1.0);
    model.theta[2 * k] = std::max(scale * (1.0 - strength), kLeastParameter);
    model.theta[2 * k + 1] = std::max(scale * strength, kLeastParameter);
  }
}

}  // namespace emgnn
