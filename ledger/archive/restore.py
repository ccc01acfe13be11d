"""Restore: replacement of a campaign's file with a backup. The old file is kept. The new file records the restore."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import zip_longest
from typing import TYPE_CHECKING

from ledger.audit.check import OnProgress, no_progress
from ledger.audit.verify import FileCounts, verify
from ledger.commands.custody import AbandonedHistory, RecordForks
from ledger.errors import BadInput, NewerCampaign, NotWhole, Refused, Run, Unproven, Unreadable
from ledger.events.types import HistoryForked
from ledger.journal.book import Book, open_book
from ledger.journal.failures import moved_away
from ledger.journal.store import engine_for, memory_journal
from ledger.tlog.tree import verify_consistency
from ledger.trust.heads import abandoned_roots
from ledger.trust.home import Head
from ledger.values import Struct

if TYPE_CHECKING:
    from ledger.scribe import Scribe

UNREADABLE_HEAD = (0, b"")
"""The head used for a file that is missing or unreadable."""


class RestorePlan(Struct):
    """The effects of a restore.

    - `counts`: the counts of the backup.
    - `old`: the head of the old file.
    - `histories`: the histories that the backup replaces.
    - `lost`: the first and the last known entry that the backup lacks, or None.
    - `signed`: the roots of all known signed heads.
    - `was_read`: True if the old file could be read.
    - `is_done`: True if this backup is already restored.
    """

    counts: FileCounts
    old: tuple[int, bytes] = UNREADABLE_HEAD
    lost: tuple[int, int] | None
    histories: tuple[AbandonedHistory, ...]
    signed: frozenset[str]
    was_read: bool = False
    is_done: bool = False

    @property
    def first_difference(self) -> int | None:
        """The first entry in which the backup and the old file differ, None if no difference is known."""
        return self.lost[0] if self.was_read and self.lost is not None and self.lost[0] <= self.counts.entries else None

    @property
    def signed_heads(self) -> tuple[tuple[int, int], ...]:
        """The size of each replaced signed head, with the number of the entry that will record the replacement."""
        recorded = enumerate(self.histories, self.counts.entries + 1)
        return tuple((left.size, seq) for seq, left in recorded if left.root in self.signed)

    @property
    def conflicting_size(self) -> int | None:
        """The size of the longest head that the backup contradicts. None if the backup only lacks later entries."""
        return max((left.size for left in self.histories if left.size <= self.counts.entries), default=None)


@contextmanager
def load_backup(backup: str, address: str) -> Iterator[Book]:
    """Yield a copy of a backup in memory. Raise `BadInput` if `backup` is the file of the campaign at `address`."""
    if engine_for(address).owns(backup):
        raise BadInput(f"{backup} is the campaign itself, not a backup of it.")
    with open_book(backup) as book:
        copy = Book(memory_journal(book.journal.storage))
    with copy:
        yield copy


def plan_restore(copy: Book, address: str, known: Sequence[Head], progress: OnProgress = no_progress) -> RestorePlan:
    """Check a backup, and compare it with the campaign at `address`. `known` are the heads saved on this computer.

    Raise `Refused` for a backup of another campaign, and for a player copy that would replace the GM's file. Raise
    `NewerCampaign` for a file of a newer program, `ReadOnly` if the campaign at `address` has moved, and the errors of
    `verify` for a damaged backup.
    """
    counts = verify(copy, progress)
    existing = _open_existing(address)
    if existing is not None:
        with suppress(NotWhole), existing as old, old.journal.reading():
            return _compare_with_backup(copy, counts, old, known)
    return _restore_plan(copy, counts, known).replace(old=_head_of(address))


def _open_existing(address: str) -> Book | None:
    try:
        return open_book(address)
    except NewerCampaign:
        raise
    except (NotWhole, Unreadable):
        return None


def _check_not_moved(book: Book) -> None:
    if (address := book.journal.storage.moved_to()) is not None:
        raise moved_away(address)


def _compare_with_backup(copy: Book, counts: FileCounts, old: Book, known: Sequence[Head]) -> RestorePlan:
    _check_not_moved(old)
    first = _first_difference(copy, old)
    if first == 1:
        raise Refused(
            "This backup belongs to a different campaign.",
            "To choose which campaign file to replace, add -f FILE.",
        )
    if counts.away and _words_before(first, old) - _words_before(first, copy):
        raise Refused(
            "This is a copy for players. It does not contain all of the GM's secrets.",
            f"Restore a file that {Run('backup')} made.",
        )
    size, root = old.head(), old.root(old.head())
    notes = {size: "", **old.journal.checkpoints()}
    heads = [Head(origin="", size=at, root=old.root(at), note=note) for at, note in notes.items()]
    effects = _restore_plan(copy, counts, [*heads, *known], old, first - 1)
    added = [entry.event for entry in old.journal.entries(counts.entries + 1)] if first == counts.entries + 1 else []
    records = [event for event in added if isinstance(event, HistoryForked) and event.restored == counts.entries]
    done = bool(added) and records == added and not _missing_heads(old, known)
    lost = (first, size) if first <= size else effects.lost
    return effects.replace(old=(size, root), lost=None if done else lost, was_read=True, is_done=done)


def _restore_plan(
    copy: Book, counts: FileCounts, heads: Sequence[Head], old: Book | None = None, shared: int = 0
) -> RestorePlan:
    """Return the effects of a restore. `copy` and the old file `old` have the same first `shared` entries.

    For each replaced history that is in the old file, add a proof that it continues the shared entries.
    """
    others = _missing_heads(copy, heads)
    longest = max((size for size, _ in others), default=0)
    return RestorePlan(
        counts=counts,
        lost=(counts.entries + 1, longest) if longest > counts.entries else None,
        histories=tuple(_abandoned_history(size, root, copy, old, shared) for size, root in others),
        signed=frozenset(head.root.hex() for head in heads if head.note),
    )


def _words_before(seq: int, book: Book) -> set[tuple[int, str]]:
    return {(word.seq, word.field) for word in book.words.all() if word.seq < seq}


def _first_difference(one: Book, other: Book) -> int:
    pairs = zip_longest(one.journal.stored(), other.journal.stored())
    return next((seq for seq, (a, b) in enumerate(pairs, 1) if not a or not b or a.leaf != b.leaf), one.head() + 1)


def _missing_heads(copy: Book, heads: Sequence[Head]) -> list[tuple[int, str]]:
    """Return the heads that a backup lacks and does not record as replaced. The longest head comes first."""
    abandoned = abandoned_roots(copy)
    others = {(head.size, head.root.hex()) for head in heads if not copy.contains_head(head.size, head.root)}
    return sorted((pair for pair in others if bytes.fromhex(pair[1]) not in abandoned), reverse=True)


def _abandoned_history(size: int, root: str, copy: Book, old: Book | None, shared: int) -> AbandonedHistory:
    plain = AbandonedHistory(size=size, root=root)
    if old is None or not shared <= size <= old.head():  # this head belongs to a third history
        return plain
    proof = old.consistency_proof(shared, size)
    try:
        verify_consistency(shared, size, copy.root(shared), bytes.fromhex(root), proof)
    except Unproven:  # the head belongs to another history, or the tree of the old file is damaged
        return plain
    return plain.replace(shared=shared, proof=tuple(node.hex() for node in proof))


def restore(copy: Book, agreed: RestorePlan, address: str, day: str, scribe: Scribe) -> str | None:
    """Replace the campaign at `address` with the backup `copy`. Return the old file's new path, or None.

    `agreed` is the plan to follow. `scribe` records replaced histories in the copy. `day` becomes a part of the old
    file's new name. Raise `Refused` if the campaign has changed since the plan was made.
    """

    def check() -> None:
        if _head_of(address) != agreed.old:
            raise Refused(
                "The campaign has changed since you looked. Nothing was restored.",
                "Type the same command again.",
            )

    if agreed.histories:
        scribe.write(RecordForks(histories=agreed.histories))
    return engine_for(address).replace(copy.journal.storage, day, check)


def _head_of(address: str) -> tuple[int, bytes]:
    """Return the size and root of a campaign's history, or `UNREADABLE_HEAD`."""
    existing = _open_existing(address)
    if existing is None:
        return UNREADABLE_HEAD
    with existing as book, book.journal.reading():
        try:
            _check_not_moved(book)
            return book.head(), book.root(book.head())
        except NotWhole:
            return UNREADABLE_HEAD
