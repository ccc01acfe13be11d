"""The odds of a move as sentences and bars."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from cli.render.layout import USUAL_WIDTH, terminal_columns
from cli.render.terminal import say
from ledger.errors import count_of, with_minus_sign
from ledger.events.subjects import CAMPAIGN
from ledger.rules.inputs import NOT_AMENDABLE
from ledger.rules.move import Move
from ledger.rules.system import System
from projections.odds import Odds, percent
from projections.wording import act_inputs, act_words, sheet_value_text

if TYPE_CHECKING:
    from projections.dice_odds import DiceOdds, RollOdds

BAR = "█"
MOST_BARS = 20
"""The maximum number of lines with a bar, for verdicts or totals. If there are more, some of them share a line."""


RARE_PROBABILITY = Fraction(1, 1000)
"""The lowest totals share a line if their joint probability is below this. The highest totals do the same."""


def show_odds(system: System, move: Move, counted: Odds) -> None:
    """Show the inputs of a move, the odds of success, and the odds of each verdict."""
    inputs_text, good = ", ".join(_facts(system, move)), counted.good
    rolls = f"{count_of(counted.throws, 'roll')} of {counted.pool.in_words()}"
    if good is None:
        likely = max(counted.outcomes, key=lambda outcome: outcome.ways)
        verdict, chance = likely.says, percent(likely.ways, counted.throws)
        say(f"{inputs_text}: the most likely result is {verdict}, {chance}.")
        say(f"Of {rolls}:")
    else:
        say(f"{inputs_text}: success {percent(good, counted.throws).replace('.0 ', ' ')}.")
        say(f"Of {rolls}, {count_of(good, 'succeeds', 'succeed')}:")
    for text in _bars(counted):
        say(text)
    if counted.facts_text:
        say(f"{counted.facts_text[:1].upper()}{counted.facts_text[1:]}.")
    if counted.chosen:
        say(f"These odds assume that the player makes the best choice ({_flags(counted.chosen)}).")
    if counted.offered:
        say(f"These odds ignore choices that come after the result ({_flags(counted.offered)}).")


def _bars(counted: Odds) -> Iterator[str]:
    shown = set(sorted(counted.outcomes, key=lambda outcome: -outcome.ways)[:MOST_BARS])
    rows = [outcome for outcome in counted.outcomes if outcome in shown]
    says = max(len(outcome.says) for outcome in rows)
    ways = max(len(f"{outcome.ways:,}") for outcome in rows)
    most, width = max(outcome.ways for outcome in rows), min(terminal_columns(sys.stdout) or USUAL_WIDTH, USUAL_WIDTH)
    for outcome in rows:
        text = f"  {outcome.says:<{says}}  {percent(outcome.ways, counted.throws):>7}  {outcome.ways:>{ways},}  "
        yield f"{text}{BAR * round(max(width - len(text), 0) * outcome.ways / most)}".rstrip()
    others = [outcome for outcome in counted.outcomes if outcome not in shown]
    if others:
        rest = sum(outcome.ways for outcome in others)
        yield f"  {count_of(len(others), 'other verdict')}  {percent(rest, counted.throws)}  {rest:,}"


def show_dice_odds(roll: RollOdds) -> None:
    """Show the odds of plain dice: the range and the average, the chance of success, and one line per total."""
    counted, times = roll.odds, roll.notation.times
    dice = f"{roll.name} {roll.notation.text}" if roll.scores else roll.notation.text
    totals, mean = [*counted.totals], with_minus_sign(f"{float(counted.mean):.2f}")
    least, most = (with_minus_sign(str(total)) for total in (totals[0], totals[-1]))
    span = f"{least} or more, without an upper limit;" if counted.is_endless else f"{least} to {most},"
    say(f"{f'each of {times} rolls of ' if times > 1 else ''}{dice}: {span} on average {mean}.")
    if roll.success is not None:
        target = f"{with_minus_sign(str(roll.target))} or {'less' if roll.at_most else 'more'}"
        say(f"Success, {target}: {_percent_text(roll.success)}.")
    for text in _total_rows(counted):
        say(text)


def _total_rows(counted: DiceOdds) -> Iterator[str]:
    """Yield a line for each total. If there are more than `MOST_BARS` totals, several share a line."""
    totals = [*counted.totals]
    lowest, highest = totals[0], totals[-1]
    if highest - lowest >= MOST_BARS:
        lowest = max(total for total in totals if counted.at_least(total) > 1 - RARE_PROBABILITY)
        highest = min(total for total in totals if counted.at_least(total + 1) < RARE_PROBABILITY)
    step = -(-(highest - lowest + 1) // MOST_BARS)
    rows = list[tuple[str, Fraction, Fraction]]()
    for first in range(lowest, highest + 1, step):
        or_more, last = counted.at_least(first), first + step - 1
        label = str(first) if step == 1 else f"{first} to {last}"
        chance = or_more - counted.at_least(last + 1)
        if first == lowest > totals[0]:
            label, chance, or_more = f"{last} or less", 1 - counted.at_least(last + 1), Fraction(1)
        if last >= highest and (highest < totals[-1] or counted.is_endless):
            label, chance = f"{first} or more", or_more
        rows.append((with_minus_sign(label), chance, or_more))
    widest, most = max(map(len, ("total", *(label for label, _, _ in rows)))), max(chance for _, chance, _ in rows)
    width = min(terminal_columns(sys.stdout) or USUAL_WIDTH, USUAL_WIDTH)
    yield "   ".join((f"  {'total':>{widest}}", "chance", "or more"))
    for label, chance, or_more in rows:
        text = f"  {label:>{widest}}  {_percent_text(chance):>7}  {_percent_text(or_more):>8}  "
        yield f"{text}{BAR * round(max(width - len(text), 0) * chance / most)}".rstrip()


def _percent_text(chance: Fraction) -> str:
    return percent(chance.numerator, chance.denominator)


def odds_facts(system: System, move: Move, counted: Odds) -> dict[str, Any]:
    """Return the odds of a move for JSON. Each verdict has the number of possible rolls that give it."""
    return {
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


def _facts(system: System, move: Move) -> Iterator[str]:
    yield " ".join([*([] if move.who == CAMPAIGN else [move.who]), act_words(system.name, move.name(), move.__dict__)])
    described_inputs = act_inputs(system.name, move.name())
    hidden = move.hidden()
    for field in move.fields().values():
        value: Any = getattr(move, field.name)
        unsaid = (not value and value == field.default) or NOT_AMENDABLE in field.tags
        if not unsaid and field.name not in ("who", "secret", *described_inputs):
            label = field.name.replace("_", " ")
            yield label if value is True else f"{label} {'secret' if field.name in hidden else sheet_value_text(value)}"


def _flags(names: tuple[str, ...]) -> str:
    return ", ".join(f"--{name.replace('_', '-')}" for name in names)
