"""All open questions, in one list."""

from __future__ import annotations

from itertools import chain
from operator import itemgetter

from ledger import systems
from ledger.commands.play import installed_move, move_of
from ledger.commands.sheet import Sheets, table_of
from ledger.corrections.in_place import state_before
from ledger.corrections.questions import is_offer_open, offers_in
from ledger.corrections.seals import SESSION_END
from ledger.corrections.spots import is_added_by_correction
from ledger.events import types as events
from ledger.events.commitments import with_texts
from ledger.events.entry import Entry
from ledger.events.subjects import CAMPAIGN, CAST, OFFER, is_npc
from ledger.journal.accounts import MANY_NAMES, NOW, AsOf
from ledger.journal.book import AsOfBook, Book
from ledger.rules.move import Move
from ledger.rules.system import Row
from ledger.times import time_in_words
from ledger.values import Struct
from projections.log import cancellation
from projections.phrases import describe_correction, name_with_owner, person, tell
from projections.sheets import Sheet, sheets, table_sheets
from projections.wording import readable, score_label, value_text


class OpenQuestion(Struct):
    """An open question. `seq` is the entry, and `who` is the character. `name` is the name to show for `who`.

    If a move waits for a choice, `asks` lists the missing inputs.

    An open question can also be a task on a sheet, such as damage to soak. Then `type` is `waits`, `seq` is the
    entry that caused the task, and `then` is the command to type next: the move that ends the task, or else the
    command that brings back a character whom the move needs. `whom` is the other character of a task, such as the
    target of an attack. See also `open_offers`.
    """

    seq: int
    at: str
    type: str
    who: str
    says: str
    about: int | None = None
    system: str | None = None
    move: str | None = None
    dice: tuple[int, ...] = ()
    asks: tuple[str, ...] = ()
    then: str | None = None
    name: str = ""
    whom: str = ""


SHEET_QUESTION_TYPE = "waits"
"""The type of a question on a sheet. Such a question is a task, and has no entry of its own in the journal."""


def questions(book: Book, when: AsOf = NOW, *, facts: bool = True) -> list[OpenQuestion]:
    """Return all open questions and open tasks, the oldest first.

    With `facts`, the questions include facts that help to decide, even the GM's secrets.
    """
    return due_questions(book, when).first(facts=facts)


def unfinished_moves(book: Book, first: int = 1) -> list[OpenQuestion]:
    """Return the open choices, and the unfinished tasks (such as the rest of an attack), from entry `first` on."""
    types = {SHEET_QUESTION_TYPE, events.QuestionAsked.type}
    return [each for each in questions(book, facts=False) if each.seq >= first and each.type in types]


def unfinished_in_session(book: Book) -> list[OpenQuestion]:
    """Return the unfinished moves since the start of the open session, or since the end of the last session."""
    row = book.accounts.mark_row(CAMPAIGN, "session")
    return unfinished_moves(book, row.since if row else 1)


def tasks_of(book: Book, *names: str) -> list[OpenQuestion]:
    """Return the tasks that these characters have or caused, such as the rest of an attack or unchecked damage."""
    pages = (page for page in sheets(book, _characters_to_check(book, NOW)) if page.hold is None)
    return [
        _task_on_sheet(book, page, row, NOW)
        for page in pages
        for row in page.rows
        if row.then and not {page.who, row.whom, row.by}.isdisjoint(names)
    ]


OFFER_TYPE = "offer"
"""The type of an offer. It is not a question that somebody must answer: it expires with the character's next move."""


def open_offers(book: Book, when: AsOf = NOW) -> list[OpenQuestion]:
    """Return the choices that characters may still make after their last ruling, the oldest first.

    In each result, `asks` lists the inputs to choose from. Skip rulings whose game is not installed, and offers that a
    game has closed.
    """
    then = book if when == NOW else AsOfBook(book, when)
    cast, last = {*book.cast(when)}, min(when.seq, book.head())
    marks = (then.mark(who, OFFER) for who in book.accounts.subjects_with("marks", OFFER) if who in cast)
    return [
        _offer(then, ruling)
        for ruling in map(then.entry, sorted(filter(None, marks)))
        if _can_still_accept(then, ruling, last)
    ]


def _can_still_accept(book: Book, ruling: Entry, last: int) -> bool:
    event = ruling.event
    return isinstance(event, events.MovePlayed) and bool(installed_move(event)) and is_offer_open(book, ruling, last)


def _offer(book: Book, ruling: Entry) -> OpenQuestion:
    event = ruling.event
    assert isinstance(event, events.MovePlayed)  # noqa: S101  only these have offers
    asks = offers_in(book, ruling.seq)
    choices = " or ".join(move_of(ruling).offered[name] for name in asks)
    return OpenQuestion(
        seq=ruling.seq,
        at=ruling.clock,
        type=OFFER_TYPE,
        who=event.who,
        name=person(book, event.who),
        says=f"may still {choices}",
        system=event.system,
        move=event.move,
        asks=asks,
    )


class DueQuestions(Struct):
    """All open questions. `asked` has the entries that ask a question, and `on_sheets` has the open tasks on sheets.

    `first` returns the questions of both kinds in one list.
    """

    book: Book
    when: AsOf
    asked: tuple[int, ...]
    on_sheets: tuple[OpenQuestion, ...]

    def __len__(self) -> int:
        return len(self.asked) + len(self.on_sheets)

    def first(self, most: int | None = None, *, skip: int = 0, facts: bool = True) -> list[OpenQuestion]:
        """Omit the `skip` oldest questions, and return the next `most` (default: all). For `facts`, see `questions`."""
        asked: list[tuple[int, OpenQuestion | None]] = [(seq, None) for seq in self.asked]
        oldest = sorted([*asked, *((task.seq, task) for task in self.on_sheets)], key=itemgetter(0))
        return [
            task or open_question(self.book, self.book.entry(seq), self.when, facts=facts)
            for seq, task in oldest[skip : None if most is None else skip + most]
        ]

    def split_sealed(self) -> tuple[DueQuestions, DueQuestions]:
        """Split the open questions into two parts: all questions except sealed rolls, and only the sealed rolls."""
        sealed = set(self.book.journal.of_type(events.RollSealed.type, self.asked))
        asked = tuple(seq for seq in self.asked if seq not in sealed)
        return self.replace(asked=asked), self.replace(asked=tuple(sorted(sealed)), on_sheets=())


def due_questions(book: Book, when: AsOf = NOW) -> DueQuestions:
    """Return the open questions at a point: those that entries ask, and the open tasks on sheets.

    An open choice blocks the sheets of its character, and the whole-table sheet of its game. Tasks on blocked
    sheets are left out.
    """
    asked = tuple(seq for seq in book.questions(when) if seq <= when.seq)
    table = [page for page in table_sheets(book, when) if any(row.then for row in page.rows)]
    choices = book.journal.of_type(events.QuestionAsked.type, asked) if table else ()
    asking = (book.journal.entry(seq).event for seq in choices)
    blocked = {event.system for event in asking if isinstance(event, events.QuestionAsked)}
    pages = [page for page in table if page.system not in blocked]
    names = [*_characters_to_check(book, when), *_absent_npcs(book, when)]
    pages += [page for page in sheets(book, names, when) if page.hold is None]
    tasks = (_task_on_sheet(book, page, row, when) for page in pages for row in page.rows if row.then)
    return DueQuestions(book=book, when=when, asked=asked, on_sheets=tuple(tasks))


def _characters_to_check(book: Book, when: AsOf) -> list[str]:
    """Return the characters whose sheets may have open questions.

    If the cast has more than `MANY_NAMES` characters, include only those of `_characters_with_tasks`.
    """
    cast = book.cast(when)
    if len(cast) <= MANY_NAMES:
        return cast
    waiting = _characters_with_tasks(book)
    return [who for who in cast if who in waiting]


def _absent_npcs(book: Book, when: AsOf) -> list[str]:
    """Return the non-player characters of earlier sessions whose sheets may have open questions."""
    return [who for who in sorted(_characters_with_tasks(book)) if is_absent_npc(book, who, when)]


def is_absent_npc(book: Book, who: str, when: AsOf = NOW) -> bool:
    """Return True for a non-player character who joined only in earlier sessions, and has not left the campaign."""
    return is_npc(book.accounts.mark(CAST, who, when)) and not book.plays(who, when)


def _characters_with_tasks(book: Book) -> set[str]:
    """Return the characters who may have an unfinished move, according to their scores and marks.

    Each game lists in `waits` the scores and marks that stand for an unfinished move. A character is returned if
    one of these was ever recorded for the character.
    """
    games = [game for name in systems.names() if (game := systems.installed(name)) is not None]
    prefixes = [f"{game.name}/{name}" for game in games for name in game.waits]
    having = book.accounts.subjects_with
    return {who for prefix in prefixes for who in (*having("postings", prefix), *having("marks", prefix))}


def _task_on_sheet(book: Book, page: Sheet, row: Row, when: AsOf) -> OpenQuestion:
    full = f"{page.system}/{row.shows[0]}"
    marked = (seq for seq, _ in book.accounts.newest_mark_entries_first(page.who, full, when))
    posted = (row.seq for row in book.accounts.latest_postings(page.who, full, when))
    seq = next(chain(marked, posted))
    absent = [who for who in (page.who, row.whom) if who and is_absent_npc(book, who, when)]
    return OpenQuestion(
        seq=seq,
        at=book.journal.entry(seq).clock,
        type=SHEET_QUESTION_TYPE,
        who=page.who,
        says=f"{row.label}: {row.value}",
        system=page.system,
        then=f"npc {' '.join(absent)}" if absent else row.then.format(who=page.who),
        name=page.name,
        whom=row.whom,
    )


def open_question(book: Book, entry: Entry, when: AsOf = NOW, *, facts: bool = True) -> OpenQuestion:
    """Return the open question that an entry asks. The text includes changes since the entry."""
    event = entry.event
    question = event if isinstance(event, events.QuestionAsked) else None
    says = question_in_words(book, entry) if facts else tell(book, entry)
    return OpenQuestion(
        seq=entry.seq,
        at=entry.clock,
        type=entry.type,
        who=person(book, event.player) if isinstance(event, events.DisputeRaised) else event.subject,
        name=person(book, event.player if isinstance(event, events.DisputeRaised) else event.subject),
        says=_sealed_roll_text(book, entry, event)
        if isinstance(event, events.RollSealed)
        else says + _changes_since(book, entry) + _cancellation_text(book, entry.about, when),
        about=entry.about,
        system=question.system if question else None,
        move=question.move if question else None,
        dice=tuple(die.face for die in question.dice) if question else (),
        asks=question.asks if question else (),
    )


def _sealed_roll_text(book: Book, entry: Entry, event: events.RollSealed) -> str:
    ends = "at the end of the session" if event.until == SESSION_END else event.until
    due = f", due {ends}" if ends else ""
    when = time_in_words(entry.clock, book.zone(entry.seq))
    return f"{describe_correction(book, entry)} by {person(book, entry.by)}, {when}{due}"


def question_in_words(book: Book, entry: Entry) -> str:
    """Return a question in words, with the facts that help to decide. The facts may include the GM's secrets."""
    facts_text = question_facts(book, entry)
    return f"{tell(book, entry)}{facts_text and f' ({facts_text})'}"


def question_facts(book: Book, entry: Entry) -> str:
    """Return facts that help to decide a question, or "". The facts are from the sheets at the time of the question."""
    event = entry.event
    if not isinstance(event, events.QuestionAsked):
        return ""
    move = installed_move(event)
    if move is None or move.facts_text is Move.facts_text or not event.inputs.keys() <= move.fields().keys():
        return ""
    opened = book.entry(entry.seq, secrets=True).event
    seen = opened if move.may_show_secrets and isinstance(opened, events.QuestionAsked) else event
    table = table_of(AsOfBook(book, AsOf(seq=entry.seq)), event.system, seen)
    faces = [die.face for die in event.dice]
    return move.from_inputs(with_texts(event.inputs)).facts_text(table, faces)


def facts_before(book: Book, ruling: Entry) -> str:
    """Return facts from the sheets that explain the dice of a ruling, or "" if there are none.

    Only a ruling that may lead to further rolls has such facts.
    """
    event = ruling.event
    move = installed_move(event) if isinstance(event, events.MovePlayed) else None
    if move is None or not (move.is_part and any(later.may_roll() for later in move.may_lead_to)):
        return ""
    assert isinstance(event, events.MovePlayed)  # noqa: S101  only such an event has a move here
    table = table_of(AsOfBook(book, AsOf(seq=ruling.act - 1)), event.system)
    return move.from_inputs(with_texts(event.inputs)).facts_text(table, ())


def _changed_again_phrase(book: Book, knock_on: events.KnockOnFound) -> str:
    """Return a phrase with the numbers that changed again after a knock-on was found; "" without such numbers."""
    ruling = book.journal.entry(knock_on.about)
    system = systems.installed(ruling.event.system) if isinstance(ruling.event, events.MoveEvent) else None
    if system is None:
        return ""
    is_added = is_added_by_correction(ruling, book.journal.entry)
    sheets = Sheets(state_before(book, book.place(ruling), is_added=is_added), system)
    changed = [
        f"{name_with_owner(book, who, full)} is {value_text(now)}"
        for who, names in readable(knock_on.numbers).items()
        for full, then in names.items()
        if isinstance(then, int) and (now := sheets.comparable_value(who, full)) != then
    ]
    return f"; now {', '.join(changed)}" if changed else ""


def _cancellation_text(book: Book, about: int | None, when: AsOf) -> str:
    struck = cancellation(book, book.journal.entry(about).act, when) if about else None
    return f"; #{about} was {struck.how} by #{struck.by}" if struck else ""


def _changes_since(book: Book, entry: Entry) -> str:
    """Return a phrase with changes since an assertion, a knock-on or a crossed limit; "" without changes."""
    match entry.event:
        case events.LimitCrossed() as limit:
            value = book.balance(limit.who, limit.score) or 0
            return "" if value == limit.value else f"; the value is {value_text(value)} now"
        case events.KnockOnFound() as knock_on:
            return _changed_again_phrase(book, knock_on)
        case events.ScoreAsserted() as paper:
            then = AsOf(seq=entry.seq, corrected=True)
            now = {full: book.accounts.balance(paper.who, full, then) or 0 for full in paper.claimed}
            changed = [
                f"{score_label(full)} {value_text(value)}" for full, value in now.items() if value != paper.stood[full]
            ]
            return f"; the record was corrected since then: {', '.join(changed)}" if changed else ""
    return ""
