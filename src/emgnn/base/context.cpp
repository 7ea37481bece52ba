// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/context.h>

#include <algorithm>
#include <utility>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

// "cuda", or "cuda:" and digits.
bool names_cuda(std::string_view text) {
  constexpr std::string_view kCuda = "cuda";
  if (!text.starts_with(kCuda)) return false;
  text.remove_prefix(kCuda.size());
  if (text.empty()) return true;
  return text.size() > 1 && text.front() == ':' &&
         std::all_of(text.begin() + 1, text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string to_string(Device device) {
  switch (device) {
    case Device::kCpu:
      break;
  }
  return "cpu";
}

Device parse_device(std::string_view text) {
  if (names_cuda(text)) throw UsageError("this build has no CUDA; use cpu");
  EMGNN_CHECK(text == "cpu", "the device must be cpu or cuda[:i]", text);
  return Device::kCpu;
}

Context::Context(int threads, Device device, std::function<bool()> stop)
    : pool_(std::make_shared<ThreadPool>(threads)), device_(device) {
  pool_->set_stop(std::move(stop));
}

Context::Scope::Scope(Context context)
    : context_(std::move(context)), before_(ThreadPool::set_current(context_.pool_.get())) {}

Context::Scope::~Scope() { ThreadPool::set_current(before_); }

}  // namespace emgnn
