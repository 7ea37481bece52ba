// SPDX-License-Identifier: Apache-2.0
// emgnn report: what folders of runs hold, as one HTML file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace emgnn {

// At least one folder; the first is compared with the others. Errors as of read_contents. The
// neighbourhoods of `nodes` are drawn wherever they are known; UsageError where they are not.
std::string html_report(const std::vector<std::filesystem::path>& folders,
                        const std::vector<std::string>& nodes = {});

}  // namespace emgnn
