"""Placing: words without flags fill the inputs that know them, and nothing is guessed."""

from collections.abc import Sequence

import pytest

from ledger.commands.at_table import Adjust, SetMarks
from ledger.journal.book import Book
from ledger.reading.names import Names
from ledger.reading.placing import PlacedWords, has_place, next_names, place_words
from ledger.rules import Move, Who
from ledger.systems import find
from table import scribe


def move_of(words: str) -> tuple[str, type[Move]]:
    game, _, name = words.partition(" ")
    move = find(game).move(name)
    assert move is not None
    return game, move


def put(book: Book, move: str, *words: str, usual: str | None = None, new: bool = False) -> PlacedWords:
    return place_words(Names(book, new=new), *move_of(move), words, (), usual)


def next_of(book: Book, move: str, *words: str, given: Sequence[str] = (), usual: str | None = None) -> list[str]:
    return next_names(Names(book), *move_of(move), words, given, usual)


@pytest.fixture
def armed(book: Book) -> Book:
    """Mara has two weapons and two skills of one beginning, and one skill that nothing else begins like."""
    scribe(book).write(SetMarks(who="mara", values={"edge/weapon.knife": "1d6", "edge/weapon.knout": "1d6"}, why="x"))
    skills = {f"edge/skill.{name}": 1 for name in ("stealth", "steering", "ritual")}
    scribe(book).write(Adjust(who="mara", amounts=skills, why="x"))
    return book


@pytest.mark.parametrize(
    ("move", "name", "has"),
    [
        ("edge check", "who", True),
        ("edge check", "ranks", True),
        ("edge check", "target", False),
        ("edge grant", "what", True),
        ("edge grant", "why", False),
        ("syscards challenge", "against", False),
    ],
)
def test_an_input_that_is_needed_and_names_one_thing_has_a_place_and_some_that_say_so(
    move: str, name: str, has: bool
) -> None:
    assert has_place(move_of(move)[1].fields()[name]) is has


def test_the_only_name_that_begins_like_a_word_is_meant_and_of_several_the_word_stays(armed: Book) -> None:
    assert put(armed, "edge check", "mara", "rit").values == {"who": "mara", "ranks": "ritual"}
    assert put(armed, "edge check", "mara", "ste").values == {"who": "mara", "ranks": "ste"}
    assert put(armed, "edge check", "mara", "rit", new=True).values == {"who": "mara", "ranks": "rit"}


def test_a_number_fills_the_one_input_for_numbers_and_a_second_one_is_too_many(armed: Book) -> None:
    assert put(armed, "edge check", "mara", "25").values == {"who": "mara", "target": "25"}
    assert put(armed, "edge check", "mara", "25", "30").unplaced == ("30",)


def test_who_is_named_with_a_sign_is_meant_and_not_who_is_usual(armed: Book) -> None:
    assert put(armed, "edge check", "rit", usual="mara").values == {"who": "mara", "ranks": "ritual"}
    assert put(armed, "edge check", "@brak", usual="mara").values == {"who": "brak"}
    assert put(armed, "edge attack", "@mara", "@brak").values == {"who": "mara", "whom": "brak"}


def test_the_usual_one_is_meant_unless_the_words_fit_only_with_the_first_as_the_character(armed: Book) -> None:
    assert put(armed, "edge rest", "brak", "short", usual="mara").values == {"who": "brak", "kind": "short"}
    assert put(armed, "edge rest", "sh", usual="mara").values == {"who": "mara", "kind": "short"}
    assert put(armed, "edge check", "25", "30", usual="mara") == PlacedWords(
        values={"who": "mara", "target": "25"}, unplaced=("30",)
    )


def test_a_word_that_fits_an_input_never_moves_the_line_to_another_character(armed: Book) -> None:
    skills = (("mara", "bravery"), ("brak", "ritual"))
    for who, skill in skills:
        scribe(armed).write(Adjust(who=who, amounts={f"edge/skill.{skill}": 1}, why="x"))
    assert put(armed, "edge check", "25", "bra", "rit", usual="mara") == PlacedWords(
        values={"who": "mara", "target": "25", "ranks": "bravery"}, unplaced=("rit",)
    )


def test_a_new_name_fills_the_first_input_that_takes_any_name(armed: Book) -> None:
    assert put(armed, "byzantine alter", "mara", "smithy").values == {"who": "mara", "connection": "smithy"}
    assert put(armed, "edge rest", "mara", "quick") == PlacedWords(values={"who": "mara"}, unplaced=("quick",))
    who_by_flag = place_words(Names(armed), *move_of("edge check"), ("rit",), ("who",), None)
    assert who_by_flag.values == {"ranks": "rit"}


def test_a_name_of_the_cast_is_no_new_name_of_something_else(armed: Book) -> None:
    assert put(armed, "edge check", "mara", "climbing").values == {"who": "mara", "ranks": "climbing"}
    assert put(armed, "edge check", "mara", "brak").unplaced == ("brak",)


class Swap(Move):
    """A move of a game that is not ours, about two characters besides the one who plays it."""

    one: Who
    other: Who


def test_of_inputs_that_know_the_same_names_the_first_is_filled_first(book: Book) -> None:
    done = place_words(Names(book), "edge", Swap, ("ma", "brak", "ma"), (), None)
    assert done.values == {"who": "ma", "one": "brak", "other": "mara"}


def test_what_may_follow_is_the_cast_and_then_what_the_free_inputs_know(armed: Book) -> None:
    assert next_of(armed, "edge attack") == ["brak", "mara"]
    assert next_of(armed, "edge attack", "mara")[:4] == ["knife", "knout", "brak", "mara"]
    assert next_of(armed, "edge attack", "mara", "knife")[:2] == ["brak", "mara"]
    assert "ritual" not in next_of(armed, "edge check", "mara", given=("ranks",))
    known = next_of(armed, "edge check", "mara")
    assert {"ritual", "challenging"} <= set(known)
    assert "cunning" not in known
