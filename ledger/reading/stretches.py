"""Stretches: a parser for the targets of `void`: entries, ranges like `6-9`, a scene or a session."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from shlex import quote
from typing import TYPE_CHECKING

from ledger.corrections.actions import part_of, replacement_of
from ledger.corrections.undoing import canceled_by
from ledger.errors import BadInput, Refused, Run, UnknownName, count_of, join_sorted, quoted
from ledger.events.entry import Entry, lead_of
from ledger.events.types import (
    ActionStruck,
    Correction,
    NoteWritten,
    PlayRewound,
    RollImported,
    RollSealed,
    SceneSet,
    SessionClosed,
    SessionOpened,
)
from ledger.reading.points import session_span
from ledger.rules.spelling import folded
from ledger.values import Struct

if TYPE_CHECKING:
    from ledger.journal.book import Book
    from ledger.reading.names import Names

RANGE_PATTERN = re.compile(r"#?([0-9]+)(?:-|–|\.\.)#?([0-9]+)")
NOTHING_TYPED = "Say what to void: an entry, a range like 6-9, a scene or a session."


class Stretch(Struct):
    """The actions to void, and the actions in between that stay.

    - `acts`: the first entry of each action to void, the latest first.
    - `staying`: the main entry of each action that stays, the earliest first.
    """

    acts: tuple[int, ...]
    staying: tuple[int, ...]


def is_one_entry(typed: Sequence[str]) -> bool:
    """Return True if the words name exactly one entry, and no range."""
    return len(typed) == 1 and RANGE_PATTERN.fullmatch(typed[0]) is None


def stretch_to_void(names: Names, typed: Sequence[str], scene: str | None, session: int | None) -> Stretch:
    """Find the actions to void.

    An entry that was typed by its number is always voided. A range, a scene or a session voids only play:
    players, sheets, settings, sessions and corrections stay. If an action was amended, both the original and the
    amendment are voided.
    """
    if scene is not None and (words := [word for word in typed if not re.match("#?[0-9]|last$", word)]):
        title = Run("void", scene=quote(" ".join([scene, *typed])), why="TEXT")
        raise BadInput(f"{quoted(words[0])} is not the number of an entry.", f"Put quotes around the title: {title}")
    book, staying = names.book, set[int]()
    entries = [book.journal.entry(names.entry(word)) for word in typed if RANGE_PATTERN.fullmatch(word) is None]
    acts = {entry.act for entry in entries}
    _check_not_in_evening(book, [entry for entry in entries if entry.act not in {other.seq for other in entries}])
    spans = [*_ranges(names, typed)]
    spans += [] if scene is None else [_scene_span(book, scene)]
    spans += [] if session is None else [session_span(book, session)]
    if not (acts or spans):
        raise BadInput(NOTHING_TYPED, f"For example: {Run('void', '6-9', why='TEXT')}")
    for first, last in spans:
        for lead in _leads_between(book, first, last):
            found = _actions_to_strike(book, lead)
            if found and _is_setup(lead):
                staying.add(lead.seq)
            else:
                acts |= found
    staying = {seq for seq in staying if book.journal.entry(seq).act not in acts}
    if staying and not acts:
        hint = f"To cancel an entry, type its number: {Run('void', *sorted(staying), why='TEXT')}"
        raise Refused(
            (
                "This part of the record contains only players, sheets, settings and sessions. To cancel"
                " such an entry, you must type its number."
            ),
            hint,
        )
    if not acts:
        raise Refused("This part of the record contains nothing to void.", f"See what was written: {Run('log')}")
    return Stretch(acts=tuple(sorted(acts, reverse=True)), staying=tuple(sorted(staying)))


def _check_not_in_evening(book: Book, entries: Iterable[Entry]) -> None:
    """Raise `Refused` if `entries` has a roll of an imported evening: only the whole evening can be voided."""
    for entry in entries:
        if entry.type == RollImported.type and not book.is_struck(entry.act):
            rolls = count_of(len(book.journal.action(entry.act)), "roll")
            cancel = f"To cancel the evening: {Run('void', entry.act, why='TEXT')}"
            raise Refused(
                f"#{entry.seq} is one of {rolls} of an imported evening. You can cancel only the whole evening.",
                f"Correct or delete the roll in the file, cancel the evening, and import the file again. {cancel}",
            )


def _ranges(names: Names, typed: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and last entry of each typed range. Raise `BadInput` for a range that goes backwards."""
    for ends in filter(None, map(RANGE_PATTERN.fullmatch, typed)):
        first, last = map(names.entry, ends.groups())
        if first > last:
            raise BadInput(f"#{first} comes after #{last}.", f"Type the earlier entry first: {last}-{first}")
        yield first, last


def _leads_between(book: Book, first: int, last: int) -> Iterator[Entry]:
    """Yield the main entries of actions from entry `first` to entry `last`, in order. Both are included."""
    act = book.journal.entry(first).act
    while act <= last:
        entries = book.journal.action(act)
        if first <= (lead := lead_of(entries)).seq <= last:
            yield lead
        act = entries[-1].seq + 1


def _is_setup(lead: Entry) -> bool:
    """Return True for an action that a range leaves alone: about players, sheets, settings or sessions."""
    return lead.event.survives_rewind and not isinstance(lead.event, SceneSet | NoteWritten | ActionStruck)


def _actions_to_strike(book: Book, lead: Entry) -> set[int]:
    """Return the actions to strike so that both an action and its replacement are canceled.

    For a correction, return no actions. Raise `Refused` for an action that a rewind kept, because the whole rewind
    would have to be struck too.
    """
    is_choice = isinstance(lead.event, ActionStruck) and lead.event.how == "choose"
    if isinstance(lead.event, Correction) and not (is_choice or isinstance(lead.event, RollSealed)):
        return set()
    revealed = book.question(lead.seq).answered_by if isinstance(lead.event, RollSealed) else None
    if revealed is not None:
        return {lead.act, book.journal.entry(revealed).act}
    if not book.is_struck(lead.act):
        return {lead.act}
    instead = replacement_of(book, lead.seq)
    if instead is None:
        return set()
    last = part_of(book, instead)[0].act
    acts = {lead.act, last, *canceled_by(book, last, range(lead.act, last))}
    if any(isinstance(lead_of(book.journal.action(act)).event, PlayRewound) for act in acts):
        raise Refused(f"#{instead} replaced #{lead.seq}.", f"Amend #{instead}, or void #{instead} first.")
    return acts


def _scene_span(book: Book, typed: str) -> tuple[int, int]:
    """Return the first and last entry of a scene, by its title or by the number of its entry."""
    scenes = [scene for scene in _scene_and_session_starts(book, 1) if isinstance(scene.event, SceneSet)]
    titles = {scene.seq: scene.event.title.text or "" for scene in scenes if isinstance(scene.event, SceneSet)}
    number, name = typed.removeprefix("#"), folded(typed)
    found = (
        [scene for scene in scenes if number in {str(scene.seq), str(scene.since)}]
        or [scene for scene in scenes if folded(titles[scene.seq]) == name]
        or [scene for scene in scenes if folded(titles[scene.seq]).startswith(name)]
    )
    if not found:
        hint = f"Scenes: {join_sorted(filter(None, titles.values()))}." if scenes else ""
        raise UnknownName(f"There is no scene called {quoted(typed)}.", hint)
    if len(found) > 1:
        which = ", ".join(f"#{scene.seq} ({titles[scene.seq]})" for scene in found)
        hint = f"Type the entry number of the scene: {Run('void', scene=found[-1].seq, why='TEXT')}"
        raise Refused(f"More than one scene fits {quoted(typed)}: {which}.", hint)
    first = found[0].since
    return first, min((later.since - 1 for later in _scene_and_session_starts(book, first + 1)), default=book.head())


def _scene_and_session_starts(book: Book, first: int) -> Iterator[Entry]:
    """Yield the entries that start a scene, or that open or close a session.

    Leave out entries that take effect before the entry `first`, and canceled entries.
    """
    types = SceneSet.type, SessionOpened.type, SessionClosed.type
    for entry in book.search(types, first, ("title", "number")):
        if entry.since >= first and not book.is_struck(entry.act):
            yield book.entry(entry.seq)
