// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace emgnn {

// Where the first byte is that belongs to no character of UTF-8; nothing: all do.
std::optional<size_t> first_invalid_utf8(std::string_view text);

}  // namespace emgnn
