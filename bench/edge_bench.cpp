// SPDX-License-Identifier: Apache-2.0
// One layer of graph attention at IMDB's size (12,772 nodes, 8 heads of 8 columns), with two
// threads. The answer of every step is compared with a plain float64 loop before it is timed.
//   BM_Attention/graphs1/forward  BM_Attention/graphs1/backward  BM_Attention/graphs21/forward ...
//   BM_Edge/aggregate/graphs1 ... its parts
#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <emgnn/base/context.h>
#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/graph/csr.h>
#include <emgnn/kernels/edge.h>

namespace {

using namespace emgnn;
using kernels::EdgeAggregate;
using kernels::EdgeBatch;
using kernels::EdgeScores;

constexpr int kThreads = 2;
constexpr int32_t kNodes = 12772;
constexpr int64_t kHeads = 8, kWidth = 8, kRowWidth = kHeads * kWidth;

std::vector<float> random_floats(int64_t size, uint32_t seed) {
  Rng rng(seed, Stream::kTest);
  std::vector<float> x(static_cast<size_t>(size));
  for (float& v : x) v = static_cast<float>(rng.uniform(-1.0, 1.0));
  return x;
}

// About 50,000 entries: symmetric, with the diagonal.
Csr imdb_like() {
  Rng rng(1, Stream::kTest);
  Coo coo;
  for (int e = 0; e < 18640; ++e) {
    coo.row.push_back(static_cast<int32_t>(rng.below(kNodes)));
    coo.col.push_back(static_cast<int32_t>(rng.below(kNodes)));
  }
  return add_diagonal(symmetrise(csr_from_coo(kNodes, kNodes, coo, Duplicates::kKeepFirst)), 1.0F);
}

// All arrays of a layer. The first layer's inputs are shared by the graphs.
struct Layer {
  Csr a = imdb_like();
  Transposed t = transpose(a);
  int64_t num_graphs, num_entries = a.num_entries();
  std::vector<float> weight, left, right, in, grad_out;
  std::vector<float> score, attention, out;
  std::vector<float> grad_attention, grad_score, grad_in, grad_left, grad_right;

  explicit Layer(int64_t graphs) : num_graphs(graphs) {
    weight = random_floats(graphs * num_entries, 2);  // one graph has all, others lack a tenth
    for (float& w : weight) w = graphs > 1 && w < -0.8F ? 0.0F : 1.0F;
    left = random_floats(kNodes * kHeads, 3);
    right = random_floats(kNodes * kHeads, 4);
    in = random_floats(kNodes * kRowWidth, 5);
    grad_out = random_floats(graphs * kNodes * kRowWidth, 6);
    const auto on_edges = static_cast<size_t>(graphs * num_entries * kHeads);
    for (auto* x : {&score, &attention, &grad_attention, &grad_score}) x->resize(on_edges);
    out.resize(grad_out.size());
    grad_in.resize(in.size());
    grad_left.resize(left.size());
    grad_right.resize(right.size());
  }

  EdgeBatch batch() const {
    return {.pattern = {kNodes, kNodes, a.rowptr.data(), a.col.data()},
            .transposed = {kNodes, kNodes, t.csr.rowptr.data(), t.csr.col.data()},
            .entry = t.entry.data(),
            .num_graphs = num_graphs,
            .heads = kHeads,
            .weight = {weight.data(), num_entries}};
  }
  EdgeScores scores() const { return {.left = {left.data(), 0}, .right = {right.data(), 0}}; }
  EdgeAggregate aggregate() const {
    return {.width = kWidth, .values = attention.data(), .in = {in.data(), 0}};
  }

  void run_scores() { edge_scores(batch(), scores(), score.data()); }
  void run_softmax() { edge_softmax(batch(), score.data(), attention.data()); }
  void run_aggregate() { edge_aggregate(batch(), aggregate(), out.data()); }
  void run_grad_values() {
    edge_aggregate_backward(batch(), aggregate(), grad_out.data(),
                            {.values = grad_attention.data()});
  }
  void run_grad_in() {
    edge_aggregate_backward(batch(), aggregate(), grad_out.data(), {.in = grad_in.data()});
  }
  void run_softmax_backward() {
    edge_softmax_backward(batch(), attention.data(), grad_attention.data(), grad_score.data());
  }
  void run_scores_backward() {
    edge_scores_backward(batch(), scores(), score.data(), grad_score.data(),
                         {grad_left.data(), grad_right.data()});
  }
  void forward() {
    run_scores();
    run_softmax();
    run_aggregate();
  }
  void backward() {
    run_grad_values();
    run_grad_in();
    run_softmax_backward();
    run_scores_backward();
  }
};

// The same layer, row by row and head by head in float64.
struct Plain {
  std::vector<double> out, grad_in, grad_left, grad_right;

  explicit Plain(const Layer& l)
      : out(l.out.size()),
        grad_in(l.in.size()),
        grad_left(l.left.size()),
        grad_right(l.right.size()) {
    for (int64_t g = 0; g < l.num_graphs; ++g)
      for (int64_t i = 0; i < kNodes; ++i)
        for (int64_t h = 0; h < kHeads; ++h) add_row(l, g, i, h);
  }

  void add_row(const Layer& l, int64_t g, int64_t i, int64_t h) {
    std::vector<int64_t> cols;
    std::vector<double> slope, y, grad_y;
    double total = 0, mean = 0;
    for (int64_t e = l.a.rowptr[i]; e < l.a.rowptr[i + 1]; ++e) {
      if (l.weight[g * l.num_entries + e] == 0.0F) continue;
      cols.push_back(l.a.col[e]);
      const double x = double(l.left[i * kHeads + h]) + l.right[cols.back() * kHeads + h];
      slope.push_back(x > 0 ? 1.0 : double(l.scores().slope));
      y.push_back(std::exp(slope.back() * x));
      total += y.back();
    }
    for (size_t k = 0; k < cols.size(); ++k) {
      y[k] /= total;
      grad_y.push_back(0);
      for (int64_t d = h * kWidth; d < (h + 1) * kWidth; ++d) {
        const double grad = l.grad_out[(g * kNodes + i) * kRowWidth + d];
        const int64_t at = cols[k] * kRowWidth + d;
        out[(g * kNodes + i) * kRowWidth + d] += y[k] * l.in[at];
        grad_y[k] += grad * l.in[at];
        grad_in[at] += grad * y[k];
      }
      mean += y[k] * grad_y[k];
    }
    for (size_t k = 0; k < cols.size(); ++k) {
      const double grad = slope[k] * y[k] * (grad_y[k] - mean);
      grad_left[i * kHeads + h] += grad;
      grad_right[cols[k] * kHeads + h] += grad;
    }
  }
};

void verify(const char* name, const std::vector<float>& ours, const std::vector<double>& plain) {
  double error = 0, scale = 0;
  for (size_t k = 0; k < plain.size(); ++k) {
    error = std::max(error, std::abs(ours[k] - plain[k]));
    scale = std::max(scale, std::abs(plain[k]));
  }
  if (!(error <= 1e-5 * scale))
    throw InternalError(std::string(name) + " is off by " + std::to_string(error));
}

void add_layer(int64_t num_graphs) {
  const auto layer = std::make_shared<Layer>(num_graphs);
  layer->forward();
  layer->backward();
  const Plain plain(*layer);
  verify("out", layer->out, plain.out);
  verify("grad_in", layer->grad_in, plain.grad_in);
  verify("grad_left", layer->grad_left, plain.grad_left);
  verify("grad_right", layer->grad_right, plain.grad_right);
  const std::string graphs = "graphs" + std::to_string(num_graphs);
  const auto add = [&](const std::string& name, void (Layer::*step)()) {
    benchmark::RegisterBenchmark(name.c_str(),
                                 [layer, step](benchmark::State& state) {
                                   for (auto _ : state) (*layer.*step)();
                                 })
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
  };
  add("BM_Attention/" + graphs + "/forward", &Layer::forward);
  add("BM_Attention/" + graphs + "/backward", &Layer::backward);
  add("BM_Edge/scores/" + graphs, &Layer::run_scores);
  add("BM_Edge/softmax/" + graphs, &Layer::run_softmax);
  add("BM_Edge/aggregate/" + graphs, &Layer::run_aggregate);
  add("BM_Edge/grad_values/" + graphs, &Layer::run_grad_values);
  add("BM_Edge/grad_in/" + graphs, &Layer::run_grad_in);
  add("BM_Edge/softmax_backward/" + graphs, &Layer::run_softmax_backward);
  add("BM_Edge/scores_backward/" + graphs, &Layer::run_scores_backward);
}

}  // namespace

int main(int argc, char** argv) {
  const Context::Scope threads{Context(kThreads)};
  add_layer(1);
  add_layer(21);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
