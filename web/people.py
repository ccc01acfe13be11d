"""The roles of people, and their permissions: the forms that the page offers and the commands that it accepts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from ledger.commands.decider import Command
from ledger.corrections.answers import Choose
from ledger.events.entry import Entry
from ledger.events.subjects import CAMPAIGN, LEFT
from ledger.journal.book import Book
from ledger.reading.names import Names
from ledger.rules.inputs import is_for_gm
from ledger.rules.move import Move
from ledger.values import Field, Struct
from web.problems import NotAllowed

Role = Literal["gm", "player", "spectator"]

TOKEN_PREFIX = "campaign_"  # noqa: S105  not a secret
"""The start of every token. It shows people, and programs that search for leaked secrets, that the text is a token."""


class Person(Struct):
    """A person who uses the page: the role, the seat ("" for a spectator), and the public name of the login."""

    role: Role
    seat: str
    visit: str

    @property
    def is_gm(self) -> bool:
        """True if this person is a GM. A GM may run every command."""
        return self.role == "gm"

    def with_current_role(self, book: Book) -> Person:
        """Return the person with the role that the person has now.

        A GM who has stepped down is a player. Somebody who has left is a spectator.
        """
        if book.mark(self.seat, LEFT):
            return self.replace(role="spectator", seat="")
        return self if not self.is_gm or Names(book).is_gm(self.seat) else self.replace(role="player")


def role_of(book: Book, seat: str) -> Role:
    """Return the role that an invitation or a token for a seat gives. A spectator has the seat ""."""
    return "spectator" if not seat else "gm" if Names(book).is_gm(seat) else "player"


def own_characters(book: Book, person: Person) -> list[str]:
    """Return the characters for which a person may act. A GM may act for all."""
    cast, person = book.cast(), person.with_current_role(book)
    return cast if person.is_gm else [who for who in cast if person.seat and book.player_of(who) == person.seat]


def plays(book: Book, person: Person, who: str) -> bool:
    """Return True if a person plays a character at the table. The GM plays the characters without a player."""
    player = book.player_of(who)
    return person.is_gm if player is None else player == person.seat


def may_enter(person: Person, kind: type[Command]) -> bool:
    """Return True if this person may run this kind of command. `check_may_enter` also checks the characters."""
    return person.is_gm or (person.role == "player" and kind.for_players)


def check_gm(person: Person) -> None:
    """Raise `NotAllowed` for everybody but a GM."""
    if not person.is_gm:
        raise NotAllowed("Only the GM can do that.")


def may_enter_one(book: Book, person: Person, kinds: Iterable[type[Command]]) -> bool:
    """Return True if this person may now run at least one of these kinds of commands."""
    person = person.with_current_role(book)
    return any(may_enter(person, kind) for kind in kinds)


def only_for_others(book: Book, person: Person) -> NotAllowed:
    """Return the error for a command that only people with other roles may run."""
    if person.with_current_role(book).role == "spectator":
        return NotAllowed("Spectators can look, but cannot change anything.")
    return NotAllowed("Only the GM can do that.")


def check_may_enter(book: Book, person: Person, command: Command) -> None:
    """Raise `NotAllowed` if a person may not run a command, or may not act for one of the command's characters."""
    person = person.with_current_role(book)
    if person.role == "spectator":
        raise only_for_others(book, person)
    others = () if person.is_gm else command.refused_for(book, person.seat)
    if CAMPAIGN in others:
        raise only_for_others(book, person)
    if others:
        names = ", ".join(map(book.name_of, others))
        raise NotAllowed(f"You do not play {names}.", "Ask the GM. The GM can play every character.")


def export_readers(book: Book) -> dict[str, str]:
    """Return the players for whom the GM can make an export: all but the GMs, who may read all secrets."""
    names = Names(book)
    return {seat: name for seat, name in book.players().items() if not names.is_gm(seat)}


def with_own_note(book: Book, person: Person, entry: Entry) -> Entry:
    """Return an entry. If the entry is a secret note that this person may read, include the text."""
    readers = book.note_readers(entry)
    return book.entry(entry.seq, secrets=True) if person.seat in readers or (readers and person.is_gm) else entry


def may_answer(book: Book, person: Person, seq: int) -> bool:
    """Return True if a person may make the choice that an entry asks for, or accept its offer."""
    try:
        check_may_enter(book, person, Choose(question=seq, chosen={}))
    except NotAllowed:
        return False
    return True


def may_play(person: Person, move: type[Move]) -> bool:
    """Return True if a person may play a move for their own characters. Only a GM may play moves for the GM."""
    return person.is_gm or not move.is_for_gm()


def may_fill_in(person: Person, field: Field) -> bool:
    """Return True if a person may fill in an input of a move. Only a GM may fill in inputs for the GM."""
    return person.is_gm or not is_for_gm(field)
