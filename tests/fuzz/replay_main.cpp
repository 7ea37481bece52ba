// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target without libFuzzer: every file of the given directories, its truncations, and a
// fixed number of deterministic mutations of each. A crash, a hang or an exception other than
// DataError fails the test.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <emgnn/base/file.h>
#include <emgnn/base/rng.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr int kMutationsPerInput = 500;

void run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

std::string mutated(std::string input, emgnn::Rng& rng) {
  const uint64_t num_edits = 1 + rng.below(4);
  for (uint64_t i = 0; i < num_edits && !input.empty(); ++i) {
    const size_t at = rng.below(input.size());
    switch (rng.below(4)) {
      case 0:
        input[at] = static_cast<char>(input[at] ^ (1 << rng.below(8)));
        break;
      case 1:
        input[at] = static_cast<char>(rng.below(256));
        break;
      case 2:
        input.erase(at, 1 + rng.below(8));
        break;
      default:
        input.insert(at, input.substr(rng.below(input.size()), 1 + rng.below(16)));
        break;
    }
  }
  return input;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) continue;
    for (const auto& entry : std::filesystem::directory_iterator(argv[i]))
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    std::fprintf(stderr, "no inputs\n");
    return 1;
  }
  long runs = 0;
  for (size_t f = 0; f < files.size(); ++f) {
    const std::string input = emgnn::read_file(files[f]);
    emgnn::Rng rng(1, emgnn::Stream::kTest, f);
    const size_t step = std::max<size_t>(1, input.size() / 500);
    for (size_t n = 0; n <= input.size(); n += step, ++runs) run(input.substr(0, n));
    run(input);
    for (int i = 0; i < kMutationsPerInput; ++i, ++runs) run(mutated(input, rng));
  }
  std::printf("%zu inputs, %ld runs\n", files.size(), runs);
  return 0;
}
