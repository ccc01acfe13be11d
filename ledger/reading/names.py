"""Names: a lookup of characters, players, scores and marks by typed words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import ne
from shlex import quote
from typing import TYPE_CHECKING

from ledger.errors import AmbiguousName, Nobody, Refused, UnknownName, join_sorted, quoted
from ledger.hints import Flag, Run
from ledger.reading.repeated import named_players
from ledger.reading.typed_values import ALL, LAST, MAXIMUM_NAME, by_unique_name, whole_number
from ledger.values import Field

if TYPE_CHECKING:
    from ledger.journal.accounts import AsOf
    from ledger.journal.book import Book
    from ledger.rules.system import System

MOST_SUGGESTED_NAMES = 5
"""The maximum number of names to suggest for an unknown score or character."""

LEAST_LETTERS_FOR_TYPO = 5
"""The minimum number of letters in a name that may be a typo of another name."""


class Names:
    """A lookup of typed names in one campaign. It accepts an exact name or a unique prefix, and never guesses."""

    def __init__(self, book: Book, *, new: bool = False, when: AsOf | None = None) -> None:
        self.book = book
        self.when = when  # the point at which to look names up; None: now
        self.new = new  # new names are intended, even if they look like typos
        self.left: Collection[str] = ()  # characters that left, but may be named here
        self._erased: dict[str, str] = {}  # handles of players, by their names that were erased since

    def decide_meaning(self, typed: str, names: Sequence[str]) -> str:
        """Decide which of several names a typed prefix means.

        By default, raise `AmbiguousName`. A front end may override this method and ask the user.
        """
        raise AmbiguousName(typed, names)

    def pick(self, typed: str, names: Iterable[str]) -> str | None:
        """Return the name that was typed exactly or as a unique prefix, None if there isn't one."""
        known = sorted(names)
        if typed in known:
            return typed
        matches = [name for name in known if typed and name.startswith(typed)]
        if len(matches) > 1:
            return self.decide_meaning(typed, matches)
        return matches[0] if matches else None

    @property
    def point(self) -> AsOf:
        """Return the point at which to look names up. Default: now."""
        from ledger.journal.accounts import NOW  # help needs no accounts

        return NOW if self.when is None else self.when

    def cast(self) -> list[str]:
        """Return the characters that play at `point`."""
        return self.book.cast(self.point)

    def plays(self, name: str) -> bool:
        """Return True if a character with exactly this name plays at `point`."""
        return self.book.plays(name) if self.when is None else self.book.plays(name, self.when)

    def character(self, typed: str) -> str:
        """Find a character. Raise `Nobody` for an unknown name, `Refused` if the character joined after `point`."""
        if self.plays(typed):
            return typed
        from ledger.rules.spelling import folded  # most names are typed in full

        name, cast = folded(typed).removeprefix("@"), self.cast()
        handle = self._character_named(typed, cast) or self._character_named(typed, self.left)
        if handle is None:
            if self.when and (who := self._character_named(typed, self.book.cast())) is not None:
                from ledger.events.subjects import CAST, PLAYER  # help needs no events

                seats = [mark for mark in ((CAST, who), (who, PLAYER)) if self.book.mark(*mark) is not None]
                joined = min(self.book.accounts.first_entry_with_value(*mark) for mark in seats)
                raise Refused(f"{who} joined later, at #{joined}.")
            if typed == ALL:
                raise Refused(
                    "This command does not work for all characters at once.", f"The cast is: {join_sorted(cast)}."
                )
            hint = f"The cast is: {join_sorted(cast)}." if cast else f"Add one: {Run('player', 'NAME', plays='WHO')}."
            near = [who for who in cast if any(name and part.startswith(name) for part in who.split("-")[1:])]
            from ledger.reading.similar import parts_of_names, similar_names  # only a wrong name needs it

            near = [*(near or similar_names(parts_of_names(cast), name))][:MOST_SUGGESTED_NAMES]
            hint = f"Did you mean {' or '.join(near)}?" if near else hint
            for player, called in self.book.players().items():
                if folded(called) == name and (own := self.book.characters_of(player)):
                    hint = f"{called} is a player, and plays {' and '.join(own)}."
            left = (who for who in self.book.characters_who_left() if name in {who, folded(self.book.name_of(who))})
            if former := next(left, None):
                hint = f"{former} left the table. To bring {former} back: {Run('join', former)}"
            elif name.isprintable():  # a lone surrogate cannot be looked up
                from ledger.commands.sheet import how_to_bring_back

                hint = how_to_bring_back(self.book, name, has_sheet=bool(self.book.systems(name))) or hint
            raise Nobody(quoted(typed), "character", hint)
        return handle

    def named_in_full(self, typed: str) -> str | None:
        """Return the character with this short name or full name, `None` if there isn't one.

        The text is compared with full names only if it has several words. Ignore capitals.
        """
        if self.plays(typed):
            return typed
        from ledger.rules.spelling import folded  # most names are typed in full

        name = folded(typed)
        full = self.book.full_names(self.point).items() if " " in typed else ()
        who = next((who for who, text in full if folded(text) == name), None)
        who = who or self.book.short_names(self.point).get(name, name)
        return who if self.plays(who) else None

    def starting_with(self, typed: str) -> list[str]:
        """Return the characters whose short name starts with the typed text.

        If the text has several words, it may also be the start of a full name.
        """
        start = typed.lower()
        full = self.book.full_names(self.point) if " " in start else {}
        fits = (who for who in self.cast() if who.startswith(start) or full.get(who, "").lower().startswith(start))
        return [*fits] if start else []

    def _character_named(self, typed: str, cast: Collection[str]) -> str | None:
        """Return the character in `cast` whose name was typed: a short name, a full name, or the start of one."""
        from ledger.rules.spelling import folded, normalized

        name = folded(typed.removeprefix("@"))
        if name in cast:
            return name
        full = [(text, who) for who, text in self.book.full_names(self.point).items() if who in cast]
        further = [(short, who) for short, who in self.book.short_names(self.point).items() if who in cast]
        names = [(folded(text), who) for text, who in [*further, *full]]
        for matches in (
            {who for text, who in [*further, *full] if normalized(text) == normalized(typed)},
            {who for text, who in names if text == name},
            {who for text, who in [*names, *((who, who) for who in cast)] if name and text.startswith(name)},
        ):
            if matches:
                return matches.pop() if len(matches) == 1 else self.decide_meaning(typed, sorted(matches))
        return None

    def anybody(self, typed: str) -> str:
        """Return the character or the player with this name. The character may have left.

        `@` before the name means the character. Raise `Refused` if the name fits both a character and a player.
        """
        from ledger.events.subjects import CAST
        from ledger.rules.spelling import folded

        self.left = self.book.accounts.mark_names(CAST)
        players = self.book.players(self.point)
        seat = next((seat for seat, name in players.items() if typed == seat or folded(typed) == folded(name)), None)
        if seat is None:
            try:
                return self.character(typed)
            except Nobody as nobody:
                nobody.hint = _both_hints(nobody, self._no_player(typed, players))
                raise
        full = (name for who, name in self.book.full_names(self.point).items() if who not in players)
        names = map(folded, [*self.left, *self.cast(), *self.book.short_names(self.point), *full])
        if folded(typed) in names and typed not in players:
            hint = f"For the player, type {seat}. For the character, type @{self.character(typed)}."
            raise Refused(f"{quoted(typed)} is the name of a player and of a character.", hint)
        return seat

    def player(self, typed: str, *, writes: bool = False, also_left: bool = False) -> str:
        """Return the handle of the player whom a typed word names, or raise `Nobody`.

        Set `writes` if the word names the author of the command. With `also_left`, the word may also name a player
        who left the table.
        """
        names = {**(self.book.former_players(self.point) if also_left else {}), **self.book.players(self.point)}
        if typed in names:
            return typed
        by_name = {name.casefold(): handle for handle, name in names.items()}
        if typed.casefold() in by_name:
            return by_name[typed.casefold()]
        if self.book.current is not self.book:
            return self._seat_for_repeat(typed, by_name, writes=writes)
        from ledger.rules.spelling import folded, normalized

        start = folded(typed)
        found = (
            [name for name in by_name if normalized(name) == normalized(typed)],
            [name for name in by_name if folded(name) == start],
            [name for name in by_name if start and folded(name).startswith(start)],
        )
        matches = next(filter(None, found), None)
        if matches is None:
            raise self._no_player(typed, names)
        return by_name[matches[0] if len(matches) == 1 else self.decide_meaning(typed, sorted(matches))]

    def _seat_for_repeat(self, typed: str, earlier: Mapping[str, str], *, writes: bool) -> str:
        """Return the handle of the player whom a typed word means in a repeated command, or raise `Nobody`.

        `earlier` has the players' handles by name, from just before the command was first sent. The caller has already
        found that the word is none of these names. It may be the start of one of them, a name that a player got
        later, or a name that was erased. For `writes`, see `player`.
        """
        seats = named_players(self.book, writes=writes)
        # an erased name cannot be compared, so the word may mean any of these players
        erased = [seat for seat in seats if earlier.get(seat) == seat and seat not in self._erased.values()]
        seat = self._erased.get(typed) or next(iter(erased), None)
        now = self.book.current.players()
        new = {name.casefold(): handle for handle, name in now.items() if name.casefold() not in earlier}
        for players in ({name: handle for name, handle in earlier.items() if seat is None or handle in seats}, new):
            match = self.pick(typed.casefold(), players)
            if match is not None:
                return players[match]
        if seat is None:
            raise self._no_player(typed, now)
        return self._erased.setdefault(typed, seat)

    def _no_player(self, typed: str, names: Mapping[str, str]) -> Nobody:
        left = (name for name in self.book.former_players(self.point).values() if name.casefold() == typed.casefold())
        hint = f"Players at the table: {join_sorted(names.values())}."
        if (former := next(left, None)) is not None:
            hint = f"{former} left the table. To bring {former} back: {Run('player', quote(former))}"
        return Nobody(quoted(typed), "player", hint)

    def gm(self) -> str:
        """Return the handle of the first GM, `p1` if there is no GM."""
        return next((handle for handle in self.book.players() if self.book.mark(handle, "gm")), "p1")

    def is_gm(self, seat: str) -> bool:
        """Return True if the player with this handle is a GM."""
        return seat == self.gm() or bool(self.book.mark(seat, "gm"))

    def roller(self, typed: str) -> str:
        """Return the character or the player who rolls the dice. If both have the name, return the character."""
        try:
            return self.character(typed)
        except Nobody as nobody:
            try:
                return self.player(typed)
            except Nobody as no_player:
                nobody.hint = _both_hints(nobody, no_player)
            raise

    def score(self, who: str, typed: str) -> str:
        """Return the full name of a character's score, like `edge/edge`. The name of the game may be left out."""
        from ledger import systems
        from ledger.rules.spelling import number_name

        typed = number_name(typed)
        games = [systems.find(name) for name in self.book.systems(who) if systems.is_installed(name)]
        scores = self.known_scores(who)
        words = [(game, short) for game in games for short in (typed, typed.removeprefix(f"{game.name}/"))]
        declared = [(f"{game.name}/{word}", score) for game, word in words if (score := game.score(word))]
        exact = [full for full, score in declared if not score.is_open] or [full for full in scores if full == typed]
        if not exact:
            short_names = {full.partition("/")[2] for full in scores}
            limits = {MAXIMUM_NAME.format(name) for name in short_names}  # the maximum of a known number is no typo
            new = [full for full, _ in declared if (self.new or typed in limits) and typed not in short_names]
            short_names -= set() if "." in typed else limits
            short = None if new else self.pick(typed, short_names)
            exact = new or [full for full in scores if full.partition("/")[2] == short]
        matches = self._narrow_to_sheet(who, sorted(set(exact)))
        if len(matches) > 1:
            raise AmbiguousName(typed, matches)
        if not matches:
            raise self._no_score(who, typed, games, scores)
        return matches[0]

    def _no_score(self, who: str, typed: str, games: Sequence[System], scores: Sequence[str]) -> UnknownName:
        if not games:
            hint = f"Make a sheet with {Run('join', who, 'GAME', 'SCORE=N…')}."
            return UnknownName(f"{who} has no sheet, and no score called {quoted(typed)}.", hint)
        from difflib import get_close_matches  # only a wrong name needs it

        from ledger.commands.sheet import check_common_letters

        check_common_letters(typed)
        names = {full.partition("/")[2] for full in scores}
        swapped = sorted(name for name in names if sorted(name) == sorted(typed))  # "ph" for hp
        # for "physical": damage.physical and malice.physical
        begun = sorted(name for name in names if typed and name.rpartition(".")[2].startswith(typed))
        near = [*swapped, *begun][:MOST_SUGGESTED_NAMES] or get_close_matches(typed, names, n=1)
        hints = [f"Did you mean {' or '.join(near)}?"] if near else []
        hints += [f"{who} has: {join_sorted(names)}."] if names else []
        open_to = open_games([typed])
        if any(game.name in open_to for game in games):
            hints.append(f"To add a new score: {Run('adjust', who, f'{typed}=N', new=True)}")
        elif rules := next((score.says for game in games for score in game.scores if score.is_open), None):
            hints.append(f"A new score can have {rules}.")
        elif open_to and not near:
            hints.append(f"To add a new score: {Run('join', who, open_to[0], f'{typed}=N')}")
        return UnknownName(f"{who} has no score called {quoted(typed)}.", " ".join(hints))

    def _narrow_to_sheet(self, who: str, matches: list[str]) -> list[str]:
        """Return the matches that are on the sheet of `who`.

        If no match is on the sheet, return the matches that resemble a name there. If no match does, return all.
        """
        on_sheet = [*self.book.accounts.scores(who), *self.book.accounts.mark_names(who)] if len(matches) > 1 else []
        known = {_game_and_word(full) for full in on_sheet if "." in full}
        listed = [full for full in matches if full in on_sheet]
        return listed or [full for full in matches if _game_and_word(full) in known] or matches

    def posted_score(self, who: str, typed: str) -> str:
        """Return the full name of a score that has postings. Raise `UnknownName` if there is none."""
        from ledger.rules.spelling import number_name

        typed = number_name(typed)
        posted_scores = self.book.accounts.scores(who)
        exact = [full for full in posted_scores if "/" in full and full.partition("/")[2] == typed]
        full = exact[0] if len(exact) == 1 else self.score(who, typed)
        if full in posted_scores:
            return full
        short_names = {name.partition("/")[2] for name in self.known_scores(who) if name in posted_scores}
        short = self.pick(typed, short_names)
        if short is None:
            raise UnknownName(f"{who} never had {full.partition('/')[2]}.", f"{who} has: {join_sorted(short_names)}.")
        return self.score(who, short)

    def known_scores(self, who: str) -> list[str]:
        """List the full names of the scores on a character's sheet, and of all scores that a game declares by name."""
        from ledger import systems

        games = (systems.installed(name) for name in self.book.systems(who))
        declared = {
            f"{game.name}/{score.name}" for game in games if game for score in game.scores if not score.is_pattern
        }
        posted = (full for full in self.book.accounts.scores(who) if "/" in full and full not in declared)
        return sorted({*declared, *(full for full in posted if self.book.has_score(who, full))})

    def known_names(self, who: str, field: Field) -> list[str]:
        """Return the full names that an input accepts from the sheet of `who`: scores, or marks such as weapons.

        If the value of a mark is a list of names, such as a skill's specializations, return the listed names instead
        of the mark's name.
        """
        from ledger.rules.inputs import sheet_tag  # help needs no rules

        if sheet_tag(field).name != "mark":
            return self.known_scores(who)
        names: set[str] = set()
        for full in self.book.accounts.mark_names(who):
            value = self.book.mark(who, full)
            listed = value if isinstance(value, list) else [] if value is None else [full.rpartition(".")[2]]
            names |= {f"{full.rpartition('.')[0]}.{name}" for name in listed}
        return sorted(names)

    def subject(self, typed: str) -> str:
        """Return the character with this name, or `CAMPAIGN` unchanged."""
        from ledger.events.subjects import CAMPAIGN

        return typed if typed == CAMPAIGN else self.character(typed)

    def entry(self, typed: str) -> int:
        """Return the number of an entry, typed with or without `#`. Raise `Refused` if there is no such entry.

        `last` means the main entry of the last action, which the log shows.
        """
        if typed == LAST:
            from ledger.events.entry import lead_of  # rarely needed: most entries are typed as numbers

            return lead_of(self.book.action(self.book.journal.entry(self.book.head()).act)).seq
        return self.book.journal.entry(whole_number(typed.removeprefix("#"))).seq

    def scores(self, who: str, parsed: Mapping[str, int]) -> dict[str, int]:
        """Return parsed numbers by full score name. Raise `Twice` for a score typed twice, `Refused` for a typo."""
        scores = by_unique_name((self.score(who, name), value) for name, value in parsed.items())
        known = self.known_scores(who)
        for full in scores:
            self.check_new(who, full, known)
        return scores

    def check_new(self, who: str, name: str, existing: Iterable[str]) -> None:
        """Raise `Refused` for a probable typo: a new name that is similar to a name in `existing`.

        Only names of one family are compared, such as skills. If `self.new` is True, every name is accepted.
        """
        family, _, own = name.rpartition(".")
        near = (other for other in sorted(existing) if other.rpartition(".")[0] == family and _is_typo_of(own, other))
        similar = next(near, None) if family and not self.new and name not in existing else None
        if similar is not None:
            from ledger.events.subjects import CAMPAIGN

            hint, similar = (
                f"Correct the name, or add {Flag('new')} if you mean {own}.",
                similar.rpartition("/")[2],
            )
            raise Refused(f"{'The table' if who == CAMPAIGN else who} has {similar}, so {own} looks like a typo.", hint)

    def marks(self, who: str, typed: Mapping[str, str]) -> dict[str, str]:
        """Return the typed values by full mark name. Raise `Twice` for a repeated mark, `Refused` for a typo."""
        from ledger.rules.spelling import number_name

        values = by_unique_name((self._mark(who, number_name(name)), value) for name, value in typed.items())
        for full, value in values.items():
            self._check_scores_in(who, full, value)
        return values

    def _check_scores_in(self, who: str, full: str, value: str) -> None:
        from ledger import systems

        game, _, short = full.partition("/")
        declared = systems.find(game).mark(short)
        if declared is not None and declared.of:
            known = self.known_scores(who)
            for name in value.split(","):
                self.check_new(who, f"{game}/{declared.of}.{name}", known)

    def _check_not_number(self, who: str, typed: str, games: Sequence[System]) -> None:
        """Raise `Refused` if `typed` names a score and no mark. The hint says how to change the score of `who`."""
        score = next((f"{game.name}/{typed}" for game in games if game.score(typed)), None)
        if score is not None:
            known = score in self.known_scores(who)
            change, add = Run("adjust", who, f"{typed}=N"), Run("adjust", who, f"{typed}=N", new=True)
            raise Refused(f"{quoted(typed)} is a number.", f"To change it: {change if known else add}")

    def _mark(self, who: str, typed: str) -> str:
        from ledger import systems

        games = [systems.find(name) for name in self.book.systems(who) if systems.is_installed(name)]
        marked = (full for game in games for full in self.book.accounts.mark_names(who, f"{game.name}/"))
        marks = (full for full in marked if not full.endswith("/sheet"))  # that mark only says that the sheet exists
        existing = [full for full in marks if self.book.mark(who, full) is not None]
        fixed = (f"{game.name}/{mark.name}" for game in games for mark in game.marks if not mark.is_pattern)
        names = [*fixed, *existing]
        if typed in names:
            return typed
        words = ((game, typed.removeprefix(f"{game.name}/")) for game in games)
        declared = [(f"{game.name}/{word}", mark) for game, word in words if (mark := game.mark(word))]
        matches = [full for full, mark in declared if not mark.is_open]
        short = None if matches or self.new else self.pick(typed, {full.partition("/")[2] for full in names})
        matches = matches or sorted({full for full in names if full.partition("/")[2] == short})
        matches = matches or [full for full, _ in declared]
        if not matches:
            self._check_not_number(who, typed, games)
            known = ", ".join(full.partition("/")[2] for full in dict.fromkeys(names))
            hint = f"{who} has: {known}." if games else f"Make a sheet with {Run('join', who, 'GAME', 'SCORE=N…')}."
            raise UnknownName(
                f"{who} has no {'value' if games else 'sheet, and no value'} called {quoted(typed)}.", hint
            )
        if len(matches := self._narrow_to_sheet(who, matches)) > 1:
            raise AmbiguousName(typed, matches)
        self.check_new(who, matches[0], existing)
        return matches[0]


def _both_hints(one: Nobody, other: Nobody) -> str:
    """Return the hints of both errors, or only the first hint if it ends with a command."""
    return f"{one.hint} {other.hint}" if one.hint.endswith(".") else one.hint


def _is_typo_of(name: str, other: str) -> bool:
    """Return True if two long names differ only in one letter or in two swapped letters. Digits are ignored."""
    letters = (re.sub("[0-9]", "", text) for text in (name, other.rpartition(".")[2]))
    short, long = sorted(letters, key=len)
    if short == long or len(short) < LEAST_LETTERS_FOR_TYPO:
        return False
    swapped = [long[:place] + long[place + 1] + long[place] + long[place + 2 :] for place in range(len(long) - 1)]
    left_out = [long[:place] + long[place + 1 :] for place in range(len(long))]
    changed = len(short) == len(long) and sum(map(ne, short, long)) == 1
    return short in swapped or short in left_out or changed


def _game_and_word(full: str) -> tuple[str, str]:
    return full.partition("/")[0], full.rpartition(".")[2]


def open_games(typed: Iterable[str]) -> list[str]:
    """Return the games in which a group may invent scores with all of these names."""
    from ledger import systems  # rarely needed

    scores = {name: [systems.find(name).score(word) for word in typed] for name in systems.names()}
    return [name for name, declarations in scores.items() if all(score and score.is_open for score in declarations)]


def game_named(typed: str) -> str:
    """Complete a game's name from its start.

    Return the word unchanged if it is a game's name, or if it is not the start of exactly one name.
    """
    from ledger import systems

    if not typed or systems.is_installed(typed):
        return typed
    matches = [name for name in systems.names() if name.startswith(typed)]
    return matches[0] if len(matches) == 1 else typed
