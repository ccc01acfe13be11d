"""Sheets as decisions see them: limits, the flow of consequences, who is free, and what a move may read."""

from collections.abc import Mapping

import pytest

from ledger.commands.at_table import Adjust, ChangeSettings, SetMarks
from ledger.commands.play import PlayMove
from ledger.commands.seats import Leave
from ledger.commands.sheet import (
    FLOW_ERRORS,
    Sheets,
    check_flow,
    check_limits,
    check_not_held,
    plays,
    score_name,
    sheet_system,
    table_of,
    value_and_limits,
)
from ledger.corrections.undoing import Void
from ledger.errors import Held, LedgerError, Nobody, NotEnough, OutOfRange, Refused, UnknownName
from ledger.events.commitments import Secret
from ledger.events.facts import Posting
from ledger.events.subjects import CAMPAIGN
from ledger.journal.book import Book
from ledger.rules import Kind
from ledger.rules.rulings import Flow
from ledger.systems import find
from ledger.systems.edge.moves_check import Check
from table import every_game, scribe


def moved(book: Book, game: str, amounts: Mapping[tuple[str, str], int]) -> None:
    postings = [Posting(who=who, score=f"{game}/{name}", amount=amount) for (who, name), amount in amounts.items()]
    check_limits(book, find(game), postings)


@pytest.mark.parametrize(
    ("game", "name", "least", "most"),
    [
        ("edge", "edge", -4, 0),
        ("edge", "attack-dice", 0, 2),
        ("edge", "armor.reduction", 0, 100),
        ("coin", "rank", 0, 4),
    ],
)
def test_a_score_goes_from_its_least_to_its_most_and_no_further(
    book: Book, game: str, name: str, least: int, most: int
) -> None:
    for amount in (least, most):
        moved(book, game, {("mara", name): amount})
    with pytest.raises((NotEnough, OutOfRange)):
        moved(book, game, {("mara", name): least - 1})
    with pytest.raises(OutOfRange):
        moved(book, game, {("mara", name): most + 1})


REFUSED: list[tuple[str, dict[tuple[str, str], int], type[LedgerError], str]] = [
    ("edge", {("mara", "edge"): -6}, NotEnough, "mara has 4 edge and needs 6."),
    ("edge", {("mara", "edge"): 1}, OutOfRange, "The edge of mara would be 5; it cannot be above the maximum of 4."),
    (
        "edge",
        {("mara", "maximum"): -1},
        OutOfRange,
        "The edge of mara would be 4; it cannot be above the maximum of 3.",
    ),
    ("edge", {("mara", "attack-dice"): 3}, OutOfRange, "The attack-dice of mara would be 3; it cannot be above 2."),
    ("edge", {("zoe", "skill.new"): -1}, NotEnough, "zoe has 0 skill.new and needs 1."),
    ("coin", {("mara", "rank"): -1}, OutOfRange, "The rank of mara would be 0; it cannot be below 1."),
]


@pytest.mark.parametrize(("game", "amounts", "error", "says"), REFUSED, ids=[row[3] for row in REFUSED])
def test_a_limit_is_told_with_what_there_is(
    book: Book, game: str, amounts: dict[tuple[str, str], int], error: type[LedgerError], says: str
) -> None:
    with pytest.raises(error) as refused:
        moved(book, game, amounts)
    assert refused.value.sentence == says


def test_each_is_held_to_the_own_sheet_and_postings_of_one_score_are_taken_together(book: Book) -> None:
    moved(book, "edge", {("mara", "edge"): -4, ("brak", "edge"): -1})
    moved(book, "edge", {("mara", "edge"): -1, ("mara", "maximum"): -1})
    twice = [Posting(who="brak", score="edge/edge", amount=amount) for amount in (-1, -1)]
    with pytest.raises(NotEnough, match="brak has 1 edge and needs 2"):
        check_limits(book, find("edge"), twice)
    check_limits(book, find("edge"), [*twice, Posting(who="brak", score="edge/edge", amount=1)])


def test_what_a_correction_left_beyond_a_limit_may_come_back_and_hinders_nothing_else(book: Book) -> None:
    raised = scribe(book).write(Adjust(who="mara", amounts={"edge/maximum": 2}, why="x")).entries[0].seq
    scribe(book).write(Adjust(who="mara", amounts={"edge/edge": 2}, why="x"))
    scribe(book).write(Void(strikes=raised, why="x"))
    assert (book.balance("mara", "edge/edge"), book.balance("mara", "edge/maximum")) == (6, 4)
    moved(book, "edge", {("mara", "edge"): -1})
    moved(book, "edge", {("mara", "maximum"): 0})
    moved(book, "edge", {("mara", "maximum"): 1})
    for amounts in ({("mara", "edge"): 0}, {("mara", "maximum"): -1}):
        with pytest.raises(OutOfRange, match="above the maximum"):
            moved(book, "edge", amounts)


def test_what_a_correction_left_below_the_least_may_come_back_too(book: Book) -> None:
    raised = scribe(book).write(Adjust(who="mara", amounts={"edge/strength": 2}, why="x")).entries[0].seq
    scribe(book).write(Adjust(who="mara", amounts={"edge/strength": -8}, why="x"))
    scribe(book).write(Void(strikes=raised, why="x"))
    for amount in (0, 1):
        moved(book, "edge", {("mara", "strength"): amount})
    with pytest.raises(NotEnough, match="mara has −2 strength and needs 1"):
        moved(book, "edge", {("mara", "strength"): -1})


@pytest.mark.parametrize(
    ("flow", "scores", "fits"),
    [
        ("in", {"edge": 0}, True),
        ("in", {"edge": 1, "maximum": 0}, True),
        ("in", {"edge": 2, "maximum": -1}, False),
        ("out", {"edge": 0}, True),
        ("out", {"edge": -1, "maximum": 0}, True),
        ("out", {"edge": -2, "maximum": 1}, False),
        ("within", {"edge": -1, "maximum": 1}, True),
        ("within", {"edge": 1}, False),
        ("within", {"edge": -1, "strength": 1}, False),
    ],
)
def test_postings_go_with_the_flow_of_their_kind_unit_by_unit(flow: Flow, scores: dict[str, int], fits: bool) -> None:
    effect = Kind(name="edge-moved", says="x", rule="x", flow=flow).of("mara", scores)
    if fits:
        check_flow(find("edge"), effect)
    else:
        with pytest.raises(Refused, match=FLOW_ERRORS[flow].format(kind="edge-moved", unit="edge")):
            check_flow(find("edge"), effect)


def test_what_is_on_no_sheet_flows_anywhere_and_what_is_no_score_nowhere() -> None:
    counted = Kind(name="counted", says="x", rule="x", flow="within")
    check_flow(find("byzantine"), counted.of("mara", {"nights.little": 1}))
    with pytest.raises(Refused, match="edge has no score called 'mood'"):
        check_flow(find("edge"), counted.of("mara", {"mood": 0}))


def test_a_sheet_is_of_who_plays_and_has_one(book: Book) -> None:
    assert sheet_system(book, "mara", "edge").name == "edge"
    with pytest.raises(UnknownName, match="mara has no sheet in 'byzantine'"):
        sheet_system(book, "mara", "byzantine")
    assert score_name(find("edge"), "skill.new") == "skill.new"
    with pytest.raises(UnknownName, match="edge has no score called 'mood'") as refused:
        score_name(find("edge"), "mood")
    assert "Its scores: edge, maximum, strength, attribute.*, " in refused.value.hint
    scribe(book).write(Leave(who="mara"))
    assert (plays(book, "mara"), plays(book, "brak")) == (False, True)
    with pytest.raises(Nobody, match="Nobody called 'mara' plays in this campaign"):
        sheet_system(book, "mara", "edge")


def test_who_is_held_by_a_question_is_not_free(book: Book) -> None:
    check_not_held(book, ("mara", "brak"))
    asked = scribe(book).write(PlayMove(system="edge", move=Check(who="mara", skill=11, edge=True)), faces=(7, 3, 7))
    check_not_held(book, ("brak",))
    with pytest.raises(Held, match=f"mara has an open question: #{asked.entries[1].seq}"):
        check_not_held(book, ("brak", "mara"))


def test_a_move_reads_scores_marks_the_day_and_the_names_of_a_family() -> None:
    with every_game() as book:
        scribe(book).write(SetMarks(who="mara", values={"edge/care": "yes"}, why="x"))
        table = table_of(book, "edge")
        assert (table.score("mara", "edge"), table.score("mara", "care"), table.find("mara", "care")) == (4, 0, True)
        assert (table.day(), table.names("mara", "skill")) == (1, ("deception",))
        assert (table.needed("mara", "strength"), table.names("brak", "skill")) == (6, ())
        with pytest.raises(Refused, match="brak has no strength on the sheet") as refused:
            table.needed("brak", "strength")
        assert refused.value.hint == "Add strength with 'campaign adjust brak edge/strength=+N'."


def test_a_setting_is_that_of_the_gm_or_else_the_default_and_is_compared_as_a_value(book: Book) -> None:
    sheets = Sheets(book, find("edge"))
    default = sheets.comparable_value(CAMPAIGN, "edge/injuries")
    scribe(book).write(ChangeSettings(system="edge", values={"injuries": "light,heavy"}))
    assert table_of(book, "edge").settings["injuries"] == ["light", "heavy"]
    assert default[0] == "minor"
    assert sheets.comparable_value(CAMPAIGN, "edge/injuries") == ("light", "heavy")
    assert [sheets.comparable_value("mara", f"edge/{name}") for name in ("edge", "care", "strength")] == [4, 0, 6]
    assert not isinstance(sheets.stored_value("mara", "edge/edge"), Secret)


def test_a_score_is_told_with_the_least_and_the_most_that_it_may_be(book: Book) -> None:
    edge = find("edge")
    assert [
        value_and_limits(book, edge, who, declared)
        for who, name in (("mara", "edge"), ("brak", "edge"), ("zoe", "edge"), ("mara", "attack-dice"))
        if (declared := edge.score(name))
    ] == [(4, 0, 4), (1, 0, 2), (0, 0, 0), (0, 0, 2)]
