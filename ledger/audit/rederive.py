"""Rederive: every ruling worked out again by today's rules, from its entry alone.

A ruling noted all that it was made from: what was said, the settings, what was looked at, the dice. Handed to the
rules as they are installed here, these come to the same dice, verdict, working and consequences, or the audit says
where not. An answer was made from its question too. What the GM keeps secret is opened to be compared, and never told.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from itertools import takewhile, zip_longest
from typing import Any, Literal

from ledger import systems
from ledger.commands.play import following
from ledger.errors import LedgerError
from ledger.events.canonical import changed
from ledger.events.commitments import ERASED, Secret, commitments, opened, revealed
from ledger.events.entry import Entry, plain, type_of
from ledger.events.subjects import CHOICE, HOLD, OFFER
from ledger.events.types import TYPES, DiceCounted, MovePlayed, QuestionAsked
from ledger.journal.book import Book
from ledger.rules.dice import Pool
from ledger.rules.move import Move, Table
from ledger.rules.notation import read
from ledger.rules.rulings import Follows, Ruling
from ledger.rules.system import System
from ledger.values import Field, Shape

Outcome = Literal["again", "differs", "differs-edition", "unknown", "erased", "away"]

REWORKED = frozenset({MovePlayed.type, QuestionAsked.type, DiceCounted.type})
"""The types of the entries that can be worked out again."""

OTHER_WORDS = "(other words)"
"""Stands for erased words beside `ERASED`: what comes out alike with both does not hang on them."""

Games = Callable[[str], System | None]
"""A game by its name, None where it is not installed."""


class Reworked(Shape):
    """What came of working an entry out again.

    `again`: the same as recorded. `differs`: not so, under the same edition; `differs-edition`: under another.
    `unknown`: the game is not installed here, or not in the edition that knew the move as it was made. `erased`: it
    hangs on words that were erased; `away`: on a secret that is not in this file. `says` is the sentence about it,
    empty where it came out again; no secret is in it.
    """

    seq: int
    outcome: Outcome
    says: str


class _Difference(Shape):
    """Where a ruling differs: as it is told, and as it is told of one in which anything is secret."""

    says: str
    hushed: str


class _LookedElsewhere(Exception):
    """A look at what a ruling did not note; no refusal, which a game may take for one of its own."""

    def __init__(self, who: str, full: str) -> None:
        super().__init__(f"{full} of {who}")


class _Noted(Shape):
    """An entry as it was written, opened, with what followed from it, the question that it answers, and what it saw.

    `secret` says that anything of it is kept by the GM, `lost` that such a thing is in this file no more.
    """

    seq: int
    type: str
    body: Mapping[str, Any]
    asked: Mapping[str, Any] | None
    followed: tuple[Mapping[str, Any], ...]
    looked: Mapping[str, Mapping[str, Any]]
    secret: bool
    lost: bool

    def look(self, who: str, full: str) -> Any:
        """Return what was noted of a sheet; nothing else is there to be seen."""
        try:
            return self.looked[who][full]
        except KeyError:
            raise _LookedElsewhere(who, full) from None


def reworked(book: Book) -> Iterator[Reworked]:
    """Yield what comes of all entries that can be worked out again, in order."""
    found: dict[str, System | None] = {}

    def game(name: str) -> System | None:
        if name not in found:
            found[name] = systems.installed(name)
        return found[name]

    for entry in book.journal.entries():
        if entry.type in REWORKED:
            yield rework(book, entry, game)


def rework(book: Book, entry: Entry, game: Games = systems.installed) -> Reworked:
    """Work an entry of one of the types `REWORKED` out again."""
    noted = _noted(book, entry.seq)
    if noted.lost:
        return Reworked(seq=entry.seq, outcome="away", says="What the GM keeps secret of it is in this file no more.")
    if noted.type == DiceCounted.type:
        return _told(noted, _first(partial(_recounted, noted.body)), same_edition=True)
    body = noted.body
    system = game(body["system"])
    if system is None:
        return Reworked(seq=entry.seq, outcome="unknown", says=f"The game {body['system']} is not installed here.")
    move = system.move(body["move"])
    if move is None or not _takes(move, body["inputs"].keys()):
        says = f"The {system.name} that is installed here does not know the move {body['move']} as it was made."
        outcome: Outcome = "differs" if body["edition"] == system.edition else "unknown"
        return Reworked(seq=entry.seq, outcome=outcome, says=says)
    found = _first(partial(_ruled_again, noted, system, move, ERASED))
    if _erased(body["inputs"]) and found != _first(partial(_ruled_again, noted, system, move, OTHER_WORDS)):
        return Reworked(seq=entry.seq, outcome="erased", says="It hangs on words that were erased.")
    return _told(noted, found, same_edition=body["edition"] == system.edition)


def _told(noted: _Noted, found: _Difference | None, *, same_edition: bool) -> Reworked:
    if found is None:
        return Reworked(seq=noted.seq, outcome="again", says="")
    outcome: Outcome = "differs" if same_edition else "differs-edition"
    return Reworked(seq=noted.seq, outcome=outcome, says=found.hushed if noted.secret else found.says)


def _first(differences: Callable[[], Iterator[_Difference]]) -> _Difference | None:
    """Return the first difference; that today's rules refuse, or cannot take what was noted, is one."""
    try:
        return next(differences(), None)
    except _LookedElsewhere as looked:
        more = "Today's rules look at more than was noted"
        return _Difference(says=f"{more}: at {looked}.", hushed=f"{more}.")
    except LedgerError as refused:
        return _Difference(says=f"Today's rules refuse it: {refused.sentence}", hushed="Today's rules refuse it.")
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError):
        says = "Today's rules cannot be worked out from what was noted."
        return _Difference(says=says, hushed=says)


# What was written


def _noted(book: Book, seq: int) -> _Noted:
    entry = book.journal.entry(seq)
    answers = entry.body.get("answers")
    asked = [] if answers is None else [book.journal.entry(answers)]
    followed = list(takewhile(lambda each: each.cause == seq and each.type not in TYPES, book.journal.entries(seq + 1)))
    held = [each for one in (entry, *asked, *followed) for each in _secrets(book, one)]
    body, *others = (opened(one.body, book.words.of(one.seq), secrets=True) for one in (entry, *asked, *followed))
    question = others[0] if asked else None
    own, before = (each.get("looked", {}) if each else {} for each in (body, question))
    return _Noted(
        seq=seq,
        type=entry.type,
        body=body,
        asked=question,
        followed=tuple(others[len(asked) :]),
        looked={who: {**own.get(who, {}), **before.get(who, {})} for who in {**own, **before}},
        secret=bool(held),
        lost=not all(held),
    )


def _secrets(book: Book, entry: Entry) -> list[bool]:
    """Return of each secret of an entry whether it is still there."""
    fields = [field for field, kind, _ in commitments(entry.body) if kind == Secret.KEY]
    there = book.words.of(entry.seq) if fields else {}
    return [field in there for field in fields]


def _takes(move: type[Move], inputs: AbstractSet[str]) -> bool:
    """Whether a move knows all these inputs, and needs no others."""
    fields = move.fields()
    return {name for name, field in fields.items() if field.required} <= inputs <= fields.keys()


def _in_words(inputs: Mapping[str, Any], words: str) -> Mapping[str, Any]:
    """Return what was said, with some words in the place of those that were erased."""
    found: Mapping[str, Any] = changed(inputs, {field: words for field, _, _ in commitments(inputs)})
    return found


# Dice outside any game


def _recounted(body: Mapping[str, Any]) -> Iterator[_Difference]:
    notation = read(body["notation"])
    yield from _other_dice(body, notation.pool)
    count = notation.count(_faces(body))
    yield from _other("choice of dice", _whys(body), [why or None for why in count.dropped], _places)
    yield from _other("sum", (body["addends"], body["total"]), (list(count.addends), count.total), _sum)


def _sum(count: tuple[Sequence[int], int]) -> str:
    return f"{' + '.join(map(str, count[0]))} = {count[1]}".replace("-", "−")


# Rulings


def _ruled_again(noted: _Noted, system: System, kind: type[Move], words: str) -> Iterator[_Difference]:
    """Yield where today's rules come to something else than an entry says, in the order in which it is worked out."""
    body = noted.body
    inputs = _in_words(body["inputs"], words)
    for name, said in inputs.items():
        if not _fits(kind.fields()[name], said):
            says = f"Today's rules do not take what was said as {name}."
            yield _Difference(says=says, hushed=says)
    move = kind.revived(inputs)
    table = Table(system.name, noted.look, body["settings"])
    faces = _faces(body)
    yield from _other("character", body["who"], move.who)
    yield from _other_dice(body, move.dice(table))
    costs = move.cost(table)
    if noted.type == QuestionAsked.type:
        yield from _other("question", _listed(body["asks"]), _listed(move.choices(table, faces)))
        yield from _other("kind of question", body["kind"], CHOICE)
        yield from _other_moved(noted, move, hold=1, offers=False)
        yield from _other_follows(noted, system, costs)
        return
    if noted.asked is not None:
        yield from _other_than_asked(body, noted.asked)
        costs = ()
    else:
        yield from _other("question", "none", _listed(move.choices(table, faces)))
    move.agree(table, faces)
    made = move.ruling(table, faces)
    yield from _other_ruling(body, made)
    offers = bool(move.offers(table, faces))
    yield from _other_moved(noted, move, hold=0 if noted.asked is None else -1, offers=offers)
    yield from _other_follows(noted, system, (*costs, *made.consequences))


def _fits(field: Field, said: Any) -> bool:
    """Whether an input may hold what was said, by its kind and its limits."""
    if said is None:
        return field.optional
    if field.keyed:
        return isinstance(said, dict) and all(_fits_one(field, each) for each in said.values())
    if field.many:
        return isinstance(said, list) and all(_fits_one(field, each) for each in said)
    return _fits_one(field, said)


def _fits_one(field: Field, said: Any) -> bool:
    if field.choices:
        return bool(said in field.choices)
    if type(said) is not field.kind:
        return False
    measured = len(said) if isinstance(said, str) else said
    return field.limit is None or field.limit.least <= measured <= field.limit.most


def _other(what: str, was: Any, now: Any, told: Callable[[Any], str] = str) -> Iterator[_Difference]:
    """Yield that a part of a ruling differs, where it does; `told` says how it reads."""
    if was != now:
        one, other = (f"'{text}'" if (text := told(each)) else "nothing" for each in (was, now))
        yield _Difference(says=f"The {what} was {one}, today's rules say {other}.", hushed=f"The {what} differs.")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def _other_dice(body: Mapping[str, Any], pool: Pool | None) -> Iterator[_Difference]:
    lie = Pool(sides=tuple(die["sides"] for die in body["dice"]))
    yield from _other("throw", str(lie), str(pool or Pool(sides=())))


def _faces(body: Mapping[str, Any]) -> list[int]:
    return [die["face"] for die in body["dice"]]


def _whys(body: Mapping[str, Any]) -> list[str | None]:
    return [die["dropped"] for die in body["dice"]]


def _places(whys: Sequence[str | None]) -> str:
    """Return which dice are dropped, and why, as an error shows it."""
    return ", ".join(f"die {place} ({why})" for place, why in enumerate(whys, start=1) if why is not None)


def _other_than_asked(body: Mapping[str, Any], asked: Mapping[str, Any]) -> Iterator[_Difference]:
    """Yield where an answer was made from something else than its question, apart from what was asked."""
    said, seen = asked["inputs"], asked["looked"]
    other = {
        "inputs": any(
            name not in asked["asks"] and value != said.get(name) and not (_erased(value) or _erased(said.get(name)))
            for name, value in body["inputs"].items()
        ),
        "numbers on the sheets": any(
            value != seen.get(who, {}).get(full, value)
            for who, sheet in body["looked"].items()
            for full, value in sheet.items()
        ),
        "dice": _faces(body) != _faces(asked),
        **{name: asked[name] != body[name] for name in ("system", "move", "settings", "throws")},
    }
    for what in (what for what, differs in other.items() if differs):
        says = f"The question that it answers was asked with other {what}."
        yield _Difference(says=says, hushed=says)


def _erased(said: Any) -> bool:
    return next(commitments({"said": said}), None) is not None


def _other_ruling(body: Mapping[str, Any], made: Ruling) -> Iterator[_Difference]:
    yield from _other("verdict", body["verdict"], revealed(plain(made.verdict)), _verdict)
    for was, now in zip_longest(body["steps"], revealed(plain(made.steps))):
        yield from _other("working", was, now, _step)
    yield from _other("choice of dice", _whys(body), [made.dropped.get(n) for n in range(len(body["dice"]))], _places)


def _verdict(verdict: Mapping[str, Any]) -> str:
    good = {True: "good", False: "bad", None: "neither good nor bad"}[verdict["good"]]
    margin = "" if verdict["margin"] is None else f" ({verdict['margin']:+d})".replace("-", "−")
    return f"{verdict['says']}{margin}, {good}"


def _step(step: Mapping[str, Any] | None) -> str:
    """Return a line of working as it is read, whatever stands in it."""
    if step is None:
        return ""
    pieces = zip_longest(step["says"].split("{}"), map(str, step["numbers"]), fillvalue="")
    return f"{step['name']}  {''.join(piece for pair in pieces for piece in pair)}".replace("-", "−")


def _other_moved(noted: _Noted, move: Move, *, hold: int, offers: bool) -> Iterator[_Difference]:
    """Yield where a ruling itself moves something else than the journal's own marks, and whom a question holds."""
    held = [{"who": who, "score": HOLD, "amount": hold} for who in (move.cast() if hold else ())]
    yield from _other("own posting", _moved(noted.body["postings"], ()), _moved(held, ()))
    own = [mark for mark in noted.body["marks"] if not mark["who"].startswith("#")]
    offer = [mark for mark in own if (mark["who"], mark["name"]) == (move.who, OFFER)]
    yield from _other("own mark", _moved((), [mark for mark in own if mark not in offer]), "")
    offered = any(mark["value"] == noted.seq for mark in offer)
    yield from _other("offer", "made" if offered else "", "made" if offers else "")


def _moved(postings: Sequence[Mapping[str, Any]], marks: Sequence[Mapping[str, Any]]) -> str:
    moved = [f"{each['who']} {each['score']} {each['amount']:+d}".replace("-", "−") for each in postings]
    return ", ".join([*moved, *(f"{mark['who']} {mark['name']} = {mark['value']}" for mark in marks)])


def _other_follows(noted: _Noted, system: System, follows: Sequence[Follows]) -> Iterator[_Difference]:
    events = following(system, follows)
    today = [{**revealed(plain(event)), "type": type_of(event)} for event in events]
    for was, now in zip_longest(map(_facts, noted.followed), map(_facts, today)):
        yield from _other("consequence", was, now, _consequence)


def _facts(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a consequence says; the marks of a copy that tie what was said about it to it are the journal's."""
    own = [mark for mark in body["marks"] if not mark["who"].startswith("#")]
    return {
        name: own if name == "marks" else body[name] for name in ("type", "system", "who", "facts", "postings", "marks")
    }


def _consequence(body: Mapping[str, Any] | None) -> str:
    if body is None:
        return ""
    facts = ", ".join(f"{name} {value}" for name, value in sorted(body["facts"].items())).replace("-", "−")
    moved = _moved(body["postings"], body["marks"])
    return ", ".join(each for each in (f"{body['type']} of {body['who']}", moved, facts) if each)
