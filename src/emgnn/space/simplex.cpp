// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/simplex.h>

#include <cmath>

#include <emgnn/base/error.h>

namespace emgnn {

SimplexGrid::SimplexGrid(int num_parts, int total) : num_parts_(num_parts), total_(total) {
  EMGNN_CHECK(num_parts >= 1, "a mixture needs at least one edge type", num_parts);
  EMGNN_CHECK(total >= 1, "a simplex grid needs at least one step", total);
  table_.assign(static_cast<size_t>(num_parts) + 1,
                std::vector<int64_t>(static_cast<size_t>(total) + 1, 0));
  table_[0][0] = 1;
  // count(k, s) = Σ_{p=0..s} count(k-1, s-p) = count(k, s-1) + count(k-1, s)
  for (size_t k = 1; k < table_.size(); ++k) {
    for (size_t s = 0; s < table_[k].size(); ++s) {
      table_[k][s] = table_[k - 1][s] + (s > 0 ? table_[k][s - 1] : 0);
      EMGNN_CHECK(table_[k][s] < kMaxPoints, "the grid has too many points; raise space.step",
                  num_parts);
    }
  }
}

SimplexGrid SimplexGrid::of_step(size_t num_parts, double step) {
  const int total = static_cast<int>(std::lround(1.0 / step));
  EMGNN_CHECK(std::abs(total * step - 1.0) < 1e-9, "space.step must divide 1", step);
  return {static_cast<int>(num_parts), total};
}

int64_t SimplexGrid::count(int num_parts, int total) const {
  return table_[static_cast<size_t>(num_parts)][static_cast<size_t>(total)];
}

double SimplexGrid::share_with_part(int value) const {
  return static_cast<double>(count(num_parts_ - 1, total_ - value)) / static_cast<double>(size());
}

std::vector<int> SimplexGrid::parts(int64_t id) const {
  EMGNN_CHECK(id >= 0 && id < size(), "no such point of the simplex grid", id);
  std::vector<int> parts(static_cast<size_t>(num_parts_));
  int left = total_;
  for (int k = 0; k < num_parts_; ++k) {
    const int rest = num_parts_ - k - 1;  // parts after this one
    int p = 0;
    for (; rest > 0 && id >= count(rest, left - p); ++p) id -= count(rest, left - p);
    parts[static_cast<size_t>(k)] = rest > 0 ? p : left;
    left -= parts[static_cast<size_t>(k)];
  }
  return parts;
}

int64_t SimplexGrid::id(const std::vector<int>& parts) const {
  EMGNN_DCHECK(static_cast<int>(parts.size()) == num_parts_);
  int64_t id = 0;
  int left = total_;
  for (int k = 0; k + 1 < num_parts_; ++k) {
    for (int p = 0; p < parts[static_cast<size_t>(k)]; ++p)
      id += count(num_parts_ - k - 1, left - p);
    left -= parts[static_cast<size_t>(k)];
  }
  return id;
}

LambdaPoint SimplexGrid::point(int64_t id) const {
  LambdaPoint out;
  for (int part : parts(id)) out.push_back(static_cast<double>(part) / total_);
  return out;
}

Marginal SimplexGrid::prior_marginal() const {
  Marginal out;
  for (int part = 0; part <= total_; ++part)
    out[static_cast<double>(part) / total_] = share_with_part(part);
  return out;
}

int64_t SimplexGrid::propose_local(int64_t id, Rng& rng) const {
  if (num_parts_ == 1) return id;
  std::vector<int> moved = parts(id);
  const auto num_parts = static_cast<uint64_t>(moved.size());
  const uint64_t from = rng.below(num_parts);
  const uint64_t to = (from + 1 + rng.below(num_parts - 1)) % num_parts;
  if (moved[from] == 0) return id;
  --moved[from];
  ++moved[to];
  return this->id(moved);
}

}  // namespace emgnn
