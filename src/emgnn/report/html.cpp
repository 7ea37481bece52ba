// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/html.h>

#include <fmt/format.h>

#include <cmath>

#include <emgnn/base/utf8.h>

namespace emgnn {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

void add_escaped(std::string_view valid, std::string& out) {
  for (const char c : valid) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\'') {
      out += "&#39;";
    } else if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F) {
      out += kReplacement;
    } else {
      out += c;
    }
  }
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (const auto bad = first_invalid_utf8(text)) {
    add_escaped(text.substr(0, *bad), out);
    out += kReplacement;
    text.remove_prefix(*bad + 1);
  }
  add_escaped(text, out);
  return out;
}

std::string count_text(int64_t value) {
  std::string out = std::to_string(std::abs(value));
  for (auto at = static_cast<int64_t>(out.size()) - 3; at > 0; at -= 3)
    out.insert(static_cast<size_t>(at), ",");
  return (value < 0 ? "−" : "") + out;
}

std::string number_text(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "–" : value > 0.0 ? "∞" : "−∞";
  const double size = std::abs(value);
  std::string out;
  if (value == 0.0) {
    out = "0";
  } else if (size < 1e-4 || size >= 1e7) {
    out = fmt::format("{:.2e}", size);
  } else if (size >= 1000.0) {
    out = count_text(std::llround(size));
  } else {
    const int decimals = size >= 100.0  ? 1
                         : size >= 10.0 ? 2
                         : size >= 1.0  ? 3
                         : size >= 1e-3 ? 4
                                        : 5;
    out = fmt::format("{:.{}f}", size, decimals);
    if (out.find('.') != std::string::npos) {
      out.erase(out.find_last_not_of('0') + 1);
      if (out.back() == '.') out.pop_back();
    }
  }
  return (value < 0.0 ? "−" : "") + out;
}

std::string percent_text(double share) {
  if (std::isnan(share)) return "–";
  return fmt::format("{:.1f} %", 100.0 * share);
}

Cell cell(std::string text) { return {std::move(text), false}; }
Cell cell(double value) { return {number_text(value), true}; }
Cell count_cell(int64_t value) { return {count_text(value), true}; }

std::string to_html(const Table& table) {
  std::string out = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{0}\">\n"
      "<table>\n<caption>{0}</caption>\n<thead><tr>",
      escaped(table.caption));
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const bool number =
        !table.rows.empty() && c < table.rows.front().size() && table.rows.front()[c].is_number;
    out += fmt::format("<th scope=\"col\"{}>{}</th>", number ? " class=\"n\"" : "",
                       escaped(table.columns[c]));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const std::vector<Cell>& row : table.rows) {
    out += "<tr>";
    for (size_t c = 0; c < row.size(); ++c) {
      const char* tag = c == 0 ? "th" : "td";
      out += fmt::format("<{}{}{}>{}</{}>", tag, c == 0 ? " scope=\"row\"" : "",
                         row[c].is_number ? " class=\"n\"" : "", escaped(row[c].text), tag);
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string folded(std::string_view summary, std::string_view content) {
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", escaped(summary), content);
}

}  // namespace emgnn
