// SPDX-License-Identifier: Apache-2.0
// The channels of ACM-GCN+ and their mix as one differentiable operation; what it computes is said
// in kernels/channel_mix.h.
#pragma once

#include <ATen/core/Tensor.h>

#include <emgnn/models/ops.h>

namespace emgnn {

struct ChannelProducts {
  at::Tensor near;        // [graphs, rows, 2 width]: S h W_low | S h W_high
  at::Tensor own;         // [(graphs,) rows, 2 width]: h W_high | h W_id
  at::Tensor around;      // [graphs, rows, width]: S W_A; undefined: no such channel
  at::Tensor own_around;  // [rows, width]: W_A of the rows themselves
  at::Tensor diagonal;    // [graphs, rows, 1] of S; has no gradient
};

struct ChannelScores {
  at::Tensor score;   // [channels, width]: u
  at::Tensor offset;  // [channels]: k
  at::Tensor mixing;  // [channels, channels]: M
  bool normalises = false;
};

// [graphs, rows, width]; the activation's dropout is not applied.
at::Tensor channel_mix(const ChannelProducts& products, const ChannelScores& scores,
                       const Nonlinearity& activation, double factor);

}  // namespace emgnn
