// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/segments.h>

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <mutex>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/kernels/segment.h>
#include <emgnn/kernels/spmm.h>

namespace emgnn {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

kernels::CsrView view(const Csr& a) {
  return {a.num_rows, a.num_cols, a.rowptr.data(), a.col.data()};
}

}  // namespace

struct Segments::Map : torch::CustomClassHolder {
  Csr rows;

  explicit Map(Csr r) : rows(std::move(r)) {}

  // Σ weight[r] h[r], the weights ones if null.
  at::Tensor sum(const at::Tensor& h, const float* weight) const {
    at::Tensor out = at::empty({rows.num_rows, h.size(1)}, h.options());
    kernels::spmm(view(rows), {.width = h.size(1),
                               .val = weight,
                               .val_index = weight == nullptr ? nullptr : rows.col.data(),
                               .in = h.data_ptr<float>(),
                               .out = out.data_ptr<float>()});
    return out;
  }

  // out[r] = Σ g[s] over the segments s that have row r.
  at::Tensor spread(const at::Tensor& g) const {
    std::call_once(transposed_made_, [this] { transposed_ = transpose(rows).csr; });
    at::Tensor out = at::empty({rows.num_cols, g.size(1)}, g.options());
    kernels::spmm(view(transposed_),
                  {.width = g.size(1), .in = g.data_ptr<float>(), .out = out.data_ptr<float>()});
    return out;
  }

  const c10::intrusive_ptr<Edges>& edges() const {
    std::call_once(edges_made_, [this] {
      edges_ = c10::make_intrusive<Edges>();
      edges_->pattern = rows;
      edges_->weight = at::ones({1, rows.num_entries()}, at::kFloat);
      edges_->type.assign(rows.col.size(), 0);
      edges_->blocks = true;
      edges_->index();
    });
    return edges_;
  }

 private:
  mutable std::once_flag transposed_made_, edges_made_;
  mutable Csr transposed_;
  mutable c10::intrusive_ptr<Edges> edges_;
};

namespace {

using Map = Segments::Map;

const Map& map_of(const c10::intrusive_ptr<c10::intrusive_ptr_target>& capsule) {
  return static_cast<const Map&>(*capsule);
}

struct Sum : torch::autograd::Function<Sum> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& h,
                            const c10::intrusive_ptr<Map>& map) {
    ctx->saved_data["map"] = c10::IValue::make_capsule(map);
    return map->sum(h.contiguous(), nullptr);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto capsule = ctx->saved_data["map"].toCapsule();
    return {map_of(capsule).spread(grads[0].contiguous()), at::Tensor()};
  }
};

struct WeightedSum : torch::autograd::Function<WeightedSum> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& h_in, const at::Tensor& w_in,
                            const c10::intrusive_ptr<Map>& map) {
    const at::Tensor h = h_in.contiguous(), w = w_in.contiguous();
    ctx->saved_data["map"] = c10::IValue::make_capsule(map);
    ctx->save_for_backward({h, w});
    return map->sum(h, w.data_ptr<float>());
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto capsule = ctx->saved_data["map"].toCapsule();
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor spread = map_of(capsule).spread(grads[0].contiguous());
    return {spread * saved[1], (spread * saved[0]).sum(1, true), at::Tensor()};
  }
};

struct Max : torch::autograd::Function<Max> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& h_in,
                            const c10::intrusive_ptr<Map>& map) {
    const at::Tensor h = h_in.contiguous();
    at::Tensor out = at::empty({map->rows.num_rows, h.size(1)}, h.options());
    kernels::segment_max(view(map->rows), h.size(1), h.data_ptr<float>(), out.data_ptr<float>());
    ctx->saved_data["map"] = c10::IValue::make_capsule(map);
    ctx->save_for_backward({h, out});
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto capsule = ctx->saved_data["map"].toCapsule();
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor g = grads[0].contiguous();
    at::Tensor grad_h = at::zeros_like(saved[0]);
    kernels::segment_max_backward(view(map_of(capsule).rows), g.size(1), saved[0].data_ptr<float>(),
                                  saved[1].data_ptr<float>(), g.data_ptr<float>(),
                                  grad_h.data_ptr<float>());
    return {grad_h, at::Tensor()};
  }
};

}  // namespace

Segments::Segments(Csr rows) {
  sizes_ = at::empty({rows.num_rows, 1}, at::kFloat);
  for (int64_t s = 0; s < rows.num_rows; ++s) {
    const int32_t size =
        rows.rowptr[static_cast<size_t>(s) + 1] - rows.rowptr[static_cast<size_t>(s)];
    EMGNN_DCHECK(size > 0);
    sizes_.data_ptr<float>()[s] = static_cast<float>(size);
  }
  map_ = c10::make_intrusive<Map>(std::move(rows));
}

Segments::~Segments() = default;
Segments::Segments(Segments&&) noexcept = default;

int64_t Segments::num_segments() const { return map_->rows.num_rows; }

at::Tensor Segments::sum(const at::Tensor& h) const {
  EMGNN_DCHECK(h.size(0) == map_->rows.num_cols);
  return Sum::apply(h, map_);
}

at::Tensor Segments::weighted_sum(const at::Tensor& h, const at::Tensor& weight) const {
  EMGNN_DCHECK(h.size(0) == map_->rows.num_cols && weight.numel() == h.size(0));
  return WeightedSum::apply(h, weight, map_);
}

at::Tensor Segments::max(const at::Tensor& h) const {
  EMGNN_DCHECK(h.size(0) == map_->rows.num_cols);
  return Max::apply(h, map_);
}

const c10::intrusive_ptr<Edges>& Segments::edges() const { return map_->edges(); }

}  // namespace emgnn
