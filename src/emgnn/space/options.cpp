// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/options.h>

namespace emgnn {

void describe(OptionVisitor& visitor, Normalisation& normalisation) {
  visitor.choice("space.normalisation", normalisation, {"row", "symmetric"},
                 "S = D^-1 (A+I), or D^-1/2 (A+I) D^-1/2");
}

namespace {

void describe(OptionVisitor& visitor, Confidence& confidence) {
  visitor.choice("space.confidence", confidence, {"none", "weight"},
                 "weight: an edge's weight is the probability that it is real, for reliable views; "
                 "where edges are dropped, it is in proportion to 1 - weight, the mean kept");
}

constexpr const char* kMixingHelp =
    "S of the weighted sum of all views, or the weighted sum of each view's own S and of the node "
    "itself";

// Of one graph or of mixtures.
template <class Options>
void describe_views(OptionVisitor& visitor, Options& options) {
  describe(visitor, options.normalisation);
  visitor.text("space.views", options.views, kViewsHelp);
}

void describe_step(OptionVisitor& visitor, double& step) {
  visitor.real("space.step", step, 1e-4, 1.0, "spacing of the grid of weights; divides 1");
}

}  // namespace

void describe(OptionVisitor& visitor, GraphOptions& options) {
  describe_views(visitor, options);
  visitor.choice(
      "space.mixing", options.mixing, {"degree", "shares", "learned"},
      std::string(kMixingHelp) +
          "; learned (not em-*): the same with shares that are trained like the weights");
}

void describe(OptionVisitor& visitor, MixtureOptions& options) {
  describe_views(visitor, options);
  visitor.choice("space.mixing", options.mixing, {"degree", "shares"}, kMixingHelp);
  describe_step(visitor, options.step);
  visitor.real(
      "space.total", options.total, 1e-6, 1e6,
      "mixing=degree: sum of the weights; with the number of edge types, equal weights are "
      "the graph as given");
  describe(visitor, options.confidence);
}

void describe(OptionVisitor& visitor, RewireOptions& options) {
  describe(visitor, options.normalisation);
  visitor.integer("space.grid", options.grid, 2, 1001,
                  "values of each probability, from 0 to the largest");
  visitor.real("space.max_drop", options.max_drop, 0.0, 1.0,
               "largest probability that an edge is dropped");
  visitor.real("space.max_add", options.max_add, 0.0, 1.0,
               "largest probability that a candidate edge is added");
  visitor.integer("space.draws", options.draws, 1, 1000,
                  "graphs drawn for each pair of probabilities");
  visitor.choice("space.drawing", options.drawing, {"coupled", "authors"},
                 "graphs nested in the probabilities, or independent ones by the published "
                 "program's rule");
  describe(visitor, options.confidence);
  visitor.choice("space.affinity", options.affinity, {"none", "cosine"},
                 "all candidates are added alike, or in proportion to their cosine, the mean kept");
  visitor.real("space.cosine_threshold", options.cosine_threshold, 0.0, 0.999999,
               "nodes whose features have a larger cosine are candidates for an edge");
  visitor.choice("space.candidate_search", options.candidate_search, {"auto", "exact", "nearest"},
                 "exact: all pairs of nodes are compared; nearest: most of each node's nearest are "
                 "found without that; auto: exact up to 30,000 nodes or with space.max_candidates");
  visitor.real("space.candidate_recall", options.candidate_recall, 0.01, 1.0,
               "share of the candidates to be found; below 1 faster, for millions of nodes");
  visitor.integer("space.max_candidates", options.max_candidates, 0, 100'000'000,
                  "most candidates; where more are similar enough each node keeps its most similar "
                  "ones. 0: 5 per edge, but at least 20 per node and 100,000");
}

void describe_aggregation(OptionVisitor& visitor, BondOptions& options) {
  visitor.choice("space.aggregation", options.aggregation, {"mean", "sum", "root", "symmetric"},
                 "S = D^-1 A, A, D^-1/2 A, or D^-1/2 A D^-1/2");
}

void describe_self_loops(OptionVisitor& visitor, BondOptions& options) {
  visitor.flag("space.self_loops", options.self_loops,
               "an atom is its own neighbour too (A+I in place of A)");
}

void describe_edge_distances(OptionVisitor& visitor, BondOptions& options) {
  visitor.flag("space.edge_distances", options.edge_distances,
               "the distance of two joined atoms is among the features of what joins them; needs "
               "data.conformers of at least 1");
}

void describe(OptionVisitor& visitor, DistanceOptions& options) {
  describe_aggregation(visitor, options.bonds);
  describe_self_loops(visitor, options.bonds);
  visitor.real("space.first_radius", options.first_radius, 0.0, 1000.0,
               "smallest distance, in angstrom, up to which atoms are joined");
  visitor.real("space.last_radius", options.last_radius, 0.0, 1000.0, "largest one");
  visitor.real("space.radius_step", options.radius_step, 1e-4, 1000.0,
               "spacing of the distances between them");
}

void describe(OptionVisitor& visitor, AtomMixtureOptions& options) {
  describe_aggregation(visitor, options.bonds);
  describe_self_loops(visitor, options.bonds);
  describe_step(visitor, options.step);
}

}  // namespace emgnn
