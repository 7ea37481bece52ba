// SPDX-License-Identifier: Apache-2.0
namespace emgnn::kernels {
namespace {

// keep[i] = 0 or 1/(1-drop) for the elements of one tile: Philox4x32-10 of consecutive blocks. The
// loop over blocks is the vector loop.
void dropout_tile(const ActivationSpec& spec, int64_t first_element, float* keep) {
  constexpr int kBlocks = kElementTile / 4;
  const uint64_t first = static_cast<uint64_t>(first_element) / 4;
  const auto step_lo = static_cast<uint32_t>(spec.step);
  const auto step_hi = static_cast<uint32_t>(spec.step >> 32);
  const auto first_lo = static_cast<uint32_t>(first);  // a tile never crosses 2^32 blocks
  const uint32_t c2_word = step_hi ^ static_cast<uint32_t>(first >> 32);
  const double limit = static_cast<double>(spec.drop) * 4294967296.0;
  // word < limit for a real limit is word < ceil(limit) for the integer word
  const auto floor = static_cast<uint32_t>(limit);
  const uint32_t threshold = floor + (static_cast<double>(floor) < limit ? 1U : 0U);
  const float scale = 1.0F / (1.0F - spec.drop);
  EMGNN_IVDEP
  for (int b = 0; b < kBlocks; ++b) {
    uint32_t c0 = first_lo + static_cast<uint32_t>(b);
    uint32_t c1 = step_lo;
    uint32_t c2 = c2_word;
    uint32_t c3 = spec.stream;
    auto k0 = static_cast<uint32_t>(spec.seed);
    auto k1 = static_cast<uint32_t>(spec.seed >> 32);
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      const uint64_t p0 = uint64_t{0xD2511F53U} * c0;
      const uint64_t p1 = uint64_t{0xCD9E8D57U} * c2;
      c0 = static_cast<uint32_t>(p1 >> 32) ^ c1 ^ k0;
      c1 = static_cast<uint32_t>(p1);
      c2 = static_cast<uint32_t>(p0 >> 32) ^ c3 ^ k1;
      c3 = static_cast<uint32_t>(p0);
      k0 += 0x9E3779B9U;
      k1 += 0xBB67AE85U;
    }
    keep[4 * b] = c0 < threshold ? 0.0F : scale;
    keep[4 * b + 1] = c1 < threshold ? 0.0F : scale;
    keep[4 * b + 2] = c2 < threshold ? 0.0F : scale;
    keep[4 * b + 3] = c3 < threshold ? 0.0F : scale;
  }
}

// e^x = power·(1 + rest) for x <= 0: 2^k and e^r - 1 with x = k·ln 2 + r, |r| <= ln(2)/2 and the
// Taylor polynomial of e^r - 1 to r^7, whose remainder is below 1e-8 relative. x below -87 counts
// as -87. Branch-free so that loops over it vectorise. Real is float or Vec, Bits the unsigned
// integers of the same size.
template <class Real>
struct ExpParts {
  Real power, rest;
};

template <class Bits, class Real>
inline ExpParts<Real> exp_parts(Real x) {
  x = x < -87.0F ? Real{} - 87.0F : x;
  const Real shifted = x * 1.44269504F + 12582912.0F;  // 1.5·2^23: the low bits hold round(x/ln 2)
  const Real k = shifted - 12582912.0F;
  const Real r = (x - k * 0.693359375F) + k * 2.12194440e-4F;
  Real p = r * (1.0F / 5040.0F) + 1.0F / 720.0F;
  p = p * r + 1.0F / 120.0F;
  p = p * r + 1.0F / 24.0F;
  p = p * r + 1.0F / 6.0F;
  p = p * r + 0.5F;
  p = p * (r * r) + r;
  Bits bits;
  __builtin_memcpy(&bits, &shifted, sizeof bits);
  bits = (bits << 23) + (127U << 23);  // 2^k: what stands above the low bits is shifted out
  Real power;
  __builtin_memcpy(&power, &bits, sizeof power);
  return {power, p};
}

inline float expm1_negative(float x) {
  const ExpParts<float> e = exp_parts<uint32_t>(x);
  return e.power * e.rest + (e.power - 1.0F);
}

inline float sigmoid(float x) {
  const float e = 1.0F + expm1_negative(x > 0.0F ? -x : x);  // e^-|x|
  return (x > 0.0F ? 1.0F : e) / (1.0F + e);
}

template <Activation kKind>
inline float act(float x, float slope) {
  switch (kKind) {
    case Activation::kIdentity:
      return x;
    case Activation::kRelu:
      return x > 0.0F ? x : 0.0F;
    case Activation::kLeakyRelu:
      return x > 0.0F ? x : slope * x;
    case Activation::kElu:
      return x > 0.0F ? x : expm1_negative(x > 0.0F ? 0.0F : x);
    case Activation::kSilu:
      return x * sigmoid(x);
  }
  return x;
}

template <Activation kKind>
inline float act_derivative(float x, float slope) {
  switch (kKind) {
    case Activation::kIdentity:
      return 1.0F;
    case Activation::kRelu:
      return x > 0.0F ? 1.0F : 0.0F;
    case Activation::kLeakyRelu:
      return x > 0.0F ? 1.0F : slope;
    case Activation::kElu:
      return x > 0.0F ? 1.0F : 1.0F + expm1_negative(x > 0.0F ? 0.0F : x);
    case Activation::kSilu: {
      const float s = sigmoid(x);
      return s * (1.0F + x * (1.0F - s));
    }
  }
  return 1.0F;
}

// One tile with its bias and its factors spread out to one per element.
struct Tile {
  int64_t begin;
  int size;
  float bias[kElementTile];
  float keep[kElementTile];
};

template <class Body>
inline void for_tiles(const ActivationSpec& spec, const BiasShape& shape, Range elements,
                      const Body& body) {
  Tile tile;
  for (int64_t i = 0; i < kElementTile; ++i) tile.bias[i] = 0.0F;
  for (int64_t i = 0; i < kElementTile; ++i) tile.keep[i] = 1.0F;
  for (tile.begin = elements.begin; tile.begin < elements.end; tile.begin += kElementTile) {
    const int64_t left = elements.end - tile.begin;
    tile.size = static_cast<int>(left < kElementTile ? left : kElementTile);
    if (spec.drop > 0.0F) dropout_tile(spec, tile.begin, tile.keep);
    if (shape.bias != nullptr) {
      int64_t j = tile.begin % shape.width;
      for (int i = 0; i < tile.size;) {
        const int64_t rest = shape.width - j < tile.size - i ? shape.width - j : tile.size - i;
        __builtin_memcpy(tile.bias + i, shape.bias + j, static_cast<size_t>(rest) * sizeof(float));
        i += static_cast<int>(rest);
        j = 0;
      }
    }
    body(tile);
  }
}

template <Activation kKind>
void activation_of(const ActivationSpec& spec, const BiasShape& shape, const float* x, float* y,
                   Range elements) {
  for_tiles(spec, shape, elements, [&](const Tile& tile) {
    const float* in = x + tile.begin;
    float* out = y + tile.begin;
    EMGNN_IVDEP
    for (int i = 0; i < tile.size; ++i)
      out[i] = act<kKind>(in[i] + tile.bias[i], spec.slope) * tile.keep[i];
  });
}

template <Activation kKind>
void activation_backward_of(const ActivationSpec& spec, const BiasShape& shape, const float* x,
                            const float* grad_y, float* grad_x, Range elements) {
  for_tiles(spec, shape, elements, [&](const Tile& tile) {
    const float* in = x + tile.begin;
    const float* grad_out = grad_y + tile.begin;
    float* grad_in = grad_x + tile.begin;
    EMGNN_IVDEP
    for (int i = 0; i < tile.size; ++i)
      grad_in[i] =
          grad_out[i] * tile.keep[i] * act_derivative<kKind>(in[i] + tile.bias[i], spec.slope);
  });
}

void activation_range(const ActivationSpec& spec, const BiasShape& shape, const float* x, float* y,
                      Range elements) {
  switch (spec.kind) {
    case Activation::kIdentity:
      return activation_of<Activation::kIdentity>(spec, shape, x, y, elements);
    case Activation::kRelu:
      return activation_of<Activation::kRelu>(spec, shape, x, y, elements);
    case Activation::kLeakyRelu:
      return activation_of<Activation::kLeakyRelu>(spec, shape, x, y, elements);
    case Activation::kElu:
      return activation_of<Activation::kElu>(spec, shape, x, y, elements);
    case Activation::kSilu:
      return activation_of<Activation::kSilu>(spec, shape, x, y, elements);
  }
}

void activation_backward_range(const ActivationSpec& spec, const BiasShape& shape, const float* x,
                               const float* grad_y, float* grad_x, Range elements) {
  switch (spec.kind) {
    case Activation::kIdentity:
      return activation_backward_of<Activation::kIdentity>(spec, shape, x, grad_y, grad_x,
                                                           elements);
    case Activation::kRelu:
      return activation_backward_of<Activation::kRelu>(spec, shape, x, grad_y, grad_x, elements);
    case Activation::kLeakyRelu:
      return activation_backward_of<Activation::kLeakyRelu>(spec, shape, x, grad_y, grad_x,
                                                            elements);
    case Activation::kElu:
      return activation_backward_of<Activation::kElu>(spec, shape, x, grad_y, grad_x, elements);
    case Activation::kSilu:
      return activation_backward_of<Activation::kSilu>(spec, shape, x, grad_y, grad_x, elements);
  }
}

void dropout_range(const ActivationSpec& spec, float* factor, Range elements) {
  float tail[kElementTile];
  for (int64_t begin = elements.begin; begin < elements.end; begin += kElementTile) {
    const int64_t left = elements.end - begin;
    if (left >= kElementTile) {
      dropout_tile(spec, begin, factor + begin);
    } else {
      dropout_tile(spec, begin, tail);
      __builtin_memcpy(factor + begin, tail, static_cast<size_t>(left) * sizeof(float));
    }
  }
}

void multiply_range(const float* x, const float* factor, float* y, Range elements) {
  EMGNN_IVDEP
  for (int64_t i = elements.begin; i < elements.end; ++i) y[i] = x[i] * factor[i];
}

// Runs of 32 rows are added in float32, the runs in float64.
void column_sums_range(int64_t width, const float* x, double* sum, Range rows) {
  constexpr int64_t kRun = 32;
  for (int64_t begin = rows.begin; begin < rows.end; begin += kRun) {
    const int64_t end = begin + kRun < rows.end ? begin + kRun : rows.end;
    for_blocks<4>(width, [&](auto acc, int64_t offset, int last) {
      acc.zero();
      for (int64_t i = begin; i < end; ++i) acc.add_scaled(1.0F, x + i * width + offset, last);
      float run[4 * kLanes] = {};
      acc.write(run, last);
      const int64_t size = width - offset < 4 * kLanes ? width - offset : 4 * kLanes;
      for (int64_t j = 0; j < size; ++j) sum[offset + j] += run[j];
    });
  }
}

}  // namespace
}  // namespace emgnn::kernels
