// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/verify.h>

#include <gtest/gtest.h>

#include <map>

#include "data/real_data.h"
#include "data/temp_dir.h"

namespace emgnn {
namespace {

std::map<std::string, VerifyRow> rows_by_name(const std::filesystem::path& dir) {
  std::map<std::string, VerifyRow> rows;
  for (VerifyRow& row : verify_data(dir)) rows[row.name] = row;
  return rows;
}

TEST(Verify, ConfirmsTheRealDirectory) {
  EMGNN_NEEDS_REAL_DATA();
  const auto rows = rows_by_name(testing::real_data_dir());
  for (const auto& [name, row] : rows)
    EXPECT_NE(row.status, VerifyStatus::kDamaged) << name << ": " << row.detail;
  EXPECT_EQ(rows.at("cora").detail,
            "2708 nodes, 5278 citation, 1433 features, 7 classes, split 140/500/1000");
  EXPECT_EQ(rows.at("imdb").detail,
            "12772 nodes, 4661 MD, 13983 MA, 1256 features, 3 classes, split 300/300/2339");
}

TEST(Verify, TellsAbsentIncompleteAndDamagedApart) {
  const testing::TempDir dir;
  dir.write("planetoid/ind.cora.x", "nonsense");
  dir.write("moleculenet/SAMPL.csv", "nonsense");
  const auto rows = rows_by_name(dir.path());
  EXPECT_EQ(rows.at("acm").status, VerifyStatus::kAbsent);
  EXPECT_EQ(rows.at("cora").status, VerifyStatus::kIncomplete);
  EXPECT_NE(rows.at("cora").detail.find("ind.cora.allx"), std::string::npos);
  EXPECT_EQ(rows.at("freesolv").status, VerifyStatus::kDamaged);
  EXPECT_EQ(rows.at("planetoid/ind.cora.x").status, VerifyStatus::kDamaged);
}

}  // namespace
}  // namespace emgnn
