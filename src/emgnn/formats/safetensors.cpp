// SPDX-License-Identifier: Apache-2.0
#include <emgnn/formats/safetensors.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/formats/checksum.h>

namespace emgnn {
namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are copied as they lie in memory");

using Json = nlohmann::ordered_json;
using Type = TensorData::Type;

constexpr size_t kLengthBytes = 8;
constexpr size_t kAlignment = 8;
constexpr uint64_t kMaxHeader = 100'000'000;  // the format's own limit
constexpr const char* kMetadata = "__metadata__";

struct NumberType {
  Type type;
  const char* name;
  uint64_t bytes;
};
constexpr NumberType kNumberTypes[] = {
    {Type::kF64, "F64", 8}, {Type::kI64, "I64", 8}, {Type::kF32, "F32", 4}};

const NumberType& number_type(Type type) {
  for (const NumberType& known : kNumberTypes) {
    if (known.type == type) return known;
  }
  throw UsageError("only float32, float64 and int64 tensors can be stored");
}

template <class T>
constexpr Type type_of() {
  static_assert(std::is_same_v<T, double> || std::is_same_v<T, int64_t> ||
                std::is_same_v<T, float>);
  if (std::is_same_v<T, double>) return Type::kF64;
  return std::is_same_v<T, int64_t> ? Type::kI64 : Type::kF32;
}

// Nothing when an extent is negative or the product does not fit into 64 bits.
std::optional<uint64_t> bytes_of(uint64_t number_bytes, const std::vector<int64_t>& shape) {
  uint64_t bytes = number_bytes;
  for (const int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(extent), &bytes))
      return {};
  }
  return bytes;
}

// CRC-32 of the header without the metadata and of the numbers.
class Checksum {
 public:
  explicit Checksum(Json header) {
    header.erase(kMetadata);
    add(header.dump());
  }
  void add(std::string_view bytes) { sum_ = crc32_of(bytes, sum_); }
  std::string text() const { return fmt::format("{:08x}", sum_); }

 private:
  uint32_t sum_ = 0;
};

class Decoder {
 public:
  Decoder(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  TensorArchive decode() {
    const Json header = read_header();
    TensorArchive archive;
    for (const auto& [key, value] : header.items()) {
      if (key == kMetadata) {
        archive.metadata = read_metadata(value);
      } else {
        archive.tensors.emplace(key, read_tensor(key, value));
      }
    }
    if (used_ != data_.size()) fail("the tensors do not fill the file");
    if (const auto entry = archive.metadata.find(kChecksumEntry); entry != archive.metadata.end()) {
      Checksum checksum(header);
      checksum.add(data_);
      if (entry->second != checksum.text()) fail("the checksum does not match");
    }
    return archive;
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
    // A header is an object of objects of lists. Copying and writing deeper values would recurse as
    // deep as a hostile file asks for.
    constexpr int kMaxDepth = 3;
    const auto check_depth = [this](int depth, Json::parse_event_t event, const Json&) {
      const bool opens =
          event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
      if (opens && depth >= kMaxDepth) fail("a header nested too deeply");
      return true;
    };
    Json header = Json::parse(bytes_.substr(kLengthBytes, length), check_depth);
    if (!header.is_object()) fail("the header is not a JSON object");
    return header;
  }

  std::map<std::string, std::string> read_metadata(const Json& entries) const {
    if (!entries.is_object()) fail("the metadata is not a JSON object");
    std::map<std::string, std::string> metadata;
    for (const auto& [key, text] : entries.items()) metadata.emplace(key, text.get<std::string>());
    return metadata;
  }

  // A list of integers from 0 to 2^63 - 1. (Json would convert other numbers silently.)
  std::vector<int64_t> read_counts(const std::string& key, const Json& entry, const char* field) {
    const Json& list = entry.at(field);
    if (!list.is_array()) fail(fmt::format("{:?}: {} is not a list", key, field));
    std::vector<int64_t> counts;
    for (const Json& number : list) {
      if (!number.is_number_unsigned() || number.get<uint64_t>() > INT64_MAX)
        fail(fmt::format("{:?}: bad {}", key, field));
      counts.push_back(number.get<int64_t>());
    }
    return counts;
  }

  // Tensors lie one after the other in the order of the header, without gaps.
  TensorData read_tensor(const std::string& key, const Json& entry) {
    const auto dtype = entry.at("dtype").get<std::string>();
    const auto* known = std::find_if(std::begin(kNumberTypes), std::end(kNumberTypes),
                                     [&](const NumberType& t) { return dtype == t.name; });
    if (known == std::end(kNumberTypes))
      fail(fmt::format("{:?}: expected type F64, I64 or F32, found {:?}", key, dtype));
    const auto begin = static_cast<int64_t>(used_), end = static_cast<int64_t>(data_.size());
    const std::vector<int64_t> offsets = read_counts(key, entry, "data_offsets");
    if (offsets.size() != 2 || offsets[0] != begin || offsets[1] < begin || offsets[1] > end)
      fail(fmt::format("{:?}: data_offsets outside of the file or out of order", key));
    const auto size = static_cast<size_t>(offsets[1] - begin);
    std::vector<int64_t> shape = read_counts(key, entry, "shape");
    if (bytes_of(known->bytes, shape) != size)
      fail(fmt::format("{:?}: shape and data_offsets disagree", key));
    const std::string_view numbers = data_.substr(used_, size);
    used_ += size;
    return {known->type, std::move(shape), std::string(numbers)};
  }

  std::string_view bytes_, data_;  // of the file, and of the numbers in it
  const std::string& name_;
  size_t used_ = 0;  // bytes of data_ that belong to a tensor
};

// The header with its checksum, padded so that the numbers are aligned.
std::string encode_header(const TensorArchive& archive,
                          const std::vector<const std::string*>& order) {
  Json header = Json::object();
  header[kMetadata] = archive.metadata;
  size_t begin = 0;
  for (const std::string* name : order) {
    const TensorData& tensor = archive.tensors.at(*name);
    const size_t end = begin + tensor.bytes.size();
    header[*name] = {{"dtype", number_type(tensor.type).name},
                     {"shape", tensor.shape},
                     {"data_offsets", {begin, end}}};
    begin = end;
  }
  Checksum checksum(header);
  for (const std::string* name : order) checksum.add(archive.tensors.at(*name).bytes);
  header[kMetadata][kChecksumEntry] = checksum.text();
  std::string text = header.dump();
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  return text;
}

void check_tensor(const std::string& name, const TensorData& tensor) {
  const std::optional<uint64_t> expected = bytes_of(number_type(tensor.type).bytes, tensor.shape);
  if (name == kMetadata) throw UsageError(fmt::format("a tensor cannot be named {}", name));
  if (expected != tensor.bytes.size())
    throw UsageError(fmt::format("{}: {} bytes do not fit the shape", name, tensor.bytes.size()));
}

}  // namespace

template <class T>
TensorData TensorData::from(std::span<const T> values, std::vector<int64_t> shape) {
  const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  EMGNN_CHECK(bytes_of(sizeof(T), shape) == bytes.size(), "as many numbers as the shape asks for",
              values.size());
  return {type_of<T>(), std::move(shape), std::string(bytes)};
}

template <class T>
std::vector<T> TensorData::values() const {
  EMGNN_CHECK(type == type_of<T>(), "a tensor of another type", number_type(type).name);
  std::vector<T> numbers(bytes.size() / sizeof(T));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(T));
  return numbers;
}

template TensorData TensorData::from(std::span<const double>, std::vector<int64_t>);
template TensorData TensorData::from(std::span<const int64_t>, std::vector<int64_t>);
template TensorData TensorData::from(std::span<const float>, std::vector<int64_t>);
template std::vector<double> TensorData::values() const;
template std::vector<int64_t> TensorData::values() const;
template std::vector<float> TensorData::values() const;

std::string encode_tensors(const TensorArchive& archive) {
  std::vector<const std::string*> order;
  size_t num_bytes = 0;
  for (const auto& [name, tensor] : archive.tensors) {
    check_tensor(name, tensor);
    order.push_back(&name);
    num_bytes += tensor.bytes.size();
  }
  // Wide numbers first: then each tensor is aligned to its type.
  const auto width = [&](const std::string* name) {
    return number_type(archive.tensors.at(*name).type).bytes;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const std::string* a, const std::string* b) { return width(a) > width(b); });
  try {
    const std::string header = encode_header(archive, order);
    const uint64_t length = header.size();
    std::string bytes(reinterpret_cast<const char*>(&length), kLengthBytes);
    bytes.reserve(kLengthBytes + header.size() + num_bytes);
    bytes += header;
    for (const std::string* name : order) bytes += archive.tensors.at(*name).bytes;
    return bytes;
  } catch (const nlohmann::json::exception& error) {  // a name or a text that is not UTF-8
    throw UsageError(fmt::format("tensors cannot be stored: {}", error.what()));
  }
}

TensorArchive decode_tensors(std::string_view bytes, const std::string& name) {
  try {
    return Decoder(bytes, name).decode();
  } catch (const nlohmann::json::exception& error) {
    throw DataError(fmt::format("{}: damaged safetensors file: {}", name, error.what()));
  }
}

}  // namespace emgnn
