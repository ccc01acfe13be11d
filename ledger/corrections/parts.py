"""Parts: what one command said within an action, to be played again in its place.

A part is what one command said within an action: its root entry, its dice, and the entry since which it counts. With
the answer to its question, where it asked one, it is one move. A part is played again with the sheets as now known of
its place, with the dice that lie, and with other inputs, if any; nothing is written here.
"""

from collections.abc import Iterator

from ledger.commands.decider import Command, Standing
from ledger.commands.recorded import revived, said_in
from ledger.errors import Refused
from ledger.events.entry import Entry, place_of, throws_of
from ledger.events.subjects import QUESTIONS
from ledger.events.types import CORRECTING, ActionAmended, DiceThrown, QuestionAsked, RollSealed
from ledger.rules.dice import Throw
from ledger.values import Shape

NO_OPENING = "The opening of the campaign cannot be struck."


class Part(Shape):
    """What one command said within an action; `rulings` are its root and, where that asked, the answer to it."""

    rulings: tuple[Entry, ...]
    place: int
    said: Command
    thrown: Throw | None

    @property
    def root(self) -> int:
        """The entry by which the part is amended: the ruling, or what stands for one."""
        return self.rulings[-1].seq


def parts(stands: Standing, act: int) -> list[Part]:
    """Return the parts of an action, in order, with the answers that stand to what they asked."""
    entries = stands.action(act, secrets=True)
    correcting = {entry.seq for entry in entries if entry.type in CORRECTING}
    roots = (entry for entry in entries if entry.cause is None or entry.cause in correcting)
    return [
        _part(stands, entry)
        for entry in roots
        if entry.type not in CORRECTING | {DiceThrown.type} and (entry.body.get("answers") or 0) < act
    ]


def part_of(stands: Standing, seq: int) -> tuple[int, Part]:
    """Return the action that is struck when an entry is amended, and the part that the entry belongs to.

    An answer belongs to the part that asked; an amendment stands for what it played again. Refuses any other entry
    that only says something about others.
    """
    entry = stands.entry(seq)
    if entry.act == 1:
        raise Refused(NO_OPENING)
    check_not_told(stands, entry)
    if entry.type == RollSealed.type:
        raise Refused(f"#{seq} is sealed, so that nobody can say it otherwise.", f"Reveal it: campaign reveal {seq}")
    if entry.type in CORRECTING:
        return entry.act, _amended(stands, entry)
    root = _root_of(stands, entry)
    answers = root.body.get("answers")
    if answers is not None:
        root = stands.entry(answers)
    found = next((part for part in parts(stands, root.act) if part.rulings[0].seq == root.seq), None)
    if found is None:
        raise Refused(f"#{seq} belongs to nothing that can be played again.")
    return root.act, found


def check_not_told(stands: Standing, entry: Entry) -> None:
    """Refuse (`Refused`) a sealed roll that was revealed: what that wrote is what counts."""
    told = stands.mark(QUESTIONS, str(entry.seq)) if entry.type == RollSealed.type else None
    if told:
        raise Refused(
            f"#{entry.seq} was revealed by #{told}, and that counts.", f"Name what it wrote: campaign show {told}"
        )


def _amended(stands: Standing, entry: Entry) -> Part:
    """Return what an amendment played again, or a decision that amended."""
    amendments = (each for each in stands.action(entry.act) if each.type == ActionAmended.type)
    found = next((each for each in amendments if entry.seq in {each.seq, each.cause}), None)
    if found is None:
        raise Refused(
            f"#{entry.seq} is a correction, and is not amended.",
            f"Void it with 'campaign void {entry.seq} --why TEXT'.",
        )
    place = part_of(stands, found.body["about"])[1].place
    later = (part for part in parts(stands, entry.act) if part.rulings[0].seq > found.seq and part.place == place)
    again = next(later, None)
    if again is None:
        raise Refused(f"#{entry.seq} belongs to nothing that can be played again.")
    return again


def _root_of(stands: Standing, entry: Entry) -> Entry:
    """Return the entry that heads the part of an entry: of dice the ruling on them, of a consequence its move."""
    if entry.type == DiceThrown.type:
        after = (each for each in stands.action(entry.act) if each.seq > entry.seq and each.type != DiceThrown.type)
        return next(after, entry)
    while entry.cause is not None and stands.entry(entry.cause).type not in CORRECTING:
        entry = stands.entry(entry.cause)
    return entry


def _part(stands: Standing, root: Entry) -> Part:
    throws = throws_of(root)
    thrown = [stands.entry(seq) for seq in throws]
    rulings = [root]
    answer = stands.mark(QUESTIONS, str(root.seq)) if root.type == QuestionAsked.type else None
    if answer:
        rulings.append(stands.entry(answer, secrets=True))
    dice = Throw(
        dice=tuple(revived(die) for entry in thrown for die in entry.body["dice"]),
        source="machine" if any(entry.body["source"] == "machine" for entry in thrown) else "typed",
        written=tuple(throws),
    )
    return Part(
        rulings=tuple(rulings),
        place=place_of(root, stands.entry),
        said=said_in(rulings[-1]),
        thrown=dice if throws else None,
    )


def recorded(stands: Standing, part: Part) -> Iterator[Entry]:
    """Yield what was written of a part: its root and what followed, then the answer and what followed from that."""
    for ruling in part.rulings:
        for entry in stands.action(ruling.act, secrets=True):
            if ruling.seq in {entry.seq, entry.cause}:
                yield entry
