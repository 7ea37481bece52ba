// SPDX-License-Identifier: Apache-2.0
// A node among its neighbours.
#pragma once

#include <map>
#include <string>

#include <emgnn/report/charts.h>
#include <emgnn/report/edge_summary.h>
#include <emgnn/report/prediction_summary.h>

namespace emgnn {

// The centre in the middle, its neighbours around it; an edge is the wider the larger its value is
// beside `largest`. Nodes have the colour of their predicted class, where `notes` know it.
Chart neighbourhood_chart(const Neighbourhood& around, const std::map<std::string, RowNote>& notes,
                          bool is_probability, double largest);

}  // namespace emgnn
