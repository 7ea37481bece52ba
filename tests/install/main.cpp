// A stranger's program: only what is installed.
#include <emgnn/data/generators.h>
#include <emgnn/em/experiment.h>

int main() {
  const emgnn::Dataset data = emgnn::noisy_relations({}, 0);
  emgnn::Experiment experiment(data, "em-gcn", emgnn::default_config("em-gcn", data.name), 0);
  emgnn::Observer quiet;
  return experiment.trainer().run(quiet).test.accuracy > 0.8 ? 0 : 1;
}
