// SPDX-License-Identifier: Apache-2.0
// A graph transformer network, forward and backward from X W on, beside the same with dense
// matrices: every Q_s and every product of them is formed, as its definition says. That needs
// n × n numbers several times, so both run on a sixth of DBLP (3,067 nodes with DBLP's proportions
// of nodes and edges), and ours alone on all of it (18,405 nodes, 67,946 edges). What memory each
// takes is the growth of the process in its first call, its matrices or patterns included.
//   gtn/sixth/emgnn  gtn/sixth/peer-dense  gtn/dblp/emgnn
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <malloc.h>
#include <torch/csrc/autograd/autograd.h>

#include <fstream>
#include <map>
#include <memory>
#include <numeric>
#include <set>

#include "beside.h"

#include <emgnn/base/context.h>
#include <emgnn/base/rng.h>
#include <emgnn/models/gtn.h>
#include <emgnn/space/edge_types.h>

namespace emgnn {
namespace {

constexpr int kThreads = 2;
constexpr int32_t kClasses = 4, kWords = 8;  // the features are not read: X W is given
constexpr GtnOptions kOptions{.hidden = 64, .channels = 2, .path_length = 3};

// Authors, papers, conferences. Each paper is of one conference; authors are drawn.
std::shared_ptr<const Dataset> dblp_sized(int32_t part) {
  const int32_t authors = 4057 / part, papers = 14328 / part, places = 20 / part;
  const auto num_written = static_cast<size_t>(19645 / part);
  const int32_t nodes = authors + papers + places;
  Rng rng(1, Stream::kTest);
  const auto below = [&](int32_t n) {
    return static_cast<int32_t>(rng.below(static_cast<uint64_t>(n)));
  };
  std::set<std::pair<int32_t, int32_t>> written;
  while (written.size() < num_written) written.insert({below(authors), authors + below(papers)});
  Coo wrote, at;
  for (const auto& [author, paper] : written) {
    wrote.row.push_back(author);
    wrote.col.push_back(paper);
  }
  for (int32_t p = 0; p < papers; ++p) {
    at.row.push_back(authors + p);
    at.col.push_back(authors + papers + below(places));
  }
  auto data = std::make_shared<Dataset>();
  data->graph = {.num_nodes = nodes, .relations = {}};
  for (const auto& [name, edges] : {std::pair("wrote", &wrote), std::pair("at", &at)})
    data->graph.relations.push_back(
        {name, symmetrise(csr_from_coo(nodes, nodes, *edges, Duplicates::kKeepFirst))});
  data->features = {.num_rows = nodes, .num_cols = kWords};
  data->features.sparse = csr_from_coo(nodes, kWords, {}, Duplicates::kKeepFirst);
  data->node_type_names = {"author", "paper", "conference"};
  for (int32_t v = 0; v < nodes; ++v)
    data->node_type.push_back((v >= authors ? 1 : 0) + (v >= authors + papers ? 1 : 0));
  return data;
}

struct Problem {
  std::shared_ptr<const Dataset> data;
  std::shared_ptr<const EdgeTypeFamily> family = std::make_shared<const EdgeTypeFamily>(data);
  int32_t nodes = data->graph.num_nodes;
  Gtn gtn{kOptions,
          {.num_nodes = nodes, .num_features = kWords, .num_outputs = kClasses},
          family->coordinate_names(),
          1};
  at::Tensor xw = random_tensor({nodes, kOptions.hidden}, 1).requires_grad_();
  at::Tensor grad = random_tensor({nodes, kClasses}, 2);  // of the output

  explicit Problem(std::shared_ptr<const Dataset> d) : data(std::move(d)) {
    // The softmax of the first weights selects all types alike.
    uint64_t step = 2;
    for (const Parameter& p : gtn.parameters())
      if (p.name.starts_with("select."))
        p.value.detach().copy_(random_tensor(p.value.sizes(), ++step));
  }

  // The output, and the gradients of X W and of all weights behind it.
  Answers with_gradients(const at::Tensor& out) const {
    std::vector<at::Tensor> inputs = {xw};
    for (const Parameter& p : gtn.parameters())
      if (p.name != "weight") inputs.push_back(p.value);
    Answers answers = torch::autograd::grad({out}, inputs, {grad});
    answers.push_back(out.detach());
    return answers;
  }
};

class Ours {
 public:
  explicit Ours(std::shared_ptr<const Problem> p) : problem_(std::move(p)) {
    std::vector<int32_t> rows(static_cast<size_t>(problem_->nodes));
    std::iota(rows.begin(), rows.end(), 0);
    view_ = problem_->family->view(rows, problem_->gtn.needs());
  }

  Answers run() const {
    const GraphBatch batch = view_->batch({});
    return problem_->with_gradients(problem_->gtn.forward(batch, problem_->xw, {})[0]);
  }

 private:
  std::shared_ptr<const Problem> problem_;
  std::shared_ptr<const FamilyView> view_;
};

class Dense {
 public:
  explicit Dense(std::shared_ptr<const Problem> p) : problem_(std::move(p)) {
    // A type is an edge type between two types of nodes, in the order of the family's names.
    const Dataset& data = *problem_->data;
    for (const std::string& name : problem_->family->coordinate_names()) {
      types_.push_back(at::zeros({problem_->nodes, problem_->nodes}));
      float* to = types_.back().data_ptr<float>();
      for (const Relation& relation : data.graph.relations) fill(relation, name, to);
    }
    types_.back().fill_diagonal_(1.0F);  // the node itself
  }

  Answers run() const {
    std::map<std::string, at::Tensor> p;
    for (const Parameter& parameter : problem_->gtn.parameters())
      p[parameter.name] = parameter.value;
    const at::Tensor selected = problem_->gtn.selection();  // [steps, types, channels]
    std::vector<at::Tensor> channels;
    for (int64_t c = 0; c < kOptions.channels; ++c) {
      at::Tensor path;
      for (int64_t s = 0; s < kOptions.path_length; ++s) {
        at::Tensor q;
        for (size_t k = 0; k < types_.size(); ++k) {
          const at::Tensor term = selected[s][static_cast<int64_t>(k)][c] * types_[k];
          q = k == 0 ? term : q + term;
        }
        path = s == 0 ? q : path.matmul(q);
      }
      path = path / path.sum(1, true);
      const at::Tensor& xw = problem_->xw;
      channels.push_back(at::relu((path.matmul(xw) + xw) * 0.5 + p["bias"]));
    }
    return problem_->with_gradients(at::cat(channels, 1).matmul(p["last.weight"]) + p["last.bias"]);
  }

 private:
  void fill(const Relation& relation, const std::string& type, float* to) const {
    const Dataset& data = *problem_->data;
    const auto type_of = [&](int32_t v) {
      return data.node_type_names[static_cast<size_t>(data.node_type[static_cast<size_t>(v)])];
    };
    const Csr& a = relation.adjacency;
    for (int32_t i = 0; i < a.num_rows; ++i)
      for (int32_t e = a.rowptr[i]; e < a.rowptr[i + 1]; ++e)
        if (type == relation.name + ":" + type_of(i) + "-" + type_of(a.col[e]))
          to[int64_t{i} * a.num_cols + a.col[e]] = a.value(e);
  }

  std::shared_ptr<const Problem> problem_;
  std::vector<at::Tensor> types_;
};

double memory_mb(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key)) return std::stod(line.substr(key.size())) / 1024.0;
  return 0.0;
}

// Makes a way to compute the answers, calls it once, and prints by how much memory grew meanwhile.
template <class Way>
std::shared_ptr<const Way> measured(const std::string& name,
                                    const std::shared_ptr<const Problem>& problem, Answers& first) {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak so far is forgotten
  const double before = memory_mb("VmRSS:");
  auto way = std::make_shared<const Way>(problem);
  first = way->run();
  std::printf("%s: %.0f MB of memory\n", name.c_str(), memory_mb("VmHWM:") - before);
  return way;
}

void register_sizes() {
  const auto sixth = std::make_shared<const Problem>(dblp_sized(6));
  const auto dblp = std::make_shared<const Problem>(dblp_sized(1));
  Answers ours, theirs;
  const auto small = measured<Ours>("gtn/sixth/emgnn", sixth, ours);
  const auto large = measured<Ours>("gtn/dblp/emgnn", dblp, theirs);
  const auto dense = measured<Dense>("gtn/sixth/peer-dense", sixth, theirs);
  // float32 sums of products of three numbers, over all paths between two nodes on the dense side
  check_same("gtn/sixth", ours, theirs, 1e-4);
  register_timed(
      "gtn/sixth/emgnn", [small] { return small->run(); }, 1);
  register_timed("gtn/sixth/peer-dense", [dense] { return dense->run(); });
  register_timed(
      "gtn/dblp/emgnn", [large] { return large->run(); }, 1);
}

}  // namespace
}  // namespace emgnn

int main(int argc, char** argv) {
  const emgnn::Context::Scope threads{emgnn::Context(emgnn::kThreads)};
  at::set_num_threads(emgnn::kThreads);
  emgnn::register_sizes();
  return emgnn::run_beside(argc, argv);
}
