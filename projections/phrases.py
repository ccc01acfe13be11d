"""Phrases: the words for each type of event. Games add only the words for their own moves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ledger.corrections.questions import offer_taken_up
from ledger.errors import count_of, with_minus_sign
from ledger.events import types as events
from ledger.events.commitments import CommittedText, Secret
from ledger.events.decode import decode_sealed
from ledger.events.entry import Entry, lead_of
from ledger.events.subjects import CAMPAIGN, CAST, INITIATIVE, PLAYER
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book
from ledger.rules.dice import D100
from projections.import_phrases import tell_import, tell_rolls
from projections.named_moves import inputs_with_names, with_full_names
from projections.plain_rolls import result_text
from projections.returning import describe_npcs_joining
from projections.wording import (
    act_words,
    kept_score_phrases,
    readable,
    reason_suffix,
    result_words,
    says_what_was_done,
    score_label,
    sentence_shown,
    short_name,
    typed_words,
    value_text,
    verdict_words,
)


def tell(book: Book, entry: Entry) -> str:
    """Describe an entry in words, with the typed deed. For a consequence of a ruling, give only its name."""
    return _with_deed(tell_act(book, entry), ruling_shown(entry))


def tell_act(book: Book, entry: Entry) -> str:
    """Describe an entry in words, without the typed deed."""
    return _tell(book, entry.event, entry.seq)


def deed_words(event: events.Event) -> str:
    """Return the typed deed of an event; "" if there is none, or if it is erased or secret."""
    deed = event.deed if isinstance(event, events.RulingEvent) else None
    return "" if deed is None or deed.text is None else typed_words(deed)


def _with_deed(text: str, event: events.Event) -> str:
    words = deed_words(event)
    return f"{text}: {words}" if words else text


def _tell(book: Book, event: events.Event, seq: int) -> str:  # noqa: C901, PLR0911, PLR0912  one case per event
    match event:
        case events.MovePlayed() if says_what_was_done(event):
            return ": ".join(filter(None, result_words(with_full_names(book, event))))
        case events.MoveEvent():
            return act_words(event.system, event.move, with_full_names(book, event).inputs)
        case events.PlayerSeated():
            return _tell_seat(book, event, seq)
        case events.PlayerLeft():
            return _tell_leaving(book, event, seq)
        case events.Renamed():
            return _tell_new_name(book, event, seq)
        case events.CharacterReturned(who=who) if book.accounts.mark(CAST, who, AsOf(seq=seq - 1)) is None:
            return "comes to the table"
        case events.NpcsSeated():
            return describe_npcs_joining(book, event.names, seq)
        case events.SessionOpened():
            names = ", ".join(person(book, who) for who in event.present)
            return f"session {event.number} opened: {typed_words(event.title)}{f', present: {names}' if names else ''}"
        case events.PlayersPresent():
            here = [person(book, who) for who in event.players]
            return f"{' and '.join(here)} {'is' if len(here) == 1 else 'are'} present"
        case events.ScoresGiven():
            gifts = " and ".join(f"{amount} {score_label(name)}" for name, amount in event.amounts.items())
            return f"gives {person(book, event.to)} {gifts}{reason_suffix(event.why)}"
        case events.NoteWritten():
            return tell_note(book, event, about=True)
        case events.ScoreAdjusted() if kept := kept_score_phrases(event):
            return f"adjusted by hand, {', '.join(kept)}{reason_suffix(event.why)}"
        case events.MarksSet():
            values = ", ".join(
                f"{short_name(name)} = {typed_words(value) if isinstance(value, CommittedText) else value}"
                for name, value in event.values.items()
            )
            return f"{values}{reason_suffix(event.why)}"
        case events.SettingsChanged():
            return _tell_settings(event)
        case events.CalendarSet():
            return _tell_calendar(event)
        case events.TurnAdded() | events.TurnDelayed() | events.TurnSkipped() if says := _tell_turn(book, event):
            return says
        case events.InitiativeSet():
            return f"campaign: initiative = {INITIATIVE[event.each_round]}{reason_suffix(event.why)}"
        case events.DayBegun() if date := _date(book.calendar(), event.day):
            return f"day {event.day}: {date}"
        case events.PlayRewound(to=to) if (shown := describe_entry(book, to)) and not shown.startswith(f"#{to} "):
            return f"rewinds to #{to}, which is part of {shown}{reason_suffix(event.why)}"
        case events.DiceThrown():
            return "rolls (typed in)" if event.source == "typed" else "rolls (computer)"
        case events.DiceCounted():
            return result_text(event)
        case events.ActionStruck():
            return _tell_strike(book, event, seq)
        case events.ActionAmended():
            return f"amends {describe_entry(book, event.about)}{reason_suffix(event.why)}{amendment_text(book, event)}"
        case events.QuestionDecided():
            return _tell_decision(book, event)
        case events.ScoreAsserted():
            return "; ".join(_tell_assertion(event, full) for full in event.claimed)
        case events.KnockOnFound():
            return _tell_knock_on(book, event)
        case events.LimitCrossed():
            side, end = ("below", event.least) if event.value < event.least else ("above", event.most)
            score, value, limit = score_label(event.score), value_text(event.value), value_text(end)
            return f"{score} is {value}, but it cannot be {side} {limit}"
        case events.MovesMissed():
            return _tell_missed(book, event)
        case events.LinesMissed(lines=lines):
            group_lines = _first_few([describe_entry(book, number) for number in lines])
            return f"is missing from {group_lines}, which {'was' if len(lines) == 1 else 'were'} for the whole group"
        case events.AssertionBroken():
            label, paper, now = score_label(event.score), value_text(event.claimed), value_text(event.value)
            return (
                f"{label} was {paper} on paper and in the record (#{event.about}), but the corrected record has {now}"
            )
        case events.GiftUncovered():
            gift = f"gave {value_text(event.given)} {score_label(event.score)} in #{event.about}"
            return f"{gift}, but had only {value_text(event.had)}"
        case events.AdjustmentUnneeded():
            score, amount = score_label(event.score), with_minus_sign(f"{event.amount:+d}")
            return f"{score}: the change by {amount} in #{event.about} is no longer needed"
        case events.QuestionClosed():
            return _tell_closed(book, event)
        case events.RollSealed():
            texts = {None: "sealed roll", "session-end": "sealed roll, until the session ends"}
            return texts.get(event.until, f"sealed roll, until {event.until}")
        case events.SecretRevealed():
            return _tell_reveal(book, event)
        case events.OfImport():
            return tell_import(book, event)
        case events.OfTheBook():
            from projections.book_phrases import tell_event_of_book  # lazy import: few lines need it

            return tell_event_of_book(book, event, seq)
    return _filled(book, event, event.phrase, describe_entry)


def _filled(book: Book, event: events.Event, template: str, name_entry: Callable[[Book, int], str]) -> str:
    def shown(field: str) -> str:
        value = getattr(event, field)
        match field:
            case "about" | "to":
                return name_entry(book, value)
            case "player" | "who":
                return person(book, value)
            case "score":
                return score_label(value)
            case "why":
                return reason_suffix(value)
        if isinstance(value, CommittedText):
            return typed_words(value)
        return value if isinstance(value, str) else value_text(value)

    return re.sub(r"{(\w+)}", lambda field: shown(field[1]), template)


def describe_entry(book: Book, seq: int) -> str:
    """Return an entry's number, then a description in parentheses. For a consequence, describe its cause instead."""
    entry = book.entry(seq)
    while isinstance(entry.event, events.Consequence | events.Unknown) and entry.cause is not None:
        entry = book.entry(entry.cause)
    if isinstance(entry.event, events.DiceThrown):
        entry = lead_of(book.action(entry.act))
    event = entry.event
    if isinstance(event, events.Correction):
        return f"#{entry.seq} ({describe_correction(book, entry)})"
    says = tell_note(book, event) if isinstance(event, events.NoteWritten) else tell_act(book, entry)
    if isinstance(event, events.RollImported) and entry.seq == entry.act:
        says = tell_rolls(book, book.action(entry.act))
    parts = [f"{'' if event.subject == CAMPAIGN else person(book, event.subject)} {says}".strip()]
    if isinstance(event, events.MovePlayed) and not says_what_was_done(event):
        parts.append(sentence_shown(event.system, event.verdict.says))
    elif isinstance(event, events.ScoreAdjusted):
        moved = [(name, amount) for name, amount in event.amounts.items() if amount or name not in event.sets]
        parts += [f"{score_label(name)} {'+' if amount > 0 else ''}{value_text(amount)}" for name, amount in moved]
    return f"#{entry.seq} ({_with_deed(', '.join(parts), event)})"


def describe_correction(book: Book, entry: Entry) -> str:
    """Describe a correction by a verb and the number of an entry, such as "voids #12"."""
    event = entry.event
    assert isinstance(event, events.Correction)  # noqa: S101  callers pass only corrections
    if isinstance(event, events.ActionStruck):
        first, *others = [number_of(book, act) for act in struck_together(book, entry)]
        more = f" and {others[0] if len(others) == 1 else f'{len(others)} more'}" if others else ""
        return f"{STRIKE_VERBS[event.how][0]} {first}{more}"
    return _filled(book, event, event.brief, number_of)


def number_of(book: Book, seq: int) -> str:
    """Return the number that people see for an entry: "#12"."""
    return describe_entry(book, seq).partition(" ")[0]


def ruling_shown(entry: Entry) -> events.Event:
    """Return the event of an entry, or the ruling inside an opened sealed roll."""
    event = entry.event
    if isinstance(event, events.RollSealed) and event.ruling.text is not None:
        return decode_sealed(entry.seq, event.ruling.value, with_secrets=False)
    return event


def person(book: Book, who: str) -> str:
    """Return the name of a player, or the full name of a character. Without a full name, return the short name."""
    return book.name_of(who)


def _tell_new_name(book: Book, event: events.Renamed, seq: int) -> str:
    before = book.name_of(event.who, AsOf(seq=seq - 1))
    called = "" if event.name is None else f" is now called {typed_words(event.name)}"
    short = "" if event.short is None else f" also has the short name {event.short}"
    return f"{before}{called}{' and' if called and short else ''}{short}"


def _tell_seat(book: Book, event: events.PlayerSeated, seq: int) -> str:
    before = AsOf(seq=seq - 1)
    player = f"{'back as ' if event.player in book.former_players(before) else ''}player {event.player}"
    role = " (GM)" if event.gm else ", no longer a GM" if event.no_gm else ""
    plays = ", ".join(_characters_in_words(book, event, before))
    until = "" if event.session is None else f" until session {event.session} closes"
    return f"{typed_words(event.name)} is {player}{role}{plays and f' and plays {plays}{until}'}"


def _characters_in_words(book: Book, event: events.PlayerSeated, before: AsOf) -> Iterator[str]:
    for who in event.plays:
        had = book.accounts.mark(who, PLAYER, before)
        player = "" if had in {None, event.player} else book.name_of(had, before)
        other = f" ({'until now' if event.session is None else 'usually'} played by {player})" if player else ""
        yield f"{person(book, who)}{other}"


def _tell_leaving(book: Book, event: events.PlayerLeft, seq: int) -> str:
    """Describe the departure of a player, and name the characters that nobody plays from then on."""
    alone = [person(book, who) for who in book.characters_of(event.who, AsOf(seq=seq - 1))]
    without = f"; {' and '.join(alone)} {'has' if len(alone) == 1 else 'have'} no player now" if alone else ""
    return f"leaves the table{without}{reason_suffix(event.why)}"


def tell_note(book: Book, note: events.NoteWritten, *, by: str = "", about: bool = False) -> str:
    """Describe a note with its readers. `by` is a phrase for the author, or "". `about` adds the note's subject."""
    return f"{_note_heading(book, note, by, about=about)}: {typed_words(note.text)}"


def note_in_lines(book: Book, note: events.NoteWritten) -> tuple[str, ...]:
    """Return a note's heading and its lines, or an empty tuple for a note of one line."""
    text = readable(note.text)
    lines = text.strip().splitlines() if isinstance(text, str) else []
    return (_note_heading(book, note, about=True), *map(str.rstrip, lines)) if len(lines) > 1 else ()


def _note_heading(book: Book, note: events.NoteWritten, by: str = "", *, about: bool) -> str:
    readers = [person(book, seat) for seat in note.players] if isinstance(note, events.NoteKept) else []
    whom = f" for {', '.join(readers)}" if readers else ""
    entry = f" about {describe_entry(book, note.about)}" if about and note.about else ""
    return f"note{by}{whom}{entry}"


def _tell_settings(event: events.SettingsChanged) -> str:
    in_force = {short_name(mark.name): mark.value for mark in event.marks}
    values = (f"{name} = {with_minus_sign(value)}{_facts(in_force.get(name))}" for name, value in event.values.items())
    return f"settings of {event.system}: {', '.join(values)}{reason_suffix(event.why)}"


def _tell_turn(book: Book, event: events.TurnAdded | events.TurnDelayed | events.TurnSkipped) -> str:
    """Describe a change of the turn order that names another character, or that skips all turns of a character.

    Return "" for any other change.
    """
    match event:
        case events.TurnAdded(before=str(other)):
            return f"has initiative {with_minus_sign(event.number)}, and acts before {person(book, other)}"
        case events.TurnDelayed(after=str(other)):
            return f"acts later in round {event.round}, after {person(book, other)}"
        case events.TurnSkipped(always=True):
            return f"{person(book, event.who)} takes no more turns{reason_suffix(event.why)}"
    return ""


def _date(calendar: str | None, day: int) -> str:
    from ledger.commands.calendar import date_in  # few entries need it

    return date_in(calendar, day)


def _tell_calendar(event: events.CalendarSet) -> str:
    if event.calendar is None:
        return f"the calendar is removed{reason_suffix(event.why)}"
    date = _date(event.calendar.text, 1)
    return f"calendar: {f'day 1 is {date}' if date else typed_words(event.calendar)}{reason_suffix(event.why)}"


def _facts(value: Any) -> str:
    flags = ", ".join(name for name, fact in value.items() if fact is True) if isinstance(value, dict) else ""
    return f" ({flags})" if flags else ""


def _tell_strike(book: Book, event: events.ActionStruck, seq: int) -> str:
    if event.how == "choose":
        return f"the player's choice changes {describe_entry(book, offer_taken_up(book, event))}"
    acts = struck_together(book, book.journal.entry(seq))
    whom = ", ".join(describe_entry(book, act) for act in acts)
    if len(acts) > MOST_NAMED:
        whom = f"{count_of(len(acts), 'action')} from {number_of(book, acts[0])} to {number_of(book, acts[-1])}"
    return f"{STRIKE_VERBS[event.how][0]} {whom}{reason_suffix(event.why)}"


MOST_NAMED = 3
"""The maximum number of canceled actions that a strike names. If there are more, only their number is given."""


STRIKE_VERBS = {
    "undo": ("undoes", "undone"),
    "redo": ("redoes", "taken back"),
    "void": ("voids", "voided"),
    "rewind": ("cancels", "rewound"),
    "amend": ("amends", "amended"),
    "choose": ("changes", "changed"),
}
"""The words for each kind of strike: the verb of the strike, and the participle for the action that it canceled."""


def struck_together(book: Book, strike: Entry) -> list[int]:
    """Return all actions that an undo or void cancels at once, in order. For a redo, return those of the undo.

    For a strike that another entry caused, such as an amendment, return only the action that it cancels.
    """
    event = strike.event
    assert isinstance(event, events.ActionStruck)  # noqa: S101  callers pass only strikes
    if event.how == "redo":
        return struck_together(book, book.journal.entry(event.strikes))
    if strike.seq != strike.act:
        return [event.strikes]
    others = (other.event for other in book.journal.action(strike.act) if other.cause is None)
    return sorted(other.strikes for other in others if isinstance(other, events.ActionStruck))


def amendment_text(book: Book, amendment: events.ActionAmended) -> str:
    """Describe the inputs and dice that an amendment changes."""
    parts = []
    original = book.entry(amendment.about).event
    is_roll = isinstance(original, events.DiceCounted)
    for stored_name, typed in inputs_with_names(book, amendment).items():
        new = readable(typed)
        name = "attempt:" if stored_name == ("why" if is_roll else "deed") else stored_name
        if isinstance(new, dict):
            texts = {full: value for full, value in typed.items() if isinstance(value, CommittedText)}
            shown = {
                full: typed_words(texts[full]) if full in texts else value_text(value) for full, value in new.items()
            }
            parts += [f"{short_name(full)} {text}" for full, text in shown.items()]
        else:
            value = [person(book, who) for who in new] if name in {"present", "players"} else new
            text = typed_words(typed) if isinstance(typed, CommittedText) else value_text(value)
            parts.append(f"{name} {text or 'none'}")
            if isinstance(original, events.SessionOpened) and name == "present":
                absent = [person(book, who) for who in original.present if who not in new]
                parts += [f"no longer present: {', '.join(absent)}"] if absent else []
    if amendment.faces is not None:
        dice = getattr(original, "dice", ())
        tens = {place for place, die in enumerate(dice) if die.is_tens}
        faces = ("00" if place in tens and face == D100 else str(face) for place, face in enumerate(amendment.faces))
        parts.append(f"dice {' '.join(faces)}")
    return f"; {', '.join(parts)}" if parts else ""


def _tell_decision(book: Book, event: events.QuestionDecided) -> str:
    subject = book.entry(event.question).about
    about = "" if subject is None else f" about {describe_entry(book, subject)}"
    return f"question #{event.question}{about} is answered ({CHOICE_WORDS[event.choice]}){reason_suffix(event.why)}"


MOST_MISSED_LISTED = 3


def _tell_missed(book: Book, event: events.MovesMissed) -> str:
    """Describe missed moves by their days or rounds."""
    starts = [book.journal.entry(seq).event for seq in event.starts]
    days = [f"day {start.day}" for start in starts if isinstance(start, events.DayBegun)]
    rounds = [f"round {start.round}" for start in starts if isinstance(start, events.TurnBegan)]
    return f"missed the {event.move} {'on' if days else 'in'} {_first_few(days or rounds)}"


def _first_few(texts: Sequence[str]) -> str:
    """Join texts with commas and "and". After the first `MOST_MISSED_LISTED` texts, give the number of the rest."""
    *first, last = texts
    if len(first) >= MOST_MISSED_LISTED:
        first, last = first[:MOST_MISSED_LISTED], f"{len(texts) - MOST_MISSED_LISTED} more"
    return f"{', '.join(first)} and {last}" if first else last


def _tell_closed(book: Book, event: events.QuestionClosed) -> str:
    asked = book.entry(event.question)
    question, about = asked.event, "" if asked.about is None else describe_entry(book, asked.about)
    match question:
        case _ if about and event.reason == "canceled":
            reason = f"{about} no longer counts"
        case events.LimitCrossed():
            reason = f"{name_with_owner(book, question.who, question.score)} is within its limits again"
        case events.AssertionBroken():
            reason = f"{name_with_owner(book, question.who, question.score)} agrees with the paper sheet again"
        case events.GiftUncovered():
            reason = f"{person(book, question.who)} had enough for {about}"
        case events.AdjustmentUnneeded():
            reason = f"{name_with_owner(book, question.who, question.score)} needs {about} again"
        case events.MovesMissed():
            reason = f"{person(book, question.who)} has not missed a {question.move} after all"
        case events.LinesMissed():
            reason = f"{person(book, question.who)} has not missed an action of the group after all"
        case events.KnockOnFound():
            reason = f"the result of {about} fits the current numbers"
        case _:
            reason = "there is nothing left to decide"
    return f"question #{event.question} is closed: {reason}"


CHOICE_WORDS = {
    "uphold": "kept",
    "amend": "amended",
    "void": "voided",
    "stand": "kept",
    "adjust": "adjusted",
    "play": "played",
}


def _tell_assertion(event: events.ScoreAsserted, full: str) -> str:
    claimed, stood = event.claimed[full], event.stood[full]
    if claimed == stood:
        return f"{score_label(full)}: {value_text(claimed)} on paper and in the record"
    return f"{score_label(full)}: {value_text(claimed)} on paper, {value_text(stood)} in the record"


def changed_numbers_phrase(book: Book, ruling: int, numbers: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a phrase with `numbers` that a ruling used, each with the value then and the value now."""
    ruled = book.entry(ruling).event
    assert isinstance(ruled, events.RulingEvent)  # noqa: S101  only rulings use numbers from sheets
    old = readable(ruled.numbers_read())
    text = " and ".join(
        f"{name_with_owner(book, who, full)} (then {value_text(old[who].get(full))}; now {value_text(value)})"
        for who, names in numbers.items()
        for full, value in names.items()
    )
    return f"{describe_entry(book, ruling)} used {text}"


def name_with_owner(book: Book, who: str, full: str) -> str:
    """Name a score or mark with the owner, such as "mara's edge"."""
    return f"{'the table' if who == CAMPAIGN else person(book, who)}'s {score_label(full)}"


def _tell_knock_on(book: Book, event: events.KnockOnFound) -> str:
    outcome = {"refused": "the rules would refuse this roll", "other-dice": "this roll would need other dice"}.get(
        event.finds
    )
    if outcome is None:
        ruled = book.entry(event.about).event
        system = ruled.system if isinstance(ruled, events.MoveEvent) else ""
        before = verdict_words(system, ruled.verdict) if isinstance(ruled, events.MovePlayed) else None
        outcome = "the player would get a different choice" if before is None else "the player would have to choose"
        if event.verdict is not None:
            now = verdict_words(system, event.verdict)
            outcome = "later results would change" if before == now else f"the result would be {now}"
    says = (event.says or "").rstrip(".")
    outcome = (
        f"{says[:1].lower()}{says[1:]}" if event.finds == "other-dice" and says else f"{outcome}{says and ': '}{says}"
    )
    return f"{changed_numbers_phrase(book, event.about, readable(event.numbers))}; {outcome}"


def _tell_reveal(book: Book, reveal: events.SecretRevealed) -> str:
    about = book.entry(reveal.about, secrets=book.revealed(reveal.about))
    if isinstance(event := about.event, events.RollSealed):
        ruling = ruling_shown(about)
        revealed = "" if ruling is event else f": {person(book, ruling.subject)} {_tell(book, ruling, about.seq)}"
        return f"reveals #{about.seq}{revealed}"
    if isinstance(event, events.RollImported):
        return f"reveals #{about.seq} ({tell_import(book, event)})"  # alone, without the rest of the evening
    inputs = event.inputs if isinstance(event, events.MoveEvent | events.ActionAmended) else {}
    secrets = [f"{name} {value_text(readable(value))}" for name, value in inputs.items() if isinstance(value, Secret)]
    return f"reveals {describe_entry(book, about.seq)}{'; ' if secrets else ''}{', '.join(secrets)}"
