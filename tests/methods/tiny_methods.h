// SPDX-License-Identifier: Apache-2.0
// Methods of the catalogue with settings that train in a moment.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "../learn/interruption.h"

#include <emgnn/base/options.h>
#include <emgnn/methods/method.h>

namespace emgnn {

// The method with those of the settings that it reads on such data.
inline std::unique_ptr<MethodConfig> configured(
    const std::string& method, const Data& data,
    const std::map<std::string, std::string>& settings) {
  std::unique_ptr<MethodConfig> config = make_config(method);
  ForEachOption visitor([&](const OptionInfo& info, OptionRef field) {
    const auto found = settings.find(info.key);
    if (found != settings.end()) assign(info, field, found->second);
  });
  config->describe(visitor, facts_of(data));
  return config;
}

inline const std::map<std::string, std::string>& tiny_settings() {
  static const std::map<std::string, std::string> settings = {{"model.hidden", "6"},
                                                              {"model.layers", "2"},
                                                              {"model.heads", "2"},
                                                              {"model.head", "5"},
                                                              {"model.trees", "9"},
                                                              {"model.iterations", "10"},
                                                              {"fit.epochs", "5"},
                                                              {"em.warmup", "1"},
                                                              {"em.rounds", "2"},
                                                              {"em.steps", "2"},
                                                              {"em.draws", "2"},
                                                              {"space.step", "0.25"},
                                                              {"space.grid", "3"},
                                                              {"space.radius_step", "1"},
                                                              {"optim.batch", "8"},
                                                              {"bgcn.warmup", "1"},
                                                              {"bgcn.burn_in", "1"},
                                                              {"bgcn.refit", "2"},
                                                              {"bgcn.random_iterations", "3"},
                                                              {"bgcn.iterations", "2"}};
  return settings;
}

inline std::shared_ptr<Learner> tiny_learner(const std::string& method,
                                             const std::shared_ptr<const Data>& data) {
  return configured(method, *data, tiny_settings())
      ->learner({.data = data, .prepared = std::make_shared<Prepared>(), .seed = 5});
}

}  // namespace emgnn
