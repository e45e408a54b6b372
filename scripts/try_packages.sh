#!/usr/bin/env bash
# Installs the .deb packages in a bare Debian and uses them there as a user would: inspect, run, check, draw the window,
# build against the libraries. What works here needs nothing of the machine that built it.
#
#   try_packages.sh [--image|--installed-image] FOLDER    FOLDER holds et-inspect_*.deb, libet-runtime1_*.deb, libet-inspect-dev_*.deb
#
# --image runs the steps of packaging/Dockerfile instead (build in one bare root, install in another) and leaves the
# package in FOLDER: for machines without a container engine. --installed-image runs the second stage alone, with the
# package that packaging/docker/build.sh FOLDER left there. Needs root and mmdebstrap; ET_MIRROR names a Debian
# mirror. The bare roots are removed. Lintian, where it is installed, looks at the packages.
set -euo pipefail
source "$(dirname "$0")/bare_root.sh" try_packages "$@"
here=$(cd "$(dirname "$0")/.." && pwd)
image=0 build=0
case ${1:-} in
  --image) image=1 build=1; shift ;;
  --installed-image) image=1; shift ;;
esac
folder=${1:?usage: try_packages.sh [--image|--installed-image] FOLDER}

if [[ $build == 1 ]]; then
  say "the image's build stage"
  bare_root build bookworm
  mkdir "$work/build/src"
  (cd "$here" && git ls-files -z | tar -c --null -T - | tar -x -C "$work/build/src")
  inside build bash /src/packaging/docker/build.sh /packages
  mkdir -p "$folder"
  cp "$work"/build/packages/*.deb "$folder"
  rm -rf --one-file-system "$work/build/src"
fi
packages=("$folder"/*.deb)
[[ -e ${packages[0]} ]] || { echo "try_packages: no .deb in $folder (make deb)" >&2; exit 1; }
if command -v lintian >/dev/null; then
  say "lintian"
  # As root it warns of that, and of nothing else; an error of it ends this script.
  lintian --allow-root --fail-on error "${packages[@]}"
fi

say "a bare root"
bare_root user bookworm
mkdir "$work/user/packages"
cp "${packages[@]}" "$work/user/packages"
cp -r "$here/tests/fixtures/artifacts/partial_delegation" "$here/tests/fixtures/bundles/add_mul" "$work/user/root"

if [[ $image == 1 ]]; then
  cp "$here/packaging/docker/install.sh" "$work/user/packages"
  expect user "et-inspect" /packages/install.sh /packages
  du -sm --exclude=proc --exclude=dev --exclude=packages "$work/user" | sed 's/\t.*/ MiB: the image/'
else
  quietly user sh -c 'apt-get install -y --no-install-recommends /packages/et-inspect_*.deb'
fi
expect user "models.py:" et-inspect /root/partial_delegation/etdump.etdp --top 3
expect user "latency" et-run /root/partial_delegation/program.pte -n 20 --etdump /root/own.etdp
expect user "forward" et-inspect /root/own.etdp /root/partial_delegation/etrecord.bin --no-neighbours
expect user " passed, 0 failed" et-check /root/add_mul/bundled.bpte
if [[ $image == 1 ]]; then echo "all as expected"; exit 0; fi

expect user "sql" et-inspect --help
install_packages user libgl1-mesa-dri  # recommended
quietly user sh -c 'test -s /usr/share/man/man1/et-inspect-gui.1.gz && test -s /usr/share/bash-completion/completions/et-check'
expect user "/root/w.png" et-inspect-gui /root/partial_delegation/etdump.etdp --screenshot /root/w.png
say "the window, on a display"
install_packages user xvfb xauth shared-mime-info desktop-file-utils appstream
expect user "" sh -c 'xvfb-run -a timeout 10 et-inspect-gui /root/partial_delegation/etdump.etdp --no-settings; test $? = 124 -o $? = 0'
expect user "application/x-etdump" sh -c 'update-mime-database /usr/share/mime 2>/dev/null; grep -h etdp /usr/share/mime/globs'
expect user "" desktop-file-validate /usr/share/applications/org.et_inspect.et_inspect.desktop
expect user "" appstreamcli validate --no-net /usr/share/metainfo/org.et_inspect.et_inspect.metainfo.xml

say "what others build on"
install_packages user g++ cmake make pkg-config
quietly user sh -c 'apt-get install -y --no-install-recommends /packages/libet-*.deb'
cp -r "$here/tests/install/consumer" "$here/tests/install/runtime_consumer" "$work/user/root"
for project in consumer runtime_consumer; do
  expect user "" sh -c "cd /root/$project && cmake -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build"
done
expect user " runs" sh -c 'cd /root && consumer/build/consumer partial_delegation/etdump.etdp partial_delegation/etrecord.bin'
expect user "-let_runtime" pkg-config --libs et-inspect

say "removed without a trace"
quietly user apt-get purge -y et-inspect libet-inspect-dev libet-runtime1
quietly user sh -c 'found=$(find / -xdev -path /proc -prune -o -path /root -prune -o -path /packages -prune -o -iname "*et[-_]inspect*" -print); test -z "$found" || { echo "left: $found"; exit 1; }'
echo "all as expected"
