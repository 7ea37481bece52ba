// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/surrogate.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/em/mcmc_summary.h>
#include <emgnn/learn/cholesky.h>

namespace emgnn {

namespace {

constexpr double kWidths[] = {0.0, 1.0, 3.0};
constexpr double kPenalties[] = {1e-8, 1e-5, 1e-2};
// Proposals of the chains that only say where to look next.
constexpr int64_t kScouting = 2000;

std::vector<int64_t> uniform_points(const ParameterSpace& space, int64_t count, Rng& rng) {
  std::set<int64_t> ids;
  const int64_t most = std::min(count, space.size());
  while (static_cast<int64_t>(ids.size()) < most)
    ids.insert(static_cast<int64_t>(rng.below(static_cast<uint64_t>(space.size()))));
  return {ids.begin(), ids.end()};
}

std::vector<double> known(const LossCache& losses, std::span<const int64_t> ids) {
  std::vector<double> out;
  for (int64_t id : ids) out.push_back(losses.at(id));
  return out;
}

LossCache fitted_losses(const ParameterSpace& space, const Surrogate& fit) {
  return LossCache([&](std::span<const int64_t> ids) {
    std::vector<double> out(ids.size());
    parallel_for(static_cast<int64_t>(ids.size()), 16, [&](int64_t begin, int64_t end) {
      for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
        out[i] = fit.at(space.point(ids[i]));
    });
    return out;
  });
}

}  // namespace

Surrogate::Surrogate(const ParameterSpace& space, std::span<const int64_t> lam_ids,
                     std::span<const double> losses)
    : coordinates_(space.coordinate_names().size()),
      centre_(coordinates_, 0.0),
      scale_(coordinates_, 0.0) {
  const auto n = static_cast<double>(lam_ids.size());
  std::vector<LambdaPoint> points;
  for (int64_t id : lam_ids) points.push_back(space.point(id));
  for (const LambdaPoint& point : points)
    for (size_t c = 0; c < coordinates_; ++c) centre_[c] += point[c] / n;
  for (const LambdaPoint& point : points)
    for (size_t c = 0; c < coordinates_; ++c)
      scale_[c] += (point[c] - centre_[c]) * (point[c] - centre_[c]) / n;
  for (double& s : scale_) s = s > 0.0 ? 1.0 / std::sqrt(s) : 0.0;
  for (const LambdaPoint& point : points) {
    const std::vector<double> x = scaled(point);
    points_.insert(points_.end(), x.begin(), x.end());
  }
  for (double loss : losses) mean_ += loss / n;
  std::vector<double> target(losses.begin(), losses.end());
  for (double& y : target) y -= mean_;
  held_out_error_ = std::numeric_limits<double>::infinity();
  for (double width : kWidths)
    for (double penalty : kPenalties) fit({width}, penalty, target);
}

double Surrogate::Kernel::operator()(const double* x, const double* y, size_t coordinates) const {
  double sum = 0.0;
  for (size_t c = 0; c < coordinates; ++c)
    sum += width == 0.0 ? x[c] * y[c] : (x[c] - y[c]) * (x[c] - y[c]);
  const auto count = static_cast<double>(coordinates);
  if (width == 0.0) return (1.0 + sum / count) * (1.0 + sum / count);
  return std::exp(-sum / (2.0 * count * width * width));
}

std::vector<double> Surrogate::scaled(const LambdaPoint& point) const {
  std::vector<double> x(coordinates_);
  for (size_t c = 0; c < coordinates_; ++c) x[c] = (point[c] - centre_[c]) * scale_[c];
  return x;
}

// With G = (K + σ I)⁻¹ and a = G y, what the fit without point k misses there is a_k / G_kk.
void Surrogate::fit(const Kernel& kernel, double penalty, std::span<const double> target) {
  const size_t n = target.size();
  std::vector<double> k(n * n);
  parallel_for(static_cast<int64_t>(n), 8, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
      for (size_t j = 0; j <= i; ++j)
        k[i * n + j] = kernel(&points_[i * coordinates_], &points_[j * coordinates_], coordinates_);
  });
  for (size_t i = 0; i < n; ++i) k[i * n + i] += penalty;
  cholesky(k, n, [] { check_stop(); });
  const std::vector<double> half = inverse_transposed(k, n, [] { check_stop(); });
  // G = L⁻ᵀ L⁻¹; row j of `half` is column j of L⁻¹.
  std::vector<double> forward(n, 0.0), weight(n, 0.0);
  for (size_t j = 0; j < n; ++j)
    for (size_t i = j; i < n; ++i) forward[i] += half[j * n + i] * target[j];
  double squares = 0.0;
  for (size_t j = 0; j < n; ++j) {
    double own = 0.0;
    for (size_t i = j; i < n; ++i) {
      weight[j] += half[j * n + i] * forward[i];
      own += half[j * n + i] * half[j * n + i];
    }
    squares += weight[j] / own * weight[j] / own;
  }
  const double error = std::sqrt(squares / static_cast<double>(n));
  if (!(error < held_out_error_)) return;
  held_out_error_ = error;
  kernel_ = kernel;
  weight_ = std::move(weight);
}

double Surrogate::at(const LambdaPoint& point) const {
  const std::vector<double> x = scaled(point);
  double out = mean_;
  for (size_t k = 0; k < weight_.size(); ++k)
    out += weight_[k] * kernel_(x.data(), &points_[k * coordinates_], coordinates_);
  return out;
}

SurrogateSample sample_by_surrogate(const ParameterSpace& space, LossCache& losses, double eta,
                                    const McmcOptions& options, int64_t points, uint64_t seed,
                                    uint64_t round) {
  EMGNN_CHECK(points >= 8, "a fit of the loss needs at least 8 points", points);
  Rng rng(seed, Stream::kDraw, round, 1);
  std::vector<int64_t> seen = uniform_points(space, points / 2, rng);
  losses.fetch(seen);
  SurrogateSample out{
      .posterior = {}, .prior_losses = known(losses, seen), .summary = {}, .draws = {}};

  McmcOptions scouting = options;
  scouting.steps = std::min(options.steps, kScouting * options.chains);
  scouting.burn_in = std::min(options.burn_in, kScouting / 4);
  if (scouting.burn_in >= std::max<int64_t>(1, scouting.steps / scouting.chains))
    scouting.burn_in = 0;
  const Surrogate rough(space, seen, out.prior_losses);
  LossCache roughly = fitted_losses(space, rough);
  // A round of its own: what is fitted to must not be what is sampled.
  const McmcResult scouts =
      metropolis_hastings(space, roughly, eta, scouting, seed, round | uint64_t{1} << 32);
  const std::vector<int64_t> there = scouts.posterior.thinned(points / 4).lam_ids();
  losses.fetch(there);
  seen.insert(seen.end(), there.begin(), there.end());
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());

  const Surrogate fit(space, seen, known(losses, seen));
  LossCache smooth = fitted_losses(space, fit);
  McmcResult mcmc = metropolis_hastings(space, smooth, eta, options, seed, round);
  const Posterior few = mcmc.posterior.thinned(points / 4, rng.uniform());
  losses.fetch(few.lam_ids());
  std::vector<double> excess;  // of L over L̂
  for (int64_t id : few.lam_ids()) excess.push_back(losses.at(id) - smooth.at(id));
  out.posterior = Posterior::gibbs(few.lam_ids(), excess, few.log_probs(), eta);
  out.summary = summarise(space, mcmc);
  out.summary.evaluated = losses.size();
  out.summary.fit_error = eta * fit.held_out_error();
  // (Σ h w)² / Σ h w² of draws h with weights w
  double squares = 0.0;
  for (size_t i = 0; i < excess.size(); ++i) {
    const double log_p = out.posterior.log_probs()[i];
    squares += std::exp(2.0 * log_p - few.log_probs()[i]);
  }
  out.summary.corrected = 1.0 / squares;
  out.draws = std::move(mcmc.draws);
  return out;
}

}  // namespace emgnn
