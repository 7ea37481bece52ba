// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/molecule_family.h>

#include <utility>

#include <emgnn/base/error.h>

namespace emgnn {

MoleculeFamily::MoleculeFamily(const Molecules& molecules, const SpaceOptions& options,
                               std::optional<RadiusGrid> grid)
    : molecules_(&molecules), grid_(std::move(grid)), aggregation_(options.aggregation) {
  const SelfLoops self_loops = options.self_loops ? SelfLoops::kAll : SelfLoops::kNone;
  bonds_ = std::make_shared<MoleculeGraphs>(MoleculeGraphs::by_bonds(molecules, self_loops));
  graphs_ = grid_ ? std::make_shared<MoleculeGraphs>(
                        MoleculeGraphs::by_distance(molecules, *grid_, self_loops))
                  : bonds_;
}

MoleculeFamily::MoleculeFamily(const Molecules& molecules, const SpaceOptions& options)
    : MoleculeFamily(molecules, options, RadiusGrid(options)) {}

std::unique_ptr<MoleculeFamily> MoleculeFamily::bonds_only(const Molecules& molecules,
                                                           const SpaceOptions& options) {
  return std::unique_ptr<MoleculeFamily>(new MoleculeFamily(molecules, options, std::nullopt));
}

int64_t MoleculeFamily::size() const { return grid_ ? grid_->size() : 1; }

LambdaPoint MoleculeFamily::point(int64_t lam_id) const {
  EMGNN_CHECK(lam_id >= 0 && lam_id < size(), "no such radius", lam_id);
  return {grid_ ? grid_->radius(lam_id) : 1.0};
}

std::vector<std::string> MoleculeFamily::coordinate_names() const {
  return {grid_ ? "radius" : "bonds"};
}

int64_t MoleculeFamily::propose_local(int64_t lam_id, Rng& rng) const {
  // One step up or down; a move off the grid stays where it is.
  const int64_t moved = lam_id + (rng.below(2) == 0 ? 1 : -1);
  return moved < 0 || moved >= size() ? lam_id : moved;
}

MoleculeItem MoleculeFamily::item(int64_t molecule, int64_t lam_id, int64_t conformer) const {
  MoleculeItem item{.molecule = static_cast<int32_t>(molecule),
                    .conformer = static_cast<int32_t>(conformer)};
  item.level = graphs_->graph_of(molecule, conformer, static_cast<int32_t>(lam_id));
  if (size() > 1) {
    item.lambda = static_cast<float>(
        2.0 * static_cast<double>(lam_id) / static_cast<double>(size() - 1) - 1.0);
  }
  return item;
}

MoleculeBatch MoleculeFamily::batch(std::span<const MoleculeItem> items, int num_hops,
                                    bool share_rows) const {
  return {graphs_,
          *molecules_,
          items,
          {.num_hops = num_hops, .aggregation = aggregation_, .share_rows = share_rows}};
}

MoleculeBatch MoleculeFamily::observed(std::span<const int32_t> molecules, int num_hops) const {
  std::vector<MoleculeItem> items;
  for (int32_t m : molecules) items.push_back({.molecule = m});
  return {bonds_, *molecules_, items, {.num_hops = num_hops, .aggregation = aggregation_}};
}

}  // namespace emgnn
