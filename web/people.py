"""People: the roles at the page, and who may say what. A command is checked here, whatever form or program said it."""

from __future__ import annotations

from typing import Literal

from ledger.commands.decider import Command
from ledger.commands.play import PlayMove, Roll
from ledger.commands.table import KeepNote, Note
from ledger.corrections.answers import Assert, Choose, Dispute, Take
from ledger.corrections.commands import Redo, Undo, latest_undo
from ledger.events.subjects import CAMPAIGN
from ledger.events.types import MoveEvent
from ledger.journal.book import Book
from ledger.reading.names import Names
from ledger.rules.inputs import CAST
from ledger.rules.move import Move
from ledger.values import Struct
from web.problems import NotAllowed

Role = Literal["gm", "player", "spectator"]
ROLES: tuple[Role, ...] = ("gm", "player", "spectator")


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
        raise NotAllowed("Spectators look on, and write nothing.")
    others = [who for who in _acting(book, person, command) if who not in own_characters(book, person)]
    if CAMPAIGN in others:
        raise NotAllowed("That is for the GM to say.")
    if others:
        raise NotAllowed(f"{', '.join(others)} is not yours to play.", "Ask the GM, who may play everybody.")


def _acting(book: Book, person: Person, command: Command) -> list[str]:  # noqa: PLR0911  one case a command
    """The characters who do what a command says; `CAMPAIGN` for what only the GM says."""
    match command:
        case PlayMove(move=move):
            return [CAMPAIGN] if move.by_gm or move.hides else _spending(move)
        case Choose(question=seq) | Take(ruling=seq):
            event = book.entry(seq).event
            return [event.who] if isinstance(event, MoveEvent) else [CAMPAIGN]
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


def _spending(move: Move) -> list[str]:
    """Who plays a move, and everybody whom it gives a number, who may have to pay it."""
    keyed = (getattr(move, field.name) for field in move.fields().values() if field.keyed and CAST in field.tags)
    return list(dict.fromkeys([move.who, *(who for values in keyed for who in values)]))
