#!/usr/bin/env bash
# Builds with benchmarks and runs them: every executable of tests/bench, then its scripts bench_*.py.
#
#   run_bench.sh [ARGUMENT...]     given to each benchmark, e.g. --benchmark_filter=Ingest
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build/bench
cmake --preset release -B build/bench -DET_BUILD_BENCH=ON -DET_BUILD_TESTS=ON >build/bench/configure.log 2>&1 ||
  { cat build/bench/configure.log >&2; echo "run_bench: configuring failed" >&2; exit 1; }
cmake --build build/bench -j "${JOBS:-$(nproc)}"
found=0
while IFS= read -r -d '' benchmark; do
  found=1
  echo "== $(basename "$benchmark")"
  "$benchmark" "$@"
done < <(find build/bench/tests/bench -maxdepth 1 -type f -perm -u+x -print0 2>/dev/null | sort -z)
for script in tests/bench/bench_*.py tests/bench/gui/bench_*.py; do
  [[ -x $script ]] || continue
  found=1
  echo "== $script"
  ET_BUILD=$PWD/build/bench "$script"
done

# The runtime beside upstream's, where a Python with executorch and its C++ libraries is at hand.
python=${ET_UPSTREAM_PYTHON:-python3}
if [[ -x build/bench/tests/bench/tools/et_bench_upstream ]]; then
  found=1
  cases=build/bench/runtime_cases
  [[ -f $cases/cases.json ]] || "$python" tests/bench/runtime/make_cases.py "$cases"
  [[ -f $cases/large.pte ]] || "$python" tests/bench/runtime/make_large.py "$cases/large.pte"
  echo "== tests/bench/runtime/bench_runtime.py"
  python3 tests/bench/runtime/bench_runtime.py --build build/bench --cases "$cases" --json "$cases/figures.json"
  echo "== tests/bench/delegates/bench_layers.py (40 of the 300 layers)"
  "$python" tests/bench/runtime/make_xnnpack_cases.py "$cases/layers" --generated 40
  "$python" tests/bench/runtime/make_xnnpack_cases.py "$cases/layers_int8" --int8 --generated 40
  tests/bench/delegates/bench_layers.py --build build/bench --json "$cases/layers.json" "$cases/layers" "$cases/layers_int8"
else
  echo "== runtime beside upstream's: skipped, no executorch package with C++ libraries (ET_UPSTREAM_PYTHON)"
fi

# Networks and decoding beside ONNX Runtime, LiteRT and llama.cpp, where a Python that has them is given.
if [[ -n ${ET_PEERS_PYTHON:-} ]]; then
  found=1
  cases=build/bench/peer_cases
  if [[ ! -f $cases/made ]]; then
    "$python" tests/bench/peers/make_llama.py "$cases"
    "$ET_PEERS_PYTHON" tests/bench/peers/make_llama_peers.py "$cases"
    "$ET_PEERS_PYTHON" tests/bench/peers/make_networks.py "$cases/networks"
    touch "$cases/made"
  fi
  echo "== build/bench/tests/bench/tools/et_bench_skinny"
  build/bench/tests/bench/tools/et_bench_skinny
  for script in bench_decoding bench_networks; do
    echo "== tests/bench/peers/$script.py"
    folder=$cases
    [[ $script == bench_networks ]] && folder=$cases/networks
    "$ET_PEERS_PYTHON" "tests/bench/peers/$script.py" --build build/bench --cases "$folder" --peers "$ET_PEERS_PYTHON" \
      --upstream "$python" --json "$folder/figures.json"
  done
else
  echo "== peers (ONNX Runtime, LiteRT, llama.cpp): skipped; tests/bench/peers/README.md says how to make a Python that" \
    "has them, for ET_PEERS_PYTHON"
fi
[[ $found == 1 ]] || echo "run_bench: no benchmarks yet"
