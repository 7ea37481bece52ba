// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace emgnn {

// The same network on one graph, or over a distribution: "gcn" of "em-gcn" and the other way round;
// empty: there is no such method.
std::string counterpart_of(const std::string& method);

// Whether a method looks at edges or bonds at all.
bool sees_graph(const std::string& method);

}  // namespace emgnn
