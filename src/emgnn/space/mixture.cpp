// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/mixture.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/size_limits.h>
#include <emgnn/base/threads.h>
#include <emgnn/formats/csv.h>
#include <emgnn/space/mixture_hop.h>
#include <emgnn/space/node_view.h>

namespace emgnn {

namespace {

struct MixtureBeliefs : Beliefs {
  MixtureBeliefs(const Trusts& views, Normalisation normalisation, std::span<const double> prob,
                 int64_t classes)
      : weights(views, normalisation, prob, classes) {}
  TrustedWeights weights;
};

const TrustedWeights& trusted(const Beliefs& beliefs) {
  return static_cast<const MixtureBeliefs&>(beliefs).weights;
}

class MixtureView : public NodeView {
 public:
  MixtureView(std::shared_ptr<const MixtureFamily> family, const Features& features,
              const NetworkNeeds& needs, std::vector<std::shared_ptr<const MixtureHop>> hops,
              bool large)
      : NodeView(features, hops.front()->pattern.hop.input_rows, needs,
                 large ? hops.front()->pattern.hop.output_rows.size() : 0),
        family_(std::move(family)),
        hops_(std::move(hops)) {}

 protected:
  Hops hops(const Graphs& graphs) const override {
    if (family_->leaves_mixing()) return observed();
    return hops_of(family_->weighted_points(graphs.lam_ids),
                   graphs.beliefs == nullptr ? family_->unbelieving() : trusted(*graphs.beliefs));
  }

  Hops observed() const override {
    if (family_->leaves_mixing()) return hops_of(family_->corners(), family_->unbelieving());
    return hops_of({family_->observed_point()}, family_->unbelieving());
  }

 private:
  Hops hops_of(const std::vector<MixturePoint>& points, const TrustedWeights& trusted) const {
    Hops out;
    for (const auto& hop : hops_) out.push_back(mixture_propagation(hop, points, trusted));
    return out;
  }

  std::shared_ptr<const MixtureFamily> family_;
  std::vector<std::shared_ptr<const MixtureHop>> hops_;
};

std::shared_ptr<const MixtureGraph> graph_of(const ViewSet& views, const MixtureOptions& options) {
  check_relations(*views.graph);
  MixtureGraph out{.graph = views.graph,
                   .degree = {},
                   .normalisation = options.normalisation,
                   .mixing = options.mixing};
  for (const Relation& view : views.graph->relations)
    out.degree.push_back(row_sums(view.adjacency));
  return std::make_shared<const MixtureGraph>(std::move(out));
}

}  // namespace

MixtureFamily::MixtureFamily(std::shared_ptr<const Dataset> data,
                             std::shared_ptr<const ViewSet> views, const MixtureOptions& options)
    : data_(std::move(data)),
      views_(views ? std::move(views) : std::make_shared<const ViewSet>(given_views(data_))),
      options_(options),
      graph_(graph_of(*views_, options)),
      unbelieving_(std::make_shared<const TrustedWeights>(views_->trust, options.normalisation,
                                                          std::span<const double>(), 0)) {
  EMGNN_CHECK(options.mixing == Mixing::kShares || !views_->any_distrusted(),
              "space.views: reliable needs space.mixing=shares", options.views);
}

std::shared_ptr<MixtureFamily> MixtureFamily::make(std::shared_ptr<const Dataset> data,
                                                   const MixtureOptions& options,
                                                   std::shared_ptr<const ViewSet> views) {
  std::shared_ptr<MixtureFamily> out(new MixtureFamily(std::move(data), std::move(views), options));
  out->check_names();
  EMGNN_CHECK(options.confidence == Confidence::kNone || out->reads_beliefs(),
              "space.confidence=weight needs a view whose edges are in doubt: space.views=reliable",
              options.views);
  const size_t none = options.mixing == Mixing::kShares ? 1 : 0;
  out->grid_ = std::make_unique<SimplexGrid>(
      SimplexGrid::of_step(out->degree().size() + none, options.step));
  EMGNN_CHECK(out->grid_->size() < SimplexGrid::kMaxPoints / TrustPoint::kCount,
              "the grid has too many points; raise space.step", options.step);
  return out;
}

// Nothing else may have the name of "no graph" or of a number that says how edges are trusted.
void MixtureFamily::check_names() const {
  for (const Relation& view : views_->graph->relations) {
    const auto& taken = TrustPoint::kNames;
    const bool trust =
        reads_beliefs() && std::find(taken.begin(), taken.end(), view.name) != taken.end();
    if (view.name != kNoGraph && !trust) continue;
    throw UsageError(fmt::format(
        "an edge type is called {0:?}: among the weights of a mixture that name stands for {1}; "
        "rename the edge type, or leave it out of space.views",
        view.name, trust ? "how edges are trusted" : "no graph at all"));
  }
}

std::shared_ptr<MixtureFamily> MixtureFamily::observed_only(std::shared_ptr<const Dataset> data,
                                                            const GraphOptions& options,
                                                            std::shared_ptr<const ViewSet> views) {
  const bool degree = options.mixing == Mixing::kDegree;
  std::shared_ptr<MixtureFamily> out(
      new MixtureFamily(std::move(data), std::move(views),
                        MixtureOptions{.normalisation = options.normalisation,
                                       .views = options.views,
                                       .mixing = degree ? Mixing::kDegree : Mixing::kShares}));
  out->leaves_mixing_ = options.mixing == Mixing::kLearned;
  if (out->leaves_mixing_) out->check_names();  // results name the shares
  return out;
}

int64_t MixtureFamily::size() const { return grid_ ? grid_->size() * trust_points() : 1; }

MixturePoint MixtureFamily::observed_point() const {
  const size_t views = degree().size();
  if (options_.mixing == Mixing::kDegree) return {LambdaPoint(views, 1.0)};
  return {LambdaPoint(views + 1, 1.0 / static_cast<double>(views + 1))};
}

std::vector<MixturePoint> MixtureFamily::weighted_points(std::span<const int64_t> lam_ids) const {
  std::vector<MixturePoint> points;
  for (int64_t id : lam_ids) {
    points.push_back(mixture_point(id));
    if (options_.mixing == Mixing::kShares) continue;
    for (double& weight : points.back().weight) weight *= options_.total;
  }
  return points;
}

std::vector<MixturePoint> MixtureFamily::corners() const {
  const size_t count = degree().size() + 1;
  std::vector<MixturePoint> out(count, {LambdaPoint(count, 0.0)});
  for (size_t c = 0; c < count; ++c) out[c].weight[c] = 1.0;
  return out;
}

MixturePoint MixtureFamily::mixture_point(int64_t lam_id) const {
  if (!grid_) return observed_point();
  return {.weight = grid_->point(lam_id % grid_->size()),
          .trust = static_cast<int>(lam_id / grid_->size())};
}

LambdaPoint MixtureFamily::point(int64_t lam_id) const {
  const MixturePoint at = mixture_point(lam_id);
  LambdaPoint out = at.weight;
  for (int axis = 0; axis < TrustPoint::kAxes && trust_points() > 1; ++axis)
    out.push_back(TrustPoint::of(at.trust).value(axis));
  return out;
}

int64_t MixtureFamily::same_graph(int64_t lam_id) const {
  if (trust_points() == 1) return lam_id;
  const MixturePoint at = mixture_point(lam_id);
  for (size_t v = 0; v < views_->trust.size(); ++v)
    if (views_->trust[v] && at.weight[v] > 0.0) return lam_id;
  return lam_id % grid_->size();
}

size_t MixtureFamily::num_shares() const {
  return grid_ ? static_cast<size_t>(grid_->num_parts()) : 0;
}

std::vector<std::string> MixtureFamily::coordinate_names() const {
  std::vector<std::string> names;
  for (const Relation& view : views_->graph->relations) names.push_back(view.name);
  if (options_.mixing == Mixing::kShares) names.push_back(kNoGraph);
  if (trust_points() > 1)
    names.insert(names.end(), TrustPoint::kNames.begin(), TrustPoint::kNames.end());
  return names;
}

Marginal MixtureFamily::prior_marginal(size_t coordinate) const {
  if (!grid_) return {{observed_point().weight.front(), 1.0}};
  if (coordinate < num_shares()) return grid_->prior_marginal();
  Marginal out;
  for (const double value : TrustPoint::kGrid[coordinate - num_shares()])
    out[value] = 1.0 / TrustPoint::kValues;
  return out;
}

// A step of weight from one view to another or, where edges are in doubt and half of the time, a
// step on one axis of how they are trusted. A move off the grid stays where it is.
int64_t MixtureFamily::propose_local(int64_t lam_id, Rng& rng) const {
  if (!grid_) return lam_id;
  const int64_t shares = lam_id % grid_->size();
  TrustPoint trust = TrustPoint::of(static_cast<int>(lam_id / grid_->size()));
  if (trust_points() > 1 && rng.below(2) == 0) {
    int& place = trust.place[rng.below(TrustPoint::kAxes)];
    place += rng.below(2) == 0 ? 1 : -1;
    if (place < 0 || place >= TrustPoint::kValues) return lam_id;
    return trust.id() * grid_->size() + shares;
  }
  return trust.id() * grid_->size() + grid_->propose_local(shares, rng);
}

std::shared_ptr<const FamilyView> MixtureFamily::view(std::span<const int32_t> rows,
                                                      const NetworkNeeds& needs) const {
  return view_of(rows, needs, nullptr);
}

std::shared_ptr<const FamilyView> MixtureFamily::sampled_view(std::span<const int32_t> rows,
                                                              const NetworkNeeds& needs,
                                                              const FieldSample& sample) const {
  return view_of(rows, needs, samples() ? &sample : nullptr);
}

bool MixtureFamily::is_large() const {
  int64_t entries = 0;
  for (const Relation& view : views_->graph->relations) entries += view.adjacency.num_entries();
  return entries > SizeLimits{}.full_batch_entries;
}

std::shared_ptr<const FamilyView> MixtureFamily::view_of(std::span<const int32_t> rows,
                                                         const NetworkNeeds& needs,
                                                         const FieldSample* sample) const {
  std::vector<std::shared_ptr<const MixtureHop>> hops;
  for (TypedHop& hop : typed_field(*views_->graph, rows, needs.num_hops, sample)) {
    hops.push_back(
        std::make_shared<const MixtureHop>(std::move(hop), degree(), views_->trust, options_));
  }
  auto self = std::static_pointer_cast<const MixtureFamily>(shared_from_this());
  return std::make_shared<MixtureView>(std::move(self), data_->features, needs, std::move(hops),
                                       is_large());
}

c10::intrusive_ptr<Propagation> MixtureFamily::range_hop(int32_t begin, int32_t end,
                                                         const FamilyView::Graphs& graphs) const {
  if (views_->any_distrusted() || leaves_mixing_) return {};
  // The graph as given is as it is, whatever the total.
  return mixture_range(graph_, begin, end, weighted_points(graphs.lam_ids));
}

std::shared_ptr<const Beliefs> MixtureFamily::beliefs(std::span<const double> prob,
                                                      int64_t classes) const {
  if (!reads_beliefs()) return nullptr;
  return std::make_shared<const MixtureBeliefs>(views_->trust, options_.normalisation, prob,
                                                classes);
}

// p(edge is real) of every entry of a view.
std::vector<double> MixtureFamily::real_edges(size_t view, const GraphWeights& p,
                                              const SeveralBeliefs& beliefs) const {
  std::map<int, double> mass;  // of each way to trust edges
  for (size_t k = 0; k < p.lam_ids.size(); ++k)
    mass[mixture_point(p.lam_ids[k]).trust] += std::exp(p.log_prob[k]);
  std::vector<double> out(views_->graph->relations[view].adjacency.col.size());
  for (const auto& believed : beliefs) {
    const TrustedWeights& weights = believed ? trusted(*believed) : *unbelieving_;
    for (const auto& [trust, share] : mass) {
      const std::vector<float> real = weights.probability(view, trust);
      for (size_t e = 0; e < out.size(); ++e)
        out[e] += share * real[e] / static_cast<double>(beliefs.size());
    }
  }
  return out;
}

FamilyReport MixtureFamily::report(const GraphWeights& p, const SeveralBeliefs& beliefs,
                                   const RowName& name) const {
  if (!grid_ || !reads_beliefs()) return {};
  std::string out = "source,target,view,score,p\n";
  std::vector<EdgeProbability> edges;
  for (size_t v = 0; v < views_->trust.size(); ++v) {
    if (!views_->trust[v]) continue;
    const std::vector<double> real = real_edges(v, p, beliefs);
    const Relation& view = views_->graph->relations[v];
    const bool both_ways = is_symmetric(view.adjacency);
    for (int32_t i = 0; i < view.adjacency.num_rows; ++i) {
      check_stop();
      for (const auto [e, j] : view.adjacency.row(i)) {
        if (both_ways && j < i) continue;
        const auto at = static_cast<size_t>(e);
        fmt::format_to(std::back_inserter(out), "{},{},{},{:.6g},{:.6g}\n", csv_field(name(i)),
                       csv_field(name(j)), csv_field(view.name), views_->trust[v]->score()[at],
                       real[at]);
        if (both_ways && i != j) edges.push_back({{i, j}, real[at]});
      }
    }
  }
  return {.tables = {{"edges.csv", std::move(out)}}, .edges = std::move(edges)};
}

}  // namespace emgnn
