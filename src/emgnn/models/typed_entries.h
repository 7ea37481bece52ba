// SPDX-License-Identifier: Apache-2.0
// The entries of a hop by relation and direction, and where those of one hop are in the hop before.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <emgnn/data/dataset.h>
#include <emgnn/models/edge_ops.h>
#include <emgnn/space/propagation.h>

namespace emgnn {

// With R views there are 2 R + 1 kinds: both directions of each, then the self loops. An entry
// leads back where the type of its row comes after the type of its column; between nodes of one
// type there is one direction. A pair of nodes that several views join counts as the first's.
inline int64_t num_entry_kinds(int64_t num_views) { return 2 * num_views + 1; }

class TypedEntries {
 public:
  // UsageError where the hop has another number of views, or rows are no nodes of `data`.
  TypedEntries(const Propagation& hop, const Dataset& data, int64_t num_views);

  const c10::intrusive_ptr<EntryKinds>& kinds() const { return kinds_; }
  const Csr& pattern() const { return edges_->pattern; }
  // Values [1, entries of `before`, heads] on the entries of this hop, whose inputs are the outputs
  // of `before`: every row has the same neighbours in both.
  at::Tensor from(const TypedEntries& before, const at::Tensor& values) const;

 private:
  c10::intrusive_ptr<Edges> edges_;
  c10::intrusive_ptr<EntryKinds> kinds_;
  std::vector<int32_t> own_;  // [outputs] place among the inputs
};

}  // namespace emgnn
