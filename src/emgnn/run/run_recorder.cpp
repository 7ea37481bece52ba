// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/run_recorder.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/formats/safetensors.h>
#include <emgnn/run/run_json.h>

namespace emgnn {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "emgnn checkpoint 3";

// The whole lines that belong to the first `epoch` epochs.
std::string lines_up_to(const std::string& text, int64_t epoch) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("epoch") || !json["epoch"].is_number_integer()) break;
    if (json["epoch"].get<int64_t>() > epoch) break;
    out += line + "\n";
  }
  return out;
}

}  // namespace

RunRecorder::RunRecorder(RunFolder& folder, RunIdentity identity, RunsObserver& next,
                         ScoreInfo main_score, const Start& start)
    : folder_(folder),
      identity_(std::move(identity)),
      next_(next),
      main_score_(std::move(main_score)),
      epoch_(start.epoch),
      seconds_before_(start.seconds) {
  folder_.write(kMetricsFile, lines_up_to(folder.read(kMetricsFile).value_or(""), epoch_));
}

double RunRecorder::seconds() const {
  return seconds_before_ +
         std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void RunRecorder::on_round(const RoundRecord& round) {
  Json line = {{"event", "round"}, {"epoch", epoch_ + 1}};  // the first of the round
  line.update(to_json(round));
  folder_.append(kMetricsFile, line.dump() + "\n");
  next_.on_round(round);
}

void RunRecorder::on_epoch(const EpochRecord& epoch) {
  epoch_ = epoch.epoch;
  Json line = {{"event", "epoch"},
               {"epoch", epoch.epoch},
               {"round", epoch.round},
               {"train_loss", epoch.train_loss}};
  if (epoch.member) line["member"] = *epoch.member;
  if (epoch.validation) {
    line["validation_loss"] = epoch.validation->loss;
    line["validation_" + main_score_.name] = epoch.validation->scores.at(main_score_.name);
  }
  folder_.append(kMetricsFile, line.dump() + "\n");
  next_.on_epoch(epoch, main_score_);
}

void RunRecorder::on_checkpoint(Learner& learner) {
  StateWriter writer(StateVisitor::Scope::kTraining);
  learner.visit_state(writer);
  double spent = seconds();
  writer.number("run/seconds", spent);
  writer.number("run/epoch", epoch_);
  writer.archive.metadata = identity_;
  writer.archive.metadata["format"] = kFormat;
  folder_.write(kCheckpointFile, encode_tensors(writer.archive));
}

std::optional<RunRecorder::Start> resume(RunFolder& folder, const RunIdentity& identity,
                                         Learner& learner) {
  const auto bytes = folder.read(kCheckpointFile);
  if (!bytes) return std::nullopt;
  const std::string name = folder.name_of(kCheckpointFile);
  const TensorArchive archive = decode_tensors(*bytes, name);
  const auto entry = [&](const std::string& key) {
    const auto found = archive.metadata.find(key);
    if (found == archive.metadata.end())
      throw DataError(fmt::format("{}: damaged checkpoint: {} is missing", name, key));
    return found->second;
  };
  if (entry("format") != kFormat)
    throw DataError(fmt::format("{}: damaged checkpoint: not an {}", name, kFormat));
  entry(kChecksumEntry);
  for (const auto& [key, expected] : identity) {
    const std::string there = entry(key);
    if (there == expected) continue;
    const bool is_short = expected.size() < 80 && there.size() < 80;
    throw UsageError(
        is_short ? fmt::format("{}: a checkpoint of another run: {} is {} there and {} here", name,
                               key, there, expected)
                 : fmt::format("{}: a checkpoint of another run: its {} differs", name, key));
  }
  StateReader reader(archive, name + ": damaged checkpoint", StateVisitor::Scope::kTraining);
  learner.visit_state(reader);
  RunRecorder::Start start;
  reader.number("run/seconds", start.seconds);
  reader.number("run/epoch", start.epoch);
  return start;
}

}  // namespace emgnn
