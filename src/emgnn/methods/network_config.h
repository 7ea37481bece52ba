// SPDX-License-Identifier: Apache-2.0
// What all methods that train a network have in common. A method adds its network; the same network
// over a distribution of graphs comes from the same file.
#pragma once

#include <memory>
#include <vector>

#include <emgnn/em/options.h>
#include <emgnn/learn/agreement.h>
#include <emgnn/learn/node_batch.h>
#include <emgnn/learn/options.h>
#include <emgnn/learn/problem.h>
#include <emgnn/learn/task.h>
#include <emgnn/methods/family_options.h>
#include <emgnn/models/layer.h>

namespace emgnn {

class NetworkConfig : public MethodConfig {
 public:
  explicit NetworkConfig(bool em) : em_(em) {}

  void describe(OptionVisitor& visitor, const DataFacts& facts) final;
  std::shared_ptr<Learner> learner(const LearnerInput& input) const final;

 protected:
  struct Plan {
    NetworkShape shape;
    HeadOptions head;  // where the outputs are of whole graphs
    bool em = false;   // over a family of graphs
    std::shared_ptr<const Data> data;
    std::shared_ptr<const GraphFamily> family;
    int64_t num_views = 0;  // of the graph
    uint64_t seed = 0;
  };
  virtual void describe_network(OptionVisitor& visitor, const DataFacts& facts) = 0;
  virtual std::shared_ptr<Network> make_network(const Plan& plan) const = 0;
  virtual bool uses_graph() const { return true; }
  // In place of that of the options; null: that.
  virtual std::shared_ptr<const GraphFamily> own_family(const LearnerInput& /*input*/) const {
    return nullptr;
  }
  // Of the graph as given the weights of entries count, not only which there are; over a family of
  // graphs they always do.
  virtual bool reads_weights() const { return true; }
  // It reads what entries are, and may read how far apart their atoms are.
  virtual bool reads_distances() const { return false; }
  // Whole graphs are read out by the network itself, not by a head with options of its own.
  virtual bool has_own_readout() const { return false; }
  // A gradient step is on some nodes, not on all of them.
  virtual bool takes_rows() const { return false; }
  // It reads sums over neighbours out of S = D⁻¹ (A + I).
  virtual bool adds_neighbours() const { return false; }

  FamilyOptions& family_options() { return family_; }

  // For networks that are a stack of one kind of layer, a hidden one of which leaves
  // `hidden_outputs` numbers behind.
  template <class Layer, class Options>
  static std::shared_ptr<Network> stack(const Plan& plan, const Options& options,
                                        int64_t hidden_outputs) {
    return std::make_shared<LayerStack>(
        LayerStack::Plan{options.stack, plan.head, plan.shape, plan.seed, hidden_outputs},
        [&](Network& network, const LayerPlace& place) {
          return std::make_unique<Layer>(network, place, options);
        });
  }

 private:
  GraphReading reading() const;
  std::shared_ptr<const GraphFamily> family(const LearnerInput& input) const;
  std::shared_ptr<Network> network(const ProblemParts& parts, uint64_t seed) const;
  std::vector<Problem> problems(const ProblemParts& parts, uint64_t seed) const;

  bool em_;
  FamilyOptions family_;
  HeadOptions head_;
  TaskOptions task_;
  AgreementOptions agreement_;
  FitOptions fit_;
  EmOptions em_options_;
  McmcOptions mcmc_;
  OptimOptions optim_;
  BatchOptions batch_;
  NodeBatchOptions nodes_;
  StopOptions stop_;
};

}  // namespace emgnn
