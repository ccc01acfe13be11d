"""What is said at the table of edge, and what its rules make of it: docs/games/edge.md as plain arithmetic."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

LARGEST = 10**12
BOUNDED: dict[str, str | int] = {"edge": "maximum", "attack-dice": 2, "armor.reduction": 100}
"""The scores that have a most: another score, or a number."""

THUMB = {"light": (15, 20), "medium": (25, 40), "heavy": (35, 60)}
STEPS = ("minor", "serious", "critical", "life-threatening")
BANDS = (
    (10, "complete success"),
    (5, "significant success"),
    (0, "marginal success"),
    (-5, "marginal failure"),
    (-10, "significant failure"),
)

Who = tuple[str, str]
Thrown = Callable[[tuple[int, ...]], tuple[tuple[int, ...], str]]
Follow = tuple[str, dict[Who, int], dict[Who, Any]]
"""A consequence: its kind, what it moves, what it sets."""

OFFER = "offer"
BY_GM = {"soak", "heal", "injure"}
"""The moves that end no offer."""

Own = object()
"""Stands for the number of the entry itself, as the value of a mark."""


class No(Exception):
    """The book should refuse this."""


class OtherDice(No):
    """The book should refuse this in its place, as it would need other dice."""


class Asks(No):
    """The player would be asked which die to drop; nobody is asked here."""


@dataclass(frozen=True)
class Said:
    """What was said: which command or move, about whom, with which inputs."""

    kind: str
    who: str
    inputs: Mapping[str, Any]

    def otherwise(self, changes: Mapping[str, Any]) -> "Said":
        """The same with changed inputs; the numbers by name that were not said again stay."""
        merged = dict(self.inputs)
        for name, value in changes.items():
            merged[name] = {**merged[name], **value} if isinstance(value, dict) else value
        return replace(self, who=merged.pop("who", self.who), inputs=merged)


@dataclass
class Outcome:
    """An entry to write, with dice before it and consequences after it."""

    type: str
    sides: tuple[int, ...] = ()
    faces: tuple[int, ...] = ()
    source: str = ""
    posts: dict[Who, int] = field(default_factory=dict)
    marks: dict[Who, Any] = field(default_factory=dict)
    follows: list[Follow] = field(default_factory=list)
    looked: dict[Who, Any] = field(default_factory=dict)
    verdict: tuple[Any, ...] | None = None

    def comes_to(self) -> tuple[Any, dict[Who, int], dict[Who, Any]]:
        """Its verdict, what it moves in all, and what it sets."""
        moved = dict(self.posts)
        marks = {key: value for key, value in self.marks.items() if key[1] != OFFER}
        for _, posts, set_ in self.follows:
            marks |= set_
            for key, amount in posts.items():
                moved[key] = moved.get(key, 0) + amount
        return self.verdict, {key: amount for key, amount in moved.items() if amount}, marks


class Numbers(Protocol):
    """The sheets of a place."""

    def score(self, who: str, name: str) -> int: ...

    def mark(self, who: str, name: str) -> Any: ...

    def sessions(self) -> int: ...


def plays(sheet: Numbers, who: str) -> bool:
    """True if somebody plays: for good, while the session of the seat is open, or as Ana's, who needs no sheet."""
    seat = sheet.mark("#cast", who)
    if isinstance(seat, tuple):
        return bool(seat == ("session", sheet.mark("campaign", "session")))
    if seat is None:
        return who == "mara" and sheet.mark("#players", "p2") is not None
    return seat is not False


def within_limits(sheet: Numbers, who: str, amounts: Mapping[str, int]) -> None:
    """Refuse to move a score below 0 or above its most; back toward its limits it may move."""

    def after(name: str) -> int:
        return sheet.score(who, name) + amounts.get(name, 0)

    bounded = {name for name, most in BOUNDED.items() if amounts.get(str(most), 0) < 0}
    for name in {*amounts, *bounded}:
        most, amount = BOUNDED.get(name, LARGEST), amounts.get(name, 0)
        if after(name) < 0 and amount < 0:
            raise No(f"{name} below 0")
        if after(name) > (after(most) if isinstance(most, str) else most) and amount >= 0:
            raise No(f"{name} above its most")


def _has_sheet(sheet: Numbers, who: str) -> None:
    if not plays(sheet, who) or not sheet.mark(who, "edge/sheet"):
        raise No(f"{who} has no sheet")


def _full(who: str, amounts: Mapping[str, int]) -> dict[Who, int]:
    return {(who, f"edge/{name}"): amount for name, amount in amounts.items()}


# The table


def _seat(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    return Outcome("player-seated", marks={("#players", said.who): Own})


def _join(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    scores = dict(said.inputs["scores"])
    if sheet.mark(said.who, "edge/sheet"):
        raise No("a sheet already")
    if (start := scores.get("edge", scores.get("maximum", 0))) or "edge" in scores:
        scores["edge"] = start
    within_limits(sheet, said.who, scores)
    seat = sheet.mark("#cast", said.who)
    of_npc = isinstance(seat, tuple) and plays(sheet, said.who)
    marks = {("#cast", said.who): seat if of_npc else Own, (said.who, "edge/sheet"): True}
    return Outcome("character-joined", posts=_full(said.who, scores), marks=marks)


def _adjust(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    _has_sheet(sheet, said.who)
    within_limits(sheet, said.who, said.inputs["amounts"])
    return Outcome("score-adjusted", posts=_full(said.who, said.inputs["amounts"]))


def _set(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    _has_sheet(sheet, said.who)
    return Outcome("marks-set", marks={(said.who, "edge/care"): said.inputs["values"]["care"] == "yes"})


def _settings(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    steps = tuple(said.inputs["values"]["injuries"].split(","))
    return Outcome("settings-changed", marks={("campaign", "edge/injuries"): steps})


def _note(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    return Outcome("note-written")


def _open(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    if sheet.mark("campaign", "session") is not None:
        raise No("a session is open")
    return Outcome(
        "session-opened", posts={("campaign", "session"): 1}, marks={("campaign", "session"): sheet.sessions() + 1}
    )


def _close(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    if sheet.mark("campaign", "session") is None:
        raise No("no session is open")
    return Outcome("session-closed", marks={("campaign", "session"): None, **turns_ended(sheet)})


def turns_ended(sheet: Numbers) -> dict[Who, Any]:
    """The marks that end the turn order."""
    names = sheet.mark("campaign", "turns")
    if names is None:
        return {}
    ended = ("turns", "turn", "acted")
    return {**{("campaign", name): None for name in ended}, **{(who, "turn"): None for who in names}}


def _day(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    return Outcome("day-begun", posts={("campaign", "day"): 1})


def _roll(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    if not plays(sheet, said.who):
        raise No("nobody")
    sides = (6,) * said.inputs["dice"]
    faces, source = throw(sides)
    return Outcome("dice-counted", sides, faces, source)


# The moves


class _Read:
    """What a move reads of one sheet, kept for its ruling."""

    def __init__(self, said: Said, sheet: Numbers) -> None:
        _has_sheet(sheet, said.who)
        self.who, self.sheet, self.said, self.by_gm = said.who, sheet, said.inputs, said.kind in BY_GM
        self.steps = sheet.mark("campaign", "edge/injuries") or STEPS
        self.looked: dict[Who, Any] = {("campaign", "edge/injuries"): self.steps}

    def score(self, name: str) -> int:
        self.looked[self.who, f"edge/{name}"] = value = self.sheet.score(self.who, name)
        return value

    def enough_edge(self, needs: int) -> None:
        if needs and self.score("edge") < needs:
            raise No("not enough edge")

    def follow(self, kind: str, **amounts: int) -> Follow:
        return kind, _full(self.who, amounts), {}

    def outcome(
        self,
        verdict: str,
        good: bool | None,
        margin: int | None,
        follows: list[Follow],
        dice: Any = None,
        offers: bool = False,
    ) -> Outcome:
        sides, faces, source = dice or ((), (), "")
        looked = self.looked
        if not sides:
            moved: dict[str, int] = {}
            for (_, name), amount in (item for _, posts, _ in follows for item in posts.items()):
                moved[name[5:]] = moved.get(name[5:], 0) + amount
            within_limits(self.sheet, self.who, moved)
        ends = not self.by_gm and self.sheet.mark(self.who, OFFER) is not None
        marks = {(self.who, OFFER): Own if offers else None} if offers or ends else {}
        ruling = (verdict, good, margin)
        return Outcome("move-played", sides, faces, source, marks=marks, follows=follows, looked=looked, verdict=ruling)


def _check(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    read, inputs = _Read(said, sheet), said.inputs
    waits = _waiting(read)
    mode, drop, instead = _mode(read, waits), inputs.get("drop"), inputs.get("drop_instead")
    if spends := bool(inputs.get("edge")) + (instead is not None):
        read.enough_edge(spends)
        within_limits(sheet, said.who, {"edge": -spends})
    if instead is not None and (inputs.get("edge") or mode != "advantage"):
        raise No("only plain advantage is changed after the dice")
    if drop is not None and mode != "edge":
        raise No("a die to drop goes with edge that gains")
    faces, source = throw((10,) * (2 if mode == "normal" else 3))
    if drop is None and mode == "edge":
        raise Asks
    gone = {"normal": None, "advantage": min(faces), "disadvantage": max(faces), "edge": drop}[mode]
    if mode == "edge" and (gone not in faces or source == "machine"):
        raise No("no die shows that, or they do not lie yet")
    offers = mode == "advantage" and instead is None and len(set(faces)) > 1 and read.score("edge") > 0
    if instead is not None:
        if instead not in faces or instead == gone:
            raise No("no die shows that, or it is dropped already")
        gone = instead
    kept = list(faces)
    if gone is not None:
        kept.remove(gone)
    total, target = sum(kept) + inputs["skill"], inputs.get("target", 20)
    success = total >= target
    margin = total - target + (5 if success else -5) * (kept[0] == kept[1])
    says = next((name for least, name in BANDS if margin >= least), "complete failure")
    follows = _check_follows(read, waits, says, spends)
    return read.outcome(says, success, margin, follows, ((10,) * len(faces), faces, source), offers)


def _waiting(read: "_Read") -> dict[str, dict[str, int]]:
    """The advantages and disadvantages on the sheet that fit a check."""
    scopes = ("any", *read.said.get("related_to", ()), *(("related",) if read.said.get("related") else ()))
    return {
        what: {f"{what}.{scope}": count for scope in scopes if (count := read.score(f"{what}.{scope}")) > 0}
        for what in ("advantage", "disadvantage")
    }


def _mode(read: "_Read", waits: Mapping[str, Any]) -> str:
    good, bad = (bool(read.said.get(what) or waits[what]) for what in ("advantage", "disadvantage"))
    mode = "normal" if good == bad else "advantage" if good else "disadvantage"
    if read.said.get("edge"):
        return "normal" if mode == "disadvantage" else "edge"
    return mode


def _check_follows(read: "_Read", waits: Mapping[str, Mapping[str, int]], says: str, spends: int) -> list[Follow]:
    follows = [read.follow("edge-spent", edge=-spends)] if spends else []
    for what, counts in waits.items():
        if counts:
            follows.append(read.follow(f"{what}-used", **{name: -count for name, count in counts.items()}))
    if read.said.get("attack"):
        if (unused := read.score("attack-dice")) > 0:
            follows.append(read.follow("attack-dice-lapsed", **{"attack-dice": -unused}))
        if dice := {"significant success": 1, "complete success": 2}.get(says, 0):
            follows.append(read.follow("attack-dice-granted", **{"attack-dice": dice}))
    if scope := {
        "significant failure": next(iter(read.said.get("related_to", ())), "related"),
        "complete failure": "any",
    }.get(says):
        follows.append(read.follow("disadvantage-granted", **{f"disadvantage.{scope}": 1}))
    return follows


def _damage(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    read, inputs = _Read(said, sheet), said.inputs
    spends = inputs.get("edge", 0) + inputs.get("boost", 0)
    offers = not inputs.get("boost") and read.score("edge") > inputs.get("edge", 0)
    read.score("edge")
    read.enough_edge(spends)
    granted = read.score("attack-dice")
    if spends:
        within_limits(sheet, said.who, {"edge": -spends})
    sides = (6,) * (inputs["weapon"] + max(0, min(granted, 2)) + spends)
    faces, source = throw(sides) if sides else ((), "")
    dealt = sum(faces) + (read.score("strength") if inputs.get("modifier") is None else inputs["modifier"])
    follows = [read.follow("edge-spent", edge=-spends)] if spends else []
    if granted > 0:
        follows.append(read.follow("attack-dice-used", **{"attack-dice": -granted}))
    follows.append(read.follow("damage-dealt"))
    return read.outcome(f"{dealt} damage", None, None, follows, (sides, faces, source), offers)


def _soak(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    read, damage = _Read(said, sheet), said.inputs["damage"]
    kind, thumb = said.inputs.get("kind", "physical"), THUMB.get(said.inputs.get("armor", ""))
    threshold, share = thumb or (read.score("armor.threshold"), read.score("armor.reduction"))
    if threshold < 0 or not 0 <= share <= 100:
        raise No("no such armor")
    if damage < threshold:
        return read.outcome(f"stopped ({damage} under {threshold})", None, None, [read.follow("damage-soaked")])
    passes = damage - damage * share // 100
    taken = [read.follow("damage-taken", **{f"damage.{kind}": passes})] if passes else []
    return read.outcome(f"{passes} of {damage} damage passes", None, None, [read.follow("damage-soaked"), *taken])


def _heal(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    read, kind, amount = _Read(said, sheet), said.inputs["kind"], said.inputs["amount"]
    if read.score(f"damage.{kind}") < amount:
        raise No("not so much was taken")
    healed = read.follow("damage-healed", **{f"damage.{kind}": -amount})
    return read.outcome(f"{amount} {kind} damage healed", None, None, [healed])


def _injure(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    read, severity = _Read(said, sheet), said.inputs["severity"]
    if severity not in read.steps:
        raise No("no severity")
    return read.outcome(f"{severity} injury", None, None, [read.follow("injury-taken", **{f"injury.{severity}": 1})])


def _lessen(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    read, severity = _Read(said, sheet), said.inputs["severity"]
    if severity not in read.steps or read.score(f"injury.{severity}") < 1 or severity == read.steps[0]:
        raise No("nothing to lessen")
    read.enough_edge(1)
    less = read.steps[read.steps.index(severity) - 1]
    lessened = read.follow("injury-lessened", **{f"injury.{severity}": -1, f"injury.{less}": 1})
    return read.outcome(f"{severity} injury is now {less}", None, None, [read.follow("edge-spent", edge=-1), lessened])


def _gained(read: _Read, verdict: str, amount: int) -> Outcome:
    return read.outcome(verdict, None, None, [read.follow("edge-gained", edge=amount)] if amount else [])


def _rest(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    read, kind = _Read(said, sheet), said.inputs["kind"]
    edge, maximum = read.score("edge"), read.score("maximum")
    left = max(0, maximum - edge)
    return _gained(read, f"{kind} rest", min(1, left) if kind == "short" else left)


def _award(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    read, amount = _Read(said, sheet), said.inputs["amount"]
    if read.score("edge") + amount > read.score("maximum"):
        raise No("above the maximum")
    return _gained(read, "award", amount)


def _burn(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    read = _Read(said, sheet)
    if read.score("edge") < 1 or read.score("maximum") < 1:
        raise No("nothing to burn")
    kind, posts, _ = read.follow("edge-burned", edge=-1, maximum=-1)
    return read.outcome("lives, and needs care", None, None, [(kind, posts, {(said.who, "edge/care"): True})])


Ruling = Callable[[Said, Numbers, Thrown], Outcome]
TABLE: dict[str, Ruling] = {
    "seat": _seat,
    "join": _join,
    "adjust": _adjust,
    "set": _set,
    "settings": _settings,
    "note": _note,
    "open": _open,
    "close": _close,
    "day": _day,
    "roll": _roll,
}
RULINGS: dict[str, Ruling] = {
    "check": _check,
    "damage": _damage,
    "soak": _soak,
    "heal": _heal,
    "injure": _injure,
    "lessen": _lessen,
    "rest": _rest,
    "award": _award,
    "burn": _burn,
}
MOVES = frozenset(RULINGS)
