// SPDX-License-Identifier: Apache-2.0
// From a SMILES string or an SDF record to features and coordinates. RDKit is in a module of its
// own, libemgnn-chem.so (the rdkit_*.cpp files), that is opened at the first call of chemistry().
//
// Atom features (canonical, 74 columns; a value that is not listed sets no column of its group):
//    0-42  element       C N O S F Si P Cl Br Mg Na Ca Fe As Al I B V K Tl Yb Sb Sn Ag Pd Co Se
//                        Ti Zn H Li Ge Cu Au Ni Cd In Mn Zr Cr Pt Hg Pb
//   43-53  degree        0..10, neighbours that are nodes
//   54-60  implicit valence   0..6; 0 for atoms in brackets
//   61     formal charge      62  radical electrons
//   63-67  hybridisation SP SP2 SP3 SP3D SP3D2
//   68     aromatic
//   69-73  hydrogens     0..4, implicit and in brackets
// Bond features (12): 0-3 SINGLE DOUBLE TRIPLE AROMATIC, 4 conjugated, 5 in a ring,
//   6-11 stereo NONE ANY Z E CIS TRANS. Both directions share them; the self-loop column of the
//   13-column form belongs to whoever adds self loops.
#pragma once

#include <string>

#include <emgnn/data/molecule.h>
#include <emgnn/data/molecule_options.h>

namespace emgnn {

enum class MoleculeFormat : uint8_t { kSmiles, kMolBlock };

struct MoleculeInput {
  MoleculeFormat format = MoleculeFormat::kSmiles;
  std::string text;
};

// Coordinates are made for molecules of at most so many atoms: beyond, the embedding takes minutes.
// A larger molecule is read only with coordinates of its own.
inline constexpr int64_t kMaxEmbeddedAtoms = 200;

struct FeaturisedMolecule {
  Molecules molecule;  // one, or none when it was rejected
  std::string reject;  // the reason, one line; empty: it was not
};

struct Chemistry {
  // Hydrogens are added for the embedding and taken away again. Several fragments are embedded
  // together and relaxed with the forces between them (a salt becomes an ion pair). MMFF94, else
  // UFF where MMFF94 lacks an element, cleans up in at most 200 steps. 3-D coordinates of an SDF
  // record are kept as they are; a drawing in the plane is embedded anew. A pure function of its
  // arguments.
  FeaturisedMolecule (*featurise)(const MoleculeInput& input, const ConformerOptions& options);
  std::string (*rdkit_version)();  // "2022.09.3"
};

// Any thread may call it. Looks for the module beside the library or program that holds this
// function, in lib/ and ../lib/ from there, then on the loader's path. DataError when there is no
// module, or none of this build.
const Chemistry& chemistry();

}  // namespace emgnn
