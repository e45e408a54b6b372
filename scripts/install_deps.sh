#!/usr/bin/env bash
# Installs the packages of scripts/packages.txt that are not there yet.
#
#   install_deps.sh [--check] GROUP...     e.g. install_deps.sh build test
#
# Looks first (dpkg-query, half a second) and calls apt-get only for what is missing: as root, or through sudo. The
# group `optional` is tried and never fails. --check installs nothing and only says what is missing.
# ET_SKIP_DEPS=1 leaves everything to you. Exit codes: 0 all there, 1 something is missing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
table=$here/packages.txt
log=$here/../build/install_deps.log

say() { echo "install_deps: $*" >&2; }

check_only=0
if [[ ${1:-} == --check ]]; then check_only=1; shift; fi
if [[ $# -eq 0 ]]; then say "usage: install_deps.sh [--check] GROUP..."; exit 2; fi
if [[ ${ET_SKIP_DEPS:-0} == 1 ]]; then exit 0; fi

# command_version COMMAND: first version-like number that `COMMAND --version` prints, or nothing.
command_version() {
  command -v "$1" >/dev/null 2>&1 || return 0
  { "$1" --version 2>/dev/null || true; } | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1 || true
}

at_least() {  # at_least HAVE WANT
  [[ $2 == - ]] && return 0
  [[ $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]
}

# Commands that may come from elsewhere than their package (PyPI, a vendor's archive).
declare -A command_of=([cmake]=cmake [ninja-build]=ninja [ccache]=ccache [flatbuffers-compiler]=flatc
                       [clang-14]=clang++-14 [python3]=python3 [sqlite3]=sqlite3 [git]=git
                       [clang-format-14]=clang-format-14 [clang-tidy-14]=clang-tidy-14 [build-essential]=g++
                       [pkg-config]=pkg-config)

have_dpkg=0
command -v dpkg-query >/dev/null 2>&1 && have_dpkg=1

# satisfied PACKAGE VERSION
satisfied() {
  local version command
  if [[ $have_dpkg == 1 ]]; then
    # $installed holds "name status version" for all packages of the table, asked for once.
    version=$(awk -v p="$1" '$1 == p && $2 == "ii" {print $3; exit}' <<<"$installed")
    if [[ -n $version ]]; then
      [[ $2 == - ]] && return 0
      dpkg --compare-versions "${version#*:}" ge "$2" && return 0
    fi
  fi
  [[ $1 == build-essential && $have_dpkg == 1 ]] && return 1  # g++ alone does not bring make and headers
  command=${command_of[$1]:-}
  [[ -n $command ]] || return 1
  if [[ $1 == build-essential ]]; then command -v g++ >/dev/null && command -v make >/dev/null; return; fi
  version=$(command_version "$command")
  [[ -n $version ]] && at_least "$version" "$2"
}

# missing_of GROUP: the packages of a group that are not there, one a line.
missing_of() {
  local package version group
  while read -r package version group _; do
    [[ -z $package || $package == \#* || $group != "$1" ]] && continue
    satisfied "$package" "$version" || echo "$package"
  done <"$table"
}

installed=
ask_dpkg() {
  local all
  mapfile -t all < <(awk '!/^#/ && NF {print $1}' "$table")
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Abbrev} ${Version}\n' "${all[@]}" 2>/dev/null || true)
}
[[ $have_dpkg == 1 ]] && ask_dpkg

needed=() optional=()
for group in "$@"; do
  grep -qE "^[^#[:space:]]+[[:space:]]+[^[:space:]]+[[:space:]]+$group([[:space:]]|$)" "$table" ||
    { say "no group '$group' in scripts/packages.txt"; exit 2; }
  mapfile -t found < <(missing_of "$group")
  if [[ $group == optional ]]; then optional+=("${found[@]}"); else needed+=("${found[@]}"); fi
done
# Libraries cannot be seen without dpkg: leave those to CMake, which names what it does not find.
if [[ $have_dpkg == 0 ]]; then
  if [[ ${#needed[@]} -gt 0 ]]; then
    say "not a Debian system; the equivalents of these packages are needed: ${needed[*]} (ET_SKIP_DEPS=1 skips this check)"
    exit 1
  fi
  exit 0
fi
if [[ $check_only == 1 ]]; then
  [[ ${#needed[@]} -eq 0 ]] || { say "missing: ${needed[*]}"; exit 1; }
  exit 0
fi
[[ $((${#needed[@]} + ${#optional[@]})) -eq 0 ]] && exit 0

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null 2>&1; then
    [[ ${#needed[@]} -eq 0 ]] && exit 0
    say "missing: ${needed[*]} — and neither root nor sudo to install them; as root: apt-get install ${needed[*]}"
    exit 1
  fi
  as_root=(sudo)
  if [[ ! -t 0 ]]; then as_root=(sudo -n); fi
fi
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=2)

mkdir -p "$(dirname "$log")"
: >"$log"
updated=0
# install PACKAGE...: with the package lists as they are, and with fresh ones when that does not do.
install() {
  "${apt[@]}" install -y --no-install-recommends "$@" >>"$log" 2>&1 </dev/null && return 0
  if [[ $updated == 0 ]]; then
    updated=1
    "${apt[@]}" update >>"$log" 2>&1 </dev/null || true
    "${apt[@]}" install -y --no-install-recommends "$@" >>"$log" 2>&1 </dev/null && return 0
  fi
  return 1
}

if [[ ${#needed[@]} -gt 0 ]]; then
  say "installing ${needed[*]}"
  if ! install "${needed[@]}"; then
    reason=$(grep -E '^(E:|sudo:)' "$log" | tail -n 1 || true)
    say "could not install ${needed[*]}: ${reason:-apt-get failed} (all of it: build/install_deps.log)"
    exit 1
  fi
  ask_dpkg
  old=()
  for group in "$@"; do
    [[ $group == optional ]] || mapfile -t -O ${#old[@]} old < <(missing_of "$group")
  done
  if [[ ${#old[@]} -gt 0 ]]; then
    say "older than scripts/packages.txt asks for: ${old[*]} (Debian 12 or newer is needed)"
    exit 1
  fi
fi
# One try is enough: without a network each would take its time again.
if [[ ${#optional[@]} -gt 0 && ! -e $log.optional ]]; then
  install "${optional[@]}" || { say "going on without the optional ${optional[*]}"; touch "$log.optional"; }
fi
