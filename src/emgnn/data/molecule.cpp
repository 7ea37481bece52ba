// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/molecule.h>

#include <emgnn/base/error.h>
#include <emgnn/formats/csv.h>

namespace emgnn {
namespace {

template <class T>
void append(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// Row c of a [num_conformers, width] array.
template <class T>
void append_row(std::vector<T>& to, const std::vector<T>& from, int64_t row, int64_t width) {
  const auto begin = from.begin() + row * width;
  to.insert(to.end(), begin, begin + width);
}

void append_offsets(std::vector<int64_t>& to, const std::vector<int64_t>& more) {
  const int64_t base = to.back();
  for (size_t i = 1; i < more.size(); ++i) to.push_back(base + more[i]);
}

}  // namespace

const char* name_of(CoordinateSource source) {
  constexpr const char* kNames[kNumCoordinateSources] = {"given",
                                                         "single atom",
                                                         "ETKDGv3",
                                                         "ETKDGv3 from random coordinates",
                                                         "ETKDGv3 with more iterations",
                                                         "ETKDGv3 with free chirality",
                                                         "planar"};
  return kNames[static_cast<size_t>(source)];
}

int64_t Molecules::num_atoms(int64_t molecule) const {
  const auto m = static_cast<size_t>(molecule);
  return atom_begin[m + 1] - atom_begin[m];
}

int64_t Molecules::num_bonds(int64_t molecule) const {
  const auto m = static_cast<size_t>(molecule);
  return bond_begin[m + 1] - bond_begin[m];
}

std::span<const float> Molecules::features_of(int64_t molecule) const {
  const int64_t begin = atom_begin[static_cast<size_t>(molecule)];
  return std::span(atom_features)
      .subspan(static_cast<size_t>(begin * kNumAtomFeatures),
               static_cast<size_t>(num_atoms(molecule) * kNumAtomFeatures));
}

bool Molecules::has_descriptors() const {
  return descriptors.size() == static_cast<size_t>(num_molecules()) * size_t{kNumDescriptors} &&
         bit_begin.size() == atom_begin.size();
}

std::span<const float> Molecules::descriptors_of(int64_t molecule) const {
  return std::span(descriptors)
      .subspan(static_cast<size_t>(molecule) * size_t{kNumDescriptors}, size_t{kNumDescriptors});
}

std::span<const float> Molecules::coordinates_of(int64_t molecule, int64_t conformer) const {
  EMGNN_CHECK(conformer >= 0 && conformer < num_conformers, "no such conformer", conformer);
  const int64_t begin = conformer * num_atoms() + atom_begin[static_cast<size_t>(molecule)];
  return std::span(coordinates)
      .subspan(static_cast<size_t>(begin * 3), static_cast<size_t>(num_atoms(molecule) * 3));
}

Molecules join(std::span<const Molecules> parts) {
  Molecules all;
  if (!parts.empty()) all.num_conformers = parts.front().num_conformers;
  for (const Molecules& part : parts) {
    EMGNN_DCHECK(part.num_conformers == all.num_conformers);
    append_offsets(all.atom_begin, part.atom_begin);
    append_offsets(all.bond_begin, part.bond_begin);
    append(all.atom_features, part.atom_features);
    append(all.bond_atoms, part.bond_atoms);
    append(all.bond_features, part.bond_features);
    append(all.scaffold, part.scaffold);
    append(all.smiles, part.smiles);
    append(all.canonical, part.canonical);
    append(all.descriptors, part.descriptors);
    append_offsets(all.bit_begin, part.bit_begin);
    append(all.bit, part.bit);
    append(all.bit_count, part.bit_count);
  }
  for (int64_t c = 0; c < all.num_conformers; ++c) {
    for (const Molecules& part : parts) {
      append_row(all.coordinates, part.coordinates, c, part.num_atoms() * 3);
      append_row(all.source, part.source, c, part.num_molecules());
      append_row(all.force_field, part.force_field, c, part.num_molecules());
    }
  }
  return all;
}

std::string rejects_csv(const std::vector<Reject>& rejects) {
  std::string text = "row,smiles,reason\n";
  for (const Reject& reject : rejects) {
    text +=
        fmt::format("{},{},{}\n", reject.row, csv_field(reject.smiles), csv_field(reject.reason));
  }
  return text;
}

}  // namespace emgnn
