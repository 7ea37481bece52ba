// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/options.h>

namespace emgnn {

void describe(OptionVisitor& visitor, ModelOptions& options) {
  visitor.integer("model.layers", options.layers, 1, 64,
                  "graph convolutions, the output layer included");
  visitor.integer("model.hidden", options.hidden, 1, 65536, "width of the hidden layers");
  visitor.choice("model.activation", options.activation,
                 {"identity", "relu", "leaky-relu", "elu", "silu"},
                 "between the layers; acm-gcn+: of each channel, in the output layer too");
  visitor.real("model.slope", options.slope, 0.0, 1.0, "slope of leaky-relu below zero");
  visitor.real("model.dropout", options.dropout, 0.0, 0.99,
               "dropout behind each hidden activation");
  visitor.real("model.input_dropout", options.input_dropout, 0.0, 0.99, "dropout on the features");
  visitor.flag("model.bias", options.bias, "gcn, em-gcn-star: add a bias in each layer");
  visitor.choice("model.self", options.self, {"shared", "separate"},
                 "gcn: a node's own features share the weights of its neighbours', or have weights "
                 "of their own beside them");
  visitor.flag("model.structure", options.structure,
               "acm-gcn+: a fourth channel that sees the adjacency alone, with weights per node");
  visitor.choice("model.init", options.init, {"xavier-uniform", "uniform-out"},
                 "first weights: U(±sqrt(6/(in+out))) with zero biases, or U(±1/sqrt(out))");
  visitor.flag("model.embedding", options.embedding,
               "em-gcn-star: a dense layer of each atom's features before the first convolution");
  visitor.choice("model.filter", options.filter, {"matrix", "scalar"},
                 "em-gcn-star: a layer is H W0 + S H W1, or (a0 + a1 S) H W");
  visitor.flag("model.affine", options.affine,
               "em-gcn-star: W0 and W1 (or a0 and a1) are affine in lambda, scaled to -1..1");
  visitor.choice("model.norm", options.norm, {"none", "batch", "layer"},
                 "em-gcn-star: normalisation before each activation");
  visitor.flag("model.residual", options.residual,
               "em-gcn-star: add a layer's input to its output where the widths agree");
  visitor.choice("model.readout", options.readout,
                 {"sum", "mean", "max", "mean-and-max", "weighted-sum-and-max"},
                 "em-gcn-star: what is taken of the atoms' columns; the weights are a sigmoid");
  visitor.integer("model.head", options.head, 1, 65536,
                  "em-gcn-star: width of the perceptron behind the readout");
  visitor.real("model.head_dropout", options.head_dropout, 0.0, 0.99,
               "em-gcn-star: dropout on the readout and behind the perceptron's activation");
}

}  // namespace emgnn
