// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/page.h>

#include <fmt/format.h>

#include <cstdint>

#include <emgnn/formats/checksum.h>
#include <emgnn/report/html.h>

namespace emgnn {

namespace {

// Of the hexadecimal digits of whole bytes.
std::string base64(const std::string& hex) {
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < hex.size(); i += 6) {
    const std::string three = hex.substr(i, 6);
    uint32_t bits = static_cast<uint32_t>(std::stoul(three, nullptr, 16))
                    << (24 - 4 * three.size());
    for (size_t k = 0; k < 4; ++k, bits <<= 6)
      out += k <= three.size() / 2 ? kDigits[(bits >> 18) & 63U] : '=';
  }
  return out;
}

// Nothing is fetched, and no script runs but ours, whatever a name in the data may hold.
std::string policy() {
  return fmt::format(
      "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'; base-uri 'none'; "
      "form-action 'none'",
      base64(sha256_hex(kPageScript)));
}

}  // namespace

std::string to_html(const Page& page) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n"
      "<style>{}{}{}{}</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the "
      "results</a>\n",
      policy(), escaped(page.title), kThemeStyle, kPageStyle, kDrawingStyle, kPartStyle);
  out += fmt::format("<header>\n<h1>{}</h1>\n", escaped(page.title));
  for (const std::string& lead : page.lead)
    out += fmt::format("<p class=\"lead\">{}</p>\n", escaped(lead));
  out += "<nav aria-label=\"Contents\"><ul>\n";
  for (const PageLink& link : page.contents)
    out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", link.id, escaped(link.title));
  out += "</ul></nav>\n</header>\n<main id=\"main\" tabindex=\"-1\">\n" + page.body;
  return out +
         fmt::format("</main>\n<footer><p>{}</p></footer>\n<script>{}</script>\n</body>\n</html>\n",
                     escaped(page.footer), kPageScript);
}

}  // namespace emgnn
