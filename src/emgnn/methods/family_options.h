// SPDX-License-Identifier: Apache-2.0
// Which family of graphs a network is trained on, with the options of each.
#pragma once

#include <memory>

#include <emgnn/methods/method.h>
#include <emgnn/space/options.h>

namespace emgnn {

enum class FamilyChoice { kAuto, kMixture, kRewire };

struct FamilyOptions {
  FamilyChoice choice = FamilyChoice::kAuto;
  GraphOptions graph;
  double drop_edge = 0.0;  // of the graph as given
  MixtureOptions mixture;
  RewireOptions rewire;
  BondOptions bonds;
  DistanceOptions distance;
  AtomMixtureOptions atoms;
};

// Those that are read: of the graph as given, or of a family of graphs.
void describe(OptionVisitor& visitor, FamilyOptions& options, const DataFacts& facts, bool em);

std::shared_ptr<const GraphFamily> make_family(const FamilyOptions& options,
                                               const LearnerInput& input, bool em);

}  // namespace emgnn
