// SPDX-License-Identifier: Apache-2.0
// Split conformal prediction: how odd the right answers of calibration rows were says which answers
// of a new row are not too odd. If the rows are exchangeable, and the network saw the labels of none
// of them, the right answer is among those with a probability of at least the level, whatever the
// network is. Pure functions of plain float64 arrays, all row-major.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace emgnn {

// The ⌈(n + 1) level⌉-th smallest of n scores, `sorted` ascending; infinity where there are fewer.
double conformal_quantile(std::span<const double> sorted, double level);
// The fewest calibration rows whose quantile is finite.
int64_t rows_for_level(double level);

// Adaptive prediction sets (Romano et al. 2020), the oddness of each class of each row: the
// probabilities of all likelier classes, the earlier of equal ones, and a random share u of its own.
// prob [n, num_classes], u [n] in [0, 1) -> [n, num_classes].
std::vector<double> aps_scores(std::span<const double> prob, std::span<const double> u,
                               int64_t num_classes);

// Who is beside whom, as places: the neighbours of i are col[rowptr[i]] … col[rowptr[i + 1] − 1].
struct Neighbours {
  std::vector<size_t> rowptr, col;
};
// Diffused adaptive prediction sets (Zargarbashi et al. 2023): (1 − share) of a row's own scores and
// `share` of the mean of its neighbours'; a row without any keeps its own. Labels play no part.
std::vector<double> diffused_scores(std::span<const double> scores, const Neighbours& neighbours,
                                    int64_t num_classes, double share);

}  // namespace emgnn
