"""Pieces: nothing hides in an action; whatever a command does not write there, verify finds."""

from collections.abc import Callable
from itertools import product
from typing import Any, ClassVar

import pytest

from engine import connection_of
from examples import some
from ledger.audit.verify import verify
from ledger.commands.at_table import Adjust, Note
from ledger.commands.days import NextDay
from ledger.commands.decider import BookDraft, Command
from ledger.commands.play import PlayMove
from ledger.corrections.actions import part_of
from ledger.corrections.amend import amend, plan_amendment
from ledger.corrections.answers import AcceptOffer, Decide, Dispute
from ledger.corrections.seals import Reveal, Sealed
from ledger.corrections.undoing import Amend, Redo, Rewind, Undo, Void
from ledger.errors import WrongEntry
from ledger.events.commitments import CommittedText, Secret, secret
from ledger.events.entry import jsonable
from ledger.events.facts import CountedDie, Mark, Posting, Verdict
from ledger.events.subjects import ABOUT, CAMPAIGN, QUESTIONS, STRUCK
from ledger.events.types import (
    ActionStruck,
    Consequence,
    DayBegun,
    DiceThrown,
    DisputeRaised,
    Event,
    KnockOnFound,
    MarksSet,
    MovePlayed,
    NoteKept,
    NoteWritten,
    PlayerSeated,
    RollSealed,
    ScoreAdjusted,
    SettingsChanged,
)
from ledger.journal.book import Book
from ledger.systems.byzantine.moves_tasks import Attempt, Task
from ledger.systems.edge.moves import Rest
from ledger.systems.edge.moves_check import Check
from ledger.systems.multicheck.moves_d100 import Test as OneTest
from table import every_game, hashed_anew, scribe
from tampering import fields, rewritten

CHECK = PlayMove(system="edge", move=Check(who="mara", skill=11))
TEST = PlayMove(system="multicheck", move=OneTest(who="mara", attribute="cunning", difficulty=30))


class Hiding(Command):
    """A correction by a forger's program, which writes something more in the same action."""

    writes: ClassVar[tuple[str, ...]] = ()
    correction: Any
    more: Any
    follows: bool

    def decide(self, draft: BookDraft) -> None:
        act = draft.next
        self.correction.decide(draft)
        for event in self.more(draft.next):
            draft.add(event, act if self.follows else None)


def played(book: Book) -> int:
    """A check, then a note; the number of the check's dice."""
    first = book.head() + 1
    hand = scribe(book)
    hand.write(CHECK, faces=(7, 6))
    hand.write(Note(text="x"))
    return first


def after_a_check(book: Book, command: Command) -> Command:
    played(book)
    return command


def disputed(book: Book, choice: str) -> Command:
    first = played(book)
    question = scribe(book).write(Dispute(about=first + 1, player="p1", claim="no")).entries[0].seq
    return Decide(question=question, choice=choice, why="so", inputs={}, faces=None, cascade=False)


def undone(book: Book) -> Command:
    played(book)
    scribe(book).write(Undo())
    return Redo()


def sealed(book: Book) -> Command:
    seal = Sealed(command=CHECK, until=None, unseen=False)
    return Reveal(entry=scribe(book).write(seal, faces=(7, 6)).entries[0].seq)


def offered(book: Book) -> Command:
    ruling = scribe(book).write(TEST, faces=(80,)).entries[1].seq
    return AcceptOffer(ruling=ruling, chosen={"reroll": True})


CORRECTIONS: dict[str, Callable[[Book], Command]] = {
    "an undo": lambda book: after_a_check(book, Undo()),
    "a redo": undone,
    "a void": lambda book: Void(strikes=played(book), why="so"),
    "a reveal": sealed,
    "a decision to keep": lambda book: disputed(book, "uphold"),
    "a decision to void": lambda book: disputed(book, "void"),
    "a decision to amend": lambda book: disputed(book, "amend").replace(inputs={"skill": 10}),
    "an amendment": lambda book: Amend(named=played(book), inputs={"skill": 10}, faces=None, cascade=False, why="so"),
    "an amendment of a note": lambda book: Amend(
        named=played(book) + 2, inputs={"text": "y"}, faces=None, cascade=False, why="so"
    ),
    "a rewind": lambda book: Rewind(to=played(book) - 1, why="so"),
    "a choice after the dice": offered,
    "a note": lambda book: after_a_check(book, Note(text="x")),
    "an adjustment": lambda book: after_a_check(book, Adjust(who="mara", amounts={"edge/edge": -1}, why="x")),
}

SEALED = secret([])
STRENGTH = (Posting(who="mara", score="edge/strength", amount=2),)


def _gift(seq: int) -> list[Event]:
    return [ScoreAdjusted(who="mara", amounts={"edge/strength": 2}, why=CommittedText(text="x"), postings=STRENGTH)]


MORE: dict[str, Callable[[int], list[Event]]] = {
    "a second strike": lambda seq: [
        ActionStruck(strikes=3, how="void", why=None, marks=(Mark(who=STRUCK, name="3", value=seq),))
    ],
    "a gift": _gift,
    "a setting": lambda seq: [
        SettingsChanged(
            system="edge",
            values={"target": 1},
            marks=(Mark(who=CAMPAIGN, name="edge/target", value=1),),
        )
    ],
    "a character taken": lambda seq: [
        PlayerSeated(
            player="p1",
            name=CommittedText(text="Tom"),
            gm=False,
            plays=("mara",),
            marks=(Mark(who="mara", name="player", value="p1"), Mark(who="#players", name="p1", value=seq)),
        )
    ],
    "a note": lambda seq: [NoteWritten(text=CommittedText(text="x"))],
    "a note that is kept": lambda seq: [NoteKept(text=Secret(text='"x"'))],
    "a mark": lambda seq: [
        MarksSet(
            who="mara",
            values={"edge/care": True},
            why=CommittedText(text="x"),
            marks=(Mark(who="mara", name="edge/care", value=True),),
        )
    ],
    "a day": lambda seq: [
        DayBegun(day=1, count=None, until=None, postings=(Posting(who=CAMPAIGN, score="day", amount=1),))
    ],
    "an unseen seal": lambda seq: [
        RollSealed(
            until=None,
            unseen=True,
            thrown=SEALED,
            ruling=SEALED,
            consequences=SEALED,
            marks=(Mark(who=QUESTIONS, name=str(seq), value=False),),
        )
    ],
    "a dispute": lambda seq: [
        DisputeRaised(
            about=3,
            player="p1",
            claim=CommittedText(text="x"),
            marks=(Mark(who=ABOUT, name=f"3:{seq}", value=True), Mark(who=QUESTIONS, name=str(seq), value=False)),
        )
    ],
    "a consequence": lambda seq: [
        Consequence(
            kind="edge-gained",
            system="edge",
            who="mara",
            facts={},
            postings=(Posting(who="mara", score="edge/edge", amount=1),),
        )
    ],
}


HIDDEN = [
    pytest.param(CORRECTIONS[correction], MORE[more], follows, id=f"{correction}-{more}-{says}")
    for correction, more in product(CORRECTIONS, MORE)
    for follows, says in ((True, "as its consequence"), (False, "beside it"))
    if (correction, more, follows) != ("a void", "a second strike", False)  # a void may strike several actions
]


@pytest.mark.parametrize(("correction", "more", "follows"), some(HIDDEN))
def test_nothing_hides_in_an_action(
    correction: Callable[[Book], Command], more: Callable[[int], list[Event]], follows: bool
) -> None:
    with every_game() as book:
        command = correction(book)
        hiding = Hiding(correction=command, more=more, follows=follows)
        scribe(book).write(hiding, faces=(1,) if isinstance(command, AcceptOffer) else None)
        wrong = f"Entry {book.head()} (does not belong in its action|does not match the correction that caused it)"
        with pytest.raises(WrongEntry, match=wrong):
            verify(book)


def test_an_undo_of_another_line_does_not_hide_in_an_undo() -> None:
    with every_game() as book:
        undo = after_a_check(book, Undo())

        def also(seq: int) -> list[Event]:
            return [ActionStruck(strikes=3, how="undo", why=None, marks=(Mark(who=STRUCK, name="3", value=seq),))]

        scribe(book).write(Hiding(correction=undo, more=also, follows=False))
        with pytest.raises(WrongEntry, match="also undoes #3, which belongs to a different typed line"):
            verify(book)


class Amending(Command):
    """A correction by a forger's program, which also amends the action before it, as if a cascade led there."""

    writes: ClassVar[tuple[str, ...]] = ()
    correction: Any
    named: int

    def decide(self, draft: BookDraft) -> None:
        act = draft.next
        self.correction.decide(draft)
        amend(draft, plan_amendment(draft, part_of(draft, self.named), self.named, {"skill": 12}), act)


@pytest.mark.parametrize("correction", CORRECTIONS.values(), ids=CORRECTIONS)
def test_nothing_is_amended_by_the_way(correction: Callable[[Book], Command]) -> None:
    with every_game() as book:
        scribe(book).write(CHECK, faces=(7, 6))
        named = book.head()
        command = correction(book)
        amending = Amending(correction=command, named=named)
        scribe(book).write(amending, faces=(1,) if isinstance(command, AcceptOffer) else None)
        with pytest.raises(WrongEntry, match="does not belong in its action"):
            verify(book)


class Wasted(Command):
    """A move by a forger's program, before which dice are thrown that it does not take."""

    writes: ClassVar[tuple[str, ...]] = ()

    def decide(self, draft: BookDraft) -> None:
        dice = (CountedDie(sides=10, face=1, digits=None, dropped=None),)
        draft.add(DiceThrown(who="mara", source="machine", dice=dice))
        PlayMove(system="edge", move=Rest(who="brak", kind="short")).decide(draft)


def test_no_dice_are_thrown_that_a_ruling_does_not_take() -> None:
    with every_game() as book:
        head = book.head()
        scribe(book).write(Wasted())
        with pytest.raises(WrongEntry, match=f"Entry {head + 1} cannot be an action by itself"):
            verify(book)


def test_every_action_is_checked_and_not_only_the_last() -> None:
    with every_game() as book:
        head = book.head()
        for command in (Wasted(), Note(text="x")):
            scribe(book).write(command)
        with pytest.raises(WrongEntry, match=f"Entry {head + 1} cannot be an action by itself"):
            verify(book)


@pytest.mark.parametrize("change", [{"by": "p2"}, {"at": "2030-01-01T00:00:00Z"}, {"once": "mine"}], ids=str)
def test_an_action_has_one_hand_one_time_and_one_id(change: dict[str, str]) -> None:
    with every_game() as book:
        played(book)
        ruling = next(entry.seq for entry in book.journal.entries() if entry.type == "move-played")
        rewritten(ruling, fields(**change))(connection_of(book))
        hashed_anew(book.journal)
        with pytest.raises(
            WrongEntry,
            match=f"Entry {ruling} (differs from the first entry of its action|has an earlier time)",
        ):
            verify(book)


def test_what_an_amendment_copies_is_copied_to_the_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    with every_game() as book:
        entries = scribe(book).write(NextDay(count=1, until=None)).entries
        dawns = [entry.seq for entry in entries if isinstance(entry.event, MovePlayed)]
        again = Amend(named=dawns[0], inputs={}, faces=None, cascade=False, why="so")
        copy = Book.copy

        def better(self: Book, seq: int) -> Any:
            event = copy(self, seq)
            return event.replace(verdict=Verdict(says="a feast", good=True)) if isinstance(event, MovePlayed) else event

        monkeypatch.setattr(Book, "copy", better)
        *_, copied = (entry.seq for entry in scribe(book).write(again).entries if isinstance(entry.event, MovePlayed))
        with pytest.raises(WrongEntry, match=f"Entry {copied} does not belong in its action"):
            verify(book)


def test_a_mark_of_what_an_amendment_copies_is_copied_to_the_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    with every_game() as book:
        entries = scribe(book).write(NextDay(count=1, until=None)).entries
        first, *_ = [entry.seq for entry in entries if isinstance(entry.event, MovePlayed)]
        copy = Book.copy

        def later(self: Book, seq: int) -> Any:
            event = copy(self, seq)
            return event.replace(marks=tuple(mark.replace(value=9) for mark in event.marks))

        monkeypatch.setattr(Book, "copy", later)
        scribe(book).write(Amend(named=first, inputs={}, faces=None, cascade=False, why="so"))
        with pytest.raises(WrongEntry, match="does not belong in its action"):
            verify(book)


def test_a_copy_of_an_entry_with_a_secret_has_a_salt_of_its_own_and_is_the_same_entry() -> None:
    with every_game() as book:
        wall = scribe(book).write(PlayMove(system="byzantine", move=Task(who="mara", task="wall", costs=8))).entries[0]
        now = scribe(book).write(Note(text="x")).entries[-1].seq
        scribe(book).write(PlayMove(system="byzantine", move=Attempt(who="mara", task="wall", energy=1)))
        scribe(book).write(Amend(named=wall.seq, inputs={"costs": 1}, faces=None, cascade=True, why="so"))
        scribe(book).write(Rewind(to=now))
        secrets = [
            mark.value
            for entry in book.journal.entries()
            for mark in entry.event.marks
            if mark.name.endswith("wall") and mark.value
        ]
        assert len({str(jsonable(value)) for value in secrets}) == len(secrets) == 3
        verify(book)


def test_a_correction_asks_only_about_rulings_whose_numbers_are_others_now() -> None:
    with every_game() as book:
        ruling = played(book) + 1
        looked = book.entry(ruling).event.__dict__["looked"]["mara"]
        name = min(looked)

        def asks(number: object) -> Callable[[int], list[Event]]:
            facts: dict[str, Any] = {"about": ruling, "finds": "refused", "verdict": None, "says": "x"}
            facts |= {"numbers": {"mara": {name: number}}}
            return lambda seq: [KnockOnFound(marks=(Mark(who=QUESTIONS, name=str(seq), value=False),), **facts)]

        struck = played(book)
        scribe(book).write(Hiding(correction=Void(strikes=struck, why="so"), more=asks(99), follows=True))
        verify(book)
        void = Void(strikes=played(book), why="so")
        scribe(book).write(Hiding(correction=void, more=asks(looked[name]), follows=True))
        with pytest.raises(WrongEntry, match="does not belong in its action"):
            verify(book)
