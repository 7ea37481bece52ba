// SPDX-License-Identifier: Apache-2.0
// A run in the middle of its training as the bytes of one safetensors file.
#pragma once

#include <string>
#include <string_view>

#include <emgnn/em/run_identity.h>
#include <emgnn/em/trainer.h>
#include <emgnn/models/network.h>

namespace emgnn {

struct Checkpoint {
  TrainState state;
  double seconds = 0.0;  // spent so far
};

std::string encode_checkpoint(const Checkpoint& checkpoint, const Network& network,
                              const RunIdentity& identity);

// UsageError that names the difference when the checkpoint is of another run, DataError when it is
// damaged or does not fit the network. `name` is the file's name for messages.
Checkpoint decode_checkpoint(std::string_view bytes, const std::string& name,
                             const Network& network, const RunIdentity& identity);

}  // namespace emgnn
