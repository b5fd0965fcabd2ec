#!/usr/bin/env bash
# Starts a stack that stays up until `make down`; its data are kept.
set -euo pipefail
cd "$(dirname "$0")/../.."
# Before stack.sh, which looks for PostgreSQL's programs.
Config/local/install.sh
stack=up
. Config/local/stack.sh

own_stack
build_release
# A stack that runs stays where it is, and goes on where another could not start.
port=${PORT:-$(noted_port)}
check_start "${port:-8080}"
# Whatever keeps it from coming up, and whoever interrupts it: nothing is left that runs.
trap 'stack_down' EXIT
trap 'exit 130' INT TERM
stack_down
servers_up
database kept
programs_up "${port:-8080}"
trap - EXIT INT TERM
say "gateway at $address (OpenAPI at $address/openapi.json)"
say "tokens in .local/up: read.token, evidence.token, operator.token"
say "dashboard: $(login_link)"
say "for capturectl: . .local/up/environment; stop with: make down"
