"""The scores, marks and settings of SySCards, and the rows for cards and for the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ledger import rules as game
from ledger.rules import BadInput, MarkSpec, Row, Score, Setting, SheetView, number, one_of, read_handle, read_yes_no

_read_count = number(0, game.MAX_SHEET_NUMBER)
_read_nothing_by_hand = game.set_by_moves("You cannot set this by hand. Only a move of the game changes it.")

LONGEST_INFO = 500


def info_words(typed: str) -> str:
    """Read the words of a card's info: one line, at most 500 characters."""
    if not typed.strip() or not typed.isprintable() or len(typed) > LONGEST_INFO:
        raise BadInput(f"The info of a card must be one line of at most {LONGEST_INFO} characters.")
    return typed


def _read_forced_rates(typed: str) -> dict[str, int]:
    """Read rates for cards or kinds, such as brawl=40,fist=0, or `none`. With 0, the GM names the rate each time."""
    words = [] if typed == NONE else typed.split(",")
    read = number(0, 100)
    return {read_handle(name): read(rate) for name, _, rate in (word.partition("=") for word in words)}


def _read_priority_names(typed: str) -> tuple[str, ...]:
    return () if typed == NONE else game.read_handles(typed)


NONE = "none"

SCORES = (
    Score(
        name="efficiency",
        unit="efficiency",
        most=100,
        starts=1,
        says="the rate that the card reaches without dice (SYS-08)",
    ),
    Score(name="velocity", unit="act", tally=True, starts=1, says="how many times the card acts in a round (SYS-15)"),
    Score(name="core-points", unit="core point", says="points to spend at the prices in The Log (SYS-12)"),
    Score(name="item.*", unit="item", says="how many of this item the card has (SYS-12)"),
)


MARKS = (
    MarkSpec(name="owner", says="the card's owner (SYS-08)", read=read_handle, names_cast=True),
    MarkSpec(name="kind", says="the kind of card in one word (SYS-22)", read=read_handle),
    MarkSpec(name="incapable", says="the card has no capacity to act (SYS-01)", read=read_yes_no),
    MarkSpec(name="info", says="the text of the card's info (SYS-22)", read=info_words),
    MarkSpec(
        name="forces", says="rates that the card forces on other cards or kinds (SYS-22)", read=_read_forced_rates
    ),
    MarkSpec(name="over", says="cards or kinds that the card has priority over (SYS-22)", read=_read_priority_names),
    MarkSpec(name="rejects", says="the card can reject challenges (SYS-19)", read=read_yes_no),
    MarkSpec(name="rate", says="the declared rate for the next roll (SYS-03)", read=number(0, 100)),
    MarkSpec(
        name="failure",
        says="the degree of the last failure, until the GM describes this failure (SYS-06)",
        read=number(0, 99),
    ),
    MarkSpec(
        name="rejections",
        says="the rate that challengers must reach in each round (SYS-19)",
        read=_read_nothing_by_hand,
    ),
    MarkSpec(
        name="intensities", says="the intensity of the rejection in each round (SYS-19)", read=_read_nothing_by_hand
    ),
    MarkSpec(name="challenge", says="the number of the last challenge (SYS-13)", read=_read_count, bookkeeping=True),
    MarkSpec(
        name="indirect",
        says="the last challenge was indirect: it set only the order (SYS-18)",
        read=read_yes_no,
        bookkeeping=True,
    ),
    MarkSpec(name="entered", says="the round of the last challenge (SYS-17)", read=_read_count, bookkeeping=True),
    MarkSpec(
        name="priority",
        says="the card's place in the last challenge; 1 is first (SYS-13)",
        read=_read_count,
        bookkeeping=True,
    ),
    MarkSpec(name="failed", says="the act failed and does nothing (SYS-16)", read=read_yes_no, bookkeeping=True),
    MarkSpec(name="cancelled", says="the act was canceled (SYS-17)", read=read_yes_no, bookkeeping=True),
    MarkSpec(name="mode", says="the table's mode: tale, action or deal (SYS-11)", read=_read_nothing_by_hand),
    MarkSpec(name="round", says="the number of the round (SYS-19)", read=_read_nothing_by_hand),
    MarkSpec(
        name="challenges", says="the number of challenges so far (SYS-13)", read=_read_nothing_by_hand, bookkeeping=True
    ),
    MarkSpec(name="phase", says="the current part of the round (SYS-19)", read=_read_nothing_by_hand),
    MarkSpec(name="price.*", says="a price in The Log (SYS-12)", read=_read_nothing_by_hand),
    MarkSpec(
        name="in-challenge",
        says="the cards in the last challenge (SYS-13)",
        read=_read_nothing_by_hand,
        bookkeeping=True,
        names_cast=True,
    ),
)


SETTINGS = (
    Setting(
        name="raise_from",
        says="the lowest roll that raises the efficiency, 1 to 100 (SYS-10)",
        default=100,
        read=number(1, 100),
    ),
    Setting(
        name="forced",
        says=(
            "what a forced act needs: 'rate' means that it must reach its rate, and 'both' means that it must also"
            " come first (SYS-16)"
        ),
        default="rate",
        read=one_of(("rate", "both")),
    ),
    Setting(
        name="award",
        says="how much a raise adds to the efficiency (SYS-10)",
        default=1,
        read=number(1, game.MAX_SHEET_NUMBER),
    ),
    Setting(
        name="core-points", says="the core points that a player starts with (SYS-12)", default=100, read=_read_count
    ),
)

GRADES = (
    (90, "Ultimate"),
    (80, "Supreme"),
    (70, "Excellent"),
    (60, "Exceptional"),
    (50, "Specialist"),
    (40, "Expert"),
    (30, "Qualified"),
    (20, "Master"),
    (10, "Adept"),
    (1, "Novice"),
)
"""The lowest rate of each grade. The highest grade comes first (SYS-07)."""


def grade_of(rate: int) -> str:
    """Return the grade of a rate or an efficiency of 1 to 100 (SYS-07)."""
    return next(name for least, name in GRADES if rate >= least)


def rows(sheet: SheetView) -> Sequence[Row]:
    """Return the rows of a card: its kind, numbers, info, items, and open tasks."""
    return [*_card_rows(sheet), *_info_rows(sheet), *_owned_rows(sheet), *_waiting_rows(sheet)]


def _card_rows(sheet: SheetView) -> Iterator[Row]:
    marks = sheet.marks
    for name in ("kind", "owner"):
        if marks.get(name) is not None:
            yield Row(label=name, value=str(marks[name]), shows=(name,))
    efficiency, incapable = sheet.score("efficiency"), marks.get("incapable") is True
    grade = f", {grade_of(efficiency)}" if efficiency >= 1 else ""
    yield Row(label="efficiency", value="none" if incapable else f"{efficiency}%{grade}", shows=("efficiency",))
    velocity = max(1, sheet.score("velocity"))
    yield Row(label="velocity", value=f"{game.count_of(velocity, 'act')} a round", shows=("velocity",))
    yield Row(label="capacity", value="none: the card cannot act" if incapable else "can act", shows=("incapable",))


def _owned_rows(sheet: SheetView) -> Iterator[Row]:
    items = sheet.scores_of("item")
    if items:
        counted = ", ".join(f"{count} {item}" for item, count in items.items())
        yield Row(label="items", value=counted, shows=tuple(f"item.{item}" for item in items))
    if sheet.score("core-points"):
        yield Row(label="core points", value=str(sheet.score("core-points")), shows=("core-points",))


def _info_rows(sheet: SheetView) -> Iterator[Row]:
    marks = sheet.marks
    says = [str(marks["info"])] if marks.get("info") is not None else []
    forces = sorted((marks.get("forces") or {}).items())
    says += [f"forces {rate or 'a rate'} on {name}" for name, rate in forces]
    says += [f"has priority over {name}" for name in marks.get("over") or ()]
    says += ["can reject challenges"] if marks.get("rejects") is True else []
    if says:
        yield Row(label="info", value="; ".join(says), shows=("info", "forces", "over", "rejects"))


WAITING_FOR_ROLL = "waiting for its roll"
"""The words for an act that has not rolled yet in a challenge."""


def _place_in_words(sheet: SheetView) -> str:
    """Describe when the act of this sheet comes in the last challenge; "" if there was no challenge."""
    priority = sheet.marks.get("priority")
    if sheet.marks.get("challenge") is None:
        return ""
    if priority is None:
        return WAITING_FOR_ROLL
    more = ", failed" if sheet.marks.get("failed") else ", canceled" if sheet.marks.get("cancelled") else ""
    return f"{'acts first' if priority == 1 else f'is number {priority} in the order'}{more}"


def table_rows(table: SheetView, sheet_of: Callable[[str], SheetView]) -> Sequence[Row]:
    """Return the rows of the whole table: the mode, the round, the last challenge, and the prices of The Log."""
    marks = table.marks
    rows = [
        Row(label=name, value=str(marks[name]), shows=(name,)) for name in ("mode", "round", "phase") if name in marks
    ]
    acts = [(who, sheet_of(who)) for who in marks.get("in-challenge") or ()]
    if acts:
        acts.sort(key=lambda act: act[1].marks.get("priority") or 0)
        names = [who for who, _ in acts]
        waits = all(_place_in_words(sheet) == WAITING_FOR_ROLL for _, sheet in acts)
        then = f"syscards clash {names[0]} --against {','.join(names[1:])}" if waits else ""
        value = (
            f"{', '.join(names)}; {WAITING_FOR_ROLL}"
            if waits
            else "; ".join(f"{who} {_place_in_words(sheet)}" for who, sheet in acts)
        )
        rows.append(Row(label="challenge", value=value, shows=("in-challenge",), then=then))
    prices = table.marks_of("price").items()
    return rows + [Row(label=f"price of {what}", value=str(price), shows=(f"price.{what}",)) for what, price in prices]


def _waiting_rows(sheet: SheetView) -> Iterator[Row]:
    marks = sheet.marks
    place = _place_in_words(sheet)
    if place:
        yield Row(label="challenge", value=place, shows=("priority",))
    if marks.get("rate") is not None:
        then = "" if place == WAITING_FOR_ROLL else "syscards throw {who}"
        yield Row(label="next roll", value=f"needs {marks['rate']}", shows=("rate",), then=then)
    if marks.get("failure") is not None:
        yield Row(
            label="last failure",
            value=f"failed by {marks['failure']}; the GM has not described it yet",
            shows=("failure",),
        )
    rounds, beside = marks.get("rejections") or {}, marks.get("intensities") or {}
    if rounds:
        intensity = {name: f", intensity {beside[name]}" for name in beside}
        needs = [
            f"challengers need {rate} in {name.replace('-', ' ')}" + intensity.get(name, "")
            for name, rate in sorted(rounds.items())
        ]
        yield Row(label="rejection", value="; ".join(needs), shows=("rejections", "intensities"))
