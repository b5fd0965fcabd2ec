#!/usr/bin/env python3
"""Hands one capture to the queue from any program: one atomic call of `capture_enqueue_v1`.

    enqueue.py --device UUID \
        --photo photo.jpg --depth depth.bin --assertion assertion.cbor --metadata metadata.json

The address is in CAPTURE_REDIS_URL: redis://[user:password@]host[:port][/database], rediss:// for TLS, or
unix:///path[?db=database&user=name&password=secret]; user and password percent-encoded where they have / or ? or %. One
without a password may be in --redis as well: everybody on the machine sees an argument. CAPTURE_TIMEOUT (default: 10) is
how many seconds connecting may take, and then the answer.

The assertion is CBOR. In base64 (RFC 4648 section 4, with its padding, in one line), as apps may send it, it is decoded
first. --installation is the id of the installation that the queue has to be of.

Prints `capture <id>` on standard error before it calls, then `accepted <capture id>`, `duplicate <first capture id>` or
`full <captures> <bytes>`. Whatever fails is one line on standard error. The exit status:

    0   accepted or duplicate
    2   bad usage: nothing was sent
    65  the upload's fault: 400 or 413, no retry
    70  this gateway's fault: raise an alarm; 500, and again once it is mended, with a new id after CONFLICT
    75  it passes, and the outcome is not known unless it is `full`: 503, and later again with the same id and bytes

Standard library only. The capture id is the caller's to make, and to keep with the upload: a retry is another call with
`--capture` and the same bytes, and is safe.
"""

import argparse
import base64
import binascii
import hashlib
import json
import os
import re
import socket
import ssl
import sys
import time
from urllib.parse import unquote_to_bytes


EXIT_UPLOAD, EXIT_GATEWAY, EXIT_PASSES = 65, 70, 75

# What Redis says while it starts, fails over or is full; bytes that have expired, which come again with the next call; and
# a key that somebody has written over.
PASSES = {
    "BUSY", "CLUSTERDOWN", "DAMAGED", "LOADING", "MASTERDOWN", "MISCONF", "MISSING_BUNDLE", "NOREPLICAS", "OOM", "READONLY",
    "TRYAGAIN", "UNBLOCKED",
}
# The same without a word of its own.
PASSING_ERRORS = ("ERR Function not found", "ERR max number of clients")
# The arguments that hold what a client has sent.
OF_THE_UPLOAD = {"binding", "assertion", "metadata", "photo", "depth", "photo_bytes", "depth_bytes"}


class Refusal(Exception):
    """The server's answer is an error, or the upload would be refused by the server or by the worker."""

    def exit_code(self):
        """Whose fault it is."""
        message = str(self)
        word, _, rest = message.partition(" ")
        if word in PASSES or message.startswith(PASSING_ERRORS):
            return EXIT_PASSES
        if message.endswith(" bytes are stored"):
            return EXIT_GATEWAY
        return EXIT_UPLOAD if word == "INVALID" and rest.partition(":")[0] in OF_THE_UPLOAD else EXIT_GATEWAY


class Address:
    """Where Redis is, read as our programs read CAPTURE_REDIS_URL; what is wrong is told without a part of it."""

    def __init__(self, url):
        # Characters that cannot be encoded are refused here. Otherwise the connection would fail at them.
        url.encode()
        # A secret that is not set: another Redis than the one that is meant could answer at the default.
        if not url:
            raise ValueError("it is empty; leave it out for its default")
        scheme, _, rest = url.partition("://")
        rest, _, query = rest.partition("?")
        self.scheme = scheme.lower()
        self.user, self.password, self.database = "", None, 0
        if self.scheme in ("unix", "redis+unix"):
            if not rest.startswith("/"):
                raise ValueError("a unix socket needs an absolute path (and ?user=…&password=… behind it)")
            self.path = unquote_to_bytes(rest)
        elif self.scheme in ("redis", "rediss"):
            rest, _, database = rest.partition("/")
            login, _, place = rest.rpartition("@")
            self.user, has_password, password = login.partition(":")
            self.password = password if has_password else None
            self.read_place(place)
            self.database = self.number(database or "0", "its database is not a number")
        else:
            raise ValueError("it takes redis://, rediss:// or unix://")
        for name, _, value in (item.partition("=") for item in query.split("&") if item):
            if name == "db":
                self.database = self.number(value, "its database is not a number")
            elif name in ("user", "password"):
                setattr(self, name, value)
            else:
                raise ValueError("it has an unknown query item")

    def read_place(self, place):
        in_brackets = place.startswith("[")
        self.host, _, tail = place[1:].partition("]") if in_brackets else place.partition(":")
        port = tail[1:] if in_brackets else tail
        if not self.host or in_brackets and tail[:1] not in ("", ":"):
            raise ValueError("it has no host")
        self.host.encode("idna")
        self.port = self.number(port or "6379", "its port is not 1 to 65535")

    @staticmethod
    def number(text, fault):
        if not (text.isascii() and text.isdigit()) or len(text) > 5 or int(text) > 65535:
            raise ValueError(fault)
        return int(text)


class Redis:
    """As much of the protocol (RESP2) as one call needs; bytes in, bytes out."""

    def __init__(self, address, timeout):
        if address.scheme.endswith("unix"):
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.socket.settimeout(timeout)
            self.socket.connect(address.path)
        else:
            self.socket = socket.create_connection((address.host, address.port), timeout)
        if address.scheme == "rediss":
            # Checks the certificate and its name; SSL_CERT_FILE names roots of one's own.
            self.socket = ssl.create_default_context().wrap_socket(self.socket, server_hostname=address.host)
        self.replies = self.socket.makefile("rb")
        if address.password is not None:
            login = ([address.user] if address.user else []) + [address.password]
            self.call("AUTH", *map(unquote_to_bytes, login))
        if address.database:
            self.call("SELECT", address.database)

    def call(self, *arguments):
        items = [a if isinstance(a, bytes) else str(a).encode(errors="replace") for a in arguments]
        lengths = b"".join(b"$%d\r\n%s\r\n" % (len(item), item) for item in items)
        self.socket.sendall(b"*%d\r\n%s" % (len(items), lengths))
        return self.read()

    def read(self):
        line = self.replies.readline()
        # A reply may break off anywhere: what came of it tells nothing.
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the server closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            raise Refusal(rest.decode(errors="replace"))
        if kind == b"+":
            return rest
        if kind not in (b":", b"$", b"*") or not re.fullmatch(rb"-?[0-9]{1,18}", rest):
            raise ConnectionError("the answer is not Redis's")
        number = int(rest)
        if kind == b":":
            return number
        if number < 0:
            return None
        return self.read_bytes(number) if kind == b"$" else [self.read() for _ in range(number)]

    def read_bytes(self, count):
        data = self.replies.read(count + 2)
        if len(data) != count + 2 or not data.endswith(b"\r\n"):
            raise ConnectionError("the server closed the connection")
        return data[:-2]


def new_capture_id():
    """A UUID of version 7 (RFC 9562): sorts by time."""
    value = (int(time.time() * 1000) << 80) | int.from_bytes(os.urandom(10), "big")
    value = value & ~(0xF << 76) | (7 << 76)
    value = value & ~(0x3 << 62) | (2 << 62)
    digits = f"{value:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def binding_of(metadata):
    """What the metadata say that the device signed, whatever it is; concat-v1 if they name none, or null."""
    try:
        members = json.loads(metadata)
    except (ValueError, RecursionError):
        # No JSON: the worker will say so.
        members = None
    binding = members.get("binding") if isinstance(members, dict) else None
    return "concat-v1" if binding is None else binding


def assertion_of(part):
    """The assertion as CBOR, which begins with a byte of 0xa0 to 0xbf, as no base64 text does. What is neither is refused:
    the worker could only reject the capture."""
    if b"\xa0" <= part[:1] <= b"\xbf":
        return part
    # Command-line tools add a line end.
    text = part.rstrip(b"\r\n")
    try:
        assertion = base64.b64decode(text)
    except binascii.Error:
        assertion = b""
    # Readers differ on line breaks and too much padding: the text is the one that encoding gives.
    if not assertion or base64.b64encode(assertion) != text:
        raise Refusal("INVALID assertion: neither CBOR nor base64")
    return assertion


def check_installation(redis, installation, queue="cq"):
    """Once for each connection: a database that is no installation's would take the capture as well, and nobody works it."""
    key = "{%s:0}:limits" % queue
    kept = redis.call("HGET", key, "installation")
    if kept != installation.encode():
        has = kept.decode(errors="replace") if isinstance(kept, bytes) else "no id"
        raise Refusal(f"the queue is not that installation's: {key} has {has}")


def enqueue(redis, device, photo, depth, assertion, metadata, binding=None, capture=None, partitions=1, queue="cq",
            installation=None):
    device = device.lower()
    assertion = assertion_of(assertion)
    binding = binding or binding_of(metadata)
    capture = (capture or new_capture_id()).lower()

    def sha256(data):
        return hashlib.sha256(data).hexdigest()

    # It covers the media as well as the assertion: the same bundle again is the same capture.
    parts = ("capture-bundle-v1", device, sha256(assertion), sha256(photo), sha256(depth), sha256(metadata))
    digest = sha256("\n".join(parts).encode())
    # CRC16 as Redis Cluster has it; all keys share the hash tag.
    tag = "{%s:%d}" % (queue, binascii.crc_hqx(device.encode(), 0) % partitions)
    keys = [f"{tag}:ready", f"{tag}:lane:{device}", f"{tag}:job:{capture}", f"{tag}:accepted:{digest}", f"{tag}:stats",
            f"{tag}:photo:{capture}", f"{tag}:depth:{capture}"]
    # The queue may be another one's by now, as after a failover.
    if installation:
        keys.append(f"{tag}:installation:{installation}")
    arguments = {
        "device": device, "capture": capture, "bundle_digest": digest, "binding": binding, "assertion": assertion,
        "metadata": metadata, "photo_sha256": sha256(photo), "depth_sha256": sha256(depth), "photo": photo, "depth": depth,
    }
    flat = [item for pair in arguments.items() for item in pair]
    return redis.call("FCALL", "capture_enqueue_v1", len(keys), *keys, *flat)


def uuid(text):
    if not re.fullmatch(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", text):
        raise argparse.ArgumentTypeError("not a UUID of 36 characters")
    return text.lower()


def partition_count(text):
    count = int(text) if re.fullmatch("[0-9]{1,4}", text) else 0
    if not 1 <= count <= 1024 or count & (count - 1):
        raise argparse.ArgumentTypeError("not a power of two from 1 to 1024")
    return count


def fail(code, why):
    print(f"enqueue.py: {why}", file=sys.stderr)
    return code


def main():
    parser = argparse.ArgumentParser(description="Hands one capture to the queue.")
    parser.add_argument("--redis", default=os.environ.get("CAPTURE_REDIS_URL", "redis://127.0.0.1:6379"),
                        help="default: CAPTURE_REDIS_URL")
    parser.add_argument("--device", required=True, type=uuid)
    parser.add_argument("--capture", type=uuid, help="a UUID, the same at each retry; default: a new one")
    parser.add_argument("--binding", help="default: what the metadata name, else concat-v1")
    parser.add_argument("--queue", default="cq", help="for queues of your own: our programs read cq only")
    parser.add_argument("--partitions", type=partition_count, default=1)
    parser.add_argument("--installation", type=uuid, help="the installation whose queue it has to be; default: any")
    parts = ("photo", "depth", "assertion", "metadata")
    for name in parts:
        parser.add_argument("--" + name, required=True, type=argparse.FileType("rb"))
    options = parser.parse_args()
    try:
        address = Address(options.redis)
    except UnicodeError:
        parser.error("CAPTURE_REDIS_URL or --redis: it has characters or a host that cannot be encoded")
    except ValueError as error:
        # Not argparse's own words, which show the value.
        parser.error(f"CAPTURE_REDIS_URL or --redis: {error}")
    timeout = os.environ.get("CAPTURE_TIMEOUT") or "10"
    if not re.fullmatch("[0-9]{1,4}", timeout) or int(timeout) < 1:
        parser.error("CAPTURE_TIMEOUT: not a number of seconds from 1 to 9999")
    try:
        photo, depth, assertion, metadata = (getattr(options, name).read() for name in parts)
    except OSError as error:
        parser.error(f"a file cannot be read: {error}")
    capture = options.capture or new_capture_id()
    # Whatever comes of the call, a retry needs it.
    print("capture", capture, file=sys.stderr, flush=True)
    try:
        redis = Redis(address, int(timeout))
        if options.installation:
            check_installation(redis, options.installation, options.queue)
        outcome = enqueue(
            redis, options.device, photo, depth, assertion, metadata, options.binding, capture, options.partitions,
            options.queue, options.installation)
    except Refusal as refusal:
        return fail(refusal.exit_code(), refusal)
    except ssl.SSLCertVerificationError as error:
        return fail(EXIT_GATEWAY, error)
    except OSError as error:
        return fail(EXIT_PASSES, f"no answer, the outcome is not known: {error}; try again with the same id and bytes")
    if not isinstance(outcome, list) or outcome[:1] not in ([b"accepted"], [b"duplicate"], [b"full"]):
        return fail(EXIT_GATEWAY, "the answer is none of the function's")
    print(*(item.decode(errors="replace") if isinstance(item, bytes) else item for item in outcome))
    return EXIT_PASSES if outcome[0] == b"full" else 0


if __name__ == "__main__":
    sys.exit(main())
