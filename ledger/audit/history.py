"""The signatures and witnesses of a history, and checks of its keys, policies, forks and dates."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from ledger.audit.check import EntryCheck, Fault, PastEntries
from ledger.errors import Malformed, Unproven, entry_count
from ledger.events.entry import Entry
from ledger.events.types import KeyRotated
from ledger.journal.book import Book
from ledger.rules.system import Remark
from ledger.times import FIRST_SECOND_TOO_LATE, from_seconds, local_date, seconds_of, time_in_words
from ledger.tlog.note import Vkey, open_note, read_note
from ledger.trust.agreements import changes_in
from ledger.trust.clocks import DAY_SECONDS, LONGEST_PAUSE_DAYS, TOLERANCE_SECONDS
from ledger.trust.heads import (
    campaign_keys,
    campaign_policies,
    cosigners,
    is_signed,
    key_entries,
    key_in,
    longest_witnessed,
    recorded_forks,
    signs_rotation,
)
from ledger.trust.restored import last_shared_entry
from ledger.values import Struct

MAX_SKEW = 600
"""The maximum difference between the clocks of a GM and a witness, in seconds."""


class Tier(Struct):
    """The degree to which a history of `whole` entries can be trusted.

    `signed` and `witnessed` are the last signed and the last witnessed entry. `witnesses` has the names of the
    witnesses who signed. `policy` is the entry with the current policy, or 0. `of` is the number of witnesses in this
    policy. `satisfied` is True if enough of them signed. `agreed` lists the previous policy's witnesses who accepted
    the current policy.
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
    """Return how much of a file is signed, and how much is witnessed under its last policy."""
    signed = max((size for size, is_signed in _own_heads(book) if is_signed), default=0)
    tier = Tier(whole=book.head(), signed=signed)
    for seq, policy in campaign_policies(book)[-1:]:
        size, names = longest_witnessed(book, policy)
        if not names:  # then the longest head that any witness signed, even if the policy needs more of them
            heads = ((size, cosigners(policy, note)) for size, note in reversed(book.journal.checkpoints().items()))
            size, names = next((head for head in heads if head[1]), (0, names))
        tier = tier.replace(
            witnessed=size,
            witnesses=tuple(sorted(names)),
            of=len(policy.witnesses),
            policy=seq,
            satisfied=bool(names) and policy.is_satisfied_by(names),
            agreed=tuple(name for change in changes_in(book)[-1:] for name in change.agreed),
        )
    return tier


class HistoryCheck(EntryCheck):
    """A check of a file's keys, policies, witness signatures, forks and dates."""

    kept = ("_first_behind",)

    def __init__(self, today: str) -> None:
        self._today = today
        self._tomorrow = (date.fromisoformat(today) + timedelta(days=1)).isoformat()
        self._first_behind = 0  # the first of the last entries that were written with a slow clock

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        """Yield remarks about an entry's clock: far ahead of the last entry, or behind an earlier one.

        Consecutive entries share one remark.
        """
        if past.last.seq and entry.act != past.last.act:
            yield from self._compare_clocks(entry, past.last, past.book)

    def _compare_clocks(self, entry: Entry, last: Entry, book: Book) -> Iterator[Fault]:
        seconds_ahead = seconds_of(entry.clock) - seconds_of(last.clock)
        if seconds_ahead > LONGEST_PAUSE_DAYS * DAY_SECONDS:
            clock, days = _time_in_words(book, entry, entry.clock), seconds_ahead // DAY_SECONDS
            says = f"When this was written, the clock said {clock}. That is {days:,} days after the previous entry."
            yield Remark(entry.seq, says)
        is_behind = seconds_of(entry.at) - seconds_of(entry.clock) > TOLERANCE_SECONDS
        if self._first_behind and (not is_behind or seconds_ahead < -TOLERANCE_SECONDS):
            yield _clock_remark(book, book.journal.entry(self._first_behind), last)
            self._first_behind = 0
        if is_behind and not self._first_behind:
            self._first_behind = entry.seq

    def final_faults(self, past: PastEntries) -> Iterator[Fault]:
        book = past.book
        if self._first_behind:
            yield _clock_remark(book, book.journal.entry(self._first_behind), past.last)
        yield from self._check_ahead(book)
        for check in (_check_keys, _check_policies, _check_forks):
            yield from check(book)
        yield from _check_witnesses(book, self._tomorrow)

    def _check_ahead(self, book: Book) -> Iterator[Fault]:
        """Yield remarks about entries whose clock was ahead of today. Consecutive entries share one remark.

        One day ahead of today is allowed, because of time zones.
        """
        numbers, before = range(1, book.head() + 1), False
        # times never decrease, and no clock is ahead of the time of its entry
        first = bisect_right(numbers, self._tomorrow, key=lambda seq: book.journal.entry(seq).at[:10]) + 1
        for entry in book.journal.entries(first):
            is_ahead = entry.clock[:10] > self._tomorrow
            if is_ahead and not before:
                then = local_date(entry.clock, book.zone(entry.seq))
                says = (
                    f"When this was written, the clock said {then}, but today is {self._today}. One of the clocks is"
                    " wrong."
                )
                yield Remark(entry.seq, says)
            before = is_ahead


def _clock_remark(book: Book, first: Entry, last: Entry) -> Remark:
    """Make one remark for the entries `first` to `last`, which were all written with a slow clock."""
    upto = f" The same applies to all entries up to #{last.seq}." if last.act > first.act else ""
    clock, at = _time_in_words(book, first, first.clock), _time_in_words(book, first, first.at)
    says = (
        f"When this was written, the clock said {clock}, but an earlier entry is dated {at}. One of the clocks was"
        " wrong."
    )
    return Remark(first.seq, says + upto)


def _time_in_words(book: Book, entry: Entry, at: str) -> str:
    return time_in_words(at, book.zone(entry.seq))


def _own_heads(book: Book) -> Iterator[tuple[int, bool]]:
    """Yield the size of each head, and True if the file's key at that time signed the head."""
    keys = campaign_keys(book)
    for size, note in book.journal.checkpoints().items():
        yield size, is_signed(note, [vkey for seq, vkey in keys if seq <= size][-1:])


def _check_keys(book: Book) -> Iterator[Fault]:
    for size, signed in _own_heads(book):
        if not signed:
            yield size, ("The checkpoint stored here is not signed with the key that the campaign had at that time.")
    previous: Vkey | None = None
    for entry in key_entries(book):
        vkey = key_in(entry)
        if isinstance(entry.event, KeyRotated) and not signs_rotation(book, entry, vkey):
            yield entry.seq, "The new key did not sign this entry."
        elif isinstance(entry.event, KeyRotated) and previous is not None and not signs_rotation(book, entry, previous):
            yield Remark(
                entry.seq, "From here on, the campaign has a new key. The previous key did not sign this change."
            )
        previous = vkey


def _check_policies(book: Book) -> Iterator[Fault]:
    for change in changes_in(book):
        if change.lacks_agreement:
            keys = change.new.witnesses_with_new_keys(change.old)
            new_keys = f" Witnesses with a new key: {', '.join(keys)}." if keys else ""
            says = "This policy changes the witnesses. No witness of the previous policy has agreed to the change."
            yield Remark(change.seq, says + new_keys)


def _check_forks(book: Book) -> Iterator[Fault]:
    for seq, event in recorded_forks(book):
        says = (
            "Play continued from this copy. This entry comes from a computer that had seen a different history of"
            f" {entry_count(event.size)}."
        )
        if event.restored is not None:
            history = f"a history of {entry_count(event.size)}"
            says = f"A backup up to #{event.restored} was restored here. It replaced {history}."
        try:
            shared = last_shared_entry(event, seq - 1, book.root(seq - 1))
        except (Malformed, Unproven):
            says = "This entry describes a history that was replaced, but the description and its proof do not match."
            yield seq, says
            continue
        if 0 < shared < (event.restored or 0):
            says += f" From #{shared + 1} on, the two histories are different."
        yield Remark(seq, says)


def _check_witnesses(book: Book, tomorrow: str) -> Iterator[Fault]:
    """Yield invalid witness signatures, and entries whose date contradicts the date of a signature."""
    signatures = list[tuple[int, list[tuple[str, int]]]]()
    for size, lines in _witness_lines(book):
        for name in (name for name, time in lines if time is None):
            yield (
                size,
                (f"The checkpoint stored here has a signature under the name {name}, but this signature is invalid."),
            )
        signatures.append((size, [(name, time) for name, time in lines if time is not None]))
    ahead = _clocks_ahead(signatures, seconds_of(f"{tomorrow}T00:00:00Z") + DAY_SECONDS)
    for size, times in signatures:
        if times and seconds_of(book.journal.entry(size).clock) > max(time for _, time in times) + MAX_SKEW:
            yield Remark(
                size, ("By the clocks, a witness signed this entry before it was written. One of the clocks was wrong.")
            )
        for name, time in times:
            if (size, name) in ahead:
                signed_at = _signing_time_text(book, size, time)
                yield Remark(size, f"{name} signed as a witness here. {name}'s clock was ahead: it said {signed_at}.")
        correct = [time for name, time in times if (size, name) not in ahead]
        if correct and size < book.head() and seconds_of(book.journal.entry(size + 1).clock) < min(correct) - MAX_SKEW:
            says = (
                f"By its date, this entry is older than a witness's signature for #1 to #{size}. Either"
                " the entry is backdated, or the witness did not see it."
            )
            yield Remark(size + 1, says)


def _clocks_ahead(signatures: Sequence[tuple[int, list[tuple[str, int]]]], limit: int) -> set[tuple[int, str]]:
    """Return the signatures whose time shows that a clock was ahead, each as head size and witness name.

    A clock was ahead if the time of the signature is `limit` or later. It was also ahead if the same witness
    signed a longer head with a time that is earlier by more than `MAX_SKEW`.
    """
    latest, ahead = dict[str, int](), set[tuple[int, str]]()
    for size, times in reversed(signatures):
        for name, time in times:
            if time > latest.get(name, time) + MAX_SKEW or time >= limit:
                ahead.add((size, name))
            latest[name] = min(time, latest.get(name, time))
    return ahead


def _signing_time_text(book: Book, size: int, time: int) -> str:
    return (
        "a time after the year 9999"
        if time >= FIRST_SECOND_TOO_LATE
        else time_in_words(from_seconds(time), book.zone(size))
    )


def _witness_lines(book: Book) -> Iterator[tuple[int, list[tuple[str, int | None]]]]:
    """Yield each head's size and witness signatures. A signature has a name, and a time if it is valid."""
    witnesses: dict[tuple[str, str], dict[tuple[str, Vkey], None]] = {}
    for _, policy in campaign_policies(book):
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
