#!/bin/sh
# Installs the packages of a folder with what they depend on and nothing else.
set -eu
DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$1"/*.deb
et-inspect --version
