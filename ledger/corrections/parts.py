"""Parts: what each command said within an action, to be played again in its place.

A part has a root entry, its dice, and the entry from which it counts; a question and its answer are one part.
`in_place` plays it again with the corrected sheets of its place, with its own dice, and with other inputs, if any;
nothing is written here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ledger.commands.decider import State, TableCommand
from ledger.commands.recorded_commands import command_of_root
from ledger.errors import Refused
from ledger.events.entry import Entry, chosen_after, lead_of, place_of, throws_in
from ledger.events.types import (
    ActionAmended,
    CampaignOpened,
    Correction,
    DiceCounted,
    DiceThrown,
    MoveEvent,
    QuestionAsked,
    RollSealed,
)
from ledger.rules.dice import Die, ThrownDice
from ledger.values import Struct

NO_OPENING = "You cannot cancel the start of the campaign."

OPENING = 1
"""The action that opens the campaign and seats the GM. Nothing strikes it; only the GM's name can be amended."""


class ActionPart(Struct):
    """What one command said within an action; `rulings` are its root and, if that was a question, the answer."""

    rulings: tuple[Entry, ...]
    place: int
    said: TableCommand
    thrown: ThrownDice | None

    @property
    def root(self) -> int:
        """The entry by which the part is amended: the ruling, or what stands for one."""
        return self.rulings[-1].seq

    @property
    def who(self) -> str:
        """The character or player of a move or loose dice, else ""."""
        root = self.rulings[-1].event
        return root.who if isinstance(root, MoveEvent | DiceCounted) else ""


def parts(state: State, act: int) -> list[ActionPart]:
    """The parts of an action, in order, each with the standing answer to its question, and what followed from that."""
    entries = state.action(act, secrets=True)
    correcting = {entry.seq for entry in entries if isinstance(entry.event, Correction)}
    roots = (entry for entry in entries if entry.cause is None or entry.cause in correcting)
    own = [
        _part(state, entry)
        for entry in roots
        if not isinstance(entry.event, Correction | DiceThrown | CampaignOpened)
        and ((question := chosen_after(entry.event)) is None or question < act)
    ]
    return [one for part in own for one in (part, *_followed(state, act, part.rulings[-1]))]


def _followed(state: State, act: int, answer: Entry) -> list[ActionPart]:
    """The parts that followed from an answer, where another action gave it."""
    later = parts(state, answer.act) if answer.act != act else []
    return [part for part in later if part.root != answer.seq]


def asking_action(state: State, act: int) -> int:
    """The action that asked what another one answered, and went on from; else that action itself."""
    lead = lead_of(state.action(act))
    question = chosen_after(lead.event)
    if question is None or state.question(question).answered_by != lead.seq:
        return act
    return asking_action(state, state.entry(question).act)


def part_of(state: State, seq: int) -> tuple[int, ActionPart]:
    """Find the action to strike when an entry is amended, and the part that the entry belongs to.

    An answer belongs to the part that asked; an amendment to the part that it replayed. Refuse other corrections,
    sealed rolls, and the opening of the campaign. The GM's seating belongs to the action of the opening.
    """
    entry = state.entry(seq)
    if isinstance(entry.event, CampaignOpened):
        raise Refused(NO_OPENING, "To correct the GM's name: campaign amend 2 --name NAME --why TEXT")
    check_not_told(state, entry)
    if isinstance(entry.event, RollSealed):
        raise Refused(f"#{seq} is sealed and cannot be amended.", f"Reveal it: campaign reveal {seq}")
    if isinstance(entry.event, Correction):
        return entry.act, _part_amended(state, entry)
    root = root_of(state, entry)
    if (question := chosen_after(root.event)) is not None:
        root = state.entry(question)
    act = asking_action(state, root.act)
    own = next((part for part in parts(state, act) if part.rulings[0].seq == root.seq), None)
    if own is None:
        raise Refused(f"#{seq} cannot be amended.")
    return act, own


def later_roll(state: State, act: int, part: ActionPart) -> int | None:
    """The later part of an action that threw, by its root; `None` if this part threw itself, or no later one did."""
    later = (other.root for other in parts(state, act) if other.thrown and other.root > part.root)
    return None if part.thrown else next(later, None)


def check_not_told(state: State, entry: Entry) -> None:
    """Refuse (`Refused`) a sealed roll that was revealed: the entries of the reveal count."""
    reveal = state.question(entry.seq).answered_by if isinstance(entry.event, RollSealed) else None
    if reveal:
        raise Refused(
            f"#{entry.seq} was revealed by #{reveal}. The revealed roll is the one that counts.",
            f"See its entries: campaign show {reveal}",
        )


def _part_amended(state: State, entry: Entry) -> ActionPart:
    """The part that an amendment (or a decision to amend) played again."""
    amendments = [other for other in state.action(entry.act) if isinstance(other.event, ActionAmended)]
    amendment = next((other for other in amendments if entry.seq in {other.seq, other.cause}), None)
    if amendment is None or not isinstance(amendment.event, ActionAmended):
        raise Refused(
            f"#{entry.seq} is a correction, and corrections cannot be amended.",
            f"Void it with 'campaign void {entry.seq} --why TEXT'.",
        )
    place = part_of(state, amendment.event.about)[1].place
    later = (part for part in parts(state, entry.act) if part.rulings[0].seq > amendment.seq and part.place == place)
    again = next(later, None)
    if again is None:
        raise Refused(f"#{entry.seq} cannot be amended.")
    return again


def root_of(state: State, entry: Entry) -> Entry:
    """The root of an entry's part: the ruling on its dice, the move behind a consequence."""
    if isinstance(entry.event, DiceThrown):
        later = (other for other in state.action(entry.act) if other.seq > entry.seq)
        return next((other for other in later if not isinstance(other.event, DiceThrown)), entry)
    while entry.cause is not None and not isinstance(state.entry(entry.cause).event, Correction):
        entry = state.entry(entry.cause)
    return entry


def _part(state: State, root: Entry) -> ActionPart:
    rulings = [root]
    answer = state.question(root.seq).answered_by if isinstance(root.event, QuestionAsked) else None
    if answer is not None:
        rulings.append(state.entry(answer, secrets=True))
    return ActionPart(
        rulings=tuple(rulings),
        place=place_of(root, state.entry),
        said=command_of_root(rulings[-1]),
        thrown=_throw_of(state, throws_in(root.event)),
    )


def _throw_of(state: State, throws: Sequence[int]) -> ThrownDice | None:
    if not throws:
        return None
    events = [event for event in (state.entry(seq).event for seq in throws) if isinstance(event, DiceThrown)]
    return ThrownDice(
        dice=tuple(Die(sides=die.sides, face=die.face, digits=die.digits) for event in events for die in event.dice),
        source="machine" if any(event.source == "machine" for event in events) else "typed",
        written=tuple(throws),
        of=tuple(event.who for event in events for _ in event.dice),
    )


def entries_of(state: State, part: ActionPart) -> Iterator[Entry]:
    """Yield the entries of a part: its root and consequences, then the answer and its consequences."""
    for ruling in part.rulings:
        for entry in state.action(ruling.act, secrets=True):
            if ruling.seq in {entry.seq, entry.cause}:
                yield entry
