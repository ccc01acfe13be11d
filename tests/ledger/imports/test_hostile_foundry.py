"""Foundry's files with wrong bytes: each is read or refused in one sentence, soon and with little memory."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from io import BytesIO
from random import Random
from resource import RUSAGE_SELF, getrusage
from typing import BinaryIO

import pytest

from guided import changed, limited
from ledger.errors import BadInput, quoted
from ledger.imports.foundry_folder import FoundryFolderReader
from ledger.imports.foundry_lines import FoundryLinesReader
from ledger.imports.foundry_list import FoundryListReader
from ledger.imports.leveldb import open_database
from ledger.imports.log_records import ReadingOptions
from level import batch, block, edit, internal, log, table, varint
from logs import KEPT, in_lines

CASES = 10_000
MOST_MEGABYTES = 100
LIST = (KEPT / "messages.json").read_bytes()
LINES = in_lines({"$$indexCreated": {}}, *json.loads(LIST), {"_id": "w4Cz7PkMd2Ag5TuF", "$$deleted": True})
WRITES = [(f"!messages!{each['_id']}".encode(), json.dumps(each).encode()) for each in json.loads(LIST)]


class InMemory:
    """A folder of files in memory."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files

    def names(self) -> list[str]:
        return [*self.files]

    def open_file(self, name: str) -> AbstractContextManager[BinaryIO]:
        if name not in self.files:
            raise BadInput(f"The file {quoted(name)} is missing.")
        return BytesIO(self.files[name])


def read_list(random: Random) -> Iterator[object]:
    yield from FoundryListReader().records(BytesIO(changed(LIST, random, [LIST, LINES])), ReadingOptions())


def read_lines(random: Random) -> Iterator[object]:
    yield from FoundryLinesReader().records(BytesIO(changed(LINES, random, [LIST, LINES])), ReadingOptions())


COPIED_END = b"\0\0" + bytes([2 << 2 | 2, 1, 0]) + b"\0\1\0\0" + bytes([1 << 2 | 2, 1, 0])
"""The numbers 0 and 1 at the end of a block, partly as copies."""


def compressed(data: bytes) -> bytes:
    return varint(len(data)) + bytes([61 << 2]) + (len(data) - 9).to_bytes(2, "little") + data[:-8] + COPIED_END


def read_folder(random: Random) -> Iterator[object]:
    """Change a part of a file before its checksum, or a file after it."""

    def maybe(data: bytes) -> bytes:
        return changed(data, random, [data]) if random.random() < 0.15 else data

    pairs = [(internal(key, number), maybe(value)) for number, (key, value) in enumerate(sorted(WRITES), 1)]
    made = random.choice([block(pairs, 1, lambda data: maybe(compressed(data))), block(pairs, 0, maybe)])
    files = {
        "000005.ldb": maybe(table(made)),
        "000008.log": maybe(log(maybe(batch(9, *WRITES[2:])), maybe(batch(20, *WRITES[:1])))),
    }
    sizes = {5: len(files["000005.ldb"])}
    files |= {"CURRENT": maybe(b"MANIFEST-000002\n"), "MANIFEST-000002": maybe(log(maybe(edit(log=8, added=sizes))))}
    with open_database(InMemory(files)) as database:
        yield from FoundryFolderReader().records(database, ReadingOptions())


@pytest.mark.slow
@pytest.mark.parametrize("read", [read_list, read_lines, read_folder])
def test_wrong_bytes_are_read_or_refused_in_one_sentence(read: Callable[[Random], Iterator[object]]) -> None:
    random, before = Random(43), getrusage(RUSAGE_SELF).ru_maxrss  # noqa: S311  not for secrets
    refusals, numbers = set[str](), set[int]()
    for _ in range(CASES):
        try:
            with limited():
                numbers.add(len(list(read(random))))
        except BadInput as refused:
            refusals.add(refused.sentence)
    assert all("\n" not in sentence and len(sentence) < 200 for sentence in refusals)
    assert {3, 4} <= numbers
    assert refusals or read is read_lines
    assert getrusage(RUSAGE_SELF).ru_maxrss - before < MOST_MEGABYTES * 1024
