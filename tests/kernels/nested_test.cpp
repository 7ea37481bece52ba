// SPDX-License-Identifier: Apache-2.0
#include <emgnn/kernels/nested.h>

#include "reference.h"

namespace emgnn::kernels {
namespace {

constexpr int32_t kRows = 60, kCols = 50;
constexpr int64_t kGraphs = 6;

struct Case {
  bool with_values, with_row_factor, with_col_factor, shared_input;
};

// Rows with long, short and empty lists; counts that grow, shrink and repeat from graph to graph.
struct Problem {
  Case c;
  int64_t width;
  std::vector<int32_t> start = {0}, col, first, second;
  std::vector<NestedCounts> counts;
  std::vector<float> val, row_factor, col_factor, in;

  Problem(const Case& which, int64_t w) : c(which), width(w) {
    Rng rng(6, Stream::kTest);
    for (int32_t list = 0; list < 2 * kRows; ++list) {
      const uint64_t length = list == 7 ? 40 : rng.below(5);
      for (uint64_t k = 0; k < length; ++k) col.push_back(static_cast<int32_t>(rng.below(kCols)));
      start.push_back(static_cast<int32_t>(col.size()));
    }
    for (int64_t k = 0; k < kGraphs * kRows; ++k) {
      const size_t i = idx(k % kRows);
      const bool repeat = k >= kRows && rng.below(2) == 0;
      const auto some = [&](size_t list) {
        return static_cast<int32_t>(rng.below(uint64_t(start[list + 1] - start[list]) + 1));
      };
      first.push_back(repeat ? first[idx(k - kRows)] : some(2 * i));
      second.push_back(repeat && rng.below(2) == 0 ? second[idx(k - kRows)] : some(2 * i + 1));
    }
    for (int64_t g = 0; g < kGraphs; ++g)
      counts.push_back({first.data() + g * kRows, second.data() + g * kRows});
    val = random_floats(static_cast<int64_t>(col.size()), 1);
    row_factor = random_floats(kGraphs * kRows, 2);
    col_factor = random_floats(kGraphs * kCols, 3);
    in = random_floats(kGraphs * kCols * width, 4);
  }

  NestedView view() const {
    return {kRows, kCols, start.data(), col.data(), c.with_values ? val.data() : nullptr};
  }
  NestedBatch batch(float* out) const {
    return {.num_graphs = kGraphs,
            .width = width,
            .counts = counts.data(),
            .row_factor = c.with_row_factor ? row_factor.data() : nullptr,
            .col_factor = c.with_col_factor ? col_factor.data() : nullptr,
            .in = in.data(),
            .in_stride = c.shared_input ? 0 : kCols * width,
            .out = out,
            .out_stride = kRows * width};
  }

  // Adds row i of graph g, column j, to a sum and to the sum of magnitudes.
  void add(int64_t g, int64_t i, int64_t j, double& sum, double& magnitude) const {
    const int32_t lengths[] = {counts[idx(g)].first[i], counts[idx(g)].second[i]};
    for (int64_t list = 0; list < 2; ++list) {
      for (int32_t k = 0; k < lengths[list]; ++k) {
        const size_t e = idx(start[idx(2 * i + list)] + k);
        double x = in[idx(((c.shared_input ? 0 : g) * kCols + col[e]) * width + j)];
        if (c.with_values) x *= val[e];
        if (c.with_col_factor) x *= col_factor[idx(g * kCols + col[e])];
        if (c.with_row_factor) x *= row_factor[idx(g * kRows + i)];
        sum += x;
        magnitude += std::abs(x);
      }
    }
  }
};

template <class Body>
void for_every_case(const Body& body) {
  for (const int64_t width : {1, 3, 7, 16, 17, 64, 65, 133}) {
    for (int bits = 0; bits < 16; ++bits) {
      const Case c = {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
      SCOPED_TRACE(testing::Message() << "width " << width << " case " << bits);
      body(Problem(c, width));
    }
  }
}

TEST(NestedSpmm, MatchesTheDoubleReference) {
  for_every_case([](const Problem& problem) {
    const auto run = [&] {
      std::vector<float> out(idx(kGraphs * kRows * problem.width), NAN);
      nested_spmm(problem.view(), problem.batch(out.data()));
      return out;
    };
    for_every_isa(run, [&](const std::vector<float>& out) {
      for (int64_t k = 0; k < int64_t(out.size()); ++k) {
        double sum = 0, magnitude = 0;
        problem.add(k / problem.width / kRows, k / problem.width % kRows, k % problem.width, sum,
                    magnitude);
        ASSERT_NEAR(out[idx(k)], sum, tolerance(50, magnitude));
      }
    });
  });
}

TEST(NestedSpmm, AddsTheGraphsToWhatIsThere) {
  for_every_case([](const Problem& problem) {
    const std::vector<float> before = random_floats(kRows * problem.width, 5);
    const auto run = [&] {
      std::vector<float> out = before;
      nested_spmm_add(problem.view(), problem.batch(out.data()));
      return out;
    };
    for_every_isa(run, [&](const std::vector<float>& out) {
      for (int64_t k = 0; k < int64_t(out.size()); ++k) {
        double sum = before[idx(k)], magnitude = std::abs(sum);
        for (int64_t g = 0; g < kGraphs; ++g)
          problem.add(g, k / problem.width, k % problem.width, sum, magnitude);
        ASSERT_NEAR(out[idx(k)], sum, tolerance(50 * kGraphs, magnitude));
      }
    });
  });
}

// What a graph's product is cannot be told from the graphs beside it.
TEST(NestedSpmm, BitsOfAGraphDoNotDependOnTheBatch) {
  for_every_case([](const Problem& problem) {
    const size_t plane = idx(kRows * problem.width);
    std::vector<float> together(kGraphs * plane), alone(plane);
    nested_spmm(problem.view(), problem.batch(together.data()));
    for (int64_t g = 0; g < kGraphs; ++g) {
      NestedBatch one = problem.batch(alone.data());
      one.num_graphs = 1;
      one.counts += g;
      one.in += g * one.in_stride;
      if (one.row_factor != nullptr) one.row_factor += g * kRows;
      if (one.col_factor != nullptr) one.col_factor += g * kCols;
      nested_spmm(problem.view(), one);
      EXPECT_EQ(std::memcmp(alone.data(), together.data() + idx(g) * plane, plane * sizeof(float)),
                0);
    }
  });
}

}  // namespace
}  // namespace emgnn::kernels
