#!/usr/bin/env bash
# The short form of bench-check.sh, for continuous integration: one drain by the debug build that the tests use as well.
#
# As there, the limits are multiples of the bare SHA-256 and ECDSA in the same run. Redis and PostgreSQL take what they
# always take; a worker of a debug build takes about thirteen times the bare cryptography.
set -euo pipefail
cd "$(dirname "$0")/../.."
Config/local/install.sh
echo "building …"
. Config/local/build.sh
. Config/local/scratch.sh
build_tests "$TMPDIR/log"
. Config/local/environment.sh
"$(swift build --show-bin-path)/capturectl" bench drain --devices 500 --captures 2000 --workers 1 \
    --worker-ratio-max 40 --servers-ratio-max 10
