// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/predict.h>

#include <filesystem>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/methods/catalogue.h>
#include <emgnn/run/config.h>
#include <emgnn/run/load.h>
#include <emgnn/run/manifest.h>
#include <emgnn/run/match.h>
#include <emgnn/run/model_file.h>
#include <emgnn/run/out_file.h>
#include <emgnn/run/predictions.h>

namespace emgnn {

namespace {

// The options of the run's data that go for other data too.
DataOptions options_for(const Predicted& to, const ModelFile& model, const DataOptions& trained,
                        const PredictRequest& request, bool with_labels) {
  DataOptions out = trained;
  // What the model's labels were inferred to be is not inferred again.
  if (is_own_data(to.dataset)) out.task = name_of(model.schema.labels);
  if (!to.own_data) out.perturb = 0.0;
  if (!to.own_data) out.split = "";
  if (!with_labels) out.molecules.columns.target = out.molecules.columns.split = "";
  if (!request.smiles_column.empty()) out.molecules.columns.smiles = request.smiles_column;
  return out;
}

// The same name, or another way to write the same path.
bool same_dataset(const std::string& a, const std::string& b) {
  std::error_code none;  // a name of the list is no path
  return a == b || (std::filesystem::equivalent(a, b, none) && !none);
}

// The parts of a split mean nothing on data that has changed.
void check_same_data(const ModelFile& model, const Data& data, const std::string& dataset) {
  if (model.data_sha256.empty() || model.data_sha256 == fingerprint(data)) return;
  throw UsageError(fmt::format(
      "{}: the data has changed since the run was trained on it, so its training rows are not "
      "known; score a copy under another name",
      dataset));
}

// The model's file is in order; when its weights do not fit a learner for other data, that data is
// to blame.
void read_weights(StateReader& reader, const MatchedData& matched, bool own_data,
                  Learner& learner) {
  try {
    learner.visit_state(reader);
  } catch (const DataError& error) {
    if (own_data) throw;
    throw UsageError(
        fmt::format("{} does not fit the model: {}", matched.data->name(),
                    matched.other_node_types.empty() ? error.what() : matched.other_node_types));
  }
}

}  // namespace

Predicted predict_with(const PredictRequest& request, bool with_labels) {
  const ModelFile model = read_model(request.run);
  Predicted out{.dataset = request.dataset.empty() ? model.dataset : request.dataset,
                .method = model.method,
                .seed = model.seed,
                .calibration_scores = stored_calibration(model.archive)};
  check_not_of_run(request.out, request.run, "predictions.csv");
  out.own_data = same_dataset(out.dataset, model.dataset);
  const DataKind kind = kind_of(out.dataset);
  check_data_kind(model.method, kind, out.dataset);
  check_not_data(request.out, out.dataset, request.data_dir);
  EMGNN_CHECK(kind == DataKind::kMolecules || request.smiles_column.empty(),
              "data.smiles is for tables of molecules", out.dataset);
  RunConfig config(model.method, out.dataset);
  config.read_stored(model.config);
  const bool molecules = kind == DataKind::kMolecules;
  DataSource source({.dataset = out.dataset,
                     .data_dir = request.data_dir,
                     .options = options_for(out, model, config.data, request, with_labels),
                     .seed = model.seed,
                     .with_split = out.own_data && (with_labels || !molecules)});
  const auto enter = [&](const std::string& what) {
    if (request.on_phase) request.on_phase({what});
  };
  enter("reading " + out.dataset);
  const std::shared_ptr<const Data> data = source.load(0, request.on_molecule);
  if (out.own_data && with_labels) check_same_data(model, *data, out.dataset);
  out.calibration_rows = source.calibration();
  out.calibrated_by = config.data.calibration_share > 0.0 ? "calibration" : "validation";
  MatchedData matched = match(*data, model.schema);
  out.data = matched.data;
  out.notes = std::move(matched.notes);
  enter("preparing the graphs");
  out.learner = config.learner(
      {.data = out.data, .prepared = std::make_shared<Prepared>(), .seed = model.seed});
  StateReader reader(model.archive, (request.run / kModelFile).string(),
                     StateVisitor::Scope::kModel, matched.node_row);
  read_weights(reader, matched, out.own_data, *out.learner);
  enter("predicting");
  out.prediction = out.learner->predict(matched.rows, request.poll);
  return out;
}

PredictedSets sets_of(const Predicted& predicted, double level, SetForm form) {
  return predicted_sets(*predicted.data, predicted.prediction, predicted.calibration_scores,
                        {.level = level, .form = form, .seed = predicted.seed});
}

PredictedTable predict(const PredictRequest& request) {
  const Context::Scope scope(request.context);
  const Predicted predicted = predict_with(request, false);
  const Data& data = *predicted.data;
  std::optional<PredictedSets> made;
  if (request.level) made = sets_of(predicted, *request.level, request.sets);
  const PredictedSets* sets = made ? &*made : nullptr;
  PredictedTable out{
      .csv = data.table()
                 ? predictions_csv_with_rejects(data, predicted.prediction, sets)
                 : predictions_csv(data, predicted.prediction,
                                   {.calibration = predicted.calibration_rows, .sets = sets}),
      .predicted = static_cast<int64_t>(predicted.prediction.rows.size()),
      .rejected = 0,
      .notes = predicted.notes};
  if (data.table()) out.rejected = static_cast<int64_t>(data.table()->rejects.size());
  return out;
}

}  // namespace emgnn
