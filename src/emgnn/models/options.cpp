// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/options.h>

namespace emgnn {

void describe_layers(OptionVisitor& visitor, int64_t& layers) {
  visitor.integer("model.layers", layers, 1, 64, "layers, the output layer included");
}

void describe_hidden(OptionVisitor& visitor, int64_t& hidden) {
  visitor.integer("model.hidden", hidden, 1, 65536, "width of the hidden layers");
}

void describe_dropout(OptionVisitor& visitor, double& dropout) {
  visitor.real("model.dropout", dropout, 0.0, 0.99, "dropout behind each hidden activation");
}

void describe_input_dropout(OptionVisitor& visitor, double& dropout) {
  visitor.real("model.input_dropout", dropout, 0.0, 0.99, "dropout on the features");
}

void describe_readout_steps(OptionVisitor& visitor, int64_t& steps) {
  visitor.integer("model.readout_steps", steps, 1, 64,
                  "how often the readout attends to the atoms");
}

void describe_init(OptionVisitor& visitor, Init& init) {
  visitor.choice("model.init", init, {"xavier-uniform", "uniform-out", "xavier-normal"},
                 "first weights: U(±sqrt(6/(in+out))) with zero biases, U(±1/sqrt(out)), or "
                 "N(0, 4/(in+out)) with zero biases");
}

void describe_norm(OptionVisitor& visitor, Norm& norm) {
  visitor.choice("model.norm", norm, {"none", "batch", "layer"},
                 "normalisation before each activation");
}

void describe_residual(OptionVisitor& visitor, bool& residual) {
  visitor.flag("model.residual", residual,
               "add a layer's input to its output where the widths agree");
}

void describe_jumping(OptionVisitor& visitor, Jumping& jumping) {
  visitor.choice("model.jumping", jumping, {"last", "concat", "max", "sum"},
                 "what the output is made of: the last layer, or all layers side by side, by the "
                 "largest of each column, or added up; of nodes by a linear layer behind them; of "
                 "model.form=molecular the embedding counts as a layer");
}

void describe_depth(OptionVisitor& visitor, StackOptions& options) {
  describe_norm(visitor, options.norm);
  describe_residual(visitor, options.residual);
  describe_jumping(visitor, options.jumping);
}

void describe(OptionVisitor& visitor, StackOptions& options) {
  describe_layers(visitor, options.layers);
  describe_hidden(visitor, options.hidden);
  visitor.choice("model.activation", options.activation,
                 {"identity", "relu", "leaky-relu", "elu", "silu"}, "between the layers");
  visitor.real("model.slope", options.slope, 0.0, 1.0, "slope of leaky-relu below zero");
  describe_dropout(visitor, options.dropout);
  describe_input_dropout(visitor, options.input_dropout);
  describe_init(visitor, options.init);
}

void describe(OptionVisitor& visitor, HeadOptions& options) {
  visitor.choice("model.readout", options.readout,
                 {"sum", "mean", "max", "mean-and-max", "weighted-sum-and-max"},
                 "what is taken of the atoms' columns; the weights are a sigmoid");
  visitor.integer("model.head", options.head, 0, 65536,
                  "width of the perceptron behind the readout; 0: the output is linear in it");
  visitor.real("model.head_dropout", options.head_dropout, 0.0, 0.99,
               "dropout on the readout and behind the perceptron's activation");
  visitor.flag("model.head_norm", options.head_norm,
               "the perceptron is a ReLU with a batch norm behind it, in place of model.activation "
               "and a dropout; first weights of the head U(±1/sqrt(in))");
  visitor.flag("model.descriptors", options.descriptors,
               "standardised descriptors of the whole molecule stand beside the readout");
}

}  // namespace emgnn
