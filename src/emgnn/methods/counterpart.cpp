// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/counterpart.h>

#include <utility>
#include <vector>

namespace emgnn {

std::string counterpart_of(const std::string& method) {
  static const std::vector<std::pair<std::string, std::string>> pairs = {
#define EMGNN_NETWORK(ID, NAME, EM_NAME, DATA, SUMMARY) {NAME, EM_NAME},
#define EMGNN_METHOD(ID, NAME, DATA, SUMMARY)
#include <emgnn/methods/list.inc>
#undef EMGNN_NETWORK
#undef EMGNN_METHOD
  };
  for (const auto& [plain, em] : pairs) {
    if (method == plain) return em;
    if (method == em) return plain;
  }
  return "";
}

bool sees_graph(const std::string& method) {
  return method != "mlp" && method != "rf" && method != "ridge";
}

}  // namespace emgnn
