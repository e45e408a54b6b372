#!/usr/bin/env bash
# Builds with benchmarks and runs them: every executable of tests/bench, then its scripts bench_*.py, then what compares with
# other runtimes, where these are at hand.
#
#   run_bench.sh [--check] [ARGUMENT...]
#
# --check: exit code 1 where a goal is missed (those that have one). ARGUMENT is given to each Google Benchmark program, e.g.
# --benchmark_filter=Ingest. ET_UPSTREAM_PYTHON: a Python with executorch 1.5.1 and torch; ET_PEERS_PYTHON: one with the peers.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/bench tools=build/bench/tests/bench/tools
check=() arguments=()
for argument in "$@"; do
  if [[ $argument == --check ]]; then check=(--check); else arguments+=("$argument"); fi
done
mkdir -p $build
cmake --preset release -B $build -DET_BUILD_BENCH=ON -DET_BUILD_TESTS=ON >$build/configure.log 2>&1 ||
  { cat $build/configure.log >&2; echo "run_bench: configuring failed" >&2; exit 1; }
cmake --build $build -j "${JOBS:-$(nproc)}"

missed=()
bench() {  # bench COMMAND...
  echo "== $*"
  "$@" || missed+=("$1")
}

while IFS= read -r -d '' benchmark; do
  bench "$benchmark" "${arguments[@]}"
done < <(find $build/tests/bench -maxdepth 1 -type f -perm -u+x -print0 2>/dev/null | sort -z)
export ET_BUILD=$PWD/$build
for script in tests/bench/bench_*.py tests/bench/gui/bench_*.py; do
  if [[ -x $script ]]; then bench "$script" "${check[@]}"; fi
done
if [[ -x $tools/et_bench_peak_share ]]; then bench $tools/et_bench_peak_share "${check[@]}"; fi

# The runtime beside upstream's, where a Python with executorch and its C++ libraries is at hand.
python=${ET_UPSTREAM_PYTHON:-python3}
if [[ -x $tools/et_bench_upstream ]]; then
  cases=$build/runtime_cases
  [[ -f $cases/cases.json ]] || "$python" tests/bench/runtime/make_cases.py "$cases"
  [[ -f $cases/large.pte ]] || "$python" tests/bench/runtime/make_large.py "$cases/large.pte"
  bench tests/bench/runtime/bench_runtime.py --build $build --cases "$cases" --json "$cases/figures.json" "${check[@]}"
  echo "40 of the 300 layers:"
  "$python" tests/bench/runtime/make_xnnpack_cases.py "$cases/layers" --generated 40
  "$python" tests/bench/runtime/make_xnnpack_cases.py "$cases/layers_int8" --int8 --generated 40
  bench tests/bench/delegates/bench_layers.py --build $build --json "$cases/layers.json" "$cases/layers" "$cases/layers_int8" \
    "${check[@]}"
  [[ -d $cases/delegated ]] || "$python" tests/bench/delegates/make_delegated.py "$cases/delegated"
  bench tests/bench/delegates/bench_delegates.py --build $build --cases "$cases/delegated" "${check[@]}"
else
  echo "== runtime beside upstream's: skipped, no executorch package with C++ libraries (ET_UPSTREAM_PYTHON)"
fi

# Networks and decoding beside ONNX Runtime, LiteRT and llama.cpp, where a Python that has them is given.
if [[ -x $tools/et_bench_skinny ]]; then bench $tools/et_bench_skinny; fi
if [[ -n ${ET_PEERS_PYTHON:-} ]]; then
  cases=$build/peer_cases
  if [[ ! -f $cases/made ]]; then
    "$python" tests/bench/peers/make_llama.py "$cases"
    "$ET_PEERS_PYTHON" tests/bench/peers/make_llama_peers.py "$cases"
    bench "$ET_PEERS_PYTHON" tests/bench/peers/make_networks.py "$cases/networks"
    touch "$cases/made"
  fi
  peers=(--build $build --peers "$ET_PEERS_PYTHON" --upstream "$python")
  bench "$ET_PEERS_PYTHON" tests/bench/peers/bench_decoding.py "${peers[@]}" --cases "$cases" --json "$cases/decoding.json" \
    "${check[@]}"
  bench "$ET_PEERS_PYTHON" tests/bench/peers/bench_networks.py "${peers[@]}" --cases "$cases/networks" \
    --json "$cases/networks.json"
else
  echo "== peers (ONNX Runtime, LiteRT, llama.cpp): skipped; tests/bench/peers/README.md says how to make a Python that" \
    "has them, for ET_PEERS_PYTHON"
fi
if ((${#missed[@]})); then
  echo "run_bench: failed, or missed a goal: ${missed[*]}" >&2
  if ((${#check[@]})); then exit 1; fi
fi
