// SPDX-License-Identifier: Apache-2.0
// emgnn methods: what there is, and on which data.
#include <fmt/format.h>

#include <emgnn/cli/commands.h>
#include <emgnn/cli/output.h>
#include <emgnn/methods/catalogue.h>

namespace emgnn::cli {

namespace {

void list() {
  std::string out;
  for (const MethodInfo& method : methods()) {
    const char* data = method.graphs && method.molecules ? "graphs, molecules"
                       : method.graphs                   ? "graphs"
                                                         : "molecules";
    out += fmt::format("{:17}  {:17}  {}\n", method.name, data, method.summary);
  }
  print(out);
}

}  // namespace

void add_methods(CLI::App& program) {
  program.add_subcommand("methods", "The methods, and the data each is for")->callback(list);
}

}  // namespace emgnn::cli
