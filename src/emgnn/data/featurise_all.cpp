// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/featurise_all.h>

#include <mutex>
#include <optional>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/data/cache.h>
#include <emgnn/formats/archive.h>
#include <emgnn/formats/checksum.h>

namespace emgnn {
namespace {

// A new number for every change of the layout or of what the featuriser makes.
constexpr std::string_view kMagic = "EMGNNM03";

// Counts what is done and asks whether to go on, one thread at a time.
class Counter {
 public:
  Counter(int64_t total, const MoleculeObserver& observer)
      : observer_(observer), progress_{0, total} {}

  bool stopped() {
    const std::lock_guard lock(mutex_);
    return stopped_;
  }
  void count() {
    const std::lock_guard lock(mutex_);
    ++progress_.done;
    if (!stopped_ && observer_) stopped_ = !observer_(progress_);
  }
  void check() const {
    if (!stopped_) return;
    throw Interrupted(
        fmt::format("stopped after {} of {} molecules", progress_.done, progress_.total));
  }

 private:
  const MoleculeObserver& observer_;
  std::mutex mutex_;
  MoleculeProgress progress_;
  bool stopped_ = false;
};

std::string key_of(std::span<const MoleculeInput> inputs, const ConformerOptions& options) {
  std::string all = fmt::format("{} RDKit {} {} {}", kMagic, chemistry().rdkit_version(),
                                options.count, options.seed);
  for (const MoleculeInput& input : inputs) {
    all += fmt::format("\n{} {} {}", static_cast<int>(input.format), input.text.size(), input.text);
  }
  return sha256_hex(all);
}

}  // namespace

template <class A>
void archive(A& a, Molecules& m) {
  archive_all(a, m.num_conformers, m.atom_begin, m.bond_begin, m.atom_features, m.bond_atoms,
              m.bond_features, m.coordinates, m.source, m.force_field, m.scaffold, m.smiles,
              m.canonical, m.descriptors, m.bit_begin, m.bit, m.bit_count);
}

namespace {

std::string pack(const FeaturisedMolecules& featurised, std::string key) {
  ArchiveWriter writer;
  auto& looked_at = const_cast<FeaturisedMolecules&>(featurised);  // a writer only looks
  archive_all(writer, key, looked_at.molecules, looked_at.reject);
  return sealed(kMagic, writer.take());
}

std::optional<FeaturisedMolecules> unpack(std::string_view bytes, std::string_view key) {
  const auto payload = unsealed(kMagic, bytes);
  if (!payload) return std::nullopt;
  try {
    ArchiveReader reader(*payload);
    std::string made_from;
    FeaturisedMolecules featurised;
    archive_all(reader, made_from, featurised.molecules, featurised.reject);
    if (made_from != key || !reader.at_end()) return std::nullopt;
    return featurised;
  } catch (const DataError&) {
    return std::nullopt;
  }
}

}  // namespace

FeaturisedMolecules featurise_all(std::span<const MoleculeInput> inputs,
                                  const ConformerOptions& options,
                                  const MoleculeObserver& observer) {
  const Chemistry& chem = chemistry();
  const auto n = static_cast<int64_t>(inputs.size());
  std::vector<Molecules> parts(inputs.size());
  FeaturisedMolecules all;
  all.reject.resize(inputs.size());
  Counter counter(n, observer);
  parallel_for(n, 1, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      if (counter.stopped()) return;
      FeaturisedMolecule one = chem.featurise(inputs[i], options);
      parts[i] = std::move(one.molecule);
      all.reject[i] = std::move(one.reject);
      counter.count();
    }
  });
  counter.check();
  all.molecules = join(parts);
  return all;
}

FeaturisedMolecules featurise_through_cache(std::span<const MoleculeInput> inputs,
                                            const ConformerOptions& options,
                                            const MoleculeObserver& observer) {
  const auto directory = find_cache_dir();
  if (!directory) return featurise_all(inputs, options, observer);
  const std::string key = key_of(inputs, options);
  const std::filesystem::path path = *directory / fmt::format("molecules-{}.bin", key);
  if (const auto bytes = read_cache_file(path)) {
    if (auto cached = unpack(*bytes, key)) return std::move(*cached);
  }
  FeaturisedMolecules featurised = featurise_all(inputs, options, observer);
  write_cache_file(path, pack(featurised, key));
  return featurised;
}

}  // namespace emgnn
