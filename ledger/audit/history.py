"""The signatures and witnesses of a history, and checks of its keys, policies, forks and dates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from ledger.audit.check import Before, EntryCheck, Fault
from ledger.errors import Malformed, Unproven
from ledger.events.entry import Entry
from ledger.events.types import HistoryForked, KeyRotated
from ledger.journal.book import Book
from ledger.rules.system import Remark
from ledger.times import LAST_SECOND, day, from_seconds, in_words, seconds_of
from ledger.tlog.note import Vkey, open_note, read_note
from ledger.tlog.policy import Policy
from ledger.trust.agreements import agreements, changes_of, needs_agreement, who_agreed
from ledger.trust.clocks import DAY_SECONDS, LONGEST_PAUSE_DAYS, TOLERANCE_SECONDS
from ledger.trust.heads import introduces, key_entries, key_in, keys, longest_witnessed, policies, seen_by
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
    witnessed: int
    witnesses: tuple[str, ...]
    of: int
    policy: int
    satisfied: bool
    agreed: tuple[str, ...] = ()


def tier_of(book: Book) -> Tier:
    """Return how far a file is signed, and how far it is witnessed under its last policy."""
    signed = max((size for size, _, is_signed in _signed_heads(book) if is_signed), default=0)
    all_policies = policies(book)
    if not all_policies:
        return Tier(whole=book.head(), signed=signed, witnessed=0, witnesses=(), of=0, policy=0, satisfied=False)
    seq, policy = all_policies[-1]
    size, names = longest_witnessed(book, policy)
    if not names:
        size, names = _longest_partly_witnessed(book, policy)
    return Tier(
        whole=book.head(),
        signed=signed,
        witnessed=size,
        witnesses=tuple(sorted(names)),
        of=len(policy.witnesses),
        policy=seq,
        satisfied=bool(names) and policy.satisfied(names),
        agreed=_agreed(book, all_policies),
    )


def _agreed(book: Book, all_policies: Sequence[tuple[int, Policy]]) -> tuple[str, ...]:
    last = changes_of(all_policies)[-1:]
    return tuple(name for change in last for name in who_agreed(book, change, agreements(book)))


def _longest_partly_witnessed(book: Book, policy: Policy) -> tuple[int, set[str]]:
    """Return the size and witnesses of the longest head that a witness signed, even if the policy needs more."""
    for size, note in reversed(book.journal.checkpoints().items()):
        names = seen_by(policy, note)
        if names:
            return size, names
    return 0, set()


class HistoryCheck(EntryCheck):
    """A check of a file's keys, policies, witness signatures, forks and dates."""

    def __init__(self, book: Book, today: str) -> None:
        self._book = book
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
            day = _day(self._book, entry)
            yield Remark(
                entry.seq,
                f"When this was written, the clock said {day}, but today is {self._today}. A clock was ahead.",
            )
        self._ahead = ahead
        if before.last.seq and entry.act != before.last.act:
            yield from self._compare_clocks(entry, before.last)

    def _compare_clocks(self, entry: Entry, last: Entry) -> Iterator[Fault]:
        ahead = seconds_of(entry.clock) - seconds_of(last.clock)
        if ahead > LONGEST_PAUSE_DAYS * DAY_SECONDS:
            yield Remark(
                entry.seq,
                f"When this was written, the clock said {_time(self._book, entry, entry.clock)}. That is"
                f" {ahead // DAY_SECONDS:,} days after the previous entry.",
            )
        behind = seconds_of(entry.at) - seconds_of(entry.clock) > TOLERANCE_SECONDS
        if self._behind is not None and (not behind or ahead < -TOLERANCE_SECONDS):
            yield _clock_remark(self._book, self._behind, last)
            self._behind = None
        if behind and self._behind is None:
            self._behind = entry

    def end(self) -> Iterator[Fault]:
        if self._behind is not None:
            yield _clock_remark(self._book, self._behind, self._book.journal.entry(self._book.head()))
        for check in (_check_keys, _check_policies, _check_witness_lines, _check_forks, _check_dates):
            yield from check(self._book)
        yield from _check_backdating(self._book, self._tomorrow)


def _clock_remark(book: Book, first: Entry, last: Entry) -> Remark:
    """Return one remark for the entries `first` to `last`, whose clocks were all behind an earlier entry."""
    upto = f" The same is true up to #{last.seq}." if last.act > first.act else ""
    clock, at = _time(book, first, first.clock), _time(book, first, first.at)
    says = f"When this was written, the clock said {clock}, but an earlier entry has {at}. A clock was wrong.{upto}"
    return Remark(first.seq, says)


def _time(book: Book, entry: Entry, at: str) -> str:
    return in_words(at, book.zone(entry.seq))


def _day(book: Book, entry: Entry) -> str:
    return day(entry.clock, book.zone(entry.seq))


def _signed_heads(book: Book) -> Iterator[tuple[int, str, bool]]:
    own = keys(book)
    for size, note in book.journal.checkpoints().items():
        vkey = next((vkey for seq, vkey in reversed(own) if seq <= size), None)
        yield size, note, vkey is not None and _holds(note, vkey)


def _holds(note: str, vkey: Vkey) -> bool:
    try:
        return bool(open_note(note, [vkey]).verified)
    except Unproven:
        return False


def _check_keys(book: Book) -> Iterator[Fault]:
    for size, _, is_signed in _signed_heads(book):
        if not is_signed:
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
    signatures = agreements(book)
    for change in changes_of(policies(book)):
        if needs_agreement(book, change, signatures):
            keys = change.new.new_keys(change.old)
            changed = f" (keys changed: {', '.join(keys)})" if keys else ""
            says = f"This policy changes the witnesses{changed}. No witness of the previous policy has agreed to it."
            yield Remark(change.seq, says)


def _check_forks(book: Book) -> Iterator[Fault]:
    entries = book.journal.naming((HistoryForked.type,), 1, ("root",))
    for seq, event in ((entry.seq, entry.event) for entry in entries if isinstance(entry.event, HistoryForked)):
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


def _check_dates(book: Book) -> Iterator[Fault]:
    for size, times in _witness_times(book):
        if seconds_of(book.journal.entry(size).clock) > max(time for _, time in times) + SLACK:
            yield Remark(size, "Its time is later than the time when a witness signed it. One of the clocks was wrong.")


def _check_backdating(book: Book, tomorrow: str) -> Iterator[Remark]:
    """Yield entries that come right after a witnessed head, but are dated before the witnesses signed it.

    Such an entry was backdated, or the witness did not see it. If a witness's times are out of order or after the
    audit, the remark is about the clock of that witness instead.
    """
    signed, latest = list(_witness_times(book)), dict[str, int]()
    wrong = set[tuple[int, str]]()
    for size, times in reversed(signed):
        for name, time in times:
            if time > latest.get(name, time) + SLACK or time >= seconds_of(f"{tomorrow}T00:00:00Z") + DAY_SECONDS:
                wrong.add((size, name))
            latest[name] = min(time, latest.get(name, time))
    for size, times in signed:
        for name, time in times:
            if (size, name) in wrong:
                says = f"{name} signed as a witness here. The clock of {name} said {_signed_at(book, size, time)}:"
                yield Remark(size, f"{says} it was ahead.")
        right = [time for name, time in times if (size, name) not in wrong]
        if right and size < book.head() and seconds_of(book.journal.entry(size + 1).clock) < min(right) - SLACK:
            says = f"Its date is earlier than the time when a witness signed #1 to #{size}."
            yield Remark(
                size + 1,
                f"{says} Either the entry was written after that signature, or the witness did not see the entry.",
            )


def _signed_at(book: Book, size: int, time: int) -> str:
    return "a time after the year 9999" if time >= LAST_SECOND else in_words(from_seconds(time), book.zone(size))


def _witness_times(book: Book) -> Iterator[tuple[int, list[tuple[str, int]]]]:
    for size, note, named in _witness_lines(book):
        valid = ((name, vkey) for name, vkey in named if _holds(note, vkey))
        times = [(name, open_note(note, [vkey]).timestamps[vkey.name]) for name, vkey in valid]
        if times:
            yield size, times


def _check_witness_lines(book: Book) -> Iterator[Fault]:
    for size, note, named in _witness_lines(book):
        for name, vkey in named:
            if not _holds(note, vkey):
                yield size, f"The checkpoint stored here has an invalid signature in the name of {name}."


def _witness_lines(book: Book) -> Iterator[tuple[int, str, list[tuple[str, Vkey]]]]:
    """Yield the size and note of each head, with the witnesses of any policy who have a signature line in it."""
    witnesses: dict[tuple[str, str], dict[tuple[str, Vkey], None]] = {}
    for _, policy in policies(book):
        for name, vkey in policy.witnesses.items():
            witnesses.setdefault((vkey.name, vkey.key_id), {})[name, vkey] = None
    for size, note in book.journal.checkpoints().items():
        lines = dict.fromkeys((line.name, line.key_id) for line in read_note(note)[1])
        yield size, note, [pair for line in lines for pair in witnesses.get(line, ())]
