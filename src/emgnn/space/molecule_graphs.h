// SPDX-License-Identifier: Apache-2.0
// The graphs of many molecules, nested in a level: each pair of atoms is joined from one level on.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <emgnn/data/molecule.h>
#include <emgnn/space/options.h>
#include <emgnn/space/radius_grid.h>

namespace emgnn {

// The bonds of a molecule by their two atoms, the smaller number first.
using BondMap = std::map<std::pair<int32_t, int32_t>, int32_t>;
BondMap bonds_of(const Molecules& molecules, int64_t molecule);

double atom_distance(std::span<const float> xyz, int32_t a, int32_t b);
// Of two atoms; 0 without coordinates.
int32_t distance_bin_of(const Molecules& molecules, int64_t molecule, int64_t conformer, int32_t a,
                        int32_t b);

// What S multiplies the sum over `count` neighbours by; symmetric: what it multiplies at either end.
float aggregation_factor(Aggregation aggregation, int32_t count);

enum class SelfLoops { kNone, kAll };

class MoleculeGraphs {
 public:
  // Level k joins the atoms that are at most grid.radius(k) apart. UsageError without coordinates.
  static MoleculeGraphs by_distance(const Molecules& molecules, const RadiusGrid& grid,
                                    SelfLoops self_loops);
  // One level, one conformer: the bonds.
  static MoleculeGraphs by_bonds(const Molecules& molecules, SelfLoops self_loops);

  int64_t num_molecules() const { return static_cast<int64_t>(atom_begin_.size()) - 1; }
  int64_t num_conformers() const { return num_conformers_; }
  int64_t first_atom(int64_t molecule) const { return atom_begin_[static_cast<size_t>(molecule)]; }
  int32_t num_atoms(int64_t molecule) const;

  // An atom's neighbours that are joined at some level, by level and then by number: the graph of
  // level k has a beginning of this list. A self loop comes first, at level −1.
  struct List {
    int64_t begin, end;
  };
  List list(int64_t conformer, int64_t atom) const;  // atom: counted over all molecules
  const std::vector<int32_t>& neighbours() const { return neighbour_; }  // numbers in the molecule
  const std::vector<int32_t>& levels() const { return level_; }          // beside neighbours()
  // Beside neighbours(): the bond between the two atoms, a row of the molecules' bond features; −1:
  // none.
  const std::vector<int32_t>& bonds() const { return bond_; }
  // Beside neighbours(): the bin of their distance; 0 without coordinates. That of a bond is of the first
  // conformer where the bonds are the graph.
  const std::vector<int8_t>& bins() const { return bin_; }

  // The smallest level with the same graph as `level`; −1 for no edges.
  int32_t graph_of(int64_t molecule, int64_t conformer, int32_t level) const;

 private:
  struct Pair {
    int32_t a, b, level, bond, bin;
  };
  MoleculeGraphs(const Molecules& molecules, int64_t num_conformers, SelfLoops self_loops);
  void append(int32_t num_atoms, std::vector<Pair>& pairs);

  SelfLoops self_loops_;
  int64_t num_conformers_;
  std::vector<int64_t> atom_begin_;        // [num_molecules + 1]
  std::vector<int64_t> list_begin_ = {0};  // [num_conformers · num_atoms + 1]
  std::vector<int32_t> neighbour_, level_, bond_;
  std::vector<int8_t> bin_;
  std::vector<int64_t> change_begin_ = {0};  // [num_conformers · num_molecules + 1]
  std::vector<int32_t> change_;              // the levels at which a graph grows, ascending
};

}  // namespace emgnn
