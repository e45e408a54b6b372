#!/usr/bin/env bash
# Configures a preset when it has to be, and builds it.
#
#   build.sh PRESET [TARGET...]      targets: all of the preset without any
#
# ET_CONFIGURE=1 looks anew for packages. ET_WITH_TESTS=1 configures the tests too (they need the packages of the group `test`); a folder that has them keeps
# them. JOBS limits the parallel compilers.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
folder=build/$preset
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}

configure() {
  mkdir -p "$folder"
  if ! cmake --preset "$preset" "$@" >"$folder/configure.log" 2>&1; then
    grep -A 12 'CMake Error' "$folder/configure.log" >&2 || tail -n 20 "$folder/configure.log" >&2
    echo "build: configuring '$preset' failed (build/$preset/configure.log)" >&2
    exit 1
  fi
}

python=$PWD/build/downloads/python-env/bin/python
if [[ ${ET_WITH_TESTS:-0} == 1 ]]; then
  # The Python package is tested once, where its tools are (scripts/get_python_tools.sh).
  if [[ $preset == release && -x $python ]]; then
    configure -DET_BUILD_TESTS=ON -DET_BUILD_PYTHON=ON -DPython_EXECUTABLE="$python"
  else
    configure -DET_BUILD_TESTS=ON
  fi
elif [[ ! -e $folder/build.ninja ]]; then
  configure -DET_BUILD_TESTS=OFF
elif [[ ${ET_CONFIGURE:-0} == 1 ]]; then
  configure
fi

# Another clone of the same sources finds what this one compiled.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
# Precompiled headers are part of what the cache compares.
export CCACHE_SLOPPINESS=pch_defines,time_macros
targets=()
for target in "$@"; do targets+=(--target "$target"); done
cmake --build "$folder" -j "$jobs" "${targets[@]}"
