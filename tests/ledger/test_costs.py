"""Costs: what a command asks of the file is counted, and does not grow with the campaign."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine import connection_of
from ledger.commands.at_table import Adjust, Note
from ledger.commands.decider import Command
from ledger.commands.play import PlayMove
from ledger.commands.seats import Seat
from ledger.corrections.answers import Decide, Dispute
from ledger.corrections.undoing import Amend, Undo, Void
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.systems.edge.moves_check import Check
from projections.questions import open_offers
from table import opened_book, scribe

MOVE = PlayMove(system="edge", move=Check(who="mara", skill=11, target=10, advantage=("the high ground",)))


def played(book: Book, moves: int) -> int:
    """Play moves that each set the same mark; the last entry."""
    for _ in range(moves):
        scribe(book).write(MOVE, faces=(7, 6, 3))
    return book.head()


def statements(book: Book, command: Command, faces: tuple[int, ...] | None = None) -> list[str]:
    """The statements that a command asks of the file, those of triggers once more."""
    asked: list[str] = []
    connection_of(book).set_trace_callback(asked.append)
    scribe(book).write(command, faces=faces)
    connection_of(book).set_trace_callback(None)
    return asked


def steps(book: Book, command: Command) -> int:
    """The steps of SQLite's machine that a command takes."""
    taken = [0]

    def step() -> None:
        taken[0] += 1

    connection_of(book).set_progress_handler(step, 1)
    scribe(book).write(command)
    connection_of(book).set_progress_handler(None, 1)
    return taken[0]


@pytest.mark.parametrize(
    ("command", "faces", "most"),
    [
        (MOVE, (7, 6, 3), 32),
        (Adjust(who="mara", amounts={"edge/edge": -1}, why="so"), None, 25),
        (Note(text="x"), None, 17),
    ],
    ids=["move", "adjust", "note"],
)
def test_what_is_written_asks_few_statements_in_a_long_campaign_as_in_a_short_one(
    command: Command, faces: tuple[int, ...] | None, most: int
) -> None:
    short, long = opened_book(), opened_book()
    played(short, 2)
    while (short.head() + 512) != long.head():  # so that as many nodes are completed
        played(long, 1)
    for book in (short, long):
        statements(book, command, faces)
    asked = [statements(book, command, faces) for book in (short, long)]
    assert len(asked[0]) == len(asked[1]) <= most
    assert not [says for says in asked[0] if says.startswith("SELECT") and asked[0].count(says) > 1]


def test_a_new_player_costs_a_look_at_the_names_of_the_others_and_no_more() -> None:
    asked = []
    for players in (10, 40):
        book = opened_book()
        for number in range(players):
            scribe(book).write(Seat(name=f"Player {number}", plays=(), gm=False))
        asked.append(len(statements(book, Seat(name="Zoe", plays=(), gm=False))))
    # Two reads: the names at the entry's place, and today's. The other statements write nodes of the tree.
    assert (asked[1] - asked[0]) / 30 < 2.5


CORRECTIONS: dict[str, Callable[[Book, int], Command]] = {
    "undo": lambda book, last: Undo(),
    "void": lambda book, last: Void(strikes=book.entry(last).act, why="so"),
    "amend": lambda book, last: Amend(named=last, inputs={"skill": 12}, faces=None, cascade=False, why="so"),
    "decide": lambda book, last: Decide(
        question=disputed(book, last), choice="void", why="so", inputs={}, faces=None, cascade=False
    ),
}


def disputed(book: Book, about: int) -> int:
    return scribe(book).write(Dispute(about=about, player="p1", claim="no")).entries[0].seq


@pytest.mark.parametrize("kind", CORRECTIONS)
def test_a_correction_of_the_last_action_takes_no_more_steps_in_a_long_campaign(kind: str) -> None:
    short, long = opened_book(), opened_book()
    commands = [CORRECTIONS[kind](book, played(book, moves)) for book, moves in ((short, 10), (long, 160))]
    few, many = (steps(book, command) for book, command in zip((short, long), commands, strict=True))
    assert many < 1.2 * few


@pytest.mark.parametrize("when", [NOW, AsOf(seq=20)])
def test_the_open_offers_read_no_later_actions(when: AsOf) -> None:
    read = []
    for later in (20, 160):
        book = opened_book()
        scribe(book).write(MOVE, faces=(7, 3, 6))
        for number in range(later):
            scribe(book).write(Note(text=f"note {number}"))
        asked: list[str] = []
        connection_of(book).set_trace_callback(asked.append)
        assert [offer.who for offer in open_offers(book, when)] == ["mara"]
        connection_of(book).set_trace_callback(None)
        read.append(len(asked))
    assert read[0] == read[1]


def test_a_cascade_searches_the_old_entries_once_for_each_name_however_much_is_ruled_again() -> None:
    searches = []
    attack = PlayMove(
        system="edge", move=Check(who="mara", ranks="deception", attributes=("wits", "will"), attack=True)
    )
    for moves in (2, 6):
        book = opened_book()
        adjust = {"edge/skill.deception": 4, "edge/attribute.wits": 2, "edge/attribute.will": 2}
        learned = scribe(book).write(Adjust(who="mara", amounts=adjust, why="so")).entries[0].seq
        for _ in range(moves):
            scribe(book).write(attack, faces=(7, 9))
        amend = Amend(
            named=learned, inputs={"amounts": {**adjust, "edge/skill.deception": 5}}, faces=None, cascade=True, why="so"
        )
        asked = statements(book, amend)
        again = [entry for entry in book.journal.entries(learned + 1) if entry.type == "action-amended"]
        assert len(again) == 1 + moves
        searches.append(sum("instr(entries.body" in says for says in asked))
    # Two searches for the names, and one each for gifts, adjustments and set scores. The cascade also looks for missed
    # moves and for lines that left out a character: before, to play them, and after, to ask about those that remain.
    assert searches == [9, 9]
