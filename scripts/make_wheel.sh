#!/usr/bin/env bash
# Builds wheels into dist/: make_wheel.sh [PYTHON...]
#
# Without arguments for python3, and for the first of python3.12 to python3.15 that is there: its wheel (cp312-abi3)
# serves all later versions, older ones need one each. Tools and build folders are in build/.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/get_imgui.sh || echo 'make_wheel: without its sources the wheel has no et-inspect-gui' >&2
pythons=("$@")
if [[ ${#pythons[@]} -eq 0 ]]; then
  pythons=(python3)
  for minor in 12 13 14 15; do
    if python3."$minor" -c '' 2>/dev/null; then pythons+=("python3.$minor"); break; fi
  done
fi
tools=build/wheel-tools
[[ -x $tools/bin/python ]] || python3 -m venv "$tools"
"$tools/bin/pip" install --quiet --disable-pip-version-check -r scripts/python_tools.txt
# Paths of the build do not matter to a compiler cache.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
rm -rf build/wheels
for python in "${pythons[@]}"; do
  "$python" -m pip wheel --quiet --disable-pip-version-check --no-deps -w build/wheels .
done
PATH=$PWD/$tools/bin:$PATH "$tools/bin/python" scripts/repair_wheel.py build/wheels/*.whl -o dist
