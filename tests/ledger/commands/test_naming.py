"""Naming: full names, additional short names, and which names are free."""

from functools import partial

import pytest

from ledger.audit.report import audit
from ledger.commands.at_table import Join, OpenSession
from ledger.commands.decider import Command
from ledger.commands.naming import Rename
from ledger.commands.seats import Leave, ReturnToTable, Seat, SeatNpcs
from ledger.corrections.undoing import Amend, Undo
from ledger.errors import BadInput, LedgerError, Nobody, Refused
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book
from ledger.reading.names import Names
from ledger.reading.new_names import new_short_name, short_name
from table import scribe


def write(book: Book, *commands: Command) -> None:
    for command in commands:
        scribe(book).write(command)


def amended(named: int, name: str) -> Amend:
    return Amend(named=named, inputs={"name": name}, faces=None, cascade=False, why="x")


def refusal(book: Book, command: Command) -> str:
    head = book.head()
    with pytest.raises(LedgerError) as refused:
        write(book, command)
    assert book.head() == head
    return refused.value.sentence


def test_the_names_of_each_time_are_kept(book: Book) -> None:
    first = book.head()
    write(book, Rename(who="mara", name="Mara O'Malley"), Rename(who="p1", name="Kate"), Rename(who="mara", name="Mo"))
    assert [book.name_of("mara", AsOf(seq=first + at)) for at in range(4)] == [
        "mara",
        "Mara O'Malley",
        "Mara O'Malley",
        "Mo",
    ]
    assert (book.name_of("mara"), book.name_of("brak"), book.name_of("p1")) == ("Mo", "brak", "Kate")
    assert [book.players(AsOf(seq=first + at))["p1"] for at in range(4)] == ["Tom", "Tom", "Kate", "Kate"]
    then = book.named_at(AsOf(seq=first + 1))
    assert (then.name_of("mara"), then.name_of("p1"), book.name_of("mara")) == ("Mara O'Malley", "Tom", "Mo")


def test_an_undo_brings_the_old_name_back(book: Book) -> None:
    write(book, Rename(who="mara", name="Mo"), Rename(who="mara", name="Mia", short="mi"), Undo())
    assert (book.name_of("mara"), book.short_names()) == ("Mo", {})
    write(book, Undo(), Undo())
    assert book.full_names() == {}


def test_a_name_can_be_amended_like_any_text(book: Book) -> None:
    write(book, Rename(who="mara", name="Mo"))
    write(book, amended(book.head(), "Moe"))
    assert book.name_of("mara") == "Moe"


def test_a_character_joins_or_returns_with_a_full_name(book: Book) -> None:
    write(book, Join(who="sam", system="edge", scores={}, name="Sam Gamgee"), Leave(who="sam"))
    write(book, ReturnToTable(who="sam", name="Sam the Brave"), ReturnToTable(who="frodo", name="Frodo"))
    assert (book.name_of("sam"), book.name_of("frodo")) == ("Sam the Brave", "Frodo")
    assert book.plays("frodo")
    assert refusal(book, ReturnToTable(who="frodo", name="Frodo Baggins")) == "frodo is already at the table."


def test_a_return_of_nobody_says_how_to_add_a_new_character(book: Book) -> None:
    with pytest.raises(Nobody, match="Nobody called 'pippin' plays in this campaign") as refused:
        write(book, ReturnToTable(who="pippin"))
    says = "type 'campaign player NAME --plays pippin' or 'campaign join pippin --name NAME'."
    assert refused.value.hint == f"To add a new character, {says}"


@pytest.mark.parametrize(
    "name", ["Mara O'Malley", "MARA O’MALLEY", "Маrа O'Malley", "Mara\u00a0O'Malley", "mo", "brak", "Вrаk"]
)
def test_a_name_that_looks_like_another_characters_name_is_taken(book: Book, name: str) -> None:
    write(book, Rename(who="mara", name="Mara O'Malley", short="mo"), Join(who="sam", system="edge", scores={}))
    for command in (Rename(who="sam", name=name), Join(who="tim", system="edge", scores={}, name=name)):
        assert refusal(book, command).endswith("is already taken.")


@pytest.mark.parametrize("name", ["MARA O’MALLEY", "mo", "Mara", "Zoë"])
def test_a_character_may_have_its_own_names_and_names_like_those_of_players(book: Book, name: str) -> None:
    write(book, Rename(who="mara", name="Mara O'Malley", short="mo"), Rename(who="p1", name="Zoë"))
    write(book, Rename(who="mara", name=name))
    assert book.name_of("mara") == name


def test_a_short_name_has_one_owner(book: Book) -> None:
    write(book, Rename(who="mara", short="mo"), Rename(who="brak", name="Grak"))
    write(book, OpenSession(title="One", present=()))
    for command in (
        Rename(who="brak", short="mo"),
        Join(who="mo", system="edge", scores={}),
        SeatNpcs(names=("mo",)),
        Seat(name="Cleo", plays=("mo",), gm=False),
        ReturnToTable(who="mo", name="Mo"),
    ):
        assert refusal(book, command) == "The name mo is already taken."
    for command in (Rename(who="mara", short="grak"), Join(who="grak", system="edge", scores={})):
        assert refusal(book, command) == "The name grak is already taken."
    for taken in ("mara", "brak"):
        assert refusal(book, Rename(who="mara", short=taken)) == f"The name {taken} is already taken."
    write(book, Join(who="brak", system="rollunder", scores={}))
    assert book.short_names() == {"mo": "mara"}


@pytest.mark.parametrize("taken", ["all", "again", "with", "npc", "d20", "d6kh1"])
def test_nobody_can_type_a_word_of_the_prompt_as_a_new_short_name(book: Book, taken: str) -> None:
    for read in (new_short_name, partial(short_name, Names(book))):
        with pytest.raises(BadInput, match="that word has another meaning at the prompt"):
            read(taken)


def test_an_older_campaign_with_a_word_of_the_prompt_as_a_name_has_no_findings(book: Book) -> None:
    write(book, Join(who="all", system="edge", scores={}))
    assert short_name(Names(book), "all") == "all"
    assert audit(book, "2026-11-20").findings == ()


@pytest.mark.parametrize("name", ["all", "Npc", "D20", "p2", "Campaign", "17", "#17", "--json", "@brak", "=7"])
def test_a_full_name_means_nothing_else_in_a_command(book: Book, name: str) -> None:
    for command in (Rename(who="mara", name=name), Join(who="tim", system="edge", scores={}, name=name)):
        assert (
            refusal(book, command)
            == f"{name!r} cannot be the name of a character: it has another meaning in a command."
        )


@pytest.mark.parametrize(
    ("again", "says"),
    [
        (Rename(who="mara", short="mo"), "Mia already has this name. Nothing was written."),
        (Rename(who="mara", name="Mia"), "Mia already has this name. Nothing was written."),
        (Rename(who="mara", name=" Mia ", short="mo"), "Mia already has this name. Nothing was written."),
        (Rename(who="brak", short="bo"), "brak already has this name. Nothing was written."),
        (Rename(who="p2", name="Ana"), "Ana already has this name. Nothing was written."),
    ],
)
def test_a_rename_that_changes_nothing_is_refused(book: Book, again: Rename, says: str) -> None:
    write(book, Rename(who="mara", name="Mia", short="mo"), Rename(who="brak", short="bo"))
    assert refusal(book, again) == says


def test_a_rename_that_changes_one_of_two_names_is_written(book: Book) -> None:
    write(book, Rename(who="mara", name="Mia", short="mo"))
    write(book, Rename(who="mara", name="Mia", short="mi"), Rename(who="mara", name="Moe", short="mo"))
    assert (book.name_of("mara"), book.short_names()) == ("Moe", {"mo": "mara", "mi": "mara"})


def test_a_players_name_keeps_the_rules_for_players(book: Book) -> None:
    for name, says in (
        ("ANA", "The name ANA is already taken."),
        ("Аnа", "The name Аnа is already taken."),
        ("A,B", "'A,B' cannot be a player's name."),
        ("p7", "'p7' cannot be a player's name."),
        ("\u200b", "A name cannot be empty."),
    ):
        assert refusal(book, Rename(who="p1", name=name)) == says
    assert refusal(book, Rename(who="p1", short="tommy")) == "A player has no short name."
    write(book, Rename(who="p1", name="TOM"), Rename(who="mara", name="Ana"))
    assert book.players()["p1"] == "TOM"


def test_nobody_and_nothing_are_refused(book: Book) -> None:
    with pytest.raises(Nobody, match="Nobody called 'zed' plays"):
        write(book, Rename(who="zed", name="Zed"))
    with pytest.raises(BadInput, match="You did not type a new name"):
        write(book, Rename(who="mara"))
    with pytest.raises(Refused, match="is already taken"):
        write(book, Rename(who="mara", name="Brak"))


def test_a_correction_of_an_old_name_is_compared_with_the_names_of_now(book: Book) -> None:
    write(book, Rename(who="mara", name="Mo"))
    old = book.head()
    write(book, Rename(who="brak", name="Bob"), Rename(who="p1", name="Kate"))
    assert refusal(book, amended(old, "Bob")) == "The name Bob is already taken."
    assert refusal(book, amended(book.head(), "ana")) == "The name ana is already taken."


def test_players_whose_names_look_alike_in_an_older_file_stay_valid(book: Book) -> None:
    write(book, Seat(name="Аnа", plays=(), gm=False), Seat(name="Аnа", plays=("sam",), gm=False))
    assert list(book.players().values()) == ["Tom", "Ana", "Аnа"]
    assert audit(book, "2026-11-20").findings == ()
