// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <emgnn/data/source_files.h>
#include <emgnn/graph/csr.h>

namespace emgnn {

// Which of Pubmed's 500 words occur in each paper, in Planetoid's order of papers and words:
// [num_nodes, 500], all ones.
Csr read_pubmed_presence(const SourceFiles& files, int32_t num_nodes);

}  // namespace emgnn
