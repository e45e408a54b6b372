#!/usr/bin/env bash
# The tests of data sets (tests/fleet): builds the command, Arrow's writer and the Python module, and runs them with
# pandas, DuckDB, Polars and Spark. Without the environment of scripts/get_fleet_tools.sh it says so and ends with 77.
# The last line is pytest's; its report goes to build/results/fleet.xml.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$PWD/build/downloads/fleet-env/bin/python
if [[ ! -x $python ]]; then
  echo "skipped: no build/downloads/fleet-env (make test-fleet brings it)"
  exit 77
fi
# In the release build: objects are shared with the other tests.
if [[ ! -e build/release/build.ninja ]]; then ET_WITH_TESTS=1 scripts/build.sh release help >/dev/null; fi
pyarrow=$("$python" -c 'import pyarrow; print(list(pyarrow.__path__)[0])')
own=$PWD/build/downloads/python-env/bin/python
[[ -x $own ]] || own=$python
cmake -S . -B build/release -DET_PYARROW="$pyarrow" -DET_BUILD_PYTHON=ON -DPython_EXECUTABLE="$own" >build/release/configure.log 2>&1 ||
  { tail -n 20 build/release/configure.log >&2; exit 1; }
scripts/build.sh release et-inspect et_parquet _core
mkdir -p build/results
export ET_INSPECT_CONFIG='' ET_INSPECT_BIN=$PWD/build/release/bin PYTHONPATH=$PWD/build/release/python
exec "$python" -m pytest -q -p no:cacheprovider --junitxml=build/results/fleet.xml tests/fleet "$@"
