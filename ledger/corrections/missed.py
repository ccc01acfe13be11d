"""Missed moves: moves that a game did not add to the start of a day or turn, but must add after a correction.

For example, if the death of a character is voided, the character had no dawn on the days since then. A correction
asks about these moves, or adds them to the days.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from ledger import systems
from ledger.commands.decider import BookDraft, Record, Sketch, StateAndRoster, TableCommand
from ledger.commands.play import PlayMove
from ledger.commands.sheet import table_of
from ledger.commands.turns import current_round
from ledger.corrections.actions import ActionPart, entries_to_check, replacement_of, targets_of
from ledger.corrections.in_place import InPlaceDraft, StateAfterStart
from ledger.corrections.spots import START_TYPES
from ledger.errors import LedgerError
from ledger.events import types as events
from ledger.events.entry import Entry
from ledger.events.subjects import CAST, plays
from ledger.rules.move import Move
from ledger.values import Struct


class MissedPart(Struct):
    """A part that an action should have for the character `who`, but does not have.

    - `start`: the root of the part to which the missing part belongs.
    - `place`: the entry at which the missing part takes effect.
    - `in_order`: True if earlier missing parts of the same kind, character and game must be played first.
    """

    in_order: ClassVar[bool]
    start: int
    place: int
    who: str
    system: str = ""

    @property
    @abstractmethod
    def command(self) -> TableCommand:
        """The command that carries out this part of the action."""

    @property
    def may_be_played(self) -> bool:
        """False if a player must choose how the part continues. Default: True."""
        return True

    @abstractmethod
    def is_played(self, record: Record) -> bool:
        """Return True if the part is no longer missing."""


class MissedMove(MissedPart):
    """A missed move. The entry `start` started the day or the turn."""

    in_order = True
    move: type[Move]

    @property
    def command(self) -> PlayMove:
        """The command that plays the move."""
        return PlayMove(system=self.system, move=self.move(who=self.who))

    def is_played(self, record: Record) -> bool:
        return _is_played(record, self)


def missed_moves(record: Record, head: int) -> Iterator[MissedMove]:
    """Yield the moves that are missing because of corrections after entry `head`, in order of place."""
    late = corrected_characters(record, head)
    names, first = {*late}, min(late.values(), default=head)
    for start in _day_and_turn_starts(record, first) if late else ():
        for move in _due_moves(record, start, names):
            was = StateAfterStart(record, start.since, head)
            if not _is_due(was, move) and not _is_played(record, move):
                yield move


def corrected_characters(record: Record, head: int) -> dict[str, int]:
    """Return the characters and other subjects that corrections after entry `head` changed.

    The result maps each subject to the first entry at which its scores, its marks or its place at the table
    changed.
    """
    acts, seen, first = [head + 1], {head + 1}, dict[str, int]()
    for act in acts:
        acts += (new := [target for target in targets_of(record, act) if target not in seen])
        seen.update(new)
    moved = [(who, since) for who, _, since in record.corrected_rows(head)]
    seated = (entry for act in acts for entry in entries_to_check(record, act) if entry.since <= head)
    moved += [(mark.name, entry.since) for entry in seated for mark in entry.event.marks if mark.who == CAST]
    for who, since in moved:
        first[who] = min(since, first.get(who, since))
    return first


def still_missed(record: Record, question: events.MovesMissed) -> list[MissedMove]:
    """Return the moves of a question that are still missing."""
    roots = (replacement_of(record, seq) if record.is_struck(record.entry(seq).act) else seq for seq in question.starts)
    due = (move for root in roots if root for move in _due_moves(record, record.entry(root), {question.who}))
    return [move for move in due if move.system == question.system and not _is_played(record, move)]


def questions_about(moves: Iterable[MissedMove]) -> list[events.MovesMissed]:
    """Return the questions about missed moves. Moves of the same character, game and kind share a question."""
    grouped: dict[tuple[str, str, str], list[int]] = {}
    for move in moves:
        grouped.setdefault((move.who, move.system, move.move.name()), []).append(move.start)
    return [
        events.MovesMissed(who=who, system=system, move=name, starts=tuple(starts))
        for (who, system, name), starts in grouped.items()
    ]


def parts_and_starts(parts: Sequence[ActionPart]) -> Iterator[tuple[ActionPart | None, int]]:
    """Yield the parts of an action in order, and the points where missed parts may be added.

    - `(part, start)`: a part, and the place where its day or turn started, or 0.
    - `(None, place)`: a point for the missed parts that belong to `place`. A point for a day or turn comes at the
      end of that day or turn. The other points come after the last part of the action.
    """
    start = 0
    for part in parts:
        if part.rulings[0].type in START_TYPES:
            if start:
                yield None, start
            start = part.place
        yield part, start
    if start:
        yield None, start
    yield from (
        (None, place)
        for place in dict.fromkeys(
            part.place for part in parts if not part.is_added_by_correction and part.rulings[0].type not in START_TYPES
        )
    )


def play_parts_missed_at(draft: BookDraft, moves: Sequence[MissedPart], start: int, cause: int) -> None:
    """Play the missed parts in `moves` whose `place` is `start`. Skip parts that cannot be played."""
    for move in moves:
        sketch = decide_missed(draft, moves, move, cause) if move.place == start else None
        if sketch is not None:
            for added in sketch.added:
                draft.add(added.event, added.cause, added.since)
            sketch.declare_secret_in(draft)


def decide_missed(draft: BookDraft, moves: Iterable[MissedPart], move: MissedPart, cause: int) -> Sketch | None:
    """Decide a missed part in its place. `moves` has all missed parts.

    Return `None` if the part needs a choice or dice, if the rules refuse it, or if it waits for an earlier part. The
    program does not guess what a player would have chosen.
    """
    same = (other for other in moves if (type(other), other.who, other.system) == (type(move), move.who, move.system))
    waits = move.in_order and any(other.place < move.place and not other.is_played(draft) for other in same)
    if waits or not move.may_be_played:
        return None
    sketch = Sketch(draft, draft.head())
    part = ActionPart(
        rulings=(draft.entry(move.start),),
        entries=(),
        spot=(move.place, move.who, move.system),
        command=move.command,
        thrown=None,
    )
    try:
        InPlaceDraft(draft, part, sketch, cause=cause).decide(move.command)
    except LedgerError:
        return None
    return None if any(isinstance(added.event, events.QuestionAsked) for added in sketch.added) else sketch


def _day_and_turn_starts(record: Record, first: int) -> list[Entry]:
    """Return the starts of days and turns, in order of place. Leave out those that took effect before `first`."""
    starts = record.search(sorted(START_TYPES), first, ("day", "round"))
    return sorted(
        (start for start in starts if start.since >= first and not record.is_struck(start.act)),
        key=lambda start: start.since,
    )


def _due_moves(record: Record, start: Entry, names: set[str]) -> Iterator[MissedMove]:
    """Yield the moves that were due for these characters when entry `start` started a day or turn."""
    now, turn = StateAfterStart(record, start.since), start.event if isinstance(start.event, events.TurnBegan) else None
    if turn is not None:
        names = names & {turn.who} if _is_new_turn(record, turn, start.since) else set()
    for who, name in ((who, name) for name in sorted(systems.names()) for who in sorted(names)):
        if not _has_sheet(now, who, name):
            continue
        rulebook = systems.find(name).rulebook()
        move = rulebook.new_day if turn is None else rulebook.new_turn
        if move is not None:
            missed = MissedMove(start=start.seq, place=start.since, who=who, system=name, move=move)
            if _is_due(now, missed):
                yield missed


def _is_new_turn(record: Record, turn: events.TurnBegan, place: int) -> bool:
    """Return True if a character's turn is new: the character did not delay it earlier in the round.

    Return False, too, for a skipped turn that is the character's last one.
    """
    if isinstance(turn, events.TurnSkipped) and turn.always:
        return False
    before = current_round(record.as_of(place))
    return before is None or before.round != turn.round or turn.who not in before.delayed


def _is_due(state: StateAndRoster, move: MissedMove) -> bool:
    try:
        is_due = move.move.is_due(table_of(state, move.system), move.who)
        return is_due and _has_sheet(state, move.who, move.system)
    except LedgerError:  # the game does not let the day start here
        return False


def _has_sheet(state: StateAndRoster, who: str, system: str) -> bool:
    """Return True if a character plays, and has a sheet in this game."""
    return bool(state.mark(who, f"{system}/sheet")) and plays(state.mark, who)


def _is_played(record: Record, move: MissedMove) -> bool:
    """Return True if the move was made after its day or turn started, and before the next one started."""
    is_day = record.entry(move.start).type == events.DayBegun.type
    starts = _day_and_turn_starts(record, move.place + 1)
    later = (start.since for start in starts if (start.type == events.DayBegun.type) == is_day)
    end = min(later, default=record.head() + 1)
    for ruling in record.search(events.MOVE_TYPES, move.place, ("move",)):
        event = ruling.event
        assert isinstance(event, events.MoveEvent)  # noqa: S101  only these were searched
        is_same = (event.who, event.system, event.move) == (move.who, move.system, move.move.name())
        if is_same and move.place <= ruling.earliest_place(record.entry) < end and not record.is_struck(ruling.act):
            return True
    return False
