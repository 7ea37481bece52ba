// SPDX-License-Identifier: Apache-2.0
// From configs/tables/NAME.toml to a PaperTable.
#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <initializer_list>
#include <optional>

#include <emgnn/base/error.h>
#include <emgnn/report/paper_tables.h>

namespace emgnn {

namespace {

// One file, read strictly: a key or type that is not expected is an error.
class TableFile {
 public:
  explicit TableFile(const std::string& table) : path_("configs/tables/" + table + ".toml") {}

  PaperTable parse(std::string_view text) const {
    try {
      return table(toml::parse(text, path_));
    } catch (const toml::parse_error& error) {
      fail(error.source(), error.description());
    }
  }

 private:
  using Keys = std::initializer_list<std::string_view>;

  [[noreturn]] void fail(const toml::source_region& at, std::string_view what) const {
    throw InternalError(fmt::format("{}:{}: {}", path_, at.begin.line, what));
  }

  void check_keys(const toml::table& in, Keys known) const {
    for (const auto& [key, value] : in) {
      if (std::find(known.begin(), known.end(), key.str()) == known.end())
        fail(value.source(), fmt::format("unknown key \"{}\"", key.str()));
    }
  }

  template <class T>
  T value(const toml::table& in, std::string_view key) const {
    const toml::node* node = in.get(key);
    if (node == nullptr) fail(in.source(), fmt::format("expected the key \"{}\"", key));
    const std::optional<T> out = node->value<T>();
    if (!out) fail(node->source(), fmt::format("{} has a value of the wrong type", key));
    return *out;
  }

  // Calls `read` for every element of the list; a list that is not there is empty.
  template <class Read>
  void for_each(const toml::table& in, std::string_view key, const Read& read) const {
    const toml::node* node = in.get(key);
    if (node == nullptr) return;
    if (!node->is_array()) fail(node->source(), fmt::format("{}: expected a list", key));
    for (const toml::node& element : *node->as_array()) read(element);
  }

  const toml::table& table_at(const toml::node& node, Keys known) const {
    if (!node.is_table()) fail(node.source(), "expected a table");
    check_keys(*node.as_table(), known);
    return *node.as_table();
  }

  std::vector<std::string> texts(const toml::table& in, std::string_view key) const {
    std::vector<std::string> out;
    for_each(in, key, [&](const toml::node& node) {
      const std::optional<std::string> text = node.value<std::string>();
      if (!text) fail(node.source(), fmt::format("{}: expected texts", key));
      out.push_back(*text);
    });
    return out;
  }

  std::vector<std::string> settings(const toml::table& in) const {
    std::vector<std::string> out = texts(in, "settings");
    for (const std::string& setting : out)
      if (setting.find('=') == std::string::npos)
        fail(in.get("settings")->source(), "expected settings as \"key=value\"");
    return out;
  }

  std::string text_or_none(const toml::table& in, std::string_view key) const {
    return in.contains(key) ? value<std::string>(in, key) : std::string();
  }

  std::optional<MeanStd> figure(const toml::node& node) const {
    const toml::array* pair = node.as_array();
    if (pair != nullptr && pair->empty()) return std::nullopt;
    if (pair == nullptr || pair->size() != 2 || !(*pair)[0].is_number() || !(*pair)[1].is_number())
      fail(node.source(), "expected [mean, standard deviation], or [] for none");
    return MeanStd{*(*pair)[0].value<double>(), *(*pair)[1].value<double>()};
  }

  PaperMetric metric(const toml::node& node) const {
    const toml::table& in = table_at(node, {"name", "percent", "decimals"});
    return {.name = value<std::string>(in, "name"),
            .percent = value<bool>(in, "percent"),
            .decimals = value<int>(in, "decimals")};
  }

  PaperColumn column(const toml::node& node) const {
    const toml::table& in = table_at(node, {"name", "dataset", "views", "settings", "redraw", "x"});
    return {.name = value<std::string>(in, "name"),
            .dataset = value<std::string>(in, "dataset"),
            .views = texts(in, "views"),
            .settings = settings(in),
            .redraw = text_or_none(in, "redraw"),
            .x = in.contains("x") ? std::optional(value<double>(in, "x")) : std::nullopt};
  }

  PaperRow row(const toml::node& node, size_t num_figures) const {
    const toml::table& in =
        table_at(node, {"name", "method", "view", "columns", "settings", "best_of", "figures"});
    PaperRow out{.name = value<std::string>(in, "name"),
                 .method = {},
                 .view = text_or_none(in, "view"),
                 .columns = texts(in, "columns"),
                 .settings = settings(in),
                 .best_of = texts(in, "best_of"),
                 .figures = {}};
    if (out.best_of.empty()) out.method = value<std::string>(in, "method");
    for_each(in, "figures", [&](const toml::node& pair) { out.figures.push_back(figure(pair)); });
    // A row that is neither published nor trained would be empty.
    if (out.figures.size() != num_figures && !(out.figures.empty() && out.available()))
      fail(node.source(), fmt::format("expected {} figures, one per column and metric, got {}",
                                      num_figures, out.figures.size()));
    return out;
  }

  TableContent content(const toml::table& in) const {
    const std::string word = text_or_none(in, "content");
    if (word.empty() || word == "scores") return TableContent::kScores;
    if (word == "distribution") return TableContent::kDistribution;
    if (word == "normalizer") return TableContent::kNormalizer;
    fail(in.get("content")->source(), "content: expected scores, distribution or normalizer");
  }

  void check_curve(const toml::table& in, const PaperTable& table) const {
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].x.has_value() != table.is_curve())
        fail(in.source(), "expected x_label and an x of each column, or neither");
      if (table.is_curve() && c > 0 && *table.columns[c].x <= *table.columns[c - 1].x)
        fail(in.source(), "expected x to grow from column to column");
    }
  }

  void check_rows(const toml::table& in, const PaperTable& table) const {
    const bool known = std::any_of(table.rows.begin(), table.rows.end(),
                                   [&](const PaperRow& row) { return row.name == table.compare; });
    if (!table.compare.empty() && !known) fail(in.source(), "compare names no row");
    for (size_t r = 0; r < table.rows.size(); ++r) {
      for (const std::string& name : table.rows[r].best_of) {
        const auto end = table.rows.begin() + static_cast<long>(r);
        const bool before = std::any_of(table.rows.begin(), end,
                                        [&](const PaperRow& row) { return row.name == name; });
        if (!before) fail(in.source(), fmt::format("best_of: no row {} before the choice", name));
      }
      for (const std::string& name : table.rows[r].columns) {
        const bool there =
            std::any_of(table.columns.begin(), table.columns.end(),
                        [&](const PaperColumn& column) { return column.name == name; });
        if (!there) fail(in.source(), fmt::format("columns: no column {}", name));
      }
    }
  }

  PaperTable table(const toml::table& in) const {
    check_keys(in, {"title", "caption", "content", "x_label", "x_log", "compare", "settings",
                    "metrics", "columns", "rows"});
    PaperTable out{.name = {},
                   .title = value<std::string>(in, "title"),
                   .caption = value<std::string>(in, "caption"),
                   .content = content(in),
                   .x_label = text_or_none(in, "x_label"),
                   .x_log = in.contains("x_log") && value<bool>(in, "x_log"),
                   .compare = text_or_none(in, "compare"),
                   .settings = settings(in),
                   .metrics = {},
                   .columns = {},
                   .rows = {}};
    for_each(in, "metrics", [&](const toml::node& node) { out.metrics.push_back(metric(node)); });
    for_each(in, "columns", [&](const toml::node& node) { out.columns.push_back(column(node)); });
    const size_t num_figures = out.columns.size() * out.metrics.size();
    if (out.columns.empty() || (out.content == TableContent::kScores) == out.metrics.empty())
      fail(in.source(), "expected metrics and columns");
    for_each(in, "rows",
             [&](const toml::node& node) { out.rows.push_back(row(node, num_figures)); });
    check_curve(in, out);
    check_rows(in, out);
    return out;
  }

  std::string path_;
};

}  // namespace

PaperTable parse_paper_table(const std::string& name, std::string_view text) {
  PaperTable table = TableFile(name).parse(text);
  table.name = name;
  return table;
}

}  // namespace emgnn
