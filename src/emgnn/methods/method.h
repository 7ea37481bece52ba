// SPDX-License-Identifier: Apache-2.0
// A method with its options, ready to make learners.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <emgnn/base/options.h>
#include <emgnn/data/data.h>
#include <emgnn/learn/learner.h>
#include <emgnn/space/candidate_edges.h>
#include <emgnn/space/link_candidates.h>
#include <emgnn/space/metapath_family.h>
#include <emgnn/space/views.h>

namespace emgnn {

// What is known of the data when options are read; what is not known yet may be anything.
struct DataFacts {
  DataKind kind = DataKind::kGraph;
  std::optional<LabelKind> labels;
  std::optional<int64_t> num_edge_types;
};
DataFacts facts_of(const Data& data);

// What can be computed once for all learners on one graph with the same features. The first that
// needs a part fills it.
struct Prepared {
  std::optional<std::vector<CandidateEdge>> candidates;  // of the rewire family
  std::vector<std::string> notes;  // on what was prepared, one line each; whoever shows them clears
  std::map<std::string, std::shared_ptr<const ViewSet>> views;         // by what they are made of
  std::map<int64_t, std::shared_ptr<const MetapathBlocks>> metapaths;  // by their longest
  std::map<int64_t, std::shared_ptr<const LinkCandidates>> links;      // by the nearest of a node
};

struct LearnerInput {
  std::shared_ptr<const Data> data;
  std::shared_ptr<Prepared> prepared;
  uint64_t seed = 0;
  std::function<void(const std::string& what)> on_phase = {};  // before long work; may be null
};

class MethodConfig {
 public:
  virtual ~MethodConfig() = default;
  // Visits each option that is read on such data.
  virtual void describe(OptionVisitor& visitor, const DataFacts& facts) = 0;
  // UsageError when the data or the settings do not fit.
  virtual std::shared_ptr<Learner> learner(const LearnerInput& input) const = 0;
};

// By a name of the catalogue, with the options at their defaults.
std::unique_ptr<MethodConfig> make_config(const std::string& method);

}  // namespace emgnn
