// SPDX-License-Identifier: Apache-2.0
// Presets: shipped settings by the kind of data that they suit, for data of any name. No LibTorch.
#pragma once

#include <string>
#include <vector>

#include <emgnn/data/data.h>

namespace emgnn {

inline constexpr const char* kPresetKey = "preset";
inline constexpr const char* kNoPreset = "none";    // what is shipped for the data by its name
inline constexpr const char* kAutoPreset = "auto";  // chosen by the data; see auto_preset.h

struct Preset {
  std::string name, summary;
  DataKind kind = DataKind::kGraph;
  // Below configs/, weakest first; its own file is the last. They stand in place of those of the
  // data's group and name.
  std::vector<std::string> files;
};

const std::vector<Preset>& presets();  // ordered by name
// UsageError with near matches; "none" and "auto" are no presets.
const Preset& preset_named(const std::string& name);
bool is_preset(const std::string& name);
// UsageError unless it is a preset for such data, "none" or "auto".
void check_preset(const std::string& name, DataKind kind);

}  // namespace emgnn
