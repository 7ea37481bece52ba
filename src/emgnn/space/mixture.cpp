// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/mixture.h>

#include <cmath>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/space/mixture_hop.h>
#include <emgnn/space/node_view.h>

namespace emgnn {

namespace {

class MixtureView : public NodeView {
 public:
  MixtureView(std::shared_ptr<const MixtureFamily> family, const Features& features,
              const NetworkNeeds& needs, std::vector<std::shared_ptr<const MixtureHop>> hops,
              const MixtureOptions& options)
      : NodeView(features, hops.front()->pattern.hop.input_rows, needs),
        family_(std::move(family)),
        hops_(std::move(hops)),
        options_(options) {}

 protected:
  Hops hops(std::span<const int64_t> lam_ids) const override {
    std::vector<LambdaPoint> points;
    for (int64_t id : lam_ids) {
      points.push_back(family_->point(id));
      if (options_.mixing == Mixing::kShares) continue;
      for (double& weight : points.back()) weight *= options_.total;
    }
    return hops_of(points);
  }

  Hops observed() const override { return hops_of({family_->observed_point()}); }

 private:
  Hops hops_of(const std::vector<LambdaPoint>& points) const {
    Hops out;
    for (const auto& hop : hops_) out.push_back(mixture_propagation(hop, points));
    return out;
  }

  std::shared_ptr<const MixtureFamily> family_;
  std::vector<std::shared_ptr<const MixtureHop>> hops_;
  MixtureOptions options_;
};

std::unique_ptr<SimplexGrid> simplex_grid(size_t num_parts, double step) {
  const int total = static_cast<int>(std::lround(1.0 / step));
  EMGNN_CHECK(std::abs(total * step - 1.0) < 1e-9, "space.step must divide 1", step);
  return std::make_unique<SimplexGrid>(static_cast<int>(num_parts), total);
}

}  // namespace

MixtureFamily::MixtureFamily(std::shared_ptr<const Dataset> data,
                             std::shared_ptr<const TypedGraph> views, const MixtureOptions& options)
    : data_(std::move(data)),
      views_(std::move(views)),
      options_(options),
      union_(union_pattern(*views_)) {
  for (const Relation& view : views_->relations) degree_.push_back(row_sums(view.adjacency));
}

std::shared_ptr<MixtureFamily> MixtureFamily::make(std::shared_ptr<const Dataset> data,
                                                   const MixtureOptions& options,
                                                   std::shared_ptr<const TypedGraph> views) {
  if (!views) views = std::shared_ptr<const TypedGraph>(data, &data->graph);
  std::shared_ptr<MixtureFamily> out(new MixtureFamily(std::move(data), std::move(views), options));
  for (const Relation& view : out->views_->relations) {
    if (view.name != kNoGraph) continue;
    throw UsageError(fmt::format(
        "an edge type is called {0:?}: among the weights of a mixture that name stands for no "
        "graph at all; rename the edge type, or leave it out of space.views",
        view.name));
  }
  const size_t none = options.mixing == Mixing::kShares ? 1 : 0;
  out->grid_ = simplex_grid(out->degree_.size() + none, options.step);
  return out;
}

std::shared_ptr<MixtureFamily> MixtureFamily::observed_only(
    std::shared_ptr<const Dataset> data, const GraphOptions& options,
    std::shared_ptr<const TypedGraph> views) {
  if (!views) views = std::shared_ptr<const TypedGraph>(data, &data->graph);
  return std::shared_ptr<MixtureFamily>(
      new MixtureFamily(std::move(data), std::move(views),
                        MixtureOptions{.normalisation = options.normalisation,
                                       .views = options.views,
                                       .mixing = options.mixing}));
}

int64_t MixtureFamily::size() const { return grid_ ? grid_->size() : 1; }

LambdaPoint MixtureFamily::observed_point() const {
  const size_t views = degree_.size();
  if (options_.mixing == Mixing::kDegree) return LambdaPoint(views, 1.0);
  return LambdaPoint(views + 1, 1.0 / static_cast<double>(views + 1));
}

LambdaPoint MixtureFamily::point(int64_t lam_id) const {
  if (!grid_) return observed_point();
  LambdaPoint point;
  for (int part : grid_->parts(lam_id)) point.push_back(static_cast<double>(part) / grid_->total());
  return point;
}

std::vector<std::string> MixtureFamily::coordinate_names() const {
  std::vector<std::string> names;
  for (const Relation& view : views_->relations) names.push_back(view.name);
  if (options_.mixing == Mixing::kShares) names.push_back(kNoGraph);
  return names;
}

Marginal MixtureFamily::prior_marginal(size_t /*coordinate*/) const {
  if (!grid_) return {{observed_point().front(), 1.0}};
  Marginal out;
  for (int part = 0; part <= grid_->total(); ++part)
    out[static_cast<double>(part) / grid_->total()] = grid_->share_with_part(part);
  return out;
}

int64_t MixtureFamily::propose_local(int64_t lam_id, Rng& rng) const {
  if (!grid_ || grid_->num_parts() == 1) return lam_id;
  // Move one step of weight from one edge type to another; a move off the simplex stays where it
  // is.
  std::vector<int> parts = grid_->parts(lam_id);
  const auto num_parts = static_cast<uint64_t>(parts.size());
  const uint64_t from = rng.below(num_parts);
  const uint64_t to = (from + 1 + rng.below(num_parts - 1)) % num_parts;
  if (parts[from] == 0) return lam_id;
  --parts[from];
  ++parts[to];
  return grid_->id(parts);
}

std::shared_ptr<const FamilyView> MixtureFamily::view(std::span<const int32_t> rows,
                                                      const NetworkNeeds& needs) const {
  std::vector<std::shared_ptr<const MixtureHop>> hops;
  for (Hop& hop : receptive_field(union_.pattern, rows, needs.num_hops)) {
    hops.push_back(std::make_shared<const MixtureHop>(std::move(hop), union_, degree_, options_));
  }
  auto self = std::static_pointer_cast<const MixtureFamily>(shared_from_this());
  return std::make_shared<MixtureView>(std::move(self), data_->features, needs, std::move(hops),
                                       options_);
}

}  // namespace emgnn
