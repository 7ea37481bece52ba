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

// page_style.cpp. The theme names the colours: those of the light one first, then those of the dark one.
extern const char* const kThemeStyle;
extern const char* const kPageStyle;
extern const char* const kDrawingStyle;  // what is inside of a chart
extern const char* const kPartStyle;     // legends, tables and the other parts of a page
extern const char* const kPageScript;

}  // namespace emgnn
