// SPDX-License-Identifier: Apache-2.0
// The channels of ACM-GCN+ from their products, and the mix of them that each row chooses, for every
// graph in one pass. Bits do not depend on the number of threads.
//
//   H_0 = f(low)   H_1 = f(own_high − high)   H_2 = f(own_id)   H_3 = f(around / diagonal − own_around)
//   s_c = sigmoid(u_c·N(H_c) + k_c)   a = softmax_c(Σ_b s_b M[b,c] / C)   out = factor Σ_c a_c H_c
//
// N is the identity, or takes off the mean of a row's numbers and divides by √(variance + 1e-5).
#pragma once

#include <cstdint>

#include <emgnn/kernels/activation.h>

namespace emgnn::kernels {

struct ChannelMix {
  int64_t num_graphs = 0, num_rows = 0, width = 0;
  int num_channels = 3;  // 4 with `around`
  Activation activation = Activation::kIdentity;
  float slope = 0.0F;
  bool normalises = false;
  float factor = 1.0F;

  const float* near = nullptr;        // [num_graphs, num_rows, 2 width]: low | high
  const float* own = nullptr;         // [num_rows, 2 width]: own_high | own_id
  int64_t own_stride = 0;             // from graph to graph; 0: shared
  const float* around = nullptr;      // [num_graphs, num_rows, width]
  const float* own_around = nullptr;  // [num_rows, width]
  const float* diagonal = nullptr;    // [num_graphs, num_rows]
  const float* score = nullptr;       // [num_channels, width]: u
  const float* offset = nullptr;      // [num_channels]: k
  const float* mixing = nullptr;      // [num_channels, num_channels]: M
  // [num_graphs, num_rows, 2 num_channels]: s and a of each row. The mix writes them, and they spare
  // its gradient some work; nullptr: not kept.
  float* shares = nullptr;
};

// out [num_graphs, num_rows, width]
void channel_mix(const ChannelMix& mix, float* out);

// Of the inputs of the same names and shapes; those that graphs share are summed over them.
struct ChannelMixGrads {
  float *near, *own, *around, *own_around, *score, *offset, *mixing;
};
void channel_mix_backward(const ChannelMix& mix, const float* grad_out,
                          const ChannelMixGrads& grads);

}  // namespace emgnn::kernels
