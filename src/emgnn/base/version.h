// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace emgnn {

std::string version();         // "0.1.0"
std::string version_commit();  // short commit of the build, "unknown" outside a checkout

}  // namespace emgnn
