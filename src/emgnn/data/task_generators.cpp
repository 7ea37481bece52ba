// SPDX-License-Identifier: Apache-2.0
// The generated datasets whose labels are not classes.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include <emgnn/data/generator_parts.h>
#include <emgnn/data/generators.h>
#include <emgnn/data/split_shares.h>

namespace emgnn {
namespace {

using detail::draw;
using detail::sequence;
using detail::symmetric_graph;
using enum detail::GeneratorStep;

// `links_per_node` links from every node to the one that `partner(node)` draws.
template <class Partner>
Relation draw_relation(const char* name, int32_t num_nodes, int32_t links_per_node,
                       const Partner& partner) {
  Coo links;
  for (int32_t v = 0; v < num_nodes; ++v) {
    for (int32_t k = 0; k < links_per_node; ++k) {
      links.row.push_back(v);
      links.col.push_back(partner(v));
    }
  }
  return {name, symmetric_graph(num_nodes, links)};
}

Split draw_split(int32_t num_nodes, int32_t num_train, int32_t num_validation, Rng rng) {
  std::vector<int32_t> ids(static_cast<size_t>(num_nodes));
  std::iota(ids.begin(), ids.end(), 0);
  shuffle(ids, rng);
  const auto a = ids.begin() + num_train, b = a + num_validation;
  Split split{{ids.begin(), a}, {a, b}, {b, ids.end()}};
  for (auto* part : {&split.train, &split.validation, &split.test})
    std::sort(part->begin(), part->end());
  return split;
}

// [num_nodes] lists of one to three different topics, ascending.
using Topics = std::vector<std::vector<int32_t>>;

Topics draw_topics(const NoisyLabelsOptions& o, Rng rng) {
  Topics topics(static_cast<size_t>(o.num_nodes));
  std::vector<int32_t> all(static_cast<size_t>(o.num_topics));
  std::iota(all.begin(), all.end(), 0);
  for (std::vector<int32_t>& own : topics) {
    shuffle(all, rng);
    own.assign(all.begin(), all.begin() + 1 + draw(rng, std::min(3, o.num_topics)));
    std::sort(own.begin(), own.end());
  }
  return topics;
}

Features draw_topic_words(const Topics& topics, const NoisyLabelsOptions& o, Rng rng) {
  const int32_t part = o.num_words / o.num_topics;
  Coo coo;
  for (size_t v = 0; v < topics.size(); ++v) {
    for (int32_t k = 0; k < o.words_per_node; ++k) {
      const int32_t topic = topics[v][rng.below(topics[v].size())];
      const bool own = rng.uniform() < o.word_signal;
      coo.row.push_back(static_cast<int32_t>(v));
      coo.col.push_back(own ? topic * part + draw(rng, part) : draw(rng, o.num_words));
    }
  }
  Features x{.num_rows = o.num_nodes, .num_cols = o.num_words};
  x.sparse = csr_from_coo(o.num_nodes, o.num_words, coo, Duplicates::kKeepFirst);
  x.names = numbered_names(o.num_words, "word-");
  return x;
}

Labels topic_labels(const Topics& topics, int32_t num_topics) {
  const auto width = static_cast<size_t>(num_topics);
  Labels labels{.kind = LabelKind::kLabels,
                .num_rows = std::ssize(topics),
                .names = numbered_names(num_topics, "topic-"),
                .cls = {},
                .value = std::vector<double>(topics.size() * width, 0.0)};
  for (size_t v = 0; v < topics.size(); ++v) {
    for (const int32_t topic : topics[v]) labels.value[v * width + static_cast<size_t>(topic)] = 1;
  }
  return labels;
}

// Each sensor reads q + noise, [num_nodes, num_sensors].
Features draw_readings(const std::vector<double>& quantity, const NoisyValuesOptions& o, Rng rng) {
  Features x{.num_rows = o.num_nodes, .num_cols = o.num_sensors, .is_sparse = false};
  for (const double q : quantity) {
    for (int32_t k = 0; k < o.num_sensors; ++k)
      x.dense.push_back(static_cast<float>(q + o.sensor_noise * rng.normal()));
  }
  x.names = numbered_names(o.num_sensors, "sensor-");
  return x;
}

}  // namespace

Dataset noisy_labels(const NoisyLabelsOptions& o, uint64_t seed) {
  Dataset dataset;
  dataset.name = "noisy-labels";
  const Topics topics = draw_topics(o, sequence(seed, kTruth));
  dataset.features = draw_topic_words(topics, o, sequence(seed, kFeatures));
  dataset.labels = topic_labels(topics, o.num_topics);
  Topics members(static_cast<size_t>(o.num_topics));
  for (size_t v = 0; v < topics.size(); ++v) {
    for (const int32_t topic : topics[v])
      members[static_cast<size_t>(topic)].push_back(static_cast<int32_t>(v));
  }
  Rng link_rng = sequence(seed, kLinks), noise_rng = sequence(seed, kMoreLinks);
  dataset.graph.num_nodes = o.num_nodes;
  dataset.graph.relations.push_back(
      draw_relation("informative", o.num_nodes, o.links_per_node, [&](int32_t v) {
        const auto& own = topics[static_cast<size_t>(v)];
        const auto& pool = members[static_cast<size_t>(own[link_rng.below(own.size())])];
        return link_rng.uniform() < o.informative ? pool[link_rng.below(pool.size())]
                                                  : draw(link_rng, o.num_nodes);
      }));
  dataset.graph.relations.push_back(
      draw_relation("misleading", o.num_nodes, o.links_per_node,
                    [&](int32_t) { return draw(noise_rng, o.num_nodes); }));
  dataset.split = draw_split(o.num_nodes, o.num_train, o.num_validation, sequence(seed, kOrder));
  return dataset;
}

Dataset noisy_values(const NoisyValuesOptions& o, uint64_t seed) {
  Dataset dataset;
  dataset.name = "noisy-values";
  Rng truth_rng = sequence(seed, kTruth), link_rng = sequence(seed, kLinks),
      noise_rng = sequence(seed, kMoreLinks);
  std::vector<double> quantity;
  for (int32_t v = 0; v < o.num_nodes; ++v) quantity.push_back(truth_rng.normal());
  dataset.features = draw_readings(quantity, o, sequence(seed, kFeatures));
  dataset.graph.num_nodes = o.num_nodes;
  dataset.graph.relations.push_back(
      draw_relation("near", o.num_nodes, o.links_per_node, [&](int32_t v) {
        int32_t best = v;
        double least = std::numeric_limits<double>::infinity();
        for (int32_t k = 0; k < o.num_candidates; ++k) {
          const int32_t u = draw(link_rng, o.num_nodes);
          const double apart =
              std::abs(quantity[static_cast<size_t>(u)] - quantity[static_cast<size_t>(v)]);
          if (u == v || apart >= least) continue;
          best = u;
          least = apart;
        }
        return best;
      }));
  dataset.graph.relations.push_back(
      draw_relation("random", o.num_nodes, o.links_per_node,
                    [&](int32_t) { return draw(noise_rng, o.num_nodes); }));
  dataset.labels = {.kind = LabelKind::kValues,
                    .num_rows = o.num_nodes,
                    .names = {"quantity"},
                    .cls = {},
                    .value = std::move(quantity)};
  dataset.split = draw_split(o.num_nodes, o.num_train, o.num_validation, sequence(seed, kOrder));
  return dataset;
}

}  // namespace emgnn
