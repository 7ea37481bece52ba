// SPDX-License-Identifier: Apache-2.0
// Every setting that is shipped is read by somebody and legal.
#include <gtest/gtest.h>

#include <toml++/toml.h>
#include <set>

#include <emgnn/base/shipped_files.h>
#include <emgnn/data/registry.h>
#include <emgnn/run/config.h>
#include <emgnn/run/config_text.h>
#include <emgnn/run/load.h>
#include "run/small_run.h"
#include "test_name.h"

namespace emgnn {
namespace {

using Names = std::vector<std::string>;

// What is found when such a dataset is loaded.
DataFacts facts_of_named(const std::string& dataset) {
  const std::string kind = dataset_info(dataset).kind;
  if (kind == "molecules") {
    return {DataKind::kMolecules,
            dataset == "toy-molecules-binary" ? LabelKind::kLabels : LabelKind::kValues,
            {}};
  }
  const bool mixed = kind == "heterogeneous" || dataset == "noisy-relations";
  return {DataKind::kGraph, LabelKind::kClasses, mixed ? 2 : 1};
}

// The datasets that a shipped file is for.
Names datasets_of(const std::string& path) {
  const std::string folder = path.substr(0, path.find('/'));
  const std::string name = path.substr(path.find('/') + 1);
  // These stand for any.
  if (name == "own-graphs" || name == "large-graphs") return {"noisy-citations", "noisy-relations"};
  if (folder == "presets" && name == "molecules") return {"toy-molecules"};
  if (folder == "presets") return {"noisy-citations", "noisy-relations"};
  Names out;
  for (const DatasetInfo& info : list_datasets()) {
    const bool is_for = folder == "methods"   ? method_info(name).fits(kind_of(info.name))
                        : folder == "groups"  ? group_of(info.name) == name
                        : folder == "recipes" ? true
                                              : info.name == name;
    if (is_for) out.push_back(info.name);
  }
  return out;
}

std::map<std::string, ConfigEntry> entries_on(const std::string& method, const std::string& dataset,
                                              const std::string& recipe) {
  RunConfig config(method, dataset, recipe);
  config.narrow(facts_of_named(dataset));
  std::map<std::string, ConfigEntry> out;
  for (const ConfigEntry& entry : config.entries()) out[entry.key] = entry;
  return out;
}

// Whether one of the methods reads the key on one of the datasets; then its value must be legal.
bool is_read(const Assignment& a, const Names& of_methods, const Names& datasets,
             const std::string& recipe = "") {
  bool read = false;
  for (const std::string& dataset : datasets) {
    for (const std::string& method : of_methods) {
      if (!method_info(method).fits(kind_of(dataset))) continue;
      const auto entries = entries_on(method, dataset, recipe);
      const auto found = entries.find(a.key);
      if (found == entries.end()) continue;
      read = true;
      EXPECT_TRUE(a.fits(found->second.kind)) << a.where << a.key << " is a TOML " << a.toml_type;
      RunConfig config(method, dataset);
      EXPECT_NO_THROW(config.set(a.key + "=" + a.value, "shipped")) << a.where << a.key;
    }
  }
  return read;
}

Names all_methods() {
  Names out;
  for (const MethodInfo& method : methods()) out.push_back(method.name);
  return out;
}

// A recipe is for the methods that have one.
Names em_methods() {
  Names out;
  for (const MethodInfo& method : methods())
    if (method.em) out.push_back(method.name);
  return out;
}

class ShippedConfig : public ::testing::TestWithParam<ShippedFile> {};

TEST_P(ShippedConfig, WhatItSaysOfARecipeIsReadThere) {
  const std::string path(GetParam().path), file = "configs/" + path + ".toml";
  for (const Assignment& table : tables_below("recipe", GetParam().text, file)) {
    EXPECT_EQ(RunConfig("em-gcn", "cora", table.key).values().at("em.recipe"), table.key);
    const auto all = recipe_assignments(GetParam().text, file, "", table.key);
    for (const Assignment& a : all)
      EXPECT_TRUE(is_read(a, em_methods(), datasets_of(path), table.key)) << a.where << a.key;
    for (const std::string& method : em_methods()) {
      for (const Assignment& a : recipe_assignments(GetParam().text, file, method, table.key))
        EXPECT_TRUE(is_read(a, em_methods(), datasets_of(path), table.key)) << a.where << a.key;
    }
  }
}

TEST_P(ShippedConfig, EveryKeyIsReadOnItsDataAndHasALegalValue) {
  const std::string path(GetParam().path);
  const std::string recipe =
      path.starts_with("recipes/") ? path.substr(path.find('/') + 1) : std::string();
  const Names datasets = datasets_of(path);
  ASSERT_FALSE(datasets.empty()) << path << " is for no dataset";
  const std::string file = "configs/" + path + ".toml";
  const Names methods_for_all =
      path.starts_with("methods/") ? Names{path.substr(path.find('/') + 1)} : all_methods();
  const std::vector<Assignment> general = parse_assignments(GetParam().text, file, "");
  for (const Assignment& a : general)
    EXPECT_TRUE(is_read(a, methods_for_all, datasets, recipe))
        << a.where << a.key << ": nothing reads it";
  const toml::table all = toml::parse(GetParam().text);
  const toml::table* own = all["method"].as_table();
  for (const auto& [name, table] : own == nullptr ? toml::table{} : *own) {
    const std::string method(name.str());
    ASSERT_TRUE(table.is_table()) << path << ": method." << method;
    const std::vector<Assignment> both = parse_assignments(GetParam().text, file, method);
    EXPECT_GT(both.size(), general.size()) << path << ": [method." << method << "] is empty";
    for (size_t i = general.size(); i < both.size(); ++i) {
      EXPECT_TRUE(is_read(both[i], {method}, datasets))
          << both[i].where << both[i].key << ": " << method << " does not read it";
    }
  }
}

std::vector<ShippedFile> settings_files() {
  std::vector<ShippedFile> out;
  for (const ShippedFile& file : shipped_files())
    if (!file.path.starts_with("tables/") && file.path != "keys.txt") out.push_back(file);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Files, ShippedConfig, ::testing::ValuesIn(settings_files()),
                         [](const auto& info) {
                           return as_test_name(std::string(info.param.path));
                         });

// The published output of gin is one linear map that begins with U(±1/√in), not with Xavier's weights.
TEST(ShippedConfigs, TheOutputOfGinBeginsAsPublished) {
  for (const char* dataset : {"freesolv", "esol", "lipophilicity"}) {
    const auto entries = entries_on("gin", dataset, "");
    EXPECT_EQ(entries.at("model.form").value, "molecular") << dataset;
    EXPECT_EQ(entries.at("model.head").value, "0") << dataset;
    EXPECT_EQ(entries.at("model.head_norm").value, "true") << dataset;
  }
}

TEST(ShippedConfigs, LieInFoldersThatAreRead) {
  std::set<std::string> folders;
  for (const ShippedFile& file : shipped_files())
    if (file.path != "keys.txt") folders.emplace(file.path.substr(0, file.path.find('/')));
  for (const std::string& folder : folders)
    EXPECT_TRUE(
        (std::set<std::string>{"datasets", "groups", "methods", "presets", "recipes", "tables"})
            .contains(folder))
        << folder;
  EXPECT_GE(settings_files().size(), 15U);
}

}  // namespace
}  // namespace emgnn
