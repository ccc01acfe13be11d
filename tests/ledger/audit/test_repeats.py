"""Repeats: the audit counts canceled rolls, and lists rolls repeated soon after with different dice."""

from datetime import timedelta

import pytest

from ledger.audit.report import audit
from ledger.commands.at_table import Adjust
from ledger.commands.decider import Command
from ledger.commands.play import PlayMove
from ledger.commands.roll import Roll
from ledger.commands.seats import Seat
from ledger.commands.turns import RollTurn
from ledger.corrections.undoing import Amend, Redo, Undo, Void
from ledger.journal.book import Book
from ledger.scribe import Scribe
from ledger.systems.edge.moves import Rest
from ledger.systems.edge.moves_check import Check
from table import EVENING

TODAY = "2026-11-20"
CHECK = PlayMove(system="edge", move=Check(who="mara", skill=11))


class Evening:
    """An evening at which somebody rolls, cancels and rolls again."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.now = EVENING

    def does(self, command: Command, faces: tuple[int, ...] | None = None, *, by: str = "p1", after: int = 20) -> int:
        """Write a command some seconds after the previous one; return its first entry."""
        self.now += timedelta(seconds=after)
        scribe = Scribe(self.book, by=by, clock=lambda: self.now)
        return scribe.write(command, faces=faces).entries[0].seq

    @property
    def remarks(self) -> list[str]:
        """List the remarks about repeated rolls."""
        return [remark.says for remark in audit(self.book, TODAY).remarks if " again " in remark.says]

    @property
    def counted(self) -> dict[str, int]:
        """Return the number of canceled rolls by character and player."""
        counts = audit(self.book, TODAY).counts
        return {name: count for name, count in counts.items() if "rolls canceled" in name}


@pytest.fixture
def evening(book: Book) -> Evening:
    return Evening(book)


def test_a_roll_that_is_canceled_and_made_again_soon_is_named(evening: Evening) -> None:
    first = evening.does(CHECK, (2, 3))
    evening.does(Undo())
    evening.does(CHECK, (9, 9))
    (says,) = evening.remarks
    assert (
        says
        == f"mara rolled edge check again within a minute after #{first + 1}, which was canceled. The dice are different."
    )


def test_a_roll_made_again_after_more_than_a_minute_is_not_named(evening: Evening) -> None:
    evening.does(CHECK, (2, 3))
    evening.does(Undo())
    evening.does(CHECK, (9, 9), after=41)
    assert evening.remarks == []


@pytest.mark.parametrize(
    "other",
    [
        CHECK.replace(deed="climbs the wall"),
        CHECK.replace(move=Check(who="mara", skill=11, target=25)),
        Roll(who="mara", notation="2d10"),
    ],
)
def test_another_attempt_is_not_named(evening: Evening, other: Command) -> None:
    evening.does(CHECK, (2, 3))
    evening.does(Undo())
    evening.does(other, (9, 9))
    assert evening.remarks == []


def test_a_roll_that_was_canceled_after_the_next_one_is_not_named(evening: Evening) -> None:
    first = evening.does(CHECK, (2, 3))
    evening.does(CHECK, (9, 9))
    evening.does(Void(strikes=first, why="a dispute"))
    assert evening.remarks == []


def test_the_same_dice_typed_again_are_a_correction(evening: Evening) -> None:
    roll = evening.does(CHECK, (2, 3))
    evening.does(Void(strikes=roll, why="the wrong skill"))
    evening.does(CHECK, (2, 3))
    assert evening.remarks == []


def test_a_roll_that_counts_again_is_not_canceled(evening: Evening) -> None:
    evening.does(CHECK, (2, 3))
    evening.does(Undo())
    evening.does(Redo())
    evening.does(CHECK, (9, 9))
    assert (evening.remarks, evening.counted) == ([], {})


def test_an_amendment_keeps_the_dice_and_cancels_no_roll(evening: Evening) -> None:
    evening.does(CHECK, (2, 3))
    evening.does(Amend(named=evening.book.head(), inputs={"skill": 12}, faces=None, cascade=False, why="so"))
    evening.does(CHECK, (9, 9))
    assert (evening.remarks, evening.counted) == ([], {})


def test_an_amendment_of_a_roll_may_also_ask_a_question(evening: Evening) -> None:
    evening.does(Adjust(who="mara", amounts={"edge/edge": -1}, why="so"))
    check = CHECK.replace(move=Check(who="mara", skill=11, advantage=("high ground",)))
    evening.does(check, (2, 3, 7))
    ruling = evening.book.head()
    evening.does(PlayMove(system="edge", move=Rest(who="mara", kind="long")))
    evening.does(Amend(named=ruling, inputs={"drop_instead": 3}, faces=(2, 3, 8), cascade=False, why="so"))
    assert (len(evening.book.questions()), evening.remarks) == (1, [])


def test_canceled_rolls_are_counted_by_character_and_by_the_player_who_canceled(evening: Evening) -> None:
    evening.does(Seat(name="Ana", plays=("mara",), gm=False))
    ana = f"p{evening.book.last_handle_number()}"
    for _ in range(2):
        evening.does(Roll(who="mara", notation="d20"), (3,), by=ana)
        evening.does(Undo(), by=ana)
    roll = evening.does(CHECK, (2, 3), by=ana)
    evening.does(Void(strikes=roll, why="not now"))
    assert evening.counted == {"of mara's rolls canceled by Ana": 2, "of mara's rolls canceled by Tom": 1}


def test_dice_without_a_game_are_named_too(evening: Evening) -> None:
    evening.does(Roll(who="mara", notation="d20"), (3,))
    evening.does(Undo())
    evening.does(Roll(who="mara", notation="d20"), (19,))
    assert [says.startswith("mara rolled d20 again") for says in evening.remarks] == [True]


@pytest.mark.parametrize(
    ("first", "second"),
    [("d20", "1d20"), ("d100", "d%"), ("D20 + 3", "d20+3"), ("d20+3", "d20+5")],
)
def test_the_same_dice_typed_in_another_way_are_the_same_roll(evening: Evening, first: str, second: str) -> None:
    evening.does(Roll(who="mara", notation=first), (3,))
    evening.does(Undo())
    evening.does(Roll(who="mara", notation=second), (19,))
    assert [says.startswith(f"mara rolled {second} again") for says in evening.remarks] == [True]


def test_the_same_dice_in_another_order_with_the_same_faces_are_a_correction(evening: Evening) -> None:
    for again in ((5, 2), (5, 3)):
        evening.does(Roll(who="mara", notation="d6+d8"), (2, 5))
        evening.does(Undo())
        evening.does(Roll(who="mara", notation="d8+d6"), again)
    assert [says.startswith("mara rolled d8+d6 again") for says in evening.remarks] == [True]


def test_another_character_or_another_move_is_another_roll(evening: Evening) -> None:
    evening.does(Roll(who="mara", notation="d20"), (3,))
    evening.does(Undo())
    evening.does(Roll(who="mara", notation="d12"), (12,))
    assert evening.remarks == []


def test_a_roll_for_initiative_repeats_no_other_roll(evening: Evening) -> None:
    evening.does(Roll(who="mara", notation="d20+4"), (3,))
    evening.does(Undo())
    evening.does(RollTurn(who="mara", notation="d20"), (19,))
    assert evening.remarks == []


def test_of_two_canceled_rolls_each_repeat_is_named(evening: Evening) -> None:
    for face in (1, 2):
        evening.does(Roll(who="mara", notation="d20"), (face,))
        evening.does(Undo())
    evening.does(Roll(who="mara", notation="d20"), (20,))
    assert len(evening.remarks) == 2
