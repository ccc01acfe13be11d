"""Changes of scores in sentences: what a character gained, lost, took and recovered from."""

from __future__ import annotations

from collections.abc import Mapping

from ledger import systems
from ledger.rules.system import System
from projections.prose import PLURAL, change_phrases, listed, number, singular
from projections.wording import score_label


def changes_in_words(
    who: str,
    amounts: Mapping[str, int],
    *,
    complete: bool = False,
    now: Mapping[str, int] | None = None,
    is_shared: bool = False,
) -> list[str]:
    """Return sentences without periods about the changed scores. The keys of `amounts` are the scores' full names.

    Leave out scores that only the rules keep track of, unless the sentences must be `complete`. With `now`, the
    sentences are about the whole session, and `now` has the values at its end. Nobody gains or loses what is on a
    shared sheet.
    """
    totals = {} if now is None else {full: _total(who, full, amount) for full, amount in amounts.items()}
    told = [
        (full, amount)
        for full, amount in amounts.items()
        if amount and totals.get(full) is None and (complete or unit_words(full) is not None)
    ]
    states = {full: _state(full, amount, now) for full, amount in told}
    rest = [(full, amount) for full, amount in told if not states[full]]
    words = [f"{who} {state}" for state in states.values() if state]
    if is_shared:
        has = [f"{text} {_more(full, amount)}" for full, amount in rest if (text := _counted(full, amount))]
        words += [f"{who} has {listed(has)} than before"] if has else []
        rest = [(full, amount) for full, amount in rest if not _counted(full, amount)]
    counted = [(_counted(full, amount), change_label(full), amount) for full, amount in rest]
    return [*change_phrases(who, counted), *words, *filter(None, totals.values())]


def _total(who: str, full: str, amount: int) -> str | None:
    """Return the sentence for the session's total of a score; "" to leave it out, `None` for scores without one."""
    game, name = game_and_score(full)
    family, _, own = name.partition(".")
    texts = None if game is None else game.totals.get(name, game.totals.get(f"{family}.*"))
    text = None if texts is None else texts[amount < 0]
    return text and text.format(own.replace("-", " "), who=who, amount=number(abs(amount)))


def _more(full: str, amount: int) -> str:
    one, many = unit_words(full) or ("", "")
    return "more" if amount > 0 else "less" if one and one == many else "fewer"


def _state(full: str, amount: int, now: Mapping[str, int] | None) -> str:
    """Return the words for a score that is a state, such as "now had one more minor injury"; "" for other scores."""
    game, name = game_and_score(full)
    family, _, own = name.partition(".")
    text = None if game is None else game.states.get(name, game.states.get(f"{family}.*"))
    if text is None:
        return ""
    if text and amount > 0:
        return f"{'now had' if now is None else 'has'} {text.format(own)}"
    if text and now is not None and not now[full]:
        return f"no longer has {text.format(own)}"
    one, many = unit_words(full) or ("", "")
    has = "now had" if now is None else "ended the session with"
    return f"{has} {number(abs(amount))} {_more(full, amount)} {one if abs(amount) == 1 else many}"


def change_label(full: str) -> str:
    """Return the name of a score in a sentence, such as "maximum hit points"."""
    if full.endswith(".max"):
        of = full.removesuffix(".max")
        return f"maximum {(unit_words(of) or ('', ''))[1] or change_label(of)}"
    return score_label(full).replace(".", " ").replace("-", " ")


def _counted(full: str, amount: int) -> str:
    """Return an amount of a score, such as "five hit points"; "" if it is not certain that the score can be counted."""
    one, many = unit_words(full) or ("", "")
    label = change_label(full)
    if not many and PLURAL.fullmatch(label):
        one, many = singular(label), label
    unit = one if abs(amount) == 1 else many
    return f"{number(abs(amount))} {unit}" if unit else ""


def amount_in_words(full: str, amount: int) -> str:
    """Return an amount of a score in a sentence, such as "five hit points"."""
    return _counted(full, amount) or f"{number(amount)} {change_label(full)}"


def game_and_score(full: str) -> tuple[System | None, str]:
    """Return the game of a score, and the score's name in the game."""
    system, _, name = full.partition("/")
    return systems.installed(system), name


def unit_words(full: str) -> tuple[str, str] | None:
    """Return the words for 1 of a score, and for several. Each is "" without words for it.

    Return `None` for a score whose changes the recap leaves out.
    """
    game, name = game_and_score(full)
    family, _, own = name.partition(".")
    units = game.units if game else {}
    found = units.get(name, units.get(f"{family}.*", ("", "")) if own else ("", ""))
    return found and (found[0].format(own), found[1].format(own))


def is_told(full: str) -> bool:
    """Return False for a score that only the rules keep track of, such as a pending advantage."""
    return unit_words(full) is not None


def is_wound(full: str) -> bool:
    """Return True if the recap tells a change of this score in the story, such as a loss of hit points."""
    game, name = game_and_score(full)
    return game is not None and {name, f"{name.partition('.')[0]}.*"} & {*game.wounds} != set()
