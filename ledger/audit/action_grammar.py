"""Pieces: an action read piece by piece, with nothing left over.

Each command writes its entries in one order: a play is its dice, its ruling and what follows from that; an amendment is
a strike and the parts of the struck action, each copied to the letter or, for the part that is named and those that may
have followed from it, played again or left out; the questions that a correction brings up come last. No rule of a game
is asked, so that any edition reads the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ledger.audit.check import Before, EntryCheck, Fault
from ledger.corrections.actions import OPENING, renumbered
from ledger.events import types as events
from ledger.events.canonical import substitute
from ledger.events.commitments import ERASED
from ledger.events.correction_events import How
from ledger.events.entry import Entry, lead_of, plain
from ledger.events.facts import Mark, Position
from ledger.events.subjects import ABOUT
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book

RootEvent = events.MovePlayed | events.QuestionAsked | events.DiceCounted
"""The events that rule on dice, or ask about them."""


class ActionGrammar(EntryCheck):
    """Whether each action is what one command writes."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._action: list[Entry] = []

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """Faults of the last action when a new one begins.

        Also of an entry that differs from its action's first in hand, time or id.
        """
        if entry.act == entry.seq:
            yield from self.end()
            self._action = []
        first = self._action[0] if self._action else entry
        if entry is not first and (entry.by, entry.at, entry.once) != (first.by, first.at, None):
            yield entry.seq, f"has a different author, time or id than the first entry of its action (#{first.seq})"
        self._action.append(entry)

    def end(self) -> Iterator[Fault]:
        reader = _Reader(self._book, self._action)
        if self._action:
            reader.read()
        entry = reader.next
        if reader.strikeless:
            yield reader.strikeless, "cancels nothing"
        elif entry is not None and entry.seq == entry.act:
            yield entry.seq, "cannot be an action by itself"
        elif entry is not None:
            yield entry.seq, f"does not belong in its action (#{entry.act})"


class _Reader:
    """Reads an action from its first entry on; `next` is the entry that no piece has taken yet.

    `strikeless` is a correction that has to strike something, and does not; 0 for none.
    """

    def __init__(self, book: Book, entries: Sequence[Entry]) -> None:
        self._book = book
        self._entries = entries
        self._at = 0
        self.strikeless = 0

    @property
    def next(self) -> Entry | None:
        """The entry after those that were taken, None after the last."""
        return self._entries[self._at] if self._at < len(self._entries) else None

    def _take(self, *types: type[events.Event], cause: int | None = None, since: int | None = None) -> Entry | None:
        """Take the next entry if it is of one of these types, has this cause, and counts from there, or from itself."""
        entry = self.next
        if entry is None or not isinstance(entry.event, types):
            return None
        if entry.cause != cause or entry.since != (since or entry.seq):
            return None
        self._at += 1
        return entry

    def read(self) -> None:  # noqa: C901, PLR0912  one case for each kind of command
        first = self._entries[0]
        event = first.event
        match event:
            case events.MovePlayed() | events.QuestionAsked() | events.DiceCounted() | events.DiceThrown():
                self._plays()
            case events.DayBegun():
                while self._take(events.DayBegun):
                    self._plays()
            case events.TurnBegan():
                self._take(events.TurnBegan)
                self._plays()
            case events.CampaignOpened():
                self._take(events.CampaignOpened)
                self._take(events.PlayerSeated)
            case events.HistoryForked():
                while self._take(events.HistoryForked):  # old files hold several in one action
                    pass
            case events.ActionStruck(how="redo"):
                self._take(events.ActionStruck)
            case events.ActionStruck(how="undo" | "void"):
                self._take(events.ActionStruck)
                self._questions(cascade=False)
            case events.ActionStruck(how="choose"):
                self._take(events.ActionStruck)
                self._parts(first, event, lambda part: True)
                self._questions(cascade=False)
                self._plays()
            case events.ActionAmended(cascade=cascade):
                self._amendment(None)
                self._questions(cascade=cascade)
            case events.PlayRewound():
                self._rewind(first)
            case events.QuestionDecided(choice=choice):
                self._decision(first, choice)
            case events.SecretRevealed(about=about):
                self._reveal(first, about)
            case _ if event.stands_alone:
                self._take(type(event))

    def _plays(self) -> None:
        while self._play(None, None):
            pass

    def _play(self, cause: int | None, since: int | None) -> bool:
        """Take one play: its dice, by who threw them, its root, and the consequences of that, in its own game."""
        begin, thrown = self._at, set[int]()
        while dice := self._take(events.DiceThrown, cause=cause, since=since):
            thrown.add(dice.seq)
        root = self._take(events.MovePlayed, events.QuestionAsked, events.DiceCounted, cause=cause, since=since)
        if root is None or not thrown <= set(root.throws):
            self._at = begin
            return False
        game = root.event.system if isinstance(root.event, events.MoveEvent) else None
        while (entry := self.next) and isinstance(entry.event, events.Consequence) and entry.event.system == game:
            if not self._take(events.Consequence, cause=root.seq, since=since):
                break
        return True

    def _questions(self, *, cascade: bool) -> None:
        """Take the questions that a correction brings up, and the amendments of a cascade."""
        act = self._entries[0].seq
        while self._question(act) or (cascade and self._amendment(act)):
            pass

    def _question(self, act: int) -> bool:
        entry = self.next
        if entry is not None and isinstance(entry.event, events.KnockOnFound):
            ruling = self._book.journal.entry(entry.event.about).event
            looked = ruling.looked if isinstance(ruling, events.MoveEvent) else {}
            numbers = entry.event.numbers
            if any(looked.get(who, {}).get(name, ...) == now for who in numbers for name, now in numbers[who].items()):
                return False
        return self._take(events.KnockOnFound, events.LimitCrossed, cause=act) is not None

    def _amendment(self, cause: int | None) -> bool:
        """Take an amendment: its strike and the parts of the struck action, or the GM's new seating in the opening."""
        amended = self._take(events.ActionAmended, cause=cause)
        if amended is None:
            return False
        event = amended.event
        assert isinstance(event, events.ActionAmended)  # noqa: S101  just taken
        if self._book.journal.entry(event.about).act == OPENING:
            seated = self._take(events.PlayerSeated, cause=amended.seq, since=event.about)
            self.strikeless = 0 if seated else amended.seq
            return seated is not None
        strike = self._strike("amend", amended.seq)
        if strike is None:
            self.strikeless = amended.seq
            return False
        about = event.about
        follows = self._may_follow(about)
        self._parts(*strike, lambda part: event.cascade or about in {entry.seq for entry in part} or follows(part))
        return True

    def _may_follow(self, about: int) -> Callable[[Sequence[Entry]], bool]:
        """Whether a part was played after another in its action, or after an answer or choice; a day leads to none."""
        lookup = self._book.journal.entry
        place = lookup(about).place(lookup)
        home = lookup(place).act

        def may(part: Sequence[Entry]) -> bool:
            own = part[0].place(lookup)
            begun = self._book.journal.action(lookup(own).act)
            later = isinstance(begun[0].event, events.ActionStruck) or lead_of(begun).answers is not None
            led = begun[0].act == home and not isinstance(begun[0].event, events.DayBegun | events.TurnBegan)
            return own > place and (led or later)

        return may

    def _strike(self, how: How, cause: int | None) -> tuple[Entry, events.ActionStruck] | None:
        entry = self.next
        if entry is None or not isinstance(entry.event, events.ActionStruck) or entry.event.how != how:
            return None
        return (entry, entry.event) if self._take(events.ActionStruck, cause=cause) else None

    def _rewind(self, rewound: Entry) -> None:
        self._take(events.PlayRewound)
        self.strikeless = rewound.seq
        while strike := self._strike("rewind", rewound.seq):
            self.strikeless = 0
            self._parts(*strike, lambda part: False)
        self._questions(cascade=False)

    def _decision(self, decision: Entry, choice: str) -> None:
        self._take(events.QuestionDecided)
        amended = self.next.event if self.next is not None else None
        match choice:
            case "void":
                self._strike("void", decision.seq)
            case "adjust":
                self._take(events.ScoreAdjusted, cause=decision.seq)
            case "amend":
                self._amendment(decision.seq)
        self._questions(cascade=choice == "amend" and isinstance(amended, events.ActionAmended) and amended.cascade)

    def _reveal(self, telling: Entry, about: int) -> None:
        if isinstance(self._book.journal.entry(about).event, events.RollSealed):
            self._take(events.SecretRevealed)
            self._play(telling.seq, about)
            self._questions(cascade=False)
            return
        while self._take(events.SecretRevealed):
            pass

    # What was struck, part by part

    def _parts(self, strike: Entry, event: events.ActionStruck, may_change: Callable[[Sequence[Entry]], bool]) -> None:
        """Take the parts of a struck action: copies, and others in the places of those that may change."""
        for part in self._parts_of(event.strikes, strike.act):
            if not self._copies(part, strike.seq) and may_change(part):
                place = part[0].place(self._book.journal.entry)
                if isinstance(part[0].event, RootEvent):
                    self._play(strike.seq, place)
                else:
                    self._take(type(part[0].event), cause=strike.seq, since=place)

    def _parts_of(self, act: int, now: int) -> Iterator[list[Entry]]:
        """Yield the entries of each part of an action, with the answers that stood before another action."""
        entries = self._book.journal.action(act)
        correcting = {entry.seq for entry in entries if isinstance(entry.event, events.Correction)}
        for root in entries:
            is_root = root.cause is None or root.cause in correcting
            if (
                not is_root
                or isinstance(root.event, events.Correction | events.DiceThrown)
                or (root.answers or 0) >= act
            ):
                continue
            part = [entry for entry in entries if root.seq in {entry.seq, entry.cause}]
            answer = (
                self._book.question(root.seq, AsOf(seq=now - 1)).answered_by
                if isinstance(root.event, events.QuestionAsked)
                else None
            )
            answered = self._book.journal.action(self._book.journal.entry(answer).act) if answer else ()
            yield part + [entry for entry in answered if answer in {entry.seq, entry.cause}]
            if answered and answered[0].act != act:
                yield from (later for later in self._parts_of(answered[0].act, now) if later[0].seq != answer)

    def _copies(self, part: Sequence[Entry], cause: int) -> bool:
        """Take the copies of a part, if the next entries are that."""
        copies = self._entries[self._at : self._at + len(part)]
        numbers: dict[int | None, int] = {entry.seq: copy.seq for entry, copy in zip(part, copies, strict=False)}
        same = len(copies) == len(part) and all(
            copy.cause == numbers.get(entry.cause, cause)
            and copy.since == entry.since
            and self._is_copy(entry, copy, numbers)
            for entry, copy in zip(part, copies, strict=True)
        )
        self._at += len(part) if same else 0
        return same

    def _is_copy(self, entry: Entry, copy: Entry, numbers: dict[int | None, int]) -> bool:
        """Whether an entry says what another does, apart from the numbers of entries, and of words that were erased."""
        event = renumbered(entry.event, numbers).with_rows(Position(copy.seq, copy.since), self._book)
        said, marks = copy.event.marks[: len(event.marks)], copy.event.marks[len(event.marks) :]
        if entry.type != copy.type or not all(mark.who == ABOUT for mark in marks):
            return False
        return self._facts(entry, event, copy) == self._facts(copy, copy.event.replace(marks=said), entry)

    def _facts(self, entry: Entry, event: events.Event, other: Entry) -> dict[str, object]:
        """What an event says, with the words that are here of its entry and of the other one."""
        texts, others = self._book.words.of(entry.seq), self._book.words.of(other.seq)
        words = {
            field: [kind, texts[field] if {ERASED, None}.isdisjoint({texts.get(field), others.get(field)}) else None]
            for field, kind, _ in entry.committed()
        }
        facts: dict[str, object] = substitute(plain(event), words)
        return facts | {"marks": [(mark.who, mark.name, _value(mark)) for mark in event.marks]}


def _value(mark: Mark) -> object:
    value = plain(mark.value)
    return value.KEY if hasattr(value, "KEY") else value
