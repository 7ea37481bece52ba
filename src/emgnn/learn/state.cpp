// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/state.h>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

at::ScalarType scalar_type(TensorData::Type type) {
  switch (type) {
    case TensorData::Type::kF64:
      return at::kDouble;
    case TensorData::Type::kI64:
      return at::kLong;
    case TensorData::Type::kF32:
      return at::kFloat;
  }
  throw InternalError("unknown type of a stored tensor");
}

TensorData::Type stored_type(const at::Tensor& tensor, const std::string& name) {
  if (tensor.scalar_type() == at::kDouble) return TensorData::Type::kF64;
  if (tensor.scalar_type() == at::kLong) return TensorData::Type::kI64;
  if (tensor.scalar_type() == at::kFloat) return TensorData::Type::kF32;
  throw InternalError(name + ": only float32, float64 and int64 tensors can be stored");
}

std::string shape_text(at::IntArrayRef shape) { return fmt::format("{}", fmt::join(shape, " x ")); }

std::string presence(const std::string& name) { return name + "/present"; }

}  // namespace

void StateVisitor::number(const std::string& name, double& value) {
  std::vector<double> values = {value};
  numbers(name, values);
  if (values.size() != 1) fail(name + " is not a single number");
  value = values.front();
}

void StateVisitor::number(const std::string& name, int64_t& value) {
  std::vector<int64_t> values = {value};
  numbers(name, values);
  if (values.size() != 1) fail(name + " is not a single number");
  value = values.front();
}

// As the numbers of its bytes.
void StateVisitor::text(const std::string& name, std::string& value) {
  std::vector<int64_t> bytes;
  for (char c : value) bytes.push_back(static_cast<unsigned char>(c));
  numbers(name, bytes);
  value.clear();
  for (int64_t byte : bytes) {
    if (byte < 0 || byte > 255) fail(name + " is not a text");
    value += static_cast<char>(byte);
  }
}

void StateVisitor::flag(const std::string& name, bool& value) {
  int64_t number_of = value ? 1 : 0;
  number(name, number_of);
  value = number_of != 0;
}

void StateVisitor::tensors(const std::string& prefix, const std::vector<std::string>& names,
                           std::vector<at::Tensor>& values) {
  if (reading()) values.assign(names.size(), at::Tensor());
  EMGNN_DCHECK(names.size() == values.size());
  for (size_t i = 0; i < names.size(); ++i) tensor(prefix + names[i], values[i]);
}

void StateVisitor::fail(const std::string& what) const { throw DataError(what); }

void StateWriter::tensor(const std::string& name, at::Tensor& value) {
  const at::Tensor plain = value.detach().contiguous();
  archive.tensors[name] = {stored_type(plain, name), plain.sizes().vec(),
                           std::string(static_cast<const char*>(plain.data_ptr()), plain.nbytes())};
}

void StateWriter::numbers(const std::string& name, std::vector<double>& values) {
  archive.tensors[name] = TensorData::from<double>(values, {static_cast<int64_t>(values.size())});
}

void StateWriter::numbers(const std::string& name, std::vector<int64_t>& values) {
  archive.tensors[name] = TensorData::from<int64_t>(values, {static_cast<int64_t>(values.size())});
}

bool StateWriter::has(const std::string& name, bool here) {
  int64_t value = here ? 1 : 0;
  number(presence(name), value);
  return here;
}

void StateReader::fail(const std::string& what) const {
  throw DataError(fmt::format("{}: {}", file_, what));
}

const TensorData& StateReader::entry(const std::string& name) const {
  const auto found = archive_->tensors.find(name);
  if (found == archive_->tensors.end()) fail(name + " is missing");
  return found->second;
}

void StateReader::tensor(const std::string& name, at::Tensor& value) {
  const TensorData& stored = entry(name);
  const at::ScalarType type = scalar_type(stored.type);
  if (!value.defined()) value = at::empty(stored.shape, type);
  if (value.scalar_type() != type) fail(name + " has the wrong type");
  if (value.sizes() != at::IntArrayRef(stored.shape)) {
    fail(fmt::format("{} is {} there and {} here", name, shape_text(stored.shape),
                     shape_text(value.sizes())));
  }
  const at::NoGradGuard no_grad;
  at::Tensor plain = value.detach();
  EMGNN_DCHECK(plain.is_contiguous());
  if (!stored.bytes.empty())
    std::memcpy(plain.data_ptr(), stored.bytes.data(), stored.bytes.size());
}

void StateReader::node_tensor(const std::string& name, at::Tensor& value) {
  if (node_row_.empty()) return tensor(name, value);
  at::Tensor stored;
  tensor(name, stored);
  const auto last = std::max_element(node_row_.begin(), node_row_.end());
  if (stored.dim() < 1 || *last >= stored.size(0)) fail(name + " has too few rows");
  at::Tensor rows = stored.index_select(0, at::tensor(node_row_));
  if (!value.defined()) {
    value = rows;
    return;
  }
  if (value.scalar_type() != rows.scalar_type()) fail(name + " has the wrong type");
  if (value.sizes() != rows.sizes()) fail(name + " has another width");
  const at::NoGradGuard no_grad;
  value.detach().copy_(rows);
}

void StateReader::numbers(const std::string& name, std::vector<double>& values) {
  const TensorData& stored = entry(name);
  if (stored.type != TensorData::Type::kF64) fail(name + " has the wrong type");
  values = stored.values<double>();
}

void StateReader::numbers(const std::string& name, std::vector<int64_t>& values) {
  const TensorData& stored = entry(name);
  if (stored.type != TensorData::Type::kI64) fail(name + " has the wrong type");
  values = stored.values<int64_t>();
}

bool StateReader::has(const std::string& name, bool /*here*/) {
  int64_t value = 0;
  number(presence(name), value);
  return value != 0;
}

}  // namespace emgnn
