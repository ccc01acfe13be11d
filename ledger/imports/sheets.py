"""Free sheets from a Foundry world: the numbers of its characters (actors) that the mapping file names.

Nothing else is taken from an actor. A number that is already on the sheet changes only if the user asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from ledger.commands.at_table import Join
from ledger.commands.decider import Command
from ledger.commands.imports import ImportSheet
from ledger.errors import BadInput, count_of, quoted
from ledger.imports.foundry_folder import FoundryFolderReader
from ledger.imports.foundry_lines import FoundryLinesReader, current_documents, document
from ledger.imports.leveldb import Database
from ledger.imports.log_records import WrongRecord, printable
from ledger.imports.mapping import (
    ACTOR_KEY,
    PeopleMapping,
    SheetMapping,
    character_called,
    characters_by_name,
    toml_text,
)
from ledger.imports.sources import AnySource, FolderSource, actors_beside
from ledger.journal.book import Book
from ledger.rules.spelling import folded
from ledger.systems.free import SYSTEM as FREE
from ledger.values import MAX_SHEET_NUMBER, Struct

ACTOR_KEY_PREFIX = b"!actors!"
LISTED_PARTS = ("system", "data")
"""The parts of an actor with the numbers of its game. Version 9 has `data`, later versions have `system`."""

MOST_LISTED = 20
"""The maximum number of actors in a proposed mapping file."""

MOST_NUMBERS = 200
"""The maximum number of numbers of an actor in a proposed mapping file."""

DEEPEST_NUMBER = 8


class ActorNumbers(Struct):
    """A character of a Foundry world, and some whole numbers in its record, by their place there.

    An example of a place is `system.attributes.hp.value`.
    """

    id: str
    name: str
    numbers: Mapping[str, int | None]


class SheetNumber(Struct):
    """A number to set on a character's free sheet. `was` is the number that the sheet has, or None."""

    who: str
    score: str
    actor: str
    value: int
    was: int | None


class SheetPlan(Struct):
    """The numbers to set on free sheets, and the commands that set them.

    `kept` has the numbers that differ between a sheet and the file, but are not set.
    """

    set: tuple[SheetNumber, ...] = ()
    kept: tuple[SheetNumber, ...] = ()
    commands: tuple[Command, ...] = ()


def listed_actors(book: Book, source: AnySource, form: str, speakers: Collection[str]) -> list[ActorNumbers]:
    """Return the first `MOST_LISTED` actors with the name of a speaker or a character, for people to choose from.

    `form` is the format of the messages in `source`. Only a Foundry world has actors.
    """
    actors = _actors_source(source, form)
    if actors is None:
        return []
    names = {folded(name) for name in (*speakers, *book.cast(), *book.full_names().values())}
    fitting = (actor for actor in _read_actors(actors) if folded(_name(actor)) in names)
    listed = (ActorNumbers(id=actor["_id"], name=_name(actor), numbers=_numbers(actor)) for actor in fitting)
    return [actor for actor, _ in zip(listed, range(MOST_LISTED), strict=False)]


def plan_sheets(book: Book, source: AnySource, form: str, mapping: PeopleMapping, *, update: bool) -> SheetPlan:
    """Compare the free sheets with the numbers that the mapping names.

    The plan sets numbers that a sheet lacks. With `update`, it also changes numbers that a sheet has. Raise `BadInput`
    if the file has no actors, or lacks an actor or a number of the mapping.
    """
    if not mapping.sheets:
        return SheetPlan()
    actors = _actors_source(source, form)
    if actors is None:
        says = f"{quoted(source.name)} comes without sheets of characters, but the mapping file has a section [sheets]."
        raise BadInput(says, "Import the folder of a Foundry world, or remove the section.")
    found: dict[str, list[ActorNumbers]] = {sheet.who: [] for sheet in mapping.sheets}
    wanted = [(sheet, _actor_filter(mapping, sheet)) for sheet in mapping.sheets]
    for actor in _read_actors(actors):
        for sheet in (sheet for sheet, is_wanted in wanted if is_wanted(actor)):
            if len(found[sheet.who]) < MOST_LISTED:
                named = {place: _number_at(actor, place) for place in sheet.numbers.values()}
                found[sheet.who].append(ActorNumbers(id=actor["_id"], name=_name(actor), numbers=named))
    file = source.name if isinstance(source, FolderSource) else actors.name  # a folder has the name of the world
    numbers = [one for sheet in mapping.sheets for one in _sheet_numbers(book, file, sheet, found[sheet.who])]
    differing = [one for one in numbers if one.was != one.value]
    to_set = tuple(one for one in differing if update or one.was is None)
    return SheetPlan(
        set=to_set,
        kept=tuple(one for one in differing if one not in to_set),
        commands=tuple(_commands(book, source.name, to_set)),
    )


def proposed_sheets(book: Book, actors: Sequence[ActorNumbers]) -> str:
    """Return the sections of a mapping file for the sheets of these actors. All lines are comments."""
    lines = [
        "",
        "# Sheets: to set numbers on a character's free sheet, remove the # from the lines that you want. Type the",
        "# character's short name instead of CHARACTER, and the name of a number, such as hp, instead of SCORE.",
    ]
    full_names = characters_by_name(book)
    for actor in actors:
        lines.append(f"# [sheets.{character_called(book, full_names, actor.name) or 'CHARACTER'}]")
        lines.append(f"# {ACTOR_KEY} = {toml_text(actor.id)}  # {actor.name}")
        lines += [f"# SCORE = {toml_text(place)}  # {value}" for place, value in actor.numbers.items()]
    return "\n".join(lines) + "\n" if actors else ""


def _actors_source(source: AnySource, form: str) -> AnySource | None:
    is_foundry = form in {FoundryFolderReader.form, FoundryLinesReader.form}
    return actors_beside(source) if is_foundry else None


def _read_actors(source: AnySource) -> Iterator[Mapping[str, Any]]:
    """Yield the actors of a world that have an id. Leave out damaged ones."""
    with source.open() as stream:
        for actor in _actors_in_folder(stream) if isinstance(stream, Database) else _actors_in_file(stream):
            if isinstance(actor, dict) and isinstance(actor.get("_id"), str):
                yield actor


def _actors_in_folder(database: Database) -> Iterator[Any]:
    for _, value in database.documents(ACTOR_KEY_PREFIX):
        try:
            yield document(value)
        except WrongRecord:
            continue


def _actors_in_file(stream: Any) -> Iterator[Any]:
    yield from (actor for _, _, _, actor in current_documents(stream))


def _name(actor: Mapping[str, Any]) -> str:
    name = actor.get("name")
    return printable(name) if isinstance(name, str) else ""


def _number_at(actor: Mapping[str, Any], place: str) -> int | None:
    """Return the whole number at a place in the record of an actor, or None."""
    value: Any = actor
    for name in place.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value if _is_number(value) else None


def _numbers(actor: Mapping[str, Any]) -> Mapping[str, int]:
    found = ((path, value) for part in LISTED_PARTS for path, value in _walk(part, actor.get(part), DEEPEST_NUMBER))
    return dict(pair for pair, _ in zip(found, range(MOST_NUMBERS), strict=False))


def _walk(place: str, value: Any, depth: int) -> Iterator[tuple[str, int]]:
    if _is_number(value):
        yield place, value
    elif isinstance(value, dict) and depth:
        for name, inner in value.items():
            if name.isprintable() and "." not in name:
                yield from _walk(f"{place}.{name}", inner, depth - 1)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_SHEET_NUMBER


def _actor_filter(mapping: PeopleMapping, sheet: SheetMapping) -> Callable[[Mapping[str, Any]], bool]:
    """Return a function that tells if an actor is for a sheet: by the sheet's actor id, or else by a mapped name."""
    if sheet.actor:
        return lambda actor: actor["_id"] == sheet.actor
    names = {name for name, who in mapping.speakers.items() if who == sheet.who}
    return lambda actor: _name(actor) in names


def _sheet_numbers(book: Book, file: str, sheet: SheetMapping, found: Sequence[ActorNumbers]) -> Iterator[SheetNumber]:
    section = f"[sheets.{sheet.who}]"
    if not found:
        called = f"the id {quoted(sheet.actor)}" if sheet.actor else f"a name that [speakers] maps to {sheet.who}"
        says = f"{quoted(file)} has no actor with {called}, but {section} needs one."
        raise BadInput(says, f'Write actor = "ID" into {section}. A dry run without a mapping file lists the ids.')
    if len(found) > 1:
        ids = ", ".join(sorted(actor.id for actor in found))
        says = f"{section} does not say which of {count_of(len(found), 'actor')} it means."
        raise BadInput(says, f'Write actor = "ID" into {section}, with one of these: {ids}.')
    for score, place in sheet.numbers.items():
        value = found[0].numbers[place]
        if value is None:
            says = f"{quoted(found[0].name)} has no whole number called {quoted(place)} in {quoted(file)}."
            raise BadInput(says, f"Correct this line in {section}, or remove it.")
        was = _current_balance(book, sheet.who, f"{FREE.name}/{score}")
        yield SheetNumber(who=sheet.who, score=score, actor=found[0].name, value=value, was=was)


def _current_balance(book: Book, who: str, full: str) -> int | None:
    """Return the balance of a score, or None if all entries that set it were canceled."""
    unchanged = [row.seq for row in book.accounts.postings(who, full) if not row.amount and row.seq == row.since]
    counts = (not book.is_struck(book.entry(seq).act) for seq in unchanged)
    return book.balance(who, full) if book.accounts.change_entries(who, full) or any(counts) else None


def _commands(book: Book, file: str, numbers: tuple[SheetNumber, ...]) -> Iterator[Command]:
    """Yield the commands that start missing free sheets, and that set the numbers. `file` is named as the source."""
    for who in dict.fromkeys(number.who for number in numbers):
        if not book.mark(who, f"{FREE.name}/sheet"):
            yield Join(who=who, system=FREE.name, scores={})
        sets = {f"{FREE.name}/{number.score}": number.value for number in numbers if number.who == who}
        shown = {full: book.balance(who, full) for full in sets}
        yield ImportSheet(who=who, amounts={}, sets=sets, why=f"imported, claimed by {file}", shown=shown)
