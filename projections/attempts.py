"""Attempts: typed deeds ("climbs the wall") as the end of a sentence ("tried to climb the wall")."""

from __future__ import annotations

import re
from collections.abc import Mapping

from projections.past_clauses import (
    BLOWS,
    NOUNS_LIKE_PASTS,
    PLURAL_PATTERN,
    in_past,
    parts_of,
    with_full_verbs,
    with_later_parts,
)
from projections.verbs import (
    NOUNS,
    VERBS,
    gerunds,
    infinitives,
    infinitives_by_past,
    infinitives_by_third_person,
    unlisted_verb,
)
from projections.word_lists import (
    AUXILIARIES,
    CLAUSE_WORDS,
    CONJUNCTIONS,
    DETERMINERS,
    MOTION_PREPOSITIONS,
    PREPOSITIONS,
    QUESTION_WORDS,
    ROLL_NOUNS,
    THING_NOUNS,
    WANTING_VERBS,
)

LONGEST_THING = 6
"""The maximum number of words that name a thing in a sentence. A longer deed is not taken for a thing."""


def attempt(deed: str) -> str | None:
    """Return a deed in the form that follows "tried to"; `None` if that form is not certain.

    >>> attempt("Climbs the wall and looks at the river.")
    'climb the wall and look at the river'
    >>> attempt("hides, hoping that nobody looks")
    'hide, hoping that nobody would look'
    >>> attempt("pulls the lever so that we can swing across while the lantern passes")
    'pull the lever so that they could swing across while the lantern passed'
    >>> attempt("klettert über die Mauer")
    """
    text = with_full_verbs(CLAIM_PATTERN.sub("claim that", deed.strip().rstrip(".!")))
    text = WE_PATTERN.sub(lambda found: THEY[found[0]], text)
    asked = SUBJECT_PATTERN.sub("", text)
    said = re.sub("^(?:just|simply) ", "", FRAME_PATTERN.sub("", asked), flags=re.IGNORECASE)
    (_, (*words,)), *later = parts_of(said)
    if len(words) > 1 and words[0].endswith("ly") and not later:
        words = [*words[1:], words[0].lower()]  # "quietly opens the door"
    lower = [word.lower() for word in words]
    is_plain = re.fullmatch(r"[\w ,'-]+", text) and text.split()[-1] not in CONJUNCTIONS
    if not words or not is_plain or UNCERTAIN_WORDS & {*said.lower().split()}:
        return None
    is_base, has_clause = (
        asked[: -len(said)].endswith("to ") or re.match("I |they |we ", text, re.IGNORECASE) is not None,
        any(joint in CLAUSE_STARTS or (len(words) == 1 and joint[1:] in QUESTION_WORDS) for joint, _ in later),
    )
    forms = _forms(words, is_base=is_base, has_clause=has_clause)
    if forms is None:
        return None
    did, objects = forms[lower[0]], words[1:]
    if CLAUSE_WORDS & {*lower}:
        objects, _ = in_past(objects)
    rest = with_later_parts(later, forms, did)
    return None if rest is None else f"{' '.join([did, *objects])}{rest}"


FRAME_PATTERN = re.compile(
    r"^(?:(?:and |will )?(?:(?:tr(?:y|ies|ying)|attempt(?:s|ing)?|wants?|manag(?:es?|ing)|rolls?(?: [a-z]+)?|"
    r"(?:mak(?:es?|ing) )?(?:an? )?[a-z]+ (?:check|roll|test)|(?:mak(?:es?|ing) )?an(?:other)? (?:attempt|roll|try))"
    r"(?: again| hard| (?:his|her|its|their) (?:best|hardest))? to|"
    r"tr(?:y|ies|ying)(?= \w+ing\b)|try and|to)(?= (?!the |an? )) )+",
    re.IGNORECASE,
)
"""A pattern for words that only say that a deed is an attempt, as in "tries to climb" and "makes a roll to climb"."""

CLAUSE_STARTS = {" because", " before", " so", " so that", " until", " where", " while"}
"""Words that start a clause. If a deed has such a clause, its first word is a verb: "waits until she sleeps"."""

SUBJECT_PATTERN = re.compile("^(?:(?:he|she) (?:is )?|(?:they|we) (?:are )?|I )", re.IGNORECASE)
"""A pattern for a subject before a deed, as in "she climbs" and "they are climbing"."""

THEY = {"we": "they", "us": "them", "our": "their", "ours": "theirs", "ourselves": "themselves"}

WE_PATTERN = re.compile(rf"(?<= )\b({'|'.join(THEY)})\b")
"""A pattern for the words with which players speak of their characters, as in "so that we can escape"."""

UNCERTAIN_WORDS = {"i", "me", "my", "myself", "mine", "am", "shall", "nor", "you", "your"}
"""A deed with one of these words must be quoted."""

CLAIM_PATTERN = re.compile("^(?:claims?|says?|swears?)(?= (?:he|it|nobody|she|there|they)['\u2019 ])", re.IGNORECASE)
"""A pattern for a verb of speaking before a clause without "that", as in "says she is the captain"."""


def _forms(words: list[str], *, is_base: bool, has_clause: bool) -> Mapping[str, str] | None:
    """Return a map from verbs to their base forms, such as "climb" for "climbs".

    `words` are the words of a deed. If its first word is "climbs", the map has all verbs in the third person. Return
    `None` if the first word is not certainly a verb. With `is_base`, the first word must be in the base form, as after
    "to" or "I". With `has_clause`, a clause such as "until she sleeps" follows the words.
    """
    first, second = words[0].lower(), words[1] if len(words) > 1 else ""
    after = second.lower()
    has_object = after in DETERMINERS | {"again", "hard"} or second != after  # a capital letter starts a name
    if is_base:
        return infinitives() if first in VERBS else None
    if first in VERBS:
        is_verb = has_object or has_clause or after.endswith("ly") or (first in OFTEN_VERBS and after in PREPOSITIONS)
        is_noun = first in NOUNS or after in ROLL_NOUNS or (not after and first in THING_NOUNS)  # "bribe"
        return infinitives() if is_verb or not is_noun else None
    if first in gerunds():
        return None if after in THING_NOUNS and len(words) == 2 else gerunds()  # noqa: PLR2004  "healing potion"
    is_told = infinitives_by_past().get(first, "") and first not in NOUNS_LIKE_PASTS | ACCIDENTS
    if is_told and (after in DETERMINERS | PREPOSITIONS or second != after):
        return infinitives_by_past()  # "ran for the alley"
    if (
        after in DETERMINERS
        and (base := unlisted_verb(first))
        and first not in {*infinitives_by_third_person(), *PREPOSITIONS, *WANTING_VERBS, *AUXILIARIES}
    ):
        return {**infinitives_by_third_person(), first: base}
    verb = infinitives_by_third_person().get(first, "")
    has_object |= PLURAL_PATTERN.fullmatch(second) is not None or after == "at"  # "copies ballots", "fires at"
    is_certain = verb and (
        has_object or has_clause or after in MOTION_PREPOSITIONS or (verb not in NOUNS and after != "of")
    )
    is_certain = is_certain and not (
        first in BLOWS and after in {"across", "in", "on", "to"}
    )  # "claws across the ribs"
    return infinitives_by_third_person() if is_certain else None


ACCIDENTS = {"fell", "lost", "was"}
"""Verbs in the past tense that nobody types about an attempt."""

OFTEN_VERBS = {
    "camp", "dance", "fish", "lean", "lunge", "peer", "play", "plunge", "race", "rest", "return", "rise", "row",
    "sleep", "stall", "step", "turn", "wave", "work",
}  # fmt: skip
"""Words that are verbs before a preposition, although they can be nouns: "sleep in the barn"."""


def question(deed: str) -> str | None:
    """Return an indirect question as it follows "find out": "how long it would take" for "how long it takes".

    The deed may have a verb before the question, as in "to see if it's true". Return `None` for other deeds.
    """
    asked_text = SEEING_PATTERN.sub("", deed.rstrip("."))
    words = with_full_verbs(asked_text).split()
    lower = [word.lower() for word in words]
    first, second = [*lower, "", ""][:2]
    is_direct = deed[-1:] == "?" or (
        second in AUXILIARIES and asked_text == deed.rstrip(".") and not WHO_PATTERN.match(" ".join(lower))
    )
    if not second or first not in QUESTION_WORDS or is_direct:
        return None
    start = 2 if first == "how" else 1  # "how mean he is"
    is_future = first == "how" and second in {"far", "long", "soon"}
    asked = [THEY.get(word, word) for word in words[start:]]
    is_subject = first == "who" or (first == "what" and infinitives_by_third_person().get(second) not in NOUNS)
    told, verb = in_past(asked, starts_with_verb=is_subject, with_would=is_future)
    there = {"many": "there were", "much": "there was"}.get(second if first == "how" and not verb else "", "")
    return " ".join([first, *words[1:start], *told, there]).strip()


SEEING_PATTERN = re.compile(
    rf"^(?:(?:tries |trying )?to )?(?:sees?|seeing|checks?|checking) (?=(?:{'|'.join(sorted(QUESTION_WORDS))}) )",
    re.IGNORECASE,
)
"""A pattern for the words before a question, as in "to see if anyone follows"."""

WHO_PATTERN = re.compile(
    rf"(?:what|who) (?:ha[sd]|(?:is|was) (?:\w+ing|{'|'.join(sorted(PREPOSITIONS))})) ", re.IGNORECASE
)
"""A pattern for a question about the subject, which has the same word order as an indirect question."""


def is_thing(deed: str) -> bool:
    """Return True if a deed names a thing or a place, such as "the beam" or "over the wall"."""
    words = deed.lower().split()
    starts = DETERMINERS - {"no", "herself", "himself"} | PREPOSITIONS
    return words[0] in starts and len(words) <= LONGEST_THING and not CLAUSE_WORDS & {*words}
