"""Moves and rules: what a player can do, and the pure functions of numbers behind it.

A move looks at what was said, at the sheets and at the dice, and makes a ruling. A rule is a named pure function of
numbers that moves, `try` and the audit call alike.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Generic, ParamSpec, Self, TypeVar

from ledger.errors import Refused
from ledger.events.canonical import parse_json
from ledger.events.commitments import Secret, secret
from ledger.events.subjects import CAMPAIGN
from ledger.rules.dice import Pool
from ledger.rules.inputs import AT_TABLE, CAST, HIDDEN, Who
from ledger.rules.rulings import Effect, Ruling, ruling
from ledger.values import Struct

P = ParamSpec("P")
R = TypeVar("R", bound=Struct)


class Table:
    """The sheets and settings that a move may look at; it notes what is read of the sheets.

    `look` answers for one character and one score or mark by its full name (`edge/edge`), with None where there is
    none; for a pattern (`edge/skill.*`) with the names of the scores that are not 0. What the GM keeps secret it gives
    as such, and it is noted as such. What belongs to the whole table stands under the name `campaign`.
    """

    def __init__(self, system: str, look: Callable[[str, str], Any], settings: Mapping[str, Any]) -> None:
        self._system = system
        self._look = look
        self.settings = settings
        self.looked: dict[str, dict[str, Any]] = {}

    def find(self, who: str, name: str) -> Any:
        """A score or mark of a sheet, None where it has none."""
        return self._find(who, f"{self._system}/{name}")

    def score(self, who: str, name: str) -> int:
        """A number of a sheet, 0 where it has none."""
        found = self.find(who, name)
        return found if isinstance(found, int) and not isinstance(found, bool) else 0

    def needed(self, who: str, name: str) -> int:
        """A score of a sheet; refuses one that is not there."""
        if self.find(who, name) is None:
            hint = f"Put it there with 'campaign adjust {who} {self._system}/{name}=+N --why TEXT'."
            raise Refused(f"{who} has no {name} on the sheet.", hint)
        return self.score(who, name)

    def names(self, who: str, prefix: str) -> tuple[str, ...]:
        """Names of the scores under a prefix that are not 0, in order."""
        return tuple(self.find(who, f"{prefix}.*") or ())

    def day(self) -> int:
        """The day of the campaign, 0 before the first."""
        return self._find(CAMPAIGN, "day") or 0

    def _find(self, who: str, full: str) -> Any:
        sheet = self.looked.setdefault(who, {})
        if full not in sheet:
            sheet[full] = self._look(who, full)
        found = sheet[full]
        return parse_json(found.text or "null") if isinstance(found, Secret) else found


class Rule(Generic[P, R]):
    """A named pure function of numbers. It refuses impossible input; `dice` names the parameters that are dice."""

    def __init__(self, name: str, ids: tuple[str, ...], dice: tuple[str, ...], work: Callable[P, R]) -> None:
        self.name = name
        self.ids = ids
        self.dice = dice
        self.work = work

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Work the rule out."""
        return self.work(*args, **kwargs)


def rule(name: str, *ids: str, dice: tuple[str, ...] = ()) -> Callable[[Callable[P, R]], Rule[P, R]]:
    """Name a function as a rule, with the ids of the page that it keeps."""
    return lambda work: Rule(name, ids, dice, work)


def natural(dice: Sequence[int], *, count: int | None = None, sides: int) -> None:
    """Refuse dice that cannot lie on the table: too many, too few, or with a face that they do not have."""
    if count is not None and len(dice) != count:
        raise Refused(f"This throw takes {count} dice, not {len(dice)}.")
    for face in dice:
        if not 1 <= face <= sides:
            raise Refused(f"A d{sides} cannot show {face}.")


class Move(Struct):
    """One thing that a player can do; the fields of a move are its inputs, its docstring the help.

    `dice` asks for a pool, or refuses; `choices` names inputs that the rules want chosen once the dice lie, `offers`
    those that they let one choose after the ruling; `agree` refuses a choice that the dice do not allow; `cost` is what
    was declared before the dice; `ruling` is total: it never refuses what the others let pass, and it is pure. `then`
    are moves that are played after it at once, in the same action.
    """

    ids: ClassVar[tuple[str, ...]] = ()
    example: ClassVar[str]
    chosen: ClassVar[tuple[str, ...]] = ()
    """The inputs that the rules want chosen once the dice lie."""
    offered: ClassVar[tuple[str, ...]] = ()
    """The inputs that the rules let one choose after the ruling, until the character's next move."""
    leads: "ClassVar[tuple[type[Move], ...]]" = ()
    """The moves that may be played after it at once."""
    who: Who

    @classmethod
    def name(cls) -> str:
        """The name of the move, as typed."""
        return cls.__name__.lower()

    @classmethod
    def revived(cls, inputs: Mapping[str, Any]) -> Self:
        """A move from the inputs that an entry holds, its words and secrets opened."""
        held: dict[str, Any] = {name: tuple(each) if isinstance(each, list) else each for name, each in inputs.items()}
        return cls(**held)

    @classmethod
    def due(cls, table: Table, who: str) -> bool:
        """Whether it is to be played for somebody now that a day began; only the move of a new day says yes."""
        return False

    def then(self) -> "tuple[Move, ...]":
        """The moves that are played after this one at once; none, unless a system says otherwise."""
        return ()

    @classmethod
    def throws(cls) -> bool:
        """Whether it may ask for dice, or leads to a move that does: a `dice` of no dice says so in its signature."""
        own = cls.dice is not Move.dice and cls.dice.__annotations__.get("return", "") not in {None, "None"}
        return own or any(move.throws() for move in cls.leads)

    @property
    def hides(self) -> bool:
        """Whether the GM keeps the hidden inputs of this move from the players."""
        return bool(self.__dict__.get("secret", False))

    def veil(self, number: int) -> int | Secret:
        """A number, as a secret where the GM keeps it."""
        return secret(number) if self.hides else number

    def cast(self) -> tuple[str, ...]:
        """All whose sheets it reads or moves."""
        names: list[str] = []
        for field in self.fields().values():
            if CAST in field.tags:
                held = getattr(self, field.name)
                names += (held or ()) if field.many or field.keyed else [held]
        return tuple(name for name in dict.fromkeys(names) if name is not None)

    def dice(self, table: Table) -> Pool | None:
        """The dice to throw, None for none; refuses what cannot be played."""
        return None

    def choices(self, table: Table, faces: Sequence[int]) -> tuple[str, ...]:
        """The inputs that are chosen once the dice lie; none, unless a system says otherwise."""
        return ()

    def offers(self, table: Table, faces: Sequence[int]) -> tuple[str, ...]:
        """The inputs that may be chosen after the ruling; none, unless a system says otherwise."""
        return ()

    def hidden(self) -> tuple[str, ...]:
        """The inputs that the GM keeps from the players."""
        return tuple(field.name for field in self.fields().values() if HIDDEN in field.tags) if self.hides else ()

    def agree(self, table: Table, faces: Sequence[int]) -> None:
        """Refuse a choice that the dice do not allow."""

    def cost(self, table: Table) -> tuple[Effect, ...]:
        """The costs that are paid whatever the dice show."""
        return ()

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """The rules' verdict, by default that the move was played."""
        return ruling("played", None)


class TableMove(Move):
    """A move of the whole table: nobody is named, and what it moves stands under `campaign`."""

    who: Annotated[str, AT_TABLE] = CAMPAIGN
