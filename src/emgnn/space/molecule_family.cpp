// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/molecule_family.h>

#include <ATen/ops/cat.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/space/radius_grid.h>

namespace emgnn {

namespace {

// Floats of one layer's activations in a tile: about what the last-level cache holds.
constexpr int64_t kTileFloats = int64_t{1} << 20;

SelfLoops loops_of(const BondOptions& options) {
  return options.self_loops ? SelfLoops::kAll : SelfLoops::kNone;
}

// The places of numbers, the smallest first.
std::vector<size_t> ascending(std::span<const int64_t> numbers) {
  std::vector<size_t> out(numbers.size());
  std::iota(out.begin(), out.end(), size_t{0});
  std::sort(out.begin(), out.end(), [&](size_t a, size_t b) { return numbers[a] < numbers[b]; });
  return out;
}

// Every molecule, conformer and λ, with the item whose output it has: λ that share a graph share
// an item.
struct Plan {
  std::vector<MoleculeItem> items;
  std::vector<int64_t> item_of;  // [λ, conformers, molecules]
};

class MoleculeView : public FamilyView {
 public:
  MoleculeView(std::shared_ptr<const MoleculeFamily> family, std::span<const int32_t> molecules,
               const NetworkNeeds& needs)
      : family_(std::move(family)), molecules_(molecules.begin(), molecules.end()), needs_(needs) {}

  void evaluate(const Graphs& graphs, const Run& run, const Take& take,
                const Poll& poll) const override {
    const std::span<const int64_t> lam_ids = graphs.lam_ids;
    const Plan plan = plan_of(lam_ids);
    const at::Tensor out = run_items(plan.items, run, poll);
    take(0, out.index_select(0, at::tensor(plan.item_of))
                .view({static_cast<int64_t>(lam_ids.size()), family_->num_conformers(),
                       static_cast<int64_t>(molecules_.size()), out.size(1)}));
  }

  GraphBatch batch(const Draw& draw) const override {
    std::vector<MoleculeItem> items;
    if (draw.lam_ids.empty()) {
      for (int32_t molecule : molecules_) items.push_back({.molecule = molecule});
      return described(family_->observed(molecules_, needs_.num_hops), items);
    }
    Rng rng(draw.seed, Stream::kConformer, draw.step);
    for (int32_t molecule : molecules_) {
      const auto conformer = rng.below(static_cast<uint64_t>(family_->num_conformers()));
      items.push_back(family_->item(molecule, draw.lam_ids[items.size() % draw.lam_ids.size()],
                                    static_cast<int64_t>(conformer)));
    }
    return described(
        family_->batch(items, {.num_hops = needs_.num_hops, .one_hop = needs_.keeps_entries}),
        items);
  }

 private:
  // With what the network asks for of whole molecules.
  GraphBatch described(GraphBatch batch, std::span<const MoleculeItem> items) const {
    if (needs_.reads_descriptors) batch.descriptors = descriptors_of(family_->molecules(), items);
    return batch;
  }

  Plan plan_of(std::span<const int64_t> lam_ids) const {
    const auto conformers = static_cast<size_t>(family_->num_conformers());
    const std::vector<size_t> order = ascending(lam_ids);
    Plan plan;
    plan.item_of.resize(lam_ids.size() * conformers * molecules_.size());
    std::vector<std::pair<MoleculeItem, size_t>> placed;  // with the number of their λ
    for (size_t m = 0; m < molecules_.size(); ++m) {
      for (size_t c = 0; c < conformers; ++c) {
        placed.clear();
        for (size_t l : order) {
          placed.emplace_back(family_->item(molecules_[m], lam_ids[l], static_cast<int64_t>(c)), l);
        }
        if (!needs_.reads_lambda) {
          std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) {
            return a.first.level < b.first.level;
          });
        }
        bool first = true;
        for (const auto& [item, l] : placed) {
          if (first || needs_.reads_lambda || item.level != plan.items.back().level)
            plan.items.push_back(item);
          first = false;
          plan.item_of[(l * conformers + c) * molecules_.size() + m] =
              static_cast<int64_t>(plan.items.size()) - 1;
        }
      }
    }
    return plan;
  }

  // In tiles, so that memory does not grow with the number of items.
  at::Tensor run_items(std::span<const MoleculeItem> items, const Run& run,
                       const Poll& poll) const {
    const int64_t max_rows = kTileFloats / needs_.widest_layer;
    const BatchForm form{.num_hops = needs_.num_hops,
                         .share_rows = !needs_.reads_lambda,
                         .one_hop = needs_.keeps_entries};
    std::vector<at::Tensor> parts;
    for (size_t begin = 0, end = 0; begin < items.size(); begin = end) {
      if (poll) poll();
      int64_t rows = 0;
      while (end < items.size() && (end == begin || rows < max_rows))
        rows += family_->num_atoms(items[end++].molecule);
      const std::span<const MoleculeItem> some = items.subspan(begin, end - begin);
      parts.push_back(run(described(family_->batch(some, form), some)));
    }
    return at::cat(parts, 0);
  }

  std::shared_ptr<const MoleculeFamily> family_;
  std::vector<int32_t> molecules_;
  NetworkNeeds needs_;
};

// Graphs nested in a distance, or the bonds alone.
class NestedMolecules : public MoleculeFamily {
 public:
  NestedMolecules(std::shared_ptr<const Molecules> molecules, const BondOptions& options,
                  std::optional<RadiusGrid> grid)
      : MoleculeFamily(std::move(molecules), options), grid_(std::move(grid)), graphs_(bonds()) {
    if (!grid_) return;
    graphs_ = std::make_shared<MoleculeGraphs>(
        MoleculeGraphs::by_distance(this->molecules(), *grid_, loops_of(options)));
  }

  std::string name() const override { return grid_ ? "distance" : "bonds"; }
  int64_t size() const override { return grid_ ? grid_->size() : 1; }
  LambdaPoint point(int64_t lam_id) const override {
    EMGNN_CHECK(lam_id >= 0 && lam_id < size(), "no such radius", lam_id);
    return {grid_ ? grid_->radius(lam_id) : 1.0};
  }
  std::vector<std::string> coordinate_names() const override {
    return {grid_ ? "radius" : "bonds"};
  }
  Marginal prior_marginal(size_t /*coordinate*/) const override {
    Marginal out;
    for (int64_t k = 0; k < size(); ++k) out[point(k)[0]] += 1.0 / static_cast<double>(size());
    return out;
  }
  int64_t propose_local(int64_t lam_id, Rng& rng) const override {
    // One step up or down; a move off the grid stays where it is.
    const int64_t moved = lam_id + (rng.below(2) == 0 ? 1 : -1);
    return moved < 0 || moved >= size() ? lam_id : moved;
  }

  int64_t num_conformers() const override { return graphs_->num_conformers(); }
  MoleculeItem item(int64_t molecule, int64_t lam_id, int64_t conformer) const override {
    MoleculeItem item{.molecule = static_cast<int32_t>(molecule),
                      .conformer = static_cast<int32_t>(conformer)};
    item.level = graphs_->graph_of(molecule, conformer, static_cast<int32_t>(lam_id));
    if (size() > 1) {
      item.lambda = static_cast<float>(
          2.0 * static_cast<double>(lam_id) / static_cast<double>(size() - 1) - 1.0);
    }
    return item;
  }
  GraphBatch batch(std::span<const MoleculeItem> items, const BatchForm& form) const override {
    return batch_of(graphs_, items, form);
  }

 private:
  std::optional<RadiusGrid> grid_;  // none: the bonds are the only point
  std::shared_ptr<const MoleculeGraphs> graphs_;
};

}  // namespace

MoleculeFamily::MoleculeFamily(std::shared_ptr<const Molecules> molecules,
                               const BondOptions& options)
    : molecules_(std::move(molecules)),
      aggregation_(options.aggregation),
      bonds_(std::make_shared<MoleculeGraphs>(
          MoleculeGraphs::by_bonds(*molecules_, loops_of(options)))),
      kinds_(std::make_shared<const EntryTable>(*molecules_, options.edge_distances)) {
  if (!options.edge_distances) return;
  EMGNN_CHECK(molecules_->num_conformers >= 1,
              "space.edge_distances needs coordinates; data.conformers must be at least 1",
              molecules_->num_conformers);
}

std::shared_ptr<MoleculeFamily> MoleculeFamily::by_distance(
    std::shared_ptr<const Molecules> molecules, const DistanceOptions& options) {
  return std::make_shared<NestedMolecules>(std::move(molecules), options.bonds,
                                           RadiusGrid(options));
}

std::shared_ptr<MoleculeFamily> MoleculeFamily::bonds_only(
    std::shared_ptr<const Molecules> molecules, const BondOptions& options) {
  return std::make_shared<NestedMolecules>(std::move(molecules), options, std::nullopt);
}

int32_t MoleculeFamily::num_atoms(int64_t molecule) const {
  return static_cast<int32_t>(molecules_->num_atoms(molecule));
}

std::shared_ptr<const FamilyView> MoleculeFamily::view(std::span<const int32_t> rows,
                                                       const NetworkNeeds& needs) const {
  auto self = std::static_pointer_cast<const MoleculeFamily>(shared_from_this());
  return std::make_shared<MoleculeView>(std::move(self), rows, needs);
}

GraphBatch MoleculeFamily::batch_of(const std::shared_ptr<const MoleculeGraphs>& graphs,
                                    std::span<const MoleculeItem> items,
                                    const BatchForm& form) const {
  return molecule_batch({molecules_, graphs, kinds_, aggregation_}, items, form);
}

GraphBatch MoleculeFamily::observed(std::span<const int32_t> molecules, int num_hops) const {
  std::vector<MoleculeItem> items;
  for (int32_t m : molecules) items.push_back({.molecule = m});
  return batch_of(bonds_, items, {.num_hops = num_hops});
}

}  // namespace emgnn
