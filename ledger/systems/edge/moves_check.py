"""The success check of Edge, and the advantage or disadvantage that the GM grants for a later check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, ClassVar, Literal

from ledger import rules as game
from ledger.rules import (
    BadInput,
    Flag,
    Handle,
    Move,
    NotOnSheet,
    Pool,
    Refused,
    Ruling,
    Step,
    Table,
    Words,
    pool,
    ruling,
    total,
)
from ledger.systems.edge import consequences, rules
from ledger.systems.edge.sheet import ANY, RELATED, TARGET_NUMBERS, affected_check, attribute_score

SkillName = Annotated[Handle, game.Tag(name="score", of="skill")]
AttributeName = Annotated[Handle, game.Tag(name="score", of="attribute")]

SPECIAL_WORDS = frozenset({ANY, RELATED})
"""Words with a special meaning. A check cannot be related to them."""

Face = Annotated[int, game.Within(1, rules.SIDES)]

ADVANTAGE_KINDS = {
    "advantage": (consequences.ADVANTAGE_GRANTED, consequences.ADVANTAGE_USED),
    "disadvantage": (consequences.DISADVANTAGE_GRANTED, consequences.DISADVANTAGE_USED),
}
MODE_STEPS = {
    "advantage": Step(name="advantage", says="the lowest of three goes"),
    "disadvantage": Step(name="disadvantage", says="the highest of three goes"),
    "edge": Step(name="edge", says="the player names the die that goes"),
}


class CheckInputs(Move):
    """The inputs that a check and an attack have in common."""

    skill: Annotated[game.SignedNumber | None, game.Label(text="skill bonus"), "the total skill bonus"] = None
    ranks: Annotated[SkillName | None, "a skill from the sheet", game.OPTIONAL_POSITIONAL] = None
    attributes: Annotated[
        tuple[AttributeName, ...], "two attributes for this check (default: the attributes of the skill)"
    ] = ()
    bonus: Annotated[game.SignedNumber, game.BONUS, "a bonus or penalty from the GM; needs --why"] = 0
    why: Annotated[Words | None, "the reason for --bonus or --not-related"] = None
    target: Annotated[
        game.Hidden, game.NumberNames(numbers=TARGET_NUMBERS), game.BARE, "a number, or a difficulty like challenging"
    ] = 20
    secret: Annotated[bool, "hide the target number from the players"] = False
    advantage: Annotated[tuple[Words, ...], "give advantage, and say where it comes from"] = ()
    disadvantage: Annotated[tuple[Words, ...], "give disadvantage, and say where it comes from"] = ()
    related: Annotated[
        bool, "make this a related check, so that advantage and disadvantage for related checks count"
    ] = False
    related_to: Annotated[
        tuple[Handle, ...], "what else the check is related to, besides the skill itself; for example, climbing"
    ] = ()
    not_related: Annotated[bool, "do not count any advantage or disadvantage for related checks; needs --why"] = False
    edge: Annotated[bool, "spend 1 edge to drop any die or remove disadvantage"] = False
    drop: Annotated[Face | None, "the number on the die to drop; needs --edge"] = None


class Check(CheckInputs):
    """Roll 2d10, add the skill bonus, and compare the total with a target number."""

    ids: ClassVar[tuple[str, ...]] = tuple(f"EDG-0{n}" for n in range(1, 9))
    example: ClassVar[str] = "mara deception --target challenging --faces 7,6"
    another: ClassVar[str] = "mara --skill 11 --edge --drop 3 --faces 7,3,7"

    chosen: ClassVar[tuple[str, ...]] = ("drop",)
    offered: ClassVar[Mapping[str, str]] = {"drop_instead": "drop a different die (1 edge)"}

    attack: Annotated[bool, "the check is an attack; a good result adds damage dice"] = False
    simple: Annotated[bool, "only success or failure, no margin"] = False
    drop_instead: Annotated[
        Face | None, "drop the die that shows this number instead of the lowest die (costs 1 edge)"
    ] = None

    def dice(self, table: Table) -> Pool:
        if self.skill is None and self.ranks is None:
            raise BadInput(f"Name a skill, or give the total bonus with {Flag('skill', 'N')}.")
        if self.attributes and (self.skill is not None or self.ranks is None):
            raise BadInput(
                f"{Flag('attributes')} needs the name of a skill. It does not work with {Flag('skill', 'N')}."
            )
        if (bool(self.bonus) or self.not_related) != (self.why is not None):
            if self.why is not None:
                hint = f"To say what {self.who} attempts, use {Flag('for', 'TEXT')}."
                raise BadInput(f"{Flag('why')} needs {Flag('bonus')} or {Flag('not-related')}.", hint)
            raise BadInput(
                f"{'A bonus' if self.bonus else Flag('not-related')} needs a reason: add {Flag('why', 'TEXT')}."
            )
        self._check_related()
        mode = self._mode(table)
        self._bonus(table)
        if self._edge_cost:
            rules.check_enough(self.who, table.score(self.who, "edge"), self._edge_cost)
        if self.drop_instead is not None and (self.edge or mode != "advantage"):
            raise Refused(
                f"You can spend edge after the roll only if the check had advantage and did not use {Flag('edge')}."
            )
        if self.drop is not None and mode != "edge":
            hint = (
                f"Edge removes the disadvantage here. Leave out {Flag('drop')}."
                if self.edge
                else f"Add {Flag('edge')} to choose the die."
            )
            raise Refused("You cannot choose a die to drop in this roll.", hint)
        return pool(2 if mode == "normal" else 3, rules.SIDES)

    def _check_related(self) -> None:
        if self.not_related and (self.related or self.related_to):
            raise BadInput(f"{Flag('not-related')} does not work with {Flag('related')} or {Flag('related-to')}.")
        for word in self.related_to:
            _check_related_word(word, f"Use {Flag('related')} instead, or leave out {Flag('related-to', word)}.")

    def _related_words(self) -> tuple[str, ...]:
        """Return the words that the check is related to: the skill and the typed words (EDG-08)."""
        if self.not_related:
            return ()
        skills = (self.ranks,) if self.ranks is not None and self.ranks not in SPECIAL_WORDS else ()
        return tuple(dict.fromkeys((*skills, *self.related_to, *((RELATED,) if self.related else ()))))

    @property
    def _edge_cost(self) -> int:
        return int(self.edge) + int(self.drop_instead is not None)

    def choices(self, table: Table, faces: Sequence[int]) -> tuple[str, ...]:
        return ("drop",) if self._mode(table) == "edge" and self.drop is None else ()

    def check_choice(self, table: Table, faces: Sequence[int]) -> None:
        rules.check_drop(faces, *self._drop_choice(table))
        if self.drop_instead is not None and self.drop_instead == min(faces):
            raise Refused(
                f"The die that shows {self.drop_instead} is already dropped. Dropping a different die costs 1 edge."
            )

    def _drop_choice(self, table: Table) -> tuple[rules.Mode, int | None]:
        """Return the dice mode, and the number on the die that the player chose to drop; None without a choice."""
        return (self._mode(table), self.drop) if self.drop_instead is None else ("edge", self.drop_instead)

    def offers(self, table: Table, faces: Sequence[int]) -> tuple[str, ...]:
        may = self._mode(table) == "advantage" and self.drop_instead is None and len(set(faces)) > 1
        return (*self.offered,) if may and table.score(self.who, "edge") > 0 else ()

    def cost(self, table: Table) -> tuple[game.Effect, ...]:
        return (consequences.EDGE_SPENT.of(self.who, {"edge": -self._edge_cost}),) if self._edge_cost else ()

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        (mode, drop), outcome = self._drop_choice(table), self._outcome(table, faces)
        bonus, addends = self._bonus(table)
        steps = [total("skill", *addends, to=bonus)] if len(addends) > 1 else []
        if mode in MODE_STEPS:
            steps.append(MODE_STEPS[mode])
        elif self.edge:
            steps.append(Step(name="edge", says="removes the disadvantage"))
        steps += [
            total("dice", *outcome.kept, bonus, to=outcome.total),
            Step(name="target", says="{} against {}", numbers=(outcome.total, self.hide_if_secret(self.target))),
        ]
        if outcome.double and not self.simple:
            steps.append(Step(name="double", says="triumph  +5" if outcome.success else "despair  −5"))
        dropped_index = rules.dropped_index(faces, mode, drop)
        says = outcome.magnitude.replace("_", " ")
        return ruling(
            ("success" if outcome.success else "failure") if self.simple else says,
            outcome.success,
            *steps,
            margin=None if self.simple else self.hide_if_secret(outcome.margin),
            dropped={} if dropped_index is None else {dropped_index: rules.DROPPED_DIE[mode]},
            follows=(*self._use_up_pending(table), *self._attack_dice_effects(table, says), *self._setback(says)),
        )

    def _pending(self, table: Table, what: str) -> dict[str, int]:
        """Return the advantages or the disadvantages that are pending for this check.

        `what` says which of the two. The result maps each score to its count.
        """
        names = (f"{what}.{scope}" for scope in (ANY, *self._related_words()))
        return {name: count for name in names if (count := table.score(self.who, name)) > 0}

    def facts_text(self, table: Table, faces: Sequence[int]) -> str:
        words = [
            f"{what}{f' from #{seq}' if seq else ''} on the next {check}"
            for what in ADVANTAGE_KINDS
            for name in self._pending(table, what)
            for seq, check in [(table.last_raise(self.who, name), affected_check(name.partition(".")[2]))]
        ]
        return "; ".join([f"{self.who} has {' and '.join(words)}", *self._cancel_reasons(table)]) if words else ""

    def _cancel_reasons(self, table: Table) -> list[str]:
        """Return the reasons why no pending advantage or disadvantage has an effect; [] if one has an effect.

        Call this only if an advantage or disadvantage is pending. If none has an effect, the check is a normal roll
        of two dice.
        """
        if self._mode(table) != "normal":
            return []
        if self.edge:
            return ["the edge removes the disadvantage"]
        return ["advantage and disadvantage cancel each other"]

    def _mode(self, table: Table) -> rules.Mode:
        advantage = bool(self.advantage or self._pending(table, "advantage"))
        disadvantage = bool(self.disadvantage or self._pending(table, "disadvantage"))
        only_disadvantage = disadvantage and not advantage
        use: rules.EdgeUse | None = ("remove" if only_disadvantage else "gain") if self.edge else None
        return rules.dice_mode(advantage=advantage, disadvantage=disadvantage, edge=use)

    def _bonus(self, table: Table) -> tuple[int, list[int]]:
        """Return the total bonus, and the numbers that add up to it (EDG-02)."""
        by_gm = [self.bonus] if self.bonus else []
        if self.skill is not None:
            return self.skill + self.bonus, [self.skill, *by_gm]
        *attributes, ranks = self._skill_scores(table)
        total_bonus = rules.skill_bonus(attributes=tuple(attributes), ranks=ranks, flat=self.bonus)
        return total_bonus, [*attributes, ranks, *by_gm]

    def _skill_scores(self, table: Table) -> list[int]:
        """Return the attributes, then the ranks. Refuse missing scores, and the same attribute twice (EDG-02)."""
        on: tuple[str, ...] = self.attributes or tuple(table.find(self.who, f"on.{self.ranks}") or ())
        if not on:
            likely, skills = table.suggest(self.who, self.ranks or "", "skill"), table.names(self.who, "skill")
            if skills and table.find(self.who, f"skill.{self.ranks}") is None:
                known = likely or f"{self.who} has these skills: {', '.join(sorted(skills))}. "
                hint = known + f"You can also give the total bonus with {Flag('skill', 'N')}."
                raise NotOnSheet(f"{self.who} has no skill {self.ranks!r}.", hint, lacks=str(self.ranks))
            mark = f"edge/on.{self.ranks}=A,B"
            hint = likely + f"Add {Flag('attributes')}, or set them on the sheet: {game.Run('set', self.who, mark)}"
            says = f"The sheet of {self.who} does not say which attributes {self.ranks} uses."
            raise NotOnSheet(says, hint, lacks=f"on.{self.ranks}")
        if len(set(on)) < len(on):
            raise Refused("A skill needs two different attributes.")
        scores = [*(attribute_score(name, partial(table.find, self.who)) for name in on), f"skill.{self.ranks}"]
        for name in scores:
            if table.find(self.who, name) is None:
                family, _, own = name.partition(".")
                hint = table.suggest(self.who, own, family) + (
                    f"Give the total bonus with {Flag('skill', 'N')}. Or add the missing number to the sheet:"
                    f" {game.Run('adjust', self.who, f'edge/{name}=+N')}"
                )
                raise Refused(f"{self.who} has no {name} on the sheet.", hint)
        return [table.score(self.who, name) for name in scores]

    def _outcome(self, table: Table, faces: Sequence[int]) -> rules.CheckOutcome:
        (mode, drop), (bonus, _) = self._drop_choice(table), self._bonus(table)
        return rules.check(dice=tuple(faces), mode=mode, bonus=bonus, target_number=self.target, drop=drop)

    def _use_up_pending(self, table: Table) -> Sequence[game.Effect]:
        """Return the effects that use up all pending advantages and disadvantages of this check (EDG-08)."""
        return [
            used.of(self.who, {name: -count for name, count in counts.items()})
            for what, (_, used) in ADVANTAGE_KINDS.items()
            if (counts := self._pending(table, what))
        ]

    def _attack_dice_effects(self, table: Table, says: str) -> Sequence[game.Effect]:
        """Return the effects that remove unused damage dice, and add new ones for a good verdict (`says`, EDG-08)."""
        if not self.attack:
            return ()
        unused = table.score(self.who, "attack-dice")
        gained = 0 if self.simple else {"significant success": 1, "complete success": 2}.get(says, 0)
        lapsed = [consequences.ATTACK_DICE_LAPSED.of(self.who, {"attack-dice": -unused})] if unused > 0 else []
        granted = [consequences.ATTACK_DICE_GRANTED.of(self.who, {"attack-dice": gained})] if gained else []
        return lapsed + granted

    def _setback(self, says: str) -> Sequence[game.Effect]:
        """Give disadvantage on a later check if the verdict (`says`) is a bad failure (EDG-08).

        A significant failure gives disadvantage on the next related check. A complete failure gives disadvantage on
        the next check of any kind.
        """
        words = self.replace(not_related=False, related=False)._related_words()
        scope = {"significant failure": words[0] if words else RELATED, "complete failure": ANY}.get(says)
        if scope is None or self.simple:
            return ()
        return (consequences.DISADVANTAGE_GRANTED.of(self.who, {f"disadvantage.{scope}": 1}),)


class Grant(Move):
    """Give a character advantage or disadvantage on a later check. The GM decides."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-03", "EDG-08")
    example: ClassVar[str] = 'mara advantage --related-to climbing --why "she knows the wall now"'
    another: ClassVar[str] = 'brak disadvantage --why "sand in his eyes"'

    by_gm: ClassVar[bool] = True

    what: Literal["advantage", "disadvantage"]
    scope: Annotated[Literal["any", "related"], "the next check of any kind, or the next related check"] = "any"
    related_to: Annotated[Handle | None, "what the later check must be related to"] = None
    why: Annotated[Words | None, "the reason"] = None

    def dice(self, table: Table) -> None:
        if self.related_to is not None:
            _check_related_word(self.related_to, f"Use {Flag('scope', self.related_to)} instead.")

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        (granted, _), word = ADVANTAGE_KINDS[self.what], self.related_to or self.scope
        follows = granted.of(self.who, {f"{self.what}.{word}": 1})
        return ruling(f"{self.what} on the next {affected_check(word)}", None, follows=[follows])


def _check_related_word(word: str, hint: str) -> None:
    if word in SPECIAL_WORDS:
        raise BadInput(f"{Flag('related-to')} cannot be {word!r}, because that word has a special meaning.", hint)
