// SPDX-License-Identifier: Apache-2.0
// The configuration of a run as text: TOML files, key=value settings, and the resolved form.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <emgnn/data/molecule_options.h>
#include <emgnn/em/options.h>

namespace emgnn {

struct DataOptions {
  std::string split;     // empty: the dataset's own
  double perturb = 0.0;  // percent of the edges
  bool normalise_features = false;
  bool directed_relations = false;  // each direction of a relation is an edge type of its own
  MoleculeOptions molecules;
};

struct RunConfig {
  DataOptions data;
  TrainOptions train;
};
void describe(OptionVisitor& visitor, RunConfig& config);

// One key with its current value, for --help, documentation and JSON.
struct ConfigEntry {
  std::string key, help, accepted, value;
  enum class Kind { kFlag, kInteger, kReal, kText, kChoice } kind;
};
std::vector<ConfigEntry> entries(const RunConfig& config);

// Sets one key; an unknown key is a UsageError that names near matches.
void set(RunConfig& config, std::string_view key, std::string_view value);
void set(RunConfig& config, std::string_view assignment);  // "em.rounds=20"

// Reads TOML text over the current values; `name` is the file's name for messages, which carry line
// numbers.
void read_toml(RunConfig& config, std::string_view text, const std::string& name);
// The same for one table of the text; a table that is not there changes nothing.
void read_toml_section(RunConfig& config, std::string_view text, const std::string& name,
                       std::string_view section);
std::string to_toml(const RunConfig& config);  // every key, with its help as a comment

}  // namespace emgnn
