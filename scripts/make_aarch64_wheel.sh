#!/usr/bin/env bash
# Cross-compiles wheels for aarch64 Linux into dist/: make_aarch64_wheel.sh [PYTHON...]. Needs the group `cross` of
# scripts/packages.txt. Without arguments for python3, and for the first of python3.12 to python3.15 that is there: its
# wheel (cp312-abi3) serves all later versions.
#
# The libraries that they are compiled against are unpacked by scripts/get_aarch64_root.sh, not installed; Python's headers
# are those of the host's Python, which say the same of both processors.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD/build/downloads/aarch64-root
scripts/get_aarch64_root.sh "$root"
scripts/get_imgui.sh || echo 'make_aarch64_wheel: without its sources the wheel has no et-inspect-gui' >&2
pythons=("$@")
if [[ ${#pythons[@]} -eq 0 ]]; then
  pythons=(python3)
  for minor in 12 13 14 15; do
    if python3."$minor" -c '' 2>/dev/null; then pythons+=("python3.$minor"); break; fi
  done
fi
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
mapfile -t backend < <(sed -n 's/^requires = \[\(.*\)\]/\1/p' pyproject.toml | tr -d '" ' | tr , '\n')
rm -rf build/wheels
for python in "${pythons[@]}"; do
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  tools=build/wheel-tools-$version
  [[ -x $tools/bin/python ]] || "$python" -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check -r scripts/python_tools.txt "${backend[@]}"
  # The first two tell Python's packaging for which machine it works, the rest tells CMake.
  _PYTHON_HOST_PLATFORM=linux-aarch64 SETUPTOOLS_EXT_SUFFIX=.cpython-${version/./}-aarch64-linux-gnu.so PATH=$PWD/$tools/bin:$PATH \
    python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w build/wheels . \
    -C cmake.define.CMAKE_TOOLCHAIN_FILE="$PWD/cmake/toolchains/aarch64-linux-gnu.cmake" \
    -C cmake.define.ET_AARCH64_ROOT="$root"
done
libraries=$root/usr/lib/aarch64-linux-gnu
PATH=$PWD/$tools/bin:$PATH python scripts/repair_wheel.py --libraries "$libraries:$root/lib/aarch64-linux-gnu:$libraries/graphviz" \
  build/wheels/*aarch64.whl -o dist
