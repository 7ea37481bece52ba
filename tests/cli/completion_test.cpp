// SPDX-License-Identifier: Apache-2.0
// The scripts of emgnn completion, run by the shells that are installed, and the manual pages.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <sstream>

#include "cli/program.h"

namespace emgnn::cli_test {
namespace {

// The lines that a shell command prints.
std::vector<std::string> shell(const std::string& command, int* status = nullptr) {
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  for (int c; (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
  const int ended = pclose(pipe);
  if (status != nullptr) *status = ended;
  std::vector<std::string> lines;
  std::istringstream in(out);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool installed(const std::string& program) {
  int status = 0;
  shell("command -v " + program + " >/dev/null 2>&1", &status);
  return status == 0;
}

using Words = std::vector<std::string>;

// A command and all below it, as the lines under "Subcommands:" of --help name them; without words
// it is the program itself.
std::vector<Words> commands(const Workplace& place, const Words& above = {}) {
  const Outcome help = run(place, joined(above, {"--help"}));
  EXPECT_EQ(help.status, 0) << help.err;
  std::vector<Words> out = {above};
  std::istringstream lines(help.out);
  std::string line;
  while (std::getline(lines, line) && line != "Subcommands:") continue;
  while (std::getline(lines, line) && line.starts_with("  ")) {
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    for (Words& command : commands(place, joined(above, {name}))) out.push_back(std::move(command));
  }
  return out;
}

std::set<std::string> completed(const Workplace& place, const std::string& line) {
  write(place, "complete.sh", R"(source ./script
COMP_LINE=$1 COMP_POINT=${#1}
read -ra COMP_WORDS <<< "$COMP_LINE"
[[ $COMP_LINE == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_emgnn
printf '%s\n' "${COMPREPLY[@]}"
)");
  const auto lines =
      shell("cd '" + place.path().string() + "' && bash --norc complete.sh '" + line + "'");
  return {lines.begin(), lines.end()};
}

TEST(Completion, OfBashKnowsCommandsFlagsMethodsDatasetsAndSettings) {
  if (!installed("bash")) GTEST_SKIP() << "skipped: bash is not installed";
  const Workplace place;
  const Outcome script = run(place, {"completion", "bash"});
  ASSERT_EQ(script.status, 0);
  write(place, "script", script.out);
  for (const Words& command : commands(place)) {
    if (command.empty()) continue;
    std::string line = "emgnn ";
    for (size_t i = 0; i + 1 < command.size(); ++i) line += command[i] + " ";
    EXPECT_TRUE(completed(place, line).contains(command.back())) << line << command.back();
  }
  for (const char* word : {"--help", "--version"})
    EXPECT_TRUE(completed(place, "emgnn ").contains(word)) << word;
  EXPECT_EQ(completed(place, "emgnn tr"), (std::set<std::string>{"train"}));
  EXPECT_EQ(completed(place, "emgnn train --hi"), (std::set<std::string>{"--hide-test"}));
  EXPECT_EQ(completed(place, "emgnn train --method em-gcn-"),
            (std::set<std::string>{"em-gcn-star"}));
  EXPECT_EQ(completed(place, "emgnn train --quiet --dataset noisy-r"),
            (std::set<std::string>{"noisy-relations"}));
  EXPECT_EQ(completed(place, "emgnn train --set em.roun"), (std::set<std::string>{"em.rounds="}));
  EXPECT_EQ(completed(place, "emgnn data in"), (std::set<std::string>{"info"}));
  EXPECT_EQ(completed(place, "emgnn data info cor"),
            (std::set<std::string>{"cora", "cornell", "cornell-before-2022-07"}));
  EXPECT_EQ(completed(place, "emgnn completion z"), (std::set<std::string>{"zsh"}));
  EXPECT_TRUE(completed(place, "emgnn reproduce het").contains("heterogeneous"));
  EXPECT_TRUE(completed(place, "emgnn train --config scr").contains("script"));  // a file
  EXPECT_EQ(completed(place, "emgnn predict --meth"), (std::set<std::string>{""}));
}

TEST(Completion, OfOtherShellsNamesTheSame) {
  const Workplace place;
  for (const char* name : {"zsh", "fish"}) {
    const Outcome script = run(place, {"completion", name});
    ASSERT_EQ(script.status, 0);
    for (const char* word : {"train", "em-gcn-star", "noisy-relations", "em.rounds=", "hide-test"})
      EXPECT_NE(script.out.find(word), std::string::npos) << name << " " << word;
    write(place, name, script.out);
    if (!installed(name)) continue;
    int status = 0;
    shell(std::string(name) + " -n '" + (place.path() / name).string() + "' 2>&1", &status);
    EXPECT_EQ(status, 0) << name;
  }
  expect_one_line(run(place, {"completion", "csh"}), 2, "no completion for \"csh\"; known: bash");
}

TEST(ManualPages, AreRoffForEveryCommand) {
  const Workplace place;
  const std::vector<Words> all = commands(place);
  for (const Words& known : {Words{}, Words{"train"}, Words{"data", "export"}, Words{"man"}})
    EXPECT_EQ(std::count(all.begin(), all.end(), known), 1);
  for (const Words& command : all) {
    const Outcome page = run(place, joined({"man"}, command));
    ASSERT_EQ(page.status, 0) << page.err;
    for (const char* section :
         {".TH EMGNN", ".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS", ".SH SEE ALSO"})
      EXPECT_NE(page.out.find(section), std::string::npos) << section;
    // A line that begins like a request is one that we wrote.
    std::istringstream lines(page.out);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with(".") && !line.starts_with("'")) continue;
      const std::string request = line.substr(0, line.find(' '));
      EXPECT_TRUE(
          (std::set<std::string>{".TH", ".SH", ".TP", ".B", ".I", ".nf", ".fi"}).contains(request))
          << line;
    }
    if (!installed("groff")) continue;
    write(place, "page.1", page.out);
    int status = 0;
    const auto said = shell(
        "groff -man -ww -z -Kutf8 '" + (place.path() / "page.1").string() + "' 2>&1", &status);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(said.empty()) << said.front();
  }
  const std::string train = run(place, {"man", "train"}).out;
  for (const char* part : {"\\-\\-dataset", "\\-\\-hide\\-test", "em\\-gcn\\-star", "Exit status"})
    EXPECT_NE(train.find(part), std::string::npos) << part;
  expect_one_line(run(place, {"man", "dance"}), 2, "no command \"dance\"");
}

}  // namespace
}  // namespace emgnn::cli_test
