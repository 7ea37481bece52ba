// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/options.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

[[noreturn]] void reject(const OptionInfo& info, OptionRef field, std::string_view text) {
  throw UsageError(
      fmt::format("{}: expected {}, got \"{}\"", info.key, accepted_values(info, field), text));
}

template <class Number>
Number parse_number(const OptionInfo& info, OptionRef field, std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool in_bounds =
      static_cast<double>(value) >= info.min && static_cast<double>(value) <= info.max;
  if (error != std::errc() || stop != end || !in_bounds) reject(info, field, text);
  return value;
}

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0]++;
    for (size_t j = 1; j <= b.size(); ++j) {
      const int above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

void OptionVisitor::flag(std::string key, bool& value, std::string help) {
  visit({.key = std::move(key), .help = std::move(help), .choices = {}}, &value);
}

void OptionVisitor::integer(std::string key, int64_t& value, int64_t min, int64_t max,
                            std::string help) {
  visit({.key = std::move(key),
         .help = std::move(help),
         .min = static_cast<double>(min),
         .max = static_cast<double>(max),
         .choices = {}},
        &value);
}

void OptionVisitor::real(std::string key, double& value, double min, double max, std::string help) {
  visit({.key = std::move(key), .help = std::move(help), .min = min, .max = max, .choices = {}},
        &value);
}

void OptionVisitor::text(std::string key, std::string& value, std::string help) {
  visit({.key = std::move(key), .help = std::move(help), .choices = {}}, &value);
}

void assign(const OptionInfo& info, OptionRef field, std::string_view text) {
  std::visit(Overloaded{
                 [&](bool* value) {
                   if (text != "true" && text != "false") reject(info, field, text);
                   *value = text == "true";
                 },
                 [&](int64_t* value) { *value = parse_number<int64_t>(info, field, text); },
                 [&](double* value) { *value = parse_number<double>(info, field, text); },
                 [&](std::string* value) { *value = text; },
                 [&](ChoiceRef ref) {
                   const auto found = std::find(info.choices.begin(), info.choices.end(), text);
                   if (found == info.choices.end()) reject(info, field, text);
                   ref.set(ref.value, static_cast<int>(found - info.choices.begin()));
                 },
             },
             field);
}

std::string to_text(const OptionInfo& info, OptionRef field) {
  return std::visit(
      Overloaded{
          [](bool* value) { return std::string(*value ? "true" : "false"); },
          [](int64_t* value) { return std::to_string(*value); },
          [](double* value) { return fmt::format("{}", *value); },
          [](std::string* value) { return *value; },
          [&](ChoiceRef ref) { return info.choices[static_cast<size_t>(ref.get(ref.value))]; },
      },
      field);
}

std::string accepted_values(const OptionInfo& info, OptionRef field) {
  const auto bounds = [&](const char* kind) {
    if (std::isinf(info.min) && std::isinf(info.max)) return fmt::format("{}", kind);
    if (std::isinf(info.max)) return fmt::format("{} >= {:.15g}", kind, info.min);
    return fmt::format("{}, {:.15g} to {:.15g}", kind, info.min, info.max);
  };
  return std::visit(
      Overloaded{
          [](bool*) { return std::string("true or false"); },
          [&](int64_t*) { return bounds("integer"); },
          [&](double*) { return bounds("number"); },
          [](std::string*) { return std::string("text"); },
          [&](ChoiceRef) { return fmt::format("one of {}", fmt::join(info.choices, ", ")); },
      },
      field);
}

std::vector<std::string> near_matches(std::string_view key, const std::vector<std::string>& known) {
  // The last part counts as well: "rounds" is near "em.rounds".
  const auto last_part = [](std::string_view s) { return s.substr(s.rfind('.') + 1); };
  std::vector<std::pair<int, std::string>> scored;
  for (const std::string& candidate : known) {
    const int whole = edit_distance(key, candidate);
    const int part = edit_distance(last_part(key), last_part(candidate));
    const int score = std::min(whole, part);
    if (score <= 2) scored.emplace_back(score * 1000 + whole, candidate);
  }
  std::sort(scored.begin(), scored.end());
  if (scored.size() > 3) scored.resize(3);
  std::vector<std::string> names;
  names.reserve(scored.size());
  for (auto& [score, name] : scored) names.push_back(std::move(name));
  return names;
}

}  // namespace emgnn
