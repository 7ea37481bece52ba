// SPDX-License-Identifier: Apache-2.0
// A run in the middle of its training as the bytes of one safetensors file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <emgnn/em/trainer.h>
#include <emgnn/models/backbone.h>

namespace emgnn {

// What a checkpoint belongs to: another run must not go on from it.
struct RunIdentity {
  std::string dataset, data_sha256, method, config;  // config: the resolved TOML text
  uint64_t seed = 0;
};

struct Checkpoint {
  TrainState state;
  double seconds = 0.0;  // spent so far
};

std::string encode_checkpoint(const Checkpoint& checkpoint,
                              const std::vector<Parameter>& parameters,
                              const RunIdentity& identity);

// UsageError that names the difference when the checkpoint is of another run, DataError when it is
// damaged or does not fit the parameters. `name` is the file's name for messages.
Checkpoint decode_checkpoint(std::string_view bytes, const std::string& name,
                             const std::vector<Parameter>& parameters, const RunIdentity& identity);

// The weights alone, by their names.
std::string encode_model(const std::vector<Parameter>& parameters, const RunIdentity& identity);

}  // namespace emgnn
