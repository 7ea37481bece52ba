// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <emgnn/cli/command_tree.h>

namespace emgnn::cli {

// A script that completes commands, options, datasets, methods and settings. UsageError for a shell
// other than bash, zsh and fish.
std::string completion_script(const std::string& shell, const std::vector<CommandText>& tree);

// Manual page of a command in roff; of the program where the path is empty.
std::string manual_page(const CommandText& command, const std::vector<CommandText>& tree);

}  // namespace emgnn::cli
