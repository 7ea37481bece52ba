// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/block_model_report.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include <emgnn/base/threads.h>
#include <emgnn/formats/csv.h>

namespace emgnn {

namespace {

struct Fitted {
  std::vector<double> memberships, strengths;
  std::vector<int32_t> community;

  std::span<const double> row(int32_t node) const {
    const size_t width = strengths.size();
    return std::span(memberships).subspan(static_cast<size_t>(node) * width, width);
  }
};

using NodeName = std::function<std::string(int32_t)>;

std::string edges_csv(std::span<const EdgeProbability> edges, const NodeName& name) {
  std::string out = "source,target,kind,p\n";
  for (const auto& [edge, p] : edges) {
    check_stop();
    fmt::format_to(std::back_inserter(out), "{},{},observed,{:.6g}\n", csv_field(name(edge.u)),
                   csv_field(name(edge.v)), p);
  }
  return out;
}

std::string communities_csv(const Fitted& fitted, std::span<const std::string> communities,
                            const NodeName& name) {
  std::string out = "node,community";
  for (const std::string& community : communities)
    out += "," + csv_field(fmt::format("p({})", community));
  out += "\n";
  for (size_t i = 0; i < fitted.community.size(); ++i) {
    const auto node = static_cast<int32_t>(i);
    out += csv_field(name(node)) + "," +
           csv_field(communities[static_cast<size_t>(fitted.community[i])]);
    for (const double p : fitted.row(node)) fmt::format_to(std::back_inserter(out), ",{:.6g}", p);
    out += "\n";
  }
  return out;
}

std::string strengths_csv(const Fitted& fitted, std::span<const std::string> communities) {
  std::string out = "community,nodes,strength\n";
  for (size_t k = 0; k < communities.size(); ++k) {
    const auto nodes =
        std::count(fitted.community.begin(), fitted.community.end(), static_cast<int32_t>(k));
    fmt::format_to(std::back_inserter(out), "{},{},{:.6g}\n", csv_field(communities[k]), nodes,
                   fitted.strengths[k]);
  }
  return out;
}

}  // namespace

FamilyReport block_model_report(const BlockModel& model, const Csr& graph,
                                std::span<const std::string> communities,
                                const NodeName& node_name) {
  Fitted fitted{.memberships = model.memberships(), .strengths = model.strengths()};
  fitted.community = communities_of(fitted.memberships, model.num_communities);
  FamilyReport out;
  for (const NodePair edge : undirected_edges(graph)) {
    out.edges.push_back({edge, link_probability(fitted.row(edge.u), fitted.row(edge.v),
                                                fitted.strengths, model.cross)});
  }
  out.tables = {{"edges.csv", edges_csv(out.edges, node_name)},
                {"communities.csv", communities_csv(fitted, communities, node_name)},
                {"strengths.csv", strengths_csv(fitted, communities)}};
  return out;
}

}  // namespace emgnn
