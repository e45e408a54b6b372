#!/usr/bin/env bash
# Downloads the sources of Dear ImGui, ImPlot and the test engine (PyPI's source package imgui-bundle, pinned by its
# hash) into build/downloads, unless they are there. CMake takes what it needs of them.
set -euo pipefail
cd "$(dirname "$0")/.."
version=1.93.0
hash=10ad1dab8258a6787b4f07bb926b08d0efc648a7906242568c8dd778c5e719bf
folder=build/downloads
archive=$folder/imgui_bundle-$version.tar.gz
matches() { echo "$hash  $1" | sha256sum --check --status 2>/dev/null; }
if [[ -f $archive ]] && matches "$archive"; then exit 0; fi
mkdir -p "$folder/partial"
requirements=$folder/partial/requirements.txt
echo "imgui-bundle==$version --hash=sha256:$hash" >"$requirements"
echo "get_imgui: downloading imgui-bundle $version (54 MB)" >&2
python3 -m pip download --disable-pip-version-check --quiet --require-hashes --no-binary imgui-bundle --no-deps \
  -d "$folder/partial" -r "$requirements" || {
  echo "get_imgui: pip cannot download imgui-bundle $version; put its source archive to $archive yourself" >&2
  exit 1
}
matches "$folder/partial/$(basename "$archive")" || { echo "get_imgui: the download has another hash" >&2; exit 1; }
mv "$folder/partial/$(basename "$archive")" "$archive"
rm -rf "$folder/partial"
