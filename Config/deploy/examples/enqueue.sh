#!/bin/sh
# Hands one capture to the queue with nothing but redis-cli (7.0 or later), sha256sum, base64 and timeout.
#
#   enqueue.sh DEVICE PHOTO DEPTH ASSERTION METADATA [CAPTURE]
#
# DEVICE and CAPTURE are UUIDs, the rest are files. The assertion is CBOR. In base64 (RFC 4648 section 4, with its padding,
# in one line), as apps may send it, it is decoded first. CAPTURE is the caller's to draw, and to keep with the upload: a
# retry is another call with the same id and the same bytes, and is safe. Default: a new one.
# Environment: REDIS_CLI (default: redis-cli), with options such as "redis-cli -h redis.example";
#              CAPTURE_PARTITION (default: 0), CRC16 of the device id modulo the number of partitions;
#              CAPTURE_INSTALLATION (default: any), the id of the installation that the queue has to be of;
#              CAPTURE_BINDING (default: concat-v1), which has to be given where the metadata name a binding;
#              CAPTURE_TIMEOUT (default: 10), how many seconds each of the calls may take, of which there are four to six.
# Prints `capture <id>` on standard error before it calls, then the two or three lines of the answer: accepted or duplicate
# and the capture's id, or full and the load. Whatever fails is one line on standard error. The exit status:
#   0   accepted or duplicate
#   64  bad usage: nothing was sent
#   65  the upload's fault: 400 or 413, no retry
#   70  this gateway's fault: raise an alarm; 500, and again once it is mended, with a new id after CONFLICT or where it says so
#   75  it passes, and the outcome is not known unless it is `full`: 503, and later again with the same id and bytes
set -eu

fail() {
    echo "enqueue.sh: $2" >&2
    exit "$1"
}

[ $# -ge 5 ] || fail 64 'usage: enqueue.sh DEVICE PHOTO DEPTH ASSERTION METADATA [CAPTURE]'
in_lower_case() { printf %s "$1" | tr '[:upper:]' '[:lower:]'; }
device=$(in_lower_case "$1") photo=$2 depth=$3 assertion=$4 metadata=$5
capture=$(in_lower_case "${6:-$(cat /proc/sys/kernel/random/uuid)}")
installation=$(in_lower_case "${CAPTURE_INSTALLATION-}")
# The function would refuse others as well, and the bytes be stored by then. A variable that is set and empty is no id.
for id in "$device" "$capture" ${CAPTURE_INSTALLATION+"$installation"}; do
    [ ${#id} -eq 36 ] && printf '%s\n' "$id" | LC_ALL=C grep -qxE '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}' ||
        fail 64 'DEVICE, CAPTURE and CAPTURE_INSTALLATION have to be UUIDs'
done
for file in "$photo" "$depth" "$assertion" "$metadata"; do
    [ -f "$file" ] && [ -r "$file" ] || fail 64 "$file is no file that can be read"
done
redis=${REDIS_CLI-redis-cli}
[ -n "$redis" ] || fail 64 'REDIS_CLI is empty; leave it out for its default'
# It is part of the keys: with zeros before it they would be those of a queue that nobody works.
case ${CAPTURE_PARTITION:=0} in *[!0-9]* | 0?* | ?????*) false ;; *) [ "$CAPTURE_PARTITION" -le 1023 ] ;; esac ||
    fail 64 'CAPTURE_PARTITION has to be a number from 0 to 1023, without zeros before it'
# With 0 a server that hangs would be waited for without end.
case ${CAPTURE_TIMEOUT:=10} in *[!0-9]* | ?????*) false ;; *) [ "$CAPTURE_TIMEOUT" -ge 1 ] ;; esac ||
    fail 64 'CAPTURE_TIMEOUT has to be a number of seconds from 1 to 9999'
tag="{cq:$CAPTURE_PARTITION}"

# A shell reads no JSON: it does not guess what the device signed. In JSON each letter may be an escape.
name='(b|\\u0062)(i|\\u0069)(n|\\u006[eE])(d|\\u0064)(i|\\u0069)(n|\\u006[eE])(g|\\u0067)'
[ -n "${CAPTURE_BINDING:-}" ] || ! LC_ALL=C grep -qE "\"$name\"" "$metadata" ||
    fail 64 'the metadata name a binding: set CAPTURE_BINDING to it'

digest_of() { sha256sum <"$1" | cut -d ' ' -f 1; }
size_of() { wc -c <"$1" | tr -d ' '; }
[ "$(size_of "$metadata")" -le 65536 ] || fail 65 'INVALID metadata: not 1 to 65536 bytes'

errors=$(mktemp)
found=$(mktemp)
decoded=$(mktemp)
line=$(mktemp)
trap 'rm -f "$errors" "$found" "$decoded" "$line"' EXIT
trap 'exit 75' HUP INT TERM

# CBOR begins with a byte of a0 to bf, which is no character of base64.
is_cbor() { [ "$(head -c 1 "$1" | LC_ALL=C tr -d '\000-\237\300-\377' | wc -c)" -eq 1 ]; }

# Decodes a file of base64, without the line ends behind it, if its text is the one that encoding gives. base64(1) reads
# others: those with line breaks or too much padding, and that of BusyBox any byte that it does not know.
decode() {
    # A variable would drop zero bytes.
    [ "$(LC_ALL=C tr -d 'A-Za-z0-9+/=\r\n' <"$1" | wc -c)" -eq 0 ] || return
    text=$(tr '\r' '\n' <"$1")
    [ -n "$text" ] && printf %s "$text" | base64 -d >"$decoded" 2>"$errors" &&
        [ "$(base64 <"$decoded" | tr -d '\n')" = "$text" ]
}

# What is neither, the worker could only reject.
if ! is_cbor "$assertion"; then
    decode "$assertion" || fail 65 'INVALID assertion: neither CBOR nor base64'
    assertion=$decoded
fi

# Ends as an error asks for, after redis-cli has ended with a status: errors of Redis begin with a word in capitals.
fail_for() {
    code=$1
    error=$2
    case $code:$error in
    12[567]:* | *'certificate verify failed'*) fail 70 "$error" ;;
    *:'ERR Function not found'* | *:'ERR max number of clients'*) fail 75 "$error" ;;
    *:BUSY\ * | *:CLUSTERDOWN\ * | *:DAMAGED\ * | *:LOADING\ * | *:MASTERDOWN\ * | *:MISCONF\ * | *:MISSING_BUNDLE\ * | \
        *:NOREPLICAS\ * | *:OOM\ * | *:READONLY\ * | *:TRYAGAIN\ * | *:UNBLOCKED\ *) fail 75 "$error" ;;
    *' bytes are stored') fail 70 "$error" ;;
    *:'INVALID binding:'* | *:'INVALID assertion:'* | *:'INVALID metadata:'* | *:'INVALID photo:'* | \
        *:'INVALID depth:'* | *:'INVALID photo_bytes:'* | *:'INVALID depth_bytes:'*) fail 65 "$error" ;;
    *:[A-Z][A-Z]*\ *) fail 70 "$error" ;;
    *)
        error=${error:-redis-cli ended with $code}
        fail 75 "no answer, the outcome is not known: $error; try again with the same id and bytes"
        ;;
    esac
}

last_error() { grep . "$errors" | tail -n 1; }

# Ends if the user or the database that redis-cli was told was refused: it goes on as the default user, or in database 0,
# and ends with 0.
check_connection() {
    refused=$(grep -E '^(AUTH|SELECT [0-9]+) failed: ' "$errors" | head -n 1)
    [ -z "$refused" ] || fail_for 1 "${refused#* failed: }"
}

# Runs redis-cli with a command. Where it fails the script ends.
call() {
    code=0
    timeout "$CAPTURE_TIMEOUT" $redis -e --raw "$@" 2>"$errors" || code=$?
    check_connection
    [ "$code" -eq 0 ] || fail_for "$code" "$(last_error)"
}

# Stores a file's bytes, with an expiry: should this script break off, they vanish. NX, as those of a capture that was
# accepted must not get one by a retry. -x and -X (redis-cli 7.0) read an argument from a file as it is: one in each call,
# the last, or in the place of the word that -X names.
store() {
    stored=$(call -X bytes SET "$1" bytes NX EX 900 <"$2")
    [ "$stored" = OK ] && return
    # An earlier attempt's bytes are there, and stay: they have to be these. redis-cli adds a line feed.
    call GET "$1" >"$found"
    [ "$(size_of "$found")" -eq $(($(size_of "$2") + 1)) ] &&
        [ "$(head -c "$(size_of "$2")" "$found" | sha256sum | cut -d ' ' -f 1)" = "$(digest_of "$2")" ] && return
    # By itself: within a condition its failure would count for no more than another answer.
    there=$(call EXISTS "$1")
    [ "$there" = 1 ] || fail 75 "the earlier attempt's bytes are gone: try again with the same id and bytes"
    fail 70 "other bytes than those of $2 are stored under this id; if they changed in storage, call with a new one"
}

# It covers the media as well as the assertion: the same bundle again is the same capture.
digest=$(printf 'capture-bundle-v1\n%s\n%s\n%s\n%s\n%s' "$device" "$(digest_of "$assertion")" "$(digest_of "$photo")" \
    "$(digest_of "$depth")" "$(digest_of "$metadata")" | sha256sum | cut -d ' ' -f 1)

# Whatever comes of the calls, a retry needs it.
echo "capture $capture" >&2

# Before anything is stored, and whoever's queue it may be: with it redis-cli shows that it is where it was told to be.
kept=$(call HGET '{cq:0}:limits' installation)
[ -z "$installation" ] || [ "$kept" = "$installation" ] ||
    fail 70 "the queue is not that installation's: {cq:0}:limits has ${kept:-no id}"
store "$tag:photo:$capture" "$photo"
store "$tag:depth:$capture" "$depth"

# Prints what redis-cli reads as one word, whatever the bytes are.
quoted() { printf '"%s"' "$(od -An -v -tx1 | sed 's/ /\\x/g' | tr -d '\n')"; }

# Prints the call on one line.
enqueue_call() {
    set -- "$tag:ready" "$tag:lane:$device" "$tag:job:$capture" "$tag:accepted:$digest" "$tag:stats" \
        "$tag:photo:$capture" "$tag:depth:$capture"
    # Each of the calls has a connection of its own: this one asks once more.
    [ -z "$installation" ] || set -- "$@" "$tag:installation:$installation"
    printf '%s ' FCALL capture_enqueue_v1 $# "$@" \
        device "$device" capture "$capture" bundle_digest "$digest" \
        photo_sha256 "$(digest_of "$photo")" photo_bytes "$(size_of "$photo")" \
        depth_sha256 "$(digest_of "$depth")" depth_bytes "$(size_of "$depth")" \
        binding "$(printf %s "${CAPTURE_BINDING:-concat-v1}" | quoted)" \
        metadata "$(quoted <"$metadata")" assertion "$(quoted <"$assertion")"
    echo
}

# redis-cli reads it from standard input: everybody on the machine sees an argument, and the metadata may say where the
# photo was taken. So it ends with 0 after an error, too, which is where an answer would be.
enqueue_call >"$line"
code=0
answer=$(timeout "$CAPTURE_TIMEOUT" $redis --raw <"$line" 2>"$errors") || code=$?
check_connection
case $answer in
accepted* | duplicate* | full*) printf '%s\n' "$answer" ;;
[A-Z]*) fail_for "$code" "$answer" ;;
'') fail_for "$code" "$(last_error)" ;;
*) fail 70 "the answer is none of the function's" ;;
esac
case $answer in full*) exit 75 ;; esac
