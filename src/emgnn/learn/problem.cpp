// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/problem.h>

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/data/all_rows.h>
#include <emgnn/data/split_shares.h>
#include <emgnn/learn/layerwise.h>
#include <emgnn/learn/leave_one_out.h>
#include <emgnn/learn/serial_aten.h>
#include <emgnn/learn/tensor_numbers.h>

namespace emgnn {

namespace {

// Where `rows` are in `all`, which is sorted.
at::Tensor places(const std::vector<int32_t>& all, const std::vector<int32_t>& rows) {
  std::vector<int64_t> place;
  for (int32_t row : rows)
    place.push_back(std::lower_bound(all.begin(), all.end(), row) - all.begin());
  return at::tensor(place);
}

// The mean over replicates, [k, replicates, rows, width] -> [k, rows, width].
at::Tensor without_replicates(const at::Tensor& outputs) {
  return outputs.size(1) == 1 ? outputs.squeeze(1) : outputs.to(at::kDouble).mean(1);
}

// mean_g(weight_g mean_i each[g,i]) in one operation: its gradient is weight_g / (graphs · rows).
struct WeightedMean : torch::autograd::Function<WeightedMean> {
  static at::Tensor forward(torch::autograd::AutogradContext* ctx, const at::Tensor& each,
                            const at::Tensor& mean, const std::vector<double>& weight) {
    ctx->saved_data["weight"] = weight;
    ctx->saved_data["rows"] = each.size(1);
    double sum = 0.0;
    for (size_t g = 0; g < weight.size(); ++g) sum += weight[g] * mean.data_ptr<double>()[g];
    return at::scalar_tensor(sum / static_cast<double>(weight.size()), each.options());
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    const std::vector<double> weight = ctx->saved_data["weight"].toDoubleVector();
    const int64_t rows = ctx->saved_data["rows"].toInt();
    const auto graphs = static_cast<int64_t>(weight.size());
    at::Tensor grad = at::empty({graphs, rows}, grads[0].options());
    const double each = grads[0].item<double>() / static_cast<double>(graphs);
    double* to = grad.data_ptr<double>();
    for (double w : weight) to = std::fill_n(to, rows, each * w / static_cast<double>(rows));
    return {grad, at::Tensor(), at::Tensor()};
  }
};

// Of losses [graphs, rows].
Objective mean_objective(const at::Tensor& each, const std::vector<double>& weight) {
  const at::Tensor mean = each.detach().mean(1);
  return {.value = WeightedMean::apply(each, mean, weight),
          .mean_loss = mean.mean().item<double>()};
}

// Points whose graphs are the same are run once.
struct Distinct {
  std::vector<int64_t> lam_ids;  // of graphs that differ, in the order of their first points
  std::vector<int64_t> place;    // of each point's graph among them
};

Distinct distinct(const GraphFamily& family, std::span<const int64_t> lam_ids) {
  Distinct out;
  std::unordered_map<int64_t, int64_t> known;
  for (int64_t id : lam_ids) {
    const auto [at, is_new] = known.try_emplace(family.same_graph(id), known.size());
    if (is_new) out.lam_ids.push_back(id);
    out.place.push_back(at->second);
  }
  return out;
}

}  // namespace

Problem::Problem(ProblemParts parts, const ProblemOptions& options)
    : parts_(std::move(parts)), options_(options) {
  if (data().kind() == DataKind::kGraph && !family().small_graphs()) {
    batches_ = takes_batches(options_.nodes, *data().graph());
    fanout_ = parse_fanout(options_.nodes.fanout);
  }
  if (options.evidence == EvidenceKind::kLastLayer && !network().has_last_features()) {
    throw UsageError(
        "em.evidence=last-layer: this network has no hidden layer before a last product with "
        "weights; use cross-fit");
  }
}

at::Tensor Problem::run(const GraphBatch& batch, const Mode& mode) const {
  return network().forward(batch, network().embed(batch.input, mode), mode);
}

void Problem::evaluate(const FamilyView& view, std::span<const int64_t> lam_ids,
                       const FamilyView::Take& take, const Poll& poll, Forward forward) const {
  const SerialAten serial;
  const at::NoGradGuard no_grad;
  const Mode mode;
  c10::intrusive_ptr<InputFeatures> embedded_input;
  at::Tensor embedded;
  const auto run_batch = [&](const GraphBatch& batch) {
    if (log_) {
      if (std::optional<at::Tensor> known = log_->next_run()) return *known;
    }
    if (batch.input != embedded_input) {
      embedded = network().embed(batch.input, mode);
      embedded_input = batch.input;
    }
    at::Tensor outputs = (network().*forward)(batch, embedded, mode);
    if (log_) log_->add_run(outputs);
    return outputs;
  };
  if (const auto* all = dynamic_cast<const LayerwiseRows*>(&view)) {
    Layerwise(network(), family(), data().graph()->features, options_.nodes.limits)
        .evaluate(all->rows(), {lam_ids, beliefs_.get()}, take, poll);
    return;
  }
  view.evaluate({lam_ids, beliefs_.get()}, run_batch, take, poll);
}

const TargetRows& Problem::evidence_target() {
  evidence_view();
  return evidence_target_;
}

// The replicates of a graph may be averaged before the last layer, in which outputs are linear.
at::Tensor Problem::judge(std::span<const int64_t> lam_ids, const OfOutputs& of, const Poll& poll) {
  const FamilyView& view = *evidence_view();
  std::vector<at::Tensor> tiles;
  int64_t known = 0;
  const auto count = static_cast<int64_t>(lam_ids.size());
  for (at::Tensor tile; log_ && known < count && (tile = log_->next(count - known)).defined();) {
    tiles.push_back(tile);
    known += tile.size(0);
  }
  const std::span<const int64_t> rest = lam_ids.subspan(static_cast<size_t>(known));
  const bool last_layer = options_.evidence == EvidenceKind::kLastLayer;
  const at::Tensor right = last_layer ? task().right_outputs(evidence_target_) : at::Tensor();
  const auto take = [&](size_t /*first*/, const at::Tensor& made) {
    at::Tensor outputs = without_replicates(made);
    if (last_layer) outputs = leave_one_out(outputs, right);
    tiles.push_back(of(outputs));
    if (log_) log_->add(tiles.back());
  };
  const Forward forward = last_layer ? &Network::last_features : &Network::forward;
  if (!rest.empty()) evaluate(view, rest, take, poll, forward);
  return at::cat(tiles);
}

at::Tensor Problem::outputs(std::span<const int64_t> lam_ids, const Poll& poll) {
  const Distinct graphs = distinct(family(), lam_ids);
  const at::Tensor out = judge(
      graphs.lam_ids, [](const at::Tensor& outputs) { return outputs; }, poll);
  return graphs.lam_ids.size() == lam_ids.size() ? out
                                                 : out.index_select(0, at::tensor(graphs.place));
}

std::vector<double> Problem::losses(std::span<const int64_t> lam_ids, const Poll& poll) {
  const Distinct graphs = distinct(family(), lam_ids);
  if (graphs.lam_ids.empty()) return {};
  const at::Tensor losses = judge(
      graphs.lam_ids,
      [&](const at::Tensor& outputs) {
        return at::tensor(task().losses(outputs, evidence_target_), at::kDouble);
      },
      poll);
  const std::span<const double> each = numbers(losses);
  std::vector<double> out;
  for (int64_t place : graphs.place) out.push_back(each[static_cast<size_t>(place)]);
  return out;
}

Problem::Work Problem::work() {
  if (family().small_graphs()) return {};
  if (batches_) return work_in_batches();
  if (!train_) begin_training();
  const std::vector<int32_t>& rows = data().split().validation;
  const auto of = [&](const FamilyView& view) {
    double entries = 0.0;
    for (const auto& hop : view.batch({}).hops)
      entries += static_cast<double>(hop->edges()->num_entries());
    return entries * static_cast<double>(network().needs().widest_layer);
  };
  return {.judge = of(*evidence_view()),
          .train = of(agreeing_ ? *agreeing_ : *train_),
          .validate = rows.empty() ? 0.0 : of(*validation_view())};
}

void Problem::believe(const GraphWeights& graphs, const Poll& poll) {
  if (!family().reads_beliefs() || task().kind() != LabelKind::kClasses) return;
  beliefs_ = nullptr;  // or what it says would depend on what it said before
  const std::vector<int32_t> all = all_rows(data());
  const View view = parts_.views->of("all", [&] { return view_of(all); });
  const std::unique_ptr<Expectation> mean =
      task().expectation(Average::kProbabilities, Detail::kValue);
  predict(*view, graphs, 1.0, *mean, poll);
  const std::vector<double> log_prob = finished(*mean, all).value;
  believed_ = at::tensor(log_prob).exp().view({data().num_rows(), task().num_outputs()});
  beliefs_ = family().beliefs(numbers(believed_), task().num_outputs());
}

void Problem::visit_beliefs(StateVisitor& visitor, const std::string& name) {
  if (!visitor.has(name, believed_.defined())) return;
  if (visitor.reading())
    believed_ = at::zeros({data().num_rows(), task().num_outputs()}, at::kDouble);
  visitor.tensor(name, believed_);
  if (visitor.reading()) beliefs_ = family().beliefs(numbers(believed_), task().num_outputs());
}

Objective Problem::objective(std::span<const LambdaDraw> draws, const Mode& mode,
                             const Progress& progress) {
  if (family().small_graphs()) return objective_of_items(draws, mode);
  return batches_ ? objective_of_batch(draws, mode, progress)
                  : objective_of_rows(draws, mode, progress);
}

// Each small graph of the batch under one of the draws.
Objective Problem::objective_of_items(std::span<const LambdaDraw> draws, const Mode& mode) {
  const std::span<const int32_t> rows = batch_rows(mode.step);
  std::vector<int64_t> lam_ids;
  for (const LambdaDraw& draw : draws) lam_ids.push_back(draw.lam_id);
  const GraphBatch batch = view_of(rows)->batch(
      {.lam_ids = lam_ids, .seed = mode.seed, .step = mode.step, .beliefs = beliefs_.get()});
  std::vector<double> weight(rows.size(), 1.0);
  for (size_t i = 0; i < rows.size() && !draws.empty(); ++i)
    weight[i] = draws[i % draws.size()].weight;
  const at::Tensor each =
      task().row_loss(run(batch, mode).unsqueeze(0), task().target(rows)).squeeze(0);
  return {.value = (each * at::tensor(weight)).mean(), .mean_loss = each.mean().item<double>()};
}

// Networks that are trained side by side run on the same rows; what tells them apart is the weight
// of each row.
void Problem::begin_training() {
  const std::vector<int32_t>& train = data().split().train;
  train_target_ = task().target(train);
  train_ = parts_.views->of("train", [&] { return view_of(train); });
  if (!options_.left_out.empty()) {
    const std::set<int32_t> gone(options_.left_out.begin(), options_.left_out.end());
    std::vector<double> weight;
    for (int32_t row : train) weight.push_back(gone.contains(row) ? 0.0 : 1.0);
    row_weight_ = at::tensor(weight);
  }
  if (options_.agreement.weight > 0.0) {
    agreeing_ = parts_.views->of("agreeing", [&] { return view_of(data().predicted_rows()); });
    train_place_ = places(data().predicted_rows(), train);
  }
}

namespace {

struct Draws {
  std::vector<int64_t> lam_ids;
  std::vector<double> weight = {1.0};  // of the graph as given

  explicit Draws(std::span<const LambdaDraw> draws) {
    if (!draws.empty()) weight.clear();
    for (const LambdaDraw& draw : draws) {
      lam_ids.push_back(draw.lam_id);
      weight.push_back(draw.weight);
    }
  }
};

// Grows over the first half of the training.
double agreement_weight(const AgreementOptions& agreement, const Progress& progress) {
  const double grown = std::min(
      1.0, static_cast<double>(progress.done) / (0.5 * static_cast<double>(progress.total)));
  return agreement.weight * grown;
}

}  // namespace

// A batch of the training rows with a sample of their neighbours, under every draw. Graphs are to
// agree on these rows.
Objective Problem::objective_of_batch(std::span<const LambdaDraw> draws, const Mode& mode,
                                      const Progress& progress) {
  const std::span<const int32_t> drawn = batch_rows(mode.step);
  std::vector<int32_t> rows(drawn.begin(), drawn.end());
  std::sort(rows.begin(), rows.end());
  const Draws of(draws);
  const NetworkNeeds needs = network().needs();
  const View view =
      fanout_.empty()
          ? family().view(rows, needs)
          : family().sampled_view(rows, needs,
                                  {.fanout = fanout_, .seed = options_.seed, .step = mode.step});
  const at::Tensor out = run(
      view->batch(
          {.lam_ids = of.lam_ids, .seed = mode.seed, .step = mode.step, .beliefs = beliefs_.get()}),
      mode);
  Objective objective = mean_objective(task().row_loss(out, task().target(rows)), of.weight);
  if (options_.agreement.weight > 0.0) {
    objective.value = objective.value + disagreement(out, options_.agreement) *
                                            agreement_weight(options_.agreement, progress);
  }
  return objective;
}

// All training rows under every draw.
Objective Problem::objective_of_rows(std::span<const LambdaDraw> draws, const Mode& mode,
                                     const Progress& progress) {
  const AgreementOptions& agreement = options_.agreement;
  if (!train_) begin_training();
  const Draws of(draws);
  const FamilyView& view = agreeing_ ? *agreeing_ : *train_;
  const GraphBatch batch = view.batch(
      {.lam_ids = of.lam_ids, .seed = mode.seed, .step = mode.step, .beliefs = beliefs_.get()});
  const at::Tensor out = run(batch, mode);
  const at::Tensor outputs = agreeing_ ? out.index_select(1, train_place_) : out;
  const at::Tensor each = task().row_loss(outputs, train_target_);  // [draws, rows]
  if (!row_weight_.defined() && !agreeing_) return mean_objective(each, of.weight);
  const at::Tensor loss =
      row_weight_.defined() ? (each * row_weight_).sum(1) / row_weight_.sum() : each.mean(1);
  at::Tensor value = (loss * at::tensor(of.weight)).mean();
  if (agreeing_)
    value = value + disagreement(out, agreement) * agreement_weight(agreement, progress);
  return {.value = value, .mean_loss = loss.mean().item<double>()};
}

void Problem::predict(const FamilyView& view, const GraphWeights& graphs, double share,
                      Expectation& into, const Poll& poll) const {
  const Distinct differ = distinct(family(), graphs.lam_ids);
  std::vector<double> p(differ.lam_ids.size(), 0.0), temperature(differ.lam_ids.size(), 1.0);
  for (size_t k = 0; k < graphs.lam_ids.size(); ++k) {
    const auto at = static_cast<size_t>(differ.place[k]);
    p[at] += std::exp(graphs.log_prob[k]);
    if (!graphs.temperature.empty()) temperature[at] = graphs.temperature[k];
  }
  const auto take = [&](size_t first, const at::Tensor& outputs) {
    for (int64_t g = 0; g < outputs.size(0); ++g) {
      const size_t at = first + static_cast<size_t>(g);
      into.add(outputs[g], share * p[at], temperature[at]);
    }
  };
  evaluate(view, differ.lam_ids, take, poll);
}

void Problem::predict_each(const FamilyView& view, const GraphWeights& graphs, double share,
                           const Expectations& into, const Poll& poll) const {
  evaluate(
      view, graphs.lam_ids,
      [&](size_t first, const at::Tensor& outputs) {
        for (int64_t g = 0; g < outputs.size(0); ++g) {
          const size_t at = first + static_cast<size_t>(g);
          into[at]->add(outputs[g], share,
                        graphs.temperature.empty() ? 1.0 : graphs.temperature[at]);
        }
      },
      poll);
}

Prediction Problem::finished(const Expectation& mean, std::span<const int32_t> rows) const {
  Prediction out{.rows = {rows.begin(), rows.end()}};
  mean.finish(out);
  return out;
}

// Of many graphs this may be most of an epoch, which is given up when it does not end soon.
PartScores Problem::validate(const GraphWeights& graphs, Ranks ranks) {
  const View view = validation_view();
  const std::unique_ptr<Expectation> mean = task().expectation(options_.average, Detail::kValue);
  predict(*view, graphs, 1.0, *mean, [] { check_overdue(); });
  return task().score(finished(*mean, validation_rows_), ranks);
}

Prediction Problem::predict(const GraphWeights& graphs, std::span<const int32_t> rows,
                            const Poll& poll) {
  const std::unique_ptr<Expectation> mean = task().expectation(options_.average);
  predict(*view_of(rows), graphs, 1.0, *mean, poll);
  return finished(*mean, rows);
}

}  // namespace emgnn
