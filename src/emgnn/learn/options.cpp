// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/options.h>

namespace emgnn {

namespace {
constexpr int64_t kMany = 1'000'000'000;
}  // namespace

void describe(OptionVisitor& v, OptimOptions& o) {
  v.real("optim.learning_rate", o.learning_rate, 0.0, 1e3, "Adam's learning rate");
  v.choice("optim.schedule", o.schedule, {"constant", "cosine"},
           "the learning rate over the run: constant, or half a cosine wave down to 0");
  v.real("optim.weight_decay", o.weight_decay, 0.0, 1e3,
         "strength of pulling the weights towards 0");
  v.choice("optim.decay", o.decay, {"all", "first-layer", "decoupled"},
           "the pull is an L2 penalty, added to the gradient of all parameters or of the first "
           "layer's; or all shrink by learning rate * weight_decay per step, beside the gradient");
  v.real("optim.clip", o.clip, 0.0, 1e9,
         "largest norm of the gradient; a longer one is scaled down to it; 0: any");
  v.real("optim.average", o.average, 0.0, 0.9999,
         "0: use the trained weights; else a running average of them that forgets by this factor "
         "per epoch");
}

void describe(OptionVisitor& v, BatchOptions& o) {
  v.integer(
      "optim.batch", o.size, 2, kMany,
      "what a gradient step takes: by default 128 molecules, 128 nodes with sehgnn, 1024 nodes of "
      "a large graph");
}

void describe(OptionVisitor& v, StopOptions& o) {
  v.text("stop.rule", o.rule,
         "what decides on validation data which weights are kept: loss, score (the main one: "
         "accuracy, micro_f1 of labels, rmse), the name of a score (macro_f1, roc_auc, ...), "
         "loss-and-accuracy; never keeps the last");
  v.integer("stop.patience", o.patience, 1, kMany,
            "validations without improvement before training stops");
  v.integer("stop.every", o.every, 1, kMany, "epochs between validations");
}

void describe(OptionVisitor& v, FitOptions& o) {
  v.integer("fit.epochs", o.epochs, 1, kMany, "passes over the training data");
}

}  // namespace emgnn
