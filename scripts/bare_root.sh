# Bare roots of Debian to install packages and wheels in, for scripts to source: `source bare_root.sh NAME_OF_SCRIPT "$@"`
# at their beginning. The script starts anew in a mount namespace of its own: what it mounts is gone when it ends,
# however it ends, and the roots, in the folder $work, are removed. Needs root and mmdebstrap; ET_MIRROR names a Debian
# mirror, ET_TIMES=1 says when each step began.
bare_script=$1
shift
for tool in mmdebstrap unshare; do
  command -v "$tool" >/dev/null || { echo "$bare_script: expected $tool (Debian: mmdebstrap, util-linux)" >&2; exit 1; }
done
[[ $(id -u) == 0 ]] || { echo "$bare_script: expected to run as root" >&2; exit 1; }
if [[ ${ET_OWN_MOUNTS:-} != 1 ]]; then ET_OWN_MOUNTS=1 exec unshare --mount --propagation private "$0" "$@"; fi

mirror=${ET_MIRROR:-http://deb.debian.org/debian}
work=$(mktemp -d "${TMPDIR:-/tmp}/et-root.XXXXXX")
chmod 755 "$work"
# --one-file-system: whatever still is mounted there, by whoever, is not ours to remove.
trap 'umount -qR "$work"/*/proc "$work"/*/dev/shm 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT
trap 'exit 130' INT TERM HUP

bare_root() {  # bare_root NAME SUITE [OPTION OF MMDEBSTRAP...]
  local name=$1 suite=$2
  shift 2
  mmdebstrap --quiet --mode=root --variant=apt "$@" "$suite" "$work/$name" \
    "deb $mirror $suite main" "deb $mirror $suite-updates main"
  mount -t proc proc "$work/$name/proc"
  mount -t tmpfs tmpfs "$work/$name/dev/shm"
  # Where a network needs its own settings of names, the bare root does too.
  cp /etc/resolv.conf "$work/$name/etc/resolv.conf" 2>/dev/null || true
  quietly "$name" apt-get -q update
}

inside() {  # inside ROOT COMMAND...
  local root=$1
  shift
  env -i PATH=/env/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$work/$root" "$@"
}

quietly() {  # quietly ROOT COMMAND...: what it prints is shown when it fails, and the script ends
  inside "$@" >"$work/log" 2>&1 </dev/null || { echo "failed: ${*:2}"; tail -n 40 "$work/log"; exit 1; }
}

install_packages() { quietly "$1" apt-get install -y --no-install-recommends "${@:2}"; }

expect() {  # expect ROOT TEXT COMMAND...: the command succeeds and prints TEXT
  local root=$1 text=$2
  shift 2
  quietly "$root" "$@"
  [[ -z $text ]] || grep -qF -- "$text" "$work/log" || { echo "$*: expected '$text', got:"; cat "$work/log"; exit 1; }
  local line="$*"
  echo "ok: ${line%%$'\n'*}"
}

say() { echo "== ${ET_TIMES:+$(date +%T) }$*"; }
