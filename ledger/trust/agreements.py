"""Agreements: whether the witnesses of a policy agreed to the one that replaced it.

A cosigned head does not say so: a witness may not have noticed that the policy changed. A witness agrees by signing a
text that names the new policy (`tlog.policy.agreement_text`); the campaign keeps it as an entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from ledger.errors import Refused
from ledger.events.types import PolicyAgreed, agreeing_line
from ledger.journal.book import Book
from ledger.tlog.note import Vkey, signature_line
from ledger.tlog.policy import Policy, agreed_by, agreement_text
from ledger.trust.heads import closes, policies
from ledger.trust.home import Home
from ledger.values import Struct


class Change(Struct):
    """A policy, of entry `seq`, that replaced the one of entry `before` and asks for other witnesses."""

    before: int
    seq: int
    old: Policy
    new: Policy


def changes_of(all_policies: Iterable[tuple[int, Policy]]) -> list[Change]:
    """The changes from one policy to the next; a policy that only names another key of the campaign is none."""
    pairs = (Change(before=one, seq=two, old=old, new=new) for (one, old), (two, new) in pairwise(all_policies))
    return [change for change in pairs if change.new.changed_from(change.old)]


def agreements(book: Book) -> dict[int, list[tuple[int, str]]]:
    """The agreements that the book keeps, by the entry of their policy: each an entry and the line that was signed."""
    kept: dict[int, list[tuple[int, str]]] = {}
    entries = ((entry.seq, entry.event) for entry in book.journal.naming((PolicyAgreed.type,), 1, ("note",)))
    for seq, event in ((seq, event) for seq, event in entries if isinstance(event, PolicyAgreed)):
        kept.setdefault(event.policy, []).append((seq, agreeing_line(event)))
    return kept


def who_agreed(book: Book, change: Change, kept: Mapping[int, Sequence[tuple[int, str]]]) -> dict[str, int]:
    """The witnesses of the old policy who agreed to the new one, in order, with the entry that says so."""
    text = agreement_text(book.origin() or "", change.seq, change.new)
    names = {agreed_by(change.old, text, line): seq for seq, line in reversed(kept.get(change.seq, ()))}
    return {name: names[name] for name in change.old.witnesses if name in names}


def needs_agreement(book: Book, change: Change, kept: Mapping[int, Sequence[tuple[int, str]]]) -> bool:
    """Whether the old policy has witnesses who could agree to the new one, and none of them did."""
    return bool(change.old.witnesses) and not who_agreed(book, change, kept)


def agreed_to(book: Book, line: str) -> tuple[int, str] | None:
    """The entry of the policy to which a line agrees, and the witness's name; None for any other line."""
    for change in reversed(changes_of(policies(book))):
        name = agreed_by(change.old, agreement_text(book.origin() or "", change.seq, change.new), line)
        if name is not None:
            return change.seq, name
    return None


def already_agreed(book: Book, seq: int, name: str) -> int:
    """The entry by which a witness agreed to the policy of entry `seq`, 0 if there is none."""
    change = next(each for each in changes_of(policies(book)) if each.seq == seq)
    return who_agreed(book, change, agreements(book)).get(name, 0)


def to_send(book: Book) -> list[tuple[int, Policy]]:
    """The policies that a request shows to the witnesses: from the first that somebody may still have to agree to.

    That is one to which nobody agreed yet, and any that is new since the session before the last one closed.
    """
    all_policies, kept, recent = policies(book), agreements(book), next(iter(closes(book)[-2:-1]), 0)
    changes = changes_of(all_policies)
    shown = [change for change in changes if change.seq > recent or needs_agreement(book, change, kept)]
    return [(seq, policy) for seq, policy in all_policies if shown and seq >= shown[0].before]


def changes_for(home: Home, origin: str, sent: Sequence[tuple[int, Policy]], *, all_of_them: bool) -> list[Change]:
    """The changes among the policies sent to which this witness may agree: the policy before names their key.

    Unless all are asked for, only those after the head that this witness signed last.
    """
    key = home.witness_key()
    head = home.head(origin, "witnessed")
    last = 0 if head is None or all_of_them else head.size
    vkey = None if key is None else key.vkey
    return [change for change in changes_of(sent) if change.seq > last and vkey in change.old.witnesses.values()]


def agree(home: Home, now: int, origin: str, changes: Sequence[Change]) -> list[str]:
    """The lines by which this witness agrees to changes of the policy; none without a key to sign with."""
    key = home.witness_key()
    if key is None:
        return []
    if not changes:
        raise Refused(
            "No policy is shown here that you could agree to.",
            "Ask the GM for what 'campaign checkpoint --since N' prints.",
        )
    return [signature_line(agreement_text(origin, change.seq, change.new), key, now) for change in changes]


def keys_in(change: Change) -> list[tuple[str, Vkey | None, Vkey | None]]:
    """The witnesses of both policies with their keys, before and after; None where a policy does not name one."""
    names = dict.fromkeys([*change.old.witnesses, *change.new.witnesses])
    return [(name, change.old.witnesses.get(name), change.new.witnesses.get(name)) for name in names]
