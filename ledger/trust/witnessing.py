"""Witnessing: a player signs heads of a campaign from a home of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from ledger.errors import Contradiction, Malformed, NotCanonical, Refused, Unproven
from ledger.events.canonical import parse_json
from ledger.events.types import HistoryForked
from ledger.tlog.carried import parts_of
from ledger.tlog.checkpoint import Checkpoint, parse_checkpoint, parse_tlog_proof
from ledger.tlog.note import Skey, Vkey, open_note, parse_vkey, read_note, signature_line
from ledger.tlog.tree import EMPTY, leaf_hash, verify_inclusion
from ledger.tlog.witness import BAD_REQUEST, CONFLICT, FORBIDDEN, OK, OLD, Witness
from ledger.trust.heads import ROOT
from ledger.trust.home import Head, Home
from ledger.values import Struct

IF_RESTORED = "If the GM restored a backup, ask for the proof of the entry that says so, and sign that."


class AtHome(Witness):
    """A witness with its heads in a home; it compares and keeps a head under one lock, on disk before it answers."""

    def __init__(self, home: Home, trusted: Vkey, key: Skey, note: str, clock: Callable[[], int]) -> None:
        super().__init__({trusted.name: trusted}, skey=key, clock=clock)
        self._home = home
        self._trusted = trusted
        self._note = note

    def _latest(self, origin: str) -> tuple[int, bytes]:
        head = self._home.head(origin, "witnessed")
        return (head.size, head.root) if head else (0, EMPTY)

    def _advance(self, origin: str, old: int, size: int, root: bytes) -> int | None:
        head = Head(origin=origin, size=size, root=root, note=self._note)
        return self._home.advance(old, head, str(self._trusted))


def cosign(home: Home, now: int, sent: str, typed: str | None = None, *, rotated: bool = False) -> str:
    """The line that cosigns a head, sent alone or after proofs that it continues an earlier one; one may fit.

    The campaign's key is `typed` once, and trusted from then on. Refuses (`Refused`) a person without a witness key, or
    without the campaign's; (`Unproven`) a head that is older, lacks the proof, or is not signed by the campaign's key;
    (`Contradiction`) another head of the size that was signed.
    """
    key = home.witness_key()
    if key is None:
        raise Refused("You have no key to witness with yet.", "Make one with 'campaign witness init NAME'.")
    *proofs, note = parts_of(sent)
    checkpoint = parse_checkpoint(read_note(note)[0])
    if not checkpoint.size:
        raise Unproven("This head is of 0 entries, and a campaign has at least one.", "Ask the GM for the head again.")
    trusted = _trusted(home, checkpoint.origin, typed, rotated)
    latest = home.head(checkpoint.origin, "witnessed")
    body = f"{_proof_from(latest, checkpoint, proofs)}\n\n{note}"
    status, answer = AtHome(home, trusted, key, note, lambda: now).add_checkpoint(body)
    if status == CONFLICT and home.head(checkpoint.origin, "witnessed") != latest:
        return cosign(home, now, sent, typed, rotated=rotated)  # the same person signed elsewhere meanwhile
    if status != OK:
        raise _refusal(status, answer.decode().removesuffix("\n"), latest, checkpoint, note)
    return answer.decode()


def _trusted(home: Home, origin: str, typed: str | None, rotated: bool) -> Vkey:
    before = home.trusted(origin)[-1:]
    text = typed or next(iter(before), None)
    if text is None:
        hint = "Say it once, from your character sheet: campaign witness sign --key KEY"
        raise Refused(f"You do not know the key of {origin} yet.", hint)
    vkey = parse_vkey(text)
    if vkey.name != origin:
        raise Refused(f"That key is of {vkey.name}, and the head is of {origin}.")
    if before not in ([], [str(vkey)]) and not rotated:
        hint = "If the GM rotated it, compare the new one at the table, and say --rotated."
        raise Refused(f"You trust another key of {origin}: {before[0]}", hint)
    return vkey


def _proof_from(latest: Head | None, checkpoint: Checkpoint, proofs: Sequence[str]) -> str:
    """The proof that begins with the head that was signed last; of several the one, and none where none is needed."""
    if latest is None or (latest.size, latest.root) == (checkpoint.size, checkpoint.root):
        return f"{OLD}{latest.size if latest else 0}"
    fitting = [proof for proof in proofs if proof.partition("\n")[0] == f"{OLD}{latest.size}"]
    if fitting or len(proofs) == 1:
        return [*fitting, *proofs][0]
    return f"{OLD}{_old_size(latest, checkpoint)}"


def _old_size(latest: Head, checkpoint: Checkpoint) -> int:
    if checkpoint.size < latest.size:
        raise Unproven(
            f"This head, of {checkpoint.size} entries, is older than the one of {latest.size} that you signed.",
            IF_RESTORED,
        )
    if checkpoint.size > latest.size:
        raise Unproven(
            f"You signed {latest.size} entries last, and nothing shows that this head goes on from them.",
            f"Ask the GM for 'campaign checkpoint --since {latest.size}'. {IF_RESTORED}",
        )
    return latest.size


def _refusal(status: int, says: str, latest: Head | None, checkpoint: Checkpoint, note: str) -> Unproven:
    if status == BAD_REQUEST:
        return Malformed(says)
    if status == FORBIDDEN:
        hint = (
            "Ask the GM for the head again; if the key was rotated, compare the new one at the table, and say"
            " --key NEW --rotated."
        )
        return Unproven(f"The head is not signed by the key that you trust for {checkpoint.origin}.", hint)
    assert latest is not None  # noqa: S101  a first head is refused for its signature alone
    size = latest.size
    if checkpoint.size == size:
        return Contradiction(latest.note, note)
    if status == CONFLICT:
        sentence = f"You signed {size} entries last, and the proof begins elsewhere."
        return Unproven(sentence, f"Ask the GM for 'campaign checkpoint --since {size}'.")
    return Unproven(
        f"The proof does not show that this head goes on from the {size} entries that you signed.",
        f"Keep both heads; if the GM has no other proof, they are of two histories. {IF_RESTORED}",
    )


class Left(Struct):
    """A history that the GM left for a backup: its size and root, and the backup's last entry."""

    size: int
    root: bytes
    restored: int

    def told(self) -> str:
        """What the GM did, for a witness who signed that history."""
        count = self.size - self.restored
        if count < 1:
            return f"The GM restored a backup of #{self.restored}, and not the {self.size} entries that you signed."
        what = "1 entry" if count == 1 else f"{count} entries"
        return f"The GM restored a backup of #{self.restored} and left {what} that you signed."

    def unproved(self) -> str:
        """What the proof does not show: a backup may differ in the entries that both histories have."""
        return f"Nothing shows that #1 to #{min(self.size, self.restored)} are as you signed them: check your own copy."


def cosign_restored(
    home: Home, now: int, proof: str, typed: str | None = None, *, rotated: bool = False, agreed: bool = False
) -> str:
    """The line that cosigns the head of a restored backup, if the witness `agreed` to leave what they signed last.

    `proof` is the proof of the entry that records the restore. Refuses like `cosign`; (`Refused`) without agreement;
    (`Unproven`) a proof that does not hold, or is of another history than was signed.
    """
    key = home.witness_key()
    if key is None:
        raise Refused("You have no key to witness with yet.", "Make one with 'campaign witness init NAME'.")
    index, hashes, note, stored = parse_tlog_proof(proof)
    checkpoint = parse_checkpoint(read_note(note)[0])
    trusted = _trusted(home, checkpoint.origin, typed, rotated)
    try:
        text = open_note(note, [trusted]).text
    except Unproven:
        raise _refusal(FORBIDDEN, "", None, checkpoint, note) from None
    verify_inclusion(leaf_hash(stored or b""), index, checkpoint.size, hashes, checkpoint.root)
    left, latest = _left_by(stored or b""), home.head(checkpoint.origin, "witnessed")
    if latest is None or (latest.size, latest.root) != (left.size, left.root):
        signed = (
            f"the {latest.size} entries that you signed last" if latest else "what you signed, which is nothing yet"
        )
        raise Unproven(f"This entry left a history of {left.size} entries, and not {signed}.", ANOTHER_ENTRY)
    if not agreed:
        raise Refused(left.told(), f"{left.unproved()} If you agree, type the same command with --restored.")
    head = Head(origin=checkpoint.origin, size=checkpoint.size, root=checkpoint.root, note=note)
    if home.advance(latest.size, head, str(trusted)) is not None:
        raise Refused("You signed another head meanwhile. Nothing was signed.", "Type the same command again.")
    return signature_line(text, key, now)


ANOTHER_ENTRY = "A restore may have several entries. Ask the GM for the proof of the one that names your head."


def _left_by(stored: bytes) -> Left:
    """The history that an entry left for a backup. Refuses (`Malformed`) any other entry."""
    with suppress(NotCanonical):
        match parse_json(stored.decode(errors="replace")):
            case {"type": HistoryForked.type, "size": int(size), "root": str(root), "restored": int(restored)}:
                if ROOT.fullmatch(root):
                    return Left(size=size, root=bytes.fromhex(root), restored=restored)
    raise Malformed("This is not the proof of an entry that records a restore.")
