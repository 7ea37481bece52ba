// SPDX-License-Identifier: Apache-2.0
// Views of the nodes of one graph: all rows under all λ of a tile at once.
#pragma once

#include <span>
#include <vector>

#include <emgnn/space/family.h>

namespace emgnn {

class NodeView : public FamilyView {
 public:
  // `own_rows`: so many rows differ from graph to graph, where those that are read are many more and
  // shared by all graphs of a large tile; 0: small tiles, by the rows that are read.
  NodeView(const Features& features, const std::vector<int32_t>& input_rows,
           const NetworkNeeds& needs, size_t own_rows = 0);

  void evaluate(const Graphs& graphs, const Run& run, const Take& take,
                const Poll& poll) const override;
  GraphBatch batch(const Draw& draw) const override;

 protected:
  using Hops = std::vector<c10::intrusive_ptr<Propagation>>;
  virtual Hops hops(const Graphs& graphs) const = 0;
  virtual Hops observed() const = 0;  // the graph as given, in Λ̂ or not

 private:
  c10::intrusive_ptr<InputFeatures> input_;
  size_t tile_;  // graphs of one batch
};

}  // namespace emgnn
