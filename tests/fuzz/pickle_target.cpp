// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <emgnn/base/error.h>
#include <emgnn/formats/pickle.h>

namespace {

// Everything that the loaders do with a value; only DataError may come out of it.
void convert(const emgnn::PickleValue& value, int depth) {
  using emgnn::PickleKind;
  switch (value.kind()) {
    case PickleKind::kArray:
      if (value.array().shape.size() == 2) {
        emgnn::to_dense(value.array(), "array");
        emgnn::one_hot_to_class(value.array(), "array");
      } else {
        emgnn::to_int32(value.array(), "array");
      }
      break;
    case PickleKind::kSparse:
      emgnn::to_csr(value.sparse(), "sparse");
      break;
    case PickleKind::kDict:
      for (size_t i = 0; depth > 0 && i < value.size(); ++i)
        convert(value.pair(i).second, depth - 1);
      break;
    case PickleKind::kList:
    case PickleKind::kTuple:
      for (size_t i = 0; depth > 0 && i < value.size(); ++i) convert(value[i], depth - 1);
      break;
    default:
      break;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    convert(emgnn::Pickle::parse(bytes, "input").root(), 2);
  } catch (const emgnn::DataError&) {
  }
  return 0;
}
