// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/sehgnn.h>

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include <emgnn/base/error.h>
#include <emgnn/models/batched_product.h>

namespace emgnn {

namespace {

constexpr uint32_t kInputDropout = 1, kProjectionDropout = 10, kHeadDropout = 100;
constexpr size_t kProjections = 2;
constexpr double kFirstSlope = 0.25;

// As its authors': U(±√2 √(6/(in+out))).
at::Tensor init_dense(int64_t inputs, int64_t outputs, Rng& rng) {
  return init_uniform({inputs, outputs}, std::sqrt(12.0 / static_cast<double>(inputs + outputs)),
                      rng);
}

}  // namespace

void describe(OptionVisitor& visitor, SeHgnnOptions& options) {
  describe_hidden(visitor, options.hidden);
  visitor.integer("model.feature_hops", options.feature_hops, 0, 16,
                  "steps of the longest meta-path along which features are averaged");
  visitor.integer("model.label_hops", options.label_hops, 0, 16,
                  "steps of the longest meta-path along which training labels are averaged; 0: "
                  "labels are no inputs");
  visitor.integer("model.head_layers", options.head_layers, 1, 64,
                  "layers of the perceptron behind the blocks");
  describe_dropout(visitor, options.dropout);
  describe_input_dropout(visitor, options.input_dropout);
  visitor.flag("model.own_residual", options.own_residual,
               "add a linear layer of the node's own features before the perceptron");
  visitor.flag("model.head_residual", options.head_residual,
               "hidden layers of the perceptron add to their input; outputs are normalised row by "
               "row, not over the batch");
}

at::Tensor SeHgnn::Dense::operator()(const at::Tensor& h) const {
  return dense_product(h, weight) + bias;
}

SeHgnn::SeHgnn(const SeHgnnOptions& options, const Plan& plan)
    : options_(options), norms_rows_(options.head_residual && plan.norm_outputs) {
  const int64_t hidden = options.hidden;
  Rng rng(plan.seed, Stream::kInit, 0);
  for (size_t k = 0; k < plan.blocks.size(); ++k) {
    const Block& block = plan.blocks[k];
    embeddings_.push_back(add_parameter("blocks." + std::to_string(k) + "." + block.name,
                                        init_uniform({block.width, hidden}, 0.5, rng), 0));
  }
  make_projections(rng);
  const int64_t narrow = std::max<int64_t>(1, hidden / 4);
  query_ = make_plain_dense("fusion.query", hidden, narrow, rng);
  key_ = make_plain_dense("fusion.key", hidden, narrow, rng);
  value_ = make_plain_dense("fusion.value", hidden, hidden, rng);
  gamma_ = add_parameter("fusion.gamma", at::zeros({1}), 1);
  concat_ = make_dense("concat", num_blocks() * hidden, hidden, rng);
  if (options.own_residual) own_ = make_dense("own", hidden, hidden, rng);
  make_head(plan, rng);
}

SeHgnn::Dense SeHgnn::make_dense(const std::string& name, int64_t inputs, int64_t outputs,
                                 Rng& rng) {
  return {add_parameter(name + ".weight", init_dense(inputs, outputs, rng), 1),
          add_parameter(name + ".bias", at::zeros({outputs}), 1)};
}

// As a linear layer of LibTorch begins.
SeHgnn::Dense SeHgnn::make_plain_dense(const std::string& name, int64_t inputs, int64_t outputs,
                                       Rng& rng) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(inputs));
  return {add_parameter(name + ".weight", init_uniform({inputs, outputs}, bound, rng), 1),
          add_parameter(name + ".bias", init_uniform({outputs}, bound, rng), 1)};
}

void SeHgnn::make_projections(Rng& rng) {
  const int64_t hidden = options_.hidden, blocks = num_blocks();
  for (size_t l = 0; l < kProjections; ++l) {
    const auto add = [&](const char* name, const at::Tensor& value) {
      return add_parameter("projection." + std::to_string(l) + "." + name, value, 1);
    };
    std::vector<at::Tensor> weights;
    for (int64_t k = 0; k < blocks; ++k) weights.push_back(init_dense(hidden, hidden, rng));
    Projection out;
    out.weight = add("weight", at::stack(weights));
    out.bias = add("bias", at::zeros({blocks, 1, hidden}));
    out.norm_weight = add("norm_weight", at::ones({blocks * hidden}));
    out.norm_bias = add("norm_bias", at::zeros({blocks * hidden}));
    out.slope = add("slope", at::full({1}, kFirstSlope));
    projections_.push_back(out);
  }
}

void SeHgnn::make_head(const Plan& plan, Rng& rng) {
  for (int64_t l = 0; l < options_.head_layers; ++l) {
    const std::string name = "head." + std::to_string(l);
    const bool last = l + 1 == options_.head_layers;
    const int64_t width = last ? plan.num_outputs : options_.hidden;
    HeadLayer layer;
    layer.slope = add_parameter(name + ".slope", at::full({1}, kFirstSlope), 1);
    layer.dense = make_dense(name, options_.hidden, width, rng);
    if (!last || (plan.norm_outputs && !options_.head_residual)) {
      layer.norm.mean = add_buffer(name + ".norm_mean", at::zeros({width}));
      layer.norm.var = add_buffer(name + ".norm_var", at::ones({width}));
    }
    head_.push_back(layer);
  }
}

at::Tensor SeHgnn::embed(const c10::intrusive_ptr<InputFeatures>& x, const Mode& mode) const {
  return input_product(x, embeddings_.front(), 0.0, mode);
}

// [blocks, rows, hidden] -> the same.
at::Tensor SeHgnn::project(size_t number, const at::Tensor& x, const Mode& mode) const {
  const Projection& p = projections_[number];
  const int64_t rows = x.size(1), width = num_blocks() * options_.hidden;
  const at::Tensor each = batched_product(x, p.weight) + p.bias;
  const at::Tensor by_row = each.permute({1, 0, 2}).reshape({rows, width});
  const at::Tensor norm = at::layer_norm(by_row, {width}, p.norm_weight, p.norm_bias, kNormEpsilon);
  const at::Tensor out = dropped(at::prelu(norm, p.slope), options_.dropout,
                                 kProjectionDropout + static_cast<uint32_t>(number), mode);
  return out.view({rows, num_blocks(), options_.hidden}).permute({1, 0, 2}).contiguous();
}

// [rows, blocks, hidden] -> the same.
at::Tensor SeHgnn::fuse(const at::Tensor& x) const {
  const at::Tensor q = query_(x), k = key_(x);
  const double scale = 1.0 / std::sqrt(static_cast<double>(q.size(2)));
  const at::Tensor beta = at::softmax(batched_product_nt(q, k) * scale, -1);
  return x + gamma_ * batched_product(beta, value_(x));
}

at::Tensor SeHgnn::run_head(const at::Tensor& h, const Mode& mode) const {
  const auto activated = [&](const at::Tensor& z, size_t l) {
    return dropped(at::prelu(z, head_[l].slope), options_.dropout,
                   kHeadDropout + static_cast<uint32_t>(l), mode);
  };
  at::Tensor x = activated(h, 0), z;
  for (size_t l = 0; l < head_.size(); ++l) {
    const BatchNorm& norm = head_[l].norm;
    z = head_[l].dense(x);
    if (norm.mean.defined()) z = mode.training ? norm.train(z) : z * norm.scale() + norm.shift();
    if (l + 1 == head_.size()) break;
    const at::Tensor next = activated(z, l + 1);
    x = options_.head_residual ? x + next : next;
  }
  if (!norms_rows_) return z;
  return at::layer_norm(z, {z.size(1)}, {}, {}, kNormEpsilon);
}

at::Tensor SeHgnn::forward(const GraphBatch& batch, const at::Tensor& embedded,
                           const Mode& mode) const {
  EMGNN_CHECK(batch.blocks.size() == embeddings_.size(),
              "sehgnn: the network was made for another number of meta-paths", batch.blocks.size());
  std::vector<at::Tensor> blocks = {embedded};
  for (size_t k = 1; k < embeddings_.size(); ++k)
    blocks.push_back(input_product(batch.blocks[k], embeddings_[k], 0.0, mode));
  at::Tensor x = dropped(at::stack(blocks), options_.input_dropout, kInputDropout, mode);
  const at::Tensor own = x[0];
  for (size_t l = 0; l < kProjections; ++l) x = project(l, x, mode);
  const at::Tensor fused = fuse(x.permute({1, 0, 2}).contiguous());
  at::Tensor h = concat_(fused.reshape({own.size(0), num_blocks() * options_.hidden}));
  if (options_.own_residual) h = h + own_(own);
  return run_head(h, mode);
}

}  // namespace emgnn
