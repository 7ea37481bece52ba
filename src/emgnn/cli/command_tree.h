// SPDX-License-Identifier: Apache-2.0
// The commands and options of the program as plain values, for shell completion and manual pages.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace emgnn::cli {

// What a shell can offer as a value, by the name that --help gives it.
enum class Offer {
  kNothing,
  kDatasets,
  kMethods,
  kSettings,
  kTables,
  kShells,
  kCommands,
  kFiles,
  kFolders
};

struct OptionText {
  std::string name;   // "--dataset"; of an argument without one its word, "table"
  std::string value;  // "NAME|DIR|FILE"; empty: a flag
  std::string help;
  std::string standard;  // the default, where --help shows one
  bool required = false, repeatable = false;
  Offer offer = Offer::kNothing;

  bool is_argument() const { return !name.starts_with('-'); }
};

struct CommandText {
  std::string path;  // "train", "data info"; empty: the program itself
  std::string name;  // its last word
  std::string help, footer;
  std::vector<OptionText> options;
  std::vector<std::string> subcommands;  // their last words
};

// All of them, parents first; the program is the first.
std::vector<CommandText> command_tree(const CLI::App& program);
const CommandText* find_command(const std::vector<CommandText>& tree, const std::string& path);

// What is offered, word by word; of files and folders nothing: the shell knows them.
std::vector<std::string> words_of(Offer offer, const std::vector<CommandText>& tree);

}  // namespace emgnn::cli
