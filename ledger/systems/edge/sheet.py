"""The scores, marks and settings of Edge, and the rows of its sheet.

Weapons, armor and the two attributes of a skill are marks. With `set`, people type each as one word, like `2d6+4`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from ledger import rules as game
from ledger.rules import (
    BadInput,
    MarkSpec,
    Row,
    Score,
    SheetView,
    Struct,
    number,
    quoted,
    read_handle,
    read_handles,
    with_minus_sign,
)

S = TypeVar("S", bound=Struct)

SEVERITIES = ("minor", "serious", "critical", "life-threatening")
"""The default severities of injuries, starting with the least severe (EDG-11)."""

BURN_AT_ZERO = "burn-at-zero"
"""The name of the setting that allows a character without edge to burn edge (EDG-14)."""

TARGET_NUMBERS = {
    "very-easy": 10,
    "easy": 15,
    "moderate": 20,
    "challenging": 25,
    "difficult": 30,
    "very-difficult": 35,
    "near-impossible": 40,
}

DAMAGE_KINDS = ("physical", "stun")
"""The kinds of damage (EDG-09)."""

STRENGTH = "strength"
"""The attribute that is also the damage modifier in melee (EDG-02, EDG-09)."""

CHECK_EFFECTS = ("advantage", "disadvantage")
ANY, RELATED = "any", "related"
"""Last parts of score names: `advantage.any` is for the next check, `advantage.related` for one with `--related`."""

MOST_WEAPON_DICE = 20
MOST_STRENGTH = 1000

WEAPON_PATTERN = r"(?P<dice>[0-9]{0,2})d6(?:\+(?P<strength>[0-9]{1,4}|melee))?(?P<more>(?:,[a-z0-9=-]+)*)"
WEAPON_HINT = "Type a weapon like '2d6+4', '1d6+melee,stun' or '2d6+4,burst=1,skill=guns'."


class Weapon(Struct):
    """A weapon. `strength` is the number to add to the d6s, or `None` for the attacker's own strength (melee)."""

    dice: int
    strength: int | None
    burst: int = 0
    kind: str = DAMAGE_KINDS[0]
    skill: str | None = None

    def __str__(self) -> str:
        strength = "strength" if self.strength is None else with_minus_sign(self.strength)
        burst = [f"burst +{self.burst}d6"] if self.burst else []
        skill = [self.skill] if self.skill else []
        return ", ".join([f"{self.dice}d6 + {strength}", self.kind, *burst, *skill])


class Armor(Struct):
    """Armor that stops all damage below the threshold, and absorbs `reduction` percent of any other damage."""

    threshold: int
    reduction: int

    def __str__(self) -> str:
        return f"threshold {self.threshold}, reduction {self.reduction}%"


HITS = "hits"
"""The family of scores that count the hits on each piece of armor (EDG-10)."""

NO_ARMOR = "none"
GENERAL_ARMOR = {
    NO_ARMOR: Armor(threshold=0, reduction=0),
    "light": Armor(threshold=15, reduction=20),
    "medium": Armor(threshold=25, reduction=40),
    "heavy": Armor(threshold=35, reduction=60),
}
"""The general classes of armor, for armor that is not on the sheet (EDG-10)."""


def read_weapon(typed: str) -> Weapon:
    """Read a weapon like `2d6+4`, with `burst=N`, `stun`, `physical` and `skill=NAME` after commas."""
    match = re.fullmatch(WEAPON_PATTERN, typed)
    if match is None:
        dice = re.match(r"[0-9]{0,2}(d[0-9]+)", typed)
        if dice and dice[1] != "d6":
            raise BadInput(f"{quoted(typed)} uses {dice[1]}, but damage dice are d6.", WEAPON_HINT)
        raise BadInput(f"{quoted(typed)} does not describe a weapon.", WEAPON_HINT)
    strength = match["strength"] or "0"
    fields: dict[str, Any] = {
        "dice": number(0, MOST_WEAPON_DICE)(match["dice"] or "1"),
        "strength": None if strength == "melee" else number(0, MOST_STRENGTH)(strength),
    }
    for word in match["more"].split(",")[1:]:
        name, equals, value = word.partition("=")
        if word in DAMAGE_KINDS:
            fields["kind"] = word
        elif name == "burst" and equals:
            fields["burst"] = number(1, MOST_WEAPON_DICE)(value)
        elif name == "skill" and equals:
            fields["skill"] = read_handle(value)
        else:
            raise BadInput(f"{quoted(word)} is not a property of a weapon.", WEAPON_HINT)
    return Weapon(**fields)


def read_armor(typed: str) -> Armor:
    """Read armor like `15/30`: a threshold of 15 and a reduction of 30%."""
    threshold, slash, reduction = typed.partition("/")
    if not slash:
        raise BadInput(f"{quoted(typed)} does not describe armor.", "Type armor as THRESHOLD/REDUCTION, like 15/30.")
    return Armor(threshold=number(0, MOST_STRENGTH)(threshold), reduction=number(0, 100)(reduction))


def read_attributes(typed: str) -> tuple[str, ...]:
    """Read the two different attributes of a skill, with a comma between them."""
    names = read_handles(typed)
    if len(names) != 2:  # noqa: PLR2004  a skill uses two attributes
        raise BadInput(f"{quoted(typed)} does not name two attributes.", "Type two names, like cunning,presence.")
    return names


def attribute_score(name: str, find: Callable[[str], Any]) -> str:
    """Return the name of an attribute's score: usually `attribute.NAME`.

    `find` looks up a score. If `name` is `strength` and `find` finds no `attribute.strength`, return `strength`.
    """
    full = f"attribute.{name}"
    return name if name == STRENGTH and find(full) is None else full


def from_mark(kind: type[S], value: Any) -> S | None:
    """Build a struct, such as a weapon, from the value of a mark. Return `None` if the value does not fit."""
    return kind(**value) if isinstance(value, Mapping) and value.keys() == set(kind._fields) else None


def read_none(typed: str) -> None:
    """Read the typed value of a mark that only moves can set: `none`, which removes the mark.

    Raise `BadInput` for any other value.
    """
    if typed != NO_ARMOR:
        raise BadInput("Only moves can set this. To remove it, set it to 'none'.")


class ArmorPieces(MarkSpec):
    """The marks for pieces of armor. A word with another meaning, such as `light`, cannot name a piece (EDG-10)."""

    def covers(self, name: str) -> bool:
        short = name.partition(".")[2]
        return super().covers(name) and short not in {*GENERAL_ARMOR, *Armor._fields}


SCORES = (
    Score(name="edge", unit="edge", most="maximum", starts="maximum", says="edge to spend (EDG-15)"),
    Score(name="maximum", unit="edge", says="maximum edge; a burn lowers it for good (EDG-14)"),
    Score(name="strength", unit="strength", says="an attribute; also the damage modifier in melee (EDG-09)"),
    Score(name="attribute.*", unit="attribute", says="an attribute; each skill uses two (EDG-02)"),
    Score(name="skill.*", unit="rank", says="ranks in a skill (EDG-02)"),
    *(
        Score(name=f"{what}.{word}", unit=what, says=text)
        for what in CHECK_EFFECTS
        for word, text in (
            (ANY, "applies to the next check of any kind (EDG-08)"),
            (RELATED, "applies to the next check with --related (EDG-08)"),
            (
                "*",
                ("for the next check related to the word in the score's name (EDG-08)"),
            ),
        )
    ),
    Score(name="attack-dice", unit="die", most=2, says="extra d6s for the damage of the last attack (EDG-08)"),
    Score(name="armor.threshold", unit="damage", says="threshold of armor without a name (EDG-10)"),
    Score(
        name="armor.reduction",
        unit="percent",
        most=100,
        says="how much armor without a name reduces damage, in percent (EDG-10)",
    ),
    Score(name=f"{HITS}.*", unit="hit", tally=True, says="how often a piece of armor was hit (EDG-10)"),
    *(Score(name=f"damage.{kind}", unit="damage", says=f"{kind} damage taken (EDG-10)") for kind in DAMAGE_KINDS),
    Score(name="injury.*", unit="injury", says="number of injuries of this severity (EDG-11)"),
)


MARKS = (
    MarkSpec(name="on.*", says="the two attributes of a skill (EDG-02)", read=read_attributes, of="attribute"),
    MarkSpec(name="weapon.*", says="a weapon: dice, strength, burst, kind (EDG-09)", read=read_weapon),
    ArmorPieces(name="armor.*", says="a piece of armor: threshold and reduction (EDG-10)", read=read_armor),
    MarkSpec(name="worn", says="the worn piece of armor, or none (EDG-10)", read=read_handle),
    MarkSpec(
        name="armor",
        says=("the armor's name; its values are in armor.threshold and armor.reduction (only in edition edge/1)"),
        read=read_handle,
    ),
    MarkSpec(name="dealt", says="damage not yet checked against armor (EDG-09)", read=read_none, bookkeeping=True),
    MarkSpec(name="attacking", says="the last attack that hit (EDG-09)", read=read_none, bookkeeping=True),
    MarkSpec(name="care", says="needs medical care after burning edge (EDG-14)", read=game.read_yes_no),
)


SETTINGS = (
    game.Setting(
        name="injuries",
        says="the severities of injuries, starting with the least severe (EDG-11)",
        default=SEVERITIES,
        read=read_handles,
    ),
    game.Setting(
        name=BURN_AT_ZERO,
        says="on: a character without edge can burn 1 point of the maximum (EDG-14)",
        default="off",
        read=game.one_of(("off", "on")),
    ),
)


# The sheet in words


def rows(sheet: SheetView) -> Sequence[Row]:
    """Return the rows of a sheet, from edge and attributes to injuries, medical care and pending effects."""
    return [
        *_edge_and_attributes(sheet),
        *(_skill_row(sheet, name) for name in sheet.scores_of("skill")),
        *_gear_rows(sheet),
        *_joined_rows(sheet, "damage taken", [f"damage.{kind}" for kind in DAMAGE_KINDS]),
        *_joined_rows(sheet, "injuries", [f"injury.{name}" for name in sheet.scores_of("injury")]),
        *_waiting_rows(sheet),
    ]


def _edge_and_attributes(sheet: SheetView) -> Iterator[Row]:
    if {"edge", "maximum"} & sheet.scores.keys():
        most = f"{with_minus_sign(sheet.score('edge'))} of {with_minus_sign(sheet.score('maximum'))}"
        yield Row(label="edge", value=most, shows=("edge", "maximum"))
    if "strength" in sheet.scores:
        yield Row(label="strength", value=with_minus_sign(sheet.score("strength")), shows=("strength",))
    if attributes := sheet.scores_of("attribute"):
        value = ", ".join(f"{name} {with_minus_sign(score)}" for name, score in attributes.items())
        yield Row(label="attributes", value=value, shows=tuple(f"attribute.{name}" for name in attributes))


def _skill_row(sheet: SheetView, name: str) -> Row:
    ranks, on = sheet.score(f"skill.{name}"), sheet.marks.get(f"on.{name}")
    in_words = with_minus_sign(game.count_of(ranks, "rank"))
    if not on:
        return Row(label=name, value=in_words, shows=(f"skill.{name}",))
    attributes = {other: sheet.score(attribute_score(other, sheet.scores.get)) for other in on}
    parts = " + ".join(f"{other} {with_minus_sign(value)}" for other, value in attributes.items())
    value = f"{with_minus_sign(sum(attributes.values()) + ranks)}  ({parts} + {in_words})"
    return Row(label=name, value=value, shows=(f"skill.{name}", f"on.{name}"))


def _gear_rows(sheet: SheetView) -> Iterator[Row]:
    for name, value in sheet.marks_of("weapon").items():
        if weapon := from_mark(Weapon, value):
            yield Row(label=name, value=str(weapon), shows=(f"weapon.{name}",))
    pieces: dict[str | None, Any] = {name: from_mark(Armor, value) for name, value in sheet.marks_of("armor").items()}
    old = sheet.marks.get("armor")
    worn = sheet.marks.get("worn", old)
    if old not in pieces and (sheet.score("armor.threshold") or sheet.score("armor.reduction")):
        pieces[old] = Armor(threshold=sheet.score("armor.threshold"), reduction=sheet.score("armor.reduction"))
    for piece, armor in pieces.items():
        names = (f"armor.{piece}",) if piece != old else ("armor", "armor.threshold", "armor.reduction")
        is_worn = ", worn" if piece == worn else ""
        hits = sheet.score(f"{HITS}.{piece}")
        counted = f", {with_minus_sign(hits)} hit{'' if hits == 1 else 's'}" if hits else ""
        shows = (*names, "worn", f"{HITS}.{piece}")
        yield Row(label=piece or "armor", value=f"{armor}{is_worn}{counted}", shows=shows)


def _joined_rows(sheet: SheetView, label: str, names: Sequence[str]) -> Iterator[Row]:
    counts = {name: sheet.score(name) for name in names if sheet.score(name)}
    if counts:
        value = ", ".join(f"{with_minus_sign(count)} {name.partition('.')[2]}" for name, count in counts.items())
        yield Row(label=label, value=value, shows=tuple(names))


def _waiting_rows(sheet: SheetView) -> Iterator[Row]:
    if sheet.marks.get("care"):
        yield Row(label="care", value="needs medical care", shows=("care",))
    for what in CHECK_EFFECTS:
        for word, count in sheet.scores_of(what).items():
            check = affected_check(word)
            value = f"on the next {check}"
            if count != 1:  # a correction can leave less than nothing
                value = f"{value if count > 0 else f'none {value}'} ({with_minus_sign(count)})"
            yield Row(label=what, value=value, shows=(f"{what}.{word}",))
    hit, dice = sheet.marks.get("attacking"), sheet.score("attack-dice")
    more = "" if not dice else f"{dice}d6 extra damage" if dice > 0 else f"no extra damage ({with_minus_sign(dice)}d6)"
    if isinstance(hit, Mapping) and not hit.get("rolled"):
        value = f"hit {hit['whom']} with {hit['item']}; damage not rolled yet{more and f', {more}'}"
        shows = ("attacking", "attack-dice")
        yield Row(label="attack", value=value, shows=shows, then="edge attack {who} --go-on", whom=str(hit["whom"]))
    elif more:
        yield Row(label="attack", value=more, shows=("attack-dice",))
    dealt = sheet.marks.get("dealt")
    if isinstance(dealt, Mapping):
        value = f"{dealt['damage']} {dealt['kind']} from {dealt['by']}, not yet checked against armor"
        by = str(dealt["by"])
        yield Row(label="incoming damage", value=value, shows=("dealt",), then="edge soak {who}", by=by)


def affected_check(word: str) -> str:
    """Describe the next check that `advantage.WORD` or `disadvantage.WORD` affects."""
    return {ANY: "check of any kind", RELATED: "related check"}.get(word, f"check related to {word}")
