// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/edge_table.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <emgnn/formats/csv.h>

namespace emgnn {

namespace {

struct Row {
  size_t number;
  double value;
};

// The first `count` by value, ascending; ties by number.
void keep_smallest(std::vector<Row>& rows, size_t count, std::vector<bool>& kept) {
  count = std::min(count, rows.size());
  const auto less = [](const Row& a, const Row& b) {
    return a.value != b.value ? a.value < b.value : a.number < b.number;
  };
  std::nth_element(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count), rows.end(),
                   less);
  for (size_t i = 0; i < count; ++i) kept[rows[i].number] = true;
}

std::string line_of(const std::vector<std::string_view>& fields) {
  std::string out;
  for (const std::string_view field : fields)
    out += (out.empty() ? "" : ",") + csv_field(std::string(field));
  return out + "\n";
}

}  // namespace

CutTable cut_edge_table(std::string csv, int64_t most) {
  CsvTable table(csv, "edges.csv");
  const int p = table.find("p"), kind = table.find("kind");
  const auto value = p >= 0 ? static_cast<size_t>(p) : table.require("weight");
  std::vector<Row> observed, candidates;
  size_t rows = 0;
  for (; table.next(); ++rows) {
    const double of = table.row().number(value, "p");
    const bool wanted = kind >= 0 && table.field(static_cast<size_t>(kind)) == "candidate";
    wanted ? candidates.push_back({rows, -of}) : observed.push_back({rows, of});
  }
  const auto limit = static_cast<size_t>(most);
  CutTable out{{}, static_cast<int64_t>(rows), static_cast<int64_t>(std::min(rows, limit))};
  if (rows <= limit) {
    out.csv = std::move(csv);
    return out;
  }
  std::vector<bool> kept(rows, false);
  const size_t half = limit / 2;
  const size_t doubtful = std::min(observed.size(), limit - std::min(half, candidates.size()));
  keep_smallest(observed, doubtful, kept);
  keep_smallest(candidates, limit - doubtful, kept);
  CsvTable again(csv, "edges.csv");
  out.csv = csv.substr(0, csv.find('\n') + 1);
  for (size_t row = 0; again.next(); ++row)
    if (kept[row]) out.csv += line_of(again.row().fields());
  return out;
}

}  // namespace emgnn
