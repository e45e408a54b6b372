#!/usr/bin/env bash
# Makes the pictures anew of the samples whose READMEs show the window on their own runs: samples/<name>/window.png, from what
# the sample's commands write, in the order of its README.
#
#   samples_pictures.sh [BUILD] [SAMPLE...]      BUILD: build/release, with et-inspect, et-inspect-gui, et-check and
#                                               sample_vendor_backend
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build/release}")
shift || true
samples=("$@")
[[ ${#samples[@]} -gt 0 ]] || samples=(tutorial vendor_backend custom_operator embedded_host ci_check)
bin=$build/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

shot() {  # SAMPLE PANEL FILES... [OPTIONS...]: run where the sample's commands are run
  local sample=$1 panel=$2
  shift 2
  "$bin/et-inspect-gui" "$@" --screenshot "$OLDPWD/samples/$sample/window.png" --panel "$panel" --size 1200x740 --lang en
}

for sample in "${samples[@]}"; do
  root=$PWD
  cp -r "samples/$sample" "$work/$sample"
  cp -r "samples/$sample/products" "$work/$sample/out"
  cd "$work/$sample"
  case $sample in
    tutorial) shot "$sample" compare out/after/etdump.etdp --compare out/before/ ;;
    vendor_backend)
      "$build/tests/samples/sample_vendor_backend" out/partial/model.bpte partial.etdp
      shot "$sample" delegation partial.etdp --etrecord out/partial/etrecord.bin --pte out/partial/model.pte
      ;;
    custom_operator) shot "$sample" graph out/model.pte out/etrecord.bin ;;
    embedded_host)
      "$bin/et-inspect" - --store board.db < out/serial.log > report.txt
      shot "$sample" timeline board.db
      ;;
    ci_check)
      for run in 1 2 3; do "$bin/et-check" out/models --iterations 20 --store checks.db; done
      shot "$sample" checks checks.db
      ;;
    *) echo "samples_pictures: no picture of $sample; expected tutorial, vendor_backend, custom_operator, embedded_host or ci_check" >&2 && exit 2 ;;
  esac
  cd "$root"
done
