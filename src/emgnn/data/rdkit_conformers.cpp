// SPDX-License-Identifier: Apache-2.0
#include <GraphMol/Depictor/RDDepictor.h>
#include <GraphMol/DistGeomHelpers/Embedder.h>
#include <GraphMol/ForceFieldHelpers/MMFF/MMFF.h>
#include <GraphMol/ForceFieldHelpers/UFF/AtomTyper.h>
#include <GraphMol/ForceFieldHelpers/UFF/UFF.h>
#include <GraphMol/MolOps.h>

#include <emgnn/data/rdkit_parts.h>

namespace emgnn::detail {
namespace {

using RDKit::ROMol;
using RDKit::RWMol;
using RDKit::DGeomHelpers::EmbedParameters;

constexpr int kForceFieldSteps = 200;
constexpr double kNonBondedReach = 100.0;  // Å; fragments start far from each other

// The first `num_atoms` rows of the molecule's conformer.
std::vector<float> positions(const ROMol& molecule, unsigned num_atoms) {
  const RDKit::Conformer& conformer = molecule.getConformer();
  std::vector<float> out;
  out.reserve(size_t{num_atoms} * 3);
  for (unsigned i = 0; i < num_atoms; ++i) {
    const RDGeom::Point3D& p = conformer.getAtomPos(i);
    for (const double x : {p.x, p.y, p.z}) out.push_back(static_cast<float>(x));
  }
  return out;
}

struct EmbedStep {
  CoordinateSource source;
  EmbedParameters parameters;
};

std::vector<EmbedStep> embed_steps(const ROMol& with_hydrogens, int seed) {
  std::vector<int> fragment;
  const bool one_fragment = RDKit::MolOps::getMolFrags(with_hydrogens, fragment) == 1;
  EmbedParameters p = RDKit::DGeomHelpers::ETKDGv3;
  p.randomSeed = seed;
  // Embedded one by one, fragments would lie on top of each other.
  p.embedFragmentsSeparately = false;
  std::vector<EmbedStep> steps;
  if (one_fragment) steps.push_back({CoordinateSource::kEmbedded, p});
  p.useRandomCoords = true;
  steps.push_back({CoordinateSource::kRandomStart, p});
  steps.push_back({CoordinateSource::kFreeChirality, p});
  p.maxIterations = 30 * with_hydrogens.getNumAtoms();  // by default 10
  steps.insert(steps.end() - 1, {CoordinateSource::kMoreIterations, p});
  return steps;
}

void forget_chirality(RWMol& molecule) {
  for (RDKit::Atom* atom : molecule.atoms()) atom->setChiralTag(RDKit::Atom::CHI_UNSPECIFIED);
}

// Steps that run out leave the coordinates better than they were: that is enough here.
ForceField relax(ROMol& molecule) {
  constexpr bool kIgnoreOtherFragments = false;
  constexpr int kConformer = -1;
  if (RDKit::MMFF::MMFFMolProperties(molecule).isValid()) {
    RDKit::MMFF::MMFFOptimizeMolecule(molecule, kForceFieldSteps, "MMFF94", kNonBondedReach,
                                      kConformer, kIgnoreOtherFragments);
    return ForceField::kMmff94;
  }
  if (RDKit::UFF::getAtomTypes(molecule).second) {
    RDKit::UFF::UFFOptimizeMolecule(molecule, kForceFieldSteps, kNonBondedReach, kConformer,
                                    kIgnoreOtherFragments);
    return ForceField::kUff;
  }
  return ForceField::kNone;
}

}  // namespace

ConformerResult make_conformer(const ROMol& molecule, int seed) {
  const unsigned num_atoms = molecule.getNumAtoms();
  if (num_atoms == 1) return {{0, 0, 0}, CoordinateSource::kSingleAtom};
  RWMol full(molecule);
  RDKit::MolOps::addHs(full);  // appended: the first atoms stay where they are
  for (const EmbedStep& step : embed_steps(full, seed)) {
    // Forgotten, not merely unenforced: the bounds on distances follow from the tags, too.
    if (step.source == CoordinateSource::kFreeChirality) forget_chirality(full);
    if (RDKit::DGeomHelpers::EmbedMolecule(full, step.parameters) < 0) continue;
    const ForceField force_field = relax(full);
    return {positions(full, num_atoms), step.source, force_field};
  }
  RWMol drawing(molecule);
  RDDepict::compute2DCoords(drawing);
  return {positions(drawing, num_atoms), CoordinateSource::kPlanar};
}

ConformerResult given_conformer(const ROMol& molecule) {
  return {positions(molecule, molecule.getNumAtoms()), CoordinateSource::kGiven};
}

}  // namespace emgnn::detail
