// SPDX-License-Identifier: Apache-2.0
// Counter-based randomness: every number is a pure function of (seed, stream, step, index), so
// results depend neither on the number of threads nor on what was drawn before.
#pragma once

#include <array>
#include <cstdint>

namespace emgnn {

// What a random number is for. Two streams never share numbers. Values are part of the file format
// of checkpoints: append, never renumber.
enum class Stream : uint32_t {
  kTest = 0,
  kInit = 1,
  kDropout = 2,
  kDraw = 3,  // λ drawn in the M-step
  kMcmc = 4,  // one sub-stream per chain
  kSplit = 5,
  kGenerator = 6,  // generated datasets
  kRewire = 7,
  kPerturb = 8,
  kHashing = 9,      // hyperplanes of the approximate candidate search
  kConformer = 10,   // which conformer of a molecule a gradient step sees
  kBatch = 11,       // the order of the molecules in a pass
  kEnsemble = 12,    // seeds of the members of an ensemble
  kFold = 13,        // which labels a network of several is not shown
  kPairs = 14,       // pairs of nodes that edges are compared with
  kDropEdge = 15,    // edges that a gradient step does without
  kBlockModel = 16,  // fits of a block model, and graphs drawn from it
  kNonEdges = 17,    // pairs without an edge that a gradient step compares edges with
  kForest = 18,      // rows and columns that a tree of a forest sees
  kNeighbours = 19,  // trees of the approximate search for similar nodes
  kFanout = 24,      // neighbours that a gradient step reads
  kRowSample = 25,   // rows that stand for all in a judgement
  kSearch = 32,      // points of a search for settings
};

using PhiloxBlock = std::array<uint32_t, 4>;

// Philox4x32-10 (Salmon et al. 2011) of one counter under one key.
PhiloxBlock philox(PhiloxBlock counter, std::array<uint32_t, 2> key);

// A sequence keyed by (seed, stream, step). Copies continue independently from the same place.
class Rng {
 public:
  Rng(uint64_t seed, Stream stream, uint64_t step = 0, uint32_t substream = 0);

  uint32_t next_u32();
  uint64_t next_u64();
  double uniform();  // [0, 1), 53 bits
  double uniform(double lo, double hi);
  uint64_t below(uint64_t n);  // {0, .., n-1}, unbiased; n >= 1
  double normal();             // standard normal (Box-Muller)

  // The seed and the 32-bit coordinates, for kernels that draw by element index.
  uint64_t seed() const { return seed_; }
  uint32_t stream_word() const { return stream_; }
  uint64_t step() const { return step_; }

 private:
  uint64_t seed_;
  uint32_t stream_;  // stream and substream in one word
  uint64_t step_;
  uint32_t block_ = 0;
  int used_ = 4;
  PhiloxBlock buffer_{};
};

// A seed of its own for each of several networks; the first has `seed` itself. The streams are
// kEnsemble and kFold: an ensemble of learners with folds has no seed twice.
uint64_t member_seed(uint64_t seed, Stream stream, uint64_t member);

}  // namespace emgnn
