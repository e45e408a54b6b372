#!/usr/bin/env bash
# Builds the website in build/site/html, with mkdocs-material in an environment of its own (scripts/site_tools.txt).
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build/downloads/site-env
if ! cmp -s scripts/site_tools.txt "$folder/site_tools.txt" || [[ ! -x $folder/bin/python ]]; then
  rm -rf "$folder"
  echo "make_site: downloading mkdocs-material and its like (30 MB)" >&2
  if ! python3 -m venv "$folder" || ! "$folder/bin/pip" install --disable-pip-version-check --quiet -r scripts/site_tools.txt; then
    rm -rf "$folder"
    echo "make_site: pip cannot bring mkdocs-material (Debian: python3-venv)" >&2
    exit 1
  fi
  cp scripts/site_tools.txt "$folder/site_tools.txt"
fi
NO_MKDOCS_2_WARNING=1 exec "$folder/bin/python" scripts/make_site.py
