#!/usr/bin/env python3
"""Checks the evidence of one capture by hand: python3's standard library and the openssl command, and none of our code.

    check_evidence.py --app-id TEAM123456.com.example.app --evidence evidence.json --photo photo.jpg --depth depth.bin

Prints a line for each check, `pass` or `FAIL`, and what is not checked. Photo, depth map and the document's metadata may be
missing: where the signature is over their digests (framed-v2), those of the document stand for them. A document that lacks a
member, has one in another form, or two that contradict each other is not read.

Whose key it is, the attestation says: its certificates have to end in Apple's root, which evidence_by_hand/certificates.py
has, or in one of those that --root names in its place. Keys of --environment are believed, production's by default.

Exits 0 if all pass, else 1: either there is a `FAIL`, or something is missing that it takes, which is the case of concat-v1
without photo or depth map, and of evidence without a key, without its attestation (a software key has none) or without a
counter, or openssl cannot verify such signatures: those of Ed25519 take OpenSSL 3. Exits 2 for options that make no sense,
and 74 if what was found cannot be written.
"""

import argparse
import base64
import datetime
import hashlib
import json
import math
import os
import re
import signal
import sys
import unicodedata

# Nothing is left beside this file that was not there.
sys.dont_write_bytecode = True

from evidence_by_hand.app_attestation import ENVIRONMENTS, attestation_checks
from evidence_by_hand.certificates import APPLE, root_of
from evidence_by_hand.signatures import MISSING, is_key, named, signature_outcome
from evidence_by_hand.strict_cbor import Reader

NOT_CHECKED = """not checked: what nobody signed: ids, verdict and all checks behind it, times, compromised_since, the receipt
not checked: that the counter was used for no other capture, and that the key was in good hands"""
EXIT_UNWRITTEN = 74
# How a check of the record may end.
OUTCOMES = {"pass", "fail", "unavailable"}
# What a check may come to beside True, False and `MISSING`: a digest stands for what is missing.
DISPENSABLE = "dispensable"
# Of the document: its bytes, those of a text beyond ASCII as written, the members of one object that are not known, and what
# is in one list.
BYTES_MAX, TEXT_BYTES_MAX, UNKNOWN_MAX, LIST_MAX = 256 * 1024, 1024, 64, 64
NO_ASSERTION = "the assertion is none, or the key is of no kind that is known"

# Of JSON: a text, with a colon behind it if it is a member's name. One without an end goes to the end of all: if each quote
# in it were tried as a beginning, a forged document would take hours.
TEXT = re.compile(rb'"([^"\\]*(?:\\.[^"\\]*)*)(?:"([ \t\r\n]*:)?|\\?\Z)', re.DOTALL)
# How many bytes a member's name may have, escapes as written, and how deep objects and lists may be nested.
NAME_BYTES_MAX, DEPTH_MAX = 128, 64
# What a text of ASCII is written with.
ASCII = re.compile(rb"(?:[^\\\x80-\xff]|\\[^u]|\\u00[0-7].)*", re.DOTALL)
# Of RFC 3339, with the offset from UTC; and of the calendar, which begins anew after so many years.
TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII)
CYCLE_YEARS, CYCLE_DAYS = 400, 146097
# Of a JPEG: a marker, which may have fill bytes before it; the one that ends a scan is neither data nor a restart.
MARKER = re.compile(rb"\xff+[^\xff]")
MARKER_BEHIND_SCAN = re.compile(rb"\xff[^\xff\x00\xd0-\xd7]")


def bound(text, text_bytes_max):
    """Refuses names and texts that are too long, and nesting that is too deep: not all readers go so far."""
    for content, colon in TEXT.findall(text):
        if colon and len(content) > NAME_BYTES_MAX:
            raise ValueError("a member's name has more than %d bytes" % NAME_BYTES_MAX)
        if not colon and len(content) > text_bytes_max and not ASCII.fullmatch(content):
            raise ValueError("a text beyond ASCII has more than %d bytes" % text_bytes_max)
    depth = 0
    for bracket in re.findall(rb"[\[\]{}]", TEXT.sub(b"", text)):
        depth += 1 if bracket in b"[{" else -1
        if depth > DEPTH_MAX:
            raise ValueError("nested too deep")


def read(text, whole=int, text_bytes_max=math.inf):
    """Strict JSON: of a member that is there twice, of half a surrogate pair and of a number that is larger than any, not
    all readers make the same."""
    bound(text, text_bytes_max)

    def members(pairs):
        # To some readers names are the same that differ only in how Unicode composes their letters.
        if len({unicodedata.normalize("NFC", name) for name, _ in pairs}) < len(pairs):
            raise ValueError("a member is there twice")
        return dict(pairs)

    def refuse(name):
        raise ValueError(name + " is no JSON")

    def finite(parse):
        def parsed(number):
            if math.isinf(float(number)):
                raise ValueError("a number is too large")
            return parse(number)
        return parsed
    value = json.loads(text.decode("utf-8"), object_pairs_hook=members, parse_constant=refuse,
                       parse_int=finite(whole), parse_float=finite(float))
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("a text has half a surrogate pair") from None
    return value


def decoded(text):
    """Bytes in base64 of one form: not all readers take more padding than it needs, or bits after the last byte."""
    content = base64.b64decode(text, validate=True)
    if base64.b64encode(content).decode() != text:
        raise ValueError("base64 has more padding than it needs, or bits after the last byte")
    return content


def digest(content, recorded):
    """SHA-256 of what is at hand, or the document's own."""
    return recorded.lower() if content is None else hashlib.sha256(content).hexdigest()


def moment(text):
    """A time in microseconds since the year 0, cut off behind them; in UTC its year has four digits as well."""
    match = TIME.fullmatch(text)
    if match is None or len(text) > 40:
        raise ValueError("a time is none")
    year, month, day, hour, minute, second = (int(number) for number in match.groups()[:6])
    fraction, sign = match.group(7) or "", match.group(8)
    hours, minutes = int(match.group(9) or 0), int(match.group(10) or 0)
    if hours > 23 or minutes > 59:
        raise ValueError("a time is none")
    offset = (hours * 60 + minutes) * (-60 if sign == "-" else 60)
    # The same day of another cycle: datetime has no year 0.
    cycles, year = divmod(year, CYCLE_YEARS)
    local = datetime.datetime(2000 + year, month, day, hour, minute, second) - datetime.datetime(2000, 1, 1)
    seconds = (cycles * CYCLE_DAYS + local.days) * 86400 + local.seconds - offset
    if not 0 <= seconds < 10000 // CYCLE_YEARS * CYCLE_DAYS * 86400:
        raise ValueError("a time is none")
    return seconds * 1000000 + int(fraction[:6].ljust(6, "0"))


def is_text(value):
    return isinstance(value, str)


def is_time(value):
    return moment(value) >= 0


def is_counter(value):
    # True is equal to 1 here; and 1.0 is JSON for the same number.
    return type(value) in (int, float) and 0 <= value < 2**32 and value == int(value)


def is_policy(value):
    window = re.fullmatch(r"window\(\+?([0-9]+)\)", value)
    return value == "strict" or window is not None and 1 <= int(window.group(1)) <= 65536


def is_content(value):
    return decoded(value) is not None


def is_digest_content(value):
    return len(decoded(value)) == 32


def matches(pattern):
    return lambda value: re.fullmatch(pattern, value) is not None


UUID = matches("[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
# Texts that are none could be signed in the place of a digest.
DIGEST = matches("[0-9A-Fa-f]{64}")
# The form of each member; a gateway's answer has the document as its `data`.
DOCUMENT = {
    "format": is_text, "assertion": is_content, "metadata": is_content,
    "result": {
        "capture_id": UUID, "device_id": UUID, "verdict": matches("verified|rejected"), "reason": is_text,
        "confidence": matches("none|low|medium|high"), "counter": is_counter, "binding": matches("concat-v1|framed-v2"),
        "photo_sha256": DIGEST, "depth_sha256": DIGEST, "metadata_sha256": DIGEST, "client_data_sha256": DIGEST,
        "received_at": is_time, "settled_at": is_time, "compromised_since": is_time,
        "checks": [{"name": is_text, "outcome": is_text, "reason": is_text}],
        "counter_policy": is_policy, "processor_version": is_text},
    "key": {
        "key_id": is_digest_content, "public_key": is_content, "registered_at": is_time, "attestation_object": is_content,
        "client_data_hash": is_digest_content}}
# What may be null or missing.
OPTIONAL = {"metadata", "key", "reason", "counter", "compromised_since", "public_key", "attestation_object",
            "client_data_hash"}


def check_unknown(members, known):
    if len(members.keys() - known) > UNKNOWN_MAX:
        raise ValueError("more than %d members are not known" % UNKNOWN_MAX)


def check_form(place, value, form):
    """Refuses what lacks a member, or has one in another form, whether somebody signed it or not."""
    if not isinstance(form, (dict, list)):
        try:
            is_good = form(value)
        except (ValueError, TypeError):
            is_good = False
        if not is_good:
            raise ValueError(place + " has a value out of range")
        return
    if not isinstance(value, type(form)):
        raise ValueError(place + " has a value of another type")
    if isinstance(form, list):
        if len(value) > LIST_MAX:
            raise ValueError("%s has more than %d elements" % (place, LIST_MAX))
        for index, element in enumerate(value):
            check_form("%s[%d]" % (place, index), element, form[0])
        return
    check_unknown(value, form.keys())
    for name, inner in form.items():
        path = place + "." + name if place else name
        if value.get(name) is not None:
            check_form(path, value[name], inner)
        elif name not in OPTIONAL:
            raise ValueError(path + " is missing")


def check_contradictions(document):
    """Refuses members that never stand beside each other in the record: somebody has changed one of them."""
    result, key = document["result"], document.get("key") or {}
    is_verified, is_attested = result["verdict"] == "verified", key.get("attestation_object") is not None
    outcomes = {check["name"]: check["outcome"] for check in result["checks"]}
    if len(outcomes) < len(result["checks"]):
        raise ValueError("result.checks has a check twice")
    if "counter" not in outcomes:
        raise ValueError("result.checks has no counter")
    # The word of a newer release contradicts nothing.
    is_passed = {name: outcome == "pass" for name, outcome in outcomes.items() if outcome in OUTCOMES}
    since = result.get("compromised_since")
    for is_contradiction, member, other in (
            (is_verified == (result.get("reason") is not None), "result.reason", "result.verdict"),
            (is_verified == (result["confidence"] == "none"), "result.confidence", "result.verdict"),
            (is_verified and not result.get("counter"), "result.counter", "result.verdict"),
            (is_verified and not key, "key", "result.verdict"),
            (is_verified and not is_passed.get("assertion", True), "result.checks", "result.verdict"),
            (is_verified != is_passed.get("counter", is_verified), "result.checks", "result.verdict"),
            (is_attested != (key.get("client_data_hash") is not None), "key.client_data_hash", "key.attestation_object"),
            (result["confidence"] == "high" and not is_attested, "result.confidence", "key.attestation_object"),
            (since is not None and moment(since) > moment(result["received_at"]),
             "result.compromised_since", "result.received_at")):
        if is_contradiction:
            raise ValueError(member + " contradicts " + other)


def opened(assertion):
    """Signature and authenticator data: 37 bytes, and behind them one map or nothing; anything else is no assertion."""
    reader = Reader(assertion)
    fields = reader.value()
    if reader.at != len(assertion) or len(assertion) > 16384 or not isinstance(fields, dict):
        raise ValueError(NO_ASSERTION)
    signature, data = fields.get("signature"), fields.get("authenticatorData")
    if not isinstance(signature, bytes) or not isinstance(data, bytes) or len(data) < 37:
        raise ValueError(NO_ASSERTION)
    behind = Reader(data, 37)
    # Where nothing follows, the flag of extensions must not promise it.
    is_whole = data[32] & 0x80 == 0 if len(data) == 37 else isinstance(behind.value(), dict) and behind.at == len(data)
    if not is_whole:
        raise ValueError(NO_ASSERTION)
    return signature, data


def is_jpeg(photo):
    """Whether a JPEG with a scan begins with the first byte and ends within the bytes; something may be behind it."""
    if not photo.startswith(b"\xff\xd8"):
        return False
    at, has_scan = 2, False
    while marker := MARKER.match(photo, at):
        kind, at = photo[marker.end() - 1], marker.end()
        if kind == 0xD9:
            return has_scan
        size = int.from_bytes(photo[at:at + 2], "big")
        if kind < 0xC0 or 0xD0 <= kind <= 0xD8 or size < 2 or at + size > len(photo):
            return False
        at += size
        if kind == 0xDA:
            behind, has_scan = MARKER_BEHIND_SCAN.search(photo, at), True
            at = behind.start() if behind else len(photo)
    return False


def signed_checks(document, photo, depth):
    """Name and outcome of each check of what is signed; returns its digest."""
    result, metadata = document["result"], document.get("metadata")
    metadata = None if metadata is None else decoded(metadata)
    digests = []
    for name, content in (("photo_sha256", photo), ("depth_sha256", depth), ("metadata_sha256", metadata)):
        digests.append(digest(content, result[name]))
        if content is not None:
            yield name, digests[-1] == digest(None, result[name])
    recorded = digest(None, result["client_data_sha256"])
    absent = [name for name, content in (("photo", photo), ("depth map", depth)) if content is None]
    if result["binding"] == "framed-v2":
        # Python takes no whole number of thousands of digits, and nobody asks for one here.
        if metadata is None:
            absent.append("metadata")
        else:
            read(metadata, whole=str)
        if absent:
            yield ", ".join(absent), DISPENSABLE
        client_data_hash = hashlib.sha256("\n".join(["capture-v2"] + digests).encode()).digest()
    else:
        # Or else the text that framed-v2 signs, cut in two, and every signed request would be a capture; and a capture's
        # own bytes, cut where one of the two is none.
        if photo is not None:
            yield "photo is a JPEG", is_jpeg(photo)
        if depth is not None:
            yield "depth map is not empty", len(depth) > 0
        if absent:
            yield ", ".join(absent) + ": concat-v1 signs the bytes of both: give them", MISSING
        client_data_hash = None if absent else hashlib.sha256(photo + depth).digest()
    if client_data_hash is None:
        return bytes.fromhex(recorded)
    yield "client_data_sha256", client_data_hash.hex() == recorded
    return client_data_hash


def key_checks(options, key):
    """Name and outcome of each check of the attestation, which says whose key it is."""
    if key.get("attestation_object") is None:
        yield "whose key it is: the evidence has no attestation, and nobody vouches for a software key", MISSING
        return
    public_key = key.get("public_key")
    environments = set(ENVIRONMENTS.values()) if options.environment == "any" else {options.environment}
    for name, outcome in attestation_checks(
            decoded(key["attestation_object"]), decoded(key["client_data_hash"]), decoded(key["key_id"]),
            None if public_key is None else decoded(public_key), options.app_id, environments, options.root or [APPLE],
            moment(key["registered_at"])):
        yield "attestation: " + name, outcome


def checks(options, document, photo, depth):
    """Name and outcome of each check."""
    result, key = document["result"], document.get("key")
    client_data_hash = yield from signed_checks(document, photo, depth)
    if key is not None:
        yield from key_checks(options, key)
    # A device that was never registered, or one that told no key.
    if key is None or key.get("public_key") is None:
        yield "the key, and so neither counter nor signature: the evidence has none", MISSING
        return
    public_key = decoded(key["public_key"])
    yield "key_id", hashlib.sha256(public_key).digest() == decoded(key["key_id"])
    signature, data = opened(decoded(document["assertion"]))
    if not is_key(public_key):
        raise ValueError(NO_ASSERTION)
    yield "rpIdHash", data[:32] == hashlib.sha256(options.app_id.encode()).digest()
    counter = result.get("counter")
    if counter is None:
        yield "the counter: the record names none", MISSING
    else:
        yield "counter", int.from_bytes(data[33:37], "big") == counter
    nonce = hashlib.sha256(data + client_data_hash).digest()
    outcome = signature_outcome(public_key, signature, nonce)
    yield named("signature", outcome), outcome


def opened_document(text):
    """The document, of which nothing is verified yet."""
    if len(text) > BYTES_MAX:
        raise ValueError("more than %d bytes" % BYTES_MAX)
    document = read(text, text_bytes_max=TEXT_BYTES_MAX)
    if "data" in document:
        if DOCUMENT.keys() & document.keys():
            raise ValueError("two documents: one around the other")
        check_unknown(document, {"data", "meta"})
        document = document["data"]
    if document["format"] != "capture-evidence-v1":
        raise ValueError("the format is not known")
    check_form("", document, DOCUMENT)
    check_contradictions(document)
    return document


def trusted(path):
    """The certificate of a root that is named in the place of Apple's."""
    try:
        with open(path, encoding="ascii") as file:
            return root_of(file.read())
    except (ValueError, OSError) as fault:
        raise argparse.ArgumentTypeError(f"{path} is no PEM file of one root: {fault}") from None


def arguments():
    parser = argparse.ArgumentParser(description="Checks the evidence of one capture by hand.")
    parser.add_argument("--app-id", required=True)
    parser.add_argument("--environment", choices=[*ENVIRONMENTS.values(), "any"], default="production")
    parser.add_argument("--root", type=trusted, action="append", metavar="FILE",
                        help="PEM file of a root that takes the place of Apple's; may be repeated")
    for name in ("evidence", "photo", "depth"):
        parser.add_argument("--" + name, required=name == "evidence", type=argparse.FileType("rb"))
    return parser.parse_args()


def main():
    options = arguments()
    passed, lines = True, []
    try:
        document = opened_document(options.evidence.read(BYTES_MAX + 1))
        photo, depth = (file.read() if file else None for file in (options.photo, options.depth))
        for name, outcome in checks(options, document, photo, depth):
            word = "not checked: " if outcome in (MISSING, DISPENSABLE) else "pass " if outcome else "FAIL "
            lines.append(word + name)
            passed = passed and outcome in (True, DISPENSABLE)
        if document["result"]["binding"] == "concat-v1":
            lines.append("not checked: the metadata, and where the photo ends: concat-v1 signs neither")
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError, OSError) as fault:
        lines.append(f"FAIL it cannot be read: {fault}")
        passed = False
    # Behind the checks: what becomes of the output is no fault of the evidence.
    try:
        print(*lines, NOT_CHECKED, sep="\n", flush=True)
    except OSError as fault:
        print("check_evidence.py: what was found cannot be written:", fault, file=sys.stderr)
        # Not by sys.exit, which would try once more to write what is left.
        os._exit(EXIT_UNWRITTEN)
    return 0 if passed else 1


if __name__ == "__main__":
    # Whoever reads only the first lines has all that he wants.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
