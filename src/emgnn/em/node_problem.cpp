// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/node_problem.h>

#include <ATen/ATen.h>

#include <algorithm>
#include <set>
#include <utility>

#include <emgnn/models/task.h>

namespace emgnn {

namespace {

std::vector<int32_t> joined(const std::vector<int32_t>& a, const std::vector<int32_t>& b) {
  std::vector<int32_t> out = a;
  out.insert(out.end(), b.begin(), b.end());
  return out;
}

}  // namespace

std::vector<int32_t> predicted_rows(const Dataset& dataset) {
  std::set<int32_t> types;
  std::vector<int32_t> rows;
  for (int32_t v = 0; v < dataset.graph.num_nodes && !dataset.node_type.empty(); ++v) {
    if (dataset.label[static_cast<size_t>(v)] != kNoLabel)
      types.insert(dataset.node_type[static_cast<size_t>(v)]);
  }
  for (int32_t v = 0; v < dataset.graph.num_nodes; ++v) {
    if (dataset.node_type.empty() || types.contains(dataset.node_type[static_cast<size_t>(v)]))
      rows.push_back(v);
  }
  return rows;
}

NodeProblem::NodeProblem(const Dataset& dataset, const GraphFamily& family, Backbone& backbone,
                         const EmOptions& options)
    : dataset_(&dataset),
      family_(&family),
      backbone_(&backbone),
      average_(options.average),
      train_label_(gather_labels(dataset.label, dataset.split.train)),
      validation_label_(gather_labels(dataset.label, dataset.split.validation)),
      train_(family, backbone, dataset.features, dataset.split.train),
      validation_(family, backbone, dataset.features, dataset.split.validation) {
  posterior_label_ = train_label_;
  if (options.labels == LabelSet::kTrainAndValidation) {
    const std::vector<int32_t> rows = joined(dataset.split.train, dataset.split.validation);
    posterior_label_ = gather_labels(dataset.label, rows);
    posterior_only_ = std::make_unique<Evaluator>(family, backbone, dataset.features, rows);
  }
}

std::vector<double> NodeProblem::losses(std::span<const int64_t> lam_ids, const Poll& poll) {
  const Evaluator& evaluator = posterior_only_ ? *posterior_only_ : train_;
  return evaluator.losses(lam_ids, posterior_label_, poll);
}

at::Tensor NodeProblem::batch_losses(std::span<const int64_t> lam_ids, const Pass& pass) {
  const FamilyView& view = train_.view();
  const Shift shift = lam_ids.empty() ? view.observed() : view.shifts(lam_ids);
  const at::Tensor logits = backbone_->forward(shift, backbone_->embed(train_.input(), pass), pass);
  return cross_entropy(logits, train_label_);
}

Scores NodeProblem::validate(const Posterior& posterior) {
  return classification_scores(validation_.expect(posterior, average_).log_prob, validation_label_);
}

Prediction NodeProblem::predict(const Posterior& posterior, const Poll& poll) {
  Prediction out{.rows = predicted_rows(*dataset_), .value = {}, .spread = {}};
  const Evaluator everything(*family_, *backbone_, dataset_->features, out.rows);
  Expectation e = everything.expect(posterior, average_, poll);
  out.value = std::move(e.log_prob);
  out.spread = std::move(e.spread);
  return out;
}

Scores NodeProblem::score(const Prediction& prediction, Part part) const {
  const Split& split = dataset_->split;
  const std::vector<int32_t>& rows = part == Part::kValidation ? split.validation : split.test;
  std::vector<int64_t> place;
  for (int32_t row : rows) {
    place.push_back(std::lower_bound(prediction.rows.begin(), prediction.rows.end(), row) -
                    prediction.rows.begin());
  }
  return classification_scores(prediction.value.index_select(0, at::tensor(place)),
                               gather_labels(dataset_->label, rows));
}

}  // namespace emgnn
