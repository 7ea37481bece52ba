// SPDX-License-Identifier: Apache-2.0
// Runs the built program as a user would.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace emgnn::cli_test {

extern const char* const kProgram;  // the file

// An empty folder that is removed at the end; the program runs in it.
class Workplace {
 public:
  Workplace();
  ~Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct Outcome {
  int status = -1;  // exit status; 128 + signal when it was killed
  std::string out, err;
  int64_t max_rss_kb = 0;
};

class Program {
 public:
  // `stdout_to` is a file to write standard output to; "-" closes it; empty: it is captured.
  Program(const Workplace& place, const std::vector<std::string>& arguments,
          const std::string& stdout_to = "");
  void send(int signal) const;
  bool running();
  // Waits until the program handles Ctrl-C itself: it has read its arguments and is about to train.
  void wait_until_it_catches_interrupts();
  // Waits until it has written so many bytes to the file, or has ended.
  void wait_until_written(const std::filesystem::path& path, size_t size);
  Outcome wait();

 private:
  std::filesystem::path out_, err_;
  pid_t pid_ = -1;
  int wait_status_ = 0;
  rusage usage_{};
  bool ended_ = false;
};

Outcome run(const Workplace& place, const std::vector<std::string>& arguments,
            const std::string& stdout_to = "");

// The JSON text of a successful run without what may differ between runs.
std::string timeless(const Outcome& outcome);

// Nothing but one line on standard error, with `part` in it.
void expect_one_line(const Outcome& outcome, int status, const std::string& part);

std::string read(const std::filesystem::path& path);  // empty if there is none
// The same of a file at `from`, as if it had been written at `to`: runs remember where their data is.
std::string read_moved(const Workplace& from, const std::string& file, const Workplace& to);
void write(const Workplace& place, const std::string& file, const std::string& text);

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b);

// The lines of a table without quotes, cell by cell; the first line is the header.
std::vector<std::vector<std::string>> rows(const std::string& csv);
// The cells of one column, without its header, by the first column; all rows have both.
std::map<std::string, std::string> column(const std::string& csv, const std::string& name);

}  // namespace emgnn::cli_test
