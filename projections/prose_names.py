"""Names of characters in sentences: "Mara", "the guard", "goblin 2", and short names after the first mention."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from ledger.events.subjects import CAMPAIGN
from ledger.journal.book import Book
from ledger.rules.spelling import slug
from projections.phrases import person
from projections.prose import capitalized, listed, number, plural

GM = "The GM"

COLLECTIVES = {"band", "company", "crew", "group", "party", "team"}
"""Short names of shared sheets that need "the" in a sentence."""

# fmt: off
KINDS = frozenset((
    "abbot", "acolyte", "android", "ape", "archer", "assassin", "bandit", "baron", "basilisk", "bat", "bear", "beast",
    "beetle", "boar", "boss", "bouncer", "brigand", "bully", "butler", "captain", "cat", "centaur", "chief", "clerk",
    "commander", "constable", "cook", "cop", "cow", "crab", "crocodile", "crow", "cultist", "cyclops", "demon", "devil",
    "doctor", "dog", "donkey", "dragon", "driver", "drone", "duelist", "duke", "dwarf", "eagle", "elemental", "elf",
    "ferryman", "fighter", "gang", "ganger", "gargoyle", "ghost", "ghoul", "giant", "gnoll", "gnome", "goblin", "golem",
    "griffin", "guard", "guardian", "gunner", "hacker", "hag", "hawk", "herald", "hobgoblin", "horse", "hound",
    "hunter", "hydra", "imp", "innkeeper", "jailer", "judge", "king", "knight", "kobold", "kraken", "leader", "lich",
    "lion", "lizard", "lord", "mage", "marauder", "master", "mayor", "mercenary", "merchant", "messenger", "minotaur",
    "monk", "monster", "mob", "mule", "mummy", "necromancer", "nun", "nurse", "ogre", "orc", "owl", "panther",
    "patrol", "phantom", "pilot", "pirate", "porter", "prefect", "priest", "priestess", "prince", "princess", "queen",
    "raider", "ranger", "rat", "raven", "reaver", "rider", "robot", "rogue", "ruffian", "sailor", "scorpion", "scout",
    "sentinel", "sentry", "sergeant", "serpent", "servant", "shaman", "shark", "sheriff", "skeleton", "slime", "smith",
    "snake", "sniper", "soldier", "sorcerer", "specter", "spider", "spirit", "spy", "squid", "squire", "stirge",
    "stranger", "swarm", "thief", "thug", "tiger", "trader", "treant", "troll", "turret", "unicorn", "vampire",
    "villager", "warden", "warlock", "warrior", "watchman", "werewolf", "wight", "witch", "wizard", "wolf", "worm",
    "wraith", "wyrm", "wyvern", "yeti", "zombie",
))
"""Words for beings and their jobs. A character without a player is "the guard", but not "the lyra"."""
# fmt: on

NUMBERED = re.compile(r"(?P<kind>[a-z][a-z ]*) \d+")
"""A pattern for "goblin 2"."""

HANDLE = re.compile(r"(?P<kind>[a-z]+(?:-[a-z]+)*?)(?:-?(?P<place>\d+))?")


def prose_name(book: Book, who: str) -> str:
    """Return a character's name for use in a sentence. A short name gets a capital letter, or is "the guard"."""
    if who in {"", CAMPAIGN}:
        return GM
    name = person(book, who)
    if name != who:
        return name
    return f"the {name}" if name in COLLECTIVES else _kind_name(book, who) or capitalized(name)


def _kind_name(book: Book, who: str) -> str:
    """Return "goblin 2" for `goblin-2` and "the guard" for `guard`, "" for other names and players' characters."""
    found = HANDLE.fullmatch(who)
    if not found or not (found["place"] or found["kind"].rpartition("-")[2] in KINDS) or book.player_of(who):
        return ""
    kind = found["kind"].replace("-", " ")
    return f"{kind} {found['place']}" if found["place"] else f"the {kind}"


def kind_of(names: Iterable[str]) -> str:
    """Return "goblin" for "goblin 1" and "goblin 2"; "" if the names are not of one kind."""
    kinds = {found["kind"] if (found := NUMBERED.fullmatch(name)) else "" for name in names}
    return kinds.pop() if len(kinds) == 1 else ""


def all_names(names: Sequence[str]) -> str:
    """Return several names in a sentence: "Mara and Brak", or "three goblins"."""
    kind = kind_of(names) if len(names) > 1 else ""
    return f"{number(len(names))} {plural(kind)}" if kind else listed(names)


def short_names(book: Book) -> dict[str, str]:
    """Map each full name to the word in it that people type for the character: "Mara" for "Mara Vale".

    Leave out names without such a word, and words that several names have.
    """
    full = book.full_names()
    others = [who for who in book.cast() if who not in full]
    words = [slug(word) for name in (*full.values(), *book.players().values(), *others) for word in name.split()]
    typed = ((name, word) for who, name in full.items() for word in name.split() if slug(word).startswith(who))
    return {name: word for name, word in typed if word not in {name, word.lower()} and words.count(slug(word)) == 1}


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
