// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/set2set.h>

#include <ATen/ATen.h>

#include <string>

#include <emgnn/models/edge_ops.h>
#include <emgnn/models/row_index.h>

namespace emgnn {

Set2Set::Set2Set(WeightMaker& make, const Shape& shape) : shape_(shape) {
  int64_t inputs = 2 * shape.width;
  for (int64_t l = 0; l < shape.layers; ++l) {
    cells_.emplace_back(make, "lstm." + std::to_string(l), inputs, shape.width);
    inputs = shape.width;
  }
}

at::Tensor Set2Set::operator()(const Segments& items, const at::Tensor& h) const {
  const c10::intrusive_ptr<Edges>& members = items.edges();
  const RowIndex item(members->row, items.num_segments());
  const at::Tensor rows = RowIndex(members->pattern.col.to_vector(), h.size(0)).take(h);
  const at::Tensor zero = at::zeros({items.num_segments(), shape_.width}, h.options());
  std::vector<LstmCell::State> state(cells_.size(), {zero, zero});
  at::Tensor query = at::cat({zero, zero}, 1);
  for (int64_t step = 0; step < shape_.steps; ++step) {
    at::Tensor q = query;
    for (size_t l = 0; l < cells_.size(); ++l) {
      state[l] = cells_[l](q, state[l]);
      q = state[l].h;
    }
    const at::Tensor score = (rows * item.take(q)).sum(1, true).unsqueeze(0);
    query = at::cat({q, aggregate(members, edge_softmax(members, score), h)}, 1);
  }
  return query;
}

}  // namespace emgnn
