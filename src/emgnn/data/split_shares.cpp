// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/split_shares.h>

#include <charconv>
#include <cmath>
#include <utility>

namespace emgnn {

std::optional<std::vector<double>> numbers_of(std::string_view text) {
  std::vector<double> values;
  for (;;) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
    values.push_back(value);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (text.empty()) return values;
    if (text.front() != '/') return std::nullopt;
    text.remove_prefix(1);
  }
}

std::optional<Shares> shares_of(std::string_view text) {
  const auto values = numbers_of(text);
  if (!values || values->size() != 3) return std::nullopt;
  double sum = 0;
  for (const double v : *values) {
    if (v <= 0) return std::nullopt;
    sum += v;
  }
  if (sum > 1 + 1e-9) return std::nullopt;
  return Shares{(*values)[0], (*values)[1], (*values)[2]};
}

void shuffle(std::vector<int32_t>& ids, Rng& rng) {
  for (size_t i = ids.size(); i > 1; --i) std::swap(ids[i - 1], ids[rng.below(i)]);
}

}  // namespace emgnn
