"""The base classes of commands, and the protocols of the objects that commands use.

`State` and `Roster` give access to the current state and the players. `History` and `Custody` are for the few commands
about earlier entries or about the book itself. A `Draft` is a unit of work: a command reads the state from it and adds
events to it, and later reads include the added events. There are three kinds of drafts: `draft.LiveDraft` writes,
`corrections.in_place.InPlace` decides an old command again in its place, and `Sketch` only keeps the events in memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar

from ledger.errors import SecretNotHere
from ledger.events.canonical import canonical_json
from ledger.events.commitments import CommittedText, Secret, lacks_secret_text, with_texts
from ledger.events.entry import Entry, jsonable, lead_of
from ledger.events.facts import Position
from ledger.events.subjects import CAMPAIGN, Question, player_of, plays
from ledger.events.types import Event
from ledger.rules.dice import Pool, ThrownDice
from ledger.rules.rulings import Effect
from ledger.values import Field, Struct

if TYPE_CHECKING:
    from ledger.rules.move import Move


class State(Protocol):
    """The current balances, marks, questions and entries."""

    def balance(self, who: str, score: str) -> int | None:
        """Return the balance of a score, or `None` if it has no postings."""

    def last_gain_action(self, who: str, score: str) -> int:
        """Return the last action that raised a score, 0 if none did.

        If a correction raised the score, return the action that was corrected.
        """

    def mark(self, who: str, name: str) -> Any:
        """Return the value of a mark, or `None` if the mark is not set."""

    def scores(self, who: str, prefix: str) -> list[str]:
        """Return the names of scores that start with `prefix`, in order. Leave out scores whose balance is 0."""

    def score_names(self, who: str) -> list[str]:
        """Return the full names of the scores on a character's sheets, in order."""

    def mark_names(self, who: str) -> list[str]:
        """Return the full names of the marks on a character's sheets, in order."""

    def scores_used_before(self) -> Collection[str]:
        """Return the full names of the scores that an old roll used, if this state is for deciding that roll again.

        Return an empty collection in all other states.
        """

    def secret(self, mark: Mapping[str, Any]) -> Secret:
        """Return the secret in the value of a mark. Raise `SecretNotHere` if this file lacks it."""

    def is_struck(self, act: int) -> bool:
        """Return True if an action is struck."""

    def question(self, seq: int) -> Question:
        """Return the state of the question that entry `seq` asked: open, answered or canceled."""

    def questions(self) -> list[int]:
        """Return the numbers of the open questions."""

    def holding_question(self, who: str) -> int:
        """Return the number of the first open question that holds a character. The character must be held."""

    def entry(self, seq: int, *, secrets: bool = False) -> Entry:
        """Return an entry with its texts, and its secrets if `secrets` is True. Raise an error for an unknown `seq`."""

    def action(self, act: int, *, secrets: bool = False) -> list[Entry]:
        """Return the entries of an action and their texts. If `secrets` is True, add their secrets."""


class Roster(Protocol):
    """The players and their characters."""

    def players(self) -> dict[str, str]:
        """Return the names of the players at the table, by handle."""

    def former_players(self) -> dict[str, str]:
        """Return the names of the players who left the table, by handle."""

    def current_players(self) -> dict[str, str]:
        """Return the current names of the players, by handle, even if the draft decides an old command again."""

    def full_names(self) -> dict[str, str]:
        """Return the full names, by character and by player handle. Leave out erased names."""

    def current_full_names(self) -> dict[str, str]:
        """Return the current full names, like `full_names`, even if the draft decides an old command again."""

    def present_players(self) -> Collection[str] | None:
        """Return the players who are present in the open session. Return `None` if everybody counts as present."""

    def last_handle_number(self) -> int:
        """Return the highest number of a player handle ever assigned. No handle is assigned twice."""

    def sheets(self) -> list[tuple[str, str]]:
        """Return the character and the game of each sheet, sorted by game."""


class History(Protocol):
    """All entries so far, and their corrections."""

    def head(self) -> int:
        """Return the number of the last entry."""

    def as_of(self, place: int, known: int | None = None) -> StateAndRoster:
        """Return the state before entry `place`. Apply all later corrections, or only those up to entry `known`."""

    def corrected_rows(self, head: int) -> Iterator[tuple[str, str, int]]:
        """Yield each score or mark that was corrected after entry `head`.

        Each result has the subject, the name of the score or mark, and the first entry at which the correction takes
        effect.
        """

    def search(self, types: Iterable[str], first: int, naming: Iterable[str]) -> Iterator[Entry]:
        """Yield the entries of these types, from `first` on, with one of these names as a JSON key. Leave out texts."""

    def canceled_and_restored(self, targets: list[int], act: int) -> tuple[list[int], list[int]]:
        """Return the actions that a strike would cancel, and the actions that it would restore.

        `targets` are the actions to strike. `act` is the action that would strike them.
        """

    def comments_on(self, act: int) -> list[int]:
        """Return the entries about an action, except canceled ones."""

    def mark_entry(self, who: str, name: str) -> int:
        """Return the number of the entry that set or restored the value of a mark. Return 0 for a mark not set."""

    def acts_backwards(self, last: int | None = None) -> Iterator[int]:
        """Yield the actions up to entry `last` (default: all), the latest first."""

    def copy(self, seq: int) -> Event:
        """Return the event of an entry with its texts, to write it again. Raise `SecretNotHere` without a secret."""


class Custody(History, Protocol):
    """All entries so far, their hash tree, and their texts."""

    def root(self, size: int) -> bytes:
        """Return the root of the tree of the first `size` entries."""

    def consistency_proof(self, size1: int, size2: int) -> list[bytes]:
        """Return the proof that the tree of `size2` entries continues the tree of `size1` entries."""

    def erasable_fields(self, seq: int) -> dict[int, tuple[str, ...]]:
        """Return the fields with a text to erase, by entry number, for an entry and the entries linked to it."""

    def check_words(self, seq: int) -> None:
        """Raise `WrongEntry` if the texts of an entry do not match its commitments."""


class StateAndRoster(State, Roster, Protocol):
    """State and roster, now or before an old entry."""


class Record(StateAndRoster, History, Protocol):
    """The current state, the players and the earlier entries, without a way to add events."""


class Draft(State, Protocol):
    """A unit of work: all added events are written in the end, or none. Reads include these events."""

    @property
    def head_before(self) -> int:
        """The number of the last entry before the command."""

    @property
    def next(self) -> int:
        """The number that the next event will get."""

    @property
    def has_known_dice(self) -> bool:
        """True if the dice are already known: they were typed, or belong to an old entry."""

    @property
    def has_faces(self) -> bool:
        """True if there are typed dice that no move has used yet."""

    def roll(self, pool: Pool | None, cost: tuple[Effect, ...] = ()) -> ThrownDice | None:
        """Roll a pool, or return the known dice. After this call, the command must not refuse anything.

        `cost` is paid regardless of the result. In a dry run, raise `StopDryRun` if the computer would have to roll.
        """

    def add(self, event: Event, cause: int | None = None, since: int | None = None) -> int:
        """Add an event that follows from entry `cause` and takes effect at entry `since`. Return its entry number."""

    def declare_secret(self, cost: tuple[Effect, ...] = ()) -> None:
        """Declare that the added events reveal a secret. In a dry run, raise `StopDryRun` to show only the cost."""


class TableDraft(Draft, Roster, Protocol):
    """A draft for commands that can be decided now, or decided again later in their old place."""


class BookDraft(TableDraft, Custody, Protocol):
    """A draft for commands about earlier entries, or about the book itself."""

    @property
    def by(self) -> str:
        """The handle of the player who enters the command."""


class StopDryRun(Exception):
    """An exception that ends a dry run before dice or secrets are shown. The scribe catches it."""

    def __init__(self, pool: Pool, cost: tuple[Effect, ...]) -> None:
        super().__init__()
        self.pool = pool
        self.cost = cost


class StateProxy:
    """A base class for drafts that read the state from another draft or from the book."""

    def __init__(self, source: StateAndRoster) -> None:
        self._source = source
        self.last_gain_action, self.scores, self.secret = source.last_gain_action, source.scores, source.secret
        self.question, self.questions, self.holding_question = (
            source.question,
            source.questions,
            source.holding_question,
        )
        self.score_names, self.mark_names = source.score_names, source.mark_names
        self.scores_used_before = source.scores_used_before
        self.entry, self.action, self.is_struck = source.entry, source.action, source.is_struck
        self.players, self.former_players = source.players, source.former_players
        self.current_players, self.present_players = source.current_players, source.present_players
        self.full_names, self.current_full_names = source.full_names, source.current_full_names
        self.last_handle_number, self.sheets = source.last_handle_number, source.sheets

    def balance(self, who: str, score: str) -> int | None:
        return self._source.balance(who, score)

    def mark(self, who: str, name: str) -> Any:
        return self._source.mark(who, name)


class Sketch(StateProxy):
    """A draft in memory that cannot roll dice. If `reveals_secret` is True, a dry run must hide the events."""

    has_known_dice = True
    has_faces = False

    def __init__(self, source: StateAndRoster, head_before: int) -> None:
        super().__init__(source)
        self.head_before = head_before
        self.added: list[PlannedEvent] = []
        self.reveals_secret = False

    @property
    def next(self) -> int:
        return self.head_before + len(self.added) + 1

    def roll(self, pool: Pool | None, cost: tuple[Effect, ...] = ()) -> ThrownDice | None:
        assert pool is None  # noqa: S101
        return None

    def add(self, event: Event, cause: int | None = None, since: int | None = None) -> int:
        at = Position(self.next, since or self.next)
        self.added.append(PlannedEvent(event=event.with_rows(at, self), cause=cause, since=since))
        return self.next - 1

    def declare_secret(self, cost: tuple[Effect, ...] = ()) -> None:
        self.reveals_secret = True

    def declare_secret_in(self, draft: Draft) -> None:
        """If this draft's events reveal a secret, declare the secret in `draft`, which gets these events."""
        if self.reveals_secret:
            draft.declare_secret()

    def balance(self, who: str, score: str) -> int | None:
        before = super().balance(who, score)
        postings = (posting for added in self.added for posting in added.event.postings)
        amounts = [posting.amount for posting in postings if (posting.who, posting.score) == (who, score)]
        return (before or 0) + sum(amounts) if amounts else before

    def mark(self, who: str, name: str) -> Any:
        marks = (mark for added in self.added for mark in added.event.marks)
        values = [mark.value for mark in marks if (mark.who, mark.name) == (who, name)]
        return values[-1] if values else super().mark(who, name)


class PlannedEvent(Struct):
    """An event in a draft, with the entry that caused it and the entry at which it takes effect."""

    event: Event
    cause: int | None
    since: int | None


class PageForm(Struct):
    """The form of a command on the GM's web page: the name of the command, a heading, and the text of the button."""

    name: str
    heading: str
    button: str


class Command(Struct):
    """The base class of commands. A command has inputs, and turns them into events.

    The fields of the first event have the names of the inputs. `writes` has the possible types of the first event. If
    the first event is a strike, `how` is its kind.

    - `planned`: the decision is slow, so the write lock is held only to append the result.
    - `scrubs`: after the command, all traces of deleted texts are removed from the file.
    - `uses_reserve`: the command is possible even if the campaign has as many entries as its host allows.
    - `asks`: the user must agree to a preview before the command writes.
    - `signs`: after the command, the head of the history is signed.
    - `is_kept`: the file keeps all inputs, so `from_action` can make the command again.
    - `for_players`: players may enter the command if all `acting_characters` are their own. The web page refuses all
      others (`refused_for`), and the audit names them.
    - `all_includes_npcs`: `all` also means the non-player characters of the session.
    - `form`: the standard form on the web page, if the command has one.
    """

    writes: ClassVar[tuple[str, ...]]
    how: ClassVar[str] = ""
    planned: ClassVar[bool] = False
    scrubs: ClassVar[bool] = False
    uses_reserve: ClassVar[bool] = False
    asks: ClassVar[bool] = False
    signs: ClassVar[bool] = False
    is_kept: ClassVar[bool] = True
    for_players: ClassVar[bool] = False
    all_includes_npcs: ClassVar[bool] = False
    form: ClassVar[PageForm | None] = None

    def decide(self, draft: BookDraft) -> None:
        """Add the resulting events. Raise a `LedgerError` if the command is not possible."""

    def entries_to_report(self, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        """Return the written entries that the caller gets, at least the first and the last. Default: all of them."""
        return entries

    def check_sheet(self, state: State) -> None:
        """Raise `NotOnSheet` if a sheet lacks something that the command needs. Default: do nothing."""

    def check_new_names(self, state: State) -> None:
        """Raise `Refused` for a new name that people would confuse with another one. Default: do nothing.

        Only new input is checked. The audit does not call this method, so old entries with such names stay valid.
        """

    def acting_characters(self, record: Record, seat: str) -> Sequence[str]:
        """Return the characters who act if `seat` enters the command, or `CAMPAIGN` if only the GM may enter it."""
        return ()

    def refused_for(self, record: Record, seat: str) -> Sequence[str]:
        """Return the acting characters that `seat` does not play, or `CAMPAIGN` if only the GM may enter the command.

        `seat` is a player who is not a GM. If the result is empty, the player may enter the command.
        """
        acting = self.acting_characters(record, seat) if self.for_players else (CAMPAIGN,)
        return [who for who in acting if player_of(record.mark, who) != seat or not plays(record.mark, who)]

    def difference_from(self, entries: Sequence[Entry]) -> str | None:
        """Compare this command with the command that wrote an action.

        Return the first difference, or "" if there is none. Return `None` if the two commands are of different kinds.
        Raise `SecretNotHere` if this file lacks a secret input.
        """
        first = lead_of(entries)
        if not self.wrote(first):
            return None
        before, now = self.recorded_inputs(first), jsonable(self)
        return describe_difference(first, before, {name: now[name] for name in before})

    def with_all_inputs(self, custody: Custody) -> Self:
        """Return the command with all inputs that its entry would record. `custody` is the book before that entry."""
        return self

    @classmethod
    def wrote(cls, first: Entry) -> bool:
        """Return True if this kind of command wrote an action that starts with this entry."""
        return first.type in cls.writes and getattr(first.event, "how", "") == cls.how

    @classmethod
    def from_entry(cls, entry: Entry) -> Self:
        """Make the command from its first entry, which must have its texts and secrets."""
        return cls(**with_texts(cls.recorded_inputs(entry)))

    @classmethod
    def recorded_inputs(cls, entry: Entry) -> dict[str, Any]:
        """Return the command's inputs from the first entry that it wrote. Default: the fields with the same names."""
        return {name: getattr(entry.event, name, None) for name in cls._fields}

    @classmethod
    def from_action(cls, state: State, entries: Sequence[Entry]) -> Self | None:
        """Make the command from its entries with their texts and secrets. Default: `from_entry`.

        `state` is the state before the action. Return `None` unless the command `is_kept`.
        """
        return cls.from_entry(lead_of(entries)) if cls.is_kept else None


CommandT = TypeVar("CommandT", bound=Command)


def class_and_subclasses(base: type[CommandT]) -> list[type[CommandT]]:
    """Return a command class and its subclasses, from all modules imported so far."""
    kinds = [base]
    for kind in kinds:
        kinds += kind.__subclasses__()
    return kinds


def commands_by_event_type(base: type[CommandT]) -> dict[str, list[type[CommandT]]]:
    """Map each type of event to the commands that may write it as their first event."""
    kinds = dict[str, list[type[CommandT]]]()
    for kind in class_and_subclasses(base):
        for event_type in kind.__dict__.get("writes", ()):
            kinds.setdefault(event_type, []).append(kind)
    return kinds


def describe_difference(entry: Entry, before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Describe the first difference between an entry's recorded inputs (`before`) and new inputs (`now`).

    Return "" if none differs. An erased text counts as equal to any text. Raise `SecretNotHere` for a missing secret.
    """
    if lacks_secret_text(jsonable(before)):
        raise SecretNotHere(entry.seq)
    return _difference(jsonable(before), jsonable(now), "")


def _difference(before: Any, now: Any, name: str) -> str:
    if isinstance(before, Secret):
        return "" if before.value == now else f"a different value for {name}"
    if isinstance(before, CommittedText) and before.text is None:
        return ""
    if isinstance(before, dict) and isinstance(now, dict):
        fields = ((before.get(key), now.get(key), key) for key in sorted(before.keys() | now.keys()))
        return next(filter(None, (_difference(*field) for field in fields)), "")
    lists = isinstance(before, list) and isinstance(now, list) and len(before) == len(now)
    if lists and not any(_difference(*pair, name) for pair in zip(before, now, strict=True)):
        return ""
    was = with_texts(before)
    return "" if was == now else f"a different value for {name}: {_text(was)}, not {_text(now)}"


def _text(value: Any) -> str:
    return "none" if value is None else canonical_json(value).decode()


class TableCommand(Command):
    """A command that an amendment can decide again in its old place."""

    def decide(self, draft: TableDraft) -> None:
        """Add the resulting events. Raise a `LedgerError` if the command is not possible."""

    def input_fields(self) -> Mapping[str, Field]:
        """Return the fields of the inputs that the method `changed` can change."""
        return self.fields()

    def input_values(self) -> Mapping[str, Any]:
        """Return the values of the inputs that the method `changed` can change."""
        return self.__dict__

    def changed(self, changes: Mapping[str, Any]) -> Self:
        """Return the command with changed inputs. In an input that is a mapping, change only the given values."""
        inputs = self.__dict__
        merged = {name: {**inputs[name], **new} if isinstance(new, Mapping) else new for name, new in changes.items()}
        return self.replace(**merged)

    def moves_after(self, state: State, ruling: Entry) -> tuple[Move, ...]:
        """Return the moves that follow immediately from the ruling. Raise `SecretNotHere` if a secret is missing."""
        return ()

    def replay(self, draft: TableDraft) -> None:
        """Decide this command alone. An amendment replays the moves that follow it one by one, as separate parts."""
        self.decide(draft)
