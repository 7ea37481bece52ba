// SPDX-License-Identifier: Apache-2.0
#include <emgnn/cli/command_tree.h>

#include <algorithm>
#include <map>
#include <utility>

#include <emgnn/data/registry.h>
#include <emgnn/methods/catalogue.h>
#include <emgnn/report/paper_tables.h>
#include <emgnn/run/setting_names.h>

namespace emgnn::cli {

namespace {

Offer offer_of(const std::string& value) {
  static const std::map<std::string, Offer> offers = {
      {"NAME|DIR|FILE", Offer::kDatasets}, {"NAME", Offer::kDatasets},
      {"METHOD", Offer::kMethods},         {"KEY=VALUE", Offer::kSettings},
      {"TABLE", Offer::kTables},           {"SHELL", Offer::kShells},
      {"COMMAND", Offer::kCommands},       {"DIR", Offer::kFolders},
      {"RUN_DIR", Offer::kFolders}};
  if (value.starts_with("F.") || value.starts_with("FILE.")) return Offer::kFiles;
  const auto found = offers.find(value);
  return found == offers.end() ? Offer::kNothing : found->second;
}

OptionText text_of(const CLI::Option& option) {
  OptionText out;
  out.name = option.get_positional()        ? option.get_name()
             : !option.get_lnames().empty() ? "--" + option.get_lnames().front()
                                            : "-" + option.get_snames().front();
  out.value = option.get_type_size() == 0 ? "" : option.get_type_name();
  out.help = option.get_description();
  out.standard = option.get_default_str();
  out.required = option.get_required();
  out.repeatable = option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll &&
                   !out.value.empty() && !option.get_positional();
  out.offer = offer_of(out.value);
  return out;
}

void add_command(const CLI::App& app, const std::string& path, std::vector<CommandText>& out) {
  CommandText text{.path = path,
                   .name = app.get_name(),
                   .help = app.get_description(),
                   .footer = app.get_footer(),
                   .options = {},
                   .subcommands = {}};
  for (const CLI::Option* option : app.get_options()) text.options.push_back(text_of(*option));
  const auto children =
      app.get_subcommands([](const CLI::App* child) { return !child->get_name().empty(); });
  for (const CLI::App* child : children) text.subcommands.push_back(child->get_name());
  out.push_back(std::move(text));
  for (const CLI::App* child : children)
    add_command(*child, path.empty() ? child->get_name() : path + " " + child->get_name(), out);
}

}  // namespace

std::vector<CommandText> command_tree(const CLI::App& program) {
  std::vector<CommandText> out;
  add_command(program, "", out);
  return out;
}

const CommandText* find_command(const std::vector<CommandText>& tree, const std::string& path) {
  const auto found = std::find_if(tree.begin(), tree.end(),
                                  [&](const CommandText& text) { return text.path == path; });
  return found == tree.end() ? nullptr : &*found;
}

std::vector<std::string> words_of(Offer offer, const std::vector<CommandText>& tree) {
  std::vector<std::string> out;
  if (offer == Offer::kDatasets)
    for (const DatasetInfo& info : list_datasets()) out.push_back(info.name);
  if (offer == Offer::kMethods)
    for (const MethodInfo& info : methods()) out.push_back(info.name);
  if (offer == Offer::kSettings)
    for (const std::string& key : all_setting_names()) out.push_back(key + "=");
  if (offer == Offer::kTables)
    for (const PaperTable& table : paper_tables()) out.push_back(table.name);
  if (offer == Offer::kShells) out = {"bash", "zsh", "fish"};
  if (offer == Offer::kCommands) out = tree.front().subcommands;
  return out;
}

}  // namespace emgnn::cli
