#!/usr/bin/env bash
# Runs a command on an X server of its own, which ends with it: scripts/with_display.sh COMMAND [ARGUMENT…]
# Unlike xvfb-run -a, the server itself chooses the number of the display and tells when it answers, so that several at
# once do not take each other's, and a busy machine only makes it later. DISPLAY_SIZE: 2560x1440 unless set.
set -euo pipefail
[[ $# -gt 0 ]] || { echo "usage: with_display.sh COMMAND [ARGUMENT…]" >&2; exit 2; }
command -v Xvfb >/dev/null || { echo "with_display: no Xvfb (package xvfb)" >&2; exit 1; }
patience=60 # seconds
folder=$(mktemp -d)
server='' command=''
stop() {
  [[ -z $server ]] || kill "$server" 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$folder"
}
trap stop EXIT
mkfifo "$folder/number"
# Open for both, so that neither side waits for the other before the time is counted.
exec 3<>"$folder/number"
# -noreset: between two clients it would start anew, and a client that comes just then finds no display.
Xvfb -displayfd 3 -screen 0 "${DISPLAY_SIZE:-2560x1440}x24" -nolisten tcp -noreset >"$folder/log" 2>&1 &
server=$!
if ! read -r -t "$patience" -u 3 number; then
  echo "with_display: Xvfb does not answer after $patience s" >&2
  cat "$folder/log" >&2
  exit 1
fi
exec 3>&-
# In the background, because a signal to this script is for the command.
DISPLAY=":$number" "$@" &
command=$!
trap 'kill "$command" 2>/dev/null' INT TERM HUP
code=0
wait "$command" || code=$?
# A signal ends the wait, not the command.
while kill -0 "$command" 2>/dev/null; do
  code=0
  wait "$command" || code=$?
done
exit "$code"
