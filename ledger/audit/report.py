"""The audit of a campaign: how far it can be trusted, and whether it follows the rules.

The audit never answers with just a yes. It finds how far the history is signed and witnessed (its tier), gives each
outcome a class, and lists the questions that no journal can answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache

from ledger import systems
from ledger.audit import history
from ledger.audit.check import Before, Checks, EntryCheck, Fault
from ledger.audit.dice_checks import Throws
from ledger.audit.games import GameChecks
from ledger.audit.history import Tier
from ledger.audit.redecide import Decisions
from ledger.audit.repeats import Repeats
from ledger.audit.sealed_rolls import Seals
from ledger.audit.verify import OnProgress, Verified, no_progress, verify
from ledger.corrections.seals import SESSION_END
from ledger.events import types as events
from ledger.events.entry import Entry
from ledger.events.subjects import STRUCK
from ledger.journal.book import Book
from ledger.journal.store import Journal, entry_of
from ledger.rules.system import Remark, Stands
from ledger.values import Struct


class Finding(Struct):
    """A finding or a remark: the number of the entry, and a sentence."""

    seq: int
    says: str


class Audited(Struct):
    """The result of an audit. `outcomes` has the number and the class of each entry with an outcome.

    `unknown` has the questions that an audit cannot answer, and `also_holds` the tables of other programs in the file.
    """

    whole: Verified
    tier: Tier
    outcomes: tuple[tuple[int, str], ...]
    counts: Mapping[str, int]
    findings: tuple[Finding, ...]
    remarks: tuple[Finding, ...]
    unknown: tuple[str, ...]
    also_holds: tuple[str, ...]


RECENT = 500
"""The number of recent entries to cache. Decisions mostly read those."""


def audit(book: Book, today: str, progress: OnProgress = no_progress) -> Audited:
    """Audit a campaign as of a day (`2026-11-22`). Raise the same errors as `verify` if the file is not intact.

    A ruling that differs from today's rules is a finding if it was made under the same edition of the rules, and
    otherwise a remark. `progress` counts each entry twice.
    """
    with book.journal.reading():
        whole = verify(book, progress)
        struck = {int(act) for act in book.accounts.marked(STRUCK) if book.is_struck(int(act))}

        def stands(entry: Entry) -> bool:
            return entry.act not in struck

        book = Book(Journal(book.journal.storage, lru_cache(RECENT)(entry_of)))
        decisions, counts = Decisions(book, cache(systems.installed)), Counts()
        outcomes = Outcomes(book, stands, decisions)
        all_checks = audit_checks(book, today, stands, decisions, outcomes, counts)
        all_faults = list(faults(book, all_checks, progress))
        tier = history.tier_of(book)
        has_clocks = "clock" in book.journal.entry(1).closed
        return Audited(
            whole=whole,
            tier=tier,
            outcomes=tuple(sorted(outcomes.classes)),
            counts=counts.counts,
            findings=_in_order(fault for fault in all_faults if not isinstance(fault, Remark)),
            remarks=_in_order(fault for fault in all_faults if isinstance(fault, Remark)),
            unknown=tuple(_unknown(tier, counts.counts, whole, has_clocks=has_clocks)),
            also_holds=tuple(book.journal.storage.also_holds()),
        )


def audit_checks(
    book: Book, today: str, stands: Stands, decisions: Decisions, outcomes: Outcomes, counts: Counts
) -> tuple[EntryCheck, ...]:
    """Return all checks of an intact file, and the counters that run with them."""
    return (
        Throws(stands),  # each throw is used once, by an entry that may use it
        GameChecks(book, stands),  # each game's own checks
        decisions,  # every action is the result of its command
        Seals(book, today, stands),  # sealed rolls were revealed
        Repeats(book, stands, counts.counts),  # canceled rolls that were soon repeated
        Questions(book, stands),  # questions were answered
        history.HistoryCheck(book, today),  # keys, policies, witnesses, forks, dates
        outcomes,  # the class of each outcome; must come after `decisions`
        counts,  # the numbers of throws, strikes, seals and so on
    )


def faults(book: Book, checks: Sequence[EntryCheck], progress: OnProgress = no_progress) -> Iterator[Fault]:
    """Yield the faults of all entries, and then the faults that are known only after the last entry."""
    all_checks = Checks(checks, book)
    for entry in book.journal.entries():
        yield from all_checks.look(entry)
        progress(1)
    yield from all_checks.end()


def _in_order(faults: Iterable[Fault]) -> tuple[Finding, ...]:
    return tuple(Finding(seq=seq, says=says) for seq, says in sorted(dict.fromkeys(faults)))


class Outcomes(EntryCheck):
    """A collector of the outcomes that still count, with their classes. It yields no faults."""

    def __init__(self, book: Book, stands: Stands, decisions: Decisions) -> None:
        self._book = book
        self._stands = stands
        self._decisions = decisions
        self._overridden: set[int] = set()
        self.classes: list[tuple[int, str]] = []

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        seq, event, outcome = entry.seq, entry.event, self._decisions.outcomes.get(entry.seq)
        if not self._stands(entry):
            return
        if outcome is not None and not isinstance(event, events.QuestionAsked):
            self.classes.append((seq, CLASSES[outcome]))
        match event:
            case events.VerdictOverridden(about=about):
                self._overridden.add(about)
            case events.ScoreAdjusted() | events.MarksSet():
                self.classes.append((seq, "attested by hand" if before.is_gm(entry.by) else "attested by a player"))
            case events.RollSealed(until=until) if self._book.question(seq).waits:
                self.classes.append((seq, f"sealed{ENDS.get(until, f' until {until}')}"))
        yield from ()

    def end(self) -> Iterator[Fault]:
        self.classes = [(seq, "overridden" if seq in self._overridden else name) for seq, name in self.classes]
        yield from ()


CLASSES = {
    "again": "worked out again",
    "differs": "not as the rules say",
    "differs-edition": "attested, under another edition",
    "unknown": "attested, and not known here",
    "erased": "erased",
    "away": "attested, for a secret that is not here",
}
ENDS = {None: " without an end", SESSION_END: " until the session ends"}


class Questions(EntryCheck):
    """A check that questions were answered, disputes decided, and the texts of corrections not erased."""

    def __init__(self, book: Book, stands: Stands) -> None:
        self._book = book
        self._stands = stands

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        for seq, fields in entry.event.erased.items() if isinstance(entry.event, events.WordsErased) else ():
            if "why" in fields or isinstance(before.entry(int(seq)).event, events.Correction):
                yield Remark(int(seq), f"Its texts were erased by #{entry.seq} ({', '.join(fields)}).")
        yield from self._check_author(entry, before) if self._stands(entry) else ()
        struck = isinstance(entry.event, events.DisputeRaised) and not self._stands(entry)
        if struck and self._book.question(entry.seq).answered_by is None:
            yield Remark(entry.seq, "This dispute was canceled without a decision.")

    def _check_author(self, entry: Entry, before: Before) -> Iterator[Remark]:
        """Yield a remark if a player who is not a GM decided a question or overruled a verdict."""
        if before.is_gm(entry.by):
            return
        name = self._book.players().get(entry.by, entry.by)
        match entry.event:
            case events.QuestionDecided(question=seq):
                asked = before.entry(seq).event
                objected = isinstance(asked, events.DisputeRaised) and asked.player == entry.by
                role = "who had objected" if objected else "who is not a GM"
                yield Remark(entry.seq, f"Question #{seq} was decided by {name}, {role}.")
            case events.VerdictOverridden(about=about):
                yield Remark(entry.seq, f"The verdict of #{about} was overruled by {name}, who is not a GM.")

    def end(self) -> Iterator[Fault]:
        for seq in self._book.questions():
            if self._book.journal.entry(seq).type != events.RollSealed.type:
                yield Remark(seq, "This question is still open.")


class Counts(EntryCheck):
    """A counter of throws, strikes, seals, overrides and erasures. It yields no faults."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        match entry.event:
            case events.VerdictOverridden():
                self.counts["overridden"] += 1
            case events.ActionStruck():
                self.counts["struck"] += 1
            case events.RollSealed():
                self.counts["sealed"] += 1
            case events.DiceThrown(source=source):
                self.counts[THROWN[source]] += 1
            case events.WordsErased(erased=erased):
                for seq, fields in erased.items():
                    for field in fields:
                        self.counts[f"erased ({before.entry(int(seq)).type} {field})"] += 1
        yield from ()


THROWN = {"typed": "typed in", "machine": "rolled by the computer"}


def _unknown(tier: Tier, counts: Mapping[str, int], whole: Verified, *, has_clocks: bool) -> Iterator[str]:
    if counts.get(THROWN["typed"]):
        yield "Were the typed dice really rolled that way?"
    if counts.get(THROWN["machine"]):
        yield (
            "Did the computer roll only once, with this program unchanged? Somebody may have rolled on copies of the"
            " file until they liked the result."
        )
    yield "Who was at the keyboard? An entry records only the name that was given."
    if tier.signed or tier.of:
        yield "Whose keys are these? Compare them with the ones on your character sheets."
    yield "What happened at the table but was never written down?"
    yield "Was the clock right? Each entry has the time that its computer showed."
    if not has_clocks:
        yield (
            "Did a slow clock change the time of an entry? In old files (version 3 or earlier), an entry got the time"
            " of the entry before it if the clock was slow."
        )
    if tier.signed:
        yield (
            "What happened in the file between two checkpoints? Somebody may have gone back to an older copy and"
            " continued from there. The file would look the same."
        )
    last = tier.witnessed if tier.satisfied else 0
    if last < whole.entries:
        what, them = (f"entries after #{last}", "them") if last else ("the history", "it")
        yield f"Did the key holder rewrite {what}? No witness has signed {them}."
    if whole.away:
        yield f"What is in the {'secret' if whole.away == 1 else f'{whole.away} secrets'} that this file leaves out?"
