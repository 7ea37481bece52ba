// SPDX-License-Identifier: Apache-2.0
#include <emgnn/cli/table_progress.h>

#include <fmt/format.h>

#include <cmath>

#include <emgnn/base/error.h>

namespace emgnn::cli {

namespace {

constexpr std::chrono::milliseconds kPeriod{300};

}  // namespace

TableProgress::TableProgress(const std::vector<Series>& series, int64_t at_a_time, bool quiet)
    : at_a_time_(at_a_time), line_(quiet) {
  for (const Series& one : series) {
    requests_.push_back(one.request);
    times_.push_back({one.row, one.column, one.request.runs, {}});
    runs_ += one.request.runs;
  }
  count();
}

void TableProgress::count() {
  looked_ = Clock::now();
  for (size_t i = 0; i < times_.size(); ++i) {
    std::vector<double>& seconds = times_[i].seconds;
    const int64_t finished = num_finished(requests_[i]);
    while (std::ssize(seconds) < finished) {
      try {
        const RunRecord run = finished_run(requests_[i], std::ssize(seconds));
        seconds.push_back(run.prepare_seconds + run.seconds);
      } catch (const DataError&) {
        return;  // whoever needs the run says what is wrong with it
      }
      ++done_;
    }
  }
}

void TableProgress::look() {
  if (Clock::now() - looked_ < kPeriod) return;
  count();
  if (!line_.due() || (!line_.on_terminal() && done_ == shown_)) return;
  shown_ = done_;
  line_.show(text());
}

std::string TableProgress::text() const {
  const double share = static_cast<double>(done_) / static_cast<double>(runs_);
  const std::optional<double> left = seconds_left(times_, at_a_time_);
  const std::string time = left ? about(*left) + " left" : "the time left is not known yet";
  if (line_.on_terminal())
    return fmt::format("{}  {} of {} runs  {}", bar(share), done_, runs_, time);
  return fmt::format("{} of {} runs, {}", done_, runs_, time);
}

std::string about(double seconds) {
  constexpr int64_t kMinute = 60, kHour = 60;
  if (seconds < 100.0) return fmt::format("about {:.0f} s", std::ceil(seconds));
  const auto minutes = static_cast<int64_t>(std::ceil(seconds / kMinute));
  if (minutes < 2 * kHour) return fmt::format("about {} min", minutes);
  return minutes % kHour == 0 ? fmt::format("about {} h", minutes / kHour)
                              : fmt::format("about {} h {} min", minutes / kHour, minutes % kHour);
}

}  // namespace emgnn::cli
