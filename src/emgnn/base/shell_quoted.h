// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace emgnn {

// `text` as one word of a shell command.
std::string shell_quoted(const std::string& text);

}  // namespace emgnn
