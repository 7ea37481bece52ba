// SPDX-License-Identifier: Apache-2.0
// Values that live on the entries of a pattern, for networks that compute on edges: attention,
// gates. A batch of graphs shares the pattern; a graph may lack some of its entries. What a graph
// lacks gives and receives nothing: outputs and gradients there are 0, whatever the inputs hold.
// Raw pointers, float32, row-major. Bits do not depend on the number of threads.
//
//   num_graphs L, num_entries E, heads H, width D of one head
#pragma once

#include <cstdint>

#include <emgnn/kernels/spmm.h>

namespace emgnn::kernels {

// One block of floats per graph: that of graph g begins at data + g·stride. Stride 0: all graphs
// share one block.
struct PerGraph {
  const float* data = nullptr;
  int64_t stride = 0;
};

struct EdgeBatch {
  CsrView pattern;     // rows are outputs, columns are inputs
  CsrView transposed;  // read by the backward passes only
  // [E] number in `pattern` of the k-th entry of `transposed`; nullptr: k, where all is symmetric
  const int32_t* entry = nullptr;
  int64_t num_graphs = 1;
  int64_t heads = 1;
  PerGraph weight;  // [E]; graph g has entry e where this is not 0; no data: it has them all
};

// A score of each entry from its two ends and its type.
struct EdgeScores {
  PerGraph left;                  // [num_rows, H]
  PerGraph right;                 // [num_cols, H]
  const int32_t* type = nullptr;  // [E]; nullptr: entries have no types
  const float* term = nullptr;    // [num_types, H]; given with `type`
  int64_t num_types = 0;
  float slope = 0.2F;  // of the leaky ReLU below 0, >= 0
};

// out[g,e,h] = f(left[g,row(e),h] + right[g,col(e),h] + term[type(e),h]), f the leaky ReLU; out
// [L, E, H].
void edge_scores(const EdgeBatch& batch, const EdgeScores& scores, float* out);

// Where gradients go; nullptr: not wanted. What the graphs share gets the sum over them.
struct EdgeScoreGrads {
  float* left = nullptr;   // [L, num_rows, H], or [num_rows, H] where left has stride 0
  float* right = nullptr;  // [L, num_cols, H], or [num_cols, H] where right has stride 0
  float* term = nullptr;   // [num_types, H]
};

// Of `scores` only the strides, the types and the slope are read: the sign of an output is that of
// its argument. The derivative at 0 is the slope.
void edge_scores_backward(const EdgeBatch& batch, const EdgeScores& scores, const float* out,
                          const float* grad_out, const EdgeScoreGrads& grads);

// out[g,e,h] = exp(in[g,e,h]) / Σ exp(in[g,·,h]) over the entries that g has in the row of e; in and
// out [L, E, H]. Any finite scores; a score more than 87 below the largest of its row counts as 87
// below it.
void edge_softmax(const EdgeBatch& batch, const float* in, float* out);

// grad_in = out·(grad_out - Σ out·grad_out), the sum over the row.
void edge_softmax_backward(const EdgeBatch& batch, const float* out, const float* grad_out,
                           float* grad_in);

// out[g,e,h] = Σ_d left[g,row(e),h·D+d] right[g,col(e),h·D+d]; left [L, num_rows, H·D], right
// [num_cols, H·D], width D, out [L, E, H].
void edge_dots(const EdgeBatch& batch, int64_t width, const float* left, const PerGraph& right,
               float* out);

// A sum over neighbours in which each head has values of its own.
struct EdgeAggregate {
  int64_t width = 0;              // D
  const float* values = nullptr;  // [L, E, H]
  PerGraph in;                    // [num_cols, H·D]
};

// out[g,i,h·D+d] = Σ_e values[g,e,h] in[g,col(e),h·D+d] over the entries that g has in row i; out
// [L, num_rows, H·D].
void edge_aggregate(const EdgeBatch& batch, const EdgeAggregate& aggregate, float* out);

struct EdgeAggregateGrads {
  float* values = nullptr;  // [L, E, H]; nullptr: not wanted
  float* in = nullptr;      // [L, num_cols, H·D], or [num_cols, H·D] where `in` has stride 0
};

void edge_aggregate_backward(const EdgeBatch& batch, const EdgeAggregate& aggregate,
                             const float* grad_out, const EdgeAggregateGrads& grads);

}  // namespace emgnn::kernels
