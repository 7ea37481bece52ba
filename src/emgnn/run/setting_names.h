// SPDX-License-Identifier: Apache-2.0
// The names of all settings, known without the methods that read them: no LibTorch. They are listed
// in configs/keys.txt, which `./dev docs` writes.
#pragma once

#include <string>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/data/data.h>
#include <emgnn/run/request.h>

namespace emgnn {

// Those that the method reads on such data.
std::vector<std::string> setting_names(const std::string& method, DataKind kind);

std::vector<std::string> all_setting_names();  // each once, in the order of configs/keys.txt

// What is to be said of a key that is none of them: which are near, or who reads it.
UsageError unknown_setting(const std::string& key, const std::string& method, DataKind kind,
                           const std::string& where);

// The names in all layers. UsageError as of RunConfig: for an unknown method or dataset, when the
// two do not fit, for text that is no setting, and for a key that the method does not read.
void check_setting_names(const ConfigRequest& request);

}  // namespace emgnn
