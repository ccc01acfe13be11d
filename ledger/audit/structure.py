"""Structure: what is wrong with an entry by itself, or in its place in the journal."""

import re
from collections.abc import Container, Iterator, Mapping
from datetime import date
from typing import Any, Literal, get_type_hints

from ledger.audit.invariants import marks_its_own, may_follow, moves_its_own
from ledger.corrections.questions import CHOICES
from ledger.corrections.seals import until
from ledger.errors import BadInput, Malformed, NotCanonical, WrongEntry
from ledger.events.canonical import canonical_json, parse_json
from ledger.events.entry import Place, natural
from ledger.events.facts import Named
from ledger.events.subjects import ABOUT, ASSERTED, CAST, FIRST_SEAT, PLAYERS, QUESTIONS, REVEALED, STRUCK
from ledger.events.types import (
    CORRECTING,
    LASTING,
    TYPES,
    ActionAmended,
    ActionStruck,
    CampaignOpened,
    CharacterJoined,
    Consequence,
    DiceThrown,
    DisputeRaised,
    Event,
    How,
    KeyRotated,
    KnockOnFound,
    MovePlayed,
    PlayerSeated,
    PlayRewound,
    PolicySet,
    QuestionAsked,
    QuestionDecided,
    RollSealed,
    ScoreAsserted,
    SecretRevealed,
    VerdictOverridden,
    WordsErased,
)
from ledger.rules.dice import is_die
from ledger.rules.inputs import UNPRINTABLE
from ledger.tlog.note import parse_vkey
from ledger.tlog.policy import parse_policy
from ledger.tlog.tree import leaf_hash
from ledger.values import Shape

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
"""The events that may wait for an answer."""

SPEAKS_ABOUT: Mapping[str, Container[str]] = {
    KnockOnFound.type: {MovePlayed.type, QuestionAsked.type},
    VerdictOverridden.type: {MovePlayed.type},
}
"""What the events that speak about others may be about, where that is not everything."""

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
"""Which events give the marks of a subject of the journal's own."""

LONGEST_NUMBER = 16
MARK = ("who", "name", "value")
BY_CAUSE: Mapping[str, How] = {ActionAmended.type: "amend", PlayRewound.type: "rewind"}
"""How what these corrections strike is struck, and nothing else."""

CARRYING = frozenset(BY_CAUSE)
"""The events that take over questions which were settled in what they strike."""

MOVES = frozenset({MovePlayed.type, QuestionAsked.type})


class Check:
    """The checks of one entry after the other; it remembers the place of the one before."""

    def __init__(self) -> None:
        from pydantic import TypeAdapter  # reads every shape strictly, and takes as long as a roll

        self._adapter = TypeAdapter
        self._shapes: dict[str, Any] = {}
        self._at = ""
        self._acts: dict[int, set[int]] = {}
        self._struck: set[int] = set()
        self._told: set[int] = set()
        self._act = 0
        self._seats = {FIRST_SEAT}
        self._thrown: dict[int, list[Any]] = {}
        self._since = [0]
        self._act_of = [0]
        self._played: dict[int, set[str]] = {}
        self._answered: dict[int, set[int]] = {}
        self._strikes_of: dict[int, set[int]] = {}
        self._types: list[str] = [""]
        self._undos: set[int] = set()
        self._about: dict[int | None, int] = {}
        self._owes_strike = 0

    def entry(self, expected: int, seq: int, stored: bytes, leaf: bytes) -> dict[str, Any]:
        """Return the body of an entry; refuses (`NotWhole`) what is wrong with it by itself or in its place."""
        if seq != expected:
            raise WrongEntry(expected, "is missing")
        if leaf_hash(stored) != leaf:
            raise WrongEntry(seq, "does not match its leaf")
        try:
            body = parse_json(stored)
            canonical = canonical_json(body)
        except NotCanonical:
            raise WrongEntry(seq, "has no canonical form") from None
        if canonical != stored:
            raise WrongEntry(seq, "is not in its canonical form")
        self._shape(seq, body, stored)
        self._place(seq, body)
        self._references(seq, body)
        self._strikes(seq, body)
        self._marks(seq, body)
        self._dice(seq, body)
        self._again(seq, body)
        self._facts(seq, body)
        self._types.append(body["type"])
        if "about" in body:
            self._about[seq] = body["about"]
        self._since.append(body["since"])
        self._act_of.append(body["act"])
        return dict(body)

    def end(self) -> None:
        """Refuse (`NotWhole`) a journal whose last action is not finished."""
        if self._owes_strike:
            raise WrongEntry(self._owes_strike, "strikes nothing")

    def _shape(self, seq: int, body: Any, stored: bytes) -> None:
        from pydantic import ValidationError

        name = body.get("type") if isinstance(body, dict) else None
        if not isinstance(name, str):
            raise WrongEntry(seq, "has no type")
        if name not in self._shapes:
            self._shapes[name] = self._adapter(entry_shape(TYPES.get(name, Consequence)))
        try:
            self._shapes[name].validate_json(stored)
        except ValidationError as found:
            where = ".".join(map(str, found.errors()[0]["loc"]))
            raise WrongEntry(seq, f"is no {name} as this program knows it (see {where})") from None
        if name not in LASTING and not SHOWN.fullmatch(stored.decode()):
            raise WrongEntry(seq, "holds characters that cannot be shown")

    def _place(self, seq: int, body: Mapping[str, Any]) -> None:
        if body["seq"] != seq or body["since"] > seq:
            raise WrongEntry(seq, "does not stand in its place")
        if body["act"] not in {seq, self._act} or (body["act"] != seq and not self._act):
            raise WrongEntry(seq, "belongs to no action")
        if body["act"] != seq and not may_follow(self._types[body["act"]], body["type"]):
            raise WrongEntry(seq, f"stands in an action that it does not belong to (#{body['act']})")
        if body["cause"] is not None and not body["act"] <= body["cause"] < seq:
            raise WrongEntry(seq, "does not follow from an earlier entry of its action")
        if not _is_moment(body["at"]):
            raise WrongEntry(seq, "has no time")
        if body["at"] < self._at:
            raise WrongEntry(seq, "is dated before the entry before it")
        if (body["type"] == CampaignOpened.type) is not (seq == 1):
            raise WrongEntry(seq, "is no opening" if seq == 1 else "opens the campaign again")
        if body["act"] == seq:
            self._struck, self._told = set(), set()
        since = body["since"]
        if since < seq and since not in self._told and not any(since in self._acts[act] for act in self._struck):
            raise WrongEntry(seq, "counts since a place that its action did not strike")
        self._at, self._act = body["at"], body["act"]
        self._acts.setdefault(body["act"], set()).add(body["since"])

    def _references(self, seq: int, body: Mapping[str, Any]) -> None:
        if body["type"] == PlayerSeated.type:
            self._seats.add(body["player"])
        if body["by"] not in self._seats:
            raise WrongEntry(seq, f"was written by {body['by']}, who does not sit at the table")
        if body["type"] == DisputeRaised.type and body["player"] not in self._seats:
            raise WrongEntry(seq, f"is of {body['player']}, who does not sit at the table")
        for name in ("about", "to", "named"):
            if not 1 <= body.get(name, 1) < max(seq, 2):
                raise WrongEntry(seq, "speaks about what is no earlier entry")
        if body["type"] == SecretRevealed.type and self._types[body["about"]] == RollSealed.type:
            self._told.add(body["about"])
        if "about" in body and self._types[body["about"]] not in SPEAKS_ABOUT.get(body["type"], self._types):
            raise WrongEntry(seq, f"speaks about a {self._types[body['about']]}, which cannot be")
        asked = body.get("answers", body.get("question"))
        if asked is not None and (not asked < seq or self._types[asked] not in ASKING):
            raise WrongEntry(seq, "answers what was no question")
        if body["type"] == QuestionDecided.type and body["choice"] not in CHOICES.get(self._types[asked], ()):
            raise WrongEntry(seq, "decides what was not asked")

    def _marks(self, seq: int, body: Mapping[str, Any]) -> None:
        own = body["type"] in ASKING and not (body["type"] == ScoreAsserted.type and body["claimed"] == body["stood"])
        waits = {"who": QUESTIONS, "name": str(seq), "value": False}
        if own is not any(mark == waits and mark["value"] is False for mark in body["marks"]):
            raise WrongEntry(seq, "asks something, and does not wait" if own else "waits, and asks nothing")
        for mark in body["marks"]:
            pattern, types = NAMES.get(mark["who"]), MARKED_BY.get(mark["who"])
            if pattern is not None and not pattern.fullmatch(mark["name"]):
                raise WrongEntry(seq, f"marks what cannot be ({mark['who']} {mark['name']})")
            copied = mark["who"] == ABOUT and body["since"] < seq
            if mark["who"][0] == "#" and not copied and body["type"] not in (types or ()):
                raise WrongEntry(seq, f"marks what is not its own ({mark['who']} {mark['name']})")
            if mark["who"] == QUESTIONS and mark != waits and not self._settles(seq, body, mark):
                raise WrongEntry(seq, f"settles a question that is not its own (#{mark['name']})")
        spoken = [canonical_json(dict(zip(MARK, each, strict=True))) for each in self._spoken(seq, body)]
        given = [canonical_json(mark) for mark in body["marks"] if self._is_spoken(seq, body, mark)]
        if sorted(given) != sorted(spoken) or not marks_its_own(body):
            raise WrongEntry(seq, "gives other marks than it speaks of")
        if not moves_its_own(body):
            raise WrongEntry(seq, "moves other scores than it speaks of")

    def _is_spoken(self, seq: int, body: Mapping[str, Any], mark: Mapping[str, Any]) -> bool:
        """Whether a mark of the journal's own is given for what an entry says, and not for what it strikes."""
        if mark["who"] in {STRUCK, ABOUT}:
            return bool(mark["who"] == ABOUT and body["since"] == seq)
        carried = body["type"] in {*CARRYING, KnockOnFound.type} and mark["name"] != str(seq)
        return mark["who"][0] == "#" and not carried

    def _spoken(self, seq: int, body: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
        """Yield the marks of the journal's own that an entry must give for what it says."""
        kind, about = body["type"], body.get("about", 0)
        asked = body.get("answers", body.get("question"))
        agreed = kind == ScoreAsserted.type and body["claimed"] == body["stood"]
        if kind in ASKING and not agreed:
            yield QUESTIONS, str(seq), False
        if asked is not None:
            yield QUESTIONS, str(asked), seq
        if kind == SecretRevealed.type:
            yield REVEALED, str(about), seq
            if self._types[about] == RollSealed.type:
                yield QUESTIONS, str(about), seq
        if kind == CharacterJoined.type:
            yield CAST, body["who"], seq
        if kind == PlayerSeated.type:
            yield PLAYERS, body["player"], seq
        if kind == ScoreAsserted.type:
            same = (full for full, claimed in body["claimed"].items() if claimed == body["stood"].get(full))
            yield from ((ASSERTED, f"{body['who']}:{full}", seq) for full in same)
        if kind in MARKED_BY[ABOUT] and body["since"] == seq:
            spoken = self._about.get(asked) if kind == QuestionDecided.type else about
            if spoken is not None:
                yield ABOUT, f"{self._act_of[spoken]}:{seq}", True

    def _settles(self, seq: int, body: Mapping[str, Any], mark: Mapping[str, Any]) -> bool:
        """Whether an entry may settle a question: its own, one that it takes over, or, in a correction, one decided."""
        asked, kind = number(mark["name"]), body["type"]
        if mark["value"] != seq or not 0 < asked < seq or self._types[asked] not in ASKING:
            return False
        if kind in CARRYING:
            return True
        if kind == KnockOnFound.type:
            return bool(self._types[asked] == kind)
        return any(asked == body.get(name) for name in ("answers", "question", "about"))

    def _strikes(self, seq: int, body: Mapping[str, Any]) -> None:
        if self._owes_strike and (body["type"] != ActionStruck.type or body["cause"] != self._owes_strike):
            raise WrongEntry(self._owes_strike, "strikes nothing")
        self._owes_strike = seq if body["type"] in CARRYING else 0
        if body["type"] != ActionStruck.type:
            return
        self._as_said(seq, body)
        named = [mark["name"] for mark in body["marks"] if mark["who"] == STRUCK and mark["value"] == seq]
        earlier = [act for act in map(number, named) if act in self._acts and 1 < act < body["act"]]
        if str(body["strikes"]) not in named or len(earlier) < len(body["marks"]):
            raise WrongEntry(seq, "strikes what is no earlier action")
        if any(self._types[act] in LASTING for act in earlier):
            raise WrongEntry(seq, "strikes what is about the book itself, and never struck")
        if body["how"] == "redo" and body["strikes"] not in self._undos:
            raise WrongEntry(seq, "brings back what was not undone")
        for act in earlier:
            if act != body["strikes"] and not self._falls_with(act, set(earlier) - {act}):
                raise WrongEntry(seq, f"strikes #{act} too, which does not fall with #{body['strikes']}")
        self._strikes_of.setdefault(body["act"], set()).update(earlier)
        self._struck |= set(earlier)
        if body["how"] == "undo":
            self._undos.add(seq)

    def _as_said(self, seq: int, body: Mapping[str, Any]) -> None:
        """Refuse a strike of something else, or for another reason, than the correction says that it follows from."""
        cause, how = body["cause"] or 0, body["how"]
        if (how if how in BY_CAUSE.values() else None) != BY_CAUSE.get(self._types[cause]):
            raise WrongEntry(seq, "strikes for another reason than it says")
        about = self._act_of[self._about.get(cause, 0)]
        if how == "amend" and body["strikes"] not in {about, *self._answered.get(about, ())}:
            raise WrongEntry(seq, f"strikes #{body['strikes']}, which #{cause} is not about")

    def _falls_with(self, act: int, others: set[int]) -> bool:
        """Whether an action falls with others: it answered what they asked, or they struck it."""
        reached, waiting = set(others), list(others)
        while waiting:
            more = self._strikes_of.get(waiting.pop(), set()) - reached
            reached |= more
            waiting += more
        return act in reached or bool(self._answered.get(act, set()) & reached)

    def _again(self, seq: int, body: Mapping[str, Any]) -> None:
        """Refuse what counts since an earlier place where nothing of its kind was played."""
        asked = body.get("answers")
        if asked is not None:
            self._answered.setdefault(body["act"], set()).add(self._act_of[asked])
        if body["type"] in CORRECTING | {DiceThrown.type} or body["type"] not in TYPES:
            return
        family = "move" if body["type"] in MOVES else body["type"]
        own = [self._since[throw] for throw in _throws(body) or () if body["act"] <= throw < seq]
        place = min([body["since"], *own])
        again = place < body["act"] and asked is None and place not in self._told
        if again and family not in self._played.get(place, set()):
            raise WrongEntry(seq, f"counts since #{place}, where nothing like it was said")
        for each in {place, body["since"]}:
            self._played.setdefault(each, set()).add(family)

    def _facts(self, seq: int, body: Mapping[str, Any]) -> None:
        """Refuse facts that no program of ours writes: keys and policies that are none, erasures of what is to come."""
        try:
            if body.get("key") is not None and body["type"] in {CampaignOpened.type, KeyRotated.type}:
                parse_vkey(body["key"])
            if body["type"] == PolicySet.type:
                parse_policy(body["policy"])
        except Malformed:
            raise WrongEntry(seq, "holds a key or a policy that is none") from None
        if body["type"] == WordsErased.type and not all(0 < number(name) < seq for name in body["erased"]):
            raise WrongEntry(seq, "erases words of what is no earlier entry")
        if body["type"] == RollSealed.type and body["until"] is not None and not _is_an_end(body["until"]):
            raise WrongEntry(seq, "is sealed until what is no day")

    def _dice(self, seq: int, body: Mapping[str, Any]) -> None:
        if body["type"] == DiceThrown.type:
            self._thrown[seq] = natural(body)
            if not all(is_die(die) for die in body["dice"]):
                raise WrongEntry(seq, "threw dice that cannot lie like that")
        throws = _throws(body)
        if throws is not None and [die for each in throws for die in self._thrown.get(each, [None])] != natural(body):
            raise WrongEntry(seq, "counts other dice than were thrown")


def _throws(body: Mapping[str, Any]) -> list[int] | None:
    found: list[int] | None = body.get("throws", [body["throw"]] if "throw" in body else None)
    return found


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


def entry_shape(event: type[Event]) -> type[Shape]:
    """Return the shape of a whole entry of an event: its facts, its place, and its type."""
    fields: dict[str, Any] = {
        **get_type_hints(event, include_extras=True),
        **get_type_hints(Place, include_extras=True),
    }
    held = {
        name: fields[name] for name in (*event._fields, *Place._fields) if name != "kind" or event in TYPES.values()
    }
    held["type"] = Named if event is Consequence else Literal[event.type]
    later = {name: default for name, default in event._defaults.items() if name not in Event._fields}
    return type(event.__name__, (Shape,), {**later, "__annotations__": held, "__module__": __name__})
