"""A check that the entries of each action form a sequence that one command can write.

Each command writes its entries in a fixed order. A play writes its dice, its ruling, and the consequences. An amendment
writes a strike, and then writes each part of the struck action again. Most parts are exact copies. The amended part,
and parts that may follow from it, can be new plays or can be left out. A correction writes its questions last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ledger.audit.check import EntryCheck, Fault, PastEntries, Root, event_with_texts, is_same
from ledger.corrections.actions import INDEPENDENT_STARTS, OPENING_SEQ, is_in_part, renumbered, roots_of
from ledger.corrections.spots import GROUP_EVENTS, START_TYPES
from ledger.events import types as events
from ledger.events.correction_events import StrikeKind
from ledger.events.entry import Entry, jsonable, lead_of
from ledger.events.facts import Position
from ledger.events.subjects import ABOUT
from ledger.journal.accounts import AsOf


class ActionsCheck(EntryCheck):
    """A check that the entries of each action form a sequence that one command can write."""

    def __init__(self) -> None:
        self._action: list[Entry] = []

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        """Check an entry's author, time and id. If the entry starts an action, also check the previous action."""
        if entry.act == entry.seq:
            yield from self.final_faults(past)
            self._action = []
        first = self._action[0] if self._action else entry
        if entry is not first and (entry.by, entry.at, entry.once) != (first.by, first.at, None):
            yield entry.seq, f"differs from the first entry of its action (#{first.seq}) in its author, time or ID"
        self._action.append(entry)

    def final_faults(self, past: PastEntries) -> Iterator[Fault]:
        reader = _ActionParser(past, self._action)
        if self._action:
            reader.read()
        entry = reader.next_entry
        if reader.missing_strike:
            yield reader.missing_strike, "is a correction, but cancels nothing"
        elif entry is not None and entry.seq == entry.act:
            yield entry.seq, "cannot be an action by itself"
        elif entry is not None:
            yield entry.seq, f"does not belong in its action (#{entry.act})"


class _ActionParser:
    """A parser that accepts the entries of one action in order.

    `missing_strike` is the entry number of a correction that cancels nothing, or 0.
    """

    def __init__(self, past: PastEntries, entries: Sequence[Entry]) -> None:
        self._past = past
        self._book = past.book
        self._entries = entries
        self._at = 0
        self.missing_strike = 0

    @property
    def next_entry(self) -> Entry | None:
        """The first entry that is not accepted yet; None after the last one."""
        return self._entries[self._at] if self._at < len(self._entries) else None

    def _take(self, *types: type[events.Event], cause: int | None = None, since: int | None = None) -> Entry | None:
        """Accept the next entry if its type, cause and `since` match, and return it.

        Without `since`, the entry must take effect at its own number. Return None if the entry does not match.
        """
        entry = self.next_entry
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
                self._read_plays()
            case events.DayBegun():
                while self._take(events.DayBegun):
                    self._read_plays()
            case events.TurnBegan() | events.RoundBegan():
                self._take(type(event))
                self._read_plays()
            case events.CampaignOpened():
                self._take(events.CampaignOpened)
                self._take(events.PlayerSeated)
            case events.HistoryForked():
                while self._take(events.HistoryForked):  # old files may have several in one action
                    pass
            case events.RollImported():
                self._take(events.RollImported)
                while self._take(events.RollImported, cause=first.seq):
                    pass
            case events.ActionStruck(how="redo"):
                self._take(events.ActionStruck)
            case events.ActionStruck(how="undo" | "void" as how, cascade=cascade):
                while self._read_strike(how, None):
                    pass
                self._read_completions(how, first.seq)
                self._read_questions(cascade=cascade)
            case events.ActionStruck(how="choose"):
                self._take(events.ActionStruck)
                self._read_parts(first, event, lambda part: True)
                self._read_questions(cascade=False)
                self._read_plays()
            case events.ActionAmended(cascade=cascade):
                self._read_amendment(None)
                self._read_completions("void", first.seq)
                self._read_questions(cascade=cascade)
            case events.PlayRewound():
                self._read_rewind(first)
            case events.QuestionDecided(choice=choice):
                self._read_decision(first, choice)
            case events.SecretRevealed(about=about):
                self._read_reveal(first, about)
            case _ if event.stands_alone:
                self._take(type(event))
        while self._take(events.QuestionClosed, cause=first.seq):
            pass

    def _read_plays(self) -> None:
        while self._read_play(None, None):
            pass

    def _read_play(self, cause: int | None, since: int | None) -> bool:
        """Accept the dice, root and consequences of a play with this cause and place. Return False if there is none."""
        start, thrown = self._at, set[int]()
        while dice := self._take(events.DiceThrown, cause=cause, since=since):
            thrown.add(dice.seq)
        root = self._take(events.MovePlayed, events.QuestionAsked, events.DiceCounted, cause=cause, since=since)
        if root is None or not thrown <= set(root.throws):
            self._at = start
            return False
        game = root.event.system if isinstance(root.event, events.MoveEvent) else None
        while (entry := self.next_entry) and isinstance(entry.event, events.Consequence) and entry.event.system == game:
            if not self._take(events.Consequence, cause=root.seq, since=since):
                break
        return True

    def _read_questions(self, *, cascade: bool) -> None:
        """Accept the entries that a correction may write at its end: questions, and some amendments.

        With `cascade`, accept all amendments. Otherwise, accept only amendments of adjustments in which the GM set a
        score.
        """
        act = self._entries[0].seq
        while self._read_question(act) or ((cascade or self._sets_score()) and self._read_amendment(act)):
            pass

    def _sets_score(self) -> bool:
        """Return True if the next entry amends an adjustment in which the GM set a score to a value."""
        amendment = self.next_entry.event if self.next_entry is not None else None
        amended = self._past.entry(amendment.about).event if isinstance(amendment, events.ActionAmended) else None
        return isinstance(amended, events.ScoreAdjusted) and bool(amended.sets)

    def _read_question(self, act: int) -> bool:
        entry = self.next_entry
        if entry is not None and isinstance(entry.event, events.KnockOnFound):
            ruling = self._past.entry(entry.event.about).event
            seen = ruling.looked if isinstance(ruling, events.MoveEvent) else {}
            numbers = entry.event.numbers
            if any(seen.get(who, {}).get(name, ...) == new for who in numbers for name, new in numbers[who].items()):
                return False
        return self._take(events.FollowUp, events.QuestionClosed, cause=act) is not None

    def _read_amendment(self, cause: int | None) -> bool:
        """Accept an amendment, its strike, and the parts of the struck action. Return False without a strike."""
        amended = self._take(events.ActionAmended, cause=cause)
        if amended is None:
            return False
        event = amended.event
        assert isinstance(event, events.ActionAmended)  # noqa: S101  just accepted
        if self._past.entry(event.about).act == OPENING_SEQ:  # nothing strikes the opening; the GM has a new seat entry
            seated = self._take(events.PlayerSeated, cause=amended.seq, since=event.about)
            self.missing_strike = 0 if seated else amended.seq
            return seated is not None
        strike = self._read_strike("amend", amended.seq)
        if strike is None:
            self.missing_strike = amended.seq
            return False
        about = event.about
        follows = self._may_follow(about)
        self._read_parts(*strike, lambda part: event.cascade or about in {entry.seq for entry in part} or follows(part))
        return True

    def _may_follow(self, about: int) -> Callable[[Sequence[Entry]], bool]:
        """Return a function that tells if the entries of a part may follow from the part with entry `about`."""
        lookup = self._past.entry
        place = lookup(about).earliest_place(lookup)
        first_act = lookup(place).act

        def may_follow(part: Sequence[Entry]) -> bool:
            own_place = part[0].earliest_place(lookup)
            action = self._book.journal.action(lookup(own_place).act)
            is_choice = isinstance(action[0].event, events.ActionStruck) or lead_of(action).answers is not None
            is_independent = isinstance(action[0].event, INDEPENDENT_STARTS)
            return own_place > place and ((action[0].act == first_act and not is_independent) or is_choice)

        return may_follow

    def _read_strike(self, how: StrikeKind, cause: int | None) -> tuple[Entry, events.ActionStruck] | None:
        entry = self.next_entry
        if entry is None or not isinstance(entry.event, events.ActionStruck) or entry.event.how != how:
            return None
        return (entry, entry.event) if self._take(events.ActionStruck, cause=cause) else None

    def _read_completions(self, how: StrikeKind, cause: int) -> None:
        """Accept the further strikes of a correction, which have the kind `how` and this cause.

        Each of them must cancel a move that read a mark of a struck action, or an action with the same `line` as a
        struck import.
        """
        journal = self._book.journal
        firsts = [journal.entry(act) for entry in self._entries[: self._at] for act in entry.targets]
        lines = {log.line for log in firsts if isinstance(log.event, events.LogImported)} - {None}
        while (strike := self.next_entry) is not None and isinstance(strike.event, events.ActionStruck):
            if journal.entry(strike.event.strikes).line in lines and self._read_strike(how, cause):
                continue
            struck = {act for entry in self._entries[: self._at] for act in entry.targets}
            left = (mark for act in struck for entry in journal.action(act) for mark in entry.event.marks)
            names = {(mark.who, mark.name) for mark in left}
            moves = [entry.event for entry in journal.action(strike.event.strikes)]
            looked = (move.looked.items() for move in moves if isinstance(move, events.MoveEvent))
            read = {(who, full) for sheets in looked for who, sheet in sheets for full in sheet}
            if names.isdisjoint(read) or not self._read_strike(how, cause):
                return

    def _read_rewind(self, rewound: Entry) -> None:
        self._take(events.PlayRewound)
        self.missing_strike = rewound.seq
        while strike := self._read_strike("rewind", rewound.seq):
            self.missing_strike = 0
            self._read_parts(*strike, lambda part: False)
        self._read_questions(cascade=False)

    def _read_decision(self, decision: Entry, choice: str) -> None:
        self._take(events.QuestionDecided)
        event = self.next_entry.event if self.next_entry is not None else None
        cascade = choice == "play" or (isinstance(event, events.ActionAmended | events.ActionStruck) and event.cascade)
        match choice:
            case "void":
                self._read_strike("void", decision.seq)
                self._read_completions("void", decision.seq)
            case "adjust":
                self._take(events.ScoreAdjusted, cause=decision.seq)
            case "amend":
                self._read_amendment(decision.seq)
                self._read_completions("void", decision.seq)
        self._read_questions(cascade=cascade)

    def _read_reveal(self, reveal: Entry, about: int) -> None:
        if isinstance(self._past.entry(about).event, events.RollSealed):
            self._take(events.SecretRevealed)
            self._read_play(reveal.seq, about)
            self._read_questions(cascade=False)
            return
        while self._take(events.SecretRevealed):
            pass

    # The parts of a struck action

    def _read_parts(
        self, strike: Entry, event: events.ActionStruck, may_change: Callable[[Sequence[Entry]], bool]
    ) -> None:
        """Accept each part of a struck action as a copy. If the part may change, also accept a new play or nothing."""
        start, places = 0, dict[int, None]()
        for part in self._parts_of(event.strikes, strike.act):
            if part[0].type not in START_TYPES and self._past.entry(part[0].since).line is not None:
                places[part[0].since] = None
            if part[0].type in START_TYPES:
                self._read_added_moves(strike.seq, start)
                start = part[0].since
            if not self._read_copies(part, strike.seq) and may_change(part):
                place = part[0].earliest_place(self._past.entry)
                if isinstance(part[0].event, Root):
                    self._read_play(strike.seq, place)
                else:
                    self._take(type(part[0].event), cause=strike.seq, since=place)
        self._read_added_moves(strike.seq, start)
        for place in places:
            while self._read_play(strike.seq, place) or self._take(*GROUP_EVENTS, cause=strike.seq, since=place):
                pass

    def _read_added_moves(self, strike: int, start: int) -> None:
        """Accept the moves that a correction added to the day or turn that entry `start` started.

        The moves follow from entry `strike`. If `start` is 0, accept nothing.
        """
        while start and self._read_play(strike, start):
            pass

    def _parts_of(self, act: int, current_act: int) -> Iterator[list[Entry]]:
        """Yield the entries of each part of action `act`, a question together with its answer.

        Include an answer only if it was given before `current_act`. If another action gave it, also yield the other
        parts of that action.
        """
        entries = self._book.journal.action(act)
        for root in roots_of(entries):
            part = [entry for entry in entries if is_in_part(entry, root)]
            answer = (
                self._book.question(root.seq, AsOf(seq=current_act - 1)).answered_by
                if isinstance(root.event, events.QuestionAsked)
                else None
            )
            answered = self._book.journal.action(self._past.entry(answer).act) if answer else ()
            yield part + [entry for entry in answered if answer in {entry.seq, entry.cause}]
            if answered and answered[0].act != act:
                yield from (later for later in self._parts_of(answered[0].act, current_act) if later[0].seq != answer)

    def _read_copies(self, part: Sequence[Entry], cause: int) -> bool:
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
        """Return True if `copy` repeats `entry`. `numbers` maps the numbers of copied entries to their copies."""
        event, written = event_with_texts(self._book, entry), event_with_texts(self._book, copy)
        event = renumbered(event, numbers).with_rows(Position(copy.seq, copy.since), self._book)
        copied_marks, added_marks = written.marks[: len(event.marks)], written.marks[len(event.marks) :]
        if entry.type != copy.type or not all(mark.who == ABOUT for mark in added_marks):
            return False
        return is_same(jsonable(event), jsonable(written.replace(marks=copied_marks)))
