"""Plan an import: compare the rolls of a file with the campaign, and make the commands that add the new ones."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from ledger.commands.decider import Command
from ledger.commands.imports import MOST_ROLLS, ImportLog, ImportRolls
from ledger.corrections.undoing import Void
from ledger.errors import BadInput, Refused, Run, count_of, quoted
from ledger.events.commitments import CommittedText, secret
from ledger.events.entry import jsonable
from ledger.events.subjects import IMPORTED, LAST_LOG
from ledger.events.types import LogImported, RollImported
from ledger.imports.doubles import Double, Trace, likely_doubles, trace_of
from ledger.imports.earlier_rolls import EarlierRoll, NumberedIds, earlier_rolls, has_same_content
from ledger.imports.log_records import ClaimedRoll, LogRecord, Reader
from ledger.imports.mapping import PeopleMapping
from ledger.imports.sources import AnySource
from ledger.journal.book import Book
from ledger.values import Struct

PAUSE_BETWEEN_EVENINGS = timedelta(hours=4)
"""A longer pause between two rolls starts another evening, which is an action of its own."""

MOST_WRONG_PERCENT = 5
"""The maximum number of wrong records in 100. With more, the file is probably not what it seems."""

MOST_NAMED_RECORDS = 1_000
"""The maximum number of wrong records to name. All others are only counted, because a file can have millions."""

MOST_SHOWN_CHANGES = 1_000
MOST_SAMPLES = 10


class ChangedRoll(Struct):
    """A roll whose content in the campaign differs from the file.

    `seq` is the roll's entry, `log` its import, and `place` its place in the file. `is_exposed` is True if the entry is
    public, but the file or the mapping makes the roll private. `in_file` is the roll of the file. It is None after
    `MOST_SHOWN_CHANGES` such rolls, because they take much memory.
    """

    seq: int
    log: int
    place: str
    is_exposed: bool = False
    in_file: RollImported | None = None


class ImportPlan(Struct):
    """The result of comparing a file with the campaign.

    - `commands`: the commands that add the new rolls; empty without new rolls.
    - `counts`: the numbers of records and rolls.
    - `remapped`: the number of earlier rolls that the mapping now gives to other people. To change one of them, the
      commands cancel its action, and add all rolls of the action again. `canceled` counts these rolls.
    - `first`, `last`: the first and the last day of the public rolls in the file, in UTC if the time has a zone.
    - `reread`: earlier rolls whose content differs only because an older version of the reader imported them. They
      count as known.
    - `closed`: the number of private rolls that cannot be compared, because a player copy lacks their content. They
      count as known.
    - `imports`: the earlier imports of this file. The value is True if the file still has the same bytes, and None if
      a player copy lacks the hash of the bytes.
    - `absent`: the entries of rolls that are in these imports, but no longer in the file.
    - `wrong`: the first records that cannot be read. `counts` has the number of all such records. `notes` has sentences
      about the file.
    - `users`, `speakers`: the names in the file, with counts. `unmapped` has the names that the mapping lacks.
      Because of these, `unnamed` new rolls have neither a player nor a character. `not_in_file` has the names of the
      mapping that the file lacks.
    - `doubles`: new rolls that are probably in the file or the campaign under another id.
    - `samples`: some public rolls.
    - `needs_zone`: True if a time has no time zone.
    """

    name: str
    title: str
    commands: tuple[Command, ...]
    counts: Mapping[str, int]
    remapped: int
    canceled: int
    first: str | None
    last: str | None
    changed: tuple[ChangedRoll, ...]
    reread: tuple[ChangedRoll, ...]
    closed: int
    imports: Mapping[int, bool | None]
    absent: tuple[int, ...]
    wrong: tuple[LogRecord, ...]
    notes: tuple[str, ...]
    users: Mapping[str, Counter[str]]
    speakers: Counter[str]
    unmapped: tuple[str, ...]
    not_in_file: tuple[str, ...]
    unnamed: int
    samples: tuple[ClaimedRoll, ...]
    doubles: tuple[Double, ...]
    differing: int
    needs_zone: bool

    @property
    def has_other_rolls(self) -> bool:
        """True if all rolls with known ids have new content: the file is probably from another table."""
        return self.counts["changed"] > 1 and not self.counts["known"]

    @property
    def new_places(self) -> list[str]:
        """The places of the new rolls in the file."""
        return [roll.place for command in self.commands if isinstance(command, ImportRolls) for roll in command.rolls]


def plan_import(
    book: Book,
    source: AnySource,
    reader: Reader,
    mapping: PeopleMapping,
    progress: Callable[[int], object] = abs,
    *,
    remap: bool = False,
) -> ImportPlan:
    """Read a file and compare its rolls with the campaign. Nothing is written.

    With `remap`, the plan also cancels earlier rolls that the mapping now gives to other people, and adds them again.
    Raise `BadInput` if the file, or more than 5 in 100 of its records, cannot be read.
    """
    sorter, records, wrong = _Sorter(book, mapping, reader.version, keeps_known=remap), 0, 0
    named, notes, left_out = list[LogRecord](), list[str](), Counter[str]()
    with source.open() as stream:
        read = 0
        for record in reader.records(stream, mapping):
            records += not record.note
            if record.note:
                notes.append(record.note)
            left_out[record.left_out] += bool(record.left_out)
            wrong += bool(record.wrong)
            if record.wrong and wrong <= MOST_NAMED_RECORDS:
                named.append(record)
            for roll in record.rolls:
                sorter.sort_roll(roll, record.place)
            if (at := stream.tell()) > read:
                progress(at - read)
                read = at
    if 100 * wrong > MOST_WRONG_PERCENT * records:
        raise _too_many_wrong(source.name, named, wrong, records)
    canceled = sorter.remap() if remap else ()
    counts = {"records": records, "wrong": wrong, **sorter.counts, **+left_out}
    new = sorted(sorter.new.values(), key=_time_key)
    public = [roll.claimed_at or sorter.local_days.get(roll.id) for roll in new if roll.seen == "all"]
    times = sorted(filter(None, public))
    log = _log_import(source, reader, mapping, counts, new, times) if new else None
    imports = imports_of_file(book, source)
    return ImportPlan(
        name=source.name,
        title=reader.title,
        commands=() if log is None else (*canceled, ImportLog(log=log), *map(_import_rolls, group_by_evening(new))),
        counts=counts,
        remapped=len(sorter.remapped),
        canceled=sorter.canceled,
        first=min(sorter.times.values(), default=None),
        last=max(sorter.times.values(), default=None),
        changed=tuple(sorter.changed.values()),
        reread=tuple(sorter.reread.values()),
        closed=len(sorter.closed),
        imports=imports,
        absent=tuple(sorter.rolls_missing_from_file(imports)),
        wrong=tuple(named),
        notes=tuple(notes),
        users=sorter.users,
        speakers=sorter.speakers,
        unmapped=tuple(sorted(sorter.unmapped)),
        not_in_file=tuple(mapping.names_not_in(sorter.users, sorter.speakers)),
        unnamed=len(sorter.unnamed & sorter.new.keys()),
        samples=tuple(sorter.samples),
        doubles=sorter.doubles(),
        differing=sum(roll.differs for roll in new),
        needs_zone=bool(sorter.local_days.keys() & sorter.new.keys()),
    )


class _Sorter:
    """The rolls of a file, sorted into new, known, changed and repeated rolls."""

    def __init__(self, book: Book, mapping: PeopleMapping, version: int, *, keeps_known: bool) -> None:
        self._book = book
        self._older = _older_imports(book, version)
        self._keeps_known = keeps_known  # they take much memory
        self._mapping = mapping
        self._ids = set[str]()
        self._private = set[str]()
        self._earlier = earlier_rolls(book)
        self._numbered = NumberedIds(book)
        self.counts = dict.fromkeys(("rolls", "new", "known", "changed", "twice", "private"), 0)
        self.new: dict[str, RollImported] = {}
        self._traces: dict[str, tuple[str, Trace]] = {}
        self.known: dict[int, RollImported] = {}
        self.closed = set[int]()
        self.remapped = set[int]()
        self.canceled = 0
        self.changed: dict[int, ChangedRoll] = {}
        self.reread: dict[int, ChangedRoll] = {}
        self.users = defaultdict[str, Counter[str]](Counter)
        self.speakers = Counter[str]()
        self.unmapped = set[str]()
        self.unnamed = set[str]()
        self.samples: list[ClaimedRoll] = []
        self.times: dict[str, str] = {}  # of the public rolls
        self.local_days: dict[str, str] = {}  # of the rolls without a time zone

    def sort_roll(self, roll: ClaimedRoll, place: str) -> None:
        """Sort one roll. Of several rolls with one id, keep the first private one, or the first if none is private."""
        if self._mapping.all_private:
            roll = roll.replace(seen="gm")
        if self._mapping.source:
            roll = roll.replace(id=self._mapping.stored_id(roll.id))
        event = partial(_event, roll, place, self._mapping)
        if roll.shares_id:
            roll = roll.replace(id=self._numbered.id_of(event()))
            event = partial(_event, roll, place, self._mapping)
        if not self._count_roll(roll):
            return
        earlier = self._earlier.get(roll.id)
        if earlier is None:
            self.new[roll.id] = event()
            self._note_new(roll, place)
        else:
            self._compare(earlier, roll, place, event)

    def _compare(self, earlier: EarlierRoll, roll: ClaimedRoll, place: str, event: Callable[[], RollImported]) -> None:
        """Compare a roll of the file with `earlier`, which has the same id. `event` makes the event of `roll`."""
        is_known = has_same_content(self._book, earlier, roll, event)
        is_reread = not is_known and earlier.log in self._older
        if not is_known:
            is_exposed = roll.seen != "all" and self._book.entry(earlier.seq).raw["seen"] == "all"
            rolls = self.reread if is_reread else self.changed
            in_file = event() if len(rolls) < MOST_SHOWN_CHANGES else None
            rolls[earlier.seq] = ChangedRoll(
                seq=earlier.seq, log=earlier.log, place=place, is_exposed=is_exposed, in_file=in_file
            )
        if is_known or is_reread:
            self.counts["known"] += 1
            if self._keeps_known:
                self.known[earlier.seq] = event()
            if earlier.is_closed:
                self.closed.add(earlier.seq)
            elif (earlier.who, earlier.player) != (self._mapping.character(roll), self._mapping.player(roll)):
                self.remapped.add(earlier.seq)
        else:
            self.counts["changed"] += 1

    def _note_new(self, roll: ClaimedRoll, place: str) -> None:
        self.counts["new"] += 1
        dice = [(die.sides, die.face) for die in roll.dice]
        if trace := trace_of(roll.__dict__, roll.__dict__, self._mapping.character(roll), dice):
            self._traces[roll.id] = place, trace
        if roll.local_day:
            self.local_days[roll.id] = roll.local_day

    def _count_roll(self, roll: ClaimedRoll) -> bool:
        """Add a roll to the counts. Return False for a repeated id, unless this roll replaces the roll with that id."""
        if roll.id in self._ids:
            self.counts["twice"] += 1
            if roll.seen == "all" or roll.id in self._private:
                return False
            self._forget_roll(roll.id)
        else:
            self._ids.add(roll.id)
            self.counts["rolls"] += 1
            self._count_names(roll)
        if roll.seen != "all":
            self._private.add(roll.id)
            self.counts["private"] += 1
        return True

    def _forget_roll(self, roll_id: str) -> None:
        """Forget a public roll, because the file also has it as a private roll."""
        self.samples = [sample for sample in self.samples if sample.id != roll_id]
        self._traces.pop(roll_id, None)
        self.times.pop(roll_id, None)
        if self.new.pop(roll_id, None):
            self.counts["new"] -= 1
        elif self.changed.pop(seq := self._earlier[roll_id].seq, None):
            self.counts["changed"] -= 1
        else:
            self.counts["known"] -= 1
            self.known.pop(seq, None)
            self.reread.pop(seq, None)
            self.remapped.discard(seq)

    def _count_names(self, roll: ClaimedRoll) -> None:
        if roll.user:
            self.users[roll.user][roll.speaker] += 1
        if roll.speaker:
            self.speakers[roll.speaker] += 1
        if not self._mapping.knows(roll) and (name := roll.speaker or roll.user):
            self.unmapped.add(name)
            if not self._mapping.player(roll):
                self.unnamed.add(roll.id)
        if roll.seen == "all":
            if at := roll.claimed_at or roll.local_day:
                self.times[roll.id] = at
            if len(self.samples) < MOST_SAMPLES:
                self.samples.append(roll)

    def remap(self) -> tuple[Command, ...]:
        """Count rolls in the campaign as new if the mapping no longer gives them to the same people.

        Return the command that cancels the actions of these rolls, if any. Raise `Refused` if such an action has
        other rolls that the file cannot replace.
        """
        by_log, last = dict[int, set[int]](), dict[int, int]()
        for roll in self._earlier.values():
            by_log.setdefault(roll.log, set()).add(roll.act)
            last[roll.log] = roll.seq
        acts = {roll.act for roll in self._earlier.values() if roll.seq in self.remapped}
        for roll in (roll for roll in self._earlier.values() if roll.act in acts):
            event = self.known.get(roll.seq)
            if event is None:
                again = f"To import a newer file instead, first cancel the import: {Run('void', roll.log, why='TEXT')}"
                hint = f"Use the original file of the import. {again}"
                raise Refused(f"Some rolls of #{roll.act} are missing from this file, or are different in it.", hint)
            self.new[event.id] = event
            self.canceled += 1
            self.counts["new"] += 1
            self.counts["known"] -= 1
        empty = (log for log, its_acts in by_log.items() if its_acts <= acts and not self._book.is_struck(log))
        logs = {log for log in empty if not self._has_sheets(log, last[log])}
        if not acts:
            return ()
        first, *also = sorted({*logs, *acts})
        return (Void(strikes=first, also=tuple(also), why="another mapping"),)

    def _has_sheets(self, log: int, last_roll: int) -> bool:
        """Return True if the import `log` also set numbers on sheets. Its last roll is the entry `last_roll`."""
        line = self._book.entry(log).line
        return last_roll < self._book.head() and self._book.entry(last_roll + 1).line == line

    def doubles(self) -> tuple[Double, ...]:
        """Return the likely doubles of the new rolls."""
        earlier = ((name, f"#{roll.seq}", roll.trace) for name, roll in self._earlier.items() if roll.trace)
        return tuple(likely_doubles(self._traces, earlier)) if self._traces else ()

    def rolls_missing_from_file(self, imports: Container[int]) -> list[int]:
        """Return the entries of rolls that are in these imports, but no longer in the file."""
        rolls = (roll for roll_id, roll in self._earlier.items() if roll_id not in self._ids)
        return sorted(roll.seq for roll in rolls if roll.log in imports)


def _event(roll: ClaimedRoll, place: str, mapping: PeopleMapping) -> RollImported:
    content: dict[str, Any] = {
        "who": mapping.character(roll),
        "player": mapping.player(roll),
        "speaker": roll.speaker or None,
        "what": roll.what or None,
        **{name: getattr(roll, name) for name in ("formula", "dice", "total", "comes_to", "natural", "thrown")},
    }
    frame: dict[str, Any] = {
        "log": 1,  # the command knows the right one
        "place": place,
        **{name: getattr(roll, name) for name in ("id", "claimed_at", "exact", "seen")},
    }
    if roll.seen != "all":
        return RollImported(**frame, hidden=secret(jsonable(content)))
    texts = {name: None if content[name] is None else CommittedText(text=content[name]) for name in ("speaker", "what")}
    return RollImported(**frame, **{**content, **texts})


def _import_rolls(rolls: tuple[RollImported, ...]) -> Command:
    return ImportRolls(rolls=rolls)


def _log_import(
    source: AnySource,
    reader: Reader,
    mapping: PeopleMapping,
    counts: Mapping[str, int],
    new: Sequence[RollImported],
    times: Sequence[str],
) -> LogImported:
    digest, size = source.digest()
    hides = counts["private"] + counts["wrong"] > 0  # a wrong record may be private
    return LogImported(
        file=CommittedText(text=source.name),
        sha256=secret(digest) if hides else digest,
        size=secret(size) if hides else size,
        form=reader.form,
        importer=reader.version,
        mapping=secret(mapping.sha256) if hides and mapping.sha256 else mapping.sha256,
        counts={**counts, "private": sum(roll.seen != "all" for roll in new)},
        first=times[0] if times else None,
        last=times[-1] if times else None,
    )


def _time_key(roll: RollImported) -> tuple[bool, str]:
    return roll.claimed_at is None, roll.claimed_at or ""


def group_by_evening(rolls: Sequence[RollImported]) -> Iterator[tuple[RollImported, ...]]:
    """Group rolls by evening.

    The rolls must be in order of time, and there must be at least one. A long evening has several groups.
    """
    group: list[RollImported] = []
    for roll in rolls:
        if group and (len(group) == MOST_ROLLS or _is_later_evening(group[-1], roll)):
            yield tuple(group)
            group = []
        group.append(roll)
    yield tuple(group)


def _is_later_evening(before: RollImported, roll: RollImported) -> bool:
    if before.claimed_at is None or roll.claimed_at is None:
        return before.claimed_at != roll.claimed_at
    return _moment(roll.claimed_at) - _moment(before.claimed_at) > PAUSE_BETWEEN_EVENINGS


def _moment(at: str) -> datetime:
    moment = datetime.fromisoformat(at)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _older_imports(book: Book, version: int) -> set[int]:
    """Return the entries of imports that a reader with a version older than `version` made."""
    seqs = (seq for seq, _ in book.accounts.mark_entries(IMPORTED, LAST_LOG))
    return {seq for seq in seqs if getattr(book.entry(seq).event, "importer", version) < version}


def imports_of_file(book: Book, source: AnySource) -> Mapping[int, bool | None]:
    """Return the earlier imports of a file: those with the same name or the same bytes. Leave out canceled imports.

    The key is the import's entry. The value is True if the bytes are the same, and None if a player copy lacks the
    hash of the bytes.
    """
    digest, _ = source.digest()
    imports = dict[int, bool | None]()
    for seq, log in _imports(book):
        before = log.sha256 if isinstance(log.sha256, str) else log.sha256.value
        has_same_bytes = None if before is None else digest == before
        if has_same_bytes or log.file.text == source.name:
            imports[seq] = has_same_bytes
    return imports


def _imports(book: Book) -> Iterator[tuple[int, LogImported]]:
    """Yield the imports that are not canceled, in order."""
    for seq, _ in book.accounts.mark_entries(IMPORTED, LAST_LOG):
        log = book.entry(seq, secrets=True).event
        if isinstance(log, LogImported) and not book.is_struck(seq):
            yield seq, log


def unchanged_import(book: Book, source: AnySource, reader: Reader, mapping: PeopleMapping) -> int | None:
    """Return the entry of an earlier import of a file, if importing the file again cannot find anything new.

    The bytes, the mapping and the version of the reader must be the same as for the earlier import. That import must
    have added all rolls of the file, and none of these rolls may be canceled. Otherwise, return None.
    """
    same, counting = imports_of_file(book, source), {*book.accounts.values(IMPORTED).values()}
    for seq, log in _imports(book):
        names = log.mapping if isinstance(log.mapping, str | None) else log.mapping.value
        if same.get(seq) and (log.importer, names) == (reader.version, mapping.sha256):
            added = range(seq + 1, seq + 1 + log.counts["new"])
            if log.counts["new"] == log.counts["rolls"] and counting.issuperset(added):
                return seq
    return None


def _too_many_wrong(name: str, named: Sequence[LogRecord], wrong: int, records: int) -> BadInput:
    first = "; ".join(f"{record.place}: {record.wrong}" for record in named[:3])
    more = f"; and {wrong - 3:,} more" if wrong > 3 else ""  # noqa: PLR2004  three are shown
    says = f"In {quoted(name)}, {wrong:,} of {count_of(records, 'record')} cannot be read: {first}{more}."
    return BadInput(says, "Nothing was written. Correct the file, or export it again.")
