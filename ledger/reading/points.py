"""Names: whom and what the words at the keyboard mean, and the values beside them."""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from ledger.errors import AmbiguousName, BadInput, Refused, UnknownName, shortened, sorted_names
from ledger.values import BIGGEST

if TYPE_CHECKING:
    from ledger.journal.accounts import When
    from ledger.journal.book import Book
    from ledger.rules.system import System

WHOLE = re.compile(r"[+-]?[0-9]{1,16}")


def pick(typed: str, names: Iterable[str]) -> str | None:
    """Return the name that was typed, exactly or by a unique prefix, None where there is none.

    Several names are a question on a terminal, and else an error (`AmbiguousName`); never a guess.
    """
    there = sorted(names)
    if typed in there:
        return typed
    found = [name for name in there if typed and name.startswith(typed)]
    if len(found) > 1:
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise AmbiguousName(typed, found)
        answer: str = click.prompt(f"Which one is {typed!r}", type=click.Choice(found), err=True)
        return answer
    return found[0] if found else None


def character(book: "Book", typed: str) -> str:
    """Return the character of this name."""

    cast = book.cast()
    found = pick(typed.lower(), cast)
    if found is None:
        hint = f"The cast is: {sorted_names(cast)}." if cast else "Let one join: campaign join WHO SYSTEM SCORE=N…"
        raise UnknownName(f"Nobody called {shortened(typed)} plays in this campaign.", hint)
    return found


def player(book: "Book", typed: str) -> str:
    """Return the handle of the player of this name."""

    names = book.players()
    if typed in names:
        return typed
    folded = {name.casefold(): handle for handle, name in names.items()}
    found = pick(typed.casefold(), folded)
    if found is None:
        raise UnknownName(
            f"Nobody called {shortened(typed)} sits at this table.",
            f"At the table: {sorted_names(names.values())}.",
        )
    return folded[found]


def gm(book: "Book") -> str:
    """Return the handle of the GM: whoever was seated first as one."""
    return next((handle for handle in book.players() if book.mark(handle, "gm")), "p1")


def score(book: "Book", who: str, typed: str) -> str:
    """Return the full name of a score of a character, as `edge/edge`; the system may be left out."""
    from ledger import systems

    games = [systems.find(name) for name in book.systems(who) if systems.known(name)]
    known = known_scores(book, who)
    declared = [f"{game.name}/{short}" for game in games for short in (typed, typed.removeprefix(f"{game.name}/"))]
    exact = [full for full in declared if _declares(games, full)] or [full for full in known if full == typed]
    if not exact:
        short = pick(typed, {full.partition("/")[2] for full in known})
        exact = [full for full in known if full.partition("/")[2] == short]
    found = sorted(set(exact))
    if len(found) > 1:
        raise AmbiguousName(typed, found)
    if not found:
        names = {full.partition("/")[2] for full in known}
        raise UnknownName(f"{who} has no score called {shortened(typed)}.", f"There is: {sorted_names(names)}.")
    return found[0]


def _declares(games: "Sequence[System]", full: str) -> bool:
    name, _, short = full.partition("/")
    return any(game.name == name and game.score(short) is not None for game in games)


def known_scores(book: "Book", who: str) -> list[str]:
    """Return the full names of the scores of a character: declared by name, or on the sheet."""
    from ledger import systems

    games = (systems.installed(name) for name in book.systems(who))
    declared = [f"{game.name}/{each.name}" for game in games if game for each in game.scores if not each.pattern]
    return sorted({*declared, *(full for full in book.accounts.scores(who) if "/" in full)})


def roller(book: "Book", typed: str) -> str:
    """Return who throws dice: a character, or a player."""
    try:
        return character(book, typed)
    except UnknownName:
        names = {*book.players(), *(name.casefold() for name in book.players().values())}
        if typed.casefold() not in names:
            raise
        return player(book, typed)


def amounts(book: "Book", who: str, typed: Mapping[str, str]) -> dict[str, int]:
    """Return scores with what they move by, under their full names."""
    signed(typed)
    return _each_once((score(book, who, name), whole(value)) for name, value in typed.items())


def numbers(book: "Book", who: str, typed: Mapping[str, str]) -> dict[str, int]:
    """Return scores with numbers, under their full names."""
    return _each_once((score(book, who, name), whole(value)) for name, value in typed.items())


def marks(book: "Book", who: str, typed: Mapping[str, str]) -> dict[str, str]:
    """Return marks with values as typed, under their full names."""
    return {_mark(book, who, name): value for name, value in typed.items()}


def _each_once(named: Iterable[tuple[str, int]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for full, value in named:
        if full in found:
            raise BadInput(f"{full} is said twice.")
        found[full] = value
    return found


def _mark(book: "Book", who: str, typed: str) -> str:
    from ledger import systems

    names = [
        f"{name}/{mark.name}" for name in book.systems(who) if systems.known(name) for mark in systems.find(name).marks
    ]
    if typed in names:
        return typed
    short = pick(typed, {full.partition("/")[2] for full in names})
    found = [full for full in names if full.partition("/")[2] == short]
    if not found:
        there = ", ".join(full.partition("/")[2] for full in names) or "none"
        raise UnknownName(f"{who} has no mark called {shortened(typed)}.", f"There is: {there}.")
    if len(found) > 1:
        raise BadInput(f"{short} could be any of {', '.join(found)}.")
    return found[0]


def entry(book: "Book", typed: str) -> int:
    """Return the number of an entry, typed with or without `#`; refuses one that was never written."""
    number = whole(typed.removeprefix("#"))
    return book.journal.entry(number).seq


def whole(typed: str) -> int:
    """Read a whole number as people write it; refuses (`BadInput`) all else, and what is beyond 2^53."""
    if not WHOLE.fullmatch(typed):
        too_big = re.fullmatch(r"[+-]?[0-9]+", typed)
        sentence = "is beyond the numbers that a campaign keeps" if too_big else "is not a whole number"
        raise BadInput(f"{shortened(typed)} {sentence}.")
    number = int(typed)
    if not -BIGGEST <= number <= BIGGEST:
        raise BadInput(f"{number} is beyond the numbers that a campaign keeps.")
    return number


def signed(typed: "Mapping[str, str]") -> None:
    """Refuse (`BadInput`) numbers that do not say which way something moves."""
    for name, value in typed.items():
        if whole(value) and not value.startswith(("+", "-")):
            raise BadInput(f"{name}={value} does not say which way.", f"Type {name}=+{value} or {name}=-{value}.")


def pairs(typed: Sequence[str], what: str) -> dict[str, str]:
    """Read NAME=VALUE words; refuses (`BadInput`) a word without `=`, and a name said twice."""
    found: dict[str, str] = {}
    for word in typed:
        name, equals, value = word.partition("=")
        if not (name and equals):
            raise BadInput(f"{shortened(word)} is not {what}.")
        if name in found:
            raise BadInput(f"{name} is said twice.")
        found[name] = value
    return found


def when(book: "Book", at: str | None, corrected: bool) -> "When":
    """Return the point that `--at` means; refuses one that was never reached."""
    from ledger.journal.accounts import NOW, When

    if at is None:
        return NOW.but(corrected=corrected)
    kind, colon, number = at.partition(":")
    if colon and kind == "day":
        return When(seq=_day(book, at, whole(number))[1], corrected=corrected)
    if colon and kind == "session":
        seq = _session(book, whole(number))
    elif re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", at):
        seq = book.journal.last_by(_end_of(at))
    elif WHOLE.fullmatch(at.removeprefix("#")):
        seq = whole(at.removeprefix("#"))
    else:
        raise BadInput(f"{at!r} is no point in a campaign.", "Say an entry, session:N, day:N or a date.")
    if not 1 <= seq <= book.journal.head():
        raise Refused(f"This campaign never reached {at}; its last entry is {book.journal.head()}.")
    return When(seq=book.journal.action(book.journal.entry(seq).act)[-1].seq, corrected=corrected)


def began(book: "Book", point: str) -> int:
    """Return the first entry of what a point means: of a session the one that opened it, else of its action."""
    kind, colon, number = point.partition(":")
    if colon and kind == "day":
        return _day(book, point, whole(number))[0]
    if colon and kind == "session":
        from projections.replay import session

        return session(book, whole(number))[0]
    return book.journal.entry(when(book, point, False).seq).act


def _session(book: "Book", number: int) -> int:
    found = book.accounts.given("campaign", "session", number)
    if found is None:
        return 0
    began, ended = found
    return ended or book.journal.head() if ended != began else began


def _day(book: "Book", point: str, number: int) -> tuple[int, int]:
    """Return the first and the last entry of a day, also of one in the middle of a skip."""
    rows = book.accounts.register("campaign", "day")
    last = max((place for place, row in enumerate(rows) if row.balance == number), default=None)
    if last is None:
        raise Refused(f"This campaign never reached {point}; it is day {rows[-1].balance if rows else 0}.")
    return rows[last].seq, rows[last + 1].seq - 1 if last + 1 < len(rows) else book.journal.head()


def _end_of(date: str) -> str:
    from datetime import UTC, datetime

    try:
        local = datetime.fromisoformat(f"{date}T23:59:59")
        return local.astimezone().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError):
        raise BadInput(f"{date} is no date.") from None
