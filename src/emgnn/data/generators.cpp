// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/generators.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/data/generator_parts.h>

namespace emgnn {

namespace {

using detail::draw;
using detail::GeneratorStep;
using detail::sequence;
using detail::symmetric_graph;
using enum GeneratorStep;

std::vector<int32_t> draw_classes(int32_t num_nodes, int32_t num_classes, Rng& rng) {
  std::vector<int32_t> out;
  for (int32_t v = 0; v < num_nodes; ++v) out.push_back(draw(rng, num_classes));
  return out;
}

// Bags of words: the vocabulary is cut into one part per class, and a word comes from the part of
// the node's class with probability `signal`, from anywhere otherwise.
Features draw_words(const std::vector<int32_t>& node_class, int32_t num_classes, int32_t num_words,
                    int32_t words_per_node, double signal, Rng& rng) {
  const int32_t part = num_words / num_classes;
  Coo coo;
  for (size_t v = 0; v < node_class.size(); ++v) {
    for (int32_t k = 0; k < words_per_node; ++k) {
      const bool own = rng.uniform() < signal;
      coo.row.push_back(static_cast<int32_t>(v));
      coo.col.push_back(own ? node_class[v] * part + draw(rng, part) : draw(rng, num_words));
    }
  }
  const auto num_nodes = static_cast<int32_t>(node_class.size());
  Features x{.num_rows = num_nodes, .num_cols = num_words};
  x.sparse = csr_from_coo(num_nodes, num_words, coo, Duplicates::kKeepFirst);
  return x;
}

std::vector<std::vector<int32_t>> members_of(const std::vector<int32_t>& node_class, int32_t begin,
                                             int32_t end, int32_t num_classes) {
  std::vector<std::vector<int32_t>> members(static_cast<size_t>(num_classes));
  for (int32_t v = begin; v < end; ++v) {
    members[static_cast<size_t>(node_class[static_cast<size_t>(v)])].push_back(v);
  }
  return members;
}

// A node of [begin, end): of class `wanted` with probability `same`, of another class otherwise.
int32_t draw_partner(const std::vector<std::vector<int32_t>>& members, int32_t wanted, double same,
                     Rng& rng) {
  const auto num_classes = static_cast<int32_t>(members.size());
  const bool own = rng.uniform() < same;
  const int32_t c = own ? wanted : (wanted + 1 + draw(rng, num_classes - 1)) % num_classes;
  const std::vector<int32_t>& pool = members[static_cast<size_t>(c)];
  EMGNN_CHECK(!pool.empty(), "a generated class has no member; raise the number of nodes", c);
  return pool[rng.below(pool.size())];
}

// The first k of each class, in a random order, train; the next validate; the rest test.
Split draw_split(const std::vector<int32_t>& label, int32_t num_labelled, int32_t num_classes,
                 int32_t num_train, int32_t num_validation, Rng& rng) {
  Split split;
  for (std::vector<int32_t>& rows : members_of(label, 0, num_labelled, num_classes)) {
    for (size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[rng.below(i)]);
    const auto n = static_cast<int32_t>(rows.size());
    EMGNN_CHECK(n > num_train + num_validation, "a generated class is too small for its split", n);
    for (int32_t k = 0; k < n; ++k) {
      (k < num_train                    ? split.train
       : k < num_train + num_validation ? split.validation
                                        : split.test)
          .push_back(rows[static_cast<size_t>(k)]);
    }
  }
  for (auto* part : {&split.train, &split.validation, &split.test})
    std::sort(part->begin(), part->end());
  return split;
}

Labels classes_of(std::vector<int32_t> cls, int32_t num_classes) {
  Labels labels = unknown_classes(std::ssize(cls), numbered_names(num_classes, "class-"));
  labels.cls = std::move(cls);
  return labels;
}

}  // namespace

Dataset noisy_relations(const NoisyRelationsOptions& o, uint64_t seed) {
  Dataset dataset;
  dataset.name = "noisy-relations";
  const int32_t people = o.num_items, places = people + o.num_people,
                num_nodes = places + o.num_places;
  Rng class_rng = sequence(seed, kTruth), word_rng = sequence(seed, kFeatures),
      order_rng = sequence(seed, kOrder);
  const std::vector<int32_t> node_class = draw_classes(num_nodes, o.num_classes, class_rng);
  dataset.features =
      draw_words(node_class, o.num_classes, o.num_words, o.words_per_node, o.word_signal, word_rng);

  const auto relation = [&](const char* name, int32_t begin, int32_t end, double same,
                            GeneratorStep step) {
    Rng rng = sequence(seed, step);
    const auto members = members_of(node_class, begin, end, o.num_classes);
    Coo links;
    for (int32_t item = 0; item < o.num_items; ++item) {
      for (int32_t k = 0; k < o.links_per_item; ++k) {
        links.row.push_back(item);
        links.col.push_back(
            draw_partner(members, node_class[static_cast<size_t>(item)], same, rng));
      }
    }
    return Relation{name, symmetric_graph(num_nodes, links)};
  };
  dataset.graph.num_nodes = num_nodes;
  dataset.graph.relations.push_back(relation("informative", people, places, o.informative, kLinks));
  dataset.graph.relations.push_back(
      relation("misleading", places, num_nodes, o.misleading, kMoreLinks));

  std::vector<int32_t> label(static_cast<size_t>(num_nodes), kNoLabel);
  std::copy_n(node_class.begin(), o.num_items, label.begin());
  dataset.labels = classes_of(std::move(label), o.num_classes);
  dataset.node_type_names = {"item", "person", "place"};
  for (int32_t v = 0; v < num_nodes; ++v)
    dataset.node_type.push_back(v < people ? 0 : v < places ? 1 : 2);
  dataset.split = draw_split(dataset.labels.cls, o.num_items, o.num_classes, o.train_per_class,
                             o.validation_per_class, order_rng);
  return dataset;
}

Dataset noisy_citations(const NoisyCitationsOptions& o, uint64_t seed) {
  Dataset dataset;
  dataset.name = "noisy-citations";
  Rng class_rng = sequence(seed, kTruth), word_rng = sequence(seed, kFeatures),
      order_rng = sequence(seed, kOrder);
  dataset.labels = classes_of(draw_classes(o.num_nodes, o.num_classes, class_rng), o.num_classes);
  const std::vector<int32_t>& cls = dataset.labels.cls;
  dataset.features =
      draw_words(cls, o.num_classes, o.num_words, o.words_per_node, o.word_signal, word_rng);

  Rng link_rng = sequence(seed, kLinks), noise_rng = sequence(seed, kMoreLinks);
  const auto members = members_of(cls, 0, o.num_nodes, o.num_classes);
  Coo links;
  for (int32_t v = 0; v < o.num_nodes; ++v) {
    for (int32_t k = 0; k < o.links_per_node; ++k) {
      const int32_t partner =
          draw_partner(members, cls[static_cast<size_t>(v)], o.homophily, link_rng);
      if (noise_rng.uniform() < o.missing) continue;
      links.row.push_back(v);
      links.col.push_back(partner);
    }
  }
  // A share `spurious` of what is observed joins two random nodes.
  const auto num_spurious =
      static_cast<int64_t>(static_cast<double>(links.row.size()) * o.spurious / (1.0 - o.spurious));
  for (int64_t k = 0; k < num_spurious; ++k) {
    links.row.push_back(draw(noise_rng, o.num_nodes));
    links.col.push_back(draw(noise_rng, o.num_nodes));
  }
  dataset.graph.num_nodes = o.num_nodes;
  dataset.graph.relations.push_back({"cites", symmetric_graph(o.num_nodes, links)});
  dataset.split = draw_split(cls, o.num_nodes, o.num_classes, o.train_per_class,
                             o.validation_per_class, order_rng);
  return dataset;
}

}  // namespace emgnn
