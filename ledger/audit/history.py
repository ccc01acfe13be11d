"""The signatures and witnesses of a history, and checks of its keys, policies, forks and dates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from ledger.audit.check import Before, EntryCheck, Fault
from ledger.errors import Malformed, Unproven
from ledger.events.entry import Entry
from ledger.events.types import KeyRotated
from ledger.journal.book import Book
from ledger.rules.system import Remark
from ledger.times import LAST_SECOND, day, from_seconds, in_words, seconds_of
from ledger.tlog.note import Vkey, open_note, read_note
from ledger.trust.agreements import changes_in
from ledger.trust.clocks import DAY_SECONDS, LONGEST_PAUSE_DAYS, TOLERANCE_SECONDS
from ledger.trust.heads import (
    forks,
    introduces,
    is_signed,
    key_entries,
    key_in,
    keys,
    longest_witnessed,
    policies,
    seen_by,
)
from ledger.trust.restored import shared_upto
from ledger.values import Struct

SLACK = 600
"""The most seconds by which the clocks of a GM and a witness may differ."""


class Tier(Struct):
    """The level of trust in a history: the last signed entry, the last witnessed entry, and the witnesses.

    `of` is the number of witnesses in the current policy, `policy` the entry with that policy (0 if there is none), and
    `satisfied` is True if enough of them signed. `agreed` lists the previous policy's witnesses who agreed to it.
    """

    whole: int
    signed: int
    witnessed: int = 0
    witnesses: tuple[str, ...] = ()
    of: int = 0
    policy: int = 0
    satisfied: bool = False
    agreed: tuple[str, ...] = ()


def tier_of(book: Book) -> Tier:
    """Return how far a file is signed, and how far it is witnessed under its last policy."""
    signed = max((size for size, is_signed in _own_heads(book) if is_signed), default=0)
    tier = Tier(whole=book.head(), signed=signed)
    for seq, policy in policies(book)[-1:]:
        size, names = longest_witnessed(book, policy)
        if not names:  # then the longest head that any witness signed, even if the policy needs more of them
            heads = ((size, seen_by(policy, note)) for size, note in reversed(book.journal.checkpoints().items()))
            size, names = next((head for head in heads if head[1]), (0, names))
        tier = tier.replace(
            witnessed=size,
            witnesses=tuple(sorted(names)),
            of=len(policy.witnesses),
            policy=seq,
            satisfied=bool(names) and policy.satisfied(names),
            agreed=tuple(name for change in changes_in(book)[-1:] for name in change.agreed),
        )
    return tier


class HistoryCheck(EntryCheck):
    """A check of a file's keys, policies, witness signatures, forks and dates."""

    def __init__(self, today: str) -> None:
        self._today = today
        self._tomorrow = (date.fromisoformat(today) + timedelta(days=1)).isoformat()
        self._ahead = False
        self._behind: Entry | None = None

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """Yield entries whose clock was ahead of the audit, far ahead of the entry before, or behind an earlier one.

        One day ahead of the audit is allowed because of time zones. Consecutive entries share one remark.
        """
        ahead = entry.clock[:10] > self._tomorrow
        if ahead and not self._ahead:
            then = day(entry.clock, before.book.zone(entry.seq))
            says = f"When this was written, the clock said {then}, but today is {self._today}. A clock was ahead."
            yield Remark(entry.seq, says)
        self._ahead = ahead
        if before.last.seq and entry.act != before.last.act:
            yield from self._compare_clocks(entry, before.last, before.book)

    def _compare_clocks(self, entry: Entry, last: Entry, book: Book) -> Iterator[Fault]:
        ahead = seconds_of(entry.clock) - seconds_of(last.clock)
        if ahead > LONGEST_PAUSE_DAYS * DAY_SECONDS:
            clock, days = _time(book, entry, entry.clock), ahead // DAY_SECONDS
            says = f"When this was written, the clock said {clock}. That is {days:,} days after the previous entry."
            yield Remark(entry.seq, says)
        behind = seconds_of(entry.at) - seconds_of(entry.clock) > TOLERANCE_SECONDS
        if self._behind is not None and (not behind or ahead < -TOLERANCE_SECONDS):
            yield _clock_remark(book, self._behind, last)
            self._behind = None
        if behind and self._behind is None:
            self._behind = entry

    def end(self, before: Before) -> Iterator[Fault]:
        book = before.book
        if self._behind is not None:
            yield _clock_remark(book, self._behind, before.last)
        for check in (_check_keys, _check_policies, _check_forks):
            yield from check(book)
        yield from _check_witnesses(book, self._tomorrow)


def _clock_remark(book: Book, first: Entry, last: Entry) -> Remark:
    """Return one remark for the entries `first` to `last`, whose clocks were all behind an earlier entry."""
    upto = f" The same is true up to #{last.seq}." if last.act > first.act else ""
    clock, at = _time(book, first, first.clock), _time(book, first, first.at)
    says = f"When this was written, the clock said {clock}, but an earlier entry has {at}. A clock was wrong.{upto}"
    return Remark(first.seq, says)


def _time(book: Book, entry: Entry, at: str) -> str:
    return in_words(at, book.zone(entry.seq))


def _own_heads(book: Book) -> Iterator[tuple[int, bool]]:
    """Yield the size of each head of the file, and True if the key that was in use at that time signed it."""
    own = keys(book)
    for size, note in book.journal.checkpoints().items():
        yield size, is_signed(note, [vkey for seq, vkey in own if seq <= size][-1:])


def _check_keys(book: Book) -> Iterator[Fault]:
    for size, signed in _own_heads(book):
        if not signed:
            yield size, "The checkpoint stored here is not signed with the key that was in use at that time."
    before: Vkey | None = None
    for entry in key_entries(book):
        vkey = key_in(entry)
        if isinstance(entry.event, KeyRotated) and not introduces(book, entry, vkey):
            yield entry.seq, "The new key did not sign this entry."
        elif isinstance(entry.event, KeyRotated) and before is not None and not introduces(book, entry, before):
            yield Remark(entry.seq, "A new key signs from here on. The previous key did not sign this change.")
        before = vkey


def _check_policies(book: Book) -> Iterator[Fault]:
    for change in changes_in(book):
        if change.lacks_agreement:
            keys = change.new.new_keys(change.old)
            changed = f" (keys changed: {', '.join(keys)})" if keys else ""
            says = f"This policy changes the witnesses{changed}. No witness of the previous policy has agreed to it."
            yield Remark(change.seq, says)


def _check_forks(book: Book) -> Iterator[Fault]:
    for seq, event in forks(book):
        says = (
            f"Play continued from this copy. The computer had seen a different history of {event.size} entries before."
        )
        if event.restored is not None:
            says = f"A backup up to #{event.restored} was restored here. It replaced a history of {event.size} entries."
        try:
            shared = shared_upto(event, seq - 1, book.root(seq - 1))
        except (Malformed, Unproven):
            yield seq, "This entry describes the replaced history, but the proof in the entry says something different."
            continue
        if 0 < shared < (event.restored or 0):
            says = f"{says} From #{shared + 1} on, the two histories are different."
        yield Remark(seq, says)


def _check_witnesses(book: Book, tomorrow: str) -> Iterator[Fault]:
    """Yield invalid signatures of witnesses, and dates of entries and signatures that contradict each other.

    An entry right after a witnessed head, but dated before its signatures, was backdated, or the witness did not see
    it. If the witness's clock was ahead, the remark is about that clock instead.
    """
    signed = list[tuple[int, list[tuple[str, int]]]]()
    for size, lines in _witness_lines(book):
        for name in (name for name, time in lines if time is None):
            yield size, f"The checkpoint stored here has an invalid signature in the name of {name}."
        signed.append((size, [(name, time) for name, time in lines if time is not None]))
    ahead = _clocks_ahead(signed, seconds_of(f"{tomorrow}T00:00:00Z") + DAY_SECONDS)
    for size, times in signed:
        if times and seconds_of(book.journal.entry(size).clock) > max(time for _, time in times) + SLACK:
            yield Remark(size, "Its time is later than the time when a witness signed it. One of the clocks was wrong.")
        for name, time in times:
            if (size, name) in ahead:
                says = f"{name} signed as a witness here. The clock of {name} said {_signed_at(book, size, time)}:"
                yield Remark(size, f"{says} it was ahead.")
        right = [time for name, time in times if (size, name) not in ahead]
        if right and size < book.head() and seconds_of(book.journal.entry(size + 1).clock) < min(right) - SLACK:
            says = f"Its date is earlier than the time when a witness signed #1 to #{size}."
            yield Remark(
                size + 1,
                f"{says} Either the entry was written after that signature, or the witness did not see the entry.",
            )


def _clocks_ahead(signed: Sequence[tuple[int, list[tuple[str, int]]]], end: int) -> set[tuple[int, str]]:
    """Return the heads and witnesses with a signing time from `end` on, or later than that of a longer head."""
    latest, ahead = dict[str, int](), set[tuple[int, str]]()
    for size, times in reversed(signed):
        for name, time in times:
            if time > latest.get(name, time) + SLACK or time >= end:
                ahead.add((size, name))
            latest[name] = min(time, latest.get(name, time))
    return ahead


def _signed_at(book: Book, size: int, time: int) -> str:
    return "a time after the year 9999" if time >= LAST_SECOND else in_words(from_seconds(time), book.zone(size))


def _witness_lines(book: Book) -> Iterator[tuple[int, list[tuple[str, int | None]]]]:
    """Yield the size of each head, and who signed it when: the witnesses of any policy. An invalid time is None."""
    witnesses: dict[tuple[str, str], dict[tuple[str, Vkey], None]] = {}
    for _, policy in policies(book):
        for name, vkey in policy.witnesses.items():
            witnesses.setdefault((vkey.name, vkey.key_id), {})[name, vkey] = None
    for size, note in book.journal.checkpoints().items():
        lines = dict.fromkeys((line.name, line.key_id) for line in read_note(note)[1])
        yield size, [(name, _time_of(note, vkey)) for line in lines for name, vkey in witnesses.get(line, ())]


def _time_of(note: str, vkey: Vkey) -> int | None:
    try:
        return open_note(note, [vkey]).timestamps[vkey.name]
    except Unproven:
        return None
