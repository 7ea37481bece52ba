// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/ode_solver.h>

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

using Slope = std::function<at::Tensor(double t, const at::Tensor& y)>;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Dormand and Prince (1980): the stages, of which the last is the step itself, and the difference
// between the solutions of order 5 and 4.
constexpr size_t kStages = 7;
constexpr std::array<double, kStages> kTime = {0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0, 1.0};
constexpr std::array<std::array<double, kStages - 1>, kStages> kStage = {{
    {},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
}};
constexpr std::array<double, kStages> kError = {35.0 / 384 - 1951.0 / 21600,
                                                0.0,
                                                500.0 / 1113 - 22642.0 / 50085,
                                                125.0 / 192 - 451.0 / 720,
                                                -2187.0 / 6784 + 12231.0 / 42400,
                                                11.0 / 84 - 649.0 / 6300,
                                                -1.0 / 60};

[[noreturn]] void throw_stiff(double t, const OdeSpan& span, const OdeOptions& options) {
  throw Error(fmt::format(
      "the equation was solved from {} to {:.4g} of {} in model.solver_steps={} steps: it is stiff "
      "or grows without bound; allow more steps or larger tolerances, or a shorter model.time",
      span.from, t, span.to, options.max_steps));
}

// y + h Σ_s weight_s k_s
at::Tensor stepped(const at::Tensor& y, double h, const std::vector<at::Tensor>& k,
                   const double* weight) {
  at::Tensor out = y;
  for (size_t s = 0; s < k.size(); ++s)
    if (weight[s] != 0.0) out = at::add(out, k[s], h * weight[s]);
  return out;
}

at::Tensor solve_rk4(const Slope& f, at::Tensor y, const OdeSpan& span, const OdeOptions& options) {
  const double length = span.to - span.from;
  const auto steps = static_cast<int64_t>(std::ceil(std::abs(length) / options.step - 1e-9));
  if (steps > options.max_steps)
    throw_stiff(
        span.from + length * static_cast<double>(options.max_steps) / static_cast<double>(steps),
        span, options);
  const double h = length / static_cast<double>(std::max<int64_t>(steps, 1));
  for (int64_t n = 0; n < steps; ++n) {
    const double t = span.from + h * static_cast<double>(n);
    const at::Tensor k1 = f(t, y);
    const at::Tensor k2 = f(t + h / 3, y + k1 * (h / 3));
    const at::Tensor k3 = f(t + 2 * h / 3, y + (k2 - k1 / 3) * h);
    const at::Tensor k4 = f(t + h, y + (k1 - k2 + k3) * h);
    y = y + (k1 + (k2 + k3) * 3 + k4) * (h / 8);
  }
  return y;
}

double root_mean_square(const at::Tensor& x) {
  return std::sqrt(x.to(at::kDouble).square().mean().item<double>());
}

// What an error is measured in.
at::Tensor scale_of(const at::Tensor& y, const OdeOptions& options) {
  return y.abs() * options.relative_tolerance + options.absolute_tolerance;
}

// Hairer, Nørsett and Wanner (1993), II.4: about as long as an explicit step of order 1 may be.
double first_step(const Slope& f, double direction, const OdeSpan& span, const at::Tensor& y,
                  const at::Tensor& slope, const OdeOptions& options) {
  const at::NoGradGuard no_grad;
  const at::Tensor scale = scale_of(y, options);
  const double size = root_mean_square(y / scale), speed = root_mean_square(slope / scale);
  if (!std::isfinite(size + speed)) {
    throw Error(
        "the equation begins at values that are not finite: training has diverged; lower "
        "optim.learning_rate, or set optim.clip");
  }
  const double h0 = size < 1e-5 || speed < 1e-5 ? 1e-6 : 0.01 * size / speed;
  const at::Tensor next = f(span.from + direction * h0, y + slope * (direction * h0));
  const double bend = root_mean_square((next - slope) / scale) / h0;
  const double largest = std::max(speed, bend);
  const double h1 = largest <= 1e-15 ? std::max(1e-6, h0 * 1e-3) : std::pow(0.01 / largest, 0.2);
  return direction * std::min(100 * h0, h1);
}

at::Tensor solve_dopri5(const Slope& f, at::Tensor y, const OdeSpan& span,
                        const OdeOptions& options) {
  if (span.from == span.to) return y;
  const double direction = span.to > span.from ? 1.0 : -1.0;
  double t = span.from;
  std::vector<at::Tensor> k = {f(t, y)};
  double h = first_step(f, direction, span, y, k[0], options);
  for (int64_t n = 0; n < options.max_steps; ++n) {
    const bool last = std::abs(h) >= std::abs(span.to - t);
    if (last) h = span.to - t;
    at::Tensor next;
    for (size_t s = 1; s < kStages; ++s) {
      next = stepped(y, h, k, kStage[s].data());
      k.push_back(f(t + kTime[s] * h, next));
    }
    double ratio = 0.0;
    {
      const at::NoGradGuard no_grad;
      const at::Tensor error = stepped(at::zeros_like(y), h, k, kError.data());
      ratio = root_mean_square(error / scale_of(at::maximum(y.abs(), next.abs()), options));
    }
    const bool accepted = ratio <= 1.0;  // not if it is no number
    if (accepted && last) return next;
    if (accepted) {
      t += h;
      y = next;
    }
    k = {accepted ? k.back() : k.front()};
    if (!std::isfinite(ratio)) ratio = 1e10;
    h *= std::clamp(0.9 * std::pow(std::max(ratio, 1e-10), -0.2), accepted ? 1.0 : 0.2, 10.0);
  }
  throw_stiff(t, span, options);
}

at::Tensor solve(const Slope& f, const at::Tensor& y, const OdeSpan& span,
                 const OdeOptions& options) {
  return options.method == OdeMethod::kRk4 ? solve_rk4(f, y, span, options)
                                           : solve_dopri5(f, y, span, options);
}

struct OdeProblem : torch::CustomClassHolder {
  OdeProblem(OdeFunction function, const OdeSpan& from_to, const OdeOptions& how)
      : f(std::move(function)), span(from_to), options(how) {}
  OdeFunction f;
  OdeSpan span;
  OdeOptions options;
};

// (f, -aᵀ ∂f/∂y, -aᵀ ∂f/∂p) at (y, a), laid end to end.
at::Tensor adjoint_slope(const OdeFunction& f, double t, const at::Tensor& state,
                         const at::Tensor& like, const variable_list& parameters) {
  const int64_t size = like.numel();
  const at::Tensor a = state.narrow(0, size, size).view(like.sizes());
  variable_list inputs = {
      state.narrow(0, 0, size).view(like.sizes()).detach().set_requires_grad(true)};
  for (const at::Tensor& p : parameters) inputs.push_back(p.detach().set_requires_grad(true));
  const at::AutoGradMode with_gradient(true);
  const at::Tensor slope = f(t, inputs[0], at::TensorList(inputs).slice(1));
  const variable_list grads = torch::autograd::grad({slope}, inputs, {a}, /*retain_graph=*/false,
                                                    /*create_graph=*/false, /*allow_unused=*/true);
  variable_list out = {slope.detach().flatten()};
  for (size_t i = 0; i < inputs.size(); ++i)
    out.push_back(grads[i].defined() ? -grads[i].flatten() : at::zeros_like(inputs[i]).flatten());
  return at::cat(out).detach();
}

struct AdjointSolution : torch::autograd::Function<AdjointSolution> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& y, at::TensorList p,
                            const c10::intrusive_ptr<OdeProblem>& problem) {
    const at::Tensor out =
        solve([&](double t, const at::Tensor& at) { return problem->f(t, at, p); }, y,
              problem->span, problem->options);
    ctx->saved_data["problem"] = c10::IValue::make_capsule(problem);
    variable_list saved = {out};
    saved.insert(saved.end(), p.begin(), p.end());
    ctx->save_for_backward(saved);
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const at::NoGradGuard no_grad;
    const auto capsule = ctx->saved_data["problem"].toCapsule();
    const auto& problem = static_cast<const OdeProblem&>(*capsule);
    variable_list saved = ctx->get_saved_variables();
    const at::Tensor y = saved.front();
    const variable_list parameters(saved.begin() + 1, saved.end());
    variable_list parts = {y.flatten(), grads[0].contiguous().flatten()};
    for (const at::Tensor& p : parameters) parts.push_back(at::zeros_like(p).flatten());
    const at::Tensor end = solve(
        [&](double t, const at::Tensor& state) {
          return adjoint_slope(problem.f, t, state, y, parameters);
        },
        at::cat(parts), {problem.span.to, problem.span.from}, problem.options);
    int64_t place = y.numel();
    const auto next = [&](const at::Tensor& like) {
      place += like.numel();
      return end.narrow(0, place - like.numel(), like.numel()).view(like.sizes());
    };
    variable_list out = {next(y)};
    for (const at::Tensor& p : parameters) out.push_back(next(p));
    out.emplace_back();  // the problem
    return out;
  }
};

}  // namespace

void describe(OptionVisitor& visitor, OdeOptions& options) {
  visitor.choice("model.solver", options.method, {"rk4", "dopri5"},
                 "fixed steps of order 4, or steps of order 5 as long as tolerances allow");
  visitor.real("model.solver_step", options.step, 1e-6, 1e6, "length of a step of rk4, at most");
  visitor.real("model.absolute_tolerance", options.absolute_tolerance, 1e-12, 1.0,
               "error that a step of dopri5 may make");
  visitor.real("model.relative_tolerance", options.relative_tolerance, 0.0, 1.0,
               "and beside it this part of the value");
  visitor.integer("model.solver_steps", options.max_steps, 1, 1'000'000'000,
                  "steps after which the equation counts as unsolvable");
  visitor.choice("model.gradient", options.gradient, {"direct", "adjoint"},
                 "through the steps of the solver, or by solving the adjoint equation backwards: "
                 "less memory, less exact");
}

at::Tensor integrate(const OdeFunction& f, const at::Tensor& y, at::TensorList p,
                     const OdeSpan& span, const OdeOptions& options) {
  if (options.gradient == OdeGradient::kAdjoint) {
    const auto problem = c10::make_intrusive<OdeProblem>(f, span, options);
    return AdjointSolution::apply(y, p, problem);
  }
  return solve([&](double t, const at::Tensor& at) { return f(t, at, p); }, y, span, options);
}

}  // namespace emgnn
