"""Evenings: what a table of four says in five games, drawn at random, most of it such that nothing refuses it.

An evening is a list of rounds. The commands of a round do not need each other's entries, so that a round is written at
once; corrections and answers name entries of the rounds before them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from ledger import systems
from ledger.commands.at_table import Adjust, CloseSession, Join, Note, Open, OpenSession, SetMarks, SetScene
from ledger.commands.days import NextDay
from ledger.commands.decider import Command
from ledger.commands.play import PlayMove
from ledger.commands.roll import Roll
from ledger.commands.seats import Seat, SeatNpcs
from ledger.commands.turns import AddTurn, EndTurns, NextTurn
from ledger.corrections.answers import AssertScores, Choose, Decide, Dispute, Override
from ledger.corrections.questions import CHOICES
from ledger.corrections.undoing import Amend, Redo, Undo, Void
from ledger.events.entry import Entry
from ledger.events.types import MovePlayed, QuestionAsked, ScoreAdjusted
from ledger.journal.book import Book

CAST = ("mara", "brak", "ilse", "jonas")
PLAYERS = ("Ana", "Ben", "Cleo", "Dov")

SHEETS: Mapping[str, Mapping[str, int]] = {
    "edge": {
        "maximum": 4,
        "edge": 3,
        "strength": 6,
        "attribute.cunning": 5,
        "attribute.presence": 6,
        "skill.deception": 4,
        "armor.threshold": 15,
        "armor.reduction": 30,
    },
    "multicheck": {
        "attribute.cunning": 60,
        "attribute.luck": 20,
        "skill.deception": 3,
        "ps": 2,
        "pk": 2,
        "save.toughness": 3,
        "malice.physical": 8,
    },
    "syscards": {"efficiency": 40, "core-points": 20},
    "rollunder": {"characteristic.cunning": 9, "characteristic.presence": 12, "skill.deception": 4},
    "byzantine": {"energy": 30, "general": 12, "output.workshop": 5, "output.market": 5, "ability.cunning": 6},
}

TALK = (
    "the salt road north river gate old lantern cold bridge she waits until rain stops a stranger asks for bread and"
    " nobody answers ledger harbor bell rings twice under stone door we follow tracks into snow three wolves at dusk"
)
WORDS = TALK.split()

MOVES = 60
"""Moves of an evening, besides what is said about them."""

CORRECTED = 0.6
"""The part of the evenings in which something is corrected."""


def words(random: Random, least: int = 4, most: int = 14) -> str:
    """A sentence that means nothing."""
    return " ".join(random.choices(WORDS, k=random.randint(least, most))).capitalize() + "."


def opening() -> list[Command]:
    """The campaign, its players, and a sheet for each character in each game."""
    return [
        Open(title="The salt road", gm="Tom"),
        *(Seat(name=name, plays=(who,), gm=False) for name, who in zip(PLAYERS, CAST, strict=True)),
        *(Join(who=who, system=game, scores=dict(scores)) for game, scores in SHEETS.items() for who in CAST),
    ]


def played(game: str, name: str, **inputs: Any) -> PlayMove:
    """A move by its name."""
    move = systems.find(game).move(name)
    assert move is not None
    return PlayMove(system=game, move=move(**inputs))


def begins(random: Random, number: int) -> list[Command]:
    """The beginning of an evening: who comes, a new day, what everybody has."""
    npcs = tuple(f"wolf-{place}" for place in range(1, random.randint(2, 4)))
    return [
        OpenSession(title=f"Evening {number}", present=("p2", "p3", "p4")),
        SetScene(title=words(random, 2, 5)),
        SeatNpcs(names=npcs),
        NextDay(count=random.choice((1, 1, 1, 2)), until=None),
        *(
            Adjust(who=who, amounts={}, sets={"edge/edge": 3, "byzantine/energy": 40}, why="a new evening")
            for who in CAST
        ),
        *(AddTurn(who=who, number=random.randint(1, 20)) for who in (*CAST, npcs[0])),
        Note(text=words(random)),
    ]


def why(random: Random) -> str:
    """A short reason."""
    return words(random, 2, 4)


def move(random: Random) -> Command:
    """Something that is said at the table, of any game; nothing refuses it as long as there is edge and energy."""
    who, other = random.sample(CAST, 2)
    (says,) = random.choices([says for _, says in SAID], [weight for weight, _ in SAID])
    return says(random, who, other)


FOUND: Mapping[str, int] = {"syscards/core-points": 1}
"""A gift that no move reads, so that nothing asks about it when it is amended later."""

SKILLS = ("cunning", "presence")

Says = Callable[[Random, str, str], Command]

SAID: tuple[tuple[int, Says], ...] = (
    (16, lambda r, who, _: played("edge", "check", who=who, skill=r.randint(4, 15), target=r.choice((15, 20, 25)))),
    (5, lambda r, who, _: played("edge", "check", who=who, skill=r.randint(4, 15), advantage=(why(r),))),
    (6, lambda r, who, _: played("edge", "check", who=who, skill=r.randint(4, 15), target=20, why=why(r), bonus=1)),
    (5, lambda r, who, _: played("edge", "damage", who=who, weapon=r.randint(2, 9), melee=True)),
    (4, lambda r, who, _: played("edge", "soak", who=who, damage=r.randint(1, 8), threshold=15, reduction=30)),
    (8, lambda r, who, _: played("multicheck", "test", who=who, attribute="cunning", difficulty=r.randint(0, 40))),
    (4, lambda _, who, __: played("multicheck", "test", who=who, attribute="cunning", skill="deception")),
    (2, lambda _, who, __: played("multicheck", "save", who=who, save="toughness")),
    (7, lambda r, who, _: played("syscards", "rate", who=who, rate=r.randint(20, 90), why=why(r), throw=True)),
    (3, lambda r, who, _: played("syscards", "act", who=who, rate=r.randint(5, 40), why=why(r))),
    (6, lambda r, who, _: played("rollunder", "skill", who=who, skill="deception", on=SKILLS, circumstance=rain(r))),
    (4, lambda _, who, __: played("rollunder", "plain", who=who, characteristic="cunning", factor="1.5")),
    (5, lambda r, who, _: played("byzantine", "attempt", who=who, task="wall", costs=2, energy=r.randint(1, 3))),
    (2, lambda _, who, other: played("byzantine", "attack", who=who, target=other, energy=1, answer=1)),
    (5, lambda r, who, _: Adjust(who=who, amounts={"edge/strength": r.choice((-1, 1))}, why=why(r))),
    (3, lambda r, who, _: Adjust(who=who, amounts=dict(FOUND), why=why(r))),
    (6, lambda r, _, __: Note(text=words(r))),
    (2, lambda r, who, _: SetMarks(who=who, values={"edge/care": r.choice(("yes", "no"))}, why=why(r))),
    (5, lambda r, who, _: Roll(who=who, notation=r.choice(("3d6", "d%", "4d6kh3-1", "2d20kl1")))),
    (4, lambda _, __, ___: NextTurn()),
)
"""What may be said, and how often."""


def rain(random: Random) -> dict[str, int]:
    """A circumstance."""
    return {random.choice(("rain", "night")): -random.randint(1, 3)}


def play(random: Random) -> list[Command]:
    """The moves of an evening; the last waits for a choice."""
    asks = played("edge", "check", who=random.choice(CAST), skill=random.randint(4, 15), target=20, edge=True)
    return [*(move(random) for _ in range(MOVES)), EndTurns(), asks]


def corrects(random: Random, entries: Sequence[Entry]) -> list[Command]:
    """What is said about the entries of an evening: now and then one is amended, voided, disputed or overridden."""
    checks = [entry for entry in entries if isinstance(entry.event, MovePlayed) and entry.event.move == "check"]
    gifts = [entry for entry in entries if isinstance(entry.event, ScoreAdjusted) and not entry.event.sets]
    if not checks or not gifts:
        return []
    check, gift, amounts = random.choice(checks), random.choice(gifts), {}
    if isinstance(gift.event, ScoreAdjusted):
        amounts = {name: amount + 1 for name, amount in gift.event.amounts.items()}
    drawn: Sequence[list[Command]] = (
        [Amend(named=check.seq, inputs={"skill": 12}, faces=None, cascade=False, why=words(random, 2, 5))],
        [Amend(named=gift.seq, inputs={"amounts": amounts}, faces=None, cascade=False, why=words(random, 2, 5))],
        [Void(strikes=check.act, why=words(random, 2, 5))],
        [Dispute(about=check.seq, player="p2", claim=words(random))],
        [Override(about=check.seq, verdict="success", good=True, why=words(random, 2, 5))],
        [Undo(), Redo()],
        [AssertScores(who="mara", claimed={"edge/edge": random.randint(1, 3)})],
    )
    return random.choice(drawn) if random.random() < CORRECTED else []


def corrects_found(random: Random, seq: int) -> Command:
    """What is said about a gift of long ago that no move has read."""
    return Amend(
        named=seq, inputs={"amounts": {"syscards/core-points": 2}}, faces=None, cascade=False, why=words(random)
    )


def answers(random: Random, book: Book) -> Iterator[Command]:
    """An answer to each question that waits."""
    for seq in book.questions():
        asked = book.entry(seq, secrets=True)
        if isinstance(asked.event, QuestionAsked):
            faces = [die.face for die in asked.event.dice]
            yield Choose(question=seq, chosen={name: random.choice(faces) for name in asked.event.asks})
        else:
            choice = CHOICES[asked.type][0]
            yield Decide(question=seq, choice=choice, why=words(random, 2, 5), inputs={}, faces=None, cascade=False)


def ends(random: Random) -> list[Command]:
    """The end of an evening."""
    return [Note(text=words(random)), CloseSession()]
