// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/data/molecule_split.h>
#include <emgnn/report/manifest.h>
#include <emgnn/report/run_data.h>
#include <emgnn/report/run_files.h>

namespace emgnn {

namespace {

class MoleculeData : public RunData {
 public:
  MoleculeData(const MoleculeTable& table, Split split, const RunMethod& method)
      : table_(table), split_(std::move(split)), method_(method) {}

  std::string fingerprint() const override { return emgnn::fingerprint(table_, split_); }
  nlohmann::ordered_json describe() const override { return describe_data(table_, split_); }

  std::unique_ptr<Experiment> experiment(uint64_t seed) const override {
    return std::make_unique<Experiment>(table_, split_, method_.name, method_.config, seed);
  }

  void describe_model(StoredModel& model) const override {
    model.scale = TargetScale::fit(table_.target, split_.train);
  }

  void write_files(RunFolder& folder, const Experiment& /*experiment*/,
                   const TrainResult& result) const override {
    folder.write(kPredictionsFile, predictions_csv(table_, split_, result.prediction));
    folder.write("rejects.csv", rejects_csv(table_.rejects));
  }

 private:
  const MoleculeTable& table_;
  Split split_;
  const RunMethod& method_;
};

class MoleculeSource : public RunSource {
 public:
  MoleculeSource(MoleculeRequest request, RunMethod method)
      : request_(std::move(request)), method_(std::move(method)) {}

  std::unique_ptr<RunData> load(int64_t run, const MoleculeObserver& observer) override {
    if (!table_) table_ = load_molecules(request_, observer);
    Split split = make_split(
        *table_,
        {.spec = method_.config.data.split, .seed = method_.seed, .run = static_cast<int>(run)});
    return std::make_unique<MoleculeData>(*table_, std::move(split), method_);
  }

  std::string note() const override {
    const std::vector<Reject>& rejects = table_->rejects;
    if (rejects.empty()) return "";
    return fmt::format("{}: {} of {} rows are left out, row {} because: {}", request_.name,
                       rejects.size(), rejects.size() + table_->row.size(), rejects.front().row,
                       rejects.front().reason);
  }

 private:
  MoleculeRequest request_;
  RunMethod method_;
  std::optional<MoleculeTable> table_;
};

}  // namespace

std::unique_ptr<RunSource> molecule_source(const MoleculeRequest& request, RunMethod method) {
  const DataOptions& data = method.config.data;
  if (data.perturb > 0.0 || data.normalise_features || data.directed_relations) {
    throw UsageError(fmt::format(
        "{}: perturb, data.normalise_features and data.directed_relations are for graphs",
        request.name));
  }
  return std::make_unique<MoleculeSource>(request, std::move(method));
}

}  // namespace emgnn
