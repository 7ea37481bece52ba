// SPDX-License-Identifier: Apache-2.0
// A backbone Ψ(λ, x; θ) that predicts one value per molecule, written against MoleculeBatch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include <emgnn/models/network.h>
#include <emgnn/models/ops.h>
#include <emgnn/space/molecule_batch.h>

namespace emgnn {

class MoleculeBackbone : public Network {
 public:
  virtual int num_hops() const = 0;
  virtual int64_t widest_layer() const = 0;
  // Whether the weights depend on λ; if not, all λ with the same graph have the same prediction.
  virtual bool reads_lambda() const = 0;

  // Predictions [num_items], of standardised targets. A pass in training updates the buffers; it
  // takes batches without shared rows.
  virtual at::Tensor forward(const MoleculeBatch& batch, const Pass& pass) const = 0;
};

}  // namespace emgnn
