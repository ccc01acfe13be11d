"""Audit: how far a history can be trusted, whether it is right by the rules, and what it cannot know.

It is never a bare yes: the history has a tier (whole; signed up to an entry; witnessed up to one by so many), each
outcome a class, and what no journal can show is said.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from ledger.audit import history
from ledger.audit.games import checked
from ledger.audit.history import Tier
from ledger.audit.manual import by_hand
from ledger.audit.observations import stood
from ledger.audit.rederive import reworked
from ledger.audit.seals import sealed_in
from ledger.audit.verify import Progress, Whole, quiet, verify
from ledger.corrections.seals import SESSION_END
from ledger.events.entry import Entry
from ledger.events.subjects import QUESTIONS, STRUCK
from ledger.events.types import (
    ActionStruck,
    DiceThrown,
    DisputeRaised,
    MarksSet,
    QuestionAsked,
    RollSealed,
    ScoreAdjusted,
    SecretRevealed,
    SessionClosed,
    VerdictOverridden,
    WordsErased,
)
from ledger.journal.book import Book
from ledger.values import Shape


class Finding(Shape):
    """Something that is not as it should be, and the entry where it is."""

    seq: int
    says: str


class Audited(Shape):
    """What an audit came to. `outcomes` are entries with their classes, `counts` what is no finding by itself."""

    whole: Whole
    tier: Tier
    outcomes: tuple[tuple[int, str], ...]
    counts: Mapping[str, int]
    findings: tuple[Finding, ...]
    remarks: tuple[Finding, ...]
    unknown: tuple[str, ...]


def audit(book: Book, today: str, progress: Progress = quiet) -> Audited:
    """Check a campaign, as of a day (`2026-11-22`); refuses like `verify` what is not whole.

    A ruling that today's rules would make otherwise is a finding under the same edition, a remark under another.
    """
    whole = verify(book, progress)
    with book.journal.reading():
        tier = history.tier_of(book)
        outcomes, counts = _Outcomes(book), _counted(book)
        said = list(by_hand(book))
        findings = [*checked(book), *stood(book), *outcomes.findings, *_of_seals(book, today), *_of_questions(book)]
        findings += [(seq, says) for seq, says, certain in said if certain]
        remarks = [(seq, says) for seq, says, certain in said if not certain]
        findings += history.findings(book)
        return Audited(
            whole=whole,
            tier=tier,
            outcomes=tuple(sorted(outcomes.classes)),
            counts=counts,
            findings=_in_order(findings),
            remarks=_in_order([*outcomes.remarks, *remarks, *history.dated_early(book)]),
            unknown=tuple(_unknown(tier, counts, whole)),
        )


def _in_order(found: list[tuple[int, str]]) -> tuple[Finding, ...]:
    return tuple(Finding(seq=seq, says=says) for seq, says in sorted(dict.fromkeys(found)))


def _stands(book: Book, entry: Entry) -> bool:
    return book.mark(STRUCK, str(entry.act)) is None


class _Outcomes:
    """The outcomes that stand, by class, and what is wrong with them."""

    def __init__(self, book: Book) -> None:
        self.classes: list[tuple[int, str]] = []
        self.findings: list[tuple[int, str]] = []
        self.remarks: list[tuple[int, str]] = []
        overridden = {
            entry.event.about
            for entry in book.journal.naming((VerdictOverridden.type,), 1, ("about",))
            if isinstance(entry.event, VerdictOverridden) and _stands(book, entry)
        }
        for each in reworked(book):
            entry = book.journal.entry(each.seq)
            if entry.type != QuestionAsked.type and _stands(book, entry):
                self.classes.append((each.seq, "overridden" if each.seq in overridden else CLASSES[each.outcome]))
            if each.outcome == "differs":
                self.findings.append((each.seq, each.says))
            elif each.outcome != "again":
                self.remarks.append((each.seq, each.says))
        for entry in book.journal.naming((ScoreAdjusted.type, MarksSet.type), 1, ("why",)):
            if _stands(book, entry):
                self.classes.append((entry.seq, "attested by hand"))
        for entry, sealed in _seals(book):
            if book.mark(QUESTIONS, str(entry.seq)) is False:
                self.classes.append((entry.seq, f"sealed{ENDS.get(sealed.until, f' until {sealed.until}')}"))


CLASSES = {
    "again": "worked out again",
    "differs": "not as the rules say",
    "differs-edition": "attested, under another edition",
    "unknown": "attested, and not known here",
    "erased": "erased",
    "away": "attested, for a secret that is not here",
}
ENDS = {None: " without an end", SESSION_END: " until the session ends"}


def _seals(book: Book) -> Iterator[tuple[Entry, RollSealed]]:
    """Yield the sealed rolls, with what they keep."""
    entries = (book.entry(each.seq, secrets=True) for each in book.journal.naming((RollSealed.type,), 1, ("unseen",)))
    yield from ((entry, entry.event) for entry in entries if isinstance(entry.event, RollSealed))


def _of_seals(book: Book, today: str) -> Iterator[tuple[int, str]]:
    closed = [entry.seq for entry in book.journal.naming((SessionClosed.type,), 1, ("number",)) if _stands(book, entry)]
    told = {
        each.event.about: each.act
        for each in book.journal.naming((SecretRevealed.type,), 1, ("about",))
        if isinstance(each.event, SecretRevealed)
    }
    for entry, sealed in _seals(book):
        seq, until, waits = entry.seq, sealed.until, book.mark(QUESTIONS, str(entry.seq))
        ended = any(each > seq for each in closed) if until == SESSION_END else until is not None and until < today
        if waits is False and ended:
            yield seq, "This sealed roll was to be revealed by now."
        elif waits is None and seq not in told:
            yield seq, "This sealed roll was struck before it was revealed."
        elif waits is None and _struck_in(book, entry.act) != _struck_in(book, told[seq]):
            yield seq, "This sealed roll was struck, and what was told of it does not stand."
        if seq in told and any(kept.state == "away" for kept in sealed_in(sealed)):
            yield seq, "What was sealed here is not in this file, so that what was told of it cannot be compared."


def _struck_in(book: Book, act: int) -> int:
    """Return the action in which an action that does not stand was struck; a rewind strikes a seal with its telling."""
    return book.journal.entry(book.mark(STRUCK, str(act))).act


def _of_questions(book: Book) -> Iterator[tuple[int, str]]:
    for entry in book.journal.naming((DisputeRaised.type,), 1, ("claim",)):
        if not _stands(book, entry) and not book.mark(QUESTIONS, str(entry.seq)):
            yield entry.seq, "This dispute was struck, and no decision on it stands."
    for seq in book.questions():
        if book.journal.entry(seq).type != RollSealed.type:
            yield seq, "This question waits for an answer."


def _counted(book: Book) -> dict[str, int]:
    found: Counter[str] = Counter()
    for entry in book.journal.entries():
        if entry.type in COUNTED:
            found[COUNTED[entry.type]] += 1
        elif entry.type == DiceThrown.type and isinstance(entry.event, DiceThrown):
            found[THROWN[entry.event.source]] += 1
        elif isinstance(entry.event, WordsErased):
            found["erased"] += sum(map(len, entry.event.erased.values()))
    return dict(found)


THROWN = {"typed": "thrown by hand", "machine": "thrown by the machine"}
COUNTED = {VerdictOverridden.type: "overridden", ActionStruck.type: "struck", RollSealed.type: "sealed"}


def _unknown(tier: Tier, counts: Mapping[str, int], whole: Whole) -> Iterator[str]:
    """Yield what no look at this file can show, a sentence each."""
    if counts.get(THROWN["typed"]):
        yield "Whether dice that were typed lay like that on the table."
    if counts.get(THROWN["machine"]):
        yield (
            "Whether it was this program, unchanged, that threw the dice of the machine, and not on a copy of the file"
            " first, until they pleased."
        )
    yield "Whose hand was at the keyboard; who wrote an entry is a claim."
    if tier.signed or tier.of:
        yield "Whose keys these are: compare them with the character sheets; the file alone names them."
    yield "What happened at the table and was not written."
    last = tier.witnessed if tier.satisfied else 0
    if last < whole.entries:
        since = f"after #{last}" if last else "at all"
        yield f"Whether whoever holds the key wrote anew what no witness has signed {since}."
    if whole.away:
        yield f"What the GM keeps that is not in this file ({whole.away})."
