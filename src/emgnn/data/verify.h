// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace emgnn {

enum class VerifyStatus { kOk, kAbsent, kIncomplete, kDamaged };
const char* name_of(VerifyStatus status);  // "ok", "absent", "incomplete", "damaged"

struct VerifyRow {
  std::string name;  // a dataset, or a published file that no dataset reads
  VerifyStatus status = VerifyStatus::kOk;
  std::string detail;  // the counts, the files that are missing, or what is wrong
};

// Reads every named dataset that is there from its files, without the cache, and compares checksums
// and counts. Says what is read next, a dataset or a file; what that throws ends it.
std::vector<VerifyRow> verify_data(
    const std::filesystem::path& data_dir,
    const std::function<void(const std::string& name)>& on_next = [](const std::string&) {});

}  // namespace emgnn
