#!/usr/bin/env bash
# Verification and two short drains of a release build, held to limits that only a gross regression exceeds.
#
# Those of the first drain are multiples of the bare SHA-256 and ECDSA, measured in the same run, and about three times
# what a drain takes. The second one has large bundles, with which a worker has to stay below the memory that is
# documented.
set -euo pipefail
cd "$(dirname "$0")/../.."
# Before stack.sh, which looks for PostgreSQL's programs.
Config/local/install.sh
stack=bench
. Config/local/stack.sh

build_release
. Config/local/environment.sh
"$bin/capturectl" bench verify --seconds 4
"$bin/capturectl" bench drain --devices 500 --captures 10000 --workers 1 --worker-ratio-max 8 --servers-ratio-max 10
"$bin/capturectl" bench drain --size 3MB --devices 100 --captures 600 --workers 1 --worker-memory-max 400MB
