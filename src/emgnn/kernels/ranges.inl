// SPDX-License-Identifier: Apache-2.0
// Included by each isa_*.cpp. Everything here has internal linkage and no std template is used: a
// function compiled for AVX-512 must never be the one that the linker keeps for the rest of the
// program.
#include <emgnn/kernels/ranges.h>

// Before a loop: its iterations do not depend on each other, although pointers might say so.
#ifdef __clang__
#define EMGNN_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define EMGNN_IVDEP _Pragma("GCC ivdep")
#endif

// clang-format off
#include <emgnn/kernels/vec.inl>
#include <emgnn/kernels/spmm_range.inl>
#include <emgnn/kernels/nested_range.inl>
#include <emgnn/kernels/block_range.inl>
#include <emgnn/kernels/segment_range.inl>
#include <emgnn/kernels/gemm_range.inl>
#include <emgnn/kernels/combine_range.inl>
#include <emgnn/kernels/activation_range.inl>
#include <emgnn/kernels/channel_mix_range.inl>
#include <emgnn/kernels/accumulate_range.inl>
#include <emgnn/kernels/adam_range.inl>
#include <emgnn/kernels/edge_range.inl>
// clang-format on

namespace emgnn::kernels {
namespace {

constexpr RangeKernels kRanges = {
    .gemm_panel = kGemmVectors * kLanes,
    .gemm = gemm_tile,
    .spmm = spmm_range,
    .spmm_sum = spmm_sum_range,
    .nested = nested_range,
    .nested_shared = nested_shared_range,
    .nested_add = nested_add_range,
    .block = block_range,
    .segment_max = segment_max_range,
    .edge_scores = edge_scores_range,
    .edge_scores_sum = edge_scores_sum_range,
    .edge_softmax = edge_softmax_range,
    .edge_softmax_backward = edge_softmax_backward_range,
    .edge_aggregate = edge_aggregate_range,
    .edge_dot = edge_dot_range,
    .combine = combine_range,
    .combine_backward = combine_backward_range,
    .channel_mix = channel_mix_range,
    .channel_mix_backward = channel_mix_backward_range,
    .activation = activation_range,
    .activation_backward = activation_backward_range,
    .dropout = dropout_range,
    .multiply = multiply_range,
    .column_sums = column_sums_range,
    .accumulate = accumulate_range,
    .adam = adam_range,
};

}  // namespace
}  // namespace emgnn::kernels
