// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/mixture_hop.h>

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <emgnn/base/threads.h>
#include <emgnn/kernels/combine.h>
#include <emgnn/kernels/spmm.h>

namespace emgnn {

namespace {

constexpr int64_t kEntryGrain = 4096;

// Floats that a kernel fills before anything reads them.
std::unique_ptr<float[]> scratch(int64_t size) {
  return std::make_unique_for_overwrite<float[]>(static_cast<size_t>(size));
}

std::vector<float> gather(const std::vector<double>& all, const std::vector<int32_t>& ids) {
  std::vector<float> out(ids.size());
  for (size_t i = 0; i < ids.size(); ++i)
    out[i] = static_cast<float>(all[static_cast<size_t>(ids[i])]);
  return out;
}

// The entries of the hop's pattern for which `has` is true.
MixtureHop::Term restricted(const Csr& pattern, const std::function<bool(size_t)>& has) {
  MixtureHop::Term out;
  Csr& a = out.csr;
  a.num_rows = pattern.num_rows;
  a.num_cols = pattern.num_cols;
  for (int32_t i = 0; i < pattern.num_rows; ++i) {
    for (const auto [e, j] : pattern.row(i)) {
      if (!has(static_cast<size_t>(e))) continue;
      a.col.push_back(j);
      out.entry.push_back(e);
    }
    a.rowptr.push_back(static_cast<int32_t>(a.col.size()));
  }
  Transposed back = transpose(a);
  out.back = std::move(back.csr);
  out.back_place = std::move(back.entry);
  return out;
}

std::vector<float> gather(std::span<const float> all, const std::vector<int32_t>& ids) {
  std::vector<float> out(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) out[i] = all[static_cast<size_t>(ids[i])];
  return out;
}

// The same with the values that it will always have.
MixtureHop::Term restricted(const Csr& pattern, const std::vector<float>& weight) {
  MixtureHop::Term out = restricted(pattern, [&](size_t e) { return weight[e] != 0.0F; });
  out.csr.val = gather(weight, out.entry);
  out.back.val = gather(out.csr.val, out.back_place);
  out.entry = out.back_place = {};
  return out;
}

// D_λ(i) = 1 + Σ_t λ_t deg_t(i)
float weighted_degree(const LambdaPoint& lam, const std::vector<std::vector<float>>& degree,
                      size_t i) {
  double sum = 1.0;
  for (size_t t = 0; t < lam.size(); ++t) sum += lam[t] * degree[t][i];
  return static_cast<float>(sum);
}

// What S_λ multiplies a row, or a column, by. Shares are normalised already.
std::vector<float> inverse_degrees(const LambdaPoint& lam,
                                   const std::vector<std::vector<float>>& degree, Mixing mixing,
                                   Normalisation normalisation) {
  std::vector<float> inverse(degree.front().size(), 1.0F);
  for (size_t i = 0; mixing == Mixing::kDegree && i < inverse.size(); ++i) {
    const float d = weighted_degree(lam, degree, i);
    inverse[i] = normalisation == Normalisation::kRow ? 1.0F / d : 1.0F / std::sqrt(d);
  }
  return inverse;
}

// Of the identity in S_λ, before any normalisation.
double self_weight(Mixing mixing, const LambdaPoint& lam) {
  return mixing == Mixing::kShares ? lam.back() : 1.0;
}

// The weights of the views on a hop under some points.
class HopWeights {
 public:
  HopWeights(std::shared_ptr<const MixtureHop> hop, std::vector<MixturePoint> points,
             const TrustedWeights& trusted)
      : hop_(std::move(hop)), points_(std::move(points)) {
    for (size_t t = 0; t < hop_->weight.size(); ++t) {
      for (const MixturePoint& point : points_) {
        std::vector<float>& values = doubted_[{t, point.trust}];
        if (!hop_->in_doubt(t) || !values.empty()) continue;
        values = gather(trusted.normalised(t, point.trust), hop_->term[t].trusted);
      }
    }
  }

  const MixtureHop& hop() const { return *hop_; }
  const std::vector<MixturePoint>& points() const { return points_; }

  // Of a view in doubt, on its own entries.
  const std::vector<float>& doubted(size_t view, int trust) const {
    return doubted_.at({view, trust});
  }

 private:
  std::shared_ptr<const MixtureHop> hop_;
  std::vector<MixturePoint> points_;
  std::map<std::pair<size_t, int>, std::vector<float>> doubted_;
};

// out += λ_t A_t
void add_view(const HopWeights& weights, size_t t, const MixturePoint& point, float* out) {
  const auto lam = static_cast<float>(point.weight[t]);
  if (lam == 0.0F) return;
  const MixtureHop& hop = weights.hop();
  if (hop.in_doubt(t)) {
    const std::vector<float>& value = weights.doubted(t, point.trust);
    const std::vector<int32_t>& entry = hop.term[t].entry;
    for (size_t k = 0; k < value.size(); ++k) out[entry[k]] += lam * value[k];
  } else {
    const std::vector<float>& value = hop.weight[t];
    for (size_t e = 0; e < value.size(); ++e) out[e] += lam * value[e];
  }
}

void write_values(const HopWeights& weights, const MixturePoint& point, float* out) {
  const MixtureHop& hop = weights.hop();
  const Csr& pattern = hop.pattern.hop.pattern;
  const auto self = static_cast<float>(self_weight(hop.mixing, point.weight));
  for (size_t e = 0; e < hop.is_diagonal.size(); ++e)
    out[e] = hop.is_diagonal[e] != 0 ? self : 0.0F;
  for (size_t t = 0; t < hop.weight.size(); ++t) add_view(weights, t, point, out);
  if (hop.mixing == Mixing::kShares) return;  // normalised already
  const auto inverse = [&](const std::vector<std::vector<float>>& degree) {
    return inverse_degrees(point.weight, degree, hop.mixing, hop.normalisation);
  };
  const std::vector<float> left = inverse(hop.degree_output);
  const std::vector<float> right = hop.normalisation == Normalisation::kSymmetric
                                       ? inverse(hop.degree_input)
                                       : std::vector<float>();
  for (int32_t i = 0; i < pattern.num_rows; ++i) {
    for (int32_t e = pattern.rowptr[i]; e < pattern.rowptr[i + 1]; ++e)
      out[e] = out[e] * left[i] * (right.empty() ? 1.0F : right[pattern.col[e]]);
  }
}

// Values of S_λ over the hop's entries, one row per λ.
std::vector<float> pattern_values(const HopWeights& weights) {
  const int64_t num_entries = weights.hop().pattern.hop.pattern.num_entries();
  const std::vector<MixturePoint>& points = weights.points();
  std::vector<float> values(points.size() * static_cast<size_t>(num_entries));
  parallel_for(static_cast<int64_t>(points.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g)
      write_values(weights, points[static_cast<size_t>(g)], values.data() + g * num_entries);
  });
  return values;
}

EntryTypes types_of(const MixtureHop& hop) {
  return {.type = hop.type, .num_types = static_cast<int32_t>(hop.weight.size()) + 1};
}

class RowMixturePropagation : public PatternPropagation {
 public:
  RowMixturePropagation(const std::shared_ptr<const HopWeights>& weights,
                        std::shared_ptr<const MixtureHop> hop)
      : PatternPropagation(
            std::shared_ptr<const HopPattern>(hop, &hop->pattern),
            static_cast<int64_t>(weights->points().size()),
            [weights] { return pattern_values(*weights); }, [hop] { return types_of(*hop); }),
        hop_(std::move(hop)) {
    const std::vector<MixturePoint>& points = weights->points();
    std::set<int> trusts;
    for (const MixturePoint& point : points) trusts.insert(point.trust);
    for (size_t t = 0; t < hop_->weight.size(); ++t) {
      if (!hop_->in_doubt(t)) {
        factors_.push_back({.term = &hop_->term[t], .view = t});
        continue;
      }
      for (const int trust : trusts) factors_.push_back(doubted(*weights, t, trust));
    }
    factors_.push_back({.term = &hop_->term.back(), .view = hop_->weight.size()});
    for (const MixturePoint& point : points) {
      for (const Factor& factor : factors_) coef_.push_back(coefficient(factor, point));
      const std::vector<float> scale =
          inverse_degrees(point.weight, hop_->degree_output, hop_->mixing, hop_->normalisation);
      scale_.insert(scale_.end(), scale.begin(), scale.end());
    }
  }

  at::Tensor diagonal() const override {
    if (hop_->mixing == Mixing::kShares) return PatternPropagation::diagonal();
    at::Tensor out = at::empty({num_graphs(), num_outputs(), 1}, at::kFloat);
    std::copy(scale_.begin(), scale_.end(), out.data_ptr<float>());
    return out;
  }

 protected:
  at::Tensor apply_shared(const at::Tensor& in) const override {
    if (num_graphs() == 1) return PatternPropagation::apply_shared(in);
    const int64_t width = in.size(-1);
    const auto term = scratch(num_terms() * num_outputs() * width);
    for (int64_t t = 0; t < num_terms(); ++t) {
      const Factor& factor = factors_[static_cast<size_t>(t)];
      product(factor.term->csr, factor.val, width, in.data_ptr<float>(),
              term.get() + t * num_outputs() * width);
    }
    at::Tensor out = output_like(in);
    kernels::combine(shape(width), coef_.data(), scale_.data(), term.get(), out.data_ptr<float>());
    return out;
  }

  at::Tensor transpose_shared(const at::Tensor& grad_out) const override {
    if (num_graphs() == 1) return PatternPropagation::transpose_shared(grad_out);
    const int64_t width = grad_out.size(-1);
    const auto grad_term = scratch(num_terms() * num_outputs() * width);
    kernels::combine_backward(shape(width), coef_.data(), scale_.data(), grad_out.data_ptr<float>(),
                              grad_term.get());
    const auto part = scratch(num_inputs() * width);
    at::Tensor out = shared_input_like(grad_out);
    float* grad_in = out.data_ptr<float>();
    std::fill(grad_in, grad_in + num_inputs() * width, 0.0F);
    for (int64_t t = 0; t < num_terms(); ++t) {
      const Factor& factor = factors_[static_cast<size_t>(t)];
      product(factor.term->back, factor.back_val, width,
              grad_term.get() + t * num_outputs() * width, part.get());
      parallel_for(num_inputs() * width, kEntryGrain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) grad_in[i] += part[i];
      });
    }
    return out;
  }

 private:
  // A matrix that the input is multiplied by, for every λ or for those of one way to trust edges.
  struct Factor {
    const MixtureHop::Term* term;
    size_t view;
    int trust = -1;                    // any
    std::vector<float> val, back_val;  // empty: the term has them
  };

  Factor doubted(const HopWeights& weights, size_t view, int trust) const {
    const MixtureHop::Term& term = hop_->term[view];
    const std::vector<float>& val = weights.doubted(view, trust);
    return {.term = &term,
            .view = view,
            .trust = trust,
            .val = val,
            .back_val = gather(val, term.back_place)};
  }

  float coefficient(const Factor& factor, const MixturePoint& point) const {
    if (factor.view == hop_->weight.size())
      return static_cast<float>(self_weight(hop_->mixing, point.weight));
    const bool other = factor.trust >= 0 && factor.trust != point.trust;
    return other ? 0.0F : static_cast<float>(point.weight[factor.view]);
  }

  int64_t num_terms() const { return static_cast<int64_t>(factors_.size()); }
  kernels::CombineShape shape(int64_t width) const {
    return {.num_graphs = num_graphs(),
            .num_terms = num_terms(),
            .num_rows = num_outputs(),
            .width = width};
  }
  static void product(const Csr& a, const std::vector<float>& val, int64_t width, const float* in,
                      float* out) {
    kernels::spmm(
        {a.num_rows, a.num_cols, a.rowptr.data(), a.col.data()},
        {.width = width, .val = val.empty() ? a.val.data() : val.data(), .in = in, .out = out});
  }

  std::shared_ptr<const MixtureHop> hop_;
  std::vector<Factor> factors_;
  std::vector<float> coef_;   // [num_graphs, num_terms]
  std::vector<float> scale_;  // [num_graphs, num_outputs]
};

}  // namespace

MixtureHop::MixtureHop(TypedHop typed, const std::vector<std::vector<double>>& degree,
                       const Trusts& trusts, const MixtureOptions& options)
    : pattern(std::move(typed.hop)), normalisation(options.normalisation), mixing(options.mixing) {
  const Hop& hop = pattern.hop;
  const auto num_entries = static_cast<size_t>(hop.pattern.num_entries());
  std::vector<float> diagonal(num_entries);
  is_diagonal.resize(num_entries);
  for (size_t i = 0; i < hop.output_rows.size(); ++i) {
    for (int32_t e = hop.pattern.rowptr[i]; e < hop.pattern.rowptr[i + 1]; ++e) {
      is_diagonal[e] = hop.pattern.col[e] == hop.self[i] ? 1 : 0;
      diagonal[e] = is_diagonal[e];
    }
  }
  // By the edges as given: normalised, an edge may have no weight left, but it is no other edge.
  type.assign(num_entries, static_cast<int32_t>(typed.weight.size()));
  for (size_t t = typed.weight.size(); t-- > 0;)
    for (size_t e = 0; e < num_entries; ++e)
      if (typed.weight[t][e] != 0.0F) type[e] = static_cast<int32_t>(t);
  for (size_t t = 0; t < typed.weight.size(); ++t) {
    degree_output.push_back(gather(degree[t], hop.output_rows));
    degree_input.push_back(gather(degree[t], hop.input_rows));
    add_view(std::move(typed.weight[t]), t, trusts[t].get());
  }
  term.push_back(restricted(hop.pattern, diagonal));
}

void MixtureHop::add_view(std::vector<float> w, size_t t, const EdgeTrust* trust) {
  if (trust != nullptr) {
    add_doubted_term(trust->adjacency());
  } else {
    if (mixing == Mixing::kShares) normalise(w, t);
    term.push_back(restricted(pattern.hop.pattern, w));
  }
  weight.push_back(std::move(w));
}

void MixtureHop::add_doubted_term(const Csr& view) {
  const Hop& hop = pattern.hop;
  std::vector<int32_t> places(hop.pattern.col.size(), -1);  // in TrustedWeights::normalised
  for (int32_t i = 0; i < hop.pattern.num_rows; ++i) {
    const int32_t node = hop.output_rows[static_cast<size_t>(i)];
    const CsrRow near = view.row(node);
    for (const auto [e, j] : hop.pattern.row(i)) {
      const int32_t other = hop.input_rows[static_cast<size_t>(j)];
      const auto found = std::lower_bound(near.col.begin(), near.col.end(), other);
      int32_t& place = places[static_cast<size_t>(e)];
      if (other == node) {
        place = static_cast<int32_t>(view.num_entries()) + node;
      } else if (found != near.col.end() && *found == other) {
        place = near.begin_entry + static_cast<int32_t>(found - near.col.begin());
      }
    }
  }
  term.push_back(restricted(hop.pattern, [&](size_t e) { return places[e] >= 0; }));
  for (const int32_t e : term.back().entry)
    term.back().trusted.push_back(places[static_cast<size_t>(e)]);
}

// D⁻¹A, or D^-1/2 A D^-1/2, of one relation; a node that others see but that sees none itself has
// no D^-1/2, they lose it.
void MixtureHop::normalise(std::vector<float>& w, size_t t) const {
  const Csr& entries = pattern.hop.pattern;
  for (int32_t i = 0; i < entries.num_rows; ++i) {
    const float out = degree_output[t][static_cast<size_t>(i)];
    for (const auto [e, j] : entries.row(i)) {
      float& value = w[static_cast<size_t>(e)];
      if (out == 0.0F) {
        value = is_diagonal[static_cast<size_t>(e)];
      } else if (value != 0.0F) {
        const float in = degree_input[t][static_cast<size_t>(j)];
        const float scale = normalisation == Normalisation::kRow ? out : std::sqrt(out * in);
        value = scale > 0.0F ? value / scale : 0.0F;
      }
    }
  }
}

c10::intrusive_ptr<Propagation> mixture_propagation(std::shared_ptr<const MixtureHop> hop,
                                                    const std::vector<MixturePoint>& points,
                                                    const TrustedWeights& trusted) {
  const auto weights = std::make_shared<const HopWeights>(hop, points, trusted);
  if (hop->normalisation == Normalisation::kRow || hop->mixing == Mixing::kShares)
    return c10::make_intrusive<RowMixturePropagation>(weights, std::move(hop));
  std::shared_ptr<const HopPattern> pattern(hop, &hop->pattern);
  return c10::make_intrusive<PatternPropagation>(
      std::move(pattern), static_cast<int64_t>(points.size()),
      [weights] { return pattern_values(*weights); }, [hop] { return types_of(*hop); });
}

}  // namespace emgnn
