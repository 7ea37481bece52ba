// SPDX-License-Identifier: Apache-2.0
// One description per options struct: each field is named once, with its bounds and its help.
// Readers of TOML and of key=value, the resolved configuration, --help and the documentation all
// walk the same description.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace emgnn {

struct OptionInfo {
  std::string key;   // "em.rounds"
  std::string help;  // one line
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices;  // of an enumeration, in the order of its values
};

// An enumeration seen as the index of its value.
struct ChoiceRef {
  void* value;
  int (*get)(const void*);
  void (*set)(void*, int);
};
using OptionRef = std::variant<bool*, int64_t*, double*, std::string*, ChoiceRef>;

class OptionVisitor {
 public:
  virtual ~OptionVisitor() = default;

  void flag(std::string key, bool& value, std::string help);
  void integer(std::string key, int64_t& value, int64_t min, int64_t max, std::string help);
  void real(std::string key, double& value, double min, double max, std::string help);
  void text(std::string key, std::string& value, std::string help);
  template <class Enum>
  void choice(std::string key, Enum& value, std::initializer_list<const char*> names,
              std::string help) {
    static_assert(std::is_enum_v<Enum>);
    OptionInfo info{
        .key = std::move(key), .help = std::move(help), .choices = {names.begin(), names.end()}};
    visit(info,
          ChoiceRef{&value,
                    [](const void* v) { return static_cast<int>(*static_cast<const Enum*>(v)); },
                    [](void* v, int i) { *static_cast<Enum*>(v) = static_cast<Enum>(i); }});
  }

 protected:
  virtual void visit(const OptionInfo& info, OptionRef value) = 0;
};

// Calls a function for every option of a description.
class ForEachOption : public OptionVisitor {
 public:
  using Handler = std::function<void(const OptionInfo&, OptionRef)>;
  explicit ForEachOption(Handler handler) : handler_(std::move(handler)) {}

 protected:
  void visit(const OptionInfo& info, OptionRef value) override { handler_(info, value); }

 private:
  Handler handler_;
};

// Sets a field from text or from a typed value; throws UsageError that names the key, the bounds or
// the choices.
void assign(const OptionInfo& info, OptionRef field, std::string_view text);

// The field's value as text, in the form `assign` reads.
std::string to_text(const OptionInfo& info, OptionRef field);

// "integer, 1 to 100", "one of pt, po, pd, ph": what a field accepts.
std::string accepted_values(const OptionInfo& info, OptionRef field);

// Keys that a user may have meant, nearest first.
std::vector<std::string> near_matches(std::string_view key, const std::vector<std::string>& known);

}  // namespace emgnn
