// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <zip.h>

#include <string>
#include <utility>
#include <vector>

#include <emgnn/base/file.h>

#include "data/temp_dir.h"

namespace emgnn::testing {

// The bytes of an archive with these members, name and content.
inline std::string make_zip(const std::vector<std::pair<std::string, std::string>>& members) {
  const TempDir dir;
  const std::string path = (dir / "a.zip").string();
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE, nullptr);
  for (const auto& [name, bytes] : members) {
    zip_file_add(archive, name.c_str(), zip_source_buffer(archive, bytes.data(), bytes.size(), 0),
                 0);
  }
  EXPECT_EQ(zip_close(archive), 0);
  return read_file(path);
}

}  // namespace emgnn::testing
