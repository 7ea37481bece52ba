// SPDX-License-Identifier: Apache-2.0
namespace emgnn::kernels {
namespace {

constexpr int kMaxChannels = 4;
constexpr float kNormEpsilon = 1e-5F;

inline float dot_rows(const float* a, const float* b, int64_t width) {
  if (width < kLanes) {
    const int n = static_cast<int>(width);
    return sum_lanes(load_first(a, n) * load_first(b, n));
  }
  float sum = 0.0F;
  for_blocks<4>(width, [&](auto block, int64_t offset, int last) {
    block.read(a + offset, last);
    sum += block.dot(b + offset, last);
  });
  return sum;
}

inline float sum_row(const float* a, int64_t width) {
  float sum = 0.0F;
  for_blocks<4>(width, [&](auto block, int64_t offset, int last) {
    block.read(a + offset, last);
    for (const Vec& v : block.v) sum += sum_lanes(v);
  });
  return sum;
}

// One row under one graph: what is mixed, and how.
struct MixedRow {
  const float* before[kMaxChannels];  // the activation, each [width]
  float* channel[kMaxChannels];       // H_c
  float* centred[kMaxChannels];  // H_c without its mean; H_c itself where nothing is normalised
  float inverse[kMaxChannels];   // 1/√(variance + ε), or 1
  float score[kMaxChannels];     // s_c
  float share[kMaxChannels];     // a_c
};

template <Activation kKind>
inline void activate_row(const float* x, float slope, int64_t width, float* y) {
  EMGNN_IVDEP
  for (int64_t j = 0; j < width; ++j) y[j] = act<kKind>(x[j], slope);
}

template <Activation kKind>
inline void activation_slopes(const float* x, float slope, int64_t width, float* grad) {
  EMGNN_IVDEP
  for (int64_t j = 0; j < width; ++j) grad[j] *= act_derivative<kKind>(x[j], slope);
}

// The channels before their activation: two are inputs as they are, two are made in `scratch`.
inline void read_channels(const ChannelMix& m, int64_t g, int64_t i, float* scratch,
                          MixedRow& row) {
  const int64_t w = m.width, at = g * m.num_rows + i;
  const float* near = m.near + at * 2 * w;
  const float* own = m.own + g * m.own_stride + i * 2 * w;
  EMGNN_IVDEP
  for (int64_t j = 0; j < w; ++j) scratch[j] = own[j] - near[w + j];
  row.before[0] = near;
  row.before[1] = scratch;
  row.before[2] = own + w;
  if (m.num_channels < 4) return;
  const float inverse = 1.0F / m.diagonal[at];
  const float* around = m.around + at * w;
  const float* self = m.own_around + i * w;
  float* sum = scratch + w;
  EMGNN_IVDEP
  for (int64_t j = 0; j < w; ++j) sum[j] = around[j] * inverse - self[j];
  row.before[3] = sum;
}

inline void score_channels(const ChannelMix& m, MixedRow& row) {
  const int64_t w = m.width;
  const auto size = static_cast<float>(w);
  for (int c = 0; c < m.num_channels; ++c) {
    row.inverse[c] = 1.0F;
    if (m.normalises) {
      const float mean = sum_row(row.channel[c], w) / size;
      EMGNN_IVDEP
      for (int64_t j = 0; j < w; ++j) row.centred[c][j] = row.channel[c][j] - mean;
      const float variance = dot_rows(row.centred[c], row.centred[c], w) / size;
      row.inverse[c] = 1.0F / __builtin_sqrtf(variance + kNormEpsilon);
    }
    const float product = dot_rows(row.centred[c], m.score + c * w, w);
    row.score[c] = sigmoid(product * row.inverse[c] + m.offset[c]);
  }
}

inline void share_channels(const ChannelMix& m, MixedRow& row) {
  const int n = m.num_channels;
  float top = 0.0F, sum = 0.0F;
  for (int c = 0; c < n; ++c) {
    float logit = 0.0F;
    for (int b = 0; b < n; ++b) logit += row.score[b] * m.mixing[b * n + c];
    row.share[c] = logit / static_cast<float>(n);
    if (c == 0 || row.share[c] > top) top = row.share[c];
  }
  for (int c = 0; c < n; ++c) {
    row.share[c] = 1.0F + expm1_negative(row.share[c] - top);
    sum += row.share[c];
  }
  for (int c = 0; c < n; ++c) row.share[c] /= sum;
}

// `scratch`: two rows of channels before, four of channels, four of them without their means.
template <Activation kKind>
inline void make_channels(const ChannelMix& m, int64_t g, int64_t i, float* scratch,
                          MixedRow& row) {
  const int64_t w = m.width;
  read_channels(m, g, i, scratch, row);
  for (int c = 0; c < m.num_channels; ++c) {
    row.channel[c] = scratch + (2 + c) * w;
    row.centred[c] = m.normalises ? scratch + (6 + c) * w : row.channel[c];
    activate_row<kKind>(row.before[c], m.slope, w, row.channel[c]);
  }
}

inline float* kept_shares(const ChannelMix& m, int64_t g, int64_t i) {
  return m.shares + (g * m.num_rows + i) * 2 * m.num_channels;
}

template <Activation kKind>
inline void mix_row(const ChannelMix& m, int64_t g, int64_t i, float* scratch, MixedRow& row) {
  make_channels<kKind>(m, g, i, scratch, row);
  score_channels(m, row);
  share_channels(m, row);
  if (m.shares == nullptr) return;
  float* kept = kept_shares(m, g, i);
  for (int c = 0; c < m.num_channels; ++c) {
    kept[c] = row.score[c];
    kept[m.num_channels + c] = row.share[c];
  }
}

// The same from what was kept, unless the norm of each channel is needed again.
template <Activation kKind>
inline void mix_row_again(const ChannelMix& m, int64_t g, int64_t i, float* scratch,
                          MixedRow& row) {
  if (m.shares == nullptr || m.normalises) return mix_row<kKind>(m, g, i, scratch, row);
  make_channels<kKind>(m, g, i, scratch, row);
  const float* kept = kept_shares(m, g, i);
  for (int c = 0; c < m.num_channels; ++c) {
    row.inverse[c] = 1.0F;
    row.score[c] = kept[c];
    row.share[c] = kept[m.num_channels + c];
  }
}

template <Activation kKind>
void channel_mix_of(const ChannelMix& m, float* scratch, float* out, Range rows) {
  const int64_t w = m.width;
  MixedRow row;
  for (int64_t g = 0; g < m.num_graphs; ++g) {
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      mix_row<kKind>(m, g, i, scratch, row);
      float* y = out + (g * m.num_rows + i) * w;
      for_blocks<4>(w, [&](auto sum, int64_t offset, int last) {
        sum.zero();
        for (int c = 0; c < m.num_channels; ++c)
          sum.add_scaled(m.factor * row.share[c], row.channel[c] + offset, last);
        sum.write(y + offset, last);
      });
    }
  }
}

inline void add_scaled_row(float factor, const float* x, int64_t width, float* sum) {
  EMGNN_IVDEP
  for (int64_t j = 0; j < width; ++j) sum[j] += factor * x[j];
}

// The gradient in H_c of the score's argument, times `factor`: without a norm u_c, else
//   inverse (u − mean(u) − centred · inverse² (u·centred) / width).
inline void add_score_gradient(const ChannelMix& m, const MixedRow& row, int c, float factor,
                               float* grad) {
  const int64_t w = m.width;
  const float* u = m.score + c * w;
  const float inverse = row.inverse[c];
  add_scaled_row(factor * inverse, u, w, grad);
  if (!m.normalises) return;
  const auto size = static_cast<float>(w);
  const float mean = factor * inverse * sum_row(u, w) / size;
  const float along = factor * inverse * inverse * inverse * dot_rows(u, row.centred[c], w) / size;
  EMGNN_IVDEP
  for (int64_t j = 0; j < w; ++j) grad[j] -= mean + along * row.centred[c][j];
}

// grad_channel [channels][width] of one row; adds to the gradients that all rows share.
inline void mix_row_backward(const ChannelMix& m, const MixedRow& row, const float* grad_out,
                             float* grad_channel, const ChannelMixGrads& sums) {
  const int n = m.num_channels;
  const int64_t w = m.width;
  float grad_logit[kMaxChannels], mean = 0.0F;
  for (int c = 0; c < n; ++c) {
    grad_logit[c] = m.factor * dot_rows(grad_out, row.channel[c], w);
    mean += row.share[c] * grad_logit[c];
  }
  for (int c = 0; c < n; ++c)
    grad_logit[c] = row.share[c] * (grad_logit[c] - mean) / static_cast<float>(n);
  for (int b = 0; b < n; ++b) {
    float grad_score = 0.0F;
    for (int c = 0; c < n; ++c) {
      sums.mixing[b * n + c] += row.score[b] * grad_logit[c];
      grad_score += m.mixing[b * n + c] * grad_logit[c];
    }
    const float grad_argument = grad_score * row.score[b] * (1.0F - row.score[b]);
    sums.offset[b] += grad_argument;
    add_scaled_row(grad_argument * row.inverse[b], row.centred[b], w, sums.score + b * w);
    float* grad = grad_channel + b * w;
    const float direct = m.factor * row.share[b];
    EMGNN_IVDEP
    for (int64_t j = 0; j < w; ++j) grad[j] = direct * grad_out[j];
    add_score_gradient(m, row, b, grad_argument, grad);
  }
}

// Where the gradients before the activation go. The first graph writes what graphs share.
inline void write_gradients(const ChannelMix& m, int64_t g, int64_t i, const float* grad_channel,
                            const ChannelMixGrads& grads) {
  const int64_t w = m.width, at = g * m.num_rows + i;
  const bool adds = g > 0 && m.own_stride == 0;
  float* near = grads.near + at * 2 * w;
  float* own = grads.own + g * m.own_stride + i * 2 * w;
  const float *low = grad_channel, *high = grad_channel + w, *id = grad_channel + 2 * w;
  EMGNN_IVDEP
  for (int64_t j = 0; j < w; ++j) {
    near[j] = low[j];
    near[w + j] = -high[j];
    own[j] = (adds ? own[j] : 0.0F) + high[j];
    own[w + j] = (adds ? own[w + j] : 0.0F) + id[j];
  }
  if (m.num_channels < 4) return;
  const float inverse = 1.0F / m.diagonal[at];
  const float* sum = grad_channel + 3 * w;
  float* around = grads.around + at * w;
  float* self = grads.own_around + i * w;
  EMGNN_IVDEP
  for (int64_t j = 0; j < w; ++j) {
    around[j] = sum[j] * inverse;
    self[j] = (g > 0 ? self[j] : 0.0F) - sum[j];
  }
}

template <Activation kKind>
void channel_mix_backward_of(const ChannelMix& m, float* scratch, const float* grad_out,
                             const ChannelMixGrads& grads, Range rows) {
  const int64_t w = m.width;
  float* grad_channel = scratch + kMixScratchRows * w;
  MixedRow row;
  for (int64_t g = 0; g < m.num_graphs; ++g) {
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      mix_row_again<kKind>(m, g, i, scratch, row);
      mix_row_backward(m, row, grad_out + (g * m.num_rows + i) * w, grad_channel, grads);
      for (int c = 0; c < m.num_channels; ++c)
        activation_slopes<kKind>(row.before[c], m.slope, w, grad_channel + c * w);
      write_gradients(m, g, i, grad_channel, grads);
    }
  }
}

template <class Body>
inline void with_activation(Activation kind, const Body& body) {
  switch (kind) {
    case Activation::kIdentity:
      return body.template operator()<Activation::kIdentity>();
    case Activation::kRelu:
      return body.template operator()<Activation::kRelu>();
    case Activation::kLeakyRelu:
      return body.template operator()<Activation::kLeakyRelu>();
    case Activation::kElu:
      return body.template operator()<Activation::kElu>();
    case Activation::kSilu:
      return body.template operator()<Activation::kSilu>();
  }
}

void channel_mix_range(const ChannelMix& m, float* scratch, float* out, Range rows) {
  with_activation(m.activation,
                  [&]<Activation kKind>() { channel_mix_of<kKind>(m, scratch, out, rows); });
}

void channel_mix_backward_range(const ChannelMix& m, float* scratch, const float* grad_out,
                                const ChannelMixGrads& grads, Range rows) {
  with_activation(m.activation, [&]<Activation kKind>() {
    channel_mix_backward_of<kKind>(m, scratch, grad_out, grads, rows);
  });
}

}  // namespace
}  // namespace emgnn::kernels
