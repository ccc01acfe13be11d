"""Redecide: entries that somebody made by hand are what their command comes to, or are found; corrections accuse nobody."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

import coin
from audits import decided
from engine import connection_of
from ledger.audit.report import Finding, audit
from ledger.commands.at_table import Adjust, ChangeSettings, Join, OpenSession, SetMarks, SetScene
from ledger.commands.custody import Erase
from ledger.commands.days import NextDay
from ledger.commands.decider import Command
from ledger.commands.seats import Seat
from ledger.corrections.undoing import Amend, Undo, Void
from ledger.errors import Broken
from ledger.events.facts import BOOK_EDITION
from ledger.journal.book import Book
from ledger.rules.system import Remark
from table import TODAY, every_game, last, opened_book, scribe
from tampering import fields, fitted, rewritten, unguarded

LESS = Adjust(who="mara", amounts={"edge/edge": -1}, why="so")
BOTH = Adjust(who="mara", amounts={"edge/edge": -1, "coin/coins": 1}, why="so")
CARE = SetMarks(who="mara", values={"edge/care": "yes", "coin/bank": "here"}, why="so")
TAXED = ChangeSettings(system="coin", values={"taxed": "yes"})
ZED = Join(who="zed", system="coin", scores={})


def write(book: Book, *commands: Command) -> int:
    """Write commands; return the last entry."""
    for command in commands:
        scribe(book).write(command)
    return book.head()


def changed(book: Book, seq: int, change: Callable[[str], str]) -> None:
    before = book.journal.entry(seq).stored.decode()
    assert change(before) != before, before
    rewritten(seq, change)(connection_of(book))


def by_hand(book: Book) -> list[tuple[int, str, bool]]:
    """What is found when all actions are decided again, and whether it is certain."""
    return [(*fault, not isinstance(fault, Remark)) for fault in decided(book)[0]]


def instead(*pairs: tuple[str, str]) -> Callable[[str], str]:
    """Return what puts one text in the place of another, pair by pair."""

    def change(body: str) -> str:
        for one, other in pairs:
            assert one in body, body
            body = body.replace(one, other)
        return body

    return change


MORE = ('"coin/coins":1', '"coin/coins":-99'), ('"amount":1', '"amount":-99')
CHESS = ('"coin/', '"chess/')
AWAY = "The game chess is not installed here."
OTHER_MARK = (
    "The record has the mark 'campaign coin/taxed = False', but today's rules give 'campaign coin/taxed = True'."
)
FEWER = "Today's rules refuse this action: mara has 9 coins and needs 99."

FOUND: list[tuple[str, Command, Callable[[str], str], list[tuple[str, bool]]]] = [
    ("more than there is", BOTH, instead(*MORE), [(FEWER, True)]),
    ("a score of a game that is not installed", BOTH, instead(CHESS), [(AWAY, False)]),
    ("another beside one of a game that is not installed", BOTH, instead(CHESS, ('"edge/edge"', '"edge/luck"')), [(AWAY, False)]),
    ("nothing but a score of a game that is not installed", LESS, instead(('"edge/edge"', '"chess/edge"')), [(AWAY, False)]),
    ("a mark of a game that is not installed", CARE, instead(CHESS), [(AWAY, False)]),
    ("another value beside a mark of a game that is not installed", CARE, instead(CHESS, ('"value":true', '"value":null')), [(AWAY, False)]),
    ("a setting of a game that is not installed", TAXED, instead(('"system":"coin"', '"system":"chess"'), CHESS), [(AWAY, False)]),
    ("a setting that is read otherwise", TAXED, instead(('"value":true', '"value":false')), [(OTHER_MARK, True)]),
    ("a sheet in a game that is not installed", ZED, instead(('"system":"coin"', '"system":"chess"'), CHESS), [(AWAY, False)]),
    ("a sheet with more", ZED, instead(('"amount":3', '"amount":4')), [("The record has the score change 'zed coin/rank +1, zed coin/coins +4', but today's rules give 'zed coin/rank +1, zed coin/coins +3'.", True)]),
    ("a sheet of a name that is reserved", ZED, instead(('"zed"', '"p7"')), [("Today's rules refuse this action: 'p7' is reserved and cannot be a character's name.", True)]),
    ("what cannot be typed", CARE, instead(('"coin/bank":"here"', '"coin/bank":7')), [("Today's rules do not accept the input values.", True)]),
    ("another day", NextDay(count=1, until=None), instead(('"day":1', '"day":2')), [("The record has the day '2', but today's rules give '1'.", True)]),
]  # fmt: skip


@pytest.mark.parametrize(("what", "said", "change", "found"), FOUND, ids=[each[0] for each in FOUND])
def test_what_no_command_would_have_written_is_found(
    what: str, said: Command, change: Callable[[str], str], found: list[tuple[str, bool]]
) -> None:
    with opened_book() as book:
        entry = scribe(book).write(said).entries[0].seq
        assert by_hand(book) == []
        changed(book, entry, change)
        assert by_hand(book) == [(entry, *each) for each in found]


def test_a_scene_outside_a_session_is_found() -> None:
    with opened_book() as book:
        scene = write(book, OpenSession(title="x", present=()), SetScene(title="x"))
        unguarded("DELETE FROM marks WHERE name = 'session'")(connection_of(book))
        assert by_hand(book) == [(scene, "Today's rules refuse this action: No session is open.", True)]


def test_where_a_game_was_of_another_edition_it_is_a_remark() -> None:
    with opened_book() as book:
        joined, entry = book.head(), write(book, BOTH)
        changed(book, entry, instead(*MORE))
        changed(book, joined, instead(('"edition":"coin/1"', '"edition":"coin/0"')))
        assert by_hand(book) == [(entry, FEWER, False)]


def test_where_the_book_had_rules_of_another_edition_a_correction_that_differs_is_a_remark() -> None:
    with opened_book() as book:
        write(book, LESS)
        amendment = write(book, amended(book.head(), {"amounts": {"edge/edge": -2}})) - 2
        changed(book, amendment, instead(('"amounts":{"edge/edge":-2}', '"amounts":{"edge/edge":-1}')))
        assert {certain for _, _, certain in by_hand(book)} == {True}
        changed(book, amendment, instead((f'"edition":{BOOK_EDITION}', '"edition":1')))
        changed(book, amendment + 1, instead((f'"edition":{BOOK_EDITION}', '"edition":1')))
        assert {certain for _, _, certain in by_hand(book)} == {False}
        changed(book, amendment, instead(('"amounts":{"edge/edge":-1}', '"amounts":{"edge/edge":-2}')))
        assert by_hand(book) == []


def test_a_correction_cannot_name_an_edition_before_that_of_an_earlier_one() -> None:
    with opened_book() as book:
        write(book, LESS, Undo(), LESS)
        amendment = write(book, amended(book.head(), {"amounts": {"edge/edge": -2}})) - 2
        changed(book, amendment, instead(('"amounts":{"edge/edge":-2}', '"amounts":{"edge/edge":-1}')))
        changed(book, amendment, instead((f'"edition":{BOOK_EDITION}', '"edition":1')))
        changed(book, amendment + 1, instead((f'"edition":{BOOK_EDITION}', '"edition":1')))
        assert {certain for _, _, certain in by_hand(book)} == {True}


def test_a_game_that_nobody_plays_may_have_been_of_any_edition() -> None:
    with opened_book(games=("edge",)) as book:
        entry = write(book, TAXED)
        changed(book, entry, instead(('"value":true', '"value":false')))
        assert [certain for _, _, certain in by_hand(book)] == [False]


def amended(seq: int, inputs: Mapping[str, Any]) -> Amend:
    return Amend(named=seq, inputs=inputs, faces=None, cascade=False, why="so")


def test_what_was_put_right_is_said_in_its_old_place() -> None:
    with opened_book() as book:
        gain = write(book, Adjust(who="brak", amounts={"edge/edge": 1}, why="so"))
        spent = write(book, Adjust(who="brak", amounts={"edge/edge": -2}, why="so"))
        write(book, Void(strikes=gain, why="so"), Undo(), amended(spent, {"amounts": {"edge/edge": -1}}))
        again = book.head()
        assert by_hand(book) == []
        changed(book, again, instead(('"edge/edge":-1', '"edge/edge":-3'), ('"amount":-1', '"amount":-3')))
        says = "The record has the score change 'brak edge/edge −3', but today's rules give 'brak edge/edge −1'."
        assert by_hand(book) == [(again, says, True)]


def test_a_copy_of_what_was_said_is_no_finding_though_the_days_before_it_were_struck() -> None:
    with every_game() as book:
        second = book.head() + 1
        write(book, NextDay(count=1, until=None), NextDay(count=1, until=None))
        third = next(each.seq for each in book.journal.entries(second + 1) if each.type == "day-begun")
        dawn = next(each.seq for each in book.journal.entries(third) if each.type == "move-played")
        write(book, Void(strikes=second, why="so"))
        copy = last(scribe(book).write(amended(dawn, {})), "day-begun")
        assert (copy["day"], copy["since"]) == (3, third)
        assert by_hand(book) == []
        changed(book, copy["seq"], instead(('"day":3', '"day":4')))
        assert by_hand(book) == [(copy["seq"], "The record has the day '4', but today's rules give '3'.", True)]


def test_words_that_were_erased_accuse_nobody() -> None:
    with opened_book() as book:
        entry = write(book, LESS)
        write(book, Erase(entries=(entry,)))
        assert by_hand(book) == []


@pytest.mark.parametrize("edition", ["coin/1", "coin/0"])
def test_what_is_certain_is_a_finding_and_what_is_not_a_remark(edition: str) -> None:
    with opened_book() as book:
        joined, entry = book.head(), write(book, TAXED)
        assert (audit(book, TODAY).findings, audit(book, TODAY).remarks) == ((), ())
        rewritten(joined, fields(edition=edition))(connection_of(book))
        changed(book, entry, instead(('"value":true', '"value":false')))
        fitted(book)
        found = (Finding(seq=entry, says=OTHER_MARK),)
        certain = (found, ()) if edition == "coin/1" else ((), found)
        assert (audit(book, TODAY).findings, audit(book, TODAY).remarks) == certain


@pytest.mark.parametrize("forged", [('"p3"', '"p9"'), ('"gm":false', '"gm":true')])
def test_a_seat_that_no_command_gives_is_found_also_where_a_player_s_name_was_erased(forged: tuple[str, str]) -> None:
    with opened_book() as book:
        ana = next(entry.seq for entry in book.journal.entries() if entry.body.get("player") == "p2")
        ben = write(book, Seat(name="Ben", plays=(), gm=False))
        write(book, Erase(entries=(ana,)))
        changed(book, ben, instead(forged))
        assert [(seq, certain) for seq, _, certain in by_hand(book)] == [(ben, True)]


def test_a_seat_of_another_player_is_found_where_no_name_was_erased() -> None:
    with opened_book() as book:
        again = write(book, *(Seat(name="Ben", plays=plays, gm=False) for plays in ((), ("zed",))))
        assert by_hand(book) == []
        changed(book, again, instead(('"p3"', '"p2"')))
        assert [(seq, certain) for seq, _, certain in by_hand(book)] == [(again, True)]


def test_a_game_that_fails_at_what_was_said_is_a_bug_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    bug = TypeError()

    def failing(typed: str) -> bool:
        raise bug

    with opened_book() as book:
        entry = write(book, TAXED)
        monkeypatch.setitem(coin.SYSTEM.settings[0].__dict__, "read", failing)
        with pytest.raises(Broken, match=f"The rules of coin failed at #{entry} .TypeError.: this is a bug") as broken:
            by_hand(book)
        assert broken.value.__cause__ is bug
