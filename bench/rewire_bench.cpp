// SPDX-License-Identifier: Apache-2.0
// One E-step over the 441 rewired graphs of Cora, or of a graph of its size where the files are
// missing, beside 441 forward passes through LibTorch's sparse product (the S_λ are built before
// the clock starts); and one shift from rows sorted by level, beside values stored per graph.
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <numeric>
#include <set>

#include "estep.h"
#include "shift_matrix.h"

#include <emgnn/base/context.h>
#include <emgnn/base/error.h>
#include <emgnn/data/registry.h>
#include <emgnn/space/rewire.h>
#include <emgnn/space/rewire_hop.h>
#include <emgnn/space/rewire_input.h>

namespace emgnn {
namespace {

constexpr int32_t kNodes = 2708, kWords = 1433, kClasses = 7;
constexpr size_t kEdges = 5278, kCandidates = 212, kWordsPerNode = 18;

Features words() {
  Rng rng(1, Stream::kTest, 3);
  Coo coo;
  for (int32_t v = 0; v < kNodes; ++v) {
    for (size_t k = 0; k < kWordsPerNode; ++k) {
      coo.row.push_back(v);
      coo.col.push_back(static_cast<int32_t>(rng.below(kWords)));
    }
  }
  Features x{.num_rows = kNodes, .num_cols = kWords};
  x.sparse = normalise_rows(csr_from_coo(kNodes, kWords, coo, Duplicates::kKeepFirst));
  return x;
}

struct Citations {
  std::string name;
  std::shared_ptr<Dataset> data;
  std::vector<CandidateEdge> candidates;
};

// Degrees as uneven as those of a citation graph: one end of an edge is a random end so far.
Citations cora_sized() {
  Rng rng(1, Stream::kTest, 1);
  std::set<NodePair> edges, candidates;
  std::vector<int32_t> ends(kNodes);
  std::iota(ends.begin(), ends.end(), 0);
  const auto pair = [&] {
    const auto a = static_cast<int32_t>(rng.below(kNodes));
    const int32_t b = ends[rng.below(ends.size())];
    return NodePair{std::min(a, b), std::max(a, b)};
  };
  Coo coo;
  while (edges.size() < kEdges) {
    const NodePair p = pair();
    if (p.u == p.v || !edges.insert(p).second) continue;
    coo.row.push_back(p.u);
    coo.col.push_back(p.v);
    ends.insert(ends.end(), {p.u, p.v});
  }
  while (candidates.size() < kCandidates) {
    const NodePair p = pair();
    if (p.u != p.v && !edges.contains(p)) candidates.insert(p);
  }
  Citations out{"cora-sized", std::make_shared<Dataset>(), {}};
  const Csr adjacency = symmetrise(csr_from_coo(kNodes, kNodes, coo, Duplicates::kKeepFirst));
  out.data->graph = {.num_nodes = kNodes, .relations = {{"cites", adjacency}}};
  out.data->features = words();
  for (const NodePair& p : candidates) out.candidates.push_back({p.u, p.v, 1.0F});
  return out;
}

Citations cora() {
  Citations out;
  try {
    Dataset data = load_dataset({.name = "cora", .row_normalise = true});
    out = {"cora", std::make_shared<Dataset>(std::move(data)), {}};
    out.candidates = find_candidates(*out.data, {});
  } catch (const DataError& missing) {
    std::fprintf(stderr, "rewire_bench: %s\n", missing.what());
    out = cora_sized();
  }
  out.data->labels = labels_in_turn(kNodes, kClasses);
  return out;
}

struct Setting {
  const char* name;
  Normalisation normalisation;
  int64_t hidden;
};
constexpr Setting kSettings[] = {{"row-64", Normalisation::kRow, 64},
                                 {"symmetric-16", Normalisation::kSymmetric, 16}};

void register_esteps(const Citations& problem, const Setting& setting) {
  const auto family = RewireFamily::make(problem.data, problem.candidates,
                                         {.normalisation = setting.normalisation}, 1);
  const auto matrices = std::make_shared<std::vector<at::Tensor>>();
  for (const Csr& s : shift_matrices(family->draws(), kNodes, *family, setting.normalisation))
    matrices->push_back(csr_tensor(s));
  const GcnOptions model{.stack = {.layers = 2, .hidden = setting.hidden}};
  for (int32_t num_rows : {140, 640, kNodes}) {  // training nodes, with validation nodes, all
    std::vector<int32_t> rows(static_cast<size_t>(num_rows));
    std::iota(rows.begin(), rows.end(), 0);
    register_estep(fmt::format("{}/{}/loss-on-{}-nodes", problem.name, setting.name, num_rows),
                   {.data = problem.data,
                    .family = family,
                    .gcn = make_gcn(model, kWords, kClasses, 1),
                    .rows = rows,
                    .shift = [matrices](int64_t id) { return (*matrices)[size_t(id)]; }});
  }
}

// The same shift of features that differ from graph to graph, from stored values [graphs, entries].
void register_shifts(const Citations& problem, const Setting& setting, int64_t width) {
  constexpr int64_t kGraphs = 21;
  const RewireOptions options{.normalisation = setting.normalisation};
  const auto space = std::make_shared<RewireSpace>(
      rewire_graph(*problem.data, problem.candidates, options), options, 1);
  std::vector<int32_t> all(kNodes);
  std::iota(all.begin(), all.end(), 0);
  const auto hop = std::make_shared<RewireHop>(
      std::move(receptive_field(space->pattern(), all, 1).front()), *space);
  std::vector<int64_t> ids(kGraphs);
  std::iota(ids.begin(), ids.end(), 200);
  // Built anew each time, as for every tile of an E-step.
  const auto nested = [=] { return rewire_propagation(hop, space, ids); };
  const auto values = [=]() -> c10::intrusive_ptr<Propagation> {
    return c10::make_intrusive<PatternPropagation>(
        std::shared_ptr<const HopPattern>(hop, &hop->pattern), kGraphs,
        [=] { return rewire_values(*hop, *space, ids); }, [] { return EntryTypes{}; });
  };
  const at::Tensor in = at::rand({kGraphs, kNodes, width});
  const auto apply = [in](const c10::intrusive_ptr<Propagation>& op, bool shared) {
    const at::NoGradGuard no_grad;
    return op->apply(shared ? in[0] : in);
  };
  for (const bool shared : {true, false}) {
    if (!at::allclose(apply(nested(), shared), apply(values(), shared), 1e-5, 1e-6)) {
      std::fprintf(stderr, "rewire_bench: the two shifts differ\n");
      std::exit(1);
    }
    const std::string name = fmt::format("BM_Shift/{}/{}/{}/{}-graphs/width{}", problem.name,
                                         setting.name, shared ? "shared" : "each", kGraphs, width);
    register_timed(name + "/nested", [=] { return apply(nested(), shared); });
    register_timed(name + "/values", [=] { return apply(values(), shared); });
  }
}

}  // namespace
}  // namespace emgnn

int main(int argc, char** argv) {
  const emgnn::Context::Scope threads{emgnn::Context(2)};
  at::set_num_threads(2);
  benchmark::Initialize(&argc, argv);
  const emgnn::Citations problem = emgnn::cora();
  for (const emgnn::Setting& setting : emgnn::kSettings) {
    for (int64_t width : {7, 64}) emgnn::register_shifts(problem, setting, width);
    emgnn::register_esteps(problem, setting);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
