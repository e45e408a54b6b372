#!/usr/bin/env bash
# clang-tidy on the sources that changed since a commit, the work tree included.
#
#   [BASE=<commit>] tidy.sh [FILE...]      BASE: where this branch left origin's main branch, else the last commit
#
# Configures build/tidy with clang for its compile commands; generated headers are made, nothing else is built.
set -euo pipefail
cd "$(dirname "$0")/.."
for tool in clang-tidy-14 clang++-14; do
  command -v "$tool" >/dev/null || { echo "tidy: $tool is missing" >&2; exit 1; }
done
files=("$@")
if [[ ${#files[@]} -eq 0 ]]; then
  base=${BASE:-$(git merge-base HEAD origin/HEAD 2>/dev/null || git rev-parse HEAD~1)}
  mapfile -t files < <(
    { git diff --name-only --diff-filter=d "$base" -- '*.cpp'; git ls-files -o --exclude-standard '*.cpp'; } | sort -u)
fi
[[ ${#files[@]} -gt 0 ]] || { echo "tidy: nothing changed"; exit 0; }
mkdir -p build/tidy
cmake -S . -B build/tidy -G Ninja -DCMAKE_C_COMPILER=clang-14 -DCMAKE_CXX_COMPILER=clang++-14 -DET_UNITY=OFF -DET_TEST_PCH=OFF >build/tidy/configure.log ||
  { cat build/tidy/configure.log >&2; exit 1; }
# Headers that the build generates.
mapfile -t schemas < <(ninja -C build/tidy -t targets all | sed -nE 's/^([A-Za-z_]+_schemas): phony$/\1/p')
[[ ${#schemas[@]} -eq 0 ]] || cmake --build build/tidy --target "${schemas[@]}" >/dev/null
printf '%s\0' "${files[@]}" | xargs -0 -r -n 1 -P "${JOBS:-$(nproc)}" clang-tidy-14 -p build/tidy --quiet
