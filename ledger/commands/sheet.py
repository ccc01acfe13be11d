"""Limits of scores, current settings, and the values that a move may read from sheets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ledger import systems
from ledger.commands.decider import State
from ledger.errors import (
    Held,
    Nobody,
    NotEnough,
    NotOnSheet,
    OutOfRange,
    Refused,
    Run,
    UnknownName,
    quoted,
    with_minus_sign,
)
from ledger.events import subjects
from ledger.events.canonical import LAST_IN_KEYS
from ledger.events.commitments import Secret, open_secrets
from ledger.events.entry import Entry, jsonable
from ledger.events.facts import Posting
from ledger.events.subjects import CAMPAIGN, CAST, HOLD, PLAYER, is_npc
from ledger.events.types import MoveEvent, QuestionAsked
from ledger.rules.inputs import flag_words
from ledger.rules.move import Table
from ledger.rules.rulings import Effect
from ledger.rules.spelling import skeleton
from ledger.rules.system import Score, System

FLOW_ERRORS = {
    "in": "{kind} can only add {unit}",
    "out": "{kind} can only subtract {unit}",
    "within": "{kind} must add and subtract the same amount of {unit}",
}
"""The rule of each `Kind.flow`, as errors state it. It is about one consequence's changes to scores with one unit."""


def check_limits(state: State, system: System, postings: Iterable[Posting]) -> None:
    """Raise `NotEnough` or `OutOfRange` if postings would move a score beyond its limits.

    A correction may have moved a score beyond a limit. Such a score may move back toward the limit.
    """
    moved: dict[tuple[str, str], int] = {}
    for posting in postings:
        key = (posting.who, posting.score.removeprefix(f"{system.name}/"))
        moved[key] = moved.get(key, 0) + posting.amount
    for who in dict.fromkeys(who for who, _ in moved):
        changes = {name: amount for (subject, name), amount in moved.items() if subject == who}
        lowered = [name for name, amount in changes.items() if amount < 0]
        bounded = [score.name for name in lowered for score in system.bounded_by(name)]
        for name in dict.fromkeys([*changes, *bounded]):
            score = system.score(name)
            assert score is not None  # noqa: S101  only declared scores are posted
            _check_within(state, system, who, score.for_name(name), changes)


def _check_within(state: State, system: System, who: str, score: Score, moved: Mapping[str, int]) -> None:
    def after(name: str) -> int:
        return (state.balance(who, f"{system.name}/{name}") or 0) + moved.get(name, 0)

    value, amount = after(score.name), moved.get(score.name, 0)
    score = _with_settings(state, system, score)
    most = score.limit(after)
    would_be = with_minus_sign(value)
    if value < score.least and amount < 0:
        if score.least:
            hint, least = _limit_hint(system, score.least_setting, value), with_minus_sign(score.least)
            raise OutOfRange(f"The {score.name} of {who} would be {would_be}; it cannot be below {least}.", hint)
        raise NotEnough(who, score.name, has=value - amount, needs=-amount)
    if value > most and amount >= 0:
        if isinstance(score.most, int):
            hint = _limit_hint(system, score.most_setting, value)
            raise OutOfRange(f"The {score.name} of {who} would be {would_be}; it cannot be above {most}.", hint)
        hint = f"Type {score.name}={most}, or {score.most}={value}."
        if state.mark(who, f"{system.name}/sheet"):
            lower, higher = Run("adjust", who, f"{score.name}={most}"), Run("adjust", who, f"{score.most}={value}")
            hint = f"The GM can set the {score.name} with {lower}, or raise the {score.most} with {higher}."
        if moved.get(score.most, 0) < 0:
            hint = f"To lower both: {Run('adjust', who, f'{score.most}={most}', f'{score.name}={most}')}"
        sheet_limit = f"the {score.most} of {most}"
        raise OutOfRange(f"The {score.name} of {who} would be {would_be}; it cannot be above {sheet_limit}.", hint)


def _limit_hint(system: System, setting: str, value: int) -> str:
    return f"To change the limit: {Run('settings', system.name, f'{setting}={value}')}" if setting else ""


def _with_settings(state: State, system: System, score: Score) -> Score:
    """Return the score with the limits that the GM has set."""
    limits = {"least": score.least_setting, "most": score.most_setting}
    set_limits = {limit: name for limit, name in limits.items() if name}
    if not set_limits:
        return score
    settings = settings_in_force(state, system)
    return score.replace(**{limit: settings[name] for limit, name in set_limits.items()})


def check_flow(system: System, consequence: Effect) -> None:
    """Raise `Refused` if a consequence changes an undeclared score, or breaks a rule in `FLOW_ERRORS`."""
    units: dict[str, list[int]] = {}
    for name, amount in consequence.scores.items():
        score = system.score(name)
        if score is None:
            raise Refused(f"{system.name} has no score called {name!r}.")
        if not score.tally:
            units.setdefault(score.unit, []).append(amount)
    for unit, amounts in units.items():
        kind = consequence.kind
        fits = {"in": min(amounts) >= 0, "out": max(amounts) <= 0, "within": sum(amounts) == 0}[kind.flow]
        if not fits:
            changes = ", ".join(f"{amount:+d}" for amount in amounts)
            rule = FLOW_ERRORS[kind.flow].format(kind=kind.name, unit=unit)
            raise Refused(f"{rule}, but the changes are {changes}.")


def sheet_system(state: State, who: str, name: str) -> System:
    """Return the game `name`. Raise `Nobody` if `who` does not play, or `NotOnSheet` without a sheet in this game."""
    has_sheet = bool(state.mark(who, f"{name}/sheet"))
    check_plays(state, who, has_sheet=has_sheet)
    if not has_sheet:
        hint = f"Make a sheet with {Run('join', who, name, 'SCORE=N…')}."
        raise NotOnSheet(f"{who} has no sheet in {quoted(name)}.", hint, lacks=f"sheet in {name}")
    return systems.find(name)


def plays(state: State, who: str) -> bool:
    """Return True if a character plays now. A player's character does not need a sheet, but must not have left."""
    return subjects.plays(state.mark, who)


def is_played_by_gm(state: State, who: str) -> bool:
    """Return True if the GM plays this character until the session closes."""
    return is_npc(state.mark(CAST, who)) and state.mark(who, PLAYER) is None


def check_plays(state: State, who: str, *, has_sheet: bool = False) -> None:
    """Raise `Nobody` if a character does not play now. The error ends with `how_to_bring_back`."""
    if not plays(state, who):
        raise Nobody(quoted(who), "character", how_to_bring_back(state, who, has_sheet=has_sheet))


def how_to_bring_back(state: State, who: str, *, has_sheet: bool) -> str:
    """Say how to bring back a character who no longer plays; "" if nobody with this name ever played.

    After a non-player character leaves, the only sign that it played is a sheet (`has_sheet`).
    """
    seat = state.mark(CAST, who)
    if seat is False:
        return f"{who} left the table. To bring {who} back: {Run('join', who)}"
    return f"{who} no longer plays. To bring {who} back: {Run('npc', who)}" if has_sheet or is_npc(seat) else ""


def score_name(system: System, name: str) -> str:
    """Return `name` if it is a score of the game. Otherwise raise `UnknownName`."""
    if system.score(name) is None:
        check_common_letters(name)
        names = ", ".join(score.says if score.is_open else score.name for score in system.scores)
        begun = [score.name for score in system.scores if score.name.startswith(name) and not score.is_pattern]
        kinds = [score.name.removesuffix("*") for score in system.scores if score.name.endswith(".*")]
        near = begun or [f"{kind}{name}" for kind in kinds if system.score(f"{kind}{name}")]
        meant = " or ".join(near[:2])
        hint = f"{f'Did you mean {meant}? ' if meant else ''}Its scores: {names}."
        raise UnknownName(f"{system.name} has no score called {quoted(name)}.", hint)
    return name


def check_new_scores(state: State, who: str, scores: Iterable[str]) -> None:
    """Raise `Refused` if the name of a new score is the name of a mark. `scores` has full names."""
    for full in scores:
        if state.balance(who, full) is None and state.mark(who, full) is not None:
            short = full.partition("/")[2]
            raise Refused(f"{short} on the sheet of {who} is not a number.", "Choose a different name.")


def check_common_letters(name: str) -> None:
    """Raise `UnknownName` if a new name has a letter or symbol after `LAST_IN_KEYS`. Entries cannot store it."""
    if rare := next((each for each in name if each > LAST_IN_KEYS), None):
        says = (
            f"A name on a sheet cannot contain {quoted(rare)}. This letter or symbol is too rare to"
            " be stored in a name."
        )
        raise UnknownName(says, "Choose a different name.")


def check_look_different(state: State, who: str, names: Iterable[str]) -> None:
    """Raise `Refused` if a new name on a sheet would look like another one. `names` has full names."""
    names = [full for full in names if full.isprintable()]  # others cannot be looked up, and are refused later
    new_names = [full for full in names if state.balance(who, full) is None and state.mark(who, full) is None]
    if not new_names:
        return
    by_look = {skeleton(full): full for full in (*new_names, *state.score_names(who), *state.mark_names(who))}
    for full in new_names:
        short, other = (name.partition("/")[2] for name in (full, by_look[skeleton(full)]))
        if other != short:
            hint = f"Choose a different name, or copy {other} from the sheet."
            raise Refused(f"{who} cannot have both {other} and {short}: the names look the same.", hint)


def check_not_held(state: State, cast: Iterable[str]) -> None:
    """Raise `Held` if an open question holds one of these characters."""
    for who in cast:
        if (question := _question_holding(state, who)) is not None:
            raise _held_error(who, question)


def check_question_unchanged(state: State, who: str, names: Iterable[str]) -> None:
    """Raise `Held` if an open question of a character depends on one of these scores or marks (full names).

    Scores that the question's own action changed are allowed, such as edge that was paid for the roll.
    """
    question = _question_holding(state, who)
    if question is None:
        return
    paid = {posting.score for entry in state.action(question.act) for posting in entry.event.postings}
    read = question.raw["looked"].get(who, {})
    if any(name in read or f"{name.partition('.')[0]}.*" in read for name in names if name not in paid):
        raise _held_error(who, question)


def _question_holding(state: State, who: str) -> Entry | None:
    """Return the entry of the open question that holds a character, or `None`."""
    return state.entry(state.holding_question(who)) if (state.balance(who, HOLD) or 0) > 0 else None


def _held_error(who: str, question: Entry) -> Held:
    """Return the error for a character with an open question. It names the command that answers the question."""
    event = question.event
    assert isinstance(event, QuestionAsked)  # noqa: S101  no other question holds a character
    dice = f" [{' '.join(str(die.face) for die in event.dice)}]" if event.dice else ""
    game = systems.installed(event.system)
    move = game.move(event.move) if game else None
    fields = move.fields() if move else {}
    flags = (flag_words(fields[name]) for name in event.asks if name in fields)
    return Held(who, question.seq, f"{event.move}{dice}", Run("choose", question.seq, *flags))


def table_of(state: State, name: str, asked: MoveEvent | None = None) -> Table:
    """Return the table of a game, with the current settings and values.

    If `asked` is given, the table has the settings and the values that this move read when it was played. A value
    that the move did not read is current.
    """
    system = systems.find(name)
    looked = asked.looked if asked else {}

    def look(who: str, full: str) -> Any:
        return looked[who][full] if full in looked.get(who, {}) else value_of(state, system, who, full)

    return Table(name, look, asked.settings if asked else settings_in_force(state, system), state.last_gain_action)


def value_of(state: State, system: System, who: str, full: str) -> Any:
    """Return the balance, the mark, or (for a pattern) the names of scores that a move reads under the name `full`."""
    if full.endswith("*"):
        return state.scores(who, full[:-1])
    if "/" not in full or system.score(full.removeprefix(f"{system.name}/")):
        return state.balance(who, full)
    mark = state.mark(who, full)
    return state.secret(mark) if isinstance(mark, dict) and Secret.KEY in mark else mark


def settings_in_force(state: State, system: System) -> dict[str, Any]:
    """Return every setting of a game: the GM's value, or the game's default."""
    decided = {setting.name: state.mark(CAMPAIGN, f"{system.name}/{setting.name}") for setting in system.settings}
    return {
        setting.name: jsonable(setting.default) if decided[setting.name] is None else decided[setting.name]
        for setting in system.settings
    }


def value_and_limits(state: State, system: System, who: str, score: Score) -> tuple[int, int, int]:
    """Return the balance of a score, its lowest allowed value, and its highest."""

    def value(name: str) -> int:
        return state.balance(who, f"{system.name}/{name}") or 0

    score = _with_settings(state, system, score)
    return value(score.name), score.least, score.limit(value)


class Sheets:
    """The sheets and settings of a game in one state, for a comparison with another state."""

    def __init__(self, state: State, system: System) -> None:
        self._state = state
        self._system = system

    def stored_value(self, who: str, full: str) -> Any:
        """Return a value in the form that entries store, but with `Secret` objects in place of commitments."""
        short = full.removeprefix(f"{self._system.name}/")
        if who == CAMPAIGN and self._system.setting(short):
            return settings_in_force(self._state, self._system)[short]
        return value_of(self._state, self._system, who, full)

    def comparable_value(self, who: str, full: str) -> Any:
        """Return a value in a form that can be compared. Replace each secret with its content."""
        return comparable(open_secrets(self.stored_value(who, full)))


class Balances:
    """The balances of scores in one state, for the comparison of a roll outside games.

    For a move of a game, the comparison uses `Sheets`, which has the same methods.
    """

    def __init__(self, state: State) -> None:
        self._state = state

    def stored_value(self, who: str, full: str) -> int:
        """Return the balance of a score."""
        return self._state.balance(who, full) or 0

    comparable_value = stored_value


def comparable(value: Any) -> Any:
    """Return a value in a form to compare. Lists become tuples, and missing values, empty texts and False become 0."""
    return tuple(value) if isinstance(value, list) else value or 0
