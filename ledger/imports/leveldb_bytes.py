"""A reader of bytes of a LevelDB file: numbers and texts one after another, none of which may be cut off."""

from __future__ import annotations

MOST_VARINT_BYTES = 10


class DamagedPart(Exception):
    """The error for damage in a file. The place of the damage is the number of bytes before it."""

    def __init__(self, place: int, why: str) -> None:
        super().__init__(place, why)
        self.place = place
        self.why = why


class ByteReader:
    """A reader of the bytes of a part of a file, from start to end.

    `place` is where the part starts in the file. `at` is the index of the next byte to read.
    """

    def __init__(self, data: bytes, place: int) -> None:
        self._data = data
        self.at = 0
        self.place = place

    @property
    def is_read(self) -> bool:
        """True at the end of the data."""
        return self.at == len(self._data)

    def next_bytes(self, size: int) -> bytes:
        """Read and return the next `size` bytes. Raise `DamagedPart` if fewer are left, or if `size` is negative."""
        start, self.at = self.at, self.at + size
        if not start <= self.at <= len(self._data):
            raise DamagedPart(self.place, "it ends too early")
        return self._data[start : self.at]

    def next_number(self, size: int) -> int:
        """Read the whole number in the next `size` bytes."""
        return int.from_bytes(self.next_bytes(size), "little")

    def next_varint(self) -> int:
        """Read the next whole number: seven bits in each byte. The highest bit of a byte says that more follow."""
        result = shift = 0
        for byte in self._data[self.at : self.at + MOST_VARINT_BYTES]:
            result |= (byte & 127) << shift
            shift += 7
            if byte == byte & 127:
                self.at += shift // 7
                return result
        self.next_bytes(MOST_VARINT_BYTES)
        raise DamagedPart(self.place, "it has a number that is too long")

    def next_text(self) -> bytes:
        """Read the next text, which has its length before it."""
        return self.next_bytes(self.next_varint())
