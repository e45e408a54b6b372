#!/usr/bin/env bash
# What `make demo` shows, in the order in which it can be shown soonest: a table of a trace that this repository carries
# needs et-inspect alone; running a model needs a runtime, here with the kernels that the model calls and no others.
set -euo pipefail
cd "$(dirname "$0")/.."
trace=tests/fixtures/artifacts/partial_delegation
model=tests/fixtures/artifacts/memory_pools
bin=build/release/bin

step() { printf '\n== %s\n' "$*"; }
show() {  # the command as a user would type it, then what it prints
  printf '\n$ %s\n\n' "$*"
  "$@"
}
export NINJA_STATUS='[%f/%t, %es] '

step "1/2 build et-inspect"
scripts/build.sh release et-inspect
show $bin/et-inspect $trace/etdump.etdp --etrecord $trace/etrecord.bin --pte $trace/program.pte

step "2/2 build a runtime with the kernels that one model calls, run the model, inspect its own trace"
scripts/build.sh release et-run-demo
show $bin/et-run-demo $model/program.pte --random 1 -n 50 -w 5 --etdump build/demo.etdp
show $bin/et-inspect build/demo.etdp --etrecord $model/etrecord.bin --pte $model/program.pte --top 12

step "done in $SECONDS s"
echo "Next: \`make build\` for et-run and et-check with all kernels and delegates, \`make gui\` for the window, README.md."
