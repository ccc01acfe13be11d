"""Reasons: typed texts ("sword", "lost a bet") as the end of a sentence: "to a sword", "after losing a bet"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile

from projections.attempts import (
    CLAUSE_WORDS,
    DETERMINERS,
    FIRST_PERSON,
    MOTION,
    NOUNS,
    PREPOSITIONS,
    THINGS,
    VERBS,
    infinitives_by_third_person,
)
from projections.prose import PLURAL_NOUN, capitalized, with_numbered_names
from projections.prose_names import CHARACTER_KINDS

ARTICLES = frozenset((
    "a", "an", "the", "his", "her", "its", "their", "my", "our", "your", "one", "two", "three", "some", "another",
))  # fmt: skip

SUBSTANCES = frozenset((
    "acid", "bleeding", "cold", "debris", "drowning", "dust", "electricity", "exhaustion", "fatigue", "fever", "fire",
    "frost", "gas", "glass", "hail", "heat", "hunger", "ice", "lava", "lightning", "magic", "mud", "oil",
    "poison", "rain", "rubble", "sand", "shrapnel", "smoke", "snow", "starvation", "steam", "tar", "thirst", "venom",
    "water", "wind",
))  # fmt: skip
"""Causes that need no article, as in "lost two hit points to smoke"."""

EVENT_NOUNS = frozenset(("bet", "bite", "blow", "cut", "fall", "fight", "hit", "kick"))
"""Nouns for events, which people type without an article, as in "fall into the sand"."""

IRREGULAR_GERUNDS = {
    "ate": "eating", "bit": "biting", "bled": "bleeding", "bought": "buying", "broke": "breaking", "came": "coming",
    "caught": "catching", "drank": "drinking", "drove": "driving", "fell": "falling", "fought": "fighting",
    "found": "finding", "gave": "giving", "got": "getting", "held": "holding", "hit": "hitting", "left": "leaving",
    "lost": "losing", "made": "making", "met": "meeting", "paid": "paying", "ran": "running", "rode": "riding",
    "said": "saying", "sang": "singing", "slept": "sleeping", "sold": "selling", "spent": "spending",
    "stole": "stealing", "struck": "striking", "swam": "swimming", "threw": "throwing", "took": "taking",
    "went": "going", "won": "winning",
}  # fmt: skip
"""The most common verbs in the past tense that do not end with "ed", with their forms that follow "after"."""

BECAUSE = "because of"

HARM = {"lost": "to", "suffered": "from", "took": "from"}
"""The words between a harm and its reason: "lost two hit points to a stone", "suffered a minor injury from a knife"."""

JOINTS = {
    **HARM, "became": "from", "challenged": "over", "gained": "from", "gave": "for", "paid": "for", "received": "for",
    "recovered": "thanks to", "spent": "on", "used": "for", "was": "by",
}  # fmt: skip
"""The words between an act and its reason, by the verb: "gained 20 gold from the chest", "gave Mara two gold for …"."""

EARNED = re.compile(r"gained [\w ]*(?<!hit )(points?|PK|PS)\b")
"""A pattern for rewards such as experience points: they are gained for something."""

MONEY = re.compile(
    r"lost (?=[\w-]+ (?:coins?|copper|credits?|crowns?|dollars?|euros?|gold|money|pounds?|silver)(?: pieces?)?$)"
)
"""A pattern for "lost" before money. If the reason is a thing such as a ladder, "paid" replaces the verb."""

POINTS = re.compile(r"lost (?=[\w-]+ (?:PK|PS|(?:core )?points?(?: of edge)?)$)")
"""A pattern for "lost" before points that people spend. If the reason is a thing, "spent" replaces the verb."""

PAYMENTS = frozenset((
    "advance", "bail", "bonus", "bounty", "bribe", "deposit", "donation", "fee", "fine", "gift", "loan", "loot",
    "offering", "pay", "payment", "prize", "ransom", "reward", "tax", "thanks", "tip", "toll", "tribute", "wage",
    "wages",
))  # fmt: skip
"""Words that follow "as" in the reason for a payment: "paid five gold as a bribe"."""

LONGEST_REASON = 8
"""The maximum number of words of a reason that becomes a part of a sentence."""


def is_harm(did: str) -> bool:
    """Return True for a single loss or injury, such as "lost two hit points"."""
    return did.partition(" ")[0] in HARM and " and " not in did


def joint_after(did: str) -> str:
    """Return the words that join a reason to an act, such as "to" after "lost two hit points"."""
    if EARNED.match(did) and not re.search(" and (lost|took|used) ", did):
        return "for"
    if re.fullmatch(r"was \w+ing", did):
        return "from"
    return BECAUSE if " and " in did else JOINTS.get(did.partition(" ")[0], BECAUSE)


def with_reason(did: str, why: str) -> str | None:
    """Return an act with its reason; `None` if the reason must be quoted.

    >>> with_reason("lost five gold", "ladder"), with_reason("lost five gold", "thief")
    ('paid five gold for a ladder', 'lost five gold to a thief')
    >>> with_reason("gave Rolf two gold", "lost a bet")
    'gave Rolf two gold after losing a bet'
    >>> with_reason("lost three gold", "bribed the cabin boy")
    'paid three gold to bribe the cabin boy'
    """
    taken = re.fullmatch(r"(?:stolen|taken) (by [\w '\u2019-]+)", why.strip(" ."), re.IGNORECASE)
    ending = reason_as_ending(taken[1] if taken else why, joint_after(did))
    if ending is not None and taken and is_harm(did):
        return f"{did}{ending.replace(' by ', ' to ', 1)}"
    if ending is None or taken:
        acted = None if did.startswith("lost the ") else after_doing(why)
        _, doing, *rest = [*(acted or "").split(), "", ""]
        if MONEY.match(did) and doing in PAID_FOR:
            return " ".join([MONEY.sub("paid ", did), "to", PAID_FOR[doing], *rest]).strip()
        return acted and f"{did} {acted}"
    is_taken = _head(ending) in TAKERS
    if MONEY.match(did) and ending.startswith(" to ") and not is_taken:
        return f"{MONEY.sub('paid ', did)}{_as_payment(ending.replace(' to ', ' for ', 1))}"
    if POINTS.match(did) and ending.startswith(" to ") and not is_taken:
        return f"{POINTS.sub('spent ', did)}{ending.replace(' to ', ' on ', 1)}"
    return f"{did}{_as_payment(ending)}"


def _head(ending: str) -> str:
    """Return the noun that an ending is about: "bargain" for " to a bargain with the ferryman"."""
    return (
        [words[0], *takewhile(lambda word: word not in PREPOSITIONS, words[1:])][-1]
        if (words := ending.split())
        else ""
    )


def _as_payment(ending: str) -> str:
    """Return "as a reward for the mill" for "for a reward for the mill". Other endings stay unchanged."""
    return re.sub("^ (for|from|to) ", " as ", ending) if _head(ending) in PAYMENTS else ending


def after_doing(why: str) -> str | None:
    """Return a reason that says what somebody did or suffered, as in "after losing a bet"; `None` for other reasons.

    >>> after_doing("fell off the roof"), after_doing("bitten by a rat"), after_doing("stops the cart")
    ('after falling off the roof', 'after being bitten by a rat', 'after stopping the cart')
    """
    first, *rest = with_numbered_names(why).strip().rstrip(".!").split() or [""]
    verb, following = first.lower(), {*map(str.lower, rest)}
    is_plain = re.fullmatch(r"[\w '\u2019-]+", why.strip().rstrip(".!")) and len(rest) < LONGEST_REASON
    if not is_plain or following & {*CLAUSE_WORDS, *FIRST_PERSON, "and", "or", "then"}:
        return None
    is_place = rest[:1] and rest[0].lower() in PREPOSITIONS
    if verb not in OF_THINGS and (rest[:1] == ["by"] or (verb in SUFFERED and (is_place or not rest))):
        return f"after being {' '.join([verb, *rest])}"
    doing = (IRREGULAR_GERUNDS.get(verb) or _gerund(verb)) if rest else ""
    is_certain = doing and (not is_place or doing in INTRANSITIVE)  # "found under a seat" is not "finding"
    return f"after {' '.join([doing, *rest])}" if is_certain else None


OF_THINGS = frozenset(
    ("bought", "brought", "earned", "found", "given", "left", "made", "paid", "sold", "stolen", "taken")
)
"""Words for what happened to a thing, and not to a character, as in "stolen by the thief"."""

INTRANSITIVE = frozenset((
    "climbing", "coming", "crashing", "crawling", "dancing", "diving", "driving", "escaping", "falling", "fighting",
    "gambling", "going", "helping", "jumping", "landing", "leaping", "listening", "looking", "losing", "lying",
    "playing", "returning", "riding", "rolling", "running", "singing", "sleeping", "slipping", "sneaking", "stepping",
    "stumbling", "swimming", "talking", "tripping", "tumbling", "waiting", "walking", "winning", "working",
))  # fmt: skip
"""Verbs that need no object: a place may follow them."""


def gerund(base: str) -> str:
    """Return the form of a verb that ends with "ing".

    >>> gerund("stop"), gerund("take"), gerund("lie"), gerund("see")
    ('stopping', 'taking', 'lying', 'seeing')
    """
    if base.endswith("ie"):
        return f"{base[:-2]}ying"
    if re.fullmatch("[^aeiou]*[aeiou][^aeiouwxy]", base):
        return f"{base}{base[-1]}ing"
    return f"{base.removesuffix('e') if re.search('[^eoy]e$', base) else base}ing"


PAID_FOR = {
    gerund(verb): verb
    for verb in ("bribe", "buy", "charter", "feed", "hire", "mend", "ransom", "rent", "repair", "replace", "tip")
}
"""The verbs for what people pay for, by their forms with "ing"."""


def as_gerund(tried: str) -> str:
    """Return an attempt as an act that happens beside another act: "hiding" for "tried to hide"; "" for two verbs."""
    verb, *rest = tried.removeprefix("tried to ").split() or [""]
    if not verb or {"and", "or"} & {*rest}:
        return ""
    doing = {"tried": "trying", "pretended": "pretending"}.get(verb) or gerund(verb)
    return " ".join([doing, *rest])


def _gerund(verb: str) -> str:
    """Return "selling" for "sells", and "stopping" for "stopped"; "" for words that may not be verbs."""
    if base := infinitives_by_third_person().get(verb):
        doing = gerund(base)
        return doing if base not in {*NOUNS, "know", "think", "want"} or doing in INTRANSITIVE else ""
    bases = {verb[:-1], verb[:-2], verb[:-3], f"{verb[:-3]}y"}
    if not verb.endswith("ed") or bases.isdisjoint(VERBS):
        return ""
    return f"{verb[:-3]}ying" if verb.endswith("ied") else f"{verb[:-1] if verb.endswith('eed') else verb[:-2]}ing"


def reason_as_ending(why: str, joint: str = BECAUSE) -> str | None:
    """Return a reason as the end of a sentence: "" for a text without words; `None` if it must be quoted.

    `joint` comes before a reason that is a thing, such as "to" in "lost two hit points to a stone".

    >>> reason_as_ending("fall into the sand")
    ' because of a fall into the sand'
    >>> reason_as_ending("The rope broke")
    """
    words = with_numbered_names(why).strip().rstrip(".!").split()
    lower = [word.lower() for word in words]
    if not re.search(r"[^\W\d]{2}", why):
        return ""
    if len(words) > LONGEST_REASON or not re.fullmatch(r"[\w '\u2019-]+", " ".join(words)) or has_verb(lower):
        return None
    if lower[0] in ARTICLES and words[1:]:
        return f" {joint} {' '.join([lower[0], *words[1:]])}"
    if thing := named_thing(words):
        return f" {joint} {thing}"
    has_owner = [word.endswith(("'s", "\u2019s")) for word in words[:3]]
    if has_owner[0] or (any(has_owner) and words[0] != lower[0]):  # a capital letter starts a name
        return f" {joint} {capitalized(' '.join(words))}"
    return f" {' '.join([lower[0], *words[1:]])}" if lower[0] in PREPOSITIONS - {"back"} else None


def named_thing(words: Sequence[str]) -> str:
    """Return a thing with its article: "an old sword" for "old sword", and "smoke" for "smoke".

    Return "" if the words may name anything else.
    """
    lower = [word.lower() for word in words] or [""]
    starts_with_event = lower[0] in EVENT_NOUNS | THINGS and {*lower[1:2]} <= PREPOSITIONS
    is_plain = lower[0] not in {*ARTICLES, *DETERMINERS, *PREPOSITIONS, *CLAUSE_WORDS, *VERBS, *IRREGULAR_GERUNDS}
    is_verb = lower[0] in infinitives_by_third_person() or re.search(r"['\u2019]", lower[0])
    is_short = len(words) == 1 or (len(words) == 2 and is_plain and not is_verb)  # noqa: PLR2004  "old sword"
    thing = " ".join([lower[0], *words[1:]])
    if lower[0] in SUBSTANCES | GOODS and {*lower[1:2]} <= PREPOSITIONS:
        return thing
    if (is_short and lower[-1] in SUBSTANCES | GOODS) or (lower[1:] == ["luck"] and is_plain):
        return thing
    is_plural = PLURAL_NOUN.fullmatch(lower[-1]) and is_plain
    if is_plural and (len(words) == 1 or (is_short and not is_verb and lower[-1] not in infinitives_by_third_person())):
        return thing
    if starts_with_event or (is_short and lower[-1] in CHARACTER_KINDS | EVENT_NOUNS | PAYMENTS | THINGS):
        article = "the" if lower[0] in ORDINALS else "an" if SILENT_START.match(lower[0]) else "a"
        return f"{article} {thing}"
    return ""


TAKERS = {
    *CHARACTER_KINDS,
    *SUBSTANCES,
    *EVENT_NOUNS,
    "explosion",
    "flood",
    "luck",
    "river",
    "sea",
    "storm",
    "theft",
    "trap",
}
"""Words for somebody or something that takes money away, as in "lost five gold to a thief"."""

GOODS = frozenset((
    "ale", "ammo", "armor", "bail", "beer", "bread", "coffee", "food", "fuel", "help", "lodging", "loot", "medicine",
    "pay", "salt", "salvage", "surgery", "tea", "thanks", "training", "whiskey", "wine", "work",
))  # fmt: skip
"""Things that people get or give without an article, as in "paid two gold for wine"."""

ORDINALS = frozenset(("first", "last", "next", "other", "right", "same", "second", "third", "whole", "wrong"))
"""Words after which only one thing is meant: "the wrong key"."""

SILENT_START = re.compile("[aeiou](?!ni)|heir|honest|honor|hour")
"""A pattern for words that "an" comes before."""


SUFFERED = frozenset((
    "arrested", "banished", "beaten", "beheaded", "bitten", "blown", "buried", "burned", "burnt", "captured", "caught",
    "chased", "crushed", "cut", "defeated", "destroyed", "devoured", "dismissed", "dragged", "driven", "eaten",
    "executed", "freed", "frozen", "hanged", "imprisoned", "kicked", "killed", "knocked", "locked", "murdered",
    "poisoned", "pushed", "rescued", "sent", "shot", "slain", "stabbed", "switched", "taken", "thrown", "trapped",
    "turned",
))  # fmt: skip
"""Words for what others did to a character who left, as in "killed"."""

TIRED = frozenset(("afraid", "angry", "bored", "drunk", "exhausted", "hurt", "ill", "sick", "tired", "wounded"))
"""Words for the state of a character who left."""

LEAVING_VERBS = frozenset((
    "collapsed", "deserted", "died", "disappeared", "drowned", "escaped", "fell", "fled", "flew", "left", "ran",
    "retreated", "returned", "rode", "stayed", "surrendered", "swam", "vanished", "went",
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
    if not rest and first in TIRED:
        return f"was {first} and left"
    is_moved = first.endswith("ed") and {*rest[:1]} & MOTION  # "jumped into the sea"
    acted = {**dict.fromkeys(SUFFERED, f"was {first}"), **dict.fromkeys(LEAVING_VERBS, first), **STATES}
    happened = acted.get(first, first if is_moved else "")
    return " ".join([happened, *rest]) if happened else ""


STATES = {"asleep": "fell asleep", "dead": "died", "unconscious": "fell unconscious"}
"""The states in which a character left, with the words that tell how the state began."""


def has_verb(words: list[str]) -> bool:
    """Return True if a word after the first noun may be a verb ("the rope breaks"), and for "cut by a knife".

    `words` are in small letters.
    """
    if words[0] in {"cut", "hit", "shot"} and words[1:2] == ["by"]:
        return True
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
    is_verb |= any(PLURAL_NOUN.fullmatch(before) and word in VERBS - NOUNS for before, word in pairwise(words[1:]))
    return is_verb or not later.isdisjoint(IRREGULAR_GERUNDS.keys() | CLAUSE_WORDS)
