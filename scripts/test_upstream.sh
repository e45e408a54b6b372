#!/usr/bin/env bash
# ExecuTorch's own tests against the facade: make test-upstream UPSTREAM=<checkout or git directory> [COMMIT=<commit>]
set -euo pipefail
cd "$(dirname "$0")/.."
source=${1:-${ET_UPSTREAM_SOURCE:-}}
commit=${2:-HEAD}
if [[ -z $source || ! -d $source ]]; then
  echo "test-upstream: skipped: UPSTREAM names no checkout of ExecuTorch"
  exit 0
fi
ET_WITH_TESTS=1 scripts/build.sh release et_upstream_runtime
exec python3 scripts/upstream_tests.py "$source" --commit "${commit:-HEAD}" --report docs/upstream-tests.md
