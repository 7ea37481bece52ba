// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/options.h>

namespace emgnn {

void describe(OptionVisitor& visitor, StackOptions& options) {
  visitor.integer("model.layers", options.layers, 1, 64, "layers, the output layer included");
  visitor.integer("model.hidden", options.hidden, 1, 65536, "width of the hidden layers");
  visitor.choice("model.activation", options.activation,
                 {"identity", "relu", "leaky-relu", "elu", "silu"}, "between the layers");
  visitor.real("model.slope", options.slope, 0.0, 1.0, "slope of leaky-relu below zero");
  visitor.real("model.dropout", options.dropout, 0.0, 0.99,
               "dropout behind each hidden activation");
  visitor.real("model.input_dropout", options.input_dropout, 0.0, 0.99, "dropout on the features");
  visitor.choice("model.init", options.init, {"xavier-uniform", "uniform-out", "xavier-normal"},
                 "first weights: U(±sqrt(6/(in+out))) with zero biases, U(±1/sqrt(out)), or "
                 "N(0, 4/(in+out)) with zero biases");
}

void describe(OptionVisitor& visitor, HeadOptions& options) {
  visitor.choice("model.readout", options.readout,
                 {"sum", "mean", "max", "mean-and-max", "weighted-sum-and-max"},
                 "what is taken of the atoms' columns; the weights are a sigmoid");
  visitor.integer("model.head", options.head, 1, 65536,
                  "width of the perceptron behind the readout");
  visitor.real("model.head_dropout", options.head_dropout, 0.0, 0.99,
               "dropout on the readout and behind the perceptron's activation");
}

}  // namespace emgnn
