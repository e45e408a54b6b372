#!/usr/bin/env bash
# Installs the wheel of dist/ that fits python3 into an environment of its own and tests it there:
# test_wheel.sh [PYTHON]. With ET_EXECUTORCH_SOURCE (a checkout) and ExecuTorch installed in ET_EXECUTORCH_PYTHON's
# environment, upstream's own tests of the Inspector run, too.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-python3}
env=build/wheel-env
rm -rf "$env"
"$python" -m venv "$env"
"$env/bin/pip" install --quiet --disable-pip-version-check -r scripts/python_test_tools.txt
"$env/bin/pip" install --quiet --disable-pip-version-check --no-index --no-deps --find-links dist et-inspect
for command in et-inspect et-run et-check et-inspect-gui; do
  [[ $command == et-inspect-gui && ! -x $env/bin/$command ]] || "$env/bin/$command" --version >/dev/null
done
"$env/bin/python" -m et_inspect --version >/dev/null
"$env/bin/python" -m pytest -q -p no:cacheprovider tests/python
if [[ -n ${ET_EXECUTORCH_PYTHON:-} ]]; then
  packages=$("$env/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  PYTHONPATH=$packages "$ET_EXECUTORCH_PYTHON" tests/python/upstream_inspector.py || [[ $? -eq 77 ]]
fi
