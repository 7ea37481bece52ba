// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/metapath_family.h>

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

constexpr size_t kTileRows = 512;  // that are evaluated at once

class MetapathView : public FamilyView {
 public:
  MetapathView(std::shared_ptr<const MetapathFamily> family, std::span<const int32_t> rows)
      : family_(std::move(family)) {
    for (int32_t row : rows) places_.push_back(family_->place(row));
  }

  // There is one λ.
  void evaluate(const Graphs& graphs, const Run& run, const Take& take,
                const Poll& poll) const override {
    std::vector<at::Tensor> outputs;
    for (size_t first = 0; first < places_.size(); first += kTileRows) {
      if (poll) poll();
      const size_t count = std::min(kTileRows, places_.size() - first);
      outputs.push_back(run(batch_of(std::span(places_).subspan(first, count))));
    }
    if (outputs.empty()) return;
    const at::Tensor all = at::cat(outputs).unsqueeze(0).unsqueeze(0);
    for (size_t k = 0; k < graphs.lam_ids.size(); ++k) take(k, all);
  }

  GraphBatch batch(const Draw& /*draw*/) const override { return batch_of(places_); }

 private:
  GraphBatch batch_of(std::span<const int32_t> places) const {
    GraphBatch out;
    for (const MetapathBlock* block : family_->blocks())
      out.blocks.push_back(c10::make_intrusive<InputFeatures>(block->rows, places));
    out.input = out.blocks.front();
    return out;
  }

  std::shared_ptr<const MetapathFamily> family_;
  std::vector<int32_t> places_;
};

}  // namespace

MetapathBlocks feature_blocks(const MetapathWalks& walks, int64_t hops) {
  MetapathBlocks out;
  for (const Metapath& path : walks.paths(hops)) out.push_back({path.name, walks.features(path)});
  return out;
}

MetapathBlocks label_blocks(const MetapathWalks& walks, int64_t hops,
                            std::span<const int32_t> train) {
  MetapathBlocks out;
  for (const Metapath& path : walks.cycles(hops))
    out.push_back({path.name, walks.labels(path, train)});
  return out;
}

MetapathFamily::MetapathFamily(std::shared_ptr<const Dataset> data,
                               const std::vector<int32_t>& rows,
                               std::shared_ptr<const MetapathBlocks> features,
                               MetapathBlocks labels)
    : NoGraphFamily(data), features_(std::move(features)), labels_(std::move(labels)) {
  place_.assign(static_cast<size_t>(data->graph.num_nodes), -1);
  for (size_t i = 0; i < rows.size(); ++i)
    place_[static_cast<size_t>(rows[i])] = static_cast<int32_t>(i);
}

std::vector<const MetapathBlock*> MetapathFamily::blocks() const {
  std::vector<const MetapathBlock*> out;
  for (const MetapathBlock& block : *features_) out.push_back(&block);
  for (const MetapathBlock& block : labels_) out.push_back(&block);
  return out;
}

int32_t MetapathFamily::place(int32_t node) const {
  const int32_t out = place_.at(static_cast<size_t>(node));
  EMGNN_CHECK(out >= 0, "meta-paths start at the nodes of the type that is predicted, not at node",
              node);
  return out;
}

std::shared_ptr<const FamilyView> MetapathFamily::view(std::span<const int32_t> rows,
                                                       const NetworkNeeds& /*needs*/) const {
  return std::make_shared<MetapathView>(
      std::static_pointer_cast<const MetapathFamily>(shared_from_this()), rows);
}

}  // namespace emgnn
