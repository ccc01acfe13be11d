"""Checks on all cores: other processes check parts of a journal, and the result is that of a check in one pass."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from runpy import run_path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import connection_of
from evenings import evening
from examples import examples
from ledger.archive.backup import backup
from ledger.audit import parts, report, verify
from ledger.audit.check import no_progress
from ledger.audit.decided import Decided, decided_part
from ledger.audit.parts import OtherProcesses, Part
from ledger.audit.program import program_digest
from ledger.audit.remembered import EarlierCheck, Memory
from ledger.audit.report import PASSES, audit
from ledger.commands.at_table import Note
from ledger.commands.play import PlayMove
from ledger.corrections.answers import Override
from ledger.corrections.undoing import Amend, Undo
from ledger.errors import LedgerError, Refused
from ledger.journal.book import Book, open_book
from ledger.systems.edge.moves_check import Check
from table import every_game, scribe
from tampering import Tamper, rewritten, unguarded

TODAY = "2026-11-22"


@pytest.fixture
def long(book: Book, monkeypatch: pytest.MonkeyPatch) -> Book:
    """A campaign on disk that is checked by three processes: rolls, notes and corrections, by the GM and by a player."""
    monkeypatch.setattr(parts, "cores", lambda: 3)
    monkeypatch.setattr(verify, "LEAST_PER_PROCESS", 10)
    monkeypatch.setattr(report, "LEAST_PER_PROCESS", 10)
    monkeypatch.setattr(verify, "PROCESS_START_COST", 0)
    hand, player = scribe(book), scribe(book, by="p2")
    for number in range(4):
        hand.write(PlayMove(system="edge", move=Check(who="mara", skill=11, edge=True, drop=3)), faces=(7, 3, 7))
        roll = book.head() - 2
        player.write(Note(text=f"note {number}"))
        player.write(Override(about=roll + 1, verdict="fine", good=True, why="so"))
        hand.write(Amend(named=roll + 1, inputs={"skill": 12}, faces=None, cascade=False, why="so"))
        hand.write(Undo())
    assert book.head() > 30
    return book


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Part]]:
    """The parts that this process checked. A second one means that the first run failed."""
    checked: list[Part] = []
    run = parts.on_all_cores

    def watched(journal: Any, check: str, done: int, least: int, own_work: int, progress: Any, work: Any) -> Any:
        def noted(own: Part, elsewhere: OtherProcesses) -> Any:
            checked.append(own)
            return work(own, elsewhere)

        return run(journal, check, done, least, own_work, progress, noted)

    for module in (verify, report):
        monkeypatch.setattr(module, "on_all_cores", watched)
    started: list[Any] = []
    start = parts._Process.__init__

    def noted_start(process: Any, *arguments: Any) -> None:
        start(process, *arguments)
        started.append(process)

    monkeypatch.setattr(parts._Process, "__init__", noted_start)
    yield checked
    assert all(process._process.returncode is not None for process in started)


def alone(check: Any, book: Book, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The result or the error of a check in one pass."""
    with monkeypatch.context() as one_core:
        one_core.setattr(parts, "cores", lambda: 1)
        return result_or_error(check, book)


def result_or_error(check: Any, book: Book) -> Any:
    try:
        return check(book)
    except LedgerError as error:
        return type(error), str(error)


def audited(book: Book) -> Any:
    return audit(book, TODAY).__dict__


def test_verify_in_several_processes_counts_what_one_pass_counts(
    long: Book, runs: list[Part], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    assert verify.verify(long, seen.append) == alone(verify.verify, long, monkeypatch)
    assert (runs[0].first > 1, sum(seen)) == (True, long.head())


def test_an_audit_in_several_processes_finds_what_one_pass_finds(
    long: Book, runs: list[Part], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    found = audit(long, TODAY, seen.append).__dict__
    assert (runs[0].first > 1, sum(seen)) == (True, PASSES * long.head())
    assert found == alone(audited, long, monkeypatch)
    assert found["remarks"]


TAMPERING: list[Tamper] = [
    rewritten(9, lambda body: body.replace('"mara"', '"brak"')),
    rewritten(20, lambda body: body.replace('"by":"p1"', '"by":"p9"')),
    unguarded("UPDATE entries SET leaf = zeroblob(32) WHERE seq IN (12, 30)"),
    unguarded("UPDATE entries SET body = '{}' WHERE seq BETWEEN 10 AND 30"),
    unguarded("UPDATE postings SET amount = 9 WHERE seq > 20"),
    unguarded("DELETE FROM nodes WHERE level = 1 AND place = 5"),
    unguarded("DELETE FROM entries WHERE seq > 28"),
    unguarded("INSERT INTO words VALUES (400, 'text', zeroblob(32), 'x')"),
]


@pytest.mark.parametrize(
    ("check", "tamper"),
    [*((verify.verify, tamper) for tamper in TAMPERING), (audited, TAMPERING[0]), (audited, TAMPERING[4])],
)
def test_several_processes_name_the_first_fault(
    long: Book, runs: list[Part], check: Any, tamper: Tamper, monkeypatch: pytest.MonkeyPatch
) -> None:
    tamper(connection_of(long))
    wrong = result_or_error(check, long)
    assert wrong == alone(check, long, monkeypatch)
    assert issubclass(wrong[0], LedgerError)


def test_a_campaign_in_memory_is_checked_by_one_process(runs: list[Part], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "cores", lambda: 3)
    monkeypatch.setattr(verify, "LEAST_PER_PROCESS", 10)
    with every_game() as book:
        assert verify.verify(book).entries == book.head()
        assert runs == [Part(1, None)]


@pytest.mark.parametrize("program", ["/bin/false", "/bin/echo", "/nowhere"])
def test_a_check_goes_on_without_processes_that_fail(
    long: Book, runs: list[Part], program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", program)
    seen: list[int] = []
    assert verify.verify(long, seen.append).entries == long.head()
    assert runs[-1] == Part(1, None)
    assert sum(seen) <= long.head()


@pytest.mark.parametrize(
    "other",
    [
        unguarded("UPDATE entries SET leaf = zeroblob(32) WHERE seq = 9"),
        unguarded("UPDATE words SET text = 'x' WHERE seq = 1"),
        unguarded("UPDATE postings SET amount = 9 WHERE seq = 5"),
        unguarded("UPDATE nodes SET hash = zeroblob(32) WHERE level = 1 AND place = 0"),
    ],
)
def test_a_process_that_reads_another_file_does_not_count(
    long: Book, runs: list[Part], tmp_path: Path, other: Tamper, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(str(long.journal.storage.address()))
    backup(long, str(tmp_path / "honest.campaign"))
    other(connection_of(long))
    (tmp_path / "honest.campaign").rename(path)  # the other processes find nothing wrong
    with pytest.raises(LedgerError):
        verify.verify(long)
    assert runs[-1] == Part(1, None)


def test_a_process_that_runs_another_program_does_not_count(
    long: Book, runs: list[Part], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "program_digest", lambda: "another")
    assert verify.verify(long).entries == long.head()
    assert runs[-1] == Part(1, None)


def test_a_process_that_nobody_listens_to_ends(long: Book, runs: list[Part], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(process: Any) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(parts._Process, "start", fail)
    assert verify.verify(long).entries == long.head()


def test_a_campaign_whose_path_is_not_utf_8_is_checked_by_one_process(
    long: Book, runs: list[Part], tmp_path: Path
) -> None:
    file = os.path.join(os.fsencode(tmp_path), b"\xff.campaign")
    backup(long, str(tmp_path / "copy.campaign"))
    os.rename(tmp_path / "copy.campaign", file)
    with open_book(os.fsdecode(file)) as book:
        assert verify.verify(book).entries == long.head()
    assert runs[-1] == Part(1, None)


def test_several_processes_check_what_is_new(long: Book, runs: list[Part], tmp_path: Path) -> None:
    done = 7
    home, found = str(tmp_path / "home"), verify.verify_part(long, 1, done).__dict__
    memory = Memory(home, "verify", TODAY)
    memory.earlier_check = EarlierCheck(entries=done, since=TODAY, found=found)
    memory.recall = lambda book: memory.earlier_check  # type: ignore[method-assign]  # as if a check of few entries were remembered
    assert verify.verify(long, memory=memory) == verify.verify(long)
    assert runs[0].first > done


def test_a_check_that_is_stopped_ends_its_processes(long: Book, runs: list[Part]) -> None:
    def stop(entries: int) -> None:
        raise Refused("Stop.")

    with pytest.raises(Refused, match="Stop"):
        verify.verify(long, stop)
    with pytest.raises(KeyboardInterrupt):
        audit(long, TODAY, lambda _: (_ for _ in ()).throw(KeyboardInterrupt))


def test_a_process_sends_its_progress_and_its_result(
    long: Book, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    part = (str(long.journal.storage.address()), "ledger.audit.verify:verified_part", "1", "7")
    counts = '{"entries": 7, "postings": 15, "marks": 12, "words": 3, "away": 0}'
    (digest,) = long.journal.storage.digests([7])
    result = f'{{"program": "{program_digest()}", "digest": "{digest}", "result": {counts}}}'
    monkeypatch.setattr(parts, "REPORT_EVERY", 4)
    parts.main(*part)
    assert capsys.readouterr().out.splitlines() == ["4", "3", result]
    monkeypatch.setattr("sys.argv", ["parts.py", *part])
    run_path(parts.__file__, run_name="__main__")
    assert capsys.readouterr().out.splitlines() == ["7", result]


@examples(40)
@given(data=st.data())
def test_parts_that_are_decided_separately_find_what_one_pass_finds(data: Any) -> None:
    with every_game() as book:
        evening(data.draw, book, 9)
        starts = [entry.seq for entry in book.journal.entries(2) if entry.act == entry.seq]
        cuts = sorted(data.draw(st.sets(st.sampled_from(starts), max_size=3)))
        lasts = [*(cut - 1 for cut in cuts), book.head()]
        whole, joined = Decided(), Decided()
        whole.decide(book, 1, None, no_progress)
        for part in zip([1, *cuts], lasts, strict=True):
            joined.add(json.loads(json.dumps(decided_part(book, *part, no_progress))))
        assert joined.__dict__ == whole.__dict__


def test_all_parts_start_with_an_action(long: Book) -> None:
    for least in range(3, long.head()):
        own_work = Random(least).randint(-5, 20)  # noqa: S311  not for secrets
        found = parts._split(long.journal, 0, least, own_work)
        assert [part.first for part in found] == [1, *((part.last or 0) + 1 for part in found[:-1])]
        assert all(long.entry(part.first).act == part.first for part in found if part.first <= long.head())
        assert found[-1].last is None
