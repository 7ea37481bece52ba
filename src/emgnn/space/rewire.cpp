// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/rewire.h>

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <utility>

#include <emgnn/base/threads.h>
#include <emgnn/formats/csv.h>
#include <emgnn/space/node_view.h>
#include <emgnn/space/rewire_hop.h>
#include <emgnn/space/rewire_input.h>

namespace emgnn {

namespace {

constexpr int64_t kObserved = 0;  // (0, 0) of the first draw

class RewireView : public NodeView {
 public:
  RewireView(std::shared_ptr<const Dataset> data, const NetworkNeeds& needs,
             std::shared_ptr<const RewireSpace> space,
             std::vector<std::shared_ptr<const RewireHop>> hops)
      : NodeView(data->features, hops.front()->pattern.hop.input_rows, needs),
        space_(std::move(space)),
        hops_(std::move(hops)) {}

 protected:
  Hops hops(const Graphs& graphs) const override {
    Hops out;
    for (const auto& hop : hops_) out.push_back(rewire_propagation(hop, space_, graphs.lam_ids));
    return out;
  }

  Hops observed() const override { return hops({.lam_ids = {&kObserved, 1}}); }

 private:
  std::shared_ptr<const RewireSpace> space_;
  std::vector<std::shared_ptr<const RewireHop>> hops_;
};

}  // namespace

RewireFamily::RewireFamily(std::shared_ptr<const Dataset> data, const RewireGraph& graph,
                           const RewireOptions& options, uint64_t seed)
    : data_(std::move(data)),
      space_(std::make_shared<RewireSpace>(graph, options, seed)),
      cosine_(graph.cosine) {}

std::shared_ptr<RewireFamily> RewireFamily::make(std::shared_ptr<const Dataset> data,
                                                 std::span<const CandidateEdge> candidates,
                                                 const RewireOptions& options, uint64_t seed) {
  const RewireGraph graph = rewire_graph(*data, candidates, options);
  return std::shared_ptr<RewireFamily>(new RewireFamily(std::move(data), graph, options, seed));
}

const RewireDraws& RewireFamily::draws() const { return space_->draws(); }

int64_t RewireFamily::size() const { return draws().grid().size(); }

LambdaPoint RewireFamily::point(int64_t lam_id) const {
  const RewireGrid& grid = draws().grid();
  const RewireGrid::Place place = grid.place(lam_id);
  LambdaPoint point = {grid.drop_rate(place.drop), grid.add_rate(place.add)};
  if (grid.draws() > 1) point.push_back(static_cast<double>(place.draw));
  return point;
}

std::vector<std::string> RewireFamily::coordinate_names() const {
  std::vector<std::string> names = {"drop", "add"};
  if (draws().grid().draws() > 1) names.emplace_back("draw");
  return names;
}

Marginal RewireFamily::prior_marginal(size_t coordinate) const {
  const RewireGrid& grid = draws().grid();
  Marginal out;
  const int64_t values = coordinate == 2 ? grid.draws() : grid.points();
  for (int64_t k = 0; k < values; ++k) {
    const double value = coordinate == 0   ? grid.drop_rate(k)
                         : coordinate == 1 ? grid.add_rate(k)
                                           : static_cast<double>(k);
    out[value] += 1.0 / static_cast<double>(values);
  }
  return out;
}

int64_t RewireFamily::propose_local(int64_t lam_id, Rng& rng) const {
  const RewireGrid& grid = draws().grid();
  RewireGrid::Place place = grid.place(lam_id);
  const uint64_t axis = rng.below(grid.draws() > 1 ? 3 : 2);
  if (axis == 2) {  // any other draw: they have no order
    const auto others = static_cast<uint64_t>(grid.draws() - 1);
    place.draw = (place.draw + 1 + static_cast<int64_t>(rng.below(others))) % grid.draws();
    return grid.id(place);
  }
  // One step up or down; a move off the grid stays where it is.
  int64_t& moved = axis == 0 ? place.drop : place.add;
  moved += rng.below(2) == 0 ? 1 : -1;
  return moved < 0 || moved >= grid.points() ? lam_id : grid.id(place);
}

std::shared_ptr<const FamilyView> RewireFamily::view(std::span<const int32_t> rows,
                                                     const NetworkNeeds& needs) const {
  std::vector<std::shared_ptr<const RewireHop>> hops;
  for (Hop& hop : receptive_field(space_->pattern(), rows, needs.num_hops))
    hops.push_back(std::make_shared<const RewireHop>(std::move(hop), *space_));
  return std::make_shared<RewireView>(data_, needs, space_, std::move(hops));
}

FamilyReport RewireFamily::report(const GraphWeights& p, const SeveralBeliefs& /*beliefs*/,
                                  const RowName& name) const {
  std::vector<double> prob;
  for (double log_prob : p.log_prob) prob.push_back(std::exp(log_prob));
  const RewireDraws::Expected expected = draws().expected(p.lam_ids, prob);
  const auto num_edges = static_cast<size_t>(draws().num_edges());
  std::string out = "source,target,kind,cosine,p,p_rate\n";
  std::vector<EdgeProbability> edges;
  for (size_t k = 0; k < draws().pairs().size(); ++k) {
    check_stop();
    const auto [u, v] = draws().pairs()[k];
    const std::string kind =
        k < num_edges ? "observed," : fmt::format("candidate,{:.6g}", cosine_[k - num_edges]);
    fmt::format_to(std::back_inserter(out), "{},{},{},{:.6g},{:.6g}\n", csv_field(name(u)),
                   csv_field(name(v)), kind, expected.held[k], expected.rate[k]);
    if (k < num_edges) edges.push_back({draws().pairs()[k], expected.held[k]});
  }
  return {.tables = {{"edges.csv", std::move(out)}}, .edges = std::move(edges)};
}

}  // namespace emgnn
