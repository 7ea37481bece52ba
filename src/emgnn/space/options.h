// SPDX-License-Identifier: Apache-2.0
// Which graphs G_λ a run considers. Each family reads options of its own.
#pragma once

#include <cstdint>
#include <string>

#include <emgnn/base/options.h>

namespace emgnn {

enum class Normalisation { kRow, kSymmetric };
enum class Mixing { kDegree, kShares, kLearned };
enum class Drawing { kCoupled, kAuthors };
enum class Confidence { kNone, kWeight };
enum class Affinity { kNone, kCosine };
enum class CandidateSearch { kAuto, kExact, kNearest };
enum class Aggregation { kMean, kSum, kRoot, kSymmetric };

inline constexpr const char* kGivenViews = "given";  // the edge types of the data
inline constexpr const char* kAutoViews = "auto";    // what suits them

inline constexpr const char* kViewsHelp =
    "what is mixed, any list of: given (each edge type), the name of an edge type, joined (all "
    "edge "
    "types together), knn:K (similar features), two-hop, ppr (personalised PageRank), "
    "metapath:A-B-A, random:K (a control), "
    "reliable (given, but its edges are in doubt), reliable:VIEW; or auto; of molecules bonds, "
    "two-bonds (atoms two bonds away), shell:A-B (A to B angstrom away, not bonded), or distances "
    "alone (all atoms up to a distance)";

// One graph over the nodes: the one as given, or all views together. With learned shares they are
// weights of the network.
struct GraphOptions {
  Normalisation normalisation = Normalisation::kRow;
  std::string views = kGivenViews;
  Mixing mixing = Mixing::kDegree;
};

// Mixtures of edge types or of views.
struct MixtureOptions {
  Normalisation normalisation = Normalisation::kRow;
  std::string views = kGivenViews;
  Mixing mixing = Mixing::kDegree;
  double step = 0.05;
  double total = 1.0;  // of the weights; shares always sum to 1
  Confidence confidence = Confidence::kNone;
};

// Edges that are dropped and added.
struct RewireOptions {
  Normalisation normalisation = Normalisation::kRow;
  int64_t grid = 21;  // points per axis
  double max_drop = 0.2;
  double max_add = 0.2;
  int64_t draws = 1;  // graphs per (λ₁, λ₂)
  Drawing drawing = Drawing::kCoupled;
  Confidence confidence = Confidence::kNone;
  Affinity affinity = Affinity::kNone;
  double cosine_threshold = 0.5;
  CandidateSearch candidate_search = CandidateSearch::kAuto;
  double candidate_recall = 1.0;
  int64_t max_candidates = 0;  // 0: by the size of the graph, see candidate_budget
};

// The graph as given, of which every gradient step sees a part.
struct DropEdgeOptions {
  Normalisation normalisation = Normalisation::kRow;
  double rate = 0.0;  // the probability that an edge is left out
};

// The graph as given, of molecules: their bonds.
struct BondOptions {
  Aggregation aggregation = Aggregation::kMean;
  bool self_loops = false;
  bool edge_distances = false;  // entries say how far apart their atoms are
};

// Atoms joined up to a distance.
struct DistanceOptions {
  BondOptions bonds;
  double first_radius = 1.0;  // Å
  double last_radius = 10.0;
  double radius_step = 0.05;
};

inline constexpr const char* kDistances = "distances";  // no mixture: DistanceOptions

// Mixtures of views on molecules.
struct AtomMixtureOptions {
  BondOptions bonds;
  std::string views = kDistances;
  double step = 0.1;
};

void describe(OptionVisitor& visitor, Normalisation& normalisation);
void describe(OptionVisitor& visitor, GraphOptions& options);
void describe(OptionVisitor& visitor, MixtureOptions& options);
void describe(OptionVisitor& visitor, RewireOptions& options);
void describe_aggregation(OptionVisitor& visitor, BondOptions& options);
void describe_self_loops(OptionVisitor& visitor, BondOptions& options);
void describe_edge_distances(OptionVisitor& visitor, BondOptions& options);
void describe(OptionVisitor& visitor, DistanceOptions& options);
void describe(OptionVisitor& visitor, AtomMixtureOptions& options);

}  // namespace emgnn
