#!/bin/bash
# interrupt.sh alone|group|stopped SIGNAL COMMAND...: signals the command once it works, and ends with its exit code.
# It waits for processor time, not for a time of day: a busy machine may need seconds to start a command.
# "alone" signals the process, "group", as a terminal does, its children too; "stopped" stops the children first.
to=$1 signal=$2
shift 2
# A shell ignores SIGINT for its background jobs; the command must not.
setsid env --default-signal=INT,TERM,QUIT "$@" &
leader=$!

# Of each process of the command's session: its id, and its user and system time in hundredths of a second, that of the
# children it has waited for included: a check's workers may each live for less than what is waited for.
session() {
  local line words
  for stat in /proc/[0-9]*/stat; do
    { read -r line <"$stat"; } 2>/dev/null || continue
    words=(${line##*) }) # behind the name, which may hold spaces: state, parent, group, session, ...
    [ "${words[3]}" = "$leader" ] && echo "${line%% *} $((words[11] + words[12] + words[13] + words[14]))"
  done
}

worked() { session | awk '{ all += $2 } END { print all + 0 }'; }

while kill -0 "$leader" 2>/dev/null && [ "$(worked)" -lt "${INTERRUPT_AFTER:-60}" ]; do sleep 0.05; done
case $to in
  group) kill -s "$signal" -- "-$leader" ;;
  stopped) session | while read -r id _; do [ "$id" = "$leader" ] || kill -s STOP "$id"; done ;;&
  *) kill -s "$signal" "$leader" ;;
esac
wait "$leader"
