"""CRC-32C: the known values, and the values of a plain loop over the bits."""

from random import Random

import pytest

from ledger.imports.crc32c import crc32c, masked_crc32c


def plainly(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def test_the_known_values_come_out() -> None:
    assert crc32c(b"123456789") == 0xE3069283
    assert masked_crc32c(b"123456789") == 0xC78AB0E5
    assert crc32c(b"") == 0
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"\xff" * 32) == 0x62A8AB43


@pytest.mark.parametrize("size", [*range(1, 40), 63, 64, 65, 1000, 4096, 32_767, 32_768, 32_769, 70_000])
def test_each_length_of_data_has_the_checksum_of_a_plain_loop(size: int) -> None:
    data = Random(size).randbytes(size)  # noqa: S311  not for secrets
    assert crc32c(data) == plainly(data)
