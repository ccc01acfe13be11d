"""Placing: the assignment of words without flags to the inputs of a move.

A name fills the input that accepts it: a character of the cast, a name on the sheet, or one of a few choices. A number
fills the first number input that has no value yet. Nothing is guessed: a word that fits two inputs is ambiguous.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ledger.events.subjects import CAMPAIGN
from ledger.reading.move_inputs import own_names
from ledger.reading.names import Names
from ledger.rules.inputs import (
    BARE,
    CAST,
    OPTIONAL_POSITIONAL,
    WITHOUT_OTHERS,
    name_prefixes,
    names_something,
    numbers_by_name,
    sheet_tag,
)
from ledger.rules.move import Move
from ledger.values import Field, Struct

AT_SIGN = "@"
"""The sign before the name of a character who acts instead of the usual character: `@jonas`."""


class PlacedWords(Struct):
    """The typed words of each input, and the words that fit no input."""

    values: Mapping[str, str]
    unplaced: tuple[str, ...] = ()


def has_place(field: Field) -> bool:
    """Return True if an input is typed by its position, without a flag."""
    one = field.required and BARE not in field.tags and not (field.many or field.keyed)
    return OPTIONAL_POSITIONAL in field.tags or (one and (CAST in field.tags or names_something(field)))


def place_words(
    names: Names, game: str, move: type[Move], words: Sequence[str], given: Collection[str], usual: str | None
) -> PlacedWords:
    """Assign words to the inputs that were not typed with flags (`given` lists those that were).

    The acting character is `usual` if no word names another one. A word that starts with `@` names the acting
    character. The first word, or a word that fits no input, may also name it. If `usual` is `None`, any word may
    name it. If the move names several characters, the first of them acts. If `given` has an input that allows no other
    inputs, such as `--go-on`, words can name only the acting character. Raise `AmbiguousName` if a word fits several
    inputs.
    """
    fields = {field.name: field for field in move.fields().values() if has_place(field) or BARE in field.tags}
    is_alone = any(WITHOUT_OTHERS in field.tags for field in move.fields().values() if field.name in given)
    free = {name: field for name, field in fields.items() if name not in given and (name == "who" or not is_alone)}
    others = [word.removeprefix(AT_SIGN) for word in words if word.startswith(AT_SIGN)]
    rest = [word for word in words if not word.startswith(AT_SIGN)]
    if "who" not in free:
        return _fill(names, game, free, words, {})
    inputs = {name: field for name, field in free.items() if name != "who"}
    if others:
        return _fill(names, game, inputs, [*rest, *others[1:]], {"who": others[0]})
    if usual is None:
        place = _place_of_character(names, rest, several=any(CAST in field.tags for field in inputs.values()))
        return _fill(names, game, inputs, [*rest[:place], *rest[place + 1 :]], {"who": rest[place]} if rest else {})
    tried = _fill(names, game, inputs, rest, {"who": usual})
    for word in [*rest[:1], *tried.unplaced] if tried.unplaced else ():
        place = rest.index(word)
        if names.named_in_full(word) or names.starting_with(word):
            other = _fill(names, game, inputs, [*rest[:place], *rest[place + 1 :]], {"who": word})
            if not other.unplaced or names.plays(rest[0]):
                return other
    return tried


def _place_of_character(names: Names, words: Sequence[str], *, several: bool) -> int:
    """Return the place of the word that names the character who acts.

    Use the first word in this list that exists:

    - the first word, if it is a short name or the start of a name;
    - the first word that is a whole name, unless the words name `several` characters;
    - the first word that is the start of a name;
    - the first word of the line.
    """
    if not words[1:] or names.plays(words[0]):
        return 0
    begun = [bool(names.starting_with(word)) for word in words]
    exact = [not (begun[0] or several) and names.named_in_full(word) is not None for word in words]
    return (exact if True in exact else [*begun, True]).index(True) % len(words)


def next_names(
    names: Names, game: str, move: type[Move], words: Sequence[str], given: Collection[str], usual: str | None
) -> list[str]:
    """Return the names that people may type after `words`, in the order of the inputs.

    For `given` and `usual`, see `place_words`.
    """
    fields = {field.name: field for field in move.fields().values() if has_place(field) or BARE in field.tags}
    done = place_words(names, game, move, words, given, usual).values
    free = {name: field for name, field in fields.items() if name not in {*given, *done}}
    first = ["who"] if "who" in free else [*free]
    return list(dict.fromkeys(other for name in first for other in _known_values(names, game, free[name], done)))


def _fill(
    names: Names, game: str, free: Mapping[str, Field], words: Iterable[str], filled: Mapping[str, str]
) -> PlacedWords:
    values, free_left, unplaced = dict(filled), dict(free), []
    for word in words:
        name, value = _input_for(names, game, free_left, word, values)
        if name is None:
            unplaced.append(word)
        else:
            values[name] = value
            del free_left[name]
    return PlacedWords(values=values, unplaced=tuple(unplaced))


def _input_for(
    names: Names, game: str, free: Mapping[str, Field], word: str, values: Mapping[str, str]
) -> tuple[str | None, str]:
    """Return the input in `free` that a word fills, and the value. If no input fits, return None and the word.

    `values` has the values of the inputs that are already filled.
    """
    numbers = [name for name, field in free.items() if field.kind is int]
    if word.isdecimal():
        return next(iter(numbers), None), word
    typed = word.lower()
    known = {name: _known_values(names, game, field, values) for name, field in free.items()}
    for compare in (str.__eq__, str.startswith):
        matches = {
            name: hits
            for name, options in known.items()
            if (hits := [other for other in options if compare(other, typed)])
            and not _has_similar_input(free, name, known)
        }
        if len(matches) > 1:
            fitting = {f"{hits[0]} ({name})": (name, hits[0]) for name, hits in matches.items()}
            return fitting[names.decide_meaning(word, [*fitting])]
        if matches:
            ((name, hits),) = matches.items()
            return name, hits[0] if len(hits) == 1 and not names.new else typed
    takes_any = (name for name, field in free.items() if field.kind is not int and not field.choices)
    return (None if names.plays(word) else next(takes_any, None)), word


def _has_similar_input(free: Mapping[str, Field], name: str, known: Mapping[str, Collection[str]]) -> bool:
    """Return True if a free input before the input `name` accepts the same values.

    This is the case for the second character of a move that names two. `known` has the accepted values of each input.
    """
    before = [*free][: [*free].index(name)]
    return any(known[other] and known[other] == known[name] for other in before)


def _known_values(names: Names, game: str, field: Field, values: Mapping[str, Any]) -> list[str]:
    if CAST in field.tags:
        return names.cast()
    if field.choices or numbers_by_name(field):
        return [*field.choices, *numbers_by_name(field)]
    whose = sheet_tag(field).whose
    who = CAMPAIGN if whose == CAMPAIGN else values.get(whose)
    return sorted(own_names(names, names.subject(who), field, game)) if name_prefixes(field) and who is not None else []
