// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/edge_summary.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include <emgnn/formats/csv.h>
#include <emgnn/report/prediction_summary.h>

namespace emgnn {

namespace {

class EdgeReader {
 public:
  EdgeReader(std::string_view text, const std::string& file)
      : table_(text, file),
        source_(table_.require("source")),
        target_(table_.require("target")),
        view_(table_.find("view")),
        kind_(table_.find("kind")),
        similarity_(table_.find(table_.find("cosine") >= 0 ? "cosine" : "score")),
        is_probability_(table_.find("p") >= 0),
        value_(table_.require(is_probability_ ? "p" : "weight")) {}

  bool is_probability() const { return is_probability_; }
  bool next() { return table_.next(); }
  std::string_view source() const { return table_.field(source_); }
  std::string_view target() const { return table_.field(target_); }
  double value() const { return table_.row().number(value_, is_probability_ ? "p" : "weight"); }
  bool is_loop() const { return source() == target(); }
  bool is_candidate() const {
    return kind_ >= 0 && table_.field(static_cast<size_t>(kind_)) == "candidate";
  }
  EdgeNote note() const {
    const auto text = [&](int column) {
      return column < 0 ? std::string_view() : table_.field(static_cast<size_t>(column));
    };
    return {.source = std::string(source()),
            .target = std::string(target()),
            .view = std::string(text(view_)),
            .candidate = is_candidate(),
            .value = value(),
            .similarity =
                number_in(text(similarity_)).value_or(std::numeric_limits<double>::quiet_NaN())};
  }

 private:
  CsvTable table_;
  size_t source_, target_;
  int view_, kind_, similarity_;
  bool is_probability_;
  size_t value_;
};

// The smallest by sign · value, in order; the earlier of equal ones.
void keep(std::vector<EdgeNote>& best, const EdgeReader& reader, double sign) {
  const double value = sign * reader.value();
  if (best.size() == kShownRows && !(value < sign * best.back().value)) return;
  const auto at = std::find_if(best.begin(), best.end(),
                               [&](const EdgeNote& other) { return value < sign * other.value; });
  best.insert(at, reader.note());
  if (best.size() > kShownRows) best.pop_back();
}

bool before(const EdgeNote& a, const EdgeNote& b) {
  return a.candidate != b.candidate ? !a.candidate : a.value > b.value;
}

// The neighbours that are drawn.
void choose_nodes(std::vector<EdgeNote> incident, Neighbourhood& out) {
  std::stable_sort(incident.begin(), incident.end(), before);
  std::set<std::string> seen = {out.centre};
  for (const EdgeNote& edge : incident) {
    const std::string& other = edge.source == out.centre ? edge.target : edge.source;
    if (!seen.insert(other).second) continue;
    if (out.nodes.size() < kNeighbours) {
      out.nodes.push_back(other);
    } else {
      ++out.left_out;
    }
  }
}

}  // namespace

EdgeSummary summarise_edges(std::string_view text, const std::string& file) {
  EdgeReader reader(text, file);
  EdgeSummary out{.is_probability = reader.is_probability(), .doubtful = {}, .wanted = {}};
  while (reader.next()) {
    if (reader.is_loop()) continue;
    if (reader.is_candidate()) {
      ++out.candidates;
      keep(out.wanted, reader, -1.0);
    } else {
      ++out.observed;
      keep(out.doubtful, reader, 1.0);
    }
  }
  return out;
}

std::vector<Neighbourhood> neighbourhoods(std::string_view text, const std::string& file,
                                          const std::vector<std::string>& asked,
                                          const std::vector<std::string>& centres, size_t most) {
  std::map<std::string, std::vector<EdgeNote>, std::less<>> incident;
  for (const auto* list : {&asked, &centres})
    for (const std::string& centre : *list) incident[centre];
  for (EdgeReader reader(text, file); reader.next();) {
    if (reader.is_loop()) continue;
    for (const std::string_view end : {reader.source(), reader.target()})
      if (const auto found = incident.find(end); found != incident.end())
        found->second.push_back(reader.note());
  }
  std::vector<Neighbourhood> out;
  std::map<std::string, std::vector<size_t>, std::less<>> drawn_in;  // node → neighbourhoods
  const auto add = [&](const std::string& centre) {
    const auto found = incident.find(centre);
    if (found == incident.end()) return;  // it is drawn already
    Neighbourhood& one = out.emplace_back();
    one.centre = centre;
    choose_nodes(std::move(found->second), one);
    incident.erase(found);
    for (const std::string& node : one.nodes) drawn_in[node].push_back(out.size() - 1);
    drawn_in[centre].push_back(out.size() - 1);
  };
  for (const std::string& centre : asked) add(centre);
  most += out.size();
  for (const std::string& centre : centres) {
    const auto found = incident.find(centre);
    if (found != incident.end() && !found->second.empty() && out.size() < most) add(centre);
  }
  for (EdgeReader reader(text, file); reader.next();) {
    if (reader.is_loop()) continue;
    const auto a = drawn_in.find(reader.source()), b = drawn_in.find(reader.target());
    if (a == drawn_in.end() || b == drawn_in.end()) continue;
    for (const size_t k : a->second)
      if (std::find(b->second.begin(), b->second.end(), k) != b->second.end())
        out[k].edges.push_back(reader.note());
  }
  return out;
}

}  // namespace emgnn
