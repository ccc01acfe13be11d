"""Typed lines that were for the whole group, but left out a character because of a mistake.

A line is for the group if it names everybody at the table who could do the same at that time. A character
who was absent, had left or was dead is not named. If a correction cancels the reason why the character is
missing, it asks about the later lines for the group, or adds the character's part to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ledger.commands.at_table import Give, command_of_root
from ledger.commands.decider import Record, Sketch, StateAndRoster, TableCommand
from ledger.commands.play import PlayMove, RollingCommand
from ledger.commands.sheet import is_played_by_gm
from ledger.corrections.actions import replacement_of
from ledger.corrections.missed import MissedPart, corrected_characters
from ledger.corrections.spots import GROUP_EVENTS, target_of
from ledger.errors import LedgerError
from ledger.events import types as events
from ledger.events.entry import Entry, lead_of
from ledger.events.subjects import player_of
from ledger.values import Struct

GROUP_TYPES = tuple(
    event.type for event in (*GROUP_EVENTS, events.MovePlayed, events.QuestionAsked, events.DiceCounted)
)
"""The types of the entries that a line may write for each character of the group."""


class LeftOutPart(MissedPart):
    """A part that is missing because a line for the group left out `who`. It takes effect at the line's last entry."""

    in_order = False
    line: int
    own_command: TableCommand

    @property
    def command(self) -> TableCommand:
        """The command that plays the part."""
        return self.own_command

    @property
    def may_be_played(self) -> bool:
        """True unless other moves may follow from the part. Players would have to choose these moves."""
        return not (isinstance(self.command, PlayMove) and self.command.move.may_continue)

    def is_played(self, record: Record) -> bool:
        types = [kind for kind in GROUP_TYPES if kind in self.command.writes]
        later = (entry for entry in record.search(types, self.place, ("who",)) if entry.since == self.place)
        return any(target_of(entry.event) == self.who and not record.is_struck(entry.act) for entry in later)


class _GroupLine(Struct):
    """A line with the same command for several characters. `roots` has the current roots of its parts, in order."""

    number: int
    names: frozenset[str]
    roots: tuple[Entry, ...]
    command: TableCommand

    def command_for(self, who: str) -> TableCommand:
        """Return the command of the line for character `who`, whom the line may have left out."""
        return _with_character(self.command, who)


def left_out_parts(record: Record, head: int) -> Iterator[LeftOutPart]:
    """Yield each part that is missing from a line because of a correction after entry `head`, in order of the lines."""
    moved = corrected_characters(record, head)
    for line in _group_lines(record, min(moved.values())) if moved else ():
        place = line.roots[-1].since
        was = record.as_of(place, head)
        before = _able_characters(was, line)
        yield from (part for part in _parts_lacking(record, line) if part.who not in before)


def still_left_out(record: Record, question: events.LinesMissed) -> list[LeftOutPart]:
    """Return the parts that the lines of a question still lack."""
    lines = filter(None, (_group_line(record, number) for number in question.lines))
    return [part for line in lines for part in _parts_lacking(record, line) if part.who == question.who]


def questions_about_lines(parts: Iterable[LeftOutPart]) -> list[events.LinesMissed]:
    """Return the questions about missing parts. All parts of one character share a question."""
    lines: dict[str, list[int]] = {}
    for part in parts:
        lines.setdefault(part.who, []).append(part.line)
    return [events.LinesMissed(who=who, lines=tuple(numbers)) for who, numbers in lines.items()]


def _parts_lacking(record: Record, line: _GroupLine) -> Iterator[LeftOutPart]:
    """Yield the parts that a line lacks in the corrected record."""
    start, place = line.roots[-1].seq, line.roots[-1].since
    for who in sorted(_able_characters(record.as_of(place), line) - line.names):
        part = LeftOutPart(start=start, place=place, who=who, line=line.number, own_command=line.command_for(who))
        if not part.is_played(record):
            yield part


def _group_lines(record: Record, first: int) -> Iterator[_GroupLine]:
    """Yield the lines for the whole group, from entry `first` on."""
    entries = record.search(GROUP_TYPES, first, ("line",))
    numbers = dict.fromkeys(entry.line for entry in entries if entry.since == entry.seq)
    yield from filter(None, (_group_line(record, number) for number in numbers if number is not None))


def _group_line(record: Record, number: int) -> _GroupLine | None:
    """Return the line that starts at entry `number`.

    Return None if the line never was for the whole group, or no longer is because of a correction.
    """
    leads = _lead_entries_of_line(record, number)
    roots = [replacement_of(record, lead.seq) if record.is_struck(lead.act) else lead.seq for lead in leads.values()]
    counting = tuple(record.entry(root, secrets=True) for root in roots if root is not None)
    try:
        typed, now = ([command_of_root(entry) for entry in entries] for entries in (leads.values(), counting))
    except LedgerError:  # a game that is not installed
        return None
    if not now or not _are_same_for_all(typed):
        return None
    targets = frozenset([*leads, *(target_of(entry.event) for entry in counting)])
    line = _GroupLine(number=number, names=targets, roots=counting, command=now[-1])
    giver = {typed[0].who} if isinstance(typed[0], Give) else set()
    last = max(lead.seq for lead in leads.values())
    able = _able_characters(record.as_of(last, number - 1), line.replace(command=typed[0]))
    is_for_group = not able.isdisjoint(leads) and able <= leads.keys() | giver
    return line if is_for_group and _are_same_for_all(now) else None


def _lead_entries_of_line(record: Record, number: int) -> dict[str, Entry]:
    """Return the lead entry of each action of a line. The keys are the characters.

    Return an empty dictionary if a command of the line cannot be for a group, if two commands are for the same
    character, or if this copy of the campaign lacks a secret of the line.
    """
    leads, act = dict[str, Entry](), number
    while act <= record.head() and (entries := record.action(act, secrets=True))[0].line == number:
        lead = lead_of(entries)
        if lead.type not in GROUP_TYPES or lead.lacks_secret or target_of(lead.event) in leads:
            return {}  # a pasted evening is one line, too, so do not read all of it
        leads[target_of(lead.event)] = lead
        act = entries[-1].seq + 1
    return leads


def _are_same_for_all(commands: list[TableCommand]) -> bool:
    """Return True if all commands are the same, except that each is for another character."""
    return all(_with_character(command, "") == _with_character(commands[0], "") for command in commands)


def _with_character(command: TableCommand, who: str) -> TableCommand:
    return command.changed({"to" if isinstance(command, Give) else "who": who})


def _able_characters(state: StateAndRoster, line: _GroupLine) -> set[str]:
    """Return the characters at the table who can make the move or change of a line."""
    return {who for who in _characters_of_present_players(state) if _is_possible(state, line.command_for(who))}


def _characters_of_present_players(state: StateAndRoster) -> set[str]:
    """Return the characters of the present players.

    If the present players have no characters, return the characters that no player plays. In both cases, leave out
    characters that the GM plays.
    """
    cast = {who for who, _ in state.sheets() if not is_played_by_gm(state, who)}
    seated, present = state.players(), state.present_players()
    players = {who: player_of(state.mark, who) for who in cast}
    here = {who for who in cast if players[who] in (seated if present is None else present)}
    return here or {who for who in cast if players[who] not in seated}


def _is_possible(state: StateAndRoster, command: TableCommand) -> bool:
    sketch = Sketch(state, 0)
    try:
        command.check_sheet(state)
        command.ask(sketch) if isinstance(command, RollingCommand) else command.decide(sketch)
    except LedgerError:
        return False
    return True
