"""Reading: words become commands without a terminal; what could mean two things is raised, and never asked."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Annotated, Any, Literal

import pytest

from byzantine_city import in_the_city, play
from ford import DUEL, at_the_ford
from ford import play as play_cards
from ledger import systems
from ledger.commands.at_table import Adjust, CloseSession, Join, Note, OpenSession, SetMarks
from ledger.commands.days import NextDay
from ledger.commands.decider import Command
from ledger.commands.naming import Rename
from ledger.commands.play import PlayMove
from ledger.commands.roll import Roll
from ledger.commands.seats import Seat, SeatNpcs
from ledger.corrections.actions import part_of
from ledger.corrections.seals import Sealed
from ledger.corrections.undoing import Undo, Void
from ledger.errors import AmbiguousName, BadInput, Refused, UnknownName
from ledger.journal.accounts import NOW
from ledger.journal.book import Book
from ledger.reading.amendments import amendable_inputs, changed_inputs, faces_for
from ledger.reading.move_inputs import chosen_inputs, named_inputs, with_seal
from ledger.reading.names import Names, game_named
from ledger.reading.new_names import short_name
from ledger.reading.parsing import command_from, parse_inputs
from ledger.reading.placing import place_words
from ledger.reading.points import DATE_EXAMPLES, ZONE_HINT, Zone, first_entry_at, read_point, session_span, stretch_of
from ledger.reading.typed_values import distinct_names, pairs, split_changes, split_names, whole_number, whole_numbers
from ledger.rules import POSITIONAL, Handle, Move, Tag, Who, Words
from ledger.rules.dice import Digits
from ledger.rules.inputs import names_something
from ledger.systems import find
from ledger.systems.byzantine.moves_ways import Go, Map
from ledger.systems.edge.moves_check import Check
from ledger.systems.multicheck import moves_d100
from ledger.systems.rollunder.moves import Skill
from table import every_game, opened_book, scribe


def of_hours(hours: int) -> Zone:
    return lambda local: local.replace(tzinfo=timezone(timedelta(hours=hours)))


HERE = of_hours(0)


def test_a_name_is_exact_or_the_only_one_that_begins_like_this(book: Book) -> None:
    names = Names(book)
    assert (names.character("MA"), names.character("brak"), names.player("an"), names.gm()) == (
        "mara",
        "brak",
        "p2",
        "p1",
    )
    assert (names.score("mara", "str"), names.score("mara", "edge/edge")) == ("edge/strength", "edge/edge")
    assert (names.roller("tom"), names.entry("#3")) == ("p1", 3)
    assert names.character("@Ma") == "mara"
    for unknown in ("zed", ""):
        with pytest.raises(UnknownName, match=f"Nobody called '{unknown}' plays in this campaign") as refused:
            names.character(unknown)
        assert refused.value.hint == "The cast is: brak, mara."
    with pytest.raises(UnknownName, match="Nobody called 'zed' sits at this table") as refused:
        names.player("zed")
    assert refused.value.hint == "Players at the table: Ana, Tom."


def test_a_typed_full_name_means_the_existing_character_where_a_new_name_may_be_typed(book: Book) -> None:
    scribe(book).write(Rename(who="mara", name="Márà O'Malley", short="mo"))
    scribe(book).write(Rename(who="p2", name="Zora Bell"))
    typed = ("mara", "MO", "Márà O’Malley", "mara o'malley", "zed")
    assert [short_name(Names(book), each) for each in typed] == ["mara", "mara", "mara", "mara", "zed"]
    with pytest.raises(BadInput, match="'Zora Bell' cannot be the short name"):
        short_name(Names(book), "Zora Bell")


def test_a_full_name_of_several_words_names_its_character_in_a_line(book: Book) -> None:
    scribe(book).write(Rename(who="mara", name="Mara O'Malley"))
    assert Names(book).named_in_full("mara o'malley") == "mara"


def test_a_typed_full_name_of_two_characters_is_not_guessed(book: Book) -> None:
    scribe(book).write(Rename(who="mara", name="Zoë Bell"))
    scribe(book).write(Rename(who="brak", name="Zoé Bell"))
    assert short_name(Names(book), "Zoé Bell") == "brak"
    with pytest.raises(AmbiguousName, match="brak, mara"):
        short_name(Names(book), "zoe bell")


def test_a_short_name_is_quoted_as_typed(book: Book) -> None:
    with pytest.raises(BadInput, match="'Mara Oh' cannot be the short name"):
        short_name(Names(book), "Mara Oh")


def test_the_whole_table_is_a_subject_as_a_character_is(book: Book) -> None:
    assert [Names(book).subject(typed) for typed in ("campaign", "ma")] == ["campaign", "mara"]
    with pytest.raises(UnknownName, match="Nobody called 'zed'"):
        Names(book).subject("zed")


def test_who_names_no_score_or_mark_hears_which_there_are(book: Book) -> None:
    with pytest.raises(UnknownName, match="mara has no score called 'mood'") as refused:
        Names(book).score("mara", "mood")
    assert refused.value.hint.startswith("mara has: advantage.any, ")
    assert ", rank, skill.deception, strength. To add a new score: " in refused.value.hint
    with pytest.raises(UnknownName, match="mara has no value called 'mood'") as refused:
        Names(book).marks("mara", {"mood": "good"})
    assert refused.value.hint.startswith("mara has: lucky, bank, worn, ")
    assert "sheet" not in refused.value.hint
    scribe(book).write(OpenSession(title="one", present=()))
    scribe(book).write(SeatNpcs(names=("guard",)))
    with pytest.raises(UnknownName, match="guard has no sheet, and no value called 'mood'") as refused:
        Names(book).marks("guard", {"mood": "good"})
    assert "Make a sheet with" in refused.value.hint


def test_that_a_sheet_is_there_is_no_mark_to_be_set(book: Book) -> None:
    with pytest.raises(UnknownName, match="mara has no value called 'edge/sheet'"):
        Names(book).marks("mara", {"edge/sheet": "no"})
    with pytest.raises(UnknownName, match="There is no value called 'edge/sheet'"):
        scribe(book).write(SetMarks(who="mara", values={"edge/sheet": "no"}, why="x"))


def test_what_holds_a_character_is_no_score_of_the_sheet(book: Book) -> None:
    before = Names(book).known_scores("mara")
    scribe(book).write(PlayMove(system="edge", move=Check(who="mara", skill=11, edge=True)), faces=(7, 3, 7))
    assert Names(book).known_scores("mara") == before
    with pytest.raises(UnknownName):
        Names(book).posted_score("mara", "hold")


def test_a_sheet_has_the_marks_of_a_family_that_were_not_taken_off_and_the_names_that_one_lists(book: Book) -> None:
    move = find("edge").move("attack")
    assert move is not None
    weapon = move.fields()["weapon"]
    armed = {"edge/weapon.knife": "1d6", "edge/weapon.bow": "2d6", "edge/on.deception": "cunning,presence"}
    scribe(book).write(SetMarks(who="mara", values=armed, why="x"))
    scribe(book).write(SetMarks(who="mara", values={"edge/weapon.bow": "none"}, why="x"))
    known = Names(book).known_names("mara", weapon)
    assert {"edge/weapon.knife", "edge/on.cunning", "edge/on.presence"} <= set(known)
    assert "edge/weapon.bow" not in known


def test_a_score_that_nobody_posted_to_has_no_entries_to_look_at(book: Book) -> None:
    names = Names(book)
    assert [names.posted_score("brak", typed) for typed in ("edge", "armor.th", "ma")] == [
        "edge/edge",
        "edge/armor.threshold",
        "edge/maximum",
    ]
    for typed in ("strength", "str"):
        with pytest.raises(UnknownName, match="brak never had strength") as refused:
            names.posted_score("brak", typed)
        assert refused.value.hint == "brak has: armor.reduction, armor.threshold, coins, edge, maximum, rank."


def test_what_was_posted_to_in_a_game_that_is_gone_can_be_looked_at_even_if_nothing_is_left_of_it(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    owed = scribe(book).write(Adjust(who="mara", amounts={"coin/debt.ilse": 2}, why="x")).entries[0].seq
    scribe(book).write(Void(strikes=owed, why="x"))
    monkeypatch.setattr(systems, "is_installed", lambda name: name == "edge")
    assert Names(book).posted_score("mara", "debt.ilse") == "coin/debt.ilse"


def test_who_rolls_is_a_character_or_a_player_by_the_start_of_the_name(book: Book) -> None:
    assert [Names(book).roller(typed) for typed in ("ma", "ana", "p2", "an")] == ["mara", "p2", "p2", "p2"]


def test_a_players_name_in_place_of_a_character_gets_the_characters_of_the_player(book: Book) -> None:
    for typed, hint in (("ANA", "Ana is a player, and plays mara."), ("tom", "The cast is: brak, mara.")):
        with pytest.raises(UnknownName, match="plays in this campaign") as refused:
            Names(book).character(typed)
        assert refused.value.hint == hint


def test_an_unknown_roller_gets_the_characters_and_the_players(book: Book) -> None:
    with pytest.raises(UnknownName, match="Nobody called 'zed' plays in this campaign") as refused:
        Names(book).roller("zed")
    assert refused.value.hint == "The cast is: brak, mara. Players at the table: Ana, Tom."


def test_where_several_could_be_meant_it_raises_with_their_names_and_asks_nobody(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    scribe(book).write(Join(who="marek", system="edge", scores={}))
    scribe(book).write(Seat(name="Anton", plays=(), gm=False))
    names = Names(book)
    for read, typed, meant in (
        (names.character, "mar", ("mara", "marek")),
        (names.player, "an", ("ana", "anton")),
        (lambda typed: names.score("mara", typed), "s", ("skill.deception", "strength")),
    ):
        with pytest.raises(AmbiguousName) as several:
            read(typed)
        assert several.value.names == meant


def test_an_edge_that_can_ask_answers_which_one_is_meant(book: Book) -> None:
    class Last(Names):
        def decide_meaning(self, typed: str, found: "list[str]") -> str:  # type: ignore[override]  # lists are what it is given
            return found[-1]

    scribe(book).write(Join(who="marek", system="edge", scores={}))
    assert Last(book).character("mar") == "marek"


def test_a_range_names_a_hundred_at_most() -> None:
    assert split_names(["wolf", "bandit-08..10"]) == ("wolf", "bandit-08..10")
    assert distinct_names(["wolf", "bandit-08..10"]) == ("wolf", "bandit-08", "bandit-09", "bandit-10")
    assert len(distinct_names(["bandit-5..104"])) == 100
    assert distinct_names(["bandit-3..3"]) == ("bandit-3",)
    for wrong in ("bandit-5..105", "bandit-2..1"):
        with pytest.raises(BadInput, match="is not a range"):
            distinct_names([wrong])


def test_numbers_and_pairs_are_read_strictly() -> None:
    assert (whole_number("+5"), whole_number("-3"), split_names(["a,b", "c"]), pairs(["a=1"], "x")) == (
        5,
        -3,
        ("a", "b", "c"),
        {"a": "1"},
    )
    assert split_changes({"edge": "+1", "luck": "4", "debt:": "-2"}) == ({"edge": 1}, {"luck": 4, "debt": -2})
    for least_and_most in (2**53 - 1, 1 - 2**53):
        assert whole_number(str(least_and_most)) == least_and_most
    for wrong in ("5_0", "٥", "1.0", "", "+", "x"):
        with pytest.raises(BadInput, match="is not a whole number"):
            whole_number(wrong)
    for beyond in (str(2**53), str(-(2**53)), "9" * 17, "-" + "9" * 17):
        with pytest.raises(BadInput, match="is too large"):
            whole_number(beyond)
    assert pairs(["a="], "x") == {"a": ""}
    with pytest.raises(BadInput, match="A name in the list is empty"):
        split_names(["a,,b"])
    with pytest.raises(BadInput, match="You named bandit-2 twice"):
        distinct_names(["bandit-2", "bandit-1..3"])
    for typed in (["a"], ["=1"], ["a=1", "a=2"]):
        with pytest.raises(BadInput):
            pairs(typed, "NAME=VALUE")
    for twice in ({"edge": "+1", "edge:": "3"}, {"edge": "1", "edge:": "3"}):
        with pytest.raises(BadInput, match=r"You named .* twice"):
            split_changes(twice)


def test_the_minus_sign_that_is_shown_may_be_typed() -> None:
    assert whole_number("−3") == -3
    assert split_changes({"edge": "−1", "debt:": "−2"}) == ({"edge": -1}, {"debt": -2})
    for wrong in ("−", "−−1", "-−1", "+−1"):
        with pytest.raises(BadInput, match="is not a whole number"):
            whole_number(wrong)


def test_words_typed_as_a_score_are_sent_to_the_marks() -> None:
    with pytest.raises(BadInput, match="'agility,wits' is not a whole number") as refused:
        whole_numbers({"skill.stealth": "4", "on.stealth": "agility,wits"})
    assert "campaign set WHO NAME=VALUE" in (refused.value.hint or "")


def test_a_time_of_a_day_is_the_end_of_that_minute_in_the_zone_that_is_handed_in(book: Book) -> None:
    scribe(book, clock=lambda: datetime(2026, 11, 21, 3, 0, 30, tzinfo=UTC)).write(
        OpenSession(title="late", present=())
    )
    assert read_point(book, "2026-11-21 03:00", False, of_hours(0)).seq == 8
    assert read_point(book, "2026-11-21T02:59", False, of_hours(0)).seq == 7
    assert read_point(book, "2026-11-20 22:00", False, of_hours(-5)).seq == 8
    with pytest.raises(BadInput, match="2026-11-21 25:00 is not a date"):
        read_point(book, "2026-11-21 25:00", False, of_hours(0))


def test_a_date_is_the_end_of_the_day_in_the_zone_that_is_handed_in(book: Book) -> None:
    scribe(book, clock=lambda: datetime(2026, 11, 21, 3, 0, tzinfo=UTC)).write(OpenSession(title="late", present=()))
    assert book.head() == 8
    assert read_point(book, "2026-11-20", False, of_hours(0)).seq == 7
    assert read_point(book, "2026-11-20", False, of_hours(-5)).seq == 8
    with pytest.raises(
        Refused, match=r"2026-11-20 is before the start of this campaign \(2026-11-21 09:30 \+14:00\)\."
    ):
        read_point(book, "2026-11-20", False, of_hours(14))
    with pytest.raises(BadInput, match="is not a date") as refused:
        read_point(book, "2026-02-30", False, HERE)
    assert refused.value.hint == "Use a date like 2026-11-25 or '2026-11-25 20:15'. " + ZONE_HINT


@pytest.mark.parametrize(
    ("typed", "seq"),
    [
        ("2026-11-21 03:00:29 UTC", 7),
        ("2026-11-21 03:00:30 UTC", 8),
        ("2026-11-21T03:00:30Z", 8),
        ("2026-11-21 03:00 UTC", 8),
        ("2026-11-20 22:00:30 -05:00", 8),
        ("2026-11-20 22:00:29-05:00", 7),
        ("2026-11-21 08:30:30 +05:30", 8),
        ("2026-11-20 UTC", 7),
        ("2026-11-20 -05:00", 8),
    ],
)
def test_a_time_with_its_zone_can_be_typed_as_printed(book: Book, typed: str, seq: int) -> None:
    late = datetime(2026, 11, 21, 3, 0, 30, tzinfo=UTC)
    scribe(book, clock=lambda: late).write(OpenSession(title="late", present=(), offset=330))
    assert read_point(book, typed, False, of_hours(0)).seq == seq


def test_a_time_without_a_zone_is_in_the_zone_of_the_session_that_ran_then(book: Book) -> None:
    evenings = ((21, 0, -300), (28, 0, 330), (29, 12, None), (30, 0, -300))
    for day, hour, offset in evenings:
        start = datetime(2026, 11, day, hour, 30, tzinfo=UTC)
        scribe(book, clock=lambda start=start: start).write(OpenSession(title="x", present=(), offset=offset))
        scribe(book, clock=lambda start=start: start).write(CloseSession())
    assert book.zones() == [(1, None), (8, -300), (10, 330), (14, -300)]
    points = {
        "2026-11-20 19:30": 9,
        "2026-11-20": 9,
        "2026-11-21": 9,
        "2026-11-28 05:59": 9,
        "2026-11-28 06:00": 11,
        "2026-11-29 17:59": 11,
        "2026-11-29 18:00": 13,
    }
    assert {typed: read_point(book, typed, False, of_hours(0)).seq for typed in points} == points


def test_a_stretch_is_a_session_or_between_two_points(book: Book) -> None:
    scribe(book).write(OpenSession(title="one", present=()))
    assert stretch_of(book, 1, None, None, HERE) == (8, 8)
    assert stretch_of(book, None, None, None, HERE) == (1, 8)
    assert stretch_of(book, None, "3", "session:1", HERE) == (3, 8)
    with pytest.raises(BadInput, match="session:1 comes after 3"):
        stretch_of(book, None, "session:1", "3", HERE)


def test_a_point_is_an_entry_a_session_a_day_or_nothing_at_all(book: Book) -> None:
    scribe(book).write(OpenSession(title="one", present=()))
    assert read_point(book, None, True, HERE) == NOW.replace(corrected=True)
    assert (read_point(book, "#3", True, HERE).seq, read_point(book, "session:1", False, HERE).seq) == (3, 8)
    assert (first_entry_at(book, "session:1", HERE), first_entry_at(book, "2", HERE), session_span(book, 1)) == (
        8,
        1,
        (8, 8),
    )
    assert [read_point(book, at, False, HERE).seq for at in ("1", "8")] == [2, 8]
    for never in ("0", "9", "99", "session:2", "session:0", "day:3", "day:0"):
        with pytest.raises(Refused, match="never reached"):
            read_point(book, never, False, HERE)
    with pytest.raises(BadInput, match="not an entry, a session, a day or a date") as refused:
        read_point(book, "yesterday", False, HERE)
    assert refused.value.hint == f"Use an entry number, last, session:N, day:N, or {DATE_EXAMPLES}. {ZONE_HINT}"


def test_a_day_before_the_first_is_refused_because_days_are_numbered_from_1(book: Book) -> None:
    for never in (0, -1):
        with pytest.raises(Refused, match=rf"^This campaign never reached day:{never}; days are numbered from 1\.$"):
            read_point(book, f"day:{never}", False, HERE)


def test_a_day_goes_up_to_the_next_and_one_that_was_taken_back_up_to_what_took_it_back(book: Book) -> None:
    hand = scribe(book)
    for command in (NextDay(count=1, until=None), Note(text="x"), NextDay(count=2, until=None), Note(text="x")):
        hand.write(command)

    def span(day: int) -> tuple[int, int]:
        return first_entry_at(book, f"day:{day}", HERE), read_point(book, f"day:{day}", False, HERE).seq

    assert [span(day) for day in (1, 2, 3)] == [(8, 9), (10, 10), (11, 12)]
    with pytest.raises(Refused, match="never reached day:4; the current day is 3"):
        span(4)
    scribe(book).write(Void(strikes=10, why="x"))
    scribe(book).write(Note(text="x"))
    assert [span(day) for day in (1, 2, 3)] == [(8, 14), (10, 10), (11, 12)]
    scribe(book).write(NextDay(count=1, until=None))
    assert [span(day) for day in (1, 2, 3)] == [(8, 14), (15, 15), (11, 12)]


def test_a_session_goes_up_to_its_close_and_an_open_one_up_to_now(book: Book) -> None:
    for command in (OpenSession(title="one", present=()), Note(text="x"), CloseSession(), Note(text="x")):
        scribe(book).write(command)
    assert (
        session_span(book, 1),
        first_entry_at(book, "session:1", HERE),
        read_point(book, "session:1", False, HERE).seq,
    ) == (
        (8, 10),
        8,
        10,
    )
    for command in (OpenSession(title="two", present=()), Note(text="x")):
        scribe(book).write(command)
    assert (session_span(book, 2), read_point(book, "session:2", False, HERE).seq) == ((12, 13), 13)
    assert stretch_of(book, 1, "9", None, HERE) == (9, 10)
    assert stretch_of(book, 2, None, "12", HERE) == (12, 12)
    assert first_entry_at(book, "2026-11-20 19:30", HERE) == 13


def test_inputs_are_names_numbers_and_pairs_out_of_what_was_typed(book: Book) -> None:
    scribe(book).write(Join(who="mara", system="rollunder", scores={"skill.deception": 4}))
    names = Names(book)
    assert named_inputs(
        names, "edge", Check, {"who": "ma", "skill": 11, "advantage": ("map", "rain"), "why": None}
    ) == {
        "who": "mara",
        "skill": 11,
        "advantage": ("map", "rain"),
    }
    typed = {"who": "mara", "skill": "deception", "on": ("cunning,presence",), "circumstance": ("rain=-2",)}
    assert named_inputs(names, "rollunder", Skill, typed) == {
        "who": "mara",
        "skill": "deception",
        "on": ("cunning", "presence"),
        "circumstance": {"rain": -2},
    }
    with pytest.raises(BadInput, match=r"--circumstance rain must be .* not 9999999999999"):
        named_inputs(names, "rollunder", Skill, {**typed, "circumstance": ("rain=9999999999999",)})


def test_several_names_are_typed_with_commas_and_words_are_left_as_they_are(book: Book) -> None:
    scribe(book).write(Join(who="zoe", system="edge", scores={}))
    names = Names(book)
    typed = {"who": "mara", "skill": 11, "advantage": ("a map, and rain",), "disadvantage": (), "why": None}
    assert named_inputs(names, "edge", Check, typed) == {"who": "mara", "skill": 11, "advantage": ("a map, and rain",)}
    duel = find("syscards").move("challenge")
    assert duel is not None
    for rate in (1, 100):
        typed = {"who": "mara", "against": ("br,zoe",), "rates": (f"zo={rate}",)}
        read = named_inputs(names, "syscards", duel, typed)
        assert read == {"who": "mara", "against": ("brak", "zoe"), "rates": {"zoe": rate}}
    for rate in (0, 101):
        with pytest.raises(BadInput, match=f"--rates zoe must be 1 to 100, not {rate}"):
            named_inputs(names, "syscards", duel, {**typed, "rates": (f"zo={rate}",)})


def test_what_is_chosen_of_many_names_is_typed_with_commas_too() -> None:
    fields = [Lend.fields()["order"], Lend.fields()["skill"]]
    for order in ("brak,mara,zoe", ("brak", "mara,zoe")):
        chosen = chosen_inputs(fields, {"order": order, "skill": "a,b"})
        assert chosen == {"order": ("brak", "mara", "zoe"), "skill": "a,b"}
    assert chosen_inputs(fields, {"order": None, "skill": None}) == {"order": None, "skill": None}


@pytest.mark.parametrize(
    ("name", "is_name"), [("skill", True), ("item", True), ("who_alone", True), ("how", True), ("why", False)]
)
def test_an_input_names_something_by_a_choice_a_score_or_a_thing(name: str, is_name: bool) -> None:
    assert names_something(Lend.fields()[name]) is is_name


NOTHING: Mapping[str, str] = {}


class Lend(Move):
    """A move of a game that is not ours, with names beside names."""

    tools: Annotated[Mapping[str, Handle], "what each is lent"] = NOTHING
    order: Annotated[tuple[Who, ...], "who goes first"] = ()
    skill: Annotated[str, Tag(name="score", of="skill"), "the skill"] = ""
    item: Annotated[Handle | None, "the thing"] = None
    who_alone: Annotated[str, POSITIONAL, "the one"] = ""
    how: Annotated[Literal["well", "badly"], "how"] = "well"
    why: Annotated[Words | None, "what for"] = None


def test_of_names_with_names_both_are_read_and_none_twice(book: Book) -> None:
    names = Names(book)
    assert named_inputs(names, "coin", Lend, {"who": "mara", "tools": ("br=rope,sam=lamp",)}) == {
        "who": "mara",
        "tools": {"sam": "lamp", "br": "rope"},
    }
    with pytest.raises(BadInput, match="--tools names brak twice"):
        named_inputs(names, "coin", Lend, {"who": "mara", "tools": ("brak=rope", "BRAK=lamp")})


@pytest.mark.parametrize(
    ("typed", "slip"),
    [
        ("decepton", "deception"),
        ("decpetion", "deception"),
        ("deceptiom", "deception"),
        ("deceptiion", "deception"),
        ("deceptions", "deception"),
        ("deceptino", "deception"),
        ("deception3", None),
        ("decepton2", "deception"),
        ("edception", "deception"),
        ("eception", "deception"),
        ("xeception", "deception"),
        ("decepitonn", None),
        ("dexxption", None),
        ("rital", "ritual"),
        ("deception2", None),
        ("deceit", None),
        ("guad", None),
        ("percepton", None),
    ],
)
def test_a_new_name_near_one_of_the_sheet_is_a_slip_unless_it_is_meant(
    book: Book, typed: str, slip: str | None
) -> None:
    for name in ("skill.guard", "skill.ritual", "skill.deception2", "attribute.perception"):
        new = {f"edge/{name}": 1}
        scribe(book).write(Adjust(who="mara", amounts=new, why="x"))
    scribe(book).write(Adjust(who="mara", amounts={"edge/skill.deception": 1}, why="x"))
    meant = {f"edge/skill.{typed}": 1}
    assert Names(book, new=True).scores("mara", {f"skill.{typed}": 1}) == meant
    if slip is None:
        assert Names(book).scores("mara", {f"skill.{typed}": 1}) == meant
    else:
        with pytest.raises(Refused, match=f"mara has skill.{slip}, so {typed} looks like a typo"):
            Names(book).scores("mara", {f"skill.{typed}": 1})
        with pytest.raises(Refused, match="looks like a typo"):
            named_inputs(Names(book), "edge", Check, {"who": "mara", "ranks": typed})


def test_the_names_of_a_move_are_those_of_its_own_game(book: Book) -> None:
    scribe(book).write(Adjust(who="mara", amounts={"edge/skill.ritual": 2, "edge/skill.juggler": 1}, why="x"))
    scribe(book).write(Join(who="mara", system="rollunder", scores={"skill.riding": 3, "characteristic.wits": 9}))

    def skill(typed: str) -> str:
        read: str = named_inputs(Names(book), "rollunder", Skill, {"who": "mara", "skill": typed, "on": ("wi",)})[
            "skill"
        ]
        return read

    assert [skill(typed) for typed in ("ri", "rit", "jugglr")] == ["riding", "rit", "jugglr"]
    with pytest.raises(Refused, match="looks like a typo"):
        skill("ridign")


def test_a_score_that_one_game_alone_posted_to_needs_no_game_to_be_looked_at(book: Book) -> None:
    scribe(book).write(Join(who="mara", system="rollunder", scores={"skill.riding": 3}))
    assert Names(book).posted_score("mara", "skill.riding") == "rollunder/skill.riding"
    scribe(book).write(Adjust(who="mara", amounts={"edge/skill.riding": 2}, why="x"))
    with pytest.raises(AmbiguousName, match=r"could be any of edge/skill\.riding, rollunder"):
        Names(book).posted_score("mara", "skill.riding")


def test_two_new_names_of_one_command_are_never_slips_for_each_other(book: Book) -> None:
    typed = {"skill.stealth": 1, "skill.stealht": 2}
    assert Names(book).scores("mara", typed) == {"edge/skill.stealth": 1, "edge/skill.stealht": 2}


def test_a_mark_of_a_family_is_named_in_full_and_a_slip_for_one_is_refused(book: Book) -> None:
    scribe(book).write(Join(who="mara", system="byzantine", scores={"output.workshop": 5}))
    assert Names(book).marks("mara", {"lent.workshop": "yes"}) == {"byzantine/lent.workshop": "yes"}
    scribe(book).write(SetMarks(who="mara", values={"byzantine/lent.workshop": "yes"}, why="x"))
    with pytest.raises(Refused, match=r"mara has lent.workshop, so workshpo looks like a typo"):
        Names(book).marks("mara", {"lent.workshpo": "yes"})
    assert Names(book).marks("mara", {"byzantine/lent.work": "yes", "lent.workshop": "none"}) == {
        "byzantine/lent.work": "yes",
        "byzantine/lent.workshop": "none",
    }
    scribe(book).write(SetMarks(who="mara", values={"byzantine/lent.workshop": "none"}, why="x"))
    assert book.mark("mara", "byzantine/lent.workshop") is None


@pytest.mark.parametrize(
    ("game", "family", "value"),
    [
        ("edge", "attribute", "wits,agilty"),
        ("rollunder", "characteristic", "agilty"),
        ("multicheck", "attribute", "agilty"),
    ],
)
def test_a_mark_that_names_scores_of_the_sheet_has_no_slip_of_one(
    book: Book, game: str, family: str, value: str
) -> None:
    scribe(book).write(Join(who="ilse", system=game, scores={f"{family}.agility": 3}))
    with pytest.raises(Refused, match=rf"ilse has {family}\.agility, so agilty looks like a typo"):
        Names(book).marks("ilse", {"on.stealth": value})
    assert Names(book, new=True).marks("ilse", {"on.stealth": value}) == {f"{game}/on.stealth": value}
    assert Names(book).marks("ilse", {"on.stealth": "none"}) == {f"{game}/on.stealth": "none"}


def test_a_mark_that_was_undone_or_taken_off_makes_no_slip_of_the_right_name(book: Book) -> None:
    scribe(book).write(Join(who="mara", system="byzantine", scores={"output.workshop": 5}))
    for typed in ({"lent.workshpo": "yes"}, {"lent.workshpo": "none"}, {"lent.workshoop": "yes"}):
        scribe(book).write(SetMarks(who="mara", values={f"byzantine/{name}": typed[name] for name in typed}, why="x"))
    scribe(book).write(Undo())
    assert Names(book).marks("mara", {"lent.workshop": "yes"}) == {"byzantine/lent.workshop": "yes"}


def test_a_mark_is_named_by_its_game_where_two_games_have_it(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    names = Names(book)
    assert names.marks("mara", {"ca": "yes", "coin/bank": "here"}) == {"edge/care": "yes", "coin/bank": "here"}
    with pytest.raises(BadInput, match="You named edge/care twice"):
        names.marks("mara", {"care": "yes", "edge/care": "no"})
    with pytest.raises(UnknownName, match="mara has no value called 'mood'"):
        names.marks("mara", {"mood": "good"})
    games = {name: find(name) for name in ("edge", "coin")}
    games["coin"] = games["coin"].replace(marks=games["edge"].marks)
    monkeypatch.setattr(systems, "find", games.__getitem__)
    with pytest.raises(AmbiguousName, match="'care' could be any of coin/care, edge/care"):
        names.marks("mara", {"care": "yes"})


def test_of_a_name_of_two_games_the_one_is_meant_that_is_on_the_sheet_or_whose_skill_is() -> None:
    with opened_book() as book:
        scribe(book).write(Join(who="mara", system="rollunder", scores={"characteristic.wits": 9}))
        names = Names(book)
        assert (
            names.score("mara", "skill.deception")
            == names.posted_score("mara", "skill.deception")
            == "edge/skill.deception"
        )
        assert names.marks("mara", {"on.deception": "cunning,presence"}) == {"edge/on.deception": "cunning,presence"}
        assert names.score("mara", "rollunder/skill.swimming") == "rollunder/skill.swimming"
        with pytest.raises(AmbiguousName, match=r"could be any of edge/skill\.swimming, rollunder/skill\.swimming"):
            names.score("mara", "skill.swimming")
        scribe(book).write(Adjust(who="mara", amounts={"rollunder/skill.deception": 1}, why="x"))
        with pytest.raises(AmbiguousName, match=r"could be any of edge/skill\.deception, rollunder/skill\.deception"):
            names.score("mara", "skill.deception")
        with pytest.raises(AmbiguousName, match=r"could be any of edge/on\.deception, rollunder/on\.deception"):
            names.marks("mara", {"on.deception": "cunning,presence"})


def test_what_is_said_is_sealed_until_a_day_that_is_to_come(book: Book) -> None:
    roll = Roll(who="mara", notation="3d6")
    flags = (True, "2026-11-22", False)
    assert with_seal(roll, book, str) is roll
    assert with_seal(roll, book, lambda: "2026-11-22", *flags) == Sealed(command=roll, until="2026-11-22", unseen=False)
    with pytest.raises(BadInput, match="2026-11-22 is in the past"):
        with_seal(roll, book, lambda: "2026-11-23", *flags)
    for until, unseen in (("2026-11-22", False), (None, True)):
        with pytest.raises(BadInput, match=r"^--until and --unseen need --seal\.$"):
            with_seal(roll, book, str, until=until, unseen=unseen)


def test_what_is_amended_is_read_as_what_was_said_was(book: Book) -> None:
    seq = scribe(book).write(Adjust(who="mara", amounts={"edge/edge": -1}, why="so")).entries[0].seq
    part = part_of(book, seq)[1]
    assert [*amendable_inputs(part.command)] == ["who", "amounts", "why"]
    assert changed_inputs(Names(book), part, {"amounts": ("edge=-2",), "why": "for a song"}) == {
        "amounts": {"edge/edge": -2},
        "sets": {},
        "why": "for a song",
    }
    with pytest.raises(BadInput, match=r"You cannot leave .* out of the command"):
        changed_inputs(Names(book), part, {"without": ("amounts",)})
    with pytest.raises(BadInput, match=r"^You cannot leave edge out"):
        changed_inputs(Names(book), part, {"without": ("why", "edge")})
    assert changed_inputs(Names(book), part, {"without": ("why",)}) == {"why": None}
    with pytest.raises(BadInput, match="'edge' is not a name and a value, like edge=3"):
        changed_inputs(Names(book), part, {"amounts": ("edge",)})
    joined = scribe(book).write(Join(who="zoe", system="edge", scores={})).entries[0].seq
    assert [*amendable_inputs(part_of(book, joined)[1].command)] == ["who", "system", "scores", "name"]


def test_what_is_left_as_it_was_in_an_amendment_is_not_read_again(book: Book) -> None:
    with in_the_city() as city:
        play(city, Map(place="old-market", level="streets", district="guilds"))
        play(city, Go(who="mara", place="old-makret", energy=2))
        assert changed_inputs(Names(city), part_of(city, city.head())[1], {"energy": "3"}) == {"energy": "3"}
    with at_the_ford() as ford:
        seq = play_cards(ford, DUEL.replace(rates={"mara": 75}, why="fog"), 60, 70).entries[0].seq
        part, names = part_of(ford, seq)[1], Names(ford)
        assert changed_inputs(names, part, {"why": "mist"}) == {"why": "mist"}
        assert changed_inputs(names, part, {"rates": ("br=60",)}) == {"rates": {"mara": 75, "brak": 60}}
        assert changed_inputs(names, part, {"rates": ("br=60",)}, not_merged=("rates",)) == {"rates": {"brak": 60}}
        assert changed_inputs(names, part, {"without": ("no-info", "rates")}) == {"no_info": False, "rates": {}}
        with pytest.raises(BadInput, match="You cannot leave so-so out"):
            changed_inputs(names, part, {"without": ("no-info", "so-so")})
        assert (faces_for(part, None), faces_for(part, [5, 7])) == (None, (5, 7))


def test_what_is_chosen_only_after_a_ruling_is_not_amended_in_it() -> None:
    with every_game() as book:
        test = moves_d100.Test(who="mara", attribute="cunning", difficulty=30)
        played = scribe(book).write(PlayMove(system="multicheck", move=test), faces=(60,))
        fields = amendable_inputs(part_of(book, played.entries[-1].seq)[1].command)
        assert "difficulty" in fields
        assert not {"after", "reroll"} & set(fields)


def test_a_command_is_read_with_its_names_resolved_on_the_sheet_of_whom_it_is_about(book: Book) -> None:
    def read(kind: type[Command], **typed: Any) -> Command:
        return command_from(Names(book), kind, parse_inputs(kind, **typed))

    adjust = read(Adjust, who="ma", amounts={"str": "-1", "edge": "3"}, why="x")
    assert adjust == Adjust(who="mara", amounts={"edge/strength": -1}, sets={"edge/edge": 3}, why="x")
    assert read(SetMarks, who="br", values={"ca": "yes"}) == SetMarks(who="brak", values={"edge/care": "yes"})
    assert read(OpenSession, title="one", present=["an,tom", "p2"]) == OpenSession(title="one", present=("p2", "p1"))
    assert read(Seat, name="Zoe", plays=["wolf-1..2", "ox,ox"], gm=False) == Seat(
        name="Zoe", plays=("wolf-1", "wolf-2", "ox", "ox"), gm=False
    )
    assert read(SeatNpcs, names=["wolf-1..2"]) == SeatNpcs(names=("wolf-1", "wolf-2"))
    assert read(Roll, who="ana", notation="2D6") == Roll(who="p2", notation="2D6")


class Chosen(Names):
    """Names of somebody who answers with the last that fits."""

    def decide_meaning(self, typed: str, found: Sequence[str]) -> str:
        return found[-1]


def test_a_front_end_that_can_ask_says_which_input_a_word_fills(book: Book) -> None:
    scribe(book).write(SetMarks(who="mara", values={"edge/weapon.brak": "1d6"}, why="x"))
    move = find("edge").move("attack")
    assert move is not None
    done = place_words(Chosen(book), "edge", move, ("mara", "brak"), (), None)
    assert done.values == {"who": "mara", "whom": "brak"}


@pytest.mark.parametrize(
    ("words", "who", "left"),
    [
        (("short",), "mara", ()),
        (("brak", "short"), "brak", ()),
        (("bra", "short"), "brak", ()),
        (("short", "bra"), "brak", ()),
        (("short", "brak"), "brak", ()),
        (("brak", "short", "long"), "brak", ("long",)),
        (("bra", "short", "long"), "mara", ("bra", "long")),
        (("short", "", "zed"), "mara", ("", "zed")),
    ],
)
def test_a_name_anywhere_in_the_line_overrides_the_usual_character(
    book: Book, words: tuple[str, ...], who: str, left: tuple[str, ...]
) -> None:
    move = find("edge").move("rest")
    assert move is not None
    done = place_words(Names(book), "edge", move, words, (), "mara")
    assert (Names(book).character(done.values["who"]), done.unplaced) == (who, left)


def test_a_game_is_named_by_its_first_letters() -> None:
    assert [game_named(typed) for typed in ("edge", "mul", "x", "")] == ["edge", "multicheck", "x", ""]


def test_digits_are_as_many_faces_as_they_may_be() -> None:
    assert len(Digits(text="737")) == 3


def test_an_unknown_name_that_is_not_text_is_refused(book: Book) -> None:
    with pytest.raises(UnknownName):
        Names(book).character("\ud800")
