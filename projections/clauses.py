"""Clauses: each has an act and its outcome. Clauses about the same act become one sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Literal

from ledger.values import Struct
from projections.prose import (
    FOR_ROLL,
    NUMBERS,
    ROLL,
    ROLLED,
    capitalized,
    listed,
    listed_clauses,
    number,
    quoted_sentence,
    sentence,
    tidied,
    times_in_words,
)
from projections.prose_names import all_names, kind_of

ClauseKind = Literal["deed", "note", "day", "appendix", "rules"]

ASKED = "The question was "
"""The start of the sentence about a deed such as "how long it takes"."""

NO_PURPOSE = "made a roll without a stated purpose"


class Clause(Struct):
    """An act and its outcome, as parts of a sentence.

    - `who`: the name, or "" if `did` is a sentence by itself.
    - `did`: the words after the name, in the past tense.
    - `outcome`: the result, in words that can follow the name or "it"; "" for an act that cannot fail.
    - `deed`: the attempt, word for word, if `did` is "". Otherwise the reason, unless `did` contains it.
    - `then`: a sentence that follows, such as the GM's ruling that replaces the outcome.
    - `kind`: a deed, a note, a new day (`did` is the day), bookkeeping for the appendix, or `rules`. A clause of
      kind `rules` is a change that only the rules keep track of. The recap leaves it out.
    """

    who: str
    did: str
    outcome: str = ""
    deed: str = ""
    then: str = ""
    kind: ClauseKind = "deed"


def has_no_purpose(did: str) -> bool:
    """Return True for a roll that names only dice, or nothing."""
    dice = re.match(r"(?:made a |rolled [\w\u2212]+ on (?:a )?)(\d*d[\d%]\S*)", did)
    is_bare = did.startswith(NO_PURPOSE) or re.fullmatch(r"rolled [\w\u2212]+", did) is not None
    return is_bare or (dice is not None and re.search("[a-z]{3}", dice[1]) is None)


def story(parts: Iterable[Clause]) -> list[str]:
    """Return the sentences for clauses in order. Clauses about one act are joined: "Mara and Brak …", "three times"."""
    joined_parts = list[list[Clause]]()
    for clause in parts:
        group = joined_parts[-1] if joined_parts else []
        if group and _is_same_act(group, clause):
            group.append(clause)
        else:
            joined_parts.append([clause])
    return [text for group in _with_again(joined_parts) for text in _group_sentences(group)]


def _with_again(groups: Iterable[Sequence[Clause]]) -> Iterator[Sequence[Clause]]:
    """Yield groups of clauses. Add a word to an act that the same characters did before.

    Examples are "tried again to climb the rope", "made another stealth roll" and "lost two more hit points".
    """
    seen, failed = set[tuple[str, str]](), set[tuple[str, str]]()
    for group in groups:
        acts = {(each.who, _without_amount(each.did)) for each in group}
        has_failed = acts <= failed
        is_again = group[0].did and group[0].who and acts <= seen and (has_failed or len(acts) == len(group))
        seen |= acts
        again = partial(_again, has_failed=has_failed)
        failed |= {(each.who, each.did) for each in group if "failed" in each.outcome}
        yield [each.replace(did=again(each.did)) for each in group] if is_again else group


def _without_amount(did: str) -> str:
    """Return an act without its amount, reason and total. Two acts that are then equal count as repeated."""
    did = WITHOUT_TOTAL.sub("", did)
    found = AMOUNT.fullmatch(did)
    return f"{found['act']} {found['unit'].removesuffix('s')}" if found else did


def _again(did: str, *, has_failed: bool) -> str:
    """Return an act that is repeated, as in "made another stealth roll" or "lost two more hit points".

    After a failure (`has_failed`), "again" follows the first verb: "tried again to hide".
    """
    if did.startswith("tried to "):
        return _with_how_often(did, "again") if has_failed or re.search(" and |, ", did) else f"{did} again"
    if found := AMOUNT.fullmatch(did):
        amount = "another" if found["amount"] in {"a", "an"} else f"{found['amount']} more"
        return f"{found['act']} {amount} {found['unit']}{found['rest']}"
    if ROLL.fullmatch(did):
        return re.sub("^made an? ", "made another ", did)
    return f"{did} again" if did.count(" ") < 3 else f"again {did}"  # noqa: PLR2004  a longer act hides its end


WITHOUT_TOTAL = re.compile(" and (?:got|rolled) .*")

AMOUNT = re.compile(
    r"(?P<act>gained|gave .+?|lost|paid|received|recovered from|suffered|took|used) "
    rf"(?P<amount>an?|\d+|{'|'.join(NUMBERS)}) (?P<unit>[^\s,]+)(?P<rest>(?:(?! and ).)*)"
)
"""A pattern for an act with one amount, such as "lost two hit points to a stone"."""


def _with_how_often(did: str, how_often: str) -> str:
    """Add `how_often` ("again" or "twice") to an act: "tried again to hide". It replaces an "again" in the act."""
    found = re.fullmatch("tried (?:again )?to (.+)", did)
    return f"tried {how_often} to {found[1]}" if found else f"{did} {how_often}"


def _is_same_act(group: Sequence[Clause], clause: Clause) -> bool:
    """Return True if a clause is about the same act as a group of clauses.

    The act may be done again by the same character, or by another character.
    """
    first = group[0]
    if first.kind == clause.kind == "day" or (first.kind == "note" and first == clause):
        return True
    is_done = (first.then or clause.then) and not (first.then.startswith(ASKED) and clause.who != first.who)
    if not first.who or is_done or _act(first) != _act(clause):
        return False
    if not all(is_short(each.outcome) for each in (first, clause)):
        return False
    names = {each.who for each in group}
    is_again = names == {clause.who}
    is_one_kind = len(names) > 1 and kind_of(names) != ""
    if not is_again and (
        len(names) < len(group) or clause.who in names or is_one_kind > bool(kind_of([*names, clause.who]))
    ):
        return False
    if clause.outcome == first.outcome and len({each.outcome for each in group}) == 1:
        return not (is_again and first.outcome and _is_compound(first))
    is_roll = clause.did.startswith(("made a", "rolled"))
    may_differ = is_roll or (clause.did.startswith("tried") and not _is_compound(clause))
    return may_differ and not clause.deed and clause.outcome != ""


def _act(clause: Clause) -> Clause:
    """Return a clause without name, outcome and total. Clauses about the same act are then equal."""
    return clause.replace(who="", outcome="", did=ROLLED.sub(r"rolled \g<rest>", clause.did))


def _is_compound(clause: Clause) -> bool:
    """Return True for a clause with several acts, such as "tried to climb the wall and look around".

    An outcome cannot be added to such a clause with "and".
    """
    return any(joint in clause.did for joint in (" and ", " or ", ", "))


def with_outcome(clause: Clause, outcome: str) -> Clause:
    """Return a clause whose words end with an outcome that is neither a success nor a failure: "and rolled 5"."""
    if not clause.did or _is_compound(clause):
        return clause.replace(then=sentence(f"{clause.who} {outcome}"))
    return clause.replace(did=f"{clause.did} and {outcome}")


def is_short(outcome: str) -> bool:
    """Return True for an outcome that fits into a list of outcomes: without commas, periods and colons.

    An empty outcome fits too.
    """
    return not re.search("[,.:]", outcome)


def _group_sentences(group: Sequence[Clause]) -> list[str]:
    """Return the sentences for a group of clauses about the same act."""
    first = group[0]
    if first.kind == "day":
        days = [each.did for each in group]
        between = " and " if len(days) == 2 else " to "  # noqa: PLR2004  two
        return [f"Day {days[0]} began." if len(days) == 1 else f"Days {days[0]}{between}{days[-1]} passed."]
    if not first.who:
        return [first.did]
    names = [*dict.fromkeys(each.who for each in group)]
    if len(group) > 1 and (told := [*_sentences_by_character(names, group)]):
        return [*map(capitalized, told[:-1]), f"{capitalized(told[-1])} {first.then}".strip()]
    who = capitalized(all_names(names))
    attempts = {1: "The attempt", 2: "Both attempts"}.get(len(names), "All attempts")
    if first.deed and not first.did:
        result = f"{attempts} {first.outcome}." if first.outcome else ""
        is_asked = first.deed.endswith("?")
        result = result.replace("attempt", "roll") if is_asked else result
        says = f"{who} asked" if is_asked else f"This is what {all_names(names)} tried"
        return [" ".join(filter(None, [f"{says}: {quoted_sentence(first.deed)}", result, first.then]))]
    if len(group) == 1 and (rolled := ROLLED.fullmatch(first.did)) and (roll := FOR_ROLL.fullmatch(rolled["rest"])):
        first = first.replace(did=tidied(f"made a {roll[1]} roll and got {rolled['total']}"))
    did = _done_by(names, first)
    if first.outcome and _is_compound(first):
        return [f"{who} {did}. {attempts} {first.outcome}. {first.then}".strip()]
    return [f"{with_quote(f'{who} {did}{_and_outcome(first.outcome)}', first.deed)} {first.then}".strip()]


def with_quote(acted: str, reason: str) -> str:
    """Return an act as a sentence that ends with its reason, word for word: "Mara rested: “finally.”" """
    return f"{capitalized(acted)}: {quoted_sentence(reason)}" if reason else sentence(acted)


def _sentences_by_character(names: Sequence[str], group: Sequence[Clause]) -> Iterator[str]:
    """Yield sentences about totals, about one character's repeated act, or about different outcomes of an act.

    Yield nothing if several characters had the same outcome.
    """
    if ROLLED.fullmatch(group[0].did):
        yield sentence(_totals(names, group))
    elif len(names) == 1:
        yield from _repeated(names[0], group)
    elif len({each.outcome for each in group}) > 1:
        yield sentence(_mixed_outcomes_sentence(names, group))


def _done_by(names: Sequence[str], clause: Clause) -> str:
    """Return the words after the names: "rested", "each made a stealth roll" or "made stealth rolls"."""
    roll = ROLL.fullmatch(clause.did)
    if len(names) > 1 and roll and kind_of(names):
        return f"made {_plural_roll(roll)}"
    is_joint = len(names) == 1 or re.match("(tried|went|set out) ", clause.did) or " " not in clause.did
    return clause.did if is_joint else tidied(f"each {WITH_THE_ITEM.sub(' with a ', clause.did)}")


WITH_THE_ITEM = re.compile(r" with the (?=[a-z ]*[^s]$)")
"""A pattern for the start of "with the pistol". If several characters did the act, each did it "with a pistol"."""


def _plural_roll(roll: re.Match[str]) -> str:
    """Return the plural of a roll: "stealth rolls"."""
    return f"{roll['purpose'] or ''}{roll['noun']}s{roll['rest'] or ''}"


def _totals(names: Sequence[str], group: Sequence[Clause]) -> str:
    """Return a sentence about several totals: "On a d20, Mara rolled 18 and Brak 7"."""
    rolls = [each for clause in group if (each := ROLLED.fullmatch(clause.did))]
    totals, rest = [roll["total"] for roll in rolls], rolls[0]["rest"]
    if len(names) == 1 or kind_of(names):
        often = f" {times_in_words(len(rolls))}" if len(names) == 1 else ""
        roll = ROLL.fullmatch(tidied(f"made a {named[1]} roll")) if (named := FOR_ROLL.fullmatch(rest)) else None
        count, dice = f"{number(len(rolls))} " if len(names) == 1 else "", rest.removeprefix("on ")
        rolled = f"rolled{often} {rest}" if rest.startswith("to ") else f"rolled {dice}{often}"
        did = f"made {count}{_plural_roll(roll)}" if roll else rolled
        return f"{all_names(names)} {did} and got {listed(totals)}"
    first, *others = zip(names, totals, strict=True)
    return f"{capitalized(rest)}, {listed([' rolled '.join(first), *map(' '.join, others)])}"


def _mixed_outcomes_sentence(names: Sequence[str], group: Sequence[Clause]) -> str:
    """Return a sentence about an act with different outcomes: "Of the three goblins that tried to hide, one …"."""
    by_outcome = dict[str, list[str]]()
    for clause in group:
        by_outcome.setdefault(clause.outcome, []).append(clause.who)
    is_one_kind, did = bool(kind_of(names)), _done_by(names, group[0])
    if is_one_kind and {*by_outcome} == {"succeeded", "failed"}:
        del by_outcome["failed"]
    results = [f"{number(len(who)) if is_one_kind else listed(who)} {how}" for how, who in by_outcome.items()]
    if is_one_kind:
        return f"of the {all_names(names)} that {did.removeprefix('each ')}, {listed_clauses(results)}"
    return f"{all_names(names)} {did}: {listed_clauses(results)}"


def _and_outcome(outcome: str) -> str:
    """Return the words that add an outcome to an act: " and failed" for "failed"; "" without an outcome."""
    return f" and {outcome}" if outcome else ""


def _repeated(who: str, group: Sequence[Clause]) -> Iterator[str]:
    """Yield sentences about an act that the character `who` repeated."""
    first, is_pair = group[0], len(group) == 2  # noqa: PLR2004  two
    runs = [(outcome, len([*same])) for outcome, same in groupby(group, key=lambda each: each.outcome)]
    attempts, roll = "Both attempts" if is_pair else "All attempts", ROLL.fullmatch(first.did)
    verdict = next((each for each in ("failed", "succeeded") if all(each in outcome for outcome, _ in runs)), "")
    if first.deed and not first.did:
        often = times_in_words(len(group))
        yield f"{who} tried this {often}: {quoted_sentence(first.deed)} {attempts} {first.outcome}."
    elif roll:
        yield sentence(f"{who} made {number(len(group))} {_plural_roll(roll)}{_outcomes(group)}")
    elif is_pair and len(runs) > 1:
        verb, (first_result, second_result) = (
            first.did.partition(" ")[0],
            (_and_outcome(outcome) for outcome, _ in runs),
        )
        yield sentence(f"{who} {first.did}{first_result}, then {verb} again{second_result}")
    elif len(runs) > 2 and verdict:  # noqa: PLR2004  two
        yield _repetition_sentence(who, first.replace(outcome=verdict), len(group))
    else:
        for place, (outcome, count) in enumerate(runs):
            did = _with_how_often(first.did, "again") if place else first.did
            yield _repetition_sentence(who, first.replace(did=did, outcome=outcome), count)


def _outcomes(group: Sequence[Clause]) -> str:
    """Return the outcomes of several rolls for the same thing, as text that follows the words for the rolls.

    An example is ": the first roll failed and the second succeeded".
    """
    outcomes = [each.outcome for each in group]
    if len({*outcomes}) == 1:
        return outcomes[0] and f" and {_every_time(outcomes[0], len(group))}"
    if len(outcomes) == 2:  # noqa: PLR2004  two
        return f": the first roll {outcomes[0]} and the second {outcomes[1]}"
    return f": {listed([f'{number(count)} {how}' for how, count in Counter(outcomes).items()])}"


def _repetition_sentence(who: str, clause: Clause, count: int) -> str:
    """Return a sentence about an act that went the same way `count` times."""
    if not clause.outcome:
        return with_quote(f"{times_in_words(count)}, {who} {clause.did}", clause.deed)
    if count == 1:
        return sentence(f"{who} {clause.did}{_and_outcome(clause.outcome)}")
    more = " more" if re.match("tried again ", clause.did) else ""
    did = _with_how_often(clause.did, f"{times_in_words(count)}{more}")
    return sentence(f"{who} {did} and {_every_time(clause.outcome, count)}")


def _every_time(outcome: str, count: int) -> str:
    return f"{outcome} both times" if count == 2 else f"{outcome} every time"  # noqa: PLR2004  two
