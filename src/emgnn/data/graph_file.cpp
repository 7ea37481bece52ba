// SPDX-License-Identifier: Apache-2.0
// The layout, all numbers little-endian:
//   0   8 bytes   "EMGNNGRF"
//   8   uint32    version, 1
//   12  uint32    0x01020304, to tell the byte order
//   16  uint64    size of the header
//   24  uint64    size of the file
//   32  uint32    CRC-32 of the header; zeros follow up to byte 64
//   64  header    JSON: what the graph is, and of each array {"type", "offset", "count", "crc32"}
//   ..  arrays    from the next multiple of 64 on, which offsets count from; each at a multiple of 64
// "crc32" has one number per 16 MiB of the array.
#include <emgnn/data/graph_file.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/base/mapped_file.h>
#include <emgnn/base/threads.h>
#include <emgnn/formats/checksum.h>

namespace emgnn {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMagic = "EMGNNGRF";
constexpr uint32_t kVersion = 1, kByteOrder = 0x01020304;
constexpr size_t kPreamble = 64, kAlign = 64, kBlock = size_t{16} << 20;

struct Preamble {
  char magic[8];
  uint32_t version, byte_order;
  uint64_t header_bytes, file_bytes;
  uint32_t header_crc;
  char zeros[28];
};
static_assert(sizeof(Preamble) == kPreamble);

template <class T>
constexpr const char* kType = nullptr;
template <>
constexpr const char* kType<int32_t> = "int32";
template <>
constexpr const char* kType<int64_t> = "int64";
template <>
constexpr const char* kType<float> = "float32";
template <>
constexpr const char* kType<double> = "float64";
template <>
constexpr const char* kType<char> = "bytes";

size_t aligned(size_t at) { return (at + kAlign - 1) / kAlign * kAlign; }

std::vector<uint32_t> checksums(std::string_view bytes) {
  std::vector<uint32_t> out((bytes.size() + kBlock - 1) / kBlock);
  parallel_for(std::ssize(out), 1, [&](int64_t first, int64_t last) {
    for (int64_t b = first; b < last; ++b)
      out[static_cast<size_t>(b)] = crc32_of(bytes.substr(static_cast<size_t>(b) * kBlock, kBlock));
  });
  return out;
}

class Writer {
 public:
  template <class Values>
  void add(const std::string& name, const Values& values) {
    using T = typename Values::value_type;
    const std::string_view bytes(reinterpret_cast<const char*>(values.data()),
                                 values.size() * sizeof(T));
    arrays_[name] = {{"type", kType<T>},
                     {"offset", end_},
                     {"count", values.size()},
                     {"crc32", checksums(bytes)}};
    pieces_.push_back(bytes);
    end_ = aligned(end_ + bytes.size());
  }

  void write(Json header, const std::filesystem::path& path) const {
    header["arrays"] = arrays_;
    const std::string text = header.dump();
    Preamble preamble{};
    std::copy(kMagic.begin(), kMagic.end(), preamble.magic);
    preamble.version = kVersion;
    preamble.byte_order = kByteOrder;
    preamble.header_bytes = text.size();
    preamble.file_bytes = aligned(kPreamble + text.size()) + end_;
    preamble.header_crc = crc32_of(text);
    static constexpr char kZeros[kAlign] = {};
    std::vector<std::string_view> all = {{reinterpret_cast<const char*>(&preamble), kPreamble},
                                         text};
    const auto pad = [&](size_t size) { all.emplace_back(kZeros, aligned(size) - size); };
    pad(kPreamble + text.size());
    for (const std::string_view piece : pieces_) {
      all.push_back(piece);
      pad(piece.size());
    }
    write_atomically(path, all);
  }

 private:
  Json arrays_ = Json::object();
  std::vector<std::string_view> pieces_;
  size_t end_ = 0;
};

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path)
      : file_(MappedFile::open(path)), name_(path.string()) {
    const std::string_view all = file_->bytes();
    Preamble preamble{};
    if (all.size() < kPreamble) fail("not a graph file of emgnn");
    std::memcpy(&preamble, all.data(), kPreamble);
    if (std::string_view(preamble.magic, kMagic.size()) != kMagic)
      fail("not a graph file of emgnn");
    if (preamble.byte_order != kByteOrder)
      fail("written on a machine with another byte order; import the graph again here");
    if (preamble.version != kVersion)
      fail(fmt::format("version {} of the format; this program reads version {}", preamble.version,
                       kVersion));
    if (preamble.file_bytes != all.size())
      fail(fmt::format("cut off or changed: {} bytes, expected {}", all.size(),
                       preamble.file_bytes));
    if (preamble.header_bytes > all.size() - kPreamble) fail("damaged header");
    const std::string_view text = all.substr(kPreamble, preamble.header_bytes);
    if (crc32_of(text) != preamble.header_crc) fail("damaged header");
    begin_ = aligned(kPreamble + preamble.header_bytes);
    if (begin_ > all.size()) fail("damaged header");
    header = Json::parse(text);
  }

  Json header;

  // The array as it lies in the file; it is an error when it is not there.
  template <class T>
  Array<T> array(const std::string& name) const {
    const Json& entry = header.at("arrays").at(name);
    const auto offset = entry.at("offset").get<uint64_t>(),
               count = entry.at("count").get<uint64_t>();
    const std::string_view all = file_->bytes();
    const uint64_t room = all.size() - begin_;
    if (entry.at("type").get<std::string>() != kType<T> || offset % kAlign != 0 || offset > room ||
        count > (room - offset) / sizeof(T))
      fail(fmt::format("damaged header: array {}", name));
    const std::string_view bytes = all.substr(begin_ + offset, count * sizeof(T));
    if (checksums(bytes) != entry.at("crc32").get<std::vector<uint32_t>>())
      fail(fmt::format("damaged: array {} has another checksum", name));
    return Array<T>::of({reinterpret_cast<const T*>(bytes.data()), count}, file_);
  }
  template <class T>
  std::vector<T> vector(const std::string& name) const {
    return array<T>(name).to_vector();
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(fmt::format("{}: {}", name_, what));
  }

 private:
  std::shared_ptr<const MappedFile> file_;
  std::string name_;
  size_t begin_ = 0;
};

Json write_csr(Writer& out, const std::string& name, const Csr& a) {
  out.add(name + "/rowptr", a.rowptr);
  out.add(name + "/col", a.col);
  if (!a.val.empty()) out.add(name + "/val", a.val);
  return {{"rows", a.num_rows}, {"cols", a.num_cols}, {"weighted", !a.val.empty()}};
}

Csr read_csr(const Reader& in, const std::string& name, const Json& shape) {
  Csr a;
  a.num_rows = shape.at("rows");
  a.num_cols = shape.at("cols");
  a.rowptr = in.array<int32_t>(name + "/rowptr");
  a.col = in.array<int32_t>(name + "/col");
  if (shape.at("weighted").get<bool>()) a.val = in.array<float>(name + "/val");
  return a;
}

// Texts one after the other, and where each ends.
struct Names {
  std::string text;
  std::vector<int64_t> end;

  explicit Names(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      text += name;
      end.push_back(static_cast<int64_t>(text.size()));
    }
  }
};

std::vector<std::string> read_names(const Reader& in, const std::string& name) {
  const Array<char> text = in.array<char>(name + "/text");
  std::vector<std::string> out;
  int64_t begin = 0;
  for (const int64_t end : in.array<int64_t>(name + "/end")) {
    if (end < begin || end > std::ssize(text)) in.fail("damaged: the names of the nodes");
    out.emplace_back(text.data() + begin, text.data() + end);
    begin = end;
  }
  return out;
}

Json write_features(Writer& out, const Features& x) {
  Json json = {
      {"rows", x.num_rows}, {"cols", x.num_cols}, {"sparse", x.is_sparse}, {"names", x.names}};
  if (x.is_sparse) {
    json["matrix"] = write_csr(out, "features", x.sparse);
  } else {
    out.add("features/dense", x.dense);
  }
  return json;
}

Features read_features(const Reader& in) {
  const Json& json = in.header.at("features");
  Features x{
      .num_rows = json.at("rows"), .num_cols = json.at("cols"), .is_sparse = json.at("sparse")};
  x.names = json.at("names").get<std::vector<std::string>>();
  if (x.is_sparse) {
    x.sparse = read_csr(in, "features", json.at("matrix"));
  } else {
    x.dense = in.array<float>("features/dense");
  }
  return x;
}

Json write_labels(Writer& out, const Labels& labels) {
  if (labels.kind == LabelKind::kClasses) out.add("labels", labels.cls);
  if (!labels.value.empty()) out.add("labels/value", labels.value);
  return {
      {"kind", static_cast<int>(labels.kind)}, {"rows", labels.num_rows}, {"names", labels.names}};
}

Labels read_labels(const Reader& in) {
  const Json& json = in.header.at("labels");
  const int kind = json.at("kind");
  if (kind < 0 || kind > static_cast<int>(LabelKind::kValues)) in.fail("unknown kind of labels");
  Labels out{
      .kind = static_cast<LabelKind>(kind), .num_rows = json.at("rows"), .names = json.at("names")};
  if (out.kind == LabelKind::kClasses) out.cls = in.vector<int32_t>("labels");
  if (in.header.at("arrays").contains("labels/value"))
    out.value = in.vector<double>("labels/value");
  return out;
}

ParsedDataset read(const Reader& in) {
  const Json& header = in.header;
  ParsedDataset out;
  Dataset& data = out.dataset;
  data.name = header.at("name");
  data.graph.num_nodes = header.at("nodes");
  for (size_t r = 0; r < header.at("relations").size(); ++r) {
    const Json& json = header.at("relations")[r];
    data.graph.relations.push_back(
        {json.at("name"), read_csr(in, fmt::format("relation/{}", r), json.at("matrix"))});
  }
  data.features = read_features(in);
  data.labels = read_labels(in);
  for (size_t s = 0; s < header.at("splits").size(); ++s) {
    const auto part = [&](const char* name) {
      return in.vector<int32_t>(fmt::format("split/{}/{}", s, name));
    };
    out.splits.push_back(
        {header.at("splits")[s], {part("train"), part("validation"), part("test")}});
  }
  const Json& arrays = header.at("arrays");
  if (arrays.contains("node_names/end")) data.node_names = read_names(in, "node_names");
  if (arrays.contains("given_order")) data.given_order = in.vector<int32_t>("given_order");
  if (arrays.contains("node_type")) data.node_type = in.vector<int32_t>("node_type");
  data.node_type_names = header.at("node_types").get<std::vector<std::string>>();
  data.predicted_types = header.at("predicted_types").get<std::vector<std::string>>();
  out.num_duplicates = header.at("duplicates");
  out.num_self_loops = header.at("self_loops");
  out.features_are_default = header.at("default_features");
  out.notes = header.at("notes").get<std::vector<std::string>>();
  return out;
}

}  // namespace

bool has_graph_file_suffix(const std::filesystem::path& path) {
  return path.extension() == kGraphFileSuffix;
}

void write_graph_file(const ParsedDataset& parsed, const std::filesystem::path& path) {
  static_assert(std::endian::native == std::endian::little);
  const Dataset& data = parsed.dataset;
  Writer out;
  Json relations = Json::array(), splits = Json::array();
  for (size_t r = 0; r < data.graph.relations.size(); ++r) {
    const Relation& relation = data.graph.relations[r];
    relations.push_back(
        {{"name", relation.name},
         {"matrix", write_csr(out, fmt::format("relation/{}", r), relation.adjacency)}});
  }
  Json header = {{"name", data.name},
                 {"nodes", data.graph.num_nodes},
                 {"relations", relations},
                 {"features", write_features(out, data.features)},
                 {"labels", write_labels(out, data.labels)}};
  for (size_t s = 0; s < parsed.splits.size(); ++s) {
    const NamedSplit& named = parsed.splits[s];
    splits.push_back(named.name);
    out.add(fmt::format("split/{}/train", s), named.split.train);
    out.add(fmt::format("split/{}/validation", s), named.split.validation);
    out.add(fmt::format("split/{}/test", s), named.split.test);
  }
  header["splits"] = splits;
  const Names names(data.node_names);
  if (!data.node_names.empty()) {
    out.add("node_names/text", names.text);
    out.add("node_names/end", names.end);
  }
  if (!data.given_order.empty()) out.add("given_order", data.given_order);
  if (!data.node_type.empty()) out.add("node_type", data.node_type);
  header["node_types"] = data.node_type_names;
  header["predicted_types"] = data.predicted_types;
  header["duplicates"] = parsed.num_duplicates;
  header["self_loops"] = parsed.num_self_loops;
  header["default_features"] = parsed.features_are_default;
  header["notes"] = parsed.notes;
  out.write(std::move(header), path);
}

int64_t graph_file_entries(const std::filesystem::path& path) {
  const Reader in(path);
  try {
    int64_t out = 0;
    for (size_t r = 0; r < in.header.at("relations").size(); ++r)
      out +=
          in.header.at("arrays").at(fmt::format("relation/{}/col", r)).at("count").get<int64_t>();
    return out;
  } catch (const nlohmann::json::exception&) {
    in.fail("damaged header");
  }
}

ParsedDataset read_graph_file(const std::filesystem::path& path) {
  const Reader in(path);
  try {
    return read(in);
  } catch (const nlohmann::json::exception&) {
    in.fail("damaged header");
  }
}

}  // namespace emgnn
