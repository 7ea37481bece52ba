// SPDX-License-Identifier: Apache-2.0
// emgnn report: what folders of runs hold, as one HTML file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace emgnn {

// At least one folder; the first is compared with the others. Errors as of read_contents.
std::string html_report(const std::vector<std::filesystem::path>& folders);

}  // namespace emgnn
