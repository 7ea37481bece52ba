// SPDX-License-Identifier: Apache-2.0
// The one symbol that services() looks for.
#include <emgnn/run/config.h>
#include <emgnn/run/evaluate.h>
#include <emgnn/run/fit.h>
#include <emgnn/run/plan.h>
#include <emgnn/run/predict.h>
#include <emgnn/run/services.h>

namespace emgnn {

namespace {

std::vector<ConfigEntry> resolved_entries(const ConfigRequest& request) {
  return resolve(request).entries();
}

}  // namespace

}  // namespace emgnn

extern "C" const emgnn::Services* emgnn_services() {
  static const emgnn::Services services{emgnn::fit_runs, emgnn::plan_run, emgnn::predict,
                                        emgnn::evaluate, emgnn::resolved_entries};
  return &services;
}
