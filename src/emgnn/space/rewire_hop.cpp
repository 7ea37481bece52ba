// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/rewire_hop.h>

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/space/distinct_rows.h>

namespace emgnn {

namespace {

std::vector<float> pair_weights(const Csr& a, size_t num_pairs) {
  std::vector<float> weight;
  for (int32_t i = 0; i < a.num_rows; ++i) {
    for (int32_t e = a.rowptr[i]; e < a.rowptr[i + 1]; ++e)
      if (a.col[e] > i) weight.push_back(a.value(e));
  }
  const double sum = std::accumulate(weight.begin(), weight.end(), 0.0);
  const double mean = weight.empty() ? 1.0 : sum / static_cast<double>(weight.size());
  weight.resize(num_pairs, static_cast<float>(mean));
  return weight;
}

size_t entry_at(const Csr& pattern, int32_t row, int32_t col) {
  const auto begin = pattern.col.begin() + pattern.rowptr[row];
  const auto end = pattern.col.begin() + pattern.rowptr[row + 1];
  const auto found = std::lower_bound(begin, end, col);
  EMGNN_DCHECK(found != end && *found == col);
  return static_cast<size_t>(found - pattern.col.begin());
}

Csr held_pattern(const RewireDraws& draws, int32_t num_nodes) {
  Coo coo;
  const auto add = [&](int32_t row, int32_t col) {
    coo.row.push_back(row);
    coo.col.push_back(col);
  };
  for (int32_t v = 0; v < num_nodes; ++v) add(v, v);
  for (size_t p = 0; p < draws.pairs().size(); ++p) {
    if (!draws.ever_holds(static_cast<int64_t>(p))) continue;
    add(draws.pairs()[p].u, draws.pairs()[p].v);
    add(draws.pairs()[p].v, draws.pairs()[p].u);
  }
  return csr_from_coo(num_nodes, num_nodes, coo, Duplicates::kKeepFirst);
}

// What an entry stands for: an edge as given, a candidate, or the diagonal.
EntryTypes types_of(const RewireHop& hop, const RewireSpace& space) {
  EntryTypes out{.type = {}, .num_types = 3};
  for (int32_t entry : hop.pattern.hop.entry) {
    const int32_t pair = space.pair_of(entry);
    const bool candidate = pair >= space.draws().num_edges();
    out.type.push_back(pair == RewireSpace::kDiagonal ? 2 : candidate ? 1 : 0);
  }
  return out;
}

class NestedPropagation : public HopPropagation, public SharesRows {
 public:
  NestedPropagation(std::shared_ptr<const RewireHop> hop, std::shared_ptr<const RewireSpace> space,
                    std::span<const int64_t> lam_ids)
      : HopPropagation(std::shared_ptr<const HopPattern>(hop, &hop->pattern),
                       static_cast<int64_t>(lam_ids.size())),
        hop_(std::move(hop)),
        space_(std::move(space)),
        lam_ids_(lam_ids.begin(), lam_ids.end()) {
    const RewireGrid& grid = space_->draws().grid();
    for (int64_t id : lam_ids) {
      const RewireGrid::Place place = grid.place(id);
      const auto draw = static_cast<size_t>(place.draw);
      if (runs_.empty() || runs_.back().draw != draw) runs_.push_back({draw, num_counts(), 0});
      ++runs_.back().num_graphs;
      forward_.push_back(hop_->forward[draw].counts(place.drop, place.add));
      backward_.push_back(hop_->backward[draw].counts(place.drop, place.add));
    }
    output_factor_ = factors_of(*space_, lam_ids, hop_->pattern.hop.output_rows);
    if (space_->normalisation() == Normalisation::kSymmetric)
      input_factor_ = factors_of(*space_, lam_ids, hop_->pattern.hop.input_rows);
  }

  // The diagonal of A_λ + I is 1.
  at::Tensor diagonal() const override {
    at::Tensor out = at::empty({num_graphs(), num_outputs(), 1}, at::kFloat);
    const bool symmetric = !input_factor_.empty();
    for (size_t i = 0; i < output_factor_.size(); ++i)
      out.data_ptr<float>()[i] = output_factor_[i] * (symmetric ? output_factor_[i] : 1.0F);
    return out;
  }

  // Where columns have factors, a row also changes with its neighbours' degrees.
  c10::intrusive_ptr<DistinctRows> distinct_rows(bool one_input) const override {
    if (!input_factor_.empty()) return {};
    auto out = c10::make_intrusive<DistinctRows>();
    out->num_graphs = num_graphs();
    out->place.resize(static_cast<size_t>(num_graphs() * num_outputs()));
    one_input ? add_states(*out) : add_all_rows(*out);
    return out;
  }

 protected:
  std::vector<float> values() const override { return rewire_values(*hop_, *space_, lam_ids_); }
  EntryTypes entry_types() const override { return types_of(*hop_, *space_); }

  at::Tensor apply_shared(const at::Tensor& in) const override { return applied(in, 0); }
  at::Tensor apply_each(const at::Tensor& in) const override {
    return applied(in, num_inputs() * in.size(-1));
  }
  at::Tensor transpose_shared(const at::Tensor& grad_out) const override {
    at::Tensor grad_in = shared_input_like(grad_out);
    std::fill_n(grad_in.data_ptr<float>(), grad_in.numel(), 0.0F);
    for (const Run& run : runs_) {
      kernels::nested_spmm_add(hop_->backward[run.draw].view(),
                               backward(run, grad_out, grad_in.data_ptr<float>(), 0));
    }
    return grad_in;
  }
  at::Tensor transpose_each(const at::Tensor& grad_out) const override {
    at::Tensor grad_in = each_input_like(grad_out);
    for (const Run& run : runs_) {
      kernels::nested_spmm(
          hop_->backward[run.draw].view(),
          backward(run, grad_out, grad_in.data_ptr<float>(), num_inputs() * grad_out.size(-1)));
    }
    return grad_in;
  }

 private:
  // Consecutive graphs of one draw: they share the order of the entries.
  struct Run {
    size_t draw;
    int64_t begin, num_graphs;
  };

  // All that an output row is made of, with one input for all graphs.
  struct RowState {
    int64_t row;
    size_t draw;
    int32_t first, second;  // entries of its two lists
    float factor;

    bool operator==(const RowState&) const = default;
  };

  RowState state(const Run& run, int64_t graph, int64_t row) const {
    const kernels::NestedCounts& counts = forward_[static_cast<size_t>(graph)];
    return {row, run.draw, counts.first[row], counts.second[row],
            output_factor_[static_cast<size_t>(graph * num_outputs() + row)]};
  }

  // Its place among the states from `first` on, at whose end it is added if it is new. Graphs that
  // follow each other have most in common, so the last ones are looked at first.
  static size_t place_of(const RowState& state, size_t first, std::vector<RowState>& states) {
    for (size_t k = states.size(); k > first; --k)
      if (states[k - 1] == state) return k - 1;
    states.push_back(state);
    return states.size() - 1;
  }

  // One input for all graphs: a row is the same in all graphs in which it has the same entries.
  void add_states(DistinctRows& out) const {
    out.input_nodes = hop().input_rows;
    std::vector<RowState> states;
    for (int64_t i = 0; i < num_outputs(); ++i) {
      const size_t first = states.size();
      for (const Run& run : runs_) {
        for (int64_t g = run.begin; g < run.begin + run.num_graphs; ++g) {
          const size_t number = place_of(state(run, g, i), first, states);
          out.place[static_cast<size_t>(g * num_outputs() + i)] = static_cast<int32_t>(number);
        }
      }
    }
    for (const RowState& s : states) add_row(s, 0, out);
  }

  // An input for each graph, one after the other: all rows differ.
  void add_all_rows(DistinctRows& out) const {
    const std::vector<int32_t>& nodes = hop().input_rows;
    std::iota(out.place.begin(), out.place.end(), 0);
    for (const Run& run : runs_) {
      for (int64_t g = run.begin; g < run.begin + run.num_graphs; ++g) {
        out.input_nodes.insert(out.input_nodes.end(), nodes.begin(), nodes.end());
        for (int64_t i = 0; i < num_outputs(); ++i)
          add_row(state(run, g, i), static_cast<int32_t>(g * num_inputs()), out);
      }
    }
  }

  void add_row(const RowState& s, int32_t first_input, DistinctRows& out) const {
    const kernels::NestedView view = hop_->forward[s.draw].view();
    const auto add = [&](int32_t begin, int32_t count) {
      for (int32_t e = begin; e < begin + count; ++e) {
        out.col.push_back(first_input + view.col[e]);
        if (view.val != nullptr) out.val.push_back(view.val[e]);
      }
    };
    add(view.start[2 * s.row], s.first);
    add(view.start[2 * s.row + 1], s.second);
    out.start.push_back(static_cast<int32_t>(out.col.size()));
    out.factor.push_back(s.factor);
    out.self.push_back(first_input + hop().self[static_cast<size_t>(s.row)]);
  }

  int64_t num_counts() const { return static_cast<int64_t>(forward_.size()); }

  static std::vector<float> factors_of(const RewireSpace& space, std::span<const int64_t> lam_ids,
                                       std::span<const int32_t> nodes) {
    std::vector<float> factor(lam_ids.size() * nodes.size());
    parallel_for(static_cast<int64_t>(lam_ids.size()), 1, [&](int64_t begin, int64_t end) {
      for (auto g = static_cast<size_t>(begin); g < static_cast<size_t>(end); ++g)
        space.factors(lam_ids[g], nodes, factor.data() + g * nodes.size());
    });
    return factor;
  }

  // [num_graphs, rows] from the run's first graph on; none: all ones.
  static const float* from(const std::vector<float>& factor, int64_t begin, int64_t rows) {
    return factor.empty() ? nullptr : factor.data() + begin * rows;
  }

  at::Tensor applied(const at::Tensor& in, int64_t in_stride) const {
    at::Tensor out = output_like(in);
    for (const Run& run : runs_)
      kernels::nested_spmm(hop_->forward[run.draw].view(), forward(run, in, in_stride, out));
    return out;
  }

  kernels::NestedBatch forward(const Run& run, const at::Tensor& in, int64_t in_stride,
                               at::Tensor& out) const {
    const int64_t width = in.size(-1);
    return {.num_graphs = run.num_graphs,
            .width = width,
            .counts = forward_.data() + run.begin,
            .row_factor = from(output_factor_, run.begin, num_outputs()),
            .col_factor = from(input_factor_, run.begin, num_inputs()),
            .in = in.data_ptr<float>() + run.begin * in_stride,
            .in_stride = in_stride,
            .out = out.data_ptr<float>() + run.begin * num_outputs() * width,
            .out_stride = num_outputs() * width};
  }

  kernels::NestedBatch backward(const Run& run, const at::Tensor& grad_out, float* grad_in,
                                int64_t grad_in_stride) const {
    const int64_t width = grad_out.size(-1);
    const int64_t in_stride = num_outputs() * width;
    return {.num_graphs = run.num_graphs,
            .width = width,
            .counts = backward_.data() + run.begin,
            .row_factor = from(input_factor_, run.begin, num_inputs()),
            .col_factor = from(output_factor_, run.begin, num_outputs()),
            .in = grad_out.data_ptr<float>() + run.begin * in_stride,
            .in_stride = in_stride,
            .out = grad_in + run.begin * grad_in_stride,
            .out_stride = grad_in_stride};
  }

  std::shared_ptr<const RewireHop> hop_;
  std::shared_ptr<const RewireSpace> space_;
  std::vector<int64_t> lam_ids_;
  std::vector<Run> runs_;
  std::vector<kernels::NestedCounts> forward_, backward_;  // [num_graphs]
  std::vector<float> output_factor_;                       // [num_graphs, num_outputs]
  std::vector<float> input_factor_;  // [num_graphs, num_inputs], or empty: all ones
};

}  // namespace

RewireSpace::RewireSpace(const RewireGraph& graph, const RewireOptions& options, uint64_t seed)
    : draws_(graph, options, seed),
      normalisation_(options.normalisation),
      weight_(pair_weights(graph.adjacency, draws_.pairs().size())),
      pattern_(held_pattern(draws_, graph.adjacency.num_rows)),
      pair_(pattern_.col.size(), kDiagonal) {
  for (size_t p = 0; p < draws_.pairs().size(); ++p) {
    const auto [u, v] = draws_.pairs()[p];
    if (!draws_.ever_holds(static_cast<int64_t>(p))) continue;
    pair_[entry_at(pattern_, u, v)] = static_cast<int32_t>(p);
    pair_[entry_at(pattern_, v, u)] = static_cast<int32_t>(p);
  }
  for (int64_t draw = 0; draws_.nested() && draw < draws_.grid().draws(); ++draw)
    add_degree_tables(draw);
}

void RewireSpace::add_degree_tables(int64_t draw) {
  const auto points = static_cast<size_t>(draws_.grid().points());
  const auto num_nodes = static_cast<size_t>(pattern_.num_rows);
  std::vector<float> stay(points * num_nodes, 0.0F), arrive(points * num_nodes, 0.0F);
  // First what leaves after level k or enters at it, then the sums over the levels.
  std::fill_n(stay.end() - pattern_.num_rows, num_nodes, 1.0F);  // the diagonal
  for (size_t p = 0; p < draws_.pairs().size(); ++p) {
    const bool is_edge = static_cast<int64_t>(p) < draws_.num_edges();
    const auto level = static_cast<size_t>(draws_.level(draw, static_cast<int64_t>(p)));
    if (is_edge ? level == 0 : level == points) continue;
    float* row = is_edge ? &stay[(level - 1) * num_nodes] : &arrive[level * num_nodes];
    row[draws_.pairs()[p].u] += weight_[p];
    row[draws_.pairs()[p].v] += weight_[p];
  }
  for (size_t i = num_nodes; i < arrive.size(); ++i) arrive[i] += arrive[i - num_nodes];
  for (size_t i = stay.size() - num_nodes; i-- > 0;) stay[i] += stay[i + num_nodes];
  stay_degree_.push_back(std::move(stay));
  arrive_degree_.push_back(std::move(arrive));
}

std::vector<float> RewireSpace::drawn_degrees(int64_t lam_id) const {
  std::vector<float> degree(static_cast<size_t>(pattern_.num_rows), 1.0F);
  for (size_t p = 0; p < draws_.pairs().size(); ++p) {
    if (!draws_.holds(lam_id, static_cast<int64_t>(p))) continue;
    degree[static_cast<size_t>(draws_.pairs()[p].u)] += weight_[p];
    degree[static_cast<size_t>(draws_.pairs()[p].v)] += weight_[p];
  }
  return degree;
}

void RewireSpace::factors(int64_t lam_id, std::span<const int32_t> nodes, float* factor) const {
  const auto fill = [&](const auto& degree) {
    const bool row = normalisation_ == Normalisation::kRow;
    for (size_t i = 0; i < nodes.size(); ++i)
      factor[i] = 1.0F / (row ? degree(nodes[i]) : std::sqrt(degree(nodes[i])));
  };
  if (!draws_.nested()) {
    const std::vector<float> degree = drawn_degrees(lam_id);
    return fill([&](int32_t v) { return degree[static_cast<size_t>(v)]; });
  }
  const RewireGrid::Place place = draws_.grid().place(lam_id);
  const auto draw = static_cast<size_t>(place.draw);
  const float* stay = stay_degree_[draw].data() + place.drop * pattern_.num_rows;
  const float* arrive = arrive_degree_[draw].data() + place.add * pattern_.num_rows;
  fill([&](int32_t v) { return stay[v] + arrive[v]; });
}

RewireHop::RewireHop(Hop h, const RewireSpace& space) : pattern(std::move(h)) {
  const RewireDraws& draws = space.draws();
  if (!draws.nested()) return;
  const int64_t points = draws.grid().points();
  for (int64_t draw = 0; draw < draws.grid().draws(); ++draw) {
    const auto fate = [&](int64_t entry) -> EntryFate {
      const int32_t pair = space.pair_of(pattern.hop.entry[static_cast<size_t>(entry)]);
      if (pair == RewireSpace::kDiagonal) return {false, static_cast<int32_t>(points), 1.0F};
      return {pair >= draws.num_edges(), draws.level(draw, pair), space.weight_of(pair)};
    };
    forward.emplace_back(pattern.hop.pattern, points, fate);
    backward.emplace_back(pattern.backward.csr, points, [&](int64_t entry) {
      return fate(pattern.backward.entry[static_cast<size_t>(entry)]);
    });
  }
}

std::vector<float> rewire_values(const RewireHop& hop, const RewireSpace& space,
                                 const std::vector<int64_t>& lam_ids) {
  const Hop& h = hop.pattern.hop;
  const int64_t num_entries = h.pattern.num_entries();
  const bool symmetric = space.normalisation() == Normalisation::kSymmetric;
  std::vector<float> values(lam_ids.size() * static_cast<size_t>(num_entries));
  parallel_for(static_cast<int64_t>(lam_ids.size()), 1, [&](int64_t begin, int64_t end) {
    std::vector<float> left(h.output_rows.size()), right(h.input_rows.size(), 1.0F);
    for (int64_t g = begin; g < end; ++g) {
      const int64_t id = lam_ids[static_cast<size_t>(g)];
      space.factors(id, h.output_rows, left.data());
      if (symmetric) space.factors(id, h.input_rows, right.data());
      float* out = values.data() + g * num_entries;
      for (int32_t i = 0; i < h.pattern.num_rows; ++i) {
        for (int32_t e = h.pattern.rowptr[i]; e < h.pattern.rowptr[i + 1]; ++e) {
          const int32_t pair = space.pair_of(h.entry[e]);
          const bool held = pair == RewireSpace::kDiagonal || space.draws().holds(id, pair);
          out[e] = held ? space.weight_of(pair) * left[i] * right[h.pattern.col[e]] : 0.0F;
        }
      }
    }
  });
  return values;
}

c10::intrusive_ptr<Propagation> rewire_propagation(std::shared_ptr<const RewireHop> hop,
                                                   std::shared_ptr<const RewireSpace> space,
                                                   std::span<const int64_t> lam_ids) {
  if (space->draws().nested())
    return c10::make_intrusive<NestedPropagation>(std::move(hop), std::move(space), lam_ids);
  std::shared_ptr<const HopPattern> pattern(hop, &hop->pattern);
  std::vector<int64_t> ids(lam_ids.begin(), lam_ids.end());
  return c10::make_intrusive<PatternPropagation>(
      std::move(pattern), static_cast<int64_t>(ids.size()),
      [hop, space, ids] { return rewire_values(*hop, *space, ids); },
      [hop, space] { return types_of(*hop, *space); });
}

}  // namespace emgnn
