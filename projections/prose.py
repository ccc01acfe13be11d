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
    if HYPHENATED.fullmatch(text):
        text = re.sub("[-.]", " ", text)
    return re.sub(r" (adv|dis)\b", lambda found: f" with {'dis' if found[1] == 'dis' else ''}advantage", text)


HYPHENATED = re.compile(r"[a-z]+([-.][a-z]+)*( (adv|dis))?")


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


ROLL = re.compile(r"made an? (?P<purpose>.+? )?(?P<noun>roll|save)(?P<rest> .*)?")
"""A pattern for "made a stealth roll" and "made a roll without a stated purpose"."""

ROLLED = re.compile(r"rolled (?P<total>\u2212?\d+) (?P<rest>(?:for|on|to find out) .+)")
"""A pattern for "rolled 12 for stealth", "rolled 12 on a d20" and "rolled 12 to find out how far"."""

FOR_ROLL = re.compile(r"for (?!.*\b(?:damage|initiative|the)\b)([a-z ]+)")
"""A pattern for words such as "for stealth", which name a roll. The words "for damage" stay: "rolled 9 for damage"."""


def tidied(text: str) -> str:
    """Return a game's words with the right article and order: "made a axe with advantage roll" gets both wrong.

    >>> tidied("made a axe with advantage roll")
    'made an axe roll with advantage'
    >>> tidied("rolled 9 for d20")
    'rolled 9 on a d20'
    >>> tidied("rolled 9 for 2d6+1")
    'rolled 9 on 2d6+1'
    >>> tidied("rolled 9 for 2d20kh1")
    'rolled 9'
    >>> tidied("bought two spare part for Brak")
    'bought two spare parts for Brak'
    """  # listeners cannot follow a long notation
    text = re.sub(r" (with (?:dis)?advantage) roll\b", r" roll \1", text)
    text = re.sub(r"^(rolled \S+) for (?!\d*d[\dF%]+([+-]\d+)?$)(\d+#)?\d*d[\dF%]\S*$", r"\1", text)
    text = re.sub(r"\bfor 1?(?=d[\d%])", "on a ", text)
    text = re.sub(r"\bfor (?=\d+d[\dF%])", "on ", text)
    text = re.sub(r"\bbought (\w+) efficiency\b", r"bought \1 points of efficiency", text)
    text = re.sub(" one points ", " one point ", text)
    text = BOUGHT.sub(lambda found: f"{found[1]} {plural(found[2])}{found[3] or ''}", text)
    text = re.sub(r"\b(made|with) a (?=[aeiou](?!ne\b|ni|se\b))", r"\1 an ", text)
    return text.replace("\u201d. ", ".\u201d ")


BOUGHT = re.compile(
    rf"\b(bought (?:{'|'.join(NUMBERS[2:])}|\d+)) ((?!points? of )[a-z ]*?[^\Ws])( of [a-z ]+?)?(?= for |$)"
)
"""A pattern for "bought two spare part"."""


def singular(label: str) -> str:
    """Return the singular of a score's label: "torch" for "torches". The label must be a plural."""
    if label.endswith(("ches", "shes", "xes", "sses")):
        return label[:-2]
    return f"{label[:-3]}y" if label.endswith("ies") else label[:-1]


def plural(noun: str) -> str:
    """Return the word for several: "wolves" for "wolf"."""
    if noun in {"damned", "drowned", "undead"}:
        return noun
    if noun.endswith(("lf", "ief")):
        return f"{noun[:-1]}ves"
    if noun.endswith("man"):
        return f"{noun[:-3]}men"
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if re.search("[^aeiou]y$", noun) else f"{noun}s"


PLURAL = re.compile(r"(?!guts|looks|reflexes|senses|wits)[a-z]+[^aius\W\d]s")
"""A pattern for names of scores that can be counted, such as "arrows". Abilities such as "wits" cannot."""
