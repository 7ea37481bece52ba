// SPDX-License-Identifier: Apache-2.0
// Configurations as TOML text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <emgnn/run/results.h>

namespace emgnn {

// One value of a file or of --set.
struct Assignment {
  std::string key, value;
  std::string where;      // "file:12: ", or nothing
  std::string toml_type;  // of the value in a file; empty: plain text that may be anything

  // A file's value is accepted only in the type of its field: text for text and choices, numbers
  // for numbers.
  bool fits(ConfigEntry::Kind kind) const;
};

// First the tables for all methods, then those below [method.NAME] of this one; not those below
// [recipe], [preset] and [run]. UsageError with the file's name and the line when the text is no TOML.
std::vector<Assignment> parse_assignments(std::string_view text, const std::string& file,
                                          const std::string& method);
// What stands below [recipe.NAME], in the same order.
std::vector<Assignment> recipe_assignments(std::string_view text, const std::string& file,
                                           const std::string& method, const std::string& recipe);

// "em.rounds=20" of a layer. UsageError when it has no key or no value.
Assignment parse_assignment(std::string_view text, const std::string& layer);

// What stands below [method] or [recipe]: a key for each NAME, and what it is.
std::vector<Assignment> tables_below(std::string_view table, std::string_view text,
                                     const std::string& file);

std::string to_toml(const std::vector<ConfigEntry>& entries);

// The table [preset] of a shipped preset: what it is for, the data it is for (graphs or molecules), and
// the shipped files that it begins with.
struct PresetTable {
  std::string summary, data = "graphs";
  std::vector<std::string> from;
};
PresetTable preset_table(std::string_view text, const std::string& file);

// The table [run] at the end of a run's config.toml: what the settings above it were used for.
struct StoredRun {
  std::string dataset, method;
};
std::string to_toml(const StoredRun& run);
// Nothing where a file has no such table. UsageError when it holds anything else.
std::optional<StoredRun> stored_run(std::string_view text, const std::string& file);

}  // namespace emgnn
