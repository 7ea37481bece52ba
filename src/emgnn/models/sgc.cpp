// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/sgc.h>

namespace emgnn {

void describe(OptionVisitor& visitor, SgcOptions& options) {
  visitor.integer("model.hops", options.hops, 1, 64,
                  "how often features are averaged over the neighbours");
  describe_input_dropout(visitor, options.input_dropout);
  describe_init(visitor, options.init);
}

Sgc::Sgc(const SgcOptions& options, const NetworkShape& shape, uint64_t seed) : options_(options) {
  Rng rng(seed, Stream::kInit, 0);
  weight_ = add_parameter("weight",
                          init_weight(shape.num_features, shape.num_outputs, options.init, rng), 0);
  bias_ = add_parameter("bias", init_bias(shape.num_outputs, options.init, rng), 0);
}

at::Tensor Sgc::embed(const c10::intrusive_ptr<InputFeatures>& x, const Mode& mode) const {
  return input_product(x, weight_, options_.input_dropout, mode);
}

at::Tensor Sgc::stage(int number, const Propagation& hop, const at::Tensor& rows,
                      const Mode& /*mode*/) const {
  const at::Tensor out = hop.apply(rows);
  return number + 1 == num_stages() ? out + bias_ : out;
}

at::Tensor Sgc::forward(const GraphBatch& batch, const at::Tensor& embedded,
                        const Mode& /*mode*/) const {
  at::Tensor h = embedded;
  for (int hop = 0; hop < static_cast<int>(options_.hops); ++hop) h = batch.hop(hop).apply(h);
  return h + bias_;
}

}  // namespace emgnn
