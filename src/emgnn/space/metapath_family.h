// SPDX-License-Identifier: Apache-2.0
// Nodes whose neighbourhood is in their features: what meta-paths find is computed once, and from
// then on every node is a row of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <emgnn/space/metapaths.h>
#include <emgnn/space/no_graph.h>

namespace emgnn {

// One matrix of the nodes that are predicted.
struct MetapathBlock {
  std::string name;
  Features rows;
};
using MetapathBlocks = std::vector<MetapathBlock>;

// Of paths of features and of cycles of labels; none of labels for `hops` = 0.
MetapathBlocks feature_blocks(const MetapathWalks& walks, int64_t hops);
MetapathBlocks label_blocks(const MetapathWalks& walks, int64_t hops,
                            std::span<const int32_t> train);

// Batches have no hops but one block of features for each meta-path, the node's own first.
class MetapathFamily : public NoGraphFamily {
 public:
  // `rows` are the nodes that the blocks have rows for.
  MetapathFamily(std::shared_ptr<const Dataset> data, const std::vector<int32_t>& rows,
                 std::shared_ptr<const MetapathBlocks> features, MetapathBlocks labels);

  std::string name() const override { return "metapaths"; }
  bool small_graphs() const override { return true; }
  std::shared_ptr<const FamilyView> view(std::span<const int32_t> rows,
                                         const NetworkNeeds& needs) const override;

  std::vector<const MetapathBlock*> blocks() const;  // of features, then of labels
  // Where the node is in the blocks. UsageError when it is not.
  int32_t place(int32_t node) const;

 private:
  std::shared_ptr<const MetapathBlocks> features_;
  MetapathBlocks labels_;
  std::vector<int32_t> place_;  // [nodes] or -1
};

}  // namespace emgnn
