"""A check that decides every action again under today's rules, and compares the result with the journal.

The check turns each action back into the command that wrote it, and runs the command in memory, with the state before
the action and the recorded dice. This must give the same entries; the audit reports the first difference. It does not
compare erased texts, and it does not compare editions. It compares secrets, but the report never contains them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, takewhile, zip_longest
from typing import Any, Literal

from ledger.audit.check import EntryCheck, Fault, PastEntries
from ledger.audit.difference import Difference, difference_of
from ledger.audit.games import games_of
from ledger.commands import custody, days, imports  # noqa: F401  with the corrections, they define every command
from ledger.commands.decider import Command, State, TableCommand, commands_by_event_type
from ledger.corrections.actions import OPENING_SEQ, part_of
from ledger.corrections.answers import AcceptOffer, Choose
from ledger.corrections.reasons import close_questions
from ledger.corrections.seals import sealed_events
from ledger.corrections.undoing import Amend
from ledger.draft import LiveDraft
from ledger.errors import Broken, LedgerError, Refused, SecretNotHere, WrongFaces
from ledger.events import types as events
from ledger.events.commitments import ERASED, CommittedText, Secret, prepare_for_rewriting
from ledger.events.entry import SECRET_START, Entry, lead_of
from ledger.events.facts import BOOK_EDITION, Header, Position
from ledger.events.subjects import CAMPAIGN, PLAYERS
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book
from ledger.journal.overlay import OpenQuestions, Overlay
from ledger.journal.store import Journal
from ledger.rules.dice import Pool, ThrownDice
from ledger.rules.move import Move
from ledger.rules.system import Remark, System
from ledger.values import Field

Agreement = Literal["again", "differs", "differs-edition", "unknown", "erased", "away"]
"""The result of deciding an entry again.

- `again`: the entry is the same.
- `differs`: the entry differs, although the edition of the rules is the same.
- `differs-edition`: the entry differs, and the edition of the rules differs too.
- `unknown`: there is no result, because the game is not installed, lacks the move, or fails on the state at that time.
- `erased`: the result depends on erased texts.
- `away`: the result depends on a secret that this file lacks.
"""

REPORTED_TYPES = events.RULING_TYPES
"""The types of entries whose result (`Agreement`) appears in the report."""

OTHER_WORDS = "(other words)"
"""A second replacement for erased texts, after `ERASED`. If it changes a difference, these texts may be the cause."""

MOST_CACHED_VALUES = 5000
"""The maximum number of balances and marks in a cache. A fuller cache is cleared."""

SALT = bytes(32)
"""The salt for new commitments. Any salt will do, because only the texts are compared."""


class _Undecided(Exception):
    """The error if an action cannot be decided again. Its message is a sentence for the report, with the reason."""

    def __init__(self, outcome: Agreement, says: str) -> None:
        super().__init__(says)
        self.outcome = outcome


class DecisionsCheck(EntryCheck):
    """A check that every action is the result of its command.

    - `outcomes`: the result of each ruling or total.
    - `refused_for`: the result of `Command.refused_for` for the author of each action, without empty results. A GM has
      no results.
    - `game`: finds an installed game by its name.
    - `found_difference`: an earlier check found that an entry before this pass differs from the rules.
    """

    kept = "_editions", "_book_edition"

    def __init__(self, book: Book, game: Callable[[str], System | None], *, found_difference: bool = False) -> None:
        self._book = book
        self._game = game
        self._editions: dict[str, str] = {}
        self._book_edition = 1  # the latest one in the corrections so far; editions never go back
        self._cache = ValueCache()
        self._waiting = OpenQuestions(book.journal.storage.rows)
        self._found_difference = found_difference
        self.outcomes: dict[int, Agreement] = {}
        self.refused_for: dict[int, tuple[str, ...]] = {}
        self._player = ""  # the author of the last action, if it is not a GM

    def start(self, past: PastEntries) -> None:
        if self._editions:  # from `resume`
            return
        types = (events.CharacterJoined.type, *events.MOVE_TYPES, *events.CORRECTION_TYPES)
        earlier = past.book.journal.search(types, 1, ("edition",))
        self._add_editions(takewhile(lambda entry: entry.seq <= past.head, earlier))

    def _add_editions(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            match entry.event:
                case events.CharacterJoined() | events.MoveEvent() as event:
                    self._editions[event.system] = event.edition
                case events.Correction() as event:
                    self._book_edition = max(self._book_edition, event.edition)

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        if entry.seq == entry.act:
            entries = self._book.action(entry.act, secrets=True)
            self._player = "" if entry.seq == OPENING_SEQ or past.is_gm(entry.by) else entry.by
            kind = _kind_of(lead_of(entries)) if self._player else None
            if kind and not kind.for_players:
                self.refused_for[entry.act] = (CAMPAIGN,)
            yield from self._compare(entries)
            self._cache.forget(entries)
            self._add_editions(entries)

    def _compare(self, entries: Sequence[Entry]) -> Iterator[Fault]:
        outcome, difference = self._outcome(entries)
        first_wrong = difference.since or difference.seq
        for entry in entries:
            if entry.type in REPORTED_TYPES:
                self.outcomes[entry.seq] = outcome if entry.seq >= first_wrong else "again"
        if outcome != "again":
            self._found_difference = True
            has_secret = any(SECRET_START in entry.stored for entry in entries)
            says = difference.masked if has_secret and difference.masked else difference.says
            yield (difference.seq, says) if outcome == "differs" else Remark(difference.seq, says)

    def _outcome(self, entries: Sequence[Entry]) -> tuple[Agreement, Difference]:
        seq = lead_of(entries).seq
        try:
            self._check_decidable(entries)
            difference = self._difference(entries, ERASED)
            if difference is None:
                return "again", Difference(seq=seq, says="")
            if self._depends_on_erased(entries, difference):
                return "erased", Difference(seq=seq, says="This action depends on texts that were erased.")
        except SecretNotHere:
            return "away", Difference(seq=seq, says="This action needs a secret that is not in this file.")
        except _Undecided as reason:
            return reason.outcome, Difference(seq=seq, says=str(reason))
        return "differs" if self._has_todays_editions(entries) else "differs-edition", difference

    def _check_decidable(self, entries: Sequence[Entry]) -> None:
        """Raise `_Undecided` if a game or a move is not installed, and `SecretNotHere` if a secret is missing."""
        event = lead_of(entries).event
        for name in _games(entries):
            if self._game(name) is None:
                raise _Undecided("unknown", f"The game {name} is not installed here.")
        for entry in entries:
            if _missing_fields(entry, Secret.KEY):
                raise SecretNotHere(entry.seq)
        if isinstance(event, events.MoveEvent) and (system := self._game(event.system)) is not None:
            move = system.move(event.move)
            if move is None or not _accepts_inputs(move, event.inputs):
                says = f"The installed version of {system.name} has no move {event.move} with these inputs."
                raise _Undecided("differs" if self._has_todays_editions(entries) else "unknown", says)

    def _depends_on_erased(self, entries: Sequence[Entry], difference: Difference) -> bool:
        """Return True if erased texts may be the cause of a difference.

        To test this, decide the action again with other words in place of the erased texts. If the difference
        changes, the erased texts may be its cause.
        """
        before = AsOf(seq=entries[0].act - 1)
        erased = any(_missing_fields(entry, CommittedText.KEY) for entry in entries)
        seated = [entry.event.player for entry in entries if isinstance(entry.event, events.PlayerSeated)]
        if any(self._book.accounts.mark(PLAYERS, player, before) for player in seated):
            # known players are found by name, so an erased name may explain a difference too
            return erased or any(handle == name for handle, name in self._book.players(before).items())
        return erased and difference != self._difference(entries, OTHER_WORDS)

    def _has_todays_editions(self, entries: Sequence[Entry]) -> bool:
        """Return True if an action was made under today's editions of the rules."""
        if any(max(self._book_edition, edition) != BOOK_EDITION for edition in _book_editions(entries)):
            return False
        entry_editions = _editions(entries)
        # a correction can affect any game; earlier actions recorded a game's edition, or else this action did
        games = [*self._editions] if isinstance(lead_of(entries).event, events.Correction) else _games(entries)
        editions = {name: self._editions.get(name, entry_editions.get(name)) for name in games}
        installed = {name: game.edition for name in editions if (game := self._game(name)) is not None}
        return editions == installed

    def _difference(self, entries: Sequence[Entry], words: str) -> Difference | None:
        """Return the first difference between an action and today's result for it. `words` replaces erased texts."""
        first, act = lead_of(entries), entries[0].act
        self._cache.forget(entries)  # needed for the second run, with `OTHER_WORDS`
        self._waiting.advance_to(act)
        overlay = Overlay(self._book.journal.storage, act - 1, self._waiting)
        before = Book(Journal(overlay, self._book.journal.read))
        filled = [_fill_erased_texts(entry, words) for entry in entries]
        dice = RecordedDice(filled, by_todays_rules=self._has_todays_editions(entries))
        draft = AuditDraft(before, dice, overlay, entries, self._cache)
        try:
            command = command_of(before, filled)
            if command is None:
                return None
            if self._player and (refused_for := command.refused_for(before, self._player)):
                self.refused_for[act] = tuple(refused_for)
            if wrong := _wrong_input(before, command):
                return Difference(seq=first.seq, says=f"Today's rules do not accept the input {wrong}.")
            command.decide(draft)
            close_questions(draft, draft.first.seq, draft.questions_to_check())
        except SecretNotHere:
            raise
        except LedgerError as refused:
            says = f"Today's rules refuse this action: {refused.sentence}"
            return Difference(seq=first.seq, says=says, masked="Today's rules refuse this action.")
        except Exception as bug:
            if self._found_difference:
                says = "This entry cannot be checked, because earlier entries differ from the rules."
                raise _Undecided("unknown", says) from bug
            game = next(iter(_games(entries)), "the table")
            raise Broken(game, first.seq, bug) from bug
        if overlay.last == entries[-1].seq and not overlay.entries.added:
            return None
        redone = before.action(act, secrets=True)
        pairs = zip_longest(entries, redone)
        return next(filter(None, (difference_of(old, new, entries[-1].seq) for old, new in pairs)), None)


class ValueCache:
    """A cache of balances and marks that lasts for several actions. `forget` removes the values that entries change."""

    def __init__(self) -> None:
        self.balances: dict[tuple[str, str], int | None] = {}
        self.marks: dict[tuple[str, str], Any] = {}

    def forget(self, entries: Iterable[Entry]) -> None:
        """Remove the balances and marks that these entries change. If one of the entries is a strike, remove all."""
        for event in (entry.event for entry in entries):
            if isinstance(event, events.ActionStruck) or len(self.balances) + len(self.marks) > MOST_CACHED_VALUES:
                self.balances.clear()
                self.marks.clear()
            for posting in event.postings:
                self.balances.pop((posting.who, posting.score), None)
            for mark in event.marks:
                self.marks.pop((mark.who, mark.name), None)


class AuditDraft(LiveDraft):
    """A draft that uses journal entries while they match the new events. After a mismatch, it writes new entries."""

    def __init__(
        self, before: Book, dice: RecordedDice, overlay: Overlay, written: Sequence[Entry], cache: ValueCache
    ) -> None:
        first = Header.of_checked({name: written[0].raw.get(name) for name in Header._fields})
        super().__init__(before, dice, first, lambda: SALT)
        self._overlay = overlay
        self._written = written
        self._cache = cache
        self._balances, self._marks = cache.balances, cache.marks

    def add(self, event: events.Event, cause: int | None = None, since: int | None = None) -> int:
        if self._overlay.entries.added:
            return super().add(event, cause, since)
        if not self._is_written(event, cause, since):
            self._balances, self._marks = {}, {}  # from here on, the state differs from the journal
            return super().add(event, cause, since)
        self._overlay.advance()
        self._cache.forget([self._written[self.next - self._written[0].seq]])
        self.next += 1
        return self.next - 1

    def events_so_far(self) -> Iterator[events.Event]:
        yield from (self.journal.entry(seq).event for seq in range(self.first.seq, self.next))

    entry, corrected_rows = Book.entry, Book.corrected_rows  # because the overlay has the entries of this action too

    def _is_written(self, event: events.Event, cause: int | None, since: int | None) -> bool:
        """Return True if the next entry in the journal has this event, cause and place. Do not compare commitments."""
        number = self.next - self._written[0].seq
        if number >= len(self._written) or isinstance(event, events.WordsErased):
            return False
        if isinstance(event, events.Correction):
            event = event.replace(edition=BOOK_EDITION)
        entry, first = self._written[number], self._written[0]
        place = cause, since or entry.seq, first.by, first.at, first.clock, first.line
        if (entry.cause, entry.since, entry.by, entry.at, entry.clock, entry.line) != place:
            return False
        event = event.with_rows(Position(entry.seq, entry.since), self)
        return bool((prepare_for_rewriting(entry.event) if entry.has_words else entry.event) == event)


class RecordedDice:
    """The dice source of the audit: an action's recorded dice, in order."""

    def __init__(self, entries: Iterable[Entry], *, by_todays_rules: bool) -> None:
        recorded = [event for entry in entries for event in _events(entry)]
        self._throws = [event for event in recorded if isinstance(event, events.DiceThrown)]
        self._by_todays_rules = by_todays_rules

    @property
    def is_typed(self) -> bool:
        return bool(self._throws) and self._throws[0].source == "typed"

    has_faces = is_typed

    def throw(self, pool: Pool) -> ThrownDice:
        """Return the next recorded dice. Raise `WrongFaces` if there are none, or if they do not fit the pool."""
        taken = self._throws[:1]
        if pool.of:  # each character has an entry with dice; old editions wrote one entry for all characters
            end_counts = accumulate(len(thrown.dice) for thrown in self._throws)
            taken = self._throws[: sum(end <= len(pool.sides) for end in end_counts)] or taken
        del self._throws[: len(taken)]
        recorded = Pool(sides=tuple(die.sides for thrown in taken for die in thrown.dice))
        pool = pool.after([die.face for thrown in taken for die in thrown.dice])
        if not taken or recorded.sides != pool.sides:
            raise WrongFaces(f"The roll needs {pool}, but the record has {recorded}.")
        dice = tuple(die for thrown in taken for die in thrown.dice)
        has_throwers = self._by_todays_rules or len(taken) > 1 or {taken[0].who} == {*pool.of}
        return ThrownDice(dice=dice, source=taken[0].source, of=pool.of if has_throwers else ())


# From an action back to its command


COMMANDS_BY_EVENT = {
    # table commands come last: `BeginDay` and `BeginTurn` are only parts of other commands
    kind: sorted(commands, key=lambda command: issubclass(command, TableCommand))
    for kind, commands in commands_by_event_type(Command).items()
}
"""The commands, by the type of their first event. If several share a type, `Command.wrote` tells them apart."""


def command_of(state: State, entries: Sequence[Entry]) -> Command | None:
    """Return the command that wrote an action. The entries must have their texts and secrets.

    `state` is the state before the action. Return `None` if this file lacks something that the command needs, such as
    an erased text. Raise `Refused` if no command writes such an action, and `UnknownName` for an unknown move.
    """
    first = lead_of(entries)
    kind = _kind_of(first)
    if kind is None:
        raise Refused(f"{first.type} entries cannot be amended.")
    return kind.from_action(state, entries)


def _kind_of(first: Entry) -> type[Command] | None:
    """Return the kind of command that wrote an action with this first entry, or `None` if there is no such command."""
    return next((kind for kind in COMMANDS_BY_EVENT.get(first.type, ()) if kind.wrote(first)), None)


def _events(entry: Entry) -> Iterable[events.Event]:
    """Return the event of an entry, or the events inside a sealed roll if this file has them."""
    has_sealed_text = isinstance(entry.event, events.RollSealed) and entry.event.thrown.text is not None
    return sealed_events(entry) if has_sealed_text else [entry.event]


def _games(entries: Iterable[Entry]) -> Iterable[str]:
    return dict.fromkeys(name for entry in entries for name in games_of(entry.event))


def _editions(entries: Iterable[Entry]) -> dict[str, str]:
    joined_or_moved = (e.event for e in entries if isinstance(e.event, events.CharacterJoined | events.MoveEvent))
    return {event.system: event.edition for event in joined_or_moved}


def _book_editions(entries: Iterable[Entry]) -> list[int]:
    return [entry.event.edition for entry in entries if isinstance(entry.event, events.Correction)]


def _missing_fields(entry: Entry, kind: str) -> list[str]:
    texts = entry.texts or {}
    return [field for field, own_kind, _ in entry.committed if own_kind == kind and field not in texts]


def _fill_erased_texts(entry: Entry, words: str) -> Entry:
    fillers = dict.fromkeys(_missing_fields(entry, CommittedText.KEY), words)
    return entry.replace(texts={**(entry.texts or {}), **fillers}) if fillers else entry


def _wrong_input(before: Book, command: Command) -> str:
    """Return the first input that does not fit its declared type and limits, or "" if all fit."""
    match command:
        case (
            Choose(question=about, chosen=inputs)
            | AcceptOffer(ruling=about, chosen=inputs)
            | Amend(named=about, inputs=inputs)
        ):
            fields = part_of(before, about)[1].command.input_fields()
        case TableCommand():
            fields, inputs = command.input_fields(), command.input_values()
        case _:
            return ""
    return next(
        (name for name, value in inputs.items() if name not in fields or not _accepts_value(fields[name], value)), ""
    )


def _accepts_inputs(move: type[Move], inputs: Mapping[str, Any]) -> bool:
    fields = move.fields()
    return {name for name, field in fields.items() if field.required} <= inputs.keys() <= fields.keys()


def _accepts_value(field: Field, value: Any) -> bool:
    if value is None:
        return field.optional
    if field.keyed:
        return isinstance(value, dict) and all(_accepts_item(field, item) for item in value.values())
    if field.many:
        return isinstance(value, list | tuple) and all(_accepts_item(field, item) for item in value)
    return _accepts_item(field, value)


def _accepts_item(field: Field, value: Any) -> bool:
    if field.choices:
        return bool(value in field.choices)
    if type(value) is not field.kind:
        return False
    size = len(value) if isinstance(value, str) else value
    return field.limit is None or field.limit.least <= size <= field.limit.most
