"""LevelDB folders: the newest value of each key is read, nothing is written, and no damage stays unnoticed."""

from contextlib import AbstractContextManager
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import pytest

from ledger.errors import BadInput
from ledger.imports import leveldb, leveldb_files
from ledger.imports.leveldb import open_database
from ledger.imports.sources import FolderSource
from level import (
    FIRST,
    FULL,
    LAST,
    MAGIC,
    MIDDLE,
    batch,
    block,
    edit,
    files,
    fixed,
    handle,
    internal,
    lay,
    log,
    part,
    read,
    table,
    values,
    varint,
)


def refusal(folder: Path) -> str:
    with pytest.raises(BadInput) as refused:
        read(folder)
    return refused.value.sentence


def test_the_newest_value_of_a_key_wins_over_all_files(tmp_path: Path) -> None:
    tables = {5: values(3, a=b"new", b=b"old", c=b"old"), 6: values(2, a=b"old", d=b"only"), 7: values(9, c=None)}
    folder = lay(tmp_path / "m", {8: log(batch(10, (b"b", b"new"), (b"e", b"1"), (b"e", b"2")))}, tables)
    assert read(folder) == ({b"a": b"new", b"b": b"new", b"d": b"only", b"e": b"2"}, [])


def test_a_deleted_key_is_never_read(tmp_path: Path) -> None:
    tables = {5: values(3, a=b"secret")}
    assert read(lay(tmp_path / "m", {8: log(batch(10, (b"a", None)))}, tables)) == ({}, [])
    back = log(batch(10, (b"a", None)), batch(11, (b"a", b"back")))
    assert read(lay(tmp_path / "n", {8: back}, tables)) == ({b"a": b"back"}, [])


def test_only_keys_with_the_prefix_are_read(tmp_path: Path) -> None:
    folder = lay(tmp_path / "m", {8: log(batch(1, (b"!actors!a", b"1"), (b"!actors.items!a.b", b"2")))})
    assert read(folder, b"!actors!") == ({b"!actors!a": b"1"}, [])


def test_a_write_that_is_longer_than_a_block_is_put_together(tmp_path: Path) -> None:
    data = log(batch(1, (b"a", b"x" * 100_000)), batch(2, (b"b", b"y" * 32_700)), batch(3, (b"c", b"z")))
    assert read(lay(tmp_path / "m", {8: data}))[0] == {b"a": b"x" * 100_000, b"b": b"y" * 32_700, b"c": b"z"}


def test_both_logs_are_read_while_a_table_is_made_of_the_first(tmp_path: Path) -> None:
    logs = {7: log(batch(1, (b"a", b"1"), (b"b", b"1"))), 8: log(batch(3, (b"a", b"2")))}
    assert read(lay(tmp_path / "m", logs, previous=7, log_number=8))[0] == {b"a": b"2", b"b": b"1"}
    assert read(lay(tmp_path / "n", logs, log_number=7))[0] == {b"a": b"2", b"b": b"1"}


def test_the_newest_write_counts_even_if_it_is_in_the_older_log(tmp_path: Path) -> None:
    logs = {7: log(batch(5, (b"a", b"new"))), 8: log(batch(3, (b"a", b"old")))}
    assert read(lay(tmp_path / "m", logs, log_number=7))[0] == {b"a": b"new"}


def test_files_that_are_left_over_are_ignored(tmp_path: Path) -> None:
    folder = lay(tmp_path / "m", {7: log(batch(1, (b"a", b"1"))), 8: log(batch(3, (b"b", b"2")))}, log_number=8)
    (folder / "000003.ldb").write_bytes(values(9, c=b"3"))
    (folder / "LOG").write_text("hello")
    assert read(folder)[0] == {b"b": b"2"}


def test_a_table_of_an_old_version_has_another_name(tmp_path: Path) -> None:
    folder = lay(tmp_path / "m", {8: b""}, {5: values(3, a=b"1")})
    (folder / "000005.ldb").rename(folder / "000005.sst")
    assert read(folder)[0] == {b"a": b"1"}


def test_removed_tables_are_not_live_and_a_moved_one_is(tmp_path: Path) -> None:
    folder = lay(tmp_path / "m", {8: b""}, {5: values(3, a=b"1"), 6: values(3, b=b"1")})
    size = (folder / "000006.ldb").stat().st_size
    changes = log(edit(log=8, added={5: 1, 6: 1}), edit(removed=[5, 6], added={6: size}))
    (folder / "MANIFEST-000002").write_bytes(changes)
    assert read(folder)[0] == {b"b": b"1"}


def test_space_for_later_records_is_skipped(tmp_path: Path) -> None:
    data = log(batch(1, (b"a", b"1"))) + bytes(500)
    assert read(lay(tmp_path / "m", {8: data.ljust(32_768, b"\0") + log(batch(2, (b"b", b"2")))}))[0] == {
        b"a": b"1",
        b"b": b"2",
    }


def test_an_empty_first_part_of_old_versions_is_harmless(tmp_path: Path) -> None:
    assert read(lay(tmp_path / "m", {8: part(FIRST, b"") + log(batch(1, (b"a", b"1")))}))[0] == {b"a": b"1"}


def test_a_log_whose_number_is_too_long_is_not_one_of_the_database(tmp_path: Path) -> None:
    folder = lay(tmp_path / "m", {8: log(TWO)})
    (folder / f"{'9' * 200}.log").write_bytes(b"x")
    assert read(folder)[0] == {b"a": b"1"}


# Damage


TWO = batch(1, (b"a", b"1"))
WRONG_LOGS = {
    "an earlier record has no end": part(FIRST, TWO) + part(FULL, TWO),
    "it is not a part of a record": part(MIDDLE, TWO),
    "it is not a part of a record ": part(LAST, TWO),
    "it is not a part of a record  ": part(9, TWO),
    "it is longer than its block": part(FULL, TWO)[:4] + fixed(40_000, 2) + b"\1",
    "its checksum is wrong": part(FULL, TWO)[:-1] + b"2",
    "it ends too early": log(fixed(1, 8) + fixed(2, 4) + b"\1\1a\1b"),
    "it has more data than its count says": log(TWO + b"\0"),
    "it has an unknown kind of write operation (2)": log(fixed(1, 8) + fixed(1, 4) + b"\2\1a\1b"),
    "it has a number that is too long": log(fixed(1, 8) + fixed(1, 4) + b"\1" + b"\xff" * 12),
}


@pytest.mark.parametrize("why", WRONG_LOGS)
def test_a_wrong_log_is_refused_with_its_place(tmp_path: Path, why: str) -> None:
    says = refusal(lay(tmp_path / "m", {8: WRONG_LOGS[why]}))
    assert says.startswith("The file '000008.log' is damaged at byte ")
    assert says.endswith(f": {why.strip()}.")


def test_a_log_that_is_not_the_newest_may_not_be_cut_off(tmp_path: Path) -> None:
    folder = lay(tmp_path / "m", {7: log(TWO)[:-1], 8: log(TWO)}, log_number=7)
    assert refusal(folder) == "The file '000007.log' is damaged at byte 0: it ends too early."


@pytest.mark.parametrize("kept", range(1, 70))
def test_everything_before_a_torn_end_of_the_log_is_read(tmp_path: Path, kept: int) -> None:
    records = [log(batch(number, (b"%d" % number, b"value"))) for number in range(1, 4)]
    data = b"".join(records)[:kept]
    whole = [number for number in range(1, 4) if len(b"".join(records[:number])) <= kept]
    contents, notes = read(lay(tmp_path / "m", {8: data}))
    assert contents == {b"%d" % number: b"value" for number in whole}
    start = len(b"".join(records[: len(whole)]))
    note = f"The file '000008.log' ends in the middle of a record (byte {start}). Everything before it was read."
    assert notes == ([] if start == kept else [note])


def test_a_record_without_its_last_part_is_a_torn_end(tmp_path: Path) -> None:
    data = log(TWO, batch(2, (b"b", b"x" * 50_000)))[:32_768]
    contents, notes = read(lay(tmp_path / "m", {8: data}))
    assert (contents, len(notes)) == ({b"a": b"1"}, 1)


def test_the_end_of_the_list_of_files_may_be_torn_too(tmp_path: Path) -> None:
    folder = lay(tmp_path / "m", {8: log(TWO)})
    (folder / "MANIFEST-000002").write_bytes(log(edit(log=8)) + part(FULL, edit(log=9))[:-1])
    assert read(folder) == (
        {b"a": b"1"},
        ["The file 'MANIFEST-000002' ends in the middle of a record (byte 53). Everything before it was read."],
    )


@pytest.mark.parametrize(
    ("record", "why"),
    [
        (edit(), "it does not name a log"),
        (edit(log=8, order=b"other"), "it has an unknown order of keys"),
        (edit(log=8) + b"\x08", "it has an unknown kind of change (8)"),
        (edit(log=8)[:-3], "it ends too early"),
    ],
)
def test_a_wrong_list_of_files_is_refused(tmp_path: Path, record: bytes, why: str) -> None:
    folder = lay(tmp_path / "m", {8: b""})
    (folder / "MANIFEST-000002").write_bytes(log(record))
    assert refusal(folder) == f"The file 'MANIFEST-000002' is damaged at byte 0: {why}."


def test_a_folder_that_names_no_list_of_files_is_refused(tmp_path: Path) -> None:
    folder = lay(tmp_path / "m", {8: b""})
    (folder / "CURRENT").write_bytes(b"../MANIFEST-000002\n")
    assert refusal(folder) == "The file 'CURRENT' is damaged at byte 0: it does not name a list of files."


@pytest.mark.parametrize("name", ["000005.ldb", "000008.log"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    folder = lay(tmp_path / "m", {8: b""}, {5: values(1, a=b"1")})
    (folder / name).unlink()
    assert refusal(folder) == f"The file '{name}' is missing."


def test_a_missing_list_of_files_is_named(tmp_path: Path) -> None:
    folder = lay(tmp_path / "m", {8: b""})
    (folder / "MANIFEST-000002").unlink()
    assert refusal(folder) == "'MANIFEST-000002' cannot be read: No such file or directory."


def test_a_table_of_another_size_is_refused(tmp_path: Path) -> None:
    folder = lay(tmp_path / "m", {8: b""}, {5: values(1, a=b"1")})
    (folder / "000005.ldb").write_bytes(values(1, a=b"1") + b"\0")
    assert refusal(folder) == "The file '000005.ldb' has 95 bytes instead of 94."


def index(*pairs: tuple[bytes, bytes], start: bytes = b"") -> bytes:
    """A table with this index after some bytes."""
    made = block(pairs)
    return start + made + (handle(0, 0) + handle(len(start), len(made) - 5)).ljust(40, b"\0") + MAGIC


SHARED = block([(internal(b"a", 1), b"1")])
EMPTY = block([])
WRONG_TABLES = {
    "it is not the end of a table": values(1, a=b"1")[:-1] + b"\0",
    "it is too long": index((b"k", handle(0, 1 << 25))),
    "it is too long ": index((b"k", handle(90, 80))),
    "it is too long  ": index((b"k", handle(1 << 62, 1))),
    "it is too long   ": table(block([(internal(b"a" * (1 << 12), 1), b"")])),  # a key
    "it ends too early ": index((b"k", b"\5")),
    "its keys are not in order": table(block([(internal(b"b", 1), b""), (internal(b"a", 1), b"")])),
    "its keys are not in order ": table(block([(internal(b"a", 1), b""), (internal(b"a", 1), b"")])),
    "its keys are not in order  ": table(block([(internal(b"a", 1), b""), (internal(b"a", 2), b"")])),
    "its keys are not in order   ": table(SHARED, SHARED),
    "its blocks overlap": index(*[(b"k%d" % number, handle(0, len(EMPTY) - 5)) for number in range(2)], start=EMPTY),
    "its keys are not in order    ": table(block([(b"short", b"")])),
    "its keys are not in order     ": table(block([(b"", b"")], compress=lambda data: b"\1" + data[1:])),
    "it has an unknown kind of write operation (7)": table(block([(internal(b"a", 1, 7), b"")])),
    "it has an unknown compression (2)": table(block([(internal(b"a", 1), b"")], 2)),
    "its compressed data is wrong": table(block([], 1, lambda _: varint(2) + b"\0a")),
    "it ends too early  ": table(block([], compress=lambda _: fixed(9, 4))),
    "it ends too early   ": table(block([], compress=lambda _: b"")),
    "it is larger than 16,777,216 bytes": table(block([], 1, lambda _: varint(1 << 30) + b"\0a")),
}


@pytest.mark.parametrize("why", WRONG_TABLES)
def test_a_wrong_table_is_refused_with_its_place(tmp_path: Path, why: str) -> None:
    says = refusal(lay(tmp_path / "m", {8: b""}, {5: WRONG_TABLES[why]}))
    assert says.startswith("The file '000005.ldb' is damaged at byte ")
    assert says.endswith(f": {why.strip()}.")


def test_a_table_that_is_too_short_is_refused_at_its_start(tmp_path: Path) -> None:
    says = refusal(lay(tmp_path / "m", {8: b""}, {5: b"short"}))
    assert says == "The file '000005.ldb' is damaged at byte 0: it ends too early."


def test_the_largest_block_is_read_and_a_larger_one_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = block([(internal(b"a", 1), b"12345678")])
    folder = lay(tmp_path / "m", {8: b""}, {5: table(first)})
    monkeypatch.setattr(leveldb_files, "LARGEST_BLOCK", len(first) - 5)
    assert read(folder)[0] == {b"a": b"12345678"}
    monkeypatch.setattr(leveldb_files, "LARGEST_BLOCK", len(first) - 6)
    assert refusal(folder).endswith("it is too long.")


def test_compressed_blocks_are_read(tmp_path: Path) -> None:
    def compress(data: bytes) -> bytes:
        return varint(len(data)) + bytes([len(data) - 1 << 2]) + data

    folder = lay(tmp_path / "m", {8: b""}, {5: table(block([(internal(b"a", 1), b"1")], 1, compress))})
    assert read(folder)[0] == {b"a": b"1"}


def test_logs_that_do_not_fit_into_memory_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leveldb, "MOST_BYTES_IN_MEMORY", 100)
    folder = lay(tmp_path / "m", {8: bytes(101)})
    assert refusal(folder) == "The file '000008.log' is larger than 100 bytes."
    (folder / "MANIFEST-000002").write_bytes(bytes(101))
    assert refusal(folder) == "The file 'MANIFEST-000002' is larger than 100 bytes."


# While others use the folder


def test_nothing_is_written_and_no_lock_is_taken(tmp_path: Path) -> None:
    folder = lay(tmp_path / "m", {8: log(TWO)}, {5: values(1, b=b"1")})
    (folder / "LOCK").touch()
    before = files(folder)
    folder.chmod(0o500)
    read(folder)
    folder.chmod(0o700)
    assert files(folder) == before


class Changing:
    """A folder whose list of files is written all the time: after each opening, up to a number of times."""

    def __init__(self, folder: Path, times: int) -> None:
        self.folder, self.times, self.opened = folder, times, 0

    def names(self) -> list[str]:
        return [file.name for file in self.folder.iterdir()]

    def open_file(self, name: str) -> AbstractContextManager[BinaryIO]:
        data = (self.folder / name).read_bytes()
        if name.startswith("MANIFEST") and self.opened < self.times:
            self.opened += 1
            data += log(b"\4" + varint(self.opened))
        return BytesIO(data)


def test_a_folder_that_changes_is_opened_again(tmp_path: Path) -> None:
    with open_database(Changing(lay(tmp_path / "m", {8: log(TWO)}), 4)) as database:
        assert dict(database.documents(b"")) == {b"a": b"1"}


def test_a_folder_that_changes_all_the_time_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput) as refused, open_database(Changing(lay(tmp_path / "m", {8: log(TWO)}), 99)):
        pass
    assert refused.value.sentence == "Foundry is changing these files."
    assert refused.value.hint == "Close the world in Foundry, and repeat the command."


def test_the_digest_is_over_the_names_sizes_and_hashes_of_the_live_files(tmp_path: Path) -> None:
    folder = lay(tmp_path / "m", {8: log(TWO)}, {5: values(1, b=b"1")})
    live = files(folder)
    (folder / "LOG").write_text("hello")
    lines = "".join(f"{name} {len(data)} {sha256(data).hexdigest()}\n" for name, data in sorted(live.items()))
    expected = sha256(lines.encode()).hexdigest(), sum(map(len, live.values()))
    assert FolderSource(file=str(folder)).digest() == expected


def test_a_file_counts_as_progress_when_it_is_read(tmp_path: Path) -> None:
    folder = lay(tmp_path / "m", {8: log(TWO)}, {5: values(1, b=b"1")})
    with FolderSource(file=str(folder)).open() as database:
        assert database.tell() == 0
        list(database.documents(b""))
        assert database.tell() == (folder / "000008.log").stat().st_size + (folder / "000005.ldb").stat().st_size
