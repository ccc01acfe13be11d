"""Again: what was said once is played again in its place.

A part is what one command said within an action: its root entry, its dice, and the entry since which it counts. With
the answer to its question, where it asked one, it is one move. A part is played again with the sheets as now known of
its place, with the dice that lie, and with other inputs, if any; nothing is written here.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ledger import systems
from ledger.commands.decider import Command, Plan, Standing
from ledger.commands.play import Play, Roll
from ledger.commands.table import (
    Adjust,
    BeginDay,
    CloseSession,
    Join,
    Note,
    OpenSession,
    Seat,
    SetMarks,
    SetScene,
    Settle,
)
from ledger.errors import Away, OtherDice, Refused, UnknownName, WrongFaces
from ledger.events.canonical import changed, parse_json
from ledger.events.entry import Entry, plain
from ledger.events.facts import ERASED, QUESTIONS, Said, Secret
from ledger.events.types import CORRECTING, ActionAmended, DiceThrown, MovePlayed, QuestionAsked, RollSealed
from ledger.journal.words import commitments, is_away
from ledger.rules.dice import Die, Pool, Throw, typed
from ledger.rules.move import Move
from ledger.values import Shape

NO_OPENING = "The opening of the campaign cannot be struck."

SAID: Mapping[str, type[Command]] = {
    kind: command
    for command in (Seat, Join, OpenSession, CloseSession, SetScene, BeginDay, Adjust, SetMarks, Note, Settle, Roll)
    for kind in command.writes
}
"""What is said apart from moves, by the event that it writes first."""


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
        place=place_of(stands, root),
        said=said_in(rulings[-1]),
        thrown=dice if throws else None,
    )


def said_in(root: Entry) -> Command:
    """Return what was said, as the root of a part, opened, has it."""
    if root.type in {MovePlayed.type, QuestionAsked.type}:
        system = root.body["system"]
        return Play(system=system, move=move_of(root).revived(told(root.body["inputs"])))
    command = SAID[root.type]
    held = {name: root.body.get(name) for name in command._fields}  # an earlier version had fewer
    return command(**{name: _listed(told(value)) for name, value in held.items()})


def move_of(entry: Entry) -> type[Move]:
    """Return the move that an entry is about; refuses one that the game, as it is installed here, does not know."""
    move = systems.find(entry.body["system"]).move(entry.body["move"])
    if move is None or not entry.body["inputs"].keys() <= move.fields().keys():
        raise UnknownName(f"The {entry.body['system']} that is installed here does not know the move of #{entry.seq}.")
    return move


def told(value: Any) -> Any:
    """Return what was said, as an opened entry has it; words that were erased meanwhile say so."""
    if isinstance(value, dict) and Said.KEY in value:
        return ERASED
    if not isinstance(value, dict | list):
        return value
    erased = {field: ERASED for field, kind, _ in commitments({"said": value}) if kind == Said.KEY}
    return changed({"said": value}, erased)["said"]


def _listed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def revived(die: Mapping[str, Any]) -> Die:
    """Return a die as an entry holds it."""
    digits = die["digits"]
    return Die(sides=die["sides"], face=die["face"], digits=None if digits is None else (digits[0], digits[1]))


def otherwise(said: Command, changes: Mapping[str, Any]) -> Command:
    """Return what was said with other inputs; of names with values, those that are not named stay."""
    if isinstance(said, Play):
        return said.but(move=said.move.but(**changes))
    own = said.__dict__
    merged = {n: {**own[n], **held} if isinstance(held, Mapping) else held for n, held in changes.items()}
    return said.but(**merged)


def play_again(stands: Standing, part: Part, head: int, said: Command, faces: Sequence[int] | None = None) -> Plan:
    """Return the events of a part that is played again in its place, numbered from a head on.

    Refuses what the rules refuse there, (`OtherDice`) where other dice would be needed than lie, and (`Away`) what was
    said with something that is not in this file.
    """
    check_here(part, said)
    then = stands.at(part.place)
    pool = said.pool(then, by_hand=True)
    plan = Plan(head)
    said.decide(then, plan, _lying(part, pool, faces))
    return plan


def check_here(part: Part, said: Command) -> None:
    """Refuse (`Away`) a part that was said with something that the GM keeps, and that is not in this file."""
    if isinstance(said, Play) and is_away(plain(said.move)):
        raise Away(part.root)


def _lying(part: Part, pool: Pool | None, faces: Sequence[int] | None) -> Throw | None:
    if faces is not None:
        if part.thrown is None or pool is None:
            raise WrongFaces(f"#{part.root} threw no dice, so there are no faces to type.")
        if part.thrown.source == "machine":
            raise Refused(
                f"The machine threw the dice of #{part.root}; they are kept, and never amended.",
                f"Void it with 'campaign void {part.root} --why TEXT', and play it now.",
            )
        return typed(pool, faces)
    lie = Pool(sides=tuple(die.sides for die in part.thrown.dice) if part.thrown else ())
    if (pool or Pool(sides=())) != lie:
        typed_by_hand = part.thrown is not None and part.thrown.source == "typed"
        raise OtherDice(part.root, str(pool or "no dice"), str(lie), typed=typed_by_hand)
    return part.thrown


def place_of(stands: Standing, entry: Entry) -> int:
    """Return since when a part counts, by its root: since its first dice; of an answer, since what asked."""
    asked = entry.body.get("answers")
    if asked is not None:
        entry = stands.entry(asked)
    thrown = (each for each in map(stands.entry, throws_of(entry)) if each.act == entry.act)
    return min([entry.since, *(each.since for each in thrown)])


def throws_of(entry: Entry) -> list[int]:
    """Return the entries in which the dice of a root lie."""
    return list(entry.body.get("throws", [entry.body["throw"]] if "throw" in entry.body else []))


def recorded(stands: Standing, part: Part) -> Iterator[Entry]:
    """Yield what was written of a part: its root and what followed, then the answer and what followed from that."""
    for ruling in part.rulings:
        for entry in stands.action(ruling.act, secrets=True):
            if ruling.seq in {entry.seq, entry.cause}:
                yield entry


def revealed(value: Any) -> Any:
    """Return a value as JSON has it, with its secrets told."""
    if isinstance(value, Secret):
        return parse_json(value.text or "null")
    if isinstance(value, dict):
        return {name: revealed(held) for name, held in value.items()}
    return [revealed(held) for held in value] if isinstance(value, list) else value
