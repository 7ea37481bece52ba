// SPDX-License-Identifier: Apache-2.0
// The methods by name, without what runs them: no LibTorch.
#pragma once

#include <string>
#include <vector>

#include <emgnn/data/data.h>

namespace emgnn {

struct MethodInfo {
  std::string name, summary;
  bool graphs = false, molecules = false;  // the data it is for
  bool em = false;                         // over a learned distribution of graphs
  std::string plain = {};                  // of em: the same network on the graph as given

  bool fits(DataKind kind) const { return kind == DataKind::kGraph ? graphs : molecules; }
};

const std::vector<MethodInfo>& methods();
const MethodInfo& method_info(const std::string& name);  // UsageError with near matches

// UsageError when the method is for data of the other kind.
void check_data_kind(const std::string& method, DataKind kind, const std::string& dataset);

}  // namespace emgnn
