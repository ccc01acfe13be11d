"""The search of the log: which lines fit words, a character, a player, a kind and a session."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import UnionType

from ledger.events import types as events
from ledger.events.rows import BOUND
from ledger.events.subjects import CAMPAIGN
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.rules.spelling import folded, has_word
from ledger.values import Struct
from projections.import_phrases import roll_words
from projections.log import FollowingMove, Line, lines_backwards
from projections.replay import OnProgress
from projections.wording import score_label

CHARACTER_EVENTS = events.CharacterJoined | events.CharacterLeft | events.CharacterReturned | events.NpcsSeated
TURN_EVENTS = (
    events.TurnAdded | events.TurnRolled | events.TurnBegan | events.TurnDelayed | events.RoundBegan | events.TurnsEnded
)
SCORES = events.ScoreAdjusted | events.ScoresGiven | events.MarksSet | events.ScoreAsserted | events.SettingsChanged
TIMES = events.CampaignOpened | events.SessionOpened | events.SessionClosed | events.SceneSet | events.DayBegun
PEOPLE = events.PlayerSeated | events.PlayerLeft | events.PlayersPresent | events.Renamed
KINDS: Mapping[str, type | UnionType] = {
    "rolls and moves": events.RulingEvent | events.RollSealed | events.DiceThrown | events.OfImport,
    "notes": events.NoteWritten,
    "scores and settings": SCORES,
    "corrections": events.Correction,
    "sessions, days and turns": TIMES | TURN_EVENTS | events.InitiativeSet | events.CalendarSet,
    "players and characters": PEOPLE | CHARACTER_EVENTS,
}
"""The kinds of lines that a search can be limited to, and the events of each kind. The first kind that fits counts."""


class Query(Struct):
    """A search. An empty field fits every line. `words` are `folded`; `first` and `last` are entry numbers.

    `player` fits lines that this player entered, and lines about the `played` characters.
    """

    words: tuple[str, ...] = ()
    who: str = ""
    player: str = ""
    played: tuple[str, ...] = ()
    kind: str = ""
    first: int = 1
    last: int = BOUND


class SearchedLine(Struct):
    """The parts of a line that a search compares: its words (folded), characters, author and kind."""

    text: str
    who: frozenset[str]
    player: str
    kind: str

    def fits(self, query: Query, text: str | None = None) -> bool:
        """Return True if the line fits the query. The caller checks the query's `first` and `last` entries.

        If `text` is given, look for the words in `text` instead of the words of the line.
        """
        return (
            (not query.who or query.who in self.who)
            and (query.player in {"", self.player} or not self.who.isdisjoint(query.played))
            and query.kind in {"", self.kind}
            and has_words(self.text if text is None else text, query.words)
        )


def searched(shown: Line) -> SearchedLine:
    """Return the parts of a line that a search compares."""
    return SearchedLine(
        text=line_text(shown),
        who=frozenset(shown.names),
        player=shown.by,
        kind=next((kind for kind, types in KINDS.items() if isinstance(shown.event, types)), ""),
    )


def find_lines(
    book: Book, query: Query, when: AsOf = NOW, *, secrets: bool = False, progress: OnProgress = abs
) -> Iterator[Line]:
    """Yield the lines that fit, the latest first, without an index. With `secrets`, compare and show the secrets.

    Call `progress` with the number of entries of each line that was read.
    """
    for shown in lines_backwards(book, when, query.last, secrets=secrets):
        if shown.act < query.first:
            return
        progress(len(shown.entries))
        if searched(shown).fits(query):
            yield shown


def search_words(typed: str) -> tuple[str, ...]:
    """Split a typed text into words to search for, without capitals and accents."""
    return tuple(folded(typed).split())


def has_words(text: str, words: Collection[str]) -> bool:
    """Return True if a folded text has all words."""
    return all(has_word(text, word) for word in words)


def line_text(shown: Line) -> str:
    """Return the words of a line, folded."""
    return folded(" ".join(words_of(shown)))


def words_of(shown: Line) -> Iterator[str]:
    """Yield the texts of a line that a search compares."""
    yield from (name for who, name in shown.names.items() if who != CAMPAIGN)
    yield from (shown.author, *shown.note, *(score_label(change.score) for change in shown.moved))
    # a line of several imported rolls shows only their number
    yield from (roll_words(entry.event) for entry in shown.entries if isinstance(entry.event, events.RollImported))
    moves: tuple[Line | FollowingMove, ...] = (shown, *shown.further)
    for move in moves:
        yield from (move.says, move.deed, move.dice)
        if move.verdict is not None:
            yield from (move.verdict.says, move.verdict.result_text)
