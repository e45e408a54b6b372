#!/usr/bin/env bash
# Builds the .deb of the commands, without the window, into /packages (or the folder that is named).
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-/packages}
scripts/install_deps.sh build
cmake --preset package -B build/image -DET_BUILD_GUI=OFF
cmake --build build/image
(cd build/image && cpack -G DEB -D CPACK_COMPONENTS_ALL=commands)
mkdir -p "$out"
cp build/image/packages/et-inspect_*.deb "$out"
