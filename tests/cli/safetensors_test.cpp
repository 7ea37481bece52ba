// SPDX-License-Identifier: Apache-2.0
// The weights that the program writes are safetensors files for everybody: they are read here as
// strictly as the format's own library does, and more, without a line of the program's reader.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/program.h"

namespace emgnn::cli_test {
namespace {

using Json = nlohmann::ordered_json;

uint64_t little_endian(const std::string& bytes) {
  uint64_t out = 0;
  for (int i = 7; i >= 0; --i)
    out = out << 8 | static_cast<unsigned char>(bytes[static_cast<size_t>(i)]);
  return out;
}

// The header, each of whose keys stands there once.
Json header_of(const std::string& bytes) {
  EXPECT_GE(bytes.size(), 8U);
  const uint64_t length = little_endian(bytes);
  EXPECT_LE(length, 100'000'000U);
  EXPECT_LE(length, bytes.size() - 8);
  const std::string text = bytes.substr(8, length);
  EXPECT_TRUE(text.starts_with('{'));
  const size_t end = text.find_last_not_of(' ');  // it may be padded with spaces only
  EXPECT_EQ(text[end], '}');
  std::set<std::string> keys;
  const auto once = [&](int depth, Json::parse_event_t event, const Json& key) {
    if (event == Json::parse_event_t::key && depth == 1) {
      EXPECT_TRUE(keys.insert(key.get<std::string>()).second) << key;
    }
    return true;
  };
  return Json::parse(text, once);
}

void expect_safetensors(const std::string& bytes) {
  static const std::map<std::string, uint64_t> sizes = {
      {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"U16", 2}, {"I16", 2}, {"F16", 2}, {"BF16", 2},
      {"U32", 4},  {"I32", 4}, {"F32", 4}, {"U64", 8}, {"I64", 8}, {"F64", 8}};
  const Json header = header_of(bytes);
  const uint64_t data = 8 + little_endian(bytes);
  EXPECT_EQ(data % 8, 0U);  // the numbers are aligned
  uint64_t at = 0;
  int tensors = 0;
  for (const auto& [name, tensor] : header.items()) {
    if (name == "__metadata__") {
      for (const auto& [key, value] : tensor.items()) EXPECT_TRUE(value.is_string()) << key;
      continue;
    }
    ++tensors;
    EXPECT_EQ(tensor.size(), 3U) << name;
    const auto size = sizes.find(tensor.at("dtype").get<std::string>());
    ASSERT_NE(size, sizes.end()) << name;
    uint64_t wanted = size->second;
    for (const Json& extent : tensor.at("shape")) {
      EXPECT_TRUE(extent.is_number_unsigned()) << name;
      wanted *= extent.get<uint64_t>();
    }
    const Json& offsets = tensor.at("data_offsets");
    ASSERT_EQ(offsets.size(), 2U);
    EXPECT_EQ(offsets[0].get<uint64_t>(), at) << name;  // no gap, no overlap
    EXPECT_EQ(offsets[0].get<uint64_t>() % size->second, 0U) << name;
    EXPECT_EQ(offsets[1].get<uint64_t>() - at, wanted) << name;
    at = offsets[1].get<uint64_t>();
  }
  EXPECT_GT(tensors, 0);
  EXPECT_EQ(data + at, bytes.size());
}

TEST(Safetensors, ModelsAndCheckpointsHaveTheLayoutOfTheFormat) {
  for (const char* method : {"gcn", "em-gcn", "label-propagation", "bgcn"}) {
    const Workplace place;
    std::vector<std::string> call = {
        "train", "--dataset", "noisy-relations",    "--method", method, "--quiet",
        "--out", "run",       "--checkpoint-every", "0"};
    if (std::string(method) == "em-gcn")
      call = joined(call, {"--set", "em.rounds=2", "--set", "em.steps=3"});
    if (std::string(method) == "bgcn")
      call = joined(call,
                    {"--set", "fit.epochs=8", "--set", "bgcn.warmup=2", "--set", "bgcn.burn_in=2",
                     "--set", "bgcn.random_iterations=5", "--set", "bgcn.iterations=5"});
    if (std::string(method) == "gcn") call = joined(call, {"--set", "fit.epochs=5"});
    const Outcome outcome = run(place, call);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    SCOPED_TRACE(method);
    expect_safetensors(read(place.path() / "run/model.safetensors"));
    expect_safetensors(read(place.path() / "run/checkpoint/state.safetensors"));
  }
}

// The first weight of the first layer, as another program would read it.
TEST(Safetensors, ATensorLiesWhereTheHeaderSays) {
  const Workplace place;
  ASSERT_EQ(run(place, {"train", "--dataset", "noisy-relations", "--method", "gcn", "--quiet",
                        "--out", "run", "--set", "fit.epochs=3"})
                .status,
            0);
  const std::string bytes = read(place.path() / "run/model.safetensors");
  const Json header = header_of(bytes);
  int seen = 0;
  for (const auto& [name, tensor] : header.items()) {
    if (!name.starts_with("weight/")) continue;
    ++seen;
    const size_t begin = 8 + little_endian(bytes) + tensor["data_offsets"][0].get<uint64_t>();
    const size_t end = 8 + little_endian(bytes) + tensor["data_offsets"][1].get<uint64_t>();
    double largest = 0.0;
    for (size_t at = begin; at < end; at += sizeof(float)) {
      float value = 0.0F;
      std::memcpy(&value, bytes.data() + at, sizeof(value));
      largest = std::max(largest, std::abs(static_cast<double>(value)));
    }
    EXPECT_GT(largest, 0.0) << name;
    EXPECT_LT(largest, 100.0) << name;  // other bytes would be any number
  }
  EXPECT_GE(seen, 2);
}

}  // namespace
}  // namespace emgnn::cli_test
