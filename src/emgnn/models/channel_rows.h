// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <emgnn/models/channel_mix.h>
#include <emgnn/space/distinct_rows.h>

namespace emgnn {

// A layer of ACM-GCN+ over graphs that have most rows in common, as one differentiable operation:
// products, channels and their mix for each distinct row, then for every graph its rows.
//   filtered   [(num_graphs,) inputs, 3 width]: h W_low | h W_high | h W_id
//   structure  [num_nodes, width]: W_A; undefined: no such channel
// -> [num_graphs, num_outputs, width]. The outputs have the bits of channel_mix().
at::Tensor channel_mix_of_rows(const c10::intrusive_ptr<DistinctRows>& rows,
                               const at::Tensor& filtered, const at::Tensor& structure,
                               const ChannelScores& scores, const Nonlinearity& activation,
                               double factor);

}  // namespace emgnn
