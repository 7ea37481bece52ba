// SPDX-License-Identifier: Apache-2.0
// Charts as one SVG file that needs no page around it.
#pragma once

#include <string>
#include <vector>

#include <emgnn/report/charts.h>

namespace emgnn {

// `across` charts side by side, in the colours of the light theme. A legend that all share is drawn
// once.
std::string svg_file(const std::string& title, const std::vector<Chart>& charts, size_t across);

}  // namespace emgnn
