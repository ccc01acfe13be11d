"""The log: each action of the journal in one line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, takewhile

from ledger.corrections.questions import offer_taken_up
from ledger.errors import with_minus_sign
from ledger.events import types as events
from ledger.events.entry import Entry, lead_of
from ledger.events.facts import DICE_SOURCES
from ledger.events.rows import BOUND
from ledger.events.subjects import IMPORTED, QUESTIONS, STRUCK
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.values import Struct
from projections.import_phrases import ShownRoll, shown_roll, tell_rolls
from projections.named_moves import with_full_names
from projections.phrases import (
    STRIKE_VERBS,
    deed_words,
    note_in_lines,
    person,
    ruling_shown,
    tell,
    tell_act,
    tell_note,
)
from projections.plain_rolls import calculation, dice_text, success_text
from projections.wording import (
    is_bookkeeping,
    result_words,
    says_what_was_done,
    shows_dice,
    step_text,
    typed_words,
    verdict_words,
)

EVENTS_TELLING_DEED = events.ActionAmended | events.ActionStruck | events.QuestionDecided
"""The corrections whose words already contain the deed of the corrected entry."""


class ScoreMovement(Struct):
    """The change of a score in an action. `score` is the full name."""

    who: str
    score: str
    before: int
    after: int


class Cancellation(Struct):
    """The cancellation of an action: the entry that cancels the action, and the word for the kind of cancellation."""

    by: int
    how: str


class ShownVerdict(Struct):
    """A verdict as text. `good` is `None` for a verdict that is neither a success nor a failure.

    `result_text` has the total, the target and the dice, or is "" if the game shows none of them.
    """

    says: str
    good: bool | None
    result_text: str = ""


class FollowingMove(Struct):
    """A move, an initiative roll or the start of a day that follows the main entry of an action."""

    seq: int
    who: str
    says: str
    deed: str
    verdict: ShownVerdict | None
    dice: str


class Line(Struct):
    """An action: the headline, the changed scores, and later events about the action.

    - `seq` and `act`: the main entry and the first entry.
    - `note`: the heading and the lines of a note that has several lines. If a search found imported rolls of an
      evening, `note` has the heading of the evening and these rolls.
    - `rolls`: the imported rolls of an evening.
    - `deed`: the words for what was attempted, or "".
    - `waits` and `disputed`: the open questions and the open disputes.
    - `answered`: the entry that answered the question or revealed the sealed roll.
    - `names`: the names to show for the characters who are in the action or whose scores changed.
    - `overridden`: the entry and the verdict that replaced the verdict of the action.
    - `author`: the player who entered the action, or "" for a GM and for the character's own player.
    """

    seq: int
    act: int
    at: str
    by: str
    who: str
    says: str
    note: tuple[str, ...]
    rolls: tuple[ShownRoll, ...]
    deed: str
    verdict: ShownVerdict | None
    dice: str
    further: tuple[FollowingMove, ...]
    moved: tuple[ScoreMovement, ...]
    waits: tuple[int, ...]
    answered: int | None
    struck: Cancellation | None
    overridden: tuple[int, ShownVerdict] | None
    disputed: tuple[int, ...]
    author: str
    entries: tuple[Entry, ...]
    names: Mapping[str, str]

    @property
    def event(self) -> events.Event:
        """The event of the main entry."""
        return lead_of(self.entries).event


def line(book: Book, entries: Sequence[Entry], when: AsOf = NOW) -> Line:
    """Return the line of an action, or of some of the action's entries, with later events about the action."""
    lead = lead_of(entries)
    ruling = _entry_with_verdict(book, entries, lead)
    ruled = ruling_shown(ruling)
    comments = [entry for entry in comment_entries(book, lead.act, when) if _is_about(book, entry, ruling, entries)]
    disputes = (entry.seq for entry in comments if isinstance(entry.event, events.DisputeRaised))
    asks = isinstance(lead.event, events.QuestionAsked | events.RollSealed)
    moved = tuple(_changes_in_place(book, entries, when.known) if when.corrected else _changes(book, entries))
    subjects = {entry.event.subject for entry in entries} | {change.who for change in moved}
    return Line(
        seq=lead.seq,
        act=lead.act,
        at=lead.clock,
        by=lead.by,
        who=person(book, ruling_shown(lead).subject),
        says=_description(book, entries, lead, when),
        note=note_in_lines(book, lead.event) if isinstance(lead.event, events.NoteWritten) else (),
        rolls=tuple(shown_roll(book, entry) for entry in entries if isinstance(entry.event, events.RollImported)),
        deed="" if isinstance(lead.event, EVENTS_TELLING_DEED) else deed_words(ruled),
        verdict=None if ruling is lead and _tells_result(ruled) else verdict_shown(book, ruled, is_lead=ruling is lead),
        dice=_dice(book, ruling),
        further=tuple(_following_moves(book, entries, lead, ruling)),
        moved=moved,
        waits=tuple(entry.seq for entry in entries if _asks_question(entry) and book.question(entry.seq, when).is_open),
        answered=book.question(lead.seq, when).answered_by if asks else None,
        struck=cancellation(book, lead.act, when),
        overridden=_last_override(comments),
        disputed=tuple(seq for seq in disputes if book.question(seq, when).is_open),
        author=_author(book, lead),
        entries=tuple(entries),
        names={who: person(book, who) for who in sorted(subjects)},
    )


def _description(book: Book, entries: Sequence[Entry], lead: Entry, when: AsOf) -> str:
    """Describe the main entry. For several imported rolls of one evening, give their number.

    For an import that is not canceled, also give the number of the import's rolls that were canceled.
    """
    if isinstance(lead.event, events.RollImported) and len(entries) > 1:
        return tell_rolls(book, entries)
    says = tell_act(book, lead)
    if isinstance(lead.event, events.LogImported) and cancellation(book, lead.act, when) is None:
        canceled = _canceled_rolls(book, lead.seq, lead.event.counts.get("new", 0), when)
        return f"{says} ({canceled:,} of them canceled since)" if canceled else says
    return says


def _canceled_rolls(book: Book, log: int, number: int, when: AsOf) -> int:
    """Return how many rolls of an import were canceled. Entry `log` is the import, which has `number` rolls."""
    last = log + number
    if last > min(when.seq, book.head()):
        return 0
    counting = [seq for seq in book.accounts.values(IMPORTED, when).values() if log < seq <= last]
    return number - len(counting)


def _author(book: Book, lead: Entry) -> str:
    """Return the name of the player who entered an action.

    Return "" for a GM, and for a player whose name the line already shows.
    """
    event, before = ruling_shown(lead), AsOf(seq=lead.act - 1)
    match event:
        case events.DisputeRaised(player=speaker) | events.Renamed(who=speaker):
            pass
        case _:
            speaker = event.subject
    if event.is_automatic or lead.by in {speaker, book.player_of(speaker, before)}:
        return ""
    if book.accounts.mark(lead.by, "gm", before):
        return ""
    from ledger.corrections.actions import OPENING_SEQ  # usually, the GM entered the action

    return "" if lead.act == OPENING_SEQ else person(book, lead.by)


def _dice(book: Book, entry: Entry) -> str:
    ruling = ruling_shown(entry)
    if isinstance(ruling, events.DiceCounted):
        return dice_text(ruling)
    dice = ruling.dice if isinstance(ruling, events.DiceThrown | events.MoveEvent) else ()
    if isinstance(ruling, events.MovePlayed) and shows_dice(ruling):
        return ""
    faces = " ".join(die.shown for die in dice)
    if not isinstance(entry.event, events.MoveEvent):
        return faces
    entries = map(book.entry, entry.event.throws)
    throws = [each.event for each in entries if isinstance(each.event, events.DiceThrown)]
    if all(throw.who == entry.event.who for throw in throws):
        return faces
    return ", ".join(f"{person(book, throw.who)}: {' '.join(die.shown for die in throw.dice)}" for throw in throws)


def _following_moves(book: Book, entries: Sequence[Entry], lead: Entry, ruling: Entry) -> Iterator[FollowingMove]:
    """Yield the moves, initiative rolls and new days of an action, except its main entry `lead`.

    If the action is an amendment, yield only those after the amended move. `ruling` is the new ruling for this move.
    """
    amends = any(isinstance(entry.event, events.ActionAmended) for entry in entries)
    for entry in entries:
        event = entry.event
        if not isinstance(event, events.MovePlayed | events.DayBegun | events.TurnRolled) or entry.seq == lead.seq:
            continue
        if _is_later_ruling(book, entry, ruling) if amends else entry.cause is None:
            yield FollowingMove(
                seq=entry.seq,
                who=person(book, event.subject),
                says=tell_act(book, entry),
                deed=deed_words(event),
                verdict=None if _tells_result(event) else verdict_shown(book, event),
                dice=_dice(book, entry),
            )


def _tells_result(event: events.Event) -> bool:
    if isinstance(event, events.DiceCounted):
        return event.vs is None
    return isinstance(event, events.MovePlayed) and says_what_was_done(event)


def _is_later_ruling(book: Book, entry: Entry, ruling: Entry) -> bool:
    """Return True if `entry` is a new ruling for a move that comes after the move of `ruling`.

    `ruling` must be a new ruling too, and both moves must be in one action.
    """
    place, earlier = (root.earliest_place(book.journal.entry) for root in (entry, ruling))
    if entry.cause != ruling.cause or place <= earlier:
        return False
    from ledger.corrections.actions import INDEPENDENT_STARTS  # most commands correct nothing

    original = book.journal.entry(book.journal.entry(place).act)
    return not isinstance(original.event, INDEPENDENT_STARTS)


def comment_entries(book: Book, act: int, when: AsOf = NOW) -> list[Entry]:
    """Return the disputes, decisions, overrides and notes about an action, without canceled ones."""
    return [book.entry(seq) for seq in book.comments_on(act, when)]


def comments_on_versions(book: Book, act: int, when: AsOf = NOW, *, secrets: bool = False) -> list[Entry]:
    """Return the entries of `comment_entries`, and the notes about earlier versions of the action."""
    seqs = {*book.comments_on(act, when)}
    for since in {entry.since for entry in book.journal.action(act) if entry.since < entry.seq}:
        versions = {entry.act for entry in book.journal.entries_since(since, since) if entry.act < act}
        comment_seqs = {seq for version in versions for seq in book.comments_on(version, when)}
        seqs |= {seq for seq in comment_seqs if isinstance(book.journal.entry(seq).event, events.NoteWritten)}
    return [book.entry(seq, secrets=secrets) for seq in sorted(seqs)]


def tell_comment(book: Book, comment: Entry) -> str:
    """Describe a comment, to show below its action. For a note, omit the action, and name an author who is a player."""
    if not isinstance(comment.event, events.NoteWritten):
        return tell(book, comment)
    author = _author(book, comment)
    return tell_note(book, comment.event, by=f" by {author}" if author else "")


def cancellation(book: Book, act: int, when: AsOf = NOW) -> Cancellation | None:
    """Return the cancellation of an action, or `None` if the action is not canceled."""
    by = book.accounts.mark(STRUCK, str(act), when)
    if by is None:
        return None
    strike = book.journal.entry(by)
    assert isinstance(strike.event, events.ActionStruck)  # noqa: S101  only strikes set that mark
    return Cancellation(by=lead_of(book.journal.action(strike.act)).seq, how=STRIKE_VERBS[strike.event.how][1])


def cancellations(book: Book, seqs: Iterable[int]) -> dict[int, Cancellation]:
    """Return the cancellations of the canceled entries in `seqs`, by the number of the canceled entry."""
    found = ((seq, cancellation(book, book.journal.entry(seq).act)) for seq in seqs)
    return {seq: struck for seq, struck in found if struck is not None}


def lines(book: Book, most: int | None, when: AsOf = NOW, *, waiting: bool = False) -> list[Line]:
    """Return the last `most` lines (None: all), the oldest first. With `waiting`, skip lines without open questions."""
    return list(each_line(book, most, when, waiting=waiting))


def each_line(book: Book, most: int | None, when: AsOf = NOW, *, waiting: bool = False) -> Iterator[Line]:
    """Yield the items of `lines` one at a time, so that a long log is never completely in memory."""
    as_known = NOW if when.corrected else when
    last = min(when.seq, book.journal.head())
    acts = [*islice(_acts_with_questions(book, as_known, last) if waiting else book.acts_backwards(last), most)]
    for act in reversed(acts):
        yield _line_at(book, act, when)


def lines_backwards(book: Book, when: AsOf = NOW, last: int = BOUND, *, secrets: bool = False) -> Iterator[Line]:
    """Yield the lines up to entry `last`, the latest first. With `secrets`, show the secrets."""
    for act in book.acts_backwards(min(last, when.seq, book.journal.head())):
        yield _line_at(book, act, when, secrets=secrets)


def _line_at(book: Book, act: int, when: AsOf, *, secrets: bool = False) -> Line:
    entries = [entry for entry in book.action(act, secrets=secrets) if entry.seq <= when.seq]
    return line(book, entries, NOW if when.corrected else when)


def _acts_with_questions(book: Book, when: AsOf, last: int) -> list[int]:
    return sorted({book.journal.entry(seq).act for seq in book.questions(when) if seq <= last}, reverse=True)


def actions_by_others_since(book: Book, act: int, by: str) -> list[Line]:
    """Return the actions after `act` by players other than `by`, without canceled actions, undos and redos."""
    acts = [later for later in takewhile(lambda later: later > act, book.acts_backwards()) if not book.is_struck(later)]
    others = [line(book, entries) for entries in map(book.action, reversed(acts)) if entries[0].by != by]
    undoes = ("undo", "redo")
    return [one for one in others if not (isinstance(one.event, events.ActionStruck) and one.event.how in undoes)]


def working_of(book: Book, entry: Entry) -> list[tuple[str, str]]:
    """Return the calculation of an entry as pairs of name and text: the steps of a ruling, or the sum of dice."""
    event = entry.event
    if isinstance(event, events.DiceCounted):
        return calculation(event)
    ruling = ruling_shown(entry)
    if not isinstance(ruling, events.MovePlayed):
        return []
    named = {who: book.name_of(who) for who in ruling.looked}
    steps = with_full_names(book, ruling).steps
    return [(named.get(step.name, step.name), step_text(ruling.system, step)) for step in steps]


def dice_sources(book: Book, entry: Entry) -> list[str]:
    """Say where the dice of an entry come from, each source once.

    For a ruling, include only the dice that were rolled in earlier actions. The other dice of the ruling have
    their own entries, which name the source.
    """
    event = entry.event
    thrown = [event, *(book.journal.entry(seq).event for seq in entry.throws if seq < entry.act)]
    if isinstance(event, events.RollSealed) and event.ruling.text is not None:
        from ledger.corrections.seals import sealed_events  # most rolls are open

        thrown = sealed_events(entry)
    sources = (each.source for each in thrown if isinstance(each, events.DiceThrown))
    return [DICE_SOURCES[source] for source in dict.fromkeys(sources)]


def replayed_ruling(book: Book, entries: Sequence[Entry], amendment: Entry, about: int) -> Entry:
    """Return the new ruling that an amendment made for entry `about`.

    If `entries` has no such ruling, return the amendment.
    """
    strike = next((entry.seq for entry in entries if entry.cause == amendment.seq), None)
    roots = (entry for entry in entries if strike and entry.cause == strike and entry.type != events.DiceThrown.type)
    amended = book.journal.entry(about)
    return next((entry for entry in roots if book.are_same_part(entry, amended)), amendment)


def _is_about(book: Book, comment: Entry, ruling: Entry, entries: Sequence[Entry]) -> bool:
    """Return True if `comment` is a dispute or an override about `ruling`.

    It may be about a version of `ruling`, about the dice of `ruling`, or about one of `entries` that is not a move.
    """
    if not isinstance(comment.event, events.DisputeRaised | events.VerdictOverridden):
        return False
    subject = book.journal.entry(comment.event.about)
    if subject.act == ruling.act and not isinstance(subject.event, events.MovePlayed):
        throws = ruling.event.throws if isinstance(ruling.event, events.MoveEvent) else ()
        return subject.seq in {entry.seq for entry in entries} | set(throws)
    return book.are_same_part(subject, ruling)


def _asks_question(entry: Entry) -> bool:
    return any(mark.who == QUESTIONS and mark.value is False for mark in ruling_shown(entry).marks)


def _entry_with_verdict(book: Book, entries: Sequence[Entry], lead: Entry) -> Entry:
    if isinstance(lead.event, events.ActionStruck) and lead.event.how == "choose":
        offered = book.entry(offer_taken_up(book, lead.event))
        rulings = (entry for entry in entries if isinstance(entry.event, events.MovePlayed))
        return next((ruling for ruling in rulings if book.are_same_part(ruling, offered)), lead)
    if isinstance(lead.event, events.SecretRevealed):
        shown = events.MovePlayed | events.DiceCounted
        return next((entry for entry in entries if isinstance(entry.event, shown)), lead)
    for entry in entries:
        if isinstance(entry.event, events.ActionAmended):
            return replayed_ruling(book, entries, entry, entry.event.about)
    return lead


def verdict_shown(book: Book, ruling: events.Event, *, is_lead: bool = False) -> ShownVerdict | None:
    """Return the verdict of a ruling, or `None` if there is none to show.

    `is_lead` means that the line already shows the total of a plain roll. In this case, leave out the total.
    """
    if isinstance(ruling, events.DiceCounted):
        total, success = with_minus_sign(str(ruling.total)), success_text(ruling)
        says = success if is_lead and success else f"the total is {total}{success and ', '}{success}"
        return ShownVerdict(says=says, good=None if ruling.margin is None else ruling.margin >= 0)
    if isinstance(ruling, events.MovePlayed):
        says, result_text = result_words(with_full_names(book, ruling))
        return ShownVerdict(says=says, good=ruling.verdict.good, result_text=result_text)
    if isinstance(ruling, events.KnockOnFound) and ruling.verdict is not None and ruling.verdict.good is not None:
        ruled = book.entry(ruling.about).event
        system = ruled.system if isinstance(ruled, events.MoveEvent) else ""
        return ShownVerdict(says=verdict_words(system, ruling.verdict), good=ruling.verdict.good)
    if isinstance(ruling, events.VerdictOverridden) and ruling.verdict.text is not None:
        return ShownVerdict(says=typed_words(ruling.verdict), good=ruling.good)
    return None


def override_of(book: Book, act: int, seq: int) -> tuple[int, ShownVerdict] | None:
    """Return the entry and the verdict of the last override of entry `seq`, which is in action `act`."""
    comments = (book.entry(each) for each in book.comments_on(act))
    return _last_override([each for each in comments if getattr(each.event, "about", None) == seq])


def _last_override(comments: Sequence[Entry]) -> tuple[int, ShownVerdict] | None:
    for entry in reversed(comments):
        if isinstance(entry.event, events.VerdictOverridden):
            return entry.seq, ShownVerdict(says=typed_words(entry.event.verdict), good=entry.event.good)
    return None


def _changes(book: Book, entries: Sequence[Entry]) -> Iterator[ScoreMovement]:
    balances: dict[tuple[str, str], tuple[int, int]] = {}
    for row in book.accounts.postings_between(entries[0].seq, entries[-1].seq, _changed_accounts(book, entries)):
        before, _ = balances.get((row.who, row.score), (row.balance - row.amount, 0))
        balances[row.who, row.score] = before, row.balance
    for (who, score), (before, after) in balances.items():
        if is_shown(score) and before != after:
            yield ScoreMovement(who=who, score=score, before=before, after=after)


def _changes_in_place(book: Book, entries: Sequence[Entry], known: int) -> Iterator[ScoreMovement]:
    """Yield each score that the entries changed, with its corrected balances before and after all these entries.

    Corrections after entry `known` are left out.
    """
    first, last = entries[0], entries[-1]
    for who, score in filter(lambda account: is_shown(account[1]), _changed_accounts(book, entries)):
        before = _balance_in_place(book, who, score, first.since, first.seq - 1, known)
        after = _balance_in_place(book, who, score, last.since, last.seq, known)
        if before != after:
            yield ScoreMovement(who=who, score=score, before=before, after=after)


def _balance_in_place(book: Book, who: str, score: str, since: int, seq: int, known: int) -> int:
    """Return the balance of a score at the position of entry `since`, with all corrections up to entry `known`.

    Include all changes that take effect before entry `since`. Include a change that takes effect at `since` itself
    only if entry `seq` or an earlier entry made the change.
    """
    earlier, own = AsOf(seq=since - 1, corrected=True, known=known), min(seq, known)
    then = [AsOf(seq=place, corrected=True, known=own) for place in (since - 1, since)]
    all_earlier, known_earlier, known_here = (book.accounts.balance(who, score, when) or 0 for when in (earlier, *then))
    return all_earlier + known_here - known_earlier


def is_shown(full: str) -> bool:
    """Return True if lines list this score: it is on a sheet, and is not bookkeeping."""
    return "/" in full and not is_bookkeeping(full)


def _changed_accounts(book: Book, entries: Sequence[Entry]) -> list[tuple[str, str]]:
    subjects: dict[tuple[str, str], None] = {}
    for entry in entries:
        subjects |= {(posting.who, posting.score): None for posting in entry.event.postings}
        for act in entry.targets:
            subjects |= dict.fromkeys(_changed_accounts(book, book.journal.action(act)))
    return list(subjects)
