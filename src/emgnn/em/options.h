// SPDX-License-Identifier: Apache-2.0
// The settings of expectation–maximisation over graphs.
#pragma once

#include <cstdint>

#include <emgnn/base/options.h>
#include <emgnn/learn/average.h>
#include <emgnn/learn/evidence.h>

namespace emgnn {

enum class Recipe { kPublished, kHeldOut, kAveraged };
enum class Variant { kPt, kPo, kPd, kPh };
enum class WeightRule { kImportance, kContrast, kSign, kOne };
enum class PosteriorMode { kAuto, kExact, kMcmc, kStack, kPrior, kSurrogate };
enum class GraphTemperature { kNone, kEach };
enum class PredictWith { kAll, kAbovePrior };
enum class PosteriorOf { kBest, kLast };

struct EmOptions {
  // A name for shipped settings: nothing else reads it.
  Recipe recipe = Recipe::kPublished;
  Variant variant = Variant::kPt;
  int64_t rounds = 15;
  int64_t steps = 25;
  int64_t warmup = 20;
  double eta = 4.0;
  double eta_step = 0.5;
  WeightRule weight = WeightRule::kContrast;
  double alpha = 0.2;
  int64_t draws = 4;
  PosteriorMode posterior = PosteriorMode::kAuto;
  double judging = 0.5;  // on a large graph; 0: no limit
  EvidenceKind evidence = EvidenceKind::kTrain;
  int64_t folds = 5;
  GraphTemperature temperature = GraphTemperature::kNone;
  double pseudo_labels = 2.0;  // κ
  double explore = 0.0;        // ε
  Average average = Average::kLogits;
  PredictWith keep = PredictWith::kAll;
  int64_t validation_graphs = 32;
  PosteriorOf predict_posterior = PosteriorOf::kBest;
};
void describe(OptionVisitor& visitor, EmOptions& options);

enum class ProposalKind { kUniform, kLocal };
enum class RecordedStates { kAll, kAccepted };

struct McmcOptions {
  int64_t steps = 15000;
  int64_t chains = 4;
  int64_t burn_in = 500;
  ProposalKind proposal = ProposalKind::kUniform;
  RecordedStates record = RecordedStates::kAll;
};
void describe(OptionVisitor& visitor, McmcOptions& options);

}  // namespace emgnn
