// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/presets.h>

#include <fmt/ranges.h>

#include <algorithm>

#include <emgnn/base/error.h>
#include <emgnn/base/options.h>
#include <emgnn/base/shipped_files.h>
#include <emgnn/run/config_text.h>

namespace emgnn {

namespace {

constexpr std::string_view kFolder = "presets/";

Preset read_preset(const ShippedFile& file) {
  const std::string path(file.path);
  const PresetTable table = preset_table(file.text, "configs/" + path + ".toml");
  Preset out{.name = path.substr(kFolder.size()),
             .summary = table.summary,
             .kind = table.data == "molecules" ? DataKind::kMolecules : DataKind::kGraph,
             .files = table.from};
  out.files.push_back(path);
  return out;
}

std::vector<std::string> words() {
  std::vector<std::string> out = {kNoPreset, kAutoPreset};
  for (const Preset& preset : presets()) out.push_back(preset.name);
  return out;
}

}  // namespace

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = [] {
    std::vector<Preset> out;
    for (const ShippedFile& file : shipped_files())
      if (file.path.starts_with(kFolder)) out.push_back(read_preset(file));
    return out;
  }();
  return all;
}

bool is_preset(const std::string& name) {
  return std::any_of(presets().begin(), presets().end(),
                     [&](const Preset& preset) { return preset.name == name; });
}

const Preset& preset_named(const std::string& name) {
  for (const Preset& preset : presets())
    if (preset.name == name) return preset;
  const std::vector<std::string> near = near_matches(name, words());
  throw UsageError(fmt::format("unknown preset \"{}\"; {} {}", name,
                               near.empty() ? "known:" : "did you mean",
                               fmt::join(near.empty() ? words() : near, ", ")));
}

void check_preset(const std::string& name, DataKind kind) {
  if (name == kNoPreset || name == kAutoPreset) return;
  if (preset_named(name).kind == kind) return;
  throw UsageError(fmt::format("preset {} is for {}", name,
                               kind == DataKind::kGraph ? "molecules" : "the nodes of a graph"));
}

}  // namespace emgnn
