"""Prose: sentences that people read aloud, from names, numbers and typed words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ledger.errors import with_minus_sign

NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]

SENTENCE_ENDS = ".!?…:。！？"


def number(value: int) -> str:
    """Return a number as prose: in words up to twelve."""
    return NUMBERS[value] if 0 <= value < len(NUMBERS) else figures(value)


def figures(value: int) -> str:
    """Return a number in digits, such as the total of dice."""
    return with_minus_sign(str(value))


def notation_in_words(text: str) -> str:
    """Return a name or a roll without hyphens and short forms: "axe-damage adv" becomes "axe damage with advantage"."""
    if HYPHENATED_PATTERN.fullmatch(text):
        text = " ".join(ABBREVIATIONS.get(word, word) for word in re.split("[-. ]", text))
    return re.sub(r" (adv|dis)\b", lambda found: f" with {'dis' if found[1] == 'dis' else ''}advantage", text)


ABBREVIATIONS = {"atk": "attack", "def": "defense", "dmg": "damage", "init": "initiative", "perc": "perception"}
"""Short forms that people type in the names of rolls, with their full words."""

HYPHENATED_PATTERN = re.compile(r"[a-z]+([-.][a-z]+)*( (adv|dis))?")


def with_numbered_names(text: str) -> str:
    """Return "goblin 2" for "goblin-2" in a text."""
    return re.sub(r"\b([a-z]+)-(\d+)", r"\1 \2", text)


def times_in_words(count: int) -> str:
    """Return how often: "once", "twice", "three times"."""
    return {1: "once", 2: "twice"}.get(count) or f"{number(count)} times"


def listed(parts: Iterable[str]) -> str:
    """Join parts as in "a, b and c"."""
    *first, last = [*parts] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def capitalized(text: str) -> str:
    """Return a text that starts with a capital letter, if its first letter has one."""
    start = text[:1].upper()
    return f"{start}{text[1:]}" if len(start) == 1 else text


def sentence(text: str) -> str:
    """Return a text as a sentence, with a capital letter and a period."""
    return with_period(capitalized(text))


def with_period(text: str) -> str:
    """Return a text with a period, unless it already ends like a sentence. A quote at the end has the period inside."""
    if text.endswith("\u201d") and text[-2:-1] not in [*SENTENCE_ENDS]:
        return f"{text[:-1]}.\u201d"
    return text if text.rstrip("\u201d\"'\u2019)")[-1:] in [*SENTENCE_ENDS] else f"{text}."


def quoted_sentence(words: str) -> str:
    """Return typed words in quotation marks, at the end of a sentence. Quotes in the words become single quotes."""
    inner = re.sub('["\u201c\u201d]', "\u2019", re.sub('(?<!\\S)["\u201c]', "\u2018", words))
    return f"\u201c{with_period(inner)}\u201d"


def listed_clauses(parts: Sequence[str]) -> str:
    """Join clauses, with a comma before "and" if one of them has an "and"."""
    *first, last = parts
    return f"{', '.join(first)}, and {last}" if first and any(" and " in part for part in parts) else listed(parts)


ROLL_PATTERN = re.compile(r"(?P<verb>made|rolled) an? (?P<purpose>.+? )?(?P<noun>roll|save)(?P<rest> .*)?")
"""A pattern for "made a stealth roll", "rolled a bravery save" and "made a roll without a stated purpose"."""

SAVE_ROLL_PATTERN = re.compile(r"^made (an? (?:[a-z' -]+ )?)save(?: roll)?(?= |$)")
"""A pattern for a save. To make a save is to succeed, so a save that may fail is "rolled"."""

ROLLED_FOR_PATTERN = re.compile(r"rolled (?P<total>\u2212?\d+) (?P<rest>(?:for|on|to find out) .+)")
"""A pattern for "rolled 12 for stealth", "rolled 12 on a d20" and "rolled 12 to find out how far"."""

ROLLED_PATTERN = re.compile(r"rolled (?P<total>\u2212?\d+)")
"""A pattern for a total without words for the dice, such as "rolled 12"."""

TASK_PATTERN = re.compile(r"worked on the (.+)|how much energy the (.+) would take")

PURPOSE_PATTERN = re.compile(r"made an? (\w+) roll|worked on the (\w+)|rolled \S+ for (\w+)")
"""A pattern for the word that says what a roll is for: "climb" in "made a climb roll"."""

NAMED_ROLL_PATTERN = re.compile(r"(?P<name>[A-Za-z]+)(?: (?:check|roll|test|(?P<save>save)))?")
"""A pattern for a deed that only names the roll: "perception", or "death save"."""

ABOUT_ROLL_PATTERN = re.compile(
    r"(?P<name>[A-Za-z]+)(?: (?:check|roll|test))? (?P<rest>(?:against|at|for|on) (?:the|his|her|their) .+)"
)
"""A pattern for a deed that names the roll and what it is about, such as "insight on the watchman"."""

SHORT_PURPOSE_PATTERN = re.compile(r"[\w'\u2019-]+( [\w'\u2019-]+){0,4}")
"""A pattern for a deed that is short enough for the middle of a sentence, such as "second swing"."""

FOR_ROLL_PATTERN = re.compile(r"for (?!.*\b(?:an?|damage|initiative|the)\b)([a-z ]+)")
"""A pattern for words such as "for stealth", which name a roll. The words "for damage" stay: "rolled 9 for damage"."""


def tidied(text: str) -> str:
    """Correct the article and the word order in a game's words, as in "made a axe with advantage roll".

    >>> tidied("made a axe with advantage roll")
    'made an axe roll with advantage'
    >>> tidied("rolled 9 for d20")
    'rolled 9 on a d20'
    >>> tidied("rolled 9 for 2d6+1")
    'rolled 9 on 2d6+1'
    >>> tidied("rolled 9 for 2d20kh1")
    'rolled 9'
    >>> tidied("made a con save roll")
    'rolled a con save'
    >>> tidied("bought two spare part for Brak")
    'bought two spare parts for Brak'
    """  # listeners cannot follow a long notation
    text = re.sub(r" (with (?:dis)?advantage) roll\b", r" roll \1", text)
    text = re.sub(r"^(rolled \S+) for (?!\d*d[\dF%]+([+-]\d+)?$)(\d+#)?\d*d[\dF%]\S*$", r"\1", text)
    text = re.sub(r"\bfor 1?(?=d[\d%])", "on a ", text)
    text = re.sub(r"\bfor (?=\d+d[\dF%])", "on ", text)
    text = re.sub(r"\bbought (\w+) efficiency\b", r"bought \1 points of efficiency", text)
    text = re.sub(r"\bbought (\w+) points of efficiency for (.+)", r"raised \2's efficiency by \1", text)
    text = re.sub(r" one points\b", " one point", text)
    text = re.sub(r"\bbought one (?=[a-z ]+ and )", "bought ", text)
    text = BOUGHT_PATTERN.sub(lambda found: f"{found[1]} {plural(found[2])}{found[3] or ''}", text)
    text = SAVE_ROLL_PATTERN.sub(r"rolled \1save", text)
    text = re.sub(r"\b(made|rolled|with) a (?=[aeiou](?!ne\b|ni|se\b))", r"\1 an ", text)
    return with_condition(text.replace("\u201d. ", ".\u201d "))


def with_condition(text: str) -> str:
    """Return "became blind" for "picked up the condition “blind”", if the condition is an adjective.

    >>> with_condition("picked up the condition “fear”"), with_condition("no longer has the condition “stunned”")
    ('suffered from fear', 'is no longer stunned')
    >>> with_condition("picked up the condition “bleeding”")
    'was bleeding'
    """
    return CONDITION_PATTERN.sub(_condition_words, text)


def suffering(conditions: Iterable[str]) -> list[str]:
    """Return conditions as words that follow "recovered from".

    >>> suffering(["blind", "fear", "on fire", "stunned"])
    ['fear', 'the condition “on fire”', 'being blind and stunned']
    """
    states = {name: ADJECTIVE_PATTERN.fullmatch(name) is not None for name in conditions}
    told = [name if name in AILMENTS else f"the condition \u201c{name}\u201d" for name in states if not states[name]]
    adjectives = [name for name in states if states[name]]
    return [*told, f"being {listed(adjectives)}"] if adjectives else told


def _condition_words(found: re.Match[str]) -> str:
    if found["how"] in AILMENTS:
        return f"{SUFFERING_VERBS[found['verb']]} from {found['how']}"
    if not ADJECTIVE_PATTERN.fullmatch(found["how"]):
        return found[0]
    verb = STATE_VERBS.get(found["verb"]) or (
        "was" if found["how"].split()[0].endswith(("ed", "en", "ing")) else "became"
    )
    return f"{verb} {found['how']}"


STATE_VERBS = {"still has": "is still", "no longer has": "is no longer", "got rid of": "was no longer"}

SUFFERING_VERBS = {
    "picked up": "suffered",
    "still has": "still suffers",
    "no longer has": "no longer suffers",
    "got rid of": "no longer suffered",
}

AILMENTS = frozenset((
    "blindness", "confusion", "deafness", "despair", "doubt", "dread", "exhaustion", "fatigue", "fear", "fever",
    "hunger", "madness", "nausea", "pain", "panic", "paralysis", "poison", "rage", "shock", "sickness", "terror",
    "thirst",
))  # fmt: skip
"""Conditions that somebody suffers from."""

CONDITION_PATTERN = re.compile(
    "(?P<verb>picked up|still has|no longer has|got rid of) the condition \u201c(?P<how>[^\u201d]+)\u201d"
)
"""A pattern for a condition."""

ADJECTIVE_PATTERN = re.compile(
    r"(?:[a-z]+(?:[^e\W]ed|ful|less|ous)|(?!blessing|sting)[a-z]{3,}ing|afraid|angry|asleep|"
    r"berserk|blind|broken|clumsy|cold|deaf|dizzy|drowsy|drunk|frozen|guilty|"
    r"hidden|hungry|ill|insane|invisible|lame|mad|mute|numb|prone|shaken|sick|silent|sleepy|slow|thirsty|"
    r"tiny|unconscious|vulnerable|weak|wet)(?: (?:at|by|from|in|of|on|to|under|with) [\w' -]+)?"
)
"""A pattern for a condition that is an adjective."""


BOUGHT_PATTERN = re.compile(
    rf"\b(bought (?:{'|'.join(NUMBERS[2:])}|\d+)) ((?!points? of )[a-z ]*?[^\Ws])( of [a-z ]+?)?(?= for |$)"
)
"""A pattern for "bought two spare part", which needs a plural."""


def singular(label: str) -> str:
    """Return the singular of a score's label: "torch" for "torches". The label must be a plural."""
    if label.endswith(("ches", "shes", "xes", "sses")):
        return label[:-2]
    return f"{label[:-3]}y" if label.endswith("ies") else label[:-1]


def plural(noun: str) -> str:
    """Return the plural of a noun: "wolves" for "wolf"."""
    if noun in {"damned", "drowned", "undead"}:
        return noun
    if noun.endswith(("lf", "ief")):
        return f"{noun[:-1]}ves"
    if noun.endswith("man"):
        return f"{noun[:-3]}men"
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if re.search("[^aeiou]y$", noun) else f"{noun}s"


PLURAL_NOUN_PATTERN = re.compile(r"[a-z]{2,}[^\Wius]s")
"""A pattern for words such as "arrows". It fits verbs, too."""

COUNTABLE_PATTERN = re.compile(r"(?!guts|looks|reflexes|senses|wits)[a-z]+[^aius\W\d]s")
"""A pattern for names of scores that can be counted, such as "arrows". Abilities such as "wits" cannot."""
