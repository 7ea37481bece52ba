// SPDX-License-Identifier: Apache-2.0
#include <emgnn/kernels/edge.h>

#include "edge_reference.h"

namespace emgnn::kernels {
namespace {

// Rows of very unequal length, the odd ones beyond 3 empty.
Csr uneven(int32_t num_rows, int32_t num_cols) {
  Rng rng(6, Stream::kTest);
  Coo coo;
  for (int32_t e = 0; e < 3 * num_rows; ++e) {
    coo.row.push_back(static_cast<int32_t>(rng.below(uint64_t(num_rows)) / 2 * 2));
    coo.col.push_back(static_cast<int32_t>(rng.below(uint64_t(num_cols))));
  }
  for (int32_t j = 0; j < num_cols; j += 2) {
    coo.row.push_back(3);
    coo.col.push_back(j);
  }
  return csr_from_coo(num_rows, num_cols, coo, Duplicates::kKeepFirst);
}

// Calls body on every kind of batch: small ones, and one that is cut for threads.
template <class Body>
void for_every_case(std::initializer_list<int64_t> widths, const Body& body) {
  const Csr small = uneven(24, 20), large = uneven(1500, 900);
  for (const int64_t width : widths)
    for (const int64_t heads : {1, 8, 19})
      for (const int64_t num_graphs : {1, 3})
        for (const bool shared : {false, true})
          for (const Presence presence : {Presence::kAll, Presence::kShared, Presence::kPerGraph}) {
            SCOPED_TRACE(testing::Message()
                         << "graphs " << num_graphs << " heads " << heads << " width " << width
                         << " shared " << shared << " presence " << static_cast<int>(presence));
            body(EdgeProblem(small, {num_graphs, heads, width, shared, presence}));
          }
  for (const bool shared : {false, true}) {
    body(EdgeProblem(large, {3, 8, 8, shared, Presence::kPerGraph}));
    body(EdgeProblem(large, {3, 1, 8, shared, Presence::kAll}));
  }
}

std::vector<float> joined(std::initializer_list<std::vector<float>> parts) {
  std::vector<float> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<float> unset(int64_t size) { return std::vector<float>(idx(size), NAN); }

TEST(EdgeScores, MatchTheReferenceWithTheirGradients) {
  for_every_case({1}, [](const EdgeProblem& p) {
    const int64_t heads = p.c.heads;
    const auto [left, right, term] = p.score_inputs();
    const std::vector<float> grad = p.random_on_edges(5);
    const EdgeScores scores{.left = {left.data(), p.c.shared_input ? 0 : p.rows * heads},
                            .right = {right.data(), p.c.shared_input ? 0 : p.cols * heads},
                            .type = p.type.data(),
                            .term = term.data(),
                            .num_types = EdgeProblem::kTypes,
                            .slope = EdgeProblem::kSlope};
    const Doubles y = p.scores(doubles(left), doubles(right), doubles(term));
    Sums of_left(int64_t(left.size())), of_right(int64_t(right.size()));
    Sums of_term(int64_t(term.size()));
    p.for_present([&](int64_t g, int64_t i, int64_t e, int64_t j) {
      for (int64_t h = 0; h < heads; ++h) {
        const size_t k = idx(p.edge_at(g, e, h));
        const double x = (y[k] > 0 ? 1.0 : double{EdgeProblem::kSlope}) * grad[k];
        of_left.add(p.left_at(g, i, h), x);
        of_right.add(p.right_at(g, j, h), x);
        of_term.add(p.type[idx(e)] * heads + h, x);
      }
    });
    const Doubles l = doubles(left), r = doubles(right), t = doubles(term);
    const auto loss = [&](const Doubles& a, const Doubles& b, const Doubles& c) {
      return weighted(grad, p.scores(a, b, c));
    };
    expect_derivative([&](const Doubles& x) { return loss(x, r, t); }, l, of_left.value);
    expect_derivative([&](const Doubles& x) { return loss(l, x, t); }, r, of_right.value);
    expect_derivative([&](const Doubles& x) { return loss(l, r, x); }, t, of_term.value);
    const auto run = [&] {
      std::vector<float> out = unset(p.on_edges()), grad_left = unset(int64_t(left.size()));
      std::vector<float> grad_right = unset(int64_t(right.size()));
      std::vector<float> grad_term = unset(int64_t(term.size()));
      edge_scores(p.batch(), scores, out.data());
      edge_scores_backward(p.batch(), scores, out.data(), grad.data(),
                           {grad_left.data(), grad_right.data(), grad_term.data()});
      return joined({out, grad_left, grad_right, grad_term});
    };
    for_every_isa(run, [&](const std::vector<float>& got) {
      for (size_t k = 0; k < y.size(); ++k)
        ASSERT_NEAR(got[k], y[k], 0x1.0p-24 * std::abs(y[k]));  // one rounding, below 0
      const float* next = got.data() + y.size();
      of_left.expect_near(next);
      of_right.expect_near(next += left.size());
      of_term.expect_near(next += right.size());
    });
  });
}

TEST(EdgeScores, NeedNoTypesAndGiveOnlyTheGradientsAskedFor) {
  const Csr a = uneven(24, 20);
  const EdgeProblem p(a, {2, 8, 1, true, Presence::kPerGraph});
  const auto inputs = p.score_inputs();
  const EdgeScores scores{.left = {inputs.left.data(), 0}, .right = {inputs.right.data(), 0}};
  std::vector<float> out = unset(p.on_edges());
  edge_scores(p.batch(), scores, out.data());
  const Doubles no_term(idx(EdgeProblem::kTypes * p.c.heads));
  const Doubles y = p.scores(doubles(inputs.left), doubles(inputs.right), no_term);
  for (size_t k = 0; k < y.size(); ++k) ASSERT_FLOAT_EQ(out[k], float(y[k]));
  std::vector<float> grad_left = unset(int64_t(inputs.left.size()));
  edge_scores_backward(p.batch(), scores, out.data(), p.random_on_edges(5).data(),
                       {.left = grad_left.data()});
  for (const float x : grad_left) EXPECT_FALSE(std::isnan(x));
}

// The argument x - max has one rounding, so e^(x - max) is off by 2⁻²⁴·(|x - max| + 4) relatively
// (4 for the polynomial and its sum); the same holds for each term of the denominator, whose n
// additions add n roundings, and the quotient two.
double softmax_tolerance(double range, int64_t num_terms) {
  return 0x1.0p-24 * (2 * (range + 4) + double(num_terms) + 2);
}

TEST(EdgeSoftmax, MatchesTheReferenceOverPresentEntries) {
  constexpr float kScale = 20.0F;  // scores in [-20, 20]
  for_every_case({1}, [&](const EdgeProblem& p) {
    std::vector<float> in = p.random_on_edges(7);
    for (float& x : in) x *= kScale;
    const Doubles expected = p.softmax(doubles(in));
    const auto run = [&] {
      std::vector<float> out = unset(p.on_edges());
      edge_softmax(p.batch(), in.data(), out.data());
      return out;
    };
    const double relative = softmax_tolerance(2 * double{kScale}, p.cols);
    for_every_isa(run, [&](const std::vector<float>& got) {
      for (size_t k = 0; k < expected.size(); ++k)
        ASSERT_NEAR(got[k], expected[k], relative * expected[k]) << k;
    });
  });
}

TEST(EdgeSoftmax, StandsScoresThatOverflowAnExponential) {
  const Csr a = csr_from_coo(1, 3, {.row = {0, 0, 0}, .col = {0, 1, 2}}, Duplicates::kSum);
  const EdgeBatch batch{.pattern = {1, 3, a.rowptr.data(), a.col.data()}};
  const std::vector<float> in = {1000.0F, 1000.0F, -1000.0F};
  std::vector<float> out(3);
  edge_softmax(batch, in.data(), out.data());
  EXPECT_FLOAT_EQ(out[0], 0.5F);
  EXPECT_FLOAT_EQ(out[1], 0.5F);
  EXPECT_NEAR(out[2], 0.0, std::exp(-87.0) / 2 * 1.001);
}

// The gradient y·(grad - mean) with mean[g,i,h] = Σ_e y·grad, and how far float32 may be from it.
struct SoftmaxGradient {
  Doubles value, error;

  SoftmaxGradient(const EdgeProblem& p, const Doubles& y, const std::vector<float>& grad)
      : value(y.size()), error(y.size()) {
    Sums mean(p.c.num_graphs * p.rows * p.c.heads);
    const auto each = [&](const auto& body) {
      p.for_present([&](int64_t g, int64_t i, int64_t e, int64_t) {
        for (int64_t h = 0; h < p.c.heads; ++h)
          body(idx(p.edge_at(g, e, h)), (g * p.rows + i) * p.c.heads + h);
      });
    };
    each([&](size_t k, int64_t row) { mean.add(row, y[k] * grad[k]); });
    each([&](size_t k, int64_t row) {
      const double magnitude = mean.magnitude[idx(row)];
      value[k] = y[k] * (grad[k] - mean.value[idx(row)]);
      // n roundings of the mean, one of the difference, one of the product
      error[k] = y[k] * (tolerance(mean.terms[idx(row)], magnitude) +
                         0x1.0p-23 * (std::abs(double{grad[k]}) + magnitude));
    });
  }
};

TEST(EdgeSoftmax, GradientMatchesTheReferenceAndItsDifferences) {
  for_every_case({1}, [](const EdgeProblem& p) {
    const std::vector<float> in = p.random_on_edges(7), grad = p.random_on_edges(8);
    const Doubles x = doubles(in), exact = p.softmax(x);
    expect_derivative([&](const Doubles& z) { return weighted(grad, p.softmax(z)); }, x,
                      SoftmaxGradient(p, exact, grad).value);
    const std::vector<float> y(exact.begin(), exact.end());
    const SoftmaxGradient expected(p, doubles(y), grad);
    const auto run = [&] {
      std::vector<float> out = unset(p.on_edges());
      edge_softmax_backward(p.batch(), y.data(), grad.data(), out.data());
      return out;
    };
    for_every_isa(run, [&](const std::vector<float>& got) {
      for (size_t k = 0; k < got.size(); ++k)
        ASSERT_NEAR(got[k], expected.value[k], expected.error[k]) << k;
    });
  });
}

TEST(EdgeAggregate, MatchesTheReferenceWithItsGradients) {
  for_every_case({1, 7, 8, 64, 200}, [](const EdgeProblem& p) {
    const std::vector<float> values = p.random_on_edges(9);
    const std::vector<float> in = random_floats(p.blocks() * p.cols * p.row_width, 10);
    const std::vector<float> grad = random_floats(p.c.num_graphs * p.rows * p.row_width, 11);
    const EdgeAggregate aggregate{.width = p.c.width,
                                  .values = values.data(),
                                  .in = {in.data(), p.c.shared_input ? 0 : p.cols * p.row_width}};
    const Doubles v = doubles(values), x = doubles(in);
    const Sums out = p.aggregate(v, x);
    Sums of_values(p.on_edges()), of_in(int64_t(in.size()));
    p.for_present([&](int64_t g, int64_t i, int64_t e, int64_t j) {
      for (int64_t k = 0; k < p.row_width; ++k) {
        const int64_t edge = p.edge_at(g, e, k / p.c.width), at = p.in_at(g, j, k);
        of_values.add(edge, double{grad[idx(p.out_at(g, i, k))]} * in[idx(at)]);
        of_in.add(at, double{grad[idx(p.out_at(g, i, k))]} * values[idx(edge)]);
      }
    });
    const auto loss = [&](const Doubles& a, const Doubles& b) {
      return weighted(grad, p.aggregate(a, b).value);
    };
    expect_derivative([&](const Doubles& z) { return loss(z, x); }, v, of_values.value);
    expect_derivative([&](const Doubles& z) { return loss(v, z); }, x, of_in.value);
    const auto run = [&] {
      std::vector<float> y = unset(int64_t(grad.size())), grad_values = unset(p.on_edges());
      std::vector<float> grad_in = unset(int64_t(in.size()));
      edge_aggregate(p.batch(), aggregate, y.data());
      edge_aggregate_backward(p.batch(), aggregate, grad.data(),
                              {grad_values.data(), grad_in.data()});
      return joined({y, grad_values, grad_in});
    };
    for_every_isa(run, [&](const std::vector<float>& got) {
      out.expect_near(got.data());
      of_values.expect_near(got.data() + grad.size());
      of_in.expect_near(got.data() + grad.size() + values.size());
    });
  });
}

TEST(Edge, AcceptsNoGraphsAndNoEntries) {
  const Csr a = csr_from_coo(2, 2, {}, Duplicates::kSum);
  const EdgeProblem p(a, {1, 2, 3, true, Presence::kAll});
  const std::vector<float> in(12, 1.0F);
  const EdgeAggregate aggregate{.width = 3, .in = {in.data(), 0}};
  std::vector<float> out = unset(12), grad_in = unset(12);
  edge_aggregate(p.batch(), aggregate, out.data());
  EdgeBatch none = p.batch();
  none.num_graphs = 0;
  edge_aggregate_backward(none, aggregate, nullptr, {.in = grad_in.data()});
  for (const float x : joined({out, grad_in})) EXPECT_EQ(x, 0.0F);
}

}  // namespace
}  // namespace emgnn::kernels
