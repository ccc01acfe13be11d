"""The calendar of the game's world: its months and weekdays, the dates of days, and the command that sets it.

A calendar is a file in the format TOML:

    weekdays = ["Firstday", "Secondday", "Thirdday"]
    first = { day = 30, month = "Harvestmonth", year = 1021, weekday = "Firstday" }

    [months]
    Harvestmonth = 30
    Frostmonth = 31

`first` is the date of the campaign's day 1. A world without weekdays leaves out both `weekdays` and `weekday`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Annotated, Any, ClassVar

from ledger.commands.decider import Draft, PageForm, TableCommand
from ledger.errors import BadInput, Refused, quoted
from ledger.events.subjects import CALENDAR, CAMPAIGN
from ledger.events.types import CalendarSet
from ledger.rules.inputs import LONGEST_NAME, NOT_AMENDABLE, Label, Reason, checked_text
from ledger.values import MAX_SHEET_NUMBER, Struct

MOST_DAYS_OF_MONTH = 1000


class Calendar(Struct):
    """A calendar. `months` maps each month to its number of days.

    - `start`: the number of days from the start of the year 0 to the campaign's day 1.
    - `weekday`: the weekday of day 1, as an index of `weekdays`.
    """

    months: Mapping[str, int]
    weekdays: tuple[str, ...]
    start: int
    weekday: int

    def date(self, day: int) -> str:
        """Return the date of a day of the campaign, like `Thirdday, 3 Frostmonth 1021`."""
        year, rest = divmod(self.start + day - 1, sum(self.months.values()))
        ends = [0, *accumulate(self.months.values())]
        name, before = next(
            (name, before) for name, (before, end) in zip(self.months, pairwise(ends), strict=True) if rest < end
        )
        date = f"{rest - before + 1} {name} {year}"
        if not self.weekdays:
            return date
        return f"{self.weekdays[(self.weekday + day - 1) % len(self.weekdays)]}, {date}"


@lru_cache(maxsize=8)
def read_calendar(text: str) -> Calendar:
    """Read a calendar. Raise `BadInput` with the line of the first error."""
    import tomllib  # only a calendar needs it

    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        line = re.search(r"at line ([0-9]+)", str(error))
        where = line[1] if line else len(text.splitlines())
        raise BadInput(
            f"Line {where} of the calendar is not valid TOML.",
            "A line looks like this: Frostmonth = 31",
        ) from None
    return _CalendarFile(text).calendar(table)


def date_in(calendar: str | None, day: int) -> str:
    """Return the date of a day, like `Thirdday, 3 Frostmonth 1021`; "" if the calendar's text cannot be read."""
    if calendar is None:
        return ""
    try:
        return read_calendar(calendar).date(day)
    except BadInput:  # the text was lost, or a newer version wrote it
        return ""


class _CalendarFile:
    """The file of a calendar. Its errors name the line of the wrong value, like `Line 3 of the calendar`."""

    def __init__(self, text: str) -> None:
        self._lines = [line.partition("#")[0] for line in text.splitlines()]

    def calendar(self, table: Mapping[str, Any]) -> Calendar:
        """Check all parts of the calendar, and return it."""
        self._check_parts(table, ("weekdays", "first", "months"))
        months, weekdays, first = table.get("months"), table.get("weekdays", []), table.get("first")
        if not isinstance(months, dict) or not months:
            raise self._error("needs months", "[months], and below it: Frostmonth = 31", "months")
        for name, days in months.items():
            self._check_name(name, "months")
            self._check_number(days, 1, MOST_DAYS_OF_MONTH, "months", name)
        if not isinstance(weekdays, list) or len({*map(str, weekdays)}) < len(weekdays):
            raise self._error("needs weekdays with different names", 'weekdays = ["Firstday", "Secondday"]', "weekdays")
        for name in weekdays:
            self._check_name(name, "weekdays")
        if not isinstance(first, dict):
            raise self._error("needs the date of day 1", 'first = { day = 1, month = "NAME", year = 1 }', "first")
        return self._make_calendar(months, tuple(weekdays), first)

    def _make_calendar(
        self, months: Mapping[str, int], weekdays: tuple[str, ...], first: Mapping[str, Any]
    ) -> Calendar:
        self._check_parts(first, ("day", "month", "year", *(["weekday"] if weekdays else [])), "first")
        for name, known in (("month", [*months]), ("weekday", [*weekdays])):
            if (name == "month" or known) and first.get(name) not in known:
                raise self._error(f"needs a {name} from the list", f'{name} = "{known[0]}"', "first", name)
        month = first["month"]
        self._check_number(first.get("day"), 1, months[month], "first", "day")
        self._check_number(first.get("year"), -MAX_SHEET_NUMBER, MAX_SHEET_NUMBER, "first", "year")
        before = sum([*months.values()][: [*months].index(month)])
        return Calendar(
            months=months,
            weekdays=weekdays,
            start=first["year"] * sum(months.values()) + before + first["day"] - 1,
            weekday=weekdays.index(first["weekday"]) if weekdays else 0,
        )

    def _check_parts(self, table: Mapping[str, Any], known: tuple[str, ...], *path: str) -> None:
        for name in table:
            if name not in known:
                hint = f"Allowed parts: {', '.join(known)}."
                raise BadInput(f"{self._line_of(*path, name)} has an unknown part called {quoted(name)}.", hint)

    def _check_name(self, name: object, *path: str) -> None:
        if not isinstance(name, str):
            raise self._error("needs a name in quotes", '"Firstday"', *path, str(name))
        checked_text(f"{self._line_of(*path, name)}: a name", name, LONGEST_NAME)

    def _check_number(self, number: object, least: int, most: int, *path: str) -> None:
        if type(number) is not int or not least <= number <= most:
            raise self._error(f"needs a number from {least:,} to {most:,}", f"{path[-1]} = {max(least, 1)}", *path)

    def _error(self, needs: str, example: str, *path: str) -> BadInput:
        return BadInput(f"{self._line_of(*path)} {needs}.", f"Write: {example}")

    def _line_of(self, *path: str) -> str:
        """Return the line of the value under these keys, like `Line 3 of the calendar`.

        The search for each key starts at the line of the previous key. If no key is found, return `The calendar`.
        """
        line = -1
        for word in path:
            pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
            numbers = (number for number, text in enumerate(self._lines) if number >= line and pattern.search(text))
            line = next(numbers, line)
        return "The calendar" if line < 0 else f"Line {line + 1} of the calendar"


class SetCalendar(TableCommand):
    """A command that sets the calendar of the game's world: the text of a file, or None to remove the calendar."""

    writes: ClassVar[tuple[str, ...]] = (CalendarSet.type,)
    form = PageForm(name="calendar", heading="Calendar", button="Set the calendar")
    calendar: Annotated[str | None, NOT_AMENDABLE, Label(text="calendar (TOML)", lines=True)] = None
    why: Reason | None = None

    def decide(self, draft: Draft) -> None:
        """Add the calendar. Raise `BadInput` for an invalid calendar, or `Refused` if there is none to remove."""
        if self.calendar is None and draft.mark(CAMPAIGN, CALENDAR) is None:
            raise Refused("This campaign has no calendar.")
        calendar = None if self.calendar is None else checked_text("A calendar", self.calendar)
        if calendar is not None:
            read_calendar(str(calendar.text))
        why = None if self.why is None else checked_text("A reason", self.why)
        draft.add(CalendarSet(calendar=calendar, why=why))
