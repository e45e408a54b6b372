#!/usr/bin/env bash
# Builds for another processor and tests under QEMU.
#
#   cross.sh aarch64     conformance cases, and each variant of the XNNPACK backend's loops on a processor that it is
#                        made for, under qemu-aarch64-static
#   cross.sh bench-aarch64   only builds the runtime benchmark, for tests/bench/arm
#   cross.sh cortex-m    a bare Cortex-M55 under qemu-system-arm: the sample with its trace, read by et-inspect, and
#                        conformance cases
#
# The last line is `N passed, N failed`. CASES: folder of bundled programs (tests/fixtures/ops); CASES_EVERY: take each
# Nth of them; JOBS: parallel compilers; BUILD: the folder to build in; ET_INSPECT: the command that reads the trace,
# which is built without it. ET_SKIP_DEPS=1: do not look for packages.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:?usage: cross.sh aarch64|cortex-m|bench-aarch64}
cases=${CASES:-tests/fixtures/ops}
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
scripts/install_deps.sh build cross

passed=0 failed=0
check() {  # check WHAT COMMAND...: one test
  local what=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $what"
  fi
}

conformance() {  # conformance COMMAND...: adds what it counts
  if [[ ! -d $cases ]]; then
    echo "no conformance cases in $cases (CASES names another folder)"
    return
  fi
  local out
  out=$(python3 scripts/cross_conformance.py --cases "$cases" --every "${CASES_EVERY:-1}" -- "$@" || true)
  echo "$out"
  local counts
  counts=$(tail -n 1 <<<"$out" | grep -oE '^[0-9]+ passed, [0-9]+ failed$' || echo "0 passed, 1 failed")
  passed=$((passed + $(cut -d' ' -f1 <<<"$counts")))
  failed=$((failed + $(cut -d' ' -f3 <<<"$counts")))
}

build() {  # build FOLDER TOOLCHAIN TYPE TARGET...
  local folder=$1 toolchain=$2 type=$3
  shift 3
  mkdir -p "$folder"
  cmake -S . -B "$folder" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/toolchains/$toolchain.cmake" -DET_DEVICE_ONLY=ON \
    -DCMAKE_BUILD_TYPE="$type" >"$folder/configure.log" 2>&1 || {
    grep -A 12 'CMake Error' "$folder/configure.log" >&2
    exit 1
  }
  cmake --build "$folder" -j "$jobs" --target "$@"
}

# compute_tests PROGRAM CPU FILTER: googletest cases on a processor; none at all is a failure.
compute_tests() {
  local out ok bad
  out=$(qemu-aarch64-static -cpu "$2" "$1" --gtest_filter="$3" 2>&1 || true)
  ok=$(grep -cE '^\[       OK \] ' <<<"$out" || true)
  bad=$(grep -E '^\[  FAILED  \] .*\(' <<<"$out" || true)
  passed=$((passed + ok))
  if [[ -n $bad || $ok == 0 ]] || ! grep -q '^\[  PASSED  \]' <<<"$out"; then
    failed=$((failed + $(grep -c . <<<"${bad:-none ran}")))
    tail -n 20 <<<"$out" >&2
    echo "FAILED compute functions on $2: $3"
  fi
}

test_aarch64() {
  local folder=${BUILD:-build/aarch64}
  build "$folder" aarch64-linux-gnu Release bundle_runner runtime_xnn_compute_test
  conformance qemu-aarch64-static "$PWD/$folder/tests/device/bundle_runner"
  local tests=$folder/tests/device/xnnpack_compute/runtime_xnn_compute_test
  # The processors that have no more than the variant; what an older one lacks ends the program there.
  compute_tests "$tests" cortex-a53 '*/baseline_*'
  compute_tests "$tests" cortex-a76 '*Int8*/dotprod_*:*LowBits*/dotprod_*'
  compute_tests "$tests" max '*Int8*/i8mm_*:*LowBits*/i8mm_*'
  check "a Cortex-A53 has only the baseline" \
    [ -z "$(qemu-aarch64-static -cpu cortex-a53 "$tests" --gtest_list_tests | grep -E 'dotprod|i8mm')" ]
}

# The sample's trace, as the host reads it.
trace_is_whole() {
  local out
  out=$("${ET_INSPECT:-build/release/bin/et-inspect}" "$1" --format json) || return 1
  python3 - "$out" <<'PY'
import json, sys
text = sys.argv[1]
json.loads(text)
missing = [w for w in ("native_call_add.out", "native_call_mul.out", "systick") if w not in text]
if missing:
    sys.exit(f"the trace lacks {missing}")
PY
}

test_cortex_m() {
  local folder=${BUILD:-build/cortex-m}
  local machine=(qemu-system-arm -M mps3-an547 -nographic -monitor none -serial none
                 -semihosting-config enable=on,target=native)
  build "$folder" cortex-m55 MinSizeRel bundle_runner cortex_m_model embedded_host helium_test
  check "Helium's loops equal the plain ones" timeout 120 "${machine[@]}" -kernel "$folder/tests/device/helium_test"
  local sample=$folder/tests/device/sample run=$folder/run
  rm -rf "$run"
  mkdir -p "$run"
  model_runs() { (cd "$run" && timeout 120 "${machine[@]}" -kernel "$OLDPWD/$sample/cortex_m_model" | tee out.txt); }
  check "the sample runs" model_runs
  check "its output is right" grep -qx 'output 0: 2 2 2 2 2 2' "$run/out.txt"
  [[ -n ${ET_INSPECT:-} ]] || scripts/build.sh release et-inspect
  check "et-inspect reads its trace" trace_is_whole "$run/etdump.etdp"
  # The other sample: two pools, no heap, its trace through the serial line.
  serial_runs() {
    (cd "$run" && timeout 120 qemu-system-arm -M mps3-an547 -display none -monitor none -serial file:serial.log \
      -semihosting-config enable=on,target=native -kernel "$OLDPWD/$folder/tests/device/embedded/embedded_host")
  }
  check "embedded_host runs" serial_runs
  check "it takes nothing from the heap" grep -qx 'calls of malloc after the load: 0' "$run/serial.log"
  serial_is_read() { "${ET_INSPECT:-build/release/bin/et-inspect}" - <"$run/serial.log" | grep convolution >/dev/null; }
  check "et-inspect reads its trace from the serial line" serial_is_read
  conformance "${machine[@]}" -kernel "$PWD/$folder/tests/device/bundle_runner"
}

case $target in
  aarch64) test_aarch64 ;;
  bench-aarch64)
    build "${BUILD:-build/aarch64}" aarch64-linux-gnu Release et_bench_runtime
    exit 0
    ;;
  cortex-m) test_cortex_m ;;
  *)
    echo "cross: no target '$target' (aarch64 cortex-m bench-aarch64)" >&2
    exit 2
    ;;
esac
echo "$passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]
