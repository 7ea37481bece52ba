// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/molecular_gin.h>

#include <cmath>

#include <emgnn/models/row_index.h>
#include <emgnn/space/entry_table.h>

namespace emgnn {

namespace {

// Σ_e S_e f_e over the entries of each row.
at::Tensor feature_sums(const Edges& edges) {
  const RowIndex kinds(edges.feature, edges.feature_table.size(0));
  const RowIndex targets(edges.row, edges.pattern.num_rows);
  return targets.sum(kinds.take(edges.feature_table) * edges.weight.view({-1, 1}));
}

}  // namespace

void describe(OptionVisitor& visitor, MolecularGinOptions& options) {
  visitor.flag("model.bond_features", options.bond_features,
               "model.form=molecular: the features of bonds are added to those of the neighbours");
  describe_jumping(visitor, options.jumping);
}

MolecularGinLayer::MolecularGinLayer(Network& network, const LayerPlace& place,
                                     const Options& options)
    : final_(place.index + 1 == options.stack.layers) {
  const int64_t width = options.stack.hidden;
  WeightMaker make(network, place.name(""), place.index, place.seed);
  if (place.index == 0) embedding_ = {make, "embedding", place.inputs, width};
  if (options.molecular.bond_features) {
    const double bound = std::sqrt(6.0 / static_cast<double>(kNumEntryFeatures + width));
    bond_weight_ = make.uniform("bond_weight", {kNumEntryFeatures, width}, bound);
  }
  inner_ = {make, "inner", width, 2 * width};
  outer_ = {make, "outer", 2 * width, width};
  norm_ = make_batch_norm(network, place.name("norm"), width, place.index);
}

at::Tensor MolecularGinLayer::embed(const c10::intrusive_ptr<InputFeatures>& x, double dropout,
                                    const Mode& mode) const {
  return bias_activation(input_product(x, embedding_.weight(), dropout, mode), embedding_.bias(),
                         {}, mode);
}

at::Tensor MolecularGinLayer::forward(const Propagation& hop, const at::Tensor& h,
                                      const Mode& mode) const {
  at::Tensor sum = hop.self(h) + hop.apply(h);
  if (bond_weight_.defined()) sum = sum + dense_product(feature_sums(*hop.edges()), bond_weight_);
  const Nonlinearity relu{.kind = kernels::Activation::kRelu};
  return norm_(outer_(inner_(sum, relu, mode)), mode);
}

}  // namespace emgnn
