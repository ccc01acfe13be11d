"""SySCards: what the first edition left is gone on with, and its rolls are read as they were written."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ford import DUEL, at_the_ford, kinds, mark, play, said, score
from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.corrections.answers import Choose
from ledger.corrections.undoing import Amend
from ledger.journal.book import Book, open_book
from ledger.systems.syscards import SYSTEM
from ledger.systems.syscards.moves import Reject
from ledger.systems.syscards.moves_acts import ThrowPercentile
from ledger.systems.syscards.moves_challenges import Clash
from paths import GOLDEN
from projections.log import line
from table import scribe

TODAY = "2026-11-22"


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Book]:
    """A copy of a campaign of the first editions: a declared rate, a rejection, and a challenge of mara and brak."""
    shutil.copy(GOLDEN / "campaigns" / "first-editions.campaign", tmp_path / "old.campaign")
    with open_book(str(tmp_path / "old.campaign")) as book:
        yield book


def clash_of(book: Book) -> int:
    """The entry of the old challenge."""
    return next(entry.seq for entry in map(book.entry, range(1, book.head())) if entry.body.get("move") == "clash")


def test_sys_02_dice_that_the_first_edition_wrote_in_one_entry_are_still_right(old: Book) -> None:
    report = audit(old, TODAY)
    assert not report.findings
    assert not [remark for remark in report.remarks if "setting" in remark.says]  # new settings change no old ruling
    clash = old.entry(clash_of(old))
    assert line(old, old.action(clash.act)).further[0].dice == "60 20"
    done = scribe(old).write(Amend(named=clash.seq, inputs={}, faces=(20, 60), cascade=True, why="misread"))
    dice = [entry.body for entry in done.entries if entry.type == "dice-thrown"]
    assert [throw["who"] for throw in dice] == ["mara", "brak"]
    assert [entry.body["edition"] for entry in done.entries if entry.type == "move-played"][-1] == SYSTEM.edition
    assert (mark(old, "brak", "priority"), mark(old, "mara", "priority")) == (1, 2)
    assert verify(old).entries == old.head()
    assert not audit(old, TODAY).findings


def test_sys_02_an_amendment_keeps_dice_that_the_first_edition_wrote_in_one_entry(old: Book) -> None:
    clash = old.entry(clash_of(old))
    scribe(old).write(Amend(named=clash.seq, inputs={"deed": "crosses the bridge"}, faces=None, cascade=True, why="x"))
    assert line(old, old.action(clash.act)).further[0].dice == "60 20"


def test_sys_02_dice_of_several_in_one_entry_are_a_finding_in_this_edition(monkeypatch: pytest.MonkeyPatch) -> None:
    with at_the_ford() as ford:
        play(ford, DUEL, 60, 50)
        assert not audit(ford, TODAY).findings
        monkeypatch.setattr("ledger.rules.dice.ThrownDice.by_thrower", lambda self, who: [(who, self.dice)])
        done = play(ford, DUEL, 60, 50)
        monkeypatch.undo()
        (dice,) = [entry for entry in done.entries if entry.type == "dice-thrown"]
        assert [finding.seq for finding in audit(ford, TODAY).findings] == [dice.seq]


def test_what_the_first_edition_left_on_the_sheets_is_used(old: Book) -> None:
    assert mark(old, "mara", "rate") is None
    assert said(play(old, ThrowPercentile(who="mara", past="sam"), 29)) == "success"
    assert said(play(old, Reject(who="sam", rate=50, why="a wall", intensity=2))).startswith("challengers need 50 in")
    assert said(play(old, ThrowPercentile(who="mara", past="sam"), 49)) == "failure by 1"
    assert not audit(old, TODAY).findings


def test_sys_14_a_tie_that_the_first_edition_left_open_gets_its_throws_and_raises_with_the_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with at_the_ford() as ford:
        monkeypatch.setattr(Clash, "roll_effects", lambda self, table, faces: ())
        play(ford, DUEL, 100, 100)
        monkeypatch.undo()
        (question,) = ford.questions()
        done = scribe(ford).write(Choose(question=question, chosen={"order": ("brak", "mara"), "why": "so"}))
        assert kinds(done) == [*["act-thrown", "raise-thrown"] * 2, *["challenge-settled"] * 2]
        assert (score(ford, "mara"), score(ford, "brak")) == (41, 41)
        assert verify(ford).entries == ford.head()
