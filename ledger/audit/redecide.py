"""Redecide: decide every action again by today's rules, and compare the result with the journal.

An action is read back as the command that wrote it. The command is decided on what stood before, with the dice that are
written, in memory; it must come to the same entries, or the audit says where not. Erased words are left aside, and so
is which edition of a game an entry names. What the GM keeps secret is opened to be compared, and never told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, zip_longest
from typing import Any, Literal

from ledger.audit.check import Before, EntryCheck, Fault
from ledger.audit.declared_types import accepts_inputs, accepts_value
from ledger.audit.difference import Difference, as_sentence, difference_of
from ledger.commands import custody, days  # noqa: F401  with the corrections, they define every command
from ledger.commands.decider import Command, State, TableCommand, by_what_they_write
from ledger.commands.play import PlayMove
from ledger.corrections.actions import part_of
from ledger.corrections.answers import Choose, Take
from ledger.corrections.seals import sealed_events
from ledger.corrections.undoing import Amend
from ledger.draft import LiveDraft
from ledger.errors import Away, Broken, LedgerError, Refused, WrongFaces
from ledger.events import types as events
from ledger.events.commitments import ERASED, CommittedText, Secret, prepare_for_rewriting
from ledger.events.entry import SECRET, WORD, Entry, lead_of
from ledger.events.facts import BOOK_EDITION
from ledger.events.subjects import PLAYERS
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book
from ledger.journal.overlay import Overlay, WaitingAt
from ledger.journal.records import Backdated
from ledger.journal.store import Journal
from ledger.rules.dice import Die, Pool, ThrownDice
from ledger.rules.system import Remark, System

Agreement = Literal["again", "differs", "differs-edition", "unknown", "erased", "away"]
"""What came of deciding an entry again.

`again`: the same as written. `differs`: not so, under the same edition; `differs-edition`: under another. `unknown`:
the game is not installed here, does not know the move, or cannot take what stood before. `erased`: it hangs on words
that were erased; `away`: on a secret that is not in this file.
"""

DECIDED = events.RULINGS | {events.DiceCounted.type, events.TurnRolled.type}
"""The types of the entries whose outcome is reported."""

OTHER_WORDS = "(other words)"
"""Stands for erased words beside `ERASED`: what comes out alike with both does not hang on them."""

AWAY = "A secret that it needs is not in this file."

GameByName = Callable[[str], System | None]
"""A game by its name, None where it is not installed."""

MOST_RECENT = 5000
"""How many balances and marks are remembered; with more, all are read again."""

SALT = bytes(32)
"""Commitments that are made again are not compared; the texts are."""


class _Unfounded(Exception):
    """A game's rule crashed after an earlier difference, which may be the cause."""


class Decisions(EntryCheck):
    """Whether every action is the result of its command; keeps the class of each ruling, by its entry."""

    def __init__(self, book: Book, game: GameByName) -> None:
        self._book = book
        self._game = game
        self._editions: dict[str, str] = {}
        self._book_edition = 1  # of the corrections so far; a program never goes back to an earlier one
        self._recent = Recent()
        self._waiting = WaitingAt(book.journal.storage.rows)
        self._differed = False
        self.outcomes: dict[int, Agreement] = {}

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        if entry.seq == entry.act:
            entries = self._book.action(entry.act, secrets=True)
            yield from self._decided(entries)
            self._recent.forget(entries)
            self._editions |= dict(_editions(entries))
            self._book_edition = max([self._book_edition, *_book_editions(entries)])

    def _decided(self, entries: Sequence[Entry]) -> Iterator[Fault]:
        outcome, found = self._outcome(entries)
        first_wrong = found.since or found.seq
        for entry in entries:
            if entry.type in DECIDED:
                self.outcomes[entry.seq] = outcome if entry.seq >= first_wrong else "again"
        if outcome != "again":
            self._differed = True
            secret = any(SECRET in entry.stored for entry in entries)
            says = found.hushed if secret else found.says
            yield (found.seq, says) if outcome == "differs" else Remark(found.seq, says)

    def _outcome(self, entries: Sequence[Entry]) -> tuple[Agreement, Difference]:
        seq = lead_of(entries).seq
        undecidable = self._undecidable(entries)
        if undecidable is not None:
            outcome, says = undecidable
            return outcome, as_sentence(seq, says)
        try:
            difference = self._difference(entries, ERASED)
            if difference is not None and self._hangs_on_words(entries, difference):
                return "erased", as_sentence(seq, "It depends on texts that were erased.")
        except Away:
            return "away", as_sentence(seq, AWAY)
        except _Unfounded:
            return "unknown", as_sentence(seq, "Earlier entries differ from the rules, so this one cannot be checked.")
        if difference is None:
            return "again", as_sentence(seq, "")
        return "differs" if self._are_same_editions(entries) else "differs-edition", difference

    def _undecidable(self, entries: Sequence[Entry]) -> tuple[Agreement, str] | None:
        """Why an action cannot be decided again, with what that means; `None` where it can be."""
        event = lead_of(entries).event
        for name in _games(entries):
            if self._game(name) is None:
                return "unknown", f"The game {name} is not installed here."
        if any(_missing(entry, Secret.KEY) for entry in entries):
            return "away", AWAY
        if isinstance(event, events.MoveEvent) and (system := self._game(event.system)) is not None:
            move = system.move(event.move)
            if move is None or not accepts_inputs(move, event.inputs.keys()):
                says = f"The installed version of {system.name} has no move {event.move} with these inputs."
                return "differs" if self._are_same_editions(entries) else "unknown", says
        return None

    def _hangs_on_words(self, entries: Sequence[Entry], difference: Difference) -> bool:
        """Return True if erased words may explain a difference: other words would give another difference.

        A player who is seated again, also by an amendment, was found by name, and that name may be erased now.
        """
        before = AsOf(seq=entries[0].act - 1)
        erased = any(_missing(entry, CommittedText.KEY) for entry in entries)
        seated = [entry.event.player for entry in entries if isinstance(entry.event, events.PlayerSeated)]
        if any(self._book.accounts.mark(PLAYERS, player, before) for player in seated):
            return erased or any(handle == name for handle, name in self._book.players(before).items())
        return erased and difference != self._difference(entries, OTHER_WORDS)

    def _are_same_editions(self, entries: Sequence[Entry]) -> bool:
        """Whether today's rules are those of the editions that were named last before an action, or else in it.

        A correction may be about rulings of any game, and names the edition of the book's own rules.
        """
        if any(max(self._book_edition, edition) != BOOK_EDITION for edition in _book_editions(entries)):
            return False
        own = dict(_editions(entries))
        games = [*self._editions] if isinstance(lead_of(entries).event, events.Correction) else _games(entries)
        editions = {name: self._editions.get(name, own.get(name)) for name in games}
        installed = {name: game.edition for name in editions if (game := self._game(name)) is not None}
        return editions == installed

    def _difference(self, entries: Sequence[Entry], words: str) -> Difference | None:
        """Where today's rules come to something else; `words` stand for those that were erased."""
        first, act = lead_of(entries), entries[0].act
        self._recent.forget(entries)  # with other words, it was read before
        self._waiting.reach(act - 1)
        over = Overlay(self._book.journal.storage, act - 1, self._waiting)
        before = Book(Journal(over, self._book.journal.read))
        filled = [_filled(entry, words) for entry in entries]
        hand = RecordedDice(filled, by_todays_rules=self._are_same_editions(entries))
        draft = DecidedAgain(before, hand, over, entries, self._recent)
        try:
            command = command_of(before, filled)
            if command is None:
                return None
            if wrong := _wrong_input(before, command):
                return as_sentence(first.seq, f"Today's rules do not accept its input {wrong}.")
            command.decide(draft)
        except Away:
            raise
        except LedgerError as refused:
            says = f"Today's rules refuse it: {refused.sentence}"
            return Difference(seq=first.seq, says=says, hushed="Today's rules refuse it.")
        except Exception as bug:
            if self._differed:
                raise _Unfounded from bug
            game = next(iter(_games(entries)), "the table")
            raise Broken(game, first.seq, bug) from bug
        if over.last == entries[-1].seq and not over.entries.added:
            return None
        made = before.action(act, secrets=True)
        pairs = zip_longest(entries, made)
        return next(filter(None, (difference_of(was, now, entries[-1].seq) for was, now in pairs)), None)


class Recent:
    """Balances and marks as they were read, from one action to the next, until an entry changes them."""

    def __init__(self) -> None:
        self.balances: dict[tuple[str, str], int | None] = {}
        self.marks: dict[tuple[str, str], Any] = {}

    def forget(self, entries: Iterable[Entry]) -> None:
        """Forget the balances and marks that entries change; a strike may change any."""
        for event in (entry.event for entry in entries):
            if isinstance(event, events.ActionStruck) or len(self.balances) + len(self.marks) > MOST_RECENT:
                self.balances.clear()
                self.marks.clear()
            for posting in event.postings:
                self.balances.pop((posting.who, posting.score), None)
            for mark in event.marks:
                self.marks.pop((mark.who, mark.name), None)


class DecidedAgain(LiveDraft):
    """A draft over a journal that takes each event as written, as long as the journal has the same one."""

    def __init__(
        self, before: Book, hand: RecordedDice, over: Overlay, written: Sequence[Entry], recent: Recent
    ) -> None:
        first = written[0]
        began, salts, clock = first.seq - 1, lambda: SALT, first.closed.get("clock")
        place: dict[str, Any] = {"by": first.by, "at": first.at, "clock": clock, "once": first.once}
        super().__init__(before, hand, began=began, **place, salts=salts)
        self._over = over
        self._written = written
        self._recent = recent
        self._balances, self._marks = recent.balances, recent.marks

    def add(self, event: events.Event, cause: int | None = None, since: int | None = None) -> int:
        if self._over.entries.added:
            return super().add(event, cause, since)
        if not self._is_written(event, cause, since):
            self._balances, self._marks = {}, {}  # from here on, the state is another
            return super().add(event, cause, since)
        self._over.advance()
        self._recent.forget([self._written[self.next - self._written[0].seq]])
        self.next += 1
        return self.next - 1

    def entry(self, seq: int, *, secrets: bool = False) -> Entry:
        """Read an entry with its words open, from the journal if it is written there."""
        return Book.entry(self, seq, secrets=secrets)

    def late(self, head: int) -> Iterator[Backdated]:
        """Yield the scores and marks corrected after an entry, also by entries found in the journal."""
        return Book.late(self, head)

    def _is_written(self, event: events.Event, cause: int | None, since: int | None) -> bool:
        """Whether the journal goes on with this event, apart from the commitments of its words."""
        place = self.next - self._written[0].seq
        if place >= len(self._written) or isinstance(event, events.WordsErased):
            return False
        if isinstance(event, events.Correction):
            event = event.replace(edition=BOOK_EDITION)
        entry, first = self._written[place], self._written[0]
        if (entry.cause, entry.since, entry.by, entry.at) != (cause, since or entry.seq, first.by, first.at):
            return False
        if entry.clock != first.clock:
            return False
        has_words = WORD in entry.stored or SECRET in entry.stored
        return bool((prepare_for_rewriting(entry.event) if has_words else entry.event) == event)


class RecordedDice:
    """The dice of an action, handed out again in the same order."""

    def __init__(self, entries: Iterable[Entry], *, by_todays_rules: bool) -> None:
        recorded = [event for entry in entries for event in _events(entry)]
        self._throws = [event for event in recorded if isinstance(event, events.DiceThrown)]
        self._by_todays_rules = by_todays_rules

    @property
    def by_hand(self) -> bool:
        return bool(self._throws) and self._throws[0].source == "typed"

    @property
    def has_faces(self) -> bool:
        return self.by_hand

    def throw(self, pool: Pool) -> ThrownDice:
        """Hand out the next dice. Refuse (`WrongFaces`) if other dice were thrown, or none.

        If several characters throw, an old edition may have written all dice in one entry; then they are one again.
        """
        taken = self._throws[:1]
        if pool.of:
            ends = accumulate(len(thrown.dice) for thrown in self._throws)
            taken = self._throws[: sum(end <= len(pool.sides) for end in ends)] or taken
        del self._throws[: len(taken)]
        lie = Pool(sides=tuple(die.sides for thrown in taken for die in thrown.dice))
        if not taken or lie.sides != pool.sides:
            raise WrongFaces(f"It needs {pool}, but the record has {lie}.")
        dice = tuple(Die(sides=die.sides, face=die.face, digits=die.digits) for thrown in taken for die in thrown.dice)
        in_their_names = self._by_todays_rules or len(taken) > 1 or {taken[0].who} == {*pool.of}
        return ThrownDice(dice=dice, source=taken[0].source, of=pool.of if in_their_names else ())


# What an action says


WRITERS = {
    # a day or a turn is part of what skips days, or plays what a turn does
    kind: sorted(commands, key=lambda command: issubclass(command, TableCommand))
    for kind, commands in by_what_they_write(Command).items()
}
"""The commands by the event that each writes first; of several for an action, the first one that `wrote` it."""


def command_of(state: State, entries: Sequence[Entry]) -> Command | None:
    """Read back the command that wrote an action, with its words and secrets open; `state` is the state before it.

    `None` if the file lacks what the command needs: a private key, another history, erased words. Refuse (`Refused`) an
    action that no command writes, and (`UnknownName`) an unknown move.
    """
    first = lead_of(entries)
    command = next((command for command in WRITERS.get(first.type, ()) if command.wrote(first)), None)
    if command is None:
        raise Refused(f"{first.type} entries cannot be amended.")
    return command.from_action(state, entries)


def _events(entry: Entry) -> Iterable[events.Event]:
    """The event of an entry; of a sealed roll, those inside."""
    is_here = isinstance(entry.event, events.RollSealed) and entry.event.thrown.text is not None
    return sealed_events(entry) if is_here else [entry.event]


def _games(entries: Iterable[Entry]) -> Iterator[str]:
    for entry in entries:
        match entry.event:
            case (
                events.CharacterJoined(system=system)
                | events.SettingsChanged(system=system)
                | events.MoveEvent(system=system)
            ):
                yield system
            case events.Consequence(system=system):
                yield system
            case events.ScoreAdjusted(amounts=full) | events.MarksSet(values=full):
                yield from (name.partition("/")[0] for name in full)


def _editions(entries: Iterable[Entry]) -> Iterator[tuple[str, str]]:
    for entry in entries:
        event = entry.event
        if isinstance(event, events.CharacterJoined | events.MoveEvent):
            yield event.system, event.edition


def _book_editions(entries: Iterable[Entry]) -> list[int]:
    return [entry.event.edition for entry in entries if isinstance(entry.event, events.Correction)]


def _missing(entry: Entry, kind: str) -> list[str]:
    if SECRET not in entry.stored and WORD not in entry.stored:
        return []
    texts = entry.texts or {}
    return [field for field, held, _ in entry.committed() if held == kind and field not in texts]


def _filled(entry: Entry, words: str) -> Entry:
    gone = dict.fromkeys(_missing(entry, CommittedText.KEY), words)
    return entry.replace(texts={**(entry.texts or {}), **gone}) if gone else entry


def _wrong_input(before: Book, command: Command) -> str:
    """The input that a command cannot have been given, by its declared kind and limits; "" where all are well."""
    match command:
        case PlayMove(move=move):
            fields, inputs = move.fields(), move.__dict__
        case (
            Choose(question=about, chosen=inputs)
            | Take(ruling=about, chosen=inputs)
            | Amend(named=about, inputs=inputs)
        ):
            said = part_of(before, about)[1].said
            fields = said.move.fields() if isinstance(said, PlayMove) else said.fields()
        case TableCommand():
            fields, inputs = command.fields(), command.__dict__
        case _:
            return ""
    return next(
        (name for name, said in inputs.items() if name not in fields or not accepts_value(fields[name], said)), ""
    )
