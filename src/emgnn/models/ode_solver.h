// SPDX-License-Identifier: Apache-2.0
// Solutions of dy/dt = f(t, y; p) that can be differentiated in y(from) and p, where p are tensors.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

#include <emgnn/base/options.h>

namespace emgnn {

enum class OdeMethod { kRk4, kDopri5 };
enum class OdeGradient { kDirect, kAdjoint };

struct OdeOptions {
  OdeMethod method = OdeMethod::kDopri5;
  double step = 0.1;                 // of rk4, at most
  double absolute_tolerance = 1e-4;  // of dopri5
  double relative_tolerance = 1e-6;
  int64_t max_steps = 1000;  // of either
  OdeGradient gradient = OdeGradient::kDirect;
};
void describe(OptionVisitor& visitor, OdeOptions& options);

using OdeFunction = std::function<at::Tensor(double t, const at::Tensor& y, at::TensorList p)>;

struct OdeSpan {
  double from = 0.0, to = 1.0;  // either may be the larger
};

// y(to), given y(from). rk4: fixed steps of the 3/8 rule, of order 4. dopri5: steps of Dormand and
// Prince, of order 5, each as long as its estimated error allows. An Error when max_steps are not
// enough: the equation is stiff or has no finite solution.
//
// Gradients are those of the steps themselves (direct), which keeps what every step computed; or of
// the equation (adjoint): with a(to) = ∂L/∂y(to), the system
//   dy/dt = f    da/dt = -aᵀ ∂f/∂y    dg/dt = -aᵀ ∂f/∂p
// is solved from `to` back to `from` by the same method, where a = ∂L/∂y(from) and g = ∂L/∂p. It
// keeps nothing, and is as exact as the solver.
at::Tensor integrate(const OdeFunction& f, const at::Tensor& y, at::TensorList p,
                     const OdeSpan& span, const OdeOptions& options);

}  // namespace emgnn
