// SPDX-License-Identifier: Apache-2.0
#include <GraphMol/Descriptors/MolDescriptors.h>
#include <GraphMol/Fingerprints/MorganFingerprints.h>
#include <GraphMol/MolOps.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <emgnn/base/error.h>
#include <emgnn/data/rdkit_parts.h>

namespace emgnn::detail {
namespace {

namespace Rd = RDKit::Descriptors;
using RDKit::ROMol;

constexpr unsigned kRadius = 2;
constexpr float kNotKnown = std::numeric_limits<float>::quiet_NaN();

double aromatic_proportion(const ROMol& molecule) {
  unsigned aromatic = 0;
  for (const RDKit::Atom* atom : molecule.atoms()) aromatic += atom->getIsAromatic() ? 1 : 0;
  return static_cast<double>(aromatic) / molecule.getNumAtoms();
}

// In the order of kDescriptorNames. RDKit keeps parts of its computations in the molecule.
std::vector<double> all_descriptors(const ROMol& m) {
  double log_p = 0.0, refractivity = 0.0;
  Rd::calcCrippenDescriptors(m, log_p, refractivity);
  std::vector<double> out = {Rd::calcAMW(m),
                             double(Rd::calcNumHeavyAtoms(m)),
                             double(Rd::calcNumHeteroatoms(m)),
                             double(RDKit::MolOps::getFormalCharge(m)),
                             log_p,
                             refractivity,
                             Rd::calcTPSA(m),
                             Rd::calcLabuteASA(m),
                             double(Rd::calcNumHBD(m)),
                             double(Rd::calcNumHBA(m)),
                             double(Rd::calcLipinskiHBD(m)),
                             double(Rd::calcLipinskiHBA(m)),
                             double(Rd::calcNumRotatableBonds(m)),
                             double(Rd::calcNumAmideBonds(m)),
                             double(Rd::calcNumRings(m)),
                             double(Rd::calcNumAromaticRings(m)),
                             double(Rd::calcNumAliphaticRings(m)),
                             double(Rd::calcNumSaturatedRings(m)),
                             double(Rd::calcNumHeterocycles(m)),
                             double(Rd::calcNumAromaticHeterocycles(m)),
                             double(Rd::calcNumAromaticCarbocycles(m)),
                             double(Rd::calcNumSpiroAtoms(m)),
                             double(Rd::calcNumBridgeheadAtoms(m)),
                             double(Rd::numAtomStereoCenters(m)),
                             Rd::calcFractionCSP3(m),
                             aromatic_proportion(m),
                             Rd::calcChi0v(m),
                             Rd::calcChi1v(m),
                             Rd::calcChi2v(m),
                             Rd::calcChi3v(m),
                             Rd::calcChi4v(m),
                             Rd::calcChi0n(m),
                             Rd::calcChi1n(m),
                             Rd::calcChi2n(m),
                             Rd::calcChi3n(m),
                             Rd::calcChi4n(m),
                             Rd::calcHallKierAlpha(m),
                             Rd::calcKappa1(m),
                             Rd::calcKappa2(m),
                             Rd::calcKappa3(m),
                             Rd::calcPhi(m)};
  for (const std::vector<double>& sums : {Rd::calcSlogP_VSA(m), Rd::calcSMR_VSA(m)})
    out.insert(out.end(), sums.begin(), sums.end());
  EMGNN_DCHECK(out.size() == size_t{kNumDescriptors});
  return out;
}

void append_numbers(const ROMol& molecule, std::vector<float>& to) {
  std::vector<double> numbers;
  try {
    numbers = all_descriptors(molecule);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const InternalError&) {
    throw;
  } catch (const std::exception&) {  // the molecule itself is in order
    numbers.assign(size_t{kNumDescriptors}, kNotKnown);
  }
  for (const double number : numbers) {
    const auto x = static_cast<float>(number);
    to.push_back(std::isfinite(x) ? x : kNotKnown);
  }
}

}  // namespace

void append_descriptors(const ROMol& molecule, Molecules& to) {
  const ROMol own(molecule);  // what is computed on the way leaves its marks
  append_numbers(own, to.descriptors);
  const std::unique_ptr<RDKit::SparseIntVect<uint32_t>> circles(
      RDKit::MorganFingerprints::getHashedFingerprint(own, kRadius, unsigned{kFingerprintBits}));
  for (const auto& [bit, count] : circles->getNonzeroElements()) {
    to.bit.push_back(static_cast<uint16_t>(bit));
    to.bit_count.push_back(
        static_cast<uint16_t>(std::min(count, int{std::numeric_limits<uint16_t>::max()})));
  }
  to.bit_begin.push_back(static_cast<int64_t>(to.bit.size()));
}

}  // namespace emgnn::detail
