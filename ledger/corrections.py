"""Corrections: strikes, and what is played again, decided like everything else. Nothing is taken back.

A strike is a new entry that names an action; the accounts turn its postings round and pass its marks over. With an
action fall the answers that played on from its questions. An action stands unless a standing action strikes it.
Undo, void and rewind strike; amend strikes and plays again in the old place; redo lets stand again.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, ClassVar

from ledger import systems
from ledger.again import NO_OPENING, KnockOn, Part, knock_on, otherwise, part_of, parts, play_again
from ledger.deciding import Command, Plan, Standing, worded
from ledger.dice import Throw
from ledger.entries import Entry
from ledger.errors import Refused
from ledger.events import (
    CORRECTING,
    QUESTIONS,
    STRUCK,
    ActionAmended,
    ActionStruck,
    CampaignOpened,
    CharacterJoined,
    Event,
    How,
    KnockOnFound,
    LimitCrossed,
    Mark,
    NoteWritten,
    PlayerSeated,
    PlayRewound,
    QuestionAsked,
    QuestionDecided,
    Said,
    SceneSet,
    SessionClosed,
    SessionOpened,
    SettingsChanged,
    plain,
)
from ledger.rules import Score, System

STAYING = CORRECTING | {
    shape.type
    for shape in (
        CampaignOpened,
        PlayerSeated,
        CharacterJoined,
        SessionOpened,
        SessionClosed,
        SceneSet,
        SettingsChanged,
        NoteWritten,
    )
}
"""What a rewind leaves; corrections stay where they put right what stands before."""


class Undo(Command):
    """Strike the last standing action, whole; undos and redos themselves are left aside."""

    writes: ClassVar[tuple[str, ...]] = (ActionStruck.type,)

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Find it and strike it; refuses where only the opening of the campaign is left."""
        act = next(act for act in stands.acts_backwards() if _may_be_undone(stands, act))
        if act == 1:
            raise Refused("There is nothing left to undo.")
        plan.add(struck(stands, act, plan.next, "undo"))

    def content_of(self, entries: Sequence[Entry]) -> dict[str, Any] | None:
        """Return that nothing was said, None where it was another command."""
        return {} if _how(entries[0]) == "undo" else None


class Redo(Command):
    """Let the latest undone action stand again; refuses once anything else was written."""

    writes: ClassVar[tuple[str, ...]] = (ActionStruck.type,)

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Strike the latest undo that stands."""
        hows = ((act, _how(stands.action(act)[0])) for act in stands.acts_backwards())
        latest = takewhile(lambda each: each[1] in {"undo", "redo"}, hows)
        undone = next((act for act, how in latest if how == "undo" and stands.mark(STRUCK, str(act)) is None), None)
        if undone is None:
            hint = "Redo brings back what was undone last, until something else is written."
            raise Refused("There is nothing to redo.", hint)
        plan.add(struck(stands, undone, plan.next, "redo"))

    def content_of(self, entries: Sequence[Entry]) -> dict[str, Any] | None:
        """Return that nothing was said, None where it was another command."""
        return {} if _how(entries[0]) == "redo" else None


class Void(Command):
    """Strike an action, whichever it is, by the number of its first entry."""

    writes: ClassVar[tuple[str, ...]] = (ActionStruck.type,)
    strikes: int
    why: str

    def stages(self, stands: Standing) -> Iterator[Command]:
        """Strike it, and ask about what it would change."""
        head = stands.head()
        yield Strike(act=self.strikes, how="void", why=self.why)
        yield from aftermath(stands, head, head + 1)

    def content_of(self, entries: Sequence[Entry]) -> dict[str, Any] | None:
        """Return the action and the reason, None where it was another command."""
        return super().content_of(entries) if _how(entries[0]) == "void" else None


class Rewind(Command):
    """Strike all that counts since after the action of an entry; what only says something stays."""

    writes: ClassVar[tuple[str, ...]] = (PlayRewound.type,)
    to: int
    why: str | None = None

    def stages(self, stands: Standing) -> Iterator[Command]:
        """Strike one action after the other; what an amendment put right before the point is kept."""
        head = stands.head()
        last = stands.action(stands.entry(self.to).act)[-1].seq
        acts = list(_counting_after(stands, last))
        if not acts:
            raise Refused(f"Nothing that was played counts since after #{last}.")
        yield Say(event=PlayRewound(to=self.to, why=_reason(self.why)))
        for act in acts:
            if stands.mark(STRUCK, str(act)) is not None:
                continue  # an answer, which fell with its question
            kept = [part for part in parts(stands, act) if part.place <= last]
            yield Strike(act=act, how="rewind", why=None, cause=head + 1, whole=True)
            strike = stands.head()
            for part in kept:
                yield Again(part=part, said=part.said, cause=strike)
        yield from aftermath(stands, head, head + 1)


class Amend(Command):
    """Strike an action and play it again in its place, with other inputs or other typed dice."""

    writes: ClassVar[tuple[str, ...]] = (ActionAmended.type,)
    about: int
    inputs: Mapping[str, Any]
    faces: tuple[int, ...] | None
    cascade: bool
    why: str

    def stages(self, stands: Standing) -> Iterator[Command]:
        """Play it again, then look at what that would change."""
        head = stands.head()
        yield from amended(stands, self.about, self.inputs, self.faces, why=self.why, cascade=self.cascade)
        yield from aftermath(stands, head, head + 1, cascade=self.cascade)


class Say(Command):
    """A stage: add one event."""

    event: Event
    cause: int | None = None

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Add it; a question is marked as one that waits."""
        marks: tuple[Mark, ...] = ()
        if isinstance(self.event, KnockOnFound | LimitCrossed):
            marks = (Mark(who=QUESTIONS, name=str(plan.next), value=False),)
        plan.add(self.event.but(marks=(*self.event.marks, *marks)), self.cause)


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
        plan.add(struck(stands, self.act, plan.next, self.how, why=self.why, whole=self.whole), self.cause)


class Amendment(Command):
    """A stage: say what is amended, and strike it."""

    act: int
    part: Part
    said: Command
    inputs: Mapping[str, Any]
    faces: tuple[int, ...] | None
    why: str | None
    cascade: bool
    cause: int | None

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Refuse what cannot be struck, and what the rules refuse in that place; else strike."""
        check_stands(stands, self.act)
        again = play_again(stands, self.part, plan.head, self.said, self.faces).events
        root = next(plain(event) for event, cause, _ in again if event.type != "dice-thrown")
        held = root.get("inputs", root)
        carried = (each.body["question"] for each in stands.action(self.act) if each.type == QuestionDecided.type)
        event = ActionAmended(
            about=self.part.root,
            inputs={name: said if isinstance(said, Mapping) else held[name] for name, said in self.inputs.items()},
            faces=self.faces,
            cascade=self.cascade,
            why=_reason(self.why),
            marks=tuple(Mark(who=QUESTIONS, name=str(question), value=plan.next) for question in carried),
        )
        said = plan.add(event, self.cause)
        plan.add(struck(stands, self.act, plan.next, "amend", whole=True), said)


class Again(Command):
    """A stage: play a part again in its place."""

    part: Part
    said: Command
    cause: int
    faces: tuple[int, ...] | None = None

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Add what it comes to, counting since the place."""
        again = play_again(stands, self.part, plan.head, self.said, self.faces)
        for event, cause, _ in again.events:
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
) -> Iterator[Command]:
    """Yield the stages that strike an action and play it again, with one of its parts said otherwise."""
    act, changed = part_of(stands, about)
    kept = parts(stands, act)
    said = otherwise(changed.said, inputs)
    yield Amendment(
        act=act,
        part=changed,
        said=said,
        inputs=inputs,
        faces=faces,
        why=why,
        cascade=cascade,
        cause=cause,
    )
    strike = stands.head()
    for part in kept:
        own = part.root == changed.root
        yield Again(part=part, said=said if own else part.said, cause=strike, faces=faces if own else None)


def aftermath(stands: Standing, head: int, cause: int, *, cascade: bool = False) -> Iterator[Command]:
    """Yield a question for each later ruling that would be otherwise, and for each score beyond its limits.

    In a cascade what would be ruled otherwise is amended instead, in order.
    """
    for found in knock_on(stands, head):
        if found.finds == "otherwise" and cascade:
            yield from amended(stands, found.part.root, {}, cascade=True, cause=cause)
        elif found.finds != "same":
            yield Say(event=_knocked_on(found), cause=cause)
    for crossed in _limits_crossed(stands, head):
        yield Say(event=crossed, cause=cause)


def _knocked_on(found: KnockOn) -> KnockOnFound:
    assert found.finds != "same"  # noqa: S101  asked about others alone
    return KnockOnFound(
        about=found.part.root,
        finds=found.finds,
        numbers={who: dict(names) for who, names in found.numbers.items()},
        verdict=found.verdict,
        says=found.says,
    )


def check_stands(stands: Standing, act: int) -> None:
    """Refuse to strike the opening of the campaign, and what was struck already."""
    if act == 1:
        raise Refused(NO_OPENING)
    by = stands.mark(STRUCK, str(act))
    if by is not None:
        raise Refused(f"#{act} does not stand: it was struck by #{by}.", f"See 'campaign show {by}'.")


def struck(
    stands: Standing, act: int, seq: int, how: How, *, why: str | None = None, whole: bool = False
) -> ActionStruck:
    """Return the strike of an action, with the answers that fall with it; `whole`, with what it struck in its turn."""
    falls = list(_falling(stands, act))
    for fallen in falls if whole else ():
        falls += [each for each in _struck_by(stands, fallen) if each not in falls]
    marks = tuple(Mark(who=STRUCK, name=str(fallen), value=seq) for fallen in dict.fromkeys(falls))
    return ActionStruck(strikes=act, how=how, why=_reason(why), marks=marks)


def _reason(why: str | None) -> Said | None:
    return None if why is None else worded("A reason", why)


def _falling(stands: Standing, act: int) -> Iterator[int]:
    yield act
    for entry in stands.action(act):
        if entry.type == QuestionAsked.type:
            answer = stands.mark(QUESTIONS, str(entry.seq))
            if answer:
                yield from _falling(stands, stands.entry(answer).act)


def _struck_by(stands: Standing, act: int) -> list[int]:
    strikes = (entry for entry in stands.action(act) if entry.type == ActionStruck.type)
    return list(dict.fromkeys(int(mark["name"]) for strike in strikes for mark in strike.body["marks"]))


def _how(first: Entry) -> str | None:
    return str(first.body["how"]) if first.type == ActionStruck.type else None


def _may_be_undone(stands: Standing, act: int) -> bool:
    return stands.mark(STRUCK, str(act)) is None and _how(stands.action(act)[0]) not in {"undo", "redo"}


def _counting_after(stands: Standing, last: int) -> Iterator[int]:
    """Yield the standing actions that played something which counts since after an entry, in order."""
    act = last + 1
    while act <= stands.head():
        entries = stands.action(act)
        played = any(entry.type not in STAYING and entry.since > last for entry in entries)
        if played and stands.mark(STRUCK, str(act)) is None:
            yield act
        act = entries[-1].seq + 1


def _limits_crossed(stands: Standing, head: int) -> Iterator[LimitCrossed]:
    """Yield the scores that a correction moved beyond their limits."""
    asked = [stands.entry(seq) for seq in stands.questions()]
    waiting = [(each.body["who"], each.body["score"]) for each in asked if each.type == LimitCrossed.type]
    for who, full in sorted({(who, full) for who, full, _ in stands.late(head)}):
        name, slash, short = full.partition("/")
        system = systems.installed(name) if slash else None
        score = system.score(short) if system else None
        if system is None or score is None:
            continue
        bounded = [each for each in system.scores if each.most == short]
        for each in (score.but(name=short), *bounded):
            crossed = _crossed(stands, head, system, who, each)
            if crossed is not None and (who, crossed.score) not in waiting:
                waiting.append((who, crossed.score))
                yield crossed


def _crossed(stands: Standing, head: int, system: System, who: str, score: Score) -> LimitCrossed | None:
    value, most = _value_and_most(stands, system, who, score)
    before = _value_and_most(stands.at(head + 1, head), system, who, score)
    if score.least <= value <= most or (value, most) == before:
        return None
    return LimitCrossed(who=who, score=f"{system.name}/{score.name}", value=value, least=score.least, most=most)


def _value_and_most(stands: Standing, system: System, who: str, score: Score) -> tuple[int, int]:
    value = stands.balance(who, f"{system.name}/{score.name}") or 0
    most = score.most if isinstance(score.most, int) else stands.balance(who, f"{system.name}/{score.most}") or 0
    return value, most
