// SPDX-License-Identifier: Apache-2.0
// The subcommands. Each adds itself to the program; its work is done while the arguments are
// parsed.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace emgnn::cli {

// The command line as the user could type it again.
struct Invocation {
  std::string program, whole;  // its first word; all of it
};

// `invocation` as a string is the whole.
void add_train(CLI::App& program, const Invocation& invocation);
void add_tune(CLI::App& program, const std::string& invocation);
void add_plan(CLI::App& program);
void add_predict(CLI::App& program);
void add_evaluate(CLI::App& program);
void add_report(CLI::App& program);
void add_methods(CLI::App& program);
void add_reproduce(CLI::App& program, const std::string& invocation);
void add_data(CLI::App& program, const std::string& invocation);
// These two describe the program, with every command that it has when they are called.
void add_completion(CLI::App& program);
void add_man(CLI::App& program);

}  // namespace emgnn::cli
