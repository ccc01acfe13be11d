"""People: the roles on the page, and their permissions.

This module decides both which forms a page offers to a person, and which commands it accepts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ledger import systems
from ledger.commands.at_table import KeepNote, Note
from ledger.commands.decider import Command
from ledger.commands.play import PlayMove, Roll
from ledger.corrections.answers import Assert, Choose, Dispute, Take
from ledger.corrections.undoing import Redo, Undo, latest_undo
from ledger.events.subjects import CAMPAIGN
from ledger.events.types import MoveEvent
from ledger.journal.book import Book
from ledger.reading.names import Names
from ledger.rules.inputs import AT_TABLE, FOR_GM
from ledger.rules.move import Move
from ledger.values import Field, Struct
from web.problems import NotAllowed

Role = Literal["gm", "player", "spectator"]


class Person(Struct):
    """Somebody at the page: the role, the seat ("" for a spectator), and the public name of the visit."""

    role: Role
    seat: str
    visit: str

    @property
    def is_gm(self) -> bool:
        """Whether this is the GM, who may say everything."""
        return self.role == "gm"

    def as_seated(self, book: Book) -> Person:
        """The same person, as the campaign has it now: a GM whose seat is a GM's no more is a player."""
        return self if not self.is_gm or is_gm_seat(book, self.seat) else self.replace(role="player")


def is_gm_seat(book: Book, seat: str) -> bool:
    """Whether a seat is a GM's."""
    return seat == Names(book).gm() or bool(book.mark(seat, "gm"))


def own_characters(book: Book, person: Person) -> list[str]:
    """The characters that somebody plays: all, for the GM."""
    cast, person = book.cast(), person.as_seated(book)
    return cast if person.is_gm else [who for who in cast if person.seat and book.mark(who, "player") == person.seat]


def check_may_say(book: Book, person: Person, command: Command) -> None:
    """Refuse (`NotAllowed`) a command that is not for somebody of this role, or is about somebody else's character."""
    person = person.as_seated(book)
    if person.is_gm:
        return
    if person.role != "player":
        raise NotAllowed("Spectators can look, but cannot change anything.")
    others = [who for who in _acting(book, person, command) if who not in own_characters(book, person)]
    if CAMPAIGN in others:
        raise NotAllowed("Only the GM can do that.")
    if others:
        raise NotAllowed(f"You do not play {', '.join(others)}.", "Ask the GM, who can play every character.")


def _acting(book: Book, person: Person, command: Command) -> list[str]:  # noqa: PLR0911  one case a command
    """The characters who do what a command says; `CAMPAIGN` for what only the GM says."""
    match command:
        case PlayMove(move=move):
            cast = book.cast()
            paying = [who for who in move.paying() if who in cast or who == move.who]
            return paying if _is_for_player(person, move) else [CAMPAIGN]
        case Choose(question=seq, chosen=chosen) | Take(ruling=seq, chosen=chosen):
            return [who_answers(book, seq), *_paying_for(book, seq, chosen)]
        case Roll(who=who):
            return [] if who == person.seat else [who]
        case Assert(who=who):
            return [who]
        case Dispute(player=player):
            return [] if player == person.seat else [CAMPAIGN]
        case Redo():
            undo = latest_undo(book)
            return [] if undo is None or book.entry(undo).by == person.seat else [CAMPAIGN]
        case KeepNote():
            return [CAMPAIGN]
        case Undo() | Note():
            return []  # of the one who says it
        case _:
            return [CAMPAIGN]


def may_play(person: Person, move: type[Move]) -> bool:
    """Return True if a person may play a move for their own characters."""
    return person.is_gm or not (move.by_gm or AT_TABLE in move.fields()["who"].tags)


def may_fill_in(person: Person, field: Field) -> bool:
    """Return True if a person may fill in an input of a move."""
    return person.is_gm or not (field.name == "secret" or FOR_GM in field.tags)


def who_answers(book: Book, seq: int) -> str:
    """Return the character whose player makes a choice or accepts an offer; `CAMPAIGN` if the GM does."""
    event = book.entry(seq).event
    return event.who if isinstance(event, MoveEvent) else CAMPAIGN


def _paying_for(book: Book, seq: int, chosen: Mapping[str, Any]) -> Sequence[str]:
    event = book.entry(seq).event
    game = systems.installed(event.system) if isinstance(event, MoveEvent) else None
    move = game.move(event.move) if game and isinstance(event, MoveEvent) else None
    return move.paying_for(chosen) if move else ()


def may_answer(book: Book, person: Person, seq: int) -> bool:
    """Return True if a person may make the choice that an entry asks for, or accept its offer."""
    person = person.as_seated(book)
    return person.is_gm or (person.role == "player" and who_answers(book, seq) in own_characters(book, person))


def _is_for_player(person: Person, move: Move) -> bool:
    filled_in = (field for field in move.fields().values() if getattr(move, field.name) != field.default)
    secrets_fit = move.own_secrets or not move.hides
    return may_play(person, type(move)) and secrets_fit and all(may_fill_in(person, field) for field in filled_in)
