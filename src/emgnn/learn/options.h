// SPDX-License-Identifier: Apache-2.0
// How weights are trained, whatever the network.
#pragma once

#include <cstdint>
#include <string>

#include <emgnn/base/options.h>

namespace emgnn {

enum class Decay { kAll, kFirstLayer, kDecoupled };
enum class Schedule { kConstant, kCosine };

struct OptimOptions {
  double learning_rate = 0.005;
  Schedule schedule = Schedule::kConstant;
  double weight_decay = 0.001;
  Decay decay = Decay::kAll;
  double clip = 0.0;
  double average = 0.0;
};
void describe(OptionVisitor& visitor, OptimOptions& options);

// Where rows are graphs of their own.
struct BatchOptions {
  int64_t size = 128;
};
void describe(OptionVisitor& visitor, BatchOptions& options);

struct StopOptions {
  std::string rule = "loss";  // or the name of a score
  int64_t patience = 100;
  int64_t every = 1;
};
void describe(OptionVisitor& visitor, StopOptions& options);

struct FitOptions {
  int64_t epochs = 375;
};
void describe(OptionVisitor& visitor, FitOptions& options);

}  // namespace emgnn
