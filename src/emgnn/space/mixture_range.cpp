// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/mixture_range.h>

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/kernels/combine.h>
#include <emgnn/kernels/spmm.h>

namespace emgnn {

namespace {

constexpr int64_t kRowGrain = 256;

class MixtureRange : public Propagation {
 public:
  MixtureRange(std::shared_ptr<const MixtureGraph> graph, int32_t begin, int32_t end,
               std::vector<MixturePoint> points)
      : graph_(std::move(graph)), begin_(begin), end_(end), points_(std::move(points)) {}

  int64_t num_graphs() const override { return static_cast<int64_t>(points_.size()); }
  int64_t num_inputs() const override { return graph_->graph->num_nodes; }
  int64_t num_outputs() const override { return end_ - begin_; }
  at::Tensor self(const at::Tensor& h) const override {
    return h.narrow(-2, begin_, num_outputs());
  }

  // Each graph's own share of a row: 1 / D_λ(i), or λ_none and the views without neighbours.
  at::Tensor diagonal() const override {
    at::Tensor out = at::empty({num_graphs(), num_outputs(), 1}, at::kFloat);
    float* to = out.data_ptr<float>();
    for (size_t g = 0; g < points_.size(); ++g) {
      const std::vector<float> left = side(points_[g], begin_, end_);
      for (int64_t i = 0; i < num_outputs(); ++i)
        *to++ = shares() ? own_share(points_[g], begin_ + i)
                         : (symmetric() ? left[static_cast<size_t>(i)] : 1.0F) *
                               left[static_cast<size_t>(i)];
    }
    return out;
  }

  at::Tensor apply(const at::Tensor& h) const override {
    EMGNN_DCHECK(!h.requires_grad());
    const at::Tensor in = h.contiguous();
    const int64_t width = in.size(-1), rows = num_outputs();
    at::Tensor out = at::empty({num_graphs(), rows, width}, in.options());
    // Row-normalised or by shares, one product per view serves every λ that reads the same rows.
    const bool by_graph = in.dim() == 3 || (symmetric() && !shares());
    const size_t group = by_graph ? 1 : points_.size();
    Buffer term(num_terms() * rows * width);
    for (size_t g = 0; g < points_.size(); g += group) {
      const float* rows_in = in.data_ptr<float>() +
                             (in.dim() == 3 ? static_cast<int64_t>(g) : 0) * num_inputs() * width;
      const std::vector<float> right = symmetric() && !shares()
                                           ? side(points_[g], 0, static_cast<int32_t>(num_inputs()))
                                           : std::vector<float>();
      products({rows_in, width, g, group}, right, term.data());
      combine(g, group, width, term.data(), out.data_ptr<float>());
    }
    return out;
  }

 protected:
  c10::intrusive_ptr<Edges> make_edges() const override {
    throw InternalError("a range of rows has no edges to look at");
  }

 private:
  // Floats that are filled before anything reads them.
  class Buffer {
   public:
    explicit Buffer(int64_t size)
        : data_(std::make_unique_for_overwrite<float[]>(static_cast<size_t>(size))) {}
    float* data() { return data_.get(); }

   private:
    std::unique_ptr<float[]> data_;
  };
  struct Input {
    const float* rows;
    int64_t width;
    size_t first, count;  // the points that read them
  };

  bool shares() const { return graph_->mixing == Mixing::kShares; }
  bool symmetric() const { return graph_->normalisation == Normalisation::kSymmetric; }
  size_t num_views() const { return graph_->degree.size(); }
  int64_t num_terms() const {
    return static_cast<int64_t>(num_views()) + 1;
  }  // the row itself last

  // D_λ⁻¹, or D_λ^-1/2, of the nodes [begin, end); 1 by shares, whose views are normalised alone.
  std::vector<float> side(const MixturePoint& point, int32_t begin, int32_t end) const {
    std::vector<float> out(static_cast<size_t>(end - begin), 1.0F);
    if (shares()) return out;
    parallel_for(end - begin, kRowGrain, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        double sum = 1.0;
        for (size_t t = 0; t < num_views(); ++t)
          sum += point.weight[t] *
                 static_cast<float>(graph_->degree[t][static_cast<size_t>(begin + i)]);
        const auto d = static_cast<float>(sum);
        out[static_cast<size_t>(i)] = symmetric() ? 1.0F / std::sqrt(d) : 1.0F / d;
      }
    });
    return out;
  }

  float own_share(const MixturePoint& point, int64_t node) const {
    double sum = point.weight.back();
    for (size_t t = 0; t < num_views(); ++t)
      if (graph_->degree[t][static_cast<size_t>(node)] == 0.0) sum += point.weight[t];
    return static_cast<float>(sum);
  }

  bool is_read(size_t view, const Input& in) const {
    for (size_t g = in.first; g < in.first + in.count; ++g)
      if (points_[g].weight[view] != 0.0) return true;
    return false;
  }

  // term[t] = A_t in, normalised where each view is by itself; a view that no point reads is 0.
  void products(const Input& in, const std::vector<float>& right, float* term) const {
    const int64_t size = num_outputs() * in.width;
    for (size_t t = 0; t < num_views(); ++t, term += size)
      is_read(t, in) ? product(t, in, right, term) : std::fill(term, term + size, 0.0F);
    parallel_for(num_outputs(), kRowGrain, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const float scale = right.empty() ? 1.0F : right[static_cast<size_t>(begin_ + i)];
        const float* from = in.rows + (begin_ + i) * in.width;
        for (int64_t k = 0; k < in.width; ++k) term[i * in.width + k] = scale * from[k];
      }
    });
  }

  void product(size_t t, const Input& in, const std::vector<float>& right, float* out) const {
    const Csr& a = graph_->graph->relations[t].adjacency;
    const int32_t first = a.rowptr[static_cast<size_t>(begin_)];
    const int32_t count = a.rowptr[static_cast<size_t>(end_)] - first;
    Buffer value(std::max(1, count));
    float* val = value.data();
    parallel_for(num_outputs(), kRowGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        for (const auto [e, j] : a.row(begin_ + static_cast<int32_t>(i)))
          val[e - first] = entry(t, begin_ + static_cast<int32_t>(i), j, a.value(e), right);
    });
    // The kernel counts entries from the relation's first.
    kernels::spmm(
        {static_cast<int32_t>(num_outputs()), a.num_cols, a.rowptr.data() + begin_, a.col.data()},
        {.width = in.width, .val = val - first, .in = in.rows, .out = out});
    if (!shares()) return;
    for (int64_t i = 0; i < num_outputs(); ++i) {  // it looks at itself
      if (graph_->degree[t][static_cast<size_t>(begin_ + i)] != 0.0) continue;
      std::copy_n(in.rows + (begin_ + i) * in.width, in.width, out + i * in.width);
    }
  }

  float entry(size_t t, int32_t i, int32_t j, float value, const std::vector<float>& right) const {
    if (!shares()) return right.empty() ? value : value * right[static_cast<size_t>(j)];
    const auto out = static_cast<float>(graph_->degree[t][static_cast<size_t>(i)]);
    if (!symmetric()) return value / out;
    const auto in = static_cast<float>(graph_->degree[t][static_cast<size_t>(j)]);
    const float scale = std::sqrt(out * in);
    return scale > 0.0F ? value / scale : 0.0F;
  }

  // out[g] = left_g (Σ_t λ_t term_t + λ_none or 1 times the row itself)
  void combine(size_t first, size_t count, int64_t width, const float* term, float* out) const {
    std::vector<float> coef, scale;
    for (size_t g = first; g < first + count; ++g) {
      const LambdaPoint& weight = points_[g].weight;
      for (size_t t = 0; t < num_views(); ++t) coef.push_back(static_cast<float>(weight[t]));
      coef.push_back(shares() ? static_cast<float>(weight.back()) : 1.0F);
      const std::vector<float> left = side(points_[g], begin_, end_);
      scale.insert(scale.end(), left.begin(), left.end());
    }
    kernels::combine({.num_graphs = static_cast<int64_t>(count),
                      .num_terms = num_terms(),
                      .num_rows = num_outputs(),
                      .width = width},
                     coef.data(), scale.data(), term,
                     out + static_cast<int64_t>(first) * num_outputs() * width);
  }

  std::shared_ptr<const MixtureGraph> graph_;
  int32_t begin_, end_;
  std::vector<MixturePoint> points_;
};

}  // namespace

c10::intrusive_ptr<Propagation> mixture_range(std::shared_ptr<const MixtureGraph> graph,
                                              int32_t begin, int32_t end,
                                              std::vector<MixturePoint> points) {
  return c10::make_intrusive<MixtureRange>(std::move(graph), begin, end, std::move(points));
}

}  // namespace emgnn
