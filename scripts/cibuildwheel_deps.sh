#!/usr/bin/env bash
# What cibuildwheel (pyproject.toml) needs beside a compiler: libraries and headers, in its containers of AlmaLinux and on
# macOS with Homebrew. Debian has scripts/install_deps.sh.
set -euo pipefail
if [[ $(uname) == Darwin ]]; then
  brew install ninja pkg-config flatbuffers sqlite libzip simdjson fmt cli11 tomlplusplus graphviz glfw libpng
  exit 0
fi
dnf install -y epel-release dnf-plugins-core
dnf config-manager --set-enabled crb
dnf install -y ninja-build pkgconf-pkg-config flatbuffers-compiler flatbuffers-devel sqlite-devel libzip-devel zlib-devel \
  simdjson-devel fmt-devel cli11-devel tomlplusplus-devel graphviz-devel glfw-devel libglvnd-devel libpng-devel
