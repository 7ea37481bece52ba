// SPDX-License-Identifier: Apache-2.0
#include <GraphMol/FileParsers/FileParsers.h>
#include <GraphMol/SmilesParse/SmilesParse.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>
#include <RDGeneral/versions.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include <emgnn/base/error.h>
#include <emgnn/data/chemistry_module.h>
#include <emgnn/data/rdkit_parts.h>

namespace emgnn {
namespace {

using RDKit::RWMol;

// Why a molecule is left out.
class Rejected : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What RDKit says, up to the end of its first line that is not empty.
std::string first_line(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return "RDKit gives no reason";
  text = text.substr(begin, text.find_first_of("\r\n", begin) - begin);
  return std::string(text.substr(0, text.find_last_not_of(" \t") + 1));
}

// Hydrogens that a record draws as atoms have become counts written on the atom. Where its valence
// implies as many, they are implicit: a molecule has the same features with and without them drawn.
void make_hydrogens_implicit(RWMol& molecule) {
  for (RDKit::Atom* atom : molecule.atoms()) {
    const bool no_implicit = atom->getNoImplicit();
    const unsigned written = atom->getNumExplicitHs(), total = atom->getTotalNumHs();
    if (!no_implicit && written == 0) continue;
    atom->setNoImplicit(false);
    atom->setNumExplicitHs(0);
    atom->updatePropertyCache(false);
    if (atom->getTotalNumHs() == total) continue;
    atom->setNoImplicit(no_implicit);
    atom->setNumExplicitHs(written);
    atom->updatePropertyCache(false);
  }
}

// RDKit has no place to log to, and stays quiet, because RDLog::InitLogs is never called. (Logs
// that are merely disabled are enabled again for moments by some of its threads.)
std::unique_ptr<RWMol> parse(const MoleculeInput& input) {
  if (input.format == MoleculeFormat::kMolBlock) {
    std::unique_ptr<RWMol> molecule(RDKit::MolBlockToMol(input.text));
    if (!molecule) throw Rejected("RDKit cannot read the record");
    make_hydrogens_implicit(*molecule);
    return molecule;
  }
  if (input.text.find_first_of(" \t\r\n") != std::string::npos)
    throw Rejected("text after a blank: expected one SMILES string");
  RDKit::SmilesParserParams params;
  params.allowCXSMILES = false;
  params.parseName = false;
  std::unique_ptr<RWMol> molecule(RDKit::SmilesToMol(input.text, params));
  if (!molecule) throw Rejected("not a SMILES string");
  return molecule;
}

bool has_own_coordinates(const RWMol& molecule) {
  return molecule.getNumConformers() > 0 && molecule.getConformer().is3D();
}

void check(const RWMol& molecule, const ConformerOptions& options) {
  if (molecule.getNumAtoms() == 0) throw Rejected("no atom");
  for (const RDKit::Atom* atom : molecule.atoms()) {
    if (atom->getAtomicNum() == 0)
      throw Rejected(fmt::format("atom {} has no element", atom->getIdx() + 1));
  }
  const bool embeds = options.count > 0 && !has_own_coordinates(molecule);
  if (embeds && molecule.getNumAtoms() > kMaxEmbeddedAtoms)
    throw Rejected(fmt::format("{} atoms: without coordinates of its own at most {}",
                               molecule.getNumAtoms(), kMaxEmbeddedAtoms));
}

void append_conformers(const RWMol& molecule, const ConformerOptions& options, Molecules& to) {
  to.num_conformers = options.count;
  const bool given = has_own_coordinates(molecule);
  for (int64_t c = 0; c < options.count; ++c) {
    const detail::ConformerResult conformer =
        given ? detail::given_conformer(molecule)
              : detail::make_conformer(molecule, static_cast<int>(options.seed + c));
    if (!std::all_of(conformer.coordinates.begin(), conformer.coordinates.end(),
                     [](float x) { return std::isfinite(x); }))
      throw Rejected("its coordinates are not finite");
    to.coordinates.insert(to.coordinates.end(), conformer.coordinates.begin(),
                          conformer.coordinates.end());
    to.source.push_back(conformer.source);
    to.force_field.push_back(conformer.force_field);
  }
}

FeaturisedMolecule featurise(const MoleculeInput& input, const ConformerOptions& options) {
  FeaturisedMolecule result;
  result.molecule.num_conformers = options.count;
  try {
    const std::unique_ptr<RWMol> molecule = parse(input);
    check(*molecule, options);
    Molecules one;
    detail::append_features(*molecule, one);
    detail::append_descriptors(*molecule, one);
    one.scaffold.push_back(detail::murcko_scaffold(*molecule));
    one.canonical.push_back(RDKit::MolToSmiles(*molecule));
    one.smiles.push_back(input.format == MoleculeFormat::kSmiles ? input.text
                                                                 : one.canonical.back());
    append_conformers(*molecule, options, one);
    result.molecule = std::move(one);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const InternalError&) {
    throw;
  } catch (const std::exception& error) {
    result.reject = first_line(error.what());
  }
  return result;
}

std::string rdkit_version() { return RDKit::rdkitVersion; }

// RDKit keeps a choice in an environment variable, which it sets and looks up with every molecule. The
// first time adds it, which moves the environment under other threads that look something up. So it is
// added while the module is opened, before any thread reads molecules.
void settle_environment() { (void)parse({MoleculeFormat::kSmiles, "C"}); }

}  // namespace
}  // namespace emgnn

const emgnn::ChemistryModule* emgnn_chemistry_module() {
  static const std::string build = emgnn::chemistry_build();
  static const emgnn::ChemistryModule module{build.c_str(),
                                             {emgnn::featurise, emgnn::rdkit_version}};
  emgnn::settle_environment();
  return &module;
}
