// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>

#include <emgnn/methods/network_config.h>

namespace emgnn {

namespace detail {
// Inside a class with a describe of its own the one for `options` would not be found.
template <class Options>
void describe_options(OptionVisitor& visitor, Options& options) {
  describe(visitor, options);
}
// Networks for which it depends on their options say so beside these.
template <class Options>
bool adds_neighbours_by(const Options& options) {
  if constexpr (requires { options.adds_neighbours(); }) return options.adds_neighbours();
  return false;
}
}  // namespace detail

// A network with options of its own and nothing else to decide. Model is a layer, of which the
// network is a stack, or a network that is made of (options, shape, seed).
template <class Model, class Options>
class NetworkMethod : public NetworkConfig {
 public:
  using NetworkConfig::NetworkConfig;

 protected:
  void describe_network(OptionVisitor& visitor, const DataFacts& /*facts*/) override {
    detail::describe_options(visitor, options_);
  }
  std::shared_ptr<Network> make_network(const Plan& plan) const override {
    if constexpr (std::is_base_of_v<Layer, Model>) {
      return stack<Model>(plan, options_, options_.stack.hidden);
    } else {
      return std::make_shared<Model>(options_, plan.shape, plan.seed);
    }
  }

  bool adds_neighbours() const override { return detail::adds_neighbours_by(options_); }

 private:
  Options options_;
};

// A network of whole molecules that knows what joins two atoms and reads the molecules out by itself,
// made of (options, shape, seed). Over a family of graphs distances are features, too.
template <class Model, class Options>
class MoleculeMethod : public NetworkMethod<Model, Options> {
 public:
  explicit MoleculeMethod(bool em) : NetworkMethod<Model, Options>(em) {
    FamilyOptions& family = this->family_options();
    family.distance.bonds.edge_distances = family.atoms.bonds.edge_distances = em;
  }

 protected:
  bool has_own_readout() const override { return true; }
  bool reads_distances() const override { return true; }
};

}  // namespace emgnn
