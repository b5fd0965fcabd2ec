"""Verifies signatures with the openssl command."""

import os
import subprocess
import tempfile

# What a check may come to beside True and False: what it takes is missing.
MISSING = "missing"
# DER of a SubjectPublicKeyInfo up to the key: by the length of that, an uncompressed point of P-256 or a key of Ed25519.
KEYS = {65: bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d030107034200"),
        32: bytes.fromhex("302a300506032b6570032100")}
# Good signatures, by the length of the key: RFC 6979, A.2.5 ("sample"), and RFC 8032, 7.1 (test 2), as key, signature and
# message. Where openssl refuses these as well, it can verify none: LibreSSL and releases before 3 have no Ed25519 here.
GOOD = {65: (bytes.fromhex("0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
                           "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"),
             bytes.fromhex("3046022100efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
                           "022100f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"), b"sample"),
        32: (bytes.fromhex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"),
             bytes.fromhex("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                           "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"), b"\x72")}
# Of Ed25519: p, and y of the points of small order, modulo p. With such a key anybody signs, and openssl takes it.
P = 2**255 - 19
SMALL_ORDER = {0, 1, P - 1} | {int.from_bytes(bytes.fromhex(y), "little") for y in (
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")}


def is_key(key):
    """Whether it is an uncompressed point of P-256, or a key of Ed25519 that not everybody signs with."""
    if len(key) == 32:
        # The highest bit is the sign of x.
        return int.from_bytes(key, "little") % 2**255 % P not in SMALL_ORDER
    return len(key) == 65 and key[0] == 4


def is_whole(key, signature):
    """Whether a signature ends where it says: of a longer file openssl reads as much as one can have, and passes the rest."""
    if len(key) == 32:
        return len(signature) == 64
    return 2 < len(signature) <= 72 and signature[0] == 0x30 and signature[1] == len(signature) - 2


def openssl_takes(command, key, signature, message):
    """Whether openssl ends well; the command has a place for the file of each, and the key is a SubjectPublicKeyInfo."""
    with tempfile.TemporaryDirectory() as folder:
        names = {name: os.path.join(folder, name) for name in ("key", "signature", "message")}
        for name, content in zip(names.values(), (key, signature, message)):
            with open(name, "wb") as file:
                file.write(content)
        command = ["openssl"] + [part.format(**names) for part in command]
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def is_ecdsa(key, digest, signature, message):
    """ECDSA with the digest of that name, by a key that is a SubjectPublicKeyInfo."""
    command = ["dgst", "-" + digest, "-keyform", "DER", "-verify", "{key}", "-signature", "{signature}", "{message}"]
    return openssl_takes(command, key, signature, message)


def is_signed(key, signature, message):
    """ECDSA with SHA-256, which hashes the message once more, or Ed25519."""
    if not is_whole(key, signature):
        return False
    if len(key) == 65:
        return is_ecdsa(KEYS[65] + key, "sha256", signature, message)
    command = ["pkeyutl", "-verify", "-rawin", "-pubin", "-keyform", "DER", "-inkey", "{key}", "-sigfile", "{signature}",
               "-in", "{message}"]
    return openssl_takes(command, KEYS[32] + key, signature, message)


def outcome(is_good, length):
    """What a verification comes to; `MISSING` where openssl is not there, or cannot tell: by the length of the key."""
    try:
        if is_good():
            return True
        return False if is_signed(*GOOD[length]) else MISSING
    except OSError:
        return MISSING


def signature_outcome(key, signature, message):
    return outcome(lambda: is_signed(key, signature, message), len(key))


def ecdsa_outcome(key, digest, signature, message):
    return outcome(lambda: is_ecdsa(key, digest, signature, message), 65)


def named(name, found):
    """The name of a check of a signature, with the reason if it was not made."""
    return name + (": openssl cannot verify it" if found is MISSING else "")
