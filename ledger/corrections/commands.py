"""Corrections: strikes, and what is played again, decided like everything else. Nothing is taken back.

A strike is a new entry that names an action; the accounts turn its postings round and pass its marks over. With an
action fall the answers that played on from its questions. An action stands unless a standing action strikes it.
Undo, void and rewind strike; amend strikes and plays again in the old place; redo lets stand again.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, ClassVar

from ledger.commands.decider import Command, Plan, Standing
from ledger.corrections.aftermath import aftermath
from ledger.corrections.parts import Part, parts
from ledger.corrections.stages import Kept, Say, Strike, amended
from ledger.corrections.strike import decided_in, reason, struck
from ledger.errors import Refused
from ledger.events.entry import Entry
from ledger.events.facts import Mark
from ledger.events.subjects import QUESTIONS, STRUCK
from ledger.events.types import (
    CORRECTING,
    LASTING,
    ActionAmended,
    ActionStruck,
    CampaignOpened,
    CharacterJoined,
    NoteWritten,
    PlayerSeated,
    PlayRewound,
    RollSealed,
    SceneSet,
    SessionClosed,
    SessionOpened,
    SettingsChanged,
)
from ledger.rules.dice import Throw

STAYING = CORRECTING - {RollSealed.type} | {
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
        head, waiting = stands.head(), stands.questions()
        yield Strike(act=self.strikes, how="void", why=self.why)
        yield from aftermath(stands, head, head + 1, waiting)

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
        waiting = stands.questions()
        last = stands.action(stands.entry(self.to).act)[-1].seq
        acts = list(_counting_after(stands, last))
        if not acts:
            raise Refused(f"Nothing that was played counts since after #{self.to}.")
        keeps = {act: [part for part in parts(stands, act) if _is_kept(part, last)] for act in acts}
        carried = [each for act, kept in keeps.items() if kept for each in decided_in(stands, act)]
        marks = tuple(Mark(who=QUESTIONS, name=str(question), value=head + 1) for question in carried)
        yield Say(event=PlayRewound(to=self.to, why=reason(self.why), marks=marks))
        for act, kept in keeps.items():
            if stands.mark(STRUCK, str(act)) is not None:
                continue  # an answer, which fell with its question
            yield Strike(act=act, how="rewind", why=None, cause=head + 1, whole=True)
            strike = stands.head()
            for part in kept:
                yield Kept(part=part, cause=strike)
        yield from aftermath(stands, head, head + 1, waiting)


class Amend(Command):
    """Strike an action and play it again in its place, with other inputs or other typed dice."""

    writes: ClassVar[tuple[str, ...]] = (ActionAmended.type,)
    named: int
    inputs: Mapping[str, Any]
    faces: tuple[int, ...] | None
    cascade: bool
    why: str

    def stages(self, stands: Standing) -> Iterator[Command]:
        """Play it again, then look at what that would change."""
        head, waiting = stands.head(), stands.questions()
        yield from amended(stands, self.named, self.inputs, self.faces, why=self.why, cascade=self.cascade)
        yield from aftermath(stands, head, head + 1, waiting, cascade=self.cascade)


def _how(first: Entry) -> str | None:
    return str(first.body["how"]) if first.type == ActionStruck.type else None


def _may_be_undone(stands: Standing, act: int) -> bool:
    first = stands.action(act)[0]
    return stands.mark(STRUCK, str(act)) is None and _how(first) not in {"undo", "redo"} and first.type not in LASTING


def _is_kept(part: Part, last: int) -> bool:
    root = part.rulings[0]
    return (part.place <= last and root.body.get("answers") is None) or root.type in STAYING


def _counting_after(stands: Standing, last: int) -> Iterator[int]:
    """Yield the standing actions that played something which counts since after an entry, in order."""
    act = last + 1
    while act <= stands.head():
        entries = stands.action(act)
        played = any(entry.type not in STAYING and entry.since > last for entry in entries)
        if played and stands.mark(STRUCK, str(act)) is None:
            yield act
        act = entries[-1].seq + 1
