// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/text_chart.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <emgnn/run/marginal.h>

namespace emgnn {

namespace {

constexpr size_t kMaxRows = 25;
constexpr double kBarWidth = 40.0;  // in characters

// A bar of `share` of the full width, to an eighth of a character.
std::string bar(double share) {
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<int>(std::lround(share * kBarWidth * 8.0));
  std::string out;
  for (int i = 0; i < eighths / 8; ++i) out += "█";
  return out + kEighths[eighths % 8];
}

// Neighbouring values share a row when there are too many.
std::string bars(const std::string& title, const Marginal& distribution) {
  const size_t per_row = (distribution.size() + kMaxRows - 1) / kMaxRows;
  std::vector<std::pair<double, double>> rows;  // first value, mass
  size_t i = 0;
  for (const auto& [value, p] : distribution) {
    if (i++ % per_row == 0) rows.emplace_back(value, 0.0);
    rows.back().second += p;
  }
  double top = 0.0;
  for (const auto& [value, p] : rows) top = std::max(top, p);
  std::string out = title + "\n";
  for (const auto& [value, p] : rows) {
    out += fmt::format("  {:5.2f} {}{:.3f} {}\n", value, per_row > 1 ? "+ " : "", p, bar(p / top));
  }
  return out;
}

using Summaries = std::vector<std::pair<std::string, MarginalSummary>>;

std::string intervals(const std::string& title, const Summaries& rows) {
  size_t width = title.size();
  for (const auto& [name, row] : rows) width = std::max(width, name.size());
  std::string out = fmt::format("  {:{}}   mean   central 90 %\n", title, width);
  for (const auto& [name, row] : rows) {
    out += fmt::format("  {:{}}  {:5.3f}   {:.2f} to {:.2f}  {}\n", name, width, row.mean, row.low,
                       row.high, bar(std::clamp(row.mean, 0.0, 1.0)));
  }
  return out;
}

// Shares are ranked.
std::string intervals(const GraphDistribution& graphs) {
  Summaries shares, others;
  for (size_t c = 0; c < graphs.names.size(); ++c) {
    (c < graphs.num_shares ? shares : others)
        .emplace_back(graphs.names[c], summarise(marginal(graphs.points, c)));
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.second.mean > b.second.mean; });
  return (shares.empty() ? "" : intervals("weight of", shares)) +
         (others.empty() ? "" : intervals("parameter", others));
}

}  // namespace

std::string posterior_chart(const GraphDistribution& graphs) {
  if (graphs.points.size() < 2) return "";
  if (graphs.names.size() == 1) return bars(graphs.names[0], marginal(graphs.points, 0));
  if (graphs.names.size() == 2 && graphs.num_shares == 2) {
    return bars(fmt::format("weight of {} (the rest is {})", graphs.names[0], graphs.names[1]),
                marginal(graphs.points, 0));
  }
  return intervals(graphs);
}

}  // namespace emgnn
