// SPDX-License-Identifier: Apache-2.0
// The methods by name, with the settings each starts from.
#pragma once

#include <string>
#include <vector>

#include <emgnn/em/config.h>

namespace emgnn {

enum class DataKind { kGraph, kMolecules };

struct MethodInfo {
  std::string name, summary;
  DataKind data;
  bool em;  // over a learned distribution of graphs; else on the graph as given
};
const std::vector<MethodInfo>& methods();
const MethodInfo& method_info(const std::string& name);  // UsageError with near matches

// UsageError when the method is for data of the other kind.
void check_data_kind(const std::string& method, DataKind kind, const std::string& dataset_name);

// The settings of a method on a dataset before the user's own: general defaults, then those of
// molecules, then the shipped ones.
RunConfig default_config(const std::string& method, const std::string& dataset_name);

}  // namespace emgnn
