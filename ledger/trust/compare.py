"""Comparison of a saved head with a file, and of two histories with each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Literal

from ledger.errors import Altered, Refused, Unproven
from ledger.journal.book import Book
from ledger.tlog.checkpoint import Checkpoint, parse_checkpoint
from ledger.tlog.note import Vkey, read_note
from ledger.tlog.tree import verify_consistency
from ledger.trust.heads import campaign_policies, checkpoint_of, trusted_keys_in, verify_signed_by, witnessed_by
from ledger.trust.home import Head
from ledger.trust.restored import restore_error, restore_that_replaced
from ledger.values import Struct

Relation = Literal["same", "shorter", "truncated", "altered", "forked", "left"]
"""The relation of a saved head to a file.

`same`: the saved head is the file's current head. `shorter`: the saved head has fewer entries than the file, which
continues it. `truncated`: the file has fewer entries than the saved head. `altered`: the file's entries contradict the
saved head. `forked`: the file's entries and a signed head in the file contradict the saved head. `left`: the file
records that a restored backup replaced the saved head's history.
"""


class SavedHead(Struct):
    """A saved head, and the result of a comparison with a file.

    `conflicting` is a signed head in the file that contradicts the saved head. `wrong_range` has the first and
    last entry of a range that contains the first wrong entry. If the file abandoned the history of the saved
    head, `finding` is `left`, and `left_in` is the entry that records the restore.
    """

    checkpoint: Checkpoint
    note: str
    signed: bool
    cosigned: tuple[str, ...]
    finding: Relation
    conflicting: str = ""
    wrong_range: tuple[int, int] = (0, 0)
    left_in: int = 0


def compare_head(book: Book, note: str, trusted: Sequence[Vkey], others: Sequence[str] = ()) -> SavedHead:
    """Compare a saved head with the file. If no `trusted` key signed the head, it proves nothing: `signed` is False.

    `others` are more heads, which narrow down the first wrong entry. Raise `Malformed` for a text that is not a signed
    head, and `Refused` for a head of another campaign.
    """
    checkpoint = parse_checkpoint(read_note(note)[0])
    origin = book.origin()
    if checkpoint.origin != origin:
        raise Refused(f"This checkpoint belongs to {checkpoint.origin}, not to this campaign ({origin or 'unsigned'}).")
    signed = verify_signed_by(note, trusted)
    cosigned = sorted({name for _, policy in campaign_policies(book) for name in witnessed_by(policy, note)})
    head = partial(SavedHead, checkpoint=checkpoint, note=note, signed=signed, cosigned=tuple(cosigned))
    if book.contains_head(checkpoint.size, checkpoint.root):
        return head(finding="shorter" if checkpoint.size < book.head() else "same")
    if seq := restore_that_replaced(book, checkpoint.root):
        return head(finding="left", left_in=seq)
    if checkpoint.size > book.head():
        return head(finding="truncated")
    contradicting = _contradicting_note(book, checkpoint, trusted)
    wrong = _range_of_difference(
        book, checkpoint, [checkpoint_of(text) for text in others if verify_signed_by(text, trusted)]
    )
    return head(finding="forked" if contradicting else "altered", conflicting=contradicting, wrong_range=wrong)


def _range_of_difference(book: Book, wrong: Checkpoint, others: Sequence[Checkpoint]) -> tuple[int, int]:
    """Return the first and last entry of a range that contains the first wrong entry.

    The range starts after the longest head in `others` that fits the file. It ends with the next longer head in
    `others`, or with the head `wrong`.
    """
    shorter = {head.size: book.contains_head(head.size, head.root) for head in others if head.size < wrong.size}
    good = max((size for size, intact in shorter.items() if intact), default=0)
    return good + 1, min([wrong.size, *(size for size in shorter if size > good)])


def _contradicting_note(book: Book, checkpoint: Checkpoint, trusted: Sequence[Vkey]) -> str:
    """Return the file's longest signed head that contradicts `checkpoint`; "" if there isn't one.

    The file does not contain `checkpoint`, so each head of the file that is at least as long contradicts it.
    """
    for size, note in reversed(book.journal.checkpoints().items()):
        kept = checkpoint_of(note)
        if size >= checkpoint.size and book.contains_head(kept.size, kept.root) and verify_signed_by(note, trusted):
            return note
    return ""


class Comparison(Struct):
    """The result of comparing two histories. `split` is the first entry that differs, or 0 if unknown."""

    finding: Literal["same", "extension", "fork", "unproved"]
    sizes: tuple[int, int]
    proof: tuple[bytes, ...] = ()
    split: int = 0


def compare(one: Book | Checkpoint, other: Book | Checkpoint, proof: Sequence[bytes] = ()) -> Comparison:
    """Compare two histories, each a file or a head, in any order. Two heads need a consistency `proof`."""
    sizes = _size_of(one), _size_of(other)
    if sizes[0] > sizes[1]:
        return compare(other, one, proof).replace(sizes=sizes)
    root = _root_of(other, sizes[0])
    if root is None and restore_error_between(one, other) is not None:
        return Comparison(finding="fork", sizes=sizes)
    if root is None:
        unproved = Comparison(finding="unproved", sizes=sizes)
        is_proved = _continues(one, other, proof)
        return unproved.replace(finding="extension", proof=tuple(proof)) if is_proved else unproved
    if _own_root(one) != root:
        both = isinstance(one, Book) and isinstance(other, Book)
        return Comparison(finding="fork", sizes=sizes, split=_find_split(one, other, sizes[0]) if both else 0)
    if sizes[0] == sizes[1]:
        return Comparison(finding="same", sizes=sizes)
    assert isinstance(other, Book)  # noqa: S101  a head has a root only for its own size
    return Comparison(finding="extension", sizes=sizes, proof=tuple(other.journal.consistency_proof(*sizes)))


def restore_error_between(one: Book | Checkpoint, other: Book | Checkpoint) -> Altered | None:
    """Return the error for a restore in one history that replaced the other history, or None without such a restore."""
    for book, replaced in ((one, other), (other, one)):
        if isinstance(book, Book) and (seq := restore_that_replaced(book, _own_root(replaced))):
            return restore_error(book, seq, _size_of(replaced))
    return None


def trusted_keys_of(side: Book | Checkpoint, trusted: Sequence[Vkey]) -> list[Vkey]:
    """Return the trusted keys. If `side` is a file, also return the keys that replaced them."""
    return trusted_keys_in(side, trusted) if isinstance(side, Book) and side.origin() else list(trusted)


def compare_with_saved(head: Checkpoint, saved: Iterable[Head]) -> tuple[str, Head | None]:
    """Compare a head with saved heads. Return the most important result, and the saved head with this result.

    The most important result is `fork`, then `same`, then `unproved`. Without saved heads, return `unproved` and None.
    """
    rising = ("unproved", "same", "fork")
    findings = [(compare(head, checkpoint_of(other.note)).finding, other) for other in saved]
    return max(findings, key=lambda pair: (rising.index(pair[0]), pair[1].size), default=("unproved", None))


def _continues(one: Book | Checkpoint, other: Book | Checkpoint, proof: Sequence[bytes]) -> bool:
    try:
        verify_consistency(_size_of(one), _size_of(other), _own_root(one), _own_root(other), proof)
    except Unproven:
        return False
    return True


def _size_of(side: Book | Checkpoint) -> int:
    return side.size if isinstance(side, Checkpoint) else side.head()


def _own_root(side: Book | Checkpoint) -> bytes:
    return side.root if isinstance(side, Checkpoint) else side.root(side.head())


def _root_of(side: Book | Checkpoint, size: int) -> bytes | None:
    if isinstance(side, Checkpoint):
        return side.root if side.size == size else None
    return side.journal.root(size)


def _find_split(one: Book | Checkpoint, other: Book | Checkpoint, size: int) -> int:
    """Return the number of the first entry that differs, at most `size`. This is a binary search."""
    low, high = 0, size
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _root_of(one, middle) == _root_of(other, middle) else (low, middle)
    return high
