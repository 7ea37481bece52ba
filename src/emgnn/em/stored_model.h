// SPDX-License-Identifier: Apache-2.0
// A trained model as the bytes of one safetensors file: all that predicting needs.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <emgnn/em/posterior.h>
#include <emgnn/em/run_identity.h>
#include <emgnn/models/network.h>
#include <emgnn/models/regression.h>

namespace emgnn {

struct StoredModel {
  RunIdentity run;
  std::map<std::string, at::Tensor> weights;  // parameters and buffers by their names
  Posterior posterior;                        // p_T
  TargetScale scale;                          // of molecules
  // of graphs
  std::vector<std::string> classes, edge_types;
  std::vector<std::string> node_types;  // those that were predicted; empty: all
};

std::map<std::string, at::Tensor> weights_of(const Network& network);

std::string encode_model(const StoredModel& model);
// DataError with `name`, the file's name, when the bytes are damaged or of no model.
StoredModel decode_model(std::string_view bytes, const std::string& name);

// UsageError that names the first weight of the model that does not fit the network for `data`.
void assign(const Network& network, const StoredModel& model, const std::string& data);

}  // namespace emgnn
