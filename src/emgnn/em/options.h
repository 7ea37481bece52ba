// SPDX-License-Identifier: Apache-2.0
// Every setting of a training run, with its default.
#pragma once

#include <cstdint>
#include <string>

#include <emgnn/base/options.h>
#include <emgnn/models/agreement.h>
#include <emgnn/models/options.h>
#include <emgnn/models/regression.h>
#include <emgnn/space/options.h>

namespace emgnn {

enum class Variant { kPt, kPo, kPd, kPh };
enum class WeightRule { kImportance, kContrast, kSign };
enum class PosteriorMode { kAuto, kExact, kMcmc };
enum class LabelSet { kTrain, kTrainAndValidation };
enum class Average { kLogits, kProbabilities };
enum class Keep { kAll, kAbovePrior };

struct EmOptions {
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
  LabelSet labels = LabelSet::kTrain;
  Average average = Average::kLogits;
  Keep keep = Keep::kAll;
};

enum class ProposalKind { kUniform, kLocal };
enum class Record { kAll, kAccepted };

struct McmcOptions {
  int64_t steps = 15000;
  int64_t chains = 4;
  int64_t burn_in = 500;
  ProposalKind proposal = ProposalKind::kUniform;
  Record record = Record::kAll;
};

enum class Decay { kAll, kFirstLayer, kDecoupled };
enum class Schedule { kConstant, kCosine };

struct OptimOptions {
  double learning_rate = 0.005;
  Schedule schedule = Schedule::kConstant;
  double weight_decay = 0.001;
  Decay decay = Decay::kAll;
  double clip = 0.0;
  double average = 0.0;
  int64_t batch = 128;
};

enum class StopRule { kLossAndAccuracy, kLoss, kAccuracy, kRmse, kNever };
enum class StopPosterior { kBest, kLast };

struct StopOptions {
  StopRule rule = StopRule::kLoss;
  int64_t patience = 100;
  int64_t every = 1;
  int64_t graphs = 32;
  StopPosterior posterior = StopPosterior::kBest;
};

struct TrainOptions {
  EmOptions em;
  McmcOptions mcmc;
  SpaceOptions space;
  ModelOptions model;
  TaskOptions task;
  AgreementOptions agreement;
  OptimOptions optim;
  StopOptions stop;
};
void describe(OptionVisitor& visitor, TrainOptions& options);

}  // namespace emgnn
