// SPDX-License-Identifier: Apache-2.0
#include <emgnn/kernels/channel_mix.h>

#include "reference.h"

namespace emgnn::kernels {
namespace {

// All inputs one after the other, so that a derivative in any of them is one in a number here.
struct Inputs {
  struct Part {
    size_t begin, size;
  };
  ChannelMix shape;
  std::vector<double> all;
  Part near, own, around, own_around, diagonal, score, offset, mixing;

  Inputs(const ChannelMix& s, bool shared) : shape(s) {
    const int64_t g = s.num_graphs, n = s.num_rows, w = s.width, c = s.num_channels;
    const bool four = c == 4;
    near = add(g * n * 2 * w);
    own = add((shared ? 1 : g) * n * 2 * w);
    around = add(four ? g * n * w : 0);
    own_around = add(four ? n * w : 0);
    diagonal = add(four ? g * n : 0);
    score = add(c * w);
    offset = add(c);
    mixing = add(c * c);
    shape.own_stride = shared ? 0 : n * 2 * w;
    const auto random = random_floats(static_cast<int64_t>(all.size()), 7);
    all.assign(random.begin(), random.end());
    for (size_t i = 0; i < diagonal.size; ++i)  // an own weight is in (0, 1]
      all[diagonal.begin + i] = double(float(0.2 + 0.7 * std::abs(all[diagonal.begin + i])));
  }

  Part add(int64_t size) {
    all.resize(all.size() + idx(size));
    return {all.size() - idx(size), idx(size)};
  }
};

double activation(Activation kind, double x) {
  switch (kind) {
    case Activation::kRelu:
      return std::max(x, 0.0);
    case Activation::kElu:
      return x > 0.0 ? x : std::expm1(x);
    default:
      return x;
  }
}

double score_of(const Inputs& in, const std::vector<double>& x, int c,
                const std::vector<double>& h) {
  const auto w = static_cast<double>(in.shape.width);
  double mean = 0.0, variance = 0.0, sum = 0.0;
  if (in.shape.normalises) {
    for (const double v : h) mean += v / w;
    for (const double v : h) variance += (v - mean) * (v - mean) / w;
  }
  const double scale = in.shape.normalises ? 1.0 / std::sqrt(variance + 1e-5) : 1.0;
  for (size_t j = 0; j < h.size(); ++j)
    sum += x[in.score.begin + idx(c) * h.size() + j] * (h[j] - mean) * scale;
  return 1.0 / (1.0 + std::exp(-(sum + x[in.offset.begin + idx(c)])));
}

// One row as the header writes it down, in float64.
std::vector<double> row_of(const Inputs& in, const std::vector<double>& x, int64_t g, int64_t i) {
  const ChannelMix& s = in.shape;
  const size_t w = idx(s.width), at = idx(g * s.num_rows + i);
  std::vector<std::vector<double>> h(idx(s.num_channels), std::vector<double>(w));
  for (size_t j = 0; j < w; ++j) {
    const size_t near = in.near.begin + at * 2 * w + j;
    const size_t own = in.own.begin + idx(g * s.own_stride) + idx(i) * 2 * w + j;
    h[0][j] = x[near];
    h[1][j] = x[own] - x[near + w];
    h[2][j] = x[own + w];
    if (s.num_channels == 4)
      h[3][j] = x[in.around.begin + at * w + j] / x[in.diagonal.begin + at] -
                x[in.own_around.begin + idx(i) * w + j];
  }
  std::vector<double> score, share(h.size(), 0.0), out(w, 0.0);
  for (size_t c = 0; c < h.size(); ++c) {
    for (double& v : h[c]) v = activation(s.activation, v);
    score.push_back(score_of(in, x, static_cast<int>(c), h[c]));
  }
  double total = 0.0;
  for (size_t c = 0; c < h.size(); ++c) {
    for (size_t b = 0; b < h.size(); ++b)
      share[c] += score[b] * x[in.mixing.begin + b * h.size() + c] / double(h.size());
    share[c] = std::exp(share[c]);
    total += share[c];
  }
  for (size_t c = 0; c < h.size(); ++c)
    for (size_t j = 0; j < w; ++j) out[j] += s.factor * share[c] / total * h[c][j];
  return out;
}

// The same inputs as float32, with the pointers that the kernel reads.
struct Floats {
  std::vector<float> all;
  ChannelMix mix;

  explicit Floats(const Inputs& in) : all(in.all.begin(), in.all.end()), mix(in.shape) {
    const bool four = mix.num_channels == 4;
    mix.near = all.data() + in.near.begin;
    mix.own = all.data() + in.own.begin;
    mix.around = four ? all.data() + in.around.begin : nullptr;
    mix.own_around = all.data() + in.own_around.begin;
    mix.diagonal = all.data() + in.diagonal.begin;
    mix.score = all.data() + in.score.begin;
    mix.offset = all.data() + in.offset.begin;
    mix.mixing = all.data() + in.mixing.begin;
  }
};

std::vector<Inputs> cases(Activation kind) {
  std::vector<Inputs> out;
  for (const int64_t width : {1, 5, 16, 67})
    for (const int channels : {3, 4})
      for (const bool normalises : {false, true})
        for (const bool shared : {false, true})
          out.emplace_back(ChannelMix{.num_graphs = 2,
                                      .num_rows = 35,
                                      .width = width,
                                      .num_channels = channels,
                                      .activation = kind,
                                      .normalises = normalises,
                                      .factor = channels == 3 ? 3.0F : 1.0F},
                           shared);
  return out;
}

// Centred numbers are divided by a standard deviation that random rows keep above 0.1, except in rows
// of one number, where nothing is left to divide.
double off_by(const ChannelMix& s) {
  return 20.0 * tolerance(s.width + 8, static_cast<double>(s.width + 8));
}

TEST(ChannelMix, MatchesTheDoubleReference) {
  for (const Activation kind : {Activation::kRelu, Activation::kElu}) {
    for (const Inputs& in : cases(kind)) {
      const Floats floats(in);
      const ChannelMix& s = floats.mix;
      const auto run = [&] {
        std::vector<float> out(idx(s.num_graphs * s.num_rows * s.width), NAN);
        channel_mix(s, out.data());
        return out;
      };
      for_every_isa(run, [&](const std::vector<float>& out) {
        for (int64_t g = 0; g < s.num_graphs; ++g)
          for (int64_t i = 0; i < s.num_rows; ++i) {
            const std::vector<double> want = row_of(in, in.all, g, i);
            for (int64_t j = 0; j < s.width; ++j)
              ASSERT_NEAR(out[idx((g * s.num_rows + i) * s.width + j)], want[idx(j)], off_by(s));
          }
      });
    }
  }
}

// The derivative of Σ out · grad_out in number k, by central differences in float64.
double slope_at(const Inputs& in, const std::vector<float>& grad_out, size_t k) {
  constexpr double kHalf = 1e-5;
  const ChannelMix& s = in.shape;
  const auto value = [&](double shift) {
    std::vector<double> x = in.all;
    x[k] += shift;
    double sum = 0.0;
    for (int64_t g = 0; g < s.num_graphs; ++g)
      for (int64_t i = 0; i < s.num_rows; ++i) {
        const std::vector<double> row = row_of(in, x, g, i);
        for (int64_t j = 0; j < s.width; ++j)
          sum += row[idx(j)] * double(grad_out[idx((g * s.num_rows + i) * s.width + j)]);
      }
    return sum;
  };
  return (value(kHalf) - value(-kHalf)) / (2.0 * kHalf);
}

// ELU has no kink. Every part of the inputs is tried at a few numbers; what all rows share is a sum
// over them.
TEST(ChannelMixBackward, MatchesDifferencesOfTheDoubleReference) {
  for (const Inputs& in : cases(Activation::kElu)) {
    const Floats floats(in);
    const ChannelMix& s = floats.mix;
    const auto grad_out = random_floats(s.num_graphs * s.num_rows * s.width, 11);
    const auto run = [&] {
      const auto gradient = [&](const ChannelMix& mix) {
        std::vector<float> grad(in.all.size(), NAN);
        const auto at = [&](const Inputs::Part& part) { return grad.data() + part.begin; };
        channel_mix_backward(mix, grad_out.data(),
                             {.near = at(in.near),
                              .own = at(in.own),
                              .around = at(in.around),
                              .own_around = at(in.own_around),
                              .score = at(in.score),
                              .offset = at(in.offset),
                              .mixing = at(in.mixing)});
        for (size_t k = 0; k < in.diagonal.size; ++k) grad[in.diagonal.begin + k] = 0.0F;
        return grad;
      };
      std::vector<float> out(grad_out.size()), shares(grad_out.size() * 8, NAN);
      ChannelMix keeping = s;
      keeping.shares = shares.data();
      channel_mix(keeping, out.data());
      const std::vector<float> grad = gradient(s);
      EXPECT_EQ(gradient(keeping), grad);
      return grad;
    };
    std::vector<std::pair<size_t, double>> slopes;
    for (const Inputs::Part& part :
         {in.near, in.own, in.around, in.own_around, in.score, in.offset, in.mixing})
      for (size_t k = 0; k < part.size; k += 1 + part.size / 7)
        slopes.emplace_back(part.begin + k, slope_at(in, grad_out, part.begin + k));
    for_every_isa(run, [&](const std::vector<float>& grad) {
      for (const float value : grad) ASSERT_TRUE(std::isfinite(value));
      for (const auto& [k, slope] : slopes)
        ASSERT_NEAR(grad[k], slope, off_by(s) * (1.0 + std::abs(slope)) * 10.0) << k;
    });
  }
}

}  // namespace
}  // namespace emgnn::kernels
