// SPDX-License-Identifier: Apache-2.0
// The draws of one chain as CmdStan writes them, so that the tools of Stan's users read them:
//   arviz.from_cmdstan(glob("draws-*.csv"))
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <emgnn/em/mcmc.h>
#include <emgnn/space/parameter_space.h>

namespace emgnn {

struct DrawsHeader {
  std::vector<std::string> about;  // comments
  int64_t warmup = 0;              // proposals that were not recorded
};

// Comments, then the columns lp__ (−η L(λ)), accept_stat__ and lambda.1, lambda.2, ... (the coordinates,
// whose names are in the comments: a point in the name of a column would be read as an index).
std::string draws_csv(const ParameterSpace& space, const ChainDraws& draws, size_t chain,
                      const DrawsHeader& header);

}  // namespace emgnn
