// SPDX-License-Identifier: Apache-2.0
// Tables of molecules that take no time to read.
#pragma once

#include <string>
#include <vector>

#include "cli/program.h"

namespace emgnn::cli_test {

// Chains of 1 to 10 carbon atoms with an end of four kinds; y grows with the chain.
inline std::string small_table() {
  std::string text = "name,SMILES,y\n";
  for (int length = 1; length <= 10; ++length) {
    for (const char* end : {"", "O", "N", "Cl"}) {
      const std::string smiles = std::string(static_cast<size_t>(length), 'C') + end;
      text += "m" + std::to_string(length) + end + "," + smiles + "," +
              std::to_string(0.7 * length + (*end == 'O' ? 1.0 : 0.0)) + "\n";
    }
  }
  return text;
}

// Trains em-gcn-star on mine.csv in a few steps.
inline std::vector<std::string> small_training(const std::vector<std::string>& more = {}) {
  std::vector<std::string> call = {"train",    "--dataset",   "mine.csv",
                                   "--method", "em-gcn-star", "--quiet"};
  for (const char* setting :
       {"data.smiles=SMILES", "data.target=y", "em.rounds=3", "em.steps=2", "em.warmup=1",
        "model.layers=2", "model.hidden=8", "model.head=8", "space.radius_step=0.5",
        "optim.batch=8", "optim.learning_rate=0.01", "stop.rule=rmse"}) {
    call.insert(call.end(), {"--set", setting});
  }
  call.insert(call.end(), more.begin(), more.end());
  return call;
}

}  // namespace emgnn::cli_test
