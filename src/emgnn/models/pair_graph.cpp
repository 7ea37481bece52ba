// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/pair_graph.h>

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/models/edge_ops.h>

namespace emgnn {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int64_t kRowGrain = 256;

size_t at(int64_t i) { return static_cast<size_t>(i); }

// W row by row: the pairs in which a node is the larger one, itself, those in which it is the
// smaller.
class PatternMaker {
 public:
  PatternMaker(const Csr& pairs, bool loops)
      : pairs_(pairs), back_(transpose(pairs)), loops_(loops) {
    pattern_.num_rows = pattern_.num_cols = pairs.num_rows;
    for (int32_t i = 0; i < pairs.num_rows; ++i) {
      const size_t own = loops ? 1 : 0;  // (i, i) is in both
      const size_t size = pairs.row(i).col.size() + back_.csr.row(i).col.size() + 1 - 2 * own;
      pattern_.rowptr.push_back(pattern_.rowptr.back() + static_cast<int32_t>(size));
    }
    const auto entries = at(pattern_.rowptr.back());
    pattern_.col.resize(entries);
    pair_.resize(entries);
    for (std::vector<int32_t>* side : {&lower_, &upper_}) side->resize(pairs.col.size());
    parallel_for(pairs.num_rows, kRowGrain, [&](int64_t begin, int64_t end) {
      for (auto i = static_cast<int32_t>(begin); i < end; ++i) fill_row(i);
    });
  }

  c10::intrusive_ptr<PairGraph> take() {
    std::vector<int32_t> reverse(pair_.size());
    for (size_t e = 0; e < pair_.size(); ++e) {
      const int32_t p = pair_[e];
      const bool is_lower = p >= 0 && lower_[at(p)] == static_cast<int32_t>(e);
      reverse[e] = p < 0 ? static_cast<int32_t>(e) : (is_lower ? upper_ : lower_)[at(p)];
    }
    auto out = c10::make_intrusive<PairGraph>();
    out->edges = c10::make_intrusive<Edges>();
    out->edges->weight = at::ones({1, static_cast<int64_t>(pair_.size())}, at::kFloat);
    out->edges->backward = {pattern_, std::move(reverse)};
    out->edges->pattern = std::move(pattern_);
    out->pair = std::move(pair_);
    out->num_pairs = pairs_.num_entries();
    return out;
  }

 private:
  void fill_row(int32_t i) {
    int32_t e = pattern_.rowptr[at(i)];
    const auto put = [&](int32_t col, int32_t pair) {
      pattern_.col[at(e)] = col;
      pair_[at(e)] = pair;
      return e++;
    };
    for (const auto [k, j] : back_.csr.row(i)) {
      const int32_t pair = back_.entry[at(k)];
      if (j < i) lower_[at(pair)] = put(j, pair);
    }
    if (!loops_) put(i, -1);
    for (const auto [pair, j] : pairs_.row(i)) {
      upper_[at(pair)] = put(j, pair);
      if (j == i) lower_[at(pair)] = upper_[at(pair)];
    }
  }

  const Csr& pairs_;
  Transposed back_;
  bool loops_;
  Csr pattern_;
  std::vector<int32_t> pair_;
  std::vector<int32_t> lower_, upper_;  // [pairs] the entries (j, i) and (i, j)
};

float weight_of(const PairGraph& graph, int32_t entry, const float* weight) {
  const int32_t pair = graph.pair[at(entry)];
  return pair < 0 ? 1.0F : weight[pair];
}

template <class Body>
void for_rows(const PairGraph& graph, const Body& body) {
  parallel_for(graph.edges->pattern.num_rows, kRowGrain, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<int32_t>(begin); i < end; ++i) body(i, graph.edges->pattern.row(i));
  });
}

struct NormalisedFunction : torch::autograd::Function<NormalisedFunction> {
  // v_e = w_e s_i s_j with s = D^-1/2
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& weight_in,
                            const c10::intrusive_ptr<PairGraph>& graph) {
    const at::Tensor weight = weight_in.contiguous();
    at::Tensor scale = at::empty({graph->edges->pattern.num_rows}, at::kFloat);
    at::Tensor values = at::empty({1, graph->edges->num_entries(), 1}, at::kFloat);
    const float* w = weight.data_ptr<float>();
    float *s = scale.data_ptr<float>(), *v = values.data_ptr<float>();
    for_rows(*graph, [&](int32_t i, const CsrRow& row) {
      double degree = 0.0;
      for (const CsrRow::Entry entry : row) degree += weight_of(*graph, entry.number, w);
      s[i] = degree > 0.0 ? static_cast<float>(1.0 / std::sqrt(degree)) : 0.0F;
    });
    for_rows(*graph, [&](int32_t i, const CsrRow& row) {
      for (const auto [e, j] : row) v[e] = weight_of(*graph, e, w) * s[i] * s[j];
    });
    ctx->saved_data["graph"] = c10::IValue::make_capsule(graph);
    ctx->save_for_backward({weight, scale});
    return values;
  }

  // With g_e the gradient of v_e and e' the entry (j, i): that of D_i is −½ s_i³ Σ_j (g_e + g_e')
  // w_e s_j, that of the weight of a pair Σ_e g_e s_i s_j over its entries and those of the D that
  // it is a part of.
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto capsule = ctx->saved_data["graph"].toCapsule();
    const auto& graph = static_cast<const PairGraph&>(*capsule);
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor grad_values = grads[0].contiguous();
    const float *w = saved[0].data_ptr<float>(), *s = saved[1].data_ptr<float>();
    const float* g = grad_values.data_ptr<float>();
    const std::vector<int32_t>& reverse = graph.edges->backward.entry;
    std::vector<float> of_degree(at(saved[1].numel()));
    for_rows(graph, [&](int32_t i, const CsrRow& row) {
      double sum = 0.0;
      for (const auto [e, j] : row)
        sum += double{g[e] + g[reverse[at(e)]]} * weight_of(graph, e, w) * s[j];
      of_degree[at(i)] = static_cast<float>(-0.5 * sum * s[i] * s[i] * s[i]);
    });
    at::Tensor grad = at::empty_like(saved[0]);
    for_rows(graph, [&](int32_t i, const CsrRow& row) {
      for (const auto [e, j] : row) {
        const int32_t pair = graph.pair[at(e)];
        if (pair < 0 || j < i) continue;
        const float both = j == i ? g[e] : g[e] + g[reverse[at(e)]];
        const float degrees = of_degree[at(i)] + (j == i ? 0.0F : of_degree[at(j)]);
        grad.data_ptr<float>()[pair] = both * s[i] * s[j] + degrees;
      }
    });
    return {grad, at::Tensor()};
  }
};

class WeightedHop : public Propagation {
 public:
  WeightedHop(c10::intrusive_ptr<Edges> entries, at::Tensor values)
      : entries_(std::move(entries)), values_(std::move(values)) {}

  int64_t num_graphs() const override { return 1; }
  int64_t num_inputs() const override { return entries_->pattern.num_cols; }
  int64_t num_outputs() const override { return entries_->pattern.num_rows; }
  at::Tensor apply(const at::Tensor& h) const override { return aggregate(entries_, values_, h); }
  at::Tensor self(const at::Tensor& h) const override { return h; }
  at::Tensor diagonal() const override {
    std::vector<int64_t> own;
    for (int32_t i = 0; i < entries_->pattern.num_rows; ++i)
      for (const auto [e, j] : entries_->pattern.row(i))
        if (j == i) own.push_back(e);
    return values_.index_select(1, at::tensor(own));
  }

 protected:
  c10::intrusive_ptr<Edges> make_edges() const override {
    c10::intrusive_ptr<Edges> out = whole_pattern(entries_->pattern);
    out->weight = values_.detach().view({1, -1});
    out->type.assign(out->pattern.col.size(), 0);
    return out;
  }

 private:
  c10::intrusive_ptr<Edges> entries_;
  at::Tensor values_;
};

}  // namespace

c10::intrusive_ptr<PairGraph> pair_graph(const Csr& pairs, bool loops) {
  return PatternMaker(pairs, loops).take();
}

c10::intrusive_ptr<Edges> whole_pattern(Csr pattern) {
  auto out = c10::make_intrusive<Edges>();
  out->pattern = std::move(pattern);
  out->index();
  out->weight = at::ones({1, out->num_entries()}, at::kFloat);
  return out;
}

at::Tensor normalised(const c10::intrusive_ptr<PairGraph>& graph, const at::Tensor& weight) {
  EMGNN_CHECK(weight.dim() == 1 && weight.size(0) == graph->num_pairs,
              "normalised: expected a weight for each pair", weight.numel());
  return NormalisedFunction::apply(weight, graph);
}

c10::intrusive_ptr<Propagation> weighted_hop(const PairGraph& graph, at::Tensor values) {
  return c10::make_intrusive<WeightedHop>(graph.edges, std::move(values));
}

}  // namespace emgnn
