#!/usr/bin/env bash
# Stops the local stacks, and removes their data, wherever they are, and what was built.
set -euo pipefail
cd "$(dirname "$0")/../.."
for stack in up run; do
    . Config/local/stack.sh
    stack_down
    rm -rf "$data_elsewhere"
done
rm -rf .build .build-release .build-fuzz .build-tsan .local
say "removed"
