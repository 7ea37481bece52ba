// SPDX-License-Identifier: Apache-2.0
// In place of download.cpp where EMGNN_FETCH is OFF.
#include <emgnn/base/error.h>
#include <emgnn/data/fetch.h>

namespace emgnn {

void download(const Download& what, const DownloadObserver&) {
  throw UsageError(fmt::format(
      "{}: this build downloads nothing (libcurl was left out): fetch the file by other "
      "means, or build with -DEMGNN_FETCH=ON",
      what.url));
}

}  // namespace emgnn
