// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/predict.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/formats/csv.h>
#include <emgnn/data/load_molecules.h>
#include <emgnn/data/registry.h>
#include <emgnn/em/method.h>
#include <emgnn/em/model.h>
#include <emgnn/em/molecule_problem.h>
#include <emgnn/em/node_problem.h>
#include <emgnn/em/serial_aten.h>
#include <emgnn/em/stored_model.h>
#include <emgnn/em/trainer.h>
#include <emgnn/report/run_files.h>
#include <emgnn/report/train_runs.h>

namespace emgnn {

namespace {

namespace fs = std::filesystem;

StoredModel read_model(const fs::path& run) {
  const fs::path file = run / kModelFile;
  if (fs::exists(file)) return decode_model(read_file(file), file.string());
  if (!fs::is_directory(run)) throw UsageError(fmt::format("{}: no such folder", run.string()));
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(run, ignored)) {
    if (!fs::exists(entry.path() / kModelFile)) continue;
    throw UsageError(fmt::format("{}: several runs; choose one of them, as in {}", run.string(),
                                 entry.path().string()));
  }
  throw UsageError(
      fmt::format("{}: no {}: not the folder of a finished run", run.string(), kModelFile));
}

// Labels by the model's classes; others are not known to it.
void adopt_classes(Dataset& dataset, const std::vector<std::string>& classes) {
  std::vector<int32_t> number;  // of each class of the dataset
  for (const std::string& name : dataset.class_names) {
    const auto found = std::find(classes.begin(), classes.end(), name);
    number.push_back(found == classes.end() ? kNoLabel
                                            : static_cast<int32_t>(found - classes.begin()));
  }
  for (int32_t& label : dataset.label) {
    if (label != kNoLabel) label = number[static_cast<size_t>(label)];
  }
  dataset.class_names = classes;
}

void check_edge_types(const Dataset& dataset, const StoredModel& model) {
  std::vector<std::string> here;
  for (const Relation& relation : dataset.graph.relations) here.push_back(relation.name);
  if (here == model.edge_types) return;
  throw UsageError(fmt::format("{} has the edge types {}, and the model was trained on {}",
                               dataset.name, fmt::join(here, ", "),
                               fmt::join(model.edge_types, ", ")));
}

// The loaded run with what is to be predicted.
struct Job {
  const PredictRequest& request;
  StoredModel model;
  RunConfig config;
  std::string dataset;

  Posterior posterior(const ParameterSpace& space) const {
    const std::vector<int64_t>& ids = model.posterior.lam_ids();
    EMGNN_CHECK(ids.front() >= 0 && ids.back() < space.size(),
                "the model's posterior has points that the data has not", ids.back());
    return kept_to_predict(config.train.em, model.posterior, space.size());
  }
};

PredictedTable predict_graph(const Job& job) {
  const DataOptions& options = job.config.data;
  const RunIdentity& run = job.model.run;
  const bool own = job.dataset == run.dataset;
  Dataset dataset = load_dataset({.name = job.dataset,
                                  .data_dir = job.request.data_dir,
                                  .split = options.split,
                                  .seed = run.seed,
                                  .directed_relations = options.directed_relations,
                                  .row_normalise = options.normalise_features,
                                  .perturb = own ? options.perturb : 0.0,
                                  .with_split = own});
  check_edge_types(dataset, job.model);
  adopt_classes(dataset, job.model.classes);
  const NodeModel model = make_node_model(dataset, prepare(dataset, run.method, job.config),
                                          run.method, job.config, run.seed);
  assign(*model.backbone, job.model, job.dataset);
  const Prediction prediction = predict_nodes(dataset, *model.family, *model.backbone,
                                              {.rows = rows_of_types(dataset, job.model.node_types),
                                               .posterior = job.posterior(*model.family),
                                               .average = job.config.train.em.average,
                                               .poll = job.request.poll});
  return {.csv = predictions_csv(dataset, prediction),
          .predicted = static_cast<int64_t>(prediction.rows.size())};
}

std::string predictions_csv(const MoleculeTable& table, const Prediction& prediction) {
  const double* value = prediction.value.data_ptr<double>();
  const double* spread = prediction.spread.data_ptr<double>();
  std::string out = "row,smiles,value,spread,rejected\n";
  auto reject = table.rejects.begin();
  const auto add_rejects_before = [&](int64_t row) {
    for (; reject != table.rejects.end() && reject->row < row; ++reject) {
      fmt::format_to(std::back_inserter(out), "{},{},,,{}\n", reject->row,
                     csv_field(reject->smiles), csv_field(reject->reason));
    }
  };
  for (size_t i = 0; i < table.row.size(); ++i) {
    add_rejects_before(table.row[i]);
    fmt::format_to(std::back_inserter(out), "{},{},{:.6g},{:.6g},\n", table.row[i],
                   csv_field(table.molecules.smiles[i]), value[i], spread[i]);
  }
  add_rejects_before(std::numeric_limits<int64_t>::max());
  return out;
}

PredictedTable predict_molecules(const Job& job) {
  const RunIdentity& run = job.model.run;
  MoleculeRequest request{
      .name = job.dataset, .data_dir = job.request.data_dir, .options = job.config.data.molecules};
  request.options.columns.target = request.options.columns.split = "";
  if (!job.request.smiles_column.empty())
    request.options.columns.smiles = job.request.smiles_column;
  const MoleculeTable table = load_molecules(request, job.request.on_molecule);
  const MoleculeModel model =
      make_molecule_model(table.molecules, run.method, job.config, run.seed);
  assign(*model.backbone, job.model, job.dataset);
  const Prediction prediction =
      emgnn::predict_molecules(*model.family, *model.backbone, job.posterior(*model.family),
                               job.model.scale, job.request.poll);
  return {.csv = predictions_csv(table, prediction),
          .predicted = table.num_molecules(),
          .rejected = static_cast<int64_t>(table.rejects.size())};
}

}  // namespace

PredictedTable predict(const PredictRequest& request) {
  Job job{.request = request, .model = read_model(request.run), .config = {}, .dataset = {}};
  const std::string file = (request.run / kModelFile).string();
  read_toml(job.config, job.model.run.config, file);
  job.dataset = request.dataset.empty() ? job.model.run.dataset : request.dataset;
  check_kind(job.dataset, job.model.run.method);
  const bool molecules = is_molecule_table(job.dataset);
  EMGNN_CHECK(molecules || request.smiles_column.empty(), "data.smiles is for tables of molecules",
              job.dataset);
  const SerialAten serial;
  return molecules ? predict_molecules(job) : predict_graph(job);
}

}  // namespace emgnn
