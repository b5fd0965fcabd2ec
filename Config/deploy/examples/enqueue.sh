#!/bin/sh
# Hands one capture to the queue with nothing but redis-cli (7.0 or later) and sha256sum.
#
#   enqueue.sh DEVICE PHOTO DEPTH ASSERTION METADATA [CAPTURE]
#
# DEVICE and CAPTURE are UUIDs in lower case, the rest are files; the assertion is binary CBOR.
# Environment: REDIS_CLI (default: redis-cli), with options such as "redis-cli -h redis.example";
#              CAPTURE_PARTITION (default: 0), CRC16 of the device id modulo the number of partitions;
#              CAPTURE_BINDING (default: concat-v1), which has to be given where the metadata name a binding.
# Prints the two or three lines of the answer: accepted or duplicate and the capture's id, or full and the load.
set -eu

device=$1 photo=$2 depth=$3 assertion=$4 metadata=$5
capture=${6:-$(cat /proc/sys/kernel/random/uuid)}
redis=${REDIS_CLI:-redis-cli}
tag="{cq:${CAPTURE_PARTITION:-0}}"

# The dot keeps line feeds at the end of the metadata, which the shell would take away.
metadata_text=$(cat "$metadata" && printf .)
metadata_text=${metadata_text%.}

# A shell reads no JSON: it does not guess what the device signed.
case ${CAPTURE_BINDING:+given}$metadata_text in
given*) ;;
*'"binding"'*)
    echo 'enqueue.sh: the metadata name a binding: set CAPTURE_BINDING to it' >&2
    exit 64
    ;;
esac

digest_of() { sha256sum <"$1" | cut -d ' ' -f 1; }
size_of() { wc -c <"$1" | tr -d ' '; }

# It covers the media as well as the assertion: the same bundle again is the same capture.
digest=$(printf 'capture-bundle-v1\n%s\n%s\n%s\n%s\n%s' "$device" "$(digest_of "$assertion")" "$(digest_of "$photo")" \
    "$(digest_of "$depth")" "$(digest_of "$metadata")" | sha256sum | cut -d ' ' -f 1)

# The bytes first, with an expiry: should this script break off, they vanish. NX, as those of a capture that was accepted
# must not get one by a retry. -x and -X (redis-cli 7.0) read an argument from a file as it is: one in each call, the last,
# or in the place of the word that -X names.
$redis -e -X bytes SET "$tag:photo:$capture" bytes NX EX 900 <"$photo" >/dev/null
$redis -e -X bytes SET "$tag:depth:$capture" bytes NX EX 900 <"$depth" >/dev/null

$redis -e --raw -x FCALL capture_enqueue_v1 7 \
    "$tag:ready" "$tag:lane:$device" "$tag:job:$capture" "$tag:accepted:$digest" "$tag:stats" \
    "$tag:photo:$capture" "$tag:depth:$capture" \
    device "$device" capture "$capture" bundle_digest "$digest" binding "${CAPTURE_BINDING:-concat-v1}" \
    photo_sha256 "$(digest_of "$photo")" photo_bytes "$(size_of "$photo")" \
    depth_sha256 "$(digest_of "$depth")" depth_bytes "$(size_of "$depth")" \
    metadata "$metadata_text" assertion <"$assertion"
