"""Clauses from typed texts, put into the past tense: "because he is asleep" becomes "because he was asleep"."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import takewhile

from projections.prose import capitalized
from projections.prose_names import CHARACTER_KINDS
from projections.verbs import (
    IRREGULAR_PASTS,
    NOUNS,
    VERBS,
    gerunds,
    infinitives,
    infinitives_by_third_person,
    past,
    unlisted_verb,
)
from projections.word_lists import (
    CLAUSE_WORDS,
    CONJUNCTIONS,
    DETERMINERS,
    FIRST_PERSON,
    PREPOSITIONS,
    SAYING_VERBS,
    THING_NOUNS,
)

ARTICLES = frozenset((
    "a", "an", "the", "his", "her", "its", "their", "my", "our", "your", "one", "two", "three", "some", "another",
))  # fmt: skip

NOUNS_LIKE_PASTS = frozenset(("bore", "bound", "felt", "ground", "rose", "saw", "shot"))
"""Verbs in the past tense that are more often nouns or adjectives in a reason."""

PRONOUNS = frozenset(("everybody", "everyone", "he", "it", "nobody", "she", "somebody", "someone", "there", "they"))

FIRST_AND_SECOND_PERSON = FIRST_PERSON | {"you", "your", "yours"}
"""Words of a speaker who talks about the people at the table."""

ADVERBS = frozenset(
    ("almost", "already", "also", "always", "else", "ever", "just", "nearly", "never", "really", "still")
)

LONGEST_CLAUSE = 18
"""The maximum number of words of a clause that becomes a part of a sentence."""

JOINT_PATTERN = re.compile(
    ",? (?:so that|after|although|and|as|because|before|but|how|if|once|or|since|so|than|that|then|though|till|unless|"
    "until|what(?:ever)?|when(?:ever)?|where(?:ver)?|whether|which|while|who(?:ever|m|se)?|why)(?= )|,(?= )"
)
"""A pattern for the words before a part of a deed that may have a verb of its own."""

RELATIVES = {"that", "what", "whatever", "which", "who", "whoever"}
"""Words that can be the subject of a clause: "who sleeps"."""

Part = tuple[str, Sequence[str]]
"""A part of a typed text: the joining word at its start (with a comma, if typed), and the other words."""


def parts_of(text: str) -> list[Part]:
    """Split a typed text before each word that may start a clause."""
    first, *later = re.split(f"({JOINT_PATTERN.pattern})", text)
    return [("", first.split()), *((joint, part.split()) for joint, part in zip(later[::2], later[1::2], strict=True))]


def with_full_verbs(text: str) -> str:
    """Return a text with whole verbs, such as "is" for "'s".

    >>> with_full_verbs("the sexton's asleep, so they're sure he's got the key")
    'the sexton is asleep, so they are sure he has the key'
    >>> with_full_verbs("the storm's blown itself out behind Anna's house")
    "the storm has blown itself out behind Anna's house"
    """
    words = text.replace("\u2019", "'").split()
    for place, word in enumerate(words):
        stem, _, ending = word.rpartition("'")
        if full := FULL_VERBS.get(ending):
            words[place] = f"{stem} {full}"
        elif ending == "s" and (verb := _verb_of_s(stem.lower(), [each.rstrip(",") for each in words[place + 1 :]])):
            words[place] = f"{stem} {verb}"
    return re.sub(" (has|have) got ", r" \1 ", " ".join(words))


FULL_VERBS = {"re": "are", "ve": "have", "ll": "will"}


def _verb_of_s(stem: str, after: Sequence[str]) -> str:
    """Return "is" or "has" for "'s" after the word `stem`; "" for the "'s" of an owner. `after` are the next words."""
    places = [place for place, word in enumerate(after) if word not in ADVERBS] or [0]
    follow, *then = [*after[places[0] :], ""]
    is_participle = is_past(follow) or follow in PARTICIPLES
    is_active = {*then[:1]} <= DETERMINERS | {"all", "out", "off"} | gerunds().keys() and then[0] != "by"
    if follow in {"been", "come", "fallen", "got", "had"} or (
        is_participle and (is_active or {"ever", "just", "never"} & {*after[: places[0]]})
    ):
        return "has"
    is_before_noun = not {*then[:1]} <= DETERMINERS | PREPOSITIONS | CLAUSE_WORDS | CONJUNCTIONS | STATES | ADVERBS | {
        ""
    }
    is_verb = (
        places[0]
        or (is_participle and (not is_before_noun or then[0].endswith("ly")))  # not "the boy's broken arm"
        or follow in {*STATES, *PREPOSITIONS, "a", "an", "the"}
        or (follow in gerunds() and follow not in GERUND_NOUNS and not is_before_noun)
    )
    return "is" if stem in SHORT_SUBJECTS or is_verb else ""


GERUND_NOUNS = {
    "blessing", "building", "cooking", "drawing", "ending", "fighting", "gambling", "haggling", "healing", "mending",
    "nursing", "offering", "painting", "scheming", "shooting", "singing", "stitching", "teaching", "thinking", "timing",
    "training", "warning", "writing",
}  # fmt: skip
"""Nouns that look like verbs, as in "the stag's blessing"."""

PARTICIPLES = frozenset((
    "been", "begun", "bitten", "blown", "broken", "chosen", "come", "done", "drawn", "driven", "drunk", "eaten",
    "fallen", "flown", "forgotten", "frozen", "given", "gone", "grown", "hidden", "known", "ridden", "risen", "run",
    "seen", "shaken", "spoken", "stolen", "sung", "sunk", "taken", "thrown", "torn", "woken", "worn", "written",
))  # fmt: skip
"""Past participles that differ from the past tense, as in "has broken"."""

STATES = frozenset((
    "afraid", "alive", "alone", "asleep", "awake", "blind", "busy", "dead", "drunk", "empty", "full", "hungry", "ill",
    "late", "not", "open", "out", "quiet", "ready", "safe", "scared", "sick", "so", "sure", "tired", "too", "very",
))  # fmt: skip
"""Words after "is" that say how somebody is."""

SHORT_SUBJECTS = {"he", "here", "how", "it", "she", "that", "there", "what", "where", "who"}


def is_past(word: str) -> bool:
    """Return True for a verb in the past tense."""
    bases = {word[:-1], word[:-2], word[:-3], f"{word[:-3]}y"}
    return word in PAST_FORMS or word.endswith("'d") or (word.endswith("ed") and not bases.isdisjoint(VERBS))


PAST_FORMS = {
    "was", "were", "had", "did", "could", "would", "might", "should", "wasn't", "weren't", "hadn't", "didn't",
    "couldn't", "wouldn't", *IRREGULAR_PASTS.values(),
}  # fmt: skip
"""Verbs in the past tense that do not end with "ed"."""

PAST_OF_SHORT_VERBS = {
    "is": "was", "are": "were", "has": "had", "have": "had", "can": "could", "will": "would", "wants": "wanted",
    "needs": "needed", "says": "said", "does": "did", "want": "wanted", "need": "needed", "say": "said",
    "isn't": "wasn't", "aren't": "weren't", "doesn't": "didn't", "don't": "didn't", "can't": "couldn't",
    "owns": "owned", "won't": "wouldn't", "hasn't": "hadn't", "haven't": "hadn't", "cannot": "could not",
    "may": "might", "mean": "meant", "means": "meant", "know": "knew", "knows": "knew",
}  # fmt: skip
"""Common verbs with their past tense. They have it even after "hoping that", where other verbs follow "would"."""

AFTER_PLURAL = {"have", "know", "mean", "need", "say", "want"}
"""Verbs in `PAST_OF_SHORT_VERBS` that are in the present tense only after a plural: "the guards know"."""

NOT_SUBJECTS = (DETERMINERS - {"everybody", "everyone", "it", "one", "somebody", "someone"}) | PREPOSITIONS
"""Words such as "the" and "with". The word after one of them is not a verb in the present tense."""

OWNER_ENDINGS = ("'s", "\u2019s", "s'", "s\u2019")
"""The ends of an owner's name: the word after it is a noun, as in "the ghoul's claws"."""

BLOWS = {"bites", "blows", "claws", "cuts", "hits", "kicks", "punches", "shots", "stabs", "stings", "strikes"}
"""Words that are nouns even if an adjective follows the owner, as in "the ghoul's long claws"."""

BEFORE_BASE = {
    "can", "can't", "cannot", "could", "couldn't", "did", "didn't", "do", "does", "doesn't", "don't", "help", "let",
    "lets", "make", "may", "might", "must", "not", "should", "to", "will", "won't", "would", "wouldn't",
}  # fmt: skip
"""Words before a verb that keeps its form: "she can climb"."""

VERBS_AFTER_NOUNS = {
    "copy", "cough", "creak", "dance", "drift", "echo", "end", "fall", "fear", "flood", "groan", "grunt", "halt",
    "hiss", "lean", "limp", "love", "moan", "peer", "play", "rest", "return", "ring", "rise", "shake", "shiver", "show",
    "shriek", "sleep", "spread", "stagger", "swarm", "toll", "turn", "wail", "wave", "whine", "work", "yawn", "yield",
}  # fmt: skip
"""Words that can be nouns, but are verbs after another noun: "when the rock falls"."""

PLURAL_PATTERN = re.compile(r"they|we|you|children|people|police|[a-z]*folk|[a-z]*men|[a-z]{2,}[^\Wius]s")
"""A pattern for "they" and for plural nouns. It fits verbs, too."""


def verb_in_past(word: str, *, is_plural: bool = False, with_would: bool = False) -> str:
    """Return the past tense of a verb in the present tense, and other words unchanged.

    With `is_plural`, the verb has the form that follows "they". With `with_would`, return "would sleep" instead.
    """
    if word in PAST_OF_SHORT_VERBS:
        is_negative = with_would and word in {"doesn't", "don't"}
        return "wouldn't" if is_negative else PAST_OF_SHORT_VERBS[word]
    base = word if is_plural and word in VERBS else infinitives_by_third_person().get(word, "")
    if not base or base in NOUNS - VERBS_AFTER_NOUNS:
        return word
    return f"would {base}" if with_would else past(base)


def in_past(words: Sequence[str], *, starts_with_verb: bool = False, with_would: bool = False) -> tuple[list[str], str]:
    """Return the words of a clause with its verbs in the past tense, and its first verb; "" without a verb.

    With `starts_with_verb`, the clause has no subject of its own, as after "who".

    >>> in_past(["the", "guards", "sleep", "in", "the", "watch", "rooms"])
    (['the', 'guards', 'slept', 'in', 'the', 'watch', 'rooms'], 'sleep')
    """
    told, verb = [*words], ""
    for place, word in enumerate(words):
        lower, before = word.lower(), words[place - 1].lower() if place else ""
        is_base = before in BEFORE_BASE and words[max(place - 2, 0)].lower() not in ARTICLES  # "the will is forged"
        has_object = {each.lower() for each in words[place + 1 : place + 2]} & DETERMINERS
        is_plural = PLURAL_PATTERN.fullmatch(before) is not None or (starts_with_verb and not place)
        has_subject = before not in NOT_SUBJECTS and not is_owned(words, place) if place else starts_with_verb
        if is_base or not has_subject or (lower in AFTER_PLURAL and not is_plural):
            continue
        if lower in PAST_OF_SHORT_VERBS or (not is_past(lower) and (not verb or before in PRONOUNS)):
            is_other = lower in ADVERBS | PREPOSITIONS | DETERMINERS
            base = unlisted_verb(lower) if (before in PRONOUNS or has_object) and not is_other else ""
            if starts_with_verb and not place:
                base = infinitives_by_third_person().get(lower, "")  # "that smells of fish"
            shifted = verb_in_past(lower, is_plural=is_plural, with_would=with_would)
            shifted = (f"would {base}" if with_would else past(base)) if base and shifted == lower else shifted
            told[place] = word if shifted == lower else shifted
        verb = verb or (word if told[place] != word or is_past(lower) else "")
    return told, verb


def is_owned(words: Sequence[str], place: int) -> bool:
    """Return True if an owner's name shows that a word is a noun: "claws" in "the ghoul's claws"."""
    owners = words[place - 2 : place] if words[place] in BLOWS and place > 1 else words[place - 1 : place]
    return any(word.endswith(OWNER_ENDINGS) for word in owners)


def with_later_parts(
    parts: Sequence[Part], forms: Mapping[str, str] | None = None, did: str = "", *, is_plural: bool = False
) -> str | None:
    """Return all parts of a typed text after the first, in the past tense; `None` if their grammar is not certain.

    For an attempt, `did` is the base form of its first verb, and `forms` maps verbs in the attempt's form to their base
    forms. A verb after "and" that is in `forms` is also attempted, and gets its base form. Without `forms`, the first
    part is a clause that is already in the past tense. `is_plural` is True if the clause has a plural subject.
    """
    text, is_main = "", forms is not None
    for number, (joint, words) in enumerate(parts, 1):
        kind, place = joint.strip(", "), _adverbs_before(words)
        nouns = NOUNS - VERBS_AFTER_NOUNS if forms is None else NOUNS
        verb = _certain_verb(words[place:], infinitives_by_third_person() if forms is None else forms, nouns)
        other = _certain_verb(words[place:], infinitives() if is_plural else infinitives_by_third_person(), nouns)
        is_joined = kind in {"", *CONJUNCTIONS}
        verb = verb or (other if is_main and forms is not None else "")
        is_main |= is_joined and verb != "" and not other
        if not words:
            told = words
        elif is_joined and forms is not None and verb and not is_main:
            return None  # "until the guard sleeps and steals": it is not certain who does this
        elif is_joined and verb and (is_main or forms is None):
            did, joint = verb, " and" if kind == "" and number == len(parts) else joint  # noqa: PLW2901  "hides, waits"
            is_saying = forms is not None and verb in SAYING_VERBS  # "and say it is hers"
            objects = in_past(words[place + 1 :])[0] if is_saying else words[place + 1 :]
            told = [*words[:place], past(verb) if forms is None else verb, *objects]
        elif is_joined and other:
            told = [
                *words[:place],
                past(words[place]) if is_plural else verb_in_past(words[place]),
                *words[place + 1 :],
            ]
        else:
            did = gerunds().get(words[0].lower(), did)
            is_said = did in SAYING_VERBS and kind in {"", "that"}
            is_wanted = did in MAKING_VERBS and kind in {"that", "which"}  # "build a raft that floats"
            with_would = is_said or is_wanted or kind.startswith("so")
            starts_with_verb = words[0] in PAST_OF_SHORT_VERBS if is_said or kind not in RELATIVES else True
            told, found = in_past(words, starts_with_verb=starts_with_verb, with_would=with_would)
            is_spliced = found and kind == "" and not (is_said and words[0].lower() in gerunds())
            is_list = (
                place
                or {*words} <= FINAL_WORDS
                or words[0].lower() in PREPOSITIONS | DETERMINERS | gerunds().keys()
                or words[0] != words[0].lower()
            )
            needs_verb = (
                words[0].lower() in PRONOUNS - {"it"}
                or (kind == "" and not is_list)
                or (kind in {"because", "while"} and (words[0].lower() in ARTICLES or words[0] != words[0].lower()))
            )
            if is_spliced or (needs_verb and not found):
                return None
            joint = " while" if is_main and found and kind == "and" else joint  # noqa: PLW2901  "and the others run"
            is_main, is_plural = is_main and not found, (found.lower() in VERBS) if found else is_plural
        text += " ".join([joint, *told])
    return text


MAKING_VERBS = {
    "bake", "brew", "build", "compose", "craft", "draft", "draw", "forge", "give", "invent", "make", "paint", "set",
    "sing", "tell", "think", "write",
}  # fmt: skip
"""Verbs for acts after which there is something new. If the act fails, there is no "raft that floated"."""

FINAL_WORDS = {"alone", "cash", "please", "somehow", "together", "too", "twice"}
"""Words that may follow a comma at the end of a deed, as in "sell it for ten coins, cash"."""


def _adverbs_before(words: Sequence[str]) -> int:
    """Return the number of adverbs at the start of a part, such as one for "quietly opens the gate"."""
    return len([*takewhile(lambda word: word.endswith("ly") or word in ADVERBS, words)])


def _certain_verb(words: Sequence[str], forms: Mapping[str, str], nouns: Collection[str]) -> str:
    """Return the base form of the first word of a part: "climb" for "climbs". Return "" if it is not certainly a verb.

    `forms` maps verbs to their base forms. `nouns` has the base forms that are more often nouns.
    """
    first, after = [*words, "", ""][:2]
    verb = forms.get(first) or (
        unlisted_verb(first) if after in DETERMINERS and first not in PREPOSITIONS and "climbs" in forms else ""
    )
    is_verb = verb not in nouns or after in DETERMINERS | PREPOSITIONS or after != after.lower()
    return verb if is_verb else ""


def clause_in_reason(why: str) -> str:
    """Return a reason that is a clause as the end of a sentence in the past tense; "" for other reasons.

    >>> clause_in_reason("He's asleep."), clause_in_reason("so that he keeps quiet")
    ('because he was asleep', 'so that he would keep quiet')
    """
    text = with_full_verbs(why.strip().rstrip(".!"))
    joint = "so that" if text.lower().startswith("so ") else "because"
    text = re.sub("^(because|so that|so) ", "", text, flags=re.IGNORECASE)
    (_, words), *later = parts_of(text)
    spoken = {*re.findall("[a-z]+", text.lower())} & FIRST_AND_SECOND_PERSON
    if not re.fullmatch(r"[\w ,'-]*\w", text) or len(text.split()) > LONGEST_CLAUSE or spoken or not words:
        return ""
    place = _verb_place(words)
    rest = None if place is None else with_later_parts(later, is_plural=words[place] in VERBS)
    if place is None or rest is None:
        return ""
    is_name = words[0].removesuffix("'d") not in {words[0].lower(), *map(capitalized, {*ARTICLES, *PRONOUNS})}
    first = words[0] if is_name else words[0].lower()
    told, _ = in_past(words[place:], starts_with_verb=True, with_would=joint == "so that")
    return f"{joint} {' '.join([first, *words[1:place], *(told if place else words[1:])])}{rest}"


def _verb_place(words: Sequence[str]) -> int | None:
    """Return the index of the verb in a clause such as "she lost a bet"; `None` if this is not certainly a clause."""
    lower = [word.lower() for word in words]
    subject = lower[0].removesuffix("'d")
    if subject != lower[0]:
        return 0 if subject in PRONOUNS else None
    is_noun = subject in ARTICLES
    is_name = words[0] != subject and subject not in {*THING_NOUNS, *NOUNS, *CHARACTER_KINDS, *VERBS, *PREPOSITIONS}
    if not (is_noun or is_name or subject in PRONOUNS):
        return None
    for place in range(2 if is_noun else 1, len(words)):
        word, before = lower[place], lower[place - 1]
        if is_owned(lower, place) or (
            is_noun and (word in NOUNS_LIKE_PASTS or word in VERBS & {*IRREGULAR_PASTS.values()})  # "the long cut"
        ):
            continue
        is_plural = PLURAL_PATTERN.fullmatch(before) is not None
        if word == "mean" and not is_plural:  # "the old mean dog"
            continue
        if is_past(word) or verb_in_past(word, is_plural=is_plural) != word:
            is_certain = before not in NOT_SUBJECTS or before in PRONOUNS
            return place if is_certain and lower[place + 1 : place + 2] != ["by"] else None
        if word in CLAUSE_WORDS or not (is_noun or word in ADVERBS):
            return None
    return None
