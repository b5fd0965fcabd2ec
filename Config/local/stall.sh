#!/usr/bin/env bash
# Ends a run of tests that says nothing any more, after showing what it was at: stall.sh FILE-WITH-ITS-PID LOG SECONDS
set -uo pipefail
pid_file=$1
log=$2
seconds=$3

# The log goes with the folder of the run.
while sleep 5 && [ -e "$log" ]; do
    [ -s "$pid_file" ] || continue
    pid=$(cat "$pid_file")
    kill -0 "$pid" 2>/dev/null || exit 0
    [ $(($(date +%s) - $(stat -c %Y "$log"))) -lt "$seconds" ] && continue
    printf '\nnothing was said for %s seconds; the processes:\n' "$seconds"
    ps --ppid 2 -N -o pid,ppid,stat,wchan:20,etimes,args | cut -c1-160
    printf '\nthe threads:\n'
    timeout 240 gdb -batch -nx -p "$pid" -ex 'thread apply all backtrace 25' 2>/dev/null |
        grep -E '^(Thread |#)' | cut -c1-200 | head -n 500
    kill -KILL "$pid"
    exit 0
done
