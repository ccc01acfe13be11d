"""Targets: the other character in a typed deed, such as "him" in "hits him with the boathook"."""

from __future__ import annotations

import re

from ledger.commands.play import installed_move
from ledger.events import types as events
from ledger.journal.book import Book
from ledger.rules.inputs import CAST, NOT_PAYING
from projections.prose_names import NUMBERED_NAME_PATTERN, prose_name
from projections.reasons import INTRANSITIVE_GERUNDS
from projections.verbs import VERBS, gerund, gerunds, infinitives_by_third_person
from projections.word_lists import CONJUNCTIONS, PREPOSITIONS, THING_NOUNS

VERBS_WITH_AT = frozenset((
    "aim", "charge", "fire", "hack", "kick", "lash", "lunge", "punch", "shoot", "shout", "slash", "snap", "spit",
    "stab", "strike", "swing", "yell",
))  # fmt: skip
"""Verbs that need "at" before a target: "swing at the guard"."""

VERBS_WITH_OBJECT = frozenset((
    "ambush", "attack", "bite", "bluff", "chase", "charm", "convince", "disarm", "distract", "fight", "fool", "grab",
    "grapple", "hit", "hug", "intimidate", "outrun", "outwit", "persuade", "push", "shove", "slap", "smash", "surprise",
    "tackle", "taunt", "threaten", "trick", "trip", "wrestle",
))  # fmt: skip
"""Verbs that a target follows: "grab the guard"."""

VERBS_FOR_BLOWS = frozenset(
    ("bash", "bite", "club", "grab", "hit", "kick", "punch", "shoot", "slash", "smash", "stab", "strike", "whack")
)
"""Verbs after which "it" is the target: "stab it in the back"."""

PLAIN_GERUNDS = INTRANSITIVE_GERUNDS | {gerund(verb) for verb in VERBS_WITH_AT}

PLAIN_ACT_PATTERN = re.compile(rf"(?:{'|'.join(sorted(PLAIN_GERUNDS))})\b(?! (?:him|her|it|them)\b)")
"""A pattern for acts beside an attack that happen even if the attack misses, as in "shooting from the roof"."""

MANNER_ADVERBS = frozenset(("again", "back", "first", "hard", "low", "twice"))
"""Words that may follow a verb without an object."""

OWNED_PART_PATTERN = re.compile(
    r"\b(at|for) (?:his|her|its|their) (ankles?|arms?|back|belly|chest|ears?|eyes?|face|feet|hair|hands?|head|"
    r"heart|heel|knees?|legs?|neck|purse|ribs|shoulders?|stomach|tail|throat|wings?|wrists?)\b"
)
"""A pattern for the goal of an attack, as in "goes for his throat"."""

TAKEN_PATTERN = re.compile(
    r"^((?:cut|loosen|rip|sever|slash|slice|snatch|steal|tear|untie)(?:e?s)?(?: off)?(?: the \w+ of)?) "
    r"(?:his|her|its|their) (?!gaze|losses|own|time|way)"
)
"""A pattern for a thing that belongs to the target, as in "cut the strap of his satchel"."""

DONE_TO_IT_PATTERN = re.compile(r"^([a-z]+) it\b", re.IGNORECASE)
"""A pattern for an act without the name of its thing, as in "break it down"."""


AGAIN_PATTERN = re.compile(r"(?:(?:and|tr(?:y|ies|ying)) )?again|once more|same(?: again)?", re.IGNORECASE)
"""A pattern for a deed that only says that it happened again."""


def target_of(book: Book, event: events.MoveEvent) -> str:
    """Return the name of the only other character whom a move is about; "" without one or with several."""
    move = installed_move(event)
    fields = move.fields().items() if move else ()
    named = [event.inputs.get(name) for name, field in fields if CAST in field.tags and NOT_PAYING in field.tags]
    names = {who for value in named for who in (value if isinstance(value, list) else [value]) if isinstance(who, str)}
    others = names - {event.subject}
    return prose_name(book, others.pop()) if len(others) == 1 else ""


def without_own_name(book: Book, who: str, deed: str) -> str:
    """Return a deed without the name of the character who acts: "holds the door" for "Brak holds the door".

    Return "" for a deed that only says that it happened again.
    """
    if AGAIN_PATTERN.fullmatch(deed.rstrip(".!")):
        return ""
    name = prose_name(book, who)
    names = "|".join(map(re.escape, [name, *(name.split()[:1] if name[:1].isupper() else []), who]))
    return re.sub(rf"^(?:{names}) (?!and |or )(?=[a-z])", "", deed, flags=re.IGNORECASE)


def with_target(deed: str, target: str) -> str:
    """Add the name of the target to a deed: in place of a pronoun, or after a verb without an object.

    >>> with_target("hits him with the boathook", "the captain"), with_target("slashes back", "Oskar")
    ('hits the captain with the boathook', 'slashes back at Oskar')
    >>> with_target("goes for her purse", "Hanna"), with_target("swings her axe", "guard 2")
    ("goes for Hanna's purse", 'swings her axe')
    >>> with_target("cut the strap of his satchel", "Hanna")
    "cut the strap of Hanna's satchel"
    """
    words = deed.rstrip(".!").split()
    if not target or not words or is_named(deed, target):
        return deed
    owned = OWNED_PART_PATTERN.sub(lambda found: f"{found[1]} {target}'s {found[2]}", deed, count=1)
    owned = TAKEN_PATTERN.sub(lambda found: f"{found[1]} {target}'s ", owned)
    if owned != deed:
        return owned
    for place, word in enumerate(words):
        following = words[place + 1 : place + 2]
        is_object = {*following} <= PREPOSITIONS | CONJUNCTIONS | MANNER_ADVERBS
        verb = infinitives_by_third_person().get(words[0].lower(), words[0].lower())
        is_thing = word == "it" and (words[place - 1] == "at" or (place == 1 and verb in VERBS_FOR_BLOWS))
        if place and (word == "him" or is_thing or (word == "her" and is_object)):
            return " ".join([*words[:place], target, *words[place + 1 :]])
    first, *rest = words
    lower = first.lower()
    base = lower if lower in VERBS else infinitives_by_third_person().get(lower) or gerunds().get(lower, "")
    if any(word not in MANNER_ADVERBS and not word.endswith("ly") for word in rest):
        return deed
    if base in VERBS_WITH_AT:
        return f"{' '.join(words)} at {target}"
    return " ".join([first, target, *rest]) if base in VERBS_WITH_OBJECT else deed


def with_task_thing(deed: str, task: str) -> str:
    """Return a deed with the thing that its task is named after: "break the door down" for "break it down"."""
    return DONE_TO_IT_PATTERN.sub(rf"\1 the {task}", deed) if task in THING_NOUNS else deed


def is_named(deed: str, target: str) -> bool:
    """Return True if a deed names its target: "guard 2" is also named by "the guard"."""
    return re.search(rf"\b(?:{_name_pattern(target)})\b", deed, re.IGNORECASE) is not None


def without_target(doing: str, target: str) -> str:
    """Return an act that happens beside an attack, but do not name the target of the attack again.

    Return "" for an act that adds nothing to the attack.

    >>> without_target("swinging at the guard", "guard 1"), without_target("aiming for the guard's eye", "the guard")
    ('', 'aiming for the eye')
    """
    doing = re.sub(rf"\b(?:{_name_pattern(target)})['\u2019]s ", "the ", doing)
    doing = re.sub(rf"(?: (?:after|against|at|for|on|to))? (?:{_name_pattern(target)})$", "", doing)
    doing = re.sub(" (?:after|against|at|for|on|to) (?:him|her|it|them)$", "", doing)
    return "" if doing in {gerund(verb) for verb in VERBS_WITH_AT | VERBS_WITH_OBJECT} else doing


def _name_pattern(target: str) -> str:
    """Return a pattern for the names of a target: "guard 1" and "the guard"."""
    kind = NUMBERED_NAME_PATTERN.fullmatch(target)
    return "|".join(map(re.escape, [target, *([f"the {kind['kind']}"] if kind else [])]))
