"""Stages: the steps of an amendment: what is struck, what is kept, and what is played again.

Each class is a stage of a correction: one command of several that are one action, and see what those before wrote.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ledger.commands.decider import Command, Plan, Standing
from ledger.commands.play import Play, lay
from ledger.corrections.knock_on import ruled_now
from ledger.corrections.parts import Part, check_not_told, part_of, parts, recorded
from ledger.corrections.redecide import check_here, otherwise, play_again
from ledger.corrections.strike import check_stands, decided_in, reason, struck
from ledger.events.commitments import Secret
from ledger.events.entry import Entry, place_of, plain
from ledger.events.facts import Mark
from ledger.events.subjects import ABOUT, CAMPAIGN, HOLD, OFFER, QUESTIONS
from ledger.events.types import (
    CORRECTING,
    TYPES,
    ActionAmended,
    Consequence,
    Event,
    How,
    KnockOnFound,
    LimitCrossed,
    SecretRevealed,
)
from ledger.rules.dice import Pool, Throw
from ledger.rules.rulings import Follows


class Say(Command):
    """A stage: add one event."""

    event: Event
    cause: int | None = None

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Add it; a question is marked as one that waits, in place of an older one about the same ruling."""
        marks = list(self.event.marks)
        if isinstance(self.event, KnockOnFound | LimitCrossed):
            marks.append(Mark(who=QUESTIONS, name=str(plan.next), value=False))
        if isinstance(self.event, KnockOnFound):
            asked = [each for each in map(stands.entry, stands.questions()) if each.type == self.event.type]
            place = place_of(stands.entry(self.event.about), stands.entry)
            same = [each for each in asked if place_of(stands.entry(each.body["about"]), stands.entry) == place]
            marks += [Mark(who=QUESTIONS, name=str(each.seq), value=plan.next) for each in same]
            plan.opens = looked_at_a_secret(stands.entry(self.event.about))
        plan.opens = plan.opens or isinstance(self.event, SecretRevealed)
        plan.add(self.event.but(marks=tuple(marks)), self.cause)


class Strike(Command):
    """A stage: strike an action; `whole`, with what that struck in its turn, which then does not stand again."""

    act: int
    how: How
    why: str | None
    cause: int | None = None
    whole: bool = False

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Strike it; refuses what cannot be struck."""
        check_stands(stands, self.act)
        if self.how == "void":
            check_not_told(stands, stands.entry(self.act))
        plan.add(struck(stands, self.act, plan.next, self.how, why=self.why, whole=self.whole), self.cause)


class Amendment(Command):
    """A stage: say what is amended, and strike it."""

    act: int
    named: int
    part: Part
    said: Command
    inputs: Mapping[str, Any]
    faces: tuple[int, ...] | None
    why: str | None
    cascade: bool
    cause: int | None

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Refuse what cannot be struck, and what the rules refuse in that place; else strike."""
        check_stands(stands, self.act, self.part.root)
        again = play_again(stands, self.part, plan.head, self.said, self.faces)
        plan.opens = again.opens or _hides(self.part.said)
        root = next(plain(event) for event, cause, _ in again.events if event.type != "dice-thrown")
        held = root.get("inputs", root)
        carried = decided_in(stands, self.act)
        event = ActionAmended(
            named=self.named,
            about=self.part.root,
            inputs={name: said if isinstance(said, Mapping) else held[name] for name, said in self.inputs.items()},
            faces=self.faces,
            cascade=self.cascade,
            why=reason(self.why),
            marks=tuple(Mark(who=QUESTIONS, name=str(question), value=plan.next) for question in carried),
        )
        plan.add(struck(stands, self.act, plan.next + 1, "amend", whole=True), plan.add(event, self.cause))


def looked_at_a_secret(ruling: Entry) -> bool:
    """Whether a ruling was made with something that the GM keeps."""
    held = [
        *ruling.body["inputs"].values(),
        *(each for sheet in ruling.body["looked"].values() for each in sheet.values()),
    ]
    return any(isinstance(each, Mapping) and Secret.KEY in each for each in held)


def _hides(said: Command) -> bool:
    return isinstance(said, Play) and said.move.hides


class Kept(Command):
    """A stage: write a part again as it was, where its action was struck for another part; nothing is ruled anew."""

    part: Part
    cause: int

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Copy what was written, each entry counting since when it did, with what answered it."""
        numbers: dict[int | None, int] = {}
        for entry in recorded(stands, self.part):
            numbers[entry.seq] = plan.next
            body = stands.copy(entry.seq)
            body["marks"] = [renumbered(mark, numbers) for mark in body["marks"]] + self._spoken(stands, entry)
            if body.get("answers") in numbers:
                body["answers"] = numbers[body["answers"]]
            shape = TYPES.get(entry.type, Consequence)
            facts = {name: body.get(name, entry.type) for name in shape._fields}
            plan.add(shape(**facts), numbers.get(entry.cause, self.cause), entry.since)

    def _spoken(self, stands: Standing, entry: Entry) -> list[dict[str, Any]]:
        """Return the marks that tie what was said about an entry to its copy."""
        act = stands.entry(self.cause).act
        spoken = stands.spoken(entry.act) if entry.type not in CORRECTING else []
        same = [seq for seq in spoken if place_of_any(stands, seq) == self.part.place]
        return [{"who": ABOUT, "name": f"{act}:{seq}", "value": True} for seq in same]


def place_of_any(stands: Standing, seq: int) -> int:
    """Return the place of the part that an entry which speaks about others is about, 0 where it is of none."""
    body = stands.entry(seq).body
    asked = stands.entry(body["question"]).body if "question" in body else body
    return part_of(stands, asked["about"])[1].place if "about" in asked else 0


def renumbered(mark: Mapping[str, Any], numbers: Mapping[int | None, int]) -> dict[str, Any]:
    """Return a mark of an entry that is copied; what the journal keeps by number goes with the copy."""
    name, value = mark["name"], mark["value"]
    if mark["who"] == QUESTIONS and int(name) in numbers:
        name = str(numbers[int(name)])
    if mark["who"][0] == "#" or name == OFFER or (mark["who"], name) == (CAMPAIGN, "scene"):
        value = numbers.get(value, value)
    return {"who": mark["who"], "name": name, "value": value}


class Again(Command):
    """A stage: play a part again in its place."""

    part: Part
    said: Command
    cause: int
    faces: tuple[int, ...] | None = None

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Add what it comes to, counting since the place."""
        again = play_again(stands, self.part, plan.head, self.said, self.faces)
        plan.opens = again.opens or _hides(self.said)
        for event, cause, _ in again.events:
            plan.add(event, cause or self.cause, self.part.place)


class Retaken(Command):
    """A stage: play a part again in its place, as what it offered has it; its dice stay, and new ones may be thrown."""

    part: Part
    said: Command
    cause: int

    def pool(self, stands: Standing, *, by_hand: bool) -> Pool | None:
        """Ask for the dice that do not lie yet; refuses what the rules refuse in that place."""
        check_here(self.part, self.said)
        asked = self.said.pool(stands.at(self.part.place), by_hand=True)
        new = asked.sides[len(self._lie.dice) :] if asked else ()
        return Pool(sides=new) if new else None

    def cost(self, stands: Standing) -> tuple[Follows, ...]:
        """Return what is paid for it."""
        return self.said.cost(stands.at(self.part.place))

    @property
    def _lie(self) -> Throw:
        return self.part.thrown or Throw(dice=(), source="typed")

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Rule on all dice, counting since the place."""
        own, lie, who = Plan(plan.head), self._lie, stands.entry(self.part.root).body["who"]
        written = (*lie.written, *lay(own, who, thrown)) if thrown else lie.written
        both = Throw(dice=(*lie.dice, *(thrown.dice if thrown else ())), source=lie.source, written=written)
        self.said.decide(stands.at(self.part.place), own, both if both.dice else None)
        plan.opens = looked_at_a_secret(stands.entry(self.part.root))
        for event, cause, _ in own.events:
            plan.add(event, cause or self.cause, self.part.place)


def amended(
    stands: Standing,
    about: int,
    inputs: Mapping[str, Any],
    faces: tuple[int, ...] | None = None,
    *,
    why: str | None = None,
    cascade: bool = False,
    cause: int | None = None,
    head: int | None = None,
) -> Iterator[Command]:
    """Yield the stages that strike an action and play it again, with one of its parts said otherwise.

    The others are kept as they were; in a cascade, which began after `head`, those that would be ruled otherwise are
    played again too.
    """
    began = stands.head() if head is None else head
    act, replaced = part_of(stands, about)
    kept = parts(stands, act)
    said = otherwise(replaced.said, inputs)
    yield Amendment(
        act=act,
        named=about,
        part=replaced,
        said=said,
        inputs=inputs,
        faces=faces,
        why=why,
        cascade=cascade,
        cause=cause,
    )
    strike = stands.head()
    for part in kept:
        found = ruled_now(stands, part, began) if cascade else None
        if part.root == replaced.root:
            yield Again(part=part, said=said, cause=strike, faces=faces)
        elif found is not None and found.finds == "otherwise" and not is_held(stands, part):
            yield Again(part=part, said=part.said, cause=strike)
        else:
            yield Kept(part=part, cause=strike)


def is_held(stands: Standing, part: Part) -> bool:
    """Whether a question holds one of those whom a part is about."""
    cast = part.said.move.cast() if isinstance(part.said, Play) else ()
    return any((stands.balance(who, HOLD) or 0) > 0 for who in cast)
