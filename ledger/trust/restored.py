"""Restored backups: how a witness of the replaced history learns about the restore and signs again."""

from __future__ import annotations

from ledger.errors import Altered, Flag, Malformed, Refused, Run, Unproven, WrongEntry, entry_count
from ledger.events.types import HistoryForked
from ledger.journal.book import Book
from ledger.journal.records import StoredEntry
from ledger.journal.store import entry_of
from ledger.times import local_date
from ledger.tlog.checkpoint import parse_checkpoint, parse_tlog_proof
from ledger.tlog.note import open_note, read_note, signature_line
from ledger.tlog.tree import leaf_hash, root_before, verify_consistency, verify_inclusion
from ledger.trust.heads import ROOT_PATTERN, abandoned_roots, campaign_policies, cosigners, recorded_forks
from ledger.trust.home import Head, Home
from ledger.trust.witnessing import own_key, trusted_key, untrusted_error
from ledger.values import Struct


class ReplacedHistory(Struct):
    """A history that the GM replaced with a backup.

    Entry `seq` records the restore, and the backup ends at entry `restored`. The replaced history and the current
    one provably share the entries up to `shared`. Without a proof, `shared` is 0.
    """

    seq: int
    size: int
    root: bytes
    restored: int
    shared: int

    def replaced_range(self) -> tuple[int, int]:
        """Return the first and last signed entry that the backup provably replaced; first > last without one."""
        return (self.shared or self.restored) + 1, min(self.restored, self.size)

    def describe(self) -> str:
        """Describe the restore to a witness who signed the replaced history."""
        first, last = self.replaced_range()
        lost = self.size - max(last, first - 1)
        if first <= last:
            replaced, left_out = _entry_range(first, last), _entry_range(last + 1, self.size)
            says = (
                "You signed one history, but the GM restored a different history. The restored history"
                f" has other entries in place of {replaced}."
            )
            return says + (f" It does not contain {left_out}." if lost else "")
        restored = "restored" if self.shared else "claims to have restored"
        if lost < 1:
            entries = entry_count(self.size)
            return (
                f"The GM {restored} a backup that ends at #{self.restored}, in place of the {entries} that you signed."
            )
        lost_entries = entry_count(lost)
        return (
            f"The GM {restored} a backup that ends at #{self.restored}. It does not contain {lost_entries} that you"
            " signed."
        )

    def proof_text(self) -> str:
        """Describe which entries provably have not changed since the witness signed them, and which ones are new."""
        between = _entry_range(self.restored + 1, self.seq - 1)
        later = f" You have not signed {between} yet." if between else ""
        entries = _entry_range(1, self.shared or min(self.size, self.restored))
        if self.shared:
            return f"This proves that nobody has changed {entries} since you signed." + later
        return (
            f"Somebody may have changed {entries} since you signed. Compare the GM's file with your own copy." + later
        )


def _entry_range(first: int, last: int) -> str:
    return "" if first > last else f"#{first}" if first == last else f"#{first} to #{last}"


def last_shared_entry(event: HistoryForked, before: int, root: bytes) -> int:
    """Return the last entry that the replaced and the current history provably share; 0 without a proof.

    `before` is the number of entries before the restore, and `root` is the root of their tree. Raise `Unproven` or
    `Malformed` for an invalid proof.
    """
    if event.shared is None:
        return 0
    last, start = event.shared.last, _bytes_of_hash(event.shared.root)
    verify_consistency(
        last, event.size, start, _bytes_of_hash(event.root), list(map(_bytes_of_hash, event.shared.left))
    )
    verify_consistency(last, before, start, root, list(map(_bytes_of_hash, event.shared.before)))
    if last >= event.size or event.restored is None or last > event.restored:
        raise Unproven(
            "The entry about the restore claims too much. The restore replaced fewer entries than"
            " this entry says, or none."
        )
    return last


def restore_that_replaced(book: Book, root: bytes) -> int:
    """Return the entry of the restore that replaced the history with this root; 0 if there is none."""
    forked = dict(recorded_forks(book)).get(seq := abandoned_roots(book).get(root, 0))
    return seq if forked is not None and forked.restored is not None else 0


def restore_error(book: Book, seq: int, size: int) -> Altered:
    """Return the error for a head of `size` entries from a replaced history. Entry `seq` records the restore."""
    entry = book.journal.entry(seq)
    assert isinstance(entry.event, HistoryForked)  # noqa: S101  `restore_that_replaced` names no other entry
    try:
        shared = last_shared_entry(entry.event, seq - 1, book.root(seq - 1))
    except (Malformed, Unproven):
        shared = 0
    lost, date = _entry_range(shared + 1, size), local_date(entry.clock, book.zone(seq))
    covers = (
        f"the lost {'entry' if size == shared + 1 else 'entries'} {lost}"
        if shared
        else "entries that are no longer in this file"
    )
    return Altered(
        f"The GM restored a backup in #{seq} ({date}). The checkpoint of {entry_count(size)} was made before the"
        f" restore. It covers {covers}.",
        f"Keep the checkpoint. Look at the entry with {Run('show', seq)}, and ask the GM about the restore. A witness"
        f" who agrees to the restore can sign the file that {Run('prove', seq)} writes.",
    )


def restores_not_signed(book: Book) -> list[tuple[int, int, list[str]]]:
    """Return the restores that at least one witness of the current policy has not signed yet.

    Each item has the entry of the restore, the size of the replaced history, and the names of the witnesses who
    have signed nothing since the restore.
    """
    _, policy = next(reversed(campaign_policies(book)), (0, None))
    restores = sorted(seq for root, seq in abandoned_roots(book).items() if restore_that_replaced(book, root))
    if policy is None or not restores:
        return []
    signed_sizes = {
        name: size for size, note in sorted(book.journal.checkpoints().items()) for name in cosigners(policy, note)
    }
    sizes = {seq: fork.size for seq, fork in recorded_forks(book)}
    missing = (
        (seq, sizes[seq], [name for name in policy.witnesses if signed_sizes.get(name, 0) < seq]) for seq in restores
    )
    return [restore for restore in missing if restore[2]]


def _bytes_of_hash(text: str) -> bytes:
    if not ROOT_PATTERN.fullmatch(text):
        raise Malformed("This is not a hash. A hash has 64 characters: the digits 0 to 9 and the letters a to f.")
    return bytes.fromhex(text)


def cosign_restored(
    home: Home, now: int, proof: str, typed: str | None = None, *, rotated: bool = False, agreed: bool = False
) -> str:
    """Cosign the head of a restored backup. The restore replaced the history that the witness signed last.

    `proof` is the inclusion proof of the entry that records the restore. `typed` and `rotated` are as in
    `cosign`.

    Raise the errors of `cosign`. Raise `Refused` if the witness has not `agreed`. Raise `Unproven` for an invalid
    proof, or if the restore replaced a history other than the one that the witness signed last.
    """
    key = own_key(home)
    index, hashes, note, stored = parse_tlog_proof(proof)
    checkpoint = parse_checkpoint(read_note(note)[0])
    trusted = trusted_key(home, checkpoint.origin, typed, rotated)
    try:
        text = open_note(note, [trusted]).text
    except Unproven:
        raise untrusted_error(checkpoint.origin) from None
    verify_inclusion(leaf_hash(stored or b""), index, checkpoint.size, hashes, checkpoint.root)
    replaced = _replaced_history(stored or b"", index, root_before(index, checkpoint.size, hashes))
    latest = home.head(checkpoint.origin, "witnessed")
    if latest is None or (latest.size, latest.root) != (replaced.size, replaced.root):
        signed = (
            f"The last checkpoint that you signed is a different one, of {entry_count(latest.size)}."
            if latest
            else "You have not signed a checkpoint yet."
        )
        raise Unproven(
            f"The history that this entry replaced has {entry_count(replaced.size)}. {signed}",
            (
                "A restore writes one entry for each checkpoint that it replaced. Ask the GM which of"
                " these entries names your last checkpoint, and ask for the proof of that entry."
            ),
        )
    if not agreed:
        raise Refused(
            replaced.describe(), f"{replaced.proof_text()} If you agree, type the same command with {Flag('restored')}."
        )
    head = Head(origin=checkpoint.origin, size=checkpoint.size, root=checkpoint.root, note=note)
    if home.advance(latest.size, head, str(trusted)) is not None:
        raise Refused(
            "Meanwhile, you signed a different checkpoint, so this one was not signed.",
            "Type the same command again.",
        )
    return signature_line(text, key, now)


def _replaced_history(stored: bytes, index: int, before: bytes) -> ReplacedHistory:
    """Return the history that a restore replaced.

    `stored` and `index` are the body and the leaf index of the entry that records the restore. `before` is the root of
    the entries before it. Raise `Malformed` if the entry records no restore, and `Unproven` if its proof is not valid.
    """
    seq = index + 1
    try:
        event = entry_of(StoredEntry(seq, stored, leaf_hash(stored))).event
    except WrongEntry:
        event = None
    match event:
        case HistoryForked(size=size, root=root, restored=int(restored)) if (
            restored <= index and ROOT_PATTERN.fullmatch(root)
        ):
            try:
                shared = last_shared_entry(event, index, before)
            except (Malformed, Unproven):
                raise Unproven(
                    (
                        f"#{seq} says something about the entries that you signed, but does not prove it. This"
                        " program would never write such an entry, so somebody may have altered the file."
                    ),
                    "Keep your own copy, and ask the GM for the old file.",
                ) from None
            return ReplacedHistory(seq=seq, size=size, root=bytes.fromhex(root), restored=restored, shared=shared)
    raise Malformed("This proof is not about an entry that records a restore.")
