"""Reasons: typed texts ("sword", "lost a bet") as the end of a sentence: "to a sword", "after losing a bet"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise, takewhile

from projections.attempts import attempt
from projections.past_clauses import (
    ARTICLES,
    FIRST_AND_SECOND_PERSON,
    NOUNS_LIKE_PASTS,
    OWNER_ENDINGS,
    Part,
    clause_in_reason,
    in_past,
    is_owned,
    is_past,
    parts_of,
    with_full_verbs,
    with_later_parts,
)
from projections.prose import PLURAL_NOUN_PATTERN, capitalized, with_numbered_names
from projections.prose_names import CHARACTER_KINDS
from projections.verbs import (
    IRREGULAR_PASTS,
    NOUNS,
    VERBS,
    gerund,
    gerunds,
    infinitives_by_third_person,
    past,
    third_person,
)
from projections.word_lists import (
    BOUGHT_GOODS,
    CLAUSE_WORDS,
    CONJUNCTIONS,
    DETERMINERS,
    FIRST_PERSON,
    LEAVING_VERBS,
    MOTION_PREPOSITIONS,
    PAYMENTS,
    PREPOSITIONS,
    THING_NOUNS,
)

SUBSTANCES = frozenset((
    "acid", "ash", "bleach", "bleeding", "blood", "buckshot", "cold", "debris", "drowning", "dust", "electricity",
    "exhaustion", "fatigue", "fear", "fever", "fire", "flour", "frost", "frostbite", "gas", "glass", "gunfire",
    "hail", "heat", "hunger", "hypothermia", "ice", "ink", "lava", "lightning", "lye", "magic", "mud", "oil",
    "pepper", "poison", "quicklime", "rain", "resin", "rubble", "salt", "sand", "sawdust", "shock", "shrapnel",
    "smoke", "snow", "soot", "starvation", "steam", "stress", "sunstroke", "tar", "thirst", "venom", "water",
    "wind",
))  # fmt: skip
"""Causes that need no article, as in "lost two hit points to smoke"."""

EVENT_NOUNS = frozenset(
    ("bet", "bite", "blast", "blow", "burst", "crash", "cut", "fall", "fight", "hit", "kick", "leak")
)
"""Nouns for events, which people type without an article, as in "fall into the sand"."""

BECAUSE = "because of"

HARM_JOINTS = {"lost": "to", "suffered": "from", "took": "from"}
"""The words between a harm and its reason: "lost two hit points to a stone", "suffered a minor injury from a knife"."""

JOINTS = {
    **HARM_JOINTS, "became": "from", "challenged": "over", "earned": "for", "gained": "from", "gave": "for",
    "paid": "for", "received": "for", "recovered": "thanks to", "spent": "on", "used": "for", "was": "by",
}  # fmt: skip
"""The words between an act and its reason, by the verb: "gained 20 gold from the chest", "gave Mara two gold for …"."""

AGAIN_PATTERN = re.compile(rf"(?:it|them)? ?(?P<where>(?:(?:{'|'.join(sorted(PREPOSITIONS))}) .*)?) *")
"""A pattern for the words after a verb that only says an act again: "it in the river"."""

GAINED_REWARD_PATTERN = re.compile(r"gained [\w ]*(?<!hit )(points?)\b")
"""A pattern for rewards such as experience points: they are gained for something."""

LOST_MONEY_PATTERN = re.compile(
    r"lost (?=[\w-]+ (?:cash|coins?|copper|credits?|crowns?|dollars?|ducats?|euros?|florins?|gold|guilders?|money|"
    r"pounds?|shillings?|silver)(?: pieces?)?$)"
)
"""A pattern for "lost" before money. If the reason is a thing such as a ladder, "paid" replaces the verb."""

LOST_THING_PATTERN = re.compile(r"(?:lost|used) [\w-]+ (?!more |hit |health|energy|life|\w+ points?|points?)")
"""A pattern for the loss of a thing: its reason may tell what happened to the thing, and not to the character."""

LOST_POINTS_PATTERN = re.compile(r"lost (?=[\w-]+ (?:core |karma |spiritual )?points?(?: of edge)?$)")
"""A pattern for "lost" before points that people spend. If the reason is a thing, "spent" replaces the verb."""

LONGEST_REASON = 12
"""The maximum number of words of a reason that becomes a part of a sentence."""


def is_harm(did: str) -> bool:
    """Return True for a single loss or injury, such as "lost two hit points"."""
    return did.partition(" ")[0] in HARM_JOINTS and " and " not in did


def joint_after(did: str) -> str:
    """Return the words that join a reason to an act, such as "to" after "lost two hit points"."""
    if GAINED_REWARD_PATTERN.match(did) and not re.search(" and (lost|took|used) ", did):
        return "for"
    if "no longer " in did:
        return "thanks to"
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
    >>> with_reason("gave Rolf two gold", "he knew the way")
    'gave Rolf two gold, because he knew the way'
    >>> with_reason("stopped Rolf", "a shot"), with_reason("stopped Rolf", "the fog")
    ('stopped Rolf with a shot', 'stopped Rolf because of the fog')
    """
    why = "stolen by a thief" if why.strip(" .!").lower() == "stolen" else why
    taken = re.fullmatch(r"(?:stolen|taken) (by [\w '\u2019-]+)", why.strip(" ."), re.IGNORECASE)
    ending = reason_as_ending(taken[1] if taken else why, joint_after(did))
    if ending is not None and taken and is_harm(did):
        return f"{did}{ending.replace(' by ', ' to ', 1)}"
    if ending is None or taken:
        text = why.strip(" .!")
        first, *rest = text.lower().split() or [""]
        is_fate = taken is None and first in THING_PARTICIPLES and {*rest[:1]} & PREPOSITIONS and _is_plain(rest)
        found = f"{did}, {text[:1].lower()}{text[1:]}" if is_fate else None  # "left on the floor"
        return _with_act(did, why) or _with_clause(did, clause_in_reason(why)) or found
    is_taken = _head(ending) in TAKER_NOUNS
    if why.lower().startswith("to ") and (LOST_MONEY_PATTERN.match(did) or LOST_POINTS_PATTERN.match(did)):
        return f"{'paid' if LOST_MONEY_PATTERN.match(did) else 'spent'}{did.removeprefix('lost')}{ending}"
    if LOST_MONEY_PATTERN.match(did) and ending.startswith(" to ") and not is_taken:
        return f"{LOST_MONEY_PATTERN.sub('paid ', did)}{_as_payment(ending.replace(' to ', ' for ', 1))}"
    if LOST_POINTS_PATTERN.match(did) and ending.startswith(" to ") and not is_taken:
        return f"{LOST_POINTS_PATTERN.sub('spent ', did)}{ending.replace(' to ', ' on ', 1)}"
    if did.startswith("stopped "):
        ending = re.sub(f"^ {BECAUSE} (an? )", r" with \1", ending)
    return f"{did}{_as_payment(ending)}"


def _with_clause(did: str, clause: str) -> str | None:
    """Return an act with a clause that explains it; `None` if the text `clause` is not a clause."""
    joint, told = (": ", clause.removeprefix("because ")) if did.startswith("stopped ") else (", ", clause)
    return f"{did}{joint}{told}" if clause else None


def _with_act(did: str, why: str) -> str | None:
    """Return an act with a reason that is another act: "gained five silver by selling the boat".

    Return `None` for other reasons.
    """
    acted = None if did.startswith("lost the ") else after_doing(why)
    verb, *of = [*why.strip().rstrip(".!").split(), ""]
    if FOUND_PATTERN.fullmatch(why) and did.startswith("gained "):
        return f"{did.replace('gained', 'found', 1)} {' '.join(of)}".strip()
    if did.startswith("lost ") and verb.lower() in gerunds() and of == [""]:
        return f"{did} {verb.lower()}"
    if LOST_MONEY_PATTERN.match(did) and [verb.lower(), *of[:1]] == ["paid", "for"] and _is_plain(of):
        return " ".join([LOST_MONEY_PATTERN.sub("paid ", did), *of]).strip()
    if LOST_POINTS_PATTERN.match(did) and (base := SPENDING_VERBS.get(verb.lower())) and _is_plain(of):
        return " ".join([LOST_POINTS_PATTERN.sub("spent ", did), "to", base, *of]).strip()
    _, doing, *rest = [*(acted or "").split(), "", ""]
    if doing == "being" and "by" not in rest and LOST_THING_PATTERN.match(did):
        acted = None  # "lost two candles: “burned down”"
    if LOST_MONEY_PATTERN.match(did) and doing in PAYING_VERBS:
        did, joint = f"{LOST_MONEY_PATTERN.sub('paid ', did)} to", PAYING_VERBS[doing]
    elif LOST_MONEY_PATTERN.match(did) and doing == "paying":
        is_for_thing = rest[-3] in PAYMENTS | {"bill", "debt", "price", "rent"}
        did, joint = LOST_MONEY_PATTERN.sub("paid ", did), "for" if is_for_thing else "to"
    elif (did.partition(" ")[0], doing) in SAME_ACTS and (where := AGAIN_PATTERN.fullmatch(" ".join(rest))):
        did, joint, rest = did.replace("lost", "gave", doing == "giving"), "", [where["where"].strip()]
    elif doing in {"", "being", *ACCIDENT_GERUNDS} or not (how := REWARD_PATTERN.match(did)):
        return acted and f"{did} {acted.removeprefix('after ') if doing == verb.lower() else acted}"
    else:
        joint = f"{'by' if how['by'] and not GAINED_REWARD_PATTERN.match(did) else 'for'} {doing}"
    return " ".join(filter(None, [did, joint, *rest]))


SAME_ACTS = {("lost", "giving"), ("lost", "losing"), ("used", "using")}
"""An act and the verb of its reason, if the reason tells the act again, as in "lost it in the river"."""

FOUND_PATTERN = re.compile(
    r"[Ff]ound (at|behind|beside|beneath|in|inside|near|on|under) (the|a|an|his|her|their) \w+\.?"
)
"""A pattern for a reason such as "found under the bed"."""

REWARD_PATTERN = re.compile("(?P<by>gained|invested)|earned |gave ")
"""A pattern for an act before "by" or "for" and another act: "gained five silver by selling the boat"."""

ACCIDENT_GERUNDS = {"crashing", "falling", "losing", "slipping", "stumbling", "tripping", "tumbling"}
"""The acts that nobody does on purpose."""


def _head(ending: str) -> str:
    """Return the main noun of an ending: "bargain" for " to a bargain with the ferryman"."""
    return (
        [words[0], *takewhile(lambda word: word not in {*PREPOSITIONS, "of"}, words[1:])][-1]
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
    (_, words), *later = parts_of(with_numbered_names(why).strip().rstrip(".!"))
    first, *rest = words or [""]
    verb = first.lower()
    is_place = rest[:1] and (rest[0].lower() in PREPOSITIONS or rest[0].lower() in gerunds())  # "left burning"
    is_suffered = verb not in THING_PARTICIPLES and (
        rest[:1] == ["by"] or (verb in SUFFERED_PARTICIPLES and (is_place or not rest))
    )
    after = with_later_parts(later if is_suffered else [_with_gerund(part) for part in later])
    is_spoken = {*why.lower().split()} & FIRST_PERSON
    if not first or after is None or is_spoken or not _is_plain([first, *rest]):
        return None
    if is_suffered:
        return f"after being {' '.join([verb, *rest])}{after}"
    has_object = rest[:1] and (rest[0].lower() in DETERMINERS or rest[0].endswith(OWNER_ENDINGS))
    is_doing = verb in INTRANSITIVE_GERUNDS if is_place else bool(has_object and GERUND_PATTERN.fullmatch(verb))
    doing = (GERUNDS_BY_IRREGULAR_PAST.get(verb) or (verb if is_doing else _gerund(verb))) if rest or later else ""
    is_certain = doing and (not is_place or doing in INTRANSITIVE_GERUNDS)  # "found under a seat" is not "finding"
    return f"after {' '.join([doing, *rest])}{after}" if is_certain else None


def _with_gerund(part: Part) -> Part:
    """Return a later part of a reason in the form that follows "after": "and twisting his ankle"."""
    joint, words = part
    is_act = joint.strip(", ") in CONJUNCTIONS and words and is_past(words[0])
    doing = is_act and (GERUNDS_BY_IRREGULAR_PAST.get(words[0]) or _gerund(words[0]))
    return (joint, [doing, *words[1:]]) if isinstance(doing, str) and doing else part


def _is_plain(words: Sequence[str]) -> bool:
    """Return True for a few words without punctuation and without another clause."""
    is_short = re.fullmatch(r"[\w '\u2019-]*", " ".join(words)) and len(words) <= LONGEST_REASON
    return bool(is_short) and {*map(str.lower, words[1:])}.isdisjoint({*CLAUSE_WORDS, *FIRST_PERSON, *CONJUNCTIONS})


THING_PARTICIPLES = frozenset(
    ("bought", "brought", "earned", "found", "given", "left", "made", "paid", "sold", "stolen", "taken")
)
"""Words for what happened to a thing, and not to a character, as in "stolen by the thief"."""

GERUND_PATTERN = re.compile("(?!bring|concern|during|follow|noth|regard|someth|spring|string)[a-z]{3,}ing")
"""A pattern for a verb before words such as "the": "bribing the clerk"."""

INTRANSITIVE_GERUNDS = frozenset((
    "climbing", "coming", "crashing", "crawling", "dancing", "diving", "driving", "escaping", "falling", "fighting",
    "gambling", "going", "helping", "jumping", "landing", "leaping", "listening", "looking", "losing", "lying",
    "playing", "returning", "riding", "rolling", "running", "singing", "sleeping", "slipping", "sneaking", "staying",
    "stepping", "stumbling", "swimming", "talking", "tripping", "tumbling", "waiting", "walking", "winning", "working",
))  # fmt: skip
"""Verbs that need no object: a place may follow them."""


GERUNDS_BY_IRREGULAR_PAST = {
    past: gerund(base)
    for base, past in IRREGULAR_PASTS.items()
    if past not in NOUNS_LIKE_PASTS and (past != base or base == "hit")
}
"""Verbs in the past tense that do not end with "ed", with their forms that follow "after"."""

PAYING_VERBS = {
    gerund(verb): verb
    for verb in ("bribe", "buy", "charter", "feed", "hire", "mend", "ransom", "rent", "repair", "replace", "tip")
}
"""The verbs for what people pay for, by their forms with "ing"."""


SPENDING_VERBS = {
    form: verb
    for verb in (
        "avoid", "boost", "bribe", "catch", "convince", "dodge", "endure", "escape", "force", "hold", "ignore",
        "improve", "keep", "persuade", "push", "reach", "resist", "save", "shake", "stand", "stay", "steady",
        "survive", "withstand",
    )
    for form in (verb, past(verb), gerund(verb), third_person(verb))
}  # fmt: skip
"""The verbs for what people spend points on, by all their forms."""


def as_gerund(tried: str) -> str:
    """Return an attempt as a participle that can follow another act: "hiding" for "tried to hide"."""
    if not tried.startswith("tried to "):
        return tried.replace("tried ", "trying ", 1).replace("pretended ", "pretending ", 1)
    return _with_verbs(tried, gerund)


def _with_verbs(tried: str, form: Callable[[str], str]) -> str:
    """Return the words after "tried to". Apply `form` to the first verb and to each verb after "and"."""
    words = ["", *tried.removeprefix("tried to ").split()]  # an empty text has no verb
    return " ".join(
        form(word) if before == "" or (before in CONJUNCTIONS and word in VERBS - NOUNS) else word
        for before, word in pairwise(words)
    )


def _gerund(verb: str) -> str:
    """Return "selling" for "sells", and "stopping" for "stopped"; "" for other words."""
    if base := infinitives_by_third_person().get(verb):
        doing = gerund(base)
        return doing if base not in {*NOUNS, "know", "think", "want"} or doing in INTRANSITIVE_GERUNDS else ""
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
    words = with_numbered_names(f"at {why}" if why.lower() in GAMES else why).strip().rstrip(".!").split()
    lower = [word.lower() for word in words]
    if lower[:2] == ["because", "of"]:
        words, lower, joint = words[2:], lower[2:], BECAUSE
    if not re.search(r"[^\W\d]{2}", why):
        return ""
    is_plain = len(words) <= LONGEST_REASON and re.fullmatch(r"(?!.* of mine\b)[\w '\u2019-]+", " ".join(words))
    if not is_plain or (has_verb(lower) and lower[0] != "for") or clause_in_reason(why):
        return _with_relative_clause(why, joint)
    if lower[0] in ARTICLES and words[1:]:
        return f" {joint} {' '.join([lower[0], *words[1:]])}"
    if thing := with_article(words) or (lower[0] == "no" and f"lack of {' '.join(words[1:])}"):
        return f" {joint} {thing}"
    has_owner = [word.endswith(OWNER_ENDINGS) for word in words[:3]]
    if has_owner[0] or (any(has_owner) and words[0] != lower[0]):  # a capital letter starts a name
        return f" {joint} {capitalized(' '.join(words))}"
    return f" {' '.join([lower[0], *words[1:]])}" if lower[0] in PREPOSITIONS - {"back"} else None


DESCRIBED_THING = re.compile(r"(?:the|an?|his|her|their) (?:\w+ ){1,3}(?=(?:that|which|who) \w)", re.IGNORECASE)
"""A pattern for a thing before a clause that describes it, as in "the broth that Brak made"."""


def _with_relative_clause(why: str, joint: str) -> str | None:
    """Return "from the broth that Brak made" for a thing that a clause describes; `None` for other reasons."""
    thing = None if {*why.lower().split()} & FIRST_AND_SECOND_PERSON else DESCRIBED_THING.match(why)
    later = with_later_parts(parts_of(with_full_verbs(why.rstrip(".!")))[1:]) if thing else None
    return f" {joint} {thing[0].strip().lower()}{later}" if thing and later else None


def cause(why: str) -> str:
    """Return a reason with the words that join it to a sentence; "" for a reason that must be a sentence of its own.

    >>> cause("the watch is asleep"), cause("the mud"), cause("rule of cool")
    ('because the watch was asleep', 'because of the mud', '')
    """
    if clause := clause_in_reason(why):
        return clause
    ending = reason_as_ending(why) or ""
    return ending.strip() if ending.startswith(f" {BECAUSE} ") else ""


def with_article(words: Sequence[str]) -> str:
    """Return a thing with its article: "an old sword" for "old sword", and "smoke" for "smoke".

    Return "" if this is not certainly a thing.
    """
    lower = [word.lower() for word in words] or [""]
    starts_with_event = lower[0] in EVENT_NOUNS | THING_NOUNS and {*lower[1:2]} <= PREPOSITIONS
    acts = {*VERBS, *GERUNDS_BY_IRREGULAR_PAST} - SUBSTANCES  # "poison needle"
    is_plain = lower[0] not in {*ARTICLES, *DETERMINERS, *PREPOSITIONS, *CLAUSE_WORDS, *acts}
    is_verb = lower[0] in infinitives_by_third_person() or re.search(r"['\u2019]", lower[0])
    is_short = len(words) == 1 or (len(words) == 2 and is_plain and not is_verb)  # noqa: PLR2004  "old sword"
    thing = " ".join([lower[0], *words[1:]])
    if lower[0] in SUBSTANCES | BOUGHT_GOODS and {*lower[1:2]} <= PREPOSITIONS:
        return thing
    is_act = words[:1] == lower[:1] and len(words) == 2 and lower[-1] in gerunds()  # noqa: PLR2004  "quick thinking"
    if (is_short and lower[-1] in SUBSTANCES | BOUGHT_GOODS) or (
        (lower[1:] == ["luck"] or is_act) and is_plain and not is_verb
    ):
        return thing
    is_plural = PLURAL_NOUN_PATTERN.fullmatch(lower[-1]) and is_plain
    if is_plural and (len(words) == 1 or (is_short and not is_verb and lower[-1] not in infinitives_by_third_person())):
        return thing
    if {*lower[1:2]} & PREPOSITIONS and is_plain and PLURAL_NOUN_PATTERN.fullmatch(lower[0]) and not is_verb:
        return thing  # "coins in the well"
    if starts_with_event or (is_short and lower[-1] in CHARACTER_KINDS | EVENT_NOUNS | PAYMENTS | THING_NOUNS):
        article = "the" if lower[0] in ORDINALS else "an" if AN_START_PATTERN.match(lower[0]) else "a"
        return f"{article} {thing}"
    return ""


TAKER_NOUNS = {
    *CHARACTER_KINDS, *SUBSTANCES, *EVENT_NOUNS, "explosion", "flood", "luck", "river", "sea", "storm", "theft", "trap",
}  # fmt: skip
"""Words for somebody or something that takes money away, as in "lost five gold to a thief"."""

GAMES = frozenset(("blackjack", "cards", "chess", "darts", "dice", "poker", "roulette"))
"""Games that people win or lose money at."""

ORDINALS = frozenset(("first", "last", "next", "other", "right", "same", "second", "third", "whole", "wrong"))
"""Words after which only one thing is meant: "the wrong key"."""

AN_START_PATTERN = re.compile("[aeiou](?!ni)|heir|honest|honor|hour")
"""A pattern for words that "an" comes before."""


SUFFERED_PARTICIPLES = frozenset((
    "arrested", "banished", "beaten", "beheaded", "bitten", "blown", "bribed", "buried", "burned", "burnt", "captured",
    "caught", "chased", "crushed", "cut", "defeated", "destroyed", "devoured", "dismissed", "dragged", "driven",
    "eaten", "executed", "freed", "frozen", "gored", "hanged", "impaled", "imprisoned", "kicked", "killed", "knocked",
    "locked", "mauled", "murdered", "poisoned", "pushed", "rescued", "sent", "shot", "slain", "stabbed", "strangled",
    "struck", "switched", "taken", "thrown", "trampled", "trapped", "turned",
))  # fmt: skip
"""Words for what others did to a character who left, as in "killed"."""

STATE_ADJECTIVES = frozenset(
    ("afraid", "angry", "bored", "drunk", "exhausted", "hurt", "ill", "sick", "tired", "wounded")
)
"""Words for the state of a character who left."""


def fate(why: str) -> str:
    """Return the fate of a character who left, such as "was killed"; "" if the reason must be quoted.

    >>> fate("killed by the guard"), fate("ran away"), fate("dead")
    ('was killed by the guard', 'ran away', 'died')
    """
    text = with_full_verbs(why.strip().rstrip(".!"))
    (_, words), *later = parts_of(text)
    rest = with_later_parts(later)
    is_plain = re.fullmatch(r"[\w ,'-]+", text) and {*text.lower().split()}.isdisjoint(FIRST_PERSON)
    if not words or not is_plain or len(words) > LONGEST_REASON:
        return ""
    first, after = words[0].lower(), words[1:]
    if {*map(str.lower, after)} & CLAUSE_WORDS:
        after, rest = in_past(after)[0], rest if after[0] == "by" else None  # "killed by the boar she hunts"
    is_moved = first.endswith("ed") and {*after[:1]} & MOTION_PREPOSITIONS  # "jumped into the sea"
    driven = {"carried", "forced", "run", "scared"} if "by" in after else set()
    driven |= {first} if after[:1] == ["by"] and first.endswith("ed") else set()  # "shattered by the bell"
    acted = {
        **dict.fromkeys({*SUFFERED_PARTICIPLES, *driven}, f"was {first}"),
        **dict.fromkeys(LEAVING_VERBS, first),
        **FATES_BY_STATE,
    }
    acted |= {} if after else {state: f"was {state} and left" for state in STATE_ADJECTIVES}
    happened = acted.get(first, first if is_moved else "")
    if {*after[:1]} & {"herself", "himself", "itself", "themselves"} and is_past(first):
        happened = first  # "hanged himself"
    if not happened and first in infinitives_by_third_person():
        return _with_verbs(attempt(why) or "", past)
    return f"{' '.join([happened, *after])}{rest}" if happened and rest is not None else ""


FATES_BY_STATE = {"asleep": "fell asleep", "dead": "died", "unconscious": "fell unconscious"}
"""The states in which a character left, with the words that tell how the state began."""


def has_verb(words: list[str]) -> bool:
    """Return True if a word after the first noun may be a verb ("the rope breaks"). `words` are in small letters.

    Also return True for a participle with "by", such as "cut by a knife".
    """
    if words[0] in {"cut", "hit", "shot"} and words[1:2] == ["by"]:
        return True
    later = {*words[2:]}
    is_verb = any(
        (word.endswith("ed") and before not in DETERMINERS)  # "the forged pass"
        or (infinitives_by_third_person().get(word, "") in VERBS - NOUNS and not is_owned(words, place))
        for place, (before, word) in enumerate(pairwise(words[1:]), 2)
    )
    # "the fire spreads": after a noun, the word is a verb, even if it is also a noun
    nouns = {*NOUNS, *CHARACTER_KINDS, *THING_NOUNS}
    is_verb |= any(word in infinitives_by_third_person() and before in nouns for before, word in pairwise(words[1:]))
    is_verb |= any(
        word.endswith("s") and word not in PREPOSITIONS and after in DETERMINERS for word, after in pairwise(words[2:])
    )
    is_verb |= any(
        PLURAL_NOUN_PATTERN.fullmatch(before) and word in VERBS - NOUNS for before, word in pairwise(words[1:])
    )
    return is_verb or not later.isdisjoint(GERUNDS_BY_IRREGULAR_PAST.keys() | CLAUSE_WORDS)
