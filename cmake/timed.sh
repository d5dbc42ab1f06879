#!/usr/bin/env bash
# timed.sh FILE KIND:NAME COMMAND...
# Runs the command and appends a line to FILE: the seconds of CPU, as user and as system, those of
# wall, the kind and the name.
times=$1 kind=${2%%:*} name=${2#*:}
shift 2
TIMEFORMAT='%U %S %R'
exec 3>&1 4>&2
took=$({ time "$@" >&3 2>&4 3>&- 4>&-; } 2>&1)
status=$?
read -r user system wall <<<"$took"
printf '%s %s %s %s %s\n' "$user" "$system" "$wall" "$kind" "$name" >>"$times"
exit $status
