"""Strikes: a new entry cancels an action, and the answers to its questions fall with it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from ledger.commands.decider import Record, State
from ledger.corrections.parts import NO_OPENING, OPENING, part_of, parts
from ledger.errors import Refused
from ledger.events.commitments import CommittedText
from ledger.events.entry import Entry, answered, lead_of, struck_in
from ledger.events.facts import Mark
from ledger.events.subjects import QUESTIONS, REVEALED, STRUCK
from ledger.events.types import (
    ActionAmended,
    ActionStruck,
    CharacterJoined,
    How,
    KnockOnFound,
    MoveEvent,
    OfTheBook,
    QuestionAsked,
    SecretRevealed,
)
from ledger.rules.inputs import checked_text


def carried_marks(state: State, act: int, seq: int) -> tuple[Mark, ...]:
    """What an action settled and revealed, or took over itself, as the marks of entry `seq`, which takes its place."""
    settling = [entry.event for entry in state.action(act) if not isinstance(entry.event, MoveEvent | KnockOnFound)]
    marks = (mark for event in settling for mark in event.marks if mark.who in {QUESTIONS, REVEALED})
    return tuple(mark.replace(value=seq) for mark in marks if mark.value not in {False, None})


def check_stands(state: State, act: int, about: int | None = None) -> None:
    """Refuse to strike the opening, entries about the book, and struck actions; the hint follows `about`, if any."""
    if act == OPENING:
        raise Refused(NO_OPENING)
    if isinstance(state.entry(act).event, OfTheBook):
        raise Refused(f"#{act} is about the record itself and cannot be canceled.")
    by = state.mark(STRUCK, str(act))
    if by is not None:
        strike = state.entry(by)
        heads = [lead_of(state.action(first)).seq for first in (act, strike.act)]
        instead = replacement_of(state, heads[0] if about is None else about)
        hint = f"#{instead} took its place." if instead else f"See 'campaign show {heads[1]}'."
        raise Refused(f"#{heads[0]} was canceled by #{heads[1]}.", hint)


def replacement_of(state: State, about: int) -> int | None:
    """The standing root entry that replaces a struck entry; `None` if nothing does, or nothing can."""
    try:
        act, part = part_of(state, about)
    except Refused:  # a correction, a sealed roll or the opening is never played again
        return None
    seen = {act}
    while (by := state.mark(STRUCK, str(act))) is not None:
        act = state.entry(by).act
        successor = next((other for other in parts(state, act) if other.place == part.place), None)
        if successor is None or act in seen:
            return None
        seen.add(act)
        part = successor
    return part.root


def strike_of(
    record: Record, act: int, seq: int, how: How, *, why: str | None = None, whole: bool = False
) -> ActionStruck:
    """The strike of an action, numbered `seq`, with the answers that fall with it.

    With `whole`, the actions that it struck fall too. Refuses to let an action stand again beside one that has answered
    its question since, or that counts in the same place.
    """
    falls = [act]
    for fallen in falls if whole else ():
        falls += [target for target in targets_of(record, fallen) if target not in falls]
    while answers := [answer for answer in _answers(record, record.flipped(falls, seq)[0]) if answer not in falls]:
        falls += answers
    down, up = record.flipped(falls, seq)
    for risen in up:
        _check_unanswered(record, risen, {*falls, *down})
        _check_alone(record, risen, {*falls, *down})
    marks = tuple(Mark(who=STRUCK, name=str(fallen), value=seq) for fallen in dict.fromkeys(falls))
    return ActionStruck(strikes=act, how=how, why=committed_reason(why), marks=marks)


def _check_unanswered(state: State, act: int, falls: Container[int]) -> None:
    for entry in state.action(act):
        question = answered(entry.event)
        answer = None if question is None else state.question(question).answered_by
        if answer and state.entry(answer).act not in falls:
            raise Refused(f"#{entry.seq} would answer #{question} again, but #{answer} has already answered it.")


def _check_alone(record: Record, act: int, falls: Container[int]) -> None:
    """Refuse to let an action stand again if another plays in the same place: a part counts once."""
    _check_one_sheet(record, act, falls)
    places = _places_again(record, act)
    if not places:
        return
    writing = (ActionStruck.type, ActionAmended.type, SecretRevealed.type)
    later = record.written(writing, min(places), ("strikes", "about"))
    for other in dict.fromkeys(entry.act for entry in later if entry.act != act and entry.act not in falls):
        same = places & _places_again(record, other) if not record.is_struck(other) else ()
        if same:
            acts = (record.entry(min(same)).act, act, other)
            place, head, instead = (lead_of(record.action(first)).seq for first in acts)
            raise Refused(
                f"#{head} and #{instead} both replace #{place}. Only one of them can count.",
                f"Void the other first: campaign void {instead} --why TEXT",
            )


def _check_one_sheet(record: Record, act: int, falls: Container[int]) -> None:
    """Refuse to bring back a sheet if the character has another one in that game by now."""
    joins = {_sheet(entry) for entry in record.action(act) if isinstance(entry.event, CharacterJoined)}
    for entry in record.written((CharacterJoined.type,), 1, ("system",)) if joins else ():
        other = entry.act != act and entry.act not in falls and not record.is_struck(entry.act)
        if other and _sheet(entry) in joins:
            who, system = _sheet(entry)
            raise Refused(
                f"{who} has a newer sheet in {system}, since #{entry.seq}.",
                f"Void it first: campaign void {entry.seq} --why TEXT",
            )


def _sheet(entry: Entry) -> tuple[str, str]:
    """Whose sheet a join brings, and in which game."""
    assert isinstance(entry.event, CharacterJoined)  # noqa: S101  nothing else brings one
    return entry.event.who, entry.event.system


def _places_again(state: State, act: int) -> set[int]:
    """The places of the parts that an action plays again, or reveals."""
    roots = ((part.place, part.rulings[0]) for part in parts(state, act))
    return {place for place, root in roots if root.since < root.seq}


def committed_reason(why: str | None) -> CommittedText | None:
    """A reason as an entry stores it, `None` without one."""
    return None if why is None else checked_text("A reason", why)


def _answers(state: State, acts: Iterable[int]) -> Iterator[int]:
    """Yield the actions that answered the questions of these actions by a choice."""
    for act in acts:
        for entry in state.action(act):
            answer = state.question(entry.seq).answered_by if isinstance(entry.event, QuestionAsked) else None
            if answer is not None:
                yield state.entry(answer).act


def targets_of(state: State, act: int) -> list[int]:
    """The actions that the strikes of an action cancel, each once."""
    strikes = (entry.event for entry in state.action(act) if isinstance(entry.event, ActionStruck))
    return list(dict.fromkeys(target for strike in strikes for target in struck_in(strike)))
