#!/usr/bin/env bash
# ExecuTorch's own tests against the facade: make test-upstream UPSTREAM=<checkout or git directory> [COMMIT=<commit>]
#
# About an hour on two cores the first time; an interrupted run goes on where it was, and what did not change is not compiled
# again (build/upstream). ET_UPSTREAM_PYTHON names a Python with torch, and with executorch for the programs that some tests
# load; ET_UPSTREAM_ONLY=runtime/ makes a part of the files without the table.
set -euo pipefail
cd "$(dirname "$0")/.."
source=${1:-${ET_UPSTREAM_SOURCE:-}}
commit=${2:-HEAD}
if [[ -z $source || ! -d $source ]]; then
  echo "test-upstream: skipped: UPSTREAM names no checkout of ExecuTorch"
  exit 0
fi
ET_WITH_TESTS=1 scripts/build.sh release et_upstream_runtime
if [[ -n ${ET_UPSTREAM_ONLY:-} ]]; then
  exec python3 scripts/upstream_tests.py "$source" --commit "${commit:-HEAD}" --only "$ET_UPSTREAM_ONLY"
fi
exec python3 scripts/upstream_tests.py "$source" --commit "${commit:-HEAD}" --report docs/upstream-tests.md
