// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/node_problem.h>

#include <ATen/ATen.h>

#include <algorithm>
#include <set>
#include <utility>

#include <emgnn/models/task.h>

namespace emgnn {

namespace {

// Where `rows` are in `all`, which is sorted.
at::Tensor places(const std::vector<int32_t>& all, const std::vector<int32_t>& rows) {
  std::vector<int64_t> place;
  for (int32_t row : rows) {
    place.push_back(std::lower_bound(all.begin(), all.end(), row) - all.begin());
  }
  return at::tensor(place);
}

std::vector<int32_t> joined(const std::vector<int32_t>& a, const std::vector<int32_t>& b) {
  std::vector<int32_t> out = a;
  out.insert(out.end(), b.begin(), b.end());
  return out;
}

}  // namespace

std::vector<std::string> predicted_types(const Dataset& dataset) {
  std::set<int32_t> types;
  for (size_t v = 0; v < dataset.node_type.size(); ++v) {
    if (dataset.label[v] != kNoLabel) types.insert(dataset.node_type[v]);
  }
  std::vector<std::string> names;
  for (int32_t type : types) names.push_back(dataset.node_type_names[static_cast<size_t>(type)]);
  return names;
}

std::vector<int32_t> rows_of_types(const Dataset& dataset, const std::vector<std::string>& types) {
  std::vector<int32_t> rows;
  for (int32_t v = 0; v < dataset.graph.num_nodes; ++v) {
    const auto is = [&](const std::string& type) {
      const int32_t own = dataset.node_type[static_cast<size_t>(v)];
      return dataset.node_type_names[static_cast<size_t>(own)] == type;
    };
    if (types.empty() || std::any_of(types.begin(), types.end(), is)) rows.push_back(v);
  }
  return rows;
}

Prediction predict_nodes(const Dataset& dataset, const GraphFamily& family,
                         const Backbone& backbone, const NodeQuery& query) {
  const Evaluator evaluator(family, backbone, dataset.features, query.rows);
  Expectation e = evaluator.expect(query.posterior, query.average, query.poll);
  return {.rows = query.rows, .value = std::move(e.log_prob), .spread = std::move(e.spread)};
}

NodeProblem::NodeProblem(const Dataset& dataset, const GraphFamily& family,
                         const Backbone& backbone, const TrainOptions& options)
    : dataset_(&dataset),
      family_(&family),
      backbone_(&backbone),
      average_(options.em.average),
      agreement_(options.agreement),
      train_label_(gather_labels(dataset.label, dataset.split.train)),
      validation_label_(gather_labels(dataset.label, dataset.split.validation)),
      train_(family, backbone, dataset.features, dataset.split.train),
      validation_(family, backbone, dataset.features, dataset.split.validation) {
  posterior_label_ = train_label_;
  if (options.em.labels == LabelSet::kTrainAndValidation) {
    const std::vector<int32_t> rows = joined(dataset.split.train, dataset.split.validation);
    posterior_label_ = gather_labels(dataset.label, rows);
    posterior_only_ = std::make_unique<Evaluator>(family, backbone, dataset.features, rows);
  }
  if (agreement_.weight > 0.0) {
    const std::vector<int32_t> rows = rows_of_types(dataset, predicted_types(dataset));
    agreeing_ = std::make_unique<Evaluator>(family, backbone, dataset.features, rows);
    train_place_ = places(rows, dataset.split.train);
    const EmOptions& em = options.em;
    agreement_full_ = 0.5 * static_cast<double>(em.warmup + em.rounds * em.steps);
  }
}

std::vector<double> NodeProblem::losses(std::span<const int64_t> lam_ids, const Poll& poll) {
  const Evaluator& evaluator = posterior_only_ ? *posterior_only_ : train_;
  return evaluator.losses(lam_ids, posterior_label_, poll);
}

Objective NodeProblem::objective(std::span<const LambdaDraw> draws, const Pass& pass) {
  std::vector<int64_t> lam_ids;
  std::vector<double> weight = {1.0};  // of the observed graph
  if (!draws.empty()) weight.clear();
  for (const LambdaDraw& draw : draws) {
    lam_ids.push_back(draw.lam_id);
    weight.push_back(draw.weight);
  }
  const Evaluator& evaluator = agreeing_ ? *agreeing_ : train_;
  const FamilyView& view = evaluator.view();
  const Shift shift = lam_ids.empty() ? view.observed() : view.shifts(lam_ids);
  const at::Tensor out = backbone_->forward(shift, backbone_->embed(evaluator.input(), pass), pass);
  const at::Tensor logits = agreeing_ ? out.index_select(1, train_place_) : out;
  const at::Tensor loss = cross_entropy(logits, train_label_);  // [draws]
  at::Tensor value = (loss * at::tensor(weight)).mean();
  if (agreeing_) {
    const double grown = std::min(1.0, static_cast<double>(pass.step) / agreement_full_);
    value = value + disagreement(out, agreement_) * (agreement_.weight * grown);
  }
  return {.value = value, .mean_loss = loss.mean().item<double>()};
}

Scores NodeProblem::validate(const Posterior& posterior) {
  return classification_scores(validation_.expect(posterior, average_).log_prob, validation_label_);
}

Prediction NodeProblem::predict(const Posterior& posterior, const Poll& poll) {
  return predict_nodes(*dataset_, *family_, *backbone_,
                       {.rows = rows_of_types(*dataset_, predicted_types(*dataset_)),
                        .posterior = posterior,
                        .average = average_,
                        .poll = poll});
}

Scores NodeProblem::score(const Prediction& prediction, Part part) const {
  const Split& split = dataset_->split;
  const std::vector<int32_t>& rows = part == Part::kValidation ? split.validation : split.test;
  return classification_scores(prediction.value.index_select(0, places(prediction.rows, rows)),
                               gather_labels(dataset_->label, rows));
}

}  // namespace emgnn
