"""LevelDB folders that LevelDB itself wrote: the same contents, and no flipped byte of a table changes them."""

import json
import sys
from pathlib import Path
from random import Random
from subprocess import PIPE, Popen
from typing import Any

import pytest

from ledger.errors import BadInput
from level import files, read

plyvel = pytest.importorskip("plyvel")


def play(database: Any, random: Random, keys: list[bytes]) -> None:
    """Write, delete and compact, as a program might."""
    for _ in range(random.randint(0, 300)):
        key, kind = random.choice(keys), random.random()
        if kind < 0.7:
            sentence = json.dumps({"_id": key.hex(), "content": "hello world " * random.randint(0, 40)}).encode()
            noise, repeated = random.randbytes(random.randint(0, 200)), b"ab" * random.randint(0, 3000)
            database.put(key, random.choice([sentence, noise, repeated]))
        elif kind < 0.95:
            database.delete(key)
        elif kind < 0.97:
            database.compact_range()
        else:
            with database.write_batch() as batch:
                for _ in range(random.randint(0, 30)):
                    batch.put(random.choice(keys), random.randbytes(random.randint(0, 3000)))


@pytest.mark.parametrize("seed", range(25))
def test_random_writes_and_compactions_are_read_as_leveldb_reads_them(tmp_path: Path, seed: int) -> None:
    random = Random(seed)  # noqa: S311  not for secrets
    keys = [b"!messages!%d" % number for number in range(random.choice([3, 50, 800]))] + [b"", b"\0", b"\xff" * 3]
    for _ in range(random.randint(1, 5)):
        database = plyvel.DB(
            str(tmp_path / "m"),
            create_if_missing=True,
            write_buffer_size=random.choice([1 << 16, 4 << 20]),
            compression=random.choice([None, "snappy"]),
            block_size=random.choice([256, 4096]),
            bloom_filter_bits=random.choice([0, 10]),
        )
        play(database, random, keys)
        expected = dict(database)
        database.close()
        before = files(tmp_path / "m")
        assert read(tmp_path / "m") == (expected, [])
        assert files(tmp_path / "m") == before


HOLD = """
import sys, plyvel
database = plyvel.DB(sys.argv[1])
database.put(b"new", b"1")
print("open", flush=True)
sys.stdin.read()
"""


def test_a_folder_is_read_while_another_program_holds_its_lock(tmp_path: Path) -> None:
    folder = closed(tmp_path / "m", "snappy")
    expected = read(folder)[0] | {b"new": b"1"}
    with Popen([sys.executable, "-c", HOLD, str(folder)], stdin=PIPE, stdout=PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        assert read(folder) == (expected, [])
        other.communicate()


def closed(folder: Path, compression: str | None) -> Path:
    """A small database with a table, a newer value in the log, and a deleted key."""
    for number in range(3):
        database = plyvel.DB(str(folder), create_if_missing=True, compression=compression)
        for key in b"abc":
            database.put(b"!messages!%d" % key, b'{"_id": "%d", "content": "%d%d%d"}' % (key, number, number, number))
        database.delete(b"!messages!99")
        database.close()
    return folder


@pytest.mark.parametrize("compression", [None, "snappy"])
def test_a_flipped_byte_is_refused_or_harmless(tmp_path: Path, compression: str | None) -> None:
    folder = closed(tmp_path / "m", compression)
    before = read(folder)
    assert len(before[0]) == 2
    for file in folder.iterdir():
        if file.name in {"LOCK", "LOG", "LOG.old"}:
            continue
        data = file.read_bytes()
        for place in range(len(data)):
            file.write_bytes(data[:place] + bytes([data[place] ^ 0x41]) + data[place + 1 :])
            try:
                after = read(folder)
            except BadInput:
                continue
            assert after == before or (after[1] and file.suffix != ".ldb"), f"{file.name}, byte {place}"
        file.write_bytes(data)
