#!/usr/bin/env bash
# Makes the screenshots of the README and docs/gui.md anew: docs/images/*.png, from artefacts that the repository
# carries. Needs et-inspect-gui (make gui) and no display.
set -euo pipefail
cd "$(dirname "$0")/.."
gui=${GUI:-build/release/bin/et-inspect-gui}
[[ -x $gui ]] || { echo "docs_screenshots: no $gui (make gui builds it)" >&2; exit 1; }
out=docs/images
mkdir -p "$out"

# shot ARTEFACT PANEL THEME NAME [OPTION...]; DUMP: another one than etdump.etdp
shot() {
  local from=tests/fixtures/artifacts/$1
  local program=()
  [[ -e $from/program.pte ]] && program=(--pte "$from/program.pte")
  "$gui" "$from/${DUMP:-etdump.etdp}" --etrecord "$from/etrecord.bin" "${program[@]}" "${@:5}" \
    --screenshot "$out/$4.png" --panel "$2" --theme "$3" --size 1400x860
}

shot partial_delegation window dark window
shot partial_delegation overview dark overview
shot mobilenet_v2_035_xnnpack_int8 timeline dark timeline
shot nanogpt_xnnpack_qd4 operators dark operators
shot nanogpt_xnnpack_qd4 flame light flame
shot partial_delegation graph light graph
shot partial_delegation delegation dark delegation
shot nanogpt_xnnpack_qd4 source dark source
shot lstm memory light memory
shot nanogpt_xnnpack_qd4 findings dark findings
shot mobilenet_v2_035_xnnpack_int8 roofline dark roofline
shot lstm_xnnpack size dark size
DUMP=debug.etdp shot quantised_portable numerics dark numerics \
  --debug-buffer tests/fixtures/artifacts/quantised_portable/debug.bin --against tests/fixtures/numeric_gap/quantised_portable.npz
shot partial_delegation sql dark sql

"$gui" samples/tutorial/products/before/etdump.etdp --screenshot "$out/tutorial.png" --panel delegation --theme light --size 1200x700
