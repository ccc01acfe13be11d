"""Phrases: what each event says of itself, in words that need no system."""

from collections.abc import Mapping
from typing import Any, assert_never

from ledger.events.commitments import ERASED, Said, Secret
from ledger.events.decode import decode_sealed
from ledger.events.entry import Entry, head_of
from ledger.events.facts import Verdict
from ledger.events.subjects import CAMPAIGN, PLAYERS
from ledger.events.types import (
    ActionAmended,
    ActionStruck,
    AnyEvent,
    CampaignOpened,
    CharacterJoined,
    Consequence,
    Correction,
    DayBegun,
    DiceCounted,
    DiceThrown,
    DisputeRaised,
    HistoryForked,
    KeyRotated,
    KnockOnFound,
    LimitCrossed,
    MarksSet,
    MoveEvent,
    MovePlayed,
    NoteWritten,
    PlayerSeated,
    PlayRewound,
    PolicySet,
    QuestionAsked,
    QuestionDecided,
    RollSealed,
    SceneSet,
    ScoreAdjusted,
    ScoreAsserted,
    SecretRevealed,
    SessionClosed,
    SessionOpened,
    SettingsChanged,
    Unknown,
    VerdictOverridden,
    WordsErased,
)
from ledger.journal.book import Book
from ledger.tlog.policy import NONE, parse_policy

DONE = {
    "undo": "undone",
    "redo": "taken back",
    "void": "voided",
    "rewind": "rewound",
    "amend": "amended",
    "choose": "played again",
}
"""What became of an action, by how it was struck."""


def tell(book: Book, entry: Entry) -> str:
    """The phrase of an entry; of a consequence, its name."""
    return _tell(book, entry.event)


def _tell(book: Book, told: AnyEvent) -> str:  # noqa: C901, PLR0911, PLR0912  one case an event
    match told:
        case MovePlayed() | QuestionAsked():
            return f"{told.system} {told.move}"
        case CampaignOpened():
            return f"campaign opened: {words(told.title)}"
        case PlayerSeated():
            plays = f", plays {', '.join(told.plays)}" if told.plays else ""
            return f"{words(told.name)} sits at the table as {told.player}{' (GM)' if told.gm else ''}{plays}"
        case CharacterJoined():
            return f"joins {told.system}"
        case SessionOpened():
            names = ", ".join(person(book, who) for who in told.present)
            return f"session {told.number} opened: {words(told.title)}{f', present: {names}' if names else ''}"
        case SessionClosed():
            return f"session {told.number} closed"
        case SceneSet():
            return f"scene: {words(told.title)}"
        case ScoreAdjusted():
            return f"adjusted by hand: {words(told.why)}"
        case MarksSet():
            values = ", ".join(f"{short(name)} = {value}" for name, value in told.values.items())
            return f"{values}: {words(told.why)}"
        case NoteWritten():
            return f"note: {words(told.text)}"
        case SettingsChanged():
            return _tell_settings(told)
        case DayBegun():
            return f"day {told.day} begins"
        case DiceThrown():
            return "throws by hand" if told.source == "typed" else "lets the machine throw"
        case DiceCounted():
            return f"rolls {told.notation} = {told.total}"
        case ActionStruck():
            return _tell_strike(book, told)
        case ActionAmended():
            return f"amend of {named(book, told.about)}{because(told.why)}{said_otherwise(book, told)}"
        case PlayRewound():
            return f"rewind to {named(book, told.to)}{because(told.why)}"
        case DisputeRaised():
            return f"{person(book, told.player)} disputes {named(book, told.about)}: {words(told.claim)}"
        case QuestionDecided():
            return _tell_decision(book, told)
        case VerdictOverridden():
            return f"override of {named(book, told.about)}{because(told.why)}"
        case ScoreAsserted():
            return "; ".join(_tell_assertion(told, full) for full in told.claimed)
        case KnockOnFound():
            return _tell_knock_on(book, told)
        case LimitCrossed():
            limit = f"below {number(told.least)}" if told.value < told.least else f"above {number(told.most)}"
            return f"{short(told.score)} stands at {number(told.value)}, {limit}"
        case RollSealed():
            ends = {None: "", "session-end": ", until the session ends"}.get(told.until, f", until {told.until}")
            return f"sealed roll{ends}"
        case SecretRevealed():
            return _tell_reveal(book, told)
        case KeyRotated():
            alone = "" if told.note.count("\n\u2014 ") > 1 else ", and the old one did not sign for it"
            return f"another key signs from here on: {told.key}{alone}{because(told.why)}"
        case PolicySet():
            return _tell_policy(told)
        case HistoryForked():
            return f"play goes on from here, though another history of {told.size} entries is known"
        case WordsErased():
            return f"the words of {', '.join(f'#{seq}' for seq in told.erased)} were erased"
        case Consequence() | Unknown():
            return told.kind
        case _:
            assert_never(told)


def named(book: Book, seq: int) -> str:
    """How an entry is named in a sentence about it: its number, and what it was."""
    told = book.entry(seq)
    while isinstance(told.event, Consequence | Unknown) and told.cause is not None:
        told = book.entry(told.cause)
    if isinstance(told.event, DiceThrown):
        told = head_of(book.action(told.act))
    event = told.event
    if isinstance(event, Correction):
        return f"#{told.seq} ({brief(book, told)})"
    parts = [f"{person(book, who_of(event))} {tell(book, told)}".strip()]
    if isinstance(event, MovePlayed):
        parts.append(verdict_words(event.verdict))
    elif isinstance(event, ScoreAdjusted):
        moved = event.amounts.items()
        parts += [f"{short(name)} {'+' if amount > 0 else ''}{number(amount)}" for name, amount in moved]
    return f"#{told.seq} ({', '.join(parts)})"


def brief(book: Book, entry: Entry) -> str:  # noqa: C901, PLR0911, PLR0912  one case a correction
    """What a correction did, in two words and a number."""
    told = entry.event
    assert isinstance(told, Correction)  # noqa: S101  nothing else is told so
    match told:
        case ActionStruck():
            return f"{told.how} of {_number_of(book, _undone(book, told) if told.how == 'redo' else told.strikes)}"
        case ActionAmended():
            return f"amend of {_number_of(book, told.about)}"
        case PlayRewound():
            return f"rewind to {_number_of(book, told.to)}"
        case KnockOnFound():
            return f"knock-on of {_number_of(book, told.about)}"
        case LimitCrossed():
            return f"{told.who} {short(told.score)} beyond its limits"
        case DisputeRaised():
            return f"dispute of {_number_of(book, told.about)}"
        case QuestionDecided():
            return f"decision of #{told.question}"
        case VerdictOverridden():
            return f"override of {_number_of(book, told.about)}"
        case ScoreAsserted():
            return f"what the paper of {told.who} says"
        case RollSealed():
            return "sealed roll"
        case SecretRevealed():
            return f"reveal of {_number_of(book, told.about)}"
        case KeyRotated():
            return "new key"
        case PolicySet():
            return "policy"
        case HistoryForked():
            return "fork"
        case WordsErased():
            return "erasure"
        case _:
            assert_never(told)


def _number_of(book: Book, seq: int) -> str:
    """The number by which an entry is named."""
    return named(book, seq).partition(" ")[0]


def shown(entry: Entry) -> AnyEvent:
    """The event that an entry shows: of a sealed roll that was opened, the ruling that it holds."""
    event = entry.event
    if isinstance(event, RollSealed) and event.ruling.text is not None:
        return decode_sealed(entry.seq, event.ruling.value, told=False)
    return event


OF_SOMEBODY = (
    CharacterJoined
    | ScoreAdjusted
    | MarksSet
    | DiceThrown
    | DiceCounted
    | MoveEvent
    | LimitCrossed
    | ScoreAsserted
    | Consequence
)


def who_of(event: AnyEvent) -> str:
    """Return whose event it is, by handle; empty where it is nobody's."""
    return event.who if isinstance(event, OF_SOMEBODY) else ""


def person(book: Book, who: str) -> str:
    """The name of a player by the handle; a character's handle is the name."""
    seat = book.mark(PLAYERS, who)
    return who if seat is None else book.words.of(seat).get("name", who)


def verdict_words(verdict: Verdict) -> str:
    """A verdict as it is read, with the margin where it is no secret."""
    margin = readable(verdict.margin)
    told = "" if not isinstance(margin, int) else f" ({margin:+d})".replace("-", "−")
    return f"{verdict.says}{told}"


def words(said: Said) -> str:
    """Typed words, in one line."""
    return ERASED if said.text is None else _in_line(said.text)


def _in_line(text: str) -> str:
    return " ".join(text.split())


def because(why: Said | None) -> str:
    """A reason as it follows a sentence; nothing of one that was not given, or that was erased."""
    return "" if why is None or why.text is None else f": {words(why)}"


def short(full: str) -> str:
    """A score or mark without its system."""
    return full.partition("/")[2] or full


def readable(value: Any) -> Any:
    """A value with its words in their places, None for those that were erased; a secret stays, unless told."""
    if isinstance(value, Secret):
        return value if value.text is None else value.value
    if isinstance(value, Said):
        return value.text
    if isinstance(value, dict):
        return {name: readable(held) for name, held in value.items()}
    return [readable(held) for held in value] if isinstance(value, list) else value


def number(value: Any) -> str:
    """A value of a sheet as it is read."""
    if value is None or value in ([], {}):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(number, value))
    if isinstance(value, Secret):
        return "secret"
    if isinstance(value, dict):
        return ", ".join(f"{name} {number(held)}" for name, held in value.items())
    return str(value).replace("-", "−") if isinstance(value, int) else _in_line(value)


def _tell_settings(told: SettingsChanged) -> str:
    held = {short(mark.name): mark.value for mark in told.marks}
    values = ", ".join(f"{name} = {value}{_flags(held.get(name))}" for name, value in told.values.items())
    return f"settings of {told.system}: {values}{because(told.why)}"


def _flags(value: Any) -> str:
    """The names of the facts that are true, for a phrase."""
    flags = ", ".join(name for name, held in value.items() if held is True) if isinstance(value, dict) else ""
    return f" ({flags})" if flags else ""


def _tell_strike(book: Book, told: ActionStruck) -> str:
    if told.how == "redo":
        return f"redo of {named(book, _undone(book, told))}"
    if told.how == "choose":
        rulings = (each.seq for each in book.journal.action(told.strikes) if each.type == MovePlayed.type)
        return f"chosen after {named(book, max(rulings))}"
    return f"{told.how} of {named(book, told.strikes)}{because(told.why)}"


def _undone(book: Book, redo: ActionStruck) -> int:
    """The action that a redo brings back: what the undo that it strikes struck."""
    undo = book.journal.entry(redo.strikes).event
    assert isinstance(undo, ActionStruck)  # noqa: S101  nothing else is redone
    return undo.strikes


def said_otherwise(book: Book, amendment: ActionAmended) -> str:
    """The inputs and dice that an amendment changes."""
    told = []
    for name, held in readable(amendment.inputs).items():
        if isinstance(held, dict):
            told += [f"{short(each)} {number(value)}" for each, value in held.items()]
        else:
            names = [person(book, each) for each in held] if name == "present" else held
            told.append(f"{name} {number(names) or 'none'}")
    if amendment.faces is not None:
        told.append(f"faces {' '.join(map(str, amendment.faces))}")
    return f"; {', '.join(told)}" if told else ""


def _tell_decision(book: Book, told: QuestionDecided) -> str:
    asked = book.entry(told.question).event
    about = f" about {named(book, asked.about)}" if isinstance(asked, DisputeRaised | KnockOnFound) else ""
    return f"question #{told.question}{about} is decided, {CHOSEN[told.choice]}{because(told.why)}"


CHOSEN = {
    "uphold": "the ruling is upheld",
    "amend": "amended",
    "void": "voided",
    "stand": "it stands as it is",
    "adjust": "adjusted",
}


def _tell_assertion(told: ScoreAsserted, full: str) -> str:
    claimed, stood = told.claimed[full], told.stood[full]
    book_says = "and so does the book" if claimed == stood else f"the book says {number(stood)}"
    return f"{short(full)}: the paper says {number(claimed)}, {book_says}"


def looked_otherwise(book: Book, ruling: int, numbers: Mapping[str, Mapping[str, Any]]) -> str:
    """Return that a ruling looked at numbers, and what they are now."""
    ruled = book.entry(ruling).event
    assert isinstance(ruled, MoveEvent)  # noqa: S101  nothing else looks at a sheet
    settings = {f"{ruled.system}/{name}": each for name, each in ruled.settings.items()}
    held = readable({**ruled.looked, CAMPAIGN: settings})
    told = ", ".join(
        f"{'' if who == CAMPAIGN else f'{who} '}{short(full)} {number(held[who].get(full))}, now {number(value)}"
        for who, names in numbers.items()
        for full, value in names.items()
    )
    return f"{named(book, ruling)} looked at {told}"


def _tell_knock_on(book: Book, told: KnockOnFound) -> str:
    came = {"refused": "it would be refused", "other-dice": "it would need other dice"}.get(told.finds)
    if came is None:
        ruled = book.entry(told.about).event
        before = verdict_words(ruled.verdict) if isinstance(ruled, MovePlayed) else None
        came = "it would ask otherwise" if before is None else "it would ask for a choice"
        if told.verdict is not None:
            now = verdict_words(told.verdict)
            came = "what follows would be otherwise" if before == now else f"it would be {now}"
    says = f": {told.says.rstrip('.')}" if told.says else ""
    return f"{looked_otherwise(book, told.about, readable(told.numbers))}; {came}{says}"


def _tell_reveal(book: Book, told: SecretRevealed) -> str:
    about = book.entry(told.about, secrets=book.revealed(told.about))
    event = about.event
    if isinstance(event, RollSealed):
        ruling = shown(about)
        came = "" if ruling is event else f": {person(book, who_of(ruling))} {_tell(book, ruling)}"
        return f"reveal of #{about.seq}{came}"
    inputs = event.inputs if isinstance(event, MoveEvent | ActionAmended) else {}
    kept = [f"{name} {number(readable(held))}" for name, held in inputs.items() if isinstance(held, Secret)]
    return f"reveal of {named(book, about.seq)}{'; ' if kept else ''}{', '.join(kept)}"


def _tell_policy(told: PolicySet) -> str:
    policy = parse_policy(told.policy)
    group = policy.groups.get(policy.quorum)
    if group is None:
        return f"to be witnessed by {'nobody' if policy.quorum == NONE else policy.quorum}"
    return f"to be witnessed by {group.threshold} of {', '.join(group.members)}"
