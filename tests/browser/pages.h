// SPDX-License-Identifier: Apache-2.0
// Reports in headless Chromium, from file URLs.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/program.h"

namespace emgnn::cli_test {

// What the page's document becomes; what the browser says is in `place`/said.
std::string dumped(const Workplace& place, const std::string& file, const std::string& more = "");

// What a page may not say: errors of scripts, refused scripts or files.
std::string complaints(const Workplace& place);

void train(const Workplace& place, const std::string& out, std::vector<std::string> arguments);
void report(const Workplace& place, std::vector<std::string> runs, const std::string& file);

struct Expected {
  std::string file;
  std::vector<std::string> charts;     // beginnings of captions
  std::vector<std::string> says = {};  // parts of the HTML
};

class ReportInBrowser : public ::testing::Test {
 protected:
  void SetUp() override;

  enum class Colours { kLight, kDark };

  // Every report as wide as a desktop and as a phone: all of it is there, can be read, and nothing
  // sticks out.
  void look_at(const std::vector<Expected>& reports, Colours colours = Colours::kLight);

  Workplace place;
};

}  // namespace emgnn::cli_test
