#!/usr/bin/env bash
# Opens the window on a trace that the repository carries, or, without a display, says what there is to do instead.
#
#   open_gui.sh PROGRAM FOLDER      FOLDER has etdump.etdp, etrecord.bin and program.pte
set -euo pipefail
[[ $# -eq 2 ]] || { echo "usage: open_gui.sh PROGRAM FOLDER" >&2; exit 2; }
gui=$1
files=("$2/etdump.etdp" --etrecord "$2/etrecord.bin" --pte "$2/program.pte")
if [[ -n ${DISPLAY:-} || -n ${WAYLAND_DISPLAY:-} ]]; then
  echo "$gui ${files[*]}"
  exec "$gui" "${files[@]}"
fi
cat <<EOF
Built $gui. There is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set), so the window is not opened.

To see it:
  on a desktop, or through \`ssh -X\`:   $gui ${files[*]}
  as pictures, without a display:      $gui ${files[*]} --screenshot pictures
EOF
