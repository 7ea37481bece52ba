// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/typed_entries.h>

#include <ATen/ATen.h>

#include <emgnn/base/error.h>

namespace emgnn {

TypedEntries::TypedEntries(const Propagation& hop, const Dataset& data, int64_t num_views)
    : edges_(hop.edges()), kinds_(c10::make_intrusive<EntryKinds>()) {
  EMGNN_CHECK(edges_->num_types == num_views + 1,
              "the network was made for another number of views", edges_->num_types - 1);
  const std::vector<int32_t>& nodes = hop.input_nodes();
  const auto type_of = [&](int32_t input) {
    const auto node = static_cast<size_t>(nodes[static_cast<size_t>(input)]);
    return data.node_type.empty() ? 0 : data.node_type[node];
  };
  const Csr& a = edges_->pattern;
  const auto self = static_cast<int32_t>(num_views);
  own_.assign(static_cast<size_t>(a.num_rows), -1);
  for (int32_t i = 0; i < a.num_rows; ++i)
    for (const auto [e, j] : a.row(i))
      if (edges_->type[static_cast<size_t>(e)] == self) own_[static_cast<size_t>(i)] = j;
  kinds_->kind.reserve(a.col.size());
  for (int32_t i = 0; i < a.num_rows; ++i) {
    const int32_t own = own_[static_cast<size_t>(i)];
    EMGNN_DCHECK(own >= 0);
    const int32_t type = type_of(own);
    for (const auto [e, j] : a.row(i)) {
      const int32_t view = edges_->type[static_cast<size_t>(e)];
      const bool back = view != self && type > type_of(j);
      kinds_->kind.push_back(2 * view + (back ? 1 : 0));
    }
  }
}

at::Tensor TypedEntries::from(const TypedEntries& before, const at::Tensor& values) const {
  const Csr &a = pattern(), &b = before.pattern();
  std::vector<int64_t> place;
  place.reserve(a.col.size());
  for (int32_t i = 0; i < a.num_rows; ++i) {
    const CsrRow row = a.row(i), there = b.row(own_[static_cast<size_t>(i)]);
    EMGNN_CHECK(row.col.size() == there.col.size(), "a row has other neighbours in the hop before",
                i);
    for (const auto [e, j] : row) place.push_back(there.begin_entry + (e - row.begin_entry));
  }
  return at::index_select(values, 1, at::tensor(place));
}

}  // namespace emgnn
