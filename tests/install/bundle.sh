#!/usr/bin/env bash
# Packs a bundle, unpacks it, and builds the rooms without LibTorch as on a machine that has none of the small libraries.
# Usage: bundle.sh SOURCE COMPILER
set -euo pipefail
source=$1 compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }

quietly "$source/dev" bundle "$work/emgnn.tar.gz"
mkdir "$work/unpacked"
tar -xzf "$work/emgnn.tar.gz" -C "$work/unpacked" --strip-components=1
hidden=()
for package in fmt nlohmann_json CLI11 tomlplusplus GTest benchmark PkgConfig OpenSSL CURL pugixml; do
  hidden+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON")
done
quietly cmake -G Ninja -S "$work/unpacked" -B "$work/build" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=None \
  -DRDKIT_INCLUDE_DIR=RDKIT_INCLUDE_DIR-NOTFOUND -DEMGNN_RDKIT=OFF "${hidden[@]}"
quietly cmake --build "$work/build" --target base_test data_test
# What the compiler opened of the small libraries comes from the bundle.
ninja -C "$work/build" -t deps >"$work/deps"
if grep -E '^ +/usr/include/(fmt|nlohmann|CLI|toml\+\+|Random123|gtest|zip.h|curl|openssl|pugi)' "$work/deps"; then
  echo "the build used headers of the system" >&2
  exit 1
fi
unset EMGNN_DATA  # published datasets are archives, which this build does not unpack
quietly "$work/build/base_test"
quietly "$work/build/data_test"
