// SPDX-License-Identifier: Apache-2.0
// Differentiable operations on the entries of a hop: what attention-like layers are made of. Values
// of entries are [graphs, entries, heads]; graphs laid end to end count as one. A graph's absent
// entries give and receive nothing.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <vector>

#include <emgnn/space/edges.h>

namespace emgnn {

// f(left[row(e)] + right[col(e)]), f the leaky ReLU: left [(graphs,) outputs, heads] and right
// [(graphs,) inputs, heads], each shared by all graphs or one for each.
at::Tensor edge_scores(const c10::intrusive_ptr<Edges>& edges, const at::Tensor& left,
                       const at::Tensor& right, double slope);

// What an entry is, for terms that all entries of one kind share: [entries] in 0..num_kinds-1.
struct EntryKinds : torch::CustomClassHolder {
  std::vector<int32_t> kind;
};

// f(left[row(e)] + right[col(e)] + term[kind(e)]), term [num_kinds, heads].
at::Tensor edge_scores(const c10::intrusive_ptr<Edges>& edges, const at::Tensor& left,
                       const at::Tensor& right, const c10::intrusive_ptr<EntryKinds>& kinds,
                       const at::Tensor& term, double slope);

// The softmax over the entries that a graph has in each row.
at::Tensor edge_softmax(const c10::intrusive_ptr<Edges>& edges, const at::Tensor& scores);

// left[row(e)]·right[col(e)] on one graph: left [outputs, d], right [inputs, d] -> [1, entries, 1].
at::Tensor edge_dots(const c10::intrusive_ptr<Edges>& edges, const at::Tensor& left,
                     const at::Tensor& right);

// Σ_e values[e, head] h[col(e), head, :] over the entries of each row: h [(graphs,) inputs,
// heads · d] -> [graphs, outputs, heads · d], without the axis of graphs where they are laid end to
// end.
at::Tensor aggregate(const c10::intrusive_ptr<Edges>& edges, const at::Tensor& values,
                     const at::Tensor& h);

}  // namespace emgnn
