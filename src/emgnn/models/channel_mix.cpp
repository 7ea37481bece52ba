// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/channel_mix.h>

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <emgnn/kernels/channel_mix.h>

namespace emgnn {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Settings : torch::CustomClassHolder {
  kernels::Activation activation = kernels::Activation::kIdentity;
  float slope = 0.0F, factor = 1.0F;
  bool normalises = false;
  bool keeps_shares = false;  // a gradient will be wanted
};

// In this order everywhere: near, own, around, own_around, diagonal, score, offset, mixing.
kernels::ChannelMix mix_of(const variable_list& in, const Settings& settings) {
  const at::Tensor &near = in[0], &own = in[1], &around = in[2];
  const bool all = around.numel() > 0;
  return {.num_graphs = near.size(0),
          .num_rows = near.size(1),
          .width = near.size(2) / 2,
          .num_channels = all ? 4 : 3,
          .activation = settings.activation,
          .slope = settings.slope,
          .normalises = settings.normalises,
          .factor = settings.factor,
          .near = near.data_ptr<float>(),
          .own = own.data_ptr<float>(),
          .own_stride = own.dim() == 3 ? own.size(1) * own.size(2) : 0,
          .around = all ? around.data_ptr<float>() : nullptr,
          .own_around = all ? in[3].data_ptr<float>() : nullptr,
          .diagonal = all ? in[4].data_ptr<float>() : nullptr,
          .score = in[5].data_ptr<float>(),
          .offset = in[6].data_ptr<float>(),
          .mixing = in[7].data_ptr<float>()};
}

struct MixChannels : torch::autograd::Function<MixChannels> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& near, const at::Tensor& own,
                            const at::Tensor& around, const at::Tensor& own_around,
                            const at::Tensor& diagonal, const at::Tensor& score,
                            const at::Tensor& offset, const at::Tensor& mixing,
                            const c10::intrusive_ptr<Settings>& settings) {
    variable_list in = {near, own, around, own_around, diagonal, score, offset, mixing};
    for (at::Tensor& tensor : in) tensor = tensor.contiguous();
    ctx->saved_data["settings"] = c10::IValue::make_capsule(settings);
    kernels::ChannelMix mix = mix_of(in, *settings);
    if (settings->keeps_shares) {
      in.push_back(at::empty({mix.num_graphs, mix.num_rows, 2 * mix.num_channels}, near.options()));
      mix.shares = in.back().data_ptr<float>();
      ctx->save_for_backward(in);
    }
    at::Tensor out = at::empty({mix.num_graphs, mix.num_rows, mix.width}, near.options());
    kernels::channel_mix(mix, out.data_ptr<float>());
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto settings = ctx->saved_data["settings"].toCapsule();
    variable_list in = ctx->get_saved_variables();
    const at::Tensor shares = in.back();
    in.pop_back();
    const at::Tensor grad_out = grads[0].contiguous();
    kernels::ChannelMix mix = mix_of(in, static_cast<const Settings&>(*settings));
    mix.shares = shares.data_ptr<float>();
    variable_list out;
    for (const at::Tensor& tensor : in) out.push_back(at::empty_like(tensor));
    kernels::channel_mix_backward(mix, grad_out.data_ptr<float>(),
                                  {.near = out[0].data_ptr<float>(),
                                   .own = out[1].data_ptr<float>(),
                                   .around = out[2].data_ptr<float>(),
                                   .own_around = out[3].data_ptr<float>(),
                                   .score = out[5].data_ptr<float>(),
                                   .offset = out[6].data_ptr<float>(),
                                   .mixing = out[7].data_ptr<float>()});
    out[4] = at::Tensor();
    if (in[2].numel() == 0) out[2] = out[3] = at::Tensor();
    out.emplace_back();
    return out;
  }
};

}  // namespace

at::Tensor channel_mix(const ChannelProducts& products, const ChannelScores& scores,
                       const Nonlinearity& activation, double factor) {
  auto settings = c10::make_intrusive<Settings>();
  settings->activation = activation.kind;
  settings->slope = static_cast<float>(activation.slope);
  settings->factor = static_cast<float>(factor);
  settings->normalises = scores.normalises;
  settings->keeps_shares = at::GradMode::is_enabled();
  // LibTorch's custom functions take no undefined tensors: what is missing is one of size zero.
  const at::Tensor none = at::empty({0}, products.near.options());
  const bool all = products.around.defined();
  return MixChannels::apply(products.near, products.own, all ? products.around : none,
                            all ? products.own_around : none, all ? products.diagonal : none,
                            scores.score, scores.offset, scores.mixing, settings);
}

}  // namespace emgnn
