// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/run_files.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include <emgnn/formats/csv.h>

namespace emgnn {

namespace {

// The part of each node or molecule.
std::vector<const char*> parts_of(const Split& split, int64_t count) {
  std::vector<const char*> out(static_cast<size_t>(count), "");
  for (int32_t v : split.train) out[static_cast<size_t>(v)] = "train";
  for (int32_t v : split.validation) out[static_cast<size_t>(v)] = "validation";
  for (int32_t v : split.test) out[static_cast<size_t>(v)] = "test";
  return out;
}

}  // namespace

std::string posterior_csv(const std::vector<std::string>& names,
                          const std::vector<WeightedPoint>& posterior) {
  std::string out;
  for (const std::string& name : names) out += csv_field(name) + ",";
  out += "p\n";
  for (const WeightedPoint& point : posterior) {
    for (double x : point.lambda) fmt::format_to(std::back_inserter(out), "{},", x);
    fmt::format_to(std::back_inserter(out), "{}\n", point.p);
  }
  return out;
}

std::string predictions_csv(const Dataset& dataset, const Prediction& prediction) {
  const size_t classes = dataset.class_names.size();
  const std::vector<const char*> split = parts_of(dataset.split, dataset.graph.num_nodes);
  const at::Tensor log_prob = prediction.value.contiguous();
  const at::Tensor spread = prediction.spread.contiguous();
  std::string out = "node,split,label,predicted";
  for (const std::string& name : dataset.class_names) {
    out += fmt::format(",{}", csv_field(fmt::format("p({})", name)));
  }
  out += ",spread\n";
  for (size_t i = 0; i < prediction.rows.size(); ++i) {
    const auto node = static_cast<size_t>(prediction.rows[i]);
    const double* row = log_prob.data_ptr<double>() + i * classes;
    const auto predicted = static_cast<size_t>(std::max_element(row, row + classes) - row);
    const int32_t label = dataset.label[node];
    fmt::format_to(
        std::back_inserter(out), "{},{},{},{}", csv_field(dataset.node_name(prediction.rows[i])),
        split[node],
        label == kNoLabel ? "" : csv_field(dataset.class_names[static_cast<size_t>(label)]),
        csv_field(dataset.class_names[predicted]));
    for (size_t c = 0; c < classes; ++c)
      fmt::format_to(std::back_inserter(out), ",{:.6g}", std::exp(row[c]));
    const double deviation = spread.data_ptr<double>()[i * classes + predicted];
    fmt::format_to(std::back_inserter(out), ",{:.6g}\n", deviation);
  }
  return out;
}

std::string predictions_csv(const MoleculeTable& table, const Split& split,
                            const Prediction& prediction) {
  const std::vector<const char*> part = parts_of(split, table.num_molecules());
  const double* value = prediction.value.data_ptr<double>();
  const double* spread = prediction.spread.data_ptr<double>();
  std::string out = "row,smiles,split,target,value,spread\n";
  for (size_t i = 0; i < prediction.rows.size(); ++i) {
    const auto molecule = static_cast<size_t>(prediction.rows[i]);
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{:.6g},{:.6g}\n", table.row[molecule],
                   csv_field(table.molecules.smiles[molecule]), part[molecule],
                   table.target[molecule], value[i], spread[i]);
  }
  return out;
}

std::string edges_csv(const Dataset& dataset, const RewireDraws& draws,
                      std::span<const CandidateEdge> candidates, const Posterior& posterior) {
  std::vector<double> p;
  for (double log_prob : posterior.log_probs()) p.push_back(std::exp(log_prob));
  const RewireDraws::Expected expected = draws.expected(posterior.lam_ids(), p);
  const auto num_edges = static_cast<size_t>(draws.num_edges());
  std::string out = "source,target,kind,cosine,p,p_rate\n";
  for (size_t k = 0; k < draws.pairs().size(); ++k) {
    const auto [u, v] = draws.pairs()[k];
    const std::string kind =
        k < num_edges ? "observed,"
                      : fmt::format("candidate,{:.6g}", candidates[k - num_edges].cosine);
    fmt::format_to(std::back_inserter(out), "{},{},{},{:.6g},{:.6g}\n",
                   csv_field(dataset.node_name(u)), csv_field(dataset.node_name(v)), kind,
                   expected.held[k], expected.rate[k]);
  }
  return out;
}

std::string perturbed_edges_csv(const Dataset& dataset) {
  std::string out = "source,target,change\n";
  for (const auto& [pair, added] : dataset.perturbation) {
    fmt::format_to(std::back_inserter(out), "{},{},{}\n", csv_field(dataset.node_name(pair.u)),
                   csv_field(dataset.node_name(pair.v)), added ? "added" : "removed");
  }
  return out;
}

}  // namespace emgnn
