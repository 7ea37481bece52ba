// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/mixture.h>

#include <cmath>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/space/mixture_hop.h>

namespace emgnn {

namespace {

class MixtureView : public FamilyView {
 public:
  MixtureView(const MixtureFamily* family, double total,
              std::vector<std::shared_ptr<const MixtureHop>> hops, Normalisation normalisation)
      : family_(family), total_(total), hops_(std::move(hops)), normalisation_(normalisation) {}

  const std::vector<int32_t>& input_rows() const override {
    return hops_.front()->pattern.hop.input_rows;
  }

  Shift shifts(std::span<const int64_t> lam_ids) const override {
    std::vector<LambdaPoint> points;
    for (int64_t id : lam_ids) {
      points.push_back(family_->point(id));
      for (double& weight : points.back()) weight *= total_;
    }
    return shift_of(points);
  }

  Shift observed() const override {
    return shift_of({LambdaPoint(hops_.front()->weight.size(), 1.0)});
  }

  int64_t max_rows() const override {
    return static_cast<int64_t>(hops_.front()->pattern.hop.input_rows.size());
  }

 private:
  Shift shift_of(const std::vector<LambdaPoint>& points) const {
    std::vector<c10::intrusive_ptr<HopOperator>> operators;
    std::vector<std::shared_ptr<const HopPattern>> patterns;
    for (const auto& hop : hops_) {
      operators.push_back(mixture_operator(hop, points, normalisation_));
      patterns.emplace_back(hop, &hop->pattern);
    }
    return {std::move(operators), std::move(patterns)};
  }

  const MixtureFamily* family_;
  double total_;
  std::vector<std::shared_ptr<const MixtureHop>> hops_;
  Normalisation normalisation_;
};

std::unique_ptr<SimplexGrid> simplex_grid(size_t num_relations, double step) {
  const int total = static_cast<int>(std::lround(1.0 / step));
  EMGNN_CHECK(std::abs(total * step - 1.0) < 1e-9, "space.step must divide 1", step);
  return std::make_unique<SimplexGrid>(static_cast<int>(num_relations), total);
}

}  // namespace

MixtureFamily::MixtureFamily(TypedGraph graph, const SpaceOptions& options)
    : MixtureFamily(std::move(graph), options.normalisation, nullptr) {
  grid_ = simplex_grid(relation_names_.size(), options.step);
  total_ = options.total;
}

MixtureFamily::MixtureFamily(TypedGraph graph, Normalisation normalisation,
                             std::unique_ptr<SimplexGrid> grid)
    : normalisation_(normalisation), grid_(std::move(grid)), union_(union_pattern(graph)) {
  for (Relation& relation : graph.relations) {
    degree_.push_back(row_sums(relation.adjacency));
    relation_names_.push_back(std::move(relation.name));
  }
}

std::unique_ptr<MixtureFamily> MixtureFamily::observed_only(TypedGraph graph,
                                                            Normalisation normalisation) {
  return std::unique_ptr<MixtureFamily>(
      new MixtureFamily(std::move(graph), normalisation, nullptr));
}

int64_t MixtureFamily::size() const { return grid_ ? grid_->size() : 1; }

LambdaPoint MixtureFamily::point(int64_t lam_id) const {
  if (!grid_) return LambdaPoint(relation_names_.size(), 1.0);
  LambdaPoint point;
  for (int part : grid_->parts(lam_id)) point.push_back(static_cast<double>(part) / grid_->total());
  return point;
}

std::vector<std::string> MixtureFamily::coordinate_names() const { return relation_names_; }

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
                                                      int num_hops) const {
  std::vector<std::shared_ptr<const MixtureHop>> hops;
  for (Hop& hop : receptive_field(union_.pattern, rows, num_hops)) {
    hops.push_back(std::make_shared<const MixtureHop>(std::move(hop), union_, degree_));
  }
  return std::make_shared<MixtureView>(this, total_, std::move(hops), normalisation_);
}

}  // namespace emgnn
