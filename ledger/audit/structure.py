"""Checks of a single entry: its stored bytes, its fields, its dice, and values in special formats."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import takewhile

from ledger.audit.check import EntryCheck, Fault, PastEntries
from ledger.corrections.seals import parse_reveal_date
from ledger.errors import BadInput, Malformed, NotCanonical, WrongEntry
from ledger.events import types as events
from ledger.events.canonical import parse_json, read_canonical
from ledger.events.commitments import CommittedText, Secret
from ledger.events.compiled import READ_ERRORS, reader
from ledger.events.decode import read_struct
from ledger.events.entry import Entry
from ledger.events.facts import CountedDie, Header, ShortText
from ledger.events.subjects import CAMPAIGN, KEY, entry_number
from ledger.journal.book import Book
from ledger.rules.dice import is_valid_die
from ledger.rules.inputs import UNPRINTABLE
from ledger.tlog.note import parse_vkey, read_note
from ledger.tlog.policy import parse_policy
from ledger.tlog.tree import leaf_hash
from ledger.trust.heads import OTHER_ORIGIN_ERROR

_LETTERS = rf"[^\\{''.join(sorted(UNPRINTABLE))}]++"
PRINTABLE = re.compile(rf'(?:{_LETTERS}|\\["\\])*')
"""A pattern for an entry's JSON without control characters. These could change how other text is displayed."""

PRINTABLE_SECRET = re.compile(rf'(?:{_LETTERS}|\\["\\nt])*')
"""A pattern like `PRINTABLE` for the JSON of a secret, which may also contain line breaks and tabs."""

NOT_PRINTABLE = "contains characters that cannot be shown"

ONE_LINE_FIELDS = frozenset({"title", "name", "verdict"})
"""The text fields that never contain a line break or a tab, in any version of this program."""

ThrownDie = tuple[int, int, tuple[int, int] | None]
"""A die as thrown: its number of sides, its face, and the two digits of a d100 (None for other dice)."""


class TypedHeader(Header):
    """The header of an entry, with the type of the event."""

    type: ShortText


def entry_of(seq: int, stored: bytes, leaf: bytes) -> Entry:
    """Read an entry from untrusted bytes. Raise `WrongEntry` if it is not a valid entry."""
    if leaf_hash(stored) != leaf:
        raise WrongEntry(seq, "does not match its fingerprint (hash)")
    try:
        body, is_canonical = read_canonical(stored)
    except NotCanonical:
        raise WrongEntry(seq, "cannot be read, because it breaks the rules of the file format") from None
    if not is_canonical:
        raise WrongEntry(seq, "is not in the program's exact format")
    kind = body.get("type") if isinstance(body, dict) else None
    if not isinstance(kind, str):
        raise WrongEntry(seq, "has no type")
    try:
        reader(TypedHeader, None)(body)
    except READ_ERRORS:
        read_struct(seq, kind, TypedHeader, {name: body[name] for name in TypedHeader._fields if name in body})
    entry = Entry.of_body(seq, body, stored, leaf)
    if isinstance(entry.event, events.Unknown):
        raise WrongEntry(seq, f"is not a valid {kind} entry (the problem is in {_problem_field(entry.event)})")
    is_plain = stored.isascii() and b"\\" not in stored and b"\x7f" not in stored
    if not is_plain and not isinstance(entry.event, events.OfTheBook) and not PRINTABLE.fullmatch(stored.decode()):
        raise WrongEntry(seq, NOT_PRINTABLE)
    if body["seq"] != seq:
        raise WrongEntry(seq, "is in the wrong place")
    return entry


def can_be_shown(field: str, kind: str, text: str) -> bool:
    """Return False if a stored text or secret contains characters that no version of this program accepted."""
    if kind == Secret.KEY:
        return PRINTABLE_SECRET.fullmatch(text) is not None
    return UNPRINTABLE.isdisjoint(text) and (field not in ONE_LINE_FIELDS or {"\n", "\t"}.isdisjoint(text))


def _problem_field(event: events.Unknown) -> str:
    always_there = ("system", "who", "facts")
    return next(name for name in (*always_there, *event.facts) if name not in always_there or name not in event.facts)


class DiceCheck(EntryCheck):
    """A check that thrown dice are possible, and that each entry counts exactly the dice of its throws."""

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        match entry.event:
            case events.DiceThrown(dice=dice) | events.RollImported(dice=dice) if not all(map(is_valid_die, dice)):
                yield entry.seq, "has a die that shows an impossible number"
            case events.DiceCounted(dice=dice) | events.MoveEvent(dice=dice):
                expected = [die for throw in entry.throws for die in _dice_of(past.entry(throw))]
                if expected != _thrown_dice(dice):
                    yield entry.seq, "uses dice that were not rolled"


def _dice_of(entry: Entry) -> Sequence[ThrownDie | None]:
    """Return the dice that an entry threw. An entry without a throw gives [None], which matches no dice."""
    return _thrown_dice(entry.event.dice) if isinstance(entry.event, events.DiceThrown) else [None]


def _thrown_dice(dice: Sequence[CountedDie]) -> list[ThrownDie]:
    """Return the dice as thrown. Leave out dice that show an impossible number, because no throw can have them."""
    return [(die.sides, die.face, die.digits) for die in dice if die.face <= die.sides]


class FormatsCheck(EntryCheck):
    """A check of values in special formats: keys, policies, agreements, erasures, seals and forks."""

    def __init__(self) -> None:
        self._erased: set[tuple[int, str]] = set()
        self._unread = 0  # `_erased` lacks what the entries up to this one have erased
        self._origin = ""

    def start(self, past: PastEntries) -> None:
        """Remember the name that the campaign has in its keys."""
        self._unread = past.head
        if key := past.mark(CAMPAIGN, KEY):
            self._origin = parse_vkey(key).name

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        """Yield a fault for each invalid value, and for a key of another campaign."""
        match entry.event:
            case events.CampaignOpened(key=str(key)) | events.KeyRotated(key=key):
                yield from self._check_key(entry.seq, key)
            case events.PolicySet(policy=policy) if not _can_parse(parse_policy, policy):
                yield entry.seq, "contains an invalid key or policy"
            case events.PolicyAgreed(policy=policy, note=note):
                if past.entry(policy).type != events.PolicySet.type or not _can_parse(read_note, note):
                    yield entry.seq, "should agree to an earlier policy, but the agreement is not valid"
            case events.WordsErased(erased=erased):
                yield from self._check_erasure(entry.seq, erased, past)
            case events.HistoryForked(restored=int(last)) if last != entry.act - 1:
                yield entry.seq, f"restores a backup that ends at #{last}, but this entry follows #{entry.act - 1}"
            case events.RollImported(seen=seen, hidden=hidden) if (seen == "all") is not (hidden is None):
                yield entry.seq, "is wrong: a public roll has no secret, and a private roll needs one"
            case events.RollImported(log=log) if past.entry(log).type != events.LogImported.type:
                yield entry.seq, f"names #{log} as its import, but #{log} is not an import"
            case events.RollSealed(until=str(end)) if not _is_reveal_date(end):
                yield entry.seq, "is sealed until a date that does not exist"

    def _check_erasure(self, seq: int, erased: Mapping[str, tuple[str, ...]], past: PastEntries) -> Iterator[Fault]:
        if not erased or not all(0 < entry_number(name) < seq for name in erased):
            yield seq, "should name at least one entry to erase, and only earlier entries"
        if self._unread:
            self._read_earlier_erasures(past)
        for other in map(entry_number, erased):
            words = _erasable_texts(other, past)
            remaining = [word for word in words if word not in self._erased]
            if not remaining or remaining != [(other, field) for field in erased.get(str(other), ())]:
                yield seq, f"erases texts that #{other} did not have"
            self._erased.update(words)

    def _read_earlier_erasures(self, past: PastEntries) -> None:
        earlier = past.book.journal.search((events.WordsErased.type,), 1, ("erased",))
        for entry in takewhile(lambda entry: entry.seq <= self._unread, earlier):
            for other in map(entry_number, entry.raw["erased"]):
                self._erased.update(_erasable_texts(other, past))
        self._unread = 0

    def _check_key(self, seq: int, key: str) -> Iterator[Fault]:
        if not _can_parse(parse_vkey, key):
            yield seq, "contains an invalid key or policy"
        elif self._origin in {"", name := parse_vkey(key).name}:
            self._origin = name
        else:
            yield seq, OTHER_ORIGIN_ERROR


def _erasable_texts(seq: int, past: PastEntries) -> list[tuple[int, str]]:
    """Return the texts of an entry, each as the number of the entry and the field."""
    return [(seq, field) for field, kind, _ in past.entry(seq).committed if kind == CommittedText.KEY]


def _can_parse(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text)
    except Malformed:
        return False
    return True


def _is_reveal_date(text: str) -> bool:
    try:
        return parse_reveal_date(text) == text
    except BadInput:
        return False


def erasures(book: Book, first: int = 1) -> dict[int, dict[str, int]]:
    """Map each entry number from `first` on to the entry's erased fields, and each field to the entry that erased it.

    Malformed erasures are skipped, because a later check reports them.
    """
    all_erased: dict[int, dict[str, int]] = {}
    for stored in book.journal.storage.entries.search((events.WordsErased.type,), first, ("erased",)):
        with suppress(NotCanonical):
            match parse_json(stored.body):
                case {"type": events.WordsErased.type, "erased": dict(erased)}:
                    for seq, fields in erased.items():
                        names = (name for name in fields if isinstance(name, str)) if isinstance(fields, list) else ()
                        all_erased.setdefault(entry_number(seq), {}).update(dict.fromkeys(names, stored.seq))
    return all_erased
