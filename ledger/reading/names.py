"""Names: whom and what words mean, and the values beside them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ledger.errors import AmbiguousName, BadInput, Nobody, Twice, UnknownName, shortened, sorted_names
from ledger.values import BIGGEST

if TYPE_CHECKING:
    from ledger.journal.book import Book
    from ledger.rules.system import System

WHOLE = re.compile(r"[+-]?[0-9]{1,16}")


class Names:
    """Whom and what words mean in one campaign; an exact name, else a unique prefix, never a guess."""

    def __init__(self, book: "Book") -> None:
        self.book = book

    def which(self, typed: str, found: Sequence[str]) -> str:
        """Refuse (`AmbiguousName`) a word that several names begin with; an edge that can ask may answer instead."""
        raise AmbiguousName(typed, found)

    def pick(self, typed: str, names: Iterable[str]) -> str | None:
        """The name that was typed, exactly or by a unique prefix, None where there is none."""
        there = sorted(names)
        if typed in there:
            return typed
        found = [name for name in there if typed and name.startswith(typed)]
        if len(found) > 1:
            return self.which(typed, found)
        return found[0] if found else None

    def character(self, typed: str) -> str:
        """The character of this name."""
        cast = self.book.cast()
        found = self.pick(typed.lower(), cast)
        if found is None:
            hint = f"The cast is: {sorted_names(cast)}." if cast else "Let one join: campaign join WHO SYSTEM SCORE=N…"
            raise Nobody(shortened(typed), "character", hint)
        return found

    def player(self, typed: str) -> str:
        """The handle of the player of this name."""
        names = self.book.players()
        if typed in names:
            return typed
        folded = {name.casefold(): handle for handle, name in names.items()}
        found = self.pick(typed.casefold(), folded)
        if found is None:
            raise Nobody(shortened(typed), "player", f"At the table: {sorted_names(names.values())}.")
        return folded[found]

    def gm(self) -> str:
        """The handle of the GM: whoever was seated first as one."""
        return next((handle for handle in self.book.players() if self.book.mark(handle, "gm")), "p1")

    def roller(self, typed: str) -> str:
        """Who throws dice: a character, or a player."""
        try:
            return self.character(typed)
        except UnknownName:
            names = {*self.book.players(), *(name.casefold() for name in self.book.players().values())}
            if typed.casefold() not in names:
                raise
            return self.player(typed)

    def score(self, who: str, typed: str) -> str:
        """The full name of a score of a character, as `edge/edge`; the system may be left out."""
        from ledger import systems

        games = [systems.find(name) for name in self.book.systems(who) if systems.known(name)]
        known = self.known_scores(who)
        declared = [f"{game.name}/{short}" for game in games for short in (typed, typed.removeprefix(f"{game.name}/"))]
        exact = [full for full in declared if _declares(games, full)] or [full for full in known if full == typed]
        if not exact:
            short = self.pick(typed, {full.partition("/")[2] for full in known})
            exact = [full for full in known if full.partition("/")[2] == short]
        found = sorted(set(exact))
        if len(found) > 1:
            raise AmbiguousName(typed, found)
        if not found:
            names = {full.partition("/")[2] for full in known}
            raise UnknownName(f"{who} has no score called {shortened(typed)}.", f"There is: {sorted_names(names)}.")
        return found[0]

    def known_scores(self, who: str) -> list[str]:
        """The full names of the scores of a character: declared by name, or on the sheet."""
        from ledger import systems

        games = (systems.installed(name) for name in self.book.systems(who))
        declared = [f"{game.name}/{each.name}" for game in games if game for each in game.scores if not each.pattern]
        return sorted({*declared, *(full for full in self.book.accounts.scores(who) if "/" in full)})

    def entry(self, typed: str) -> int:
        """The number of an entry, typed with or without `#`; refuses (`Refused`) one that was never written."""
        return self.book.journal.entry(whole(typed.removeprefix("#"))).seq

    def scores(self, who: str, read: Mapping[str, int]) -> dict[str, int]:
        """Return scores with numbers that were read, under their full names."""
        return _each_once((self.score(who, name), value) for name, value in read.items())

    def numbers(self, who: str, typed: Mapping[str, str]) -> dict[str, int]:
        """Return scores with numbers, under their full names."""
        return _each_once((self.score(who, name), whole(value)) for name, value in typed.items())

    def marks(self, who: str, typed: Mapping[str, str]) -> dict[str, str]:
        """Return marks with values as typed, under their full names."""
        return {self._mark(who, name): value for name, value in typed.items()}

    def _mark(self, who: str, typed: str) -> str:
        from ledger import systems

        games = [systems.find(name) for name in self.book.systems(who) if systems.known(name)]
        names = [f"{game.name}/{mark.name}" for game in games for mark in game.marks]
        if typed in names:
            return typed
        short = self.pick(typed, {full.partition("/")[2] for full in names})
        found = [full for full in names if full.partition("/")[2] == short]
        if not found:
            there = ", ".join(full.partition("/")[2] for full in names) or "none"
            raise UnknownName(f"{who} has no mark called {shortened(typed)}.", f"There is: {there}.")
        if len(found) > 1:
            raise BadInput(f"{short} could be any of {', '.join(found)}.")
        return found[0]


def _declares(games: "Sequence[System]", full: str) -> bool:
    name, _, short = full.partition("/")
    return any(game.name == name and game.score(short) is not None for game in games)


def _each_once(named: Iterable[tuple[str, int]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for full, value in named:
        if full in found:
            raise Twice(full)
        found[full] = value
    return found


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


def whole_numbers(typed: "Mapping[str, str]") -> dict[str, int]:
    """Read whole numbers by name; refuses (`BadInput`) all else."""
    return {name: whole(value) for name, value in typed.items()}


def signed_numbers(typed: "Mapping[str, str]") -> dict[str, int]:
    """Read by how much scores move; refuses (`BadInput`) also a number that does not say which way."""
    read = whole_numbers(typed)
    for name, value in typed.items():
        if read[name] and not value.startswith(("+", "-")):
            raise BadInput(f"{name}={value} does not say which way.", f"Type {name}=+{value} or {name}=-{value}.")
    return read


def pairs(typed: Sequence[str], what: str) -> dict[str, str]:
    """Read NAME=VALUE words; refuses (`BadInput`) a word without `=`, and a name said twice."""
    found: dict[str, str] = {}
    for word in typed:
        name, equals, value = word.partition("=")
        if not (name and equals):
            raise BadInput(f"{shortened(word)} is not {what}.")
        if name in found:
            raise Twice(name)
        found[name] = value
    return found


def words(typed: Sequence[str]) -> tuple[str, ...]:
    """Return words that may stand with commas between them, or be given one by one; refuses an empty one."""
    found = tuple(word for each in typed for word in each.split(","))
    if "" in found:
        raise BadInput("A name in a list is empty.")
    return found
