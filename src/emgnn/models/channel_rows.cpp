// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/channel_rows.h>

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include <emgnn/kernels/channel_mix.h>
#include <emgnn/kernels/spmm.h>

namespace emgnn {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct RowMix : torch::CustomClassHolder {
  c10::intrusive_ptr<DistinctRows> rows;
  kernels::ChannelMix mix;  // its shape and settings; the pointers belong to one pass
};

at::Tensor empty_rows(int64_t rows, int64_t width) { return at::empty({rows, width}, at::kFloat); }

// The columns from `first` on, of some rows or of all, side by side.
at::Tensor columns(const at::Tensor& from, int64_t first, int64_t count,
                   const std::vector<int32_t>* rows = nullptr) {
  const int64_t width = from.size(-1);
  const auto num_rows = rows == nullptr ? from.numel() / width : static_cast<int64_t>(rows->size());
  at::Tensor out = empty_rows(num_rows, count);
  const float* begin = from.data_ptr<float>() + first;
  float* to = out.data_ptr<float>();
  for (int64_t i = 0; i < num_rows; ++i) {
    const int64_t row = rows == nullptr ? i : (*rows)[static_cast<size_t>(i)];
    to = std::copy_n(begin + row * width, count, to);
  }
  return out;
}

// out[i, first:] += rows of `grad`, [rows.size(), count].
void add_columns(const at::Tensor& grad, const std::vector<int32_t>& rows, int64_t first,
                 at::Tensor& out) {
  const int64_t count = grad.size(1), width = out.size(1);
  const float* from = grad.data_ptr<float>();
  for (const int32_t row : rows) {
    float* to = out.data_ptr<float>() + row * width + first;
    for (int64_t j = 0; j < count; ++j) to[j] += from[j];
    from += count;
  }
}

at::Tensor product(const DistinctRows& rows, const at::Tensor& in) {
  at::Tensor out = empty_rows(rows.num_rows(), in.size(1));
  rows.apply(in.size(1), in.data_ptr<float>(), out.data_ptr<float>());
  return out;
}

at::Tensor product(const Csr& a, const at::Tensor& in) {
  at::Tensor out = empty_rows(a.num_rows, in.size(1));
  kernels::spmm({a.num_rows, a.num_cols, a.rowptr.data(), a.col.data()},
                {.width = in.size(1),
                 .val = a.val.data(),
                 .in = in.data_ptr<float>(),
                 .out = out.data_ptr<float>()});
  return out;
}

// What is kept between the passes, in this order.
enum Kept { kNear, kOwn, kAround, kOwnAround, kScore, kOffset, kMixing, kShares };

kernels::ChannelMix mix_of(const RowMix& settings, const variable_list& in) {
  kernels::ChannelMix mix = settings.mix;
  mix.near = in[kNear].data_ptr<float>();
  mix.own = in[kOwn].data_ptr<float>();
  mix.around = mix.num_channels == 4 ? in[kAround].data_ptr<float>() : nullptr;
  mix.own_around = mix.num_channels == 4 ? in[kOwnAround].data_ptr<float>() : nullptr;
  mix.diagonal = settings.rows->factor.data();
  mix.score = in[kScore].data_ptr<float>();
  mix.offset = in[kOffset].data_ptr<float>();
  mix.mixing = in[kMixing].data_ptr<float>();
  mix.shares = in[kShares].numel() > 0 ? in[kShares].data_ptr<float>() : nullptr;
  return mix;
}

struct MixRows : torch::autograd::Function<MixRows> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& filtered_in,
                            const at::Tensor& structure_in, const at::Tensor& score,
                            const at::Tensor& offset, const at::Tensor& mixing,
                            const c10::intrusive_ptr<RowMix>& settings, bool keeps) {
    const DistinctRows& rows = *settings->rows;
    const int64_t width = settings->mix.width, num_channels = settings->mix.num_channels;
    const at::Tensor filtered = filtered_in.contiguous(), structure = structure_in.contiguous();
    variable_list in(kShares + 1, at::empty({0}, at::kFloat));
    in[kNear] = product(rows, columns(filtered, 0, 2 * width));
    in[kOwn] = columns(filtered, width, 2 * width, &rows.self);
    if (num_channels == 4) {
      const at::Tensor weight = columns(structure, 0, width, &rows.input_nodes);
      in[kAround] = product(rows, weight);
      in[kOwnAround] = columns(weight, 0, width, &rows.self);
    }
    in[kScore] = score.contiguous();
    in[kOffset] = offset.contiguous();
    in[kMixing] = mixing.contiguous();
    if (keeps) in[kShares] = empty_rows(rows.num_rows(), 2 * num_channels);
    at::Tensor each = empty_rows(rows.num_rows(), width);
    kernels::channel_mix(mix_of(*settings, in), each.data_ptr<float>());
    at::Tensor out = at::empty({rows.num_graphs, rows.num_outputs(), width}, at::kFloat);
    rows.spread(width, each.data_ptr<float>(), out.data_ptr<float>());
    if (keeps) {
      ctx->saved_data["settings"] = c10::IValue::make_capsule(settings);
      ctx->saved_data["nodes"] = structure.size(0);
      ctx->saved_data["shape"] = filtered.sizes().vec();
      ctx->save_for_backward(in);
    }
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto capsule = ctx->saved_data["settings"].toCapsule();
    const auto& settings = static_cast<const RowMix&>(*capsule);
    const DistinctRows& rows = *settings.rows;
    const variable_list in = ctx->get_saved_variables();
    const int64_t width = settings.mix.width;
    const at::Tensor grad_out = grads[0].contiguous();
    at::Tensor each = empty_rows(rows.num_rows(), width);
    rows.gather(width, grad_out.data_ptr<float>(), each.data_ptr<float>());
    variable_list grad;
    for (int k = 0; k < kShares; ++k) grad.push_back(at::empty_like(in[static_cast<size_t>(k)]));
    kernels::channel_mix_backward(mix_of(settings, in), each.data_ptr<float>(),
                                  {.near = grad[kNear].data_ptr<float>(),
                                   .own = grad[kOwn].data_ptr<float>(),
                                   .around = grad[kAround].data_ptr<float>(),
                                   .own_around = grad[kOwnAround].data_ptr<float>(),
                                   .score = grad[kScore].data_ptr<float>(),
                                   .offset = grad[kOffset].data_ptr<float>(),
                                   .mixing = grad[kMixing].data_ptr<float>()});
    const Csr back = rows.transposed();
    at::Tensor grad_structure;
    if (settings.mix.num_channels == 4) {
      at::Tensor of_inputs = product(back, grad[kAround]);
      add_columns(grad[kOwnAround], rows.self, 0, of_inputs);
      grad_structure = at::zeros({ctx->saved_data["nodes"].toInt(), width}, at::kFloat);
      add_columns(of_inputs, rows.input_nodes, 0, grad_structure);
    }
    return {grad_of_filtered(rows, product(back, grad[kNear]), grad[kOwn])
                .view(ctx->saved_data["shape"].toIntVector()),
            grad_structure,
            grad[kScore],
            grad[kOffset],
            grad[kMixing],
            at::Tensor(),
            at::Tensor()};
  }

  // Through the products, [inputs, 2 width] of the first columns, and directly, [rows, 2 width] of
  // the last.
  static at::Tensor grad_of_filtered(const DistinctRows& rows, const at::Tensor& through,
                                     const at::Tensor& own) {
    const int64_t width = own.size(1) / 2;
    at::Tensor out = empty_rows(rows.num_inputs(), 3 * width);
    const float* from = through.data_ptr<float>();
    float* to = out.data_ptr<float>();
    for (int64_t i = 0; i < rows.num_inputs(); ++i, from += 2 * width) {
      to = std::copy_n(from, 2 * width, to);
      to = std::fill_n(to, width, 0.0F);
    }
    add_columns(own, rows.self, width, out);
    return out;
  }
};

}  // namespace

at::Tensor channel_mix_of_rows(const c10::intrusive_ptr<DistinctRows>& rows,
                               const at::Tensor& filtered, const at::Tensor& structure,
                               const ChannelScores& scores, const Nonlinearity& activation,
                               double factor) {
  auto settings = c10::make_intrusive<RowMix>();
  settings->rows = rows;
  settings->mix = {.num_graphs = 1,
                   .num_rows = rows->num_rows(),
                   .width = filtered.size(-1) / 3,
                   .num_channels = structure.defined() ? 4 : 3,
                   .activation = activation.kind,
                   .slope = static_cast<float>(activation.slope),
                   .normalises = scores.normalises,
                   .factor = static_cast<float>(factor)};
  // LibTorch's custom functions take no undefined tensors: what is missing is one of size zero.
  return MixRows::apply(filtered, structure.defined() ? structure : at::empty({0, 0}, at::kFloat),
                        scores.score, scores.offset, scores.mixing, settings,
                        at::GradMode::is_enabled());
}

}  // namespace emgnn
