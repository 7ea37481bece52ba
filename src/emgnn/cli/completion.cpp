// SPDX-License-Identifier: Apache-2.0
// emgnn completion: what a shell needs to complete a command line. Everything in the scripts comes
// from the command tree, that is from what --help says.
#include <emgnn/cli/completion.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include <emgnn/base/error.h>
#include <emgnn/cli/commands.h>
#include <emgnn/cli/output.h>

namespace emgnn::cli {

namespace {

using Tree = std::vector<CommandText>;
using Words = std::vector<std::string>;

constexpr Offer kOffers[] = {Offer::kDatasets, Offer::kMethods, Offer::kSettings,
                             Offer::kTables,   Offer::kShells,  Offer::kCommands,
                             Offer::kFiles,    Offer::kFolders, Offer::kNothing};

std::string kind_of(Offer offer) {
  // In the order of Offer.
  constexpr const char* kNames[] = {"nothing", "datasets", "methods", "settings", "tables",
                                    "shells",  "commands", "files",   "folders"};
  return kNames[static_cast<size_t>(offer)];
}

// "PARENT WORD" of every command, which is how the scripts find out where they are.
Words steps(const Tree& tree) {
  Words out;
  for (const CommandText& command : tree)
    for (const std::string& child : command.subcommands)
      out.push_back(fmt::format("\"{} {}\"", command.path, child));
  return out;
}

// "PATH --option" of every option with such a value.
Words options_with(Offer offer, const Tree& tree) {
  Words out;
  for (const CommandText& command : tree)
    for (const OptionText& option : command.options)
      if (!option.is_argument() && !option.value.empty() && option.offer == offer)
        out.push_back(fmt::format("\"{} {}\"", command.path, option.name));
  return out;
}

// What can stand at a place of a command that is no option's value.
Words next_words(const CommandText& command, const Tree& tree) {
  Words out = command.subcommands;
  for (const OptionText& option : command.options) {
    if (!option.is_argument()) out.push_back(option.name);
    if (option.is_argument())
      for (const std::string& word : words_of(option.offer, tree)) out.push_back(word);
  }
  return out;
}

bool takes_files(const CommandText& command) {
  for (const OptionText& option : command.options)
    if (option.is_argument() && option.value.find("FILE") != std::string::npos) return true;
  return false;
}

// The parts that bash and zsh share: `where` is the command, `kind` what the value is.
std::string case_of_kinds(const Tree& tree) {
  std::string out = "  case \"$where $prev\" in\n";
  for (const Offer offer : kOffers) {
    const Words options = options_with(offer, tree);
    if (!options.empty())
      out += fmt::format("    {}) kind={};;\n", fmt::join(options, "|"), kind_of(offer));
  }
  return out + "  esac\n";
}

std::string case_of_words(const Tree& tree, const std::string& assign) {
  std::string out = "  case $kind in\n";
  for (const Offer offer : kOffers) {
    const Words words = words_of(offer, tree);
    if (!words.empty())
      out += fmt::format("    {}) {}({});;\n", kind_of(offer), assign, fmt::join(words, " "));
  }
  out += "    '') case $where in\n";
  for (const CommandText& command : tree) {
    out += fmt::format("      '{}') {}({}){};;\n", command.path, assign,
                       fmt::join(next_words(command, tree), " "),
                       takes_files(command) ? "; kind=datasets" : "");
  }
  return out + "    esac;;\n  esac\n";
}

std::string bash_script(const Tree& tree) {
  return fmt::format(
             R"(# Completion of emgnn for bash, written by: emgnn completion bash
_emgnn() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} where= kind= i
  local -a words=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$where ${{COMP_WORDS[i]}}" in
      {}) where="${{where:+$where }}${{COMP_WORDS[i]}}";;
    esac
  done
  COMPREPLY=()
  [[ $cur == = || $prev == = ]] && return
)",
             fmt::join(steps(tree), "|")) +
         case_of_kinds(tree) + case_of_words(tree, "words=") + R"(  case $kind in
    files|datasets) mapfile -t COMPREPLY < <(compgen -W "${words[*]}" -- "$cur"; compgen -f -- "$cur")
      compopt -o filenames 2>/dev/null;;
    folders) mapfile -t COMPREPLY < <(compgen -d -- "$cur"); compopt -o filenames 2>/dev/null;;
    settings) mapfile -t COMPREPLY < <(compgen -W "${words[*]}" -- "$cur"); compopt -o nospace 2>/dev/null;;
    *) mapfile -t COMPREPLY < <(compgen -W "${words[*]}" -- "$cur");;
  esac
}
complete -F _emgnn emgnn
)";
}

std::string zsh_script(const Tree& tree) {
  return fmt::format(
             R"(#compdef emgnn
# Completion of emgnn for zsh, written by: emgnn completion zsh
_emgnn() {{
  local prev=$words[CURRENT-1] where= kind= i
  local -a offered=()
  for ((i = 2; i < CURRENT; ++i)); do
    case "$where $words[i]" in
      {}) where="${{where:+$where }}$words[i]";;
    esac
  done
)",
             fmt::join(steps(tree), "|")) +
         case_of_kinds(tree) + case_of_words(tree, "offered=") + R"(  case $kind in
    files) _files;;
    folders) _files -/;;
    datasets) compadd -a offered; _files;;
    settings) compadd -S '' -a offered;;
    *) compadd -a offered;;
  esac
}
if [[ $funcstack[1] == _emgnn ]]; then _emgnn "$@"; else compdef _emgnn emgnn; fi
)";
}

std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_values(const OptionText& option, const Tree& tree) {
  if (option.value.empty()) return "";
  const Words words = words_of(option.offer, tree);
  const std::string list = words.empty() ? "" : fmt::format(" -a '{}'", fmt::join(words, " "));
  if (option.offer == Offer::kFolders) return " -x -a '(__fish_complete_directories)'";
  if (option.offer == Offer::kFiles || option.offer == Offer::kDatasets) return " -r -F" + list;
  return " -x" + list;
}

// When the words of a command have been typed and none of its subcommands.
std::string fish_condition(const CommandText& command) {
  std::string out = command.path.empty() ? "__fish_use_subcommand" : "";
  size_t begin = 0;
  while (begin < command.path.size()) {
    const size_t end = std::min(command.path.find(' ', begin), command.path.size());
    out += fmt::format("{}__fish_seen_subcommand_from {}", out.empty() ? "" : "; and ",
                       command.path.substr(begin, end - begin));
    begin = end + 1;
  }
  if (!command.path.empty() && !command.subcommands.empty())
    out += fmt::format("; and not __fish_seen_subcommand_from {}",
                       fmt::join(command.subcommands, " "));
  return fish_quoted(out);
}

std::string fish_script(const Tree& tree) {
  std::string out =
      "# Completion of emgnn for fish, written by: emgnn completion fish\ncomplete -c emgnn -f\n";
  for (const CommandText& command : tree) {
    const std::string start = "complete -c emgnn -n " + fish_condition(command);
    for (const std::string& child : command.subcommands) {
      const std::string path = command.path.empty() ? child : command.path + " " + child;
      out += fmt::format("{} -a {} -d {}\n", start, child,
                         fish_quoted(find_command(tree, path)->help));
    }
    for (const OptionText& option : command.options) {
      if (option.is_argument()) {
        const std::string values = fish_values(option, tree);
        if (!values.empty()) out += fmt::format("{}{}\n", start, values);
        continue;
      }
      const bool is_long = option.name.starts_with("--");
      out += fmt::format("{} {} {}{} -d {}\n", start, is_long ? "-l" : "-s",
                         option.name.substr(is_long ? 2 : 1), fish_values(option, tree),
                         fish_quoted(option.help));
    }
  }
  return out;
}

constexpr const char* kExamples = R"(
Examples:
  source <(emgnn completion bash)                                       # now; also in ~/.bashrc
  emgnn completion zsh > "${fpath[1]}/_emgnn"                           # zsh, from the next shell on
  emgnn completion fish > ~/.config/fish/completions/emgnn.fish
)";

}  // namespace

std::string completion_script(const std::string& shell, const Tree& tree) {
  if (shell == "bash") return bash_script(tree);
  if (shell == "zsh") return zsh_script(tree);
  if (shell == "fish") return fish_script(tree);
  throw UsageError(fmt::format("no completion for \"{}\"; known: {}", shell,
                               fmt::join(words_of(Offer::kShells, tree), ", ")));
}

void add_completion(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "completion", "Print a script that completes command lines in a shell");
  const auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash, zsh or fish")->type_name("SHELL")->required();
  command->footer(kExamples);
  command->callback([&program, shell] { print(completion_script(*shell, command_tree(program))); });
}

}  // namespace emgnn::cli
