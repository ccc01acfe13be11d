"""Typed lines that were for the whole group, but left out a character because of a mistake.

A line is for the group if it names everybody at the table who could do the same at that time. A character
who was absent, had left or was dead is not named. If a correction cancels the reason why the character is
missing, it asks about the later lines for the group, or adds the character's part to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ledger.commands.at_table import Give, command_of_root
from ledger.commands.decider import Record, Sketch, StateAndRoster, TableCommand
from ledger.commands.play import PlayMove, Rolled
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


class LeftOut(MissedPart):
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
        """True unless other moves may follow from the part. Nobody knows how the players would continue."""
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
        return _for_character(self.command, who)


def left_out_parts(record: Record, head: int) -> Iterator[LeftOut]:
    """Yield each part that is missing from a line because of a correction after entry `head`, in order of the lines."""
    moved = corrected_characters(record, head)
    for line in _group_lines(record, min(moved.values())) if moved else ():
        place = line.roots[-1].since
        was = record.as_of(place, head)
        before = _able(was, line)
        yield from (part for part in _parts_lacking(record, line) if part.who not in before)


def still_left_out(record: Record, question: events.LinesMissed) -> list[LeftOut]:
    """Return the parts that the lines of a question still lack."""
    lines = filter(None, (_group_line(record, number) for number in question.lines))
    return [part for line in lines for part in _parts_lacking(record, line) if part.who == question.who]


def questions_about_lines(parts: Iterable[LeftOut]) -> list[events.LinesMissed]:
    """Return the questions about missing parts. All parts of one character share a question."""
    lines: dict[str, list[int]] = {}
    for part in parts:
        lines.setdefault(part.who, []).append(part.line)
    return [events.LinesMissed(who=who, lines=tuple(numbers)) for who, numbers in lines.items()]


def _parts_lacking(record: Record, line: _GroupLine) -> Iterator[LeftOut]:
    """Yield the parts that a line lacks in the corrected record."""
    start, place = line.roots[-1].seq, line.roots[-1].since
    for who in sorted(_able(record.as_of(place), line) - line.names):
        part = LeftOut(start=start, place=place, who=who, line=line.number, own_command=line.command_for(who))
        if not part.is_played(record):
            yield part


def _group_lines(record: Record, first: int) -> Iterator[_GroupLine]:
    """Yield the lines for the whole group, from entry `first` on."""
    entries = record.search(GROUP_TYPES, first, ("who",))
    numbers = dict.fromkeys(entry.line for entry in entries if entry.since == entry.seq)
    yield from filter(None, (_group_line(record, number) for number in numbers if number is not None))


def _group_line(record: Record, number: int) -> _GroupLine | None:
    """Return the line that starts at entry `number`; None if it was not for the whole group, or no longer is."""
    leads = [*_leads_of_line(record, number)]
    if any(lead.type not in GROUP_TYPES or lead.lacks_secret for lead in leads):
        return None
    roots = [replacement_of(record, lead.seq) if record.is_struck(lead.act) else lead.seq for lead in leads]
    counting = tuple(record.entry(root, secrets=True) for root in roots if root is not None)
    try:
        typed, now = ([command_of_root(entry) for entry in entries] for entries in (leads, counting))
    except LedgerError:  # a game that is not installed
        return None
    names = [target_of(lead.event) for lead in leads]
    if not now or len({*names}) < len(names) or not _are_same(typed):
        return None
    targets = frozenset([*names, *(target_of(entry.event) for entry in counting)])
    line = _GroupLine(number=number, names=targets, roots=counting, command=now[-1])
    giver = {typed[0].who} if isinstance(typed[0], Give) else set()
    able = _able(record.as_of(leads[-1].seq, number - 1), line.replace(command=typed[0]))
    is_for_group = not able.isdisjoint(names) and able <= {*names} | giver
    return line if is_for_group and _are_same(now) else None


def _leads_of_line(record: Record, number: int) -> Iterator[Entry]:
    act = number
    while act <= record.head() and (entries := record.action(act, secrets=True))[0].line == number:
        yield lead_of(entries)
        act = entries[-1].seq + 1


def _are_same(commands: list[TableCommand]) -> bool:
    """Return True if the commands are equal, apart from the character whom each is for."""
    return all(_for_character(command, "") == _for_character(commands[0], "") for command in commands)


def _for_character(command: TableCommand, who: str) -> TableCommand:
    return command.changed({"to" if isinstance(command, Give) else "who": who})


def _able(state: StateAndRoster, line: _GroupLine) -> set[str]:
    """Return the characters at the table who can make the move or change of a line."""
    return {who for who in _party(state) if _is_possible(state, line.command_for(who))}


def _party(state: StateAndRoster) -> set[str]:
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
        command.ask(sketch) if isinstance(command, Rolled) else command.decide(sketch)
    except LedgerError:
        return False
    return True
