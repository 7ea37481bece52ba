// SPDX-License-Identifier: Apache-2.0
// A chemistry module of another build.
#include <emgnn/data/chemistry_module.h>

const emgnn::ChemistryModule* emgnn_chemistry_module() {
  static const emgnn::ChemistryModule module{"0.0.0 elsewhere", {}};
  return &module;
}
