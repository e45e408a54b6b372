#!/usr/bin/env bash
# Installs the .deb packages in a bare Debian and uses them there as a user would: inspect, run, check, draw the window,
# build against the libraries. What works here needs nothing of the machine that built it.
#
#   try_packages.sh [--image] FOLDER       FOLDER holds et-inspect_*.deb, libet-runtime1_*.deb, libet-inspect-dev_*.deb
#
# --image runs the steps of packaging/Dockerfile instead (build in one bare root, install in another): for machines
# without a container engine. Needs root and mmdebstrap; ET_MIRROR names a Debian mirror. The bare root is removed.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
image=0
if [[ ${1:-} == --image ]]; then image=1; shift; fi
folder=${1:?usage: try_packages.sh [--image] FOLDER}
mirror=${ET_MIRROR:-http://deb.debian.org/debian}
command -v mmdebstrap >/dev/null || { echo "try_packages: expected mmdebstrap (Debian: mmdebstrap)" >&2; exit 1; }

work=$(mktemp -d "${TMPDIR:-/tmp}/et-packages.XXXXXX")
chmod 755 "$work"
unmount() { for root in "$work"/*/; do umount -q "$root/proc" "$root/dev" 2>/dev/null || true; done; rm -rf "$work"; }
trap unmount EXIT

say() { echo "== $*"; }

bare_root() {  # bare_root NAME
  mmdebstrap --quiet --mode=root --variant=apt bookworm "$work/$1" \
    "deb $mirror bookworm main" "deb $mirror bookworm-updates main"
  mount -t proc proc "$work/$1/proc"
  mount --bind /dev "$work/$1/dev"
  # Where a network needs its own settings of apt or of names, the bare root does too.
  cp /etc/resolv.conf "$work/$1/etc/resolv.conf" 2>/dev/null || true
  inside "$1" apt-get -q update >/dev/null
}
inside() { local root=$1; shift; env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
  chroot "$work/$root" "$@"; }

expect() {  # expect TEXT COMMAND...: the command succeeds and prints TEXT
  local text=$1 out
  shift
  if ! out=$(inside user "$@" 2>&1); then echo "failed: $*"; echo "$out"; exit 1; fi
  if [[ $out != *"$text"* ]]; then echo "$*: expected '$text', got:"; echo "$out"; exit 1; fi
  echo "ok: $*"
}

if [[ $image == 1 ]]; then
  say "the image's build stage"
  bare_root build
  mkdir "$work/build/src"
  (cd "$here" && git ls-files -z | tar -c --null -T - | tar -x -C "$work/build/src")
  inside build bash /src/packaging/docker/build.sh /packages
  mkdir -p "$folder"
  cp "$work"/build/packages/*.deb "$folder"
fi

say "a bare root"
bare_root user
mkdir "$work/user/packages"
cp "$folder"/*.deb "$work/user/packages"
cp -r "$here/tests/fixtures/artifacts/partial_delegation" "$here/tests/fixtures/bundles/add_mul" "$work/user/root"

if [[ $image == 1 ]]; then
  cp "$here/packaging/docker/install.sh" "$work/user/packages"
  inside user /packages/install.sh /packages | tail -n 1
  du -sm --exclude=proc --exclude=dev "$work/user" | sed 's/\t.*/ MiB: the image/'
else
  inside user sh -c 'apt-get install -y --no-install-recommends /packages/et-inspect_*.deb >/dev/null 2>&1' ||
    { echo "et-inspect does not install"; exit 1; }
fi
expect "models.py:" et-inspect /root/partial_delegation/etdump.etdp --top 3
expect "latency" et-run /root/partial_delegation/program.pte -n 20 --etdump /root/own.etdp
expect "forward" et-inspect /root/own.etdp /root/partial_delegation/etrecord.bin --no-neighbours
expect " passed, 0 failed" et-check /root/add_mul/bundled.bpte
if [[ $image == 1 ]]; then exit 0; fi

expect "sql" et-inspect --help
inside user sh -c 'apt-get install -y --no-install-recommends libgl1-mesa-dri >/dev/null 2>&1'  # recommended
inside user sh -c 'test -s /usr/share/man/man1/et-inspect-gui.1.gz && test -s /usr/share/bash-completion/completions/et-check'
expect "/root/w.png" et-inspect-gui /root/partial_delegation/etdump.etdp --screenshot /root/w.png
say "the window, on a display"
inside user sh -c 'apt-get install -y --no-install-recommends xvfb xauth shared-mime-info desktop-file-utils >/dev/null 2>&1'
inside user sh -c 'xvfb-run -a timeout 10 et-inspect-gui /root/partial_delegation/etdump.etdp --no-settings; test $? = 124 -o $? = 0' &&
  echo "ok: et-inspect-gui under Xvfb"
expect "application/x-etdump" sh -c 'update-mime-database /usr/share/mime 2>/dev/null; grep -h etdp /usr/share/mime/globs'
expect "" desktop-file-validate /usr/share/applications/org.et_inspect.et_inspect.desktop

say "what others build on"
inside user sh -c 'apt-get install -y --no-install-recommends /packages/libet-*.deb g++ cmake make pkg-config >/dev/null 2>&1' ||
  { echo "libet-inspect-dev does not install"; exit 1; }
cp -r "$here/tests/install/consumer" "$here/tests/install/runtime_consumer" "$work/user/root"
for project in consumer runtime_consumer; do
  inside user sh -c "cd /root/$project && cmake -B build -DCMAKE_BUILD_TYPE=Release >log 2>&1 && cmake --build build >>log 2>&1 || { cat log; exit 1; }"
done
expect "partial_delegation" sh -c 'cd /root && consumer/build/consumer partial_delegation/etdump.etdp partial_delegation/etrecord.bin; echo partial_delegation'
expect "-let_runtime" pkg-config --libs et-inspect

say "removed without a trace"
inside user sh -c 'apt-get purge -y et-inspect libet-inspect-dev libet-runtime1 >/dev/null 2>&1'
inside user sh -c 'found=$(find / -xdev -path /proc -prune -o -path /root -prune -o -path /packages -prune -o -iname "*et[-_]inspect*" -print); test -z "$found" || { echo "left: $found"; exit 1; }'
echo "all as expected"
