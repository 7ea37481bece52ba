// SPDX-License-Identifier: Apache-2.0
// What a network runs on: the features of some rows and the hops between them, under one graph or
// under many.
#pragma once

#include <memory>
#include <vector>

#include <emgnn/space/input_features.h>
#include <emgnn/space/propagation.h>
#include <emgnn/space/segments.h>

namespace emgnn {

struct GraphBatch {
  c10::intrusive_ptr<InputFeatures> input;            // of the rows that the first hop reads
  std::vector<c10::intrusive_ptr<Propagation>> hops;  // at least one, unless there are blocks
  // What was found along meta-paths from each row; the first is `input`. None: there are hops.
  std::vector<c10::intrusive_ptr<InputFeatures>> blocks;
  // Small graphs: the output rows of the last hop by item. None: every row is an output.
  std::shared_ptr<const Segments> items;
  // λ of the item that a hop's output row belongs to, [outputs, 1]; undefined where the rows of
  // several λ are one, or λ is the same for a whole graph.
  at::Tensor row_lambda;
  // Molecules: [items, kNumDescriptors] as they are, NaN where not known; undefined: nobody reads
  // them.
  at::Tensor descriptors;

  // Of layer `number`. The last hop serves all further layers when it leads from its rows to
  // themselves. UsageError when the batch was prepared for fewer layers.
  const Propagation& hop(int number) const;
};

}  // namespace emgnn
