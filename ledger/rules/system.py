"""A system: one value that lists what a sheet can have, what the GM may decide, and how to play the game."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

from ledger.events.entry import Entry
from ledger.rules.inputs import HANDLE
from ledger.rules.move import Move, Rule
from ledger.rules.rulings import Kind
from ledger.values import LARGEST, Struct

T = TypeVar("T")


class Declared(Struct):
    """A name that a sheet can have, or a pattern of such names (`skill.*`, or `*` for any name without a family)."""

    name: str

    @property
    def pattern(self) -> bool:
        """True for a pattern that matches all names with the same beginning."""
        return self.is_open or self.name.endswith(".*")

    @property
    def is_open(self) -> bool:
        """Return True for the pattern that matches any name, so that the group chooses its own names."""
        return self.name == "*"

    def covers(self, name: str) -> bool:
        """Return True if this declares the name."""
        if not self.pattern:
            return name == self.name
        stem = self.name[:-1]
        return name.startswith(stem) and HANDLE.fullmatch(name[len(stem) :]) is not None


class Score(Declared):
    """A named whole number on a sheet. `most` and `starts` are a number or the name of another score.

    A tally counts something that is on no sheet, so no flow binds it. Bookkeeping is shown only with the full sheet. If
    `shown_at_zero`, the rules tell the value 0 from no value.
    """

    unit: str
    says: str
    least: int = 0
    most: int | str = LARGEST
    starts: int | str = 0
    tally: bool = False
    bookkeeping: bool = False
    shown_at_zero: bool = False

    def limit(self, value: Callable[[str], int]) -> int:
        """The highest value; `value` gives another score of the sheet."""
        return self.most if isinstance(self.most, int) else value(self.most)


class MarkSpec(Declared):
    """A named value on a sheet that is not a number. `read` converts typed text, or refuses it with `BadInput`.

    `holds` annotates the type of its values, if rules rely on it. `of` is the family of scores that a value names, such
    as `attribute`; commas separate several names. Bookkeeping is shown only with the full sheet.
    """

    says: str
    read: Callable[[str], Any]
    holds: Any = Any
    of: str = ""
    bookkeeping: bool = False


class Setting(Struct):
    """A choice of the GM that overrides the page; `read` takes it as typed, or refuses with `BadInput`.

    `shows` puts a value in words, if it is more than a number or a name; `holds` annotates the type of its values, if
    rules rely on it.
    """

    name: str
    says: str
    default: Any
    read: Callable[[str], Any]
    holds: Any = Any
    shows: Callable[[Any], str] | None = None


class SheetView:
    """A sheet at one point, for its game to describe: all its scores and marks, without the name of the game.

    Secrets that were not revealed are left out.
    """

    def __init__(self, scores: Mapping[str, int], marks: Mapping[str, Any]) -> None:
        self.scores = scores
        self.marks = marks

    def score(self, name: str) -> int:
        """A score, 0 if it is not on the sheet."""
        return self.scores.get(name, 0)

    def scores_of(self, family: str) -> dict[str, int]:
        """The scores of a family by their own names: of `skill`, `deception`."""
        return _of_family(self.scores, family)

    def marks_of(self, family: str) -> dict[str, Any]:
        """The marks of a family by their own names."""
        return _of_family(self.marks, family)


class Row(Struct):
    """A line of a sheet as players read it: what it is, its value in words, and the scores and marks that it shows.

    If it waits for somebody, `then` is what to type after `campaign`, with `{who}` for the character.
    """

    label: str
    value: str
    shows: tuple[str, ...]
    then: str = ""


def _of_family(named: Mapping[str, T], family: str) -> dict[str, T]:
    return {name.removeprefix(f"{family}."): value for name, value in named.items() if name.startswith(f"{family}.")}


Stands = Callable[[Entry], bool]
"""Whether the action of an entry stands."""


class Remark(NamedTuple):
    """A remarkable fact that honest commands can cause: the entry, and a sentence."""

    seq: int
    says: str


GameCheck = Callable[[Sequence[Entry], Stands], Iterator[tuple[int, str]]]
"""A check of the audit for what a game forbids: it yields the entries at fault, with a sentence each. What corrections
can bring about is a `Remark`.

It gets all entries of the game in the order written, struck ones too; words are open if they are still there, secrets
are closed. Anybody may have written the inputs, facts and marks: read them with `read_as`, which insists on the type.
"""


class Misfit(Exception):
    """A value that none of our programs writes in that place. The audit reports it."""


def all_of(kind: type[T], module: Mapping[str, object]) -> tuple[T, ...]:
    """List the values of a class in a module, in the order in which they are defined."""
    return tuple(value for value in module.values() if isinstance(value, kind))


def read_as(kind: type[T], value: object) -> T:
    """A value of an entry, as the type that it should have. Raise `Misfit` for any other."""
    if not isinstance(value, kind):
        raise Misfit
    return value


def in_place(entries: Sequence[Entry], stands: Stands) -> list[Entry]:
    """The entries that stand, in the order in which they count."""
    return sorted((entry for entry in entries if stands(entry)), key=lambda entry: (entry.since, entry.seq))


class Rulebook(Struct):
    """The part of a game that showing a sheet does not need: moves, rules and consequences.

    `page` has one line for each rule, by its id. `new_day` is the move that starts a day for each sheet, and `new_turn`
    the move that starts a character's turn. `checks` are the game's own audit checks.
    """

    moves: tuple[type[Move], ...]
    rules: tuple[Rule[..., Any], ...]
    kinds: tuple[Kind, ...]
    page: Mapping[str, str]
    new_day: type[Move] | None = None
    new_turn: type[Move] | None = None
    checks: tuple[GameCheck, ...] = ()


def rulebook_of(package: str) -> Callable[[], Rulebook]:
    """A loader of the rulebook of a game that is a package with the usual files."""

    def load() -> Rulebook:
        moves, rules, consequences, audit = (
            import_module(f"{package}.{file}") for file in ("moves", "rules", "consequences", "audit")
        )
        return Rulebook(
            moves=moves.MOVES,
            rules=rules.RULES,
            kinds=consequences.KINDS,
            page=consequences.PAGE,
            new_day=getattr(moves, "NEW_DAY", None),
            new_turn=getattr(moves, "NEW_TURN", None),
            checks=audit.CHECKS,
        )

    return load


def no_rows(sheet: SheetView) -> Sequence[Row]:
    """No rows of the game's own: scores and marks by their names."""
    return ()


def no_table_rows(table: SheetView, sheet_of: Callable[[str], SheetView]) -> Sequence[Row]:
    """No rows of the game's own for what belongs to the whole table."""
    return ()


class Wording(Struct):
    """The log's description of a move. `deed` stands for the name of the move, and `result` follows the verdict.

    Both are pieces of text that are joined. A piece with a `{name}` that has no value is left out; so is a piece that
    begins with a space or one of `,;:.)` if nothing comes before it. In `deed`, a name is an input. In `result`, it is
    an input, a step of the working, the `{step.addends}` or the `{step.sum}` of a step, or `{dropped}` (the faces that
    do not count). If `bare`, the verdict alone says what was done, as in "mara wears jacket". If `names_dice`, the
    result has the dice too.
    """

    deed: tuple[str, ...] = ()
    result: tuple[str, ...] = ()
    bare: bool = False
    names_dice: bool = False


NO_MOVES: Mapping[str, Wording] = {}
NO_SENTENCES: Mapping[str, str] = {}


class System(Struct):
    """A game. `rulebook` loads its moves, rules and consequences when somebody plays.

    `rows` puts a sheet into words, in the order of the game's own sheet; whatever no row shows is added by its name.
    `table_rows` does that for the whole table, which may look at the sheets of characters.
    `waits` lists prefixes of the scores and marks that make a row of the sheet wait for somebody.
    `wordings` describe moves in the log, by the name of the move. `sentences` show a verdict or a step in better words
    than those that its entry stores; a `*` matches text without semicolons, and `{}` repeats it. `labels` name scores
    in the log: `{} save` for `save.*`. `main` is the move that is played most.
    """

    name: str
    edition: str
    title: str
    scores: tuple[Score, ...]
    marks: tuple[MarkSpec, ...] = ()
    settings: tuple[Setting, ...] = ()
    rows: Callable[[SheetView], Sequence[Row]] = no_rows
    table_rows: Callable[[SheetView, Callable[[str], SheetView]], Sequence[Row]] = no_table_rows
    waits: tuple[str, ...] = ()
    wordings: Mapping[str, Wording] = NO_MOVES
    sentences: Mapping[str, str] = NO_SENTENCES
    labels: Mapping[str, str] = NO_SENTENCES
    main: str = ""
    rulebook: Callable[[], Rulebook]

    def score(self, name: str) -> Score | None:
        """The score declared under this name, by a pattern too."""
        return next((score for score in self.scores if score.covers(name)), None)

    def bounded_by(self, name: str) -> tuple[Score, ...]:
        """The scores whose upper limit is this score."""
        return tuple(score for score in self.scores if score.most == name)

    def mark(self, name: str) -> MarkSpec | None:
        """The mark declared under this name."""
        return next((mark for mark in self.marks if mark.covers(name)), None)

    def bookkeeping(self, name: str) -> bool:
        """Return True if this score or mark is shown only with the full sheet."""
        declared = self.score(name) or self.mark(name)
        return declared is not None and declared.bookkeeping

    def setting(self, name: str) -> Setting | None:
        """The setting declared under this name."""
        return next((setting for setting in self.settings if setting.name == name), None)

    def move(self, name: str) -> type[Move] | None:
        """The move of this name."""
        return next((move for move in self.rulebook().moves if move.name() == name), None)

    def kind(self, name: str) -> Kind | None:
        """The kind of consequence of this name."""
        return next((kind for kind in self.rulebook().kinds if kind.name == name), None)
