"""Reads CBOR as strictly as what an app signs is read (RFC 8949, 4.2.1, but for the order of keys)."""

import struct

DEPTH_MAX, ITEMS_MAX = 4, 256
# Floats, by the number of their bytes.
FLOATS = {2: ">e", 4: ">f", 8: ">d"}


def is_shortest(content):
    """Whether a float has the fewest bytes that keep it; what is no number has one form."""
    number, shorter = struct.unpack(FLOATS[len(content)], content)[0], FLOATS.get(len(content) // 2)
    if number != number:
        return content == b"\x7e\x00"
    try:
        return shorter is None or struct.unpack(shorter, struct.pack(shorter, number))[0] != number
    except OverflowError:
        return True


class Reader:
    """Reads one value after another; `name` is what a fault calls the bytes."""

    def __init__(self, data, at=0, name="the assertion"):
        self.data, self.at, self.name, self.items = data, at, name, 0

    def refuse(self, fault):
        raise ValueError(f"{self.name} {fault}")

    def take(self, size):
        if size > len(self.data) - self.at:
            self.refuse("ends too soon")
        self.at += size
        return self.data[self.at - size:self.at]

    def number(self, size):
        """What the first byte says, or the bytes behind it, which have to be as few as can be."""
        if size < 24:
            return size
        if size > 27:
            self.refuse("has a length that is none")
        number = int.from_bytes(self.take(1 << (size - 24)), "big")
        if number < (24, 1 << 8, 1 << 16, 1 << 32)[size - 24]:
            self.refuse("has a number in more bytes than it takes")
        return number

    def simple(self, size):
        """Moves behind a simple value, or a float in the fewest bytes that keep it."""
        if size == 24 and self.take(1)[0] < 32 or size > 27:
            self.refuse("has a value that is reserved")
        if size > 24 and not is_shortest(self.take(1 << (size - 24))):
            self.refuse("has a number in more bytes than it takes")

    def value(self, depth=0):
        """A whole number, bytes, a text, a list, or a map; what has no other use is None."""
        self.items += 1
        kind, size = divmod(self.take(1)[0], 32)
        depth += kind in (4, 5, 6)
        if depth > DEPTH_MAX or self.items > ITEMS_MAX:
            self.refuse("is deeper or has more in it than any")
        if kind == 7:
            return self.simple(size)
        size = self.number(size)
        if kind in (0, 1):
            return size if kind == 0 else -1 - size
        if kind in (2, 3):
            return self.take(size) if kind == 2 else self.take(size).decode()
        if kind == 5:
            return self.pairs(size, depth)
        # A list, or the one value behind a tag.
        values = []
        for _ in range(size if kind == 4 else 1):
            values.append(self.value(depth))
        return values if kind == 4 else None

    def pairs(self, size, depth):
        """The members of a map by their names, those by their bytes whose name is neither a text nor a number."""
        names, pairs = set(), {}
        for _ in range(size):
            start = self.at
            name = self.value(depth)
            # What is equal has the same bytes.
            encoded = self.data[start:self.at]
            if encoded in names:
                raise ValueError(f"a member of {self.name} is there twice")
            names.add(encoded)
            pairs[name if isinstance(name, (str, int)) else encoded] = self.value(depth)
        return pairs
