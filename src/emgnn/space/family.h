// SPDX-License-Identifier: Apache-2.0
// A family of graphs G_λ indexed by the points λ of a finite set Λ̂. Its rows are the nodes of one
// graph, or molecules, each of which has a graph of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <emgnn/graph/typed_field.h>
#include <emgnn/space/graph_batch.h>
#include <emgnn/space/parameter_space.h>

namespace emgnn {

// What a family must know of a network to prepare batches for it.
struct NetworkNeeds {
  int num_hops = 1;           // how far a row's output reaches into the graph
  int64_t widest_layer = 1;   // floats per row: how large a batch may be
  bool reads_lambda = false;  // the weights depend on λ: equal graphs may differ in their outputs
  bool reads_descriptors = false;  // of whole molecules
  // Entries have features that outlive a hop: all hops of a molecule are one and the same.
  bool keeps_entries = false;
  bool reads_features = true;  // false: it comes with rows of its own for the first hop
};

// Probabilities of some graphs, and the temperature of a network's predictions under each.
struct GraphWeights {
  std::vector<int64_t> lam_ids;
  std::vector<double> log_prob;
  std::vector<double> temperature = {};  // empty: 1
};

// What a network said of all rows, in the form in which a family's graphs depend on it.
class Beliefs {
 public:
  virtual ~Beliefs() = default;
};

// Called now and then during long work; may throw to abandon it.
using Poll = std::function<void()>;

// The family as a network sees it that must be right on some rows only.
class FamilyView {
 public:
  using Run = std::function<at::Tensor(const GraphBatch&)>;
  using Take = std::function<void(size_t first, const at::Tensor& outputs)>;

  virtual ~FamilyView() = default;

  // Runs every row under every λ, in tiles that fit the cache. `take` gets the outputs
  // [k, replicates, rows, width] of lam_ids[first], .., lam_ids[first + k - 1], in ascending order;
  // replicates are equally likely forms of one graph, such as the conformers of a molecule.
  struct Graphs {
    std::span<const int64_t> lam_ids;
    const Beliefs* beliefs = nullptr;  // of the same family; null: nothing is known of the rows
  };
  virtual void evaluate(const Graphs& graphs, const Run& run, const Take& take,
                        const Poll& poll) const = 0;

  // The batch of gradient step `step`; without λ the graph as given. Nodes: every row under every
  // λ. Molecules: row i under lam_ids[i mod count].
  struct Draw {
    std::span<const int64_t> lam_ids;
    uint64_t seed = 0, step = 0;
    const Beliefs* beliefs = nullptr;
  };
  virtual GraphBatch batch(const Draw& draw) const = 0;
};

class GraphFamily : public ParameterSpace, public std::enable_shared_from_this<GraphFamily> {
 public:
  virtual std::string name() const = 0;  // "mixture", "rewire", ...
  // Rows are graphs of their own: they can be taken some at a time.
  virtual bool small_graphs() const { return false; }
  virtual std::shared_ptr<const FamilyView> view(std::span<const int32_t> rows,
                                                 const NetworkNeeds& needs) const = 0;
  // The same with a random sample of each row's neighbours, for one gradient step. A family that does
  // not sample gives all of them.
  virtual bool samples() const { return false; }
  virtual std::shared_ptr<const FamilyView> sampled_view(std::span<const int32_t> rows,
                                                         const NetworkNeeds& needs,
                                                         const FieldSample& /*sample*/) const {
    return view(rows, needs);
  }
  // One hop from all nodes, in their order, to the nodes [begin, end), without gradients and without
  // edges(). Null: the family has none.
  virtual c10::intrusive_ptr<Propagation> range_hop(int32_t /*begin*/, int32_t /*end*/,
                                                    const FamilyView::Graphs& /*graphs*/) const {
    return {};
  }
  // Entries of the receptive field of some rows, or any number above `limit`; 0: not known.
  virtual int64_t field_entries(std::span<const int32_t> /*rows*/, int /*num_hops*/,
                                int64_t /*limit*/) const {
    return 0;
  }
  // How many numbers say what an entry is; 0: entries have no features.
  virtual int64_t num_entry_features() const { return 0; }
  // The first point whose graph is that of `lam_id`, whatever is believed.
  virtual int64_t same_graph(int64_t lam_id) const { return lam_id; }
  // The graphs depend on what a network says of the rows.
  virtual bool reads_beliefs() const { return false; }
  // Of class probabilities [rows, classes].
  virtual std::shared_ptr<const Beliefs> beliefs(std::span<const double> /*prob*/,
                                                 int64_t /*classes*/) const {
    return nullptr;
  }
  // Of each network, null where there are none; with the names of the rows.
  using SeveralBeliefs = std::vector<std::shared_ptr<const Beliefs>>;
  using RowName = std::function<std::string(int32_t)>;
  virtual FamilyReport report(const GraphWeights& /*p*/, const SeveralBeliefs& /*beliefs*/,
                              const RowName& /*name*/) const {
    return {};
  }
};

}  // namespace emgnn
