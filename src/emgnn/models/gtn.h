// SPDX-License-Identifier: Apache-2.0
// Graph transformer network (Yun et al. 2019; the authors' version of 2022): it composes paths of
// edge types that it selects by itself. E_1, .., E_T are the edge types and, as the last, the node
// itself; in each channel
//   Q_s = Σ_k softmax(w_s)_k E_k   one soft selection per step s of a path
//   P = D⁻¹ Q_1 Q_2 ⋯ Q_S          rows sum to 1
//   H = relu(½ (P + I) X W + b)
// and the channels side by side are multiplied with the last weights. P is never formed: with
// Y = Q_1 (Q_2 ⋯ (Q_S X W)) and y the same of a column of ones, P X W is Y / y row by row. Gradients
// flow through y, too.
#pragma once

#include <string>
#include <vector>

#include <emgnn/models/network.h>

namespace emgnn {

struct GtnOptions {
  int64_t hidden = 64;
  int64_t channels = 2;
  int64_t path_length = 3;
  double dropout = 0.0;
  double input_dropout = 0.0;
};
void describe(OptionVisitor& visitor, GtnOptions& options);

class Gtn : public Network {
 public:
  // On hops whose entries know their `edge_types` (Edges::type_weight). Weights of selections belong
  // to a type by its name.
  Gtn(const GtnOptions& options, const NetworkShape& shape,
      const std::vector<std::string>& edge_types, uint64_t seed);

  NetworkNeeds needs() const override {
    return {.num_hops = static_cast<int>(options_.path_length),
            .widest_layer = options_.channels * (options_.hidden + 1)};
  }
  at::Tensor embed(const c10::intrusive_ptr<InputFeatures>& x, const Mode& mode) const override;
  at::Tensor forward(const GraphBatch& batch, const at::Tensor& embedded,
                     const Mode& mode) const override;

  // softmax(w): [steps, types, channels], the step that leaves the predicted node first.
  at::Tensor selection() const;
  // Of the types, on average over steps and channels.
  std::vector<double> shares() const override;

 private:
  // H of all channels, side by side.
  at::Tensor hidden(const GraphBatch& batch, const at::Tensor& embedded, const Mode& mode) const;

  GtnOptions options_;
  at::Tensor weight_, bias_;
  std::vector<at::Tensor> select_;  // of each type, [steps, channels]
  at::Tensor last_weight_, last_bias_;
};

}  // namespace emgnn
