// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/stored_model.h>

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>
#include <emgnn/em/safetensors.h>

namespace emgnn {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "emgnn model 1";
constexpr const char* kWeight = "weight/";
constexpr const char* kLamIds = "posterior/lam_ids";
constexpr const char* kLogProbs = "posterior/log_probs";
constexpr const char* kTargetScale = "target/mean_and_std";

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw DataError(fmt::format("{}: not a model of emgnn: {}", name, what));
}

template <class Number>
std::vector<Number> values(const TensorFile& file, const char* key, const std::string& name) {
  const auto found = file.tensors.find(key);
  if (found == file.tensors.end()) fail(name, fmt::format("{} is missing", key));
  if (found->second.scalar_type() != c10::CppTypeToScalarType<Number>::value)
    fail(name, fmt::format("{} has the wrong type", key));
  const Number* first = found->second.data_ptr<Number>();
  return {first, first + found->second.numel()};
}

std::vector<std::string> texts(const TensorFile& file, const char* key, const std::string& name) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) fail(name, fmt::format("{} is missing", key));
  try {
    return Json::parse(found->second).get<std::vector<std::string>>();
  } catch (const nlohmann::json::exception& error) {
    fail(name, fmt::format("{}: {}", key, error.what()));
  }
}

std::string shape_text(at::IntArrayRef shape) { return fmt::format("{}", fmt::join(shape, " x ")); }

}  // namespace

std::map<std::string, at::Tensor> weights_of(const Network& network) {
  std::map<std::string, at::Tensor> out;
  for (const Parameter& p : network.parameters()) out[p.name] = p.value.detach();
  for (const Buffer& b : network.buffers()) out[b.name] = b.value;
  return out;
}

std::string encode_model(const StoredModel& model) {
  TensorFile file;
  file.metadata = to_metadata(model.run);
  file.metadata["format"] = kFormat;
  file.metadata["classes"] = Json(model.classes).dump();
  file.metadata["edge_types"] = Json(model.edge_types).dump();
  file.metadata["node_types"] = Json(model.node_types).dump();
  for (const auto& [name, value] : model.weights) file.tensors[kWeight + name] = value;
  file.tensors[kLamIds] = at::tensor(model.posterior.lam_ids());
  file.tensors[kLogProbs] = at::tensor(model.posterior.log_probs());
  file.tensors[kTargetScale] = at::tensor({model.scale.mean, model.scale.std});
  return encode_safetensors(file);
}

StoredModel decode_model(std::string_view bytes, const std::string& name) {
  const TensorFile file = decode_safetensors(bytes, name);
  const auto format = file.metadata.find("format");
  if (format == file.metadata.end() || format->second != kFormat)
    fail(name, fmt::format("its format is not \"{}\"", kFormat));
  StoredModel out;
  out.run = parse_identity(file.metadata, name);
  out.classes = texts(file, "classes", name);
  out.edge_types = texts(file, "edge_types", name);
  out.node_types = texts(file, "node_types", name);
  for (const auto& [key, tensor] : file.tensors) {
    if (key.starts_with(kWeight)) out.weights[key.substr(std::string(kWeight).size())] = tensor;
  }
  auto lam_ids = values<int64_t>(file, kLamIds, name);
  auto log_probs = values<double>(file, kLogProbs, name);
  if (lam_ids.empty() || lam_ids.size() != log_probs.size()) fail(name, "a broken posterior");
  out.posterior = Posterior::from_log_prob(std::move(lam_ids), std::move(log_probs));
  const auto scale = values<double>(file, kTargetScale, name);
  if (scale.size() != 2) fail(name, "a broken target scale");
  out.scale = {.mean = scale[0], .std = scale[1]};
  return out;
}

void assign(const Network& network, const StoredModel& model, const std::string& data) {
  const at::NoGradGuard no_grad;
  for (const auto& [name, value] : weights_of(network)) {
    const auto found = model.weights.find(name);
    const std::string there =
        found == model.weights.end() ? "missing" : shape_text(found->second.sizes());
    if (there != shape_text(value.sizes())) {
      throw UsageError(fmt::format("{} does not fit the model: {} is {} there and {} here", data,
                                   name, there, shape_text(value.sizes())));
    }
    value.copy_(found->second);
  }
}

}  // namespace emgnn
