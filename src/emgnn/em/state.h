// SPDX-License-Identifier: Apache-2.0
// The parts of a learner's state that only EM has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <emgnn/em/e_step.h>
#include <emgnn/learn/record.h>
#include <emgnn/learn/state.h>

namespace emgnn {

void visit_posterior(StateVisitor& visitor, const std::string& name,
                     std::optional<GraphPosterior>& posterior, bool tempered);
void visit_rounds(StateVisitor& visitor, std::vector<RoundRecord>& rounds);

}  // namespace emgnn
