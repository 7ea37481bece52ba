// SPDX-License-Identifier: Apache-2.0
// Datasets that need no file. Both are functions of their options and the seed alone.
#pragma once

#include <cstdint>

#include <emgnn/data/dataset.h>

namespace emgnn {

// Items of `num_classes` classes (the labelled type), linked to people by an informative relation
// and to places by a misleading one. People and places carry words of a class of their own;
// `informative` and `misleading` are the shares of an item's links that lead to its own class.
struct NoisyRelationsOptions {
  int32_t num_items = 1500, num_people = 900, num_places = 300;
  int32_t num_classes = 3;
  int32_t links_per_item = 3;  // of each relation
  double informative = 0.85;
  double misleading = 0.05;
  int32_t num_words = 200, words_per_node = 6;
  double word_signal = 0.35;  // share of a node's words drawn from its class's vocabulary
  int32_t train_per_class = 20, validation_per_class = 60;
};
Dataset noisy_relations(const NoisyRelationsOptions& options, uint64_t seed);

// A citation graph of which a share of the observed edges is spurious and a share of the true ones
// is missing.
struct NoisyCitationsOptions {
  int32_t num_nodes = 1200, num_classes = 5;
  int32_t links_per_node = 3;  // true links drawn per node
  double homophily = 0.9;      // share of the true links inside a class
  double spurious = 0.2, missing = 0.2;
  int32_t num_words = 500, words_per_node = 20;
  double word_signal = 0.3;
  int32_t train_per_class = 10, validation_per_class = 50;
};
Dataset noisy_citations(const NoisyCitationsOptions& options, uint64_t seed);

}  // namespace emgnn
