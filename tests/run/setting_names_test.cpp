// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/setting_names.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include <emgnn/base/file.h>
#include <emgnn/run/config.h>
#include "paths.h"
#include "run/small_run.h"

namespace emgnn {
namespace {

using testing::message_of;
using Names = std::vector<std::string>;

const char* dataset_of(DataKind kind) {
  return kind == DataKind::kGraph ? "noisy-relations" : "toy-molecules";
}

std::string error_of(const ConfigRequest& request) {
  return message_of<UsageError>([&] { check_setting_names(request); });
}

std::string error_of(const char* method, const char* dataset, const char* setting) {
  return error_of({.dataset = dataset,
                   .method = method,
                   .layers = {{.name = "--set", .toml = "", .assignments = {setting}}}});
}

TEST(SettingNames, AreThoseThatEachMethodReads) {
  for (const MethodInfo& method : methods()) {
    for (const DataKind kind : {DataKind::kGraph, DataKind::kMolecules}) {
      Names read;
      if (method.fits(kind))
        for (const ConfigEntry& entry : RunConfig(method.name, dataset_of(kind)).entries())
          read.push_back(entry.key);
      Names known = setting_names(method.name, kind);
      std::sort(read.begin(), read.end());
      std::sort(known.begin(), known.end());
      EXPECT_EQ(known, read) << method.name << " on " << name_of(kind)
                             << ": configs/keys.txt is out of date; run ./dev docs";
    }
  }
}

TEST(SettingNames, AreTheKeysOfThePageOfSettings) {
  std::set<std::string> known, on_page;
  for (const MethodInfo& method : methods())
    for (const DataKind kind : {DataKind::kGraph, DataKind::kMolecules})
      for (const std::string& key : setting_names(method.name, kind)) known.insert(key);
  std::istringstream page(read_file(std::string(testing::kSourceDir) + "/docs/config.md"));
  for (std::string line; std::getline(page, line);)
    if (line.starts_with("| `")) on_page.insert(line.substr(3, line.find('`', 3) - 3));
  EXPECT_EQ(on_page, known) << "docs/config.md is out of date; run ./dev docs";
}

// Messages, notes and docs advise no key that does not exist: in strings of the program, and in what the
// docs print as code.
TEST(SettingNames, ThoseThatAreAdvisedExist) {
  const Names all = all_setting_names();
  const std::set<std::string> known(all.begin(), all.end());
  std::set<std::string> groups;
  for (const std::string& key : known) groups.insert(key.substr(0, key.find('.')));
  // Files, and fields of results.json.
  const std::set<std::string> other = {"data.md", "data.zip",    "data.sha", "data.task",
                                       "fit.h",   "preset.json", "split.h",  "model.safetensors"};
  const std::regex string(R"re("((?:[^"\\]|\\.)*)")re"), code("`([^`]*)`"),
      key(R"re((^|[^\w.])([a-z]+)\.([a-z_]+))re");
  int64_t found = 0;
  for (const char* folder : {"src", "docs"})
    for (const auto& file : std::filesystem::recursive_directory_iterator(
             std::string(testing::kSourceDir) + "/" + folder)) {
      const std::string suffix = file.path().extension().string();
      if (suffix != ".cpp" && suffix != ".md") continue;
      std::istringstream text(read_file(file.path()));
      for (std::string line; std::getline(text, line);) {
        if (line.starts_with("#include")) continue;
        const std::regex& quoted = suffix == ".cpp" ? string : code;
        for (std::sregex_iterator part(line.begin(), line.end(), quoted), end; part != end;
             ++part) {
          const std::string words = (*part)[1];
          for (std::sregex_iterator at(words.begin(), words.end(), key); at != end; ++at) {
            const std::string name = at->str(2) + "." + at->str(3);
            if (!groups.contains(at->str(2)) || other.contains(name)) continue;
            EXPECT_TRUE(known.contains(name)) << file.path() << " names " << name;
            ++found;
          }
        }
      }
    }
  EXPECT_GT(found, 100);
}

TEST(SettingNames, AnUnknownKeyIsAnsweredAsByTheConfiguration) {
  for (const char* setting : {"em.round=3", "zzzzzzzz=3", "em.rounds", "=3", ""}) {
    EXPECT_EQ(error_of("em-gcn", "noisy-relations", setting), message_of<UsageError>([&] {
                RunConfig("em-gcn", "noisy-relations").set(setting, "--set");
              }));
  }
  EXPECT_EQ(error_of("em-gcn", "noisy-relations", "em.rounds=many"), "no error");  // a value
}

TEST(SettingNames, AKeyOfOthersNamesThem) {
  EXPECT_EQ(error_of("em-gcn", "cora", "model.structure=true"),
            "unknown key \"model.structure\" for em-gcn; it is read by acm-gcn+, em-acm");
  EXPECT_EQ(error_of("em-gcn", "cora", "data.smiles=s"),
            "unknown key \"data.smiles\" for em-gcn; it is read on molecules only");
  EXPECT_EQ(error_of("em-gcn", "esol", "perturb=1"),
            "unknown key \"perturb\" for em-gcn; it is read on the nodes of a graph only");
}

TEST(SettingNames, OfAFileAreAnsweredWithTheLine) {
  const auto read = [](const char* text) {
    return error_of({.dataset = "cora",
                     .method = "em-gcn",
                     .layers = {{.name = "f.toml", .toml = text, .assignments = {}}}});
  };
  EXPECT_EQ(read("[em]\nround = 3\n"),
            "f.toml:2: unknown key \"em.round\" for em-gcn; did you mean em.rounds?");
  EMGNN_EXPECT_PART(read("[method.em-gcn.em]\nround = 3\n"), "f.toml:2: unknown key");
  EXPECT_EQ(read("[method.gcn.em]\nround = 3\n"), "no error");
  EMGNN_EXPECT_PART(read("[em\n"), "f.toml:1: ");
}

TEST(SettingNames, AWrongMethodOrDatasetIsRefusedFirst) {
  EMGNN_EXPECT_PART(error_of("em-gcn", "coar", "x=1"), "did you mean cora");
  EMGNN_EXPECT_PART(error_of("em-gnc", "cora", "x=1"), "unknown method");
  EMGNN_EXPECT_PART(error_of("sgc", "esol", "x=1"), "method sgc is for the nodes of a graph");
}

}  // namespace
}  // namespace emgnn
