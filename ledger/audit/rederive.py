"""Rederive: every ruling worked out again by today's rules, from its entry alone.

A ruling noted all that it was made from: what was said, the settings, what was looked at, the dice. Handed to the
rules as they are installed here, these come to the same dice, verdict, working and consequences, or the audit says
where not. An answer was made from its question too. What the GM keeps secret is opened to be compared, and never told.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import takewhile, zip_longest
from typing import Any, Literal, NoReturn, TypeVar

from ledger import systems
from ledger.audit.check import Before, Check, Fault, Remark
from ledger.audit.declared import may_hold, may_stand, settings_that_fit, takes
from ledger.commands.play import following
from ledger.errors import Broken, LedgerError
from ledger.events.canonical import changed, nodes
from ledger.events.commitments import ERASED, Secret, commitments, filled
from ledger.events.entry import Entry, filled_in, plain
from ledger.events.facts import CountedDie, Mark, Posting, Step, Verdict
from ledger.events.subjects import CHOICE, HOLD, OFFER
from ledger.events.types import (
    RULINGS,
    TYPES,
    AnyEvent,
    Consequence,
    DiceCounted,
    Event,
    MoveEvent,
    MovePlayed,
    QuestionAsked,
)
from ledger.journal.book import SECRET, Book
from ledger.rules.dice import Pool
from ledger.rules.move import Move, Table
from ledger.rules.notation import read
from ledger.rules.rulings import Effect, Ruling
from ledger.rules.system import System
from ledger.values import Struct

T = TypeVar("T")

Outcome = Literal["again", "differs", "differs-edition", "unknown", "erased", "away"]

REWORKED = RULINGS | {DiceCounted.type}
"""The types of the entries that can be worked out again."""

OTHER_WORDS = "(other words)"
"""Stands for erased words beside `ERASED`: what comes out alike with both does not hang on them."""

GameByName = Callable[[str], System | None]
"""A game by its name, None where it is not installed."""


class Reworked(Struct):
    """What came of working an entry out again.

    `again`: the same as recorded. `differs`: not so, under the same edition; `differs-edition`: under another.
    `unknown`: the game is not installed here, or not in the edition that knew the move as it was made. `erased`: it
    hangs on words that were erased; `away`: on a secret that is not in this file. `says` is the sentence about it,
    empty where it came out again; no secret is in it.
    """

    seq: int
    outcome: Outcome
    says: str


class _Difference(Struct):
    """Where a ruling differs: as it is told, and as it is told of one in which anything is secret."""

    says: str
    hushed: str


class _LookedElsewhere(Exception):
    """A look at what a ruling did not note; no refusal, which a game may take for one of its own."""

    def __init__(self, who: str, full: str) -> None:
        super().__init__(f"{full} of {who}")


class _NotNoted(Exception):
    """What was noted is nothing that rules could have been handed."""


class _Noted(Struct):
    """An entry as it was written, filled in, with what followed from it, what it answers, and what it saw.

    `secret` says that anything of it is kept by the GM, `lost` that such a thing is in this file no more.
    """

    seq: int
    event: MovePlayed | QuestionAsked | DiceCounted
    asked: AnyEvent | None
    followed: tuple[AnyEvent, ...]
    looked: Mapping[str, Mapping[str, Any]]
    secret: bool
    lost: bool

    def look(self, system: System, who: str, full: str) -> Any:
        """A value that the ruling recorded; refuses any other."""
        try:
            found = self.looked[who][full]
        except KeyError:
            raise _LookedElsewhere(who, full) from None
        if not may_stand(system, full, found):
            raise _NotNoted
        return found


class _Settings(dict[str, Any]):
    """The settings that were noted, as far as the game could have made them; nothing else is there to be seen."""

    def __missing__(self, name: str) -> NoReturn:
        raise _NotNoted


class Rulings(Check):
    """Whether rulings come out again; keeps what came of each, by its entry."""

    def __init__(self, book: Book, game: GameByName) -> None:
        self._book = book
        self.game = game
        self.outcomes: dict[int, Outcome] = {}

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """Yield a ruling that comes out otherwise; a remark where the rules that it was made by are not here."""
        if entry.type not in REWORKED:
            return
        found = rework(self._book, entry, self.game)
        self.outcomes[entry.seq] = found.outcome
        if found.outcome != "again":
            yield (entry.seq, found.says) if found.outcome == "differs" else Remark(entry.seq, found.says)


def rework(book: Book, entry: Entry, game: GameByName = systems.installed) -> Reworked:
    """Work an entry of one of the types `REWORKED` out again; `Broken` where the rules of its game fail."""
    noted = _noted(book, entry.seq)
    if noted.lost:
        return Reworked(seq=entry.seq, outcome="away", says="What the GM keeps secret of it is in this file no more.")
    event = noted.event
    if isinstance(event, DiceCounted):
        return _told(noted, _first(_recounted(event)), same_edition=True)
    system = game(event.system)
    if system is None:
        return Reworked(seq=entry.seq, outcome="unknown", says=f"The game {event.system} is not installed here.")
    move = system.move(event.move)
    if move is None or not takes(move, event.inputs.keys()):
        says = f"The {system.name} that is installed here does not know the move {event.move} as it was made."
        outcome: Outcome = "differs" if event.edition == system.edition else "unknown"
        return Reworked(seq=entry.seq, outcome=outcome, says=says)
    try:
        found = _first(_ruled_again(noted, event, system, move, ERASED))
        hangs = _erased(event.inputs) and found != _first(_ruled_again(noted, event, system, move, OTHER_WORDS))
    except Exception as bug:
        raise Broken(system.name, entry.seq, bug) from bug
    if hangs:
        return Reworked(seq=entry.seq, outcome="erased", says="It hangs on words that were erased.")
    return _told(noted, found, same_edition=event.edition == system.edition)


def _told(noted: _Noted, found: _Difference | None, *, same_edition: bool) -> Reworked:
    if found is None:
        return Reworked(seq=noted.seq, outcome="again", says="")
    outcome: Outcome = "differs" if same_edition else "differs-edition"
    return Reworked(seq=noted.seq, outcome=outcome, says=found.hushed if noted.secret else found.says)


def _first(differences: Iterator[_Difference]) -> _Difference | None:
    """The first difference; that today's rules refuse, or cannot take what was noted, is one."""
    try:
        return next(differences, None)
    except _LookedElsewhere as looked:
        more = "Today's rules look at more than was noted"
        return _Difference(says=f"{more}: at {looked}.", hushed=f"{more}.")
    except LedgerError as refused:
        return _Difference(says=f"Today's rules refuse it: {refused.sentence}", hushed="Today's rules refuse it.")
    except _NotNoted:
        says = "Today's rules cannot be worked out from what was noted."
        return _Difference(says=says, hushed=says)


# What was written


def _noted(book: Book, seq: int) -> _Noted:
    entry = book.entry(seq, secrets=True)
    event = filled_in(entry)
    assert isinstance(event, MovePlayed | QuestionAsked | DiceCounted)  # noqa: S101  nothing else is worked out again
    answers = event.answers if isinstance(event, MovePlayed) else None
    asked = [] if answers is None else [book.entry(answers, secrets=True)]
    after = takewhile(lambda each: each.cause == seq and each.type not in TYPES, book.journal.entries(seq + 1))
    followed = [book.opened(each, secrets=True) for each in after]
    question = filled_in(asked[0]) if asked else None
    seen, before = (each.looked if isinstance(each, MoveEvent) else {} for each in (event, question))
    kept = [held for each in (entry, *asked, *followed) for held in _secrets(each)]
    return _Noted(
        seq=seq,
        event=event,
        asked=question,
        followed=tuple(map(filled_in, followed)),
        looked={who: {**seen.get(who, {}), **before.get(who, {})} for who in {**seen, **before}},
        secret=bool(kept),
        lost=any(held.state == "away" for held in kept),
    )


def _secrets(entry: Entry) -> list[Secret]:
    """The secrets of an entry."""
    if SECRET not in entry.stored:
        return []
    return [held for _, held in nodes(plain(entry.event)) if isinstance(held, Secret)]


def _in_words(inputs: Mapping[str, Any], words: str) -> Mapping[str, Any]:
    """The inputs, with these words for the erased ones."""
    found: Mapping[str, Any] = changed(inputs, {field: words for field, _, _ in commitments(inputs)})
    return found


# Dice outside any game


def _recounted(event: DiceCounted) -> Iterator[_Difference]:
    notation = read(event.notation)
    yield from _other_dice(event.dice, notation.pool)
    count = notation.count(_faces(event.dice))
    yield from _other("choice of dice", _whys(event.dice), [why or None for why in count.dropped], _places)
    yield from _other("sum", (event.addends, event.total), (count.addends, count.total), _sum)


def _sum(count: tuple[Sequence[int], int]) -> str:
    return f"{' + '.join(map(str, count[0]))} = {count[1]}".replace("-", "−")


# Rulings


def _ruled_again(
    noted: _Noted, event: MovePlayed | QuestionAsked, system: System, kind: type[Move], words: str
) -> Iterator[_Difference]:
    """Yield where today's rules come to something else than an entry says, in the order in which it is worked out."""
    inputs = _in_words(event.inputs, words)
    for name, said in inputs.items():
        if not may_hold(kind.fields()[name], said):
            says = f"Today's rules do not take what was said as {name}."
            yield _Difference(says=says, hushed=says)
    move = kind.revived(inputs)
    settings = _Settings(settings_that_fit(system, event.settings))
    table = Table(system.name, partial(noted.look, system), settings)
    faces = _faces(event.dice)
    yield from _other("character", event.who, move.who)
    yield from _other_dice(event.dice, move.dice(table))
    costs = move.cost(table)
    if isinstance(event, QuestionAsked):
        yield from _other("question", _listed(event.asks), _listed(move.choices(table, faces)))
        yield from _other("kind of question", event.kind, CHOICE)
        yield from _other_moved(noted, move, hold=1, offers=False)
        yield from _other_follows(noted, system, costs)
        return
    if noted.asked is not None:
        yield from _other_than_asked(event, noted.asked)
        costs = ()
    else:
        yield from _other("question", "none", _listed(move.choices(table, faces)))
    move.agree(table, faces)
    made = move.ruling(table, faces)
    yield from _other_ruling(event, made)
    offers = bool(move.offers(table, faces))
    yield from _other_moved(noted, move, hold=0 if noted.asked is None else -1, offers=offers)
    yield from _other_follows(noted, system, (*costs, *made.consequences))


def _other(what: str, was: T, now: T, told: Callable[[T], str] = str) -> Iterator[_Difference]:
    """Yield that a part of a ruling differs, where it does; `told` says how it reads."""
    if was != now:
        one, other = (f"'{text}'" if (text := told(each)) else "nothing" for each in (was, now))
        yield _Difference(says=f"The {what} was {one}, today's rules say {other}.", hushed=f"The {what} differs.")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def _other_dice(dice: Sequence[CountedDie], pool: Pool | None) -> Iterator[_Difference]:
    lie = Pool(sides=tuple(die.sides for die in dice))
    yield from _other("throw", str(lie), str(pool or Pool(sides=())))


def _faces(dice: Sequence[CountedDie]) -> list[int]:
    return [die.face for die in dice]


def _whys(dice: Sequence[CountedDie]) -> list[str | None]:
    return [die.dropped for die in dice]


def _places(whys: Sequence[str | None]) -> str:
    """Which dice are dropped, and why, as an error shows it."""
    return ", ".join(f"die {place} ({why})" for place, why in enumerate(whys, start=1) if why is not None)


def _other_than_asked(event: MovePlayed, asked: AnyEvent) -> Iterator[_Difference]:
    """Yield where an answer was made from something else than its question, apart from what was asked."""
    if not isinstance(asked, QuestionAsked):
        raise _NotNoted
    said, seen = asked.inputs, asked.looked
    other = {
        "inputs": any(
            name not in asked.asks and value != said.get(name) and not (_erased(value) or _erased(said.get(name)))
            for name, value in event.inputs.items()
        ),
        "numbers on the sheets": any(
            value != seen.get(who, {}).get(full, value)
            for who, sheet in event.looked.items()
            for full, value in sheet.items()
        ),
        "dice": _faces(event.dice) != _faces(asked.dice),
        "system": event.system != asked.system,
        "move": event.move != asked.move,
        "settings": event.settings != asked.settings,
        "throws": event.throws != asked.throws,
    }
    for what in (what for what, differs in other.items() if differs):
        says = f"The question that it answers was asked with other {what}."
        yield _Difference(says=says, hushed=says)


def _erased(said: Any) -> bool:
    return next(commitments({"said": said}), None) is not None


def _other_ruling(event: MovePlayed, made: Ruling) -> Iterator[_Difference]:
    yield from _other("verdict", event.verdict, filled(made.verdict), _verdict)
    for was, now in zip_longest(event.steps, filled(made.steps)):
        yield from _other("working", was, now, _step)
    dropped = [made.dropped.get(place) for place in range(len(event.dice))]
    yield from _other("choice of dice", _whys(event.dice), dropped, _places)


def _verdict(verdict: Verdict) -> str:
    good = {True: "good", False: "bad", None: "neither good nor bad"}[verdict.good]
    if not isinstance(verdict.margin, int | None):
        raise _NotNoted
    margin = "" if verdict.margin is None else f" ({verdict.margin:+d})".replace("-", "−")
    return f"{verdict.says}{margin}, {good}"


def _step(step: Step | None) -> str:
    """A line of working as it is read, whatever stands in it."""
    if step is None:
        return ""
    pieces = zip_longest(step.says.split("{}"), map(str, step.numbers), fillvalue="")
    return f"{step.name}  {''.join(piece for pair in pieces for piece in pair)}".replace("-", "−")


def _other_moved(noted: _Noted, move: Move, *, hold: int, offers: bool) -> Iterator[_Difference]:
    """Yield where a ruling itself moves something else than the journal's own marks, and whom a question holds."""
    held = [Posting(who=who, score=HOLD, amount=hold) for who in (move.cast() if hold else ())]
    yield from _other("own posting", _moved(noted.event.postings, ()), _moved(held, ()))
    own = [mark for mark in noted.event.marks if not mark.who.startswith("#")]
    offer = [mark for mark in own if (mark.who, mark.name) == (move.who, OFFER)]
    yield from _other("own mark", _moved((), [mark for mark in own if mark not in offer]), "")
    offered = any(mark.value == noted.seq for mark in offer)
    yield from _other("offer", "made" if offered else "", "made" if offers else "")


def _moved(postings: Sequence[Posting], marks: Sequence[Mark]) -> str:
    moved = [f"{each.who} {each.score} {each.amount:+d}".replace("-", "−") for each in postings]
    return ", ".join([*moved, *(f"{mark.who} {mark.name} = {mark.value}" for mark in marks)])


def _other_follows(noted: _Noted, system: System, follows: Sequence[Effect]) -> Iterator[_Difference]:
    today = [filled(event) for event in following(system, follows)]
    for was, now in zip_longest(map(_facts, noted.followed), map(_facts, today)):
        yield from _other("consequence", was, now, _consequence)


def _facts(event: Event) -> Consequence:
    """The content of a consequence, without the journal's own marks on a copy."""
    if not isinstance(event, Consequence):
        raise _NotNoted
    own = (mark.replace(value=plain(mark.value)) for mark in event.marks if not mark.who.startswith("#"))
    return event.replace(marks=tuple(own))


def _consequence(event: Consequence | None) -> str:
    if event is None:
        return ""
    facts = ", ".join(f"{name} {value}" for name, value in sorted(event.facts.items())).replace("-", "−")
    moved = _moved(event.postings, event.marks)
    return ", ".join(each for each in (f"{event.kind} of {event.who}", moved, facts) if each)
