"""The decider: drafts that are not written, and what is refused before any die is rolled."""

from typing import Any

import pytest

from engine import connection_of
from ledger import rules
from ledger.commands import play
from ledger.commands.at_table import Note
from ledger.commands.decider import Sketch, describe_difference
from ledger.commands.play import PlayMove
from ledger.commands.roll import Roll
from ledger.corrections.actions import action_of
from ledger.corrections.answers import AcceptOffer
from ledger.corrections.in_place import InPlaceDraft
from ledger.corrections.seals import Reveal, Sealed, sealed_events, sealed_events_and_causes
from ledger.errors import BadInput, OnceDiffers, SecretNotHere, WrongEntry
from ledger.events.commitments import CommittedText, secret
from ledger.events.facts import Mark, Posting
from ledger.events.types import Consequence, RollSealed
from ledger.journal.book import Book
from ledger.systems.edge.moves_check import Check
from ledger.systems.multicheck import moves_d100
from table import counting_dice, every_game, scribe


def test_a_plan_that_depends_on_a_secret_hides_the_plan_that_it_joins(book: Book) -> None:
    joined, plan = Sketch(book, book.head()), Sketch(book, book.head())
    plan.declare_secret_in(joined)
    assert not joined.reveals_secret
    plan.declare_secret()
    plan.declare_secret_in(joined)
    assert joined.reveals_secret


def test_a_sketch_shows_what_was_added_to_it_and_writes_nothing(book: Book) -> None:
    sketch, head = Sketch(book, book.head()), book.head()
    assert (sketch.balance("mara", "edge/edge"), sketch.mark("mara", "edge/care")) == (4, None)
    posting, mark = Posting(who="mara", score="edge/edge", amount=-1), Mark(who="mara", name="edge/care", value=True)
    event = Consequence(kind="edge-spent", system="edge", who="mara", facts={}, postings=(posting,), marks=(mark,))
    assert sketch.add(event, cause=3, since=2) == head + 1 == sketch.next - 1
    assert (sketch.balance("mara", "edge/edge"), sketch.mark("mara", "edge/care")) == (3, True)
    more = Mark(who="mara", name="edge/care", value="later")
    assert sketch.add(event.replace(marks=(more,))) == head + 2
    assert (sketch.balance("mara", "edge/edge"), sketch.mark("mara", "edge/care")) == (2, "later")
    assert (sketch.balance("brak", "edge/edge"), sketch.mark("brak", "edge/care")) == (1, None)
    new = Posting(who="brak", score="edge/skill.new", amount=2)
    sketch.add(event.replace(postings=(new,)))
    assert (sketch.balance("brak", "edge/skill.new"), sketch.balance("mara", "edge/skill.new")) == (2, None)
    assert (sketch.reveals_secret, sketch.roll(None)) == (False, None)
    sketch.declare_secret()
    assert sketch.reveals_secret
    assert (book.head(), book.balance("mara", "edge/edge")) == (head, 4)


def test_a_draft_that_is_not_written_answers_what_the_book_answers(book: Book) -> None:
    sketch = Sketch(book, book.head())
    assert sketch.scores("mara", "edge/skill.") == book.scores("mara", "edge/skill.")
    assert sketch.last_gain_action("mara", "edge/edge") == book.last_gain_action("mara", "edge/edge") > 0
    assert sketch.mark("mara", "edge/sheet") is True
    assert (sketch.is_struck(3), sketch.question(3), sketch.questions()) == (False, book.question(3), [])
    assert (sketch.entry(1), sketch.action(1)) == (book.entry(1), book.action(1))
    assert (sketch.players(), sketch.current_players()) == (book.players(), book.current_players())
    assert (sketch.last_handle_number(), sketch.sheets()) == (book.last_handle_number(), book.sheets())


def test_what_leaves_no_room_for_a_ruling_is_refused_before_any_die_is_rolled(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play, "RULING_BYTES", 60_000 - 100)
    dice = counting_dice()
    with pytest.raises(BadInput, match="too long for one entry"):
        scribe(book, chance=dice).write(PlayMove(system="edge", move=Check(who="mara", skill=11, advantage=("rain",))))
    assert dice.count == 0
    monkeypatch.setattr(play, "RULING_BYTES", 60_000 - 1300)
    done = scribe(book).write(PlayMove(system="edge", move=Check(who="mara", skill=11, advantage=("x" * 1500,))))
    assert done.entries[-1].type == "move-played"


def test_an_offer_is_refused_before_any_die_is_rolled_where_a_later_secret_is_not_here() -> None:
    with every_game() as book:
        test = moves_d100.Test(who="mara", attribute="cunning", skill="deception", difficulty=30)
        done = scribe(book).write(PlayMove(system="multicheck", move=test), faces=(60,))
        ruling = next(entry.seq for entry in done.entries if entry.type == "move-played")
        hidden = Check(who="brak", skill=11, target=20, secret=True)
        rolled = scribe(book).write(PlayMove(system="edge", move=hidden), faces=(7, 6))
        kept = next(entry.seq for entry in rolled.entries if entry.type == "move-played")
        connection_of(book).execute("DELETE FROM words WHERE seq = ?", (kept,))
        dice, head = counting_dice(), book.head()
        with pytest.raises(SecretNotHere, match=f"needs a secret of #{kept} "):
            scribe(book, chance=dice).write(AcceptOffer(ruling=ruling, chosen={"reroll": True}))
        assert (dice.count, book.head()) == (0, head)


def test_a_roll_said_again_under_its_id_is_compared_by_its_faces(book: Book) -> None:
    first = scribe(book).write(Roll(who="mara", notation="2d6"), faces=(3, 4), once="a")
    again = scribe(book).write(Roll(who="mara", notation="2d6"), faces=(3, 4), once="a")
    assert again.again
    assert again.entries == first.entries


def test_a_place_is_numbered_by_the_draft_that_takes_what_is_added(book: Book) -> None:
    scribe(book).write(Note(text="x"))
    (part,), sketch = action_of(book, book.head()).parts, Sketch(book, book.head())
    place = InPlaceDraft(book, part, sketch)
    assert (place.head_before, place.next) == (sketch.head_before, sketch.next)


def test_to_tell_the_same_twice_under_one_id_is_to_tell_it_once(book: Book) -> None:
    hidden = PlayMove(system="edge", move=Check(who="mara", skill=11, target=20, secret=True))
    kept = scribe(book).write(hidden, faces=(7, 6)).entries[-1].seq
    scribe(book).write(Reveal(entry=kept), once="a")
    assert scribe(book).write(Reveal(entry=kept), once="a").again
    with pytest.raises(OnceDiffers, match="a different entry"):
        scribe(book).write(Reveal(entry=3), once="a")
    scribe(book).write(Note(text="x"), once="b")
    with pytest.raises(OnceDiffers, match="a different command"):
        scribe(book).write(Reveal(entry=kept), once="b")


def test_what_was_sealed_and_is_no_roll_is_refused(book: Book) -> None:
    sealed = scribe(book).write(
        Sealed(command=PlayMove(system="edge", move=Check(who="mara", skill=11)), until=None, unseen=False),
        faces=(7, 6),
    )
    entry = book.entry(sealed.entries[0].seq, secrets=True)
    seal = entry.event
    assert isinstance(seal, RollSealed)
    wrong: tuple[dict[str, Any], ...] = (
        {"thrown": secret({})},
        {"ruling": secret([])},
        {"ruling": secret({"type": "x"})},
    )
    for changes in wrong:
        with pytest.raises(WrongEntry, match="seals something that is not a roll"):
            sealed_events(entry.with_event(seal.replace(**changes)))
    dice = secret([*seal.thrown.value, seal.ruling.value])
    with pytest.raises(WrongEntry, match="seals something that is not a roll"):
        sealed_events(entry.with_event(seal.replace(thrown=dice)))


@pytest.mark.parametrize("own", [0, 1], ids=["the ruling itself", "the entry after it"])
def test_a_sealed_ruling_names_only_the_dice_beside_it(book: Book, own: int) -> None:
    sealed = Sealed(command=PlayMove(system="edge", move=Check(who="mara", skill=11)), until=None, unseen=False)
    entry = book.entry(scribe(book).write(sealed, faces=(7, 6)).entries[0].seq, secrets=True)
    seal = entry.event
    assert isinstance(seal, RollSealed)
    forged = {**seal.ruling.value, "throws": [entry.seq + len(seal.thrown.value) + own]}
    with pytest.raises(WrongEntry, match="contains a secret that was sealed in a different entry"):
        list(sealed_events_and_causes(entry.with_event(seal.replace(ruling=secret(forged))), book.head() + 1))


def test_a_leaf_that_is_missing_is_a_missing_entry(book: Book) -> None:
    with pytest.raises(WrongEntry, match="Entry 100 is missing"):
        book.journal.node(0, 99)


def test_a_game_is_given_no_more_names_than_it_needs() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(rules, "nothing")  # noqa: B009  a type checker would see it


def test_a_sealed_roll_said_again_under_its_id_is_sealed_once(book: Book) -> None:
    said = Sealed(command=Roll(who="mara", notation="2d6"), until=None, unseen=False)
    scribe(book).write(said, faces=(3, 4), once="a")
    assert scribe(book).write(said, faces=(3, 4), once="a").again
    with pytest.raises(OnceDiffers, match=r"different inputs \(sealed\)"):
        scribe(book).write(said.replace(command=Roll(who="mara", notation="3d6")), faces=(3, 4, 5), once="a")


def test_who_holds_a_character_is_answered_by_a_draft_and_as_of_then(book: Book) -> None:
    asked = scribe(book).write(PlayMove(system="edge", move=Check(who="mara", skill=11, edge=True)), faces=(7, 3, 7))
    question = asked.entries[1].seq
    assert (
        Sketch(book, book.head()).holding_question("mara")
        == book.as_of(book.head() + 1).holding_question("mara")
        == question
    )


NUMBER = secret(5)
ERASED = CommittedText(text=None, commitment="0" * 64, state="erased")


@pytest.mark.parametrize(
    ("before", "now", "says"),
    [
        ({"why": "so", "skill": 11}, {"why": "so", "skill": 11}, ""),
        ({"skill": 11}, {"skill": 12}, "a different value for skill: 11, not 12"),
        ({"skill": 11, "act": 1}, {"skill": 12, "act": 2}, "a different value for act: 1, not 2"),
        ({"skill": None}, {"skill": 12}, "a different value for skill: none, not 12"),
        ({}, {"skill": 12}, "a different value for skill: none, not 12"),
        ({"skill": 11}, {}, "a different value for skill: 11, not none"),
        (
            {"amounts": {"edge": 1, "luck": 2}},
            {"amounts": {"edge": 1, "luck": 3}},
            "a different value for luck: 2, not 3",
        ),
        ({"names": ("a", "b")}, {"names": ["a", "b"]}, ""),
        ({"names": ("a", "b")}, {"names": ("a", "c")}, 'a different value for names: ["a","b"], not ["a","c"]'),
        ({"names": ("a",)}, {"names": ("a", "b")}, 'a different value for names: ["a"], not ["a","b"]'),
        ({"names": ("a",)}, {"names": "a"}, 'a different value for names: ["a"], not "a"'),
        ({"names": None}, {"names": ["a"]}, 'a different value for names: none, not ["a"]'),
        ({"sets": None}, {"sets": {"a": 1}}, 'a different value for sets: none, not {"a":1}'),
        ({"sets": {"a": 1}}, {"sets": None}, 'a different value for sets: {"a":1}, not none'),
        ({"number": NUMBER}, {"number": 5}, ""),
        ({"number": NUMBER}, {"number": 6}, "a different value for number"),
        ({"why": ERASED}, {"why": "so"}, ""),
        ({"words": [ERASED, "b"]}, {"words": ["a", "b"]}, ""),
    ],
)
def test_of_what_is_said_again_the_first_difference_is_told_and_no_secret(
    book: Book, before: dict[str, Any], now: dict[str, Any], says: str
) -> None:
    assert describe_difference(book.entry(1), before, now) == says
