// SPDX-License-Identifier: Apache-2.0
// Views on molecules: graphs over the atoms of each, every one with its own S.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <emgnn/data/molecule.h>
#include <emgnn/space/options.h>

namespace emgnn {

// A list such as "bonds, two-bonds, shell:2-4":
//   bonds       the bonded atoms
//   two-bonds   the atoms two bonds away, where no bond joins them too
//   shell:A-B   the atoms more than A and at most B Å away in the conformer, not bonded
// and, always the last, "none": each atom for itself, S = I. Entries of all views are kept together, with
// the value that S of each view has there.
class MoleculeViews {
 public:
  // UsageError when a view is unknown or there twice, or needs coordinates that there are not.
  MoleculeViews(const Molecules& molecules, const std::string& list, const BondOptions& options);

  const std::vector<std::string>& names() const { return names_; }
  // One where neither a view nor what entries are depends on the coordinates.
  int64_t num_conformers() const { return num_conformers_; }

  // Where the entries of an atom's row begin and end, by neighbour; atom: counted over all molecules.
  struct Row {
    int64_t begin, end;
  };
  Row row(int64_t conformer, int64_t atom) const;
  int32_t neighbour(int64_t entry) const { return neighbour_[static_cast<size_t>(entry)]; }
  int32_t bond(int64_t entry) const { return bond_[static_cast<size_t>(entry)]; }  // −1: none
  int32_t bin(int64_t entry) const { return bin_[static_cast<size_t>(entry)]; }  // of the distance
  // [views] of one entry; 0 where a view has none.
  std::span<const float> values(int64_t entry) const;

  // [views] the first view that has the same S on this molecule.
  std::span<const int32_t> same_as(int64_t molecule, int64_t conformer) const;

 private:
  void append(const Molecules& molecules, int64_t molecule, int64_t conformer,
              const BondOptions& options);

  std::vector<std::string> names_;
  int64_t num_conformers_ = 1, num_atoms_, num_molecules_;
  std::vector<int64_t> row_begin_ = {0};   // [num_conformers · num_atoms + 1]
  std::vector<int32_t> neighbour_, bond_;  // [entries]
  std::vector<int8_t> bin_;                // [entries]
  std::vector<float> value_;               // [entries, views]
  std::vector<int32_t> same_as_;           // [num_conformers · num_molecules, views]
};

}  // namespace emgnn
