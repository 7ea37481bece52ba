// SPDX-License-Identifier: Apache-2.0
// Errors. The library throws and never prints or exits; the command line maps kinds to exit
// statuses.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace emgnn {

// A mistake that the caller can mend. `what()` is one line that names the place and what was
// expected.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A wrong option, key, value, shape or call.
class UsageError : public Error {
 public:
  using Error::Error;
};

// A file or dataset that is missing, damaged or inconsistent.
class DataError : public Error {
 public:
  using Error::Error;
};

// The user asked to stop; what could be kept has been kept.
class Interrupted : public Error {
 public:
  using Error::Error;
};

// A broken invariant: a bug in emgnn, never the caller's fault.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace detail {
[[noreturn]] void throw_internal(const char* condition, const char* file, int line);
}  // namespace detail

}  // namespace emgnn

// Checks a caller's value: EMGNN_CHECK(width > 0, "width must be positive", width).
#define EMGNN_CHECK(cond, what, got)                                               \
  do {                                                                             \
    if (!(cond)) throw ::emgnn::UsageError(fmt::format("{} (got {})", what, got)); \
  } while (false)

// Guards an invariant of our own.
#define EMGNN_DCHECK(cond)                                                   \
  do {                                                                       \
    if (!(cond)) ::emgnn::detail::throw_internal(#cond, __FILE__, __LINE__); \
  } while (false)
