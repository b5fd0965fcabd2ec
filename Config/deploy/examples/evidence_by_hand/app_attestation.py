"""Checks an attestation as Apple's "Validating apps that connect to your server" has it: whose key it is.

The receipt in it is not looked at: nobody signed it together with the rest.
"""

import hashlib

from .certificates import KEY_PROPERTIES, NONCE, Certificate, chain_checks
from .signatures import KEYS
from .strict_cbor import Reader
from .strict_der import OCTET_STRING, SEQUENCE, one

BYTES_MAX = 16384
ENVIRONMENTS = {b"appattest" + bytes(7): "production", b"appattestdevelop": "development"}
# DER before the 32 bytes of the nonce: a sequence, the tag 1, an octet string. And the tag 1204, which the app id has.
NONCE_HEAD, APP_ID_TAG = bytes.fromhex("3024a1220420"), b"\xbf\x89\x34"
# Flags of the authenticator data: a credential, and extensions, which may be there without the flag.
HAS_CREDENTIAL, HAS_EXTENSIONS = 0x40, 0x80
# Of a COSE key: the type EC2, the algorithm ES256, the curve P-256; and where its coordinates are.
KIND, X, Y = {1: 2, 3: -7, -1: 1}, -2, -3


def opened(content):
    """The leaf, the intermediate and the authenticator data; anything else is no attestation."""
    if len(content) > BYTES_MAX:
        raise ValueError("it has more than %d bytes" % BYTES_MAX)
    reader = Reader(content, name="the attestation")
    fields = reader.value()
    if reader.at != len(content) or not isinstance(fields, dict):
        raise ValueError("it is not one map")
    statement, data = fields.get("attStmt"), fields.get("authData")
    if fields.get("fmt") != "apple-appattest" or not isinstance(statement, dict) or not isinstance(data, bytes):
        raise ValueError("it is of another format, or lacks a part")
    certificates = statement.get("x5c")
    if not isinstance(certificates, list) or [type(der) for der in certificates] != [bytes, bytes]:
        raise ValueError("x5c is not two certificates")
    if not isinstance(statement.get("receipt", b""), bytes):
        raise ValueError("the receipt is no bytes")
    leaf, intermediate = (Certificate(der) for der in certificates)
    return leaf, intermediate, data


def credential(data):
    """The id of the credential and its key, as a point, from authenticator data."""
    if len(data) < 87 or not data[32] & HAS_CREDENTIAL or data[53:55] != b"\x00\x20":
        raise ValueError("the authenticator data have no credential")
    reader = Reader(data, 87, "the attested key")
    key = reader.value()
    if not isinstance(key, dict) or len(key) != 5 or any(key.get(name) != value for name, value in KIND.items()):
        raise ValueError("the attested key is of another kind")
    point = [key.get(X), key.get(Y)]
    if not all(isinstance(number, bytes) and len(number) == 32 for number in point):
        raise ValueError("the attested key is of another kind")
    behind = Reader(data, reader.at, "what is behind the attested key")
    if behind.at == len(data):
        # Where nothing follows, the flag of extensions must not promise it.
        is_whole = not data[32] & HAS_EXTENSIONS
    else:
        is_whole = isinstance(behind.value(), dict) and behind.at == len(data)
    if not is_whole:
        raise ValueError("what is behind the attested key is not one map")
    return data[55:87], b"\x04" + b"".join(point)


def certified_app_id(leaf):
    """The app id that Apple wrote beside the key; None if it is not there, or not as in all leaves that are known."""
    try:
        found = None
        for element in one(leaf.value(KEY_PROPERTIES), SEQUENCE).inner:
            if element.tag == APP_ID_TAG:
                found = next((inner.content for inner in element.inner if inner.tag == OCTET_STRING), None)
        return found
    except (ValueError, TypeError, LookupError):
        return None


def attestation_checks(content, client_data_hash, key_id, public_key, app_id, environments, roots, at):
    """Name and outcome of each check, at a moment."""
    try:
        leaf, intermediate, data = opened(content)
        credential_id, point = credential(data)
    except (ValueError, RecursionError) as fault:
        yield f"it cannot be read: {fault}", False
        return
    yield from chain_checks(leaf, intermediate, roots, at)
    yield "nonce", leaf.value(NONCE) == NONCE_HEAD + hashlib.sha256(data + client_data_hash).digest()
    # The leaf's key, once more in the authenticator data, once more in the document; and its digest in both.
    yield "key", leaf.key == KEYS[65] + point
    if public_key is not None:
        yield "key is public_key", public_key == point
    yield "key_id", hashlib.sha256(point).digest() == credential_id == key_id
    is_of_app = data[:32] == hashlib.sha256(app_id.encode()).digest()
    yield "app", is_of_app and certified_app_id(leaf) in (None, app_id.encode())
    yield "counter is 0", data[33:37] == bytes(4)
    environment = ENVIRONMENTS.get(data[37:53])
    yield f"environment: {environment or 'none that is known'}", environment in environments
