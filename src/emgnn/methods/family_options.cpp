// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/family_options.h>

#include <emgnn/base/error.h>
#include <emgnn/space/drop_edge.h>
#include <emgnn/space/mixture.h>
#include <emgnn/space/molecule_mixture.h>
#include <emgnn/space/rewire.h>
#include <emgnn/space/rewire_input.h>
#include <emgnn/space/views.h>

namespace emgnn {

namespace {

bool may_mix(const FamilyOptions& options, const DataFacts& facts) {
  if (options.choice != FamilyChoice::kAuto) return options.choice == FamilyChoice::kMixture;
  return !facts.num_edge_types || *facts.num_edge_types > 1 || options.mixture.views != kGivenViews;
}

bool may_rewire(const FamilyOptions& options, const DataFacts& facts) {
  if (options.choice != FamilyChoice::kAuto) return options.choice == FamilyChoice::kRewire;
  return !facts.num_edge_types ||
         (*facts.num_edge_types == 1 && options.mixture.views == kGivenViews);
}

std::shared_ptr<const Molecules> molecules_of(const Data& data) {
  return {data.table(), &data.table()->molecules};
}

// Null: the edge types of the data.
template <class Options>
std::shared_ptr<const ViewSet> views_of(const Options& options, Confidence confidence,
                                        const LearnerInput& input) {
  const std::string& list = options.views;
  const bool degree = options.mixing == Mixing::kDegree;
  if (list == kGivenViews || (list == kAutoViews && degree)) return nullptr;
  const std::shared_ptr<const Dataset> data = input.data->graph();
  const std::string made_of =
      fmt::format("{} {}", list, confidence == Confidence::kWeight ? "by weight" : "");
  std::shared_ptr<const ViewSet>& views = input.prepared->views[made_of];
  if (!views) views = std::make_shared<const ViewSet>(make_views(*data, list, confidence));
  return views;
}

bool mixes_atoms(const FamilyOptions& options) {
  return options.atoms.views != kDistances && options.atoms.views != kAutoViews;
}

void describe_molecules(OptionVisitor& visitor, FamilyOptions& options, const DataFacts& facts,
                        const GraphReading& reading) {
  const auto describe_read = [&](BondOptions& bonds) {
    if (reading.distances) describe_edge_distances(visitor, bonds);
  };
  if (!reading.em) {
    if (reading.weights) describe_aggregation(visitor, options.bonds);
    describe_self_loops(visitor, options.bonds);
    return describe_read(options.bonds);
  }
  visitor.text("space.views", options.atoms.views, kViewsHelp);
  const bool known = facts.labels.has_value();  // else either may still be asked for
  if (!known || !mixes_atoms(options)) {
    describe(visitor, options.distance);
    describe_read(options.distance.bonds);
  }
  if (!known || mixes_atoms(options)) {
    describe(visitor, options.atoms);
    describe_read(options.atoms.bonds);
  }
}

std::shared_ptr<const GraphFamily> make_molecule_family(const FamilyOptions& options,
                                                        const Data& data,
                                                        const GraphReading& reading) {
  if (!reading.em) {
    BondOptions bonds = options.bonds;
    if (!reading.weights) bonds.aggregation = Aggregation::kSum;
    return MoleculeFamily::bonds_only(molecules_of(data), bonds);
  }
  if (mixes_atoms(options))
    return std::make_shared<MoleculeMixture>(molecules_of(data), options.atoms);
  return MoleculeFamily::by_distance(molecules_of(data), options.distance);
}

// One graph over the nodes; with drop_edge another part of it in every gradient step.
std::shared_ptr<const GraphFamily> make_plain_family(const FamilyOptions& options,
                                                     const LearnerInput& input) {
  const GraphOptions& graph = options.graph;
  if (options.drop_edge == 0.0)
    return MixtureFamily::observed_only(input.data->graph(), graph,
                                        views_of(graph, Confidence::kNone, input));
  if (graph.views != kGivenViews || graph.mixing != Mixing::kDegree)
    throw UsageError(
        "space.drop_edge drops edges of the graph as given: it needs space.views=given and "
        "space.mixing=degree");
  return std::make_shared<DropEdgeFamily>(
      input.data->graph(),
      DropEdgeOptions{.normalisation = graph.normalisation, .rate = options.drop_edge});
}

}  // namespace

void describe(OptionVisitor& visitor, FamilyOptions& options, const DataFacts& facts,
              const GraphReading& reading) {
  if (facts.kind == DataKind::kMolecules)
    return describe_molecules(visitor, options, facts, reading);
  if (!reading.em) {
    describe(visitor, options.graph);
    visitor.real("space.drop_edge", options.drop_edge, 0.0, 1.0,
                 "probability that an edge of the graph as given is left out of a gradient step");
    return;
  }
  visitor.choice(
      "space.family", options.choice, {"auto", "mixture", "rewire"},
      "mix edge types or views, or drop and add edges; auto mixes where there are two or "
      "more edge types or space.views is set");
  if (may_mix(options, facts)) describe(visitor, options.mixture);
  if (may_rewire(options, facts)) describe(visitor, options.rewire);
}

std::shared_ptr<const GraphFamily> make_family(const FamilyOptions& options,
                                               const LearnerInput& input,
                                               const GraphReading& reading) {
  const Data& data = *input.data;
  if (data.kind() == DataKind::kMolecules) return make_molecule_family(options, data, reading);
  if (!reading.em) return make_plain_family(options, input);
  const DataFacts facts = facts_of(data);
  if (may_mix(options, facts))
    return MixtureFamily::make(data.graph(), options.mixture,
                               views_of(options.mixture, options.mixture.confidence, input));
  EMGNN_CHECK(facts.num_edge_types == 1, "space.family=rewire needs a graph with one edge type",
              *facts.num_edge_types);
  std::optional<std::vector<CandidateEdge>>& candidates = input.prepared->candidates;
  if (!candidates) {
    if (input.on_phase) input.on_phase("searching candidate edges");
    FoundCandidates found = search_candidates(*data.graph(), options.rewire);
    if (!found.note.empty()) input.prepared->notes.push_back(std::move(found.note));
    candidates = std::move(found.pairs);
    if (input.on_phase) input.on_phase("preparing the graphs");
  }
  return RewireFamily::make(data.graph(), *candidates, options.rewire, input.seed);
}

}  // namespace emgnn
