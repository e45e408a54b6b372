#!/usr/bin/env bash
# Installs a wheel of dist/ in a bare Debian with nothing but Python, and uses it there: inspects a trace, runs and
# profiles a program, checks a bundled one, draws the window. What works here needs no library of ours from the system.
#
#   try_wheel.sh [SUITE...]       bookworm (CPython 3.11) unless said otherwise; trixie has 3.13
#
# Needs root and mmdebstrap; ET_MIRROR names a Debian mirror. The bare roots are removed.
set -euo pipefail
source "$(dirname "$0")/bare_root.sh" try_wheel "$@"
cd "$(dirname "$0")/.."
[[ $# -gt 0 ]] || set -- bookworm

for suite in "$@"; do
  root=$work/$suite
  bare_root "$suite" "$suite" --include=python3,python3-venv
  version=$(inside "$suite" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  say "$suite, CPython $version"
  mkdir "$root/wheels"
  cp dist/*.whl "$root/wheels"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --python-version "$version" \
    --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 --platform manylinux2014_x86_64 -d "$root/wheels" numpy
  cp -r tests/fixtures/artifacts/partial_delegation tests/fixtures/bundles/add_mul "$root/root"
  quietly "$suite" python3 -m venv /env
  quietly "$suite" pip install --quiet --disable-pip-version-check --no-index --find-links /wheels et-inspect
  inside "$suite" sh -c 'ls -1 /env/lib/*/site-packages/et_inspect/_core*'
  expect "$suite" "models.py:" et-inspect /root/partial_delegation/etdump.etdp --top 3
  expect "$suite" "latency" et-run /root/partial_delegation/program.pte -n 20 --etdump /root/own.etdp
  expect "$suite" " passed, 0 failed" et-check /root/add_mul/bundled.bpte
  expect "$suite" "models.py" python3 -c 'import et_inspect
c = "/root/partial_delegation/"
print(et_inspect.open(c + "etdump.etdp", c + "etrecord.bin").lines)'
  expect "$suite" "20 executions" python3 -c 'import et_inspect
print(et_inspect.profile("/root/partial_delegation/program.pte", etrecord="/root/partial_delegation/etrecord.bin"))'
  expect "$suite" "et-inspect" python3 -m et_inspect --version
  quietly "$suite" sh -c 'test -s /env/share/man/man1/et-inspect.1 && test -s /env/share/bash-completion/completions/et-run'
  if inside "$suite" test -x /env/bin/et-inspect-gui; then
    install_packages "$suite" libgl1 libegl1 libgl1-mesa-dri xvfb xauth
    expect "$suite" "/root/w.png" et-inspect-gui /root/partial_delegation/etdump.etdp --screenshot /root/w.png
    expect "$suite" "" sh -c 'xvfb-run -a timeout 10 et-inspect-gui /root/partial_delegation/etdump.etdp --no-settings; test $? = 124 -o $? = 0'
  fi
done
echo "all as expected"
