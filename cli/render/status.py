"""The state of play, the players and the turn order as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from cli.render.layout import display_width
from cli.render.terminal import aside, colored, say
from ledger.errors import Run, count_of
from projections.wording import both_names, sheet_value_text

if TYPE_CHECKING:
    from projections.questions import OpenQuestion
    from projections.status import SeatedPlayer, Status, TurnOrder


def show_status(now: Status, answers: Sequence[str], reveals: Sequence[str], takes: Sequence[str]) -> None:
    """Show the state of play, with a command for each open question, each sealed roll and each offer.

    These commands are `answers` (for the questions), `reveals` (for the sealed rolls) and `takes` (for the offers).
    They are in the order of the questions, rolls and offers in `now`.
    """
    say(colored(now.campaign, "title"))
    for label, text in _labeled_lines(now, answers, reveals, takes):
        say(f"  {label:<7}  {text}")


def _labeled_lines(
    now: Status, answers: Sequence[str], reveals: Sequence[str], takes: Sequence[str]
) -> Iterator[tuple[str, str]]:
    moment = now.now
    yield (
        "session",
        f"none is open. To open one: {Run('session open', 'TITLE')}"
        if moment.session is None
        else f"{moment.session}, {moment.title}",
    )
    if moment.scene:
        yield "scene", moment.scene
    if moment.day:
        yield "day", f"{moment.day}: {moment.date}" if moment.date else str(moment.day)
    yield "here", ", ".join(_player_line(seat, now.names) for seat in now.here)
    if now.turns.order:
        names = now.turns.names
        turn = f"round {now.turns.round}, {now.turns.name or 'nobody'}" if now.turns.round else "nobody's turn yet"
        places = (f"{names[at.who]} {sheet_value_text(at.number)}" for at in now.turns.order)
        yield "turns", f"{turn}: {', '.join(places)}"
    for question, answer in zip(now.open_questions, answers, strict=True):
        yield "open", f"{colored(f'#{question.seq}', 'waits')} {question_line(question)}: {answer}"
    for seal, answer in zip(now.sealed, reveals, strict=True):
        yield "sealed", f"{colored(f'#{seal.seq}', 'waits')} {seal.says}: {answer}"
    for offer, answer in zip(now.offers, takes, strict=True):
        yield "offer", f"{colored(f'#{offer.seq}', 'number')} {question_line(offer)}: {answer}"
    if now.more:
        more = count_of(now.more, "more question or sealed roll", "more questions and sealed rolls")
        yield "more", f"{more}. To list all: {Run('questions')}"


def _player_line(seat: SeatedPlayer, names: Mapping[str, str]) -> str:
    plays = ", ".join(names.get(who, who) for who in seat.plays)
    roles = f"GM{': ' if plays else ''}{plays}" if seat.gm else plays
    return f"{seat.name} ({roles})" if roles else seat.name


def question_line(question: OpenQuestion) -> str:
    """Return a question in one line: the character, the question, and the dice that were rolled for it."""
    from ledger.events.subjects import CAMPAIGN  # views of sheets do not need it
    from ledger.events.types import DisputeRaised

    who = "" if question.who in {"", CAMPAIGN} or question.type == DisputeRaised.type else f"{question.name} "
    dice = f" [{' '.join(map(str, question.dice))}]" if question.dice else ""
    return f"{who}{question.says}{dice}"


def question_sentence(question: OpenQuestion) -> str:
    """Return a question as a sentence. If somebody must make a choice, the sentence says so."""
    from projections.questions import OFFER_TYPE  # views of sheets do not need it

    needed = question.asks and question.type != OFFER_TYPE
    return f"{question_line(question)}{'; choice needed' if needed else ''}."


def show_players(seated: Sequence[SeatedPlayer], names: Mapping[str, str]) -> None:
    """Show the players with their roles, one per line."""
    width = max(display_width(seat.name) for seat in seated)
    for seat in seated:
        plays = ", ".join(both_names(who, names.get(who, who)) for who in seat.plays)
        roles = [*(["GM"] if seat.gm else []), *([f"plays {plays}"] if plays else [])]
        name = seat.name + " " * (width - display_width(seat.name))
        say(f"{seat.seat:<3}  {name}  {', '.join(roles)}".rstrip())


def show_turns(now: TurnOrder) -> None:
    """Show the turn order, one character per line."""
    if not now.order:
        aside("There is no turn order.")
        return
    say(colored(f"turn order · {f'round {now.round}' if now.round else 'before the first turn'}", "title"))
    width = max(map(display_width, now.names.values()))
    for at in now.order:
        mark = "  turn is over" if at.who in now.acted else ""
        mark = "  has the turn" if now.round and at.who == now.who else mark
        name = now.names[at.who]
        say(f"  {name}{' ' * (width - display_width(name))}  {sheet_value_text(at.number)}{mark}")
