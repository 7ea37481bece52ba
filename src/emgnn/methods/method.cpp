// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/method.h>

#include <emgnn/base/error.h>
#include <emgnn/methods/catalogue.h>

namespace emgnn {

#define EMGNN_NETWORK(ID, NAME, EM_NAME, DATA, SUMMARY) \
  std::unique_ptr<MethodConfig> ID##_config(bool em);
#define EMGNN_METHOD(ID, NAME, DATA, SUMMARY) std::unique_ptr<MethodConfig> ID##_config(bool em);
#include <emgnn/methods/list.inc>
#undef EMGNN_NETWORK
#undef EMGNN_METHOD

DataFacts facts_of(const Data& data) {
  DataFacts facts{.kind = data.kind(), .labels = data.labels().kind, .num_edge_types = {}};
  if (data.graph())
    facts.num_edge_types = static_cast<int64_t>(data.graph()->graph.relations.size());
  return facts;
}

std::unique_ptr<MethodConfig> make_config(const std::string& method) {
  const MethodInfo& info = method_info(method);
#define EMGNN_NETWORK(ID, NAME, EM_NAME, DATA, SUMMARY) \
  if (info.name == NAME || info.name == EM_NAME) return ID##_config(info.em);
#define EMGNN_METHOD(ID, NAME, DATA, SUMMARY) \
  if (info.name == NAME) return ID##_config(false);
#include <emgnn/methods/list.inc>
#undef EMGNN_NETWORK
#undef EMGNN_METHOD
  throw InternalError("a method without a file");
}

}  // namespace emgnn
