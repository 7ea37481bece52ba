// SPDX-License-Identifier: Apache-2.0
// The view of similar nodes: nearest neighbours by the cosine of the features, exact unless there are
// so many nodes that all pairs take too long.
#include <emgnn/space/neighbour_search.h>
#include <emgnn/space/unit_rows.h>
#include <emgnn/space/views.h>

namespace emgnn {

Csr nearest_rows(const Features& features, int64_t k) {
  const UnitRows rows(features);
  const std::vector<std::vector<int32_t>> near =
      features.num_rows <= kMaxCompared ? exact_nearest(rows, k) : approximate_nearest(rows, k);
  Coo links;
  for (size_t i = 0; i < near.size(); ++i) {
    links.row.insert(links.row.end(), near[i].size(), static_cast<int32_t>(i));
    links.col.insert(links.col.end(), near[i].begin(), near[i].end());
  }
  return csr_from_coo(features.num_rows, features.num_rows, links, Duplicates::kKeepFirst);
}

Csr nearest_neighbours(const Features& features, int64_t k) {
  return symmetrise(nearest_rows(features, k));
}

}  // namespace emgnn
