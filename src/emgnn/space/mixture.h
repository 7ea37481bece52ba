// SPDX-License-Identifier: Apache-2.0
// Mixtures of edge types or views, λ on a simplex. By degree:
//   A_λ = c Σ_t λ_t A_t with c = space.total, S_λ = D_λ⁻¹ (A_λ + I).
// By shares of attention, whatever the degrees:
//   S_λ = λ_none I + Σ_t λ_t D_t⁻¹ A_t; a node without neighbours in a view looks at itself there.
// Where a view's edges are trusted more or less, λ also says how: see edge_trust.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <emgnn/data/dataset.h>
#include <emgnn/space/family.h>
#include <emgnn/space/mixture_hop.h>
#include <emgnn/space/mixture_range.h>
#include <emgnn/space/options.h>
#include <emgnn/space/simplex.h>
#include <emgnn/space/views.h>

namespace emgnn {

class MixtureFamily : public GraphFamily {
 public:
  // Λ̂ = the grid of `options.step` on the simplex over `views`, graphs over the nodes of the data;
  // without them, over its edge types.
  static std::shared_ptr<MixtureFamily> make(std::shared_ptr<const Dataset> data,
                                             const MixtureOptions& options,
                                             std::shared_ptr<const ViewSet> views = nullptr);
  // Λ̂ = one point, for ordinary training: every view with weight 1, or all with equal shares. With
  // learned shares a batch has one graph per view, and the identity last, for the network to mix.
  static std::shared_ptr<MixtureFamily> observed_only(
      std::shared_ptr<const Dataset> data, const GraphOptions& options,
      std::shared_ptr<const ViewSet> views = nullptr);

  std::string name() const override { return grid_ ? "mixture" : "observed"; }

  int64_t size() const override;
  LambdaPoint point(int64_t lam_id) const override;
  std::vector<std::string> coordinate_names() const override;
  size_t num_shares() const override;
  Marginal prior_marginal(size_t coordinate) const override;
  int64_t propose_local(int64_t lam_id, Rng& rng) const override;
  std::shared_ptr<const FamilyView> view(std::span<const int32_t> rows,
                                         const NetworkNeeds& needs) const override;
  // Views in doubt are not sampled: how far an edge is trusted depends on all edges of its node.
  bool samples() const override { return !views_->any_distrusted(); }
  std::shared_ptr<const FamilyView> sampled_view(std::span<const int32_t> rows,
                                                 const NetworkNeeds& needs,
                                                 const FieldSample& sample) const override;
  c10::intrusive_ptr<Propagation> range_hop(int32_t begin, int32_t end,
                                            const FamilyView::Graphs& graphs) const override;
  int64_t field_entries(std::span<const int32_t> rows, int num_hops, int64_t limit) const override {
    return typed_field_entries(*views_->graph, rows, num_hops, limit);
  }

  // How edges are trusted does not matter where such views have no share.
  int64_t same_graph(int64_t lam_id) const override;
  bool reads_beliefs() const override { return views_->any_distrusted(); }
  std::shared_ptr<const Beliefs> beliefs(std::span<const double> prob,
                                         int64_t classes) const override;
  // edges.csv, where edges are in doubt: p is the mean weight of an edge over p_T and the networks.
  FamilyReport report(const GraphWeights& p, const SeveralBeliefs& beliefs,
                      const RowName& name) const override;

  MixturePoint mixture_point(int64_t lam_id) const;
  MixturePoint observed_point() const;  // in Λ̂ or not
  bool leaves_mixing() const { return leaves_mixing_; }
  std::vector<MixturePoint> corners() const;  // each view alone, the identity last
  // With the weights that S_λ has of the views: space.total is in them.
  std::vector<MixturePoint> weighted_points(std::span<const int64_t> lam_ids) const;
  // The views when nothing is known of the nodes.
  const TrustedWeights& unbelieving() const { return *unbelieving_; }

 private:
  MixtureFamily(std::shared_ptr<const Dataset> data, std::shared_ptr<const ViewSet> views,
                const MixtureOptions& options);

  void check_names() const;
  std::shared_ptr<const FamilyView> view_of(std::span<const int32_t> rows,
                                            const NetworkNeeds& needs,
                                            const FieldSample* sample) const;
  bool is_large() const;
  const std::vector<std::vector<double>>& degree() const { return graph_->degree; }
  std::vector<double> real_edges(size_t view, const GraphWeights& p,
                                 const SeveralBeliefs& beliefs) const;

  // Points of the simplex are repeated for every way to trust edges.
  int64_t trust_points() const { return grid_ && reads_beliefs() ? TrustPoint::kCount : 1; }

  std::shared_ptr<const Dataset> data_;
  std::shared_ptr<const ViewSet> views_;
  MixtureOptions options_;
  bool leaves_mixing_ = false;         // to the network
  std::unique_ptr<SimplexGrid> grid_;  // null: the observed graph is the only point
  std::shared_ptr<const MixtureGraph> graph_;
  std::shared_ptr<const TrustedWeights> unbelieving_;
};

}  // namespace emgnn
