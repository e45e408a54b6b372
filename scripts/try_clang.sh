#!/usr/bin/env bash
# Builds the commands and the window with clang and libc++, checks that they use it, and runs tests with them: those of
# the commands, and those that feed files to readers. try_clang.sh; needs the group `clang` of scripts/packages.txt.
# All tests: scripts/run_tests.sh clang.
set -euo pipefail
cd "$(dirname "$0")/.."
programs=(et-inspect et-run et-check)
tests=(golden_test cli_command_test cli_programs_test cli_check_command_test cli_check_reports_test cli_bundle_test)
ET_WITH_TESTS=1 scripts/build.sh clang "${programs[@]}" "${tests[@]}" reader_tests
if ninja -C build/clang -t query et-inspect-gui >/dev/null 2>&1; then
  scripts/build.sh clang et-inspect-gui
  programs+=(et-inspect-gui)
else
  echo 'try_clang: without its libraries or sources (make gui) there is no et-inspect-gui' >&2
fi
for program in "${programs[@]}"; do
  ldd "build/clang/bin/$program" | grep 'libc++\.' >/dev/null || { echo "$program does not use libc++" >&2; exit 1; }
  # Of the program itself: libraries that it loads may have been made with GCC's.
  if nm -DC --undefined-only "build/clang/bin/$program" | grep 'std::__cxx11::'; then
    echo "$program takes from a library what has GCC's strings in it" >&2
    exit 1
  fi
  "build/clang/bin/$program" --version
done
ET_INSPECT_CONFIG='' ctest --test-dir build/clang -j "${JOBS:-2}" --output-on-failure --no-tests=error --timeout 900 \
  -R "^($(IFS='|'; echo "${tests[*]}"))\$"
ET_INSPECT_CONFIG='' ctest --test-dir build/clang -j "${JOBS:-2}" --output-on-failure --no-tests=error --timeout 900 -L '^reader$'
