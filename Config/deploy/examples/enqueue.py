#!/usr/bin/env python3
"""Hands one capture to the queue from any program: one atomic call of `capture_enqueue_v1`.

    enqueue.py --redis unix:///run/redis.sock --device UUID \
        --photo photo.jpg --depth depth.bin --assertion assertion.cbor --metadata metadata.json

The address is what CAPTURE_REDIS_URL holds: redis://[user:password@]host[:port][/database], rediss:// for TLS, or
unix:///path[?db=database&user=name&password=secret].

Prints `accepted <capture id>`, `duplicate <first capture id>` or `full <captures> <bytes>`; the exit status is 0, 0 or 75.
Standard library only. The capture id is the caller's to make; a retry with the same id and bytes is safe.
"""

import argparse
import binascii
import hashlib
import json
import os
import socket
import ssl
import sys
import time
from urllib.parse import unquote, urlparse


class Redis:
    """As much of the protocol (RESP2) as one call needs; bytes in, bytes out."""

    def __init__(self, url, timeout=10):
        parts = urlparse(url)
        query = dict(item.split("=", 1) for item in parts.query.split("&") if item)
        user, password = query.get("user", parts.username), query.get("password", parts.password)
        database = query.get("db", "0")
        if parts.scheme == "unix":
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.socket.settimeout(timeout)
            self.socket.connect(unquote(parts.path))
        elif parts.scheme in ("redis", "rediss"):
            self.socket = socket.create_connection((parts.hostname or "127.0.0.1", parts.port or 6379), timeout)
            if parts.scheme == "rediss":
                # Checks the certificate and its name; SSL_CERT_FILE names roots of one's own.
                context = ssl.create_default_context()
                self.socket = context.wrap_socket(self.socket, server_hostname=parts.hostname or "127.0.0.1")
            database = query.get("db", parts.path.strip("/") or "0")
        else:
            # Without the rest of it, which may hold a password.
            raise ValueError("--redis takes redis://, rediss:// or unix://, not %s://" % parts.scheme)
        self.replies = self.socket.makefile("rb")
        if password is not None:
            self.call("AUTH", *([unquote(user)] if user else []), unquote(password))
        if database != "0":
            self.call("SELECT", database)

    def call(self, *arguments):
        items = [a if isinstance(a, bytes) else str(a).encode() for a in arguments]
        lengths = b"".join(b"$%d\r\n%s\r\n" % (len(item), item) for item in items)
        self.socket.sendall(b"*%d\r\n%s" % (len(items), lengths))
        return self.read()

    def read(self):
        line = self.replies.readline()
        if not line:
            raise ConnectionError("the server closed the connection: the outcome is unknown, try again with the same id")
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            raise RuntimeError(rest.decode())
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return None if rest == b"-1" else self.replies.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return None if rest == b"-1" else [self.read() for _ in range(int(rest))]
        return rest


def new_capture_id():
    """A UUID of version 7 (RFC 9562): sorts by time."""
    value = (int(time.time() * 1000) << 80) | int.from_bytes(os.urandom(10), "big")
    value = value & ~(0xF << 76) | (7 << 76)
    value = value & ~(0x3 << 62) | (2 << 62)
    digits = f"{value:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def binding_of(metadata):
    """What the metadata say that the device signed: concat-v1 unless they name another."""
    try:
        members = json.loads(metadata)
    except (ValueError, RecursionError):
        # No JSON: the worker will say so.
        members = None
    return isinstance(members, dict) and members.get("binding") or "concat-v1"


def enqueue(redis, device, photo, depth, assertion, metadata, binding=None, capture=None, partitions=1, queue="cq"):
    device = device.lower()
    binding = binding or binding_of(metadata)
    capture = capture or new_capture_id()

    def sha256(data):
        return hashlib.sha256(data).hexdigest()

    # It covers the media as well as the assertion: the same bundle again is the same capture.
    parts = ("capture-bundle-v1", device, sha256(assertion), sha256(photo), sha256(depth), sha256(metadata))
    digest = sha256("\n".join(parts).encode())
    # CRC16 as Redis Cluster has it; all keys share the hash tag.
    tag = "{%s:%d}" % (queue, binascii.crc_hqx(device.encode(), 0) % partitions)
    keys = (f"{tag}:ready", f"{tag}:lane:{device}", f"{tag}:job:{capture}", f"{tag}:accepted:{digest}", f"{tag}:stats",
            f"{tag}:photo:{capture}", f"{tag}:depth:{capture}")
    arguments = {
        "device": device, "capture": capture, "bundle_digest": digest, "binding": binding, "assertion": assertion,
        "metadata": metadata, "photo_sha256": sha256(photo), "depth_sha256": sha256(depth), "photo": photo, "depth": depth,
    }
    flat = [item for pair in arguments.items() for item in pair]
    return redis.call("FCALL", "capture_enqueue_v1", len(keys), *keys, *flat)


def main():
    parser = argparse.ArgumentParser(description="Hands one capture to the queue.")
    parser.add_argument("--redis", default="redis://127.0.0.1:6379")
    parser.add_argument("--device", required=True)
    parser.add_argument("--capture", help="a UUID; default: a new one")
    parser.add_argument("--binding", help="default: what the metadata name, else concat-v1")
    parser.add_argument("--queue", default="cq")
    parser.add_argument("--partitions", type=int, default=1)
    for name in ("photo", "depth", "assertion", "metadata"):
        parser.add_argument("--" + name, required=True, type=argparse.FileType("rb"))
    options = parser.parse_args()
    outcome = enqueue(
        Redis(options.redis), options.device, options.photo.read(), options.depth.read(), options.assertion.read(),
        options.metadata.read(), options.binding, options.capture, options.partitions, options.queue)
    print(*(item.decode() if isinstance(item, bytes) else item for item in outcome))
    return 75 if outcome[0] == b"full" else 0


if __name__ == "__main__":
    sys.exit(main())
