// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/checkpoint.h>

#include <ATen/ops/tensor.h>

#include <map>
#include <optional>

#include <emgnn/base/error.h>
#include <emgnn/em/safetensors.h>

namespace emgnn {

namespace {

constexpr const char* kFormat = "emgnn checkpoint 2";

// The parts of a state that hold one tensor per parameter, or per parameter and buffer, and the
// prefixes of their names.
struct StatePart {
  const char* prefix;
  std::vector<at::Tensor> TrainState::*tensors;
  bool buffers;
};
constexpr StatePart kStateParts[] = {{"weight/", &TrainState::weights, true},
                                     {"best_weight/", &TrainState::best_weights, true},
                                     {"average/", &TrainState::average, true},
                                     {"first_moment/", &TrainState::first_moment, false},
                                     {"second_moment/", &TrainState::second_moment, false}};

// Names and tensors of the network in the order of a state's.
std::vector<Buffer> tensors_of(const Network& network, bool buffers) {
  std::vector<Buffer> out;
  for (const Parameter& p : network.parameters()) out.push_back({p.name, p.value});
  if (buffers) out.insert(out.end(), network.buffers().begin(), network.buffers().end());
  return out;
}

void put(TensorFile& file, const std::string& name, const Posterior& posterior) {
  file.tensors[name + "/lam_ids"] = at::tensor(posterior.lam_ids());
  file.tensors[name + "/log_probs"] = at::tensor(posterior.log_probs());
}

std::string round_name(size_t i) { return fmt::format("round/{}", i); }

class Reader {
 public:
  Reader(TensorFile file, const std::string& name) : file_(std::move(file)), name_(name) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(fmt::format("{}: damaged checkpoint: {}", name_, what));
  }

  bool has(const std::string& key) const { return file_.tensors.contains(key); }

  at::Tensor tensor(const std::string& key, at::ScalarType type) const {
    const auto found = file_.tensors.find(key);
    if (found == file_.tensors.end()) fail(key + " is missing");
    if (found->second.scalar_type() != type) fail(key + " has the wrong type");
    return found->second;
  }

  template <class Number>
  std::vector<Number> values(const std::string& key) const {
    const at::Tensor t = tensor(key, c10::CppTypeToScalarType<Number>::value);
    const Number* first = t.data_ptr<Number>();
    return {first, first + t.numel()};
  }

  template <class Number>
  std::vector<Number> values(const std::string& key, size_t count) const {
    std::vector<Number> out = values<Number>(key);
    if (out.size() != count)
      fail(fmt::format("{} has {} values, expected {}", key, out.size(), count));
    return out;
  }

  Posterior posterior(const std::string& key) const {
    auto lam_ids = values<int64_t>(key + "/lam_ids");
    auto log_probs = values<double>(key + "/log_probs", lam_ids.size());
    if (lam_ids.empty()) fail(key + " is empty");
    return Posterior::from_log_prob(std::move(lam_ids), std::move(log_probs));
  }

  std::optional<Posterior> optional_posterior(const std::string& key) const {
    if (!has(key + "/lam_ids")) return std::nullopt;
    return posterior(key);
  }

  std::vector<at::Tensor> part(const StatePart& part, const Network& network) const {
    std::vector<at::Tensor> out;
    for (const auto& [name, value] : tensors_of(network, part.buffers)) {
      out.push_back(tensor(part.prefix + name, value.scalar_type()));
      if (out.back().sizes() != value.sizes()) fail(part.prefix + name + " has the wrong shape");
    }
    return out;
  }

  void check_identity(const RunIdentity& identity) const {
    const auto format = file_.metadata.find("format");
    if (format == file_.metadata.end() || format->second != kFormat)
      fail("not an " + std::string(kFormat));
    if (!file_.metadata.contains(kTensorChecksum)) fail("no checksum");
    for (const auto& [key, expected] : to_metadata(identity)) {
      const auto found = file_.metadata.find(key);
      if (found == file_.metadata.end()) fail(key + " is missing");
      if (found->second == expected) continue;
      const bool is_short = expected.find('\n') == std::string::npos;
      throw UsageError(
          is_short ? fmt::format("{}: a checkpoint of another run: {} is {} there and {} here",
                                 name_, key, found->second, expected)
                   : fmt::format("{}: a checkpoint of another run: its {} differs", name_, key));
    }
  }

 private:
  TensorFile file_;
  const std::string& name_;
};

}  // namespace

std::string encode_checkpoint(const Checkpoint& checkpoint, const Network& network,
                              const RunIdentity& identity) {
  const TrainState& state = checkpoint.state;
  TensorFile file;
  file.metadata = to_metadata(identity);
  file.metadata["format"] = kFormat;
  file.tensors["counters"] = at::tensor({state.step, int64_t{state.stopped}, state.stop.waited});
  file.tensors["scalars"] =
      at::tensor({state.stop.best_loss, state.stop.best_accuracy, checkpoint.seconds});
  for (const StatePart& part : kStateParts) {
    const std::vector<at::Tensor>& tensors = state.*part.tensors;
    const std::vector<Buffer> named = tensors_of(network, part.buffers);
    for (size_t i = 0; i < tensors.size(); ++i)
      file.tensors[part.prefix + named[i].name] = tensors[i];
  }
  if (state.posterior) put(file, "posterior", *state.posterior);
  if (state.best_posterior) put(file, "best_posterior", *state.best_posterior);
  for (size_t i = 0; i < state.rounds.size(); ++i) {
    const RoundInfo& round = state.rounds[i];
    file.tensors[round_name(i)] = at::tensor({round.eta, round.mean_loss, round.normalizer_ratio});
    put(file, round_name(i), round.posterior);
  }
  return encode_safetensors(file);
}

Checkpoint decode_checkpoint(std::string_view bytes, const std::string& name,
                             const Network& network, const RunIdentity& identity) {
  const Reader reader(decode_safetensors(bytes, name), name);
  reader.check_identity(identity);
  Checkpoint checkpoint;
  TrainState& state = checkpoint.state;
  const auto counters = reader.values<int64_t>("counters", 3);
  state.step = counters[0];
  state.stopped = counters[1] != 0;
  state.stop.waited = counters[2];
  const auto scalars = reader.values<double>("scalars", 3);
  state.stop.best_loss = scalars[0];
  state.stop.best_accuracy = scalars[1];
  checkpoint.seconds = scalars[2];
  state.posterior = reader.optional_posterior("posterior");
  state.best_posterior = reader.optional_posterior("best_posterior");
  for (const StatePart& part : kStateParts) {
    // Before the first validation there are no best weights.
    if (part.tensors == &TrainState::best_weights && !state.best_posterior) continue;
    // Averages are kept with optim.average only.
    if (part.tensors == &TrainState::average &&
        !reader.has(part.prefix + network.parameters().front().name))
      continue;
    state.*part.tensors = reader.part(part, network);
  }
  for (size_t i = 0; reader.has(round_name(i)); ++i) {
    const auto round = reader.values<double>(round_name(i), 3);
    state.rounds.push_back({.round = static_cast<int64_t>(i) + 1,
                            .eta = round[0],
                            .mean_loss = round[1],
                            .normalizer_ratio = round[2],
                            .posterior = reader.posterior(round_name(i))});
  }
  return checkpoint;
}

}  // namespace emgnn
