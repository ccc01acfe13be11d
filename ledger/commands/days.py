"""The command that starts days. It also plays the moves that games add for each character at the start of a day."""

from __future__ import annotations

from typing import Annotated, ClassVar

from ledger import systems
from ledger.commands.at_table import BeginDay
from ledger.commands.decider import BookDraft, Command, State, TableDraft
from ledger.commands.play import PlayMove
from ledger.commands.sheet import table_of
from ledger.errors import TYPE_OR_USE, Refused, Run
from ledger.events.subjects import CAMPAIGN, HOLD
from ledger.events.types import DayBegun
from ledger.rules.inputs import Label, Typed
from ledger.values import MAX_SHEET_NUMBER, Within

MOST_DAYS = 400
"""The most days that one command may start."""


PositiveDays = Within(1, MAX_SHEET_NUMBER)


class NextDay(Command):
    """A command that starts the next day, or `count` days. No further day starts after a new question."""

    writes: ClassVar[tuple[str, ...]] = (DayBegun.type,)
    planned = True
    count: Annotated[int | None, PositiveDays, Label(text="number of days"), "how many days to advance"] = 1
    until: Annotated[int | None, Typed(name="")] = None

    def decide(self, draft: BookDraft) -> None:
        """Start the days in order. Raise `Refused` if `until` is not in the future, or if there are too many days."""
        days, waiting = self._days_to_start(campaign_day(draft)), draft.questions()
        for place in range(days):
            BeginDay(count=None if place else self.count, until=None if place else self.until).decide(draft)
            for who, name in draft.sheets():
                _play_new_day(draft, who, name)
            if draft.questions() != waiting:
                return

    def _days_to_start(self, day: int) -> int:
        days = (self.count or 1) if self.until is None else self.until - day
        if not days:
            raise Refused(f"It is already day {day}.", f"Start the next day with {Run('day next')}.")
        if days < 1:
            raise Refused(
                f"It is day {day}. You cannot go back to an earlier day.",
                f"To take back a day, {TYPE_OR_USE} {Run('undo')}.",
            )
        if days > MOST_DAYS:
            raise Refused(f"You can skip at most {MOST_DAYS} days at once, not {days}.")
        return days


class DaysTo(NextDay):
    """A command that starts all days up to `until`. No further day starts after a new question."""

    count: Annotated[int | None, Typed(name="")] = None
    until: Annotated[int | None, PositiveDays, Typed(name="to")]


def campaign_day(state: State) -> int:
    """Return the day of the campaign, or 0 before the first day."""
    return state.balance(CAMPAIGN, "day") or 0


def _play_new_day(draft: TableDraft, who: str, name: str) -> None:
    system = systems.installed(name)
    move = system.rulebook().new_day if system else None
    while move is not None and move.is_due(table_of(draft, name), who):
        PlayMove(system=name, move=move(who=who)).decide(draft)
        if draft.balance(who, HOLD):
            return
