"""Parts: what one command said within an action, to be played again in its place.

A part is what one command said within an action: its root entry, its dice, and the entry since which it counts. With
the answer to its question, where it asked one, it is one move. A part is played again with the sheets as now known of
its place, with the dice that lie, and with other inputs, if any; nothing is written here.
"""

from collections.abc import Iterator, Sequence

from ledger.commands.decider import State, TableCommand
from ledger.commands.recorded import said_in
from ledger.errors import Refused
from ledger.events.entry import Entry, chosen_after, place_of, throws_in
from ledger.events.types import (
    ActionAmended,
    Correction,
    DiceCounted,
    DiceThrown,
    MoveEvent,
    QuestionAsked,
    RollSealed,
)
from ledger.rules.dice import Die, Throw
from ledger.values import Struct

NO_OPENING = "The opening of the campaign cannot be struck."


class Part(Struct):
    """What one command said within an action; `rulings` are its root and, where that asked, the answer to it."""

    rulings: tuple[Entry, ...]
    place: int
    said: TableCommand
    thrown: Throw | None

    @property
    def root(self) -> int:
        """The entry by which the part is amended: the ruling, or what stands for one."""
        return self.rulings[-1].seq

    @property
    def who(self) -> str:
        """Whose dice lie here."""
        root = self.rulings[-1].event
        return root.who if isinstance(root, MoveEvent | DiceCounted) else ""


def parts(state: State, act: int) -> list[Part]:
    """The parts of an action, in order, with the answers that stand to what they asked."""
    entries = state.action(act, secrets=True)
    correcting = {entry.seq for entry in entries if isinstance(entry.event, Correction)}
    roots = (entry for entry in entries if entry.cause is None or entry.cause in correcting)
    return [
        _part(state, entry)
        for entry in roots
        if not isinstance(entry.event, Correction | DiceThrown) and (chosen_after(entry.event) or 0) < act
    ]


def part_of(state: State, seq: int) -> tuple[int, Part]:
    """The action that is struck when an entry is amended, and the part that the entry belongs to.

    An answer belongs to the part that asked; an amendment stands for what it played again. Refuses any other entry
    that only says something about others.
    """
    entry = state.entry(seq)
    if entry.act == 1:
        raise Refused(NO_OPENING)
    check_not_told(state, entry)
    if isinstance(entry.event, RollSealed):
        raise Refused(f"#{seq} is sealed, so that nobody can say it otherwise.", f"Reveal it: campaign reveal {seq}")
    if isinstance(entry.event, Correction):
        return entry.act, _amended(state, entry)
    root = _root_of(state, entry)
    if (asked := chosen_after(root.event)) is not None:
        root = state.entry(asked)
    found = next((part for part in parts(state, root.act) if part.rulings[0].seq == root.seq), None)
    if found is None:
        raise Refused(f"#{seq} belongs to nothing that can be played again.")
    return root.act, found


def check_not_told(state: State, entry: Entry) -> None:
    """Refuse (`Refused`) a sealed roll that was revealed: what that wrote is what counts."""
    told = state.question(entry.seq).answered_by if isinstance(entry.event, RollSealed) else None
    if told:
        raise Refused(
            f"#{entry.seq} was revealed by #{told}, and that counts.", f"Name what it wrote: campaign show {told}"
        )


def _amended(state: State, entry: Entry) -> Part:
    """The ruling that an amendment (or a decision to amend) played again."""
    amendments = [each for each in state.action(entry.act) if isinstance(each.event, ActionAmended)]
    found = next((each for each in amendments if entry.seq in {each.seq, each.cause}), None)
    if found is None or not isinstance(found.event, ActionAmended):
        raise Refused(
            f"#{entry.seq} is a correction, and is not amended.",
            f"Void it with 'campaign void {entry.seq} --why TEXT'.",
        )
    place = part_of(state, found.event.about)[1].place
    later = (part for part in parts(state, entry.act) if part.rulings[0].seq > found.seq and part.place == place)
    again = next(later, None)
    if again is None:
        raise Refused(f"#{entry.seq} belongs to nothing that can be played again.")
    return again


def _root_of(state: State, entry: Entry) -> Entry:
    """The entry that heads the part of an entry: of dice the ruling on them, of a consequence its move."""
    if isinstance(entry.event, DiceThrown):
        later = (each for each in state.action(entry.act) if each.seq > entry.seq)
        return next((each for each in later if not isinstance(each.event, DiceThrown)), entry)
    while entry.cause is not None and not isinstance(state.entry(entry.cause).event, Correction):
        entry = state.entry(entry.cause)
    return entry


def _part(state: State, root: Entry) -> Part:
    rulings = [root]
    answer = state.question(root.seq).answered_by if isinstance(root.event, QuestionAsked) else None
    if answer is not None:
        rulings.append(state.entry(answer, secrets=True))
    return Part(
        rulings=tuple(rulings),
        place=place_of(root, state.entry),
        said=said_in(rulings[-1]),
        thrown=_thrown(state, throws_in(root.event)),
    )


def _thrown(state: State, throws: Sequence[int]) -> Throw | None:
    thrown = [event for event in (state.entry(seq).event for seq in throws) if isinstance(event, DiceThrown)]
    return (
        Throw(
            dice=tuple(
                Die(sides=die.sides, face=die.face, digits=die.digits) for event in thrown for die in event.dice
            ),
            source="machine" if any(event.source == "machine" for event in thrown) else "typed",
            written=tuple(throws),
        )
        if throws
        else None
    )


def recorded(state: State, part: Part) -> Iterator[Entry]:
    """Yield what was written of a part: its root and what followed, then the answer and what followed from that."""
    for ruling in part.rulings:
        for entry in state.action(ruling.act, secrets=True):
            if ruling.seq in {entry.seq, entry.cause}:
                yield entry
