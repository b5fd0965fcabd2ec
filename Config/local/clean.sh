#!/usr/bin/env bash
# Stops the local stacks, and removes their data, wherever they are, and what was built.
set -euo pipefail
cd "$(dirname "$0")/../.."
for stack in up run; do
    . Config/local/stack.sh
    own_stack
done
status=0
# What cannot be stopped or removed keeps nothing else.
for stack in up run; do
    . Config/local/stack.sh
    (stack_down) || { say "the stack \"$stack\" was not stopped in good order"; status=1; }
    rm -rf "$data_elsewhere" || status=1
done
rm -rf .build .build-release .build-fuzz .build-tsan .local || status=1
[ "$status" -ne 0 ] || say "removed"
exit "$status"
