// SPDX-License-Identifier: Apache-2.0
// The frame of a report: one HTML file that needs nothing else.
#pragma once

#include <string>
#include <vector>

namespace emgnn {

struct PageLink {
  std::string id, title;
};

struct Page {
  std::string title;               // text
  std::vector<std::string> lead;   // paragraphs of text under the title
  std::vector<PageLink> contents;  // what the navigation names
  std::string body;                // HTML
  std::string footer;              // text
};
std::string to_html(const Page& page);

extern const char* const kPageStyle;  // page_style.cpp
extern const char* const kPageScript;

}  // namespace emgnn
