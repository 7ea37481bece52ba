// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/evidence_log.h>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

namespace emgnn {

void EvidenceLog::rewind() {
  tile_ = run_ = 0;
  in_tile_ = 0;
}

at::Tensor EvidenceLog::next(int64_t graphs) {
  if (tile_ == tiles_.size()) return {};
  const at::Tensor& tile = tiles_[tile_];
  const int64_t count = std::min(graphs, tile.size(0) - in_tile_);
  const at::Tensor out = tile.narrow(0, in_tile_, count);
  in_tile_ += count;
  if (in_tile_ == tile.size(0)) {
    ++tile_;
    in_tile_ = 0;
  }
  return out;
}

void EvidenceLog::add(const at::Tensor& tile) {
  tiles_.push_back(tile);
  tile_ = tiles_.size();
  runs_.clear();
  run_ = 0;
  ++num_added_;
}

std::optional<at::Tensor> EvidenceLog::next_run() {
  if (tile_ < tiles_.size() || run_ == runs_.size()) return std::nullopt;
  return runs_[run_++];
}

void EvidenceLog::add_run(const at::Tensor& outputs) {
  runs_.push_back(outputs);
  run_ = runs_.size();
  ++num_added_;
}

// The tiles are stored as one: where they begin only says what was computed together.
void EvidenceLog::visit_state(StateVisitor& visitor, const std::string& name) {
  if (visitor.has(name + "/tiles", !tiles_.empty())) {
    at::Tensor all = visitor.reading() ? at::Tensor() : at::cat(tiles_);
    visitor.tensor(name + "/tiles", all);
    if (visitor.reading()) tiles_ = {all};
  }
  auto runs = static_cast<int64_t>(runs_.size());
  visitor.number(name + "/runs", runs);
  if (visitor.reading()) runs_.assign(static_cast<size_t>(std::max<int64_t>(0, runs)), {});
  for (size_t k = 0; k < runs_.size(); ++k)
    visitor.tensor(fmt::format("{}/run/{}", name, k), runs_[k]);
  if (visitor.reading()) rewind();
}

}  // namespace emgnn
