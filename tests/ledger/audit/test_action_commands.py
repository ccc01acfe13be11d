"""Recorded: whatever was written is read back as the command that wrote it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenings import evening
from ledger.audit.redecide import COMMANDS_BY_EVENT, command_of
from ledger.commands.at_table import COMMANDS_BY_TYPE
from ledger.commands.decider import Command
from ledger.commands.play import PlayMove
from ledger.corrections.answers import AssertScores, Dispute, Override
from ledger.corrections.undoing import Amend, Rewind, Undo, Void
from ledger.errors import Refused
from ledger.events.entry import lead_of
from ledger.events.types import (
    EVENTS,
    CampaignOpened,
    Consequence,
    DiceThrown,
    FollowUp,
    OfTheBook,
    QuestionClosed,
)
from ledger.journal.book import Book
from ledger.journal.overlay import Overlay
from ledger.journal.store import Journal
from ledger.systems.edge.moves import Rest
from ledger.systems.edge.moves_check import Check
from table import every_game, scribe


@given(data=st.data())
def test_an_action_is_read_back_as_the_command_that_wrote_it(data: Any) -> None:
    with every_game() as book:
        evening(data.draw, book, 6)
        for act in sorted({entry.act for entry in book.journal.entries()}):
            entries = book.action(act, secrets=True)
            before = Book(Journal(Overlay(book.journal.storage, act - 1)))
            command = command_of(before, entries)
            if command is None:
                assert isinstance(lead_of(entries).event, CampaignOpened | OfTheBook)
            else:
                assert command.difference_from(entries) == ""


ROLLED = PlayMove(system="edge", move=Check(who="mara", skill=11))
SAID: tuple[Command, ...] = (
    Dispute(about=0, player="p2", claim="it was 12"),
    Override(about=0, verdict="won", good=True, why="so"),
    AssertScores(who="mara", claimed={"edge/edge": 2}),
    Amend(named=0, inputs={"skill": 12}, faces=None, cascade=False, why="so"),
    Void(strikes=0, why="so"),
    Rewind(to=0, why="so"),
    Undo(),
)


@pytest.mark.parametrize("said", SAID, ids=repr)
def test_a_correction_is_read_back_as_it_was_said(said: Command) -> None:
    with every_game() as book:
        before = book.head()
        rolled = scribe(book).write(ROLLED).entries
        named = {"about": rolled[1].seq, "named": rolled[1].seq, "strikes": rolled[0].act, "to": before}
        command = said.replace(**{name: seq for name, seq in named.items() if name in said._fields})
        written = scribe(book).write(command).entries
        state = Book(Journal(Overlay(book.journal.storage, written[0].act - 1)))
        assert command_of(state, book.action(written[0].act, secrets=True)) == command


def test_every_event_is_written_first_by_a_command_or_follows_from_one() -> None:
    following = {kind for kind, event in EVENTS.items() if issubclass(event, FollowUp | QuestionClosed | DiceThrown)}
    assert set(COMMANDS_BY_EVENT) == EVENTS.keys() - following


def test_one_command_writes_each_part_of_an_action() -> None:
    assert {kind: len(commands) for kind, commands in COMMANDS_BY_TYPE.items()} == dict.fromkeys(COMMANDS_BY_TYPE, 1)


def test_no_command_begins_with_a_consequence() -> None:
    with every_game() as book:
        entries = scribe(book).write(PlayMove(system="edge", move=Rest(who="brak", kind="short"))).entries
        consequence = next(entry for entry in entries if isinstance(entry.event, Consequence))
        with pytest.raises(Refused, match="edge-gained entries cannot be amended"):
            command_of(book, [consequence])
