"""Phrases for the events about the record itself: keys, policies, restored backups and erased texts."""

from __future__ import annotations

from ledger.errors import entry_count
from ledger.events import types as events
from ledger.events.subjects import CAMPAIGN, POLICY
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book
from ledger.tlog.note import read_note
from ledger.tlog.policy import parse_policy
from projections.wording import reason_suffix


def tell_event_of_book(book: Book, event: events.OfTheBook, seq: int) -> str:
    """Describe an event about the record itself. `seq` is its entry."""
    match event:
        case events.KeyRotated():
            without = "" if event.note.count("\n\u2014 ") > 1 else ", not signed by the old key"
            return f"the campaign has a new key: {event.key}{without}{reason_suffix(event.why)}"
        case events.PolicySet():
            return _tell_policy(book, event)
        case events.PolicyAgreed():
            return f"{read_note(event.note)[1][-1].name} agrees to the policy of #{event.policy}"
        case events.HistoryForked(restored=int(last)):
            return _tell_restore(book, event, last, seq)
        case events.HistoryForked():
            return (
                "play continues from this copy of the campaign; the computer that wrote this entry had seen"
                f" a different history of {entry_count(event.size)}"
            )
    assert isinstance(event, events.WordsErased)  # noqa: S101  the last of these events
    return f"the texts of {', '.join(f'#{erased}' for erased in event.erased)} were erased"


def _tell_restore(book: Book, event: events.HistoryForked, last: int, seq: int) -> str:
    """Describe a restore, and the histories that it replaced. `last` is the last entry of the backup.

    The restore wrote one entry for each history. `event` is one of these entries, with the number `seq`.
    """
    recorded = [
        f"{entry_count(left.size)} (#{entry.seq})"
        for entry in book.action(book.entry(seq).act)
        if isinstance(left := entry.event, events.HistoryForked)
    ]
    sizes = recorded if len(recorded) > 1 else [entry_count(event.size)]
    shared = event.shared
    first = None if shared is None or shared.last == last else shared.last + 1
    differs = "" if first is None else f"; from #{first} on, the two histories differ"
    histories = " and another history of ".join(sizes)
    return f"a backup that ends at #{last} replaced a history of {histories}{differs}"


def _tell_policy(book: Book, event: events.PolicySet) -> str:
    policy = parse_policy(event.policy)
    seq = next((mark.value for mark in event.marks if mark.name == POLICY), 0)
    before = book.accounts.mark(CAMPAIGN, POLICY, AsOf(seq=seq - 1)) if seq else None
    old = None if before is None else book.journal.entry(before).event
    changed = policy.witnesses_with_new_keys(parse_policy(old.policy)) if isinstance(old, events.PolicySet) else []
    keys = f"; new keys for: {', '.join(changed)}" if changed else ""
    return f"witness signatures needed: {policy.quorum_text()}{keys}"
