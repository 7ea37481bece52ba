// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/kind_product.h>

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>

#include <emgnn/kernels/gemm.h>
#include <emgnn/kernels/spmm.h>

namespace emgnn {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Entries of one row and kind are a pair; pairs are in the order of their kinds.
struct KindProduct::Pairs : torch::CustomClassHolder {
  // One side of the map from inputs to pairs: what each row takes, entries in ascending order.
  struct Side {
    std::vector<int32_t> begin, other, entry;

    Side(const std::vector<int32_t>& row, const std::vector<int32_t>& to, int64_t num_rows)
        : begin(static_cast<size_t>(num_rows) + 1), other(row.size()), entry(row.size()) {
      for (int32_t r : row) ++begin[static_cast<size_t>(r) + 1];
      for (size_t r = 1; r < begin.size(); ++r) begin[r] += begin[r - 1];
      std::vector<int32_t> next(begin.begin(), begin.end() - 1);
      for (size_t e = 0; e < row.size(); ++e) {
        const auto place = static_cast<size_t>(next[static_cast<size_t>(row[e])]++);
        other[place] = to[e];
        entry[place] = static_cast<int32_t>(e);
      }
    }
  };

  std::vector<int64_t> count;      // how many pairs of each kind
  std::vector<int32_t> row, pair;  // [pairs], [entries]
  std::vector<int64_t> kinds;
  at::Tensor weight;        // [entries] of S; undefined: all ones
  std::vector<Side> sides;  // what pairs take of inputs, what inputs take of pairs

  explicit Pairs(const Edges& edges) {
    const std::vector<int32_t>& kind = edges.feature;
    std::vector<std::vector<int32_t>> entries;  // by kind; within it the rows ascend
    for (size_t e = 0; e < kind.size(); ++e) {
      const auto k = static_cast<size_t>(kind[e]);
      if (k >= entries.size()) entries.resize(k + 1);
      entries[k].push_back(static_cast<int32_t>(e));
    }
    pair.resize(kind.size());
    for (size_t k = 0; k < entries.size(); ++k) {
      if (entries[k].empty()) continue;
      const size_t before = row.size();
      int32_t last = -1;
      for (int32_t e : entries[k]) {
        const int32_t r = edges.row[static_cast<size_t>(e)];
        if (r != last) row.push_back(last = r);
        pair[static_cast<size_t>(e)] = static_cast<int32_t>(row.size()) - 1;
      }
      kinds.push_back(static_cast<int64_t>(k));
      count.push_back(static_cast<int64_t>(row.size() - before));
    }
    if (!edges.weight.eq(1.0).all().item<bool>()) weight = edges.weight.contiguous();
    sides.emplace_back(pair, edges.pattern.col.to_vector(), static_cast<int64_t>(row.size()));
    sides.emplace_back(edges.pattern.col.to_vector(), pair, edges.pattern.num_cols);
  }

  // [rows of the other side, d] -> [rows of this side, d]
  at::Tensor sum(size_t side, const at::Tensor& x) const {
    const Side& to = sides[side];
    const auto num_rows = static_cast<int32_t>(to.begin.size()) - 1;
    at::Tensor out = at::empty({num_rows, x.size(1)}, x.options());
    kernels::spmm({num_rows, static_cast<int32_t>(x.size(0)), to.begin.data(), to.other.data()},
                  {.width = x.size(1),
                   .val = weight.defined() ? weight.data_ptr<float>() : nullptr,
                   .val_index = weight.defined() ? to.entry.data() : nullptr,
                   .in = x.data_ptr<float>(),
                   .out = out.data_ptr<float>()});
    return out;
  }
};

namespace {

using PairsPtr = c10::intrusive_ptr<KindProduct::Pairs>;

const KindProduct::Pairs& pairs_of(const c10::intrusive_ptr<torch::CustomClassHolder>& capsule) {
  return static_cast<const KindProduct::Pairs&>(*capsule);
}

// The sum of S_e h_col(e) over the entries of each pair.
struct PairSums : torch::autograd::Function<PairSums> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& h, const PairsPtr& pairs) {
    ctx->saved_data["pairs"] = c10::IValue::make_capsule(pairs);
    return pairs->sum(0, h.contiguous());
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto capsule = ctx->saved_data["pairs"].toCapsule();
    return {pairs_of(capsule).sum(1, grads[0].contiguous()), at::Tensor()};
  }
};

// Each pair's sum times the matrix of its kind.
struct PairProducts : torch::autograd::Function<PairProducts> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& sums, const at::Tensor& m_in,
                            const PairsPtr& pairs) {
    const at::Tensor m = m_in.contiguous();
    ctx->saved_data["pairs"] = c10::IValue::make_capsule(pairs);
    ctx->save_for_backward({sums, m});
    const int64_t d = m.size(1), width = m.size(2);
    at::Tensor out = at::empty({sums.size(0), width}, sums.options());
    const float *in = sums.data_ptr<float>(), *weights = m.data_ptr<float>();
    float* to = out.data_ptr<float>();
    for (const int64_t count : pairs->count) {
      kernels::gemm(count, width, d, in, weights, to);
      in += count * d;
      weights += d * width;
      to += count * width;
    }
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto capsule = ctx->saved_data["pairs"].toCapsule();
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor &sums = saved[0], &m = saved[1];
    const at::Tensor g = grads[0].contiguous();
    const int64_t d = m.size(1), width = m.size(2);
    at::Tensor grad_sums = at::empty_like(sums), grad_m = at::empty_like(m);
    int64_t pair = 0, kind = 0;
    for (const int64_t count : pairs_of(capsule).count) {
      const float* grad = g.data_ptr<float>() + pair * width;
      kernels::gemm_nt(count, d, width, grad, m.data_ptr<float>() + kind * d * width,
                       grad_sums.data_ptr<float>() + pair * d);
      kernels::gemm_tn(d, width, count, sums.data_ptr<float>() + pair * d, grad,
                       grad_m.data_ptr<float>() + kind * d * width);
      pair += count;
      ++kind;
    }
    return {grad_sums, grad_m, at::Tensor()};
  }
};

}  // namespace

KindProduct::KindProduct(const Edges& edges)
    : pairs_(c10::make_intrusive<Pairs>(edges)), rows_(pairs_->row, edges.pattern.num_rows) {}

KindProduct::~KindProduct() = default;

const std::vector<int64_t>& KindProduct::kinds() const { return pairs_->kinds; }

at::Tensor KindProduct::operator()(const at::Tensor& h, const at::Tensor& m) const {
  if (kinds().empty()) return at::zeros({rows_.num_rows(), m.size(2)}, h.options());
  return rows_.sum(PairProducts::apply(PairSums::apply(h, pairs_), m, pairs_));
}

}  // namespace emgnn
