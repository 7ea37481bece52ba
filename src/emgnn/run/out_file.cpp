// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/out_file.h>

#include <fmt/format.h>

#include <emgnn/base/error.h>
#include <emgnn/data/registry.h>
#include <emgnn/run/load.h>
#include <emgnn/run/same_run.h>
#include <emgnn/run/stored_request.h>

namespace emgnn {

namespace {

namespace fs = std::filesystem;

// What is not there is the same as nothing.
bool is_same(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

}  // namespace

void check_is_file(const fs::path& out) {
  std::error_code ignored;
  if (fs::is_directory(out, ignored))
    throw UsageError(fmt::format("{}: is a folder; --out names a file", out.string()));
}

void check_not_read(const fs::path& out, const fs::path& input) {
  if (is_same(out, input))
    throw UsageError(fmt::format("{}: is read, and would be overwritten", out.string()));
}

void check_not_data(const fs::path& out, const std::string& dataset, const fs::path& data_dir) {
  if (out.empty()) return;
  if (!is_own_data(dataset)) {
    for (const std::string& file : dataset_info(dataset).files)
      check_not_read(out, (data_dir.empty() ? default_data_dir() : data_dir) / file);
    return;
  }
  check_not_read(out, dataset);
  std::error_code error;
  for (fs::directory_iterator at(dataset, error), end; !error && at != end; at.increment(error))
    check_not_read(out, at->path());
}

void check_not_of_run(const fs::path& out, const fs::path& run, const std::string& may_replace) {
  std::error_code error;
  const fs::path file = fs::canonical(out, error);
  if (error || fs::is_empty(file, error)) return;
  if (file.filename() == may_replace || file.extension() == may_replace) return;
  fs::path folder = file.parent_path();
  if (folder.filename() == kCheckpointFolder) folder = folder.parent_path();
  if (is_same(folder, run) || holds_request(folder))
    throw UsageError(
        fmt::format("{}: would be overwritten, and in the folder of a run only {} may be replaced",
                    out.string(), may_replace.starts_with('.') ? "*" + may_replace : may_replace));
}

}  // namespace emgnn
