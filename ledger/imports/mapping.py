"""Mapping files, in TOML: the user maps the people and characters in a log to those in this campaign."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import tzinfo
from difflib import get_close_matches
from hashlib import sha256
from os import path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from ledger.errors import BadInput, Flag, count_of, join_sorted, quoted
from ledger.events.subjects import CAST, PLAYER
from ledger.imports.log_records import ClaimedRoll, ReadingOptions, printable
from ledger.journal.book import Book
from ledger.rules.spelling import folded, number_name
from ledger.values import Struct

LARGEST_MAPPING = 1 << 20
LEAVE_OUT = "-"
"""The value for a name that is not a character's name, such as a label of the GM."""

SECTIONS = frozenset({"zone", "seen", "source", "bots", "users", "speakers", "sheets"})
ACTOR_KEY = "actor"
"""The key for a character's id in the file, in a section of `sheets`. All other keys of the section are scores."""

SOURCE_PATTERN = re.compile("[a-z0-9-]{1,16}")


class SheetMapping(Struct):
    """The numbers to take from a character of the file for the free sheet of `who`.

    `numbers` maps scores to the places of the numbers in the file. `actor` is the character's id in the file, or "".
    """

    who: str
    actor: str
    numbers: Mapping[str, str]


class PeopleMapping(ReadingOptions):
    """A mapping from accounts to players and characters, and from names in the file to characters.

    `source` keeps apart two files that use the same ids. `sheets` names the numbers to take over.
    """

    source: str = ""
    players: Mapping[str, str] = {}
    characters_of_users: Mapping[str, str] = {}
    speakers: Mapping[str, str] = {}
    sheets: tuple[SheetMapping, ...] = ()
    sha256: str | None = None

    def stored_id(self, roll_id: str) -> str:
        """Return the id that the campaign stores for a roll of the file. It contains the mapping's `source`, if any."""
        kind, _, rest = roll_id.partition(":")
        return f"{kind}:{self.source}:{rest}" if self.source else roll_id

    def player(self, roll: ClaimedRoll) -> str | None:
        """Return the handle of the player of a roll, or None if the mapping has no player for the account."""
        return self.players.get(roll.user)

    def character(self, roll: ClaimedRoll) -> str | None:
        """Return the character of a roll, or None if the mapping has none. Without a name, the account decides."""
        found = self.speakers.get(roll.speaker) if roll.speaker else self.characters_of_users.get(roll.user)
        return None if found == LEAVE_OUT else found

    def knows(self, roll: ClaimedRoll) -> bool:
        """Return True if the mapping has the name in a roll, or the account of a roll without a name."""
        by_account = roll.user in self.players or roll.user in self.characters_of_users
        return roll.speaker in self.speakers or (not roll.speaker and by_account)

    def names_not_in(self, users: Mapping[str, object], speakers: Mapping[str, object]) -> list[str]:
        """Return the accounts of the mapping that are not in `users`, and the names that are not in `speakers`."""
        accounts = self.players.keys() | self.characters_of_users.keys()
        return sorted((accounts - users.keys()) | (self.speakers.keys() - speakers.keys()))


def read_mapping(file: str, book: Book) -> PeopleMapping:
    """Read a mapping file. Raise `BadInput` if it is not valid, or names somebody whom the campaign does not have."""
    try:
        with open(file, "rb") as stream:
            data = stream.read(LARGEST_MAPPING + 1)
    except OSError as error:
        hint = f"A dry run without {Flag('mapping')} makes a mapping file." * isinstance(error, FileNotFoundError)
        raise BadInput(f"The mapping file {quoted(file)} cannot be read: {error.strerror}.", hint) from None
    try:
        if len(data) > LARGEST_MAPPING:
            raise ValueError("it is too large")
        content = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise BadInput(f"The mapping file {quoted(file)} cannot be read: {error}.") from None
    if unknown := sorted(content.keys() - SECTIONS):
        raise _mapping_error(file, f"has an unknown part: {quoted(unknown[0])}")
    zone, seen = content.get("zone"), content.get("seen", "all")
    if seen not in {"all", "gm"}:
        raise _mapping_error(file, 'can set "seen" only to "all" or "gm"')
    users, speakers = _section(file, content, "users"), _section(file, content, "speakers")
    players, own = dict[str, str](), dict[str, str]()
    for account, user in users.items():
        if not isinstance(user, dict) or not user.keys() <= {"player", "character"}:
            player = user if isinstance(user, str) else "PLAYER"
            hint = f"For example: {toml_text(account)} = {{player = {toml_text(player)}}}"
            raise _mapping_error(file, f"needs {{player = …, character = …}} for {quoted(account)}", hint)
        if "player" in user:
            players[account] = _player(file, book, user["player"])
        if "character" in user:
            own[account] = _character(file, book, user["character"])
    return PeopleMapping(
        zone=None if zone is None else _zone(file, zone),
        all_private=seen == "gm",
        bots=_bots(file, content.get("bots", list(ReadingOptions().bots))),
        source=_source(file, content.get("source", "")),
        players=players,
        characters_of_users=own,
        speakers={name: _character(file, book, who) for name, who in speakers.items()},
        sheets=tuple(_sheet(file, book, *pair) for pair in _section(file, content, "sheets").items()),
        sha256=sha256(data).hexdigest(),
    )


def proposed_mapping(book: Book, name: str, users: Mapping[str, Counter[str]], speakers: Counter[str]) -> str:
    """Return a mapping file for people to edit. Each proposal is a comment, so nobody is mapped by accident.

    `users` has the names that each account used, and `speakers` all names in the file, with the numbers of rolls.
    """
    full_names = characters_by_name(book)
    people = {folded(called): called for called in book.players().values()}
    lines = [
        f"# Who is who in {printable(name)}. To use a line, remove the # before it and correct the names.",
        "# Type a character's short name. To leave a name out, type - instead.",
        '# zone = "Europe/Lisbon"  # the time zone, for times that do not include one',
        '# seen = "gm"  # every roll is private',
        '# source = "NAME"  # only if another file has the same ids for other rolls',
        "",
        "[users]",
    ]
    for account, names in sorted(users.items()):
        player = people.get(folded(account), "PLAYER")
        as_whom = ", ".join(name for name, _ in names.most_common(3) if name)
        comment = f"{count_of(names.total(), 'roll')}{f', as {as_whom}' if as_whom else ''}"
        lines.append(f"# {toml_text(account)} = {{player = {toml_text(player)}}}  # {comment}")
    lines += ["", "[speakers]"]
    for speaker, number in sorted(speakers.items()):
        who = character_called(book, full_names, speaker) or "CHARACTER"
        lines.append(f"# {toml_text(speaker)} = {toml_text(who)}  # {count_of(number, 'roll')}")
    return "\n".join(lines) + "\n"


def mapping_name(source: str) -> str:
    """Return the usual name of the mapping file for a source: `fvtt.mapping.toml` for `logs/fvtt.json`."""
    return f"{path.splitext(path.basename(source.rstrip('/')))[0]}.mapping.toml"


def toml_text(text: str) -> str:
    """Return a text as a TOML string, in quotation marks."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _mapping_error(file: str, says: str, hint: str = "") -> BadInput:
    return BadInput(f"The mapping file {quoted(file)} {says}.", hint)


def _section(file: str, content: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    section = content.get(name, {})
    if not isinstance(section, dict):
        raise _mapping_error(file, f"needs a section [{name}]")
    return section


def _sheet(file: str, book: Book, who: str, fields: Any) -> SheetMapping:
    if not isinstance(fields, dict):
        raise _mapping_error(file, f"needs a section [sheets.CHARACTER], not {quoted(who)} in [sheets]")
    if who == LEAVE_OUT:
        raise _mapping_error(file, f"needs a character in [sheets], not {quoted(who)}")
    for name, place in fields.items():
        if not isinstance(place, str):
            raise _mapping_error(file, f'needs a text such as "system.attributes.hp.value" for {quoted(name)}')
    scores = dict[str, str]()
    for name, place in fields.items():
        if (score := number_name(name)) in scores:
            raise _mapping_error(file, f"has two lines for {quoted(score)} in [sheets.{who}]")
        if name != ACTOR_KEY:
            scores[score] = place
    return SheetMapping(who=_character(file, book, who), actor=fields.get(ACTOR_KEY, ""), numbers=scores)


def _source(file: str, typed: Any) -> str:
    if isinstance(typed, str) and SOURCE_PATTERN.fullmatch(typed or "-"):
        return typed
    raise _mapping_error(file, 'needs 1 to 16 small letters, digits or "-" for "source"')


def _bots(file: str, typed: Any) -> tuple[str, ...]:
    if isinstance(typed, list) and all(isinstance(name, str) for name in typed):
        return tuple(typed)
    raise _mapping_error(file, 'needs a list of names for "bots", such as ["Avrae"]')


def _zone(file: str, name: Any) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (TypeError, ValueError, OSError, ZoneInfoNotFoundError):
        city = folded(str(name)).replace(" ", "_")
        near = sorted(zone for zone in available_timezones() if folded(zone).rpartition("/")[2] == city)
        hint = _did_you_mean(near) or 'Type a name such as "Europe/Lisbon" or "America/New_York".'
        raise _mapping_error(file, f"has a time zone that is not known: {name}", hint) from None


def _player(file: str, book: Book, typed: Any) -> str:
    for handle, name in book.players().items():
        if typed == handle or folded(str(typed)) == folded(name):
            return handle
    near = [quoted(name) for name in book.players().values() if folded(str(typed)) in folded(name).split()]
    hint = _did_you_mean(near) or f"The players are: {join_sorted(book.players().values())}."
    raise _mapping_error(file, f"names the player {quoted(str(typed))}, but this campaign has no such player", hint)


def _character(file: str, book: Book, typed: Any) -> str:
    if isinstance(typed, str) and (typed == LEAVE_OUT or _is_character(book, typed)):
        return typed
    called = character_called(book, characters_by_name(book), str(typed))
    near = [called] if called else get_close_matches(str(typed), book.cast(), n=2)
    hint = _did_you_mean(near) or f"The characters are: {join_sorted(book.cast())}." * bool(book.cast())
    says = f"names the character {quoted(str(typed))}, but this campaign has no such character"
    raise _mapping_error(file, says, hint)


def _did_you_mean(near: Sequence[str]) -> str:
    return f"Did you mean {' or '.join(near)}?" if near else ""


def characters_by_name(book: Book) -> Mapping[str, str]:
    """Map the full names, in small letters, to the characters."""
    return {folded(called): who for who, called in book.full_names().items()}


def character_called(book: Book, full_names: Mapping[str, str], name: str) -> str | None:
    """Return the character with the full name or short name `name`, or None. See `characters_by_name`."""
    who = full_names.get(folded(name), folded(name))
    return who if _is_character(book, who) else None


def _is_character(book: Book, who: str) -> bool:
    return book.mark(CAST, who) is not None or book.mark(who, PLAYER) is not None
