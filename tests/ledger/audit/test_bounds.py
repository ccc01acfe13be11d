"""Numbers beyond all that is ever written, by the hand of somebody who wrote the file: every command answers at once."""

import resource
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import connection_of
from examples import some
from laid import PLAYED, laid_out
from ledger.journal.book import open_book
from tampering import Tamper, rewritten, unguarded

COLUMNS = (
    ("entries", "seq"),
    ("postings", "seq"),
    ("postings", "since"),
    ("postings", "amount"),
    ("postings", "balance"),
    ("marks", "since"),
    ("marks", "seq"),
    ("words", "seq"),
    ("nodes", "level"),
    ("nodes", "place"),
    ("checkpoints", "size"),
)
"""Every column of numbers, with its table."""

NUMBERS = (2**62, 2**63 - 1, -1, 0, 10**11, 2**62 + 1)
WAYS = ("moved", "added")
CASES = [(*column, number, way) for number in NUMBERS for way in WAYS for column in COLUMNS]
DERIVED = ("postings", "marks", "nodes")

COMMANDS = ("verify", "export out", "audit", "log", "sheets", "rebuild")
SECONDS, BYTES = 10, 2**30


@pytest.fixture
def road(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A campaign with something in every table; we are in its folder, with little memory."""
    file = laid_out(tmp_path, *PLAYED, "key rotate", "checkpoint")
    monkeypatch.chdir(tmp_path)
    return file


@pytest.fixture(autouse=True)
def _little_memory() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + BYTES, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def tampered(file: Path, tamper: Tamper) -> None:
    with open_book(str(file)) as book:
        tamper(connection_of(book))


def extreme(table: str, column: str, number: int, way: str) -> Tamper:
    """Give a row this number: the one with the greatest, or a copy of it."""
    moves = (f"DELETE FROM {table} WHERE {column} = (SELECT {column} FROM moved)",) if way == "moved" else ()
    fits = f", body = json_set(body, '$.seq', {number}, '$.since', {number}, '$.act', {number})"
    return unguarded(
        "PRAGMA ignore_check_constraints = ON",
        f"CREATE TEMP TABLE moved AS SELECT * FROM {table} ORDER BY {column} DESC LIMIT 1",
        *moves,
        f"UPDATE moved SET {column} = {number}{fits if table == 'entries' else ''}",
        f"INSERT OR REPLACE INTO {table} SELECT * FROM moved",
    )


def answered(type_in: Callable[..., Any], words: str) -> Any:
    """What a command answers, within the time that it has."""

    def late(*_: object) -> None:
        raise TimeoutError(words)

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        return type_in(words)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(("table", "column", "number", "way"), some(CASES))
def test_a_number_beyond_all_that_is_written_is_refused_and_ends_no_command(
    road: Path, type_in: Callable[..., Any], table: str, column: str, number: int, way: str
) -> None:
    tampered(road, extreme(table, column, number, way))
    results = {words: answered(type_in, words) for words in COMMANDS}
    for words, result in results.items():
        assert result.exit_code in {0, 6}, (words, result.output)
        assert "Traceback" not in result.output
    assert results["verify"].exit_code == results["audit"].exit_code == 6
    assert ("the scores and lists computed from them are not" in results["verify"].stderr) is (table in DERIVED)
    if table in DERIVED:
        assert results["rebuild"].exit_code == answered(type_in, "verify").exit_code == 0
    else:
        assert results["rebuild"].exit_code == 6


def test_an_entry_far_beyond_the_last_is_seen_by_every_command(road: Path, type_in: Callable[..., Any]) -> None:
    tampered(road, extreme("entries", "seq", 2**62 + 1, "added"))
    for words in (*COMMANDS, "note x", "undo"):
        result = answered(type_in, words)
        assert (result.exit_code, result.stdout) == (6, "")
        assert "the number 4611686018427387905, which is too large" in result.stderr


def test_a_gap_between_entries_is_named_by_whoever_reads_over_it(road: Path, type_in: Callable[..., Any]) -> None:
    tampered(road, extreme("entries", "seq", 10**11, "added"))
    for words in ("verify", "export out", "rebuild"):
        assert "Entry 25 is missing; the last good entry is 24." in answered(type_in, words).stderr
    assert "The file is damaged: entry 99999999999 is missing." in answered(type_in, "log").stderr
    assert not Path("out").exists()


def test_words_of_an_entry_that_cannot_be_are_not_passed_over(road: Path, type_in: Callable[..., Any]) -> None:
    tampered(road, unguarded("INSERT INTO words SELECT 0, field, salt, text FROM words WHERE seq = 1"))
    assert "Entry 1 comes after a text that belongs to entry 0; there is no earlier entry." in type_in("verify").stderr
    tampered(road, unguarded("DELETE FROM words WHERE seq = 1"))
    assert "Entry 1 has lost its text" in type_in("verify").stderr


def test_a_head_of_entries_that_are_not_there_is_not_exported(road: Path, type_in: Callable[..., Any]) -> None:
    tampered(road, extreme("checkpoints", "size", 10**11, "added"))
    result = answered(type_in, "export out")
    assert (result.exit_code, result.stdout, Path("out").exists()) == (6, "", False)
    assert "The file has 24 entries, but one of its checkpoints covers 100,000,000,000 entries." in result.stderr


SUMS = {
    "a balance": ("UPDATE postings SET balance = 9223372036854775807", "void 11 --why x --yes"),
    "a sum": ("UPDATE postings SET amount = 9223372036854775807, since = 1 WHERE seq > 1", "sheets --corrected --at 7"),
}  # fmt: skip


@pytest.mark.parametrize("what", SUMS)
def test_what_adds_up_to_no_number_is_refused_and_nothing_is_written(
    road: Path, type_in: Callable[..., Any], what: str
) -> None:
    statement, words = SUMS[what]
    tampered(road, unguarded(statement))
    before = road.read_bytes()
    result = answered(type_in, words)
    assert (result.exit_code, result.stdout, road.read_bytes()) == (6, "", before)
    assert "it has a number that is too large" in result.stderr


@pytest.mark.parametrize(
    ("field", "number"), some([(field, n) for n in (*NUMBERS, 2**70, 25) for field in ("since", "act", "cause")])
)
def test_a_place_beyond_all_that_is_written_ends_no_command(
    road: Path, type_in: Callable[..., Any], field: str, number: int
) -> None:
    was = "null" if field == "cause" else "24"
    tampered(road, rewritten(24, lambda body: body.replace(f'"{field}":{was}', f'"{field}":{number}')))
    for words in (*COMMANDS, "note x", "undo"):
        result = answered(type_in, words)
        assert result.exit_code in {0, 6}, (words, result.output)
    assert type_in("verify").exit_code == 6
