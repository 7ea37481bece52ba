// SPDX-License-Identifier: Apache-2.0
// Many molecules at once: in parallel, and once for all by way of the cache.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <emgnn/data/chemistry.h>

namespace emgnn {

struct MoleculeProgress {
  int64_t done = 0, total = 0;
};
// Called after every molecule, by one thread at a time; false stops the work (Interrupted).
using MoleculeObserver = std::function<bool(const MoleculeProgress&)>;

struct FeaturisedMolecules {
  Molecules molecules;              // those that were not rejected, in the order of the inputs
  std::vector<std::string> reject;  // [num_inputs], the reason; empty: it is among `molecules`
};

FeaturisedMolecules featurise_all(std::span<const MoleculeInput> inputs,
                                  const ConformerOptions& options,
                                  const MoleculeObserver& observer = {});

// The same from a file that is keyed by the inputs, the options and RDKit's version. One that is
// damaged is made anew.
FeaturisedMolecules featurise_through_cache(std::span<const MoleculeInput> inputs,
                                            const ConformerOptions& options,
                                            const MoleculeObserver& observer = {});

}  // namespace emgnn
