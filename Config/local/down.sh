#!/usr/bin/env bash
# Stops the stack that `make up` started.
set -euo pipefail
cd "$(dirname "$0")/../.."
stack=up
. Config/local/stack.sh
own_stack
stack_down
say "stopped"
