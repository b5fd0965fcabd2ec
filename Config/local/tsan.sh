#!/usr/bin/env bash
# Every test under ThreadSanitizer, the programs that the tests start included: tsan.sh [options of swift test]
#
# A race ends the process that had it with the code 66, so that it fails the test that started it; what is known of it is
# in .local/tsan. Takes about twenty minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")/../.."

Config/local/install.sh tests
. Config/local/build.sh
home=$PWD/.local/tsan
scratch=$PWD/.build-tsan
rm -rf "$home"
mkdir -p "$home" "$scratch"
# The toolchain's own clang: it knows Swift's calling convention.
clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
"$clang" -O1 -Wall -Wextra -Werror -fPIC -c Config/tsan/runtime.c -o "$scratch/runtime.o"
swiftc -O -parse-as-library -module-name Continuations -emit-object Config/tsan/continuations.swift \
    -o "$scratch/continuations.o"
options=(--sanitize=thread --scratch-path "$scratch" -Xlinker "$scratch/runtime.o" -Xlinker "$scratch/continuations.o"
    -Xlinker --wrap=__tsan_external_write)
echo "building …"
build "$home/build.log" --build-tests "${options[@]}"
. Config/local/environment.sh
# In quotes of their own, as a space in a path ends it otherwise.
export TSAN_OPTIONS="suppressions='$PWD/Config/tsan/suppressions.txt' log_path='$home/report'"
TSAN_OPTIONS+=" halt_on_error=1 exitcode=66 second_deadlock_stack=1 history_size=4"
export SWIFT_BACKTRACE=enable=no
. Config/local/scratch.sh
status=0
timeout --foreground 90m swift test --skip-build --disable-xctest "${options[@]}" \
    --experimental-maximum-parallelization-width 3 "$@" 2>&1 | tee "$home/test.log" || status=$?
shopt -s nullglob
reports=("$home"/report.*)
if [ ${#reports[@]} -eq 0 ]; then
    # Everything is several times slower here, so that a test which measures time may fail on a busy machine.
    printf '\nThreadSanitizer found nothing%s\n' "$([ "$status" -eq 0 ] || echo "; what failed is in $home/test.log")"
else
    printf '\nThreadSanitizer found:\n'
    grep -h '^SUMMARY' "${reports[@]}" | sort | uniq -c
    status=1
fi
exit "$status"
