// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/no_graph.h>

#include <numeric>
#include <utility>

#include <emgnn/space/node_view.h>

namespace emgnn {

namespace {

// One hop from some nodes to themselves.
std::shared_ptr<const HopPattern> identity_hop(std::span<const int32_t> rows) {
  Hop hop;
  hop.input_rows.assign(rows.begin(), rows.end());
  hop.output_rows = hop.input_rows;
  const auto n = static_cast<int32_t>(rows.size());
  hop.pattern = {.num_rows = n, .num_cols = n};
  hop.pattern.rowptr.resize(rows.size() + 1);
  std::iota(hop.pattern.rowptr.begin(), hop.pattern.rowptr.end(), 0);
  hop.pattern.col.resize(rows.size());
  std::iota(hop.pattern.col.begin(), hop.pattern.col.end(), 0);
  hop.self = hop.entry = hop.pattern.col.to_vector();
  return std::make_shared<const HopPattern>(std::move(hop));
}

class NoGraphView : public NodeView {
 public:
  NoGraphView(const Features& features, std::shared_ptr<const HopPattern> pattern,
              const NetworkNeeds& needs)
      : NodeView(features, pattern->hop.input_rows, needs), pattern_(std::move(pattern)) {}

 protected:
  Hops hops(const Graphs& /*graphs*/) const override { return observed(); }
  Hops observed() const override {
    const size_t n = pattern_->hop.input_rows.size();
    return {c10::make_intrusive<PatternPropagation>(
        pattern_, 1, [n] { return std::vector<float>(n, 1.0F); },
        [n] {
          return EntryTypes{std::vector<int32_t>(n, 0), 1};
        })};
  }

 private:
  std::shared_ptr<const HopPattern> pattern_;
};

}  // namespace

std::shared_ptr<const FamilyView> NoGraphFamily::view(std::span<const int32_t> rows,
                                                      const NetworkNeeds& needs) const {
  return std::make_shared<NoGraphView>(data_->features, identity_hop(rows), needs);
}

}  // namespace emgnn
