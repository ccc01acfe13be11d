"""The description of a game as one value, `System`: what a sheet can have, what the GM may set, and how to play."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple, Self, TypeVar

from ledger.events.entry import Entry
from ledger.rules.inputs import HANDLE_PATTERN
from ledger.rules.move import Move, Rule, Table
from ledger.rules.rulings import Kind
from ledger.values import MAX_SHEET_NUMBER, Struct

T = TypeVar("T")


class DeclaredName(Struct):
    """A name that a sheet can have, or a pattern of names: `skill.*`, or `*` for any name without a family."""

    name: str

    @property
    def is_pattern(self) -> bool:
        """True if this is a pattern, which covers many names."""
        return "*" in self.name

    @property
    def is_open(self) -> bool:
        """True if this is a pattern that starts with `*`, so that the group can choose any names."""
        return self.name.startswith("*")

    def covers(self, name: str) -> bool:
        """Return True if this is the name, or a pattern that matches the name."""
        if not self.is_pattern:
            return self.name == name
        own = _own_part(self.name, name)
        return own is not None and self.allows(own)

    def allows(self, own: str) -> bool:
        """Return True if names may have `own` in place of the pattern's `*`. Default: True for a short name."""
        return HANDLE_PATTERN.fullmatch(own) is not None


def _own_part(pattern: str, name: str) -> str | None:
    """Return the part of a name that the `*` of a pattern matches; `None` if the name does not match.

    A pattern without `*` matches only itself. The part is then "".
    """
    before, _, after = pattern.partition("*")
    own = name[len(before) : len(name) - len(after)]
    return own if pattern.replace("*", own) == name else None


class Score(DeclaredName):
    """A named whole number.

    - `starts` and `most`: the first value and the highest value. Each is a number, or the name of another score.
      A `*` in `most` stands for the text that matches the `*` in this score's name.
    - `least_setting` and `most_setting`: the settings that replace `least` and `most`, "" for none.
    - `may_be_given`: characters may give points of the score to each other.
    - `tally`: any consequence may raise or lower the score. The limit `Kind.flow` does not apply.
    - `bookkeeping`: only the full sheet shows the score.
    - `shown_at_zero`: the value 0 means something different from no value.
    """

    unit: str
    says: str
    least: int = 0
    most: int | str = MAX_SHEET_NUMBER
    starts: int | str = 0
    tally: bool = False
    bookkeeping: bool = False
    shown_at_zero: bool = False
    least_setting: str = ""
    most_setting: str = ""
    may_be_given: bool = False

    def for_name(self, name: str) -> Self:
        """Return this declaration for the single score `name`, which must fit the pattern."""
        own = _own_part(self.name, name) or ""
        return self.replace(name=name, most=self.most if isinstance(self.most, int) else self.most.replace("*", own))

    def limit(self, value: Callable[[str], int]) -> int:
        """Return the highest allowed value. `value` reads another score on the same sheet."""
        return self.most if isinstance(self.most, int) else value(self.most)


class MarkSpec(DeclaredName):
    """A named value on a sheet that is not a number.

    - `read`: converts typed text, or raises `BadInput`.
    - `of`: the family of the scores that a value names, such as `attribute`. Commas separate several names.
    - `check`: refuses a value that does not fit the character's sheet.
    - `bookkeeping`: only the full sheet shows the mark.
    - `names_cast`: the value names characters. The sheet shows their full names.
    """

    says: str
    read: Callable[[str], Any]
    of: str = ""
    check: Callable[[Table, str, Any], object] | None = None
    bookkeeping: bool = False
    names_cast: bool = False


class Setting(Struct):
    """An option of the rules that the GM can change.

    `read` converts typed text, or raises `BadInput`. `shows` describes a value that is not a number or a name.
    """

    name: str
    says: str
    default: Any
    read: Callable[[str], Any]
    shows: Callable[[Any], str] | None = None


class SheetView(Struct):
    """The scores and marks of one sheet, by name without the game's prefix. Secrets are missing until revealed."""

    scores: Mapping[str, int]
    marks: Mapping[str, Any]

    def score(self, name: str) -> int:
        """Return a score, 0 for a name that is not on the sheet."""
        return self.scores.get(name, 0)

    def scores_of(self, family: str) -> dict[str, int]:
        """Map short names to the scores of a family: `deception` to the score `skill.deception`."""
        return _of_family(self.scores, family)

    def marks_of(self, family: str) -> dict[str, Any]:
        """Map short names to the marks of a family, as in `scores_of`."""
        return _of_family(self.marks, family)


class Row(Struct):
    """A line of a sheet: a label, a value in words, and the names of the scores and marks that the line shows.

    `then` is the command for an open task, without the program's name. In the command, `{who}` is the character. `whom`
    is another character whom the task needs, such as the target of an attack. `by` is the character whose action
    caused the task.
    """

    label: str
    value: str
    shows: tuple[str, ...]
    then: str = ""
    whom: str = ""
    by: str = ""


def _of_family(by_name: Mapping[str, T], family: str) -> dict[str, T]:
    return {name.removeprefix(f"{family}."): value for name, value in by_name.items() if name.startswith(f"{family}.")}


class Remark(NamedTuple):
    """An audit message that is not an error, because correct commands can cause it. `seq` is the entry."""

    seq: int
    says: str


class GameCheck:
    """An audit check of a game. The audit makes one object of the class, and passes it each action once, in order.

    A finding is the number of an entry that seems to break a rule, with a message. If a valid correction can cause the
    same message, yield a `Remark`. Texts are readable unless they were erased. Secrets are not readable. A forged entry
    can contain any inputs, facts and marks: read them with `read_as`, which checks the type.

    Keep what a later action needs in attributes, but no entries and no events: only numbers, texts, booleans and None,
    and tuples, lists, dicts and sets of them. Forget what no later entry can need. The audit saves the attributes after
    an action, and restores them in a later audit, which continues from there.
    """

    @abstractmethod
    def check(self, entries: Sequence[Entry], struck: Sequence[Entry]) -> Iterator[tuple[int, str]]:
        """Yield the findings of one action. The audit calls this for each action in order, even after corrections.

        `entries` are the game's entries in force at the place of the action, in the order in which they take effect.
        `struck` are the struck entries there. A correction comes with the action that it replaces, so its entries can
        have higher numbers than those of the next action. A ruling and its consequences always come together. Entries
        that concern all games, such as new days and changes of the cast, are included.
        """

    def last_findings(self) -> Iterator[tuple[int, str]]:
        """Yield the findings that are known only after the last action. Leave the attributes unchanged."""
        yield from ()


class WrongStoredType(Exception):
    """The error for a stored value of a type that this program never writes. The audit reports such values."""


def read_as(kind: type[T], value: object) -> T:
    """Return a value from an entry. Raise `WrongStoredType` for a value of another type."""
    if not isinstance(value, kind):
        raise WrongStoredType
    return value


class Rulebook(Struct):
    """The moves, rules and consequences of a game. A sheet can be shown without a rulebook.

    `page` has a line of text for each rule id. `new_day` is the move that starts a day for a character, and
    `new_turn` the move that starts a turn. `checks` are the classes of the game's own audit checks.
    """

    moves: tuple[type[Move], ...]
    rules: tuple[Rule[..., Any], ...]
    kinds: tuple[Kind, ...]
    page: Mapping[str, str]
    new_day: type[Move] | None = None
    new_turn: type[Move] | None = None
    checks: tuple[type[GameCheck], ...] = ()


def rulebook_of(package: str) -> Callable[[], Rulebook]:
    """Make a function that loads a rulebook from the modules of a game's `package`.

    The rulebook has every `Rule` in the module `rules` and every `Kind` in `consequences`, in the order of definition.
    """

    @cache
    def load() -> Rulebook:
        moves, rules, consequences, audit = (
            import_module(f"{package}.{file}") for file in ("moves", "rules", "consequences", "audit")
        )
        return Rulebook(
            moves=moves.MOVES,
            rules=_instances_of(Rule, rules),
            kinds=_instances_of(Kind, consequences),
            page=consequences.PAGE,
            new_day=getattr(moves, "NEW_DAY", None),
            new_turn=getattr(moves, "NEW_TURN", None),
            checks=audit.CHECKS,
        )

    return load


def _instances_of(kind: type[T], module: ModuleType) -> tuple[T, ...]:
    return tuple(value for value in vars(module).values() if isinstance(value, kind))


class Wording(Struct):
    """The description of a move. In the log, `act` replaces the move's name, and `result` follows the verdict.

    `act` and `result` are pieces of text. The log leaves out a piece with a `{name}` that has no value. It also
    leaves out a piece that starts with a space or one of `,;:.)`, if no piece comes before it.

    - `act`: a `{name}` is an input.
    - `result`: a `{name}` is an input, a step of the ruling, or a part of a step (`{step.addends}`,
      `{step.sum}`).
    - `bare`: the log shows the verdict without the move: "mara wears jacket".
    - `names_dice`: `result` shows the dice. In `result`, `{dropped}` is the faces that do not count.

    The recap tells a move in a sentence. The words are in the past tense, and must also be correct if
    several names come before them:

    - `did`: the words after the character's name: "made a {skill} roll". It consists of pieces, as in `act`. The
      outcome comes after it.
    - `story`: maps stored verdicts, as in `System.sentences`, to the whole text after the character's name. In
      the text, a `{name}` can also be an input, and `{steps}` is the names of the steps. A text that starts with
      a capital letter is a sentence by itself. "" leaves the move out. If no key matches, the recap uses `did`. If
      there is a `did`, the keys `*` and `{name}` match only verdicts that are neither a success nor a failure.
    - `left_out`: the texts for verdicts that `story` leaves out, in the same form. Only the chronicle tells them.
    - `choice`: the sentence if a choice is open: "{who} still has to choose which die to drop". Default: "{who}
      still has a choice to make".
    - `offers`: maps inputs that accept an offer to the words for the character's act: "paid one PK to roll
      again".
    - `appendix`: the recap tells the move only in the appendix.
    - `certain`: the act cannot fail. The recap then tells "read the chart" instead of "tried to read the chart".
    - `deed_from`: a mark of the character. If the move has no deed, the recap uses the deed of the action that set the
      mark, such as `rate`.
    - `sides`: the campaign's mark that maps the sides of a contest to their members, such as `sides.{contest}`. In a
      text of `story`, the name of a side, such as `{acting}`, lists the members.
    """

    act: tuple[str, ...] = ()
    result: tuple[str, ...] = ()
    bare: bool = False
    names_dice: bool = False
    did: tuple[str, ...] = ()
    story: Mapping[str, str] = {}
    left_out: Mapping[str, str] = {}
    choice: str = "{who} still has a choice to make"
    offers: Mapping[str, str] = {}
    appendix: bool = False
    certain: bool = False
    deed_from: str = ""
    sides: str = ""


class System(Struct):
    """A game. `rulebook` loads the moves, rules and consequences when somebody plays.

    - `rows`: describes a sheet, in the order of the game's character sheet. Scores and marks that are in none of these
      rows follow them.
    - `table_rows`: describes the whole table's sheet, and may read the characters' sheets.
    - `waits`: prefixes of scores and marks. Somebody may have to act if a sheet has a name with such a prefix.
    - `wordings`: maps moves to their descriptions in the log.
    - `sentences`: maps stored to displayed words. In stored words, `*` and `{name}` match text without semicolons. In
      displayed words, `{name}` is the text that the stored `{name}` matches.
    - `labels`: maps scores to their names in the log: `save.*` to `{name} save`.
    - `outcomes`: maps stored verdicts, as in `sentences`, to the recap's words for the outcome: "failed badly".
    - `units`: maps scores to their units, in the singular and the plural: "hit point" and "hit points". With None,
      the recap leaves out the changes of the score.
    - `states`: maps families of scores to the words for a score above 0 that a character has: "the condition
      “{name}”".
    - `condition_marks`: marks with words for a character's conditions, such as "poisoned, prone". The recap tells their
      changes.
    - `effects`: maps kinds of consequences without a score to the recap's words: "suffered {becomes} points". In the
      words, a `{name}` is a fact of the consequence. The recap leaves out a consequence with the number 0.
    - `change_verbs`: maps families of scores to the verbs for a rise and a fall. Default: "gained" and "lost".
    - `totals`: maps scores to the recap's sentences for a rise in the session and for a fall: "{who} invested
      {amount} energy in the {name} project". "" leaves the score out.
    - `tasks`: maps open tasks on a sheet, as `label: value`, to the recap's sentence about `{who}`.
    - `wounds`: scores. If somebody changes one by hand, the recap tells the change as a part of the story.
    - `main`: the move that people play most.
    - `secondary`: people may use the game beside another game. The other game's moves then come first.
    - `low_totals_succeed`: returns True if these settings let a plain roll succeed at or below its target number.
    - `main_with_number`: the move and its flags for a line such as `c 55`, if that move is not `main`.
    """

    name: str
    edition: str
    title: str
    scores: tuple[Score, ...]
    marks: tuple[MarkSpec, ...] = ()
    settings: tuple[Setting, ...] = ()
    rows: Callable[[SheetView], Sequence[Row]] = lambda sheet: ()
    table_rows: Callable[[SheetView, Callable[[str], SheetView]], Sequence[Row]] = lambda table, sheet_of: ()
    waits: tuple[str, ...] = ()
    wordings: Mapping[str, Wording] = {}
    sentences: Mapping[str, str] = {}
    labels: Mapping[str, str] = {}
    outcomes: Mapping[str, str] = {}
    units: Mapping[str, tuple[str, str] | None] = {}
    states: Mapping[str, str] = {}
    condition_marks: tuple[str, ...] = ()
    effects: Mapping[str, str] = {}
    change_verbs: Mapping[str, tuple[str, str]] = {}
    totals: Mapping[str, tuple[str, str]] = {}
    tasks: Mapping[str, str] = {}
    wounds: frozenset[str] = frozenset()
    main: str = ""
    secondary: bool = False
    low_totals_succeed: Callable[[Mapping[str, Any]], bool] | None = None
    main_with_number: str = ""
    rulebook: Callable[[], Rulebook]

    def score(self, name: str) -> Score | None:
        """Return the declaration that covers a score's name, None if there is none."""
        return next((score for score in self.scores if score.covers(name)), None)

    def bounded_by(self, name: str) -> tuple[Score, ...]:
        """Return the scores that have this score as their upper limit."""
        owns = ((score, _own_part(str(score.most), name)) for score in self.scores)
        return tuple(score.for_name(score.name.replace("*", own)) for score, own in owns if own is not None)

    def mark(self, name: str) -> MarkSpec | None:
        """Return the declaration that covers a mark's name, None if there is none."""
        return next((mark for mark in self.marks if mark.covers(name)), None)

    def is_bookkeeping(self, name: str) -> bool:
        """Return True if only the full sheet shows this score or mark."""
        declared = self.score(name) or self.mark(name)
        return declared is not None and declared.bookkeeping

    def setting(self, name: str) -> Setting | None:
        """Return the setting with this name, None if there is none."""
        return next((setting for setting in self.settings if setting.name == name), None)

    def move(self, name: str) -> type[Move] | None:
        """Return the class of the move with this name, None if there is none."""
        return next((move for move in self.rulebook().moves if move.name() == name), None)

    def playable(self) -> dict[str, type[Move]]:
        """Map move names to the playable moves, in order. Omit moves that are only parts of other moves."""
        return {move.name(): move for move in self.rulebook().moves if not move.is_part}

    def kind(self, name: str) -> Kind | None:
        """Return the kind of consequence with this name, None if there is none."""
        return next((kind for kind in self.rulebook().kinds if kind.name == name), None)
