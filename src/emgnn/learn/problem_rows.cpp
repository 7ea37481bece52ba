// SPDX-License-Identifier: Apache-2.0
// Which rows a problem takes at a time, and which stand for all where the graph is large.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

#include <emgnn/data/split_shares.h>
#include <emgnn/learn/layerwise.h>
#include <emgnn/learn/problem.h>

namespace emgnn {

namespace {

// Rows that stand for all, where these are too many.
constexpr int64_t kJudgedRows = 1024;

std::vector<int32_t> without(const std::vector<int32_t>& rows,
                             const std::vector<int32_t>& left_out) {
  if (left_out.empty()) return rows;
  const std::set<int32_t> gone(left_out.begin(), left_out.end());
  std::vector<int32_t> out;
  for (int32_t row : rows)
    if (!gone.contains(row)) out.push_back(row);
  return out;
}

}  // namespace

Problem::View Problem::view_of(std::span<const int32_t> rows) const {
  if (batches_ && network().num_stages() > 0 && !fits(rows))
    return std::make_shared<LayerwiseRows>(std::vector<int32_t>(rows.begin(), rows.end()));
  return family().view(rows, network().needs());
}

// Their receptive field is small enough to be computed at once, under many graphs.
bool Problem::fits(std::span<const int32_t> rows) const {
  const int64_t limit = options_.nodes.limits.judged_entries;
  const int64_t entries = family().field_entries(rows, network().needs().num_hops, limit);
  return entries > 0 && entries <= limit;
}

std::vector<int32_t> Problem::judged(const std::vector<int32_t>& rows, uint64_t number) const {
  if (!batches_ || (options_.nodes.judged_rows == 0 && fits(rows))) return rows;
  const int64_t count = options_.nodes.judged_rows > 0 ? options_.nodes.judged_rows : kJudgedRows;
  // All networks and runs have the same: they are compared by them.
  return sample_rows(rows, static_cast<size_t>(count), 0, number);
}

// k with kJudgedRows (1 + k)^hops entries at most, were there no node twice.
int64_t Problem::judged_neighbours() const {
  constexpr double kEntries =
      8.0;  // times the limit: most nodes have few neighbours, and many are shared
  const double each =
      kEntries * static_cast<double>(options_.nodes.limits.judged_entries) / kJudgedRows;
  const int hops = std::min(network().needs().num_hops, 64);
  return std::max<int64_t>(2, static_cast<int64_t>(std::pow(each, 1.0 / std::max(1, hops))) - 1);
}

Problem::View Problem::judged_view(std::span<const int32_t> rows) const {
  if (!batches_ || !family().samples() || fits(rows)) return view_of(rows);
  constexpr uint64_t kEveryStep = std::numeric_limits<uint32_t>::max();  // always the same ones
  return family().sampled_view(rows, network().needs(),
                               {.fanout = {judged_neighbours()}, .seed = 0, .step = kEveryStep});
}

std::vector<int32_t> Problem::evidence_rows_of(EvidenceKind kind) const {
  const Split& split = data().split();
  std::vector<int32_t> out;
  switch (kind) {
    case EvidenceKind::kTrain:
    case EvidenceKind::kLastLayer:
      return split.train;
    case EvidenceKind::kTrainAndValidation:
      out = split.train;
      out.insert(out.end(), split.validation.begin(), split.validation.end());
      return out;
    case EvidenceKind::kValidation:
      return split.validation;
    case EvidenceKind::kCrossFit:
      break;
  }
  return options_.left_out;
}

const Problem::View& Problem::evidence_view() {
  if (evidence_) return evidence_;
  const EvidenceKind kind = options_.evidence;
  evidence_rows_ = judged(evidence_rows_of(kind), 0);
  evidence_target_ = task().target(evidence_rows_);
  const auto make = [&] {
    if (kind == EvidenceKind::kLastLayer && !(batches_ && family().samples()))
      return family().view(evidence_rows_, network().needs());
    return judged_view(evidence_rows_);
  };
  const char* shared = nullptr;  // the name of a view that others use, too
  if (kind == EvidenceKind::kTrain || kind == EvidenceKind::kLastLayer) shared = "train";
  if (kind == EvidenceKind::kValidation && !batches_) shared = "validation";
  return evidence_ = shared != nullptr ? parts_.views->of(shared, make) : make();
}

const Problem::View& Problem::validation_view() {
  if (validation_) return validation_;
  validation_rows_ = judged(data().split().validation, 1);
  validation_ = parts_.views->of("validation", [&] { return judged_view(validation_rows_); });
  return validation_;
}

std::vector<std::string> Problem::notes() {
  if (!batches_ || data().split().train.empty()) return {};
  const bool samples = family().samples() && !fanout_.empty();
  std::vector<std::string> out = {fmt::format(
      "in batches: {} training nodes at a time, {} (optim.batches=full takes all at once)",
      std::min<int64_t>(batch_size(), std::ssize(data().split().train)),
      samples ? fmt::format("with {} neighbours of each", options_.nodes.fanout)
              : std::string("with all their neighbours"))};
  const std::vector<int32_t> evidence = evidence_rows_of(options_.evidence);
  const std::vector<int32_t> judges = judged(evidence, 0);
  validation_view();
  const auto add = [&](const std::vector<int32_t>& few, size_t all, const char* what) {
    if (few.size() == all) return;
    const bool some = family().samples() && !fits(few);
    out.push_back(fmt::format(
        "{} judged by a random {} of {} nodes{} (optim.judged_rows)", what, few.size(), all,
        some ? fmt::format(", with at most {} neighbours of each", judged_neighbours()) : ""));
  };
  if (family().size() > 1) add(judges, evidence.size(), "the graphs are");
  add(validation_rows_, data().split().validation.size(), "during training, weights are");
  return out;
}

int64_t Problem::batch_size() const {
  return family().small_graphs() ? options_.batch.size : options_.nodes.size;
}

int64_t Problem::steps_per_pass() const {
  const auto n = static_cast<int64_t>(data().split().train.size() - options_.left_out.size());
  // A single row has no moments to normalise by: it joins the batch before.
  const int64_t alone = n % batch_size() == 1 && n > 1 ? 1 : 0;
  return (n + batch_size() - 1) / batch_size() - alone;
}

int64_t Problem::steps_per_epoch() const {
  if (family().small_graphs()) return steps_per_pass();
  return batches_ ? std::min(options_.nodes.epoch_steps, steps_per_pass()) : 1;
}

// The rows of a pass are shuffled.
std::span<const int32_t> Problem::batch_rows(uint64_t step) {
  const auto steps = static_cast<uint64_t>(steps_per_pass());
  const uint64_t epoch = step / steps, index = step % steps;
  if (ordered_epoch_ != epoch) {
    order_ = without(data().split().train, options_.left_out);
    Rng rng(options_.seed, Stream::kBatch, epoch);
    shuffle(order_, rng);
    ordered_epoch_ = epoch;
  }
  const auto size = static_cast<size_t>(batch_size());
  const size_t begin = index * size;
  const size_t end = index + 1 == steps ? order_.size() : begin + size;
  return std::span(order_).subspan(begin, end - begin);
}

// By counting: each row brings so many neighbours at most, each of these as many again.
Problem::Work Problem::work_in_batches() {
  const NetworkNeeds needs = network().needs();
  const auto sampled = [&](size_t rows, std::span<const int64_t> fanout) {
    double neighbours = 1.0, entries = 0.0;
    for (int k = 0; k < needs.num_hops; ++k) {
      neighbours *= static_cast<double>(fanout[std::min<size_t>(k, fanout.size() - 1)]);
      entries += neighbours;
    }
    return entries * static_cast<double>(rows);
  };
  const auto whole = [&](std::span<const int32_t> rows) {
    constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
    return static_cast<double>(family().field_entries(rows, needs.num_hops, kAll));
  };
  const auto judged = [&](std::span<const int32_t> rows) {
    const std::array<int64_t, 1> few = {judged_neighbours()};
    return family().samples() && !fits(rows) ? sampled(rows.size(), few) : whole(rows);
  };
  const std::vector<int32_t>& train = data().split().train;
  evidence_view();
  validation_view();
  const auto width = static_cast<double>(needs.widest_layer);
  return {.judge = width * judged(evidence_rows_),
          .train = width * (fanout_.empty() ? whole(train) : sampled(train.size(), fanout_)),
          .validate = width * judged(validation_rows_)};
}

}  // namespace emgnn
