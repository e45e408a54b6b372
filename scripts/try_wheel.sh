#!/usr/bin/env bash
# Installs a wheel of dist/ in a bare Debian with nothing but Python, and uses it there: inspects a trace, runs and
# profiles a program, checks a bundled one, draws the window. What works here needs no library of ours from the system.
#
#   try_wheel.sh [SUITE...]       bookworm (CPython 3.11) unless said otherwise; trixie has 3.13
#
# Needs root and mmdebstrap; ET_MIRROR names a Debian mirror. The bare roots are removed.
set -euo pipefail
cd "$(dirname "$0")/.."
mirror=${ET_MIRROR:-http://deb.debian.org/debian}
command -v mmdebstrap >/dev/null || { echo "try_wheel: expected mmdebstrap (Debian: mmdebstrap)" >&2; exit 1; }
[[ $# -gt 0 ]] || set -- bookworm
work=$(mktemp -d "${TMPDIR:-/tmp}/et-wheel.XXXXXX")
chmod 755 "$work"
unmount() { for root in "$work"/*/; do umount -q "$root/proc" "$root/dev" 2>/dev/null || true; done; rm -rf "$work"; }
trap unmount EXIT

inside() { env -i PATH=/env/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
  chroot "$root" "$@"; }
expect() {  # expect TEXT COMMAND...: the command succeeds and prints TEXT
  local text=$1 out
  shift
  if ! out=$(inside "$@" 2>&1); then echo "failed: $*"; echo "$out"; exit 1; fi
  if [[ $out != *"$text"* ]]; then echo "$*: expected '$text', got:"; echo "$out"; exit 1; fi
  echo "ok: ${*:1:3}"
}
packages() { inside sh -c "apt-get -q update && apt-get install -y --no-install-recommends $*" >"$work/apt.log" 2>&1 ||
  { tail "$work/apt.log"; exit 1; }; }

for suite in "$@"; do
  root=$work/$suite
  mmdebstrap --quiet --mode=root --variant=apt --include=python3,python3-venv "$suite" "$root" "deb $mirror $suite main"
  mount -t proc proc "$root/proc"
  mount --bind /dev "$root/dev"
  cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
  version=$(inside python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  echo "== $suite, CPython $version"
  mkdir "$root/wheels"
  cp dist/*.whl "$root/wheels"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --python-version "$version" \
    --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 --platform manylinux2014_x86_64 -d "$root/wheels" numpy
  cp -r tests/fixtures/artifacts/partial_delegation tests/fixtures/bundles/add_mul "$root/root"
  inside python3 -m venv /env
  inside pip install --quiet --disable-pip-version-check --no-index --find-links /wheels et-inspect
  inside sh -c 'ls -1 /env/lib/*/site-packages/et_inspect/_core*'
  expect "models.py:" et-inspect /root/partial_delegation/etdump.etdp --top 3
  expect "latency" et-run /root/partial_delegation/program.pte -n 20 --etdump /root/own.etdp
  expect " passed, 0 failed" et-check /root/add_mul/bundled.bpte
  expect "models.py" python3 -c 'import et_inspect
c = "/root/partial_delegation/"
print(et_inspect.open(c + "etdump.etdp", c + "etrecord.bin").lines)'
  expect "20 executions" python3 -c 'import et_inspect
print(et_inspect.profile("/root/partial_delegation/program.pte", etrecord="/root/partial_delegation/etrecord.bin"))'
  expect "et-inspect" python3 -m et_inspect --version
  inside sh -c 'test -s /env/share/man/man1/et-inspect.1 && test -s /env/share/bash-completion/completions/et-run'
  if inside test -x /env/bin/et-inspect-gui; then
    packages libgl1 libegl1 libgl1-mesa-dri xvfb xauth
    expect "/root/w.png" et-inspect-gui /root/partial_delegation/etdump.etdp --screenshot /root/w.png
    expect "" sh -c 'xvfb-run -a timeout 10 et-inspect-gui /root/partial_delegation/etdump.etdp --no-settings; test $? = 124 -o $? = 0'
  fi
  umount "$root/proc" "$root/dev"
done
echo "all as expected"
