// SPDX-License-Identifier: Apache-2.0
// The same data with its rows in another order.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <emgnn/base/rng.h>
#include <emgnn/data/dataset.h>
#include <emgnn/data/molecule.h>

namespace emgnn {

inline std::vector<int32_t> random_permutation(int64_t size, uint64_t seed) {
  Rng rng(seed, Stream::kTest, 2000);
  std::vector<int32_t> out(static_cast<size_t>(size));
  std::iota(out.begin(), out.end(), 0);
  for (size_t k = out.size(); k > 1; --k) std::swap(out[k - 1], out[rng.below(k)]);
  return out;
}

// Node i is now node number[i].
inline std::shared_ptr<const Dataset> permuted_nodes(const Dataset& data,
                                                     const std::vector<int32_t>& number) {
  auto out = std::make_shared<Dataset>(data);
  const auto width = static_cast<size_t>(data.features.num_cols);
  for (size_t i = 0; i < number.size(); ++i) {
    std::copy_n(data.features.dense.begin() + static_cast<int64_t>(i * width), width,
                out->features.dense.begin() + static_cast<int64_t>(width) * number[i]);
  }
  for (Relation& relation : out->graph.relations) {
    const Csr a = relation.adjacency;
    Coo coo;
    for (int32_t i = 0; i < a.num_rows; ++i) {
      for (const auto [e, j] : a.row(i)) {
        coo.row.push_back(number[static_cast<size_t>(i)]);
        coo.col.push_back(number[static_cast<size_t>(j)]);
        coo.val.push_back(a.value(e));
      }
    }
    relation.adjacency = csr_from_coo(a.num_rows, a.num_cols, coo, Duplicates::kSum);
  }
  return out;
}

// The atoms of every molecule in a random order.
inline std::shared_ptr<const Molecules> permuted_atoms(const Molecules& molecules, uint64_t seed) {
  auto out = std::make_shared<Molecules>(molecules);
  for (int64_t m = 0; m < molecules.num_molecules(); ++m) {
    const std::vector<int32_t> number =
        random_permutation(molecules.num_atoms(m), seed + static_cast<uint64_t>(m));
    const int64_t first = molecules.atom_begin[static_cast<size_t>(m)];
    const auto move_rows = [&](const std::vector<float>& from, std::vector<float>& to,
                               int64_t begin, int64_t width) {
      for (size_t a = 0; a < number.size(); ++a) {
        std::copy_n(from.begin() + (begin + static_cast<int64_t>(a)) * width, width,
                    to.begin() + (begin + number[a]) * width);
      }
    };
    move_rows(molecules.atom_features, out->atom_features, first, kNumAtomFeatures);
    for (int64_t c = 0; c < molecules.num_conformers; ++c) {
      move_rows(molecules.coordinates, out->coordinates, c * molecules.num_atoms() + first, 3);
    }
    for (auto k = static_cast<size_t>(2 * molecules.bond_begin[static_cast<size_t>(m)]);
         k < static_cast<size_t>(2 * molecules.bond_begin[static_cast<size_t>(m) + 1]); ++k)
      out->bond_atoms[k] = number[static_cast<size_t>(molecules.bond_atoms[k])];
  }
  return out;
}

}  // namespace emgnn
