"""Names of characters in sentences: "Mara", "the guard", "goblin 2", and short names after the first mention."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from ledger.events.subjects import CAMPAIGN, CAST
from ledger.journal.book import Book
from ledger.rules.spelling import slug
from projections.phrases import person
from projections.prose import listed, number, plural, with_numbered_names
from projections.verbs import VERBS
from projections.word_lists import DETERMINERS

GM = "The GM"

COLLECTIVES = {"band", "company", "crew", "group", "party", "team"}
"""Short names of shared sheets that need "the" in a sentence."""

# fmt: off
CHARACTER_KINDS = frozenset((
    "abbess", "abbot", "acolyte", "agent", "alchemist", "alderman", "alien", "ambassador", "android", "ape",
    "apothecary", "apprentice", "archer", "armorer", "assassin", "astronomer", "aunt", "bailiff", "baker", "bandit",
    "banker", "barber", "bard", "barkeep", "barmaid", "baron", "bartender", "basilisk", "bat", "beadle", "bear",
    "beast", "beetle", "beggar", "bishop", "blacksmith", "boar", "boatman", "bodyguard", "boss", "bosun", "bouncer",
    "boy", "brewer", "brigand", "broker", "brother", "bull", "bully", "burglar", "butcher", "butler", "candidate",
    "captain", "captive", "carpenter", "cartographer", "cat", "censor", "centaur", "chamberlain", "chancellor",
    "chaplain", "chef", "chief", "chieftain", "child", "cleric", "clerk", "clockmaker", "clone", "clown",
    "commander", "conductor", "constable", "cook", "cop", "corporal", "councillor", "count", "countess", "courier",
    "cousin", "cow", "crab", "crier", "crocodile", "crone", "crow", "cultist", "curator", "cutpurse", "cutthroat",
    "cyborg", "cyclops", "dancer", "daughter", "deacon", "dealer", "dean", "deckhand", "deer", "demon", "detective",
    "devil", "diplomat", "dockworker", "doctor", "dog", "donkey", "dragon", "driver", "drone", "druid", "dryad",
    "duchess", "duelist", "duke", "dwarf", "eagle", "editor", "elemental", "elf", "elk", "emissary", "emperor",
    "empress", "enemy", "enforcer", "engineer", "envoy", "executioner", "fairy", "falcon", "farmer", "father",
    "ferryman", "fighter", "fisherman", "foreman", "fox", "friar", "frog", "fugitive", "gambler", "gang", "ganger",
    "gangster", "gaoler", "gardener", "gargoyle", "gatekeeper", "ghast", "ghost", "ghoul", "giant", "girl",
    "gladiator", "gnoll", "gnome", "goatherd", "goblin", "goldsmith", "golem", "goon", "goose", "governor",
    "grandfather", "grandmother", "gravedigger", "griffin", "groom", "guard", "guardian", "guide", "gunner",
    "hacker", "hag", "hangman", "harbormaster", "harpooner", "harpy", "hawk", "hawker", "healer", "heir", "heiress",
    "helmsman", "herald", "herbalist", "hermit", "highwayman", "hobgoblin", "hooligan", "horse", "horseman",
    "hostage", "hostess", "hound", "hunter", "huntress", "hydra", "hyena", "imp", "informant", "innkeeper",
    "inquisitor", "inspector", "jackal", "jailer", "jester", "journalist", "judge", "juggler", "keeper", "killer",
    "king", "knight", "kobold", "kraken", "lackey", "lady", "landlady", "landlord", "lawyer", "leader", "leopard",
    "librarian", "lich", "lieutenant", "lion", "lizard", "lookout", "lord", "lynx", "mage", "magician",
    "magistrate", "maid", "man", "manager", "marauder", "marine", "mason", "master", "mate", "matron", "mayor",
    "mechanic", "medic", "medusa", "mercenary", "merchant", "mermaid", "messenger", "midwife", "miller", "miner",
    "minotaur", "minstrel", "mob", "mobster", "moneylender", "monk", "monster", "moose", "mother", "mule", "mummy",
    "mutant", "necromancer", "nephew", "niece", "noble", "nobleman", "noblewoman", "nomad", "notary", "novice",
    "nun", "nurse", "nymph", "officer", "ogre", "ooze", "opponent", "oracle", "orc", "orderly", "ostler",
    "overseer", "owl", "painter", "paladin", "panther", "passenger", "patrol", "peasant", "peddler", "phantom",
    "pickpocket", "pilgrim", "pilot", "pirate", "pixie", "poacher", "porter", "potter", "preacher", "prefect",
    "priest", "priestess", "prince", "princess", "prisoner", "professor", "prophet", "punk", "quartermaster",
    "queen", "raider", "ranger", "rat", "raven", "reaver", "recruit", "refugee", "reporter", "rider", "rival",
    "robot", "rogue", "ruffian", "saboteur", "sage", "sailor", "satyr", "scholar", "scientist", "scorpion", "scout",
    "scribe", "sculptor", "secretary", "seer", "seller", "senator", "sentinel", "sentry", "sergeant", "serpent",
    "servant", "sexton", "shaman", "shark", "shepherd", "sheriff", "shopkeeper", "singer", "siren", "sister",
    "skeleton", "skipper", "slaver", "slime", "smith", "smuggler", "snake", "sniper", "soldier", "son", "sorcerer",
    "specter", "sphinx", "spider", "spirit", "sprite", "spy", "squid", "squire", "steward", "stirge", "stowaway",
    "stranger", "student", "surgeon", "suspect", "swarm", "swordsman", "tailor", "tanner", "tavernkeeper",
    "teacher", "technician", "thane", "thief", "thrall", "thug", "tiger", "tinker", "toad", "trader", "traveler",
    "treant", "treasurer", "troll", "trooper", "turret", "tutor", "uncle", "unicorn", "urchin", "usher", "vagrant",
    "valet", "vampire", "vendor", "veteran", "vicar", "villager", "vulture", "waiter", "waitress", "warden",
    "warlock", "warrior", "watchman", "weaver", "werewolf", "widow", "wight", "witch", "witness", "wizard", "wolf",
    "woman", "woodcutter", "worker", "worm", "wraith", "wrangler", "wyrm", "wyvern", "yeti", "zombie",
))
"""Words for beings, their jobs and their families. A character without a player is "the guard", but not "the lyra"."""
# fmt: on

NUMBERED_NAME_PATTERN = re.compile(r"(?P<kind>[a-z][a-z ]*) \d+")
"""A pattern for a kind of character with a number, such as "goblin 2"."""

HANDLE_PATTERN = re.compile(r"(?P<kind>[a-z]+(?:-[a-z]+)*?)(?:-?(?P<place>\d+))?")


def prose_name(book: Book, who: str) -> str:
    """Return a character's name for use in a sentence.

    A short name gets a capital letter, or becomes words such as "the guard" or "goblin 2".
    """
    if who in {"", CAMPAIGN}:
        return GM
    name = person(book, who)
    if name != who:
        return re.sub("^The ", "the ", name)
    words = name.replace("-", " ") if name == who and _is_kind(name.partition("-")[0]) else name
    return f"the {name}" if name in COLLECTIVES else _kind_name(book, who) or re.sub(r"\b[a-z]", _upper_case, words)


def _upper_case(letter: re.Match[str]) -> str:
    return letter[0].upper()


def _kind_name(book: Book, who: str) -> str:
    """Return "goblin 2" for `goblin-2`, and "the guard" for `guard`.

    Return "" for other names, and for the characters of players.
    """
    found = HANDLE_PATTERN.fullmatch(who)
    if not found or not (found["place"] or _is_kind(found["kind"].rpartition("-")[2])) or book.player_of(who):
        return ""
    kind = found["kind"].replace("-", " ")
    return f"{kind} {found['place']}" if found["place"] else f"the {kind}"


def _is_kind(word: str) -> bool:
    """Return True for a being or a job, such as "guard", and for a noun from a verb, such as "collector"."""
    stem = word[:-2]
    verbs = {stem, f"{stem}e"} - SHORT_STEMS if stem[-1:] != stem[-2:-1] else {stem, stem[:-1]}
    is_doer = word.endswith(("er", "or")) and word not in SURNAMES and not VERBS.isdisjoint(verbs)
    return is_doer or word in CHARACTER_KINDS or word.endswith(("ier", "eer", "keeper", "master"))


SHORT_STEMS = {verb for verb in VERBS if re.fullmatch("[^aeiou]*[aeiou][^aeiouwxy]", verb)}
"""Verbs whose last letter is doubled before "er". So the name "peter" does not come from the verb "pet"."""

SURNAMES = {"parker", "skinner", "tucker", "turner", "walker"}
"""Names that look like jobs."""


def kind_of(names: Iterable[str]) -> str:
    """Return "goblin" for "goblin 1" and "goblin 2"; "" if the names are not of one kind."""
    kinds = {found["kind"] if (found := NUMBERED_NAME_PATTERN.fullmatch(name)) else "" for name in names}
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
    typed = (
        (name, word)
        for who, name in full.items()
        if not name.startswith("The ")
        for word in name.split()
        if slug(word).startswith(who) and not _is_kind(slug(word))  # not "Captain" for "Captain Grell"
    )
    return {name: word for name, word in typed if word not in {name, word.lower()} and words.count(slug(word)) == 1}


def name_shortener(book: Book) -> Callable[[Iterable[str]], tuple[str, ...]]:
    """Return a function that replaces full names in sentences with short names. Quotes stay unchanged.

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


def with_prose_names(book: Book, text: str) -> str:
    """Return the words of a deed with names instead of short names.

    A word after "the" or a similar word stays unchanged, because it means a thing.
    """
    named = [name for name in book.full_names().values() if name in text]
    words = text.split()
    for place in range(1, len(words)):
        who = re.sub("['\u2019]s$", "", words[place])
        has_the = not DETERMINERS.isdisjoint(words[max(place - 2, 0) : place])
        is_thing = words[place - 1] in DETERMINERS or (has_the and _is_kind(who))  # "the falling guard"
        if not is_thing and book.mark(CAST, who) is not None and (name := prose_name(book, who)) not in named:
            words[place] = (name.removeprefix("the ") if has_the else name) + words[place].removeprefix(who)
    return with_numbered_names(" ".join(words))
