// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/rsgnn_learner.h>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include <emgnn/base/threads.h>
#include <emgnn/data/all_rows.h>
#include <emgnn/formats/csv.h>
#include <emgnn/learn/serial_aten.h>
#include <emgnn/models/edge_ops.h>

namespace emgnn {

namespace {

constexpr int64_t kLinkSteps = 1, kClassifierSteps = 2;  // of an epoch

at::Tensor as_index(std::span<const int32_t> rows) {
  return at::tensor(std::vector<int64_t>(rows.begin(), rows.end()), at::kLong);
}

LoopOptions loop_options(const RsgnnLearnerOptions& options, const Task& task) {
  OptimOptions links = options.optim;
  links.learning_rate = options.link_learning_rate;
  return {.optim = options.optim,
          .stop = options.stop,
          .rule = stop_rule(options.stop, task),
          .other_optim = {links}};
}

}  // namespace

RsgnnLearner::RsgnnLearner(std::shared_ptr<const Data> data,
                           std::shared_ptr<const LinkCandidates> candidates,
                           std::shared_ptr<Task> task, const RsgnnLearnerOptions& options)
    : data_(std::move(data)),
      candidates_(std::move(candidates)),
      task_(std::move(task)),
      options_(options),
      network_(std::make_shared<Rsgnn>(options.model,
                                       NetworkShape{.num_nodes = data_->num_rows(),
                                                    .num_features = data_->num_features(),
                                                    .num_outputs = task_->num_outputs()},
                                       options.seed)),
      loop_({network_}, loop_options(options, *task_)),
      input_(c10::make_intrusive<InputFeatures>(data_->graph()->features, all_rows(*data_))),
      graphs_(candidates_, options.model.min_weight) {}

void RsgnnLearner::fit(FitObserver& observer) {
  loop_.run(*this, observer, *this);
  forget_graph();  // the kept weights are others
}

int64_t RsgnnLearner::steps_per_epoch(size_t /*member*/) const {
  return kLinkSteps + kClassifierSteps;
}

size_t RsgnnLearner::optimiser(int64_t k) const {
  return k < kLinkSteps ? Rsgnn::kLinkOptimiser : 0;
}

RsgnnLearner::Training& RsgnnLearner::training() {
  if (training_) return *training_;
  const std::vector<int32_t>& train = data_->split().train;
  training_.emplace(
      Training{.rows = as_index(train),
               .target = task_->target(train),
               .labelled = std::vector<uint8_t>(static_cast<size_t>(data_->num_rows())),
               .distances = SquaredDistances({data_->graph(), &data_->graph()->features}),
               .edge_factor = {}});
  for (const int32_t row : train) training_->labelled[static_cast<size_t>(row)] = 1;
  std::vector<float> edges;
  const std::vector<float> all = training_->distances.of(candidates_->pairs);
  for (size_t e = 0; e < all.size(); ++e)
    if (candidates_->observed[e] != 0) edges.push_back(all[e]);
  training_->edge_factor = distance_factor(edges, -1.0, options_.model.distance_scale);
  return *training_;
}

LinkGraph RsgnnLearner::make_graph() const { return graphs_.make(network_->link_rows(input_)); }

const LinkGraph& RsgnnLearner::graph() {
  if (!graph_) graph_ = make_graph();
  return *graph_;
}

const at::Tensor& RsgnnLearner::evaluated() {
  if (!evaluated_.defined()) evaluated_ = outputs(graph(), graph().values, {});
  return evaluated_;
}

void RsgnnLearner::forget_graph() {
  graph_.reset();
  smoothness_.reset();
  evaluated_.reset();
}

// Of all nodes, on the graph with these values.
at::Tensor RsgnnLearner::outputs(const LinkGraph& links, const at::Tensor& values,
                                 const Mode& mode) const {
  const GraphBatch batch{.input = input_, .hops = {weighted_hop(*links.graph, values)}};
  return network_->forward(batch, network_->embed(input_, mode), mode);
}

at::Tensor RsgnnLearner::training_loss(const at::Tensor& outputs) {
  const Training& known = training();
  return task_->row_loss(outputs.index_select(1, known.rows), known.target).mean();
}

double RsgnnLearner::descend(size_t /*member*/, int64_t /*epoch*/, int64_t step) {
  const bool links = step % steps_per_epoch(0) < kLinkSteps;
  return links ? descend_links(static_cast<uint64_t>(step))
               : descend_classifier(static_cast<uint64_t>(step));
}

// CE + α L_rec; the classifier without dropout, and without a gradient.
double RsgnnLearner::descend_links(uint64_t step) {
  const Training& known = training();
  const Csr others = draw_non_edges(candidates_->adjacency, options_.model.negatives,
                                    Rng(options_.seed, Stream::kNonEdges, step));
  const at::Tensor factor =
      distance_factor(known.distances.of(others), 1.0, options_.model.distance_scale);
  const at::Tensor product = edge_dots(whole_pattern(others), graph().rows, graph().rows).view(-1);
  const at::Tensor rec = reconstruction_loss(
      data_->num_rows(), {graph().product.index_select(0, graph().observed), known.edge_factor},
      {product, factor});
  const at::Tensor loss = training_loss(evaluated());
  const std::vector<at::Tensor> trained = network_->link_parameters();
  (loss + rec * options_.model.reconstruction).backward({}, false, false, trained);
  forget_graph();
  return loss.item<double>();
}

// CE + β L_smooth on the graph as the link predictor now has it.
double RsgnnLearner::descend_classifier(uint64_t step) {
  if (!smoothness_)
    smoothness_ = smoothness_matrix(graph(), training().labelled, options_.model.sure_weight);
  const Mode mode{.training = true, .seed = options_.seed, .step = step};
  const at::Tensor out = outputs(graph(), graph().values.detach(), mode);
  const at::Tensor loss = training_loss(out);
  const at::Tensor pull = smoothness_loss(*smoothness_, at::softmax(out[0], 1));
  (loss + pull * options_.model.smoothness).backward();
  evaluated_.reset();
  return loss.item<double>();
}

Prediction RsgnnLearner::predicted(const at::Tensor& outputs, std::span<const int32_t> rows,
                                   Detail detail) const {
  const at::NoGradGuard no_grad;
  const std::unique_ptr<Expectation> mean = task_->expectation(Average::kLogits, detail);
  mean->add(outputs.detach().index_select(1, as_index(rows)), 1.0);
  Prediction out{.rows = {rows.begin(), rows.end()}};
  mean->finish(out);
  return out;
}

PartScores RsgnnLearner::validate(size_t /*member*/, Ranks ranks) {
  const bool averaged =
      options_.optim.average > 0.0;  // now there are other weights than in training
  if (averaged) forget_graph();
  const std::vector<int32_t>& rows = data_->split().validation;
  const Prediction prediction = predicted(evaluated(), rows, Detail::kValue);
  if (averaged) forget_graph();
  return task_->score(prediction, ranks);
}

Prediction RsgnnLearner::predict(std::span<const int32_t> rows, const Poll& poll) {
  const SerialAten serial;
  const at::NoGradGuard no_grad;
  if (poll) poll();
  const LinkGraph links = make_graph();
  return predicted(outputs(links, links.values, {}), rows, Detail::kAll);
}

void RsgnnLearner::visit_state(StateVisitor& visitor) {
  task_->visit_state(visitor);
  loop_.visit_state(visitor);
  if (visitor.reading()) forget_graph();
}

FamilyReport RsgnnLearner::graph_report() const {
  const SerialAten serial;
  const at::NoGradGuard no_grad;
  const LinkGraph links = make_graph();
  const at::Tensor is_edge = at::zeros(links.weight.sizes(), at::kBool);
  if (links.observed.numel() > 0) is_edge.index_fill_(0, links.observed, true);
  const float* weight = links.weight.data_ptr<float>();
  const bool* observed = is_edge.data_ptr<bool>();
  FamilyReport out;
  std::string csv = "source,target,kind,weight\n";
  for (int32_t i = 0; i < links.pairs.num_rows; ++i) {
    check_stop();
    for (const auto [e, j] : links.pairs.row(i)) {
      if (!observed[e] && weight[e] == 0.0F) continue;
      fmt::format_to(std::back_inserter(csv), "{},{},{},{:.6g}\n", csv_field(data_->row_name(i)),
                     csv_field(data_->row_name(j)),
                     observed[e] ? "observed"
                     : j == i    ? "loop"
                                 : "candidate",
                     weight[e]);
      // In the order of the weights, and below 1 as probabilities are.
      if (observed[e]) out.edges.push_back({{i, j}, weight[e] / (1.0 + weight[e])});
    }
  }
  out.tables.push_back({"edges.csv", std::move(csv)});
  return out;
}

}  // namespace emgnn
