"""Asides: remarks that are printed after the result of a command."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from cli.render import terminal
from ledger.errors import Run, count_of
from ledger.events.commitments import Secret
from ledger.events.entry import Entry, lead_of
from ledger.events.subjects import CAMPAIGN, IMPORTED, TURN
from ledger.events.types import (
    DiceCounted,
    DiceThrown,
    Event,
    LogImported,
    MovePlayed,
    NoteKept,
    NoteWritten,
    PlayersPresent,
    RollImported,
    RoundBegan,
)
from ledger.journal.book import Book
from ledger.scribe import Written
from ledger.times import moment_of

DAYS_LEFT_OPEN = 7
"""The number of days without an entry before a reminder that a session is still open."""

ACTIONS_SEARCHED = 20
"""The number of past actions in which to look for another roll since the last session."""

ROLL_TYPES = frozenset({"dice-thrown", "roll-sealed"})
"""The types of entries that contain dice."""

MOST_NAMED = 5
"""The maximum number of characters or actions that an aside names."""


def say_after_writing(book: Book, written: Sequence[Written]) -> None:
    """Print the asides that any command may need."""
    first = written[0].entries[0]
    say_no_session(book, written[0])
    say_session_left_open(book, first.seq - 1, first.clock)
    say_arrivals(book, written)
    say_secret_deeds(book, written)
    say_note_for_all(book, first)


def say_empty_sheets(book: Book, whose: Iterable[str], system: str) -> None:
    """Print how to add numbers to new sheets that have none."""
    from ledger.reading.names import open_games  # a sheet with numbers needs none of it

    empty = ",".join(who for who in whose if system in book.systems(who) and not book.scores(who, f"{system}/"))
    if empty:
        change, add = Run("adjust", empty, "SCORE=N"), Run("adjust", empty, "SCORE=N", new=True)
        terminal.aside(f"The sheet is empty. To add numbers: {add if system in open_games(['hp']) else change}")


def say_note_for_all(book: Book, entry: Entry) -> None:
    """Print how to write a secret note, if a note that everybody can read starts with another player's name."""
    if not isinstance(entry.event, NoteWritten) or isinstance(entry.event, NoteKept):
        return
    from ledger.rules.spelling import folded  # most commands write no note

    typed = folded((entry.event.text.text or "").partition(":")[0].strip())
    for handle, name in book.players().items():
        if folded(name) == typed and handle != entry.by:
            secret = Run("note", "TEXT", only=name)
            terminal.aside(f"Everybody can read this note. For a note that only {name} can read: {secret}")


def say_arrivals(book: Book, written: Sequence[Written]) -> None:
    """Print which players now count as present because they acted, and what to type if this is wrong."""
    for event, seq in ((entry.event, entry.seq) for done in written if not done.again for entry in done.entries):
        if isinstance(event, PlayersPresent) and event.is_automatic:
            name, canceled = book.name_of(event.players[0]), Run("void", seq, why="TEXT")
            terminal.aside(f"{name} was not listed as present. If {name} is absent: {canceled}")


def say_secret_deeds(book: Book, written: Sequence[Written]) -> None:
    """For each entry that hides from players what a character attempts, print how the GM can read the attempt."""
    for entry in (entry for done in written if not done.again for entry in done.entries):
        if Secret.KEY in (entry.raw.get("deed") or ()):
            who, show = book.name_of(_subject_of([entry])), Run("show", entry.seq, secrets=True)
            terminal.aside(f"Players cannot see what {who} attempts. To read it: {show}")


def _subject_of(entries: Sequence[Entry]) -> str:
    return next((str(who) for entry in entries if (who := getattr(entry.event, "who", ""))), "")


def say_no_session(book: Book, done: Written) -> None:
    """After the first roll since the last session, print a reminder to open a session."""
    rolled = not done.again and any(entry.type in ROLL_TYPES for entry in done.entries)
    if not rolled or book.mark(CAMPAIGN, "session") is not None:
        return
    for act in islice(book.acts_backwards(done.entries[0].act - 1), ACTIONS_SEARCHED):
        types = {entry.type for entry in book.journal.action(act)}
        if types & ROLL_TYPES:
            return
        if "session-closed" in types:
            break
    terminal.aside(f"No session is open. To open one: {Run('session open', 'TITLE')}")


def say_session_left_open(book: Book, last: int, now: str) -> None:
    """If nothing was written for a week after entry `last`, print a reminder to close the session."""
    row = book.accounts.mark_row(CAMPAIGN, "session")
    if row is None or row.value == "null" or row.since > last:
        return
    days = (moment_of(now) - moment_of(book.journal.entry(last).clock)).days
    if days >= DAYS_LEFT_OPEN:
        terminal.aside(
            f"Session {row.value} is still open, and nothing was entered for {count_of(days, 'day')}."
            f" To close the session: {Run('session close')}"
        )


def say_not_undone(book: Book, act: int) -> None:
    """After an undo of `act`, print the other characters that the same command changed, if these changes remain.

    Such changes remain only if an old version of the program wrote the command. Old versions did not store the field
    `line`, which links the actions of a command.
    """
    acts = [act for act in _same_command_actions(book, act) if not book.is_struck(act)]
    rest = [book.name_of(_subject_of(book.journal.action(act))) for act in acts]
    if rest:
        whom = ", ".join(reversed(rest)) if len(rest) <= MOST_NAMED else count_of(len(rest), "other character")
        terminal.aside(f"The same command also changed {whom}. Those changes still count.")
        terminal.aside(f"To undo those changes too: {Run('undo', len(rest))}")


def say_rest_of_lines(book: Book, acts: Sequence[int]) -> None:
    """Print the actions that a void of `acts` would not cancel, although they come from the same typed lines."""
    from projections.phrases import describe_entry  # most commands void nothing

    first_entries = dict.fromkeys(line for act in acts if (line := lead_of(book.action(act)).line) is not None)
    lines = [act for first in first_entries for act in _acts_of_line(book, first)]
    imported = [act for act in acts if isinstance(book.journal.entry(act).event, LogImported)]
    rest = [act for act in lines if act not in acts and not book.is_struck(act) and not imported]
    if rest:
        more = f" and {len(rest) - MOST_NAMED} more" if len(rest) > MOST_NAMED else ""
        shown = ", ".join(describe_entry(book, lead_of(book.action(act)).seq) for act in rest[:MOST_NAMED])
        every = [lead_of(book.action(act)).seq for act in sorted({*acts, *rest})]
        terminal.aside(f"The same command also wrote: {shown}{more}. These actions still count.")
        terminal.aside(f"To cancel the whole command: {Run('void', *every, why='TEXT')}")


def say_remapped_rolls(book: Book, acts: Sequence[int]) -> None:
    """For each import among `acts`, print which later imports took over some of its rolls (`import --remap`)."""
    for log in acts:
        if not isinstance(book.journal.entry(log).event, LogImported):
            continue
        line = book.journal.entry(log).line or log
        rolls = [entry.event for act in _acts_of_line(book, line) for entry in book.action(act)]
        ids = {roll.id for roll in rolls if isinstance(roll, RollImported)}
        now = Counter(book.entry(seq).raw["log"] for seq in book.accounts.values_of(IMPORTED, ids).values())
        for later, number in sorted(now.items()):
            if later not in acts:
                moved = count_of(number, f"roll of #{log} is", f"rolls of #{log} are")
                terminal.aside(
                    f"{moved} now in import #{later}. To cancel that import: {Run('void', later, why='TEXT')}"
                )


def _acts_of_line(book: Book, first: int) -> Iterator[int]:
    """Yield the actions of a typed line for several characters. The line's first entry is `first`."""
    seq = first
    while seq <= book.head() and lead_of(entries := book.action(book.entry(seq).act)).line == first:
        yield entries[0].act
        seq = entries[-1].seq + 1


def say_character_of_player(book: Book, done: Written) -> None:
    """If a roll was for a player instead of a character, print how to roll for the player's only character."""
    who = _subject_of(done.entries)
    plays = book.characters_of(who) if who in book.players() else ()
    if len(plays) == 1:
        (character,) = plays
        terminal.aside(f"{book.name_of(who)} is a player. To roll for {character}: {Run('roll', character, 'DICE')}")


def _same_command_actions(book: Book, act: int) -> Iterator[int]:
    """Yield the actions before `act` that the same command wrote, the latest first."""
    seen, first = set[str](), book.journal.action(act)
    shared = {} if "line" in first[0].raw else _shared_fields(first)
    for earlier in book.acts_backwards(act - 1) if shared else ():
        entries = book.journal.action(earlier)
        seen.add(_subject_of(first))
        if _shared_fields(entries) != shared or _subject_of(entries) in seen:
            return
        yield earlier
        seen.add(_subject_of(entries))


def _shared_fields(entries: Sequence[Entry]) -> dict[str, Any]:
    """Return the fields of an action that are equal in all actions of the same typed line; {} if there are none."""
    lead = lead_of(entries)
    names = ("system", "move", "notation", "number", "sets" if lead.raw.get("sets") else "amounts")
    fields: dict[str, Any] = {name: lead.raw[name] for name in names if name in lead.raw}
    inputs = {name: value for name, value in lead.raw.get("inputs", {}).items() if name != "who"}
    return {**fields, "inputs": inputs, "at": lead.at, "by": lead.by, "type": lead.type} if fields else {}


def say_typed_dice(book: Book, done: Written) -> None:
    """If a condition on a sheet changed the dice of an action, print which typed dice each roll of the action used."""
    throws = (entry.event for entry in done.entries if isinstance(entry.event, DiceThrown))
    if not any(throw.source == "typed" for throw in throws):
        return
    from ledger.rules.dice import Pool  # most dice are not typed
    from projections.questions import facts_before

    taken, explained = list[str](), False
    for entry in done.entries:
        if isinstance(entry.event, MovePlayed) and (dice := entry.event.dice):
            facts, pool = facts_before(book, entry), Pool(sides=tuple(die.sides for die in dice))
            taken.append(f"{' '.join(str(die.face) for die in dice)} for {pool}{facts and f' ({facts})'}")
            explained = explained or facts != ""
    if explained:
        terminal.aside(f"Your dice were used as follows: {'; '.join(taken)}.")


def say_successes(written: Sequence[Written]) -> None:
    """Print how many of several rolls succeeded. Print nothing if none of them can succeed or fail."""
    leads = [lead_of(done.entries).event for done in written if not (done.dry or done.again)]
    results = [good for good in map(_is_success, leads) if good is not None]
    if len(leads) > 1 and results:
        terminal.aside(f"{sum(results)} of {len(leads)} succeeded.")


def _is_success(event: Event) -> bool | None:
    """Return True for a success, False for a failure, and `None` for anything else."""
    if isinstance(event, MovePlayed):
        return event.verdict.good
    margin = event.margin if isinstance(event, DiceCounted) else None
    return None if margin is None else margin >= 0


def say_missing_numbers(book: Book, done: Written) -> None:
    """If a new round needs new numbers for the turn order, print who still has none."""
    began = done.entries[0].event
    if isinstance(began, RoundBegan) and (names := [who for who in began.names if book.mark(who, TURN) is None]):
        who = names[0]
        terminal.aside(
            f"New initiative is needed for {_listed(book, names)}. To roll: {Run('turns roll', who, 'DICE')}"
        )
        terminal.aside(f"To enter a number that was rolled: {Run('turns add', who, 'NUMBER')}")


def say_turn_places(book: Book, names: Sequence[str]) -> None:
    """Print which of these characters already had a turn this round, and which share a turn number."""
    from ledger.commands.turns import current_round, turn_order  # most commands need no turns

    order, now = turn_order(book), current_round(book)
    for who in names if now else ():
        if now and who in now.acted:
            terminal.aside(f"{book.name_of(who)}'s turn in round {now.round} is over.")
    number = next((place.number for place in order if place.who in names), None)
    same = [place.who for place in order if place.number == number]
    if len(same) > 1:
        front, *_, back = same
        change = Run("turns add", back, number, before=front)
        terminal.aside(
            f"{_listed(book, same)} have the same number, and act in this order. To change the order: {change}"
        )


def _listed(book: Book, names: Sequence[str]) -> str:
    *others, last = map(book.name_of, names)
    return f"{', '.join(others)} and {last}" if others else last
