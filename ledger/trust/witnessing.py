"""Witnessing: a player signs heads of a campaign on their own computer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ledger.errors import Contradiction, Flag, Malformed, Refused, Run, Unproven, entry_count
from ledger.tlog.checkpoint import Checkpoint, parse_checkpoint
from ledger.tlog.note import Skey, Vkey, parse_vkey, read_note
from ledger.tlog.pasted_text import split_request
from ledger.tlog.tree import EMPTY_ROOT
from ledger.tlog.witness import BAD_REQUEST, CONFLICT, FORBIDDEN, OK, OLD_PREFIX, Witness
from ledger.trust.home import Head, Home

RESTORED_HINT = (
    "If the GM restored a backup, ask for the proof of the entry that records the restore,"
    " and sign the proof instead of this checkpoint."
)


class HomeWitness(Witness):
    """A witness who stores heads in a home. `note` is the signed note of the head that the witness will sign."""

    def __init__(self, home: Home, trusted: Vkey, key: Skey, note: str, clock: Callable[[], int]) -> None:
        super().__init__({trusted.name: [trusted]}, key, clock)
        self._home = home
        self._trusted = trusted
        self._note = note

    def _latest(self, origin: str) -> tuple[int, bytes]:
        head = self._home.head(origin, "witnessed")
        return (head.size, head.root) if head else (0, EMPTY_ROOT)

    def _store_head(self, origin: str, old: int, size: int, root: bytes) -> int | None:
        head = Head(origin=origin, size=size, root=root, note=self._note)
        return self._home.advance(old, head, str(self._trusted))


def cosign(home: Home, now: int, sent: str, typed: str | None = None, *, rotated: bool = False) -> str:
    """Return the line that cosigns a head.

    - `sent`: the head, after any number of proofs. The proof that starts at the last signed head is used.
    - `typed`: the campaign's key, needed only if no key is trusted yet.
    - `rotated`: True if `typed` may differ from the trusted key.

    Raise `Refused` without a witness key, and for an unknown or different campaign key. Raise `Unproven` for a head
    that is too old, has no fitting proof, or lacks the campaign key's signature. Raise `Contradiction` if this person
    signed a different head of the same size.
    """
    key = own_key(home)
    *proofs, note = split_request(sent)
    checkpoint = parse_checkpoint(read_note(note)[0])
    if not checkpoint.size:
        raise Unproven(
            "This checkpoint has 0 entries, but a campaign has at least one.",
            "Ask the GM to send you the checkpoint again.",
        )
    trusted = trusted_key(home, checkpoint.origin, typed, rotated)
    latest = home.head(checkpoint.origin, "witnessed")
    body = f"{_proof_from(latest, checkpoint, proofs)}\n\n{note}"
    status, answer = HomeWitness(home, trusted, key, note, lambda: now).add_checkpoint(body)
    if status == CONFLICT and home.head(checkpoint.origin, "witnessed") != latest:
        return cosign(home, now, sent, typed, rotated=rotated)  # the same person signed elsewhere meanwhile
    if status != OK:
        raise _refusal(status, answer.decode().removesuffix("\n"), latest, checkpoint, note)
    return answer.decode()


def own_key(home: Home) -> Skey:
    """Return this person's key for witnessing. Raise `Refused` if there is no such key."""
    key = home.witness_key()
    if key is None:
        raise Refused("You are not a witness yet.", f"Become one with {Run('witness init', 'NAME')}.")
    return key


def trusted_key(home: Home, origin: str, typed: str | None, rotated: bool) -> Vkey:
    """Return the `typed` key of a campaign, or else the trusted key.

    Raise `Refused` without a key, and for a key of another campaign. Raise `Refused` for a `typed` key that differs
    from the trusted key, unless `rotated` is set.
    """
    before = home.trusted(origin)[-1:]
    text = typed or next(iter(before), None)
    if text is None:
        line = Run("witness sign", key="KEY")
        hint = f"Copy the campaign's key from your character sheet. You type it only once: {line}"
        raise Refused(f"You do not have the key of {origin} yet.", hint)
    vkey = parse_vkey(text)
    if vkey.name != origin:
        raise Refused(f"That key belongs to {vkey.name}, but the checkpoint belongs to {origin}.")
    if before not in {(), (str(vkey),)} and not rotated:
        hint = f"If the GM changed the key, check at the table that the new key is right, and add {Flag('rotated')}."
        raise Refused(f"You already trust a different key of {origin}: {before[0]}", hint)
    return vkey


def _proof_from(latest: Head | None, checkpoint: Checkpoint, proofs: Sequence[str]) -> str:
    """Return the proof that starts at `latest`, the last head that this person signed.

    If no proof starts there, return the only proof in the request. If `latest` is None or has the size of
    `checkpoint`, return just the first line of a proof. Otherwise raise `Unproven`.
    """
    if latest is None or (latest.size, latest.root) == (checkpoint.size, checkpoint.root):
        return f"{OLD_PREFIX}{latest.size if latest else 0}"
    fitting = [proof for proof in proofs if proof.partition("\n")[0] == f"{OLD_PREFIX}{latest.size}"]
    if fitting or len(proofs) == 1:
        return [*fitting, *proofs][0]
    return f"{OLD_PREFIX}{_old_size(latest, checkpoint)}"


def _old_size(latest: Head, checkpoint: Checkpoint) -> int:
    if checkpoint.size < latest.size:
        raise Unproven(
            f"This checkpoint of {entry_count(checkpoint.size)} is older than the checkpoint of"
            f" {entry_count(latest.size)} that you signed.",
            RESTORED_HINT,
        )
    if checkpoint.size > latest.size:
        raise Unproven(
            f"You last signed {entry_count(latest.size)}. Nothing shows that this checkpoint continues from there.",
            f"Ask the GM for the output of {Run('checkpoint', since=latest.size)}. {RESTORED_HINT}",
        )
    return latest.size


def _refusal(status: int, says: str, latest: Head | None, checkpoint: Checkpoint, note: str) -> Unproven:
    if status == BAD_REQUEST:
        return Malformed(says)
    if status == FORBIDDEN:
        return untrusted_error(checkpoint.origin)
    assert latest is not None  # noqa: S101  a first head is refused only for its signature
    size = latest.size
    if checkpoint.size == size:
        return Contradiction(latest.note, note)
    if status == CONFLICT:
        sentence = f"You last signed {entry_count(size)}, but the proof starts at a different entry."
        return Unproven(sentence, f"Ask the GM for the output of {Run('checkpoint', since=size)}.")
    return Unproven(
        "The proof does not show that this checkpoint continues the checkpoint of"
        f" {entry_count(size)} that you signed.",
        (
            "Keep both checkpoints, and ask the GM to prove that one continues the other. Without"
            f" such a proof, this campaign has two different histories. {RESTORED_HINT}"
        ),
    )


def untrusted_error(origin: str) -> Unproven:
    """Return the error for a head that is not signed by the campaign's trusted key."""
    return Unproven(
        f"The checkpoint is not signed by the key that you trust for {origin}.",
        "Ask the GM to send you the checkpoint again. If the GM changed the key, check at the table that the new key"
        f" is right, and add {Flag('key', 'NEW')} {Flag('rotated')}.",
    )
