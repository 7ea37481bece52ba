// SPDX-License-Identifier: Apache-2.0
// Datasets that need no file. All are functions of their options and the seed alone.
#pragma once

#include <cstdint>
#include <string>

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

// Texts with one to three topics each: several labels at once. The words of a text are of its
// topics; "informative" links share a topic, "misleading" ones join any two texts.
struct NoisyLabelsOptions {
  int32_t num_nodes = 800, num_topics = 5;
  int32_t links_per_node = 3;  // of each relation
  double informative = 0.9;    // share of its links that share a topic
  int32_t num_words = 200, words_per_node = 12;
  double word_signal = 0.5;  // share of a text's words drawn from the vocabulary of its topics
  int32_t num_train = 200, num_validation = 200;
};
Dataset noisy_labels(const NoisyLabelsOptions& options, uint64_t seed);

// Stations that measure one quantity, the value to predict, with sensors of little precision.
// "near" links join stations where it is alike, "random" ones any two.
struct NoisyValuesOptions {
  int32_t num_nodes = 800, num_sensors = 8;
  int32_t links_per_node = 4;   // of each relation
  int32_t num_candidates = 20;  // a near link is the most alike of so many
  double sensor_noise = 2.0;    // deviation of a reading from the quantity, whose deviation is 1
  int32_t num_train = 200, num_validation = 200;
};
Dataset noisy_values(const NoisyValuesOptions& options, uint64_t seed);

// A large graph whose degrees follow a power law: P(degree > d) falls as d^(1 - exponent). Relation r
// of R joins nodes of one class with a probability that falls from `homophily`, of the first, to
// that of two random nodes, of the last. Features are the class's mean and standard normal noise.
// Memory is that of the result and two numbers per node; edges are drawn twice instead of kept.
struct PowerLawOptions {
  int64_t num_nodes = 20'000;
  int64_t num_edges = 100'000;  // of all relations together, before repetitions are left out
  int32_t num_relations = 3, num_classes = 5, num_features = 32;
  double labelled = 0.1;   // share of the nodes; half of them train, a quarter validates
  double homophily = 0.8;  // share of the first relation's edges that stay in a class
  double exponent = 3.0;
  double signal = 1.2;  // length of a class's mean
  uint64_t seed = 0;    // beside that of the call
};
Dataset power_law(const PowerLawOptions& options, uint64_t seed);

inline constexpr const char* kPowerLaw = "power-law";
// Of "power-law" or "power-law:nodes=2e5,edges=1e6,features=64". UsageError that names the keys.
PowerLawOptions parse_power_law(const std::string& name);

}  // namespace emgnn
