"""The audit of a campaign: how far it can be trusted, and if it follows the rules.

The audit never says just "yes". It finds up to which entry the history is signed and witnessed (its tier), classifies
each outcome, and lists the questions that no journal can answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from ledger.audit import history
from ledger.audit.authors import AuthorsCheck
from ledger.audit.check import Checks, EntryCheck, Fault, OnProgress, PastEntries, no_progress
from ledger.audit.decided import Decided, faults_from_json, faults_to_json, with_recent_entries
from ledger.audit.dice_checks import ThrowsCheck
from ledger.audit.games import GamesCheck
from ledger.audit.history import Tier
from ledger.audit.imported import IMPORTED_ROLLS, ImportsCheck
from ledger.audit.parts import OtherProcesses, Part, on_all_cores
from ledger.audit.remembered import EarlierCheck, Memory
from ledger.audit.repeats import RepeatsCheck
from ledger.audit.sealed_rolls import SealsCheck
from ledger.audit.states import places_to_keep
from ledger.audit.verify import FileCounts, checked_file
from ledger.corrections.seals import SESSION_END
from ledger.events import types as events
from ledger.events.entry import Entry
from ledger.events.facts import DICE_SOURCES
from ledger.events.subjects import REVEALED, STRUCK, entry_number
from ledger.journal.book import Book
from ledger.rules.system import Remark
from ledger.values import Struct


class Finding(Struct):
    """One result of the audit, a finding or a remark: the number of the entry, and a sentence about the entry."""

    seq: int
    says: str


class AuditResult(Struct):
    """The result of an audit. `outcomes` has the number and class of each entry with an outcome (like `erased`).

    `unknown` has the questions that no audit can answer. `also_holds` has the names of other programs' tables.
    `earlier_check` is what an earlier audit found, if this one did not repeat it.
    """

    file_counts: FileCounts
    tier: Tier
    outcomes: tuple[tuple[int, str], ...]
    counts: Mapping[str, int]
    findings: tuple[Finding, ...]
    remarks: tuple[Finding, ...]
    unknown: tuple[str, ...]
    also_holds: tuple[str, ...]
    earlier_check: EarlierCheck | None = None


PASSES = 3
"""The number of times that an audit reads each entry, for `progress`."""

LEAST_PER_PROCESS = 10_000
"""The least number of entries for another process to check. For fewer, starting the process takes too long."""

OWN_WORK = 0.25
"""The work of the first process besides its part, as a fraction of the work on all parts."""


def audit(book: Book, today: str, progress: OnProgress = no_progress, memory: Memory | None = None) -> AuditResult:
    """Audit a campaign. `today` is a date like `2026-11-22`. Raise the errors of `verify` for a damaged file.

    If a ruling differs from today's rules, but was made under an older edition, this is only a remark. `progress` gets
    a total of `PASSES` for each entry: 1 when the entry has been verified, 1 when its action has been decided again,
    and 1 when the other checks have read it. With a `memory`, entries that have not changed since an earlier audit are
    not verified or decided again. The other checks read an entry again if a later entry has changed what it means.
    """
    with book.journal.reading():
        book = with_recent_entries(book)
        check, own_work = "ledger.audit.decided:decided_part", round(OWN_WORK * book.head())
        with checked_file(book):
            earlier = memory.recall(book) if memory else None
            checked = earlier.entries if earlier else 0
            if checked:
                progress(2 * checked)  # `_check` adds the third time
            run = partial(_check, book, today, memory)
            decided, outcomes, found, states = on_all_cores(
                book.journal, check, checked, LEAST_PER_PROCESS, own_work, progress, run
            )
        if memory:
            memory.keep(book, decided.to_send(), states)
        tier = history.tier_of(book)
        has_clocks = "clock" in book.journal.entry(1).raw
        return AuditResult(
            file_counts=decided.file_counts,
            tier=tier,
            outcomes=tuple(sorted(outcomes.classes.items())),
            counts=outcomes.counts,
            findings=_sorted_findings(fault for fault in found if not isinstance(fault, Remark)),
            remarks=_sorted_findings(fault for fault in found if isinstance(fault, Remark)),
            unknown=tuple(_unanswerable_questions(tier, outcomes.counts, decided.file_counts, has_clocks=has_clocks)),
            also_holds=tuple(book.journal.storage.foreign_names()),
            earlier_check=earlier,
        )


def _check(
    book: Book, today: str, memory: Memory | None, own: Part, others: OtherProcesses
) -> tuple[Decided, Outcomes, list[Fault], dict[int, Any]]:
    """Verify and decide the part `own`, run the other checks, and add what the other processes find.

    The other checks continue from the last state in `memory` that later entries have not changed. The last item of
    the result has the new states of these checks, by the number of the entry.
    """
    decided, after, state = Decided(), 0, None
    if memory and memory.earlier_check:
        decided.add(memory.earlier_check.found)
    decided.decide(book, *own, others.count)
    if memory and memory.earlier_check:
        after, state = memory.state_before(book, first_changed_place(book, memory.earlier_check.entries))
    past, outcomes = PastEntries(book, _struck_actions(book), after), Outcomes(decided)
    checks = Checks(audit_checks(today, decided, outcomes), past)
    found, states = list[Fault](), dict[int, Any]()
    if state:
        found += faults_from_json(state["faults"])
        checks.resume(state["checks"])
    places = places_to_keep(after, book.head()) if memory else []
    others.count(after)
    for entry in book.journal.entries(after + 1):
        if entry.seq == entry.act and places and past.head >= places[0]:
            states |= _pause(checks, past, found)
            places = [place for place in places if place > past.head]
        found += checks.check(entry)
        others.count(1)
    if memory and past.head > after:
        states |= _pause(checks, past, found)
    for part in others.results():
        decided.add(part)
    return decided, outcomes, [*decided.faults, *found, *checks.final_faults()], states


def _pause(checks: Checks, past: PastEntries, found: list[Fault]) -> dict[int, Any]:
    """Add to `found` what the checks still report about the entries so far.

    Return the state of the checks as a dictionary with one key, the number of the last entry. Return an empty
    dictionary if a state cannot be kept.
    """
    found += checks.pause()
    try:
        return {past.head: {"faults": faults_to_json(found), "checks": checks.states()}}
    except TypeError:  # a game keeps something that is not plain, so its check cannot continue later
        return {}


def first_changed_place(book: Book, last: int) -> int:
    """Return the first entry at which an entry after `last` takes effect. For a strike, this is the struck action."""
    rows, first = book.journal.storage.rows, last + 1
    places = [
        *(entry.since for entry in book.journal.entries(first)),
        *(row.since for row in rows.postings(first)),
        *(row.since for row in rows.marks(first)),
        *(entry_number(row.name) for row in rows.marks(first) if row.who in {STRUCK, REVEALED}),
    ]
    return min(places, default=book.head() + 1)


def _struck_actions(book: Book) -> set[int]:
    return {int(act) for act in book.accounts.values(STRUCK)}


def audit_checks(today: str, decided: Decided, outcomes: Outcomes) -> tuple[EntryCheck, ...]:
    """Return all checks of the audit, except `DecisionsCheck`, in the order in which they run."""
    return (
        ThrowsCheck(),  # each throw is used once, by an entry that may use it
        GamesCheck(),  # each game's own checks
        SealsCheck(today),  # sealed rolls were revealed
        RepeatsCheck(outcomes.counts),  # canceled rolls that were soon repeated
        ImportsCheck(outcomes.counts),  # imported rolls come to the totals that their files claim
        QuestionsCheck(),  # questions were answered
        history.HistoryCheck(today),  # keys, policies, witnesses, forks, dates
        AuthorsCheck(decided),  # players entered only what the page would allow
        outcomes,  # the class of each outcome, and counts of throws and strikes
    )


def _sorted_findings(faults: Iterable[Fault]) -> tuple[Finding, ...]:
    return tuple(Finding(seq=seq, says=says) for seq, says in sorted(dict.fromkeys(faults)))


class Outcomes(EntryCheck):
    """A check that yields no faults. It collects the class of each outcome in force, and counts throws and strikes."""

    kept = "_rulings", "_overridden", "_sealed", "classes", "counts"

    def __init__(self, decided: Decided) -> None:
        self._decided = decided
        self._rulings: list[int] = []  # those in force, without questions
        self._overridden: list[int] = []
        self._sealed: dict[int, str | None] = {}  # the sealed rolls in force, with their ends
        self.classes: dict[int, str] = {}
        self.counts: Counter[str] = Counter()

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        if past.is_in_force(entry):
            self._classify(entry, past)
        match entry.event:
            case events.VerdictOverridden():
                self.counts["overridden"] += 1
            case events.ActionStruck():
                self.counts["struck"] += 1
            case events.RollSealed():
                self.counts["sealed"] += 1
            case events.DiceThrown(source=source):
                self.counts[DICE_SOURCES[source]] += 1
            case events.WordsErased(erased=erased):
                for seq, fields in erased.items():
                    for field in fields:
                        self.counts[f"erased ({past.entry(int(seq)).type} {field})"] += 1
        yield from ()

    def resume(self, state: Any) -> None:
        counts = self.counts  # the other checks have it too
        super().resume(state)
        counts.update(self.counts)
        self.counts = counts

    def _classify(self, entry: Entry, past: PastEntries) -> None:
        seq, event = entry.seq, entry.event
        match event:
            case events.QuestionAsked():
                pass
            case events.RulingEvent():
                self._rulings.append(seq)
            case events.VerdictOverridden(about=about):
                self._overridden.append(about)
            case events.ScoreAdjusted() | events.ScoresGiven() | events.MarksSet():
                self.classes[seq] = "attested by hand" if past.is_gm(entry.by) else "attested by a player"
            case events.RollSealed(until=until):
                self._sealed[seq] = until

    def final_faults(self, past: PastEntries) -> Iterator[Fault]:
        self.classes |= {seq: OUTCOME_CLASSES[self._decided.outcomes[seq]] for seq in self._rulings}
        self.classes |= {seq: "overridden" for seq in self._overridden if seq in self.classes}
        for seq, until in self._sealed.items():
            if past.book.question(seq).is_open:
                self.classes[seq] = f"sealed{SEAL_ENDS.get(until, f' until {until}')}"
        yield from ()


OUTCOME_CLASSES = {
    "again": "worked out again",
    "differs": "not as the rules say",
    "differs-edition": "attested, under another edition",
    "unknown": "attested, and not known here",
    "erased": "erased",
    "away": "attested, for a secret that is not here",
}
SEAL_ENDS = {None: " without an end", SESSION_END: " until the session ends"}


class QuestionsCheck(EntryCheck):
    """A check that questions were answered, that disputes were decided, and that no text of a correction was erased."""

    kept = ("_disputes",)

    def __init__(self) -> None:
        self._disputes: list[int] = []

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        for seq, fields in entry.event.erased.items() if isinstance(entry.event, events.WordsErased) else ():
            if "why" in fields or isinstance(past.entry(int(seq)).event, events.Correction):
                yield Remark(int(seq), f"#{entry.seq} erased this entry's texts ({', '.join(fields)}).")
        if isinstance(entry.event, events.DisputeRaised):
            self._disputes.append(entry.seq)

    def final_faults(self, past: PastEntries) -> Iterator[Fault]:
        for seq in self._disputes:
            if past.book.question(seq).canceled:
                yield Remark(seq, "This dispute was canceled without a decision.")
        for seq in past.book.questions():
            if past.entry(seq).type != events.RollSealed.type:
                yield Remark(seq, "This question is still open.")


def _unanswerable_questions(
    tier: Tier, counts: Mapping[str, int], file_counts: FileCounts, *, has_clocks: bool
) -> Iterator[str]:
    if counts.get(DICE_SOURCES["typed"]):
        yield "Were the typed dice really rolled that way?"
    if counts.get(DICE_SOURCES["machine"]):
        yield (
            "Did the computer roll only once, and was this program unchanged? Somebody may have rolled on copies of the"
            " file until they liked the result."
        )
    if any(name.startswith(IMPORTED_ROLLS) for name in counts):
        yield "Are the imported rolls true and complete? Nobody here witnessed them, and anyone can edit a file."
    yield "Who was at the keyboard? An entry records only the name that was given."
    if tier.signed or tier.of:
        yield "Whose keys are in this record? Compare them with the keys on your character sheets."
    yield "What happened at the table but was never written down?"
    yield "Was the clock right? Each entry has the time of the computer that wrote it."
    if not has_clocks:
        yield (
            "Did a slow clock change the time of an entry? In old files (version 3 or earlier), an"
            " entry got the previous entry's time if the clock was slow."
        )
    if tier.signed:
        yield (
            "What happened between two checkpoints? Somebody may have gone back to an older copy and"
            " continued from there. The file would not show it."
        )
    last = tier.witnessed if tier.satisfied else 0
    if last < file_counts.entries:
        yield (
            f"Did the person with the campaign's key rewrite entries after #{last}? Nobody can say, because no witness "
            "has signed these entries."
            if last
            else "Did the person with the campaign's key rewrite the history? Nobody can say, because no witness has "
            "signed it."
        )
    if away := file_counts.away:
        yield f"What is in the {'secret' if away == 1 else f'{away} secrets'} missing from this file?"
