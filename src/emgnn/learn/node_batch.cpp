// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/node_batch.h>

#include <algorithm>
#include <charconv>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/data/split_shares.h>

namespace emgnn {

namespace {
constexpr int64_t kMany = 1'000'000'000;
}  // namespace

void describe(OptionVisitor& v, NodeBatchOptions& o) {
  v.choice("optim.batches", o.batches, {"auto", "full", "sampled"},
           "full: a gradient step takes all training nodes and all their neighbours; sampled: a "
           "batch of nodes and a sample of their neighbours; auto: sampled above 500000 edges");
  v.integer(
      "optim.batch", o.size, 2, kMany,
      "what a gradient step takes: by default 128 molecules, 128 nodes with sehgnn, 1024 nodes of "
      "a large graph");
  v.text("optim.fanout", o.fanout,
         "batches of nodes: how many neighbours of a node are drawn, shared out to the edge types; "
         "for each hop, the nearest first, the last one for all further hops; all: no sample");
  v.integer("optim.epoch_steps", o.epoch_steps, 1, kMany,
            "batches of nodes: an epoch is a pass over the training nodes, or so many gradient "
            "steps where a pass has more");
  v.integer(
      "optim.judged_rows", o.judged_rows, 0, kMany,
      "batches of nodes: how many random training nodes judge the graphs in an E-step, and how "
      "many validation nodes the weights; 0: as many as are quick to judge");
}

std::vector<int64_t> parse_fanout(const std::string& text) {
  std::vector<int64_t> out;
  if (text == "all") return out;
  const char* at = text.data();
  const char* end = at + text.size();
  while (true) {
    int64_t value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc() || value < 1 || value > kMany || (stop != end && *stop != ','))
      throw UsageError(fmt::format(
          "optim.fanout: expected numbers above 0 such as 12,8, or all; found {:?}", text));
    out.push_back(value);
    if (stop == end) return out;
    at = stop + 1;
  }
}

bool takes_batches(const NodeBatchOptions& options, const Dataset& data) {
  if (options.batches != NodeBatches::kAuto) return options.batches == NodeBatches::kSampled;
  int64_t entries = 0;
  for (const Relation& relation : data.graph.relations) entries += relation.adjacency.num_entries();
  return entries > options.limits.full_batch_entries;
}

std::vector<int32_t> sample_rows(std::span<const int32_t> rows, size_t count, uint64_t seed,
                                 uint64_t number) {
  std::vector<int32_t> out(rows.begin(), rows.end());
  Rng rng(seed, Stream::kRowSample, number);
  shuffle(out, rng);
  out.resize(std::min(count, out.size()));
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace emgnn
