"""Render: the only place that knows colour, columns and JSON."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from os import environ, get_terminal_size
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ledger.audit import Whole
    from ledger.book import Book
    from ledger.entries import Entry
    from ledger.errors import LedgerError
    from ledger.rules import System
    from ledger.scribe import Written
    from projections.log import Line
    from projections.questions import Waiting
    from projections.register import Posted
    from projections.sheets import Sheet

INDENT = " " * 6
GOOD, BAD, WAITS = "✓", "✗", "?"
COLOURS: Mapping[str, dict[str, Any]] = {
    "good": {"fg": "green"},
    "bad": {"fg": "red"},
    "waits": {"fg": "yellow"},
    "number": {"dim": True},
    "struck": {"strikethrough": True, "dim": True},
    "error": {"fg": "red", "bold": True},
    "hint": {"fg": "cyan"},
    "title": {"bold": True},
}
"""What a colour means; the words say the same without it."""


def coloured(text: str, meaning: str) -> str:
    """Return text in the colour of its meaning."""
    return click.style(text, **COLOURS[meaning])


def say(text: str) -> None:
    """Write a line of data."""
    click.echo(text)


def talk(text: str) -> None:
    """Write a line that is no data."""
    click.echo(text, err=True)


def error(failed: "LedgerError") -> None:
    """Say what went wrong, and what to type next."""
    talk(f"{coloured('Error', 'error')}: {failed.sentence}")
    if failed.hint:
        talk(f"{coloured('Hint', 'hint')}: {failed.hint}")


def as_json(rows: Iterable[Mapping[str, Any]]) -> None:
    """Write one JSON object a line."""
    from json import dumps  # only asked for

    for row in rows:
        say(dumps(row, ensure_ascii=False, sort_keys=True))


def entries_json(entries: Iterable["Entry"]) -> None:
    """Write entries, their words opened, each with its leaf."""
    as_json({**entry.body, "leaf": entry.leaf.hex()} for entry in entries)


def written(book: "Book", done: "Written", *, json: bool, verbose: bool) -> None:
    """Show what a command came to: the answer in one line, the working where it is wanted."""
    if json:
        entries_json(done.entries)
        if done.pool is not None:
            costs = [{"who": each.who, **each.scores} for each in done.cost]
            as_json([{"pool": list(done.pool.sides), "cost": costs}])
    elif done.pool is not None:
        say(f"This throws {done.pool}.")
        for each in done.cost:
            moved = ", ".join(f"{name} {amount:+d}".replace(" -", " −") for name, amount in each.scores.items())
            say(f"It costs {each.who} {moved}, whatever the dice show.")
    else:
        from projections.log import line  # a look at a sheet has no lines

        told = line(book, done.entries)
        say(headline(told))
        if verbose:
            for text in working(told):
                say(INDENT + text)
    if done.again:
        talk("This was written before, under the same id; nothing was written now.")
    if done.dry:
        talk("A dry run: nothing was written.")


def headline(told: "Line") -> str:
    """Return an action in one line."""
    mark, meaning = _mark(told)
    who = f"{told.who} " if told.who else ""
    text = f"{who}{told.says}"
    if told.struck:
        text = coloured(text, "struck")
    parts = [f"{coloured(f'#{told.seq}', 'number')}{' ' * max(1, 5 - len(str(told.seq)))}{text}"]
    if told.verdict:
        parts.append(coloured(f"{mark} {told.verdict}", meaning) if mark else told.verdict)
    if told.waits:
        parts.append(coloured(f"{WAITS} waits for a choice", "waits"))
    if told.answered:
        parts.append(f"answered by #{told.answered}")
    if told.dice:
        parts.append(f" [{told.dice}]")
    if told.moved:
        parts.append(" " + ", ".join(_moved(told, each) for each in told.moved))
    if told.struck:
        parts.append(f" (struck by #{told.struck})")
    return "  ".join(parts)


def working(told: "Line") -> list[str]:
    """Return the working of an action, line by line."""
    from projections.log import counting

    found = [each for entry in told.entries for each in counting(entry)]
    width = max((len(name) for name, _ in found), default=0)
    return [f"{name:<{width}}  {text}" for name, text in found]


def _mark(told: "Line") -> tuple[str, str]:
    if told.good is None:
        return "", "number"
    return (GOOD, "good") if told.good else (BAD, "bad")


def _moved(told: "Line", moved: Any) -> str:
    who = "" if moved.who == told.who else f"{moved.who} "
    return f"{who}{moved.score} {_number(moved.before)} → {_number(moved.after)}"


def _number(number: int) -> str:
    return str(number).replace("-", "−")


def entry_page(book: "Book", told: "Line", names: Mapping[str, str]) -> None:
    """Show an action whole: the line, the working, what was said, and every entry with its leaf."""
    say(headline(told))
    for text in working(told):
        say(INDENT + text)
    for entry in told.entries:
        for name, held in _said(entry):
            say(f"{INDENT}{name}: {held}")
        if entry.type == "dice-thrown":
            say(f"{INDENT}thrown by {'hand' if entry.body['source'] == 'typed' else 'the machine'}")
        for place, die in enumerate(entry.body.get("dice", []), start=1):
            if die.get("dropped"):
                say(f"{INDENT}die {place} of {len(entry.body['dice'])}, a {die['face']}, is dropped: {die['dropped']}")
    say(f"{INDENT}by {names.get(told.by, told.by)} ({told.by}), {told.at.replace('T', ' ').replace('Z', ' UTC')}")
    for entry in told.entries:
        cause = f", follows from #{entry.cause}" if entry.cause else ""
        say(f"{INDENT}entry #{entry.seq} {entry.type}{cause}, leaf {entry.leaf.hex()}")


def _said(entry: "Entry") -> list[tuple[str, str]]:
    inputs = entry.body.get("inputs", {})
    found = [(name, _value(held)) for name, held in inputs.items() if held not in (None, False, [], "", 0)]
    facts = [(name, _value(held)) for name, held in entry.body.get("facts", {}).items()]
    return [(name, text) for name, text in found if name != "who"] + [
        (f"{entry.type} {name}", text) for name, text in facts
    ]


def _value(held: Any) -> str:
    if isinstance(held, dict):
        return "kept secret by the GM"
    if held is True:
        return "yes"
    if isinstance(held, list):
        return ", ".join(map(_value, held))
    return str(held)


def sheets(found: Sequence["Sheet"]) -> None:
    """Show sheets, one under the other."""
    for place, sheet in enumerate(found):
        if place:
            say("")
        say(coloured(f"{sheet.who} · {sheet.system}", "title"))
        width = max((len(name) for name, *_ in (*((s.name,) for s in sheet.scores), *sheet.marks)), default=0)
        for score in sheet.scores:
            most = "" if score.most is None else f" of {score.most}"
            say(f"  {score.name:<{width}}  {score.value}{most}")
        for name, value in sheet.marks:
            say(f"  {name:<{width}}  {_value(value)}")
        if sheet.hold:
            say(coloured(f"  waits for the answer to #{sheet.hold}", "waits"))


def sheets_json(found: Sequence["Sheet"]) -> None:
    """Write sheets, one JSON object a line."""
    as_json(
        {
            "who": sheet.who,
            "system": sheet.system,
            "scores": {score.name: score.value for score in sheet.scores},
            "marks": dict(sheet.marks),
            "hold": sheet.hold,
        }
        for sheet in found
    )


def register(who: str, score: str, rows: Sequence["Posted"]) -> None:
    """Show the register of a score."""
    say(coloured(f"{who} · {score}", "title"))
    numbers = max((len(str(row.seq)) for row in rows), default=1)
    amounts = max((len(f"{row.amount:+d}") for row in rows), default=1)
    balances = max((len(str(row.balance)) for row in rows), default=1)
    for row in rows:
        amount = f"{row.amount:+d}".replace("-", "−")
        since = "" if row.since == row.seq else f", counts since #{row.since}"
        number = coloured(f"#{row.seq:<{numbers}}", "number")
        say(f"  {number}  {amount:>{amounts}}  {row.balance:>{balances}}  {row.says}{since}")


def questions(found: Sequence[tuple["Waiting", str]]) -> None:
    """Show what waits, each with the words that settle it."""
    for each, answer in found:
        dice = " ".join(map(str, each.dice))
        say(f"{coloured(f'#{each.seq}', 'waits')} {each.who} {each.system} {each.move} [{dice}] waits for a choice.")
        say(f"{INDENT}{answer}")
    if not found:
        talk("Nothing waits for anybody.")


def paged(text: Sequence[str]) -> None:
    """Show lines, in a pager where they are more than a terminal holds."""
    if sys.stdout is not None and sys.stdout.isatty() and len(text) >= get_terminal_size().lines:
        environ.setdefault("LESS", "FRX")
        click.echo_via_pager("\n".join(text))
    else:
        for line in text:
            say(line)


def settings(found: "System", in_force: Mapping[str, Any]) -> None:
    """Show the settings of a game, with what each means."""
    if not found.settings:
        say(f"{found.name} has no settings.")
    for setting in found.settings:
        say(f"{found.name} {setting.name} = {plainly(in_force[setting.name])}")
        say(f"{INDENT}{setting.says}")


def system(found: "System") -> None:
    """Show a game: what stands on its sheet, what may be decided, what can be played and tried."""
    say(coloured(f"{found.title} ({found.edition})", "title"))
    play = found.play()
    sections = {
        "Scores": [(score.name, score.says) for score in found.scores],
        "Marks": [(mark.name, mark.says) for mark in found.marks],
        "Settings": [(setting.name, setting.says) for setting in found.settings],
        "Moves": [(move.name(), (move.__doc__ or "").splitlines()[0]) for move in play.moves],
        "Rules": [(rule.name, ", ".join(rule.ids)) for rule in play.rules],
    }
    for title, rows in sections.items():
        if rows:
            say(f"{title}:")
            width = max(len(name) for name, _ in rows)
            for name, text in rows:
                say(f"  {name:<{width}}  {text}")


def system_facts(found: "System") -> dict[str, Any]:
    """Return a game as JSON has it."""
    play = found.play()
    return {
        "name": found.name,
        "edition": found.edition,
        "title": found.title,
        "scores": [score.name for score in found.scores],
        "marks": [mark.name for mark in found.marks],
        "settings": [setting.name for setting in found.settings],
        "moves": [move.name() for move in play.moves],
        "rules": [rule.name for rule in play.rules],
        "consequences": [kind.name for kind in play.kinds],
    }


def plainly(held: Any) -> str:
    """Return a value as it is read: lists with commas, yes and no, none as a dash."""
    if held is None:
        return "–"
    if isinstance(held, bool):
        return "yes" if held else "no"
    if isinstance(held, list | tuple):
        return ", ".join(map(plainly, held))
    return str(held).replace("-", "−") if isinstance(held, int) else str(held)


def whole(found: "Whole") -> None:
    """Say what was found whole, and what that does not prove."""
    say(
        f"The journal is whole: {found.entries} entries without gaps, each in canonical form and matching its leaf;"
        f" {found.postings} postings and {found.marks} marks as the entries say; {found.words} words as committed to."
    )
    say("This shows that the file agrees with itself, not that nobody wrote it anew.")


class Progress:
    """A bar on standard error for what takes more than a second on a terminal; else nothing."""

    def __init__(self, total: int) -> None:
        from time import monotonic  # kept beside its only use

        self._now = monotonic
        self._began = monotonic()
        self._bar: Any = None
        self._total = total

    def update(self, count: int) -> None:
        """Note that so many more are done."""
        if self._bar is None and sys.stderr.isatty() and self._now() - self._began > 1:
            self._bar = click.progressbar(length=self._total, file=sys.stderr)
            self._bar.__enter__()
        if self._bar is not None:
            self._bar.update(count)

    def done(self) -> None:
        """End the line."""
        if self._bar is not None:
            self._bar.__exit__(None, None, None)


def progress(total: int) -> Progress:
    """Return a bar for so many."""
    return Progress(total)
