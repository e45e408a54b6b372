#!/usr/bin/env bash
# An environment with what the Python package is built and tested with, in build/downloads/python-env, unless it is
# there: nanobind, numpy, pytest and what some tests use, from PyPI, pinned. Exit code 1 with the reason where they cannot
# be had.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build/downloads/python-env
read -r -d '' packages <<'LIST' || true
nanobind==3.1.0
numpy==2.4.6
pytest==9.2.0
pytest-xdist==3.8.0
scikit-build-core==1.1.2
LIST
[[ $(cat "$folder/packages.txt" 2>/dev/null) != "$packages" || ! -x $folder/bin/python ]] || exit 0
headers=$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))')
if [[ ! -e $headers/Python.h ]]; then
  echo "get_python_tools: no $headers/Python.h (Debian: python3-dev)" >&2
  exit 1
fi
rm -rf "$folder"
echo "get_python_tools: downloading nanobind, numpy, pytest and their like (20 MB)" >&2
if ! python3 -m venv "$folder" || ! "$folder/bin/pip" install --disable-pip-version-check --quiet --retries 1 \
  --timeout 30 -r <(echo "$packages"); then
  echo "get_python_tools: pip cannot bring them (Debian: python3-venv)" >&2
  rm -rf "$folder"
  exit 1
fi
echo "$packages" >"$folder/packages.txt"
