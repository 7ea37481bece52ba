// SPDX-License-Identifier: Apache-2.0
// Where this clone lies.
#pragma once

namespace emgnn::testing {

extern const char* const kSourceDir;
extern const char* const kPublishedDataDir;  // of the build, if $EMGNN_DATA does not say

}  // namespace emgnn::testing
