// SPDX-License-Identifier: Apache-2.0
// What a long phase says on a standard error that is no terminal, and how it ends.
#include <emgnn/cli/phase_watch.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <regex>

#include "data/temp_dir.h"

#include <emgnn/base/file.h>
#include <emgnn/cli/interrupt.h>

namespace emgnn::cli {
namespace {

using emgnn::testing::TempDir;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Standard error goes to a file while it lives.
class SaidOnError {
 public:
  SaidOnError() : before_(dup(STDERR_FILENO)) {
    const int file = open(path().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);
    dup2(file, STDERR_FILENO);
    close(file);
  }
  ~SaidOnError() {
    dup2(before_, STDERR_FILENO);
    close(before_);
  }
  SaidOnError(const SaidOnError&) = delete;
  SaidOnError& operator=(const SaidOnError&) = delete;

  std::string text() const { return read_file(path()); }
  // A minute at most: a busy machine may be slow.
  bool comes(const std::string& pattern) const {
    const std::regex wanted(pattern);
    for (int tenths = 0; tenths < 600; ++tenths) {
      if (std::regex_search(text(), wanted)) return true;
      std::this_thread::sleep_for(milliseconds(100));
    }
    return false;
  }

 private:
  std::filesystem::path path() const { return place_ / "said"; }

  TempDir place_;
  int before_;
};

TEST(PhaseWatch, NamesAPhaseThatTakesMoreThanASecondWithItsTime) {
  const SaidOnError said;
  StatusLine line(false);
  PhaseWatch watch(line);
  const auto begin = std::chrono::steady_clock::now();
  watch.enter({"reading a graph"});
  watch.enter({"searching candidate edges"});
  EXPECT_TRUE(said.comes("^searching candidate edges, [0-9]+ s\n"));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, seconds(1));
  EXPECT_EQ(said.text().find("reading"), std::string::npos) << said.text();
}

TEST(PhaseWatch, ShowsHowFarAPhaseIsInPlaceOfItsTime) {
  const SaidOnError said;
  StatusLine line(false);
  PhaseWatch watch(line);
  watch.enter({"training"});
  watch.reach("epoch 7 of 9");
  EXPECT_TRUE(said.comes("^epoch 7 of 9\n"));
  watch.enter({"predicting"});  // the progress was that of training
  EXPECT_TRUE(said.comes("\npredicting, [0-9]+ s\n$"));
  EXPECT_EQ(said.text().find("training"), std::string::npos) << said.text();
}

TEST(PhaseWatch, SaysNothingWhenQuiet) {
  const SaidOnError said;
  StatusLine line(true);
  PhaseWatch watch(line);
  watch.enter({"predicting"});
  std::this_thread::sleep_for(milliseconds(1500));
  EXPECT_EQ(said.text(), "");
}

// What a program does that is asked to end in a phase and never looks.
[[noreturn]] void deaf(const Phase& phase) {
  catch_interrupts();
  StatusLine line(true);
  PhaseWatch watch(line);
  watch.enter(phase);
  std::raise(SIGTERM);
  std::this_thread::sleep_for(seconds(phase.holds_work ? 3 : 60));
  _exit(0);
}

TEST(PhaseWatchDeathTest, EndsAPhaseThatDoesNotListen) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(deaf({"reading a graph"}), ::testing::ExitedWithCode(kExitInterrupted),
              "^emgnn: interrupted while reading a graph; nothing was written\n$");
}

TEST(PhaseWatchDeathTest, NeverEndsAPhaseThatHoldsWork) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(deaf({"training", true}), ::testing::ExitedWithCode(0), "^$");
}

}  // namespace
}  // namespace emgnn::cli
