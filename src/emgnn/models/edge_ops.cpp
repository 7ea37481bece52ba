// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/edge_ops.h>

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <emgnn/base/error.h>
#include <emgnn/kernels/edge.h>

namespace emgnn {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using EdgesPtr = c10::intrusive_ptr<Edges>;

kernels::CsrView view(const Csr& a) {
  return {a.num_rows, a.num_cols, a.rowptr.data(), a.col.data()};
}

kernels::EdgeBatch batch_of(const Edges& edges, int64_t heads) {
  kernels::EdgeBatch out{.pattern = view(edges.pattern),
                         .transposed = view(edges.symmetric ? edges.pattern : edges.backward.csr),
                         .entry = edges.symmetric ? nullptr : edges.backward.entry.data(),
                         .num_graphs = edges.num_graphs(),
                         .heads = heads};
  if (!edges.whole) out.weight = {edges.weight.data_ptr<float>(), edges.num_entries()};
  return out;
}

// Shared by all graphs, or one block for each.
kernels::PerGraph per_graph(const at::Tensor& t) {
  return {t.data_ptr<float>(), t.dim() == 2 ? 0 : t.size(-2) * t.size(-1)};
}

const Edges& edges_of(AutogradContext* ctx) {
  // The capsule lives as long as the context.
  return static_cast<const Edges&>(*ctx->saved_data["edges"].toCapsule());
}

float* wanted(AutogradContext* ctx, size_t input, at::Tensor& grad, const at::Tensor& like) {
  if (!ctx->needs_input_grad(input)) return nullptr;
  grad = at::empty_like(like);
  return grad.data_ptr<float>();
}

// LibTorch's custom functions take no undefined tensors: no term is one of size zero.
struct ScoresFunction : torch::autograd::Function<ScoresFunction> {
  using KindsPtr = c10::intrusive_ptr<EntryKinds>;

  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& left_in,
                            const at::Tensor& right_in, const at::Tensor& term_in,
                            const EdgesPtr& edges, const KindsPtr& kinds, double slope) {
    const at::Tensor left = left_in.contiguous(), right = right_in.contiguous();
    const at::Tensor term = term_in.contiguous();
    const int64_t heads = left.size(-1);
    ctx->saved_data["edges"] = c10::IValue::make_capsule(edges);
    ctx->saved_data["kinds"] = c10::IValue::make_capsule(kinds);
    ctx->saved_data["slope"] = slope;
    at::Tensor out = at::empty({edges->num_graphs(), edges->num_entries(), heads}, left.options());
    kernels::edge_scores(batch_of(*edges, heads), scores_of({left, right, term}, *kinds, slope),
                         out.data_ptr<float>());
    ctx->save_for_backward({left, right, term, out});
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Edges& edges = edges_of(ctx);
    const auto kinds = ctx->saved_data["kinds"].toCapsule();
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor g = grads[0].contiguous();
    at::Tensor grad_left, grad_right, grad_term;
    const kernels::EdgeScoreGrads to{.left = wanted(ctx, 0, grad_left, saved[0]),
                                     .right = wanted(ctx, 1, grad_right, saved[1]),
                                     .term = wanted(ctx, 2, grad_term, saved[2])};
    kernels::edge_scores_backward(batch_of(edges, g.size(-1)),
                                  scores_of(saved, static_cast<const EntryKinds&>(*kinds),
                                            ctx->saved_data["slope"].toDouble()),
                                  saved[3].data_ptr<float>(), g.data_ptr<float>(), to);
    return {grad_left, grad_right, grad_term, at::Tensor(), at::Tensor(), at::Tensor()};
  }

  // Of {left, right, term, ..}.
  static kernels::EdgeScores scores_of(const variable_list& terms, const EntryKinds& kinds,
                                       double slope) {
    kernels::EdgeScores out{.left = per_graph(terms[0]),
                            .right = per_graph(terms[1]),
                            .slope = static_cast<float>(slope)};
    if (terms[2].numel() == 0) return out;
    out.type = kinds.kind.data();
    out.term = terms[2].data_ptr<float>();
    out.num_types = terms[2].size(0);
    return out;
  }
};

struct SoftmaxFunction : torch::autograd::Function<SoftmaxFunction> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& scores_in,
                            const EdgesPtr& edges) {
    const at::Tensor scores = scores_in.contiguous();
    ctx->saved_data["edges"] = c10::IValue::make_capsule(edges);
    at::Tensor out = at::empty_like(scores);
    kernels::edge_softmax(batch_of(*edges, scores.size(-1)), scores.data_ptr<float>(),
                          out.data_ptr<float>());
    ctx->save_for_backward({out});
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const at::Tensor out = ctx->get_saved_variables()[0];
    const at::Tensor g = grads[0].contiguous();
    at::Tensor grad = at::empty_like(out);
    kernels::edge_softmax_backward(batch_of(edges_of(ctx), out.size(-1)), out.data_ptr<float>(),
                                   g.data_ptr<float>(), grad.data_ptr<float>());
    return {grad, at::Tensor()};
  }
};

struct AggregateFunction : torch::autograd::Function<AggregateFunction> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& values_in,
                            const at::Tensor& h_in, const EdgesPtr& edges) {
    const at::Tensor values = values_in.contiguous(), h = h_in.contiguous();
    ctx->saved_data["edges"] = c10::IValue::make_capsule(edges);
    ctx->save_for_backward({values, h});
    at::Tensor out =
        at::empty({edges->num_graphs(), edges->pattern.num_rows, h.size(-1)}, h.options());
    kernels::edge_aggregate(batch_of(*edges, values.size(-1)), aggregate_of(values, h),
                            out.data_ptr<float>());
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor g = grads[0].contiguous();
    at::Tensor grad_values, grad_h;
    const kernels::EdgeAggregateGrads to{.values = wanted(ctx, 0, grad_values, saved[0]),
                                         .in = wanted(ctx, 1, grad_h, saved[1])};
    kernels::edge_aggregate_backward(batch_of(edges_of(ctx), saved[0].size(-1)),
                                     aggregate_of(saved[0], saved[1]), g.data_ptr<float>(), to);
    return {grad_values, grad_h, at::Tensor()};
  }

  static kernels::EdgeAggregate aggregate_of(const at::Tensor& values, const at::Tensor& h) {
    return {.width = h.size(-1) / values.size(-1),
            .values = values.data_ptr<float>(),
            .in = per_graph(h)};
  }
};

struct DotsFunction : torch::autograd::Function<DotsFunction> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& left_in,
                            const at::Tensor& right_in, const EdgesPtr& edges) {
    const at::Tensor left = left_in.contiguous(), right = right_in.contiguous();
    ctx->saved_data["edges"] = c10::IValue::make_capsule(edges);
    ctx->save_for_backward({left, right});
    at::Tensor out = at::empty({1, edges->num_entries(), 1}, left.options());
    kernels::edge_dots(batch_of(*edges, 1), left.size(-1), left.data_ptr<float>(), per_graph(right),
                       out.data_ptr<float>());
    return out;
  }

  // Each end receives the sum of the other ends of its entries.
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor &left = saved[0], &right = saved[1];
    const at::Tensor g = grads[0].contiguous();
    const kernels::EdgeBatch batch = batch_of(edges_of(ctx), 1);
    const kernels::EdgeAggregate sum{
        .width = left.size(-1), .values = g.data_ptr<float>(), .in = per_graph(right)};
    at::Tensor grad_left, grad_right;
    if (float* to = wanted(ctx, 0, grad_left, left)) kernels::edge_aggregate(batch, sum, to);
    kernels::edge_aggregate_backward(batch, sum, left.data_ptr<float>(),
                                     {.in = wanted(ctx, 1, grad_right, right)});
    return {grad_left, grad_right, at::Tensor()};
  }
};

}  // namespace

at::Tensor edge_scores(const EdgesPtr& edges, const at::Tensor& left, const at::Tensor& right,
                       double slope) {
  return edge_scores(edges, left, right, c10::make_intrusive<EntryKinds>(),
                     at::empty({0}, left.options()), slope);
}

at::Tensor edge_scores(const EdgesPtr& edges, const at::Tensor& left, const at::Tensor& right,
                       const c10::intrusive_ptr<EntryKinds>& kinds, const at::Tensor& term,
                       double slope) {
  EMGNN_CHECK(left.size(-2) == edges->pattern.num_rows && right.size(-2) == edges->pattern.num_cols,
              "edge_scores: expected a row for each output and each input", left.size(-2));
  EMGNN_CHECK(
      term.numel() == 0 || (static_cast<int64_t>(kinds->kind.size()) == edges->num_entries() &&
                            term.size(1) == left.size(-1)),
      "edge_scores: expected a kind for each entry and a term for each head", kinds->kind.size());
  return ScoresFunction::apply(left, right, term, edges, kinds, slope);
}

at::Tensor edge_softmax(const EdgesPtr& edges, const at::Tensor& scores) {
  return SoftmaxFunction::apply(scores, edges);
}

at::Tensor edge_dots(const EdgesPtr& edges, const at::Tensor& left, const at::Tensor& right) {
  EMGNN_CHECK(edges->num_graphs() == 1 && left.dim() == 2 && right.dim() == 2 &&
                  left.size(0) == edges->pattern.num_rows &&
                  right.size(0) == edges->pattern.num_cols && left.size(1) == right.size(1),
              "edge_dots: expected a row for each output and each input, equally wide",
              left.size(-1));
  return DotsFunction::apply(left, right, edges);
}

at::Tensor aggregate(const EdgesPtr& edges, const at::Tensor& values, const at::Tensor& h) {
  EMGNN_CHECK(h.size(-2) == edges->pattern.num_cols && h.size(-1) % values.size(-1) == 0,
              "aggregate: expected a row for each input and whole heads", h.size(-1));
  const at::Tensor out = AggregateFunction::apply(values, h, edges);
  return edges->blocks ? out.squeeze(0) : out;
}

}  // namespace emgnn
