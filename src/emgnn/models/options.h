// SPDX-License-Identifier: Apache-2.0
// The settings of the backbones. A backbone ignores what its kind of network does not have; the
// help text says which.
#pragma once

#include <cstdint>

#include <emgnn/base/options.h>
#include <emgnn/kernels/activation.h>

namespace emgnn {

enum class Init { kXavierUniform, kUniformOut };
enum class SelfWeights { kShared, kSeparate };
enum class Filter { kMatrix, kScalar };
enum class Norm { kNone, kBatch, kLayer };
enum class Readout { kSum, kMean, kMax, kMeanAndMax, kWeightedSumAndMax };

struct ModelOptions {
  int64_t layers = 3;
  int64_t hidden = 64;
  kernels::Activation activation = kernels::Activation::kRelu;
  double slope = 0.2;
  double dropout = 0.6;
  double input_dropout = 0.0;
  bool bias = true;
  SelfWeights self = SelfWeights::kShared;
  bool structure = true;
  Init init = Init::kXavierUniform;
  // em-gcn-star
  bool embedding = false;
  Filter filter = Filter::kMatrix;
  bool affine = false;
  Norm norm = Norm::kNone;
  bool residual = false;
  Readout readout = Readout::kWeightedSumAndMax;
  int64_t head = 64;
  double head_dropout = 0.0;
};
void describe(OptionVisitor& visitor, ModelOptions& options);

}  // namespace emgnn
