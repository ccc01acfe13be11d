"""Clauses: each has an act and its outcome. Clauses about the same act become one sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby, pairwise
from typing import Literal

from ledger.values import Struct
from projections.past_clauses import JOINT_PATTERN
from projections.prose import (
    FOR_ROLL_PATTERN,
    NUMBERS,
    ROLL_PATTERN,
    ROLLED_FOR_PATTERN,
    capitalized,
    listed,
    listed_clauses,
    number,
    quoted_sentence,
    sentence,
    tidied,
    times_in_words,
    with_period,
)
from projections.prose_names import all_names, kind_of
from projections.verbs import NOUNS, VERBS, past
from projections.word_lists import CLAUSE_WORDS, CONJUNCTIONS

ClauseKind = Literal["deed", "note", "day", "appendix", "rules"]

FINDING_OUT = "tried to find out "
"""The start of the act for a deed such as "how long it takes"."""

NO_PURPOSE = "made a roll without a stated purpose"


class Clause(Struct):
    """An act and its outcome, as parts of a sentence.

    - `who`: the name, or "" if `did` is a sentence by itself.
    - `did`: the words after the name, in the past tense.
    - `opening`: words before the name, such as "despite the rain".
    - `outcome`: the result, in words that can follow the name or "it"; "" for an act that cannot fail.
    - `deed`: the attempt, word for word, if `did` is "". Otherwise the reason, unless `did` contains it.
    - `then`: a sentence that follows, such as the GM's ruling that replaces the outcome.
    - `stays`: True for an act that a shortened recap must tell.
    - `kind`: a deed, a note, a new day (`did` is the day), bookkeeping for the appendix, or `rules`. A clause of
      kind `rules` is a change that only the rules keep track of. The recap leaves it out.
    """

    who: str
    did: str
    opening: str = ""
    outcome: str = ""
    deed: str = ""
    then: str = ""
    kind: ClauseKind = "deed"
    stays: bool = False


def has_no_purpose(did: str) -> bool:
    """Return True for a roll that names only dice, or nothing."""
    dice = re.match(r"(?:made a |rolled [\w\u2212]+ on (?:a )?)(\d*d[\d%]\S*)", did)
    is_bare = did.startswith(NO_PURPOSE) or re.fullmatch(r"rolled [\w\u2212]+", did) is not None
    return is_bare or (dice is not None and re.search("[a-z]{3}", dice[1]) is None)


def story(parts: Iterable[Clause]) -> list[str]:
    """Return the sentences for clauses in order. Clauses about one act are joined: "Mara and Brak …", "three times"."""
    return [text for text, _ in story_with_clauses(parts)]


def story_with_clauses(parts: Iterable[Clause]) -> list[tuple[str, Sequence[Clause]]]:
    """Return the sentences of `story`, each with the clauses that it tells."""
    joined_parts = list[list[Clause]]()
    for clause in _with_joint_receivers(_with_joint_owners(parts)):
        group = joined_parts[-1] if joined_parts else []
        if group and _is_same_act(group, clause):
            group.append(clause)
        else:
            joined_parts.append([clause])
    return [(text, group) for group in _with_again(joined_parts) for text in _group_sentences(group)]


def _with_joint_owners(parts: Iterable[Clause]) -> Iterator[Clause]:
    """Yield clauses, but join changes of the same score: "Mara's and Brak's air fell by one"."""
    for change, same in groupby(parts, key=_change_of_score):
        first, *others = same
        owners = [each.did.partition("'s ")[0] for each in (first, *others)]
        joint = listed(f"{owner}'s" for owner in dict.fromkeys(owners))
        yield from (
            [first.replace(did=f"{joint} {change}")]
            if len({*owners}) == len(owners) > 1 and change
            else [first, *others]
        )


def _with_joint_receivers(parts: Iterable[Clause]) -> Iterator[Clause]:
    """Yield clauses. Equal gifts of one character become one: "Mara gave Brak and Sam each two gold"."""
    for gift, same in groupby(parts, key=_gift_of):
        first, *others = same
        receivers = [found["to"] for each in (first, *others) if (found := GIFT_PATTERN.fullmatch(each.did))]
        if gift and len({*receivers}) == len(receivers) > 1:
            yield first.replace(
                did=f"gave {listed(receivers)} each {gift[1]}", stays=any(x.stays for x in [first, *others])
            )
        else:
            yield from (first, *others)


def _gift_of(clause: Clause) -> tuple[str, str, str] | None:
    """Return who gave what, and the quoted reason; `None` for other clauses."""
    found = GIFT_PATTERN.fullmatch(clause.did)
    return (clause.who, found["what"], clause.deed) if found else None


def _change_of_score(clause: Clause) -> str:
    """Return the words about the change of a score, such as "air fell by one."; "" for other clauses."""
    found = re.fullmatch(r"[^.]+?'s ((?:(?!'s )[^.])+ (?:rose|fell) by [^.]+\.)", clause.did)
    return found[1] if found and not clause.who else ""


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
    did = TOTAL_PATTERN.sub("", did)
    found = AMOUNT_PATTERN.fullmatch(did)
    return f"{found['act']} {found['unit'].removesuffix('s')}" if found else did


def _again(did: str, *, has_failed: bool) -> str:
    """Add words for a repetition to an act: "made another stealth roll", "lost two more hit points".

    After a failure (`has_failed`), "again" follows the first verb: "tried again to hide".
    """
    if did.startswith("tried to "):
        return _with_how_often(did, "again") if has_failed or SECOND_VERB_PATTERN.search(did) else f"{did} again"
    if found := AMOUNT_PATTERN.fullmatch(did):
        amount = "another" if found["amount"] in {"a", "an"} else f"{found['amount']} more"
        return f"{found['act']} {amount} {found['unit']}{found['rest']}"
    if ROLL_PATTERN.fullmatch(did):
        return re.sub("^(made|rolled) an? ", r"\1 another ", did)
    return f"{did} again" if did.count(" ") < 3 else f"again {did}"  # noqa: PLR2004  a longer act hides its end


TOTAL_PATTERN = re.compile(" and (?:got|rolled) .*")

GIFT_PATTERN = re.compile(rf"gave (?P<to>.+?) (?P<what>(?:an?|\d+|{'|'.join(NUMBERS)}) .+)")
"""A pattern for a gift, such as "gave Brak two gold for the rope"."""

AMOUNT_PATTERN = re.compile(
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
    first, names = group[0], {each.who for each in group}
    if first.kind == clause.kind == "day" or (first.kind == "note" and first == clause):
        return True
    is_again = names == {clause.who}
    follows = [each for each in (*group, clause) if each.then]
    is_done = follows and (is_again or not all(each.who in each.then for each in follows))
    if not first.who or is_done or _without_outcome(first) != _without_outcome(clause):
        return False
    if not all(is_short(each.outcome) for each in (first, clause)):
        return False
    is_one_kind = len(names) > 1 and kind_of(names) != ""
    if not is_again and (
        len(names) < len(group) or clause.who in names or is_one_kind > bool(kind_of([*names, clause.who]))
    ):
        return False
    if clause.outcome == first.outcome and len({each.outcome for each in group}) == 1:
        return not (is_again and first.outcome and _is_compound(first))
    is_roll = clause.did.startswith(("made a", "rolled"))
    is_tried = not clause.did or (clause.did.startswith("tried") and not (is_again and _is_compound(clause)))
    return (is_roll or (is_tried and not (is_again and clause.deed))) and (clause.outcome or clause.then) != ""


def _without_outcome(clause: Clause) -> Clause:
    """Return a clause without name, outcome and total. Clauses about the same act are then equal."""
    return clause.replace(
        who="", outcome="", then="", stays=False, did=ROLLED_FOR_PATTERN.sub(r"rolled \g<rest>", clause.did)
    )


def _is_compound(clause: Clause) -> bool:
    """Return True for an act with a second verb, such as "tried to climb the wall while the guard slept".

    An outcome follows such a clause after a comma.
    """
    return SECOND_VERB_PATTERN.search(clause.did) is not None


SECOND_VERB_PATTERN = re.compile(
    rf"(?! (?:as|than) (?:an?|\w+ as)\b| (?:after|as|before|since|than|until) (?:(?:an?|the|his|her|their) )?[\w']+$)"
    rf"(?:{JOINT_PATTERN.pattern})"
)
"""A pattern for words before a second verb. "As a monk" and "before the storm" have no verb."""


def with_outcome(clause: Clause, outcome: str) -> Clause:
    """Add an outcome that is neither a success nor a failure to a clause: "tried to hide and rolled 5"."""
    if not clause.did:
        return clause.replace(then=sentence(f"{clause.who} {outcome}"))
    return clause.replace(did=f"{clause.did}{_comma_after(clause.did)} and {outcome}")


def with_circumstance(clause: Clause, circumstance: str) -> Clause:
    """Add a circumstance to the clause of an attempt: "tried to hide despite the rain".

    If the act has several verbs, the circumstance comes first. A circumstance that starts with a comma is added only to
    a success: "succeeded, although the guard was awake". Return a clause without a purpose unchanged.
    """
    is_attempt = clause.did != "" and clause.outcome != "" and not has_no_purpose(clause.did)
    if circumstance.startswith(","):
        is_better = "succeeded" in clause.outcome and is_attempt
        return clause.replace(outcome=clause.outcome + circumstance) if is_better else clause
    if is_attempt and _is_compound(clause):
        return clause.replace(opening=circumstance.strip())
    return clause.replace(did=clause.did + circumstance) if is_attempt else clause


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
    who = capitalized(", ".join(filter(None, [first.opening, all_names(names)])))
    then = " ".join(dict.fromkeys(each.then for each in group if each.then))
    then = re.sub(rf"(it a (?:success|failure)) for {re.escape(names[0])}\b", r"\1", then) if len(names) == 1 else then
    if len(group) > 1 and (told := [*_sentences_by_character(names, group)]):
        return [*map(capitalized, told[:-1]), f"{capitalized(told[-1])} {then}".strip()]
    if first.deed and not first.did:
        is_asked = first.deed.endswith("?")
        is_mixed = len({each.outcome for each in group}) > 1
        tried = "wanted to know" if is_asked else with_result("tried this", "" if is_mixed else first.outcome)
        result = f"The roll {first.outcome}." if is_asked and first.outcome else ""
        result = sentence(_results(names, group)) if is_mixed else result
        return [" ".join(filter(None, [f"{who} {tried}: {quoted_sentence(first.deed)}", result, then]))]
    if (
        len(group) == 1
        and (rolled := ROLLED_FOR_PATTERN.fullmatch(first.did))
        and (roll := FOR_ROLL_PATTERN.fullmatch(rolled["rest"]))
    ):
        first = first.replace(did=tidied(f"made a {roll[1]} roll and got {rolled['total']}"))
    did = _done_by(names, first)
    return [f"{with_quote(f'{who} {with_result(did, first.outcome)}', first.deed)} {then}".strip()]


def with_result(did: str, outcome: str) -> str:
    """Add a result to an act: "climbed the wall" for a success, or "tried to climb the wall, but failed".

    >>> with_result("tried to hide and wait", "succeeded"), with_result("made a stealth roll", "failed badly")
    ('managed to hide and wait', 'made a stealth roll and failed badly')
    """
    if did.startswith(("tried to ", "tried not ", "tried never ")) and re.match("succeeded(?![ \\w])", outcome):
        return f"{as_done(did) or did.replace('tried', 'managed', 1)}{outcome.removeprefix('succeeded')}"
    is_roll = re.match("(?:each )?(?:made|rolled) ", did) is not None
    is_bad = not is_roll and re.search(r"\b(?:failed|missed)\b", outcome) is not None
    comma = _comma_after(did, is_bad=is_bad)
    return f"{did}{comma} {'but' if is_bad else 'and'} {outcome}" if outcome else did


def _comma_after(did: str, *, is_bad: bool = False) -> str:
    """Return a comma for the place between an act and its result, if they need one."""
    return "," if (is_bad or SECOND_VERB_PATTERN.search(did)) and not did.endswith("\u201d") else ""


def as_done(tried: str) -> str:
    """Return an attempt as an act that succeeded: "hid" for "tried to hide"; "" if its verbs are not certain."""
    verb, *rest = [*tried.removeprefix("tried to ").split(), ""]
    base = verb.rstrip(",")
    if not tried.startswith("tried to ") or base not in VERBS:
        return ""
    done, is_last = (
        [verb.replace(base, past(base))],
        verb in {"hear", "help", "let", "make", "see", "watch"},
    )  # "help Brak climb and hide"
    for before, word in pairwise([verb, *rest]):
        is_verb = (before in CONJUNCTIONS or before.endswith(",")) and word in VERBS
        if is_verb and (is_last or word in NOUNS):
            return ""
        is_last |= word == "to" or word in CLAUSE_WORDS
        done.append(past(word) if is_verb else word)
    return " ".join(done).strip()


def with_quote(acted: str, reason: str) -> str:
    """Return an act as a sentence that ends with its reason, word for word: "Mara rested: “finally.”" """
    return f"{capitalized(acted)}: {quoted_sentence(reason)}" if reason else sentence(acted)


def _sentences_by_character(names: Sequence[str], group: Sequence[Clause]) -> Iterator[str]:
    """Yield sentences about totals, about one character's repeated act, or about different outcomes of an act.

    Yield nothing if several characters had the same outcome.
    """
    if ROLLED_FOR_PATTERN.fullmatch(group[0].did):
        yield sentence(_totals(names, group))
    elif len(names) == 1:
        yield from _repeated(names[0], group)
    elif group[0].did and len({each.outcome for each in group}) > 1:
        yield sentence(_mixed_outcomes_sentence(names, group))


def _done_by(names: Sequence[str], clause: Clause) -> str:
    """Return the words after the names: "rested", "each made a stealth roll" or "made stealth rolls"."""
    roll = ROLL_PATTERN.fullmatch(clause.did)
    if len(names) > 1 and roll and kind_of(names):
        return f"{roll['verb']} {_plural_roll(roll)}"
    if len(names) > 1 and clause.did.startswith("was "):
        return f"were {clause.did.removeprefix('was ')}"
    is_joint = len(names) == 1 or re.match("(tried|went|set out) ", clause.did) or " " not in clause.did
    return clause.did if is_joint else tidied(f"each {WITH_THE_ITEM_PATTERN.sub(' with a ', clause.did)}")


WITH_THE_ITEM_PATTERN = re.compile(r" with the (?=[a-z ]*[^s]$)")
"""A pattern for the start of "with the pistol". If several characters did the act, each did it "with a pistol"."""


def _plural_roll(roll: re.Match[str]) -> str:
    """Return the plural of a roll: "stealth rolls"."""
    return f"{roll['purpose'] or ''}{roll['noun']}s{roll['rest'] or ''}"


def _totals(names: Sequence[str], group: Sequence[Clause]) -> str:
    """Return a sentence about several totals: "On a d20, Mara rolled 18 and Brak 7"."""
    rolls = [each for clause in group if (each := ROLLED_FOR_PATTERN.fullmatch(clause.did))]
    totals, rest = [roll["total"] for roll in rolls], rolls[0]["rest"]
    if len(names) == 1 or kind_of(names):
        often = f" {times_in_words(len(rolls))}" if len(names) == 1 else ""
        roll = (
            ROLL_PATTERN.fullmatch(tidied(f"made a {named[1]} roll"))
            if (named := FOR_ROLL_PATTERN.fullmatch(rest))
            else None
        )
        count, dice = f"{number(len(rolls))} " if len(names) == 1 else "", rest.removeprefix("on ")
        rolled = f"rolled{often} {rest}" if rest.startswith("to ") else f"rolled {dice}{often}"
        did = f"{roll['verb']} {count}{_plural_roll(roll)}" if roll else rolled
        return f"{all_names(names)} {did} and got {listed(totals)}"
    first, *others = zip(names, totals, strict=True)
    return f"{capitalized(rest)}, {listed([' rolled '.join(first), *map(' '.join, others)])}"


def _mixed_outcomes_sentence(names: Sequence[str], group: Sequence[Clause]) -> str:
    """Return a sentence about an act with different outcomes: "Of the three goblins that tried to hide, one …"."""
    first, results = group[0], _results(names, group)
    did, who = _done_by(names, first), ", ".join(filter(None, [first.opening, all_names(names)]))
    if _is_compound(first):
        return f"{with_period(f'{who} {did}')} {sentence(results)}"
    if kind_of(names):
        return f"of the {all_names(names)} that {did.removeprefix('each ')}, {results}"
    return f"{who} {did}: {results}"


def _results(names: Sequence[str], group: Sequence[Clause]) -> str:
    """Return different outcomes of an act in one sentence, such as "Mara succeeded, and Brak and Ana failed"."""
    by_outcome = dict[str, list[str]]()
    for clause in group:
        by_outcome.setdefault(clause.outcome, []).append(clause.who)
    by_outcome.pop("", None)
    is_one_kind = bool(kind_of(names))
    if is_one_kind and {*by_outcome} == {"succeeded", "failed"}:
        del by_outcome["failed"]
    return listed_clauses(
        [f"{number(len(who)) if is_one_kind else listed(who)} {how}" for how, who in by_outcome.items()]
    )


def _repeated(who: str, group: Sequence[Clause]) -> Iterator[str]:
    """Yield sentences about an act that the character `who` repeated."""
    first, is_pair = group[0], len(group) == 2  # noqa: PLR2004  two
    runs = [(outcome, len([*same])) for outcome, same in groupby(group, key=lambda each: each.outcome)]
    roll = ROLL_PATTERN.fullmatch(first.did)
    verdict = next((each for each in ("failed", "succeeded") if all(each in outcome for outcome, _ in runs)), "")
    if first.deed and not first.did:
        often = times_in_words(len(group))
        result = _every_time(first.outcome, len(group)) if first.outcome else ""
        yield f"{who} {with_result(f'tried this {often}', result)}: {quoted_sentence(first.deed)}"
    elif roll:
        yield sentence(f"{who} {roll['verb']} {number(len(group))} {_plural_roll(roll)}{_outcomes(group)}")
    elif is_pair and len(runs) > 1:
        again = f"{first.did.partition(' ')[0]} again"
        (before, _), (after, _) = runs
        yield sentence(f"{who} {with_result(first.did, before)}, then {with_result(again, after)}")
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
        return sentence(f"{who} {with_result(clause.did, clause.outcome)}")
    more = " more" if re.match("tried again ", clause.did) else ""
    did = _with_how_often(clause.did, f"{times_in_words(count)}{more}")
    return sentence(f"{who} {with_result(did, _every_time(clause.outcome, count))}")


def _every_time(outcome: str, count: int) -> str:
    return f"{outcome} both times" if count == 2 else f"{outcome} every time"  # noqa: PLR2004  two
