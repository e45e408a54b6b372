#!/usr/bin/env bash
# Uses the aarch64 wheels of dist/ under QEMU, with an arm64 Debian's C and C++ libraries and Python and nothing else:
# inspects a trace, runs and profiles a program, checks a bundled one. try_aarch64_wheel.sh
#
# The wheel for CPython 3.11 is used with Debian 12's, that of the stable ABI with the 3.13 of Debian 13. The roots and the
# packages are unpacked into build/; nothing is installed. Needs qemu-user-static and network.
set -euo pipefail
cd "$(dirname "$0")/.."
qemu=$(command -v qemu-aarch64-static) || { echo "try_aarch64_wheel: expected qemu-aarch64-static (Debian: qemu-user-static)" >&2; exit 1; }
here=$PWD
inside() { env -i PATH=/usr/bin HOME="$work" LC_ALL=C.UTF-8 PYTHONHOME="$root/usr" PYTHONPATH="$site" "$qemu" -L "$root" "$@"; }
expect() {  # expect TEXT COMMAND...: the command succeeds and prints TEXT
  local text=$1 out
  shift
  if ! out=$(inside "$@" 2>&1); then echo "failed: $*"; echo "$out"; exit 1; fi
  if [[ $out != *"$text"* ]]; then echo "$*: expected '$text', got:"; echo "$out"; exit 1; fi
  echo "ok: $(basename "$1") ${*:2:1}"
}

try() {  # try VERSION ROOT WHEEL
  local version=$1 wheel=$3
  root=$2
  site=$here/build/aarch64-site-$version
  work=$here/build/aarch64-work-$version
  echo "== $(basename "$wheel"), CPython $version"
  rm -rf "$site" "$work"
  mkdir -p "$work"
  python3 -m pip install --quiet --disable-pip-version-check --no-deps --only-binary=:all: --target "$site" \
    --python-version "$version" --platform manylinux_2_35_aarch64 --platform manylinux_2_28_aarch64 \
    --platform manylinux_2_27_aarch64 --platform manylinux2014_aarch64 "$wheel" numpy
  local python=$root/usr/bin/python$version
  cp -r tests/fixtures/artifacts/partial_delegation tests/fixtures/bundles/add_mul "$work"
  cd "$work"
  # Under QEMU a program can start only the host's: the suite is called by links, and what stands in for a command is
  # shown to start its neighbour by a script of that name.
  mkdir named entry
  for name in et-inspect et-run; do
    ln -s "$site/bin/et-check" "named/$name"
    cp "$site/bin/$name" entry/
  done
  printf '#!/bin/sh\necho "the suite: $*"\n' > entry/et-check
  chmod +x entry/et-check
  expect "the suite: one two" entry/et-inspect one two
  expect "the suite: one two" entry/et-run one two
  expect "models.py:" named/et-inspect partial_delegation/etdump.etdp --top 3
  expect "latency" named/et-run partial_delegation/program.pte -n 20 --etdump own.etdp
  expect " passed, 0 failed" "$site/bin/et-check" add_mul/bundled.bpte
  expect "aarch64" "$python" -c 'import platform; print(platform.machine())'
  expect "models.py" "$python" -c 'import et_inspect
print(et_inspect.open("partial_delegation/etdump.etdp", "partial_delegation/etrecord.bin").lines)'
  expect "20 executions" "$python" -c 'import et_inspect
print(et_inspect.profile("partial_delegation/program.pte", etrecord="partial_delegation/etrecord.bin"))'
  cd "$here"
}

tried=0
for wheel in dist/et_inspect-*_aarch64.whl; do
  case $wheel in
    *-cp311-cp311-*)
      scripts/get_aarch64_root.sh "$here/build/downloads/aarch64-bare" \
        libc6 libstdc++6 zlib1g libexpat1 python3.11-minimal libpython3.11-stdlib
      try 3.11 "$here/build/downloads/aarch64-bare" "$wheel"
      tried=1
      ;;
    *-abi3-*)
      ET_SUITE=trixie scripts/get_aarch64_root.sh "$here/build/downloads/aarch64-trixie" \
        libc6 libstdc++6 zlib1g libexpat1 python3.13-minimal libpython3.13-stdlib
      try 3.13 "$here/build/downloads/aarch64-trixie" "$wheel"
      tried=1
      ;;
  esac
done
[[ $tried == 1 ]] || { echo "try_aarch64_wheel: no wheel for aarch64 in dist/ (make wheel-aarch64)" >&2; exit 1; }
echo "all as expected"
