// SPDX-License-Identifier: Apache-2.0
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tiny_methods.h"

#include <emgnn/data/generators.h>

namespace emgnn {
namespace {

// Three classes, two edge types; the last four nodes form a square of their own, without labels in
// training.
Dataset with_an_island() {
  Dataset data = noisy_relations({.num_items = 60,
                                  .num_people = 20,
                                  .num_places = 10,
                                  .num_words = 20,
                                  .train_per_class = 4,
                                  .validation_per_class = 4},
                                 2);
  const int32_t first = data.graph.num_nodes, n = first + 4;
  for (Relation& relation : data.graph.relations) {
    Coo coo;
    for (int32_t i = 0; i < first; ++i) {
      const Csr& a = relation.adjacency;
      for (int32_t e = a.rowptr[static_cast<size_t>(i)]; e < a.rowptr[static_cast<size_t>(i) + 1];
           ++e) {
        coo.row.push_back(i);
        coo.col.push_back(a.col[static_cast<size_t>(e)]);
      }
    }
    for (int32_t k = 0; k < 4; ++k) {
      coo.row.push_back(first + k);
      coo.col.push_back(first + (k + 1) % 4);
    }
    relation.adjacency = symmetrise(csr_from_coo(n, n, coo, Duplicates::kKeepFirst));
  }
  data.graph.num_nodes = n;
  data.node_type_names.clear();
  data.node_type.clear();
  data.node_names.clear();
  data.labels.num_rows = n;
  data.labels.cls.resize(static_cast<size_t>(n), kNoLabel);
  Features x{.num_rows = n, .num_cols = 1, .is_sparse = false};
  x.dense.assign(static_cast<size_t>(n), 1.0F);
  data.features = x;
  return data;
}

// S = D⁻¹ (A + I) or D^−½ (A + I) D^−½ of all edge types together, dense.
at::Tensor dense_shift(const Dataset& data, bool symmetric) {
  const int64_t n = data.graph.num_nodes;
  at::Tensor a = at::eye(n, at::kDouble);
  for (const Relation& relation : data.graph.relations) {
    const Csr& adjacency = relation.adjacency;
    for (int32_t i = 0; i < n; ++i) {
      for (int32_t e = adjacency.rowptr[static_cast<size_t>(i)];
           e < adjacency.rowptr[static_cast<size_t>(i) + 1]; ++e)
        a[i][adjacency.col[static_cast<size_t>(e)]] += adjacency.value(e);
    }
  }
  const at::Tensor degree = a.sum(1, true);
  return symmetric ? a / degree.sqrt() / degree.t().sqrt() : a / degree;
}

TEST(LabelPropagation, IsTheDensePowerIteration) {
  const Dataset dataset = with_an_island();
  const auto data = std::make_shared<const Data>(dataset);
  const int64_t n = dataset.graph.num_nodes;
  for (const char* normalisation : {"row", "symmetric"}) {
    const auto learner = configured("label-propagation", *data,
                                    {{"model.alpha", "0.8"},
                                     {"model.iterations", "25"},
                                     {"space.normalisation", normalisation}})
                             ->learner({.data = data, .prepared = std::make_shared<Prepared>()});
    fit(*learner);
    at::Tensor start = at::zeros({n, 3}, at::kDouble);
    for (int32_t row : dataset.split.train)
      start[row][dataset.labels.cls[static_cast<size_t>(row)]] = 1.0;
    const at::Tensor shift = dense_shift(dataset, std::string(normalisation) == "symmetric");
    at::Tensor f = start;
    for (int k = 0; k < 25; ++k) f = shift.matmul(f) * 0.8 + start * 0.2;
    const at::Tensor sum = f.sum(1, true);
    const Prediction p = learner->predict(data->predicted_rows(), {});
    ASSERT_EQ(static_cast<int64_t>(p.rows.size()), n);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t c = 0; c < 3; ++c) {
        const double s = sum[i][0].item<double>();
        const double want = s > 0.0 ? f[i][c].item<double>() / s : 1.0 / 3;
        // float32 sums of some ten neighbours, 25 times.
        EXPECT_NEAR(std::exp(p.value[static_cast<size_t>(3 * i + c)]), want, 25 * 10 * 6e-8)
            << i << ", " << c;
      }
    }
  }
}

TEST(LabelPropagation, NodesThatNoTrainingNodeReachesGetEveryClassAlike) {
  const auto data = std::make_shared<const Data>(with_an_island());
  const auto learner = tiny_learner("label-propagation", data);
  fit(*learner);
  const auto n = static_cast<int32_t>(data->num_rows());
  const std::vector<int32_t> island = {n - 4, n - 3, n - 2, n - 1};
  for (double v : learner->predict(island, {}).value) EXPECT_EQ(v, std::log(1.0 / 3));
}

TEST(LabelPropagation, ReadsNoLabelOutsideTheTrainingSet) {
  Dataset dataset = with_an_island();
  const auto predictions = [](const Dataset& d) {
    const auto data = std::make_shared<const Data>(d);
    const auto learner = tiny_learner("label-propagation", data);
    fit(*learner);
    return learner->predict(data->predicted_rows(), {}).value;
  };
  const std::vector<double> want = predictions(dataset);
  for (const auto* part : {&dataset.split.validation, &dataset.split.test}) {
    for (int32_t v : *part) {
      int32_t& cls = dataset.labels.cls[static_cast<size_t>(v)];
      cls = (cls + 1) % 3;
    }
  }
  EXPECT_EQ(predictions(dataset), want);
}

}  // namespace
}  // namespace emgnn
