// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/default_features.h>

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace emgnn {

Csr append_default_features(const Csr& features, const TypedGraph& graph,
                            const std::vector<int32_t>& node_type, const std::vector<bool>& lacks) {
  std::vector<int32_t> column_of_type(lacks.size(), -1);
  int32_t next = features.num_cols;
  for (size_t t = 0; t < lacks.size(); ++t) {
    if (lacks[t]) column_of_type[t] = next++;
  }
  Csr out;
  out.num_rows = features.num_rows;
  out.num_cols = next + kNumDegreeBuckets;
  const auto push = [&](int32_t col, float value) {
    out.col.push_back(col);
    out.val.push_back(value);
  };
  for (size_t node = 0; node < static_cast<size_t>(features.num_rows); ++node) {
    for (int32_t k = features.rowptr[node]; k < features.rowptr[node + 1]; ++k) {
      push(features.col[static_cast<size_t>(k)], features.value(k));
    }
    const auto type = static_cast<size_t>(node_type.empty() ? 0 : node_type[node]);
    if (lacks[type]) {
      uint32_t degree = 0;
      for (const Relation& relation : graph.relations) {
        degree += static_cast<uint32_t>(relation.adjacency.rowptr[node + 1] -
                                        relation.adjacency.rowptr[node]);
      }
      push(column_of_type[type], 1.0F);
      push(next + std::min(static_cast<int32_t>(std::bit_width(degree)), kNumDegreeBuckets - 1),
           1.0F);
    }
    out.rowptr.push_back(static_cast<int32_t>(out.col.size()));
  }
  if (std::all_of(out.val.begin(), out.val.end(), [](float v) { return v == 1.0F; })) out.val = {};
  return out;
}

std::vector<std::string> default_feature_names(const std::vector<std::string>& node_type_names,
                                               const std::vector<bool>& lacks) {
  std::vector<std::string> names;
  for (size_t t = 0; t < lacks.size(); ++t) {
    if (lacks[t])
      names.push_back("type:" + (node_type_names.empty() ? "node" : node_type_names[t]));
  }
  names.insert(names.end(), {"degree:0", "degree:1"});
  for (int32_t bucket = 2; bucket + 1 < kNumDegreeBuckets; ++bucket)
    names.push_back(fmt::format("degree:{}-{}", 1 << (bucket - 1), (1 << bucket) - 1));
  names.push_back(fmt::format("degree:{}+", 1 << (kNumDegreeBuckets - 2)));
  return names;
}

}  // namespace emgnn
