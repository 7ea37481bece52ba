// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/config.h>

#include <algorithm>
#include <set>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/shipped_files.h>
#include <emgnn/learn/calibrated_learner.h>
#include <emgnn/learn/ensemble_learner.h>
#include <emgnn/methods/catalogue.h>
#include <emgnn/run/config_text.h>
#include <emgnn/run/evaluate.h>
#include <emgnn/run/load.h>
#include <emgnn/run/presets.h>
#include <emgnn/run/setting_names.h>

namespace emgnn {

namespace {

ConfigEntry::Kind kind_of_field(OptionRef field) {
  // In the order of OptionRef's alternatives.
  constexpr ConfigEntry::Kind kKinds[] = {ConfigEntry::Kind::kFlag, ConfigEntry::Kind::kInteger,
                                          ConfigEntry::Kind::kReal, ConfigEntry::Kind::kText,
                                          ConfigEntry::Kind::kChoice};
  return kKinds[field.index()];
}

}  // namespace

// Puts assignments into the fields of a configuration.
class ConfigReader {
 public:
  // A shipped file has settings for all methods: what this one does not have is passed over.
  enum class Unknown { kRefuse, kPassOver };

  ConfigReader(RunConfig& config, std::string layer, Unknown unknown)
      : config_(config), layer_(std::move(layer)), unknown_(unknown) {}

  void put(const Assignment& assignment) {
    bool found = false;
    ForEachOption visitor([&](const OptionInfo& info, OptionRef field) {
      if (info.key != assignment.key) return;
      found = true;
      assign(info, field, assignment);
    });
    config_.describe(visitor);
    if (!found) return reject(assignment);
    config_.layer_[assignment.key] = layer_;
    if (unknown_ == Unknown::kRefuse) config_.user_[assignment.key] = layer_;
  }

 private:
  void assign(const OptionInfo& info, OptionRef field, const Assignment& assignment) {
    try {
      const ConfigEntry::Kind kind = kind_of_field(field);
      if (!assignment.fits(kind)) {
        throw UsageError(fmt::format("{}: expected {}, got a TOML {}", info.key,
                                     accepted_values(info, field), assignment.toml_type));
      }
      emgnn::assign(info, field, assignment.value);
    } catch (const UsageError& error) {
      throw UsageError(assignment.where + error.what());
    }
  }

  void reject(const Assignment& assignment) const {
    if (unknown_ == Unknown::kPassOver) return;
    throw unknown_setting(assignment.key, config_.method_name_, config_.facts_.kind,
                          assignment.where);
  }

  RunConfig& config_;
  std::string layer_;
  Unknown unknown_;
};

namespace {

constexpr const char* kRecipeKey = "em.recipe";

const ShippedFile* shipped_file(const std::string& path) {
  for (const ShippedFile& file : shipped_files())
    if (file.path == path) return &file;
  return nullptr;
}

std::string name_of(const ShippedFile& file) { return fmt::format("configs/{}.toml", file.path); }

void put_all(RunConfig& config, const std::string& layer,
             const std::vector<Assignment>& assignments) {
  ConfigReader reader(config, layer, ConfigReader::Unknown::kPassOver);
  for (const Assignment& assignment : assignments) reader.put(assignment);
}

// What a request says about a key; empty: nothing.
std::string last_value(const ConfigRequest& request, const std::string& key) {
  std::string out;
  for (const SettingLayer& layer : request.layers) {
    std::vector<Assignment> all;
    if (!layer.toml.empty()) all = parse_assignments(layer.toml, layer.name, request.method);
    for (const std::string& text : layer.assignments)
      all.push_back(parse_assignment(text, layer.name));
    for (const Assignment& assignment : all)
      if (assignment.key == key) out = assignment.value;
  }
  return out;
}

}  // namespace

RunConfig::RunConfig(const std::string& method, const std::string& dataset,
                     const std::string& recipe, const std::string& preset_name)
    : method_name_(method) {
  facts_.kind = kind_of(dataset);
  check_data_kind(method, facts_.kind, dataset);
  method_ = make_config(method);
  if (!method_info(method).em) data.molecules.conformers.count = 0;  // bonds need no coordinates
  const std::vector<Shipped> shipped = shipped_for(dataset, preset_name);
  for (const auto& [path, layer] : shipped) {
    if (const ShippedFile* file = shipped_file(path))
      put_all(*this, layer, parse_assignments(file->text, name_of(*file), method));
  }
  if (method_info(method).em) read_recipe(shipped, recipe);
  if (!chosen_preset_.empty()) {
    preset.name = chosen_preset_;
    layer_[kPresetKey] = "preset " + chosen_preset_;
  }
}

// Those of the preset, also where the files of the dataset name it.
std::vector<RunConfig::Shipped> RunConfig::shipped_for(const std::string& dataset,
                                                       const std::string& preset_name) {
  std::vector<Shipped> out;
  std::string chosen = preset_name;
  for (const std::string& path :
       {"methods/" + method_name_, "groups/" + group_of(dataset), "datasets/" + dataset}) {
    const ShippedFile* file = shipped_file(path);
    if (file == nullptr) continue;
    out.push_back({path, name_of(*file)});
    if (!preset_name.empty()) continue;
    for (const Assignment& a : parse_assignments(file->text, name_of(*file), method_name_))
      if (a.key == kPresetKey) chosen = a.value;
  }
  check_preset(chosen.empty() ? kNoPreset : chosen, facts_.kind);
  if (!is_preset(chosen)) return out;
  std::erase_if(out, [](const Shipped& file) { return !file.path.starts_with("methods/"); });
  for (const std::string& path : preset_named(chosen).files)
    out.push_back({path, "preset " + chosen});
  chosen_preset_ = chosen;
  return out;
}

// The recipe's own file, then what the others say about it.
void RunConfig::read_recipe(const std::vector<Shipped>& shipped, const std::string& recipe) {
  const std::string name = recipe.empty() ? values().at(kRecipeKey) : recipe;
  const ShippedFile* own = shipped_file("recipes/" + name);
  if (own == nullptr) return;  // the published one is what all files say by themselves
  put_all(*this, name_of(*own), parse_assignments(own->text, name_of(*own), method_name_));
  for (const auto& [path, layer] : shipped) {
    if (const ShippedFile* file = shipped_file(path))
      put_all(*this, layer, recipe_assignments(file->text, name_of(*file), method_name_, name));
  }
}

std::shared_ptr<Learner> RunConfig::learner(const LearnerInput& input) const {
  std::shared_ptr<Learner> out = uncalibrated(input);
  if (calibration.by == Calibration::kNone) return out;
  std::shared_ptr<const Task> task = task_of(*out, *input.data);
  return std::make_shared<CalibratedLearner>(std::move(out), std::move(task),
                                             input.data->split().validation);
}

std::shared_ptr<Learner> RunConfig::uncalibrated(const LearnerInput& input) const {
  if (ensemble.members == 1) return method_->learner(input);
  std::vector<std::shared_ptr<Learner>> members;
  for (int64_t k = 0; k < ensemble.members; ++k) {
    LearnerInput own = input;
    own.seed = member_seed(input.seed, Stream::kEnsemble, static_cast<uint64_t>(k));
    members.push_back(method_->learner(own));
  }
  std::shared_ptr<const Task> task = task_of(*members.front(), *input.data);
  return std::make_shared<EnsembleLearner>(std::move(members), std::move(task));
}

void RunConfig::describe(OptionVisitor& visitor) const {
  // The walk over the options is the same for reading and writing; only a reader writes.
  auto& self = const_cast<RunConfig&>(*this);
  emgnn::describe(visitor, self.data, facts_.kind);
  emgnn::describe(visitor, self.preset);
  emgnn::describe(visitor, self.ensemble);
  emgnn::describe(visitor, self.calibration);
  self.method_->describe(visitor, facts_);
}

void RunConfig::read_toml(std::string_view text, const std::string& layer) {
  for (const Assignment& table : tables_below("recipe", text, layer)) {
    throw UsageError(fmt::format("{}[recipe.{}]: write the settings without it, and em.recipe",
                                 table.where, table.key));
  }
  for (const Assignment& table : tables_below("method", text, layer)) {
    try {
      method_info(table.key);  // the settings of a name that is none would never be read
    } catch (const UsageError& error) {
      throw UsageError(table.where + error.what());
    }
    EMGNN_CHECK(table.toml_type == "table",
                fmt::format("{}method.{}: expected a table of settings", table.where, table.key),
                table.toml_type);
  }
  // A run's file has every key of its method on its data. Others may lack some of them.
  const bool of_run = stored_run(text, layer).has_value();
  ConfigReader reader(*this, layer,
                      of_run ? ConfigReader::Unknown::kPassOver : ConfigReader::Unknown::kRefuse);
  for (const Assignment& a : parse_assignments(text, layer, method_name_)) reader.put(a);
}

void RunConfig::set(std::string_view assignment, const std::string& layer) {
  ConfigReader(*this, layer, ConfigReader::Unknown::kRefuse)
      .put(parse_assignment(assignment, layer));
}

void RunConfig::apply(const SettingLayer& layer) {
  if (!layer.toml.empty()) read_toml(layer.toml, layer.name);
  for (const std::string& assignment : layer.assignments) set(assignment, layer.name);
}

void RunConfig::narrow(const DataFacts& facts) {
  facts_ = facts;
  std::set<std::string> read;
  for (const ConfigEntry& entry : entries()) read.insert(entry.key);
  for (const auto& [key, layer] : user_) {
    if (read.contains(key)) continue;
    throw UsageError(
        fmt::format("{}: {} is not read by {} on this data", layer, key, method_name_));
  }
}

std::vector<ConfigEntry> RunConfig::entries() const {
  std::vector<ConfigEntry> out;
  std::set<std::string> seen;  // families may share a key
  ForEachOption visitor([&](const OptionInfo& info, OptionRef field) {
    if (!seen.insert(info.key).second) return;
    const auto found = layer_.find(info.key);
    out.push_back({.key = info.key,
                   .help = info.help,
                   .accepted = accepted_values(info, field),
                   .value = to_text(info, field),
                   .layer = found == layer_.end() ? "default" : found->second,
                   .kind = kind_of_field(field)});
  });
  describe(visitor);
  return out;
}

std::map<std::string, std::string> RunConfig::values() const {
  std::map<std::string, std::string> out;
  for (const ConfigEntry& entry : entries()) out[entry.key] = entry.value;
  return out;
}

std::string RunConfig::to_toml() const { return emgnn::to_toml(entries()); }

void RunConfig::read_stored(const std::map<std::string, std::string>& values) {
  // A model that does not speak of it is not calibrated, whatever is shipped now.
  calibration = {};
  ConfigReader reader(*this, "the stored run", ConfigReader::Unknown::kPassOver);
  for (const auto& [key, value] : values)
    reader.put({.key = key, .value = value, .where = "", .toml_type = ""});
}

RunConfig resolve(const ConfigRequest& request) {
  RunConfig config(request.method, request.dataset, last_value(request, kRecipeKey),
                   last_value(request, kPresetKey));
  for (const SettingLayer& layer : request.layers) config.apply(layer);
  return config;
}

}  // namespace emgnn
