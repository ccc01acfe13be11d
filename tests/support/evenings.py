"""Evenings: whatever may be said at a table, drawn at random."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from hypothesis import note
from hypothesis import strategies as st

from ledger import systems
from ledger.commands.at_table import Adjust, ChangeSettings, CloseSession, Give, Join, Note, OpenSession, SetMarks
from ledger.commands.days import NextDay
from ledger.commands.decider import Command, Sketch
from ledger.commands.play import PlayMove, RollingCommand
from ledger.commands.roll import Roll
from ledger.commands.seats import Leave, RecordArrival, ReturnToTable, Seat, SeatNpcs
from ledger.commands.turns import (
    AddTurn,
    DelayTurn,
    EndTurns,
    NextTurn,
    RollTurn,
    SetInitiative,
    SkipTurn,
)
from ledger.corrections.actions import part_of
from ledger.corrections.answers import AcceptOffer, AssertScores, Choose, Decide, Dispute, Override
from ledger.corrections.questions import CHOICES, asked_move
from ledger.corrections.undoing import Amend, BackTurn, Redo, Rewind, Undo, Void
from ledger.errors import LedgerError
from ledger.events.subjects import OFFER
from ledger.journal.book import Book
from ledger.rules.inputs import CAST, WORDS
from ledger.rules.move import Move, TableMove
from ledger.systems import find
from ledger.values import Field
from table import EVENING, scribe, seeded_dice

Draw = Callable[[st.SearchStrategy[Any]], Any]

MOVES = [(name, move) for name in systems.names() for move in find(name).rulebook().moves]
NAMES = ("serious", "minor", "critical", "deception", "cunning", "presence", "flying", "workshop", "climb")


def values(field: Field) -> st.SearchStrategy[Any]:
    """What may be said for an input, as its annotation describes it."""
    one: st.SearchStrategy[Any]
    if CAST in field.tags and not field.keyed:
        one = st.sampled_from(["mara", "brak"])
    elif field.choices:
        one = st.sampled_from(field.choices)
    elif field.kind is bool:
        one = st.booleans()
    elif field.kind is int and field.limit:
        small = st.integers(max(field.limit.least, -12), min(field.limit.most, 40))
        one = st.one_of(small, small, st.integers(field.limit.least, field.limit.most))
    elif WORDS in field.tags:
        one = st.sampled_from(["rain", "high ground"])
    else:
        one = st.sampled_from(NAMES)
    if field.keyed:
        names = st.sampled_from(["mara", "brak"]) if CAST in field.tags else st.sampled_from(NAMES)
        one = st.dictionaries(names, st.sampled_from(NAMES) if field.kind is str else one, max_size=2)
    if field.many:
        one = st.lists(one, max_size=2).map(tuple)
    if field.optional:
        one = st.none() | one
    return one if field.required else st.just(field.default) | one


def after_dice(field: Field, lie: list[int]) -> st.SearchStrategy[Any]:
    """What may be chosen once the dice lie."""
    if field.choices:
        return st.sampled_from(field.choices)
    if field.many:
        return st.permutations(["mara", "brak"]).map(tuple)
    if field.kind is int:
        return st.sampled_from(lie) if lie else st.integers(0, 12)
    return st.just("so it is")


def moves_of(move: type[Move]) -> st.SearchStrategy[Move]:
    """Moves with whatever may be said, the usable more often than the absurd."""
    return st.fixed_dictionaries({name: values(field) for name, field in move.fields().items()}).map(
        lambda inputs: move(**inputs)
    )


def playable(move: type[Move]) -> st.SearchStrategy[Move]:
    """A move whose inputs are left at their defaults more often, so that most of them can be played."""
    required = {name: values(field) for name, field in move.fields().items() if field.required}
    optional = {name: values(field) for name, field in move.fields().items() if not field.required}
    few = st.fixed_dictionaries(required, optional=optional).map(lambda inputs: move(**inputs))
    return few | moves_of(move)


class Watched:
    """Seeded dice that count how often they are thrown."""

    def __init__(self, seed: int) -> None:
        self.dice = seeded_dice(seed)
        self.thrown = 0

    def __call__(self, sides: int) -> int:
        self.thrown += 1
        return self.dice(sides)


BOTH = {"who": "mara", "against": ("brak",)}
STARTS: list[tuple[str, str, dict[str, Any]]] = [
    ("rollunder", "skill", {"skill": "deception", "on": ("cunning", "presence"), "circumstance": {"rain": -2}}),
    ("rollunder", "plain", {"characteristic": "cunning", "factor": "1.5"}),
    ("free", "check", {"roll": "d20+dex", "vs": 15}),
    ("free", "check", {"roll": "3d6!+dex", "vs": 12, "secret": True}),
    ("free", "check", {"roll": "4d6kh3"}),
    ("multicheck", "test", {"attribute": "cunning", "skill": "deception", "difficulty": 30}),
    ("multicheck", "test", {"attribute": "cunning", "difficulty": 30, "secret": True, "ps": True}),
    ("multicheck", "test", {"attribute": "cunning", "difficulty": 30, "advantage": ("rain",)}),
    ("multicheck", "test", {"what": "cunning", "skill": "deception", "difficulty": 30}),
    ("multicheck", "test", {"what": "deception", "attribute": "cunning", "difficulty": 30}),
    ("multicheck", "throw", {"sides": 6}),
    ("multicheck", "save", {"save": "toughness", "condition": "flying", "charges": 3}),
    ("multicheck", "save", {"save": "toughness", "effect": {"climb": 9}, "to": "ps"}),
    ("multicheck", "turn", {}),
    ("syscards", "rate", {"rate": 60, "why": "fog", "throw": True}),
    ("syscards", "rate", {"rate": 30, "why": "fog"}),
    ("syscards", "throw", {}),
    ("syscards", "means", {"words": "slips"}),
    ("syscards", "card", {"rejects": True}),
    ("syscards", "card", {"kind": "brawl", "info": "words", "forces": {"brawl": 40}, "over": ("brawl",)}),
    ("syscards", "challenge", {**BOTH}),
    ("syscards", "challenge", {**BOTH, "no_info": True}),
    ("syscards", "challenge", {**BOTH, "rates": {"brak": 80}, "why": "fog"}),
    ("syscards", "challenge", {**BOTH, "wait": True}),
    ("syscards", "clash", {**BOTH}),
    ("syscards", "deny", {**BOTH, "why": "x"}),
    ("syscards", "outright", {**BOTH, "why": "x"}),
    ("syscards", "outright", {**BOTH, "why": "x", "priority_only": True}),
    ("syscards", "cancel", {"target": "brak", "why": "x"}),
    ("syscards", "round", {"phase": "begin"}),
    ("syscards", "round", {"phase": "prep"}),
    ("syscards", "reject", {"rate": 40, "why": "x", "intensity": 3}),
    ("syscards", "throw", {"past": "brak"}),
    ("syscards", "mode", {"mode": "deal"}),
    ("syscards", "price", {"item": "efficiency", "points": 2}),
    ("syscards", "buy", {"item": "efficiency"}),
    ("byzantine", "task", {"task": "wall", "costs": 8, "opposed_energy": {"brak": 2}}),
    ("byzantine", "task", {"task": "wall", "costs": 5, "why": "rain"}),
    ("byzantine", "know", {"task": "wall", "energy": 4}),
    ("byzantine", "know", {"task": "wall", "energy": 9, "split": True}),
    ("byzantine", "attempt", {"task": "wall", "energy": 4}),
    ("byzantine", "attempt", {"task": "gate", "costs": 4, "energy": 2, "ability": "cunning", "project": "climb"}),
    ("byzantine", "attempt", {"task": "gate", "costs": 9, "energy": 30, "overdraft": True}),
    ("byzantine", "attempt", {"task": "gate", "costs": 9, "energy": 90, "overdraft": True, "how": "so"}),
    ("byzantine", "go", {"place": "market", "energy": 2, "ability": "deception", "among": ("brak",)}),
    ("byzantine", "go", {"place": "market", "energy": 1, "base": 6}),
    ("byzantine", "map", {"place": "market", "level": "cunning", "district": "harbor"}),
    ("byzantine", "map", {"place": "docks", "level": "guard", "district": "harbor"}),
    ("byzantine", "task", {"task": "go.docks", "costs": 3, "opposed_energy": {"brak": 1}, "owing": ("brak",)}),
    ("byzantine", "task", {"task": "wall", "close": True}),
    ("byzantine", "go", {"place": "docks"}),
    ("byzantine", "found", {"why": "x"}),
    ("byzantine", "go", {"place": "pier", "energy": 1, "base": 6}),
    ("byzantine", "found", {"why": "y"}),
    ("byzantine", "invest", {"energy": 5, "project": "climb"}),
    ("byzantine", "cancel", {"project": "climb"}),
    ("byzantine", "harm", {"energy": 2, "why": "x"}),
    ("byzantine", "withhold", {"connection": "workshop", "why": "x"}),
    ("byzantine", "restore", {"connection": "workshop"}),
    ("byzantine", "lend", {"connection": "soup", "output": 2, "why": "x"}),
    ("byzantine", "reclaim", {"connection": "soup"}),
    ("byzantine", "alter", {"connection": "flying", "side": "output", "energy": 10}),
    ("byzantine", "night", {"sleep": "none"}),
    ("byzantine", "attack", {"target": "brak", "energy": 3, "answer": 2}),
    ("byzantine", "contest", {"contest": "duel", "acting": ("mara",), "against": ("brak",), "kind": "attack"}),
    ("byzantine", "contest", {"contest": "wall", "acting": ("brak",), "against": ("mara",)}),
    ("byzantine", "commit", {"contest": "duel", "energy": 3, "obscure": 1}),
    ("byzantine", "commit", {"who": "brak", "contest": "duel", "energy": 2}),
    ("byzantine", "know", {"task": "duel", "energy": 4}),
    ("byzantine", "commit", {"contest": "wall", "energy": 1, "project": "climb"}),
    ("byzantine", "attack", {"target": "brak", "energy": 1, "answer": 0}),
    ("byzantine", "resolve", {"contest": "duel"}),
    ("byzantine", "contest", {"contest": "wall", "off": True}),
    ("byzantine", "attempt", {"who": "brak", "task": "gate", "costs": 9, "energy": 21, "overdraft": True}),
    ("byzantine", "kill", {"target": "brak", "energy": 40, "overdraft": True, "how": "so", "manner": "x"}),
]
"""Moves that can be played as they are, or after another of these: of most of them chance alone would never think."""


def started(draw: Draw) -> PlayMove:
    """One of the moves that can be played."""
    system, name, inputs = draw(st.sampled_from(STARTS))
    move = find(system).move(name)
    assert move is not None
    table = {} if issubclass(move, TableMove) or draw(st.integers(0, 3)) else {"who": "brak"}
    swapped = {**inputs, **({"against": ("mara",)} if table and "against" in inputs else {})}
    who = {} if issubclass(move, TableMove) else {"who": "mara"}
    deed = "climbs the wall" if system == "edge" else None
    return PlayMove(system=system, move=move(**{**who, **swapped, **table}), deed=deed)


WOLVES = SeatNpcs(names=("wolf-1", "wolf-2"))
AT_TABLE: list[Command] = [
    *(OpenSession(title="An evening", present=()), CloseSession()),
    *(OpenSession(title="An evening", present=("p2",)), RecordArrival(players=("p3",)), Leave(who="p2")),
    *(Seat(name=name, plays=("brak",), gm=False, session=lent) for name in ("Ana", "Ben") for lent in (True, False)),
    *(WOLVES, WOLVES, Leave(who="brak"), Leave(who="wolf-1"), ReturnToTable(who="brak")),
    *(Join(who="wolf-1", system="edge", scores={"maximum": 2}), Roll(who="wolf-2", notation="d6", why="a bite")),
    *(AddTurn(who=who, number=number) for who, number in (("mara", 12), ("brak", 12), ("wolf-1", -3))),
    *(RollTurn(who="mara", notation="d20+2"), RollTurn(who="wolf-2", notation="d20")),
    *(NextTurn(), NextTurn(), NextTurn(), EndTurns()),
    *(AddTurn(who="brak", number=12, before="mara"), SkipTurn(), SkipTurn(who="brak", always=True)),
    *(DelayTurn(who="mara"), DelayTurn(who="brak", number=-9), SetInitiative(each_round=True)),
    *(Give(who=who, to=to, amounts={"free/gold": 3}) for who, to in (("mara", "brak"), ("brak", "mara"))),
    *(Roll(who="mara", notation="d20+dex", vs=11), Adjust(who="brak", amounts={"free/gold": -40, "free/hp": 3})),
]
"""Who plays, whose turn it is, and what changes hands."""


def commands(draw: Draw) -> Command:
    """Any command of play."""
    if draw(st.booleans()):
        return started(draw)
    system, move = draw(st.sampled_from(MOVES))
    command: Command = draw(
        st.one_of(
            playable(move).map(lambda made: PlayMove(system=system, move=made)),
            playable(move).map(lambda made: PlayMove(system=system, move=made)),
            st.builds(Note, text=st.just("a note")),
            st.builds(Roll, who=st.just("mara"), notation=st.sampled_from(["3d6", "d%", "4d6kh3-1"])),
            st.builds(
                Adjust,
                who=st.sampled_from(["mara", "brak"]),
                amounts=st.sampled_from(
                    [{"edge/edge": -1}, {"edge/edge": 1, "edge/maximum": 1}, {"coin/debt.bank": 2}]
                ),
                why=st.just("so"),
            ),
            st.builds(
                SetMarks,
                who=st.just("mara"),
                values=st.sampled_from([{"edge/care": "yes"}, {"edge/care": "no"}, {"coin/bank": "here"}]),
                why=st.just("so"),
            ),
            st.just(ChangeSettings(system="coin", values={"taxed": "yes"})),
            st.just(OpenSession(title="An evening", present=())),
            st.just(NextDay(count=1, until=None)),
            st.just(Join(who="sam", system="edge", scores={"maximum": 3})),
            st.sampled_from(AT_TABLE),
        )
    )
    return command


def corrections(draw: Draw, book: Book) -> Command:
    """Any correction of what was written."""
    seq = draw(st.integers(1, book.head()))
    kinds: dict[str, Command] = {
        "undo": Undo(),
        "undo again": Undo(),
        "back": BackTurn(),
        "redo": Redo(),
        "void": Void(strikes=book.entry(seq).act, why="so"),
        "rewind": Rewind(to=seq),
        "dispute": Dispute(about=seq, player="p2", claim="no"),
        "override": Override(about=seq, verdict="success", good=draw(st.none() | st.booleans()), why="so"),
    }
    kind = draw(st.sampled_from([*kinds, "amend", "amend again", "amend once more", "assert"]))
    match kind:
        case _ if kind in kinds:
            return kinds[kind]
        case "assert":
            claimed = draw(
                st.dictionaries(st.sampled_from(["edge/edge", "edge/maximum"]), st.integers(0, 4), min_size=1)
            )
            return AssertScores(who="mara", claimed=claimed)
        case _:
            inputs, faces = amends(draw, book, seq)
            return Amend(named=seq, inputs=inputs, faces=faces, cascade=draw(st.booleans()), why="so")


def amends(draw: Draw, book: Book, seq: int) -> tuple[dict[str, Any], tuple[int, ...] | None]:
    """What may be said otherwise of an entry."""
    try:
        _, part = part_of(book, seq)
    except LedgerError:
        return {}, None
    if isinstance(part.command, PlayMove):
        fields = [field for field in part.command.move.fields().values() if field.name not in part.command.move.chosen]
        chosen = draw(st.lists(st.sampled_from(fields), max_size=2, unique_by=lambda field: field.name))
        inputs = {field.name: draw(values(field)) for field in chosen}
    elif isinstance(part.command, Adjust):
        inputs = {"amounts": {name: draw(st.integers(-2, 2)) for name in part.command.amounts}}
    elif isinstance(part.command, Join):
        inputs = {"scores": {"maximum": draw(st.integers(0, 4))}} if part.command.system == "edge" else {}
    else:
        inputs = {}
    typed = part.thrown is not None and part.thrown.source == "typed" and draw(st.booleans())
    return inputs, tuple(1 + face % 2 for face in part.thrown.faces) if typed and part.thrown else None


def answers(draw: Draw, book: Book, question: int) -> Command:
    """An answer to a question, of whichever kind it is."""
    asked = book.entry(question, secrets=True)
    if asked.type in CHOICES:
        choice = draw(st.sampled_from(CHOICES[asked.type]))
        inputs, faces = amends(draw, book, asked.body["about"]) if choice == "amend" else ({}, None)
        return Decide(
            question=question, choice=choice, why="so", inputs=inputs, faces=faces, cascade=draw(st.booleans())
        )
    fields = asked_move(asked, {}).fields()
    lie = [die["face"] for die in asked.body["dice"]]
    chosen = {name: draw(after_dice(fields[name], lie)) for name in asked.body["asks"]}
    return Choose(question=question, chosen=chosen)


def evening(draw: Draw, book: Book, longest: int, *, correcting: bool = True, now: datetime = EVENING) -> None:
    """Say this and that; whatever is refused has written nothing, and has thrown no dice."""
    for _ in range(draw(st.integers(1, longest))):
        waiting = book.questions()
        offer = next((mark for who in ("mara", "brak") if (mark := book.mark(who, OFFER))), None)
        if waiting and draw(st.booleans()):
            command = answers(draw, book, draw(st.sampled_from(waiting)))
        elif offer and draw(st.booleans()):
            command = AcceptOffer(ruling=offer, chosen={draw(st.sampled_from(["after", "reroll"])): True})
        elif correcting and draw(st.booleans()):
            command = corrections(draw, book)
        else:
            command = commands(draw)
        note(repr(command))
        typed = isinstance(command, PlayMove) and draw(st.booleans())
        head, dice = book.head(), Watched(draw(st.integers(0, 99)))
        try:
            scribe(book, chance=dice, clock=lambda: now).write(command, faces=by_hand(book, command) if typed else None)
        except LedgerError as refused:
            note(f"  refused: {refused.sentence}")
            assert (book.head(), dice.thrown) == (head, 0)


def by_hand(book: Book, command: Command) -> tuple[int, ...] | None:
    """Faces of a hand that throws only ones, where dice are thrown."""
    pool = command.ask(Sketch(book, book.head())).pool if isinstance(command, RollingCommand) else None
    return None if pool is None else (1,) * len(pool.sides)
