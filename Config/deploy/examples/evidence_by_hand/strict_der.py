"""Reads DER (X.690, 10), in which each value has one form."""

import collections
import datetime
import re

# Tag and length, each in as few bytes as can be. A tag's number above 30, as in Apple's extensions, follows its first byte.
HEADER = re.compile(rb"([\x1f\x3f\x5f\x7f\x9f\xbf\xdf\xff](?:[\x1f-\x7f]|[\x81-\xff][\x80-\xff]*[\x00-\x7f])"
                    rb"|[^\x00\x1f\x3f\x5f\x7f\x9f\xbf\xdf\xff])([\x00-\x7f]|\x81[\x80-\xff]|\x82[\x01-\xff].)", re.DOTALL)
BOOLEAN, INTEGER, BIT_STRING, OCTET_STRING, OID, SEQUENCE = (bytes([tag]) for tag in (1, 2, 3, 4, 6, 0x30))
# What an object identifier consists of.
NUMBERS = re.compile(rb"(?:[\x00-\x7f]|[\x81-\xff][\x80-\xff]*[\x00-\x7f])+", re.DOTALL)
DEPTH_MAX = 50
# Times (RFC 5280, 4.1.2.5): a year of two digits is one of 1950 to 2049.
UTC_TIME, GENERALIZED_TIME = b"\x17", b"\x18"
TIMES = {UTC_TIME: re.compile(rb"(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z"),
         GENERALIZED_TIME: re.compile(rb"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z")}

Element = collections.namedtuple("Element", "tag content whole inner")


def elements(data, depth=0):
    """The elements that the bytes consist of, each with those within it."""
    if depth > DEPTH_MAX:
        raise ValueError("DER is nested too deep")
    found, at = [], 0
    while at < len(data):
        header = HEADER.match(data, at)
        if header is None:
            raise ValueError("DER has a tag or a length that is none")
        tag, length = header.groups()
        end = header.end() + int.from_bytes(length if len(length) == 1 else length[1:], "big")
        if end > len(data):
            raise ValueError("DER ends too soon")
        content = data[header.end():end]
        inner = elements(content, depth + 1) if tag[0] & 0x20 else None
        found.append(Element(tag, content, data[at:end], inner))
        at = end
    return found


def require(element, tag):
    if element.tag != tag:
        raise ValueError("DER has another element than it should")
    return element


def one(data, tag):
    """The only element of the bytes."""
    element, = elements(data)
    return require(element, tag)


def integer(element):
    content = require(element, INTEGER).content
    # Nine bits at the beginning that are the same are one too many bytes.
    if not content or len(content) > 1 and content[0] in (0, 0xFF) and (content[0] ^ content[1]) < 0x80:
        raise ValueError("DER has a number in more bytes than it takes")
    return int.from_bytes(content, "big", signed=True)


def object_identifier(element):
    """The bytes of its numbers."""
    content = require(element, OID).content
    if NUMBERS.fullmatch(content) is None:
        raise ValueError("DER has an object identifier that is none")
    return content


def is_true(element):
    """A boolean that is left out where it is False."""
    if require(element, BOOLEAN).content != b"\xff":
        raise ValueError("DER has a boolean that is none")
    return True


def bits(element):
    """The bytes of a bit string, and how many bits at their end do not count: these are 0."""
    content = require(element, BIT_STRING).content
    unused, rest = content[0], content[1:]
    if unused > (7 if rest else 0) or rest and rest[-1] & ((1 << unused) - 1):
        raise ValueError("DER has bits that are none")
    return rest, unused


def microseconds(element):
    """A time, in microseconds since the year 0."""
    year, *others, second = (int(number) for number in TIMES[element.tag].fullmatch(element.content).groups())
    if element.tag == UTC_TIME:
        year += 1900 if year >= 50 else 2000
    time = datetime.datetime(year, *others)
    if second > 61:
        raise ValueError("DER has a time that is none")
    # Python counts from the first day of year 1, before which there are 366.
    days = time.toordinal() + 365
    return (days * 86400 + time.hour * 3600 + time.minute * 60 + second) * 1000000
