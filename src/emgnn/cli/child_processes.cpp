// SPDX-License-Identifier: Apache-2.0
#include <emgnn/cli/child_processes.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <map>
#include <thread>

#include <emgnn/base/error.h>
#include <emgnn/cli/interrupt.h>

extern char** environ;

namespace emgnn::cli {

namespace {

constexpr const char* kThisProgram = "/proc/self/exe";
constexpr std::chrono::milliseconds kLookAgain{20};

pid_t start(const ChildCommand& command) {
  std::vector<std::string> words = {"emgnn"};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, command.log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0644);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, kThisProgram, &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw Error(fmt::format("a process cannot be started: {}", std::strerror(error)));
  return pid;
}

std::string last_line(const std::filesystem::path& log) {
  std::ifstream in(log);
  std::string out;
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) out = line;
  return out;
}

}  // namespace

void run_children(const std::vector<ChildCommand>& commands, int64_t at_a_time,
                  const std::function<bool(const ChildEnd&)>& on_end) {
  std::map<pid_t, size_t> running;
  size_t next = 0;
  bool stopping = false;
  const auto stop = [&] {
    if (!stopping)
      for (const auto& [pid, number] : running) kill(pid, SIGTERM);
    stopping = true;
  };
  while (!running.empty() || (!stopping && next < commands.size())) {
    if (interrupt_requested()) stop();
    while (!stopping && next < commands.size() && std::ssize(running) < at_a_time) {
      running[start(commands[next])] = next;
      ++next;
    }
    int raw = 0;
    const pid_t pid = waitpid(-1, &raw, WNOHANG);
    if (pid <= 0 || !running.contains(pid)) {
      std::this_thread::sleep_for(kLookAgain);
      continue;
    }
    const size_t number = running[pid];
    running.erase(pid);
    const int status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
    if (!on_end({number, status, last_line(commands[number].log)})) stop();
  }
  if (interrupt_requested()) throw Interrupted("interrupted");
}

}  // namespace emgnn::cli
