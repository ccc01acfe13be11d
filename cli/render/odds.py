"""The odds of a move as sentences and bars."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from cli.render.layout import USUAL, columns
from cli.render.terminal import say, say_json
from ledger.events.subjects import CAMPAIGN
from ledger.rules.inputs import NOT_AMENDABLE
from ledger.rules.move import Move
from ledger.rules.system import System
from projections.odds import Odds, percent
from projections.wording import deed, deed_inputs, sheet_value_text

BAR = "█"
MOST_BARS = 20
"""The maximum number of verdicts that have their own line. All rarer verdicts share the last line."""


def odds(system: System, move: Move, counted: Odds) -> None:
    """Show the inputs of a move, the odds of success, and the odds of each verdict."""
    said, good = ", ".join(_facts(system, move)), counted.good
    rolls = f"{counted.throws:,} rolls of {counted.pool.in_words()}"
    if good is None:
        likely = max(counted.outcomes, key=lambda outcome: outcome.ways)
        say(f"{said}: most often {likely.says}, {percent(likely.ways, counted.throws)}.")
        say(f"Of {rolls}:")
    else:
        say(f"{said}: success {percent(good, counted.throws).replace('.0 ', ' ')}.")
        say(f"Of {rolls}, {good:,} {'succeeds' if good == 1 else 'succeed'}:")
    for text in _bars(counted):
        say(text)
    if counted.facts:
        say(f"{counted.facts[:1].upper()}{counted.facts[1:]}.")
    if counted.chosen:
        say(f"These odds assume that the player makes the best choice ({_flags(counted.chosen)}).")
    if counted.offered:
        say(f"These odds ignore choices that come after the result ({_flags(counted.offered)}).")


def _bars(counted: Odds) -> Iterator[str]:
    shown = set(sorted(counted.outcomes, key=lambda outcome: -outcome.ways)[:MOST_BARS])
    rows = [outcome for outcome in counted.outcomes if outcome in shown]
    says = max(len(outcome.says) for outcome in rows)
    ways = max(len(f"{outcome.ways:,}") for outcome in rows)
    most, width = max(outcome.ways for outcome in rows), min(columns(sys.stdout) or USUAL, USUAL)
    for outcome in rows:
        text = f"  {outcome.says:<{says}}  {percent(outcome.ways, counted.throws):>7}  {outcome.ways:>{ways},}  "
        yield f"{text}{BAR * round(max(width - len(text), 0) * outcome.ways / most)}".rstrip()
    others = [outcome for outcome in counted.outcomes if outcome not in shown]
    if others:
        rest = sum(outcome.ways for outcome in others)
        yield f"  {len(others)} other verdicts  {percent(rest, counted.throws)}  {rest:,}"


def odds_json(system: System, move: Move, counted: Odds) -> None:
    """Print the odds of a move as a JSON object. Each verdict has the number of possible rolls that give it."""
    facts = {
        "who": move.who,
        "system": system.name,
        "move": move.name(),
        "pool": list(counted.pool.sides),
        "throws": counted.throws,
        "good": counted.good,
        "verdicts": counted.outcomes,
        "chosen": list(counted.chosen),
        "offered": list(counted.offered),
    }
    say_json([facts])


def _facts(system: System, move: Move) -> Iterator[str]:
    yield " ".join([*([] if move.who == CAMPAIGN else [move.who]), deed(system.name, move.name(), move.__dict__)])
    named = deed_inputs(system.name, move.name())
    hidden = move.hidden()
    for field in move.fields().values():
        value: Any = getattr(move, field.name)
        unsaid = (not value and value == field.default) or NOT_AMENDABLE in field.tags
        if not unsaid and field.name not in ("who", "secret", *named):
            label = field.name.replace("_", " ")
            yield label if value is True else f"{label} {'secret' if field.name in hidden else sheet_value_text(value)}"


def _flags(names: tuple[str, ...]) -> str:
    return ", ".join(f"--{name.replace('_', '-')}" for name in names)
