// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/safetensors.h>

#include <ATen/ops/empty.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include <zlib.h>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are copied as they lie in memory");

using Json = nlohmann::ordered_json;

constexpr size_t kLengthBytes = 8;
constexpr size_t kAlignment = 8;
constexpr uint64_t kMaxHeader = 100'000'000;  // the format's own limit
constexpr const char* kMetadata = "__metadata__";

struct NumberType {
  const char* name;
  at::ScalarType type;
  uint64_t bytes;
};
constexpr NumberType kNumberTypes[] = {
    {"F64", at::kDouble, 8}, {"I64", at::kLong, 8}, {"F32", at::kFloat, 4}};

const NumberType& number_type(const at::Tensor& tensor, const std::string& name) {
  for (const NumberType& known : kNumberTypes) {
    if (tensor.scalar_type() == known.type) return known;
  }
  throw UsageError(fmt::format("{}: only float32, float64 and int64 tensors can be stored", name));
}

// Of the header without the metadata and of the numbers.
std::string checksum(Json header, std::string_view data) {
  header.erase(kMetadata);
  const std::string text = header.dump();
  uLong sum = 0;
  for (const std::string_view part : {std::string_view(text), data}) {
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(part.data()), part.size());
  }
  return fmt::format("{:08x}", sum);
}

class Decoder {
 public:
  Decoder(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  TensorFile decode() {
    const Json header = read_header();
    TensorFile file;
    for (const auto& [key, value] : header.items()) {
      if (key == kMetadata) {
        for (const auto& [field, text] : value.items()) {
          file.metadata.emplace(field, text.get<std::string>());
        }
      } else {
        file.tensors.emplace(key, read_tensor(key, value));
      }
    }
    if (used_ != data_.size()) fail("the tensors do not fill the file");
    const auto expected = file.metadata.find(kTensorChecksum);
    if (expected != file.metadata.end() && expected->second != checksum(header, data_)) {
      fail("the checksum does not match");
    }
    return file;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(fmt::format("{}: damaged safetensors file: {}", name_, what));
  }

  Json read_header() {
    uint64_t length = 0;
    if (bytes_.size() < kLengthBytes) fail("shorter than its header");
    std::memcpy(&length, bytes_.data(), kLengthBytes);
    if (length > std::min<uint64_t>(kMaxHeader, bytes_.size() - kLengthBytes)) {
      fail(fmt::format("a header of {} bytes in a file of {}", length, bytes_.size()));
    }
    data_ = bytes_.substr(kLengthBytes + length);
    Json header = Json::parse(bytes_.substr(kLengthBytes, length));
    if (!header.is_object()) fail("the header is not a JSON object");
    return header;
  }

  // Tensors lie one after the other in the order of the header, without gaps.
  at::Tensor read_tensor(const std::string& key, const Json& entry) {
    const auto dtype = entry.at("dtype").get<std::string>();
    const auto* known = std::find_if(std::begin(kNumberTypes), std::end(kNumberTypes),
                                     [&](const NumberType& t) { return dtype == t.name; });
    if (known == std::end(kNumberTypes)) fail(fmt::format("{}: unknown type {}", key, dtype));
    const auto offsets = entry.at("data_offsets").get<std::vector<uint64_t>>();
    if (offsets.size() != 2 || offsets[0] != used_ || offsets[1] < used_ ||
        offsets[1] > data_.size()) {
      fail(fmt::format("{}: data_offsets outside of the file or out of order", key));
    }
    const uint64_t size = offsets[1] - offsets[0];
    std::vector<int64_t> shape;
    uint64_t expected = known->bytes;
    for (const Json& extent : entry.at("shape")) {
      const auto n = extent.get<int64_t>();
      if (!extent.is_number_unsigned() || n < 0) fail(fmt::format("{}: bad shape", key));
      if (__builtin_mul_overflow(expected, static_cast<uint64_t>(n), &expected))
        expected = size + 1;
      shape.push_back(n);
    }
    if (expected != size) fail(fmt::format("{}: shape and data_offsets disagree", key));
    const at::Tensor tensor = at::empty(shape, known->type);
    if (size > 0) std::memcpy(tensor.data_ptr(), data_.data() + used_, size);
    used_ = offsets[1];
    return tensor;
  }

  std::string_view bytes_, data_;
  const std::string& name_;
  uint64_t used_ = 0;
};

}  // namespace

std::string encode_safetensors(const TensorFile& file) {
  struct Stored {
    const std::string* name;
    const NumberType* type;
    at::Tensor tensor;
  };
  std::vector<Stored> stored;
  for (const auto& [name, tensor] : file.tensors) {
    stored.push_back({&name, &number_type(tensor, name), tensor.contiguous()});
  }
  // Wide numbers first: then each tensor is aligned to its type.
  std::stable_sort(stored.begin(), stored.end(),
                   [](const Stored& a, const Stored& b) { return a.type->bytes > b.type->bytes; });
  Json header = Json::object();
  header[kMetadata] = file.metadata;
  std::string data;
  for (const Stored& s : stored) {
    const size_t begin = data.size();
    data.append(static_cast<const char*>(s.tensor.data_ptr()), s.tensor.nbytes());
    header[*s.name] = {{"dtype", s.type->name},
                       {"shape", s.tensor.sizes().vec()},
                       {"data_offsets", {begin, data.size()}}};
  }
  header[kMetadata][kTensorChecksum] = checksum(header, data);
  std::string text = header.dump();
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  const uint64_t length = text.size();
  std::string bytes(reinterpret_cast<const char*>(&length), kLengthBytes);
  return bytes + text + data;
}

TensorFile decode_safetensors(std::string_view bytes, const std::string& name) {
  try {
    return Decoder(bytes, name).decode();
  } catch (const nlohmann::json::exception& error) {
    throw DataError(fmt::format("{}: damaged safetensors file: {}", name, error.what()));
  }
}

}  // namespace emgnn
