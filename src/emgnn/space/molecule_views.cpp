// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/molecule_views.h>

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/space/molecule_graphs.h>
#include <emgnn/space/view_list.h>

namespace emgnn {

namespace {

constexpr std::string_view kShell = "shell:";
constexpr double kMaxDistance = 1000.0;  // Å

struct Shell {
  double above, up_to;
};

Shell shell_of(const std::string& view) {
  const char* at = view.data() + kShell.size();
  const char* const end = view.data() + view.size();
  Shell shell{};
  const auto [dash, first] = std::from_chars(at, end, shell.above);
  bool good = first == std::errc() && dash != end && *dash == '-';
  if (good) {
    const auto [last, second] = std::from_chars(dash + 1, end, shell.up_to);
    good = second == std::errc() && last == end;
  }
  if (!good || !(shell.above >= 0.0 && shell.above < shell.up_to && shell.up_to <= kMaxDistance)) {
    throw UsageError(
        fmt::format("space.views: {}: expected shell:A-B, from 0 to {} angstrom, A below B", view,
                    kMaxDistance));
  }
  return shell;
}

bool is_shell(const std::string& view) { return view.starts_with(kShell); }

void check_views(const std::vector<std::string>& views) {
  for (size_t v = 0; v < views.size(); ++v) {
    if (is_shell(views[v])) {
      shell_of(views[v]);
    } else if (views[v] != "bonds" && views[v] != "two-bonds") {
      throw UsageError(
          fmt::format("space.views: unknown view \"{}\" of molecules; expected a list of bonds, "
                      "two-bonds and shell:A-B, or {} alone",
                      views[v], kDistances));
    }
    if (std::find(views.begin(), views.begin() + static_cast<int64_t>(v), views[v]) !=
        views.begin() + static_cast<int64_t>(v))
      throw UsageError(fmt::format("space.views: {} is there twice", views[v]));
  }
}

using Pairs = std::vector<std::pair<int32_t, int32_t>>;  // a < b

Pairs two_bonds(const BondMap& bonds, int32_t num_atoms) {
  std::vector<std::vector<int32_t>> neighbours(static_cast<size_t>(num_atoms));
  for (const auto& [ends, bond] : bonds) {
    neighbours[static_cast<size_t>(ends.first)].push_back(ends.second);
    neighbours[static_cast<size_t>(ends.second)].push_back(ends.first);
  }
  Pairs out;
  for (const std::vector<int32_t>& around : neighbours) {
    for (int32_t a : around) {
      for (int32_t b : around)
        if (a < b && !bonds.contains({a, b})) out.emplace_back(a, b);
    }
  }
  // Two atoms of a ring may have two atoms between them.
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Pairs in_shell(const BondMap& bonds, std::span<const float> xyz, const Shell& shell) {
  const auto num_atoms = static_cast<int32_t>(xyz.size() / 3);
  Pairs out;
  for (int32_t a = 0; a < num_atoms; ++a) {
    for (int32_t b = a + 1; b < num_atoms; ++b) {
      const double d = atom_distance(xyz, a, b);
      if (d > shell.above && d <= shell.up_to && !bonds.contains({a, b})) out.emplace_back(a, b);
    }
  }
  return out;
}

Pairs pairs_of(const std::string& view, const BondMap& bonds, const Molecules& molecules,
               int64_t molecule, int64_t conformer) {
  if (is_shell(view))
    return in_shell(bonds, molecules.coordinates_of(molecule, conformer), shell_of(view));
  if (view == "two-bonds")
    return two_bonds(bonds, static_cast<int32_t>(molecules.num_atoms(molecule)));
  Pairs out;
  for (const auto& [ends, bond] : bonds) out.push_back(ends);
  return out;
}

// One entry of one view.
struct ViewEntry {
  int32_t a, b;
  size_t view;
  float value;
};

// The entries of S of one view, from its pairs.
void put_entries(const Pairs& pairs, size_t view, int32_t num_atoms, const BondOptions& options,
                 std::vector<ViewEntry>& out) {
  std::vector<int32_t> degree(static_cast<size_t>(num_atoms), options.self_loops ? 1 : 0);
  for (const auto& [a, b] : pairs) {
    ++degree[static_cast<size_t>(a)];
    ++degree[static_cast<size_t>(b)];
  }
  const auto put = [&](int32_t a, int32_t b) {
    const auto factor = [&](int32_t atom) {
      return aggregation_factor(options.aggregation, degree[static_cast<size_t>(atom)]);
    };
    const bool symmetric = options.aggregation == Aggregation::kSymmetric;
    out.push_back({a, b, view, symmetric ? factor(a) * factor(b) : factor(a)});
  };
  for (int32_t a = 0; a < num_atoms && options.self_loops; ++a) put(a, a);
  for (const auto& [a, b] : pairs) {
    put(a, b);
    put(b, a);
  }
}

}  // namespace

MoleculeViews::MoleculeViews(const Molecules& molecules, const std::string& list,
                             const BondOptions& options)
    : names_(split_list(list, ',')),
      num_atoms_(molecules.num_atoms()),
      num_molecules_(molecules.num_molecules()) {
  check_views(names_);
  const bool shells = std::any_of(names_.begin(), names_.end(), is_shell);
  if (shells || options.edge_distances) num_conformers_ = molecules.num_conformers;
  EMGNN_CHECK(num_conformers_ >= 1,
              "space.views: a shell needs coordinates; data.conformers must be at least 1",
              num_conformers_);
  names_.emplace_back("none");
  for (int64_t c = 0; c < num_conformers_; ++c)
    for (int64_t m = 0; m < num_molecules_; ++m) append(molecules, m, c, options);
}

void MoleculeViews::append(const Molecules& molecules, int64_t molecule, int64_t conformer,
                           const BondOptions& options) {
  const BondMap bonds = bonds_of(molecules, molecule);
  const auto num_atoms = static_cast<int32_t>(molecules.num_atoms(molecule));
  const size_t num_views = names_.size(), none = num_views - 1;
  std::vector<ViewEntry> entries;
  for (size_t v = 0; v < none; ++v) {
    put_entries(pairs_of(names_[v], bonds, molecules, molecule, conformer), v, num_atoms, options,
                entries);
  }
  for (int32_t a = 0; a < num_atoms; ++a) entries.push_back({a, a, none, 1.0F});
  std::sort(entries.begin(), entries.end(), [](const ViewEntry& x, const ViewEntry& y) {
    return std::tie(x.a, x.b, x.view) < std::tie(y.a, y.b, y.view);
  });
  const size_t first = value_.size();
  for (size_t k = 0; k < entries.size(); ++k) {
    const ViewEntry& e = entries[k];
    if (k == 0 || e.a != entries[k - 1].a || e.b != entries[k - 1].b) {
      if (k > 0 && e.a != entries[k - 1].a)
        row_begin_.push_back(static_cast<int64_t>(neighbour_.size()));
      const auto bond = bonds.find(std::minmax(e.a, e.b));
      neighbour_.push_back(e.b);
      bond_.push_back(bond == bonds.end() ? -1 : bond->second);
      bin_.push_back(
          static_cast<int8_t>(distance_bin_of(molecules, molecule, conformer, e.a, e.b)));
      value_.resize(value_.size() + num_views);
    }
    value_[value_.size() - num_views + e.view] = e.value;
  }
  if (num_atoms > 0) row_begin_.push_back(static_cast<int64_t>(neighbour_.size()));
  const auto same = [&](size_t u, size_t v) {
    for (size_t at = first; at < value_.size(); at += num_views)
      if (value_[at + u] != value_[at + v]) return false;
    return true;
  };
  for (size_t v = 0; v < num_views; ++v) {
    size_t u = 0;
    while (!same(u, v)) ++u;
    same_as_.push_back(static_cast<int32_t>(u));
  }
}

MoleculeViews::Row MoleculeViews::row(int64_t conformer, int64_t atom) const {
  const auto place = static_cast<size_t>(conformer * num_atoms_ + atom);
  return {row_begin_[place], row_begin_[place + 1]};
}

std::span<const float> MoleculeViews::values(int64_t entry) const {
  return std::span(value_).subspan(static_cast<size_t>(entry) * names_.size(), names_.size());
}

std::span<const int32_t> MoleculeViews::same_as(int64_t molecule, int64_t conformer) const {
  const auto place = static_cast<size_t>(conformer * num_molecules_ + molecule);
  return std::span(same_as_).subspan(place * names_.size(), names_.size());
}

}  // namespace emgnn
