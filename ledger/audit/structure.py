"""Structure: what is wrong with an entry by itself, or in its place in the journal."""

import re
from collections.abc import Container, Iterator, Mapping
from datetime import date

from ledger.audit.check import AboutOthers, Natural, asks, may_be_about, natural, spoken_about
from ledger.audit.invariants import marks_its_own, may_follow, moves_its_own
from ledger.corrections.questions import CHOICES
from ledger.corrections.seals import until
from ledger.errors import BadInput, Malformed, NotCanonical, WrongEntry
from ledger.events.canonical import canonical_json, parse_json
from ledger.events.decode import part
from ledger.events.entry import Entry, Place, answered, throws_in
from ledger.events.facts import Mark, Named
from ledger.events.subjects import ABOUT, ASSERTED, CAST, FIRST_SEAT, PLAYERS, QUESTIONS, REVEALED, STRUCK
from ledger.events.types import (
    LASTING,
    ActionAmended,
    ActionStruck,
    CampaignOpened,
    CharacterJoined,
    Consequence,
    Correction,
    DiceCounted,
    DiceThrown,
    DisputeRaised,
    How,
    KeyRotated,
    KnockOnFound,
    MovePlayed,
    OfTheBook,
    PlayerSeated,
    PlayRewound,
    PolicySet,
    QuestionAsked,
    QuestionDecided,
    RollSealed,
    ScoreAsserted,
    SecretRevealed,
    Unknown,
    VerdictOverridden,
    WordsErased,
)
from ledger.rules.dice import is_die
from ledger.rules.inputs import UNPRINTABLE
from ledger.tlog.note import parse_vkey
from ledger.tlog.policy import parse_policy
from ledger.tlog.tree import leaf_hash

MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z")

SHOWN = re.compile(rf'([^\\{"".join(sorted(UNPRINTABLE))}]|\\["\\])*')
"""The canonical text of an entry in which nothing moves the cursor of whoever reads it."""

NAMES = {
    PLAYERS: re.compile(r"p[1-9][0-9]*"),
    QUESTIONS: re.compile(r"[1-9][0-9]*"),
    STRUCK: re.compile(r"[1-9][0-9]*"),
    REVEALED: re.compile(r"[1-9][0-9]*"),
    ABOUT: re.compile(r"[1-9][0-9]*:[1-9][0-9]*"),
    ASSERTED: re.compile(r"[a-z0-9-]+:.+"),
}
"""What the marks of a subject of the journal's own are called."""

ASKING = frozenset({QuestionAsked.type, RollSealed.type, *CHOICES})
"""The types of the events that may wait for an answer."""

MARKED_BY: Mapping[str, Container[str]] = {
    CAST: {CharacterJoined.type},
    PLAYERS: {PlayerSeated.type},
    STRUCK: {ActionStruck.type},
    ASSERTED: {ScoreAsserted.type},
    ABOUT: {DisputeRaised.type, QuestionDecided.type, VerdictOverridden.type},
    REVEALED: {SecretRevealed.type},
    QUESTIONS: {
        *ASKING,
        MovePlayed.type,
        QuestionDecided.type,
        ActionAmended.type,
        PlayRewound.type,
        SecretRevealed.type,
    },
}
"""The types of the events that give the marks of a subject of the journal's own."""

LONGEST_NUMBER = 16
BY_CAUSE: Mapping[str, How] = {ActionAmended.type: "amend", PlayRewound.type: "rewind"}
"""How what these corrections strike is struck, and nothing else."""

CARRYING = ActionAmended | PlayRewound
"""The events that take over questions which were settled in what they strike."""


class Header(Place):
    """What an entry says beside its event: its place and its type."""

    type: Named


class Check:
    """The checks of one entry after the other; it remembers the place of the one before."""

    def __init__(self) -> None:
        self._at = ""
        self._acts: dict[int, set[int]] = {}
        self._struck: set[int] = set()
        self._told: set[int] = set()
        self._act = 0
        self._seats = {FIRST_SEAT}
        self._thrown: dict[int, list[Natural]] = {}
        self._since = [0]
        self._act_of = [0]
        self._played: dict[int, set[str]] = {}
        self._answered: dict[int, set[int]] = {}
        self._strikes_of: dict[int, set[int]] = {}
        self._types: list[str] = [""]
        self._undos: set[int] = set()
        self._about: dict[int | None, int] = {}
        self._owes_strike = 0

    def entry(self, expected: int, seq: int, stored: bytes, leaf: bytes) -> Entry:
        """Return an entry; refuses (`WrongEntry`) what is wrong with it by itself or in its place."""
        if seq != expected:
            raise WrongEntry(expected, "is missing")
        entry = entry_of(seq, stored, leaf)
        event = entry.event
        self._place(entry)
        self._references(entry)
        self._strikes(entry)
        self._marks(entry)
        self._dice(entry)
        self._again(entry)
        self._facts(entry)
        self._types.append(entry.type)
        if isinstance(event, AboutOthers):
            self._about[seq] = event.about
        self._since.append(entry.since)
        self._act_of.append(entry.act)
        return entry

    def end(self) -> None:
        """Refuse (`WrongEntry`) a journal whose last action is not finished."""
        if self._owes_strike:
            raise WrongEntry(self._owes_strike, "strikes nothing")

    def _place(self, entry: Entry) -> None:
        seq, since = entry.seq, entry.since
        if since > seq:
            raise WrongEntry(seq, "does not stand in its place")
        if entry.act not in {seq, self._act} or (entry.act != seq and not self._act):
            raise WrongEntry(seq, "belongs to no action")
        if entry.act != seq and not may_follow(self._types[entry.act], entry.event):
            raise WrongEntry(seq, f"stands in an action that it does not belong to (#{entry.act})")
        if entry.cause is not None and not entry.act <= entry.cause < seq:
            raise WrongEntry(seq, "does not follow from an earlier entry of its action")
        if not _is_moment(entry.at):
            raise WrongEntry(seq, "has no time")
        if entry.at < self._at:
            raise WrongEntry(seq, "is dated before the entry before it")
        if isinstance(entry.event, CampaignOpened) is not (seq == 1):
            raise WrongEntry(seq, "is no opening" if seq == 1 else "opens the campaign again")
        if entry.act == seq:
            self._struck, self._told = set(), set()
        if since < seq and since not in self._told and not any(since in self._acts[act] for act in self._struck):
            raise WrongEntry(seq, "counts since a place that its action did not strike")
        self._at, self._act = entry.at, entry.act
        self._acts.setdefault(entry.act, set()).add(since)

    def _references(self, entry: Entry) -> None:
        seq, event = entry.seq, entry.event
        if isinstance(event, PlayerSeated):
            self._seats.add(event.player)
        if entry.by not in self._seats:
            raise WrongEntry(seq, f"was written by {entry.by}, who does not sit at the table")
        if isinstance(event, DisputeRaised) and event.player not in self._seats:
            raise WrongEntry(seq, f"is of {event.player}, who does not sit at the table")
        if not all(1 <= each < seq for each in spoken_about(event)):
            raise WrongEntry(seq, "speaks about what is no earlier entry")
        if isinstance(event, SecretRevealed) and self._types[event.about] == RollSealed.type:
            self._told.add(event.about)
        if isinstance(event, AboutOthers) and not may_be_about(event, self._types[event.about]):
            raise WrongEntry(seq, f"speaks about a {self._types[event.about]}, which cannot be")
        asked = answered(event)
        if asked is not None and (not asked < seq or self._types[asked] not in ASKING):
            raise WrongEntry(seq, "answers what was no question")
        if isinstance(event, QuestionDecided) and event.choice not in CHOICES.get(self._types[event.question], ()):
            raise WrongEntry(seq, "decides what was not asked")

    def _marks(self, entry: Entry) -> None:
        seq, event = entry.seq, entry.event
        own = asks(event)
        waits = Mark(who=QUESTIONS, name=str(seq), value=False)
        if own is not any(mark == waits and mark.value is False for mark in event.marks):
            raise WrongEntry(seq, "asks something, and does not wait" if own else "waits, and asks nothing")
        for mark in event.marks:
            pattern, types = NAMES.get(mark.who), MARKED_BY.get(mark.who, ())
            if pattern is not None and not pattern.fullmatch(mark.name):
                raise WrongEntry(seq, f"marks what cannot be ({mark.who} {mark.name})")
            copied = mark.who == ABOUT and entry.since < seq
            if mark.who[0] == "#" and not copied and entry.type not in types:
                raise WrongEntry(seq, f"marks what is not its own ({mark.who} {mark.name})")
            if mark.who == QUESTIONS and mark != waits and not self._settles(entry, mark):
                raise WrongEntry(seq, f"settles a question that is not its own (#{mark.name})")
        given = [_exactly(mark) for mark in event.marks if _is_spoken(entry, mark)]
        if sorted(given) != sorted(map(_exactly, self._spoken(entry))) or not marks_its_own(seq, event):
            raise WrongEntry(seq, "gives other marks than it speaks of")
        if not moves_its_own(event):
            raise WrongEntry(seq, "moves other scores than it speaks of")

    def _spoken(self, entry: Entry) -> Iterator[Mark]:
        """Yield the marks of the journal's own that an entry must give for what it says."""
        seq, event, asked = entry.seq, entry.event, answered(entry.event)
        if asks(event):
            yield Mark(who=QUESTIONS, name=str(seq), value=False)
        if asked is not None:
            yield Mark(who=QUESTIONS, name=str(asked), value=seq)
        match event:
            case SecretRevealed(about=about):
                yield Mark(who=REVEALED, name=str(about), value=seq)
                if self._types[about] == RollSealed.type:
                    yield Mark(who=QUESTIONS, name=str(about), value=seq)
            case CharacterJoined(who=who):
                yield Mark(who=CAST, name=who, value=seq)
            case PlayerSeated(player=player):
                yield Mark(who=PLAYERS, name=player, value=seq)
            case ScoreAsserted(who=who, claimed=claimed, stood=stood):
                same = (full for full, said in claimed.items() if said == stood.get(full))
                yield from (Mark(who=ASSERTED, name=f"{who}:{full}", value=seq) for full in same)
            case DisputeRaised(about=about) | VerdictOverridden(about=about) if entry.since == seq:
                yield Mark(who=ABOUT, name=f"{self._act_of[about]}:{seq}", value=True)
            case QuestionDecided() if entry.since == seq and asked in self._about:
                yield Mark(who=ABOUT, name=f"{self._act_of[self._about[asked]]}:{seq}", value=True)

    def _settles(self, entry: Entry, mark: Mark) -> bool:
        """Whether an entry may settle a question: its own, one that it takes over, or, in a correction, one decided."""
        asked, event = number(mark.name), entry.event
        if mark.value != entry.seq or not 0 < asked < entry.seq or self._types[asked] not in ASKING:
            return False
        if isinstance(event, CARRYING):
            return True
        if isinstance(event, KnockOnFound):
            return self._types[asked] == KnockOnFound.type
        return asked == answered(event) or (isinstance(event, AboutOthers) and asked == event.about)

    def _strikes(self, entry: Entry) -> None:
        seq, event = entry.seq, entry.event
        if self._owes_strike and not (isinstance(event, ActionStruck) and entry.cause == self._owes_strike):
            raise WrongEntry(self._owes_strike, "strikes nothing")
        self._owes_strike = seq if isinstance(event, CARRYING) else 0
        if not isinstance(event, ActionStruck):
            return
        self._as_said(entry, event)
        named = [mark.name for mark in event.marks if mark.who == STRUCK and mark.value == seq]
        earlier = [act for act in map(number, named) if act in self._acts and 1 < act < entry.act]
        if str(event.strikes) not in named or len(earlier) < len(event.marks):
            raise WrongEntry(seq, "strikes what is no earlier action")
        if any(self._types[act] in LASTING for act in earlier):
            raise WrongEntry(seq, "strikes what is about the book itself, and never struck")
        if event.how == "redo" and event.strikes not in self._undos:
            raise WrongEntry(seq, "brings back what was not undone")
        for act in earlier:
            if act != event.strikes and not self._falls_with(act, set(earlier) - {act}):
                raise WrongEntry(seq, f"strikes #{act} too, which does not fall with #{event.strikes}")
        self._strikes_of.setdefault(entry.act, set()).update(earlier)
        self._struck |= set(earlier)
        if event.how == "undo":
            self._undos.add(seq)

    def _as_said(self, entry: Entry, event: ActionStruck) -> None:
        """Refuse a strike of something else, or for another reason, than the correction says that it follows from."""
        cause = entry.cause or 0
        if (event.how if event.how in BY_CAUSE.values() else None) != BY_CAUSE.get(self._types[cause]):
            raise WrongEntry(entry.seq, "strikes for another reason than it says")
        about = self._act_of[self._about.get(cause, 0)]
        if event.how == "amend" and event.strikes not in {about, *self._answered.get(about, ())}:
            raise WrongEntry(entry.seq, f"strikes #{event.strikes}, which #{cause} is not about")

    def _falls_with(self, act: int, others: set[int]) -> bool:
        """Whether an action falls with others: it answered what they asked, or they struck it."""
        reached, waiting = set(others), list(others)
        while waiting:
            more = self._strikes_of.get(waiting.pop(), set()) - reached
            reached |= more
            waiting += more
        return act in reached or bool(self._answered.get(act, set()) & reached)

    def _again(self, entry: Entry) -> None:
        """Refuse what counts since an earlier place where nothing of its kind was played."""
        seq, event, asked = entry.seq, entry.event, answered(entry.event)
        if asked is not None:
            self._answered.setdefault(entry.act, set()).add(self._act_of[asked])
        if isinstance(event, Correction | DiceThrown | Consequence):
            return
        family = "move" if isinstance(event, MovePlayed | QuestionAsked) else entry.type
        own = [self._since[throw] for throw in throws_in(event) if entry.act <= throw < seq]
        place = min([entry.since, *own])
        again = place < entry.act and asked is None and place not in self._told
        if again and family not in self._played.get(place, set()):
            raise WrongEntry(seq, f"counts since #{place}, where nothing like it was said")
        for each in {place, entry.since}:
            self._played.setdefault(each, set()).add(family)

    def _facts(self, entry: Entry) -> None:
        """Refuse facts that no program of ours writes: keys and policies that are none, erasures of what is to come."""
        seq, event = entry.seq, entry.event
        try:
            if isinstance(event, CampaignOpened | KeyRotated) and event.key is not None:
                parse_vkey(event.key)
            if isinstance(event, PolicySet):
                parse_policy(event.policy)
        except Malformed:
            raise WrongEntry(seq, "holds a key or a policy that is none") from None
        if isinstance(event, WordsErased) and not all(0 < number(name) < seq for name in event.erased):
            raise WrongEntry(seq, "erases words of what is no earlier entry")
        if isinstance(event, RollSealed) and event.until is not None and not _is_an_end(event.until):
            raise WrongEntry(seq, "is sealed until what is no day")

    def _dice(self, entry: Entry) -> None:
        event = entry.event
        if isinstance(event, DiceThrown):
            self._thrown[entry.seq] = natural(event.dice)
            if not all(map(is_die, event.dice)):
                raise WrongEntry(entry.seq, "threw dice that cannot lie like that")
        if isinstance(event, MovePlayed | QuestionAsked | DiceCounted):
            thrown = (self._thrown.get(throw, [None]) for throw in throws_in(event))
            if [die for dice in thrown for die in dice] != natural(event.dice):
                raise WrongEntry(entry.seq, "counts other dice than were thrown")


def entry_of(seq: int, stored: bytes, leaf: bytes) -> Entry:
    """Return an entry from the bytes of a file that anybody wrote; refuses (`WrongEntry`) what is wrong with it."""
    if leaf_hash(stored) != leaf:
        raise WrongEntry(seq, "does not match its leaf")
    try:
        body = parse_json(stored)
        canonical = canonical_json(body)
    except NotCanonical:
        raise WrongEntry(seq, "has no canonical form") from None
    if canonical != stored:
        raise WrongEntry(seq, "is not in its canonical form")
    kind = body.get("type") if isinstance(body, dict) else None
    if not isinstance(kind, str):
        raise WrongEntry(seq, "has no type")
    header = part(seq, kind, Header, {name: body[name] for name in Header._fields if name in body})
    place = {name: held for name, held in header.__dict__.items() if name in Entry._fields}
    entry = Entry(**{**place, "seq": seq}, closed=body, stored=stored, leaf=leaf)
    if isinstance(entry.event, Unknown):
        raise WrongEntry(seq, f"is no {kind} as this program knows it (see {_not_of_a_consequence(entry.event)})")
    if not isinstance(entry.event, OfTheBook) and not SHOWN.fullmatch(stored.decode()):
        raise WrongEntry(seq, "holds characters that cannot be shown")
    if header.seq != seq:
        raise WrongEntry(seq, "does not stand in its place")
    return entry


def _not_of_a_consequence(event: Unknown) -> str:
    """Return the first field for which an entry is no consequence: one that is missing, or one too many."""
    own = ("system", "who", "facts")
    return next(name for name in (*own, *event.facts) if name not in own or name not in event.facts)


def _is_spoken(entry: Entry, mark: Mark) -> bool:
    """Whether a mark of the journal's own is given for what an entry says, and not for what it strikes."""
    if mark.who in {STRUCK, ABOUT}:
        return mark.who == ABOUT and entry.since == entry.seq
    carried = isinstance(entry.event, CARRYING | KnockOnFound) and mark.name != str(entry.seq)
    return mark.who[0] == "#" and not carried


def _exactly(mark: Mark) -> tuple[str, str, str]:
    """Return a mark to be compared and sorted; `repr` tells true from 1, and takes any value."""
    return mark.who, mark.name, repr(mark.value)


def number(name: str) -> int:
    """Return the number of an entry by its name in a mark, 0 for what is none."""
    return int(name) if name.isascii() and name.isdigit() and len(name) <= LONGEST_NUMBER else 0


def _is_an_end(said: str) -> bool:
    """Whether a seal may last until this, in the form in which it is written."""
    try:
        return until(said) == said
    except BadInput:
        return False


def _is_moment(at: str) -> bool:
    try:
        return bool(MOMENT.fullmatch(at) and date.fromisoformat(at[:10]))
    except ValueError:
        return False
