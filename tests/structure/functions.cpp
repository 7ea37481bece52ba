// SPDX-License-Identifier: Apache-2.0
#include "structure/functions.h"

#include <algorithm>
#include <cctype>

namespace emgnn::testing {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Blanks one piece after the other.
class Blanker {
 public:
  explicit Blanker(std::string_view text) : text_(text), code_(text) {}

  std::string run() {
    while (at_ < text_.size()) step();
    return std::move(code_);
  }

 private:
  void step() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("//")) return blank_to(line_end(at_));
    if (rest.starts_with("/*")) return blank_to(behind("*/", at_ + 2));
    if (rest.starts_with("R\"") && !word_before()) {
      const std::string close = ")" + std::string(rest.substr(2, rest.find('(') - 2)) + "\"";
      return blank_to(behind(close, at_ + 2));
    }
    if (rest[0] == '"' || (rest[0] == '\'' && !in_number())) return blank_to(literal_end(rest[0]));
    if (rest[0] == '#' && line_is_blank_before()) return blank_to(line_end(at_));
    ++at_;
  }

  bool word_before() const { return at_ > 0 && is_word(text_[at_ - 1]); }

  bool in_number() const {  // 1'000
    size_t begin = at_;
    while (begin > 0 && (is_word(text_[begin - 1]) || text_[begin - 1] == '\'')) --begin;
    return begin < at_ && std::isdigit(static_cast<unsigned char>(text_[begin])) != 0;
  }

  bool line_is_blank_before() const {
    const size_t feed = at_ == 0 ? std::string_view::npos : text_.rfind('\n', at_ - 1);
    const size_t begin = feed == std::string_view::npos ? 0 : feed + 1;
    return text_.substr(begin, at_ - begin).find_first_not_of(" \t") == std::string_view::npos;
  }

  // A backslash at its end continues a line.
  size_t line_end(size_t from) const {
    size_t end = text_.find('\n', from);
    while (end != std::string_view::npos && end > 0 && text_[end - 1] == '\\')
      end = text_.find('\n', end + 1);
    return std::min(end, text_.size());
  }

  size_t behind(std::string_view close, size_t from) const {
    const size_t found = text_.find(close, from);
    return found == std::string_view::npos ? text_.size() : found + close.size();
  }

  size_t literal_end(char quote) const {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text_.size());
  }

  void blank_to(size_t end) {
    for (; at_ < end; ++at_) {
      if (code_[at_] != '\n') code_[at_] = ' ';
    }
  }

  std::string_view text_;
  std::string code_;
  size_t at_ = 0;
};

class Scanner {
 public:
  std::vector<FoundFunction> run(std::string_view code) {
    for (const char c : code) {
      if (c == '\n') ++line_;
      take(c);
    }
    return std::move(found_);
  }

 private:
  enum class Scope { kContainer, kFunction, kOther };

  void take(char c) {
    const bool outside = std::find_if(scopes_.begin(), scopes_.end(), [](Scope s) {
                           return s != Scope::kContainer;
                         }) == scopes_.end();
    if (c == '{') {
      scopes_.push_back(outside ? scope_of_head() : Scope::kOther);
      if (outside && scopes_.back() == Scope::kFunction) start_ = {name_of_head(), head_line_, 0};
      if (outside && scopes_.back() != Scope::kOther) head_.clear();
    } else if (c == '}' && !scopes_.empty()) {
      const Scope closed = scopes_.back();
      scopes_.pop_back();
      if (closed == Scope::kFunction) {
        start_.num_lines = line_ - start_.line + 1;
        found_.push_back(start_);
      }
      if (closed != Scope::kOther) head_.clear();
    } else if (outside && c == ';' && open_parentheses_ == 0) {
      head_.clear();
    } else if (outside) {
      add_to_head(c);
    }
  }

  void add_to_head(char c) {
    if (c == '(') ++open_parentheses_;
    if (c == ')') --open_parentheses_;
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (head_.empty() && blank) return;
    if (head_.empty()) head_line_ = line_;
    head_.push_back(blank ? ' ' : c);
    if (head_ == "public:" || head_ == "protected:" || head_ == "private:") head_.clear();
  }

  // Behind "template <...>".
  std::string_view declared() const {
    std::string_view head = head_;
    if (!head.starts_with("template")) return head;
    int depth = 0;
    for (size_t i = head.find('<'); i < head.size(); ++i) {
      depth += head[i] == '<' ? 1 : head[i] == '>' ? -1 : 0;
      if (depth > 0) continue;
      head.remove_prefix(i + 1);
      break;
    }
    head.remove_prefix(std::min(head.size(), head.find_first_not_of(' ')));
    return head;
  }

  Scope scope_of_head() const {
    const std::string_view head = declared();
    for (const std::string_view word :
         {"namespace", "inline namespace", "class", "struct", "union", "enum"}) {
      if (head.starts_with(word) && (head.size() == word.size() || !is_word(head[word.size()])))
        return Scope::kContainer;
    }
    const bool parentheses = head.find('(') != std::string_view::npos;
    if (head.starts_with("extern") && !parentheses) return Scope::kContainer;
    const size_t last = head.find_last_not_of(' ');
    const bool table = last != std::string_view::npos && head[last] == '=';
    return parentheses && !table && open_parentheses_ == 0 ? Scope::kFunction : Scope::kOther;
  }

  std::string name_of_head() const {
    size_t end = head_.find('(');
    while (end > 0 && head_[end - 1] == ' ') --end;
    size_t begin = end;
    while (begin > 0 && is_word(head_[begin - 1])) --begin;
    return head_.substr(begin, end - begin);
  }

  std::vector<Scope> scopes_;
  std::string head_;  // what was read since the last ';' or brace
  int64_t head_line_ = 1, line_ = 1;
  int open_parentheses_ = 0;
  FoundFunction start_{};
  std::vector<FoundFunction> found_;
};

}  // namespace

std::string code_only(std::string_view text) { return Blanker(text).run(); }

std::vector<FoundFunction> functions_of(std::string_view text) {
  return Scanner().run(code_only(text));
}

}  // namespace emgnn::testing
