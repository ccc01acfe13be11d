"""Strikes: what falls with an action, what is kept of it or played again, and what a correction touches.

Each class is a stage of a correction: one command of several that are one action, and see what those before wrote.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ledger.commands.decider import Command, Plan, Standing, worded
from ledger.commands.play import Play, lay
from ledger.corrections.knock_on import KnockOn, Looked, knock_on, looked_at, ruled_now
from ledger.corrections.limits import limits_crossed
from ledger.corrections.parts import (
    NO_OPENING,
    Part,
    check_here,
    check_not_told,
    otherwise,
    part_of,
    parts,
    place_of,
    play_again,
    recorded,
)
from ledger.errors import Refused
from ledger.events.entry import Entry, head_of, plain
from ledger.events.facts import ABOUT, CAMPAIGN, HOLD, OFFER, QUESTIONS, STRUCK, Mark, Said, Secret
from ledger.events.types import (
    CORRECTING,
    LASTING,
    TYPES,
    ActionAmended,
    ActionStruck,
    Consequence,
    Event,
    How,
    KnockOnFound,
    LimitCrossed,
    MovePlayed,
    QuestionAsked,
    SecretRevealed,
)
from ledger.rules.dice import Pool, Throw
from ledger.rules.move import Follows


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
            place = place_of(stands, stands.entry(self.event.about))
            same = [each for each in asked if place_of(stands, stands.entry(each.body["about"])) == place]
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
        elif found is not None and found.finds == "otherwise" and not _held(stands, part):
            yield Again(part=part, said=part.said, cause=strike)
        else:
            yield Kept(part=part, cause=strike)


def aftermath(
    stands: Standing, head: int, cause: int, waiting: Iterable[int], *, cascade: bool = False
) -> Iterator[Command]:
    """Yield a question for each later ruling that would be otherwise, and for each score beyond its limits.

    In a cascade what would be ruled otherwise is amended instead, in order, until somebody must be asked: what was
    played of whom a question holds is asked about. What waited before, and fell with what was
    struck, is asked again where it still holds, and so is what waited about a ruling that was struck.
    """
    places: dict[int, Looked] = {place_of(stands, each): looked_at(each) for each in _standing_again(stands, cause)}
    scores = set()
    for asked in map(stands.entry, waiting):
        fell = stands.mark(QUESTIONS, str(asked.seq)) is None
        if asked.type == LimitCrossed.type and fell:
            scores.add((asked.body["who"], asked.body["score"]))
        if asked.type == KnockOnFound.type:
            ruling = stands.entry(asked.body["about"])
            if fell or stands.mark(STRUCK, str(ruling.act)) is not None:
                places[place_of(stands, ruling)] = looked_at(ruling)
    touched = knock_on(stands, head, places)
    for found in touched if cascade else list(touched):
        if found.finds == "otherwise" and cascade and found.act != cause and not _held(stands, found.part):
            yield from amended(stands, found.part.root, {}, cascade=True, cause=cause, head=head)
        elif found.finds != "same":
            yield Say(event=_knocked_on(found), cause=cause)
    for crossed in limits_crossed(stands, head, scores):
        yield Say(event=crossed, cause=cause)


def _held(stands: Standing, part: Part) -> bool:
    """Whether a question holds one of those whom a part is about."""
    cast = part.said.move.cast() if isinstance(part.said, Play) else ()
    return any((stands.balance(who, HOLD) or 0) > 0 for who in cast)


def _standing_again(stands: Standing, act: int) -> Iterator[Entry]:
    """Yield the rulings that an action, which struck a strike, let stand again."""
    for strike in stands.action(act):
        fallen = [int(mark["name"]) for mark in strike.body["marks"] if mark["who"] == STRUCK]
        risen = {each for fell in fallen for each in _struck_by(stands, fell) if stands.mark(STRUCK, str(each)) is None}
        for entry in (each for risen_act in sorted(risen) for each in stands.action(risen_act)):
            if "looked" in entry.body:
                yield entry


def _knocked_on(found: KnockOn) -> KnockOnFound:
    assert found.finds != "same"  # noqa: S101  asked about others alone
    return KnockOnFound(
        about=found.part.root,
        finds=found.finds,
        numbers={who: dict(names) for who, names in found.numbers.items()},
        verdict=found.verdict,
        says=found.says,
    )


def decided_in(stands: Standing, act: int) -> list[int]:
    """Return the questions that an action decided, or took over from one that it replaced."""
    marks = (mark for each in stands.action(act) if each.type not in RULED for mark in each.body["marks"])
    return [int(mark["name"]) for mark in marks if mark["who"] == QUESTIONS and mark["value"] not in {False, None}]


RULED = frozenset({MovePlayed.type, QuestionAsked.type, KnockOnFound.type})


def check_stands(stands: Standing, act: int, about: int | None = None) -> None:
    """Refuse to strike the opening of the campaign, and what was struck already; perhaps for the sake of an entry."""
    if act == 1:
        raise Refused(NO_OPENING)
    if stands.entry(act).type in LASTING:
        raise Refused(f"#{act} is about the book itself, and is never struck.")
    by = stands.mark(STRUCK, str(act))
    if by is not None:
        strike = stands.entry(by)
        heads = [head_of(stands.action(each)).seq for each in (act, strike.act)]
        instead = instead_of(stands, heads[0] if about is None else about)
        hint = f"In its place stands #{instead}." if instead else f"See 'campaign show {heads[1]}'."
        raise Refused(f"#{heads[0]} does not stand: it was struck by #{heads[1]}.", hint)


def instead_of(stands: Standing, about: int) -> int | None:
    """Return the ruling, or what stands for one, that stands in the place of an entry that was struck."""
    act, part = part_of(stands, about)
    seen = {act}
    while (by := stands.mark(STRUCK, str(act))) is not None:
        act = stands.entry(by).act
        found = next((each for each in parts(stands, act) if each.place == part.place), None)
        if found is None or act in seen:
            return None
        seen.add(act)
        part = found
    return part.root


def struck(
    stands: Standing, act: int, seq: int, how: How, *, why: str | None = None, whole: bool = False
) -> ActionStruck:
    """Return the strike of an action, with the answers that fall with it; `whole`, with what it struck in its turn."""
    falls = [act]
    for fallen in falls if whole else ():
        falls += [each for each in _struck_by(stands, fallen) if each not in falls]
    while answers := [each for each in _answers(stands, stands.flipped(falls, seq)[0]) if each not in falls]:
        falls += answers
    for risen in stands.flipped(falls, seq)[1]:
        _check_unanswered(stands, risen, falls)
    marks = tuple(Mark(who=STRUCK, name=str(fallen), value=seq) for fallen in dict.fromkeys(falls))
    return ActionStruck(strikes=act, how=how, why=reason(why), marks=marks)


def _check_unanswered(stands: Standing, act: int, falls: Iterable[int]) -> None:
    """Refuse to let an answer stand again to a question that something else has answered since."""
    for entry in stands.action(act):
        asked = entry.body.get("answers", entry.body.get("question"))
        answer = None if asked is None else stands.mark(QUESTIONS, str(asked))
        if answer and stands.entry(answer).act not in falls:
            raise Refused(f"#{entry.seq} would answer #{asked} again, which #{answer} has answered since.")


def reason(why: str | None) -> Said | None:
    """Return a reason to be kept, None where none was given."""
    return None if why is None else worded("A reason", why)


def _answers(stands: Standing, acts: Iterable[int]) -> Iterator[int]:
    """Yield the actions that played on from the questions of these."""
    for act in acts:
        for entry in stands.action(act):
            answer = stands.mark(QUESTIONS, str(entry.seq)) if entry.type == QuestionAsked.type else None
            if answer:
                yield stands.entry(answer).act


def _struck_by(stands: Standing, act: int) -> list[int]:
    strikes = (entry for entry in stands.action(act) if entry.type == ActionStruck.type)
    return list(dict.fromkeys(int(mark["name"]) for strike in strikes for mark in strike.body["marks"]))
