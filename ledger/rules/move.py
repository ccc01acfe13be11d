"""Moves and rules: what a player can do, and the pure functions of numbers behind it.

A move reads its inputs, the sheets and the dice, and makes a ruling. A rule is a named pure function of numbers that
moves, `try` and the audit call alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Generic, ParamSpec, Self, TypeVar

from ledger.errors import Refused, Run
from ledger.events.canonical import parse_json
from ledger.events.commitments import Secret, secret
from ledger.events.subjects import CAMPAIGN
from ledger.rules.dice import Pool
from ledger.rules.inputs import AT_TABLE, CAST, HIDDEN, NOT_PAYING, Who, is_for_gm
from ledger.rules.rulings import Effect, Ruling, ruling
from ledger.values import Field, Struct

P = ParamSpec("P")
R = TypeVar("R")
NOTHING: Mapping[str, str] = {}
"""Nothing is offered after the ruling."""


class Table:
    """The sheets and settings that a move may read; `looked` records what it read of the sheets.

    `look` takes a character and the full name of a score or mark (`edge/edge`), and gives its value or None; for a
    pattern (`edge/skill.*`) it gives the names of the scores that are not 0. It gives a secret as a secret, and the
    table records it as one. The values of the whole table are under the name `campaign`.
    """

    def __init__(
        self,
        system: str,
        look: Callable[[str, str], Any],
        settings: Mapping[str, Any],
        gained: Callable[[str, str], int] = lambda who, full: 0,
    ) -> None:
        self._system = system
        self._look = look
        self._gained = gained
        self.settings = settings
        self.looked: dict[str, dict[str, Any]] = {}

    def find(self, who: str, name: str) -> Any:
        """A score or mark of a sheet, None if it has none."""
        return self._find(who, f"{self._system}/{name}")

    def score(self, who: str, name: str) -> int:
        """A number of a sheet, 0 if it has none."""
        value = self.find(who, name)
        return value if isinstance(value, int) and not isinstance(value, bool) else 0

    def needed(self, who: str, name: str) -> int:
        """Return a score of a sheet. Refuse (`Refused`) if the sheet does not have it."""
        if self.find(who, name) is None:
            family, _, own = name.rpartition(".")
            likely = self.likely(who, own, family) if family else ""
            hint = f"{likely}Add it with {Run('adjust', who, f'{self._system}/{name}=+N', why='TEXT')}."
            raise Refused(f"{who} has no {name} on the sheet.", hint)
        return self.score(who, name)

    def likely(self, who: str, typed: str, *families: str) -> str:
        """Start a hint with the name on the sheet that is most like the typed one; "" if there isn't one."""
        from difflib import get_close_matches  # most names are typed correctly

        own = [name for family in families for name in self.names(who, family)]
        return "".join(f"Did you mean {name}? " for name in get_close_matches(typed, own, n=1))

    def gained(self, who: str, name: str) -> int:
        """The action from which the last gain of a score counts, 0 if unknown. Only for texts, never for a ruling."""
        return self._gained(who, f"{self._system}/{name}")

    def names(self, who: str, prefix: str) -> tuple[str, ...]:
        """The scores under a prefix that are not 0, in order."""
        return tuple(self.find(who, f"{prefix}.*") or ())

    def day(self) -> int:
        """The day of the campaign, 0 before the first."""
        return self._find(CAMPAIGN, "day") or 0

    def _find(self, who: str, full: str) -> Any:
        sheet = self.looked.setdefault(who, {})
        if full not in sheet:
            sheet[full] = self._look(who, full)
        value = sheet[full]
        return parse_json(value.text or "null") if isinstance(value, Secret) else value


class Rule(Generic[P, R]):
    """A named pure function of numbers, which refuses impossible input.

    It returns a `Struct` of named results, or a single result under the name `gives`.
    """

    def __init__(self, name: str, ids: tuple[str, ...], work: Callable[P, R], gives: str) -> None:
        self.name = name
        self.ids = ids
        self.work = work
        self.gives = gives

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Work the rule out."""
        return self.work(*args, **kwargs)


def rule(name: str, *ids: str, gives: str = "") -> Callable[[Callable[P, R]], Rule[P, R]]:
    """Name a function as a rule, with the ids of the page's rules that it follows; `gives` names a single result."""
    return lambda work: Rule(name, ids, work, gives)


def natural(dice: Sequence[int], *, count: int | None = None, sides: int) -> None:
    """Refuse (`Refused`) impossible dice: too many, too few, or with a face that they do not have."""
    if count is not None and len(dice) != count:
        raise Refused(f"This roll needs {count} dice, not {len(dice)}.")
    for face in dice:
        if not 1 <= face <= sides:
            raise Refused(f"A d{sides} cannot show {face}.")


class Proposal(Struct):
    """A number that the sheets propose for an input, under a name; `None` if they leave it to the GM.

    `says` is the text to ask for it. A different number needs a reason, in the input `reason`.
    """

    input: str
    name: str
    number: int | None
    says: str
    reason: str


class Move(Struct):
    """One thing that a player can do. Its fields are its inputs, and its docstring is the help.

    In order: `dice` asks for a pool, or refuses; `cost` is paid before the dice; `with_dice` has their effects whatever
    is chosen; `choices` names inputs to choose after the throw, and `agree` refuses a choice that the dice do not
    allow; `ruling` gives the verdict: it is pure and never refuses. Then `offers` names inputs that the player may
    choose after the ruling, and `then` gives the moves that follow in the same action. If these are refused, or need
    typed dice that are missing, they wait until the move is `resumed`.
    """

    called: ClassVar[str] = ""
    """Its name as typed. Default: that of the class, in small letters."""
    ids: ClassVar[tuple[str, ...]] = ()
    example: ClassVar[str]
    another: ClassVar[str] = ""
    """Two examples of what is typed after its name."""
    chosen: ClassVar[tuple[str, ...]] = ()
    """The inputs that the player has to choose after the throw."""
    offered: ClassVar[Mapping[str, str]] = NOTHING
    """The inputs that the player may choose after the ruling, until the next move, each with what it does, in words."""
    leads: ClassVar[tuple[type[Move], ...]] = ()
    """The moves that may be played after it at once."""
    opens: ClassVar[bool] = False
    """Whether its question may say what it read in secret, since its ruling tells that anyhow."""
    by_gm: ClassVar[bool] = False
    """Whether it is a move of the GM: it ends no offer to the character that it is about."""
    own_secrets: ClassVar[bool] = False
    """True if the hidden inputs are the acting player's secrets. Default: they are the GM's secrets."""
    is_part: ClassVar[bool] = False
    """Whether it only follows other moves, and nobody types it."""
    resumed: ClassVar[str] = ""
    """How to go on with what follows it, as typed after the name of the game, with `{who}`; "" if that never waits."""
    who: Who

    @classmethod
    def name(cls) -> str:
        """The name of the move, as typed."""
        return cls.called or cls.__name__.lower()

    @classmethod
    def revived(cls, inputs: Mapping[str, Any]) -> Self:
        """Make a move from the inputs of an entry, with its words and secrets open."""
        data: dict[str, Any] = {name: tuple(item) if isinstance(item, list) else item for name, item in inputs.items()}
        return cls(**data)

    @classmethod
    def due(cls, table: Table, who: str) -> bool:
        """Return True to play it for this character now that a day, or a turn, began. Default: False."""
        return False

    @property
    def goes_on(self) -> bool:
        """Return True if other moves may follow from its ruling, in the same action. Default: if it has a `then`."""
        return type(self).then is not Move.then

    def then(self, table: Table, faces: Sequence[int]) -> tuple[Move, ...]:
        """The moves that follow from its ruling. Not asked while a question or an offer is open. Default: none."""
        return ()

    @classmethod
    def throws(cls) -> bool:
        """Return True if it may ask for dice, or if a move it leads to may. A `dice` without a pool returns `None`."""
        own = cls.dice is not Move.dice and cls.dice.__annotations__.get("return", "") not in {None, "None"}
        return own or any(move.throws() for move in cls.leads)

    @property
    def only_looks(self) -> bool:
        """True if the move has no inputs; it then shows the sheet and writes nothing. Default: False."""
        return False

    @property
    def hides(self) -> bool:
        """True if the GM hides the inputs marked as hidden from the players. Default: what its input `secret` says."""
        return bool(self.__dict__.get("secret", False))

    def proposals(self, table: Table) -> tuple[Proposal, ...]:
        """The numbers that the sheets propose for inputs that nobody typed; a terminal asks for each. Default: none."""
        return ()

    def hide_if_secret(self, number: int) -> int | Secret:
        """Turn a number into a secret if this move hides its inputs."""
        return secret(number) if self.hides else number

    def cast(self) -> tuple[str, ...]:
        """The characters whose sheets it reads or changes."""
        return self._named(self.__dict__, lambda field: CAST in field.tags)

    @classmethod
    def is_for_gm(cls) -> bool:
        """Return True if only the GM may play it."""
        return cls.by_gm or AT_TABLE in cls.fields()["who"].tags

    def fits_players(self) -> bool:
        """Return True if players may play it for their characters with these inputs."""
        filled_in = (field for field in self.fields().values() if getattr(self, field.name) != field.default)
        secrets_fit = self.own_secrets or not self.hides
        return not self.is_for_gm() and secrets_fit and not any(map(is_for_gm, filled_in))

    def paying(self) -> tuple[str, ...]:
        """Return the characters whose scores the move may spend. The player must play all of them.

        Default: every character in an input that is not tagged `NOT_PAYING`.
        """
        return self.paying_for(self.__dict__)

    @classmethod
    def paying_for(cls, inputs: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the characters that these inputs name, except in inputs tagged `NOT_PAYING`."""
        return cls._named(inputs, lambda field: (CAST in field.tags or field.keyed) and NOT_PAYING not in field.tags)

    @classmethod
    def _named(cls, inputs: Mapping[str, Any], counts: Callable[[Field], bool]) -> tuple[str, ...]:
        names: list[Any] = []
        for field in filter(counts, cls.fields().values()):
            value = inputs.get(field.name)
            names += (value or ()) if field.many or field.keyed else [value]
        return tuple(name for name in dict.fromkeys(names) if name is not None)

    def holds(self, table: Table) -> tuple[str, ...]:
        """The characters that its open question holds. Default: its cast."""
        return self.cast()

    def dice(self, table: Table) -> Pool | None:
        """The dice to throw, `None` for none. Refuse a move that cannot be played. Default: none."""
        return None

    def choices(self, table: Table, faces: Sequence[int]) -> tuple[str, ...]:
        """The inputs to choose after the throw. Default: none."""
        return ()

    def facts(self, table: Table, faces: Sequence[int]) -> str:
        """The facts that help to choose or to type dice, in words. Default: none."""
        return ""

    def offers(self, table: Table, faces: Sequence[int]) -> tuple[str, ...]:
        """The inputs that the player may choose after the ruling. Default: none."""
        return ()

    def still_offers(self, table: Table, faces: Sequence[int]) -> bool:
        """Return True if the offer can still be taken up with the current sheets. Default: True."""
        return True

    def hidden(self) -> tuple[str, ...]:
        """The inputs that the GM hides from the players."""
        return tuple(field.name for field in self.fields().values() if HIDDEN in field.tags) if self.hides else ()

    def agree(self, table: Table, faces: Sequence[int]) -> None:
        """Refuse a choice that the dice do not allow. Default: refuse none."""

    def cost(self, table: Table) -> tuple[Effect, ...]:
        """The costs, paid whatever the dice show. Default: none."""
        return ()

    def with_dice(self, table: Table, faces: Sequence[int]) -> tuple[Effect, ...]:
        """The effects of the dice whatever is chosen; they are written with the dice. Default: none."""
        return ()

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """The verdict of the rules. Default: that the move was played."""
        return ruling("played", None)


class TableMove(Move):
    """A move that the whole group makes. You do not name a character.

    The group's scores are listed under the name `campaign`.
    """

    who: Annotated[str, AT_TABLE] = CAMPAIGN
