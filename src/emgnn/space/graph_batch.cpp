// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/graph_batch.h>

#include <emgnn/base/error.h>

namespace emgnn {

const Propagation& GraphBatch::hop(int number) const {
  const auto n = static_cast<size_t>(number);
  if (n < hops.size()) return *hops[n];
  const Propagation& last = *hops.back();
  EMGNN_CHECK(last.num_inputs() == last.num_outputs(),
              "the batch was prepared for fewer layers than the network has", number);
  return last;
}

}  // namespace emgnn
