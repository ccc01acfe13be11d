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
from projections.log import FollowingMove, Line, lines_backwards
from projections.replay import OnProgress
from projections.wording import score_label

CHARACTER_EVENTS = events.CharacterJoined | events.CharacterLeft | events.CharacterReturned | events.NpcsSeated
TURN_EVENTS = (
    events.TurnAdded | events.TurnRolled | events.TurnBegan | events.TurnDelayed | events.RoundBegan | events.TurnsEnded
)
SCORE_EVENTS = (
    events.ScoreAdjusted | events.ScoresGiven | events.MarksSet | events.ScoreAsserted | events.SettingsChanged
)
TIME_EVENTS = events.CampaignOpened | events.SessionOpened | events.SessionClosed | events.SceneSet | events.DayBegun
PEOPLE_EVENTS = events.PlayerSeated | events.PlayerLeft | events.PlayersPresent | events.Renamed
EVENTS_BY_KIND: Mapping[str, type | UnionType] = {
    "rolls and moves": events.RulingEvent | events.RollSealed | events.DiceThrown | events.OfImport,
    "notes": events.NoteWritten,
    "scores and settings": SCORE_EVENTS,
    "corrections": events.Correction,
    "sessions, days and turns": TIME_EVENTS | TURN_EVENTS | events.InitiativeSet | events.CalendarSet,
    "players and characters": PEOPLE_EVENTS | CHARACTER_EVENTS,
}
"""The kinds of lines that a search can be limited to, each with its events. A line has the first kind that fits."""


class Query(Struct):
    """A search. An empty field fits every line. `words` are `folded`; `first` and `last` are entry numbers.

    `player` fits lines that this player entered, and lines about the characters in `played`. An imported roll fits the
    character and the player that the mapping gave it.
    """

    words: tuple[str, ...] = ()
    who: str = ""
    player: str = ""
    played: tuple[str, ...] = ()
    kind: str = ""
    first: int = 1
    last: int = BOUND


class SearchedLine(Struct):
    """The parts of a line that a search compares: its words (folded), characters, players and kind.

    `players` are the author and the players of imported rolls. `rolls` has the parts of each imported roll.
    """

    text: str
    who: frozenset[str]
    players: frozenset[str]
    kind: str
    rolls: tuple[SearchedLine, ...] = ()

    def fits(self, query: Query, text: str | None = None) -> bool:
        """Return True if the line fits the query. The caller checks the query's `first` and `last` entries.

        If `text` is given, look for the words in `text` instead of the words of the line.
        """
        if self.rolls and text is None:
            return any(roll.fits(query) for roll in self.rolls)
        return (
            (not query.who or query.who in self.who)
            and (not query.player or query.player in self.players or not self.who.isdisjoint(query.played))
            and query.kind in {"", self.kind}
            and has_words(self.text if text is None else text, query.words)
        )


def searched_line(shown: Line) -> SearchedLine:
    """Return the parts of a line that a search compares."""
    kind = next((kind for kind, types in EVENTS_BY_KIND.items() if isinstance(shown.event, types)), "")
    rolls = [
        SearchedLine(
            text=line_text(shown.replace(rolls=(roll,))),
            who=frozenset(filter(None, [roll.who])),
            players=frozenset(filter(None, [shown.by, roll.player])),
            kind=kind,
        )
        for roll in shown.rolls
    ]
    return SearchedLine(
        text=line_text(shown),
        who=frozenset(shown.names).union(*(roll.who for roll in rolls)),
        players=frozenset({shown.by}).union(*(roll.players for roll in rolls)),
        kind=kind,
        rolls=tuple(rolls),
    )


def with_rolls_found(shown: Line, query: Query) -> Line:
    """Add the rolls that fit the query to the line of an evening of imported rolls, below its heading.

    Return every other line unchanged. Also return the evening unchanged if its heading has all the words of the query,
    and the query names nobody except the player who imported the rolls.
    """
    names_somebody = query.who or query.player not in {"", shown.by}
    is_about_rolls = names_somebody or not has_words(line_text(shown.replace(rolls=())), query.words)
    if len(shown.rolls) <= 1 or not is_about_rolls:
        return shown
    fitting = zip(shown.rolls, searched_line(shown).rolls, strict=True)
    found = [f"#{roll.seq} {roll.says}" for roll, parts in fitting if parts.fits(query)]
    return shown.replace(note=(shown.says, *found))


def find_lines(
    book: Book, query: Query, when: AsOf = NOW, *, secrets: bool = False, progress: OnProgress = abs
) -> Iterator[Line]:
    """Yield the lines that fit, the latest first, without an index. With `secrets`, compare and show the secrets.

    The `note` of an evening of imported rolls lists the rolls that fit.

    Call `progress` with the number of entries of each line that was read.
    """
    for shown in lines_backwards(book, when, query.last, secrets=secrets):
        if shown.act < query.first:
            return
        progress(len(shown.entries))
        if searched_line(shown).fits(query):
            yield with_rolls_found(shown, query)


def search_words(typed: str) -> tuple[str, ...]:
    """Split a typed text into words to search for, without capitals and accents."""
    return tuple(folded(typed).split())


def has_words(text: str, words: Collection[str]) -> bool:
    """Return True if a folded text has all words."""
    return all(has_word(text, word) for word in words)


def line_text(shown: Line) -> str:
    """Return all texts of a line as one text, folded: without capitals and accents."""
    return folded(" ".join(words_of(shown)))


def words_of(shown: Line) -> Iterator[str]:
    """Yield those texts of a line that a search compares."""
    yield from (name for who, name in shown.names.items() if who != CAMPAIGN)
    yield from (shown.author, *shown.note, *(score_label(change.score) for change in shown.moved))
    # a line of several imported rolls shows only their number
    yield from (roll.says for roll in shown.rolls)
    moves: tuple[Line | FollowingMove, ...] = (shown, *shown.further)
    for move in moves:
        yield from (move.says, move.deed, move.dice)
        if move.verdict is not None:
            yield from (move.verdict.says, move.verdict.result_text)
