"""The dice of imported rolls. They have no verdict, because nobody knows which rolls are missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from ledger.events.commitments import CommittedText
from ledger.events.subjects import IMPORTED, LAST_LOG
from ledger.events.types import RollImported
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.rules.dice import LEAST_SIDES
from projections.luck import DieRolls, counts_by_face
from projections.wording import typed_words


class ImportedDice(DieRolls):
    """The imported dice of one kind under one name. `who` is the character or the player with the name, or None."""

    who: str | None
    name: str

    def as_json(self) -> dict[str, Any]:
        facts = {"sides": self.sides, "rolls": self.rolls, "mean": self.mean, "expected_mean": self.expected_mean}
        return {**self.__dict__, **facts}


def imported_luck(
    book: Book,
    who: str | None = None,
    sides: int | None = None,
    when: AsOf = NOW,
    progress: Callable[[int], object] = abs,
) -> list[ImportedDice]:
    """Return the dice of public imported rolls, by name and die. Leave out canceled rolls.

    In the other rolls, even dropped and rerolled dice are included. With `who` (a character or a player's handle) or
    `sides`, include only dice that fit.
    """
    counted: dict[tuple[str, str, int], Counter[int]] = {}
    for event in _rolls(book, when, progress):
        if who in {None, event.who, event.player}:
            handle = event.who or event.player or ""
            name = book.name_of(handle) if handle else _speaker(event)
            for die in event.dice:
                if die.sides >= LEAST_SIDES and sides in {None, die.sides}:
                    counted.setdefault((name, handle, die.sides), Counter())[die.face] += 1
    return [
        ImportedDice(who=handle or None, name=name, faces=counts_by_face(die_sides, faces))
        for (name, handle, die_sides), faces in sorted(counted.items())
    ]


def _rolls(book: Book, when: AsOf, progress: Callable[[int], object]) -> Iterator[RollImported]:
    """Yield the public imported rolls that are not canceled. `progress` is called with the number of entries passed."""
    read, values = 0, book.accounts.values(IMPORTED, when)
    for seq in sorted(seq for name, seq in values.items() if name != LAST_LOG):
        event = book.entry(seq).event
        progress(seq - read)
        read = seq
        if isinstance(event, RollImported) and event.hidden is None:
            yield event


def _speaker(event: RollImported) -> str:
    return typed_words(event.speaker) if isinstance(event.speaker, CommittedText) else "somebody"
