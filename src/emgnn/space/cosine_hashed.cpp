// SPDX-License-Identifier: Apache-2.0
// Approximate search by random hyperplanes (Charikar 2002), for data where the exact one takes too
// long. The sides of `bits` random hyperplanes on which a row lies are its key; two rows at angle θ
// have the same key with probability (1 - θ/π)^bits. Pairs with equal keys are computed exactly, in
// as many independent tables as it takes to meet a pair at cosine τ in one of them with probability
// `recall`:
//   1 - (1 - p^bits)^tables >= recall,  p = 1 - acos(τ)/π.
// Nothing false is returned; what is given up is a share of at most 1 - recall of the true pairs,
// on average over the seed and mostly of those just above τ. The number of tables grows fast as τ
// falls (at n = 10⁶ a few dozen for 0.9, hundreds for 0.7).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <emgnn/base/rng.h>
#include <emgnn/base/threads.h>
#include <emgnn/space/cosine_pairs.h>

namespace emgnn::detail {

namespace {

constexpr int kMaxBits = 24;
constexpr int64_t kRowGrain = 256;

struct Tables {
  int bits, count;
};

double side_probability(double cosine) {
  return 1.0 - std::acos(std::clamp(cosine, -1.0, 1.0)) / std::numbers::pi;
}

// The mean cosine over all ordered pairs, |Σ unit rows|² / n²: how crowded the keys will be.
double mean_cosine(const SparseNormed& rows) {
  const Csr& x = rows.x;
  std::vector<double> sum(size_t(x.num_cols), 0.0);
  for (size_t i = 0; i < size_t(x.num_rows); ++i)
    for (int32_t e = x.rowptr[i]; e < x.rowptr[i + 1]; ++e)
      if (rows.norm[i] > 0.0) sum[size_t(x.col[size_t(e)])] += x.value(e) / rows.norm[i];
  double squares = 0.0;
  for (const double s : sum) squares += s * s;
  return squares / (double(x.num_rows) * x.num_rows);
}

// The cheapest number of bits. Work in units of one feature value: a key costs bits/8 per value of
// a row (it is vectorised), some sorting and the hyperplanes, a pair with equal keys the merging of
// two rows.
Tables plan_tables(const SparseNormed& rows, const CandidateOptions& options) {
  const double n = rows.x.num_rows;
  const double length = double(rows.x.num_entries()) / std::max(n, 1.0);
  const double near = side_probability(options.threshold);
  const double far = side_probability(mean_cosine(rows));
  Tables best{};
  double least = std::numeric_limits<double>::infinity();
  for (int bits = 1; bits <= kMaxBits; ++bits) {
    const double count = std::ceil(std::log1p(-options.recall) / std::log1p(-std::pow(near, bits)));
    const double keys =
        n * (length * bits / 8.0 + 20.0) + std::pow(2.0, bits) + rows.x.num_cols * bits * 10.0;
    const double pairs = n * n / 2.0 * std::pow(far, bits) * (10.0 * length + 50.0);
    if (count * (keys + pairs) >= least || count > std::numeric_limits<int>::max()) continue;
    least = count * (keys + pairs);
    best = {bits, static_cast<int>(count)};
  }
  return best;
}

// Normal vectors of the hyperplanes of one table, [num_cols, bits]
std::vector<float> hyperplanes(int32_t num_cols, int bits, uint64_t seed, int table) {
  std::vector<float> out(size_t(num_cols) * size_t(bits));
  parallel_for(num_cols, kRowGrain, [&](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j) {
      Rng rng(seed, Stream::kHashing, uint64_t(table) * uint64_t(num_cols) + uint64_t(j));
      for (int b = 0; b < bits; ++b) out[size_t(j * bits + b)] = static_cast<float>(rng.normal());
    }
  });
  return out;
}

std::vector<uint32_t> row_keys(const Csr& x, const std::vector<float>& planes, int bits) {
  std::vector<uint32_t> keys(size_t(x.num_rows));
  parallel_for(x.num_rows, kRowGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float side[kMaxBits] = {};
      for (int32_t e = x.rowptr[size_t(i)]; e < x.rowptr[size_t(i) + 1]; ++e) {
        const float* plane = planes.data() + int64_t(x.col[size_t(e)]) * bits;
        const float value = x.value(e);
        for (int b = 0; b < bits; ++b) side[b] += value * plane[b];
      }
      uint32_t key = 0;
      for (int b = 0; b < bits; ++b) key |= (side[b] > 0.0F ? 1U : 0U) << b;
      keys[size_t(i)] = key;
    }
  });
  return keys;
}

struct Buckets {
  std::vector<int32_t> start;  // [2^bits + 1]
  std::vector<int32_t> row;    // by key; rows of zeros are left out
};

Buckets sort_by_key(const std::vector<uint32_t>& keys, int bits, const std::vector<double>& norm) {
  Buckets out;
  out.start.assign((size_t(1) << bits) + 1, 0);
  for (size_t i = 0; i < keys.size(); ++i) out.start[keys[i] + 1] += norm[i] > 0.0 ? 1 : 0;
  for (size_t k = 1; k < out.start.size(); ++k) out.start[k] += out.start[k - 1];
  out.row.resize(size_t(out.start.back()));
  std::vector<int32_t> next = out.start;
  for (size_t i = 0; i < keys.size(); ++i)
    if (norm[i] > 0.0) out.row[size_t(next[keys[i]]++)] = static_cast<int32_t>(i);
  return out;
}

// Each row with those before it in its bucket.
void bucket_pairs(const SparseNormed& rows, const Buckets& buckets,
                  const std::vector<uint32_t>& keys, PairCollector& out) {
  parallel_for(int64_t(buckets.row.size()), kRowGrain, [&](int64_t begin, int64_t end) {
    PairBuffer buffer(out);
    for (int64_t k = begin; k < end && !out.is_full(); ++k) {
      check_stop();
      const int32_t v = buckets.row[size_t(k)];
      for (int32_t first = buckets.start[keys[size_t(v)]]; first < k; ++first) {
        const int32_t u = buckets.row[size_t(first)];
        buffer.offer(u, v, rows.cosine(u, v));
      }
    }
    buffer.flush();
  });
}

}  // namespace

std::vector<CandidateEdge> hashed_pairs(const SparseNormed& rows, const Csr& adjacency,
                                        const CandidateOptions& options) {
  const Tables tables = plan_tables(rows, options);
  std::vector<CandidateEdge> found;
  for (int table = 0; table < tables.count; ++table) {
    const auto planes = hyperplanes(rows.x.num_cols, tables.bits, options.seed, table);
    const auto keys = row_keys(rows.x, planes, tables.bits);
    PairCollector collector(adjacency, options);
    bucket_pairs(rows, sort_by_key(keys, tables.bits, rows.norm), keys, collector);
    const std::vector<CandidateEdge> more = collector.sorted();
    std::vector<CandidateEdge> both;
    std::set_union(found.begin(), found.end(), more.begin(), more.end(), std::back_inserter(both),
                   before);
    found = std::move(both);
    if (int64_t(found.size()) > options.max_pairs) throw_too_many(options);
  }
  return found;
}

}  // namespace emgnn::detail
