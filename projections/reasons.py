"""Reasons: typed texts ("sword", "fall into the sand") as the end of a sentence: "because of a fall …"."""

from __future__ import annotations

import re
from itertools import pairwise

from projections.attempts import CLAUSES, DETERMINERS, NOUNS, PREPOSITIONS, infinitives_by_third_person
from projections.prose import capitalized
from projections.prose_names import CHARACTER_KINDS

ARTICLES = frozenset((
    "a", "an", "the", "his", "her", "its", "their", "my", "our", "your", "one", "two", "three", "some", "another",
))  # fmt: skip

EVENT_NOUNS = frozenset(("bet", "bite", "blow", "cut", "fall", "fight", "hit", "kick"))
"""Words for what happened that people type without their article, as in "fall into the sand"."""

IRREGULAR_PAST_VERBS = frozenset((
    "bit", "bled", "broke", "came", "caught", "fell", "fought", "found", "gave", "got", "held", "hit", "left", "lost",
    "made", "ran", "said", "sold", "stole", "struck", "took", "went", "won",
))  # fmt: skip
"""The most common verbs in the past tense that do not end with "ed"."""

BECAUSE = "because of"

HARM = {"lost": "to", "suffered": "from", "took": "from"}
"""The words between a harm and its reason: "lost two hit points to a stone", "suffered one injury from a knife"."""

LONGEST_REASON = 8
"""The maximum number of words of a reason that becomes a part of a sentence."""


def joint_after(did: str) -> str:
    """Return the words between an act, such as "lost two hit points", and its reason: "to", "from" or "because of"."""
    return BECAUSE if " and " in did else HARM.get(did.partition(" ")[0], BECAUSE)


def reason_as_ending(why: str, joint: str = BECAUSE) -> str | None:
    """Return a reason as the end of a sentence: "" for a text without words; `None` if it must be quoted.

    `joint` comes before a reason that is a thing, such as "to" in "lost two hit points to a stone".

    >>> reason_as_ending("fall into the sand")
    ' because of a fall into the sand'
    >>> reason_as_ending("The rope broke")
    """
    words = why.strip().rstrip(".!").split()
    lower = [word.lower() for word in words]
    if not re.search(r"[^\W\d]{2}", why):
        return ""
    if len(words) > LONGEST_REASON or not re.fullmatch(r"[\w '\u2019-]+", " ".join(words)) or _has_verb(lower):
        return None
    if lower[0] in ARTICLES and words[1:]:
        return f" {joint} {' '.join([lower[0], *words[1:]])}"
    if (lower[0] in EVENT_NOUNS and {*lower[1:2]} <= PREPOSITIONS) or (len(words) == 1 and lower[0] in CHARACTER_KINDS):
        article = "an" if re.match("[aeiou](?!ni)", lower[0]) else "a"
        return f" {joint} {article} {' '.join([lower[0], *words[1:]])}"
    if lower[0].endswith(("'s", "\u2019s")):
        return f" {joint} {capitalized(' '.join(words))}"
    return f" {' '.join([lower[0], *words[1:]])}" if lower[0] in PREPOSITIONS else None


def _has_verb(words: list[str]) -> bool:
    """Return True if words after the first noun may be a verb, as in "the rope breaks"."""
    later = {*words[2:]}
    is_verb = any(
        word.endswith("ed")
        or (word in infinitives_by_third_person() and infinitives_by_third_person()[word] not in NOUNS)
        for word in later
    )
    is_verb |= any(word.endswith("s") and after in DETERMINERS for word, after in pairwise(words[2:]))
    return is_verb or not later.isdisjoint(IRREGULAR_PAST_VERBS | CLAUSES)
