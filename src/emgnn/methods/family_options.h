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

// What a network reads of its graphs.
struct GraphReading {
  bool em = false;         // a family of graphs, not the one as given
  bool weights = true;     // of the entries, not only which there are
  bool distances = false;  // between the ends of entries, if options say so
};

// Those that are read.
void describe(OptionVisitor& visitor, FamilyOptions& options, const DataFacts& facts,
              const GraphReading& reading);

std::shared_ptr<const GraphFamily> make_family(const FamilyOptions& options,
                                               const LearnerInput& input,
                                               const GraphReading& reading);

}  // namespace emgnn
