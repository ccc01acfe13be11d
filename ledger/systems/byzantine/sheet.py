"""The scores and marks of Byzantine, and the rows of a sheet and of the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ledger import rules as game
from ledger.rules import (
    MarkSpec,
    Row,
    Run,
    Score,
    Setting,
    SheetView,
    Struct,
    number,
    one_of,
    read_yes_no,
    set_by_moves,
    with_minus_sign,
)

NIGHTS = ("full", "little", "none")

WITHHELD = ("output", "connection")
"""The values of a mark `withheld.*`: only the output, or the whole connection (BYZ-03)."""

ENERGY_PER_GAIN = 5
"""The size of a set of invested energy. Incomplete sets do not count (BYZ-10)."""

GENERAL_SHARE, PROJECT_SHARE = 1, 4
"""The energy that each set of 5 adds to the general pool, and to the pool of a project (BYZ-08, BYZ-09)."""


LOWEST_INPUT = Setting(
    name="lowest-input",
    says="the most that a connection can cost each day, as a number below zero (BYZ-01)",
    default=-5,
    read=number(-game.MAX_SHEET_NUMBER, 0),
)
HIGHEST_OUTPUT = Setting(
    name="highest-output",
    says="the most that a connection can yield each day (BYZ-01)",
    default=5,
    read=number(0, game.MAX_SHEET_NUMBER),
)
SETTINGS = (LOWEST_INPUT, HIGHEST_OUTPUT)

NOT_COMMITTED = 1
"""The value of `contest.*` until a character commits. After that, the value is 1 higher (BYZ-21)."""


class Commitment(Struct):
    """The energy that a character commits, as the value of a mark `committed.*`.

    - `obscuring`: energy that only makes the value harder to learn (BYZ-25).
    - `owed`: the energy that the character lacked when committing (BYZ-21).
    - `order`: the pools that pay first.
    """

    energy: int
    obscuring: int = 0
    project: str | None = None
    order: tuple[str, ...] = ()
    owed: int = 0

    @property
    def total(self) -> int:
        """The energy to spend, including `obscuring`."""
        return self.energy + self.obscuring


_read_contest = set_by_moves(
    f"To open a contest, use {Run('byzantine contest', 'CONTEST', acting='WHO', against='WHOM')}. To commit energy, use"
    f" {Run('byzantine commit', 'WHO', 'CONTEST', energy='N')}."
)
_refuse_day = set_by_moves("Only the move 'dawn' can change the day recorded as the last dawn.")
_read_place = set_by_moves(
    f"To put a place on the map, use {Run('byzantine map', 'PLACE', level='LEVEL', district='DISTRICT')}."
)
_read_split = set_by_moves(
    f"To learn how a cost is divided, use {Run('byzantine know', 'WHO', 'TASK', energy='N', split=True)}."
)
_read_task = set_by_moves(f"To set a cost in secret, use {Run('byzantine task', 'TASK', costs='N')}.")

ENERGY_SCORES = {
    "general": "the general pool (BYZ-08)",
    "general.recouped": "energy returned from a canceled project; this energy does not shrink tonight (BYZ-12)",
    "general.invested-today": "energy invested in the general pool today; only complete sets of 5 count (BYZ-10)",
    "general.deposit": "energy to add to the general pool at the next dawn; only in edition 1 (BYZ-08)",
    "project.*": "the pool of a project (BYZ-09)",
    "invested-today.*": "energy invested in a project today; only complete sets of 5 count (BYZ-10)",
    "deposit.*": "energy to add to a project's pool at the next dawn; only in edition 1 (BYZ-09)",
}
"""The scores that hold energy, each with its description."""

SCORES = (
    Score(
        name="energy",
        unit="energy",
        least=-game.MAX_SHEET_NUMBER,
        says="the day's energy; below zero it is a debt (BYZ-06)",
    ),
    *(Score(name=name, unit="energy", says=says) for name, says in ENERGY_SCORES.items()),
    Score(name="invested.*", unit="energy invested", tally=True, says="all energy ever invested in a project (BYZ-12)"),
    Score(
        name="input.*",
        unit="energy a day",
        tally=True,
        least=LOWEST_INPUT.default,
        least_setting=LOWEST_INPUT.name,
        most=0,
        says="the energy that a connection costs each day (BYZ-01)",
    ),
    Score(
        name="output.*",
        unit="energy a day",
        tally=True,
        most=HIGHEST_OUTPUT.default,
        most_setting=HIGHEST_OUTPUT.name,
        says="the energy that a connection yields each day (BYZ-01)",
    ),
    Score(name="ability.*", unit="rating", says="the rating of an ability, such as climbing or a city level (BYZ-14)"),
    Score(
        name="contest.*",
        unit="step",
        tally=True,
        most=NOT_COMMITTED + 1,
        bookkeeping=True,
        says=("1 if the character is in an open contest, 2 if the character has also committed to it (BYZ-21)"),
    ),
    Score(
        name="nights.little", unit="night", tally=True, says="nights of little sleep since the last full night (BYZ-04)"
    ),
    Score(name="nights.none", unit="night", tally=True, says="nights without sleep since the last full night (BYZ-04)"),
)


TASK_PREFIXES = ("go", "kill", "alter.input", "alter.output")
"""The prefixes of tasks for moves other than `attempt`, such as `go` in `go.market` (BYZ-15)."""


def _of_tasks(stem: str, says: str, read: Callable[[str], Any]) -> tuple[MarkSpec, ...]:
    names = (f"{stem}.*", *(f"{stem}.{first}.*" for first in TASK_PREFIXES))
    return tuple(MarkSpec(name=name, says=says, read=read) for name in names)


MARKS = (
    MarkSpec(
        name="withheld.*",
        says="what is withheld: 'output' for the output only, 'connection' for the whole connection (BYZ-03)",
        read=one_of(WITHHELD),
    ),
    MarkSpec(name="lent.*", says="the connection is lent (BYZ-03)", read=read_yes_no),
    MarkSpec(name="closed.*", says="the project is closed for good (BYZ-12)", read=read_yes_no),
    *_of_tasks(
        "learned",
        "the cost of a task, if the character has learned that cost (BYZ-24)",
        number(0, game.MAX_SHEET_NUMBER),
    ),
    *_of_tasks("split", "how a contested cost is divided; empty if the character does not know (BYZ-25)", _read_split),
    MarkSpec(name="dawned", says="the day of the character's last dawn (BYZ-02)", read=_refuse_day, bookkeeping=True),
    MarkSpec(name="night", says="how much the character sleeps tonight (BYZ-04)", read=one_of(NIGHTS)),
    MarkSpec(name="place", says="where the character is (BYZ-17)", read=game.read_handle),
    MarkSpec(name="lost", says="the character is lost in the area until the next move (BYZ-19)", read=read_yes_no),
    MarkSpec(name="daily.*", says="the character goes to this place every day (BYZ-18)", read=read_yes_no),
    MarkSpec(name="dead", says="the character is dead (BYZ-07, BYZ-23)", read=read_yes_no),
    *_of_tasks("task", "the cost that the GM set for a task (BYZ-15)", _read_task),
    MarkSpec(name="sides.*", says="the sides of an open contest and their abilities (BYZ-21)", read=_read_contest),
    MarkSpec(
        name="committed.*", says="what the character secretly committed to a contest (BYZ-21)", read=_read_contest
    ),
    MarkSpec(name="map.*", says="an area or a way with its level and district (BYZ-17)", read=_read_place),
)


def rows(sheet: SheetView) -> Sequence[Row]:
    """Return the rows of a sheet: energy, connections, pools, abilities, nights, places, contests, known costs."""
    return [
        *_energy_rows(sheet),
        *_connection_rows(sheet),
        _pool_row(sheet, "general pool", "general", ("general.recouped", "general.invested-today", "general.deposit")),
        *_project_rows(sheet),
        *(_row(f"ability {name}", rating, f"ability.{name}") for name, rating in sheet.scores_of("ability").items()),
        *_night_rows(sheet),
        *_place_rows(sheet),
        *_contest_rows(sheet),
        *_known_cost_rows(sheet),
    ]


def _row(label: str, value: int | str, *shows: str) -> Row:
    return Row(label=label, value=with_minus_sign(value), shows=shows)


def _energy_rows(sheet: SheetView) -> list[Row]:
    energy = sheet.score("energy")
    debt, due = -energy, -2 * energy
    return [_row("energy", energy, "energy"), *([_row("debt", f"{debt}; repay {due} at the next dawn")] * (debt > 0))]


def _connection_rows(sheet: SheetView) -> list[Row]:
    net, rows = 0, []
    for name in sorted({*sheet.scores_of("input"), *sheet.scores_of("output")}):
        cost, gain = sheet.score(f"input.{name}"), sheet.score(f"output.{name}")
        withheld, lent = sheet.marks.get(f"withheld.{name}"), sheet.marks.get(f"lent.{name}")
        net += (0 if withheld == "connection" else cost) + (0 if withheld else gain)
        parts = [f"input {cost}", f"output {gain}"]
        parts += [] if withheld is None else ["output withheld" if withheld == "output" else "withheld"]
        parts += ["lent"] if lent else []
        shows = (f"{what}.{name}" for what in ("input", "output", "withheld", "lent"))
        rows.append(_row(f"connection {name}", ", ".join(parts), *shows))
    return [_row("net", f"{net} a day", *(name for row in rows for name in row.shows)), *rows]


def _pool_row(sheet: SheetView, label: str, pool: str, parts: tuple[str, ...], *more: str) -> Row:
    recouped, today, deposit = (sheet.score(name) for name in parts)
    share = GENERAL_SHARE if pool == "general" else PROJECT_SHARE
    value = [str(sheet.score(pool) + recouped)]
    if today:
        gives, missing = today // ENERGY_PER_GAIN * share, -today % ENERGY_PER_GAIN
        value.append(f"the {today} invested today will add {gives} at the next dawn")
        value += [f"{missing} more energy completes the next set of 5"] if missing else []
    if deposit:
        value.append(f"{deposit} more energy at the next dawn")
    return _row(label, "; ".join([*value, *more]), pool, *parts)


def _project_rows(sheet: SheetView) -> Iterator[Row]:
    families = ("project", "invested-today", "deposit", "invested")
    closed = sheet.marks_of("closed")
    for name in sorted({*(name for family in families for name in sheet.scores_of(family)), *closed}):
        invested = sheet.score(f"invested.{name}")
        ever = f"{invested} invested in total"
        parts = ("", f"invested-today.{name}", f"deposit.{name}")
        row = _pool_row(sheet, f"project {name}", f"project.{name}", parts, ever)
        value = "closed for good" if closed.get(name) else row.value
        yield row.replace(value=value, shows=(*row.shows, f"invested.{name}", f"closed.{name}"))


def _night_rows(sheet: SheetView) -> Iterator[Row]:
    little, none = sheet.score("nights.little"), sheet.score("nights.none")
    if little or none:
        yield _row("bad nights", f"{little} with little sleep, {none} without sleep", "nights.little", "nights.none")
    if "night" in sheet.marks:
        yield _row("tonight", f"sleep: {sheet.marks['night']}", "night")


def _contest_rows(sheet: SheetView) -> Iterator[Row]:
    for name in sheet.scores_of("contest"):
        row = _row(f"contest {name}", "committed", f"contest.{name}", f"committed.{name}")
        if _is_awaited(sheet, name):
            row = row.replace(value="no energy committed yet", then=f"byzantine commit {{who}} {name} --energy N")
        yield row


def _is_awaited(sheet: SheetView, contest: str) -> bool:
    return f"committed.{contest}" not in sheet.marks and not sheet.marks.get("dead")


def _place_rows(sheet: SheetView) -> Iterator[Row]:
    place, lost = sheet.marks.get("place"), bool(sheet.marks.get("lost"))
    if place or lost:
        yield _row("place", f"{place or 'unknown'}{', lost' if lost else ''}", "place", "lost")
    daily = [name for name, goes in sheet.marks_of("daily").items() if goes is True]
    if daily:
        yield _row("daily trips to", ", ".join(daily), *(f"daily.{name}" for name in daily))


def _known_cost_rows(sheet: SheetView) -> Iterator[Row]:
    splits = sheet.marks_of("split")
    for name, cost in sheet.marks_of("learned").items():
        split = splits.get(name, {})
        costs = "a secret cost" if isinstance(cost, dict) else f"costs {cost}"
        costs += f" (ability {split['ability']}, energy {split['energy']})" if split.get("cost") == cost else ""
        yield _row(f"knows {_as_typed(name)}", costs, f"learned.{name}", f"split.{name}")


CONTEST_SUBJECTS = {"task": "a task", "attack": "an attack on energy", "kill": "an attempt to kill"}


def table_rows(table: SheetView, sheet_of: Callable[[str], SheetView]) -> Sequence[Row]:
    """Return the rows of the whole table: the map, the costs of tasks, and the open contests."""
    places = [
        _row(f"{'way' if place['way'] else 'area'} {name}", f"{place['level']}, {place['district']}", f"map.{name}")
        for name, place in table.marks_of("map").items()
    ]
    costs = table.marks_of("task").items()
    tasks = [_row(f"task {_as_typed(name)}", _cost(value), f"task.{name}") for name, value in costs]
    return [*places, *tasks, *(_contest_row(table, name, sheet_of) for name in table.marks_of("sides"))]


def _cost(value: dict[str, Any]) -> str:
    if "opposition" not in value:
        return "cost known only to the GM"
    base = [] if value["base"] is None else [f"costs {value['base']}"]
    against = [
        f"{who} opposes with energy {energy}, ability {ability}"
        for who, (energy, ability) in value["opposition"].items()
    ]
    return "; ".join([*base, *against, *([f"ability {value['ability']}"] if value.get("ability") else [])])


def _contest_row(table: SheetView, name: str, sheet_of: Callable[[str], SheetView]) -> Row:
    sides = table.marks[f"sides.{name}"]
    acting, against = ([who for who, _ in sides[side]] for side in ("acting", "against"))
    sheets = {who: sheet_of(who) for who in (*acting, *against)}
    waits = [who for who, sheet in sheets.items() if _is_awaited(sheet, name)]
    dead = [who for who, sheet in sheets.items() if sheet.marks.get("dead")]
    rest, then = "everyone has committed", f"byzantine resolve {name}"
    if dead:
        rest, then = f"cannot continue, because {', '.join(dead)} died", f"byzantine contest {name} --off"
    elif waits:
        rest, then = f"waiting for {', '.join(waits)}", ""
    what = CONTEST_SUBJECTS[sides["kind"]]
    value = f"{', '.join(acting)} against {', '.join(against)}, {what}; {rest}"
    return Row(label=f"contest {name}", value=value, shows=(f"sides.{name}",), then=then)


def _as_typed(task: str) -> str:
    """Return the name of a task as people type it: `alter.output.NAME` in a mark becomes `alter.NAME.output`."""
    kind, _, rest = task.partition(".")
    side, _, connection = rest.partition(".")
    return f"{kind}.{connection}.{side}" if kind == "alter" else task
