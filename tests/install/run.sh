#!/usr/bin/env bash
# Strangers' projects on what is installed, and on the sources. Usage: run.sh SOURCE BUILD COMPILER
set -euo pipefail
source=$1 build=$2 compiler=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }
configure() { quietly cmake -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$compiler" "$@"; }

# find_package: the program runs, every installed header stands alone, and a project can link the library.
quietly cmake --install "$build" --prefix "$work/prefix"
"$work/prefix/bin/emgnn" --version
if find "$work/prefix/include" -name '*_parts.h' -o -name '*_parser.h' -o -name '*_module.h' -o -name '*.inl' | grep .; then
  echo "private files are installed" >&2
  exit 1
fi
configure -S "$source/tests/install" -B "$work/installed" -DCMAKE_PREFIX_PATH="$work/prefix"
quietly cmake --build "$work/installed"
"$work/installed/stranger"

# The module with RDKit is found beside the installed library, from any folder.
if grep -q '^EMGNN_RDKIT:BOOL=ON' "$build/CMakeCache.txt"; then
  (cd / && EMGNN_CACHE="$work/cache" "$work/prefix/bin/emgnn" data info toy-molecules --json >"$work/info")
  grep -q '"molecules"' "$work/info"
fi

# add_subdirectory: the sources configure inside a project that keeps its own flags, and its code compiles against them.
configure -S "$source/tests/install/subproject" -B "$work/subproject" -DEMGNN_SOURCE="$source"
quietly cmake --build "$work/subproject" --target stranger
