"""Play: who may roll, what may be said up front, and how the inputs of a move are kept."""

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

import pytest

from ledger.commands.play import PlayMove, move_of, stored_inputs
from ledger.commands.roll import Roll
from ledger.corrections.answers import Choose
from ledger.errors import BadInput, Nobody, OnceDiffers, OutOfRange, Refused, UnknownName, WrongFaces
from ledger.events.commitments import CommittedText, Secret
from ledger.events.subjects import HOLD, OFFER, QUESTIONS
from ledger.events.types import MovePlayed
from ledger.journal.book import Book
from ledger.rules import Handle, Hidden, Kind, Move, Pool, Ruling, Table, Tag, Who, Words, pool, ruling
from ledger.systems.byzantine.moves_tasks import Know
from ledger.systems.edge.moves_check import Check
from ledger.systems.multicheck import moves_d100
from table import counting_dice, every_game, last, scribe

ASKS = Check(who="mara", skill=11, edge=True)


class Again(Move):
    """A move of a game that is not ours, with a choice after the dice and one after the ruling."""

    chosen: ClassVar[tuple[str, ...]] = ("take_die",)
    offered: ClassVar[Mapping[str, str]] = {"roll_again": "roll again"}
    who: Who
    take_die: Annotated[int | None, "the die that counts"] = None
    roll_again: Annotated[bool, "roll again"] = False
    item: Annotated[Handle | None, "the thing"] = None
    skill: Annotated[str | None, Tag(name="score", of="skill"), "the skill"] = None
    also: Annotated[tuple[Handle, ...], "more things"] = ()
    beside: Annotated[Mapping[str, int], "who helps, with how much"] = {}
    why: Annotated[Words | None, "what for"] = None
    boon: Annotated[tuple[Words, ...], "what helps"] = ()
    number: Annotated[Hidden, "the number"] = 20
    secret: Annotated[bool, "keep the number"] = False

    def dice(self, table: Table) -> Pool:
        return pool(1, 6)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        return ruling("rolled", None)


def test_a_character_or_a_player_rolls_and_nobody_else(book: Book) -> None:
    for who in ("mara", "p2"):
        rolled = last(scribe(book).write(Roll(who=who, notation="2D6+1"), faces=(3, 4)), "dice-counted")
        assert (rolled["who"], rolled["notation"], rolled["total"], rolled["why"]) == (who, "2D6+1", 8, None)
    for who in ("zed", "p9", "campaign"):
        with pytest.raises(Nobody, match=f"Nobody called '{who}' plays in this campaign"):
            scribe(book).write(Roll(who=who, notation="2d6"))
    kept = last(scribe(book).write(Roll(who="mara", notation="4d6kh3", why="luck"), faces=(6, 1, 5, 4)), "dice-counted")
    assert kept["why"] == "luck"
    assert [die["dropped"] for die in kept["dice"]] == [None, "kh3", None, None]


def test_a_player_who_fills_in_an_input_for_the_gm_needs_the_gm(book: Book) -> None:
    know = PlayMove(system="byzantine", move=Know(who="mara", task="wall", energy=1, costs=4))
    assert know.refused_for(book, "p2") == ["campaign"]


def test_what_is_chosen_after_the_dice_or_the_ruling_is_not_said_before(book: Book) -> None:
    dice = counting_dice()
    hand = scribe(book, chance=dice)
    with pytest.raises(
        Refused, match=r"^--roll-again can only be chosen between the roll and the character's next move"
    ) as refused:
        hand.write(PlayMove(system="edge", move=Again(who="mara", roll_again=True)))
    assert refused.value.hint == "Make the roll first, then type 'campaign choose ENTRY --roll-again'."
    with pytest.raises(Refused, match=r"^--take-die can only be chosen after the roll"):
        hand.write(PlayMove(system="edge", move=Again(who="mara", take_die=1)))
    assert dice.count == 0


class Known(Again):
    """The same, with facts behind its dice."""

    def facts_text(self, table: Table, faces: Sequence[int]) -> str:
        return "one die for a rope"


@pytest.mark.parametrize(("move", "facts"), [(Again, ""), (Known, " (one die for a rope)")])
def test_wrong_faces_are_told_with_the_facts_behind_the_dice_where_there_are_some(
    book: Book, move: type[Move], facts: str
) -> None:
    with pytest.raises(WrongFaces) as refused:
        scribe(book).write(PlayMove(system="edge", move=move(who="mara")), faces=(7,))
    assert refused.value.sentence == f"This roll needs 1d6, but a d6 cannot show 7{facts}."
    assert refused.value.hint == "Type the number that the die shows."


def test_the_inputs_of_a_move_are_kept_as_they_were_said() -> None:
    said = Again(who="mara", item="rope", also=("lamp", "oil"), beside={"brak": 2}, boon=("rain",), why="so")
    kept = stored_inputs(said)
    assert (kept["item"], kept["also"], kept["beside"], kept["number"]) == ("rope", ["lamp", "oil"], {"brak": 2}, 20)
    assert [words.text for words in (kept["why"], *kept["boon"])] == ["so", "rain"]
    assert all(isinstance(words, CommittedText) for words in (kept["why"], *kept["boon"]))
    assert (kept["take_die"], kept["secret"], kept["skill"]) == (None, False, None)
    number = stored_inputs(said.replace(secret=True))["number"]
    assert isinstance(number, Secret)
    assert number.value == 20


@pytest.mark.parametrize(
    "wrong", [{"item": "Old Rope"}, {"skill": "Old Rope"}, {"also": ("lamp", "Old Rope")}, {"beside": {"Old Rope": 1}}]
)
def test_a_name_of_a_thing_is_a_short_name(wrong: dict[str, object]) -> None:
    with pytest.raises(BadInput, match="'Old Rope' is not a valid name"):
        stored_inputs(Again(who="mara").replace(**wrong))


def test_an_input_that_may_be_said_often_is_said_twenty_times_at_most() -> None:
    names = [f"name{number}" for number in range(21)]
    for many in ({"also": tuple(names)}, {"boon": tuple(names)}, {"beside": dict.fromkeys(names, 1)}):
        (flag,) = many
        with pytest.raises(BadInput, match=f"--{flag} at most 20 times"):
            stored_inputs(Again(who="mara").replace(**many))
    for most in ({"also": tuple(names[1:])}, {"beside": dict.fromkeys(names[1:], 1)}):
        assert len(stored_inputs(Again(who="mara").replace(**most))[next(iter(most))]) == 20
    assert stored_inputs(Again(who="mara", why="x" * 21, skill="a" * 21))["skill"] == "a" * 21


class Boost(Move):
    """A move of a game that is not ours, which brings edge without any dice."""

    who: Who

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        gained = Kind(name="edge-gained", says="edge comes back", rule="x", flow="in")
        return ruling("boosted", None, follows=[gained.of(self.who, {"edge": 1})])


def test_what_follows_without_dice_stays_within_the_limits_of_a_sheet_or_nothing_is_written(book: Book) -> None:
    head = book.head()
    with pytest.raises(OutOfRange, match="The edge of mara would be 5; it cannot be above the maximum of 4"):
        scribe(book).write(PlayMove(system="edge", move=Boost(who="mara")))
    assert book.head() == head
    scribe(book).write(PlayMove(system="edge", move=Boost(who="brak")))
    assert book.balance("brak", "edge/edge") == 2


def test_a_question_holds_the_cast_until_it_is_answered(book: Book) -> None:
    asked = last(scribe(book).write(PlayMove(system="edge", move=ASKS), faces=(7, 3, 7)), "question-asked")
    seq = asked["seq"]
    assert (book.balance("mara", HOLD), book.mark(QUESTIONS, str(seq)), book.questions()) == (1, False, [seq])
    ruled = last(scribe(book).write(Choose(question=seq, chosen={"drop": 3})), "move-played")
    assert (book.balance("mara", HOLD), book.mark(QUESTIONS, str(seq)), book.questions()) == (0, ruled["seq"], [])


def test_an_offer_is_open_until_the_next_move_of_the_character() -> None:
    test = moves_d100.Test(who="mara", attribute="cunning", difficulty=30)
    with every_game() as book:
        ruled = last(scribe(book).write(PlayMove(system="multicheck", move=test), faces=(60,)), "move-played")
        assert book.mark("mara", OFFER) == ruled["seq"]
        scribe(book).write(PlayMove(system="edge", move=Check(who="brak", skill=11)), faces=(7, 6))
        assert book.mark("mara", OFFER) == ruled["seq"]
        done = last(
            scribe(book).write(PlayMove(system="edge", move=Check(who="mara", skill=11)), faces=(7, 6)), "move-played"
        )
        assert (book.mark("mara", OFFER), done["marks"]) == (None, [{"who": "mara", "name": OFFER, "value": None}])


def test_a_move_that_the_installed_game_does_not_know_is_refused_by_its_entry(book: Book) -> None:
    ruled = last(
        scribe(book).write(PlayMove(system="edge", move=Check(who="mara", skill=11)), faces=(7, 6)), "move-played"
    )
    entry = book.entry(ruled["seq"], secrets=True)
    event = entry.event
    assert isinstance(event, MovePlayed)
    assert move_of(entry) is Check
    for changes in ({"move": "mood"}, {"inputs": {**event.inputs, "mood": 1}}):
        with pytest.raises(
            UnknownName, match=f"The version of edge on this computer does not know the move of #{entry.seq}"
        ):
            move_of(entry.with_event(event.replace(**changes)))


def test_a_move_that_is_said_again_is_compared_by_its_game_its_name_and_its_inputs() -> None:
    test = moves_d100.Test(who="mara", attribute="cunning", difficulty=30)
    said = PlayMove(system="multicheck", move=test)
    with every_game() as book:
        scribe(book).write(said, faces=(60,), once="a")
        assert scribe(book).write(said, faces=(60,), once="a").again
        for other in (said.replace(move=test.replace(difficulty=31)), PlayMove(system="edge", move=Check(who="mara"))):
            with pytest.raises(OnceDiffers):
                scribe(book).write(other, faces=(60,), once="a")
