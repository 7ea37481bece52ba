// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/base/threads.h>
#include <emgnn/data/generator_parts.h>
#include <emgnn/data/generators.h>

namespace emgnn {

namespace {

constexpr int64_t kChunk = 1 << 14;  // what one sequence of random numbers makes
constexpr int64_t kRowGrain = 1 << 12;

// Chunk `chunk` of the part `step` of the data, of relation or other number `part`.
Rng chunk_rng(uint64_t seed, detail::GeneratorStep step, int64_t chunk, int32_t part = 0) {
  return Rng(seed, Stream::kGenerator,
             (static_cast<uint64_t>(chunk) << 8) + 16 + static_cast<uint64_t>(step),
             static_cast<uint32_t>(part));
}

template <class Body>
void for_chunks(int64_t n, const Body& body) {
  parallel_for((n + kChunk - 1) / kChunk, 1, [&](int64_t first, int64_t last) {
    for (int64_t chunk = first; chunk < last; ++chunk) {
      check_stop();
      body(chunk, chunk * kChunk, std::min(n, (chunk + 1) * kChunk));
    }
  });
}

struct Classes {
  std::vector<int32_t> of;      // [nodes]
  std::vector<int32_t> start;   // [classes + 1] into `member`
  std::vector<int32_t> member;  // [nodes] by class, ascending: the earlier, the more neighbours
};

Classes draw_classes(const PowerLawOptions& o, uint64_t seed) {
  Classes out;
  out.of.resize(static_cast<size_t>(o.num_nodes));
  for_chunks(o.num_nodes, [&](int64_t chunk, int64_t begin, int64_t end) {
    Rng rng = chunk_rng(seed, detail::GeneratorStep::kTruth, chunk);
    for (int64_t v = begin; v < end; ++v)
      out.of[static_cast<size_t>(v)] = detail::draw(rng, o.num_classes);
  });
  out.start.assign(static_cast<size_t>(o.num_classes) + 1, 0);
  for (int32_t c : out.of) ++out.start[static_cast<size_t>(c) + 1];
  std::partial_sum(out.start.begin(), out.start.end(), out.start.begin());
  std::vector<int32_t> next = out.start;
  out.member.resize(out.of.size());
  for (size_t v = 0; v < out.of.size(); ++v)
    out.member[static_cast<size_t>(next[static_cast<size_t>(out.of[v])]++)] =
        static_cast<int32_t>(v);
  for (size_t c = 0; c + 1 < out.start.size(); ++c)
    EMGNN_CHECK(out.start[c] < out.start[c + 1],
                "a generated class has no member; raise the number of nodes", c);
  return out;
}

// The edges of one relation, the same ones at every call.
class EdgeStream {
 public:
  EdgeStream(const PowerLawOptions& o, const Classes& classes, int32_t relation, uint64_t seed)
      : classes_(classes), num_classes_(o.num_classes), relation_(relation), seed_(seed) {
    const double random = 1.0 / o.num_classes;
    const double along =
        o.num_relations == 1 ? 0.0 : static_cast<double>(relation) / (o.num_relations - 1);
    same_ = o.homophily + along * (random - o.homophily);
    power_ = (o.exponent - 1.0) / (o.exponent - 2.0);
    num_edges_ = o.num_edges / o.num_relations + (relation < o.num_edges % o.num_relations ? 1 : 0);
  }

  // take(u, v) from any thread, without self loops; an edge may come again.
  template <class Take>
  void each(const Take& take) const {
    for_chunks(num_edges_, [&](int64_t chunk, int64_t begin, int64_t end) {
      Rng rng = chunk_rng(seed_, detail::GeneratorStep::kLinks, chunk, relation_);
      for (int64_t e = begin; e < end; ++e) {
        const auto u = static_cast<int32_t>(rank(std::ssize(classes_.of), rng));
        const int32_t own = classes_.of[static_cast<size_t>(u)];
        const bool same = num_classes_ == 1 || rng.uniform() < same_;
        const int32_t c =
            same ? own : (own + 1 + detail::draw(rng, num_classes_ - 1)) % num_classes_;
        const int64_t first = classes_.start[static_cast<size_t>(c)];
        const int64_t count = classes_.start[static_cast<size_t>(c) + 1] - first;
        const int32_t v = classes_.member[static_cast<size_t>(first + rank(count, rng))];
        if (u != v) take(u, v);
      }
    });
  }

 private:
  // P(rank < r) = (r / n)^(1 / power): the degree of rank r falls as r^(-1 / (exponent - 1)).
  int64_t rank(int64_t n, Rng& rng) const {
    const double u = rng.uniform();
    const double share = power_ == 2.0 ? u * u : std::pow(u, power_);
    return std::min(n - 1, static_cast<int64_t>(share * static_cast<double>(n)));
  }

  const Classes& classes_;
  int32_t num_classes_, relation_;
  uint64_t seed_;
  double same_ = 0.0, power_ = 2.0;
  int64_t num_edges_ = 0;
};

// Sorts each row, leaves repetitions out and moves the rows together.
void tidy_rows(Csr& a) {
  std::vector<int32_t> kept(static_cast<size_t>(a.num_rows));
  int32_t* col = a.col.data();
  parallel_for(a.num_rows, kRowGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto row = static_cast<size_t>(i);
      int32_t* first = col + std::as_const(a).rowptr[row];
      int32_t* last = col + std::as_const(a).rowptr[row + 1];
      std::sort(first, last);
      kept[row] = static_cast<int32_t>(std::unique(first, last) - first);
    }
  });
  int32_t at = 0;
  for (size_t i = 0; i < kept.size(); ++i) {
    const int32_t from = a.rowptr[i];
    std::copy(col + from, col + from + kept[i], col + at);
    a.rowptr[i] = at;
    at += kept[i];
  }
  a.rowptr[kept.size()] = at;
  a.col.resize(static_cast<size_t>(at));
}

// A counting sort of edges that are drawn twice: the threads write a row in any order, and it is
// sorted afterwards.
Csr draw_relation(const PowerLawOptions& o, const EdgeStream& edges) {
  Csr a;
  a.num_rows = a.num_cols = static_cast<int32_t>(o.num_nodes);
  a.rowptr.assign(static_cast<size_t>(o.num_nodes) + 1, 0);
  int32_t* rowptr = a.rowptr.data();
  const auto add = [](int32_t& count) {
    return std::atomic_ref<int32_t>(count).fetch_add(1, std::memory_order_relaxed);
  };
  edges.each([&](int32_t u, int32_t v) {
    add(rowptr[u + 1]);
    add(rowptr[v + 1]);
  });
  std::partial_sum(rowptr, rowptr + o.num_nodes + 1, rowptr);
  a.col.resize(static_cast<size_t>(rowptr[o.num_nodes]));
  std::vector<int32_t> next(rowptr, rowptr + o.num_nodes);
  int32_t* col = a.col.data();
  edges.each([&](int32_t u, int32_t v) {
    col[add(next[static_cast<size_t>(u)])] = v;
    col[add(next[static_cast<size_t>(v)])] = u;
  });
  tidy_rows(a);
  return a;
}

Features draw_features(const PowerLawOptions& o, const Classes& classes, uint64_t seed) {
  const auto width = static_cast<size_t>(o.num_features);
  Rng mean_rng = detail::sequence(seed, detail::GeneratorStep::kMoreLinks);
  std::vector<float> mean(static_cast<size_t>(o.num_classes) * width);
  const double length = o.signal / std::sqrt(static_cast<double>(width));
  for (float& m : mean) m = static_cast<float>(mean_rng.below(2) == 0 ? length : -length);
  Features x{.num_rows = static_cast<int32_t>(o.num_nodes),
             .num_cols = o.num_features,
             .is_sparse = false};
  x.dense.resize(static_cast<size_t>(o.num_nodes) * width);
  float* dense = x.dense.data();
  for_chunks(o.num_nodes, [&](int64_t chunk, int64_t begin, int64_t end) {
    Rng rng = chunk_rng(seed, detail::GeneratorStep::kFeatures, chunk);
    for (int64_t v = begin; v < end; ++v) {
      const float* m =
          mean.data() + static_cast<size_t>(classes.of[static_cast<size_t>(v)]) * width;
      float* row = dense + static_cast<size_t>(v) * width;
      for (size_t f = 0; f < width; ++f) row[f] = m[f] + static_cast<float>(rng.normal());
    }
  });
  return x;
}

// Of a share of the nodes the class is known.
void draw_labels(const PowerLawOptions& o, Classes classes, uint64_t seed, Dataset& dataset) {
  Labels& labels = dataset.labels;
  labels = unknown_classes(o.num_nodes, numbered_names(o.num_classes, "class-"));
  Rng rng = detail::sequence(seed, detail::GeneratorStep::kOrder);
  for (int64_t v = 0; v < o.num_nodes; ++v) {
    if (rng.uniform() >= o.labelled) continue;
    const auto node = static_cast<size_t>(v);
    labels.cls[node] = classes.of[node];
    const uint64_t part = rng.below(4);
    Split& split = dataset.split;
    (part < 2    ? split.train
     : part == 2 ? split.validation
                 : split.test)
        .push_back(static_cast<int32_t>(v));
  }
  const Split& split = dataset.split;
  EMGNN_CHECK(!split.train.empty() && !split.validation.empty() && !split.test.empty(),
              "power-law: too few labelled nodes for a split; raise labelled or nodes", o.labelled);
}

void check_options(const PowerLawOptions& o) {
  constexpr int64_t kMost = 1'000'000'000;
  const auto within = [](const char* key, double value, double least, double most) {
    if (!(value >= least && value <= most))
      throw UsageError(
          fmt::format("power-law: {}={} is outside [{}, {}]", key, value, least, most));
  };
  within("nodes", static_cast<double>(o.num_nodes), 10, kMost);
  within("edges", static_cast<double>(o.num_edges), 1, kMost);
  within("relations", o.num_relations, 1, 100);
  within("classes", o.num_classes, 1, 1000);
  within("features", o.num_features, 1, 100'000);
  within("labelled", o.labelled, 0.0, 1.0);
  within("homophily", o.homophily, 0.0, 1.0);
  within("exponent", o.exponent, 2.1, 10.0);
  within("signal", o.signal, 0.0, 1e3);
}

}  // namespace

Dataset power_law(const PowerLawOptions& o, uint64_t seed) {
  check_options(o);
  seed += o.seed;
  Dataset dataset;
  dataset.name = kPowerLaw;
  dataset.graph.num_nodes = static_cast<int32_t>(o.num_nodes);
  Classes classes = draw_classes(o, seed);
  for (int32_t r = 0; r < o.num_relations; ++r) {
    dataset.graph.relations.push_back(
        {fmt::format("relation-{}", r), draw_relation(o, EdgeStream(o, classes, r, seed))});
  }
  dataset.features = draw_features(o, classes, seed);
  draw_labels(o, std::move(classes), seed, dataset);
  return dataset;
}

PowerLawOptions parse_power_law(const std::string& name) {
  PowerLawOptions o;
  const std::string whole = name.substr(std::string(kPowerLaw).size());
  const auto fail = [&](const std::string& what) {
    throw UsageError(fmt::format(
        "{}: {}; expected power-law:KEY=NUMBER,... with nodes, edges, relations, classes, "
        "features, labelled, homophily, exponent, signal, seed",
        name, what));
  };
  for (size_t at = 0; at < whole.size();) {  // at the colon or a comma
    const size_t end = std::min(whole.find(',', at + 1), whole.size());
    const std::string item = whole.substr(at + 1, end - at - 1);
    at = end;
    const size_t equals = item.find('=');
    if (equals == std::string::npos) fail(fmt::format("{:?} is no KEY=NUMBER", item));
    const std::string key = item.substr(0, equals);
    double value = 0.0;
    const char* last = item.data() + item.size();
    const auto [stop, error] = std::from_chars(item.data() + equals + 1, last, value);
    if (error != std::errc() || stop != last) fail(fmt::format("{:?} has no number", item));
    constexpr double kMost = 1e9;
    const bool share =
        key == "labelled" || key == "homophily" || key == "exponent" || key == "signal";
    if (!share && (value != std::floor(value) || value < 0.0 || value > kMost))
      fail(fmt::format("{:?} is no whole number up to 1e9", item));
    const auto whole_number = static_cast<int64_t>(share ? 0.0 : value);
    if (key == "nodes")
      o.num_nodes = whole_number;
    else if (key == "edges")
      o.num_edges = whole_number;
    else if (key == "relations")
      o.num_relations = static_cast<int32_t>(whole_number);
    else if (key == "classes")
      o.num_classes = static_cast<int32_t>(whole_number);
    else if (key == "features")
      o.num_features = static_cast<int32_t>(whole_number);
    else if (key == "labelled")
      o.labelled = value;
    else if (key == "homophily")
      o.homophily = value;
    else if (key == "exponent")
      o.exponent = value;
    else if (key == "signal")
      o.signal = value;
    else if (key == "seed")
      o.seed = static_cast<uint64_t>(whole_number);
    else
      fail(fmt::format("unknown key {:?}", key));
  }
  check_options(o);
  return o;
}

}  // namespace emgnn
