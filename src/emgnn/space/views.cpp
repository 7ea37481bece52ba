// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/views.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/base/size_limits.h>
#include <emgnn/space/view_list.h>

namespace emgnn {

namespace {

constexpr int64_t kMaxNeighbours = 1000;

int64_t neighbours_of(const std::string& view) {
  const std::string number = view.substr(view.find(':') + 1);
  int64_t k = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), k);
  if (error != std::errc() || end != number.data() + number.size() || k < 1 || k > kMaxNeighbours) {
    throw UsageError(fmt::format("space.views: {}: expected {}:K with K from 1 to {}", view,
                                 view.substr(0, view.find(':')), kMaxNeighbours));
  }
  return k;
}

std::vector<int32_t> types_of_path(const Dataset& data, const std::string& view) {
  std::vector<int32_t> types;
  for (const std::string& name : split_list(view.substr(view.find(':') + 1), '-')) {
    const auto& names = data.node_type_names;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      throw UsageError(fmt::format(
          "space.views: {}: the data has no node type \"{}\"; it has {}", view, name,
          names.empty() ? "one type without a name" : fmt::format("{}", fmt::join(names, ", "))));
    }
    types.push_back(static_cast<int32_t>(found - names.begin()));
  }
  if (types.size() < 2)
    throw UsageError(fmt::format("space.views: {}: a path has two node types or more", view));
  return types;
}

constexpr std::string_view kReliable = "reliable";

class ViewMaker {
 public:
  ViewMaker(const Dataset& data, Confidence confidence)
      : data_(data), confidence_(confidence), graph_{.num_nodes = data.graph.num_nodes} {}

  void add(const std::string& view) {
    if (view == kReliable || view == fmt::format("{}:{}", kReliable, kGivenViews)) {
      const bool one = data_.graph.relations.size() == 1;
      for (const Relation& relation : data_.graph.relations)
        put_distrusted(
            one ? std::string(kReliable) : fmt::format("{}:{}", kReliable, relation.name),
            relation.adjacency);
    } else if (view.starts_with(fmt::format("{}:", kReliable))) {
      put_distrusted(view, one(view.substr(kReliable.size() + 1)).adjacency);
    } else if (view == "given") {
      for (const Relation& relation : data_.graph.relations) put(relation, nullptr);
    } else {
      put(one(view), nullptr);
    }
  }

  ViewSet take() {
    return {std::make_shared<const TypedGraph>(std::move(graph_)), std::move(trust_)};
  }

 private:
  // A view that is one graph.
  Relation one(const std::string& view) const {
    if (view == "joined") return {view, joined(data_.graph)};
    if (view == "two-hop") return {view, two_hop(joined(data_.graph))};
    if (view == "ppr") return {view, personalised_pagerank(joined(data_.graph), {})};
    if (view.starts_with("knn:"))
      return {view, nearest_neighbours(data_.features, neighbours_of(view))};
    if (view.starts_with("random:"))
      return {view, random_neighbours(data_.graph.num_nodes, neighbours_of(view))};
    if (view.starts_with("metapath:"))
      return {view, metapath(joined(data_.graph), data_.node_type, types_of_path(data_, view))};
    return relation_named(view);
  }

  const Relation& relation_named(const std::string& name) const {
    for (const Relation& relation : data_.graph.relations)
      if (relation.name == name) return relation;
    std::vector<std::string> names;
    for (const Relation& relation : data_.graph.relations) names.push_back(relation.name);
    throw UsageError(fmt::format(
        "space.views: unknown view \"{}\"; expected given, joined, reliable, knn:K, two-hop, ppr, "
        "metapath:A-B-A, random:K, auto alone or an edge type ({})",
        name, fmt::join(names, ", ")));
  }

  void put_distrusted(const std::string& name, const Csr& view) {
    put({name, view}, distrust(data_, joined(data_.graph), view, confidence_));
  }

  void put(const Relation& relation, std::shared_ptr<const EdgeTrust> trust) {
    for (const Relation& there : graph_.relations)
      if (there.name == relation.name)
        throw UsageError(
            fmt::format("space.views: two views are called {:?}; given stands for every edge type",
                        relation.name));
    graph_.relations.push_back(relation);
    trust_.push_back(std::move(trust));
  }

  const Dataset& data_;
  Confidence confidence_;
  TypedGraph graph_;
  std::vector<std::shared_ptr<const EdgeTrust>> trust_;
};

}  // namespace

Csr random_neighbours(int32_t num_nodes, int64_t k) {
  Rng rng(0, Stream::kPairs, 2);
  Coo links;
  for (int32_t i = 0; i < num_nodes; ++i) {
    for (int64_t n = 0; n < k; ++n) {
      const auto j = static_cast<int32_t>(rng.below(static_cast<uint64_t>(num_nodes)));
      if (j == i) continue;
      links.row.push_back(i);
      links.col.push_back(j);
    }
  }
  return symmetrise(csr_from_coo(num_nodes, num_nodes, links, Duplicates::kKeepFirst));
}

bool ViewSet::any_distrusted() const {
  return std::any_of(trust.begin(), trust.end(), [](const auto& t) { return t != nullptr; });
}

ViewSet make_views(const Dataset& data, const std::string& list, Confidence confidence) {
  ViewMaker maker(data, confidence);
  for (const std::string& view : split_list(list == kAutoViews ? automatic_views(data) : list, ','))
    maker.add(view);
  return maker.take();
}

std::string automatic_views(const Dataset& data) {
  constexpr int64_t kMaxSteps = 20'000'000;    // walks of two steps
  constexpr double kMaxNeighbourhood = 100.0;  // nodes two steps away, on average, repeated or not
  int64_t entries = 0;
  for (const Relation& relation : data.graph.relations) entries += relation.adjacency.num_entries();
  if (entries > SizeLimits{}.full_batch_entries) return kGivenViews;
  const bool one = data.graph.relations.size() == 1;
  std::string out = one ? "reliable" : "given, joined";
  if (data.features.num_cols > 0) out += ", knn:5";
  if (!one) return out;
  const Csr& edges = data.graph.relations.front().adjacency;
  int64_t walks = 0;
  for (const int32_t j : edges.col) walks += static_cast<int64_t>(edges.row(j).col.size());
  const bool few = static_cast<double>(walks) <= kMaxNeighbourhood * data.graph.num_nodes;
  return few && walks <= kMaxSteps ? out + ", two-hop" : out;
}

ViewSet given_views(const std::shared_ptr<const Dataset>& data) {
  ViewSet out{.graph = {data, &data->graph}, .trust = {}};
  out.trust.resize(data->graph.relations.size());
  return out;
}

}  // namespace emgnn
