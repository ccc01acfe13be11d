"""Compare: a head that somebody kept beside a file, or two histories beside each other."""

from collections.abc import Sequence
from typing import Literal

from ledger.errors import Refused, Unproven
from ledger.journal.book import Book
from ledger.tlog.checkpoint import Checkpoint, parse_checkpoint
from ledger.tlog.note import Vkey, read_note
from ledger.tlog.tree import verify_consistency
from ledger.trust.heads import checkpoint_of, signatures
from ledger.values import Struct

Finding = Literal["same", "shorter", "truncated", "altered", "forked", "left"]
"""What a head of somebody else is to a file: its own head, one that it goes on from, one that it never reached, one
that its entries contradict, one that contradicts another head that the same key signed, or one of a history that the
file left, as it says itself."""


class KeptHead(Struct):
    """A head that somebody brought: what it says, who signed it, and what it is to the file.

    `beside` is the signed head of the file that contradicts it, `wrong` the first and the last entry among which the
    first wrong one is.
    """

    checkpoint: Checkpoint
    note: str
    signed: bool
    cosigned: tuple[str, ...]
    finding: Finding
    beside: str = ""
    wrong: tuple[int, int] = (0, 0)


def held(book: Book, note: str, trusted: Sequence[Vkey], others: Sequence[str] = ()) -> KeptHead:
    """Say what a head that somebody brought is to the file; refuses (`Malformed`) what is no signed head.

    Only a head that one of the `trusted` keys signed can prove anything. `others` are heads that were brought too; they
    narrow down where the file is wrong.
    """
    checkpoint = parse_checkpoint(read_note(note)[0])
    origin = book.origin()
    if checkpoint.origin != origin:
        raise Refused(
            f"This head is of {checkpoint.origin}, and not of this campaign, which is {origin or 'unsigned'}."
        )
    signed, cosigned = signatures(book, note, trusted)
    found = KeptHead(checkpoint=checkpoint, note=note, signed=signed, cosigned=cosigned, finding="same")
    if checkpoint.size > book.head():
        return found.replace(finding="truncated")
    if book.holds(checkpoint.size, checkpoint.root):
        return found.replace(finding="shorter" if checkpoint.size < book.head() else "same")
    beside = _contradicting(book, checkpoint, trusted)
    wrong = _between(book, checkpoint, [checkpoint_of(each) for each in others if signatures(book, each, trusted)[0]])
    return found.replace(finding="forked" if beside else "altered", beside=beside, wrong=wrong)


def _between(book: Book, wrong: Checkpoint, others: Sequence[Checkpoint]) -> tuple[int, int]:
    """The entry after the longest head that the file holds, and the last of the next head that it does not."""
    shorter = {each.size: book.holds(each.size, each.root) for each in others if each.size < wrong.size}
    good = max((size for size, held in shorter.items() if held), default=0)
    return good + 1, min([wrong.size, *(size for size in shorter if size > good)])


def _contradicting(book: Book, checkpoint: Checkpoint, trusted: Sequence[Vkey]) -> str:
    """The longest head of the file itself that a trusted key signed and that contradicts another one."""
    for size, note in reversed(book.journal.checkpoints().items()):
        own = checkpoint_of(note)
        if size >= checkpoint.size and book.holds(own.size, own.root) and signatures(book, note, trusted)[0]:
            return note
    return ""


class Compared(Struct):
    """What two histories are to each other: their sizes, the proof that one goes on from the other, where they part.

    `parts` is the first entry that differs, 0 where only roots are known.
    """

    finding: Literal["same", "extension", "fork", "unproved"]
    sizes: tuple[int, int]
    proof: tuple[bytes, ...] = ()
    parts: int = 0


def compare(one: "Book | Checkpoint", other: "Book | Checkpoint", proof: Sequence[bytes] = ()) -> Compared:
    """Say what two histories are to each other; each is a file or a head, and the shorter one may come second.

    With a `proof` it can be said of two heads that one goes on from the other.
    """
    sizes = _size(one), _size(other)
    if sizes[0] > sizes[1]:
        found = compare(other, one, proof)
        return found.replace(sizes=sizes)
    roots = _root(one, sizes[0]), _root(other, sizes[0])
    if roots[1] is None:
        shown = _goes_on(one, other, proof)
        return Compared(finding="extension" if shown else "unproved", sizes=sizes, proof=tuple(proof) if shown else ())
    if roots[0] != roots[1]:
        both = isinstance(one, Book) and isinstance(other, Book)
        return Compared(finding="fork", sizes=sizes, parts=_parts(one, other, sizes[0]) if both else 0)
    if sizes[0] == sizes[1]:
        return Compared(finding="same", sizes=sizes)
    assert isinstance(other, Book)  # noqa: S101  a head knows its own size alone
    return Compared(finding="extension", sizes=sizes, proof=tuple(other.journal.consistency_proof(*sizes)))


def _goes_on(one: Book | Checkpoint, other: Book | Checkpoint, proof: Sequence[bytes]) -> bool:
    sizes = _size(one), _size(other)
    roots = _root(one, sizes[0]), _root(other, sizes[1])
    try:
        verify_consistency(*sizes, roots[0] or b"", roots[1] or b"", proof)
    except Unproven:
        return False
    return True


def _size(side: Book | Checkpoint) -> int:
    return side.size if isinstance(side, Checkpoint) else side.head()


def _root(side: Book | Checkpoint, size: int) -> bytes | None:
    if isinstance(side, Checkpoint):
        return side.root if side.size == size else None
    return side.journal.root(size)


def _parts(one: Book | Checkpoint, other: Book | Checkpoint, size: int) -> int:
    """The first entry that differs, by halving."""
    low, high = 0, size
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _root(one, middle) == _root(other, middle) else (low, middle)
    return high
