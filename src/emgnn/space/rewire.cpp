// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/rewire.h>

#include <emgnn/space/rewire_hop.h>

namespace emgnn {

namespace {

constexpr int64_t kObserved = 0;  // (0, 0) of the first draw

class RewireView : public FamilyView {
 public:
  RewireView(std::shared_ptr<const RewireSpace> space,
             std::vector<std::shared_ptr<const RewireHop>> hops)
      : space_(std::move(space)), hops_(std::move(hops)) {}

  const std::vector<int32_t>& input_rows() const override {
    return hops_.front()->pattern.hop.input_rows;
  }

  Shift shifts(std::span<const int64_t> lam_ids) const override {
    std::vector<c10::intrusive_ptr<HopOperator>> operators;
    std::vector<std::shared_ptr<const HopPattern>> patterns;
    for (const auto& hop : hops_) {
      operators.push_back(rewire_operator(hop, space_, lam_ids));
      patterns.emplace_back(hop, &hop->pattern);
    }
    return {std::move(operators), std::move(patterns)};
  }

  Shift observed() const override { return shifts({&kObserved, 1}); }

  int64_t max_rows() const override { return static_cast<int64_t>(input_rows().size()); }

 private:
  std::shared_ptr<const RewireSpace> space_;
  std::vector<std::shared_ptr<const RewireHop>> hops_;
};

}  // namespace

RewireFamily::RewireFamily(const RewireGraph& graph, const SpaceOptions& options, uint64_t seed)
    : space_(std::make_shared<RewireSpace>(graph, options, seed)) {}

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
                                                     int num_hops) const {
  std::vector<std::shared_ptr<const RewireHop>> hops;
  for (Hop& hop : receptive_field(space_->pattern(), rows, num_hops))
    hops.push_back(std::make_shared<const RewireHop>(std::move(hop), *space_));
  return std::make_shared<RewireView>(space_, std::move(hops));
}

}  // namespace emgnn
