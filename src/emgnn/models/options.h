// SPDX-License-Identifier: Apache-2.0
// The settings of the networks. Each network reads the groups that it has.
#pragma once

#include <cstdint>

#include <emgnn/base/options.h>
#include <emgnn/kernels/activation.h>

namespace emgnn {

enum class Init { kXavierUniform, kUniformOut, kXavierNormal };
enum class Norm { kNone, kBatch, kLayer };
// What is read of the rows behind each layer: the last, all side by side, the largest of each column,
// or the sum.
enum class Jumping { kLast, kConcat, kMax, kSum };
enum class Readout { kSum, kMean, kMax, kMeanAndMax, kWeightedSumAndMax };

// Of every network made of layers. Others describe those of them that they have by the functions
// below, so that a key has one range and one help.
struct StackOptions {
  int64_t layers = 3;
  int64_t hidden = 64;
  kernels::Activation activation = kernels::Activation::kRelu;
  double slope = 0.2;
  double dropout = 0.6;
  double input_dropout = 0.0;
  Init init = Init::kXavierUniform;
  // What keeps many layers trainable; described apart, for networks that have it.
  Norm norm = Norm::kNone;
  bool residual = false;
  Jumping jumping = Jumping::kLast;
};
void describe(OptionVisitor& visitor, StackOptions& options);
void describe_depth(OptionVisitor& visitor, StackOptions& options);  // norm, residual, jumping
void describe_norm(OptionVisitor& visitor, Norm& norm);
void describe_residual(OptionVisitor& visitor, bool& residual);
void describe_jumping(OptionVisitor& visitor, Jumping& jumping);
void describe_layers(OptionVisitor& visitor, int64_t& layers);
void describe_hidden(OptionVisitor& visitor, int64_t& hidden);
void describe_dropout(OptionVisitor& visitor, double& dropout);
void describe_input_dropout(OptionVisitor& visitor, double& dropout);
// Of networks that read molecules out by attention.
void describe_readout_steps(OptionVisitor& visitor, int64_t& steps);
void describe_init(OptionVisitor& visitor, Init& init);

// Of what turns the atoms of a molecule into its prediction.
struct HeadOptions {
  Readout readout = Readout::kWeightedSumAndMax;
  int64_t head = 64;
  double head_dropout = 0.0;
  bool head_norm = false;
  bool descriptors = false;
};
void describe(OptionVisitor& visitor, HeadOptions& options);

}  // namespace emgnn
