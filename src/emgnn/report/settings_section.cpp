// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <emgnn/report/html.h>
#include <emgnn/report/sections.h>

namespace emgnn {

namespace {

std::string text_block(const std::string& text) {
  return fmt::format("<pre tabindex=\"0\">{}</pre>\n", escaped(text));
}

}  // namespace

std::string settings_section(const RunContents& contents) {
  const StoredRuns& runs = contents.runs;
  Table table{.caption = "Settings by name", .columns = {"key", "value"}, .rows = {}};
  for (const auto& [key, value] : runs.settings)
    table.rows.push_back({cell(key), cell(value.empty() ? "\"\"" : value)});
  std::string out = folded(fmt::format("{} settings", runs.settings.size()), to_html(table)) +
                    folded("config.toml", text_block(runs.config));
  for (const StoredFit& fit : runs.fits)
    out += folded(
        runs.fits.size() == 1 ? "manifest.json" : fmt::format("manifest.json of seed {}", fit.seed),
        text_block(fit.manifest));
  return out;
}

}  // namespace emgnn
