"""Names of characters in sentences: "Mara", "the guard", "goblin 2", and short names after the first mention."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

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
    "abbot", "acolyte", "agent", "alien", "android", "ape", "apprentice", "archer", "assassin", "baker", "bandit",
    "banker", "bard", "barkeep", "baron", "bartender", "basilisk", "bat", "bear", "beast", "beetle", "beggar",
    "bishop", "blacksmith", "boar", "bodyguard", "boss", "bouncer", "boy", "brigand", "bull", "bully", "burglar",
    "butler", "captain", "captive", "carpenter", "cat", "centaur", "chief", "chieftain", "child", "cleric", "clerk",
    "clone", "commander", "conductor", "constable", "cook", "cop", "count", "countess", "courier", "cow", "crab",
    "crocodile", "crow", "cultist", "cyborg", "cyclops", "dealer", "deer", "demon", "detective", "devil", "doctor",
    "dog", "donkey", "dragon", "driver", "drone", "druid", "dryad", "duchess", "duelist", "duke", "dwarf", "eagle",
    "elemental", "elf", "elk", "emperor", "empress", "engineer", "executioner", "fairy", "falcon", "farmer",
    "ferryman", "fighter", "fisherman", "fox", "frog", "gang", "ganger", "gangster", "gaoler", "gardener", "gargoyle",
    "ghast", "ghost", "ghoul", "giant", "girl", "gladiator", "gnoll", "gnome", "goatherd", "goblin", "golem", "goon",
    "goose", "griffin", "guard", "guardian", "gunner", "hacker", "hag", "hangman", "harpy", "hawk", "heir", "herald",
    "hermit", "hobgoblin", "horse", "horseman", "hostage", "hound", "hunter", "huntress", "hydra", "hyena", "imp",
    "innkeeper", "inspector", "jackal", "jailer", "judge", "keeper", "king", "knight", "kobold", "kraken", "leader",
    "leopard", "lich", "lion", "lizard", "lord", "lynx", "mage", "man", "marauder", "marine", "mason", "master",
    "mayor", "mechanic", "medic", "medusa", "mercenary", "merchant", "mermaid", "messenger", "miller", "miner",
    "minotaur", "mob", "mobster", "monk", "monster", "moose", "mule", "mummy", "mutant", "necromancer", "nomad",
    "nun", "nurse", "nymph", "officer", "ogre", "ooze", "oracle", "orc", "owl", "paladin", "panther", "patrol",
    "phantom", "pilot", "pirate", "pixie", "poacher", "porter", "potter", "prefect", "priest", "priestess", "prince",
    "princess", "prisoner", "professor", "prophet", "queen", "raider", "ranger", "rat", "raven", "reaver", "reporter",
    "rider", "robot", "rogue", "ruffian", "sage", "sailor", "satyr", "scholar", "scientist", "scorpion", "scout",
    "secretary", "sentinel", "sentry", "sergeant", "serpent", "servant", "shaman", "shark", "shepherd", "sheriff",
    "siren", "skeleton", "slaver", "slime", "smith", "smuggler", "snake", "sniper", "soldier", "sorcerer", "specter",
    "sphinx", "spider", "spirit", "sprite", "spy", "squid", "squire", "stirge", "stranger", "student", "swarm",
    "tailor", "teacher", "technician", "thane", "thief", "thug", "tiger", "toad", "trader", "treant", "treasurer",
    "troll", "trooper", "turret", "tutor", "unicorn", "usher", "vampire", "villager", "vulture", "waiter", "waitress",
    "warden", "warlock", "warrior", "watchman", "weaver", "werewolf", "wight", "witch", "wizard", "wolf", "woman",
    "worm", "wraith", "wyrm", "wyvern", "yeti", "zombie",
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

    Leave out names without such a word, and names that share the word.
    """
    full = book.full_names()
    others = [who for who in book.cast() if who not in full]
    words = [slug(word) for name in (*full.values(), *book.players().values(), *others) for word in name.split()]
    typed = ((name, word) for who, name in full.items() for word in name.split() if slug(word).startswith(who))
    return {name: word for name, word in typed if word not in {name, word.lower()} and words.count(slug(word)) == 1}


def name_shortener(book: Book) -> Callable[[Iterable[str]], tuple[str, ...]]:
    """Return a function that replaces full names in sentences with short names. Quotes keep their words.

    The function remembers the names: the first mention in all its calls keeps the full name.
    """
    short, seen = short_names(book), set[str]()
    names = re.compile("|".join(map(re.escape, sorted(short, key=len, reverse=True))) or "(?!)")

    def shown(found: re.Match[str]) -> str:
        name = found[0]
        is_new = name not in seen
        seen.add(name)
        return name if is_new else short[name]

    def shortened(text: str) -> str:
        parts = re.split("(\u201c[^\u201d]*\u201d)", text)
        return "".join(part if part[:1] == "\u201c" else names.sub(shown, part) for part in parts)

    return lambda sentences: tuple(map(shortened, sentences))
