// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include <emgnn/em/node_problem.h>
#include <emgnn/report/manifest.h>
#include <emgnn/report/run_data.h>
#include <emgnn/report/run_files.h>

namespace emgnn {

namespace {

class NodeData : public RunData {
 public:
  NodeData(Dataset dataset, const Preparation& preparation, const RunMethod& method)
      : dataset_(std::move(dataset)), preparation_(preparation), method_(method) {}

  std::string fingerprint() const override { return emgnn::fingerprint(dataset_); }
  nlohmann::ordered_json describe() const override { return describe_data(dataset_); }

  std::unique_ptr<Experiment> experiment(uint64_t seed) const override {
    return std::make_unique<Experiment>(dataset_, preparation_, method_.name, method_.config, seed);
  }

  void describe_model(StoredModel& model) const override {
    model.classes = dataset_.class_names;
    model.node_types = predicted_types(dataset_);
    for (const Relation& relation : dataset_.graph.relations)
      model.edge_types.push_back(relation.name);
  }

  void write_files(RunFolder& folder, const Experiment& experiment,
                   const TrainResult& result) const override {
    folder.write(kPredictionsFile, predictions_csv(dataset_, result.prediction));
    if (const RewireFamily* family = experiment.rewire_family()) {
      folder.write("edges.csv",
                   edges_csv(dataset_, family->draws(), preparation_.candidates, result.posterior));
    }
    if (method_.config.data.perturb > 0.0)
      folder.write("perturbed_edges.csv", perturbed_edges_csv(dataset_));
  }

 private:
  Dataset dataset_;
  const Preparation& preparation_;
  const RunMethod& method_;
};

class NodeSource : public RunSource {
 public:
  NodeSource(DatasetRequest request, RunMethod method)
      : request_(std::move(request)), method_(std::move(method)) {}

  std::unique_ptr<RunData> load(int64_t run, const MoleculeObserver& /*observer*/) override {
    DatasetRequest of_run = request_;
    of_run.run = static_cast<int>(run);
    Dataset dataset = load_dataset(of_run);
    // Anew only where the graphs of the runs differ.
    if (!preparation_ || request_.perturb > 0.0)
      preparation_ = prepare(dataset, method_.name, method_.config);
    return std::make_unique<NodeData>(std::move(dataset), *preparation_, method_);
  }

 private:
  DatasetRequest request_;
  RunMethod method_;
  std::optional<Preparation> preparation_;
};

}  // namespace

std::unique_ptr<RunSource> node_source(const DatasetRequest& request, RunMethod method) {
  return std::make_unique<NodeSource>(request, std::move(method));
}

}  // namespace emgnn
