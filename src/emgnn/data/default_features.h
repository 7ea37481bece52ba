// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <emgnn/graph/typed_graph.h>

namespace emgnn {

// Degrees over all relations fall into kNumDegreeBuckets classes: 0, 1, 2-3, 4-7, ..., 2^15 and
// more.
inline constexpr int32_t kNumDegreeBuckets = 17;

// What nodes without features of their own get: a one for the node's type and a one for its degree
// bucket, in columns that no other node uses. Appended to `features` (whose rows for these nodes
// are empty): first one column per type that lacks features, in order, then the buckets.
// `lacks[type]` says which types; a graph without types has one.
Csr append_default_features(const Csr& features, const TypedGraph& graph,
                            const std::vector<int32_t>& node_type, const std::vector<bool>& lacks);

// Names of the appended columns: "type:person", ..., "degree:0", "degree:1", "degree:2-3", ...,
// "degree:32768+". Without types the first is "type:node".
std::vector<std::string> default_feature_names(const std::vector<std::string>& node_type_names,
                                               const std::vector<bool>& lacks);

}  // namespace emgnn
