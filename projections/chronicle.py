"""The chronicle: the story by session and scene, safe for players to read."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

from ledger.events import types as events
from ledger.events.entry import Entry
from ledger.events.subjects import CAMPAIGN, STRUCK
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.times import local_date
from ledger.values import Struct
from projections.log import Line, line
from projections.phrases import person
from projections.replay import OnProgress, corrected_actions
from projections.score_changes import is_condition
from projections.sentences import sentences_of
from projections.wording import typed_words

MOST_ENTRIES = 400
"""The maximum number of entries in one part of the story. See `part_of_story`."""

HEADINGS = events.SessionOpened | events.SessionClosed | events.SceneSet
"""The events that start a chapter or a scene."""


class Scene(Struct):
    """A part of a session. The part before the first named scene has an empty title.

    `told` has one text for each line: the sentences about it.
    """

    title: str
    lines: tuple[Line, ...]
    told: tuple[str, ...]


class Chapter(Struct):
    """The entries `first` to `last`: a session, or the entries between sessions. Only a session has a `number`."""

    number: int | None
    title: str
    date: str
    present: tuple[str, ...]
    scenes: tuple[Scene, ...]
    first: int
    last: int

    @property
    def lines(self) -> list[Line]:
        """The lines of all scenes."""
        return [line for scene in self.scenes for line in scene.lines]


class SessionSpan(Struct):
    """A session: its number, title and date, and its first and last entry.

    The first entry opens the session. The last entry is the one before the next session.
    """

    number: int
    title: str
    date: str
    first: int
    last: int


class StoryPart(Struct):
    """A part of the story: the chapters with the entries `first` to `last`."""

    chapters: tuple[Chapter, ...]
    first: int
    last: int


def chronicle(
    book: Book, when: AsOf = NOW, session: int | None = None, progress: OnProgress = abs
) -> Iterator[Chapter]:
    """Yield the chapters of the story as it was known at a point, one at a time.

    Canceled actions, bookkeeping, arrivals and departures are left out. A corrected event is at the position of
    the original event. `progress` is called with the number of entries processed since its last call. Each entry
    is counted twice: once when it is read, and once when it is described.
    """
    first, last = 1, book.head()
    if session is not None:
        span = next(session_spans(book, when, session), None)
        if span is None:
            return iter(())
        first, last = span.first, span.last
    return _chapters(book, _told_lines(book, when, first, last, progress), last, session)


def part_of_story(book: Book, last: int, most: int = MOST_ENTRIES) -> StoryPart:
    """Return the part of the story that ends with entry `last`.

    The part is the session up to `last`, or only the last `most` entries if there are more. A part that starts in
    the middle of a session repeats the session's heading. The previous part ends with the entry before its first one.
    """
    spans = (span for span in session_spans(book) if span.first <= last)
    start = next((span.first for span in spans), 1)
    first = max(start, book.journal.entry(max(last - most + 1, 1)).act)
    before = AsOf(seq=max(first - 1, 1), corrected=True)
    opening = None if first == start else book.entry_in_force("session", events.SessionOpened.type, before)
    heading = [] if opening is None else [line(book, book.action(opening.act), NOW.replace(corrected=True))]
    chapters = _chapters(book, chain(heading, _told_lines(book, NOW, first, last)), last)
    return StoryPart(chapters=tuple(chapters), first=first, last=last)


def _told_lines(book: Book, when: AsOf, first: int, last: int, progress: OnProgress = abs) -> Iterator[Line]:
    counted = _as_corrected(book, with_known_corrections(when), first, last, progress)
    return (each for each in counted if each.event.chronicle_rule != "never" or _is_told(each.event))


def _is_told(event: events.Event) -> bool:
    """Return True if a character left for a stated reason, such as "killed", or if a character's conditions changed."""
    has_reason = isinstance(event, events.CharacterLeft) and event.why is not None and event.why.text is not None
    return has_reason or (isinstance(event, events.MarksSet) and any(map(is_condition, event.values)))


def session_spans(book: Book, when: AsOf = NOW, session: int | None = None) -> Iterator[SessionSpan]:
    """Yield the sessions that were known at a point, the latest first. If `session` is given, yield only that session.

    Sessions are read one at a time, on demand.
    """
    known = with_known_corrections(when)
    ranges: Iterable[tuple[int, int]]
    if session is None:
        ranges = pairwise([*book.accounts.change_entries(CAMPAIGN, "session", known), book.head() + 1])
    else:
        ranges = _ranges_of_session(book, session, known)
    for first, after in reversed([*ranges]):
        entry = book.entry_in_force("session", events.SessionOpened.type, known.replace(seq=first))
        event = None if entry is None else book.entry(entry.seq).event
        if isinstance(event, events.SessionOpened):
            opened = book.journal.entry(first)
            title, date = typed_words(event.title), local_date(opened.at, book.zone(opened.act))
            yield SessionSpan(number=event.number, title=title, date=date, first=first, last=after - 1)


def _ranges_of_session(book: Book, session: int, known: AsOf) -> Iterator[tuple[int, int]]:
    """Yield the first entry of each session with this number, and the first entry after the session.

    Several sessions have the same number if the first of them was canceled. `known` is the point in the history.
    """

    def count_opened(seq: int) -> int:
        """Return the number of sessions that had been opened by entry `seq`. This number never decreases."""
        return book.accounts.balance(CAMPAIGN, "session", known.replace(seq=min(seq, known.seq))) or 0

    for first in sorted(book.accounts.entries_with_value(CAMPAIGN, "session", str(session))):
        if count_opened(first) > count_opened(first - 1):
            yield first, bisect_right(range(book.head() + 1), count_opened(first), lo=first, key=count_opened)


def full_chronicle(
    book: Book, when: AsOf = NOW, session: int | None = None, progress: OnProgress = abs
) -> Iterator[Chapter]:
    """Yield the chapters of the story with every kind of entry. For `progress`, see `chronicle`.

    If `when` includes corrections, omit canceled actions, and put each amendment at the position of the original. If
    not, include canceled actions with their reasons.
    """
    head = book.head()
    lines = _as_corrected(book, when, 1, head, progress) if when.corrected else _as_written(book, when, progress)
    return _chapters(book, lines, head, session)


def with_known_corrections(when: AsOf) -> AsOf:
    """Return the point `when`, but with all corrections that were known at this point.

    A point that already has corrections is returned unchanged.
    """
    return when if when.corrected else AsOf(seq=when.seq, corrected=True, known=when.seq)


def _chapters(book: Book, lines: Iterable[Line], last: int, session: int | None = None) -> Iterator[Chapter]:
    """Yield the chapters with these lines, or only the chapter of a session.

    Leave out a chapter between two sessions if it has no lines.
    """
    number: int | None = None
    title, date, present, first = "", "", tuple[str, ...](), 1
    scenes: list[tuple[str, list[Line]]] = [("", [])]

    def chapter(last: int) -> Iterator[Chapter]:
        if (number is None and not any(lines for _, lines in scenes)) or session not in {None, number}:
            return
        filled = tuple(
            Scene(title=name, lines=tuple(lines), told=tuple(" ".join(sentences_of(book, each)) for each in lines))
            for name, lines in scenes
            if name or lines
        )
        yield Chapter(number=number, title=title, date=date, present=present, scenes=filled, first=first, last=last)

    for action in lines:
        event = action.event
        if isinstance(event, events.SessionOpened) or (isinstance(event, events.SessionClosed) and number is not None):
            begins = action.entries[0].since
            yield from chapter(begins - 1)
            number, title, date, present, scenes, first = None, "", "", (), [("", [])], begins
        if isinstance(event, events.SessionOpened):
            number, title, date = event.number, typed_words(event.title), local_date(action.at, book.zone(action.act))
            present = tuple(person(book, who) for who in event.present)
        elif isinstance(event, events.PlayersPresent):
            present += tuple(person(book, who) for who in event.players)
        elif isinstance(event, events.SceneSet):
            scenes.append((typed_words(event.title), []))
        elif not _is_left_out(action):
            scenes[-1][1].append(action)
    yield from chapter(last)


def _is_left_out(action: Line) -> bool:
    """Return True if the story leaves out an action, for example a turn without moves."""
    event = action.event
    if isinstance(event, events.RollSealed):
        return event.unseen
    is_secret_note = isinstance(event, events.NoteKept) and event.text.text is None
    return is_secret_note or (event.chronicle_rule == "accompanied" and not action.further)


def _as_written(book: Book, when: AsOf, progress: OnProgress) -> Iterator[Line]:
    act = 1
    while act <= min(when.seq, book.head()):
        entries = book.action(act)
        action = line(book, entries, when)
        act = entries[-1].seq + 1
        progress(2 * len(entries))
        if action.struck is None or not isinstance(action.event, HEADINGS):
            yield action
        elif (instead := _replacement(book, entries[0], when)) is not None:
            yield line(book, [instead], when)


def _replacement(book: Book, heading: Entry, when: AsOf) -> Entry | None:
    by = book.accounts.mark(STRUCK, str(heading.act), when)
    if by is None:
        return heading
    same = (entry for entry in book.action(book.journal.entry(by).act) if entry.type == heading.type)
    again = next((entry for entry in same if entry.since == heading.since), None)
    return None if again is None else _replacement(book, again, when)


def _as_corrected(book: Book, when: AsOf, first: int, last: int, progress: OnProgress) -> Iterator[Line]:
    """Yield actions in the order of their effect. Omit canceled actions, answered questions and revealed rolls."""
    for entries in corrected_actions(book, first, last, when, progress):
        progress(len(entries))
        action = line(book, entries, NOW.replace(corrected=True, known=when.known))
        if not (isinstance(action.event, events.QuestionAsked | events.RollSealed) and action.answered):
            yield action
