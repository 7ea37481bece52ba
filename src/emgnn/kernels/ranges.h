// SPDX-License-Identifier: Apache-2.0
// The serial inner kernels over ranges, compiled once per instruction set (isa_*.cpp). The public
// kernels cut the work, call these from parallel loops, and own every decision that the bits of a
// result depend on.
#pragma once

#include <cstddef>
#include <cstdint>

#include <emgnn/kernels/activation.h>
#include <emgnn/kernels/block.h>
#include <emgnn/kernels/channel_mix.h>
#include <emgnn/kernels/combine.h>
#include <emgnn/kernels/edge.h>
#include <emgnn/kernels/nested.h>
#include <emgnn/kernels/spmm.h>

namespace emgnn::kernels {

struct Range {
  int64_t begin = 0;
  int64_t end = 0;
};

// C[m,n] = (accumulate ? C : 0) + A B with A[i,p] = a[i·a_row + p·a_k] and B[p,j] = b[p·b_k + j],
// where each row of b can be read up to the next multiple of the vector length.
struct GemmTile {
  int64_t m, n, k;
  const float* a;
  int64_t a_row, a_k;
  const float* b;
  int64_t b_k;
  float* c;
  int64_t c_row;
  bool accumulate;
};

struct BiasShape {
  int64_t width;      // row length; bias[i % width] belongs to element i
  const float* bias;  // or nullptr
};

struct AdamFactors {
  float beta1, one_minus_beta1, beta2, one_minus_beta2;
  float weight_decay, epsilon, step_size, inv_root_correction;
};

// What the rows of one side of a pattern receive from their entries: the pattern's own rows, or
// through its transpose the columns.
struct EdgeSum {
  CsrView a;
  const int32_t* entry;  // [E] number of an entry among weights and values; nullptr: its own
  PerGraph weight;
  int64_t heads;
  float* out;  // graph g's begins at out + g·out_stride
  int64_t out_stride;
};

// What the derivative of a score needs; out and grad_out [L, E, H].
struct EdgeScoreSlopes {
  const float* out;
  const float* grad_out;
  float slope;
};

struct RangeKernels {
  int64_t gemm_panel;  // widest n of a GemmTile
  void (*gemm)(const GemmTile& tile);
  void (*spmm)(const CsrView& a, const SpmmBatch& batch, int64_t graph, Range rows);
  void (*spmm_sum)(const CsrView& a, const SpmmBatch& batch, Range rows);
  void (*nested)(const NestedView& a, const NestedBatch& batch, int64_t graph, Range rows);
  void (*nested_shared)(const NestedView& a, const NestedBatch& batch, Range rows);
  void (*nested_add)(const NestedView& a, const NestedBatch& batch, Range rows);
  void (*block)(const BlockView& a, int64_t width, const float* in, float* out, Range rows);
  void (*segment_max)(const CsrView& a, int64_t width, const float* in, float* out, Range segments);
  void (*edge_scores)(const EdgeBatch& batch, const EdgeScores& scores, float* out, int64_t graph,
                      Range rows);
  void (*edge_scores_sum)(const EdgeSum& sum, const EdgeScoreSlopes& slopes, int64_t graph,
                          Range rows, bool accumulate);
  void (*edge_softmax)(const EdgeBatch& batch, const float* in, float* out, int64_t graph,
                       Range rows);
  void (*edge_softmax_backward)(const EdgeBatch& batch, const float* out, const float* grad_out,
                                float* grad_in, int64_t graph, Range rows);
  void (*edge_aggregate)(const EdgeSum& sum, const EdgeAggregate& aggregate, int64_t graph,
                         Range rows, bool accumulate);
  void (*edge_dot)(const EdgeBatch& batch, const EdgeAggregate& aggregate, const float* grad_out,
                   float* grad_values, int64_t graph, Range rows);
  void (*combine)(const CombineShape& shape, const float* coef, const float* scale,
                  const float* term, float* out, Range rows);
  void (*combine_backward)(const CombineShape& shape, const float* coef, const float* scale,
                           const float* grad_out, float* grad_term, Range rows);
  // `scratch` has kMixScratchRows rows of the mix's width; backward one more per channel. The
  // gradients in score, offset and mixing are added to what is there.
  void (*channel_mix)(const ChannelMix& mix, float* scratch, float* out, Range rows);
  void (*channel_mix_backward)(const ChannelMix& mix, float* scratch, const float* grad_out,
                               const ChannelMixGrads& grads, Range rows);
  // Elements [begin, end) of the flat matrix; begin is a multiple of kElementTile.
  void (*activation)(const ActivationSpec& spec, const BiasShape& shape, const float* x, float* y,
                     Range elements);
  void (*activation_backward)(const ActivationSpec& spec, const BiasShape& shape, const float* x,
                              const float* grad_y, float* grad_x, Range elements);
  void (*dropout)(const ActivationSpec& spec, float* factor, Range elements);
  void (*multiply)(const float* x, const float* factor, float* y, Range elements);
  // sum[j] += Σ_i x[i,j] over a range of rows
  void (*column_sums)(int64_t width, const float* x, double* sum, Range rows);
  void (*accumulate)(double weight, const float* x, double* sum, Range elements);
  void (*adam)(const AdamFactors& factors, const float* grad, float* param, float* m, float* v,
               Range elements);
};

constexpr int64_t kElementTile = 256;
constexpr int64_t kMixScratchRows = 10;

extern const RangeKernels kBaselineRanges;
extern const RangeKernels kAvx2Ranges;
extern const RangeKernels kAvx512Ranges;

// The kernels of the instruction set in use.
const RangeKernels& range_kernels();

// Those for rows cut into pieces of `width` floats that are loaded one by one: a masked load of a
// few lanes is slow where the whole vector would cross a cache line, so vectors are no wider than
// a piece needs.
const RangeKernels& range_kernels_for_pieces(int64_t width);

}  // namespace emgnn::kernels
