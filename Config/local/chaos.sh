#!/usr/bin/env bash
# A chaos run: builds the programs, then breaks a private stack under load and audits what became of every capture.
set -euo pipefail
cd "$(dirname "$0")/../.."

Config/local/install.sh
. Config/local/build.sh
echo "building …"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for product in capture-gateway capture-worker capturectl capture-chaos; do
    build "$log" --product "$product"
done
. Config/local/environment.sh
"$(swift build --show-bin-path)/capture-chaos" "$@"
