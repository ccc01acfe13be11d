"""Rederive: work out every ruling again by today's rules, from its entry alone.

A ruling notes everything that it was made from: what was said, the settings, the values that it read, the dice. From
these the installed rules must come to the same dice, verdict, working and consequences; the audit says where they do
not. An answer is made from its question too. The GM's secrets are opened for the comparison, and never told.
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
"""Takes the place of erased words, like `ERASED`: a result that is the same with both does not depend on them."""

GameByName = Callable[[str], System | None]
"""A game by its name, `None` if it is not installed."""


class Reworked(Struct):
    """The result of working an entry out again.

    `again`: the same as recorded. `differs`: another, under the same edition; `differs-edition`: under another one.
    `unknown`: the game is not installed here, or not in the edition that knew the move as it was made. `erased`: it
    depends on erased words; `away`: on a secret that is not in this file. `says` is a sentence about it, empty for
    `again`, and contains no secret.
    """

    seq: int
    outcome: Outcome
    says: str


class _Difference(Struct):
    """Where a ruling differs, as a sentence; `hushed` is the one for a ruling that contains a secret."""

    says: str
    hushed: str


class _LookedElsewhere(Exception):
    """The rules read a value that the ruling did not note. No refusal, which a game may catch as its own."""

    def __init__(self, who: str, full: str) -> None:
        super().__init__(f"{full} of {who}")


class _NotNoted(Exception):
    """A noted value is one that rules can never have been given."""


class _Noted(Struct):
    """An entry as it was written, filled in, with its consequences, its question, and the values that it read.

    `secret`: the GM keeps some of it; `lost`: some of that is no longer in this file.
    """

    seq: int
    event: MovePlayed | QuestionAsked | DiceCounted
    asked: AnyEvent | None
    followed: tuple[AnyEvent, ...]
    looked: Mapping[str, Mapping[str, Any]]
    secret: bool
    lost: bool

    def look(self, system: System, who: str, full: str) -> Any:
        """A value that the ruling noted; raises `_LookedElsewhere` for any other."""
        try:
            value = self.looked[who][full]
        except KeyError:
            raise _LookedElsewhere(who, full) from None
        if not may_stand(system, full, value):
            raise _NotNoted
        return value


class _Settings(dict[str, Any]):
    """The noted settings that the game could have made; any other raises `_NotNoted`."""

    def __missing__(self, name: str) -> NoReturn:
        raise _NotNoted


class Rulings(Check):
    """Whether rulings come out again; `outcomes` keeps the outcome of each, by entry."""

    def __init__(self, book: Book, game: GameByName) -> None:
        self._book = book
        self.game = game
        self.outcomes: dict[int, Outcome] = {}

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """A ruling that comes out otherwise; a remark if that is not certainly a fault."""
        if entry.type not in REWORKED:
            return
        result = rework(self._book, entry, self.game)
        self.outcomes[entry.seq] = result.outcome
        if result.outcome != "again":
            yield (entry.seq, result.says) if result.outcome == "differs" else Remark(entry.seq, result.says)


def rework(book: Book, entry: Entry, game: GameByName = systems.installed) -> Reworked:
    """Work out again an entry of one of the types `REWORKED`; raises `Broken` if its game's rules fail."""
    noted = _noted_in(book, entry.seq)
    if noted.lost:
        return Reworked(seq=entry.seq, outcome="away", says="What the GM keeps secret of it is in this file no more.")
    event = noted.event
    if isinstance(event, DiceCounted):
        return _result(noted, _first(_other_count(event)), same_edition=True)
    system = game(event.system)
    if system is None:
        return Reworked(seq=entry.seq, outcome="unknown", says=f"The game {event.system} is not installed here.")
    move = system.move(event.move)
    if move is None or not takes(move, event.inputs.keys()):
        says = f"The {system.name} that is installed here does not know the move {event.move} as it was made."
        outcome: Outcome = "differs" if event.edition == system.edition else "unknown"
        return Reworked(seq=entry.seq, outcome=outcome, says=says)
    try:
        again = partial(_differences, noted, event, system, move)
        difference = _first(again(ERASED))
        depends = _has_erased(event.inputs) and difference != _first(again(OTHER_WORDS))
    except Exception as bug:
        raise Broken(system.name, entry.seq, bug) from bug
    if depends:
        return Reworked(seq=entry.seq, outcome="erased", says="It hangs on words that were erased.")
    return _result(noted, difference, same_edition=event.edition == system.edition)


def _result(noted: _Noted, difference: _Difference | None, *, same_edition: bool) -> Reworked:
    if difference is None:
        return Reworked(seq=noted.seq, outcome="again", says="")
    outcome: Outcome = "differs" if same_edition else "differs-edition"
    return Reworked(seq=noted.seq, outcome=outcome, says=difference.hushed if noted.secret else difference.says)


def _first(differences: Iterator[_Difference]) -> _Difference | None:
    """The first difference; a refusal by today's rules, or notes that they cannot take, is one too."""
    try:
        return next(differences, None)
    except _LookedElsewhere as looked:
        more = "Today's rules look at more than was noted"
        return _Difference(says=f"{more}: at {looked}.", hushed=f"{more}.")
    except LedgerError as refusal:
        return _Difference(says=f"Today's rules refuse it: {refusal.sentence}", hushed="Today's rules refuse it.")
    except _NotNoted:
        says = "Today's rules cannot be worked out from what was noted."
        return _Difference(says=says, hushed=says)


# What was written


def _noted_in(book: Book, seq: int) -> _Noted:
    entry = book.entry(seq, secrets=True)
    event = filled_in(entry)
    assert isinstance(event, MovePlayed | QuestionAsked | DiceCounted)  # noqa: S101  nothing else is worked out again
    answers = event.answers if isinstance(event, MovePlayed) else None
    questions = [] if answers is None else [book.entry(answers, secrets=True)]
    after = takewhile(lambda later: later.cause == seq and later.type not in TYPES, book.journal.entries(seq + 1))
    consequences = [book.opened(later, secrets=True) for later in after]
    question = filled_in(questions[0]) if questions else None
    seen, before = (move.looked if isinstance(move, MoveEvent) else {} for move in (event, question))
    secrets = [secret for part in (entry, *questions, *consequences) for secret in _secrets(part)]
    return _Noted(
        seq=seq,
        event=event,
        asked=question,
        followed=tuple(map(filled_in, consequences)),
        looked={who: {**seen.get(who, {}), **before.get(who, {})} for who in {**seen, **before}},
        secret=bool(secrets),
        lost=any(secret.state == "away" for secret in secrets),
    )


def _secrets(entry: Entry) -> list[Secret]:
    if SECRET not in entry.stored:
        return []
    return [value for _, value in nodes(plain(entry.event)) if isinstance(value, Secret)]


def _in_words(inputs: Mapping[str, Any], words: str) -> Mapping[str, Any]:
    """The inputs, with these words in the places of erased ones."""
    worded: Mapping[str, Any] = changed(inputs, {field: words for field, _, _ in commitments(inputs)})
    return worded


# Dice outside any game


def _other_count(event: DiceCounted) -> Iterator[_Difference]:
    notation = read(event.notation)
    yield from _other_dice(event.dice, notation.pool)
    count = notation.count(_faces(event.dice))
    yield from _other("choice of dice", _whys(event.dice), [why or None for why in count.dropped], _places)
    yield from _other("sum", (event.addends, event.total), (count.addends, count.total), _sum)


def _sum(count: tuple[Sequence[int], int]) -> str:
    return f"{' + '.join(map(str, count[0]))} = {count[1]}".replace("-", "−")


# Rulings


def _differences(
    noted: _Noted, event: MovePlayed | QuestionAsked, system: System, kind: type[Move], words: str
) -> Iterator[_Difference]:
    """Where today's rules come to something else than an entry says, in the order of the working."""
    inputs = _in_words(event.inputs, words)
    for name, value in inputs.items():
        if not may_hold(kind.fields()[name], value):
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
    ruling = move.ruling(table, faces)
    yield from _other_ruling(event, ruling)
    offers = bool(move.offers(table, faces))
    yield from _other_moved(noted, move, hold=0 if noted.asked is None else -1, offers=offers)
    yield from _other_follows(noted, system, (*costs, *ruling.consequences))


def _other(what: str, was: T, now: T, text_of: Callable[[T], str] = str) -> Iterator[_Difference]:
    """The difference between two values of a part of a ruling, if any; `text_of` says how a value reads."""
    if was != now:
        one, other = (f"'{text}'" if (text := text_of(value)) else "nothing" for value in (was, now))
        yield _Difference(says=f"The {what} was {one}, today's rules say {other}.", hushed=f"The {what} differs.")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def _other_dice(dice: Sequence[CountedDie], pool: Pool | None) -> Iterator[_Difference]:
    thrown = Pool(sides=tuple(die.sides for die in dice))
    yield from _other("throw", str(thrown), str(pool or Pool(sides=())))


def _faces(dice: Sequence[CountedDie]) -> list[int]:
    return [die.face for die in dice]


def _whys(dice: Sequence[CountedDie]) -> list[str | None]:
    return [die.dropped for die in dice]


def _places(whys: Sequence[str | None]) -> str:
    """Which dice are dropped, and why, as an error shows them."""
    return ", ".join(f"die {place} ({why})" for place, why in enumerate(whys, start=1) if why is not None)


def _other_than_asked(event: MovePlayed, question: AnyEvent) -> Iterator[_Difference]:
    """Where an answer was made from something else than its question, apart from what it had to choose."""
    if not isinstance(question, QuestionAsked):
        raise _NotNoted
    inputs, seen = question.inputs, question.looked
    other = {
        "inputs": any(
            name not in question.asks and value != old and not (_has_erased(value) or _has_erased(old))
            for name, value, old in ((name, value, inputs.get(name)) for name, value in event.inputs.items())
        ),
        "numbers on the sheets": any(
            value != seen.get(who, {}).get(full, value)
            for who, sheet in event.looked.items()
            for full, value in sheet.items()
        ),
        "dice": _faces(event.dice) != _faces(question.dice),
        "system": event.system != question.system,
        "move": event.move != question.move,
        "settings": event.settings != question.settings,
        "throws": event.throws != question.throws,
    }
    for what in (what for what, differs in other.items() if differs):
        says = f"The question that it answers was asked with other {what}."
        yield _Difference(says=says, hushed=says)


def _has_erased(value: Any) -> bool:
    return next(commitments({"said": value}), None) is not None


def _other_ruling(event: MovePlayed, ruling: Ruling) -> Iterator[_Difference]:
    yield from _other("verdict", event.verdict, filled(ruling.verdict), _verdict)
    for was, now in zip_longest(event.steps, filled(ruling.steps)):
        yield from _other("working", was, now, _step)
    dropped = [ruling.dropped.get(place) for place in range(len(event.dice))]
    yield from _other("choice of dice", _whys(event.dice), dropped, _places)


def _verdict(verdict: Verdict) -> str:
    good = {True: "good", False: "bad", None: "neither good nor bad"}[verdict.good]
    if not isinstance(verdict.margin, int | None):
        raise _NotNoted
    margin = "" if verdict.margin is None else f" ({verdict.margin:+d})".replace("-", "−")
    return f"{verdict.says}{margin}, {good}"


def _step(step: Step | None) -> str:
    """A line of working as it reads, whatever values are in it."""
    if step is None:
        return ""
    pieces = zip_longest(step.says.split("{}"), map(str, step.numbers), fillvalue="")
    return f"{step.name}  {''.join(piece for pair in pieces for piece in pair)}".replace("-", "−")


def _other_moved(noted: _Noted, move: Move, *, hold: int, offers: bool) -> Iterator[_Difference]:
    """Where a ruling's own postings and marks are others than the hold of its question, and its offer."""
    holds = [Posting(who=who, score=HOLD, amount=hold) for who in (move.cast() if hold else ())]
    yield from _other("own posting", _changes(noted.event.postings, ()), _changes(holds, ()))
    own = [mark for mark in noted.event.marks if not mark.who.startswith("#")]
    offer = [mark for mark in own if (mark.who, mark.name) == (move.who, OFFER)]
    yield from _other("own mark", _changes((), [mark for mark in own if mark not in offer]), "")
    offered = any(mark.value == noted.seq for mark in offer)
    yield from _other("offer", "made" if offered else "", "made" if offers else "")


def _changes(postings: Sequence[Posting], marks: Sequence[Mark]) -> str:
    amounts = [f"{posting.who} {posting.score} {posting.amount:+d}".replace("-", "−") for posting in postings]
    return ", ".join([*amounts, *(f"{mark.who} {mark.name} = {mark.value}" for mark in marks)])


def _other_follows(noted: _Noted, system: System, effects: Sequence[Effect]) -> Iterator[_Difference]:
    today = [filled(event) for event in following(system, effects)]
    for was, now in zip_longest(map(_facts, noted.followed), map(_facts, today)):
        yield from _other("consequence", was, now, _consequence)


def _facts(event: Event) -> Consequence:
    """A consequence without the journal's own marks, which a copy has; raises `_NotNoted` for other events."""
    if not isinstance(event, Consequence):
        raise _NotNoted
    own = (mark.replace(value=plain(mark.value)) for mark in event.marks if not mark.who.startswith("#"))
    return event.replace(marks=tuple(own))


def _consequence(event: Consequence | None) -> str:
    if event is None:
        return ""
    facts = ", ".join(f"{name} {value}" for name, value in sorted(event.facts.items())).replace("-", "−")
    changes = _changes(event.postings, event.marks)
    return ", ".join(part for part in (f"{event.kind} of {event.who}", changes, facts) if part)
