// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/molecule_problem.h>

#include <ATen/ATen.h>

#include <numeric>
#include <utility>

#include <emgnn/data/split_shares.h>
#include <emgnn/em/molecule_step.h>

namespace emgnn {

namespace {

std::vector<double> standardise(const std::vector<double>& target, const TargetScale& scale) {
  std::vector<double> out;
  for (double y : target) out.push_back(scale.standardise(y));
  return out;
}

std::vector<double> at_rows(const std::vector<double>& values, std::span<const int32_t> rows) {
  std::vector<double> out;
  for (int32_t row : rows) out.push_back(values[static_cast<size_t>(row)]);
  return out;
}

}  // namespace

MoleculeProblem::MoleculeProblem(const MoleculeTask& task, const MoleculeFamily& family,
                                 const MoleculeBackbone& backbone)
    : target_(&task.target),
      split_(&task.split),
      family_(&family),
      backbone_(&backbone),
      loss_(task.options.task.loss),
      batch_size_(task.options.optim.batch),
      seed_(task.seed),
      scale_(TargetScale::fit(task.target, task.split.train)),
      standardised_(standardise(task.target, scale_)),
      train_(family, backbone, task.split.train),
      validation_(family, backbone, task.split.validation) {
  if (task.options.em.labels == LabelSet::kTrainAndValidation) {
    std::vector<int32_t> rows = split_->train;
    rows.insert(rows.end(), split_->validation.begin(), split_->validation.end());
    posterior_only_ = std::make_unique<MoleculeEvaluator>(family, backbone, rows);
  }
}

std::vector<double> MoleculeProblem::losses(std::span<const int64_t> lam_ids, const Poll& poll) {
  MoleculeEvaluator& evaluator = posterior_only_ ? *posterior_only_ : train_;
  evaluator.set_poll(poll);
  return evaluator.losses(lam_ids, at_rows(standardised_, evaluator.molecules()), loss_);
}

int64_t MoleculeProblem::num_batches() const {
  const auto n = static_cast<int64_t>(split_->train.size());
  // A single molecule has no moments to normalise by: it joins the batch before.
  const int64_t alone = n % batch_size_ == 1 && n > 1 ? 1 : 0;
  return (n + batch_size_ - 1) / batch_size_ - alone;
}

std::span<const int32_t> MoleculeProblem::batch(uint64_t step) {
  const auto batches = static_cast<uint64_t>(num_batches());
  const uint64_t pass = step / batches, index = step % batches;
  if (order_.empty() || pass != ordered_pass_) {
    order_ = split_->train;
    Rng rng(seed_, Stream::kBatch, pass);
    shuffle(order_, rng);
    ordered_pass_ = pass;
  }
  const auto size = static_cast<size_t>(batch_size_);
  const size_t begin = index * size;
  const size_t end = index + 1 == batches ? order_.size() : begin + size;
  return std::span(order_).subspan(begin, end - begin);
}

Objective MoleculeProblem::objective(std::span<const LambdaDraw> draws, const Pass& pass) {
  std::vector<MoleculeDraw> items;
  for (int32_t molecule : batch(pass.step)) {
    MoleculeDraw item{.molecule = molecule, .target = standardised_[static_cast<size_t>(molecule)]};
    if (!draws.empty()) {
      const LambdaDraw& draw = draws[items.size() % draws.size()];
      item.lam_id = draw.lam_id;
      item.weight = draw.weight;
    }
    items.push_back(item);
  }
  MoleculeStep step = draws.empty() ? observed_step(*family_, *backbone_, items, loss_, pass)
                                    : molecule_step(*family_, *backbone_, items, loss_, pass);
  return {.value = std::move(step.objective), .mean_loss = step.mean_loss};
}

Scores MoleculeProblem::score(std::span<const double> value,
                              const std::vector<int32_t>& molecules) const {
  const RegressionScores of_values = regression_scores(value, at_rows(*target_, molecules));
  Scores out{
      .task = Task::kRegression, .rmse = of_values.rmse, .mae = of_values.mae, .r2 = of_values.r2};
  for (size_t i = 0; i < molecules.size(); ++i) {
    out.loss += regression_loss(loss_, scale_.standardise(value[i]),
                                standardised_[static_cast<size_t>(molecules[i])]);
  }
  out.loss /= static_cast<double>(molecules.size());
  return out;
}

Scores MoleculeProblem::validate(const Posterior& posterior) {
  return score(validation_.expect(posterior, scale_).mean, split_->validation);
}

Prediction MoleculeProblem::predict(const Posterior& posterior, const Poll& poll) {
  return predict_molecules(*family_, *backbone_, posterior, scale_, poll);
}

Scores MoleculeProblem::score(const Prediction& prediction, Part part) const {
  const std::vector<int32_t>& molecules =
      part == Part::kValidation ? split_->validation : split_->test;
  const double* value = prediction.value.data_ptr<double>();
  return score(at_rows({value, value + prediction.value.numel()}, molecules), molecules);
}

Prediction predict_molecules(const MoleculeFamily& family, const MoleculeBackbone& backbone,
                             const Posterior& posterior, const TargetScale& scale,
                             const Poll& poll) {
  Prediction out;
  out.rows.resize(static_cast<size_t>(family.num_molecules()));
  std::iota(out.rows.begin(), out.rows.end(), 0);
  MoleculeEvaluator everything(family, backbone, out.rows);
  everything.set_poll(poll);
  const MoleculeExpectation e = everything.expect(posterior, scale);
  out.value = at::tensor(e.mean);
  out.spread = at::tensor(e.spread);
  return out;
}

}  // namespace emgnn
