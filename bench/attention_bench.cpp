// SPDX-License-Identifier: Apache-2.0
// Attention with eight heads, forward and backward, on a graph of IMDB's size: edge_scores,
// edge_softmax and aggregate beside the same in LibTorch's gathers and scatters. The peers are the
// two ways to write that, index_select with index_add and gather with scatter_add, each with one
// thread and with two.
//   attention/8x8/emgnn  attention/8x8/peer-index-1  attention/8x8/peer-scatter-2  attention/8x64/...
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <limits>
#include <memory>
#include <set>

#include "beside.h"

#include <emgnn/base/context.h>
#include <emgnn/base/rng.h>
#include <emgnn/models/edge_ops.h>

namespace emgnn {
namespace {

constexpr int kThreads = 2;
constexpr int32_t kMovies = 4661, kDirectors = 2270, kActors = 5841;
constexpr int32_t kNodes = kMovies + kDirectors + kActors;  // 12,772
constexpr int64_t kHeads = 8;
constexpr double kSlope = 0.2;

// A director and three actors of every movie, in both directions, and every node itself: 37,288
// entries and 12,772.
c10::intrusive_ptr<Edges> imdb_sized() {
  Rng rng(1, Stream::kTest);
  Coo coo;
  for (int32_t movie = 0; movie < kMovies; ++movie) {
    std::set<int32_t> people = {kMovies + static_cast<int32_t>(rng.below(kDirectors))};
    while (people.size() < 4)
      people.insert(kMovies + kDirectors + static_cast<int32_t>(rng.below(kActors)));
    for (int32_t person : people) {
      coo.row.push_back(movie);
      coo.col.push_back(person);
    }
  }
  auto edges = c10::make_intrusive<Edges>();
  edges->pattern =
      add_diagonal(symmetrise(csr_from_coo(kNodes, kNodes, coo, Duplicates::kKeepFirst)), 1.0F);
  edges->weight = at::ones({1, edges->num_entries()});
  edges->index();
  return edges;
}

struct Layer {
  c10::intrusive_ptr<Edges> edges;
  int64_t width;
  at::Tensor left, right, h, grad;  // grad: of the output
  at::Tensor row, col;              // [entries], as LibTorch wants them

  Layer(c10::intrusive_ptr<Edges> e, int64_t w)
      : edges(std::move(e)),
        width(w),
        left(random_tensor({kNodes, kHeads}, 1).requires_grad_()),
        right(random_tensor({kNodes, kHeads}, 2).requires_grad_()),
        h(random_tensor({kNodes, kHeads * w}, 3).requires_grad_()),
        grad(random_tensor({kNodes, kHeads * w}, 4)),
        row(at::tensor(edges->row).to(at::kLong)),
        col(at::tensor(edges->pattern.col.to_vector()).to(at::kLong)) {}

  Answers with_gradients(const at::Tensor& out) const {
    Answers answers = torch::autograd::grad({out}, {left, right, h}, {grad});
    answers.push_back(out.detach());
    return answers;
  }

  Answers ours() const {
    const at::Tensor attention = edge_softmax(edges, edge_scores(edges, left, right, kSlope));
    return with_gradients(aggregate(edges, attention, h).squeeze(0));
  }

  // `gather(x, ends)`: the rows of x at the ends of the entries; `sum(x)`: over the entries of each
  // node. A largest score needs no gradient.
  template <class Gather, class Sum>
  Answers peer(const Gather& gather, const Sum& sum) const {
    const int64_t entries = row.size(0);
    const at::Tensor score = at::leaky_relu(gather(left, row) + gather(right, col), kSlope);
    const at::Tensor top =
        at::full({kNodes, kHeads}, -std::numeric_limits<float>::infinity())
            .scatter_reduce(0, row.unsqueeze(1).expand({entries, kHeads}), score.detach(), "amax");
    const at::Tensor e = at::exp(score - top.index_select(0, row));
    const at::Tensor attention = e / gather(sum(e), row);
    const at::Tensor messages =
        gather(h, col).view({entries, kHeads, width}) * attention.unsqueeze(-1);
    return with_gradients(sum(messages.view({entries, kHeads * width})));
  }

  Answers peer_index() const {
    return peer([](const at::Tensor& x, const at::Tensor& ends) { return x.index_select(0, ends); },
                [&](const at::Tensor& x) {
                  return at::zeros({kNodes, x.size(1)}).index_add(0, row, x);
                });
  }

  Answers peer_scatter() const {
    return peer(
        [](const at::Tensor& x, const at::Tensor& ends) {
          return x.gather(0, ends.unsqueeze(1).expand({ends.size(0), x.size(1)}));
        },
        [&](const at::Tensor& x) {
          return at::zeros({kNodes, x.size(1)})
              .scatter_add(0, row.unsqueeze(1).expand(x.sizes()), x);
        });
  }
};

void add_layer(const c10::intrusive_ptr<Edges>& edges, int64_t width) {
  const auto layer = std::make_shared<const Layer>(edges, width);
  const std::string name = "attention/8x" + std::to_string(width);
  // float32 sums of at most some dozens of entries times 64 columns
  constexpr double kTolerance = 1e-5;
  check_same(name, layer->ours(), layer->peer_index(), kTolerance);
  check_same(name, layer->ours(), layer->peer_scatter(), kTolerance);
  register_timed(
      name + "/emgnn", [layer] { return layer->ours(); }, 1);
  for (const int threads : {1, 2}) {
    register_timed(
        fmt::format("{}/peer-index-{}", name, threads), [layer] { return layer->peer_index(); },
        threads);
    register_timed(
        fmt::format("{}/peer-scatter-{}", name, threads), [layer] { return layer->peer_scatter(); },
        threads);
  }
}

}  // namespace
}  // namespace emgnn

int main(int argc, char** argv) {
  const emgnn::Context::Scope threads{emgnn::Context(emgnn::kThreads)};
  at::set_num_threads(emgnn::kThreads);
  const auto edges = emgnn::imdb_sized();
  emgnn::add_layer(edges, 8);
  emgnn::add_layer(edges, 64);
  return emgnn::run_beside(argc, argv);
}
