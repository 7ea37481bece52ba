// SPDX-License-Identifier: Apache-2.0
// The program: subcommands, and errors as one line with an exit status.
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <sstream>

#include <emgnn/base/error.h>
#include <emgnn/base/memory.h>
#include <emgnn/base/options.h>
#include <emgnn/base/shell_quoted.h>
#include <emgnn/base/version.h>
#include <emgnn/cli/commands.h>
#include <emgnn/cli/interrupt.h>
#include <emgnn/cli/output.h>

namespace emgnn::cli {

namespace {

constexpr int kExitOther = 1;
constexpr int kExitUsage = 2;
constexpr int kExitData = 3;

// A stream that the caller has closed must not become the first file we open. Writing to such a
// standard output fails.
void occupy_standard_streams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) == -1) open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
}

// Every gradient step takes and frees the same large buffers. Handed back to the system each time,
// they cost up to a third of a run in page faults. So all of them come from one heap, which keeps up
// to a gigabyte at its end; the heaps of other threads cannot hold them. Where the memory is too little
// for a run, nothing is kept.
void keep_freed_memory() {
  if (const int64_t limit = memory_limit(); limit > 0 && limit < kLeastMemory) return;
#ifdef __GLIBC__
  constexpr int kKept = 1 << 30, kGrowth = 64 << 20;
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TRIM_THRESHOLD, kKept);
  mallopt(M_TOP_PAD, kGrowth);
#endif
}

// What is too much for the machine fails here, with a message, and not by the system's choice of
// what to end. Sanitizers reserve more than there is.
void stay_within_memory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const int64_t available = std::max(available_memory(), kLeastMemory);
  const int64_t limit = memory_limit();
  if (limit == 0 || available < limit) limit_memory(available);
#endif
}

int fail(int status, const std::string& message) {
  fmt::print(stderr, "emgnn: {}\n", message.substr(0, message.find('\n')));
  return status;
}

std::string out_of_memory() {
  return fmt::format(
      "out of memory: this needs more than {} (--memory, or what was free at the start)",
      bytes_in_words(memory_limit()));
}

// LibTorch, a thread without room for its stack and a library that cannot be opened do not throw
// std::bad_alloc.
bool is_want_of_memory(const std::string& what) {
  constexpr const char* kSigns[] = {"can't allocate memory", "Resource temporarily unavailable",
                                    "cannot map zero-fill pages", "failed to map segment"};
  return std::any_of(std::begin(kSigns), std::end(kSigns),
                     [&](const char* sign) { return what.find(sign) != std::string::npos; });
}

Invocation invocation_of(int argc, char** argv) {
  Invocation out;
  for (int i = 0; i < argc; ++i) {
    const std::string word = shell_quoted(argv[i]);
    if (i == 0) out.program = word;
    out.whole += (i == 0 ? "" : " ") + word;
  }
  return out;
}

// CLI11 reports an unknown command as a missing one.
void check_command(const CLI::App& program, const std::string& name) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  if (name.starts_with('-') || std::find(names.begin(), names.end(), name) != names.end()) return;
  const std::vector<std::string> near = near_matches(name, names);
  throw UsageError(fmt::format("unknown command \"{}\"; {} {}", name,
                               near.empty() ? "known:" : "did you mean",
                               fmt::join(near.empty() ? names : near, ", ")));
}

void parse_and_run(int argc, char** argv) {
  CLI::App program("Trains graph neural networks when the graph itself is in doubt.", "emgnn");
  program.set_version_flag("--version", fmt::format("emgnn {} ({})", version(), version_commit()));
  program.require_subcommand(1);
  program.footer(
      "\nStart here:\n  emgnn train --dataset noisy-relations --method em-gcn\n\n"
      "emgnn COMMAND --help tells more about a command.");
  const Invocation invocation = invocation_of(argc, argv);
  add_train(program, invocation);
  add_tune(program, invocation.whole);
  add_plan(program);
  add_predict(program);
  add_evaluate(program);
  add_report(program);
  add_reproduce(program, invocation.whole);
  add_data(program, invocation.whole);
  add_methods(program);
  add_completion(program);
  add_man(program);
  if (argc > 1) check_command(program, argv[1]);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, unused;
    if (program.exit(error, out, unused) != 0) {
      throw UsageError(fmt::format("{}; see emgnn --help", error.what()));
    }
    print(out.str());
  }
}

int run(int argc, char** argv) {
  try {
    stay_within_memory();
    parse_and_run(argc, argv);
    return 0;
  } catch (const UsageError& error) {
    return fail(kExitUsage, error.what());
  } catch (const DataError& error) {
    return fail(kExitData, error.what());
  } catch (const Interrupted& error) {
    return fail(kExitInterrupted, error.what());
  } catch (const std::bad_alloc&) {
    return fail(kExitOther, out_of_memory());
  } catch (const std::exception& error) {
    const std::string what = error.what();
    return fail(kExitOther, is_want_of_memory(what) ? out_of_memory() : what);
  }
}

}  // namespace

}  // namespace emgnn::cli

int main(int argc, char** argv) {
  emgnn::cli::occupy_standard_streams();
  emgnn::cli::keep_freed_memory();
  // What it is asked for is small, and its threads would wait for processors that ours are using.
  setenv("OPENBLAS_NUM_THREADS", "1", 0);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of the write
  return emgnn::cli::run(argc, argv);
}
