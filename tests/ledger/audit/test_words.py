"""Words that read otherwise on the screen than they are: `verify` names what no version of the program took."""

from collections.abc import Callable
from pathlib import Path

import pytest

from engine import connection_of
from ledger.audit.verify import verify
from ledger.commands.at_table import Note, OpenSession, SetScene
from ledger.commands.play import PlayMove
from ledger.corrections.answers import Override
from ledger.corrections.seals import Sealed
from ledger.errors import BadInput, WrongEntry
from ledger.journal.book import Book, open_book
from ledger.rules.inputs import UNPRINTABLE
from ledger.systems.edge.moves_check import Check
from table import scribe
from tampering import fitted, reworded
from terminal import Type


def found(book: Book, change: Callable[[str], str]) -> str:
    """Change words, make all else fit, and return what `verify` says."""
    reworded(change)(connection_of(book))
    fitted(book)
    with pytest.raises(WrongEntry) as refusal:
        verify(book)
    return refusal.value.sentence


@pytest.mark.parametrize("letter", sorted(UNPRINTABLE), ids=lambda letter: f"{ord(letter):04x}")
def test_words_that_are_refused_when_typed_are_named(book: Book, letter: str) -> None:
    with pytest.raises(BadInput, match="cannot contain invisible control characters"):
        scribe(book).write(Note(text=f"the {letter}guide"))
    scribe(book).write(Note(text="the guide"))
    says = found(book, lambda text: text.replace("guide", f"{letter}guide"))
    assert says == "Entry 8 contains characters that cannot be shown (text); the last good entry is 7."


@pytest.mark.parametrize("letter", ["\\u001b", "\\r", "\u202e"])
def test_words_inside_a_sealed_roll_are_named_too(book: Book, letter: str) -> None:
    move = PlayMove(system="edge", move=Check(who="mara", skill=5, advantage=("high ground",)))
    scribe(book).write(Sealed(command=move, until=None, unseen=False), faces=(7, 6, 5))
    says = found(book, lambda text: text.replace("high ground", f"high {letter}ground"))
    assert says == "Entry 8 contains characters that cannot be shown (ruling); the last good entry is 7."


@pytest.mark.parametrize("break_", ["\n", "\t"])
@pytest.mark.parametrize(
    ("was", "field", "seq"),
    [
        ("The salt road", "title", 1),
        ("Ana", "name", 3),
        ("The gate", "title", 9),
        ("by a hair", "verdict", 12),
    ],
)
def test_a_name_or_a_title_is_one_line(book: Book, was: str, field: str, seq: int, break_: str) -> None:
    scribe(book).write(OpenSession(title="The ford", present=()))
    scribe(book).write(SetScene(title="The gate"))
    scribe(book).write(PlayMove(system="edge", move=Check(who="mara", skill=5)), faces=(7, 6))
    scribe(book).write(Override(about=11, verdict="by a hair", good=True, why="so"))
    says = found(book, lambda text: text.replace(was, f"{was}{break_}#9 mara"))
    assert says.startswith(f"Entry {seq} contains characters that cannot be shown ({field}); ")


def test_whatever_was_ever_taken_stays_whole(book: Book) -> None:
    for text in (
        'two\nlines,\tand \\ "more"',
        "👩\u200d🚀",
        "نمی\u200cخواهم",
        "soft\u00adly",
        "\u200bpasted",
        "1\u00a0000",
    ):
        scribe(book).write(Note(text=text))
        move = PlayMove(system="edge", move=Check(who="mara", skill=5, advantage=(text,)))
        scribe(book).write(Sealed(command=move, until=None, unseen=False), faces=(7, 6, 5))
    assert verify(book).entries == book.head()


def test_words_that_are_missing_are_lost_unless_an_entry_says_that_they_were_erased(
    file: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    for text in ("one", "two", "three"):
        assert type_in(f"note {text}").exit_code == 0
    assert type_in("erase 9 --yes").exit_code == 0
    with open_book(str(file)) as book:
        connection_of(book).execute("DELETE FROM words WHERE seq IN (8, 9)")
    shown = type_in("log").stdout
    assert "#8    note: (lost)" in shown
    assert "#9    note: (erased)" in shown
    assert "#10   note: three" in shown
