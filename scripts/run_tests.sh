#!/usr/bin/env bash
# All tests: release build, the same under ASan and UBSan, then each fuzz target for a short time, then the runtime on
# other processors.
#
#   run_tests.sh [STAGE...]          stages: release fleet asan asan-readers asan-rest fuzz aarch64 cortex-m tsan debug
#                                            clang
#                                    without any: release asan-readers, what `make test` runs
#
# asan-readers builds and runs only the tests that feed files to readers, asan-rest the others.
#
# The last line is `N passed, N failed`: every googletest case of each build, every other ctest entry, every fuzz
# target, every case on another processor. Exit code 0 only when nothing failed. FUZZ_SECONDS (5) is the time for each
# fuzz target; JOBS the parallelism. A processor whose compiler or emulator is missing is skipped, which the summary says.
# With ET_TEST_MINUTES (none by default), stages behind `release` end in time: one that would not fit is skipped, a build
# that takes longer than is left is stopped, and its tests are skipped.
set -uo pipefail
cd "$(dirname "$0")/.."
export JOBS=${JOBS:-$(nproc 2>/dev/null || echo 2)}
stages=("$@")
[[ ${#stages[@]} -gt 0 ]] || stages=(release asan-readers)
results=build/results
rm -rf "$results"
mkdir -p "$results"

# Reports of the sanitizers are failures that say where; leaks count, but for caches of third-party libraries.
export ET_INSPECT_CONFIG=  # whatever who runs the tests has set
export LSAN_OPTIONS=${LSAN_OPTIONS:-suppressions=$PWD/scripts/lsan.supp:print_suppressions=0}
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:strict_string_checks=1:allocator_may_return_null=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1}
# Kernels that randomise 32 bits of addresses break the sanitizers of GCC 12 and clang 14: fixed addresses then.
fixed=()
if [[ $(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 0) -gt 28 ]] && setarch -R true 2>/dev/null; then
  fixed=(setarch -R)
fi

title() { echo; echo "== $* ($(date +%T))"; }
# A stage that could not even be built is one failure of its own.
record() { printf '%s\t%s\n' "$1" "$2" >>"$results/extra.tsv"; }

# Seconds that are left for what can be left out; a day without ET_TEST_MINUTES.
time_left() { echo $((${ET_TEST_MINUTES:-1440} * 60 - SECONDS)); }

skip_stage() {  # skip_stage NAME WHY: to the log and the summary
  echo "skipped: $1: $2 (make test-all without ET_TEST_MINUTES runs it)"
  record "$1: $2" skipped
}

build_in_time() {  # build_in_time PRESET SECONDS-OF-TESTS [TARGET]: 0 built, 1 failed or has no time (recorded)
  local left
  left=$(($(time_left) - $2))
  ET_WITH_TESTS=1 timeout --kill-after=20 "$((left > 1 ? left : 1))" scripts/build.sh "$1" "${@:3}"
  case $? in
    0) return 0 ;;
    124 | 137)
      skip_stage "$1${3:+, $3}" "its build was stopped, so that $2 s for its tests are left of $ET_TEST_MINUTES minutes" ;;
    *) record "$1 build" failed ;;
  esac
  return 1
}

declare -A tests_took=()  # seconds of ctest by preset
ctest_stage() {  # ctest_stage PRESET [reader|rest]: all of a preset, the tests of what reads files, or the others
  local preset=$1 part=${2:-} key=$1${2:+-$2} only=() target=() begin tests=0
  case $part in
    reader) only=(-L '^reader$') target=(reader_tests) ;;
    rest) only=(-LE '^reader$') ;;
  esac
  # Sanitizers slow tests down by 2.5, which the release build has measured here.
  if [[ $preset != release ]]; then tests=$((${tests_took[release]:-0} * 5 / 2)); fi
  # Most of the time is the window's and the conformance cases', which read no files.
  if [[ $part == reader ]]; then tests=$((tests / 10)); fi
  title "$preset${part:+ ($part)}: build"
  if [[ $preset == release ]]; then
    # What comes first is never left out.
    ET_WITH_TESTS=1 scripts/build.sh release || { record "release build" failed; return; }
  else
    build_in_time "$preset" "$tests" "${target[@]}" || return
  fi
  title "$preset${part:+ ($part)}: tests"
  local xml=$PWD/$results/$key
  mkdir -p "$xml"
  begin=$SECONDS
  GTEST_OUTPUT="xml:$xml/" "${fixed[@]}" ctest --test-dir "build/$preset" -j "$JOBS" --output-on-failure \
    "${only[@]}" --no-tests=error --timeout 900 --output-junit "$xml.ctest.xml" >"$results/$key.log" 2>&1 </dev/null
  local code=$?
  tests_took[$preset]=$((SECONDS - begin))
  # In the log: all. Here: what failed, and ctest's summary.
  if [[ $code -ne 0 ]]; then
    grep -vE '^ *[0-9]+/[0-9]+ Test +#[0-9]+: .* Passed|^ +Start |^\[ RUN |^\[  *OK \]|^\[-{10}\]' "$results/$key.log"
  else
    tail -n 4 "$results/$key.log"
  fi
  if [[ ! -s $xml.ctest.xml ]]; then record "$key ctest" failed; fi
}

fuzz_one() {  # fuzz_one NAME CORPUS: one line, and the end of the log when it failed
  local name=$1 corpus=$2 out=build/results/fuzz/$1
  mkdir -p "$out/found"
  local binary
  binary=$(find build/fuzz -name "$name" -type f -perm -u+x | head -n 1)
  local seeds=()
  [[ -d $corpus ]] && seeds=("$corpus")
  if [[ -n $binary ]] && "${FIXED[@]}" "$binary" -max_total_time="$FUZZ_SECONDS" -timeout=20 -rss_limit_mb=1536 \
      -print_final_stats=1 -artifact_prefix="$out/" "$out/found" "${seeds[@]}" >"$out/log" 2>&1 </dev/null; then
    printf '  %-28s ok, %s inputs\n' "$name" "$(awk '/stat::number_of_executed_units/ {print $2}' "$out/log")"
    printf '%s\tpassed\n' "$name" >>build/results/extra.tsv
  else
    printf '  %-28s FAILED\n' "$name"
    tail -n 60 "$out/log" 2>/dev/null
    local input
    input=$(find "$out" -maxdepth 1 -name '*-*' -type f | head -n 1)
    [[ -n $input ]] && echo "  again: $binary $input"
    printf '%s\tfailed\n' "$name" >>build/results/extra.tsv
  fi
}
export -f fuzz_one

fuzz_stage() {
  title "fuzz: build"
  # Only the fuzz targets: the tests were built twice already.
  build_in_time fuzz $((FUZZ_SECONDS * 12)) fuzzers || return
  local list=build/fuzz/fuzzers.txt
  if ! grep -q = "$list" 2>/dev/null; then
    echo "no fuzz targets"
    return
  fi
  title "fuzz: $FUZZ_SECONDS s each"
  export FUZZ_SECONDS
  # An array does not pass through the environment; the function rebuilds it.
  FIXED_WORDS="${fixed[*]}" xargs -P "$JOBS" -L 1 bash -c \
    'read -r -a FIXED <<<"$FIXED_WORDS"; fuzz_one "${1%%=*}" "${1#*=}"' _ < <(grep = "$list")
}

cross_stage() {  # cross_stage TARGET COMMAND...: scripts/cross.sh when the commands are there
  local target=$1 log=$results/$1.log command
  title "$target"
  for command in "${@:2}"; do
    if ! command -v "$command" >/dev/null; then
      echo "skipped: no $command (make test-$target installs it)" | tee "$log"
      record "$target: no $command (make test-$target installs it)" skipped
      return
    fi
  done
  local inspect=
  [[ -x build/release/bin/et-inspect ]] && inspect=$PWD/build/release/bin/et-inspect
  ET_SKIP_DEPS=1 ET_INSPECT=$inspect scripts/cross.sh "$target" >"$log" 2>&1 </dev/null
  local code=$? counts passed
  counts=$(tail -n 1 "$log" | grep -oE '^[0-9]+ passed, [0-9]+ failed$') || counts="0 passed, no end"
  passed=${counts%% *}
  for ((i = 0; i < passed; i++)); do record "$target" passed; done
  if [[ $code -ne 0 ]]; then
    grep -E -A 4 '^FAILED|error:|Error' "$log" || tail -n 20 "$log"
    grep '^FAILED ' "$log" | while read -r _ name _; do record "$target: ${name%:}" failed; done
    grep -q '^FAILED ' "$log" || record "$target build" failed
  fi
  echo "$counts"
}

fleet_stage() {  # data sets, where pandas, DuckDB, Polars and Spark are
  title fleet
  scripts/test_fleet.sh >"$results/fleet.log" 2>&1 </dev/null
  local code=$? passed
  if [[ $code -eq 77 ]]; then
    tail -n 1 "$results/fleet.log"
    record "fleet: no environment with DuckDB, Spark and others (make test-fleet brings it)" skipped
    return
  fi
  tail -n 1 "$results/fleet.log"
  passed=$(tail -n 1 "$results/fleet.log" | grep -oE '[0-9]+ passed' | cut -d ' ' -f 1)
  for ((i = 0; i < ${passed:-0}; i++)); do record fleet passed; done
  if [[ $code -ne 0 ]]; then
    grep -E '^(FAILED|ERROR)' "$results/fleet.log" || tail -n 20 "$results/fleet.log"
    grep -E '^(FAILED|ERROR)' "$results/fleet.log" | while read -r _ name _; do record "fleet: $name" failed; done
    grep -qE '^(FAILED|ERROR)' "$results/fleet.log" || record "fleet" failed
  fi
}

# Seconds that a stage without a build of its own to stop needs from nothing on two slow cores.
declare -A needs=([fleet]=240 [aarch64]=300 [cortex-m]=240)
no_time_for() {
  [[ -n ${ET_TEST_MINUTES:-} ]] || return 1
  (($(time_left) < ${needs[$1]:-60})) || return 1
  title "$1"
  skip_stage "$1" "it takes about ${needs[$1]:-60} s, $(time_left) s are left of $ET_TEST_MINUTES minutes"
}

FUZZ_SECONDS=${FUZZ_SECONDS:-5}
for stage in "${stages[@]}"; do
  if [[ $stage != release ]] && no_time_for "$stage"; then continue; fi
  case $stage in
    release | asan | tsan | debug | clang) ctest_stage "$stage" ;;
    asan-readers) ctest_stage asan reader ;;
    asan-rest) ctest_stage asan rest ;;
    fleet) fleet_stage ;;
    fuzz) fuzz_stage ;;
    aarch64) cross_stage aarch64 aarch64-linux-gnu-g++ qemu-aarch64-static ;;
    cortex-m) cross_stage cortex-m arm-none-eabi-g++ qemu-system-arm ;;
    *)
      echo "run_tests: no stage '$stage' (release fleet asan asan-readers asan-rest tsan debug clang fuzz aarch64 cortex-m)" >&2
      exit 2
      ;;
  esac
done
echo
exec python3 scripts/count_tests.py "$results"
