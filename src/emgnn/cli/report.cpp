// SPDX-License-Identifier: Apache-2.0
// emgnn report: what runs left behind, as one HTML file.
#include <filesystem>
#include <memory>

#include <emgnn/base/file.h>
#include <emgnn/cli/commands.h>
#include <emgnn/cli/output.h>
#include <emgnn/cli/run_request.h>
#include <emgnn/report/run_report.h>
#include <emgnn/run/out_file.h>

namespace emgnn::cli {

namespace {

namespace fs = std::filesystem;

struct ReportArguments {
  std::vector<std::string> runs, nodes;
  std::string out;
  bool quiet = false;
};

constexpr const char* kExamples = R"(
Examples:
  emgnn train --dataset noisy-relations --method em-gcn --runs 5 --out runs/em
  emgnn report runs/em
      runs/em/report.html: the outcome, the learned distribution, training, calibration, rows and edges to look at
  emgnn train --dataset noisy-relations --method gcn --runs 5 --out runs/gcn
  emgnn report runs/em runs/gcn --out em-or-gcn.html
      the two side by side, and how far the first is ahead, seed by seed
  emgnn report runs/rewired --node n17 --node n42
      the neighbourhoods of these two nodes as well, by the ids of your own data

A run that is not finished is shown as far as it is.

Exit status: 0 done, 2 bad usage, or not the folder of a run, or no such node, 3 a damaged or missing file of a run, 1 other errors.
)";

void run(const ReportArguments& arguments) {
  const std::vector<fs::path> folders(arguments.runs.begin(), arguments.runs.end());
  const std::string html = html_report(folders, arguments.nodes);
  const fs::path out =
      arguments.out.empty() ? folders.front() / "report.html" : fs::path(arguments.out);
  check_is_file(out);
  for (const fs::path& folder : folders) check_not_of_run(out, folder, ".html");
  write_atomically(out, html);
  if (!arguments.quiet) print(fmt::format("report in {}\n", out.string()));
}

}  // namespace

void add_report(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("report", "Show runs as one HTML file, alone or side by side");
  const auto arguments = std::make_shared<ReportArguments>();
  command
      ->add_option("run", arguments->runs,
                   "Folders of runs: --out of emgnn train; the first is compared with the others")
      ->type_name("RUN_DIR")
      ->required()
      ->check(not_empty);
  command
      ->add_option("--node", arguments->nodes,
                   "Also draw the neighbourhood of this node, with what each edge is worth; "
                   "repeatable")
      ->type_name("ID")
      ->check(not_empty)
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--out", arguments->out, "The file to write; default: RUN_DIR/report.html")
      ->type_name("FILE.html")
      ->check(not_empty);
  command->add_flag("--quiet", arguments->quiet, "Only errors");
  command->footer(kExamples);
  command->callback([arguments] { run(*arguments); });
}

}  // namespace emgnn::cli
