// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/molecule_graphs.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/space/entry_table.h>

namespace emgnn {

double atom_distance(std::span<const float> xyz, int32_t a, int32_t b) {
  double sum = 0.0;
  for (size_t k = 0; k < 3; ++k) {
    const double d = static_cast<double>(xyz[3 * static_cast<size_t>(a) + k]) -
                     static_cast<double>(xyz[3 * static_cast<size_t>(b) + k]);
    sum += d * d;
  }
  return std::sqrt(sum);
}

BondMap bonds_of(const Molecules& molecules, int64_t molecule) {
  BondMap out;
  const auto m = static_cast<size_t>(molecule);
  for (int64_t k = molecules.bond_begin[m]; k < molecules.bond_begin[m + 1]; ++k) {
    const int32_t* ends = molecules.bond_atoms.data() + 2 * k;
    out[std::minmax(ends[0], ends[1])] = static_cast<int32_t>(k);
  }
  return out;
}

int32_t distance_bin_of(const Molecules& molecules, int64_t molecule, int64_t conformer, int32_t a,
                        int32_t b) {
  if (molecules.num_conformers == 0) return 0;
  return distance_bin(atom_distance(molecules.coordinates_of(molecule, conformer), a, b));
}

float aggregation_factor(Aggregation aggregation, int32_t count) {
  if (aggregation == Aggregation::kSum) return 1.0F;
  if (count == 0) return 0.0F;
  return aggregation == Aggregation::kMean ? 1.0F / static_cast<float>(count)
                                           : 1.0F / std::sqrt(static_cast<float>(count));
}

MoleculeGraphs::MoleculeGraphs(const Molecules& molecules, int64_t num_conformers,
                               SelfLoops self_loops)
    : self_loops_(self_loops), num_conformers_(num_conformers), atom_begin_(molecules.atom_begin) {}

MoleculeGraphs MoleculeGraphs::by_distance(const Molecules& molecules, const RadiusGrid& grid,
                                           SelfLoops self_loops) {
  EMGNN_CHECK(molecules.num_conformers >= 1,
              "graphs by distance need coordinates; data.conformers must be at least 1",
              molecules.num_conformers);
  MoleculeGraphs graphs(molecules, molecules.num_conformers, self_loops);
  std::vector<Pair> pairs;
  for (int64_t c = 0; c < molecules.num_conformers; ++c) {
    for (int64_t m = 0; m < molecules.num_molecules(); ++m) {
      const BondMap bonds = bonds_of(molecules, m);
      const std::span<const float> xyz = molecules.coordinates_of(m, c);
      const auto num_atoms = static_cast<int32_t>(molecules.num_atoms(m));
      pairs.clear();
      for (int32_t a = 0; a < num_atoms; ++a) {
        for (int32_t b = a + 1; b < num_atoms; ++b) {
          const double distance = atom_distance(xyz, a, b);
          const int32_t level = grid.level(distance);
          if (level >= grid.size()) continue;
          const auto bond = bonds.find({a, b});
          pairs.push_back(
              {a, b, level, bond == bonds.end() ? -1 : bond->second, distance_bin(distance)});
        }
      }
      graphs.append(num_atoms, pairs);
    }
  }
  return graphs;
}

MoleculeGraphs MoleculeGraphs::by_bonds(const Molecules& molecules, SelfLoops self_loops) {
  MoleculeGraphs graphs(molecules, 1, self_loops);
  std::vector<Pair> pairs;
  for (int64_t m = 0; m < molecules.num_molecules(); ++m) {
    pairs.clear();
    for (const auto& [ends, bond] : bonds_of(molecules, m)) {
      pairs.push_back({ends.first, ends.second, 0, bond,
                       distance_bin_of(molecules, m, 0, ends.first, ends.second)});
    }
    graphs.append(static_cast<int32_t>(molecules.num_atoms(m)), pairs);
  }
  return graphs;
}

// By level, then by the two numbers: each atom then meets its neighbours of one level in order.
// Nothing finer than the level counts, so that a rotation of the molecule changes no sum.
void MoleculeGraphs::append(int32_t num_atoms, std::vector<Pair>& pairs) {
  std::sort(pairs.begin(), pairs.end(), [](const Pair& x, const Pair& y) {
    return std::tie(x.level, x.a, x.b) < std::tie(y.level, y.a, y.b);
  });
  const int64_t own = self_loops_ == SelfLoops::kAll ? 1 : 0;
  std::vector<int64_t> next(static_cast<size_t>(num_atoms), own);
  for (const Pair& pair : pairs) {
    ++next[static_cast<size_t>(pair.a)];
    ++next[static_cast<size_t>(pair.b)];
  }
  for (int64_t& degree : next) {
    const int64_t begin = list_begin_.back();
    list_begin_.push_back(begin + degree);
    degree = begin;
  }
  neighbour_.resize(static_cast<size_t>(list_begin_.back()));
  level_.resize(neighbour_.size());
  bond_.resize(neighbour_.size());
  bin_.resize(neighbour_.size());
  const auto put = [&](int32_t atom, int32_t neighbour, const Pair& pair) {
    const auto place = static_cast<size_t>(next[static_cast<size_t>(atom)]++);
    neighbour_[place] = neighbour;
    level_[place] = pair.level;
    bond_[place] = pair.bond;
    bin_[place] = static_cast<int8_t>(pair.bin);
  };
  for (int32_t a = 0; a < num_atoms && own > 0; ++a) put(a, a, {a, a, -1, -1, 0});
  int32_t last = -1;
  for (const Pair& pair : pairs) {
    put(pair.a, pair.b, pair);
    put(pair.b, pair.a, pair);
    if (pair.level != last) change_.push_back(last = pair.level);
  }
  change_begin_.push_back(static_cast<int64_t>(change_.size()));
}

int32_t MoleculeGraphs::num_atoms(int64_t molecule) const {
  return static_cast<int32_t>(first_atom(molecule + 1) - first_atom(molecule));
}

MoleculeGraphs::List MoleculeGraphs::list(int64_t conformer, int64_t atom) const {
  const auto place = static_cast<size_t>(conformer * atom_begin_.back() + atom);
  return {list_begin_[place], list_begin_[place + 1]};
}

int32_t MoleculeGraphs::graph_of(int64_t molecule, int64_t conformer, int32_t level) const {
  const auto place = static_cast<size_t>(conformer * num_molecules() + molecule);
  const auto begin = change_.begin() + change_begin_[place];
  const auto after = std::upper_bound(begin, change_.begin() + change_begin_[place + 1], level);
  return after == begin ? -1 : *(after - 1);
}

}  // namespace emgnn
