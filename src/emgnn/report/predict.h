// SPDX-License-Identifier: Apache-2.0
// Predicts with the model of a finished run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <emgnn/data/featurise_all.h>
#include <emgnn/em/problem.h>

namespace emgnn {

struct PredictRequest {
  std::filesystem::path run;       // the folder of one finished run
  std::string dataset;             // empty: the run's own
  std::filesystem::path data_dir;  // of named datasets; empty: default_data_dir()
  std::string smiles_column;       // empty: the run's
  MoleculeObserver on_molecule;    // while molecules are read
  Poll poll;                       // while the network runs
};

struct PredictedTable {
  // Nodes: the columns of the run's predictions.csv. Molecules: row, smiles, value, spread and
  // rejected, the reason why a row has no value; every record of the file is a row.
  std::string csv;
  int64_t predicted = 0, rejected = 0;
};

// Molecules need no target and nodes of another graph no label. UsageError when the folder holds no
// finished run, or when the data does not fit the model.
PredictedTable predict(const PredictRequest& request);

}  // namespace emgnn
