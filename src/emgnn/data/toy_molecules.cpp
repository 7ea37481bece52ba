// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/toy_molecules.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

std::string chain(size_t length) { return std::string(length, 'C'); }

// Linear alkanes, and one functional group at the end of a chain.
void add_chains(std::vector<std::string>& out) {
  for (size_t n = 2; n <= 12; ++n) out.push_back(chain(n));
  for (const char* group : {"O", "N", "S", "F", "Cl", "Br", "C#N", "C=O", "C(C)=O", "C(=O)O",
                            "C(N)=O", "OC", "C=C", "C#C"}) {
    for (size_t n = 2; n <= 8; ++n) out.push_back(chain(n) + group);
  }
  for (const char* group : {"O", "N", "Cl", "Br"}) {
    for (size_t n = 2; n <= 8; ++n) out.push_back(group + chain(n) + group);
  }
}

// A group at every inner position of a chain, counted from the nearer end.
void add_branched_chains(std::vector<std::string>& out) {
  for (const char* group : {"C", "O", "N", "Cl", "F"}) {
    for (size_t n = 5; n <= 9; ++n) {
      for (size_t at = 2; 2 * at <= n + 1; ++at)
        out.push_back(chain(at) + "(" + group + ")" + chain(n - at));
    }
  }
}

// A group written from its far end and from its near end.
struct Group {
  std::string before, after;
};

// Benzenes with two groups: ortho, meta, para.
void add_benzenes(std::vector<std::string>& out) {
  const std::vector<Group> groups = {{"C", "C"}, {"CC", "CC"}, {"O", "O"},     {"N", "N"},
                                     {"F", "F"}, {"Cl", "Cl"}, {"N#C", "C#N"}, {"CO", "OC"}};
  for (size_t a = 0; a < groups.size(); ++a) {
    const std::string& first = groups[a].before;
    out.push_back(first + "c1ccccc1");
    for (size_t b = a; b < groups.size(); ++b) {
      const std::string& second = groups[b].after;
      out.push_back(first + "c1ccccc1" + second);
      out.push_back(first + "c1cccc(" + second + ")c1");
      out.push_back(first + "c1ccc(" + second + ")cc1");
    }
  }
}

// Many scaffolds, each bare and with one group at one place.
void add_rings(std::vector<std::string>& out) {
  for (const char* ring : {"C1CC1",
                           "C1CCC1",
                           "C1CCCC1",
                           "C1CCCCC1",
                           "C1CCCCCC1",
                           "C1CCCCCCC1",
                           "c1ccncc1",
                           "c1ccoc1",
                           "c1ccsc1",
                           "c1cc[nH]c1",
                           "c1cnccn1",
                           "c1ccc2ccccc2c1",
                           "c1ccc(cc1)c1ccccc1",
                           "c1ccc2cc3ccccc3cc2c1",
                           "c1ccc2[nH]ccc2c1",
                           "c1ccc2occc2c1",
                           "c1ccc2ncccc2c1",
                           "C1CCC2CCCCC2C1",
                           "C1CCc2ccccc2C1",
                           "C1Cc2ccccc2C1",
                           "C1COCCO1",
                           "C1CNCCN1",
                           "C1CCNCC1",
                           "C1CCOC1",
                           "C1CCSC1"}) {
    for (const char* group : {"", "C", "CC", "CCC", "OC", "N#C"})
      out.push_back(std::string(group) + ring);
  }
}

// a/C=C/b and its Z twin.
void add_alkenes(std::vector<std::string>& out) {
  const std::vector<std::string> left = {"C", "CC", "Cl", "F", "OC"},
                                 right = {"C", "CC", "CCC", "Cl", "C#N"};
  for (const std::string& a : left) {
    for (const std::string& b : right) {
      // The other way round it is there already.
      if ((a == "CC" && b == "C") || (a == "Cl" && (b == "C" || b == "CC"))) continue;
      for (const char* bond : {"/", "\\"}) out.push_back(a + "/C=C" + bond + b);
    }
  }
}

}  // namespace

std::vector<std::string> toy_smiles() {
  std::vector<std::string> out;
  add_chains(out);
  add_branched_chains(out);
  add_benzenes(out);
  add_rings(out);
  add_alkenes(out);
  return out;
}

MoleculeRows toy_molecule_rows(const std::string& dataset, const MoleculeColumns& columns) {
  EMGNN_CHECK(columns.target.empty(), dataset + " has no column for data.target", columns.target);
  EMGNN_CHECK(columns.split.empty(), dataset + " has no column for data.split", columns.split);
  MoleculeRows rows;
  for (std::string& smiles : toy_smiles()) {
    rows.input.push_back({MoleculeFormat::kSmiles, std::move(smiles)});
    rows.row.push_back(static_cast<int64_t>(rows.input.size()));
  }
  rows.labels = no_labels(static_cast<int64_t>(rows.input.size()));
  return rows;
}

std::vector<double> radius_of_gyration(const Molecules& molecules) {
  std::vector<double> out;
  for (int64_t m = 0; m < molecules.num_molecules(); ++m) {
    const auto n = static_cast<double>(molecules.num_atoms(m));
    double sum[3] = {}, squares = 0;
    const auto coordinates = molecules.coordinates_of(m);
    for (size_t i = 0; i < coordinates.size(); ++i) {
      sum[i % 3] += coordinates[i];
      squares += double{coordinates[i]} * coordinates[i];
    }
    double mean_squared = 0;
    for (const double s : sum) mean_squared += (s / n) * (s / n);
    out.push_back(std::sqrt(std::max(0.0, squares / n - mean_squared)));
  }
  return out;
}

Labels toy_sizes(const Molecules& molecules) {
  return {.kind = LabelKind::kValues,
          .num_rows = molecules.num_molecules(),
          .names = {"radius of gyration"},
          .cls = {},
          .value = radius_of_gyration(molecules)};
}

Labels toy_is_large(const Molecules& molecules) {
  Labels labels = toy_sizes(molecules);
  std::vector<double> sizes = labels.value;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const double median = *middle;
  labels.kind = LabelKind::kLabels;
  labels.names = {"large"};
  for (double& y : labels.value) y = y > median ? 1.0 : 0.0;
  return labels;
}

}  // namespace emgnn
