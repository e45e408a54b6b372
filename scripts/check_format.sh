#!/usr/bin/env bash
# Fails when a tracked C++ source is not laid out as the root's .clang-format says. `make format` mends it.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v clang-format-14 >/dev/null || { echo "check_format: clang-format-14 is missing" >&2; exit 1; }
git ls-files -z '*.h' '*.cpp' | xargs -0 -r clang-format-14 --dry-run -Werror
