// SPDX-License-Identifier: Apache-2.0
// The configuration of a run: the options of whoever reads them, and which layer each value comes
// from. Weakest first: defaults < configs/methods < configs/groups < configs/datasets < the recipe
// of EM < files < set. A preset stands in place of the group and the dataset.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <emgnn/methods/method.h>
#include <emgnn/run/options.h>
#include <emgnn/run/request.h>
#include <emgnn/run/results.h>

namespace emgnn {

class RunConfig {
 public:
  // The shipped settings of the method on the dataset, and of a recipe and a preset; empty: the
  // shipped ones. UsageError for an unknown method, dataset or preset, or when they do not fit.
  RunConfig(const std::string& method, const std::string& dataset, const std::string& recipe = "",
            const std::string& preset = "");

  DataOptions data;
  PresetOptions preset;
  EnsembleOptions ensemble;
  CalibrationOptions calibration;
  const MethodConfig& method() const { return *method_; }
  // The method's, or an ensemble of them, calibrated or not. UsageError when the data or the settings do not fit.
  std::shared_ptr<Learner> learner(const LearnerInput& input) const;
  DataKind kind() const { return facts_.kind; }

  // Later layers win. An unknown key is a UsageError that names near matches. TOML messages carry
  // line numbers; a table [method.NAME] is read when it is this method's.
  void read_toml(std::string_view text, const std::string& layer);
  void set(std::string_view assignment, const std::string& layer);  // "em.rounds=20"
  void apply(const SettingLayer& layer);

  // What the data has been found to be. UsageError when a value that a user set is not read on it.
  void narrow(const DataFacts& facts);

  // Every key that is read, in a fixed order.
  std::vector<ConfigEntry> entries() const;
  std::map<std::string, std::string> values() const;  // what tells one configuration from another
  std::string to_toml() const;                        // every key, with its help as a comment

  // Values that an earlier version stored; keys that are no more are left out.
  void read_stored(const std::map<std::string, std::string>& values);

 private:
  friend class ConfigReader;
  std::shared_ptr<Learner> uncalibrated(const LearnerInput& input) const;
  void describe(OptionVisitor& visitor) const;
  struct Shipped {
    std::string path, layer;  // of configs/, and what its values are said to come from
  };
  std::vector<Shipped> shipped_for(const std::string& dataset, const std::string& preset);
  void read_recipe(const std::vector<Shipped>& shipped, const std::string& recipe);

  std::string method_name_;
  std::string chosen_preset_;  // whose files are the base; empty: none
  std::unique_ptr<MethodConfig> method_;
  DataFacts facts_;
  std::map<std::string, std::string> layer_;  // of each key that is not at its default
  std::map<std::string, std::string> user_;   // keys that no shipped file set, with their layer
};

// The resolved configuration of a request, before the data is known.
RunConfig resolve(const ConfigRequest& request);

}  // namespace emgnn
