// SPDX-License-Identifier: Apache-2.0
// emgnn man: manual pages, from what --help says.
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <sstream>

#include <emgnn/base/error.h>
#include <emgnn/base/version.h>
#include <emgnn/cli/commands.h>
#include <emgnn/cli/completion.h>
#include <emgnn/cli/output.h>

namespace emgnn::cli {

namespace {

// Text as roff: no character has a meaning of its own.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  // A dot or a quote at the start of a line would be a request.
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string dashed(std::string path) {
  std::replace(path.begin(), path.end(), ' ', '-');
  return path.empty() ? "emgnn" : "emgnn-" + path;
}

std::string synopsis(const CommandText& command) {
  std::string out =
      fmt::format(".B emgnn{}{}\n", command.path.empty() ? "" : " ", plain(command.path));
  if (!command.subcommands.empty()) return out + ".I COMMAND\n[\n.I options\n]\n";
  for (const OptionText& option : command.options) {
    if (!option.is_argument() && !option.required) continue;
    out += option.is_argument()
               ? fmt::format(".I {}\n", plain(option.value.empty() ? option.name : option.value))
               : fmt::format(".B {}\n.I {}\n", plain(option.name), plain(option.value));
  }
  return out + "[\n.I options\n]\n";
}

std::string options(const CommandText& command) {
  std::string out = ".SH OPTIONS\n";
  for (const OptionText& option : command.options) {
    out += fmt::format(
        ".TP\n\\fB{}\\fR{}{}\n{}{}{}\n", plain(option.is_argument() ? option.value : option.name),
        option.is_argument() || option.value.empty() ? "" : " ",
        option.is_argument() || option.value.empty()
            ? ""
            : fmt::format("\\fI{}\\fR", plain(option.value)),
        plain(option.help), option.repeatable ? " (repeatable)" : "",
        option.standard.empty() ? "" : fmt::format(" (default {})", plain(option.standard)));
  }
  return out;
}

std::string commands(const CommandText& command, const std::vector<CommandText>& tree) {
  if (command.subcommands.empty()) return "";
  std::string out = ".SH COMMANDS\n";
  for (const std::string& name : command.subcommands) {
    const std::string path = command.path.empty() ? name : command.path + " " + name;
    out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", plain(name), plain(find_command(tree, path)->help));
  }
  return out;
}

// The lines after the options of --help, as they stand there.
std::string notes(const CommandText& command) {
  if (command.footer.empty()) return "";
  std::string out = ".SH NOTES\n.nf\n";
  std::istringstream lines(command.footer);
  for (std::string line; std::getline(lines, line);) out += plain(line) + "\n";
  return out + ".fi\n";
}

std::string see_also(const CommandText& command, const std::vector<CommandText>& tree) {
  std::string out;
  for (const CommandText& other : tree) {
    if (other.path == command.path) continue;
    out += fmt::format("{}\\fB{}\\fR(1)", out.empty() ? "" : ",\n", plain(dashed(other.path)));
  }
  return ".SH SEE ALSO\n" + out + "\n";
}

}  // namespace

std::string manual_page(const CommandText& command, const std::vector<CommandText>& tree) {
  const std::string name = dashed(command.path);
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::string out = fmt::format(".TH {} 1 \"\" \"emgnn {}\"\n", plain(upper), version());
  out += fmt::format(".SH NAME\n{} \\- {}\n", plain(name), plain(command.help));
  out += ".SH SYNOPSIS\n" + synopsis(command);
  return out + commands(command, tree) + options(command) + notes(command) +
         see_also(command, tree);
}

void add_man(CLI::App& program) {
  CLI::App* command = program.add_subcommand("man", "Print the manual page of a command");
  const auto path = std::make_shared<std::vector<std::string>>();
  command->add_option("command", *path, "Which one, such as train or data info; default: emgnn")
      ->type_name("COMMAND")
      ->expected(0, 2);
  command->footer("\nExamples:\n  emgnn man train | man -l -\n");
  command->callback([&program, path] {
    const std::vector<CommandText> tree = command_tree(program);
    const std::string wanted = fmt::format("{}", fmt::join(*path, " "));
    const CommandText* found = find_command(tree, wanted);
    if (found == nullptr) throw UsageError(fmt::format("no command \"{}\" to describe", wanted));
    print(manual_page(*found, tree));
  });
}

}  // namespace emgnn::cli
