"""Questions: all that waits for somebody, in one list."""

from ledger.accounts import NOW, When
from ledger.book import Book
from ledger.shape import Shape


class Waiting(Shape):
    """A question: its number, what it is about, who is held by it, the dice on the table, and what is missing."""

    seq: int
    at: str
    system: str
    move: str
    who: str
    dice: tuple[int, ...]
    asks: tuple[str, ...]


def questions(book: Book, when: When = NOW) -> list[Waiting]:
    """Return what waits, the oldest first."""
    entries = (book.entry(seq) for seq in book.questions(when) if seq <= when.seq)
    return [
        Waiting(
            seq=entry.seq,
            at=entry.at,
            system=entry.body["system"],
            move=entry.body["move"],
            who=entry.body["who"],
            dice=tuple(die["face"] for die in entry.body["dice"]),
            asks=tuple(entry.body["asks"]),
        )
        for entry in entries
    ]
