"""The commands undo, redo, void, rewind and amend.

All of them strike actions; nothing is deleted. A strike is a new entry that names an action. The accounts reverse the
postings of that action and skip its marks, and the answers to its questions are canceled too. Undo, void and rewind
only strike. Amend strikes an action and plays it again in its old place. Redo strikes an undo.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice, takewhile
from typing import Annotated, Any, ClassVar, Self

from ledger.commands.decider import BookDraft, Command, PageForm, Record, State, describe_difference
from ledger.corrections.actions import (
    ActionPart,
    action_of,
    carried_marks,
    check_can_be_struck,
    check_not_revealed,
    committed_reason,
    entries_to_copy,
    part_of,
    strike_of,
    targets_of,
    write_copies,
)
from ledger.corrections.amend import amend, ask_about_changes, plan_amendment
from ledger.corrections.reasons import close_questions
from ledger.errors import TYPE_OR_USE, BadInput, Refused, Run, entry_count
from ledger.events.entry import Entry, lead_of
from ledger.events.subjects import CAMPAIGN, TURN
from ledger.events.types import (
    ActionAmended,
    ActionStruck,
    Correction,
    LogImported,
    OfTheBook,
    PlayRewound,
    RoundBegan,
    TurnBegan,
    TurnDelayed,
)
from ledger.rules.dice import stored_faces
from ledger.rules.inputs import ACTION, ENTRY, Label, Reason, Typed

Cascade = Annotated[bool, "also redo the later entries that the correction affects"]
MOST_UNDONE = 20
"""The maximum number of typed lines that can be undone at a time."""

UNDO_SEARCH_LIMIT = 1000
"""The number of actions that undo searches, counted back from the latest. `void` can cancel older actions."""


class Undo(Command):
    """A command that strikes the last line that the player typed: all actions of the line, if it has several.

    Undos, redos and entries about the book itself are skipped.
    """

    writes: ClassVar[tuple[str, ...]] = (ActionStruck.type,)
    how: ClassVar[str] = "undo"
    uses_reserve = True
    for_players: ClassVar[bool] = True
    planned = True

    def decide(self, draft: BookDraft) -> None:
        crossed = False
        for line in _undoable_lines(draft):
            if draft.entry(line[0]).by == draft.by:
                break
            crossed = True
        else:
            hint = (
                f"'undo' searches only the last {UNDO_SEARCH_LIMIT:,} actions. To cancel an earlier action:"
                f" {Run('void', 'ENTRY', why='TEXT')}"
            )
            is_cut_off = next(islice(draft.acts_backwards(), UNDO_SEARCH_LIMIT + 1, None), None) is not None
            says = f"{draft.players().get(draft.by, draft.by)} has nothing left to undo."
            raise Refused(says, hint if is_cut_off else "")
        waiting = draft.questions()
        for act in line:
            draft.add(strike_of(draft, act, draft.next, "undo"))
        if crossed:
            ask_about_changes(draft, waiting, how="undo")
        else:
            close_questions(draft, draft.head_before + 1)


def undos(count: int) -> list[Undo]:
    """Return commands that undo the last `count` lines. Raise `BadInput` unless `count` is from 1 to `MOST_UNDONE`."""
    if not 1 <= count <= MOST_UNDONE:
        raise BadInput(f"You can undo from 1 to {MOST_UNDONE} commands at a time, not {count}.")
    return [Undo()] * count


def next_to_undo(state: Record, by: str) -> Iterator[int]:
    """Yield the first action of each line of player `by` that `undo` may strike, the latest line first."""
    return (line[-1] for line in _undoable_lines(state) if state.entry(line[-1]).by == by)


def latest_undo(record: Record) -> int | None:
    """Return the undo that `redo` would strike.

    Return `None` if there is none, or if a later action is neither an undo nor a redo.
    """
    kinds = ((act, _strike_kind(record.action(act)[0])) for act in record.acts_backwards())
    latest = takewhile(lambda pair: pair[1] in {"undo", "redo"}, kinds)
    return next((act for act, how in latest if how == "undo" and not record.is_struck(act)), None)


class Redo(Command):
    """A command that restores the last undone line. It is refused if anything else was written since."""

    writes: ClassVar[tuple[str, ...]] = (ActionStruck.type,)
    how: ClassVar[str] = "redo"
    uses_reserve = True
    for_players: ClassVar[bool] = True
    planned = True

    def decide(self, draft: BookDraft) -> None:
        undo = latest_undo(draft)
        if undo is None:
            hint = "'redo' restores the last undone action. It works only until something else is recorded."
            last = draft.action(next(draft.acts_backwards()))
            if isinstance(last[0].event, PlayRewound | ActionAmended) or _strike_kind(last[0]) == "void":
                hint = f"To undo #{last[0].seq}, {TYPE_OR_USE} {Run('undo')}."
            raise Refused("There is nothing to redo.", hint)
        draft.add(strike_of(draft, undo, draft.next, "redo"))

    def acting_characters(self, record: Record, seat: str) -> Sequence[str]:
        undo = latest_undo(record)
        return () if undo is None or record.entry(undo).by == seat else (CAMPAIGN,)


class Void(Command):
    """A command that strikes the action `strikes` and the actions in `also`. Their first entries identify them.

    - If one of these actions had canceled another of them, the other one stays canceled.
    - If one of these actions cannot be struck, none of them is.
    - If one of these actions is the log of an import, the rest of the import is struck too.
    """

    writes: ClassVar[tuple[str, ...]] = (ActionStruck.type,)
    how: ClassVar[str] = "void"
    uses_reserve = True
    planned = True
    asks: ClassVar[bool] = True
    strikes: Annotated[int, ACTION, Typed(name="entry")]
    why: Reason
    cascade: Cascade = False
    also: Annotated[tuple[int, ...], Typed(name="")] = ()

    @property
    def acts(self) -> list[int]:
        """The actions to strike, the latest first."""
        return sorted({self.strikes, *self.also}, reverse=True)

    def decide(self, draft: BookDraft) -> None:
        waiting, acts = draft.questions(), self.acts
        why: str | None = self.why
        for seq in acts:
            if seq != (act := draft.entry(seq).act):
                raise Refused(f"#{seq} is not the first entry of its action. The action starts with #{act}.")
        done, refused = set[int](), dict[int, Refused]()
        for act in acts:
            if act in done:
                continue
            also = canceled_by(draft, act, acts)
            try:
                void_actions(draft, act, why, also=sorted(also), cascade=self.cascade)
                why = None  # the first strike has the reason
            except Refused as error:
                refused[act] = error
            done |= also
        if refused:
            raise _void_error(draft, acts, refused)
        for act in acts:
            for later in rest_of_import(draft, act):
                void_actions(draft, later, None, draft.head_before + 1)
        ask_about_changes(draft, waiting, cascade=self.cascade, how="void")

    def difference_from(self, entries: Sequence[Entry]) -> str | None:
        first = lead_of(entries)
        if not self.wrote(first):
            return None
        targets = {target for strike in _typed_strikes(entries) for target in strike.targets}
        acts = sorted({strike.strikes for strike in _typed_strikes(entries)} | ({*self.acts} & targets), reverse=True)
        before = {**self.recorded_inputs(first), "strikes": acts[0], "also": acts[1:]}
        return describe_difference(first, before, {**self.__dict__, "strikes": self.acts[0], "also": self.acts[1:]})

    @classmethod
    def from_action(cls, state: State, entries: Sequence[Entry]) -> Self:
        """Make the command again from the strikes that it wrote.

        `also` gets the action that each strike names, and each target that was already struck before the command. The
        program adds no such target by itself, so the user must have named it.
        """
        command = cls.from_entry(lead_of(entries))
        strikes = _typed_strikes(entries)
        before = (target for strike in strikes for target in strike.targets if state.is_struck(target))
        also = {*(strike.strikes for strike in strikes), *before} - {command.strikes}
        return command.replace(why=command.why or "", also=tuple(sorted(also)))  # a forged entry may lack the reason


class BackTurn(Command):
    """A command that goes back to the previous turn: it strikes the last turn that began, was skipped or was delayed.

    Unlike `undo`, it keeps everything that was entered during the turn. It strikes only the turn, with the moves that a
    game added to its start.
    """

    writes: ClassVar[tuple[str, ...]] = (ActionStruck.type,)
    how: ClassVar[str] = "void"
    uses_reserve = True
    form = PageForm(name="back-turn", heading="Back to the previous turn", button="Back")
    planned = True

    def decide(self, draft: BookDraft) -> None:
        if draft.mark(CAMPAIGN, TURN) is None:
            raise Refused("No turn has started, so there is no previous turn.", f"To start one: {Run('turns next')}")
        standing = (act for act in draft.acts_backwards() if not draft.is_struck(act))
        turn = next(act for act in standing if any(isinstance(entry.event, TURN_EVENTS) for entry in draft.action(act)))
        if isinstance(draft.entry(turn).event, Correction):
            hint = f"Void the correction first: {Run('void', turn, why='TEXT')}"
            raise Refused(f"The last turn is part of correction #{turn}.", hint)
        waiting = draft.questions()
        void_actions(draft, turn, "back to the turn before")
        ask_about_changes(draft, waiting, how="void")


TURN_EVENTS = (TurnBegan, TurnDelayed, RoundBegan)
"""The events that say whose turn it is."""


class Rewind(Command):
    """A command that cancels everything after the action of entry `to`. Events with `survives_rewind` stay."""

    writes: ClassVar[tuple[str, ...]] = (PlayRewound.type,)
    uses_reserve = True
    form = PageForm(name="rewind", heading="Rewind", button="Preview")
    planned = True
    asks: ClassVar[bool] = True
    to: Annotated[int, ENTRY, Label(text="last entry to keep"), "the last entry to keep"]
    why: Reason | None = None

    def decide(self, draft: BookDraft) -> None:
        """Strike the actions in order. Copy the parts that survive a rewind or take effect at a kept entry."""
        waiting, rewind = draft.questions(), draft.next
        last = draft.action(draft.entry(self.to).act)[-1].seq
        acts = list(_rewound_actions(draft, last))
        if not acts:
            raise Refused(f"There is nothing to cancel after #{self.to}.")
        copies = {
            act: [entries_to_copy(draft, part) for part in action_of(draft, act).parts if _survives_rewind(part, last)]
            for act in acts
        }
        marks = [mark for act in acts if copies[act] for mark in carried_marks(draft, act, rewind)]
        draft.add(PlayRewound(to=self.to, why=committed_reason(self.why), marks=tuple(marks)))
        for act, part_copies in copies.items():
            if draft.is_struck(act):
                continue  # an answer, which was canceled together with its question
            check_can_be_struck(draft, act)
            strike = draft.add(strike_of(draft, act, draft.next, "rewind", keeps_strikes=True), rewind)
            for part_copy in part_copies:
                write_copies(draft, part_copy, strike)
        ask_about_changes(draft, waiting)


class Amend(Command):
    """A command that strikes an action and plays it again in its place, with other inputs or other typed dice."""

    writes: ClassVar[tuple[str, ...]] = (ActionAmended.type,)
    uses_reserve = True
    planned = True
    asks: ClassVar[bool] = True
    named: int
    inputs: Mapping[str, Any]
    faces: tuple[int, ...] | None
    cascade: Cascade
    why: Reason

    def decide(self, draft: BookDraft) -> None:
        waiting = draft.questions()
        found = part_of(draft, self.named)
        plan = plan_amendment(draft, found, self.named, self.inputs, self.faces, why=self.why, cascade=self.cascade)
        amend(draft, plan)
        ask_about_changes(draft, waiting, cascade=self.cascade, how="void")

    def difference_from(self, entries: Sequence[Entry]) -> str | None:
        return super(Amend, self.replace(faces=stored_faces(self.faces))).difference_from(entries)

    @classmethod
    def from_entry(cls, entry: Entry) -> Self:
        command = super().from_entry(entry)
        return command.replace(why=command.why or "")  # a forged entry may lack the reason; an empty one is refused


def void_actions(
    draft: BookDraft,
    act: int,
    why: str | None,
    cause: int | None = None,
    also: Iterable[int] = (),
    *,
    cascade: bool = False,
) -> None:
    """Strike action `act` and the actions in `also`, all with one entry, which follows from entry `cause`.

    Raise `Refused` if `act` cannot be struck, or is a sealed roll that was revealed.
    """
    check_can_be_struck(draft, act)
    check_not_revealed(draft, draft.entry(act))
    draft.add(strike_of(draft, act, draft.next, "void", why=why, also=also, cascade=cascade), cause)


def rest_of_import(record: Record, act: int) -> Iterator[int]:
    """Yield the rolls and sheets of the import whose log is action `act`. Leave out struck ones.

    If `act` is not the log of an import, yield nothing.
    """
    log = record.entry(act)
    place = act + 1 if isinstance(log.event, LogImported) else record.head() + 1
    while place <= record.head() and log.line is not None and (entry := record.entry(place)).line == log.line:
        if not record.is_struck(place) and getattr(entry.event, "log", act) == act:
            yield place
        place = record.action(place)[-1].seq + 1


def _typed_strikes(entries: Iterable[Entry]) -> list[ActionStruck]:
    """Return the strikes that a command names. Leave out the strikes that follow from them."""
    events = (entry.event for entry in entries if entry.cause is None)
    return [event for event in events if isinstance(event, ActionStruck)]


def canceled_by(record: Record, act: int, acts: Container[int]) -> set[int]:
    """Return the actions in `acts` that action `act` cancels, directly or through others in `acts`."""
    canceled, waiting = set[int](), [act]
    while waiting:
        more = {target for target in targets_of(record, waiting.pop()) if target in acts} - canceled
        canceled |= more
        waiting += more
    return canceled


def _void_error(record: Record, acts: Sequence[int], refused: Mapping[int, Refused]) -> Refused:
    """Return the error for `refused` actions, which cannot be struck. The hint tells how to void the rest of `acts`."""
    if len(acts) == 1:
        return refused[acts[0]]
    reasons = " ".join(refused[act].sentence for act in sorted(refused))
    others = [lead_of(record.action(act)).seq for act in reversed(acts) if act not in refused]
    hint = f"To void the others: {Run('void', *others, why='TEXT')}" if others else ""
    return Refused(f"Nothing was voided, because {entry_count(len(refused))} cannot be canceled. {reasons}", hint)


def _strike_kind(first: Entry) -> str | None:
    return first.event.how if isinstance(first.event, ActionStruck) else None


def _undoable_lines(record: Record) -> Iterator[list[int]]:
    """Yield the actions of each line that undo may strike.

    The latest line, and its latest action, come first. Look only at lines whose latest action is among the last
    `UNDO_SEARCH_LIMIT` actions.
    """
    acts = takewhile(lambda act: act > 1, record.acts_backwards())
    numbered = enumerate(record.action(act)[0] for act in acts)
    for _, line in groupby(numbered, lambda pair: pair[1].line or pair[1].act):
        (number, latest), *earlier = line
        if number >= UNDO_SEARCH_LIMIT:
            return
        firsts = [first for first in (latest, *(first for _, first in earlier)) if _may_undo(record, first)]
        if firsts:
            yield [first.act for first in firsts]


def _may_undo(record: Record, first: Entry) -> bool:
    stays = isinstance(first.event, OfTheBook) or first.event.is_automatic
    return not (stays or record.is_struck(first.act) or _strike_kind(first) in {"undo", "redo"})


def _survives_rewind(part: ActionPart, last: int) -> bool:
    root = part.rulings[0]
    return (part.place <= last and root.answers is None) or root.event.survives_rewind


def _rewound_actions(record: Record, last: int) -> Iterator[int]:
    """Yield the actions that a rewind to entry `last` strikes, in order."""
    for act, entries in _unstruck_actions(record, last + 1, record.head()):
        if any(entry.since > last and not entry.event.survives_rewind for entry in entries):
            yield act


def kept_actions(record: Record, to: int, before: int) -> Iterator[int]:
    """Yield the actions between entries `to` and `before` that a rewind keeps, except corrections."""
    first = record.action(record.entry(to).act)[-1].seq + 1
    for act, entries in _unstruck_actions(record, first, before - 1):
        lead = lead_of(entries).event
        if lead.survives_rewind and not isinstance(lead, Correction):
            yield act


def _unstruck_actions(record: Record, first: int, last: int) -> Iterator[tuple[int, list[Entry]]]:
    while first <= last:
        entries = record.action(first)
        if not record.is_struck(first):
            yield first, entries
        first = entries[-1].seq + 1
