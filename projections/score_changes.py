"""Changes of scores in sentences: what a character gained, lost, took and recovered from."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from ledger import systems
from ledger.rules.system import System
from projections.prose import COUNTABLE_PATTERN, listed, listed_clauses, number, singular, with_condition
from projections.wording import score_label


def changes_in_words(
    who: str,
    amounts: Mapping[str, int],
    *,
    complete: bool = False,
    now: Mapping[str, int] | None = None,
    compared: Collection[str] = (),
) -> list[str]:
    """Return sentences without periods about the changed scores. The keys of `amounts` are the scores' full names.

    Gains come before losses. Leave out scores that only the rules keep track of, unless the sentences must be
    `complete`. With `now`, the sentences are about the whole session, and `now` has the values at its end. `compared`
    are scores to compare with the start, as in "has five more gold than before".
    """
    totals = {} if now is None else {full: _total(who, full, amount) for full, amount in amounts.items()}
    told = [
        (full, amount)
        for full, amount in amounts.items()
        if amount and totals.get(full) is None and (complete or unit_words(full) is not None)
    ]
    counted, rest = dict[str, list[str]](), list[str]()
    for full, amount in sorted(told, key=lambda change: change[1] < 0):
        if state := _state(full, amount, now):
            rest.append(f"{who} {state}")
        elif words := _counted(full, amount):
            verb = _verb(full, amount)
            is_thing = verb == "used" or (verb == "lost" and COUNTABLE_PATTERN.fullmatch(change_label(full)))
            is_given = is_thing and now is not None  # it may have been given away
            if is_given or full in compared:
                verb, words = "has", _compared(words, amount)
            verb = "spent" if verb == "lost" and now is not None and SPENT_PATTERN.fullmatch(words) else verb
            verb = "now has" if "injur" in words and now is not None and now[full] == amount else verb
            counted.setdefault(verb, []).append(words)
        else:
            skill = " skill" if "/skill." in full else ""
            way = "rose" if amount > 0 else "fell"
            rest.append(f"{who}'s {change_label(full)}{skill} {way} by {number(abs(amount))}")
    compared = [f"has {listed(counted.pop('has'))} than before"] if "has" in counted else []
    usual = [f"{verb} {listed(counted.pop(verb))}" for verb in (*USUAL_VERBS, "spent", "used") if verb in counted]
    acts = [listed_clauses(usual)] if usual else []
    acts += [*compared, *(f"{verb} {listed(parts)}" for verb, parts in counted.items())]
    return [*(f"{who} {act}" for act in acts), *rest, *filter(None, totals.values())]


USUAL_VERBS = ("gained", "lost")
"""The verbs for a rise and a fall of a score, if its game has no others."""

SPENT_PATTERN = re.compile(r"[\w-]+ (?:core |karma |spiritual )?points?(?: of edge)?")
"""A pattern for points that people spend, such as "two points of edge"."""


def _compared(words: str, amount: int) -> str:
    """Return "two fewer arrows" and "two gold less" if `amount` is negative; otherwise "two more arrows"."""
    count, _, things = words.partition(" ")
    if count == "one" or not things.split(" of ")[0].endswith("s"):
        return f"{words} {'more' if amount > 0 else 'less'}"
    return f"{count} {'more' if amount > 0 else 'fewer'} {things}"


def _total(who: str, full: str, amount: int) -> str | None:
    """Return the sentence for a score's total in the session; "" to leave the score out.

    Return `None` for a score whose game has no sentence for totals.
    """
    game, name = game_and_score(full)
    family, _, own = name.partition(".")
    texts = None if game is None else game.totals.get(name, game.totals.get(f"{family}.*"))
    text = None if texts is None else texts[amount < 0]
    return text and text.format(name=own.replace("-", " "), who=who, amount=number(abs(amount)))


def _verb(full: str, amount: int) -> str:
    """Return the verb for a change: "gained" or "lost", or the game's own verb, such as "recovered from"."""
    game, name = game_and_score(full)
    texts = game.change_verbs if game else {}
    verbs = texts.get(name, texts.get(f"{name.partition('.')[0]}.*"))
    return (verbs or USUAL_VERBS)[amount < 0]


def _state(full: str, amount: int, now: Mapping[str, int] | None) -> str:
    """Return the words for a score that is a state, such as "still has the condition “fear”"; "" for other changes.

    For `now`, see `changes_in_words`.
    """
    game, name = game_and_score(full)
    family, _, own = name.partition(".")
    text = (game.states if game else {}).get(f"{family}.*", "").format(name=own)
    if text and amount > 0:
        return with_condition(f"picked up {text}" if now is None else f"still has {text}")
    return with_condition(f"no longer has {text}") if text and now is not None and not now[full] else ""


def is_condition(full: str) -> bool:
    """Return True for a mark with words for a character's conditions, such as "poisoned, prone"."""
    game, name = game_and_score(full)
    return game is not None and name in game.condition_marks


def conditions_in_words(before: str, now: str) -> str:
    """Return the change of the words for somebody's conditions: "was poisoned and prone"; "" without a change.

    >>> conditions_in_words("", "poisoned, grappled by the ghoul"), conditions_in_words("blind, fear", "blind")
    ('was poisoned and grappled by the ghoul', 'no longer suffered from fear')
    >>> conditions_in_words("blind", "prone"), conditions_in_words("", "level 2 curse")
    ('became prone and was no longer blind', 'picked up the condition “level 2 curse”')
    """
    old, new = (dict.fromkeys(re.split(r" *[,;] *| and ", text.lower().strip(" ."))) for text in (before, now))
    started = [f"picked up the condition \u201c{each}\u201d" for each in new if each and each not in old]
    ended = [f"got rid of the condition \u201c{each}\u201d" for each in old if each and each not in new]
    by_verb = dict[str, list[str]]()
    for change in map(with_condition, started + ended):
        verb = next((verb for verb in STATE_CHANGE_VERBS if change.startswith(verb)), "")
        by_verb.setdefault(verb, []).append(change.removeprefix(verb))
    return listed(f"{verb}{listed(states)}" for verb, states in by_verb.items())


STATE_CHANGE_VERBS = ("was no longer ", "was ", "became ", "no longer suffered from ", "suffered from ")
"""The verbs for the start and the end of a condition. Conditions with the same verb are told together."""


def change_label(full: str) -> str:
    """Return the name of a score in a sentence, such as "maximum hit points"."""
    if full.endswith(".max"):
        of = full.removesuffix(".max")
        return f"maximum {(unit_words(of) or ('', ''))[1] or change_label(of)}"
    return score_label(full).replace(".", " ").replace("-", " ")


def _counted(full: str, amount: int) -> str:
    """Return an amount of a score with its unit, such as "five hit points". Return "" if no unit is known."""
    one, many = unit_words(full) or ("", "")
    label = change_label(full)
    is_thing = not re.search("/(?:ability|attribute|characteristic|save|skill)[.]", full)
    if not many and is_thing and COUNTABLE_PATTERN.fullmatch(label):
        one, many = singular(label), label
    unit = one if abs(amount) == 1 else many
    count = "a" if unit.endswith(" injury") else "" if unit == one and " and " in unit else number(abs(amount))
    return f"{count} {unit}".strip() if unit else ""


def amount_in_words(full: str, amount: int) -> str:
    """Return an amount of a score in a sentence, such as "five hit points"."""
    return _counted(full, amount) or f"{number(amount)} {change_label(full)}"


def paper_in_words(who: str, paper: Mapping[str, int], record: Mapping[str, int]) -> str:
    """Return sentences that compare a character's paper sheet with the record."""
    return " ".join(_comparison(who, full, value, record[full]) for full, value in paper.items())


def _comparison(who: str, full: str, paper: int, record: int) -> str:
    words = _counted(full, paper)
    if not words:
        score, value = change_label(full), number(paper)
        if paper == record:
            return f"{who}'s {score} is {value} on the paper sheet and in the record."
        return f"{who}'s {score} is {value} on the paper sheet, but {number(record)} in the record."
    if paper == record:
        return f"{who} has {words} on the paper sheet and in the record."
    return f"{who}'s paper sheet has {words}, but the record has {number(record)}."


def game_and_score(full: str) -> tuple[System | None, str]:
    """Return the game of a score, and the score's name in the game."""
    system, _, name = full.partition("/")
    return systems.installed(system), name


def unit_words(full: str) -> tuple[str, str] | None:
    """Return the words for one unit of a score and for several, such as "hit point" and "hit points".

    Both words are "" if the game has no words for the score. Return `None` if the recap leaves out changes of
    this score.
    """
    game, name = game_and_score(full)
    family, _, own = name.partition(".")
    units = game.units if game else {}
    found = units.get(name, units.get(f"{family}.*", ("", "")) if own else ("", ""))
    name = own.replace("-", " ")
    return found and (found[0].format(name=name), found[1].format(name=name))


def is_told(full: str) -> bool:
    """Return False for a score that only the rules keep track of, such as a pending advantage."""
    return unit_words(full) is not None


def is_wound(full: str) -> bool:
    """Return True if the recap tells a change of this score in the story, such as a loss of hit points."""
    game, name = game_and_score(full)
    return game is not None and {name, f"{name.partition('.')[0]}.*"} & {*game.wounds} != set()
