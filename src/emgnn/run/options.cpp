// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/options.h>

namespace emgnn {

void describe(OptionVisitor& visitor, DataOptions& options, DataKind kind) {
  visitor.text("split", options.split,
               "which nodes or molecules train, validate and test; empty: the dataset's own");
  visitor.real("calibration_share", options.calibration_share, 0.0, 0.9,
               "share of the validation rows, drawn by the run's seed, that neither stop training "
               "nor choose anything: only prediction sets and intervals are calibrated by them; 0: "
               "by all validation rows");
  visitor.text("task", options.task,
               "what the labels of your own data are: auto, classes, labels (several at once) or "
               "values");
  if (kind == DataKind::kMolecules) return describe(visitor, options.molecules);
  visitor.real(
      "perturb", options.perturb, 0.0, 100.0,
      "percent of the edges that are removed at random and replaced by random ones, by the "
      "run's seed");
  visitor.flag("data.normalise_features", options.normalise_features,
               "scale each feature row to sum 1");
  visitor.flag("data.directed_relations", options.directed_relations,
               "each direction of a relation is an edge type of its own (imdb, acm, dblp, and your "
               "own graphs where one edge type is another one reversed)");
}

void describe(OptionVisitor& visitor, PresetOptions& options) {
  visitor.text("preset", options.name,
               "shipped settings that take the place of those for the data's name: citation, web, "
               "plain, dense, deep, heterogeneous or molecules; auto: chosen by the data; none");
}

void describe(OptionVisitor& visitor, EnsembleOptions& options) {
  visitor.integer("ensemble", options.members, 1, 1000,
                  "how many times the method is trained, each with a seed of its own; predictions "
                  "are averaged");
}

void describe(OptionVisitor& visitor, CalibrationOptions& options) {
  visitor.choice(
      "calibrate", options.by, {"none", "validation"},
      "validation: the final answers are made as sure as they are right on the validation "
      "labels: probabilities by one temperature, values by one scale and a constant "
      "noise of their standard deviations");
}

}  // namespace emgnn
