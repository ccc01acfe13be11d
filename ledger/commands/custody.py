"""Commands about the book itself: its key, its witness policy, erased texts, and replaced histories.

Their entries cannot be struck.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

from ledger.commands.decider import BookDraft, Command, Custody, State
from ledger.errors import BadInput, Refused, Run, WordsGone
from ledger.events import types as events
from ledger.events.commitments import CommittedText
from ledger.events.correction_events import LONGEST_POLICY
from ledger.events.entry import Entry
from ledger.events.facts import SharedHistoryProof
from ledger.events.subjects import CAMPAIGN, KEY, POLICY
from ledger.rules.inputs import checked_text
from ledger.tlog.checkpoint import rotation_text
from ledger.tlog.note import Signer, parse_signature, sign_note
from ledger.tlog.policy import agreeing_witness, agreement_text, parse_policy
from ledger.values import Struct


class RotateKey(Command):
    """A command that changes the signing key. Without `old`, the old key does not sign the change."""

    writes: ClassVar[tuple[str, ...]] = (events.KeyRotated.type,)
    uses_reserve = True
    is_kept = False  # the file does not have the private key
    new: Signer
    old: Signer | None
    why: str | None

    def decide(self, draft: BookDraft) -> None:
        """Write the new key, and a note signed with the new key and with `old` if given.

        Raise `Refused` if `new` is already the current key, or if `old` is not the current key.
        """
        current_key = draft.mark(CAMPAIGN, KEY)
        if str(self.new.vkey) == current_key or (self.old is not None and str(self.old.vkey) != current_key):
            raise Refused("This campaign is now signed with a different key.", f"See it with {Run('key')}.")
        new = self.new.vkey
        text = rotation_text(new.name, draft.head_before, draft.root(draft.head_before), str(new))
        signed = () if self.old is None else (self.old.sign(text),)
        note = sign_note(text, self.new, signatures=signed).decode()
        why = None if self.why is None else checked_text("A reason", self.why)
        draft.add(events.KeyRotated(key=str(new), note=note, why=why))

    @classmethod
    def recorded_inputs(cls, entry: Entry) -> dict[str, Any]:
        """Return only the reason. Every run of the command makes a new key, so the keys always differ."""
        return {"why": getattr(entry.event, "why", None)}


class SetPolicy(Command):
    """A command that sets the witness policy, a text in the tlog-policy format."""

    writes: ClassVar[tuple[str, ...]] = (events.PolicySet.type,)
    uses_reserve = True
    policy: str

    def decide(self, draft: BookDraft) -> None:
        """Write the new policy. Raise `Refused` if it is in force already, or lacks the campaign's current key."""
        if (length := len(self.policy)) > LONGEST_POLICY:
            raise BadInput(f"A policy can have at most {LONGEST_POLICY:,} characters. This one has {length:,}.")
        current_key = draft.mark(CAMPAIGN, KEY)
        if current_key not in {None, *(str(vkey) for vkey in parse_policy(self.policy).logs)}:
            raise Refused("The policy does not list this campaign's current key.", f"Add this line: log {current_key}")
        before = draft.mark(CAMPAIGN, POLICY)
        if before is not None and _policy_of(draft.entry(before)) == self.policy:
            raise Refused(f"This is already the current policy (since #{before}).")
        draft.add(events.PolicySet(policy=self.policy))


class AgreeToPolicy(Command):
    """A command that records that a witness agrees to a new policy, which is in entry `policy`.

    The witness is from the policy that the new one replaced. `line` is the signature line of this witness.
    """

    writes: ClassVar[tuple[str, ...]] = (events.PolicyAgreed.type,)
    uses_reserve = True
    policy: int
    line: str

    def decide(self, draft: BookDraft) -> None:
        policy = _policy_of(draft.entry(self.policy))
        before = draft.as_of(self.policy).mark(CAMPAIGN, POLICY)
        old = None if before is None else _policy_of(draft.entry(before))
        if policy is None or old is None:
            raise Refused(f"#{self.policy} did not replace an earlier policy, so nobody has to agree to it.")
        origin = str(draft.mark(CAMPAIGN, KEY) or "").partition("+")[0]
        text = agreement_text(origin, self.policy, parse_policy(policy), parse_policy(old))
        name = agreeing_witness(parse_policy(old), text, self.line)
        if name is None:
            raise Refused(
                f"This signature line does not prove that a witness listed in #{before} agrees to the"
                f" policy of #{self.policy}."
            )
        earlier = (
            (entry.seq, entry.event) for entry in draft.search((events.PolicyAgreed.type,), self.policy, ("note",))
        )
        lines = ((seq, event.line) for seq, event in earlier if isinstance(event, events.PolicyAgreed))
        for seq, line in lines:  # a line about another policy does not match this text
            if agreeing_witness(parse_policy(old), text, line) == name:
                raise Refused(f"{name} already agreed to the policy of #{self.policy}, in #{seq}.")
        draft.add(events.PolicyAgreed(policy=self.policy, note=f"{text}\n{parse_signature(self.line)}"))

    @classmethod
    def recorded_inputs(cls, entry: Entry) -> dict[str, Any]:
        assert isinstance(entry.event, events.PolicyAgreed)  # noqa: S101  this command writes nothing else
        return {"policy": entry.event.policy, "line": entry.event.line}


class Erase(Command):
    """A command that permanently erases the texts of entries and of their copies."""

    writes: ClassVar[tuple[str, ...]] = (events.WordsErased.type,)
    uses_reserve = True
    scrubs: ClassVar[bool] = True
    is_kept = False  # the texts no longer exist
    entries: tuple[int, ...]

    def decide(self, draft: BookDraft) -> None:
        """Add the erasure. `LiveDraft.add` deletes the texts. Raise `Refused` if no text is left."""
        fields: dict[int, tuple[str, ...]] = {}
        for seq in self.entries:
            fields |= draft.erasable_fields(seq)
        if not fields:
            raise self._no_text_error(draft)
        draft.add(events.WordsErased(erased={str(seq): fields[seq] for seq in sorted(fields)}))

    def with_all_inputs(self, custody: Custody) -> Self:
        """Return the command, extended by the numbers of all copies of its entries.

        Leave out entries that have no text left to erase.
        """
        erasable = {number for seq in self.entries if seq <= custody.head() for number in custody.erasable_fields(seq)}
        return self.replace(entries=tuple(sorted(erasable | {seq for seq in self.entries if seq > custody.head()})))

    def _no_text_error(self, state: State) -> Refused:
        gone = [
            seq for seq in self.entries if any(kind == CommittedText.KEY for _, kind, _ in state.entry(seq).committed)
        ]
        return WordsGone(gone) if gone else Refused("These entries have no text to erase.")

    @classmethod
    def recorded_inputs(cls, entry: Entry) -> dict[str, Any]:
        assert isinstance(entry.event, events.WordsErased)  # noqa: S101  this command writes nothing else
        return {"entries": sorted(map(int, entry.event.erased))}


class AbandonedHistory(Struct):
    """A history that a restored backup does not contain: `size` entries with this `root` in hexadecimal.

    The backup shares the first `shared` entries. `proof` is the consistency proof from these entries to `root`. If
    there is no proof, `shared` is None and `proof` is empty.
    """

    size: int
    root: str
    shared: int | None = None
    proof: tuple[str, ...] = ()


class RecordForks(Command):
    """A command that records a fork for each history that a restored backup does not contain."""

    writes: ClassVar[tuple[str, ...]] = (events.HistoryForked.type,)
    uses_reserve = True
    is_kept = False  # the file does not have the other history
    histories: tuple[AbandonedHistory, ...]

    def decide(self, draft: BookDraft) -> None:
        for history in self.histories:
            shared = _shared_history_proof(draft, history)
            draft.add(
                events.HistoryForked(size=history.size, root=history.root, restored=draft.head_before, shared=shared)
            )


def _shared_history_proof(draft: BookDraft, history: AbandonedHistory) -> SharedHistoryProof | None:
    last = history.shared
    if last is None:
        return None
    before = tuple(node.hex() for node in draft.consistency_proof(last, draft.next - 1))
    return SharedHistoryProof(last=last, root=draft.root(last).hex(), left=history.proof, before=before)


def _policy_of(entry: Entry) -> str | None:
    return entry.event.policy if isinstance(entry.event, events.PolicySet) else None
