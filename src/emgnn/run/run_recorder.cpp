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

constexpr const char* kAnyFormat = "emgnn checkpoint ";
constexpr const char* kFormat = "emgnn checkpoint 4";

// The first lines, up to one that is not whole.
std::string first_lines(const std::string& text, int64_t count) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; count > 0 && std::getline(in, line); --count) {
    if (!Json::parse(line, nullptr, false).is_object()) break;
    out += line + "\n";
  }
  return out;
}

}  // namespace

RunRecorder::RunRecorder(RunFolder& folder, RunIdentity identity, RunsObserver& next,
                         Options options, const Start& start)
    : folder_(folder),
      identity_(std::move(identity)),
      next_(next),
      options_(std::move(options)),
      epoch_(start.epoch),
      lines_(start.lines),
      seconds_before_(start.seconds) {
  folder_.write(kMetricsFile, first_lines(folder.read(kMetricsFile).value_or(""), lines_));
}

double RunRecorder::seconds() const {
  return seconds_before_ + std::chrono::duration<double>(Clock::now() - start_).count();
}

bool RunRecorder::checkpoint_due() {
  return Clock::now() - last_checkpoint_ >= options_.checkpoint_period;
}

void RunRecorder::add_line(const std::string& line) {
  folder_.append(kMetricsFile, line + "\n");
  ++lines_;
}

void RunRecorder::on_round(const RoundRecord& round) {
  Json line = {{"event", "round"}, {"epoch", epoch_ + 1}};  // the first of the round
  line.update(to_json(round));
  add_line(line.dump());
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
    const std::string& score = options_.main_score.name;
    line["validation_" + score] = epoch.validation->scores.at(score);
  }
  add_line(line.dump());
  next_.on_epoch(epoch, options_.main_score);
}

void RunRecorder::on_checkpoint(Learner& learner) {
  StateWriter writer(StateVisitor::Scope::kTraining);
  learner.visit_state(writer);
  double spent = seconds();
  writer.number("run/seconds", spent);
  writer.number("run/epoch", epoch_);
  writer.number("run/lines", lines_);
  writer.archive.metadata = identity_;
  writer.archive.metadata["format"] = kFormat;
  try {
    folder_.write(kCheckpointFile, encode_tensors(writer.archive));
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    if (!folder_.read(kCheckpointFile)) throw;
    throw Error(fmt::format("{}; the checkpoint before it is kept", error.what()));
  }
  last_checkpoint_ = Clock::now();
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
  if (const std::string format = entry("format"); format != kFormat) {
    if (format.starts_with(kAnyFormat))
      throw UsageError(
          fmt::format("{}: a checkpoint of another version of emgnn ({}, this one has {}): train "
                      "in another --out",
                      name, format, kFormat));
    throw DataError(fmt::format("{}: damaged checkpoint: not an {}", name, kFormat));
  }
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
  reader.number("run/lines", start.lines);
  return start;
}

}  // namespace emgnn
