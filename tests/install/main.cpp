// A stranger's program: only what is installed.
#include <memory>

#include <emgnn/data/generators.h>
#include <emgnn/learn/task.h>
#include <emgnn/run/config.h>

int main() {
  const auto data = std::make_shared<emgnn::Data>(emgnn::noisy_relations({}, /*seed=*/0));
  emgnn::RunConfig config("em-gcn", "noisy-relations");  // the shipped settings
  config.set("em.rounds=12", "main");
  const auto learner =
      config.learner({.data = data, .prepared = std::make_shared<emgnn::Prepared>(), .seed = 0});
  emgnn::FitObserver quiet;
  learner->fit(quiet);
  const std::vector<int32_t>& test = data->split().test;
  const emgnn::Prediction prediction = learner->predict(test, {});
  const emgnn::PartScores scores = learner->task()->score(prediction, emgnn::Ranks::kSkip);
  return scores.scores.at("accuracy") > 0.8 ? 0 : 1;
}
