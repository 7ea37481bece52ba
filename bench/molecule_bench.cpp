// SPDX-License-Identifier: Apache-2.0
// One E-step over the 181 radii on ESOL's training molecules, beside 181 passes over the block
// graph of all of them with LibTorch's sparse product and matmul (its S_λ are built before the
// clock starts).
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include <emgnn/base/context.h>
#include <emgnn/base/error.h>
#include <emgnn/data/load_molecules.h>
#include <emgnn/data/molecule_split.h>
#include <emgnn/learn/problem.h>
#include <emgnn/models/gcn_star.h>
#include <emgnn/space/molecule_family.h>

namespace emgnn {
namespace {

struct Esol {
  std::shared_ptr<const Data> data;
  std::shared_ptr<const MoleculeFamily> family;
  std::shared_ptr<Task> task;

  const Molecules& molecules() const { return data->table()->molecules; }
  const std::vector<int32_t>& train() const { return data->split().train; }
};

Esol esol() {
  MoleculeRequest request{.name = "esol"};
  if (std::getenv("EMGNN_DATA") == nullptr) request.data_dir = EMGNN_TEST_DATA_DIR;
  const auto table = std::make_shared<MoleculeTable>(load_molecules(request));
  Esol out;
  out.data = std::make_shared<Data>(table, make_split(*table, {kScaffoldSplit, 0, 0}));
  out.family = MoleculeFamily::by_distance({table, &table->molecules}, {});
  out.task = make_task(table->labels, {}, out.train());
  return out;
}

// In coordinates: here LibTorch multiplies these faster than compressed rows.
at::Tensor libtorch_matrix(const Csr& a) {
  std::vector<int64_t> row, col(a.col.begin(), a.col.end());
  for (int32_t i = 0; i < a.num_rows; ++i)
    row.insert(row.end(), static_cast<size_t>(a.rowptr[i + 1] - a.rowptr[i]), i);
  return at::sparse_coo_tensor(at::stack({at::tensor(row), at::tensor(col)}),
                               at::tensor(a.val.to_vector()), {a.num_rows, a.num_cols})
      .coalesce();
}

// What LibTorch is given: the atoms of all molecules, S_λ for each λ, and the mean over molecules.
struct Plain {
  at::Tensor x, mean;
  std::vector<at::Tensor> shift;
};

Plain plain(const Esol& p) {
  const Molecules& molecules = p.molecules();
  Plain out;
  std::vector<at::Tensor> x;
  Coo mean;
  std::vector<Coo> edges(static_cast<size_t>(p.family->size()));
  int32_t base = 0;
  for (size_t i = 0; i < p.train().size(); ++i) {
    const int64_t n = molecules.num_atoms(p.train()[i]);
    const auto features = molecules.features_of(p.train()[i]);
    x.push_back(at::from_blob(const_cast<float*>(features.data()), {n, kNumAtomFeatures}));
    const auto xyz = molecules.coordinates_of(p.train()[i]);
    for (int64_t a = 0; a < n; ++a) {
      mean.row.push_back(static_cast<int32_t>(i));
      mean.col.push_back(base + static_cast<int32_t>(a));
      for (int64_t b = 0; b < n; ++b) {
        double squares = 0.0;
        for (int64_t k = 0; k < 3; ++k) {
          const double d = static_cast<double>(xyz[static_cast<size_t>(3 * a + k)]) -
                           static_cast<double>(xyz[static_cast<size_t>(3 * b + k)]);
          squares += d * d;
        }
        for (int64_t id = 0; id < p.family->size() && a != b; ++id) {
          if (std::sqrt(squares) > p.family->point(id)[0]) continue;
          edges[static_cast<size_t>(id)].row.push_back(base + static_cast<int32_t>(a));
          edges[static_cast<size_t>(id)].col.push_back(base + static_cast<int32_t>(b));
        }
      }
    }
    base += static_cast<int32_t>(n);
  }
  out.x = at::cat(x);
  const auto rows = static_cast<int32_t>(p.train().size());
  out.mean = libtorch_matrix(normalise_rows(csr_from_coo(rows, base, mean, Duplicates::kSum)));
  for (const Coo& coo : edges) {
    out.shift.push_back(
        libtorch_matrix(normalise_rows(csr_from_coo(base, base, coo, Duplicates::kSum))));
  }
  return out;
}

std::vector<double> plain_losses(const Plain& plain, const GcnStar& network, int64_t hidden,
                                 const Esol& p) {
  const at::NoGradGuard no_grad;
  const std::vector<Parameter>& theta = network.parameters();
  const auto layers = static_cast<size_t>(network.needs().num_hops);
  const TargetRows target = p.task->target(p.train());
  std::vector<double> losses;
  for (const at::Tensor& s : plain.shift) {
    at::Tensor h = plain.x;
    for (size_t l = 0; l < layers; ++l) {
      const at::Tensor product = at::mm(h, theta[2 * l].value);
      h = product.narrow(1, 0, hidden) + at::mm(s, product.narrow(1, hidden, hidden)) +
          theta[2 * l + 1].value;
      h = at::relu_(h);
    }
    const size_t head = 2 * layers;
    const at::Tensor g =
        at::relu(at::mm(at::mm(plain.mean, h), theta[head].value) + theta[head + 1].value);
    const at::Tensor z = at::mm(g, theta[head + 2].value) + theta[head + 3].value;
    losses.push_back(p.task->losses(z.unsqueeze(0), target).front());
  }
  return losses;
}

void check_equal(const std::vector<double>& a, const std::vector<double>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::abs(a[i] - b[i]) < 1e-5 * (1.0 + std::abs(b[i]))) continue;
    std::fprintf(stderr, "molecule_bench: the losses of radius %zu differ: %.9g and %.9g\n", i,
                 a[i], b[i]);
    std::exit(1);
  }
}

struct Times {
  std::string name;
  double ours = 1e300, plain = 1e300;  // the fastest, in seconds
};

template <class F>
void register_timed(const std::string& name, double& fastest, F f) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [f, &fastest](benchmark::State& state) {
                                 for (auto _ : state) {
                                   const auto begin = std::chrono::steady_clock::now();
                                   benchmark::DoNotOptimize(f());
                                   const std::chrono::duration<double> took =
                                       std::chrono::steady_clock::now() - begin;
                                   fastest = std::min(fastest, took.count());
                                 }
                               })
      ->Unit(benchmark::kMillisecond)
      ->MeasureProcessCPUTime()
      ->UseRealTime();
}

void register_case(const Esol& p, std::shared_ptr<const Plain> plain, int64_t layers,
                   int64_t hidden, Times& times) {
  const GcnStarOptions options{.stack = {.layers = layers, .hidden = hidden}};
  const NetworkShape shape{.num_features = kNumAtomFeatures, .num_outputs = 1, .reads_out = true};
  const auto network =
      std::make_shared<GcnStar>(options, HeadOptions{.readout = Readout::kMean}, shape, 1);
  const auto problem = std::make_shared<Problem>(
      ProblemParts{.data = p.data, .family = p.family, .network = network, .task = p.task},
      ProblemOptions{});
  const auto ours = [&p, problem] {
    at::set_num_threads(1);  // as in training
    return problem->losses(p.family->all_ids(), {});
  };
  const auto loop = [&p, network, plain, hidden] {
    at::set_num_threads(2);
    return plain_losses(*plain, *network, hidden, p);
  };
  check_equal(ours(), loop());
  times.name = fmt::format("esol/{}-layers-of-{}", layers, hidden);
  register_timed("BM_EStep/" + times.name + "/emgnn", times.ours, ours);
  register_timed("BM_EStep/" + times.name + "/libtorch-loop", times.plain, loop);
}

}  // namespace
}  // namespace emgnn

int main(int argc, char** argv) {
  const emgnn::Context::Scope threads{emgnn::Context(2)};
  benchmark::Initialize(&argc, argv);
  emgnn::Esol esol;
  try {
    esol = emgnn::esol();
  } catch (const emgnn::DataError& missing) {
    std::fprintf(stderr, "molecule_bench: left out: %s\n", missing.what());
    return 0;
  }
  const auto plain = std::make_shared<emgnn::Plain>(emgnn::plain(esol));
  emgnn::Times times[2];
  emgnn::register_case(esol, plain, 2, 128, times[0]);
  emgnn::register_case(esol, plain, 3, 64, times[1]);
  benchmark::RunSpecifiedBenchmarks();
  for (const emgnn::Times& t : times) {
    if (t.ours < 1e300 && t.plain < 1e300)
      std::printf("%s: %.1f times as fast\n", t.name.c_str(), t.plain / t.ours);
  }
  return 0;
}
