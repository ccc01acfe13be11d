"""CRC-32C: the checksum that LevelDB keeps of each block (Castagnoli's polynomial, reflected).

The bits of the data are the coefficients of a polynomial. The checksum is the remainder after a division by
`POLYNOMIAL`. Each step makes the polynomial shorter and keeps its remainder. Python's long integers add all
coefficients at once, so a few steps are much faster than a loop over bytes.
"""

from __future__ import annotations

ALL_ONES = 0xFFFFFFFF
POLYNOMIAL = 0x11EDC6F41
MASK_DELTA = 0xA282EAD8
PART_BYTES = 1 << 15
"""The number of bytes that are checked as one polynomial."""

_MIRRORED_BYTES = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def crc32c(data: bytes) -> int:
    """Return the CRC-32C of the data, without the mask that LevelDB adds."""
    state = ALL_ONES
    for start in range(0, len(data), PART_BYTES):
        part = data[start : start + PART_BYTES]
        value = int.from_bytes(part.translate(_MIRRORED_BYTES), "big") << 32 ^ state << 8 * len(part)
        for bits, low, places in _FOLDING_TABLE:
            while high := value >> bits:
                value &= low
                for place in places:
                    value ^= high << place
        state = value
    return int(f"{state:032b}"[::-1], 2) ^ ALL_ONES


def masked_crc32c(data: bytes) -> int:
    """Return the CRC-32C in the form in which LevelDB stores it."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + MASK_DELTA) & ALL_ONES


def _folding_table() -> tuple[tuple[int, int, tuple[int, ...]], ...]:
    """Return the table for shortening a polynomial in steps. Each step halves the length.

    The table has one row for each power of two, from 2¹⁸ bits down to 2⁵. A row has the number of low bits to
    keep, the mask for these bits, and the places where the cut-off high bits are added back.
    """
    folds, remainder = [], POLYNOMIAL & ALL_ONES
    for power in range(5, 19):
        places = tuple(place for place in range(32) if remainder >> place & 1)
        folds.append((1 << power, (1 << (1 << power)) - 1, places))
        remainder = sum(1 << 2 * place for place in places)  # squared
        for place in range(63, 31, -1):
            if remainder >> place & 1:
                remainder ^= POLYNOMIAL << place - 32
    return tuple(reversed(folds))


_FOLDING_TABLE = _folding_table()
