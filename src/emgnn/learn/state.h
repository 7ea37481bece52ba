// SPDX-License-Identifier: Apache-2.0
// One walk over the named tensors and numbers of a learner. Written, they are a checkpoint or a
// stored model; read, they put the learner back.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include <emgnn/formats/safetensors.h>

namespace emgnn {

class StateVisitor {
 public:
  enum class Scope { kModel, kTraining };

  explicit StateVisitor(Scope scope) : scope_(scope) {}
  virtual ~StateVisitor() = default;

  // What only resuming needs belongs to this scope: a stored model goes without.
  bool training() const { return scope_ == Scope::kTraining; }
  virtual bool reading() const = 0;

  // A tensor keeps its type and shape; one that is not defined takes what is stored.
  virtual void tensor(const std::string& name, at::Tensor& value) = 0;
  // The same where the first axis is the nodes of the graph.
  virtual void node_tensor(const std::string& name, at::Tensor& value) { tensor(name, value); }
  virtual void numbers(const std::string& name, std::vector<double>& values) = 0;
  virtual void numbers(const std::string& name, std::vector<int64_t>& values) = 0;
  // Whether an optional part is there: `here` when writing, what the file says when reading.
  virtual bool has(const std::string& name, bool here) = 0;

  void number(const std::string& name, double& value);
  void number(const std::string& name, int64_t& value);
  void flag(const std::string& name, bool& value);
  void text(const std::string& name, std::string& value);
  void tensors(const std::string& prefix, const std::vector<std::string>& names,
               std::vector<at::Tensor>& values);

  // What was read makes no sense: DataError.
  [[noreturn]] virtual void fail(const std::string& what) const;

 private:
  Scope scope_;
};

class StateWriter : public StateVisitor {
 public:
  using StateVisitor::StateVisitor;
  bool reading() const override { return false; }
  void tensor(const std::string& name, at::Tensor& value) override;
  void numbers(const std::string& name, std::vector<double>& values) override;
  void numbers(const std::string& name, std::vector<int64_t>& values) override;
  bool has(const std::string& name, bool here) override;

  TensorArchive archive;
};

// DataError with the file's name when an entry is missing, or has another type or shape.
class StateReader : public StateVisitor {
 public:
  // `node_row`: where each node of the learner's graph is in the stored one; empty: the same graph.
  StateReader(const TensorArchive& archive, std::string file, Scope scope,
              std::vector<int64_t> node_row = {})
      : StateVisitor(scope),
        archive_(&archive),
        file_(std::move(file)),
        node_row_(std::move(node_row)) {}
  bool reading() const override { return true; }
  void tensor(const std::string& name, at::Tensor& value) override;
  void node_tensor(const std::string& name, at::Tensor& value) override;
  void numbers(const std::string& name, std::vector<double>& values) override;
  void numbers(const std::string& name, std::vector<int64_t>& values) override;
  bool has(const std::string& name, bool here) override;
  [[noreturn]] void fail(const std::string& what) const override;  // with the file's name

 private:
  const TensorData& entry(const std::string& name) const;

  const TensorArchive* archive_;
  std::string file_;
  std::vector<int64_t> node_row_;
};

}  // namespace emgnn
