// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/molecule_options.h>

namespace emgnn {

void describe(OptionVisitor& visitor, MoleculeColumns& columns) {
  visitor.text("data.smiles", columns.smiles, "column of a CSV file with the SMILES");
  visitor.text(
      "data.target", columns.target,
      "column, or property of an SDF file, to predict; several: a,b; empty: the dataset's own");
  visitor.text("data.split", columns.split,
               "column or property that says train, validation or test; empty: none");
}

void describe(OptionVisitor& visitor, MoleculeOptions& options) {
  describe(visitor, options.columns);
  visitor.integer("data.conformers", options.conformers.count, 0, 1000,
                  "sets of 3-D coordinates per molecule; 0: none");
  visitor.integer("data.conformer_seed", options.conformers.seed, 0, 1'000'000'000,
                  "seed of the 3-D coordinates; runs share it");
}

}  // namespace emgnn
