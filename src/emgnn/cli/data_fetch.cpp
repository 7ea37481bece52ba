// SPDX-License-Identifier: Apache-2.0
// emgnn data fetch: downloads the files of a dataset.
#include <memory>

#include <emgnn/base/error.h>
#include <emgnn/cli/data_commands.h>
#include <emgnn/cli/interrupt.h>
#include <emgnn/cli/output.h>
#include <emgnn/cli/status_line.h>
#include <emgnn/data/fetch.h>
#include <emgnn/data/registry.h>

namespace emgnn::cli {

namespace {

struct FetchArguments {
  FetchRequest request;
  std::string data_dir;
  bool quiet = false;
};

std::string size_text(uint64_t bytes) {
  return bytes < 1'000'000 ? fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3)
                           : fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

// "2/8 planetoid/ind.cora.allx [####----]  50 %  0.4 of 0.8 MB"
std::string progress_text(const FetchProgress& now, bool on_terminal) {
  std::string out = fmt::format("{}/{} {} ", now.index + 1, now.count, now.file);
  if (on_terminal && now.total > 0)
    out += bar(static_cast<double>(now.received) / static_cast<double>(now.total)) + "  ";
  out += size_text(now.received);
  return now.total > 0 ? out + " of " + size_text(now.total) : out;
}

std::vector<FetchedFile> download(const FetchArguments& arguments, const std::string& invocation) {
  catch_interrupts();
  StatusLine line(arguments.quiet);
  try {
    return fetch_dataset(arguments.request, [&](const FetchProgress& now) {
      if (line.due()) line.show(progress_text(now, line.on_terminal()));
      return !interrupt_requested();
    });
  } catch (const Interrupted& stop) {
    throw Interrupted(fmt::format("{}: {}", stop.what(), invocation));
  }
}

void fetch(FetchArguments& arguments, const std::string& invocation) {
  arguments.request.data_dir = arguments.data_dir;
  if (dataset_info(arguments.request.name).files.empty())
    return print(
        fmt::format("{} is generated: there is nothing to fetch\n", arguments.request.name));
  std::string out;
  for (const FetchedFile& file : download(arguments, invocation)) {
    out += fmt::format("{:>10}  {:10}  {}\n", size_text(file.bytes),
                       file.downloaded ? "downloaded" : "was there", file.file);
  }
  print(out);
}

}  // namespace

void add_data_fetch(CLI::App& data, const std::string& invocation) {
  CLI::App* command = data.add_subcommand(
      "fetch", "Download a dataset from its public home; resumes where an earlier one stopped");
  const auto arguments = std::make_shared<FetchArguments>();
  command->add_option("name", arguments->request.name, "Name of a dataset; see emgnn data list")
      ->type_name("NAME")
      ->required();
  command
      ->add_option("--mirror", arguments->request.mirror,
                   "Download from here instead; the layout is that of the data directory")
      ->type_name("URL");
  add_data_dir(*command, arguments->data_dir);
  command->add_flag("--quiet", arguments->quiet, "Only errors on standard error");
  command->callback([arguments, invocation] { fetch(*arguments, invocation); });
}

}  // namespace emgnn::cli
