"""Actions and entries as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from cli.render.terminal import BAD, GOOD, INDENT, WAITING, aside, colored, say, say_json, uncolored
from ledger import systems
from ledger.errors import Flag, Run, count_of, with_minus_sign
from ledger.events import types as events
from ledger.events.commitments import CommittedText
from ledger.events.entry import Entry
from ledger.events.subjects import CAMPAIGN
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book
from ledger.times import time_in_words
from projections import wording
from projections.log import (
    FollowingMove,
    Line,
    ScoreMovement,
    ShownVerdict,
    comments_on_versions,
    dice_sources,
    line,
    tell_comment,
    working_of,
)
from projections.named_moves import inputs_with_names, with_full_names
from projections.phrases import person, ruling_shown, tell_act
from projections.side_effects import (
    SideEffect,
    may_cascade,
    open_questions_text,
    side_effects,
    unchanged_rulings,
    why_cascade_redoes_nothing,
)
from projections.wording import readable, score_label, sheet_value_text, type_words

if TYPE_CHECKING:
    from ledger.scribe import Written  # views do not write


def show_written(book: Book, done: Written, *, json: bool, verbose: bool) -> None:
    """Show the result of a command, as text or JSON. With `verbose`, the text includes the calculation."""
    if json:
        say_json(done.entries)
        if done.pool is not None:
            costs = [{"who": cost.who, **cost.scores} for cost in done.cost]
            say_json([{"pool": list(done.pool.sides), "cost": costs}])
    elif done.pool is not None:
        reveals = "This reveals one of the GM's secrets. You see the result after it is saved."
        say(f"This command rolls {done.pool.in_words()}." if done.pool.sides else reveals)
        for cost in done.cost:
            moved = ", ".join(f"{name} {with_minus_sign(f'{amount:+d}')}" for name, amount in cost.scores.items())
            say(f"The cost is the same for every result: {person(book, cost.who)} {moved}.")
    else:
        action = line(book, done.entries)
        say(f"would be {headline(action)}" if done.dry else headline(action))
        corrects = done.dry and isinstance(action.event, events.Correction)
        unmoved = unchanged_rulings(book, done.entries[0].seq) if corrects else []
        for text in [*further_lines(book, action), *unmoved, *(calculation_lines(book, action) if verbose else ())]:
            say(INDENT + text)
        if done.dry and may_cascade(action):
            aside(f"To change the later results in the same step, add {Flag('cascade')}.")
        elif done.dry and (nothing := why_cascade_redoes_nothing(action)):
            aside(nothing)
    if done.again:
        aside("A command with this ID was already written. Nothing was written now.")


def headline(action: Line) -> str:
    """Return an action in one line that starts with its number."""
    return f"{colored(f'#{action.seq}', 'number')}{' ' * max(1, 5 - len(str(action.seq)))}{line_without_number(action)}"


def line_without_number(action: Line) -> str:
    """Return an action in one line, without its number."""
    text = who_did_what(action)
    summary = [colored(text, "struck") if action.struck and text else text]
    if action.verdict:
        summary.append(verdict_text(action.verdict))
    if action.overridden:
        before, (by, instead) = summary[-1], action.overridden
        summary[-1:] = [f"{before}, overridden by #{by}: {verdict_text(instead)}"]
    summary[-1] += _deed_after(text, action.deed)
    parts = [" ".join(filter(None, summary))]
    if action.waits:
        parts.append(colored(f"{WAITING} {open_questions_text(action)}", "waits"))
    if action.answered:
        revealed = isinstance(action.event, events.RollSealed)
        parts.append(f"{'revealed' if revealed else 'answered'} by #{action.answered}")
    if action.dice:
        parts.append(f" [{action.dice}]")
    if action.further:
        parts.append(_further_results(action))
    if action.moved:
        parts.append(" " + ", ".join(changes_of(action)))
    parts += [f" (entered by {action.author})"] if action.author else []
    parts += [f" (disputed by #{dispute})" for dispute in action.disputed]
    if action.struck:
        parts.append(f" ({action.struck.how} by #{action.struck.by})")
    return "  ".join(parts)


def action_row(book: Book, action: Line) -> dict[str, Any]:
    """Return an action as a row of a table for people: entry, time, author, text, and what canceled it."""
    return {
        "entry": action.seq,
        "time": time_in_words(action.at, book.zone(action.act)),
        "entered by": person(book, action.by),
        "text": uncolored(line_without_number(action)),
        "canceled by": action.struck and action.struck.by,
    }


def entry_rows(action: Line) -> Iterator[dict[str, Any]]:
    """Yield the entries of an action as rows for a spreadsheet. The columns that people look for come first.

    The row of the main entry has the action in one line.
    """
    for entry in action.entries:
        text = uncolored(line_without_number(action)) if entry.seq == action.seq else None
        first = {"seq": entry.seq, "at": entry.at, "by": entry.by, "log_line": text}
        yield {**first, "canceled_by": action.struck and action.struck.by, **entry.as_json()}


MOST_LISTED = 12
"""The maximum number of moves to list below an action's line. Of the earlier moves, only the number is shown."""

MOST_TOLD = 2
"""The maximum number of moves to name after the first move of a line. If there are more, only their number is shown."""


def _further_results(action: Line) -> str:
    if len(action.further) > MOST_TOLD:
        return f"then {len(action.further)} more results"
    return f"then {', '.join(_move_in_short(move, action.who) for move in action.further)}"


def _move_in_short(move: FollowingMove, teller: str = "") -> str:
    text = who_did_what(move, teller)
    text = " ".join(filter(None, (text, verdict_text(move.verdict) if move.verdict else "")))
    return f"{text}{_deed_after(text, move.deed)}{f'  [{move.dice}]' if move.dice else ''}"


def _deed_after(text: str, deed: str) -> str:
    """Return the deed as the end of a move's line: after a colon, or in parentheses.

    Use parentheses if `text`, the line so far, already has a colon.
    """
    if not deed:
        return ""
    return f" ({deed})" if ":" in text else f": {deed}"


def who_did_what(move: Line | FollowingMove, teller: str = "") -> str:
    """Return a character and its move, such as `mara check`. Leave out `teller`, whom the line has already named.

    If the verdict is neither a success nor a failure, the text ends with a colon.
    """
    who = "" if move.who in {teller, "", CAMPAIGN} else move.who
    colon = ":" if move.says and move.verdict and move.verdict.good is None else ""
    return " ".join(filter(None, (who, f"{move.says}{colon}")))


def verdict_text(outcome: ShownVerdict) -> str:
    """Return a verdict with its symbol, total, target and dice."""
    if outcome.good is None:
        return f"{outcome.says} ({outcome.result_text})" if outcome.result_text else outcome.says
    reason = f": {outcome.result_text}" if outcome.result_text else ""
    mark, color = (GOOD, "good") if outcome.good else (BAD, "bad")
    return f"{colored(f'{mark} {outcome.says}', color)}{reason}"


def further_lines(book: Book, action: Line) -> list[str]:
    """Return the lines to show below an action's line.

    If more than `MOST_TOLD` moves followed the action's first move, the action's line only counts them. In this case,
    the latest ones are listed here. The side effects, such as open questions, come last.
    """
    texts = list[str]()
    if len(action.further) > MOST_TOLD:
        texts = [
            f"{colored(f'#{move.seq}', 'number')} {_move_in_short(move)}" for move in action.further[-MOST_LISTED:]
        ]
        before = len(action.further) - len(texts)
        more = f"… {count_of(before, 'earlier result')}. To list all: {Run('show', action.seq, json=True)}"
        texts = [*([more] if before else []), *texts]
    return texts + [_side_effect_text(one) for one in side_effects(book, action)]


def _side_effect_text(one: SideEffect) -> str:
    text = f"{one.says}: {verdict_text(one.verdict)}" if one.verdict else f"{one.says} {one.hint}".rstrip()
    return colored(f"{WAITING} {text}", "waits") if one.waits else text


def calculation_lines(book: Book, action: Line) -> list[str]:
    """Return the calculation of an action, one step per line. For several characters, the lines start with names."""
    worked = [
        (action.names[entry.event.subject], *step) for entry in action.entries for step in working_of(book, entry)
    ]
    several = len({who for who, _, _ in worked}) > 1
    steps = [(f"{who} {name}" if several and who != CAMPAIGN else name, text) for who, name, text in worked]
    width = max((len(name) for name, _ in steps), default=0)
    return [f"{name:<{width}}  {text}" for name, text in steps]


def typed_words(action: Line) -> list[str]:
    """Return the texts that were typed with an action, such as reasons, one per line."""
    moves = (entry.event for entry in action.entries if isinstance(entry.event, events.MoveEvent))
    texts = ((name, value) for move in moves for name, value in move.inputs.items() if isinstance(value, CommittedText))
    return [f"{name}: {wording.typed_words(value)}" for name, value in texts]


def changes_of(action: Line) -> list[str]:
    """Return the changed scores of an action: first those of the character who acts, then all others."""
    own_first = sorted(action.moved, key=lambda change: action.names[change.who] != action.who)
    return [_change_text(action, change) for change in own_first]


def _change_text(action: Line, change: ScoreMovement) -> str:
    name = action.names[change.who]
    who = "" if name == action.who else f"{name} "
    return f"{who}{score_label(change.score)} {sheet_value_text(change.before)} → {sheet_value_text(change.after)}"


def found_rolls(action: Line) -> list[str]:
    """Return the rolls that a search found in an imported evening, one per line."""
    found = action.note[1:] if action.rolls else ()
    more = len(found) - MOST_LISTED
    texts = [f"… {count_of(more, 'more roll')}. To list all: {Run('show', action.seq)}"] if more > 0 else []
    return [*found[:MOST_LISTED], *texts]


def show_entry(book: Book, action: Line, when: AsOf, *, asked: int, secrets: bool, verbose: bool) -> None:
    """Show an action in full, with its comments as of `when`. With `verbose`, also list its entries and hashes.

    If the entry that was `asked` for is one imported roll of an evening, leave out the other rolls.
    """
    heading, *note = action.note or (action.says,)
    say(headline(action.replace(says=heading)))
    for text in [
        *note,
        *_imported_rolls(book, action, asked),
        *further_lines(book, action),
        *calculation_lines(book, action),
    ]:
        say(INDENT + text)
    for comment in comments_on_versions(book, action.act, when, secrets=secrets):
        say(f"{INDENT}#{comment.seq} {tell_comment(book, comment)}")
    people = {person(book, ruling_shown(entry).subject) for entry in action.entries} - {"", CAMPAIGN}
    sources = set[str]()
    for entry in action.entries:
        event = ruling_shown(entry)
        who = person(book, event.subject)
        other = who if len(people) > 1 and who not in {action.who, CAMPAIGN} else ""
        for source in dice_sources(book, entry):
            text = f"dice {source}{other and f', {other}'}"
            if text not in sources:
                say(INDENT + text)
                sources.add(text)
        for name, value in _details(book, entry):
            say(f"{INDENT}{other and f'{other} '}{name}: {value}")
        dice = event.dice if isinstance(event, events.DiceThrown | events.DiceCounted | events.MoveEvent) else ()
        for place, die in enumerate(dice, start=1):
            if die.dropped:
                say(f"{INDENT}die {place} of {len(dice)} ({die.shown}) does not count: {die.dropped}")

    at = time_in_words(action.at, book.zone(action.act), seconds=True)
    say(f"{INDENT}by {person(book, action.by)} ({action.by}), {at}")
    for entry in action.entries if verbose else ():
        cause = f", caused by #{entry.cause}" if entry.cause else ""
        say(f"{INDENT}entry #{entry.seq} {entry.type}{cause}, fingerprint {entry.leaf.hex()}")


def _imported_rolls(book: Book, action: Line, asked: int) -> Iterator[str]:
    """Yield the imported rolls of an evening, or only the roll that was `asked` for and the number of the others."""
    rolls = [entry for entry in action.entries if isinstance(entry.event, events.RollImported)]
    chosen = [entry for entry in rolls if asked in {entry.seq, action.act}]
    if len(rolls) <= 1:  # the headline of a single roll has its words
        return
    for entry in chosen:
        yield f"#{entry.seq} {tell_act(book, entry)}"
    if others := len(rolls) - len(chosen):
        yield f"The evening has {count_of(others, 'other roll')}. To list all: {Run('show', action.act)}"


def _details(book: Book, entry: Entry) -> list[tuple[str, str]]:
    event = ruling_shown(entry)
    inputs: Mapping[str, Any] = {}
    if isinstance(event, events.MoveEvent):
        inputs = readable(with_full_names(book, event).inputs)
    elif isinstance(event, events.ActionAmended):
        inputs = readable(inputs_with_names(book, event))
    rows = [
        (name, sheet_value_text(value)) for name, value in inputs.items() if value not in (None, False, [], "", 0, {})
    ]
    if isinstance(event, events.ActionAmended):
        return [(f"amended {'attempt' if name == 'deed' else name}", text) for name, text in rows]
    return [(name, text) for name, text in rows if name != "who"] + [
        (f"{type_words(entry.type)}, {name}", sheet_value_text(value)) for name, value in _facts(book, event).items()
    ]


def _facts(book: Book, event: events.Event) -> dict[str, Any]:
    """Return the facts of a consequence, or {} for any other event.

    Also return {} if the calculation of the ruling already shows the facts.
    """
    if not isinstance(event, events.Consequence):
        return {}
    game, named = systems.installed(event.system), book.characters_with_names()
    kind = game.kind(event.kind) if game else None
    facts = {} if kind and kind.in_steps else event.facts
    return {
        name: person(book, value) if isinstance(value, str) and value in named else value
        for name, value in facts.items()
    }
