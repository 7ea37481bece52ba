// SPDX-License-Identifier: Apache-2.0
// Which files a command may write: none that it reads, and none that a run has left. UsageError for
// any other.
#pragma once

#include <filesystem>
#include <string>

namespace emgnn {

void check_is_file(const std::filesystem::path& out);  // it may be new, and is no folder

void check_not_read(const std::filesystem::path& out, const std::filesystem::path& input);

// Neither a file of the user's own data nor one of the named dataset in `data_dir`, where empty means
// default_data_dir().
void check_not_data(const std::filesystem::path& out, const std::string& dataset,
                    const std::filesystem::path& data_dir);

// A new or empty file, `may_replace` ("predictions.csv"; ".html" for every such name), or one that
// lies neither in the folder `run` nor in that of another run.
void check_not_of_run(const std::filesystem::path& out, const std::filesystem::path& run,
                      const std::string& may_replace);

}  // namespace emgnn
