"""Actions, sheets and live updates as HTML, and the template environment."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from hashlib import sha256
from os import path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ledger.commands.play import installed_move
from ledger.corrections.questions import offer_taken_up
from ledger.corrections.seals import has_unrevealed_secret
from ledger.corrections.undoing import next_to_undo
from ledger.errors import count_of, entry_count, visible_text, with_minus_sign
from ledger.events import types as events
from ledger.events.commitments import Secret
from ledger.events.entry import Entry
from ledger.events.subjects import ABOUT, CAMPAIGN, QUESTIONS, REVEALED, STRUCK
from ledger.journal.book import Book
from ledger.journal.revealed import secrets_read
from projections.log import Line, line
from projections.luck_words import die_title, face_groups, rolls_and_fair_mean, verdict_sentence
from projections.move_words import still_to_choose
from projections.phrases import deed_words, note_in_lines, tell
from projections.questions import DueQuestions, OpenQuestion, due_questions, open_offers
from projections.search import CHARACTER_EVENTS, TURN_EVENTS
from projections.sheets import mark_in_words, sheets, table_sheets
from projections.side_effects import open_questions_text
from projections.status import TurnOrder, moment, turns
from projections.wording import readable, score_label, sheet_value_text, short_name, value_text
from web.bodies import GM_FORMS
from web.forms import command_fields
from web.move_links import TRAY_DICE, other_rolls, rows_with_links
from web.people import Person, may_answer, own_characters, plays, with_own_note

WEB_FOLDER = path.dirname(__file__)
SESSION_OR_TURN_EVENTS = TURN_EVENTS | events.SessionOpened | events.SessionClosed | events.ActionStruck
"""The events that may open or close a session, or change the turn order."""

MOST_LINES = 50
"""The maximum number of actions that a page shows at first. It also loads up to this many earlier actions at a time."""

ROSTER_EVENTS = CHARACTER_EVENTS | events.PlayerSeated | events.Renamed | events.SessionClosed
"""The events that may change the list of players or characters."""

MOST_EARLIER_LINES = 200
"""The maximum number of earlier lines that an action updates on an open page. Reload the page to update older lines."""

SILENCE_SECONDS = 35
"""The seconds of silence after which a page reconnects. The feed sends something at least every 15 seconds."""

MOST_CHARACTERS = 30
"""The maximum number of characters with sheets and buttons on the table's page. A search finds the others."""

MOST_OPEN_QUESTIONS = 12
"""The maximum number of open questions on a page."""

MOST_NOTE_LINES = 9
"""The maximum number of lines of a note in the feed, with its heading. A tap shows the rest."""

MOST_IN_DOCK = 3
"""The maximum number of open questions, and of offers, in the dock at the bottom edge of the page."""

LONGEST_TEXT_SHOWN = 300
"""The maximum length, in characters, of a text on a line of the feed. A tap on the line shows the rest."""


def _finalize(value: Any) -> Any:
    return visible_text(value) if type(value) is str else value


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(path.join(WEB_FOLDER, "templates")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_finalize,
    )
    environment.filters |= {
        "with_minus_sign": with_minus_sign,
        "short_name": short_name,
        "score_label": score_label,
        "sheet_value_text": sheet_value_text,
        "label": _label,
        "brief": shortened,
        "words_in_feed": words_in_feed,
        "in_lines": in_lines,
    }
    environment.globals |= {
        "silence": SILENCE_SECONDS,
        "CAMPAIGN": CAMPAIGN,
        "rows_with_links": rows_with_links,
        "other_rolls": other_rolls,
        "DICE": TRAY_DICE,
        "mark_in_words": mark_in_words,
        "open_questions_text": open_questions_text,
        "count_of": count_of,
        "entry_count": entry_count,
        "has_secrets": has_secrets,
        "command_fields": command_fields,
        "die_title": die_title,
        "face_groups": face_groups,
        "rolls_and_fair_mean": rolls_and_fair_mean,
        "verdict_sentence": verdict_sentence,
        "gm_forms": tuple(GM_FORMS),
    }
    return environment


def _label(name: str) -> str:
    return name.replace("_", " ").replace("-", " ")


def shortened(text: str) -> str:
    """Cut off a text at the length `LONGEST_TEXT_SHOWN`."""
    return text if len(text) <= LONGEST_TEXT_SHOWN else f"{text[:LONGEST_TEXT_SHOWN]} …"


def words_in_feed(action: Line) -> list[str]:
    """Return the words of an action for the feed, cut off at `LONGEST_TEXT_SHOWN`. Notes may have several lines."""
    more = ["…"] if len(action.note) > MOST_NOTE_LINES else []
    return [*map(shortened, action.note[:MOST_NOTE_LINES] or [action.says]), *more]


def in_lines(lines: Iterable[str]) -> Markup:
    """Return lines of text as HTML, with their line breaks."""
    return Markup("<br>").join(map(visible_text, lines))


def text_of(action: Line) -> str:
    """Return the line of an action in the feed as plain text, without its number."""
    text = Markup(render("words.html", action=action)).striptags()  # noqa: S704  the template has escaped it
    return text.removeprefix(f"#{action.seq} ")


def render(template: str, **values: Any) -> str:
    """Return the HTML of a template. Special characters in texts of `values` are escaped."""
    return ENVIRONMENT.get_template(template).render(**values)


def question_values(due: DueQuestions, order: TurnOrder) -> dict[str, Any]:
    """Return the template values for the oldest open questions and offers, without secrets.

    The values include the number of questions that are left out.
    """
    waiting, offers = _with_choices(due.book, due.first(MOST_OPEN_QUESTIONS, facts=False)), open_offers(due.book)
    return {
        "waiting": waiting,
        "more_waits": max(len(due) - MOST_OPEN_QUESTIONS, 0),
        "offers": offers[:MOST_OPEN_QUESTIONS],
        "state": _state(due, offers, order),
    }


def own_values(due: DueQuestions, order: TurnOrder, person: Person) -> dict[str, Any]:
    """Return the template values for the turn, and for the questions and offers that a person can answer."""
    book, offers, group = due.book, open_offers(due.book), own_questions(due, person)
    own_offers = [offer for offer in offers if may_answer(book, person, offer.seq)]
    return {
        "state": _state(due, offers, order),
        "turn": order.names.get(order.who, ""),
        "is_own_turn": bool(order.who) and plays(book, person, order.who),
        "own_questions": _with_choices(book, group.first(MOST_IN_DOCK, facts=False)),
        "more_own_questions": max(len(group) - MOST_IN_DOCK, 0),
        "own_offers": own_offers[:MOST_IN_DOCK],
    }


def _with_choices(book: Book, questions: Iterable[OpenQuestion]) -> list[OpenQuestion]:
    """Return the questions. If a question waits for a choice, add the sentence for this choice."""
    asked = [(question, book.entry(question.seq).event) for question in questions]
    return [
        question.replace(says=f"{question.says}: {choice_text(book, event)}")
        if isinstance(event, events.QuestionAsked) and question.type == event.type
        else question
        for question, event in asked
    ]


def choice_text(book: Book, event: events.QuestionAsked) -> str:
    """Return the sentence for an open choice. It names the GM if the choice belongs to the whole table."""
    return still_to_choose("The GM" if event.who == CAMPAIGN else book.name_of(event.who), event)


def own_questions(due: DueQuestions, person: Person) -> DueQuestions:
    """Return the open questions that a person should answer. The GM should answer all, except sealed rolls."""
    open_, _ = due.split_sealed()
    if person.is_gm:
        return open_
    own, choices = own_characters(due.book, person), due.book.journal.of_type(events.QuestionAsked.type, open_.asked)
    return open_.replace(
        asked=tuple(seq for seq in choices if may_answer(due.book, person, seq)),
        on_sheets=tuple(task for task in open_.on_sheets if task.who in own),
    )


def _state(due: DueQuestions, offers: Sequence[OpenQuestion], order: TurnOrder) -> str:
    """Return a short text that changes when the turn, an open question or an offer changes."""
    tasks, offered = [(task.seq, task.who) for task in due.on_sheets], [(offer.seq, offer.asks) for offer in offers]
    return sha256(repr((order.round, order.who, due.asked, tasks, offered)).encode()).hexdigest()[:8]


def undo_values(book: Book, person: Person) -> dict[str, Any]:
    """Return the template value for the button that undoes a person's last action: the action's line, or `None`."""
    act = next(next_to_undo(book, person.seat), None)
    return {"undoable": None if act is None else line(book, book.action(act))}


def updates_for(book: Book, actions: Sequence[Sequence[Entry]]) -> list[str]:
    """Return an update for each action: the line of the action in the feed, and the earlier lines that it changed.

    The last update also has the changed sheets, the open questions and the state of play. If more than
    `MOST_CHARACTERS` sheets changed, each page loads the sheets itself.
    """
    affected = [[*entries, *canceled_or_restored(book, entries)] for entries in actions]
    lines = [
        (line(book, entries), _changed_earlier_lines(book, entries[0].act, changed_entries))
        for entries, changed_entries in zip(actions, affected, strict=True)
    ]
    updates = [render("update.html", action=action, earlier=earlier) for action, earlier in lines[:-1]]
    events = [entry.event for changed_entries in affected for entry in changed_entries]
    subjects = {posting.who for event in events for posting in event.postings}
    subjects |= {mark.who for event in events for mark in event.marks}
    due, changed = due_questions(book), [who for who in book.cast() if who in subjects]
    crowded = len(changed) > MOST_CHARACTERS
    order = turns(book)
    now = {
        "sheets": [] if crowded else sheets(book, changed),
        "of_table": table_sheets(book) if CAMPAIGN in subjects else None,
        "cast": crowded or any(isinstance(event, ROSTER_EVENTS) for event in events),
        "moment": moment(book, due=due),
        "turns": order,
        **question_values(due, order),
        "evening": any(isinstance(event, SESSION_OR_TURN_EVENTS) for event in events),
    }
    updates += [render("update.html", action=action, earlier=earlier, **now) for action, earlier in lines[-1:]]
    return updates


def canceled_or_restored(book: Book, entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries of all actions that the given entries cancel or restore.

    If such an action is itself a correction, add the actions that it cancels or restores, and so on.
    """
    reached: dict[int, list[Entry]] = {}
    waiting = _target_acts(entries)
    while waiting:
        act = waiting.pop()
        if act not in reached:
            reached[act] = book.action(act)
            waiting += _target_acts(reached[act])
    return [entry for entries in reached.values() for entry in entries]


def _target_acts(entries: Sequence[Entry]) -> list[int]:
    return [act for entry in entries for act in entry.targets]


def has_secrets(action: Line) -> bool:
    """Return True if an action has secrets, or had secrets that were revealed. Everybody may know this."""
    return any(kind == Secret.KEY for entry in action.entries for _, kind, _ in entry.committed)


def hides_secret(book: Book, entry: Entry) -> bool:
    """Return True if an entry has a secret that not everybody may read."""
    return has_unrevealed_secret(book, entry) and not book.revealed(entry.seq)


def secret_values(book: Book, person: Person, act: int) -> dict[str, Any]:
    """Return the template values for the secrets of an action that a person may read.

    The GM also gets the whole line, if the secrets change it.
    """
    public = line(book, book.action(act))
    hides = person.is_gm and any(hides_secret(book, entry) for entry in public.entries)
    full = line(book, book.action(act, secrets=hides))
    differs = full.replace(entries=()) != public.replace(entries=())
    return {"full": full if differs else None, "secrets": secrets_for(book, person, act)}


def secrets_for(book: Book, person: Person, act: int) -> list[str]:
    """Return the unrevealed secrets of an action that a person may read.

    A GM gets only the secret values, because the action's line shows the GM the notes and deeds. A player sees only
    the secrets that `Move.own_secrets` allows, the deeds of the player's own moves, and the notes for this player.
    """
    own, entries = own_characters(book, person), book.action(act)
    moves = {entry.seq: installed_move(entry.event) for entry in entries if isinstance(entry.event, events.MovePlayed)}
    for_players = {seq for seq, move in moves.items() if move is not None and move.own_secrets}
    shown = [
        (entry.seq, mark.name)
        for entry in entries
        if not book.revealed(entry.seq)
        for mark in entry.event.marks
        if isinstance(mark.value, Secret)
        if person.is_gm or (entry.cause in for_players and mark.who in own)
    ]
    opened = {seq: {mark.name: mark.value for mark in book.entry(seq, secrets=True).event.marks} for seq, _ in shown}
    values = [f"{short_name(name)}: {_secret_text(readable(opened[seq][name]))}" for seq, name in shown]
    if person.is_gm:
        return values
    deeds = _deeds_of(book, sorted(for_players), own)
    return [*values, *deeds, *_notes_for(book, person, entries)]


def _deeds_of(book: Book, moves: Iterable[int], own: Collection[str]) -> Iterator[str]:
    """Yield the unrevealed secret deeds of characters in `own`. `moves` are the entries to search."""
    for seq in moves:
        entry = book.entry(seq)
        words = "" if entry.with_secrets else deed_words(book.entry(seq, secrets=True).event)
        if words and entry.event.subject in own:
            yield f"attempt: {words}"


def _notes_for(book: Book, person: Person, entries: Sequence[Entry]) -> Iterator[str]:
    """Yield the unrevealed secret notes among `entries` that a person may read, with their texts."""
    for entry in entries:
        note = with_own_note(book, person, entry)
        if isinstance(note.event, events.NoteKept) and note.with_secrets and not entry.with_secrets:
            yield "\n".join(note_in_lines(book, note.event)) or tell(book, note)


def _secret_text(value: Any) -> str:
    if not isinstance(value, dict):
        return value_text(value)
    return ", ".join(f"{name} {value_text(part)}" for name, part in value.items() if part not in (None, []))


def _changed_earlier_lines(book: Book, act: int, affected: Sequence[Entry]) -> list[Line]:
    """Return the lines before action `act` that the `affected` entries change: the latest `MOST_EARLIER_LINES`.

    The line of an import has the number of canceled rolls, so a canceled or restored roll changes this line too.
    """
    rolls = (entry.event for entry in affected if isinstance(entry.event, events.RollImported) and entry.act != act)
    imports = {book.journal.entry(log).act for log in {roll.log for roll in rolls}}
    touched = sorted({*affected_acts(book, affected), *imports} - {act})
    return [line(book, book.action(each)) for each in touched[-MOST_EARLIER_LINES:]]


def affected_acts(book: Book, affected: Sequence[Entry]) -> Iterator[int]:
    """Yield the actions whose lines in the feed must be shown again because these entries changed."""
    for entry in affected:
        yield entry.act
        for mark in entry.event.marks:
            if mark.who in {QUESTIONS, REVEALED}:
                yield book.journal.entry(int(mark.name)).act
            elif mark.who in {STRUCK, ABOUT}:
                yield int(mark.name.partition(":")[0])
        if isinstance(entry.event, events.MovePlayed):
            yield from (book.journal.entry(seq).act for seq in secrets_read(book.accounts, entry.event))
        if isinstance(entry.event, events.ActionStruck) and entry.event.how == "choose":
            yield book.journal.entry(offer_taken_up(book, entry.event)).act


ENVIRONMENT = _environment()
