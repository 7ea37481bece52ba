// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/molecule_mixture.h>

#include <limits>
#include <numeric>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/space/block_propagation.h>

namespace emgnn {

namespace {

// One item of a batch: its atoms are output rows, one after the other.
struct MixedBlock {
  int32_t conformer;
  int32_t num_atoms, first_atom;  // of the molecule, counted over all
  int32_t input;                  // of its first atom
  std::vector<float> weight;      // λ
};

class MixedHop : public BlockPropagation {
 public:
  MixedHop(std::shared_ptr<const MoleculeViews> views, std::vector<MixedBlock> blocks,
           std::shared_ptr<const EntryTable> kinds)
      : BlockPropagation(std::move(kinds)), views_(std::move(views)), blocks_(std::move(blocks)) {
    for (const MixedBlock& block : blocks_) {
      num_inputs_ = std::max<int64_t>(num_inputs_, block.input + block.num_atoms);
      for (int32_t a = 0; a < block.num_atoms; ++a) own_.push_back(block.input + a);
    }
  }

  int64_t num_inputs() const override { return num_inputs_; }

 protected:
  const std::vector<int32_t>& own() const override { return own_; }

  // Σ_v λ_v S_v; all values are positive or zero, so that 0 means that no view with a weight has the entry.
  void for_each_entry(const Put& put) const override {
    size_t row = 0;
    for (const MixedBlock& block : blocks_) {
      for (int32_t a = 0; a < block.num_atoms; ++a, ++row) {
        const MoleculeViews::Row entries = views_->row(block.conformer, block.first_atom + a);
        for (int64_t e = entries.begin; e < entries.end; ++e) {
          const std::span<const float> values = views_->values(e);
          const float value =
              std::inner_product(values.begin(), values.end(), block.weight.begin(), 0.0F);
          if (value > 0.0F)
            put(row, {block.input + views_->neighbour(e), value, views_->bond(e), views_->bin(e)});
        }
      }
    }
  }

 private:
  std::shared_ptr<const MoleculeViews> views_;
  std::vector<MixedBlock> blocks_;
  int64_t num_inputs_ = 0;
  std::vector<int32_t> own_;
};

}  // namespace

MoleculeMixture::MoleculeMixture(std::shared_ptr<const Molecules> molecules,
                                 const AtomMixtureOptions& options)
    : MoleculeFamily(std::move(molecules), options.bonds),
      views_(
          std::make_shared<const MoleculeViews>(this->molecules(), options.views, options.bonds)),
      grid_(SimplexGrid::of_step(views_->names().size(), options.step)) {
  EMGNN_CHECK(grid_.size() <= std::numeric_limits<int32_t>::max(),
              "the grid has too many points; raise space.step", options.step);
}

std::shared_ptr<const FamilyView> MoleculeMixture::view(std::span<const int32_t> rows,
                                                        const NetworkNeeds& needs) const {
  EMGNN_CHECK(!needs.reads_lambda, "model.affine needs space.views=distances: one number as lambda",
              "a mixture");
  return MoleculeFamily::view(rows, needs);
}

MoleculeItem MoleculeMixture::item(int64_t molecule, int64_t lam_id, int64_t conformer) const {
  std::vector<int> parts = grid_.parts(lam_id);
  const std::span<const int32_t> same_as = views_->same_as(molecule, conformer);
  for (size_t v = 0; v < parts.size(); ++v) {
    const auto first = static_cast<size_t>(same_as[v]);
    if (first == v) continue;
    parts[first] += parts[v];
    parts[v] = 0;
  }
  return {.molecule = static_cast<int32_t>(molecule),
          .conformer = static_cast<int32_t>(conformer),
          .level = static_cast<int32_t>(grid_.id(parts))};
}

GraphBatch MoleculeMixture::batch(std::span<const MoleculeItem> items,
                                  const BatchForm& form) const {
  EMGNN_CHECK(!items.empty(), "a batch needs at least one molecule", items.size());
  std::vector<int32_t> distinct;  // whose atoms are the inputs
  std::vector<MixedBlock> from_atoms, square;
  int32_t num_atoms = 0, num_rows = 0;
  Csr segments{.num_rows = static_cast<int32_t>(items.size())};
  for (const MoleculeItem& item : items) {
    const int32_t atoms = this->num_atoms(item.molecule);
    if (form.one_hop || distinct.empty() || distinct.back() != item.molecule) {
      distinct.push_back(item.molecule);
      num_atoms += atoms;
    }
    const LambdaPoint lambda = grid_.point(item.level);
    const auto first =
        static_cast<int32_t>(molecules().atom_begin[static_cast<size_t>(item.molecule)]);
    from_atoms.push_back({item.conformer, atoms, first, num_atoms - atoms,
                          std::vector<float>(lambda.begin(), lambda.end())});
    square.push_back(from_atoms.back());
    square.back().input = num_rows;
    num_rows += atoms;
    segments.rowptr.push_back(num_rows);
  }
  segments.num_cols = num_rows;
  segments.col.resize(static_cast<size_t>(num_rows));
  std::iota(segments.col.begin(), segments.col.end(), 0);
  GraphBatch batch{
      .input = c10::make_intrusive<InputFeatures>(atom_features(molecules(), distinct)),
      .items = std::make_shared<Segments>(std::move(segments))};
  batch.hops.push_back(c10::make_intrusive<MixedHop>(views_, std::move(from_atoms), kinds()));
  if (form.num_hops > 1 && num_atoms != num_rows)
    batch.hops.push_back(c10::make_intrusive<MixedHop>(views_, std::move(square), kinds()));
  return batch;
}

}  // namespace emgnn
