"""The base classes of moves and rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Generic, ParamSpec, Self, TypeVar

from ledger.errors import Refused, Run, count_of
from ledger.events.canonical import parse_json
from ledger.events.commitments import Secret, secret
from ledger.events.facts import Verdict
from ledger.events.subjects import CAMPAIGN
from ledger.rules.dice import Pool
from ledger.rules.inputs import AT_TABLE, CAST, HIDDEN, NOT_PAYING, Who, is_for_gm
from ledger.rules.rulings import Effect, Ruling, ruling
from ledger.values import Field, Struct

P = ParamSpec("P")
R = TypeVar("R")


class Table:
    """The sheets and settings that a move may read. `looked` records every value that the move reads from a sheet.

    `look` finds a value by the sheet's owner (a character or `campaign`) and the full name (`edge/edge`). It returns
    the value, a `Secret`, or None. For a pattern (`edge/skill.*`), it returns the names of the scores that are not 0.
    """

    def __init__(
        self,
        system: str,
        look: Callable[[str, str], Any],
        settings: Mapping[str, Any],
        last_raise: Callable[[str, str], int] = lambda who, full: 0,
    ) -> None:
        self._system = system
        self._look = look
        self._last_raise = last_raise
        self.settings = settings
        self.looked: dict[str, dict[str, Any]] = {}

    def find(self, who: str, name: str) -> Any:
        """Return the value of a score or mark, `None` for a name that is not on the sheet."""
        return self._find(who, f"{self._system}/{name}")

    def score(self, who: str, name: str) -> int:
        """Return the value of a score, 0 if the sheet has no number with this name."""
        value = self.find(who, name)
        return value if isinstance(value, int) and not isinstance(value, bool) else 0

    def needed(self, who: str, name: str) -> int:
        """Return the value of a score. Raise `Refused` for a name that is not on the sheet."""
        if self.find(who, name) is None:
            family, _, own = name.rpartition(".")
            likely = self.suggest(who, own, family) if family else ""
            hint = f"Add {name} with {Run('adjust', who, f'{self._system}/{name}=+N')}."
            raise Refused(f"{who} has no {name} on the sheet.", likely + hint)
        return self.score(who, name)

    def suggest(self, who: str, typed: str, *families: str) -> str:
        """Return "Did you mean …? " with the most similar name in these families.

        Return "" if no name is similar, or if the typed name is on the sheet.
        """
        from difflib import get_close_matches  # rarely needed, as most names are typed correctly

        members = [name for family in families for name in self.names(who, family)]
        return "".join(f"Did you mean {name}? " for name in get_close_matches(typed, members, n=1) if name != typed)

    def last_raise(self, who: str, name: str) -> int:
        """Return the entry of the action that last raised a score, 0 if unknown. Use the result only in texts."""
        return self._last_raise(who, f"{self._system}/{name}")

    def names(self, who: str, prefix: str) -> tuple[str, ...]:
        """Return the short names of a family's scores that are not 0: `deception` for `skill.deception`.

        For the prefix "", return the names of all scores that are not 0.
        """
        return tuple(self.find(who, f"{prefix}.*" if prefix else "*") or ())

    def day(self) -> int:
        """Return the current day of the campaign, 0 before the first day."""
        return self._find(CAMPAIGN, "day") or 0

    def _find(self, who: str, full: str) -> Any:
        sheet = self.looked.setdefault(who, {})
        if full not in sheet:
            sheet[full] = self._look(who, full)
        value = sheet[full]
        return parse_json(value.text or "null") if isinstance(value, Secret) else value


class Rule(Generic[P, R]):
    """A named pure function of numbers. The result is a `Struct`, or a single value with the name in `gives`."""

    def __init__(self, name: str, ids: tuple[str, ...], work: Callable[P, R], gives: str) -> None:
        self.name = name
        self.ids = ids
        self.work = work
        self.gives = gives

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.work(*args, **kwargs)


def rule(name: str, *ids: str, gives: str = "") -> Callable[[Callable[P, R]], Rule[P, R]]:
    """Turn the decorated function into a rule. `ids` are the written rules that the function implements (`EDG-02`)."""
    return lambda work: Rule(name, ids, work, gives)


class Chances(Struct):
    """The number of ways to roll each outcome. `of` is the total number of ways."""

    of: int
    ways: Mapping[str, int]


def chances(names: Iterable[str], outcomes: Iterable[str]) -> Chances:
    """Count how often each name occurs in `outcomes`. A name that does not occur gets the count 0."""
    ways = dict.fromkeys(names, 0)
    for outcome in outcomes:
        ways[outcome] += 1
    return Chances(of=sum(ways.values()), ways=ways)


def check_dice(dice: Sequence[int], *, count: int | None = None, sides: int) -> None:
    """Raise `Refused` if the number of dice is not `count`, or if a face is not 1 to `sides`."""
    if count is not None and len(dice) != count:
        raise Refused(f"This roll needs {count_of(count, 'die', 'dice')}, not {len(dice)}.")
    for face in dice:
        if not 1 <= face <= sides:
            raise Refused(f"A d{sides} cannot show {face}.")


class Proposal(Struct):
    """A number that the sheets propose for one name in an input: `--rates mara=40`.

    `says` is the question to ask. If `number` is `None`, the GM enters a number without a proposal.
    """

    input: str
    name: str
    number: int | None
    says: str


class Move(Struct):
    """Something that a player can do. The fields are the inputs, and the docstring is the help text.

    The methods are called in this order:

    - `dice` returns the pool to roll, or refuses the move. `cost` is paid before the roll.
    - `roll_effects` returns the effects of the roll that do not depend on any choice.
    - `choices` names inputs to choose after the roll, and `check_choice` refuses a choice that the dice do not allow.
    - `ruling` returns the verdict and the consequences. This method is pure and never refuses.
    - `offers` names inputs that the player may choose after the ruling.
    - `next_moves` returns the moves that follow in the same action. If the rules refuse such a move, or if dice are
      still missing, the move waits until somebody types the command in `resume_command`.
    """

    typed_name: ClassVar[str] = ""
    """The name of the move as typed. Default: the class name in lowercase."""
    ids: ClassVar[tuple[str, ...]] = ()
    example: ClassVar[str]
    another: ClassVar[str] = ""
    """A second example. `example` and `another` are texts to type after the name of the move."""
    chosen: ClassVar[tuple[str, ...]] = ()
    """The inputs that somebody may have to choose after the roll."""
    offered: ClassVar[Mapping[str, str]] = {}
    """The inputs that the player may choose after the ruling, until the next move. Each value describes the choice."""
    verdicts: ClassVar[tuple[str, ...]] = ()
    """The verdicts, the worst first, for `odds`. Empty if the margin shows which verdict is better."""
    may_lead_to: ClassVar[tuple[type[Move], ...]] = ()
    """The moves that may follow in the same action."""
    may_show_secrets: ClassVar[bool] = False
    """True if this move's questions may show the secrets that the move read. The ruling reveals them anyway."""
    by_gm: ClassVar[bool] = False
    """True for a move that only the GM makes. Such a move does not end an open offer to the character in `who`."""
    own_secrets: ClassVar[bool] = False
    """True if the hidden inputs are the acting player's secrets, False if they are the GM's."""
    is_part: ClassVar[bool] = False
    """True if this move only follows other moves. Nobody can type such a move."""
    completes: ClassVar[tuple[str, ...]] = ()
    """The marks that an earlier move left for this move, such as the damage of an attack for the armor check. If the
    earlier move is canceled and this move is not possible without the earlier one, this move is canceled too."""
    resume_command: ClassVar[str] = ""
    """The command that continues with the moves in `next_moves`, without the game's name; "" if they never wait."""
    who: Who

    @classmethod
    def name(cls) -> str:
        """Return the name that people type for the move."""
        return cls.typed_name or cls.__name__.lower()

    @classmethod
    def from_inputs(cls, inputs: Mapping[str, Any]) -> Self:
        """Make a move from an entry's inputs. Texts and secrets must already be revealed."""
        data: dict[str, Any] = {name: tuple(item) if isinstance(item, list) else item for name, item in inputs.items()}
        return cls(**data)

    @classmethod
    def is_due(cls, table: Table, who: str) -> bool:
        """Return True if the character must make this move when a new day or turn starts. Default: False."""
        return False

    @property
    def may_continue(self) -> bool:
        """True if other moves may follow in the same action. Default: True if the class defines `next_moves`."""
        return type(self).next_moves is not Move.next_moves

    def next_moves(self, table: Table, faces: Sequence[int]) -> tuple[Move, ...]:
        """Return the moves that follow the ruling. They wait while a question or an offer is open. Default: none."""
        return ()

    @classmethod
    def may_roll(cls) -> bool:
        """Return True if this move, or a move in `may_lead_to`, may roll dice.

        If a class overrides `dice` but never rolls, it must annotate the method with `-> None`.
        """
        rolls = cls.dice is not Move.dice and cls.dice.__annotations__.get("return", "") not in {None, "None"}
        return rolls or any(move.may_roll() for move in cls.may_lead_to)

    @property
    def shows_sheet(self) -> bool:
        """True if the move only shows the sheet, because the character is the only input. Default: False."""
        return False

    @property
    def hides(self) -> bool:
        """True if the inputs tagged `HIDDEN` are secret. Default: the value of the move's input `secret`."""
        return bool(self.__dict__.get("secret", False))

    def proposals(self, table: Table) -> tuple[Proposal, ...]:
        """Return proposed numbers for missing inputs. A terminal asks about each proposal. Default: none."""
        return ()

    def hide_if_secret(self, number: int) -> int | Secret:
        """Turn a number into a secret if this move hides its inputs."""
        return secret(number) if self.hides else number

    def characters(self) -> tuple[str, ...]:
        """Return the characters in the inputs tagged `CAST`. The move reads or changes these characters' sheets."""
        return self._characters_in(self.__dict__, lambda field: CAST in field.tags)

    @classmethod
    def is_for_gm(cls) -> bool:
        """Return True if only the GM may play this move."""
        return cls.by_gm or AT_TABLE in cls.fields()["who"].tags

    def fits_players(self) -> bool:
        """Return True if players may play this move, with these inputs, for their own characters."""
        filled_in = (field for field in self.fields().values() if getattr(self, field.name) != field.default)
        secrets_fit = self.own_secrets or not self.hides
        return not self.is_for_gm() and secrets_fit and not any(map(is_for_gm, filled_in))

    def payers(self) -> tuple[str, ...]:
        """Return the characters who may pay for the move. The player must play all of them. Default: `payers_in`."""
        return self.payers_in(self.__dict__)

    @classmethod
    def payers_in(cls, inputs: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the characters in `inputs` who may pay for the move. Skip the inputs tagged `NOT_PAYING`."""
        return cls._characters_in(
            inputs, lambda field: (CAST in field.tags or field.keyed) and NOT_PAYING not in field.tags
        )

    @classmethod
    def _characters_in(cls, inputs: Mapping[str, Any], counts: Callable[[Field], bool]) -> tuple[str, ...]:
        names: list[Any] = []
        for field in filter(counts, cls.fields().values()):
            value = inputs.get(field.name)
            names += (value or ()) if field.many or field.keyed else [value]
        return tuple(name for name in dict.fromkeys(names) if name is not None)

    def blocked_characters(self, table: Table) -> tuple[str, ...]:
        """Return the characters who cannot act while the move's question is open. Default: `characters`."""
        return self.characters()

    def dice(self, table: Table) -> Pool | None:
        """Return the dice to roll, `None` for no dice. Refuse a move that cannot be played. Default: no dice."""
        return None

    def choices(self, table: Table, faces: Sequence[int]) -> tuple[str, ...]:
        """Return the inputs that somebody must choose after the roll. Default: none."""
        return ()

    def facts_text(self, table: Table, faces: Sequence[int]) -> str:
        """Return facts, in words, that help people make a choice or type the dice. Default: none."""
        return ""

    def offers(self, table: Table, faces: Sequence[int]) -> tuple[str, ...]:
        """Return the inputs that the player may choose after the ruling. Default: none."""
        return ()

    def may_still_accept(self, table: Table, faces: Sequence[int]) -> bool:
        """Return True if the player can still accept the offer with the current sheets. Default: True."""
        return True

    def hidden(self) -> tuple[str, ...]:
        """Return the names of the inputs tagged `HIDDEN` if this move hides them, else no names."""
        return tuple(field.name for field in self.fields().values() if HIDDEN in field.tags) if self.hides else ()

    def check_choice(self, table: Table, faces: Sequence[int]) -> None:
        """Refuse a choice that the dice do not allow. Default: allow every choice."""

    def exact_odds(self, table: Table) -> tuple[Sequence[tuple[Verdict, int]], int] | None:
        """Return each verdict with the number of dice results that lead to it, and the number of all dice results.

        Default: `None`. The program then tries every combination of faces. A move whose dice may be rolled again
        must override this.
        """
        return None

    def cost(self, table: Table) -> tuple[Effect, ...]:
        """Return the costs, which are paid before the roll. Default: none."""
        return ()

    def roll_effects(self, table: Table, faces: Sequence[int]) -> tuple[Effect, ...]:
        """Return the effects that do not depend on any choice. These are written with the dice. Default: none."""
        return ()

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """Return the ruling: a verdict and its consequences. Default: the verdict `played` without consequences."""
        return ruling("played", None)


class TableMove(Move):
    """A move by the whole group. `who` is always `campaign`, the owner of the group's scores."""

    who: Annotated[str, AT_TABLE] = CAMPAIGN
