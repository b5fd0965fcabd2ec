#!/usr/bin/env bash
# Fuzzes the targets of Tests/FuzzTargets one after the other: fuzz.sh SECONDS [TARGET] [JOBS]
#
# Starts from Tests/Corpora and what earlier runs found. Inputs that break something stay in .local/fuzz/crashes, and the
# exit is 1. KEEP=1 reduces what was found to what covers something new, and puts it into Tests/Corpora.
set -euo pipefail
cd "$(dirname "$0")/../.."

seconds=${1:-60}
only=${2:-}
jobs=${3:-1}
home=.local/fuzz
fuzz=.build-fuzz/release/capture-fuzz
# Swift's own backtraces would hold a crashed program for a minute; libFuzzer prints one itself.
export SWIFT_BACKTRACE=enable=no CAPTURE_FUZZING=1
# In quotes of its own, as a space in the path ends it otherwise.
export LSAN_OPTIONS="suppressions='$PWD/Tests/Fuzzing/leaks.txt':print_suppressions=0"
# What is kept of a target at most, so that the repository stays small and the replay quick.
files_max=60
bytes_max=100000

Config/local/install.sh
. Config/local/build.sh
mkdir -p "$home"
echo "building …"
build "$home/build.log" --configuration release --scratch-path .build-fuzz --product capture-fuzz

# The longest input worth trying: what a target reads in one piece.
bytes_of() {
    case $1 in
        attestation | registration) echo 8192 ;;
        jpeg | receipt) echo 4096 ;;
        *) echo 2048 ;;
    esac
}

fuzz_target() { # target
    local target=$1 dictionary=Tests/Fuzzing/dictionaries/$1.dict
    mkdir -p "$home/corpus/$target" "$home/crashes/$target"
    rm -f "$home/$target.code"
    local options=(-max_total_time="$seconds" -max_len="$(bytes_of "$target")" -timeout=10 -rss_limit_mb=1024
        -print_final_stats=1 -artifact_prefix="$home/crashes/$target/")
    [ ! -f "$dictionary" ] || options+=(-dict="$dictionary")
    CAPTURE_FUZZ_TARGET=$target "$fuzz" "${options[@]}" "$home/corpus/$target" "Tests/Corpora/$target" \
        >"$home/$target.log" 2>&1 && echo 0 >"$home/$target.code" || echo $? >"$home/$target.code"
    report "$target"
}

stat_of() { sed -n "s/^stat::$2: *//p" "$home/$1.log" | tail -n 1; }

report() { # target
    local coverage code
    # There is none where the target crashed before the first.
    coverage=$(grep -aoE 'cov: [0-9]+' "$home/$1.log" | tail -n 1 | cut -d ' ' -f 2) || true
    code=$(cat "$home/$1.code")
    printf '%-13s %12s %9s %9s %6s   %s\n' "$1" "$(stat_of "$1" number_of_executed_units)" \
        "$(stat_of "$1" average_exec_per_sec)" "${coverage:-0}" "$(stat_of "$1" new_units_added)" \
        "$([ "$code" -eq 0 ] && echo none || echo "yes, see $home/$1.log and $home/crashes/$1")"
}

# Of the fewest files that cover what all cover, the first ones as far as the bounds let them: libFuzzer writes first what
# covers most that the ones before do not.
keep() { # target
    local target=$1 folder=Tests/Corpora/$1 merged files bytes size file
    merged=$(mktemp -d)
    CAPTURE_FUZZ_TARGET=$target "$fuzz" -set_cover_merge=1 -max_len="$(bytes_of "$target")" "$merged" "$folder" \
        "$home/corpus/$target" >"$home/$target.merge.log" 2>&1 ||
        echo "$target could not be reduced; see $home/$target.merge.log"
    files=$(find "$folder" -type f | wc -l)
    bytes=$(find "$folder" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum + 0 }')
    while read -r _ size file; do
        [ ! -e "$folder/$(basename "$file")" ] || continue
        [ "$files" -lt "$files_max" ] || break
        [ $((bytes + size)) -le "$bytes_max" ] || continue
        cp "$file" "$folder/"
        files=$((files + 1)) bytes=$((bytes + size))
    done < <(find "$merged" -type f -printf '%T@ %s %p\n' | sort -n)
    rm -rf "$merged"
}

targets=$(find Tests/Corpora -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort)
if [ -n "$only" ]; then
    grep -qx -- "$only" <<<"$targets" || { echo "no target is called $only; there are:" $targets; exit 64; }
    targets=$only
fi
echo "$seconds seconds each; what is going on is in $home/<target>.log"
printf '%-13s %12s %9s %9s %6s   %s\n' target executions exec/s coverage new crashes
# Each job in a process group of its own, so that none is left when this ends, whatever ends it.
set -m
end_jobs() {
    local job
    for job in $(jobs -rp); do kill -- "-$job" 2>/dev/null || true; done
    wait
}
trap end_jobs EXIT
trap 'exit 130' INT TERM
for target in $targets; do
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
    fuzz_target "$target" &
done
set +m
wait
status=0
for target in $targets; do
    [ "$(cat "$home/$target.code")" -eq 0 ] || status=1
    [ "${KEEP:-0}" != 1 ] || keep "$target"
done
exit $status
