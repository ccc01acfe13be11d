"""The commands of the table: seats, sheets, sessions, and what the GM decides by hand."""

from typing import Any

import pytest

from ledger.commands.at_table import (
    Adjust,
    BeginDay,
    ChangeSettings,
    CloseSession,
    Join,
    Note,
    Open,
    OpenSession,
    SetMarks,
    SetScene,
    command_of_root,
)
from ledger.commands.decider import Command
from ledger.commands.seats import Leave, Seat, SeatNpcs
from ledger.errors import BadInput, LedgerError, OnceDiffers, OutOfRange, Refused, UnknownName
from ledger.events.subjects import CAMPAIGN
from ledger.journal.book import Book
from ledger.journal.store import memory_journal
from table import scribe


def write(book: Book, *commands: Command) -> dict[str, Any]:
    """Write commands; return the body of the first entry of the last one."""
    return [scribe(book).write(command).entries[0].body for command in commands][-1]


def refused(book: Book, command: Command, error: type[LedgerError], says: str) -> str:
    """The hint of a refusal, which writes nothing."""
    head = book.head()
    with pytest.raises(error, match=says) as wrong:
        write(book, command)
    assert book.head() == head
    return wrong.value.hint


# Seats


def test_a_campaign_is_opened_once_and_by_its_gm(book: Book) -> None:
    assert (book.players()["p1"], book.mark("p1", "gm"), book.mark("p2", "gm")) == ("Tom", True, None)
    refused(book, Open(title="The road", gm="Ana"), Refused, "This campaign already exists")


def test_a_player_plays_characters_of_names_that_can_be_typed(book: Book) -> None:
    for name, says in (("Old_Crowd", "cannot be the short name"), ("p3", "is reserved"), ("campaign", "is reserved")):
        refused(book, Seat(name="Ben", plays=("zoe", name), gm=False), BadInput, says)
        refused(book, Join(who=name, system="edge", scores={}), BadInput, says)


@pytest.mark.parametrize("name", ["p3", "campaign", "Ana,Ben", " Ben", "Ben "])
def test_a_player_has_no_name_that_is_read_as_something_else(book: Book, name: str) -> None:
    refused(book, Seat(name=name, plays=(), gm=False), BadInput, "cannot be a player's name")


def test_a_player_sits_once_and_takes_more_characters_on_the_same_seat(book: Book) -> None:
    refused(book, Seat(name="ana", plays=(), gm=False), Refused, "ana is already at the table, as p2")
    assert write(book, Seat(name="ANA", plays=("brak",), gm=False))["player"] == "p2"
    assert book.mark("brak", "player") == "p2"
    assert write(book, Seat(name="Ana", plays=(), gm=True))["player"] == "p2"
    assert book.mark("p2", "gm") is True
    assert write(book, Seat(name="Ben", plays=(), gm=False))["player"] == "p3"


def test_what_a_character_was_is_no_matter_once_the_session_of_a_non_player_character_is_over(book: Book) -> None:
    write(book, OpenSession(title="one", present=()), SeatNpcs(names=("guard",)))
    refused(book, Seat(name="Ben", plays=("guard",), gm=False), Refused, "guard is a non-player character")
    write(book, CloseSession(), Seat(name="Ben", plays=("guard",), gm=False))
    assert book.mark("guard", "player") == "p3"


# Sheets


def test_a_sheet_begins_with_what_was_typed_even_0_and_with_what_starts_above_it(book: Book) -> None:
    write(book, Join(who="zoe", system="edge", scores={"maximum": 3, "strength": 0}))
    assert [book.balance("zoe", f"edge/{name}") for name in ("maximum", "edge", "strength")] == [3, 3, 0]
    assert (book.balance("zoe", "edge/attack-dice"), book.balance("mara", "coin/rank")) == (None, 1)
    refused(book, Join(who="ilse", system="edge", scores={"maximum": 2, "edge": 3}), OutOfRange, "it cannot be above")
    refused(book, Join(who="ilse", system="edge", scores={"mood": 3}), UnknownName, "has no score called 'mood'")


def test_a_second_sheet_is_refused_with_how_to_change_the_first_or_after_leaving_how_to_come_back(book: Book) -> None:
    again = Join(who="mara", system="edge", scores={})
    change = "Change a score with 'campaign adjust mara SCORE=N', or another value with "
    change += "'campaign set mara NAME=WORD'."
    assert refused(book, again, Refused, "mara already has a sheet in edge") == change
    write(book, Leave(who="mara"))
    assert refused(book, again, Refused, "mara already has") == "Bring mara back with 'campaign join mara'."


# Sessions and days


def test_sessions_and_days_are_numbered_from_1_and_a_session_is_closed_with_its_scene(book: Book) -> None:
    for number in (1, 2):
        assert write(book, OpenSession(title="An evening", present=()))["number"] == number
        refused(book, OpenSession(title="Again", present=()), Refused, f"Session {number} is still open")
        scene = write(book, SetScene(title="The ford"))["seq"]
        assert book.mark(CAMPAIGN, "scene") == scene
        assert write(book, CloseSession())["number"] == number
        assert (book.mark(CAMPAIGN, "session"), book.mark(CAMPAIGN, "scene")) == (None, None)
    assert [write(book, BeginDay())["day"] for _ in range(2)] == [1, 2]


def test_an_opening_under_its_id_is_compared_by_the_title_and_the_gm() -> None:
    with Book(memory_journal()) as book:
        opened = Open(title="The road", gm="Tom", key="a")
        scribe(book).write(opened, once="x")
        assert scribe(book).write(opened.replace(key="b"), once="x").again
        for other in (opened.replace(title="The ford"), opened.replace(gm="Ana")):
            with pytest.raises(OnceDiffers):
                scribe(book).write(other, once="x")


# By hand


def test_scores_are_moved_by_amounts_and_set_to_values_at_once(book: Book) -> None:
    said = Adjust(who="mara", amounts={"edge/edge": -1}, sets={"edge/strength": 4, "edge/attack-dice": 2}, why="luck")
    body = write(book, said)
    assert body["amounts"] == {"edge/edge": -1, "edge/strength": -2, "edge/attack-dice": 2}
    assert [book.balance("mara", f"edge/{name}") for name in ("edge", "strength", "attack-dice")] == [3, 4, 2]
    assert command_of_root(book.entry(body["seq"])) == said


def test_what_was_moved_and_set_is_the_same_command_when_it_is_said_again(book: Book) -> None:
    said = Adjust(who="mara", amounts={"edge/edge": -1}, sets={"edge/strength": 4}, why="luck")
    scribe(book).write(said, once="x")
    assert scribe(book).write(said, once="x").again
    for other in (
        said.replace(amounts={"edge/edge": -2}),
        said.replace(sets={"edge/strength": 5}),
        said.replace(amounts={}, sets={"edge/strength": 4, "edge/edge": 3}),
        said.replace(why=None),
    ):
        with pytest.raises(OnceDiffers):
            scribe(book).write(other, once="x")


def test_of_one_score_an_amount_takes_the_place_of_a_value_and_a_value_that_of_an_amount() -> None:
    said = Adjust(who="mara", amounts={"edge/edge": -1}, sets={"edge/strength": 4})
    assert said.changed({"sets": {"edge/edge": 2}}) == said.replace(
        amounts={}, sets={"edge/strength": 4, "edge/edge": 2}
    )
    moved = said.changed({"amounts": {"edge/strength": 1}})
    assert moved == said.replace(amounts={"edge/edge": -1, "edge/strength": 1}, sets={})
    assert said.changed({"why": "luck"}) == said.replace(why="luck")


def test_a_reason_is_kept_where_there_is_one(book: Book) -> None:
    for why in (None, "a scar"):
        commands: tuple[Command, ...] = (
            Adjust(who="mara", amounts={"edge/edge": -1}, why=why),
            SetMarks(who="mara", values={"edge/care": "yes"}, why=why),
            ChangeSettings(system="edge", values={"injuries": "light,heavy"}, why=why),
        )
        for command in commands:
            assert write(book, command)["why"] == why


def test_a_setting_that_there_is_not_is_refused_with_those_that_there_are(book: Book) -> None:
    unknown = ChangeSettings(system="edge", values={"mood": "x"})
    assert (
        refused(book, unknown, UnknownName, "edge has no setting called 'mood'")
        == "Its settings: burn-at-zero, injuries."
    )
    assert (
        refused(book, unknown.replace(system="byzantine"), UnknownName, "no setting called")
        == "Its settings: highest-output, lowest-input."
    )


@pytest.mark.parametrize("note", [Note(text="x"), Note(text="x", secret=True), Note(text="x", players=("p1",))])
def test_players_may_enter_every_kind_of_note(book: Book, note: Note) -> None:
    assert note.for_players
    assert list(note.acting_characters(book, "p2")) == []
