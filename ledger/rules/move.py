"""Moves and rules: what a player can do, and the pure functions of numbers behind it.

A move reads its inputs, the sheets and the dice, and makes a ruling. A rule is a named pure function of numbers that
moves, `try` and the audit call alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Generic, ParamSpec, Self, TypeVar

from ledger.errors import Refused
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
    """The sheets and settings that a move may look at; it notes in `looked` what the move read of the sheets.

    `look` takes a character and the full name of a score or mark (`edge/edge`), and gives its value or None; for a
    pattern (`edge/skill.*`) it gives the names of the scores that are not 0. A secret it gives as a secret, and the
    table notes it as one. The values of the whole table are under the name `campaign`.
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
        """A score of a sheet; refuses (`Refused`) one that is not there."""
        if self.find(who, name) is None:
            family, _, own = name.rpartition(".")
            likely = self.likely(who, own, family) if family else ""
            hint = f"{likely}Add it with 'campaign adjust {who} {self._system}/{name}=+N --why TEXT'."
            raise Refused(f"{who} has no {name} on the sheet.", hint)
        return self.score(who, name)

    def likely(self, who: str, typed: str, *families: str) -> str:
        """Start a hint with the name on the sheet that is most like the typed one; "" if there isn't one."""
        from difflib import get_close_matches  # most names are typed correctly

        own = [name for family in families for name in self.names(who, family)]
        return "".join(f"Did you mean {name}? " for name in get_close_matches(typed, own, n=1))

    def gained(self, who: str, name: str) -> int:
        """The action from which the last gain of a score counts, 0 if unknown; to be told, never to be ruled by."""
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
    """A number that the sheets propose for an input, under a name; `None` where they leave it to the GM.

    `says` is what to ask for; another number than the proposed one needs its reason, in the input `reason`.
    """

    input: str
    name: str
    number: int | None
    says: str
    reason: str


class Move(Struct):
    """One thing that a player can do; the fields of a move are its inputs, its docstring the help.

    `dice` asks for a pool, or refuses; `choices` names inputs to choose after the throw, `offers` inputs that the
    player may choose after the ruling; `agree` refuses a choice that the dice do not allow; `cost` is declared before
    the dice, `with_dice` is what they bring about whatever is chosen; `ruling` is total: it never refuses what the
    others let pass, and it is pure. `then` gives the moves that follow from the ruling of a move that `goes_on`, at
    once and in the same action; of a move that can be `resumed` they wait where they are refused, or where its dice
    were typed and theirs were not.
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
        """A move from the inputs of an entry, its words and secrets opened."""
        data: dict[str, Any] = {name: tuple(item) if isinstance(item, list) else item for name, item in inputs.items()}
        return cls(**data)

    @classmethod
    def due(cls, table: Table, who: str) -> bool:
        """Whether to play it for somebody now that a day, or a turn, began; no, unless a system says otherwise."""
        return False

    @property
    def goes_on(self) -> bool:
        """Return True if other moves may follow from its ruling, in the same action. Default: if it has a `then`."""
        return type(self).then is not Move.then

    def then(self, table: Table, faces: Sequence[int]) -> tuple[Move, ...]:
        """The moves that follow from its ruling, if it goes on; not asked while a question or an offer is open."""
        return ()

    @classmethod
    def throws(cls) -> bool:
        """Whether it, or a move it leads to, may ask for dice; a `dice` without any says so in its signature."""
        own = cls.dice is not Move.dice and cls.dice.__annotations__.get("return", "") not in {None, "None"}
        return own or any(move.throws() for move in cls.leads)

    @property
    def only_looks(self) -> bool:
        """Whether nothing is said with it: typed like that, it shows the sheet and writes nothing."""
        return False

    @property
    def hides(self) -> bool:
        """Whether the GM keeps the hidden inputs of this move from the players."""
        return bool(self.__dict__.get("secret", False))

    def proposals(self, table: Table) -> tuple[Proposal, ...]:
        """The numbers that the sheets propose where nobody said any; a terminal asks for each."""
        return ()

    def hide_if_secret(self, number: int) -> int | Secret:
        """A number, as a secret if this move hides its inputs."""
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
        """The characters whom a question about it holds: its cast, unless a system says otherwise."""
        return self.cast()

    def dice(self, table: Table) -> Pool | None:
        """The dice to throw, None for none; refuses a move that cannot be played."""
        return None

    def choices(self, table: Table, faces: Sequence[int]) -> tuple[str, ...]:
        """The inputs to choose after the throw; none, unless a system says otherwise."""
        return ()

    def facts(self, table: Table, faces: Sequence[int]) -> str:
        """What whoever chooses, or types dice, has to know, in words; nothing, unless a system says otherwise."""
        return ""

    def offers(self, table: Table, faces: Sequence[int]) -> tuple[str, ...]:
        """The inputs that the player may choose after the ruling; none, unless a system says otherwise."""
        return ()

    def still_offers(self, table: Table, faces: Sequence[int]) -> bool:
        """Whether what it offered can still be chosen on today's sheets, before the character's next move."""
        return True

    def hidden(self) -> tuple[str, ...]:
        """The inputs that the GM keeps from the players."""
        return tuple(field.name for field in self.fields().values() if HIDDEN in field.tags) if self.hides else ()

    def agree(self, table: Table, faces: Sequence[int]) -> None:
        """Refuse a choice that the dice do not allow."""

    def cost(self, table: Table) -> tuple[Effect, ...]:
        """The costs, paid whatever the dice show."""
        return ()

    def with_dice(self, table: Table, faces: Sequence[int]) -> tuple[Effect, ...]:
        """What the dice bring about by themselves; it is written with them, even if a choice waits."""
        return ()

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """The rules' verdict, by default that the move was played."""
        return ruling("played", None)


class TableMove(Move):
    """A move that the whole group makes. You do not name a character.

    The group's scores are listed under the name `campaign`.
    """

    who: Annotated[str, AT_TABLE] = CAMPAIGN
