"""Audit: how far a history can be trusted, whether it is right by the rules, and what it cannot know.

It is never a bare yes: the history has a tier (whole; signed up to an entry; witnessed up to one by so many), each
outcome a class, and what no journal can show is said.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise

from ledger.audit.games import checked
from ledger.audit.manual import by_hand
from ledger.audit.observations import stood
from ledger.audit.rederive import reworked
from ledger.audit.verify import SEALED, Progress, Whole, quiet, verify
from ledger.corrections.seals import SESSION_END
from ledger.errors import Unproven
from ledger.events.entry import Entry
from ledger.events.facts import QUESTIONS, STRUCK
from ledger.events.types import (
    DiceThrown,
    DisputeRaised,
    HistoryForked,
    KeyRotated,
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
from ledger.tlog.note import Vkey, open_note, parse_vkey, read_note
from ledger.tlog.policy import Policy
from ledger.trust.heads import brought, introduces, keys, longest_witnessed, policies, seen_by
from ledger.values import Shape

SLACK = 600
"""Seconds by which the clocks of a GM and a witness may differ."""


class Finding(Shape):
    """Something that is not as it should be, and the entry where it is."""

    seq: int
    says: str


class Tier(Shape):
    """How far the history can be trusted: up to which entry it is signed, and witnessed by whom of how many.

    `policy` is the entry of the policy in force, 0 where there is none.
    """

    whole: int
    signed: int
    witnessed: int
    witnesses: tuple[str, ...]
    of: int
    policy: int
    satisfied: bool


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
        tier = _tier(book)
        outcomes, counts = _Outcomes(book), _counted(book)
        said = list(by_hand(book))
        findings = [*checked(book), *stood(book), *outcomes.findings, *_of_seals(book, today), *_of_questions(book)]
        findings += [(seq, says) for seq, says, certain in said if certain]
        remarks = [(seq, says) for seq, says, certain in said if not certain]
        findings += [*_of_keys(book), *_of_policies(book), *_of_lines(book), *_of_forks(book), *_of_dates(book)]
        return Audited(
            whole=whole,
            tier=tier,
            outcomes=tuple(sorted(outcomes.classes)),
            counts=counts,
            findings=_in_order(findings),
            remarks=_in_order([*outcomes.remarks, *remarks, *_dated_early(book)]),
            unknown=tuple(_unknown(tier, counts, whole)),
        )


def _in_order(found: list[tuple[int, str]]) -> tuple[Finding, ...]:
    return tuple(Finding(seq=seq, says=says) for seq, says in sorted(dict.fromkeys(found)))


def _stands(book: Book, entry: Entry) -> bool:
    return book.mark(STRUCK, str(entry.act)) is None


# The history


def _tier(book: Book) -> Tier:
    signed = max((size for size, note in book.journal.checkpoints().items() if _is_signed(book, size, note)), default=0)
    set_ = policies(book)
    if not set_:
        return Tier(whole=book.head(), signed=signed, witnessed=0, witnesses=(), of=0, policy=0, satisfied=False)
    seq, policy = set_[-1]
    size, names = longest_witnessed(book, policy)
    if not names:
        size, names = _by_some(book, policy)
    return Tier(
        whole=book.head(),
        signed=signed,
        witnessed=size if names else 0,
        witnesses=tuple(sorted(names)),
        of=len(policy.witnesses),
        policy=seq,
        satisfied=bool(names) and policy.satisfied(names),
    )


def _by_some(book: Book, policy: Policy) -> tuple[int, set[str]]:
    """Return the longest head that any witness signed, though not as many as the policy asks."""
    for size, note in reversed(book.journal.checkpoints().items()):
        names = seen_by(policy, note)
        if names:
            return size, names
    return 0, set()


def _key_at(book: Book, size: int) -> Vkey | None:
    return next((vkey for seq, vkey in reversed(keys(book)) if seq <= size), None)


def _is_signed(book: Book, size: int, note: str) -> bool:
    vkey = _key_at(book, size)
    return vkey is not None and _holds(note, vkey)


def _holds(note: str, vkey: Vkey) -> bool:
    """Whether a note bears a line of this key that holds."""
    try:
        return bool(open_note(note, [vkey]).verified)
    except Unproven:
        return False


def _of_keys(book: Book) -> Iterator[tuple[int, str]]:
    for size, note in book.journal.checkpoints().items():
        if not _is_signed(book, size, note):
            yield size, "The head that the file carries here is not signed by the key that signed then."
    before: Vkey | None = None
    for entry in brought(book):
        vkey = parse_vkey(entry.body["key"])
        if entry.type == KeyRotated.type and not _introduced(book, entry, before, vkey):
            yield entry.seq, "Another key signs from here on, and the one before it did not agree."
        before = vkey


def _introduced(book: Book, entry: Entry, before: Vkey | None, vkey: Vkey) -> bool:
    """Whether the old key and the new one signed that one takes the place of the other, of the head before."""
    return introduces(book, entry, vkey) and (before is None or introduces(book, entry, before))


def _of_policies(book: Book) -> Iterator[tuple[int, str]]:
    """Find policies that took the place of another though its witnesses never saw it."""
    set_ = policies(book)
    for (_, old), (seq, _) in pairwise(set_):
        later = (note for size, note in book.journal.checkpoints().items() if size >= seq)
        if not any(old.satisfied(seen_by(old, note)) for note in later):
            yield seq, "Who is to witness was changed, and those who were before have not witnessed it."


def _of_forks(book: Book) -> Iterator[tuple[int, str]]:
    for entry in book.journal.naming((HistoryForked.type,), 1, ("root",)):
        size = entry.body["size"]
        yield entry.seq, f"Play went on from here, though another history of {size} entries was known."


def _of_dates(book: Book) -> Iterator[tuple[int, str]]:
    """Find entries that are dated after a witness had seen them."""
    for size, times in _witnessed_at(book):
        if _seconds(book.journal.entry(size)) > max(times) + SLACK:
            yield size, "It is dated after a witness had seen it."


def _dated_early(book: Book) -> Iterator[tuple[int, str]]:
    """Yield entries that are dated before a witness signed a head without them: written later, or not shown then."""
    for size, times in _witnessed_at(book):
        if size < book.head() and _seconds(book.journal.entry(size + 1)) < min(times) - SLACK:
            yield size + 1, f"It is dated before a witness signed {size} entries: written later, or not shown then."


def _witnessed_at(book: Book) -> Iterator[tuple[int, list[int]]]:
    """Yield the heads that witnesses signed, each with when they did."""
    for size, note in book.journal.checkpoints().items():
        times = [seconds for _, policy in policies(book) for seconds in _times(policy, note)]
        if times:
            yield size, times


def _times(policy: Policy, note: str) -> Iterator[int]:
    for vkey in policy.witnesses.values():
        if _holds(note, vkey):
            yield open_note(note, [vkey]).timestamps[vkey.name]


def _of_lines(book: Book) -> Iterator[tuple[int, str]]:
    """Find lines beside heads that claim to be of a witness, and are not."""
    for size, note in book.journal.checkpoints().items():
        lines = {(line.name, line.key_id) for line in read_note(note)[1]}
        for _, policy in policies(book):
            for name, vkey in policy.witnesses.items():
                if (vkey.name, vkey.key_id) in lines and not _holds(note, vkey):
                    yield size, f"The head that the file carries here bears a line that {name} did not sign."


def _seconds(entry: Entry) -> int:
    from datetime import datetime  # no clock is read

    return int(datetime.fromisoformat(entry.at.replace("Z", "+00:00")).timestamp())


# What was played


class _Outcomes:
    """The outcomes that stand, by class, and what is wrong with them."""

    def __init__(self, book: Book) -> None:
        self.classes: list[tuple[int, str]] = []
        self.findings: list[tuple[int, str]] = []
        self.remarks: list[tuple[int, str]] = []
        overridden = {
            entry.body["about"]
            for entry in book.journal.naming((VerdictOverridden.type,), 1, ("about",))
            if _stands(book, entry)
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
        for entry in _seals(book):
            if book.mark(QUESTIONS, str(entry.seq)) is False:
                until = entry.body["until"]
                self.classes.append((entry.seq, f"sealed{ENDS.get(until, f' until {until}')}"))


CLASSES = {
    "again": "worked out again",
    "differs": "not as the rules say",
    "differs-edition": "attested, under another edition",
    "unknown": "attested, and not known here",
    "erased": "erased",
    "away": "attested, for a secret that is not here",
}
ENDS = {None: " without an end", SESSION_END: " until the session ends"}


def _seals(book: Book) -> Iterator[Entry]:
    yield from book.journal.naming((RollSealed.type,), 1, ("unseen",))


def _of_seals(book: Book, today: str) -> Iterator[tuple[int, str]]:
    closed = [entry.seq for entry in book.journal.naming((SessionClosed.type,), 1, ("number",)) if _stands(book, entry)]
    told = {each.body["about"]: each.act for each in book.journal.naming((SecretRevealed.type,), 1, ("about",))}
    for entry in _seals(book):
        until, waits = entry.body["until"], book.mark(QUESTIONS, str(entry.seq))
        ended = any(seq > entry.seq for seq in closed) if until == SESSION_END else until is not None and until < today
        if waits is False and ended:
            yield entry.seq, "This sealed roll was to be revealed by now."
        elif waits is None and entry.seq not in told:
            yield entry.seq, "This sealed roll was struck before it was revealed."
        elif waits is None and _struck_in(book, entry.act) != _struck_in(book, told[entry.seq]):
            yield entry.seq, "This sealed roll was struck, and what was told of it does not stand."
        if entry.seq in told and any(field not in book.words.of(entry.seq) for field in SEALED):
            yield entry.seq, "What was sealed here is not in this file, so that what was told of it cannot be compared."


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
        if entry.type == DiceThrown.type:
            found[THROWN[entry.body["source"]]] += 1
        elif entry.type == WordsErased.type:
            found["erased"] += sum(map(len, entry.body["erased"].values()))
        elif entry.type in COUNTED:
            found[COUNTED[entry.type]] += 1
    return dict(found)


THROWN = {"typed": "thrown by hand", "machine": "thrown by the machine"}
COUNTED = {"verdict-overridden": "overridden", "action-struck": "struck", RollSealed.type: "sealed"}


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
