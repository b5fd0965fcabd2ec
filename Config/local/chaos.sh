#!/usr/bin/env bash
# A chaos run: builds the programs, then breaks a private stack under load and audits what became of every capture.
set -euo pipefail
cd "$(dirname "$0")/../.."

Config/local/install.sh
echo "building …"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for product in capture-gateway capture-worker capturectl capture-chaos; do
    if ! swift build --product "$product" >"$log" 2>&1; then
        grep -E 'error:|warning:' "$log" | sort -u | head -n 40
        tail -n 20 "$log"
        exit 1
    fi
done
# Settings of a stack that runs beside must not reach the run.
for name in $(compgen -e | grep '^CAPTURE_' || true); do unset "$name"; done
"$(swift build --show-bin-path)/capture-chaos" "$@"
