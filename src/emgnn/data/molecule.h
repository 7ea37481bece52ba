// SPDX-License-Identifier: Apache-2.0
// Molecules as graphs of their heavy atoms, with measured values and coordinates. Plain arrays:
// chemistry is in chemistry.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <emgnn/data/labels.h>

namespace emgnn {

inline constexpr int32_t kNumAtomFeatures = 74;
inline constexpr int32_t kNumBondFeatures = 12;
inline constexpr int32_t kNumDescriptors = 63;  // named in descriptors.h
inline constexpr int32_t kFingerprintBits = 2048;

// How a conformer came about; the steps are tried in this order.
enum class CoordinateSource : uint8_t {
  kGiven,           // the file's own 3-D coordinates
  kSingleAtom,      // one atom, at the origin
  kEmbedded,        // ETKDGv3
  kRandomStart,     // ETKDGv3 from random coordinates; the first step for several fragments
  kMoreIterations,  // the same with three times the iterations
  kFreeChirality,   // from random coordinates, with chiral centres as they fall
  kPlanar,          // a drawing in the plane z = 0
};
inline constexpr int kNumCoordinateSources = 7;
const char* name_of(CoordinateSource source);  // "ETKDGv3", "planar", ...

// What cleaned the conformer up.
enum class ForceField : uint8_t { kNone, kMmff94, kUff };

// Molecules end to end, so that a range of them is a range of every array. Atoms are in the order
// of the SMILES or of the SDF record, without hydrogens that are written as counts.
struct Molecules {
  int64_t num_conformers = 0;             // of every molecule; 0: no coordinates
  std::vector<int64_t> atom_begin = {0};  // [num_molecules + 1]
  std::vector<int64_t> bond_begin = {0};  // [num_molecules + 1]
  std::vector<float> atom_features;       // [num_atoms, 74], columns in chemistry.h
  std::vector<int32_t> bond_atoms;        // [num_bonds, 2], counted from the molecule's first atom
  std::vector<float> bond_features;       // [num_bonds, 12]
  std::vector<float> coordinates;         // [num_conformers, num_atoms, 3], Å
  std::vector<CoordinateSource> source;   // [num_conformers, num_molecules]
  std::vector<ForceField> force_field;    // [num_conformers, num_molecules]
  std::vector<std::string> scaffold;      // [num_molecules], Bemis-Murcko; "": no ring
  std::vector<std::string> smiles;        // [num_molecules], as given; canonical for SDF records
  std::vector<std::string> canonical;     // [num_molecules], the SMILES that is the same however
                                          // the molecule was written
  // Of whole molecules. NaN: not known.
  std::vector<float> descriptors;  // [num_molecules, kNumDescriptors]
  // Morgan fingerprints of radius 2: how many circles of atoms fall on each bit, of bits that any
  // falls on, in ascending order.
  std::vector<int64_t> bit_begin = {0};  // [num_molecules + 1]
  std::vector<uint16_t> bit, bit_count;  // beside each other

  int64_t num_molecules() const { return static_cast<int64_t>(atom_begin.size()) - 1; }
  int64_t num_atoms() const { return atom_begin.back(); }
  int64_t num_bonds() const { return bond_begin.back(); }
  int64_t num_atoms(int64_t molecule) const;
  int64_t num_bonds(int64_t molecule) const;
  std::span<const float> features_of(int64_t molecule) const;  // [num_atoms(molecule), 74]
  // Descriptors and fingerprints: molecules that were made by hand may go without.
  bool has_descriptors() const;
  std::span<const float> descriptors_of(int64_t molecule) const;  // [kNumDescriptors]
  // [num_atoms(molecule), 3]
  std::span<const float> coordinates_of(int64_t molecule, int64_t conformer = 0) const;
};

// All of them end to end; every part has the same num_conformers.
Molecules join(std::span<const Molecules> parts);

// A row that is left out.
struct Reject {
  int64_t row = 0;  // as in MoleculeTable
  std::string smiles;
  std::string reason;  // one line
};

// Values of MoleculeTable::part.
inline constexpr int8_t kNoPart = -1, kTrainPart = 0, kValidationPart = 1, kTestPart = 2;

// Molecules and what is known about each. Splits are made of it by make_split (molecule_split.h).
struct MoleculeTable {
  std::string name;
  Molecules molecules;
  Labels labels;             // one row per molecule; kNone: no target was asked for
  std::vector<int64_t> row;  // [num_molecules], number of the record in the file, from 1
  std::vector<int8_t> part;  // [num_molecules], or empty; what the split column says
  // [num_molecules], or empty; rows of one number stay together in a random split
  std::vector<int32_t> group;
  std::vector<Reject> rejects;     // by row
  std::vector<std::string> notes;  // what was inferred, one line each

  int64_t num_molecules() const { return molecules.num_molecules(); }
};

std::string rejects_csv(const std::vector<Reject>& rejects);  // row,smiles,reason

}  // namespace emgnn
