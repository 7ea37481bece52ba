// SPDX-License-Identifier: Apache-2.0
// What is known of a whole molecule without a network: classical descriptors and a fingerprint.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <emgnn/data/molecule.h>
#include <emgnn/graph/csr.h>

namespace emgnn {

// As RDKit computes and names them; AromaticProportion is the share of heavy atoms that are
// aromatic.
inline constexpr std::array<std::string_view, kNumDescriptors> kDescriptorNames = {
    "MolWt",
    "HeavyAtomCount",
    "NumHeteroatoms",
    "FormalCharge",
    "MolLogP",
    "MolMR",
    "TPSA",
    "LabuteASA",
    "NumHDonors",
    "NumHAcceptors",
    "NHOHCount",
    "NOCount",
    "NumRotatableBonds",
    "NumAmideBonds",
    "RingCount",
    "NumAromaticRings",
    "NumAliphaticRings",
    "NumSaturatedRings",
    "NumHeterocycles",
    "NumAromaticHeterocycles",
    "NumAromaticCarbocycles",
    "NumSpiroAtoms",
    "NumBridgeheadAtoms",
    "NumAtomStereoCenters",
    "FractionCSP3",
    "AromaticProportion",
    "Chi0v",
    "Chi1v",
    "Chi2v",
    "Chi3v",
    "Chi4v",
    "Chi0n",
    "Chi1n",
    "Chi2n",
    "Chi3n",
    "Chi4n",
    "HallKierAlpha",
    "Kappa1",
    "Kappa2",
    "Kappa3",
    "Phi",
    "SlogP_VSA1",
    "SlogP_VSA2",
    "SlogP_VSA3",
    "SlogP_VSA4",
    "SlogP_VSA5",
    "SlogP_VSA6",
    "SlogP_VSA7",
    "SlogP_VSA8",
    "SlogP_VSA9",
    "SlogP_VSA10",
    "SlogP_VSA11",
    "SlogP_VSA12",
    "SMR_VSA1",
    "SMR_VSA2",
    "SMR_VSA3",
    "SMR_VSA4",
    "SMR_VSA5",
    "SMR_VSA6",
    "SMR_VSA7",
    "SMR_VSA8",
    "SMR_VSA9",
    "SMR_VSA10",
};

// z = (x − mean) · factor, cut to ±kLimit. One that is not known becomes 0, the mean.
struct DescriptorScale {
  static constexpr double kLimit = 4.0;

  // [kNumDescriptors], or empty: there are no descriptors. The factor is one over the deviation; 0
  // where the molecules do not differ.
  std::vector<double> mean, factor;

  bool empty() const { return mean.empty(); }
  // Of some molecules; without any, zeros to be read from a model. UsageError when the molecules
  // have no descriptors.
  static DescriptorScale fit(const Molecules& molecules, std::span<const int32_t> some);
  double standardise(float value, size_t column) const;
};

// Rows of numbers: columns that are dense, then columns that are mostly zero.
struct FeatureRows {
  int64_t num_dense = 0;
  std::vector<float> dense;  // [num_rows, num_dense]
  Csr sparse;                // [num_rows, num_cols - num_dense], with values

  int64_t num_rows() const { return sparse.num_rows; }
  int64_t num_cols() const { return num_dense + sparse.num_cols; }
};

// Standardised descriptors and counts of the bits of the fingerprint. UsageError when the molecules
// have none.
FeatureRows descriptor_rows(const Molecules& molecules, std::span<const int32_t> some,
                            const DescriptorScale& scale);

}  // namespace emgnn
