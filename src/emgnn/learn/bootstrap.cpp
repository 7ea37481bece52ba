// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/bootstrap.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/base/threads.h>

namespace emgnn {

namespace {

constexpr uint32_t kResample = 1;  // of the stream of rows that stand for others

// The middle of the defined values of one score.
ScoreInterval interval_of(std::string name, std::vector<double> values, double confidence) {
  std::erase_if(values, [](double v) { return std::isnan(v); });
  ScoreInterval out{.name = std::move(name),
                    .lower = std::numeric_limits<double>::quiet_NaN(),
                    .upper = std::numeric_limits<double>::quiet_NaN()};
  if (values.empty()) return out;
  std::sort(values.begin(), values.end());
  out.lower = quantile(values, (1.0 - confidence) / 2.0);
  out.upper = quantile(values, (1.0 + confidence) / 2.0);
  return out;
}

}  // namespace

double quantile(std::span<const double> sorted, double q) {
  EMGNN_DCHECK(!sorted.empty());
  const double at = std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const double share = at - static_cast<double>(below);
  if (share == 0.0) return sorted[below];  // also where a neighbour is infinite
  return sorted[below] + share * (sorted[below + 1] - sorted[below]);
}

std::vector<ScoreInterval> bootstrap(size_t num_rows, const BootstrapOptions& options,
                                     const ScorePlaces& scores_of) {
  std::vector<std::vector<Score>> each(static_cast<size_t>(options.resamples));
  if (num_rows == 0) return {};
  parallel_for(options.resamples, 1, [&](int64_t begin, int64_t end) {
    std::vector<size_t> places(num_rows);
    for (int64_t r = begin; r < end; ++r) {
      check_stop();
      Rng rng(options.seed, Stream::kRowSample, static_cast<uint64_t>(r), kResample);
      for (size_t& place : places) place = static_cast<size_t>(rng.below(num_rows));
      each[static_cast<size_t>(r)] = scores_of(places);
    }
  });
  std::vector<std::string> names;
  std::unordered_map<std::string, size_t> place;
  std::vector<std::vector<double>> values;  // by name
  for (const std::vector<Score>& scores : each) {
    for (const Score& score : scores) {
      const auto [found, is_new] = place.try_emplace(score.name, names.size());
      if (is_new) {
        names.push_back(score.name);
        values.emplace_back();
      }
      values[found->second].push_back(score.value);
    }
  }
  std::vector<ScoreInterval> out;
  for (size_t i = 0; i < names.size(); ++i)
    out.push_back(interval_of(names[i], std::move(values[i]), options.confidence));
  return out;
}

}  // namespace emgnn
