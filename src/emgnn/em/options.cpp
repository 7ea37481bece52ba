// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/options.h>

namespace emgnn {

namespace {
constexpr int64_t kMany = 1'000'000'000;
}  // namespace

void describe(OptionVisitor& v, EmOptions& o) {
  v.choice(
      "em.recipe", o.recipe, {"published", "held-out", "averaged"},
      "published: the method of the paper; held-out: graphs judged by labels that the networks "
      "have not seen, stacked; averaged: the method of the paper, the mean of several networks. A "
      "choice of settings, each of which can still be changed");
  v.choice("em.variant", o.variant, {"pt", "po", "pd", "ph"},
           "priors and draws: PT/PO push away from bad graphs, PD/PH do not; PT/PD draw from p_t, "
           "PO/PH uniformly");
  v.integer("em.rounds", o.rounds, 1, kMany, "EM rounds T");
  v.integer("em.steps", o.steps, 1, kMany,
            "epochs T' per round: one gradient step each for nodes, a pass over all molecules in "
            "batches of optim.batch for molecules");
  v.integer("em.warmup", o.warmup, 0, kMany, "epochs on the graph as given before the first round");
  v.real("em.eta", o.eta, 0.0, 1e9, "inverse temperature of the posterior in round 1");
  v.real("em.eta_step", o.eta_step, -1e9, 1e9, "growth of the inverse temperature per round");
  v.choice("em.weight", o.weight, {"importance", "contrast", "sign", "one"},
           "weight of a drawn graph: (p_t-p_0)/q, (p_t-alpha*p_0)/q, +1 where p_t >= p_0 and "
           "-alpha elsewhere, or always 1");
  v.real("em.alpha", o.alpha, 0.0, 1e6,
         "strength of pushing away from bad graphs (contrast, sign)");
  v.integer("em.draws", o.draws, 1, 100000,
            "graphs drawn per gradient step; the molecules of a batch are dealt out to them");
  v.choice("em.evidence", o.evidence,
           {"train", "train+validation", "validation", "cross-fit", "last-layer"},
           "labels by which graphs are judged; cross-fit: the training labels, each by a network "
           "that has not seen it; last-layer: each by a last layer that was fitted without it");
  v.integer("em.folds", o.folds, 2, 1000,
            "cross-fit: networks, each trained without one part of the training labels");
  v.choice("em.temperature", o.temperature, {"none", "each"},
           "each: predictions under each graph are made as sure as they are right before graphs "
           "are compared or averaged");
  v.choice(
      "em.posterior", o.posterior, {"auto", "exact", "mcmc", "stack", "prior", "surrogate"},
      "p_t ~ exp(-eta*loss) enumerated (exact), sampled (mcmc), or sampled from a fit of the "
      "loss and corrected (surrogate; auto does so above 4096 graphs); stack: the weights whose "
      "averaged prediction is likeliest; prior: all graphs alike");
  v.real(
      "em.judging", o.judging, 0.0, 1e6,
      "where graphs are large: most work of the E-steps, and of the validations, for each unit of "
      "work of the gradient steps; fewer graphs are judged beyond it. 0: no limit");
  v.real("em.pseudo_labels", o.pseudo_labels, 0.0, 1e9,
         "stack: how strongly the weights are held to the prior, in labels");
  v.real("em.explore", o.explore, 0.0, 1.0,
         "share of the drawn graphs that comes from the prior instead of p_t");
  v.choice("em.average", o.average, {"logits", "probabilities"},
           "what is averaged over the graphs to predict classes or labels");
  v.choice("em.keep", o.keep, {"all", "above-prior"},
           "graphs used to predict: all, or those at least as likely as under the prior");
  v.integer("stop.graphs", o.validation_graphs, 1, kMany,
            "graphs that a validation averages over; spread evenly over p_t where it has more");
  v.choice("stop.posterior", o.predict_posterior, {"best", "last"},
           "posterior used to predict: that of the kept weights, or of the last round");
}

void describe(OptionVisitor& v, McmcOptions& o) {
  v.integer("mcmc.steps", o.steps, 1, kMany, "Metropolis proposals, all chains together");
  v.integer("mcmc.chains", o.chains, 1, 4096, "independent chains");
  v.integer("mcmc.burn_in", o.burn_in, 0, kMany,
            "first proposals of each chain that are not recorded");
  v.choice("mcmc.proposal", o.proposal, {"uniform", "local"},
           "any graph, or a neighbour on the grid");
  v.choice("mcmc.record", o.record, {"all", "accepted"},
           "all states (samples p_t), or accepted proposals only (biased; for comparison)");
}

}  // namespace emgnn
