#!/usr/bin/env bash
# Uses the aarch64 wheel of dist/ under QEMU, with an arm64 Debian's C and C++ libraries and Python and nothing else:
# inspects a trace, runs and profiles a program, checks a bundled one. try_aarch64_wheel.sh
#
# The root and the packages are unpacked into build/; nothing is installed. Needs qemu-user-static and network.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD/build/downloads/aarch64-bare
site=$PWD/build/aarch64-site
work=$PWD/build/aarch64-work
qemu=$(command -v qemu-aarch64-static) || { echo "try_aarch64_wheel: expected qemu-aarch64-static (Debian: qemu-user-static)" >&2; exit 1; }
scripts/get_aarch64_root.sh "$root" libc6 libstdc++6 zlib1g libexpat1 python3.11-minimal libpython3.11-stdlib
wheel=$(ls dist/et_inspect-*_aarch64.whl)
rm -rf "$site" "$work"
mkdir -p "$work"
python3 -m pip install --quiet --disable-pip-version-check --no-deps --only-binary=:all: --target "$site" --python-version 3.11 \
  --platform manylinux_2_35_aarch64 --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 --platform manylinux2014_aarch64 "$wheel" numpy
inside() { env -i PATH=/usr/bin HOME="$work" LC_ALL=C.UTF-8 PYTHONHOME="$root/usr" PYTHONPATH="$site" "$qemu" -L "$root" "$@"; }
expect() {  # expect TEXT COMMAND...: the command succeeds and prints TEXT
  local text=$1 out
  shift
  if ! out=$(inside "$@" 2>&1); then echo "failed: $*"; echo "$out"; exit 1; fi
  if [[ $out != *"$text"* ]]; then echo "$*: expected '$text', got:"; echo "$out"; exit 1; fi
  echo "ok: $(basename "$1") ${*:2:1}"
}
python=$root/usr/bin/python3.11
cp -r tests/fixtures/artifacts/partial_delegation tests/fixtures/bundles/add_mul "$work"
cd "$work"
expect "models.py:" "$site/bin/et-inspect" partial_delegation/etdump.etdp --top 3
expect "latency" "$site/bin/et-run" partial_delegation/program.pte -n 20 --etdump own.etdp
expect " passed, 0 failed" "$site/bin/et-check" add_mul/bundled.bpte
expect "aarch64" "$python" -c 'import platform; print(platform.machine())'
expect "models.py" "$python" -c 'import et_inspect
print(et_inspect.open("partial_delegation/etdump.etdp", "partial_delegation/etrecord.bin").lines)'
expect "20 executions" "$python" -c 'import et_inspect
print(et_inspect.profile("partial_delegation/program.pte", etrecord="partial_delegation/etrecord.bin"))'
echo "all as expected"
