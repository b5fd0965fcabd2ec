#!/usr/bin/env bash
# Every test, against private servers that the tests start themselves and that end with them. Arguments are options of
# Swift Testing: `--filter SettleRaceTests` runs those of one file.
# CAPTURE_TEST_LIMIT: after what time all of them are given up, as timeout(1) takes it; 30m.
set -euo pipefail
cd "$(dirname "$0")/../.."

Config/local/install.sh tests
echo "building …"
. Config/local/build.sh
. Config/local/scratch.sh
log=$TMPDIR/log
build_tests "$log"
swift format lint --strict --recursive --parallel Package.swift Sources Workers Tests
. Config/local/environment.sh
# The log is read below, and not by people only.
export NO_COLOR=1
# Run by itself, as `swift test` keeps back the last lines of what tests say. More tests at once than this wait for each
# other on a small machine, and run into their time limits.
tests=$(swift build --show-bin-path)/capture-processorPackageTests.xctest
: >"$log"
Config/local/stall.sh "$TMPDIR/pid" "$log" 300 &
status=0
timeout --foreground "${CAPTURE_TEST_LIMIT:-30m}" bash -c 'echo $$ >"$0"; exec "$@"' "$TMPDIR/pid" \
    "$tests" --testing-library swift-testing --experimental-maximum-parallelization-width 6 "$@" 2>&1 |
    tee "$log" || status=$?
if [[ $status -ne 0 ]]; then
    # Whoever sees only the end of a log shall see what failed; the runner's own last line stays the last one.
    printf '\nwhat failed (exit code %s):\n' "$status"
    grep -E '^✘|recorded an issue|Fatal error' "$log" | sort -u | head -n 60 || true
    grep -E '^(✔|✘) Test run with' "$log" | tail -n 1 || true
fi
exit "$status"
