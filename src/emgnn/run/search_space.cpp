// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/search_space.h>

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <set>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>

namespace emgnn {

namespace {

std::string value_text(const toml::node& node, const std::string& where) {
  if (const auto* value = node.as_boolean()) return value->get() ? "true" : "false";
  if (const auto* value = node.as_integer()) return std::to_string(value->get());
  if (const auto* value = node.as_floating_point()) return fmt::format("{}", value->get());
  if (const auto* value = node.as_string()) return value->get();
  throw UsageError(where + "a list holds numbers, texts, true or false");
}

double end_of(const toml::table& range, const char* name, const std::string& where) {
  const auto value = range[name].value<double>();
  if (!value || !std::isfinite(*value))
    throw UsageError(fmt::format("{}a range has two numbers, from and to", where));
  return *value;
}

SearchKey read_range(const toml::table& range, SearchKey out) {
  static const std::set<std::string_view> known = {"from", "to", "log", "steps"};
  for (const auto& [name, node] : range) {
    if (!known.contains(name.str()))
      throw UsageError(fmt::format("{}a range has from, to, log and steps, not {}", out.where,
                                   std::string(name.str())));
  }
  out.from = end_of(range, "from", out.where);
  out.to = end_of(range, "to", out.where);
  out.whole = range["from"].is_integer() && range["to"].is_integer();
  out.log = range["log"].value_or(false);
  out.steps = range["steps"].value_or(int64_t{0});
  if (out.from >= out.to) throw UsageError(out.where + "a range goes from less to more");
  if (out.log && out.from <= 0.0)
    throw UsageError(out.where + "a logarithmic range begins above 0");
  if (range.contains("steps") && out.steps < 2)
    throw UsageError(out.where + "a range has at least two steps");
  return out;
}

void read_table(const toml::table& table, const std::string& prefix, const std::string& file,
                std::vector<SearchKey>& out) {
  for (const auto& [name, node] : table) {
    SearchKey key{.key = prefix + std::string(name.str()),
                  .where = fmt::format("{}:{}: ", file, node.source().begin.line)};
    if (const toml::array* list = node.as_array()) {
      for (const toml::node& value : *list) key.values.push_back(value_text(value, key.where));
      if (key.values.empty()) throw UsageError(key.where + key.key + ": the list is empty");
      out.push_back(std::move(key));
    } else if (const toml::table* inner = node.as_table()) {
      if (inner->contains("from") || inner->contains("to")) {
        out.push_back(read_range(*inner, std::move(key)));
      } else {
        read_table(*inner, key.key + ".", file, out);
      }
    } else {
      throw UsageError(
          fmt::format("{}{}: expected a list or a range {{ from = A, to = B }}; what is "
                      "not searched belongs to --set",
                      key.where, key.key));
    }
  }
}

// The value at a share of a range. Whole numbers are equally likely, the last one too.
std::string at_share(const SearchKey& key, double share, bool between) {
  const double from = key.log ? std::log(key.from) : key.from;
  const double to = key.log ? std::log(key.to) : key.to;
  if (!key.whole) {
    const double value = from + share * (to - from);
    return fmt::format("{:.6g}", key.log ? std::exp(value) : value);
  }
  const double low = between ? (key.log ? std::log(key.from) : key.from) : from;
  const double high = between ? (key.log ? std::log(key.to + 1.0) : key.to + 1.0) : to;
  const double value = low + share * (high - low);
  const double plain = key.log ? std::exp(value) : value;
  const double whole = between ? std::floor(plain) : std::round(plain);
  return fmt::format("{:.0f}", std::clamp(whole, key.from, key.to));
}

std::vector<std::string> grid_values(const SearchKey& key) {
  if (key.steps == 0)
    throw UsageError(
        fmt::format("{}{}: a range of a grid says how many steps", key.where, key.key));
  std::vector<std::string> out;
  for (int64_t i = 0; i < key.steps; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(key.steps - 1);
    std::string value = at_share(key, share, false);
    if (out.empty() || out.back() != value) out.push_back(std::move(value));
  }
  return out;
}

}  // namespace

SearchSpace::SearchSpace(std::string_view toml, const std::string& file) {
  try {
    read_table(toml::parse(toml, file), "", file, keys_);
  } catch (const toml::parse_error& error) {
    throw UsageError(
        fmt::format("{}:{}: {}", file, error.source().begin.line, error.description()));
  }
  if (keys_.empty()) throw UsageError(file + ": nothing to search");
}

bool SearchSpace::has(const std::string& key) const {
  return std::any_of(keys_.begin(), keys_.end(), [&](const SearchKey& k) { return k.key == key; });
}

SearchPoint SearchSpace::draw(uint64_t seed, uint64_t number) const {
  Rng rng(seed, Stream::kSearch, number);
  SearchPoint out;
  for (const SearchKey& key : keys_) {
    const double share = rng.uniform();
    const auto count = static_cast<double>(key.values.size());
    out.push_back(key.is_range() ? at_share(key, share, true)
                                 : key.values[static_cast<size_t>(share * count)]);
  }
  return out;
}

std::vector<SearchPoint> SearchSpace::grid(int64_t most) const {
  std::vector<SearchPoint> out = {{}};
  const auto check_count = [&](int64_t values) {
    if (values > most / std::ssize(out))
      throw UsageError(fmt::format("the grid has more than {} points", most));
  };
  for (const SearchKey& key : keys_) {
    if (key.steps > most) check_count(key.steps);
    const std::vector<std::string> values = key.is_range() ? grid_values(key) : key.values;
    check_count(std::ssize(values));
    std::vector<SearchPoint> longer;
    for (const SearchPoint& point : out) {
      for (const std::string& value : values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    }
    out = std::move(longer);
  }
  return out;
}

std::vector<std::string> SearchSpace::assignments(const SearchPoint& point) const {
  std::vector<std::string> out;
  for (size_t i = 0; i < keys_.size(); ++i) out.push_back(keys_[i].key + "=" + point[i]);
  return out;
}

}  // namespace emgnn
