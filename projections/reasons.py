"""Reasons: typed texts ("sword", "fall into the sand") as the end of a sentence: "because of a fall …"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from projections.attempts import (
    CLAUSE_WORDS,
    DETERMINERS,
    MOTION,
    NOUNS,
    PREPOSITIONS,
    THINGS,
    VERBS,
    infinitives_by_third_person,
)
from projections.prose import capitalized
from projections.prose_names import CHARACTER_KINDS

ARTICLES = frozenset((
    "a", "an", "the", "his", "her", "its", "their", "my", "our", "your", "one", "two", "three", "some", "another",
))  # fmt: skip

SUBSTANCES = frozenset((
    "acid", "bleeding", "cold", "drowning", "electricity", "exhaustion", "fatigue", "fever", "fire", "frost", "gas",
    "heat", "hunger", "lava", "lightning", "magic", "poison", "smoke", "starvation", "steam", "thirst", "venom",
))  # fmt: skip
"""Causes that need no article, as in "lost two hit points to smoke"."""

EVENT_NOUNS = frozenset(("bet", "bite", "blow", "cut", "fall", "fight", "hit", "kick"))
"""Nouns for events, which people type without an article, as in "fall into the sand"."""

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
    """Return the words that join a reason to an act, such as "to" after "lost two hit points"."""
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
    if thing := named_thing(words):
        return f" {joint} {thing}"
    if lower[0].endswith(("'s", "\u2019s")):
        return f" {joint} {capitalized(' '.join(words))}"
    return f" {' '.join([lower[0], *words[1:]])}" if lower[0] in PREPOSITIONS else None


def named_thing(words: Sequence[str]) -> str:
    """Return a thing with its article: "an old sword" for "old sword", and "smoke" for "smoke".

    Return "" if the words may name anything else.
    """
    lower = [word.lower() for word in words] or [""]
    starts_with_event = lower[0] in EVENT_NOUNS | THINGS and {*lower[1:2]} <= PREPOSITIONS
    is_plain = lower[0] not in {*ARTICLES, *DETERMINERS, *PREPOSITIONS, *CLAUSE_WORDS, *VERBS, *IRREGULAR_PAST_VERBS}
    is_verb = lower[0] in infinitives_by_third_person() or re.search(r"['\u2019]", lower[0])
    is_short = len(words) == 1 or (len(words) == 2 and is_plain and not is_verb)  # noqa: PLR2004  "old sword"
    thing = " ".join([lower[0], *words[1:]])
    if is_short and lower[-1] in SUBSTANCES:
        return thing
    if starts_with_event or (is_short and lower[-1] in CHARACTER_KINDS | EVENT_NOUNS | THINGS):
        return f"{'an' if SILENT_START.match(lower[0]) else 'a'} {thing}"
    return ""


SILENT_START = re.compile("[aeiou](?!ni)|heir|honest|honor|hour")
"""A pattern for words that "an" comes before."""


SUFFERED = frozenset((
    "arrested", "banished", "beaten", "beheaded", "burned", "burnt", "captured", "caught", "crushed", "defeated",
    "destroyed", "dismissed", "driven", "eaten", "executed", "freed", "hanged", "imprisoned", "killed", "murdered",
    "poisoned", "rescued", "sent", "shot", "slain", "stabbed", "taken", "turned",
))  # fmt: skip
"""Words for what others did to a character who left, as in "killed"."""

LEAVING_VERBS = frozenset((
    "collapsed", "deserted", "died", "disappeared", "drowned", "escaped", "fell", "fled", "left", "ran", "retreated",
    "returned", "stayed", "surrendered", "vanished", "went",
))  # fmt: skip
"""Verbs for the act of a character who left, as in "fled"."""


def fate(why: str) -> str:
    """Return the fate of a character who left, such as "was killed"; "" if the reason must be quoted.

    >>> fate("killed by the guard"), fate("ran away"), fate("dead")
    ('was killed by the guard', 'ran away', 'died')
    """
    words = why.strip().rstrip(".!").split()
    if not words or len(words) > LONGEST_REASON or not re.fullmatch(r"[\w '\u2019-]+", " ".join(words)):
        return ""
    words[0] = words[0].lower()
    if {*map(str.lower, words[1:])} & {*CLAUSE_WORDS, "and"}:
        return ""
    first, *rest = words
    is_moved = first.endswith("ed") and {*rest[:1]} & MOTION  # "jumped into the sea"
    acted = {**dict.fromkeys(SUFFERED, f"was {first}"), **dict.fromkeys(LEAVING_VERBS, first), **STATES}
    happened = acted.get(first, first if is_moved else "")
    return " ".join([happened, *rest]) if happened else ""


STATES = {"asleep": "fell asleep", "dead": "died", "unconscious": "fell unconscious"}
"""The states in which a character left, with the words that tell how the state began."""


def _has_verb(words: list[str]) -> bool:
    """Return True if words after the first noun may be a verb, as in "the rope breaks"."""
    later = {*words[2:]}
    is_verb = any(
        word.endswith("ed")
        or (word in infinitives_by_third_person() and infinitives_by_third_person()[word] not in NOUNS)
        for word in later
    )
    # "the fire spreads": after a noun, the word is a verb, even if it is also a noun
    nouns = {*NOUNS, *CHARACTER_KINDS, *THINGS}
    is_verb |= any(word in infinitives_by_third_person() and before in nouns for before, word in pairwise(words[1:]))
    is_verb |= any(word.endswith("s") and after in DETERMINERS for word, after in pairwise(words[2:]))
    return is_verb or not later.isdisjoint(IRREGULAR_PAST_VERBS | CLAUSE_WORDS)
