#!/usr/bin/env bash
# An environment with what data sets are tested with (scripts/fleet_tools.txt), in build/downloads/fleet-env, unless it is
# there. Exit code 1 with the reason where it cannot be had.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build/downloads/fleet-env
list=scripts/fleet_tools.txt
if cmp -s "$list" "$folder/packages.txt" && [[ -x $folder/bin/python ]]; then exit 0; fi
rm -rf "$folder"
echo "get_fleet_tools: downloading pyarrow, DuckDB, Polars, pandas and PySpark (600 MB)" >&2
if ! python3 -m venv "$folder" || ! "$folder/bin/pip" install --disable-pip-version-check --quiet --retries 1 \
  --timeout 60 -r "$list"; then
  echo "get_fleet_tools: pip cannot bring them (Debian: python3-venv)" >&2
  rm -rf "$folder"
  exit 1
fi
cp "$list" "$folder/packages.txt"
