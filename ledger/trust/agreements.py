"""Agreements: the witnesses of a policy agree to the policy that replaces it.

A cosignature of a later head does not count as agreement, because the witness may not have noticed the change. A
witness agrees by signing the text from `tlog.policy.agreement_text`. The campaign stores the signature as an entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from ledger.errors import Flag, Refused, Run
from ledger.events.types import PolicyAgreed
from ledger.journal.book import Book
from ledger.tlog.note import signature_line
from ledger.tlog.policy import Policy, agreeing_witness, agreement_text
from ledger.trust.heads import campaign_policies, session_closes
from ledger.trust.home import Home
from ledger.values import Struct


class PolicyChange(Struct):
    """A change of witnesses: the policy set in entry `seq` replaced the one set in entry `old_seq`.

    `agreed` has the witnesses of the old policy who agreed. It maps each name to the entry of their first agreement.
    """

    old_seq: int
    seq: int
    old: Policy
    new: Policy
    agreed: Mapping[str, int] = {}

    @property
    def lacks_agreement(self) -> bool:
        """True if the old policy has witnesses, but none of them agreed to the new policy."""
        return bool(self.old.witnesses) and not self.agreed

    def text(self, origin: str | None) -> str:
        """Return the text that a witness signs to agree to the change."""
        return agreement_text(origin or "", self.seq, self.new, self.old)


def changes_of(all_policies: Iterable[tuple[int, Policy]]) -> list[PolicyChange]:
    """Return each change of witnesses or quorum between consecutive policies. Ignore new keys of the campaign."""
    pairs = (PolicyChange(old_seq=one, seq=two, old=old, new=new) for (one, old), (two, new) in pairwise(all_policies))
    return [change for change in pairs if change.new.differs_from(change.old)]


def changes_in(book: Book) -> list[PolicyChange]:
    """Return each change of witnesses in a file, with the valid agreements."""
    changes = changes_of(campaign_policies(book))
    if not changes:
        return []
    lines: dict[int, list[tuple[int, str]]] = {}  # by the entry of a policy, its agreements
    # An agreement stored before the first changed policy is forged, and does not count.
    for entry in book.journal.search((PolicyAgreed.type,), changes[0].seq, ("note",)):
        assert isinstance(entry.event, PolicyAgreed)  # noqa: S101  `search` yields no others
        lines.setdefault(entry.event.policy, []).append((entry.seq, entry.event.line))

    def agreements_to(change: PolicyChange) -> dict[str, int]:
        text = change.text(book.origin())
        latest_first = reversed(lines.get(change.seq, []))
        names = {agreeing_witness(change.old, text, line): seq for seq, line in latest_first}
        return {name: names[name] for name in change.old.witnesses if name in names}

    return [change.replace(agreed=agreements_to(change)) for change in changes]


def find_agreement(book: Book, line: str) -> tuple[int, str] | None:
    """Find the policy that a witness agreed to with a line. Return the policy's entry and the witness's name.

    Return None if the line is not an agreement to a policy of this campaign.
    """
    for change in reversed(changes_of(campaign_policies(book))):
        name = agreeing_witness(change.old, change.text(book.origin()), line)
        if name is not None:
            return change.seq, name
    return None


def agreement_entry(book: Book, seq: int, name: str) -> int:
    """Return the entry in which a witness agreed to the policy of entry `seq`; 0 if the witness did not agree."""
    return next(change.agreed.get(name, 0) for change in changes_in(book) if change.seq == seq)


def policies_to_send(book: Book) -> list[tuple[int, Policy]]:
    """Return the policies to include in a request to the witnesses, each with its entry.

    The witnesses must see each change of policy to which no old witness agreed, and each change after the
    second-to-last close of a session. Return the policy before the first such change, and all later policies. Without
    such a change, return an empty list.
    """
    recent = next(iter(session_closes(book)[-2:-1]), 0)
    shown = [change for change in changes_in(book) if change.seq > recent or change.lacks_agreement]
    return [(seq, policy) for seq, policy in campaign_policies(book) if shown and seq >= shown[0].old_seq]


def changes_for(
    home: Home, origin: str, sent: Sequence[tuple[int, Policy]], *, all_of_them: bool
) -> list[PolicyChange]:
    """Return the changes that this person can agree to: those whose old policy lists the person's key.

    Unless `all_of_them` is set, return only the changes after the last head that the person signed.
    """
    key = home.witness_key()
    head = home.head(origin, "witnessed")
    last = 0 if head is None or all_of_them else head.size
    vkey = None if key is None else key.vkey
    return [change for change in changes_of(sent) if change.seq > last and vkey in change.old.witnesses.values()]


def agree(home: Home, now: int, origin: str, changes: Sequence[PolicyChange]) -> list[str]:
    """Sign each change, and return the signature lines. `now` is in seconds since 1970.

    Return [] without a witness key. Raise `Refused` if there are no changes.
    """
    key = home.witness_key()
    if key is None:
        return []
    if not changes:
        head = home.head(origin, "witnessed")
        if head is None:
            raise Refused(
                (
                    "You have never signed a checkpoint of this campaign, so you cannot agree to a change of"
                    " its witnesses."
                ),
                f"Sign without {Flag('policy')}.",
            )
        raise Refused(
            "This request contains no policy that you can agree to.",
            f"Ask the GM for the output of {Run('checkpoint', since=head.size)}, or sign without {Flag('policy')}.",
        )
    return [signature_line(change.text(origin), key, now) for change in changes]
