"""Reads X.509 certificates (RFC 5280), and checks a chain of a leaf, an intermediate and a root that is known before."""

import base64
import hashlib
import re

from .signatures import KEYS, MISSING, ecdsa_outcome, named
from .strict_der import (
    BIT_STRING, INTEGER, OCTET_STRING, SEQUENCE, bits, integer, is_true, microseconds, object_identifier, one, require)

# Apple App Attestation Root CA, from <https://www.apple.com/certificateauthority/private/>.
APPLE_PEM = """-----BEGIN CERTIFICATE-----
MIICITCCAaegAwIBAgIQC/O+DvHN0uD7jG5yH2IXmDAKBggqhkjOPQQDAzBSMSYw
JAYDVQQDDB1BcHBsZSBBcHAgQXR0ZXN0YXRpb24gUm9vdCBDQTETMBEGA1UECgwK
QXBwbGUgSW5jLjETMBEGA1UECAwKQ2FsaWZvcm5pYTAeFw0yMDAzMTgxODMyNTNa
Fw00NTAzMTUwMDAwMDBaMFIxJjAkBgNVBAMMHUFwcGxlIEFwcCBBdHRlc3RhdGlv
biBSb290IENBMRMwEQYDVQQKDApBcHBsZSBJbmMuMRMwEQYDVQQIDApDYWxpZm9y
bmlhMHYwEAYHKoZIzj0CAQYFK4EEACIDYgAERTHhmLW07ATaFQIEVwTtT4dyctdh
NbJhFs/Ii2FdCgAHGbpphY3+d8qjuDngIN3WVhQUBHAoMeQ/cLiP1sOUtgjqK9au
Yen1mMEvRq9Sk3Jm5X8U62H+xTD3FE9TgS41o0IwQDAPBgNVHRMBAf8EBTADAQH/
MB0GA1UdDgQWBBSskRBTM72+aEH/pwyp5frq5eWKoTAOBgNVHQ8BAf8EBAMCAQYw
CgYIKoZIzj0EAwMDaAAwZQIwQgFGnByvsiVbpTKwSga0kP0e8EeDS4+sQmTvb7vn
53O5+FRXgeLhpJ06ysC5PrOyAjEAp5U4xDgEgllF7En3VcE3iexZZtKeYnpqtijV
oyFraWVIyd/dganmrduC1bmTBGwD
-----END CERTIFICATE-----
"""
PEM = re.compile(r"-----BEGIN CERTIFICATE-----(.*?)-----END CERTIFICATE-----", re.DOTALL)
EXTENSIONS_MAX = 32
# ECDSA, as algorithm identifiers have it (RFC 5758, 3.2).
ECDSA = {bytes.fromhex("300a06082a8648ce3d04030" + last): digest
         for last, digest in (("2", "sha256"), ("3", "sha384"), ("4", "sha512"))}
# Keys of authorities, P-256, P-384 and P-521: DER up to the coordinates of an uncompressed point, and their bytes.
AUTHORITY_KEYS = ((KEYS[65] + b"\x04", 64), (bytes.fromhex("3076301006072a8648ce3d020106052b8104002203620004"), 96),
                  (bytes.fromhex("30819b301006072a8648ce3d020106052b810400230381860004"), 132))
# Extensions, by the content of their object identifier; Apple's are 1.2.840.113635.100.8 and one number more.
CONSTRAINTS, KEY_USAGE, EXTENDED_KEY_USAGE = b"\x55\x1d\x13", b"\x55\x1d\x0f", b"\x55\x1d\x25"
NONCE, KEY_PROPERTIES, ACCESS_CONTROL, SYSTEM = (bytes.fromhex("2a864886f7636408") + bytes([last]) for last in (2, 5, 6, 7))
UNDERSTOOD = {CONSTRAINTS, KEY_USAGE, EXTENDED_KEY_USAGE, NONCE, KEY_PROPERTIES, ACCESS_CONTROL, SYSTEM}
# Bits of a key's usage.
DIGITAL_SIGNATURE, KEY_CERT_SIGN = 0x80, 0x04
FAULTS = (ValueError, TypeError, LookupError, AttributeError, RecursionError)


def extension(element):
    """The object identifier of an extension, and whether it is critical, with its bytes."""
    oid, *critical, value = require(element, SEQUENCE).inner
    is_critical = is_true(*critical) if critical else False
    return object_identifier(oid), (is_critical, require(value, OCTET_STRING).content)


class Certificate:
    """One certificate, of which nothing is verified yet."""

    def __init__(self, der):
        try:
            self.read(der)
        except FAULTS:
            raise ValueError("a certificate is malformed") from None

    def read(self, der):
        self.sha256 = hashlib.sha256(der).hexdigest()
        signed, algorithm, signature = one(der, SEQUENCE).inner
        self.signed, self.algorithm = require(signed, SEQUENCE).whole, require(algorithm, SEQUENCE).whole
        self.signature, unused = bits(signature)
        fields = list(signed.inner)
        version = integer(one(fields.pop(0).content, INTEGER)) if fields[0].tag == b"\xa0" else 0
        serial, inner_algorithm, issuer, validity, subject, key, *more = fields
        # Names are compared byte by byte, as RFC 5280, 4.1.2.6, has authorities write them.
        self.issuer, self.subject, self.key = issuer.whole, subject.whole, key.whole
        self.begin, self.end = (microseconds(time) for time in require(validity, SEQUENCE).inner)
        # What else version 2 may have, nobody has.
        listed = one(more.pop().content, SEQUENCE).inner if more and more[-1].tag == b"\xa3" else []
        self.extensions = dict(extension(element) for element in listed)
        if (unused or more or integer(serial) < 0 or inner_algorithm.whole != self.algorithm or version not in (0, 1, 2)
                or version < 2 and listed or not len(self.extensions) == len(listed) <= EXTENSIONS_MAX):
            raise ValueError("it breaks a rule of RFC 5280")

    def value(self, oid):
        """The bytes of an extension, or None."""
        return self.extensions.get(oid, (False, None))[1]

    def constraints(self):
        """Whether it is an authority, and how many more may be below it, or None for any; None if it does not say so."""
        try:
            inner = one(self.value(CONSTRAINTS), SEQUENCE).inner
            if not inner:
                return False, None
            is_authority, *length = inner
            return is_true(is_authority), integer(*length) if length else None
        except FAULTS:
            return None

    def has_usage(self, bit):
        try:
            usage, unused = bits(one(self.value(KEY_USAGE), BIT_STRING))
        except FAULTS:
            return False
        # Nine bits at most, and the last one is 1.
        is_short = len(usage) == 1 and usage[0] & -usage[0] == 1 << unused
        return (is_short or len(usage) == 2 and usage[1] == 0x80 and unused == 7) and usage[0] & bit != 0

    def is_understood(self):
        """Whether the meaning of each critical extension is known here."""
        return all(oid in UNDERSTOOD for oid, (is_critical, _) in self.extensions.items() if is_critical)

    def is_in_force(self, at):
        return self.begin <= at <= self.end

    def signed_by(self, issuer):
        """Whether the issuer's key signed it; `MISSING` if openssl cannot tell."""
        is_known = any(issuer.key.startswith(head) and len(issuer.key) == len(head) + size for head, size in AUTHORITY_KEYS)
        try:
            # Of a longer one openssl reads as much as it takes, and passes the rest.
            numbers = [integer(number) for number in one(self.signature, SEQUENCE).inner]
        except FAULTS:
            numbers = []
        if issuer.subject != self.issuer or self.algorithm not in ECDSA or not is_known or len(numbers) != 2:
            return False
        return ecdsa_outcome(issuer.key, ECDSA[self.algorithm], self.signature, self.signed)


def root_of(pem):
    """The one certificate of a text, of an authority; old roots do not say that they are one."""
    found = PEM.findall(pem)
    if len(found) != 1:
        raise ValueError(f"it has {len(found)} certificates")
    root = Certificate(base64.b64decode("".join(found[0].split()), validate=True))
    if CONSTRAINTS in root.extensions and (root.constraints() or (False,))[0] is not True:
        raise ValueError("it is no authority")
    return root


def allows_authority(root):
    """Whether one more authority may be below it."""
    length = (root.constraints() or (True, None))[1]
    return length is None or length >= 1


APPLE = root_of(APPLE_PEM)


def shown(root):
    return ("Apple's root" if root.sha256 == APPLE.sha256 else "a root that is not Apple's") + ", SHA-256 " + root.sha256


def chain_checks(leaf, intermediate, roots, at):
    """Name and outcome of each check of a chain that has to end in one of the roots, at a moment."""
    outcomes = {root: intermediate.signed_by(root) for root in roots if allows_authority(root)}
    signers = [root for root, outcome in outcomes.items() if outcome is not False]
    signers.sort(key=lambda root: not root.is_in_force(at))
    links = [leaf.signed_by(intermediate)] + [outcomes[root] for root in signers[:1]]
    is_whole = False if len(links) < 2 or False in links else MISSING if MISSING in links else True
    yield named("chain up to " + " or ".join(shown(root) for root in signers[:1] or roots), is_whole), is_whole
    authority, end = intermediate.constraints() or (False,), leaf.constraints() or (True,)
    yield "intermediate is an authority's", (authority[0] and intermediate.extensions[CONSTRAINTS][0]
                                             and intermediate.has_usage(KEY_CERT_SIGN) and intermediate.is_understood())
    yield "leaf is a key's", not end[0] and leaf.has_usage(DIGITAL_SIGNATURE) and leaf.is_understood()
    yield "valid at registered_at", all(certificate.is_in_force(at) for certificate in [leaf, intermediate] + signers[:1])
