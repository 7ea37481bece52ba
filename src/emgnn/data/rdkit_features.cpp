// SPDX-License-Identifier: Apache-2.0
#include <GraphMol/ChemTransforms/ChemTransforms.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/RingInfo.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include <emgnn/base/error.h>
#include <emgnn/data/rdkit_parts.h>

namespace emgnn::detail {
namespace {

using RDKit::Atom;
using RDKit::Bond;

constexpr std::array<std::string_view, 43> kElements = {
    "C",  "N",  "O",  "S",  "F",  "Si", "P",  "Cl", "Br", "Mg", "Na", "Ca", "Fe", "As", "Al",
    "I",  "B",  "V",  "K",  "Tl", "Yb", "Sb", "Sn", "Ag", "Pd", "Co", "Se", "Ti", "Zn", "H",
    "Li", "Ge", "Cu", "Au", "Ni", "Cd", "In", "Mn", "Zr", "Cr", "Pt", "Hg", "Pb"};
constexpr std::array kHybridisations = {Atom::SP, Atom::SP2, Atom::SP3, Atom::SP3D, Atom::SP3D2};
constexpr std::array kBondTypes = {Bond::SINGLE, Bond::DOUBLE, Bond::TRIPLE, Bond::AROMATIC};
constexpr std::array kStereos = {Bond::STEREONONE, Bond::STEREOANY, Bond::STEREOZ,
                                 Bond::STEREOE,    Bond::STEREOCIS, Bond::STEREOTRANS};

class Row {
 public:
  explicit Row(std::vector<float>& out) : out_(out) {}

  template <class Allowed, class Value>
  void one_of(const Allowed& allowed, const Value& value) {
    for (const auto& a : allowed) number(a == value ? 1 : 0);
  }
  void count(int value, int largest) {  // one of 0..largest
    for (int i = 0; i <= largest; ++i) number(i == value ? 1 : 0);
  }
  void number(int value) { out_.push_back(static_cast<float>(value)); }

 private:
  std::vector<float>& out_;
};

void append_atom(const Atom& atom, std::vector<float>& out) {
  Row row(out);
  row.one_of(kElements, std::string_view(atom.getSymbol()));
  row.count(static_cast<int>(atom.getDegree()), 10);
  row.count(atom.getImplicitValence(), 6);
  row.number(atom.getFormalCharge());
  row.number(static_cast<int>(atom.getNumRadicalElectrons()));
  row.one_of(kHybridisations, atom.getHybridization());
  row.number(atom.getIsAromatic() ? 1 : 0);
  row.count(static_cast<int>(atom.getTotalNumHs()), 4);
}

void append_bond(const Bond& bond, bool in_ring, std::vector<float>& out) {
  Row row(out);
  row.one_of(kBondTypes, bond.getBondType());
  row.number(bond.getIsConjugated() ? 1 : 0);
  row.number(in_ring ? 1 : 0);
  row.one_of(kStereos, bond.getStereo());
}

}  // namespace

void append_features(const RDKit::ROMol& molecule, Molecules& to) {
  for (const Atom* atom : molecule.atoms()) append_atom(*atom, to.atom_features);
  const RDKit::RingInfo& rings = *molecule.getRingInfo();
  for (const Bond* bond : molecule.bonds()) {
    to.bond_atoms.push_back(static_cast<int32_t>(bond->getBeginAtomIdx()));
    to.bond_atoms.push_back(static_cast<int32_t>(bond->getEndAtomIdx()));
    append_bond(*bond, rings.numBondRings(bond->getIdx()) > 0, to.bond_features);
  }
  to.atom_begin.push_back(to.atom_begin.back() + molecule.getNumAtoms());
  to.bond_begin.push_back(to.bond_begin.back() + molecule.getNumBonds());
  EMGNN_DCHECK(to.atom_features.size() ==
               static_cast<size_t>(to.num_atoms()) * size_t{kNumAtomFeatures});
}

std::string murcko_scaffold(const RDKit::ROMol& molecule) {
  const std::unique_ptr<RDKit::ROMol> frame(RDKit::MurckoDecompose(molecule));
  if (frame->getNumAtoms() == 0) return "";
  frame->clearComputedProps();
  frame->updatePropertyCache();
  std::vector<std::vector<int>> rings;
  RDKit::MolOps::symmetrizeSSSR(*frame, rings);
  return RDKit::MolToSmiles(*frame, /*doIsomericSmiles=*/false);
}

}  // namespace emgnn::detail
