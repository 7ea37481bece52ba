// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/Parallel.h>

namespace emgnn {

// While it lives, LibTorch's own operations use one thread. They only touch small tensors here; its
// thread pool would just compete with our kernels.
class SerialAten {
 public:
  SerialAten() : before_(at::get_num_threads()) { at::set_num_threads(1); }
  ~SerialAten() { at::set_num_threads(before_); }
  SerialAten(const SerialAten&) = delete;
  SerialAten& operator=(const SerialAten&) = delete;

 private:
  int before_;
};

}  // namespace emgnn
