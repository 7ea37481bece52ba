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
    const toml::table& in = table_at(node, {"name", "dataset", "views", "settings", "redraw"});
    return {.name = value<std::string>(in, "name"),
            .dataset = value<std::string>(in, "dataset"),
            .views = texts(in, "views"),
            .settings = settings(in),
            .redraw = text_or_none(in, "redraw")};
  }

  PaperRow row(const toml::node& node, size_t num_figures) const {
    const toml::table& in =
        table_at(node, {"name", "method", "view", "settings", "best_of", "figures"});
    PaperRow out{.name = value<std::string>(in, "name"),
                 .method = {},
                 .view = text_or_none(in, "view"),
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

  PaperTable table(const toml::table& in) const {
    check_keys(in, {"title", "caption", "compare", "settings", "metrics", "columns", "rows"});
    PaperTable out{.name = {},
                   .title = value<std::string>(in, "title"),
                   .caption = value<std::string>(in, "caption"),
                   .compare = text_or_none(in, "compare"),
                   .settings = settings(in),
                   .metrics = {},
                   .columns = {},
                   .rows = {}};
    for_each(in, "metrics", [&](const toml::node& node) { out.metrics.push_back(metric(node)); });
    for_each(in, "columns", [&](const toml::node& node) { out.columns.push_back(column(node)); });
    const size_t num_figures = out.columns.size() * out.metrics.size();
    if (num_figures == 0) fail(in.source(), "expected metrics and columns");
    for_each(in, "rows",
             [&](const toml::node& node) { out.rows.push_back(row(node, num_figures)); });
    const bool known = std::any_of(out.rows.begin(), out.rows.end(),
                                   [&](const PaperRow& row) { return row.name == out.compare; });
    if (!out.compare.empty() && !known) fail(in.source(), "compare names no row");
    for (size_t r = 0; r < out.rows.size(); ++r) {
      for (const std::string& name : out.rows[r].best_of) {
        const bool before = std::any_of(out.rows.begin(), out.rows.begin() + static_cast<long>(r),
                                        [&](const PaperRow& row) { return row.name == name; });
        if (!before) fail(in.source(), fmt::format("best_of: no row {} before the choice", name));
      }
    }
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
