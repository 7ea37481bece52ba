// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <emgnn/data/parsed_dataset.h>

namespace emgnn {

// Numbers the nodes in the order of their ids (sorted_order), so that no result depends on the order
// of the rows of a user's table: random numbers belong to nodes by their number. What the order was
// is kept in Dataset::given_order.
void sort_nodes(ParsedDataset& parsed);

}  // namespace emgnn
