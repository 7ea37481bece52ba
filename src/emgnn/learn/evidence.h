// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace emgnn {

// What graphs are judged by: the labels that the network is trained on, with or without those of
// validation; the validation labels; those that it was trained without; or the training labels,
// each as a last layer says that was fitted to the others.
enum class EvidenceKind { kTrain, kTrainAndValidation, kValidation, kCrossFit, kLastLayer };

}  // namespace emgnn
