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
      for (const auto [e, j] : row) v[e] = weight_of(*graph, e, w) * (s[i] * s[j]);
    });
    ctx->saved_data["graph"] = c10::IValue::make_capsule(graph);
    ctx->save_for_backward({weight, scale});
    return values;
  }

  // With g_e the gradient of v_e and h = Σ g_e over the one or two entries of a pair: that of D_i is
  // −½ s_i³ Σ_j h w s_j, with 2 h of the pair (i, i), that of the weight of a pair h s_i s_j and those
  // of the D that it is a part of.
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto capsule = ctx->saved_data["graph"].toCapsule();
    const auto& graph = static_cast<const PairGraph&>(*capsule);
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor grad_values = grads[0].contiguous();
    const float *w = saved[0].data_ptr<float>(), *s = saved[1].data_ptr<float>();
    const std::vector<float> both = sums_of_pairs(graph, grad_values.data_ptr<float>());
    std::vector<float> of_degree(at(saved[1].numel()));
    for_rows(graph, [&](int32_t i, const CsrRow& row) {
      double sum = 0.0;
      for (const auto [e, j] : row) {
        const int32_t pair = graph.pair[at(e)];
        const float h = pair < 0 ? grad_values.data_ptr<float>()[e] : both[at(pair)];
        sum += double{j == i ? 2.0F * h : h} * (pair < 0 ? 1.0F : w[pair]) * s[j];
      }
      of_degree[at(i)] = static_cast<float>(-0.5 * sum * s[i] * s[i] * s[i]);
    });
    at::Tensor grad = at::empty_like(saved[0]);
    float* to = grad.data_ptr<float>();
    for_rows(graph, [&](int32_t i, const CsrRow& row) {
      for (const auto [e, j] : row) {
        const int32_t pair = graph.pair[at(e)];
        if (pair < 0 || j < i) continue;
        const float degrees = of_degree[at(i)] + (j == i ? 0.0F : of_degree[at(j)]);
        to[pair] = both[at(pair)] * s[i] * s[j] + degrees;
      }
    });
    return {grad, at::Tensor()};
  }

  // Over the entries of each pair: first those of i <= j, then the others are added.
  static std::vector<float> sums_of_pairs(const PairGraph& graph, const float* of_entry) {
    std::vector<float> sum(at(graph.num_pairs));
    for (const bool lower : {false, true}) {
      for_rows(graph, [&](int32_t i, const CsrRow& row) {
        for (const auto [e, j] : row) {
          const int32_t pair = graph.pair[at(e)];
          if (pair < 0 || (j < i) != lower) continue;
          sum[at(pair)] = lower ? sum[at(pair)] + of_entry[e] : of_entry[e];
        }
      });
    }
    return sum;
  }
};

struct PairProducts : torch::autograd::Function<PairProducts> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& rows, const at::Tensor& known,
                            const c10::intrusive_ptr<PairGraph>& graph) {
    ctx->saved_data["graph"] = c10::IValue::make_capsule(graph);
    ctx->save_for_backward({rows});
    return known.clone();
  }

  // Each end receives the other ends of its pairs, and both ends of (i, i) are i.
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto capsule = ctx->saved_data["graph"].toCapsule();
    const auto& graph = static_cast<const PairGraph&>(*capsule);
    const at::Tensor grad = grads[0].contiguous();
    const float* g = grad.data_ptr<float>();
    at::Tensor values = at::empty({1, graph.edges->num_entries(), 1}, at::kFloat);
    float* v = values.data_ptr<float>();
    for_rows(graph, [&](int32_t i, const CsrRow& row) {
      for (const auto [e, j] : row) {
        const int32_t pair = graph.pair[at(e)];
        v[e] = pair < 0 ? 0.0F : (j == i ? 2.0F : 1.0F) * g[pair];
      }
    });
    const at::NoGradGuard no_grad;
    return {aggregate(graph.edges, values, ctx->get_saved_variables()[0]).squeeze(0), at::Tensor(),
            at::Tensor()};
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
    out->whole = false;
    out->type.assign(out->pattern.col.size(), 0);
    return out;
  }

 private:
  c10::intrusive_ptr<Edges> entries_;
  at::Tensor values_;
};

}  // namespace

c10::intrusive_ptr<PairGraph> pair_graph(const Csr& pairs, bool loops) {
  Csr pattern{.num_rows = pairs.num_rows, .num_cols = pairs.num_rows};
  std::vector<int32_t> size(at(pairs.num_rows), loops ? 0 : 1);
  for (int32_t i = 0; i < pairs.num_rows; ++i) {
    for (const int32_t j : pairs.row(i).col) {
      ++size[at(i)];
      if (j != i) ++size[at(j)];
    }
  }
  for (const int32_t n : size) pattern.rowptr.push_back(pattern.rowptr.back() + n);
  auto out = c10::make_intrusive<PairGraph>();
  pattern.col.resize(at(pattern.rowptr.back()));
  out->pair.resize(pattern.col.size());
  out->num_pairs = pairs.num_entries();
  // When it is a row's turn, the rows before it have put in all its columns below the diagonal.
  std::vector<int32_t> next = pattern.rowptr.to_vector();
  const auto put = [&](int32_t row, int32_t col, int32_t pair) {
    const size_t e = at(next[at(row)]++);
    pattern.col[e] = col;
    out->pair[e] = pair;
  };
  for (int32_t i = 0; i < pairs.num_rows; ++i) {
    if (!loops) put(i, i, -1);
    for (const auto [pair, j] : pairs.row(i)) {
      put(i, j, pair);
      if (j != i) put(j, i, pair);
    }
  }
  out->edges = symmetric_pattern(std::move(pattern));
  return out;
}

namespace {

c10::intrusive_ptr<Edges> on_pattern(Csr pattern) {
  auto out = c10::make_intrusive<Edges>();
  out->pattern = std::move(pattern);
  out->weight = at::ones({1, 1}, at::kFloat).expand({1, out->num_entries()});
  out->whole = true;
  return out;
}

}  // namespace

c10::intrusive_ptr<Edges> whole_pattern(Csr pattern) {
  c10::intrusive_ptr<Edges> out = on_pattern(std::move(pattern));
  out->index();
  return out;
}

c10::intrusive_ptr<Edges> symmetric_pattern(Csr pattern) {
  c10::intrusive_ptr<Edges> out = on_pattern(std::move(pattern));
  out->symmetric = true;
  return out;
}

at::Tensor pair_products(const c10::intrusive_ptr<PairGraph>& graph, const at::Tensor& rows,
                         const at::Tensor& known) {
  EMGNN_CHECK(known.dim() == 1 && known.size(0) == graph->num_pairs,
              "pair_products: expected a product for each pair", known.numel());
  return PairProducts::apply(rows.contiguous(), known, graph);
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
