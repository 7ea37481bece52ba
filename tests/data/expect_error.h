// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace emgnn::testing {

// The call must throw E, in one line that contains every given piece.
template <class E, class F>
void expect_error(F&& call, std::initializer_list<std::string_view> pieces) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const E& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    for (const std::string_view piece : pieces)
      EXPECT_NE(what.find(piece), std::string::npos) << what << "\nlacks " << piece;
  }
}

}  // namespace emgnn::testing
