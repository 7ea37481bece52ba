// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/head_index.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <emgnn/base/threads.h>

namespace emgnn::detail {

namespace {

constexpr int64_t kRowGrain = 64;

struct Weight {
  int32_t term;
  float value;
};

void order_rows(const SparseNormed& rows, std::vector<int32_t> subset, HeadIndex& index) {
  const Csr& x = rows.x;
  struct Row {
    int32_t id;
    float largest, sum;
  };
  std::vector<Row> order;
  order.reserve(subset.size());
  for (const int32_t i : subset) {
    double largest = 0.0;
    double sum = 0.0;
    for (int32_t e = x.rowptr[size_t(i)]; e < x.rowptr[size_t(i) + 1]; ++e) {
      largest = std::max(largest, std::abs(double(x.value(e))));
      sum += std::abs(double(x.value(e)));
    }
    const double norm = rows.norm[size_t(i)];
    order.push_back({i, static_cast<float>(largest / norm), static_cast<float>(sum / norm)});
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const Row& a, const Row& b) { return a.largest < b.largest; });
  index.row = std::move(subset);
  for (size_t k = 0; k < order.size(); ++k) {
    index.row[k] = order[k].id;
    index.largest.push_back(order[k].largest);
    index.sum.push_back(order[k].sum);
  }
}

// The unit row from its rarest term on
void rank_row(const SparseNormed& rows, int32_t i, std::span<const int32_t> rank,
              std::vector<Weight>& weights) {
  const Csr& x = rows.x;
  weights.clear();
  for (int32_t e = x.rowptr[size_t(i)]; e < x.rowptr[size_t(i) + 1]; ++e)
    weights.push_back(
        {rank[size_t(x.col[size_t(e)])], static_cast<float>(x.value(e) / rows.norm[size_t(i)])});
  std::sort(weights.begin(), weights.end(),
            [](const Weight& a, const Weight& b) { return a.term < b.term; });
}

struct Cut {
  int32_t head;  // number of terms
  float tail;    // norm of the others, rounded up
};

Cut cut_row(const std::vector<Weight>& weights, double tail_limit) {
  size_t head = weights.size();
  double squares = 0.0;
  while (head > 0) {
    const double next = squares + double(weights[head - 1].value) * weights[head - 1].value;
    if (std::sqrt(next) > tail_limit) break;
    squares = next;
    --head;
  }
  return {static_cast<int32_t>(head), static_cast<float>(std::sqrt(squares) * (1.0 + 1e-6))};
}

// Calls take(position, weights by rank) for every position, twice as much work as storing the
// ranked rows but no second copy of the input.
template <class Take>
void each_ranked_row(const SparseNormed& rows, const HeadIndex& index,
                     std::span<const int32_t> rank, Take take) {
  parallel_for(int64_t(index.row.size()), kRowGrain, [&](int64_t begin, int64_t end) {
    std::vector<Weight> weights;
    for (int64_t i = begin; i < end; ++i) {
      check_stop();
      rank_row(rows, index.row[size_t(i)], rank, weights);
      take(size_t(i), weights);
    }
  });
}

}  // namespace

std::vector<int32_t> rank_terms(const Csr& x) {
  std::vector<int32_t> count(size_t(x.num_cols), 0), order(size_t(x.num_cols)), rank(order.size());
  for (const int32_t t : x.col) ++count[size_t(t)];
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return count[size_t(a)] < count[size_t(b)]; });
  for (size_t k = 0; k < order.size(); ++k) rank[size_t(order[k])] = static_cast<int32_t>(k);
  return rank;
}

HeadIndex head_index(const SparseNormed& rows, std::vector<int32_t> subset,
                     std::span<const int32_t> rank, const HeadOptions& options) {
  HeadIndex index;
  index.floor = options.floor;
  order_rows(rows, std::move(subset), index);
  Csr& heads = index.heads;
  heads.num_rows = static_cast<int32_t>(index.row.size());
  heads.num_cols = rows.x.num_cols;
  heads.rowptr.assign(index.row.size() + 1, 0);
  index.tail.resize(index.row.size());
  each_ranked_row(rows, index, rank, [&](size_t i, const std::vector<Weight>& weights) {
    const Cut cut = cut_row(weights, options.tail);
    heads.rowptr[i + 1] = cut.head;
    index.tail[i] = cut.tail;
  });
  std::partial_sum(heads.rowptr.begin(), heads.rowptr.end(), heads.rowptr.begin());
  heads.col.resize(size_t(heads.rowptr.back()));
  heads.val.resize(heads.col.size());
  each_ranked_row(rows, index, rank, [&](size_t i, const std::vector<Weight>& weights) {
    for (int32_t e = heads.rowptr[i]; e < heads.rowptr[i + 1]; ++e) {
      heads.col[size_t(e)] = weights[size_t(e - heads.rowptr[i])].term;
      heads.val[size_t(e)] = weights[size_t(e - heads.rowptr[i])].value;
    }
  });
  index.postings = transpose(heads).csr;
  return index;
}

int64_t HeadSearch::search(int32_t position) {
  // Lists that cover more than 1/8 of the window are cheaper without a note of what they touch.
  constexpr int64_t kSparseTouch = 8;
  const auto at = index_.largest.begin();
  const float least = index_.floor / index_.sum[size_t(position)] * (1.0F - 1e-5F);
  const auto first = static_cast<int32_t>(std::lower_bound(at, at + position, least) - at);
  candidates_.clear();
  const int64_t additions = find_lists(position, first);
  if (additions > (position - first) / kSparseTouch) {
    add_lists();
    for (int32_t other = first; other < position; ++other) take(position, other);
    return additions;
  }
  track_lists();
  for (const int32_t other : touched_) take(position, other);
  // A sum that passed through zero was noted twice.
  std::sort(candidates_.begin(), candidates_.end());
  candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
  return additions;
}

int64_t HeadSearch::find_lists(int32_t position, int32_t first) {
  lists_.clear();
  int64_t total = 0;
  const Csr& heads = index_.heads;
  const auto all = index_.postings.col.begin();
  for (int32_t e = heads.rowptr[size_t(position)]; e < heads.rowptr[size_t(position) + 1]; ++e) {
    const auto term = size_t(heads.col[size_t(e)]);
    const auto stop = all + index_.postings.rowptr[term + 1];
    const auto begin = std::lower_bound(all + index_.postings.rowptr[term], stop, first);
    const auto end = std::lower_bound(begin, stop, position);
    if (begin == end) continue;
    lists_.push_back(
        {static_cast<int32_t>(begin - all), static_cast<int32_t>(end - all), heads.val[size_t(e)]});
    total += end - begin;
  }
  return total;
}

void HeadSearch::add_lists() {
  const int32_t* position = index_.postings.col.data();
  const float* weight = index_.postings.val.data();
  float* score = score_.data();
  for (const List& list : lists_)
    for (int32_t k = list.begin; k < list.end; ++k) score[position[k]] += list.weight * weight[k];
}

void HeadSearch::track_lists() {
  touched_.clear();
  const int32_t* position = index_.postings.col.data();
  const float* weight = index_.postings.val.data();
  for (const List& list : lists_) {
    for (int32_t k = list.begin; k < list.end; ++k) {
      float& score = score_[size_t(position[k])];
      if (score == 0.0F) touched_.push_back(position[k]);
      score += list.weight * weight[k];
    }
  }
}

void HeadSearch::take(int32_t position, int32_t other) {
  const float tail = std::max(index_.tail[size_t(position)], index_.tail[size_t(other)]);
  if (score_[size_t(other)] + tail > index_.floor) candidates_.push_back(other);
  score_[size_t(other)] = 0.0F;
}

}  // namespace emgnn::detail
