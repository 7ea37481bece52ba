// SPDX-License-Identifier: Apache-2.0
#include <emgnn/kernels/spmm.h>

#include <emgnn/graph/csr.h>
#include "reference.h"

namespace emgnn::kernels {
namespace {

// Rows of very unequal length: many empty ones, and row 3 with an entry in nearly every column.
Csr uneven(int32_t num_rows, int32_t num_cols) {
  Rng rng(5, Stream::kTest);
  Coo coo;
  for (int32_t e = 0; e < 3 * num_rows; ++e) {
    coo.row.push_back(static_cast<int32_t>(rng.below(uint64_t(num_rows)) / 2 * 2));
    coo.col.push_back(static_cast<int32_t>(rng.below(uint64_t(num_cols))));
  }
  for (int32_t j = 0; j < num_cols; j += 1 + j % 2) {
    coo.row.push_back(3);
    coo.col.push_back(j);
  }
  return csr_from_coo(num_rows, num_cols, coo, Duplicates::kKeepFirst);
}

CsrView view(const Csr& a) { return {a.num_rows, a.num_cols, a.rowptr.data(), a.col.data()}; }

struct Case {
  int64_t num_graphs;
  bool with_values, shared_values, shared_input, indexed;
};

std::vector<Case> cases() {
  std::vector<Case> all = {
      {1, false, true, true, false}, {1, true, true, true, true}, {3, false, true, false, false}};
  for (const bool shared_values : {false, true})
    for (const bool shared_input : {false, true})
      for (const bool indexed : {false, true})
        all.push_back({3, true, shared_values, shared_input, indexed});
  return all;
}

// A batch on its own inputs, and what it must give.
struct Problem {
  const Csr& a;
  Case c;
  int64_t width;
  std::vector<int32_t> index;
  std::vector<float> val, in;

  Problem(const Csr& pattern, const Case& which, int64_t w) : a(pattern), c(which), width(w) {
    const int64_t m = a.num_entries();
    for (int64_t e = 0; e < m; ++e) index.push_back(static_cast<int32_t>(m - 1 - e));
    val = random_floats(m * c.num_graphs, 1);
    in = random_floats(a.num_cols * width * c.num_graphs, 2);
  }

  SpmmBatch batch(float* out) const {
    return {.num_graphs = c.num_graphs,
            .width = width,
            .val = c.with_values ? val.data() : nullptr,
            .val_stride = c.shared_values ? 0 : a.num_entries(),
            .val_index = c.indexed ? index.data() : nullptr,
            .in = in.data(),
            .in_stride = c.shared_input ? 0 : a.num_cols * width,
            .out = out,
            .out_stride = a.num_rows * width};
  }

  float value(int64_t g, int64_t e) const {
    const int64_t k = c.indexed ? index[idx(e)] : e;
    return c.with_values ? val[idx((c.shared_values ? 0 : g) * a.num_entries() + k)] : 1.0F;
  }
  float input(int64_t g, int64_t i, int64_t j) const {
    return in[idx(((c.shared_input ? 0 : g) * a.num_cols + i) * width + j)];
  }

  // Adds row i of graph g, column j, to a sum and to the sum of magnitudes.
  void add(int64_t g, int64_t i, int64_t j, double& sum, double& magnitude) const {
    for (int32_t e = a.rowptr[idx(i)]; e < a.rowptr[idx(i) + 1]; ++e) {
      const double x = double(value(g, e)) * input(g, a.col[idx(e)], j);
      sum += x;
      magnitude += std::abs(x);
    }
  }
};

constexpr int64_t kWidths[] = {1, 2, 3, 7, 8, 16, 17, 31, 64, 65, 100, 128, 192, 200, 512};

void expect_reference(const Csr& a, const Case& c, int64_t width) {
  SCOPED_TRACE(testing::Message() << "width " << width << " graphs " << c.num_graphs);
  const Problem problem(a, c, width);
  const auto run = [&] {
    std::vector<float> out(idx(c.num_graphs * a.num_rows * width), NAN);
    spmm(view(a), problem.batch(out.data()));
    return out;
  };
  for_every_isa(run, [&](const std::vector<float>& out) {
    for (int64_t k = 0; k < int64_t(out.size()); ++k) {
      const int64_t i = k / width % a.num_rows;
      double sum = 0, magnitude = 0;
      problem.add(k / width / a.num_rows, i, k % width, sum, magnitude);
      ASSERT_NEAR(out[idx(k)], sum, tolerance(a.num_cols, magnitude));
    }
  });
}

TEST(Spmm, MatchesTheDoubleReference) {
  const Csr a = uneven(60, 50);
  for (const int64_t width : kWidths)
    for (const Case& c : cases()) expect_reference(a, c, width);
}

// One block of columns fits into the cache and the whole input does not.
TEST(Spmm, MatchesTheDoubleReferenceOnInputsBeyondTheCache) {
  const Csr a = uneven(60, 1500);
  for (const int64_t width : {100, 150})
    for (const Case& c : cases()) expect_reference(a, c, width);
}

TEST(SpmmSum, MatchesTheDoubleReference) {
  const Csr a = uneven(60, 50);
  for (const int64_t width : kWidths) {
    for (const Case& c : cases()) {
      SCOPED_TRACE(testing::Message() << "width " << width << " graphs " << c.num_graphs);
      const Problem problem(a, c, width);
      const auto run = [&] {
        std::vector<float> out(idx(a.num_rows * width), NAN);
        spmm_sum(view(a), problem.batch(out.data()));
        return out;
      };
      for_every_isa(run, [&](const std::vector<float>& out) {
        for (int64_t k = 0; k < int64_t(out.size()); ++k) {
          double sum = 0, magnitude = 0;
          for (int64_t g = 0; g < c.num_graphs; ++g)
            problem.add(g, k / width, k % width, sum, magnitude);
          ASSERT_NEAR(out[idx(k)], sum, tolerance(a.num_cols * c.num_graphs, magnitude));
        }
      });
    }
  }
}

// <S x, y> = <x, Sᵀ y> for a batch with a shared input.
TEST(SpmmSum, IsTheAdjointOfSpmmThroughTheTransposedPattern) {
  const Csr a = uneven(300, 200);
  const Transposed t = transpose(a);
  const int64_t graphs = 4, width = 20, m = a.num_entries();
  const auto val = random_floats(graphs * m, 1);
  const auto x = random_floats(a.num_cols * width, 2);
  const auto y = random_floats(graphs * a.num_rows * width, 3);
  std::vector<float> sx(y.size()), sty(x.size());
  spmm(view(a), {.num_graphs = graphs,
                 .width = width,
                 .val = val.data(),
                 .val_stride = m,
                 .val_index = nullptr,
                 .in = x.data(),
                 .in_stride = 0,
                 .out = sx.data(),
                 .out_stride = a.num_rows * width});
  spmm_sum(view(t.csr), {.num_graphs = graphs,
                         .width = width,
                         .val = val.data(),
                         .val_stride = m,
                         .val_index = t.entry.data(),
                         .in = y.data(),
                         .in_stride = a.num_rows * width,
                         .out = sty.data(),
                         .out_stride = 0});
  double left = 0, right = 0, magnitude = 0;
  for (size_t k = 0; k < y.size(); ++k) left += double(sx[k]) * y[k];
  for (size_t k = 0; k < x.size(); ++k) right += double(sty[k]) * x[k];
  for (size_t k = 0; k < y.size(); ++k) magnitude += std::abs(double(sx[k]) * y[k]);
  EXPECT_NEAR(left, right, tolerance(200, magnitude));
}

TEST(Spmm, AcceptsNoRowsAndNoGraphs) {
  const Csr empty = csr_from_coo(0, 3, {}, Duplicates::kSum);
  spmm(view(empty), {.num_graphs = 1, .width = 4});
  float out[4] = {1, 1, 1, 1};
  const Csr one = csr_from_coo(1, 1, {}, Duplicates::kSum);
  SpmmBatch batch;
  batch.num_graphs = 0;
  batch.width = 4;
  batch.out = out;
  spmm_sum(view(one), batch);
  for (const float v : out) EXPECT_EQ(v, 0.0F);
}

}  // namespace
}  // namespace emgnn::kernels
