// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/molecule_batch.h>

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/space/block_hop.h>

namespace emgnn {

namespace {

// Lays the items end to end. There is one row per item and atom; with shared rows the first hop has
// one per atom and number of neighbours, and each item row is a copy of one of them.
class Layout {
 public:
  Layout(const MoleculeParts& parts, std::span<const MoleculeItem> items, const BatchForm& form)
      : graphs_(*parts.graphs),
        aggregation_(parts.aggregation),
        // With symmetric weights a row changes with its neighbours' degrees too.
        share_(form.share_rows && !form.one_hop && aggregation_ != Aggregation::kSymmetric) {
    for (size_t begin = 0, end = 0; begin < items.size(); begin = end) {
      const MoleculeItem& item = items[begin];
      if (form.one_hop || molecules_.empty() || molecules_.back() != item.molecule) {
        molecules_.push_back(item.molecule);
        atom_base_ = num_atoms_;
        num_atoms_ += graphs_.num_atoms(item.molecule);
      }
      end = begin + 1;
      while (end < items.size() && !form.one_hop && grows(items[end - 1], items[end])) ++end;
      add_growing(items.subspan(begin, end - begin));
    }
  }

  // Every molecule is there once: its atoms are its rows.
  bool one_to_one() const { return num_rows() == num_atoms_; }
  bool shares() const { return share_ && !one_to_one(); }
  int32_t num_rows() const { return static_cast<int32_t>(items_.list.size()); }
  const std::vector<int32_t>& molecules() const { return molecules_; }

  // From the atoms to the first rows.
  BlockRows first_hop() const {
    if (!share_) return hop_from(origin_, num_atoms_);
    BlockRows rows = first_;
    rows.num_inputs = num_atoms_;
    return rows;
  }
  // From the first rows, where they are shared, to the item rows.
  BlockRows second_hop() const {
    return hop_from(origin_, static_cast<int64_t>(first_.own.size()));
  }
  // From item rows to item rows.
  BlockRows later_hop() const {
    BlockRows rows = hop_from({}, num_rows());
    rows.own.resize(rows.list.size());
    std::iota(rows.own.begin(), rows.own.end(), 0);
    return rows;
  }

  Csr segments(bool of_shared_rows) const {
    Csr rows{.num_rows = static_cast<int32_t>(begin_.size()), .num_cols = num_rows()};
    rows.rowptr = begin_;
    rows.rowptr.push_back(num_rows());
    if (of_shared_rows) {
      rows.num_cols = static_cast<int32_t>(first_.own.size());
      rows.col = origin_;
    } else {
      rows.col.resize(items_.list.size());
      std::iota(rows.col.begin(), rows.col.end(), 0);
    }
    return rows;
  }

 private:
  static bool grows(const MoleculeItem& a, const MoleculeItem& b) {
    return a.molecule == b.molecule && a.conformer == b.conformer && a.level < b.level;
  }

  // Items of one molecule and conformer with ascending levels. Atom by atom, so that the shared
  // rows of an atom follow each other and the kernel continues their sums.
  void add_growing(std::span<const MoleculeItem> items) {
    const int32_t num_atoms = graphs_.num_atoms(items[0].molecule);
    const int32_t begin = num_rows();
    for (size_t k = 0; k < items.size(); ++k)
      begin_.push_back(begin + static_cast<int32_t>(k) * num_atoms);
    resize(begin + static_cast<int32_t>(items.size()) * num_atoms);
    for (int32_t a = 0; a < num_atoms; ++a) {
      const MoleculeGraphs::List list =
          graphs_.list(items[0].conformer, graphs_.first_atom(items[0].molecule) + a);
      int32_t degree = 0, shared_degree = -1;
      int32_t row = begin + a;
      for (const MoleculeItem& item : items) {
        while (list.begin + degree < list.end &&
               graphs_.levels()[static_cast<size_t>(list.begin + degree)] <= item.level)
          ++degree;
        if (share_ && degree != shared_degree) {
          shared_degree = degree;
          add_shared(atom_base_ + a, list.begin, degree);
        }
        const auto r = static_cast<size_t>(row);
        origin_[r] = share_ ? static_cast<int32_t>(first_.own.size()) - 1 : atom_base_ + a;
        items_.list[r] = list.begin;
        items_.count[r] = degree;
        items_.base[r] = row - a;
        if (has_factors()) items_.factor[r] = aggregation_factor(aggregation_, degree);
        row += num_atoms;
      }
    }
  }

  void add_shared(int32_t atom, int64_t list, int32_t degree) {
    first_.own.push_back(atom);
    first_.list.push_back(list);
    first_.count.push_back(degree);
    first_.base.push_back(atom_base_);
    if (has_factors()) first_.factor.push_back(aggregation_factor(aggregation_, degree));
  }

  bool has_factors() const { return aggregation_ != Aggregation::kSum; }

  void resize(int32_t num_rows) {
    const auto size = static_cast<size_t>(num_rows);
    origin_.resize(size);
    items_.list.resize(size);
    items_.count.resize(size);
    items_.base.resize(size);
    if (has_factors()) items_.factor.resize(size);
  }

  // To the item rows, of which row r is made of input source[r], or r itself.
  BlockRows hop_from(const std::vector<int32_t>& source, int64_t num_inputs) const {
    BlockRows rows = items_;
    rows.num_inputs = num_inputs;
    rows.own = source;
    rows.source = source;
    if (aggregation_ == Aggregation::kSymmetric) rows.source_factor = rows.factor;
    return rows;
  }

  const MoleculeGraphs& graphs_;
  Aggregation aggregation_;
  bool share_;
  std::vector<int32_t> molecules_;  // whose atoms are there, in order
  int32_t num_atoms_ = 0, atom_base_ = 0;
  std::vector<int32_t> begin_;   // [num_items] first row
  BlockRows first_;              // the shared rows
  BlockRows items_;              // without own and source
  std::vector<int32_t> origin_;  // [item rows] the shared row, or the atom
};

}  // namespace

at::Tensor atom_features(const Molecules& molecules, std::span<const int32_t> some) {
  int64_t num_atoms = 0;
  for (int32_t m : some) num_atoms += molecules.num_atoms(m);
  at::Tensor atoms = at::empty({num_atoms, kNumAtomFeatures}, at::kFloat);
  float* out = atoms.data_ptr<float>();
  for (int32_t m : some) {
    const std::span<const float> features = molecules.features_of(m);
    out = std::copy(features.begin(), features.end(), out);
  }
  return atoms;
}

at::Tensor descriptors_of(const Molecules& molecules, std::span<const MoleculeItem> items) {
  if (!molecules.has_descriptors()) throw UsageError("the molecules have no descriptors");
  at::Tensor all = at::empty({static_cast<int64_t>(items.size()), kNumDescriptors}, at::kFloat);
  float* out = all.data_ptr<float>();
  for (const MoleculeItem& item : items) {
    const std::span<const float> own = molecules.descriptors_of(item.molecule);
    out = std::copy(own.begin(), own.end(), out);
  }
  return all;
}

GraphBatch molecule_batch(const MoleculeParts& parts, std::span<const MoleculeItem> items,
                          const BatchForm& form) {
  EMGNN_CHECK(!items.empty(), "a batch needs at least one molecule", items.size());
  const Layout layout(parts, items, form);
  GraphBatch batch{.input = c10::make_intrusive<InputFeatures>(
                       atom_features(*parts.molecules, layout.molecules()))};
  const auto add_hop = [&](BlockRows rows) {
    batch.hops.push_back(c10::make_intrusive<BlockHop>(std::move(rows), parts.graphs, parts.kinds));
  };
  if (!layout.one_to_one()) add_hop(layout.first_hop());
  if (layout.shares() && form.num_hops > 1) add_hop(layout.second_hop());
  if (layout.one_to_one() || static_cast<int>(batch.hops.size()) < form.num_hops)
    add_hop(layout.later_hop());
  batch.items = std::make_shared<Segments>(layout.segments(layout.shares() && form.num_hops == 1));
  if (!form.share_rows) {
    batch.row_lambda = at::empty({layout.num_rows(), 1}, at::kFloat);
    float* out = batch.row_lambda.data_ptr<float>();
    for (const MoleculeItem& item : items)
      out = std::fill_n(out, parts.graphs->num_atoms(item.molecule), item.lambda);
  }
  return batch;
}

}  // namespace emgnn
