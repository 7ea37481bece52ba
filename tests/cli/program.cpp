// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace emgnn::cli_test {

const char* const kProgram = EMGNN_PROGRAM;

namespace fs = std::filesystem;

namespace {

void redirect(const fs::path& file, int fd) {
  const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (opened < 0 || dup2(opened, fd) < 0) _exit(99);
  close(opened);
}

// "SigCgt: 0000000000000002" of /proc/PID/status
bool catches(pid_t pid, int signal) {
  std::istringstream status(read(fs::path("/proc") / std::to_string(pid) / "status"));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigCgt:"))
      return ((std::stoull(line.substr(7), nullptr, 16) >> (signal - 1)) & 1U) != 0;
  }
  return false;
}

}  // namespace

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string read_moved(const Workplace& from, const std::string& file, const Workplace& to) {
  std::string text = read(from.path() / file);
  const std::string there = from.path().string(), here = to.path().string();
  for (size_t at = text.find(there); at != std::string::npos; at = text.find(there, at + 1))
    text.replace(at, there.size(), here);
  return text;
}

void write(const Workplace& place, const std::string& file, const std::string& text) {
  std::ofstream out(place.path() / file, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<std::vector<std::string>> rows(const std::string& csv) {
  std::vector<std::vector<std::string>> out;
  std::istringstream lines(csv);
  for (std::string line, field; std::getline(lines, line);) {
    std::istringstream fields(line + ",");
    out.emplace_back();
    while (std::getline(fields, field, ',')) out.back().push_back(field);
  }
  return out;
}

std::map<std::string, std::string> column(const std::string& csv, const std::string& name) {
  const std::vector<std::vector<std::string>> table = rows(csv);
  if (table.empty()) throw std::runtime_error("an empty table");
  const auto found = std::find(table[0].begin(), table[0].end(), name);
  if (found == table[0].end()) throw std::runtime_error("no column " + name);
  std::map<std::string, std::string> out;
  for (size_t r = 1; r < table.size(); ++r)
    out[table[r].at(0)] = table[r].at(static_cast<size_t>(found - table[0].begin()));
  return out;
}

Workplace::Workplace() {
  std::string name = (fs::temp_directory_path() / "emgnn-cli-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
  path_ = name;
}

Workplace::~Workplace() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Program::Program(const Workplace& place, const std::vector<std::string>& arguments,
                 const std::string& stdout_to)
    : out_(place.path() / ".stdout"), err_(place.path() / ".stderr") {
  std::vector<std::string> words = {kProgram};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ != 0) return;
  if (chdir(place.path().c_str()) != 0) _exit(99);
  setenv("EMGNN_CACHE", (place.path() / ".cache").c_str(), 1);
  redirect(err_, STDERR_FILENO);
  redirect(stdout_to.empty() || stdout_to == "-" ? out_ : fs::path(stdout_to), STDOUT_FILENO);
  if (stdout_to == "-") close(STDOUT_FILENO);
  execv(kProgram, argv.data());
  _exit(99);
}

void Program::send(int signal) const { kill(pid_, signal); }

bool Program::running() {
  if (!ended_ && wait4(pid_, &wait_status_, WNOHANG, &usage_) == pid_) ended_ = true;
  return !ended_;
}

void Program::wait_until_it_catches_interrupts() {
  while (running() && !catches(pid_, SIGINT))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

void Program::wait_until_written(const std::filesystem::path& path, size_t size) {
  while (running() && read(path).size() < size)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

Outcome Program::wait() {
  if (!ended_) wait4(pid_, &wait_status_, 0, &usage_);
  ended_ = true;
  const int status =
      WIFEXITED(wait_status_) ? WEXITSTATUS(wait_status_) : 128 + WTERMSIG(wait_status_);
  return {status, read(out_), read(err_), usage_.ru_maxrss};
}

Outcome run(const Workplace& place, const std::vector<std::string>& arguments,
            const std::string& stdout_to) {
  return Program(place, arguments, stdout_to).wait();
}

std::string timeless(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  static const std::regex times("\"(seconds|prepare_seconds|peak_rss_mb)\":[-+.0-9e]+");
  return std::regex_replace(outcome.out, times, "");
}

void expect_one_line(const Outcome& outcome, int status, const std::string& part) {
  EXPECT_EQ(outcome.status, status) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("emgnn: ")) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
}

}  // namespace emgnn::cli_test
