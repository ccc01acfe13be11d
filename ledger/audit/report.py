"""The audit of a campaign: how far it can be trusted, and if it follows the rules.

The audit never says just "yes". It finds up to which entry the history is signed and witnessed (its tier), classifies
each outcome, and lists the questions that no journal can answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache

from ledger import systems
from ledger.audit import history
from ledger.audit.authors import AuthorsCheck
from ledger.audit.check import Checks, EntryCheck, Fault, PastEntries
from ledger.audit.dice_checks import ThrowsCheck
from ledger.audit.games import GamesCheck
from ledger.audit.history import Tier
from ledger.audit.imported import IMPORTED_ROLLS, ImportsCheck
from ledger.audit.redecide import DecisionsCheck
from ledger.audit.repeats import RepeatsCheck
from ledger.audit.sealed_rolls import SealsCheck
from ledger.audit.verify import FileCounts, OnProgress, no_progress, verify
from ledger.corrections.seals import SESSION_END
from ledger.events import types as events
from ledger.events.entry import Entry
from ledger.events.facts import DICE_SOURCES
from ledger.events.subjects import STRUCK
from ledger.journal.book import Book
from ledger.journal.store import Journal, entry_of
from ledger.rules.system import Remark
from ledger.values import Struct


class Finding(Struct):
    """One result of the audit, a finding or a remark: the number of the entry, and a sentence about the entry."""

    seq: int
    says: str


class AuditResult(Struct):
    """The result of an audit. `outcomes` has the number and class of each entry with an outcome (like `erased`).

    `unknown` has the questions that no audit can answer. `also_holds` has the names of other programs' tables.
    """

    file_counts: FileCounts
    tier: Tier
    outcomes: tuple[tuple[int, str], ...]
    counts: Mapping[str, int]
    findings: tuple[Finding, ...]
    remarks: tuple[Finding, ...]
    unknown: tuple[str, ...]
    also_holds: tuple[str, ...]


RECENT_ENTRIES = 500
"""The size of the cache of entries. The audit mostly reads recent ones."""


def audit(book: Book, today: str, progress: OnProgress = no_progress) -> AuditResult:
    """Audit a campaign. `today` is a date like `2026-11-22`. Raise the errors of `verify` for a damaged file.

    If a ruling differs from today's rules, but was made under an older edition, this is only a remark. `progress` is
    called twice for each entry.
    """
    with book.journal.reading():
        file_counts = verify(book, progress)
        struck = {int(act) for act in book.accounts.mark_names(STRUCK) if book.is_struck(int(act))}
        book = Book(Journal(book.journal.storage, lru_cache(RECENT_ENTRIES)(entry_of)))
        outcomes = Outcomes(DecisionsCheck(book, cache(systems.installed)))
        all_faults = list(faults(PastEntries(book, struck), audit_checks(today, outcomes), progress))
        tier = history.tier_of(book)
        has_clocks = "clock" in book.journal.entry(1).raw
        return AuditResult(
            file_counts=file_counts,
            tier=tier,
            outcomes=tuple(sorted(outcomes.classes.items())),
            counts=outcomes.counts,
            findings=_sorted_findings(fault for fault in all_faults if not isinstance(fault, Remark)),
            remarks=_sorted_findings(fault for fault in all_faults if isinstance(fault, Remark)),
            unknown=tuple(_unanswered(tier, outcomes.counts, file_counts, has_clocks=has_clocks)),
            also_holds=tuple(book.journal.storage.foreign_names()),
        )


def audit_checks(today: str, outcomes: Outcomes) -> tuple[EntryCheck, ...]:
    """Return all checks of the audit, in the order in which they run. The last one is the collector `outcomes`."""
    return (
        ThrowsCheck(),  # each throw is used once, by an entry that may use it
        GamesCheck(),  # each game's own checks
        outcomes.decisions,  # every action is the result of its command
        SealsCheck(today),  # sealed rolls were revealed
        RepeatsCheck(outcomes.counts),  # canceled rolls that were soon repeated
        ImportsCheck(outcomes.counts),  # imported rolls come to the totals that their files claim
        QuestionsCheck(),  # questions were answered
        history.HistoryCheck(today),  # keys, policies, witnesses, forks, dates
        AuthorsCheck(outcomes.decisions),  # players entered only what the page would allow; must come after `decisions`
        outcomes,  # the class of each outcome, and counts of throws and strikes; must come after `decisions`
    )


def faults(past: PastEntries, checks: Sequence[EntryCheck], progress: OnProgress = no_progress) -> Iterator[Fault]:
    """Yield the faults of all entries, and then the faults that are known only after the last entry."""
    all_checks = Checks(checks, past)
    for entry in past.book.journal.entries():
        yield from all_checks.check(entry)
        progress(1)
    yield from all_checks.final_faults()


def _sorted_findings(faults: Iterable[Fault]) -> tuple[Finding, ...]:
    return tuple(Finding(seq=seq, says=says) for seq, says in sorted(dict.fromkeys(faults)))


class Outcomes(EntryCheck):
    """A check that yields no faults. It collects the class of each outcome in force, and counts throws and strikes."""

    def __init__(self, decisions: DecisionsCheck) -> None:
        self.decisions = decisions
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

    def _classify(self, entry: Entry, past: PastEntries) -> None:
        seq, event, outcome = entry.seq, entry.event, self.decisions.outcomes.get(entry.seq)
        if outcome is not None and not isinstance(event, events.QuestionAsked):
            self.classes[seq] = OUTCOME_CLASSES[outcome]
        match event:
            case events.VerdictOverridden(about=about) if about in self.classes:
                self.classes[about] = "overridden"
            case events.ScoreAdjusted() | events.ScoresGiven() | events.MarksSet():
                self.classes[seq] = "attested by hand" if past.is_gm(entry.by) else "attested by a player"
            case events.RollSealed(until=until) if past.book.question(seq).is_open:
                self.classes[seq] = f"sealed{SEAL_ENDS.get(until, f' until {until}')}"


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

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        for seq, fields in entry.event.erased.items() if isinstance(entry.event, events.WordsErased) else ():
            if "why" in fields or isinstance(past.entry(int(seq)).event, events.Correction):
                yield Remark(int(seq), f"#{entry.seq} erased this entry's texts ({', '.join(fields)}).")
        if isinstance(entry.event, events.DisputeRaised) and past.book.question(entry.seq).canceled:
            yield Remark(entry.seq, "This dispute was canceled without a decision.")

    def final_faults(self, past: PastEntries) -> Iterator[Fault]:
        for seq in past.book.questions():
            if past.entry(seq).type != events.RollSealed.type:
                yield Remark(seq, "This question is still open.")


def _unanswered(tier: Tier, counts: Mapping[str, int], file_counts: FileCounts, *, has_clocks: bool) -> Iterator[str]:
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
