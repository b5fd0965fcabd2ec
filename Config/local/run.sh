#!/usr/bin/env bash
# The whole way of a capture on this machine: installs, builds, starts a private stack, sends captures, prints a table.
set -euo pipefail
cd "$(dirname "$0")/../.."
# Before stack.sh, which looks for PostgreSQL's programs.
Config/local/install.sh
stack=run
. Config/local/stack.sh

own_stack
build_release
trap 'stack_down' EXIT
trap 'exit 130' INT TERM
stack_down
rm -rf "$home/redis" "$home/log"
say "starting Redis, PostgreSQL, a gateway and two workers …"
servers_up
database fresh
# The gateway lets everything through here, so that the table shows what the workers say.
export CAPTURE_GATEWAY_PRECHECK=none
# So that the table need not wait for a receipt's exchange.
export CAPTURE_RECEIPTS_POLL_INTERVAL=200ms
programs_up 0
say "gateway at $address"
say "dashboard: $(login_link)"

invitation=$("$bin/capturectl" invitations create --note "make run" --json |
    sed -n 's/.*"invitation_code" *: *"\([^"]*\)".*/\1/p')
# A real attestation and a real assertion by Apple are verified as well, where they are at hand.
vectors=${CAPTURE_VECTORS_DIR:-../shared/vectors}
apple=()
if [ -d "$vectors" ]; then apple=(--vectors "$vectors"); fi
verdict=0
CAPTURE_TOKEN=$(cat "$home/read.token") "$bin/capturectl" simulate run --showcase --trust --gateway "$address" \
    --app-id "$CAPTURE_APP_IDS" --ca "$home/ca" --invitation "$invitation" "${apple[@]}" || verdict=$?
[ -d "$vectors" ] || say "Apple's real vectors are not at hand ($vectors): nothing of Apple's was verified."

if [ -t 0 ] && [ -t 1 ] && [ "$verdict" -eq 0 ]; then
    say ""
    say "The stack stays up: $address (OpenAPI at $address/openapi.json). Ctrl-C stops it."
    say "Dashboard: $(login_link)"
    say "For capturectl in another terminal: . .local/$stack/environment"
    # From here on Ctrl-C is the way to stop, and no failure of this script. make gets it from the terminal, too, and ends
    # by it whatever the script says.
    trap 'exit 0' INT TERM
    # Waits in short steps: a trap runs only between commands.
    while is_running gateway; do sleep 0.2; done
fi
exit "$verdict"
