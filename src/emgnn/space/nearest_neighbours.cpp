// SPDX-License-Identifier: Apache-2.0
// The view of similar nodes: nearest neighbours by the cosine of the features, exact unless there are
// so many nodes that all pairs take too long.
#include <algorithm>
#include <memory>
#include <utility>

#include <emgnn/base/threads.h>
#include <emgnn/space/neighbour_search.h>
#include <emgnn/space/unit_rows.h>
#include <emgnn/space/views.h>

namespace emgnn {

namespace {

constexpr int64_t kRowGrain = 16;

// The cosine of one row with all.
class Cosines {
 public:
  virtual ~Cosines() = default;
  virtual void with(int32_t row, std::vector<double>& cosine) const = 0;
};

class SparseCosines : public Cosines {
 public:
  explicit SparseCosines(const UnitRows& x) : rows_(x.sparse()), columns_(transpose(rows_).csr) {}
  void with(int32_t row, std::vector<double>& cosine) const override {
    std::fill(cosine.begin(), cosine.end(), 0.0);
    for (const auto [e, word] : rows_.row(row)) {
      const double here = rows_.value(e);
      for (const auto [k, other] : columns_.row(word))
        cosine[static_cast<size_t>(other)] += here * columns_.value(k);
    }
  }

 private:
  const Csr& rows_;
  Csr columns_;
};

class DenseCosines : public Cosines {
 public:
  explicit DenseCosines(const UnitRows& x) : rows_(x) {}
  void with(int32_t row, std::vector<double>& cosine) const override {
    const std::span<const float> here = rows_.dense_row(row);
    for (size_t other = 0; other < cosine.size(); ++other) {
      const std::span<const float> there = rows_.dense_row(static_cast<int32_t>(other));
      double sum = 0.0;
      for (size_t c = 0; c < here.size(); ++c) sum += double{here[c]} * there[c];
      cosine[other] = sum;
    }
  }

 private:
  const UnitRows& rows_;
};

std::vector<int32_t> largest(const std::vector<double>& cosine, int32_t row, int64_t k) {
  std::vector<std::pair<int64_t, int32_t>> found;
  for (size_t other = 0; other < cosine.size(); ++other) {
    const int64_t rank = distance_rank(cosine[other]);
    if (rank < 0 && other != static_cast<size_t>(row))
      found.emplace_back(rank, static_cast<int32_t>(other));
  }
  const auto kept = std::min(static_cast<size_t>(k), found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end());
  std::vector<int32_t> out;
  for (size_t i = 0; i < kept; ++i) out.push_back(found[i].second);
  return out;
}

std::vector<std::vector<int32_t>> exact_nearest(const UnitRows& rows, int64_t k) {
  std::unique_ptr<const Cosines> cosines;
  if (rows.is_sparse()) {
    cosines = std::make_unique<SparseCosines>(rows);
  } else {
    cosines = std::make_unique<DenseCosines>(rows);
  }
  const auto n = static_cast<size_t>(rows.num_rows());
  std::vector<std::vector<int32_t>> near(n);
  parallel_for(rows.num_rows(), kRowGrain, [&](int64_t begin, int64_t end) {
    std::vector<double> cosine(n);
    for (int64_t i = begin; i < end; ++i) {
      check_stop();
      cosines->with(static_cast<int32_t>(i), cosine);
      near[static_cast<size_t>(i)] = largest(cosine, static_cast<int32_t>(i), k);
    }
  });
  return near;
}

}  // namespace

Csr nearest_rows(const Features& features, int64_t k) {
  const UnitRows rows(features);
  const std::vector<std::vector<int32_t>> near =
      features.num_rows <= kMaxCompared ? exact_nearest(rows, k) : approximate_nearest(rows, k);
  Coo links;
  for (size_t i = 0; i < near.size(); ++i) {
    links.row.insert(links.row.end(), near[i].size(), static_cast<int32_t>(i));
    links.col.insert(links.col.end(), near[i].begin(), near[i].end());
  }
  return csr_from_coo(features.num_rows, features.num_rows, links, Duplicates::kKeepFirst);
}

Csr nearest_neighbours(const Features& features, int64_t k) {
  return symmetrise(nearest_rows(features, k));
}

}  // namespace emgnn
