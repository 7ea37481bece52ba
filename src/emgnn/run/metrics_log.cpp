// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/metrics_log.h>

#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>
#include <emgnn/run/json_number.h>
#include <emgnn/run/run_json.h>

namespace emgnn {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kValidation = "validation_", kValidationLoss = "validation_loss";

void add_epoch(const Json& line, MetricsLog& log) {
  EpochRecord epoch{.epoch = line.at("epoch").get<int64_t>(),
                    .round = line.at("round").get<int64_t>(),
                    .train_loss = real_or_nan(line.at("train_loss")),
                    .validation = {},
                    .member = {}};
  if (line.contains("member")) epoch.member = line.at("member").get<int64_t>();
  for (const auto& [key, value] : line.items()) {
    if (!key.starts_with(kValidation)) continue;
    if (!epoch.validation) epoch.validation.emplace();
    if (key == kValidationLoss) {
      epoch.validation->loss = real_or_nan(value);
    } else {
      log.score = key.substr(kValidation.size());
      epoch.validation->scores.set(log.score, real_or_nan(value));
    }
  }
  log.epochs.push_back(std::move(epoch));
}

void add_line(const Json& line, MetricsLog& log) {
  const auto event = line.at("event").get<std::string>();
  if (event == "epoch") add_epoch(line, log);
  if (event == "round") log.rounds.push_back({line.at("epoch").get<int64_t>(), parse_round(line)});
}

}  // namespace

MetricsLog parse_metrics(std::string_view text, const std::string& file) {
  MetricsLog log;
  int64_t number = 1;
  for (size_t end; (end = text.find('\n')) != std::string_view::npos; ++number) {
    try {
      add_line(Json::parse(text.substr(0, end)), log);
    } catch (const nlohmann::json::exception&) {
      throw DataError(fmt::format("{}: line {}: damaged: not a line of metrics", file, number));
    }
    text.remove_prefix(end + 1);
  }
  return log;
}

}  // namespace emgnn
