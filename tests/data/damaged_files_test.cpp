// SPDX-License-Identifier: Apache-2.0
// Every real file, damaged. As published data any damage is one clear error that names the file.
// With allow_modified there are no checksums and no counts; then the readers alone must get by
// without a crash or a hang.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/base/rng.h>
#include <emgnn/data/load_molecules.h>
#include <emgnn/data/registry.h>

#include "data/expect_error.h"
#include "data/real_data.h"
#include "data/temp_dir.h"

namespace emgnn {
namespace {

namespace fs = std::filesystem;

struct Damage {
  const char* name;
  std::function<std::string(const std::string&)> apply;
};

std::string flipped(std::string bytes, uint64_t key) {
  Rng rng(key, Stream::kTest);
  const size_t at = rng.below(bytes.size());
  bytes[at] = static_cast<char>(bytes[at] ^ (1 << rng.below(8)));
  return bytes;
}

std::string permuted(std::string bytes) {
  const size_t block = std::max<size_t>(1, bytes.size() / 7);
  std::rotate(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(block), bytes.end());
  return bytes;
}

const std::vector<Damage>& damages() {
  static const std::vector<Damage> all = {
      {"empty", [](const std::string&) { return std::string(); }},
      {"first half", [](const std::string& b) { return b.substr(0, b.size() / 2); }},
      {"all but a byte", [](const std::string& b) { return b.substr(0, b.size() - 1); }},
      {"permuted", [](const std::string& b) { return permuted(b); }},
      {"bit 1", [](const std::string& b) { return flipped(b, 1); }},
      {"bit 2", [](const std::string& b) { return flipped(b, 2); }},
      {"bit 3", [](const std::string& b) { return flipped(b, 3); }},
      {"trailing bytes", [](const std::string& b) { return b + "xyz"; }},
  };
  return all;
}

// A copy of one dataset's files in which one file at a time can be replaced.
class DamagedFiles : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    EMGNN_NEEDS_REAL_DATA();
    for (const std::string& file : dataset_info(GetParam()).files) {
      EMGNN_NEEDS_FILE(file);
      dir_.write(file, read_file(testing::real_data_dir() / file));
    }
  }

  void load(bool allow_modified) {
    DatasetRequest request;
    request.name = GetParam();
    request.data_dir = dir_.path();
    request.use_cache = false;
    request.allow_modified = allow_modified;
    if (is_molecule_table(request.name)) {
      read_molecules(
          {.name = request.name, .data_dir = request.data_dir, .allow_modified = allow_modified});
    } else {
      load_dataset(request);
    }
  }

  testing::TempDir dir_;
};

TEST_P(DamagedFiles, AreOneClearError) {
  for (const std::string& file : dataset_info(GetParam()).files) {
    const std::string good = read_file(dir_ / file);
    for (const Damage& damage : damages()) {
      SCOPED_TRACE(file + ": " + damage.name);
      dir_.write(file, damage.apply(good));
      testing::expect_error<DataError>([&] { load(false); }, {file});
    }
    dir_.write(file, good);
  }
  EXPECT_NO_THROW(load(false));
}

TEST_P(DamagedFiles, NeverCrashTheReadersThemselves) {
  for (const std::string& file : dataset_info(GetParam()).files) {
    const std::string good = read_file(dir_ / file);
    for (const Damage& damage : damages()) {
      SCOPED_TRACE(file + ": " + damage.name);
      dir_.write(file, damage.apply(good));
      try {
        load(true);
      } catch (const DataError& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      }
    }
    dir_.write(file, good);
  }
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const DatasetInfo& info : list_datasets()) names.push_back(info.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(EveryDataset, DamagedFiles, ::testing::ValuesIn(all_names()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace emgnn
