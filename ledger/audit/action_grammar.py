"""A check that the entries of each action form a sequence that one command can write.

Each command writes its entries in a fixed order. A play has its dice, its ruling, and the consequences. An amendment
has a strike and the parts of the struck action. Most parts are exact copies. The amended part, and parts that may have
followed from it, may instead be played again or left out. The questions that a correction raises come last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ledger.audit.check import Before, EntryCheck, Fault, Root, is_same, opened
from ledger.corrections.actions import OPENING, renumbered, roots_of
from ledger.events import types as events
from ledger.events.correction_events import How
from ledger.events.entry import Entry, lead_of, plain
from ledger.events.facts import Position
from ledger.events.subjects import ABOUT
from ledger.journal.accounts import AsOf


class ActionGrammar(EntryCheck):
    """The check of all actions, one after the other."""

    def __init__(self) -> None:
        self._action: list[Entry] = []

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """When an action starts, yield the faults of the previous one. Also check each entry's author, time and id."""
        if entry.act == entry.seq:
            yield from self.end(before)
            self._action = []
        first = self._action[0] if self._action else entry
        if entry is not first and (entry.by, entry.at, entry.once) != (first.by, first.at, None):
            yield entry.seq, f"has a different author, time or id than the first entry of its action (#{first.seq})"
        self._action.append(entry)

    def end(self, before: Before) -> Iterator[Fault]:
        reader = _Reader(before, self._action)
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
    """A parser for one action. `strikeless` is a correction that should strike something but does not (0: none)."""

    def __init__(self, before: Before, entries: Sequence[Entry]) -> None:
        self._before = before
        self._book = before.book
        self._entries = entries
        self._at = 0
        self.strikeless = 0

    @property
    def next(self) -> Entry | None:
        """The first entry that is not accepted yet; None after the last one."""
        return self._entries[self._at] if self._at < len(self._entries) else None

    def _take(self, *types: type[events.Event], cause: int | None = None, since: int | None = None) -> Entry | None:
        """Accept the next entry if it has one of these types, this cause and this place (`since`; default: its own)."""
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
                while self._take(events.HistoryForked):  # old files may have several in one action
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
        """Accept one play: its dice, its root (a `Root`), and the consequences in the same game."""
        start, thrown = self._at, set[int]()
        while dice := self._take(events.DiceThrown, cause=cause, since=since):
            thrown.add(dice.seq)
        root = self._take(events.MovePlayed, events.QuestionAsked, events.DiceCounted, cause=cause, since=since)
        if root is None or not thrown <= set(root.throws):
            self._at = start
            return False
        game = root.event.system if isinstance(root.event, events.MoveEvent) else None
        while (entry := self.next) and isinstance(entry.event, events.Consequence) and entry.event.system == game:
            if not self._take(events.Consequence, cause=root.seq, since=since):
                break
        return True

    def _questions(self, *, cascade: bool) -> None:
        """Accept the questions that a correction raises, and the amendments of a cascade."""
        act = self._entries[0].seq
        while self._question(act) or (cascade and self._amendment(act)):
            pass

    def _question(self, act: int) -> bool:
        entry = self.next
        if entry is not None and isinstance(entry.event, events.KnockOnFound):
            ruling = self._before.entry(entry.event.about).event
            looked = ruling.looked if isinstance(ruling, events.MoveEvent) else {}
            numbers = entry.event.numbers
            if any(looked.get(who, {}).get(name, ...) == now for who in numbers for name, now in numbers[who].items()):
                return False
        return self._take(events.KnockOnFound, events.LimitCrossed, cause=act) is not None

    def _amendment(self, cause: int | None) -> bool:
        """Accept an amendment: a strike and the struck action's parts, or a new entry for the GM's seat."""
        amended = self._take(events.ActionAmended, cause=cause)
        if amended is None:
            return False
        event = amended.event
        assert isinstance(event, events.ActionAmended)  # noqa: S101  just accepted
        if self._before.entry(event.about).act == OPENING:
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
        """Return a test for parts that may have followed from the part with entry `about`.

        Such a part counts from a later place, in the same action or in one that makes a choice. The parts of a day or
        a turn do not follow from each other.
        """
        lookup = self._before.entry
        place = lookup(about).place(lookup)
        first_act = lookup(place).act

        def may_follow(part: Sequence[Entry]) -> bool:
            own_place = part[0].place(lookup)
            action = self._book.journal.action(lookup(own_place).act)
            is_choice = isinstance(action[0].event, events.ActionStruck) or lead_of(action).answers is not None
            is_day = isinstance(action[0].event, events.DayBegun | events.TurnBegan)
            return own_place > place and ((action[0].act == first_act and not is_day) or is_choice)

        return may_follow

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

    def _reveal(self, reveal: Entry, about: int) -> None:
        if isinstance(self._before.entry(about).event, events.RollSealed):
            self._take(events.SecretRevealed)
            self._play(reveal.seq, about)
            self._questions(cascade=False)
            return
        while self._take(events.SecretRevealed):
            pass

    # The parts of a struck action

    def _parts(self, strike: Entry, event: events.ActionStruck, may_change: Callable[[Sequence[Entry]], bool]) -> None:
        """Accept a copy of each part of a struck action, or a new play (or nothing) for a part that may change."""
        for part in self._parts_of(event.strikes, strike.act):
            if not self._copies(part, strike.seq) and may_change(part):
                place = part[0].place(self._before.entry)
                if isinstance(part[0].event, Root):
                    self._play(strike.seq, place)
                else:
                    self._take(type(part[0].event), cause=strike.seq, since=place)

    def _parts_of(self, act: int, now: int) -> Iterator[list[Entry]]:
        """Yield the entries of each part. A question's part includes its answer as of just before action `now`."""
        entries = self._book.journal.action(act)
        for root in roots_of(entries):
            part = [entry for entry in entries if root.seq in {entry.seq, entry.cause}]
            answer = (
                self._book.question(root.seq, AsOf(seq=now - 1)).answered_by
                if isinstance(root.event, events.QuestionAsked)
                else None
            )
            answered = self._book.journal.action(self._before.entry(answer).act) if answer else ()
            yield part + [entry for entry in answered if answer in {entry.seq, entry.cause}]
            if answered and answered[0].act != act:
                yield from (later for later in self._parts_of(answered[0].act, now) if later[0].seq != answer)

    def _copies(self, part: Sequence[Entry], cause: int) -> bool:
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
        """Return True if `copy` repeats `entry`. Entry numbers may differ."""
        event, written = opened(self._book, entry), opened(self._book, copy)
        event = renumbered(event, numbers).with_rows(Position(copy.seq, copy.since), self._book)
        own, added = written.marks[: len(event.marks)], written.marks[len(event.marks) :]
        if entry.type != copy.type or not all(mark.who == ABOUT for mark in added):
            return False
        return is_same(plain(event), plain(written.replace(marks=own)))
