"""Clauses: what somebody did and how it went. Clauses about equal acts become one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Literal

from ledger.journal.book import Book
from ledger.values import Struct
from projections.prose import (
    ORDINALS,
    ROLL,
    capitalized,
    ended,
    listed,
    number,
    quoted_sentence,
    sentence,
    times,
)

NO_PURPOSE = "made a roll without a stated purpose"


class Clause(Struct):
    """An act and its outcome, as parts of a sentence.

    - `who`: the name, or "" if `did` is a sentence by itself.
    - `did`: the words after the name, in the past tense.
    - `outcome`: how it went: words that can follow the name or "it"; "" for an act that cannot fail.
    - `deed`: what was attempted, word for word, if it is not a part of `did`.
    - `then`: a sentence after it, such as what the GM ruled instead of the outcome.
    - `kind`: a deed, a note, a new day (`did` is the day), or other bookkeeping for the appendix.
    - `each`: True if the words need "each" after several names: "Mara and Brak each gained 50 gold".
    """

    who: str
    did: str
    outcome: str = ""
    deed: str = ""
    then: str = ""
    kind: Literal["deed", "note", "day", "appendix"] = "deed"
    each: bool = False


def has_no_purpose(did: str) -> bool:
    """Return True for a roll that names only dice, or nothing."""
    dice = re.match(r"(?:made a |rolled [\w\u2212]+ with )(\d*d[\d%]\S*)", did)
    return did.startswith(NO_PURPOSE) or (dice is not None and re.search("[a-z]{3}", dice[1]) is None)


def story(parts: Iterable[Clause]) -> list[str]:
    """Return the sentences for clauses in order. Join those that are equal: "Mara and Brak …", "three times"."""
    joined_parts = list[list[Clause]]()
    for clause in parts:
        group = joined_parts[-1] if joined_parts else []
        if group and _is_same_act(group, clause):
            group.append(clause)
        else:
            joined_parts.append([clause])
    return [text for group in joined_parts for text in _told(group)]


def _is_same_act(group: Sequence[Clause], clause: Clause) -> bool:
    """Return True if a clause repeats the acts of a group: by the same character, or by others who fared alike."""
    first = group[0]
    if first.kind == clause.kind == "day":
        return True
    if (
        not first.who
        or first.then
        or clause.then
        or first.replace(who="", outcome="") != clause.replace(who="", outcome="")
    ):
        return False
    names = {each.who for each in group}
    if names == {clause.who}:
        if _is_compound(first):
            return False
        return clause.outcome == first.outcome or (not clause.deed and clause.did.startswith(("made a", "tried")))
    return len(names) == len(group) and clause.who not in names and clause.outcome == first.outcome


def _is_compound(clause: Clause) -> bool:
    """Return True for "tried to climb the wall and look around", to which the outcome cannot be added with "and"."""
    return " and " in clause.did or " or " in clause.did


def _told(group: Sequence[Clause]) -> list[str]:
    """Return the sentences for a group of equal acts."""
    first = group[0]
    if first.kind == "day":
        days = [each.did for each in group]
        return [f"Day {days[0]} began." if len(days) == 1 else f"Days {days[0]} to {days[-1]} passed."]
    if not first.who:
        return [first.did]
    names = [*dict.fromkeys(each.who for each in group)]
    who = capitalized(listed(names))
    if len(names) == 1 and len(group) > 1:
        return [*map(capitalized, _repeated(names[0], group))]
    attempts = {1: "The attempt", 2: "Both attempts"}.get(len(names), "All attempts")
    if first.deed and not first.did:
        result = first.then or f"{attempts} {first.outcome}."
        return [f"{who} announced: {quoted_sentence(first.deed)} {result}"]
    each = " each" if len(names) > 1 and (first.each or ROLL.fullmatch(first.did)) else ""
    if first.outcome and _is_compound(first):
        return [f"{who} {first.did}. {attempts} {first.outcome}."]
    did = f"{who}{each} {first.did}{_and(first.outcome)}"
    told = f"{did}: {quoted_sentence(first.deed)}" if first.deed else sentence(did)
    return [f"{told} {first.then}".strip()]


def _and(outcome: str) -> str:
    """Return "and" with an outcome: "and failed", or "and, on the reroll, failed"."""
    return f" and{',' if outcome.startswith('on ') else ''} {outcome}" if outcome else ""


def _repeated(who: str, group: Sequence[Clause]) -> Iterator[str]:
    """Yield sentences for acts that a character repeated."""
    first, is_pair = group[0], len(group) == 2  # noqa: PLR2004  two
    runs = [(outcome, len([*same])) for outcome, same in groupby(group, key=lambda each: each.outcome)]
    attempts, roll = "Both attempts" if is_pair else "All attempts", ROLL.fullmatch(first.did)
    if first.deed and not first.did:
        yield f"{who} announced this {times(len(group))}: {quoted_sentence(first.deed)} {attempts} {first.outcome}."
    elif roll and len(group) <= len(ORDINALS):
        yield from _rolls(
            f"{who} made {number(len(group))} {roll['purpose'] or ''}{roll['noun']}s{roll['rest'] or ''}", group
        )
    elif is_pair and len(runs) > 1 and "." not in runs[0][0]:
        verb = first.did.partition(" ")[0]
        yield sentence(f"{who} {first.did}{_and(runs[0][0])}, then {verb} again{_and(runs[1][0])}")
    else:
        for place, (outcome, count) in enumerate(runs):
            yield _run(f"{who} {first.did}{' again' if place else ''}", first.deed, outcome, count)


def _rolls(did: str, group: Sequence[Clause]) -> Iterator[str]:
    """Yield sentences about several rolls for the same thing."""
    outcomes = [each.outcome for each in group]
    if len({*outcomes}) == 1 and "," not in outcomes[0]:
        every = "both times" if len(group) == 2 else "every time"  # noqa: PLR2004  two
        yield sentence(f"{did} and {outcomes[0]} {every}" if outcomes[0] else did)
        return
    each = [f"the {ORDINALS[place]} {outcome}" for place, outcome in enumerate(outcomes)]
    if any("," in outcome or "." in outcome for outcome in outcomes):
        yield " ".join([ended(did), *map(sentence, each)])
    else:
        yield sentence(f"{did}: {listed(each)}")


def _run(did: str, deed: str, outcome: str, count: int) -> str:
    """Return a sentence about an act that went the same way `count` times."""
    often = f"{did} {times(count)}" if count > 1 else did
    if not outcome:
        return f"{often}: {quoted_sentence(deed)}" if deed else sentence(often)
    if count == 1:
        return sentence(f"{did}{_and(outcome)}")
    if "," in outcome or "." in outcome:
        attempts = "Both attempts" if count == 2 else "All attempts"  # noqa: PLR2004  two
        return f"{capitalized(times(count))}, {ended(did)} {sentence(f'{attempts} {outcome}')}"
    every = "both times" if count == 2 else "every time"  # noqa: PLR2004  two
    return sentence(f"{often} and {outcome} {every}")


ARTICLES = {"a", "an", "das", "der", "die", "el", "il", "la", "las", "le", "les", "los", "the"}


def short_names(book: Book) -> dict[str, str]:
    """Map each full name to its first word, if that is unique among the names of the table and is not an article.

    Leave out names that start with a small letter, such as "the guard" or "old bear".
    """
    full = book.full_names()
    others = [who for who in book.cast() if who not in full]
    first = [name.split()[0].lower() for name in (*full.values(), *others, *book.players().values())]
    return {
        name: name.split()[0]
        for name in full.values()
        if len(name.split()) > 1
        and not name[0].islower()
        and (word := name.split()[0].lower()) not in ARTICLES
        and first.count(word) == 1
    }


def with_short_names(sentences: Iterable[str], short: Mapping[str, str]) -> tuple[str, ...]:
    """Replace each full name after its first mention with the short name. Quotes keep their words."""
    names, seen = re.compile("|".join(map(re.escape, sorted(short, key=len, reverse=True))) or "(?!)"), set[str]()

    def shown(found: re.Match[str]) -> str:
        name = found[0]
        is_new = name not in seen
        seen.add(name)
        return name if is_new else short[name]

    pieces = (re.split("(\u201c[^\u201d]*\u201d)", text) for text in sentences)
    return tuple(
        "".join(part if part[:1] == "\u201c" else names.sub(shown, part) for part in parts) for parts in pieces
    )
