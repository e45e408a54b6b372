#!/usr/bin/env bash
# Cross-compiles the wheel for aarch64 Linux into dist/, for the CPython of Debian 12 (3.11), and uses it under QEMU:
# make_aarch64_wheel.sh. Needs the group `cross` of scripts/packages.txt and a python3 of the same version.
#
# The libraries and the Python that it is compiled against are unpacked by scripts/get_aarch64_root.sh, not installed.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD/build/downloads/aarch64-root
scripts/get_aarch64_root.sh "$root"
scripts/get_imgui.sh || echo 'make_aarch64_wheel: without its sources the wheel has no et-inspect-gui' >&2
[[ -x $root/usr/bin/$(python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])') ]] ||
  { echo "make_aarch64_wheel: expected a python3 of the version of $root/usr/bin/python3.*" >&2; exit 1; }
tools=build/wheel-tools
[[ -x $tools/bin/python ]] || python3 -m venv "$tools"
mapfile -t backend < <(sed -n 's/^requires = \[\(.*\)\]/\1/p' pyproject.toml | tr -d '" ' | tr , '\n')
"$tools/bin/pip" install --quiet --disable-pip-version-check -r scripts/python_tools.txt "${backend[@]}"
PATH=$PWD/$tools/bin:$PATH
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
rm -rf build/wheels
# The first two tell Python's packaging for which machine it works, the rest tells CMake.
suffix=$(python3 -c 'import sys; print(".cpython-%d%d-aarch64-linux-gnu.so" % sys.version_info[:2])')
_PYTHON_HOST_PLATFORM=linux-aarch64 SETUPTOOLS_EXT_SUFFIX=$suffix \
  python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w build/wheels . \
  -C cmake.define.CMAKE_TOOLCHAIN_FILE="$PWD/cmake/toolchains/aarch64-linux-gnu.cmake" \
  -C cmake.define.ET_AARCH64_ROOT="$root"
python scripts/repair_wheel.py --libraries "$root/usr/lib/aarch64-linux-gnu:$root/lib/aarch64-linux-gnu:$root/usr/lib/aarch64-linux-gnu/graphviz" build/wheels/*aarch64.whl -o dist
