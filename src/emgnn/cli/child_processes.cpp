// SPDX-License-Identifier: Apache-2.0
#include <emgnn/cli/child_processes.h>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <map>
#include <string_view>
#include <thread>

#include <emgnn/base/error.h>
#include <emgnn/base/memory.h>
#include <emgnn/cli/interrupt.h>

namespace emgnn::cli {

namespace {

constexpr const char* kThisProgram = "/proc/self/exe";
constexpr std::chrono::milliseconds kLookAgain{20};
constexpr int kCannotStart = 127;
constexpr std::string_view kPrefix = "emgnn: ";  // of an error

// Between fork and exec only what is safe after a fork of a program with threads.
[[noreturn]] void become(const ChildCommand& command, char** argv, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kCannotStart);  // it ended before
  setpgid(0, 0);
  const auto put = [](const char* path, int flags, int at) {
    const int file = open(path, flags, 0644);
    if (file < 0 || dup2(file, at) < 0) _exit(kCannotStart);
    if (file != at) close(file);
  };
  put("/dev/null", O_RDONLY, STDIN_FILENO);
  put("/dev/null", O_WRONLY, STDOUT_FILENO);
  put(command.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  execv(kThisProgram, argv);
  _exit(kCannotStart);
}

pid_t start(const ChildCommand& command) {
  std::vector<std::string> words = {"emgnn"};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) become(command, argv.data(), parent);
  if (pid < 0) throw Error(fmt::format("a process cannot be started: {}", std::strerror(errno)));
  return pid;
}

std::string last_line(const std::filesystem::path& log) {
  std::ifstream in(log);
  std::string out;
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) out = line;
  return out.starts_with(kPrefix) ? out.substr(kPrefix.size()) : out;
}

// The last line of its log, and what helps.
std::string message_of(const ChildCommand& command, int64_t at_a_time) {
  std::string message = last_line(command.log);
  if (at_a_time > 1 && message.find("out of memory") != std::string::npos)
    message += "; each of several at a time has a part of it, --jobs 1 gives it all";
  return message;
}

}  // namespace

void run_children(const std::vector<ChildCommand>& commands, int64_t at_a_time,
                  const ChildWatch& watch) {
  using Clock = std::chrono::steady_clock;
  std::map<pid_t, size_t> running;
  size_t next = 0;
  std::optional<Clock::time_point> stopping;
  const auto send = [&](int signal) {
    for (const auto& [pid, number] : running) kill(pid, signal);
  };
  const auto stop = [&] {
    if (!stopping) send(SIGTERM);
    if (!stopping) stopping = Clock::now();
  };
  while (!running.empty() || (!stopping && next < commands.size())) {
    if (interrupt_requested()) stop();
    if (stopping && watch.patience && Clock::now() - *stopping > *watch.patience) send(SIGKILL);
    while (!stopping && next < commands.size() && std::ssize(running) < at_a_time) {
      running[start(commands[next])] = next;
      ++next;
    }
    watch.on_look();
    int raw = 0;
    const pid_t pid = waitpid(-1, &raw, WNOHANG);
    if (pid <= 0 || !running.contains(pid)) {
      std::this_thread::sleep_for(kLookAgain);
      continue;
    }
    const size_t number = running[pid];
    running.erase(pid);
    const int status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
    if (!watch.on_end({number, status, message_of(commands[number], at_a_time)})) stop();
  }
  if (interrupt_requested()) throw Interrupted("interrupted");
}

// A process needs some memory for itself.
int64_t jobs_within_memory(int64_t jobs, int64_t asked) {
  if (memory_limit() == 0) return jobs;
  const int64_t most = std::max<int64_t>(1, memory_limit() / kLeastMemory);
  if (asked > most)
    throw UsageError(fmt::format("--jobs: {} are enough for {} at a time",
                                 bytes_in_words(memory_limit()), most));
  return std::min(jobs, most);
}

std::vector<std::string> shared_options(int64_t threads, int64_t at_a_time) {
  std::vector<std::string> words = {"--threads", std::to_string(threads / at_a_time)};
  if (memory_limit() > 0)
    words.insert(words.end(), {"--memory", std::to_string(memory_limit() / at_a_time)});
  return words;
}

std::string failure_text(const ChildEnd& end, const std::string& who) {
  const std::string why = end.status == kCannotStart ? "a process cannot be started"
                          : end.status > 128 ? fmt::format("ended by signal {}", end.status - 128)
                                             : end.message;
  return fmt::format("{}: {}", who, why);
}

void throw_failure(const ChildEnd& end, const std::string& who) {
  const std::string message = failure_text(end, who);
  if (end.status == 2) throw UsageError(message);
  if (end.status == 3) throw DataError(message);
  throw Error(message);
}

}  // namespace emgnn::cli
