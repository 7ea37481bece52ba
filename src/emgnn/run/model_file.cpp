// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/model_file.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/run/config_text.h>

namespace emgnn {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "emgnn model 2";
constexpr const char* kFirstFormat = "emgnn model 1";

class Metadata {
 public:
  Metadata(const std::map<std::string, std::string>& entries, const std::string& file)
      : entries_(entries), file_(file) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(fmt::format("{}: not a model of emgnn: {}", file_, what));
  }

  const std::string& text(const std::string& key) const {
    const auto found = entries_.find(key);
    if (found == entries_.end()) fail(key + " is missing");
    return found->second;
  }

  template <class Value>
  Value json(const std::string& key) const {
    try {
      return Json::parse(text(key)).get<Value>();
    } catch (const nlohmann::json::exception& error) {
      fail(fmt::format("{}: {}", key, error.what()));
    }
  }

  uint64_t number(const std::string& key) const {
    const std::string& digits = text(key);
    uint64_t value = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc() || stop != end) fail(key + ": expected a number");
    return value;
  }

 private:
  const std::map<std::string, std::string>& entries_;
  const std::string& file_;
};

LabelKind kind_named(const std::string& name, const Metadata& metadata) {
  for (LabelKind kind : {LabelKind::kClasses, LabelKind::kLabels, LabelKind::kValues})
    if (name == name_of(kind)) return kind;
  metadata.fail("an unknown task");
}

// The first format had one task for each kind of data, TOML text for the configuration and no names
// of features; the names of its tensors are today's.
ModelFile from_first_format(const Metadata& metadata, TensorArchive archive) {
  ModelFile out{.dataset = metadata.text("dataset"),
                .method = metadata.text("method"),
                .seed = metadata.number("seed"),
                .config = {},
                .data_sha256 = {},
                .schema = {},
                .archive = {}};
  for (const Assignment& a : parse_assignments(metadata.text("config"), "config", out.method))
    out.config[a.key] = a.value;
  out.schema.label_names = metadata.json<std::vector<std::string>>("classes");
  out.schema.edge_types = metadata.json<std::vector<std::string>>("edge_types");
  out.schema.node_types = metadata.json<std::vector<std::string>>("node_types");
  const bool graph = !out.schema.edge_types.empty();
  out.schema.labels = graph ? LabelKind::kClasses : LabelKind::kValues;
  if (!graph) out.schema.label_names = {"target"};
  const auto first = archive.tensors.find("weight/layers.0.weight");
  if (graph && first != archive.tensors.end() && !first->second.shape.empty())
    out.schema.num_features = first->second.shape.at(0);
  const std::vector<int64_t> present = {1};
  archive.tensors["posterior/present"] = TensorData::from<int64_t>(present, {1});
  out.archive = std::move(archive);
  return out;
}

}  // namespace

DataSchema schema_of(const Data& data, bool with_nodes) {
  DataSchema out{.labels = data.labels().kind, .label_names = data.labels().names};
  if (!data.graph()) return out;
  const Dataset& graph = *data.graph();
  for (const Relation& relation : graph.graph.relations) out.edge_types.push_back(relation.name);
  out.node_types = labelled_types(graph);
  out.all_node_types = graph.node_type_names;
  out.feature_names = graph.features.names;
  out.num_features = graph.features.num_cols;
  for (int32_t v = 0; with_nodes && v < graph.graph.num_nodes; ++v)
    out.node_names.push_back(graph.node_name(v));
  return out;
}

std::string encode_model(ModelFile model) {
  auto& metadata = model.archive.metadata;
  metadata["format"] = kFormat;
  metadata["dataset"] = model.dataset;
  metadata["method"] = model.method;
  metadata["seed"] = std::to_string(model.seed);
  metadata["config"] = Json(model.config).dump();
  metadata["data_sha256"] = model.data_sha256;
  metadata["task"] = name_of(model.schema.labels);
  metadata["labels"] = Json(model.schema.label_names).dump();
  metadata["edge_types"] = Json(model.schema.edge_types).dump();
  metadata["node_types"] = Json(model.schema.node_types).dump();
  metadata["all_node_types"] = Json(model.schema.all_node_types).dump();
  metadata["features"] = Json(model.schema.feature_names).dump();
  metadata["num_features"] = std::to_string(model.schema.num_features);
  metadata["nodes"] = Json(model.schema.node_names).dump();
  return encode_tensors(model.archive);
}

ModelFile decode_model(std::string_view bytes, const std::string& name) {
  TensorArchive archive = decode_tensors(bytes, name);
  const std::map<std::string, std::string> entries = archive.metadata;
  const Metadata metadata(entries, name);
  const std::string format = entries.contains("format") ? entries.at("format") : "none";
  if (format == kFirstFormat) return from_first_format(metadata, std::move(archive));
  if (format != kFormat)
    metadata.fail(fmt::format("its format is \"{}\" and not \"{}\"", format, kFormat));
  using Names = std::vector<std::string>;
  return {.dataset = metadata.text("dataset"),
          .method = metadata.text("method"),
          .seed = metadata.number("seed"),
          .config = metadata.json<std::map<std::string, std::string>>("config"),
          .data_sha256 = entries.contains("data_sha256") ? entries.at("data_sha256") : "",
          .schema = {.labels = kind_named(metadata.text("task"), metadata),
                     .label_names = metadata.json<Names>("labels"),
                     .edge_types = metadata.json<Names>("edge_types"),
                     .node_types = metadata.json<Names>("node_types"),
                     .all_node_types = entries.contains("all_node_types")
                                           ? metadata.json<Names>("all_node_types")
                                           : Names(),
                     .feature_names = metadata.json<Names>("features"),
                     .num_features = static_cast<int64_t>(metadata.number("num_features")),
                     .node_names = metadata.json<Names>("nodes")},
          .archive = std::move(archive)};
}

ModelFile read_model(const fs::path& run) {
  const fs::path file = run / kModelFile;
  std::error_code error, ignored;
  if (fs::exists(file, error)) return decode_model(read_file(file), file.string());
  if (error) throw UsageError(fmt::format("{}: cannot be read: {}", run.string(), error.message()));
  if (!fs::is_directory(run, ignored))
    throw UsageError(fmt::format("{}: no such folder", run.string()));
  for (const auto& entry : fs::directory_iterator(run, ignored)) {
    if (!fs::exists(entry.path() / kModelFile, ignored)) continue;
    throw UsageError(fmt::format("{}: several runs; choose one of them, as in {}", run.string(),
                                 entry.path().string()));
  }
  throw UsageError(
      fmt::format("{}: no {}: not the folder of a finished run", run.string(), kModelFile));
}

}  // namespace emgnn
