"""The scribe: the only writer of campaigns. A result is on disk before anybody sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import count, repeat, zip_longest
from typing import TYPE_CHECKING, Any

from ledger.commands.decider import Command, StopDryRun
from ledger.draft import LiveDraft, TableDice
from ledger.errors import (
    BadInput,
    Flag,
    LedgerError,
    Nobody,
    OldCopy,
    OlderFile,
    OnceDiffers,
    ResultChanged,
    WordsGone,
    WrongFaces,
)
from ledger.events import types as events
from ledger.events.commitments import SaltSource, random_salt, with_known_texts
from ledger.events.entry import Entry, jsonable
from ledger.events.facts import CountedDie, Header
from ledger.events.subjects import CAMPAIGN, PRESENT, is_seated
from ledger.journal.book import Book, EarlierBook
from ledger.journal.store import Journal
from ledger.rules.dice import D10, Digits, Pool, RandomBelow, pool_of_dice
from ledger.rules.rulings import Effect
from ledger.times import stored_time
from ledger.trust.clocks import check_clock
from ledger.trust.home import KnownHeads
from ledger.values import Struct

if TYPE_CHECKING:
    from ledger.journal.overlay import Overlay
    from ledger.tlog.note import Signer
    from ledger.trust.home import Head, Home
    from ledger.trust.written import LastWritten

LONGEST_ONCE = 200
MOST_PLANS = 5
"""The maximum number of attempts to plan a command without the lock while others write."""


class Written(Struct):
    """The result of a command: the entries that it wrote, or would write in a dry run.

    - `again`: True if an earlier command with the same id wrote the entries.
    - `pool`, `cost`: set if a dry run stopped because it would roll dice or reveal a secret. `entries` is then empty.
    - `gist`: equal for two results that would write the same entries. `acting`: the players who count as present now.
    """

    entries: tuple[Entry, ...]
    gist: tuple[Mapping[str, Any], ...] = ()
    again: bool = False
    dry: bool = False
    pool: Pool | None = None
    cost: tuple[Effect, ...] = ()
    acting: tuple[str, ...] = ()


class Request(Struct):
    """A command, its typed faces, its id (`once`) and its agreed plan. `for_group`: True if somebody typed `all`."""

    command: Command
    faces: Sequence[int] | Digits | None = None
    once: str | None = None
    agreed: Written | None = None
    for_group: bool = False


def requests_of(
    commands: Iterable[tuple[Command, Sequence[int] | Digits | None]],
    once: str | None = None,
    agreed: Sequence[Written] | None = None,
) -> list[Request]:
    """Make requests with typed faces and `agreed` plans. If `once` is `x`, their ids are `x`, `x.2`, `x.3` …"""
    ids = (once and (once if place == 1 else f"{once}.{place}") for place in count(1))
    together = zip(commands, ids, agreed or repeat(None), strict=False)
    return [Request(command=command, faces=faces, once=id_, agreed=plan) for (command, faces), id_, plan in together]


def utc_now() -> datetime:
    """Return the time of this computer's clock, in UTC."""
    return datetime.now(UTC)


def ignore_event(event: str, **facts: object) -> None:
    """Ignore an event: the default if there is no technical log."""


class Scribe:
    """A writer for one open book and one person. Tests supply their own clock, chance and salts.

    With `shows_secrets`, a dry run shows results that reveal a secret.
    """

    def __init__(
        self,
        book: Book,
        *,
        by: str = "p1",
        clock: Callable[[], datetime] = utc_now,
        chance: RandomBelow | None = None,
        salts: SaltSource = random_salt,
        log: Callable[..., object] = ignore_event,
        home: Home | None = None,
        last_written: LastWritten | None = None,
        clock_ok: bool = False,
        shows_secrets: bool = False,
    ) -> None:
        self.book = book
        self.by = by
        self._clock = clock
        self._chance = chance
        self._salts = salts
        self._log = log
        self._known = KnownHeads(home, last_written)
        self._clock_ok = clock_ok
        self._shows_secrets = shows_secrets
        self._last: Entry | None = None  # already on disk, so it never changes
        self.progress: Callable[[int], object] = abs  # called with 1 after each command

    def write(
        self,
        command: Command,
        *,
        faces: Sequence[int] | Digits | None = None,
        once: str | None = None,
        dry: bool = False,
        agreed: Written | None = None,
        fork: bool = False,
    ) -> Written:
        """Decide and write a command. The result is on disk when this returns. A refusal writes nothing.

        - `faces`: typed dice, instead of the computer's. Raise `WrongFaces` if the dice cannot show these faces.
        - `once`: an id. If it was used for this command, return the first result. For another, raise `OnceDiffers`.
        - `dry`: write nothing, throw no dice, and take no lock.
        - `agreed`: the plan from a dry run. If the plan has entries, and the new entries differ, raise `ResultChanged`.
        - `fork`: if a head of a longer or different history is known, record a fork and do not raise `OldCopy`.

        Raise `ClockDiffers` for a clock that cannot be right, unless the scribe was made with `clock_ok`.
        """
        return self.write_all([Request(command=command, faces=faces, once=once, agreed=agreed)], dry=dry, fork=fork)[0]

    def write_all(
        self,
        requests: Sequence[Request],
        *,
        dry: bool = False,
        show_plan: Callable[[Book, Sequence[Written]], None] | None = None,
        fork: bool = False,
    ) -> list[Written]:
        """Decide and write commands in order, each as a separate action: either all of them, or none.

        With several commands, or one with `for_group`, the `Header.line` of each entry is the first of all entries.
        Each command sees the entries of those before it. The `place` of an error is the number of the refused command,
        from 1. A dry run calls `show_plan` with a book that includes the planned entries. See also `write`.
        """
        for request in requests:
            once = request.once
            if once is not None and not (0 < len(once) <= LONGEST_ONCE and once.isprintable() and once.isascii()):
                raise BadInput(f"An ID for {Flag('once')} has 1 to {LONGEST_ONCE} letters, digits or symbols.")
        if dry:
            heads = self._known.heads(self.book)
            with self.book.journal.reading():
                _, plan, written = self._plan_all(requests, heads, fork)
                written = [one.replace(dry=not one.again) for one in written]
                if show_plan is not None and not all(one.again for one in written):
                    show_plan(plan, written)
        else:
            try:
                written = self._append_plan(requests, fork) or self._write_under_lock(requests, fork)
            except WordsGone:
                self.book.journal.storage.scrub()  # an earlier attempt may have failed
                raise
            if any(request.command.scrubs for request in requests):
                self.book.journal.storage.scrub()
        new = [entry.seq for one in written if not one.again for entry in one.entries]
        if new:
            self._log("written", first=new[0], last=new[-1], dry=dry)
        return written

    def _append_plan(self, requests: Sequence[Request], fork: bool) -> list[Written] | None:
        """Plan slow commands without the lock, then append the plan. Return None if deciding needs the lock."""
        if fork or not any(request.command.planned for request in requests):
            return None
        for _ in range(MOST_PLANS):
            heads = self._known.heads(self.book)
            with self.book.journal.reading():
                overlay, _, written = self._plan_all(requests, heads, fork)
            if all(one.again for one in written):
                return written
            if not all(one.entries for one in written):
                return None
            with self.book.journal.writing():
                unchanged = self.book.head() == overlay.last
                if unchanged:
                    self.book.journal.append_all(overlay, reserve=all(each.command.uses_reserve for each in requests))
                    wrote = self._known.state_after_commit(self.book)
            if unchanged:
                self._known.keep(wrote)
                return written
        return None

    def _plan_all(
        self, requests: Sequence[Request], heads: Sequence[Head], fork: bool
    ) -> tuple[Overlay, Book, list[Written]]:
        """Decide commands without writing. Return the overlay, a book with the planned entries, and the results."""
        from ledger.journal.overlay import Overlay  # a roll is not planned

        overlay = Overlay(self.book.journal.storage)
        plan = Book(Journal(overlay))
        return overlay, plan, self._decide_all(plan, requests, heads, fork, plans=True)

    def _write_under_lock(self, requests: Sequence[Request], fork: bool) -> list[Written]:
        with self.book.journal.writing():
            written = self._decide_all(self.book, requests, self._known.heads(self.book), fork, plans=False)
            wrote = None if all(one.again for one in written) else self._known.state_after_commit(self.book)
        self._known.keep(wrote)
        self._last = written[-1].entries[-1] if written else None
        return written

    def _decide_all(
        self, book: Book, requests: Sequence[Request], heads: Sequence[Head], fork: bool, *, plans: bool
    ) -> list[Written]:
        """Decide commands, and add their events to a book: an overlay if `plans`, otherwise the locked file."""
        # `heads` must be older than `book`: a head signed in between would look like a different history
        known = [request.once for request in requests if request.once and book.journal.find_by_once_id(request.once)]
        if known and known[0] != requests[0].once:
            says = f"This list needs the ID {known[0]!r} for a later command, but that ID was already used."
            raise OnceDiffers(f"{says} Nothing was written.", "Choose a different ID for the list.")
        if len(known) not in {0, len(requests)}:
            raise _list_error(known[0], "shorter")
        if not known:
            book.journal.check_room(len(requests), reserve=all(each.command.uses_reserve for each in requests))
        written, line = list[Written](), 0 if len(requests) > 1 or requests[0].for_group else None
        for place, request in enumerate(requests, 1):
            try:
                written.append(self._decide(book, request, heads, fork, line, plans=plans, typed=place == 1))
            except LedgerError as error:
                error.place = place
                raise
            self.progress(int(plans))  # under the lock, a terminal that waits would keep others from writing
            if line == 0 and written[0].entries:
                line = written[0].entries[0].seq
        for done in [one for one in written if one.acting]:
            arrivals = _arrivals(book, done)
            written += [self._decide(book, each, heads, fork, None, plans=plans, typed=False) for each in arrivals]
        more = book.journal.find_by_once_id(f"{requests[0].once}.{len(requests) + 1}") if known else None
        if more is not None and _may_continue(written[-1].entries[-1], book.journal.entry(more)):
            raise _list_error(known[0], "longer")
        return written

    def _decide(
        self,
        book: Book,
        request: Request,
        heads: Sequence[Head],
        fork: bool,
        line: int | None,
        *,
        plans: bool,
        typed: bool,
    ) -> Written:
        """Decide one command. `line`: the first entry of its list, 0 if it starts the list, None without a list."""
        first = None if request.once is None else book.journal.find_by_once_id(request.once)
        if first is not None:
            return self._repeat(request.command, request.faces, str(request.once), first)
        if not is_seated(book.mark, self.by) and book.head():
            raise Nobody(self.by, "player")
        self._check_or_record_fork(book, heads, fork)
        hand, header = TableDice(request.faces, self._chance), self._header(book, request.once, heads)
        if line is not None:
            header = header.replace(line=line or header.seq)
        draft = LiveDraft(book, hand, header, self._salts, dry=plans, shows_secrets=self._shows_secrets)
        if request.once is not None and typed:
            _check_not_in_list(request.once, draft)
        try:
            request.command.check_new_names(draft)
            request.command.decide(draft)
            hand.check_all_used(draft)
            if settled := draft.questions_to_check():
                from ledger.corrections.reasons import close_questions  # most plays settle nothing

                close_questions(draft, draft.first.seq, settled)
        except StopDryRun as unseen:
            return Written(entries=(), pool=unseen.pool, cost=unseen.cost)
        except WrongFaces as wrong:
            from ledger.commands.play import PlayMove, with_first_roll  # plain rolls do not need it

            if isinstance(request.command, PlayMove):
                before = book.as_of(draft.first.seq)
                raise with_first_roll(wrong, draft.added_entries(secrets=True), before, unused=hand.has_faces) from None
            raise
        entries, agreed = request.command.entries_to_report(draft.added_entries()), request.agreed
        gist = tuple(_gist(draft.entry(entry.seq, secrets=True)) for entry in entries) if plans or agreed else ()
        written = Written(entries=entries, gist=gist, acting=_acting_players(draft, entries))
        if agreed is not None and agreed.entries and gist != agreed.gist:
            raise ResultChanged(agreed.entries[0].seq, draft.head_before, *_first_difference(agreed, written))
        return written

    def sign(self, key: Signer, use: Callable[[Head], object] | None = None) -> Head:
        """Sign the head of the book, and store the signed head on disk.

        First call `use` with the head. If `use` fails, store nothing. Raise `Refused` for a key of another campaign.
        """
        from ledger.trust.heads import sign_head  # a roll signs nothing

        with self.book.journal.writing():
            self._check_or_record_fork(self.book, self._known.heads(self.book), fork=False)
            head = sign_head(self.book, key)
            if use is not None:
                use(head)
        return head

    def add_cosignatures(self, *lines: str, agreements: Sequence[Command] = ()) -> list[tuple[int, str]]:
        """Store witnesses' signatures (`lines`) and `agreements` to policies: all of them, or none.

        Return each signed head's size, with the name of the witness.
        """
        from ledger.trust.heads import add_cosignature

        requests, wrote = [Request(command=command) for command in agreements], None
        with self.book.journal.writing():
            sizes = [add_cosignature(self.book, line, stored_time(self._clock())) for line in lines]
            if requests:
                self._decide_all(self.book, requests, self._known.heads(self.book), fork=False, plans=False)
                wrote = self._known.state_after_commit(self.book)
        self._known.keep(wrote)
        return sizes

    def _check_or_record_fork(self, book: Book, heads: Sequence[Head], fork: bool) -> None:
        """Raise `OldCopy` if the book does not continue a known head. With `fork`, record the fork instead."""
        missing = [head for head in heads if not self._continues(head)]
        if not missing:
            return
        if not fork:
            seen = [head.size for head in missing if head.origin]
            raise OldCopy(self.book.head(), max(seen)) if seen else OlderFile(self.book.head(), missing[0].size)
        for root, size in {head.root.hex(): head.size for head in missing}.items():
            header, hand = self._header(book, None, heads), TableDice(None, self._chance)
            LiveDraft(book, hand, header, self._salts).add(events.HistoryForked(size=size, root=root))

    def _continues(self, head: Head) -> bool:
        """Return True if the book continues the history of a head, or records a fork from that history."""
        if self.book.contains_head(head.size, head.root):
            return True
        from ledger.trust.heads import abandoned_roots  # most files continue every head

        return head.root in abandoned_roots(self.book)

    def _header(self, book: Book, once: str | None, heads: Sequence[Head]) -> Header:
        """Return the header of the next entry, which starts an action. Its time is not before the last entry's."""
        seq, now = book.head() + 1, stored_time(self._clock())
        at, clock = now, None
        if seq > 1:
            last = self._last if self._last is not None and self._last.seq == seq - 1 else book.journal.entry(seq - 1)
            if not self._clock_ok:
                notes = [head.note for head in heads if head.size == last.seq]
                check_clock(now, last.clock, filter(None, [book.journal.checkpoint(last.seq), *notes]))
            at, clock = (now, None) if now >= last.at else (last.at, now)
        return Header(seq=seq, since=seq, at=at, clock=clock, by=self.by, act=seq, cause=None, once=once)

    def _repeat(self, command: Command, faces: Sequence[int] | Digits | None, once: str, seq: int) -> Written:
        """Return the result of entry `seq` with the id `once`. Raise `OnceDiffers` for another command or player."""
        act = self.book.journal.entry(seq).act
        entries = self.book.action(act, secrets=True)
        if entries[0].by != self.by:
            raise OnceDiffers(f"Somebody else already used the ID {once!r}, for #{act}. Nothing was written.")
        differs = command.with_all_inputs(EarlierBook(self.book, act - 1)).difference_from(entries)
        if differs is None:
            raise OnceDiffers(f"The ID {once!r} was already used for a different command, #{act}. Nothing was written.")
        if "faces" not in command._fields:  # a command with its own `faces` compares them itself
            dice = _typed_dice(entries)
            before, now = tuple(die.face for die in dice), _stored_faces(faces, dice)
            if before != now:
                differs = f"different dice: {_shown_faces(before, dice)}, not {_shown_faces(now, dice)}"
        if differs and isinstance(entries[0].event, events.RollSealed):
            differs = "different inputs (sealed)"
        if differs:
            raise OnceDiffers(f"#{act} already used the ID {once!r}, but with {differs}. Nothing was written.")
        return Written(entries=tuple(self.book.action(act)), again=True)


def _acting_players(draft: LiveDraft, entries: Sequence[Entry]) -> tuple[str, ...]:
    if draft.mark(CAMPAIGN, "session") is None:
        return ()
    from ledger.commands.seats import acting_players

    return tuple(acting_players(draft, entries))


def _arrivals(book: Book, done: Written) -> list[Request]:
    """Return requests to record that acting players have arrived. Each player arrives at most once in a session."""
    present = book.present_players()
    if present is None:
        return []
    from ledger.commands.seats import RecordArrival  # many sessions list nobody

    session, act = str(book.mark(CAMPAIGN, "session")), done.entries[0].act

    def was_recorded(seat: str) -> bool:
        before = map(book.journal.entry, book.accounts.entries_with_value(seat, PRESENT, session))
        return any(entry.event.is_automatic for entry in before)

    arriving = (seat for seat in done.acting if seat not in present and not was_recorded(seat))
    return [Request(command=RecordArrival(players=(seat,), acted=act)) for seat in arriving]


def _list_error(once: str | None, how: str) -> OnceDiffers:
    says = f"The ID {once!r} was already used for a list of commands that is {how} than this one."
    return OnceDiffers(f"{says} Nothing was written.")


def _check_not_in_list(once: str, draft: LiveDraft) -> None:
    """Raise `BadInput` for an id like `x.2` that would make one command look like the second of the list `x`."""
    of_list, _, number = once.rpartition(".")
    if not number.isdigit() or draft.journal.find_by_once_id(of_list) is None:
        return
    last = draft.journal.entry(draft.head_before)
    before = of_list if number == "2" else f"{of_list}.{int(number) - 1}"
    if draft.journal.entry(last.act).once == before and _may_continue(last, draft.first):
        says = f"The ID {once!r} is reserved for command {number} of the list with the ID {of_list!r}."
        raise BadInput(says, "Choose a different ID.")


def _may_continue(last: Entry, more: Entry | Header) -> bool:
    """Return True if `more` directly follows `last`, by the same player at the same time, as in a list of commands."""
    return (more.seq, more.by, more.at) == (last.seq + 1, last.by, last.at)


def _gist(entry: Entry) -> Mapping[str, Any]:
    facts: dict[str, Any] = jsonable(with_known_texts(entry.event))
    for name in {"about", "named", "answers", "question"} & facts.keys():
        if facts[name] is not None and facts[name] >= entry.act:  # an entry of the same plan
            facts[name] = f"+{facts[name] - entry.act}"
    marks = [mark for mark in facts["marks"] if not mark["who"].startswith("#") and mark["value"] != entry.seq]
    since = {} if entry.since == entry.seq else {"since": entry.since}
    facts = {name: value for name, value in facts.items() if name != "throws"}
    return {**facts, **since, "marks": marks, "type": entry.type, "by": entry.by}


def _first_difference(agreed: Written, written: Written) -> tuple[str, str]:
    """Describe the first difference between two plans: the agreed entry, and the new one."""
    nothing: Mapping[str, Any] = {}
    pairs = zip_longest(agreed.gist, written.gist, fillvalue=nothing)
    was, now = next((one, other) for one, other in pairs if one != other)
    return _plan_phrase(was), _plan_phrase(now)


def _plan_phrase(gist: Mapping[str, Any]) -> str:
    if not gist:
        return "no further entry"
    about = next((gist[name] for name in ("strikes", "about", "since") if name in gist), None)
    words = PLAN_WORDS.get(gist["type"], "an entry of type {type}")
    return (words if about else words.removesuffix(" for #{about}")).format(about=about, type=gist["type"])


PLAN_WORDS: Mapping[str, str] = {
    events.ActionStruck.type: "a cancellation of #{about}",
    events.ActionAmended.type: "an amendment of #{about}",
    events.KnockOnFound.type: "a question about #{about}",
    events.LimitCrossed.type: "a question about a score beyond its limits",
    events.AssertionBroken.type: "a question about the paper sheet in #{about}",
    events.GiftUncovered.type: "a question about the gift in #{about}",
    events.AdjustmentUnneeded.type: "a question about the adjustment in #{about}",
    events.MovesMissed.type: "a question about missed moves",
    events.LinesMissed.type: "a question about missed lines",
    events.QuestionClosed.type: "the end of a question",
    events.MovePlayed.type: "a different result for #{about}",
}


def _stored_faces(faces: Sequence[int] | Digits | None, dice: Sequence[CountedDie]) -> tuple[int, ...]:
    """Return typed faces as entries store them. Digits are split to fit `dice`, the dice of the stored command."""
    pool = pool_of_dice(dice)
    typed = faces.faces(pool) if isinstance(faces, Digits) else faces
    return () if typed is None else (*pool.resolved(typed), *typed[len(dice) :])


def _shown_faces(faces: Sequence[int], dice: Sequence[CountedDie]) -> str:
    tens = {place for place, die in enumerate(dice) if die.is_tens}
    return " ".join(f"{face % D10}0" if place in tens else str(face) for place, face in enumerate(faces)) or "none"


def _typed_dice(entries: Sequence[Entry]) -> list[CountedDie]:
    written = [entry.event for entry in entries]
    if isinstance(written[0], events.SecretRevealed):
        return []  # the dice of a revealed roll were typed with the roll
    if isinstance(written[0], events.RollSealed):
        from ledger.corrections.seals import sealed_events  # most rolls are open

        written = sealed_events(entries[0])
    throws = [event for event in written if isinstance(event, events.DiceThrown) and event.source == "typed"]
    return [die for throw in throws for die in throw.dice]
