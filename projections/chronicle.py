"""The chronicle: the story by session and scene, safe for players to read."""

from collections.abc import Iterator

from ledger.events.entry import Entry
from ledger.events.subjects import STRUCK
from ledger.events.types import (
    CampaignOpened,
    DiceThrown,
    RollSealed,
    SceneSet,
    SessionClosed,
    SessionOpened,
    TurnAdded,
    TurnBegan,
    TurnRolled,
    TurnsEnded,
)
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.values import Struct
from projections.log import Line, line
from projections.phrases import person
from projections.replay import stretch
from projections.wording import typed_words

LEFT_OUT = CampaignOpened | SessionClosed | TurnAdded | TurnBegan | TurnRolled | TurnsEnded
HEADINGS = SessionOpened | SessionClosed | SceneSet


class Scene(Struct):
    """A part of a session; play before the first scene has an empty title."""

    title: str
    lines: tuple[Line, ...]


class Chapter(Struct):
    """A session, or what was written between two, which has no number."""

    number: int | None
    title: str
    date: str
    present: tuple[str, ...]
    scenes: tuple[Scene, ...]


def chronicle(book: Book, when: AsOf = NOW, session: int | None = None) -> list[Chapter]:
    """The story as known at a point; a struck action stays in its place, with what became of it.

    Corrected, an amendment takes the old place, and what no longer counts is left out.
    """
    chapters = [chapter for chapter in _chapters(book, when) if chapter.number == session or session is None]
    return [
        chapter for chapter in chapters if chapter.number is not None or any(scene.lines for scene in chapter.scenes)
    ]


def _chapters(book: Book, when: AsOf) -> Iterator[Chapter]:
    number: int | None = None
    title, date, present = "", "", tuple[str, ...]()
    scenes: list[tuple[str, list[Line]]] = [("", [])]

    def chapter() -> Chapter:
        titled = tuple(Scene(title=name, lines=tuple(lines)) for name, lines in scenes if name or lines)
        return Chapter(number=number, title=title, date=date, present=present, scenes=titled)

    for action in _lines(book, when):
        event = action.event
        if isinstance(event, SessionOpened) or (isinstance(event, SessionClosed) and number is not None):
            yield chapter()
            number, title, date, present, scenes = None, "", "", (), [("", [])]
        if isinstance(event, SessionOpened):
            number, title, date = event.number, typed_words(event.title), action.at[:10]
            present = tuple(person(book, who) for who in event.present)
        elif isinstance(event, SceneSet):
            scenes.append((typed_words(event.title), []))
        elif not _is_left_out(action):
            scenes[-1][1].append(action)
    yield chapter()


def _is_left_out(action: Line) -> bool:
    """Whether the story does without an action; a turn is told for the moves that came with it."""
    event = action.event
    return (isinstance(event, LEFT_OUT) and not action.further) or (isinstance(event, RollSealed) and event.unseen)


def _lines(book: Book, when: AsOf) -> Iterator[Line]:
    if when.corrected:
        yield from _as_corrected(book, when)
        return
    act = 1
    while act <= min(when.seq, book.head()):
        entries = book.action(act)
        action = line(book, entries, when)
        act = entries[-1].seq + 1
        if action.struck is None or not isinstance(action.event, HEADINGS):
            yield action
        elif (instead := _replacement(book, entries[0], when)) is not None:
            yield line(book, [instead], when)


def _replacement(book: Book, heading: Entry, when: AsOf) -> Entry | None:
    """The heading that replaced an amended one, `None` if it is gone."""
    by = book.accounts.mark(STRUCK, str(heading.act), when)
    if by is None:
        return heading
    same = (entry for entry in book.action(book.journal.entry(by).act) if entry.type == heading.type)
    again = next((entry for entry in same if entry.since == heading.since), None)
    return None if again is None else _replacement(book, again, when)


def _as_corrected(book: Book, when: AsOf) -> Iterator[Line]:
    roots: dict[int, list[int]] = {}
    for seq in stretch(book, 1, book.head(), when):
        entry = book.journal.entry(seq)
        if entry.type != DiceThrown.type:  # its ruling shows the dice
            roots.setdefault(entry.cause if entry.cause in roots else seq, []).append(seq)
    for seqs in roots.values():
        yield line(book, [book.entry(seq) for seq in seqs], NOW.replace(corrected=True))
