#!/usr/bin/env bash
# A folder with Debian's arm64 libraries, headers and Python, unpacked and not installed: what the commands and the Python
# module are cross-compiled against (ET_AARCH64_ROOT of cmake/toolchains/aarch64-linux-gnu.cmake) and run with under QEMU.
# The system's own packages and architectures stay as they are.
#
#   get_aarch64_root.sh [FOLDER [PACKAGE...]]   build/downloads/aarch64-root, and what the wheel is built with, unless said
#                                               otherwise; some 200 packages, 113 MB
#
# ET_SUITE names the release of Debian (bookworm), ET_MIRROR a mirror.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$(realpath -m "${1:-build/downloads/aarch64-root}")
[[ ! -e $root/complete ]] || exit 0
rm -rf "$root"
mkdir -p "$root"/apt/{lists/partial,cache/archives/partial,state}
touch "$root/apt/state/status"
cat >"$root/apt/apt.conf" <<CONF
APT::Architecture "arm64";
APT::Architectures {"arm64";};
Dir::State "$root/apt/state";
Dir::State::lists "$root/apt/lists";
Dir::State::status "$root/apt/state/status";
Dir::Cache "$root/apt/cache";
Dir::Etc::sourcelist "$root/apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
CONF
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${ET_MIRROR:-http://deb.debian.org/debian} ${ET_SUITE:-bookworm} main" \
  >"$root/apt/sources.list"
export APT_CONFIG=$root/apt/apt.conf
apt-get -q update
packages=("${@:2}")
[[ ${#packages[@]} -gt 0 ]] || packages=(libc6-dev libstdc++6 libpython3.11-dev python3.11-minimal libpython3.11-stdlib
  libsqlite3-dev libzip-dev zlib1g-dev libsimdjson-dev libfmt-dev libcli11-dev libtomlplusplus-dev libgraphviz-dev
  libglfw3-dev libopengl-dev libgl-dev libegl-dev libpng-dev)
apt-get -q install -y --no-install-recommends --download-only "${packages[@]}"
for package in "$root"/apt/cache/archives/*.deb; do dpkg -x "$package" "$root"; done
# Links to places of the system they were made for become links within the folder.
find "$root" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
  ln -sfnr "$root$(readlink "$link")" "$link"
done
rm -rf "$root/apt"
# Since Debian 13 packages have nothing outside of usr.
[[ -e $root/lib ]] || ln -s usr/lib "$root/lib"
touch "$root/complete"
