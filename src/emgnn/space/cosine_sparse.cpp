// SPDX-License-Identifier: Apache-2.0
// All pairs of sparse rows: the cheapest head index, or the dense search where that is cheaper
// still. What is cheap is found out on a sample of the rows.
#include <algorithm>
#include <cmath>
#include <limits>

#include <emgnn/base/threads.h>
#include <emgnn/kernels/isa.h>
#include <emgnn/space/head_index.h>

namespace emgnn::detail {

namespace {

constexpr int64_t kRowGrain = 64;
constexpr size_t kSampleRows = 400;

// Costs in additions to a score (measured): an exact cosine per value of a row and per pair, and
// the products of floats that the dense search makes meanwhile.
constexpr double kCosinePerValue = 1.0;
constexpr double kCosinePerPair = 20.0;

double dense_speed() {
  const kernels::Isa isa = kernels::isa();
  return isa == kernels::Isa::kAvx512 ? 55.0 : isa == kernels::Isa::kAvx2 ? 40.0 : 10.0;
}

// The dense copy has at most this many values per entry of the sparse rows.
constexpr int64_t kDenseGrowth = 64;

std::vector<int32_t> nonzero_rows(const SparseNormed& rows) {
  std::vector<int32_t> out;
  for (int32_t i = 0; i < rows.x.num_rows; ++i)
    if (rows.norm[size_t(i)] > 0.0) out.push_back(i);
  return out;
}

// τ less what float32 may lose; without negative values the loss is relative to the product.
float bound_floor(const SparseNormed& rows, double threshold) {
  int32_t longest = 0;
  for (size_t i = 0; i + 1 < rows.x.rowptr.size(); ++i)
    longest = std::max(longest, rows.x.rowptr[i + 1] - rows.x.rowptr[i]);
  const bool signs =
      std::any_of(rows.x.val.begin(), rows.x.val.end(), [](float value) { return value < 0.0F; });
  const double error = float_error(longest);
  return static_cast<float>(signs ? threshold - error : threshold * (1.0 - error));
}

std::vector<int32_t> sample_rows(const std::vector<int32_t>& all) {
  const size_t size = std::min(all.size(), kSampleRows);
  std::vector<int32_t> out;
  for (size_t k = 0; k < size; ++k) out.push_back(all[k * all.size() / size]);
  return out;
}

double search_cost(const SparseNormed& rows, const HeadIndex& index) {
  HeadSearch search(index);
  double cost = 0.0;
  for (int32_t i = 0; i < index.heads.num_rows; ++i) {
    cost += static_cast<double>(search.search(i));
    const auto u = size_t(index.row[size_t(i)]);
    const double length = rows.x.rowptr[u + 1] - rows.x.rowptr[u];
    cost += static_cast<double>(search.candidates().size()) *
            (kCosinePerPair + kCosinePerValue * length);
  }
  return cost;
}

struct Plan {
  double tail;  // s of the cheapest head index
  double cost;  // of all pairs with it
};

Plan plan_heads(const SparseNormed& rows, const std::vector<int32_t>& all,
                std::span<const int32_t> rank, float floor) {
  const std::vector<int32_t> sample = sample_rows(all);
  const double growth = double(all.size()) / double(std::max<size_t>(1, sample.size()));
  Plan best{0.0, std::numeric_limits<double>::infinity()};
  for (const double share : {0.0, 0.5, 0.75, 0.85, 0.95}) {
    const double tail = std::max(0.0, share * floor);
    const double cost = search_cost(rows, head_index(rows, sample, rank, {floor, tail}));
    if (cost * growth * growth < best.cost) best = {tail, cost * growth * growth};
  }
  return best;
}

bool dense_is_cheaper(const Csr& x, double sparse_cost) {
  const double n = x.num_rows;
  return int64_t(x.num_rows) * x.num_cols <= kDenseGrowth * x.num_entries() &&
         n * n / 2.0 * x.num_cols / dense_speed() < sparse_cost;
}

void search_positions(const SparseNormed& rows, const HeadIndex& index, PairCollector& out) {
  const int64_t num_positions = index.heads.num_rows;
  const int64_t num_tasks = (num_positions + kRowGrain - 1) / kRowGrain;
  parallel_for(num_tasks, 1, [&](int64_t begin, int64_t end) {
    HeadSearch search(index);
    FixedRow fixed(rows);
    PairBuffer buffer(out);
    for (int64_t task = begin; task < end && !out.is_full(); ++task) {
      check_stop();
      const int64_t first = alternate_ends(task, num_tasks) * kRowGrain;
      for (int64_t i = first; i < std::min(num_positions, first + kRowGrain); ++i) {
        search.search(static_cast<int32_t>(i));
        if (search.candidates().empty()) continue;
        fixed.fix(index.row[size_t(i)]);
        for (const int32_t other : search.candidates()) {
          const int32_t v = index.row[size_t(other)];
          buffer.offer(index.row[size_t(i)], v, fixed.cosine(v));
        }
        fixed.release();
      }
    }
    buffer.flush();
  });
}

}  // namespace

void sparse_pairs(const SparseNormed& rows, PairCollector& out) {
  const std::vector<int32_t> all = nonzero_rows(rows);
  const std::vector<int32_t> rank = rank_terms(rows.x);
  const float floor = bound_floor(rows, out.options().threshold);
  const Plan plan = plan_heads(rows, all, rank, floor);
  if (dense_is_cheaper(rows.x, plan.cost)) return dense_pairs(rows, out);
  search_positions(rows, head_index(rows, all, rank, {floor, plan.tail}), out);
}

}  // namespace emgnn::detail
