// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/metapaths.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/data/data.h>
#include <emgnn/data/target_scale.h>
#include <emgnn/space/sparse_row.h>

namespace emgnn {

namespace {

constexpr int64_t kRowGrain = 64;
constexpr size_t kMaxPaths = 200;
// A product with a dense matrix is faster, and takes less memory, from about this density on.
constexpr double kDense = 0.1;

// What a training node adds at the end of a walk: [names], 0 where it is not known.
class KnownLabels {
 public:
  KnownLabels(const Labels& labels, std::span<const int32_t> train)
      : labels_(labels), known_(static_cast<size_t>(labels.num_rows), 0) {
    for (int32_t row : train) known_[static_cast<size_t>(row)] = labels.known(row) ? 1 : 0;
    scale_.resize(labels.names.size());
    for (int32_t c = 0; labels.kind == LabelKind::kValues && c < labels.num_names(); ++c) {
      std::vector<double> target;
      for (int32_t row : train) target.push_back(labels.at(row, c));
      scale_[static_cast<size_t>(c)] = TargetScale::fit(target);
    }
  }

  void add(int32_t node, double share, SparseRow& to) const {
    if (known_[static_cast<size_t>(node)] == 0) return;
    if (labels_.kind == LabelKind::kClasses) {
      to.add(labels_.cls[static_cast<size_t>(node)], share);
      return;
    }
    for (int32_t c = 0; c < labels_.num_names(); ++c) {
      const double value = labels_.at(node, c);
      if (!std::isnan(value)) to.add(c, share * scale_[static_cast<size_t>(c)].standardise(value));
    }
  }

 private:
  const Labels& labels_;
  std::vector<char> known_;         // [rows] in training
  std::vector<TargetScale> scale_;  // [names]; of other labels than values they change nothing
};

// A dense or sparse matrix of rows that are found one by one.
Features put_together(const std::vector<std::vector<std::pair<int32_t, float>>>& rows,
                      int32_t width) {
  Features out{.num_rows = static_cast<int32_t>(rows.size()), .num_cols = width};
  int64_t entries = 0;
  for (const auto& row : rows) entries += static_cast<int64_t>(row.size());
  const int64_t size = int64_t{out.num_rows} * width;
  out.is_sparse = static_cast<double>(entries) < kDense * static_cast<double>(size);
  if (!out.is_sparse) {
    out.dense.assign(static_cast<size_t>(size), 0.0F);
    for (size_t i = 0; i < rows.size(); ++i)
      for (const auto& [c, value] : rows[i])
        out.dense[i * static_cast<size_t>(width) + static_cast<size_t>(c)] = value;
    return out;
  }
  out.sparse = {.num_rows = out.num_rows, .num_cols = width};
  for (const auto& row : rows) {
    for (const auto& [c, value] : row) {
      out.sparse.col.push_back(c);
      out.sparse.val.push_back(value);
    }
    out.sparse.rowptr.push_back(static_cast<int32_t>(out.sparse.col.size()));
  }
  return out;
}

}  // namespace

MetapathWalks::MetapathWalks(const Dataset& data, std::vector<int32_t> rows)
    : data_(&data), rows_(std::move(rows)), typed_(labelled_types(data).size() == 1) {
  num_types_ = typed_ ? static_cast<int32_t>(data.node_type_names.size()) : 1;
  EMGNN_CHECK(!rows_.empty(), "meta-paths need nodes to start from", rows_.size());
  start_ = type_of(rows_.front());
  const auto types = static_cast<size_t>(num_types_);
  joins_.assign(data.graph.relations.size() * types * types, 0);
  for (size_t r = 0; r < data.graph.relations.size(); ++r) {
    const Csr& a = data.graph.relations[r].adjacency;
    for (int32_t i = 0; i < a.num_rows; ++i)
      for (const int32_t j : a.row(i).col)
        joins_[(r * types + static_cast<size_t>(type_of(i))) * types +
               static_cast<size_t>(type_of(j))] = 1;
  }
}

std::vector<Metapath> MetapathWalks::paths(int64_t hops) const {
  const auto types = static_cast<size_t>(num_types_);
  std::vector<Metapath> out = {
      {.name = typed_ ? data_->node_type_names[static_cast<size_t>(start_)] : "self", .steps = {}}};
  for (size_t at = 0; at < out.size(); ++at) {
    const Metapath from = out[at];
    if (static_cast<int64_t>(from.steps.size()) == hops) break;  // shorter ones come first
    const auto here = static_cast<size_t>(from.steps.empty() ? start_ : from.steps.back().type);
    for (size_t r = 0; r < data_->graph.relations.size(); ++r) {
      for (size_t to = 0; to < types; ++to) {
        if (joins_[(r * types + here) * types + to] == 0) continue;
        Metapath next = from;
        next.name += "-" + data_->graph.relations[r].name;
        if (typed_) next.name += "-" + data_->node_type_names[to];
        next.steps.push_back({static_cast<int32_t>(r), static_cast<int32_t>(to)});
        out.push_back(std::move(next));
        EMGNN_CHECK(out.size() <= kMaxPaths,
                    "too many meta-paths; lower model.feature_hops or model.label_hops",
                    fmt::format("more than {}", kMaxPaths));
      }
    }
  }
  return out;
}

std::vector<Metapath> MetapathWalks::cycles(int64_t hops) const {
  std::vector<Metapath> out;
  for (Metapath& path : paths(hops))
    if (!path.steps.empty() && path.steps.back().type == start_) out.push_back(std::move(path));
  return out;
}

// row(node, ends, into) reads the distribution over the ends of a node's walk.
template <class Row>
Features MetapathWalks::blocks(const Metapath& path, int32_t width, const Row& row) const {
  std::vector<std::vector<std::pair<int32_t, float>>> found(rows_.size());
  const auto fits = [&](int32_t node, const Metapath::Step& step) {
    return type_of(node) == step.type;
  };
  parallel_for(static_cast<int64_t>(rows_.size()), kRowGrain, [&](int64_t begin, int64_t end) {
    SparseRow here(data_->graph.num_nodes), next(data_->graph.num_nodes), sum(width);
    for (int64_t i = begin; i < end; ++i) {
      check_stop();
      const int32_t node = rows_[static_cast<size_t>(i)];
      here.add(node, 1.0);
      for (const Metapath::Step& step : path.steps) {
        const Csr& a = data_->graph.relations[static_cast<size_t>(step.relation)].adjacency;
        for (const int32_t from : here.touched()) {
          double total = 0.0;
          for (const auto [e, to] : a.row(from))
            if (fits(to, step)) total += a.value(e);
          if (total == 0.0) continue;
          for (const auto [e, to] : a.row(from))
            if (fits(to, step)) next.add(to, here.at(from) * a.value(e) / total);
        }
        here.clear();
        std::swap(here, next);
      }
      here.sort();  // sums in an order that does not depend on the walk
      row(node, here, sum);
      here.clear();
      sum.sort();
      for (const int32_t c : sum.touched())
        found[static_cast<size_t>(i)].emplace_back(c, static_cast<float>(sum.at(c)));
      sum.clear();
    }
  });
  return put_together(found, width);
}

Features MetapathWalks::features(const Metapath& path) const {
  const Features& x = data_->features;
  return blocks(path, x.num_cols, [&](int32_t /*node*/, const SparseRow& ends, SparseRow& into) {
    for (const int32_t j : ends.touched()) {
      const double share = ends.at(j);
      if (x.is_sparse) {
        for (const auto [e, c] : x.sparse.row(j)) into.add(c, share * x.sparse.value(e));
        continue;
      }
      const float* from = x.dense.data() + int64_t{j} * x.num_cols;
      for (int32_t c = 0; c < x.num_cols; ++c)
        if (from[c] != 0.0F) into.add(c, share * from[c]);
    }
  });
}

Features MetapathWalks::labels(const Metapath& path, std::span<const int32_t> train) const {
  const KnownLabels known(data_->labels, train);
  return blocks(path, data_->labels.num_names(),
                [&](int32_t node, const SparseRow& ends, SparseRow& into) {
                  for (const int32_t j : ends.touched())
                    if (j != node) known.add(j, ends.at(j), into);
                });
}

}  // namespace emgnn
