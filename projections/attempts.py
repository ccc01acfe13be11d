"""Attempts as people type them ("climbs the wall"), as the end of a sentence: "tried to climb the wall"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

# fmt: off
VERBS = frozenset((
    "absorb", "accelerate", "accept", "accuse", "acquire", "act", "adjust", "admire", "advise", "aim", "align",
    "ambush", "analyze", "answer", "anticipate", "apologize", "appease", "applaud", "appraise", "approach", "argue",
    "arm", "arrange", "arrest", "arrive", "ask", "assassinate", "assemble", "attack", "avoid", "awaken", "bait",
    "balance", "bandage", "banish", "bargain", "barricade", "barter", "bash", "bear", "beat", "befriend", "beg",
    "bend", "besiege", "bet", "betray", "bid", "bind", "bite", "blackmail", "blame", "blast", "blend", "bless",
    "blind", "block", "bluff", "board", "boil", "bombard", "bow", "brace", "brake", "brandish", "brawl", "breach",
    "break", "breathe", "brew", "bribe", "bring", "build", "bully", "burn", "burrow", "burst", "bury", "buy",
    "bypass", "calculate", "call", "calm", "camp", "capture", "carry", "carve", "cast", "catch", "chain", "channel",
    "chant", "charge", "charm", "chase", "cheat", "check", "cheer", "chew", "chop", "claw", "clean", "cleanse",
    "climb", "cling", "close", "coach", "coax", "collect", "comb", "comfort", "command", "commandeer", "complete",
    "compose", "conceal", "concentrate", "confess", "confront", "confuse", "conjure", "consecrate", "console",
    "consult", "continue", "convert", "convince", "cook", "cool", "cooperate", "copy", "corner", "corrupt", "count",
    "counter", "cover", "cower", "crack", "craft", "crash", "crawl", "create", "creep", "cross", "crouch", "crumple",
    "crush", "cuff", "cultivate", "curb", "cure", "curse", "curtsy", "cut", "dance", "dangle", "dare", "dash", "deal",
    "debate", "deceive", "decide", "decipher", "declare", "decode", "decrypt", "defeat", "defend", "deflect",
    "defuse", "defy", "delay", "deliver", "delve", "demand", "demolish", "dent", "deny", "deploy", "destroy",
    "detect", "detonate", "develop", "dig", "direct", "disable", "disarm", "discern", "discover", "disengage",
    "disguise", "dismantle", "dispel", "dissolve", "dissuade", "distract", "ditch", "dive", "divert", "dock", "dodge",
    "download", "drag", "drain", "drape", "draw", "drift", "drill", "drink", "drive", "drop", "drown", "duck", "duel",
    "dust", "earn", "eat", "eavesdrop", "eject", "elbow", "elude", "embarrass", "embrace", "empty", "enchant",
    "encourage", "encrypt", "end", "endure", "enforce", "engage", "enlist", "enter", "entertain", "entice", "entreat",
    "erase", "erect", "escape", "estimate", "evade", "evaluate", "examine", "exhaust", "exorcise", "explain",
    "explore", "expose", "extinguish", "extract", "face", "fake", "fall", "fast", "fasten", "feed", "feign", "feint",
    "fend", "fetch", "fight", "fill", "find", "finish", "fire", "fish", "fix", "flank", "flatter", "flee", "fling",
    "flip", "flirt", "float", "flush", "fly", "focus", "fold", "follow", "fool", "forage", "force", "forge",
    "fortify", "free", "freeze", "frighten", "frown", "fumble", "gag", "gain", "gamble", "gather", "gesture", "get",
    "give", "glance", "glare", "glide", "glue", "gnaw", "go", "grab", "grapple", "greet", "grind", "grip", "growl",
    "guard", "guess", "guide", "gulp", "hack", "haggle", "hail", "hammer", "handcuff", "handle", "hang", "harvest",
    "haul", "heal", "hear", "heat", "heave", "help", "hew", "hide", "hinder", "hit", "hoist", "hold", "hop",
    "hotwire", "hover", "howl", "hug", "hum", "humiliate", "hunt", "hurl", "hurry", "hurt", "hypnotize", "identify",
    "ignite", "ignore", "imitate", "impersonate", "impress", "improve", "improvise", "infiltrate", "inform", "inject",
    "inquire", "insist", "inspect", "inspire", "instruct", "insult", "intercept", "interpret", "interrogate",
    "interrupt", "intimidate", "invent", "investigate", "invite", "invoke", "jab", "jam", "join", "juggle", "jump",
    "keep", "kick", "kill", "kiss", "kneel", "knock", "know", "land", "lasso", "laugh", "launch", "lead", "leap",
    "learn", "leave", "lecture", "lever", "lie", "lift", "light", "limp", "listen", "load", "lob", "locate", "lock",
    "look", "loosen", "loot", "lose", "lower", "lunge", "lure", "lurk", "maintain", "make", "march", "measure",
    "meditate", "meet", "melt", "memorize", "mend", "milk", "mimic", "misdirect", "mislead", "mix", "mock", "mollify",
    "motivate", "mount", "move", "navigate", "negotiate", "nod", "notice", "nudge", "nurse", "observe", "offer",
    "open", "oppose", "order", "outmaneuver", "outrun", "outsmart", "outwit", "overhear", "overpower", "override",
    "overtake", "pacify", "pack", "paddle", "paint", "paralyze", "park", "parry", "pass", "patch", "pay", "peek",
    "perceive", "perform", "persuade", "pet", "pick", "pickpocket", "pierce", "pile", "pilot", "pin", "pinch",
    "pinpoint", "placate", "plant", "play", "plead", "plug", "point", "poison", "polish", "ponder", "pose", "pounce",
    "pour", "praise", "pray", "preach", "prepare", "press", "pretend", "prevent", "program", "protect", "provoke",
    "pry", "pull", "punch", "puncture", "purify", "pursue", "push", "put", "quell", "question", "quiet", "race",
    "raise", "rally", "ram", "reach", "read", "rearm", "reason", "reassure", "reboot", "rebuild", "rebuke", "recall",
    "recite", "recognize", "reconstruct", "recover", "recruit", "reflect", "rein", "release", "reload", "remember",
    "remove", "reopen", "repair", "repel", "report", "reprogram", "rescue", "resist", "rest", "restart", "restrain",
    "retreat", "retrieve", "return", "reveal", "revive", "rewire", "ride", "ridicule", "rig", "ring", "rip",
    "riposte", "roar", "rob", "roll", "rope", "rotate", "rouse", "row", "ruin", "rummage", "run", "rush", "sabotage",
    "sail", "salute", "save", "saw", "scale", "scan", "scare", "scatter", "scavenge", "scold", "scour", "scout",
    "scramble", "scrape", "scratch", "scream", "scrub", "seal", "search", "secure", "seduce", "see", "seek", "seize",
    "sell", "send", "sense", "serve", "set", "settle", "sew", "shadow", "shake", "shame", "sharpen", "shatter",
    "shield", "shift", "shoot", "shout", "shove", "show", "shred", "shrug", "shuffle", "sidestep", "sift", "signal",
    "sing", "sink", "sip", "sit", "skip", "slam", "slap", "slash", "slay", "slice", "slide", "slip", "slither",
    "smash", "smell", "smile", "smother", "smuggle", "snap", "snare", "snatch", "sneak", "sniff", "snipe", "soak",
    "soar", "sober", "soften", "solder", "solve", "somersault", "soothe", "sort", "speak", "spill", "spin", "splash",
    "splinter", "split", "spook", "spot", "sprint", "spy", "squeeze", "squirm", "stab", "stabilize", "stack", "stalk",
    "stall", "stand", "stare", "start", "startle", "stash", "stay", "steal", "steer", "stick", "stir", "stitch",
    "stoke", "stop", "strangle", "strike", "stroke", "stroll", "struggle", "study", "stumble", "stun", "subdue",
    "summon", "support", "suppress", "surprise", "surrender", "survive", "suture", "swallow", "swap", "swarm", "swat",
    "sway", "swear", "sweep", "swim", "swing", "switch", "swoop", "tackle", "tail", "take", "talk", "tame", "tap",
    "taste", "taunt", "teach", "tear", "tease", "tell", "tempt", "tend", "test", "threaten", "throttle", "throw",
    "tickle", "tie", "tighten", "tilt", "tinker", "tip", "tiptoe", "topple", "torture", "toss", "touch", "trace",
    "track", "trade", "trail", "train", "trample", "translate", "transport", "trap", "travel", "treat", "trick",
    "trip", "trust", "tug", "tumble", "tune", "turn", "twist", "unblock", "uncover", "understand", "undo", "unhook",
    "unleash", "unload", "unlock", "unmask", "unpack", "unplug", "unravel", "unscrew", "untangle", "untie", "unwrap",
    "upload", "use", "vanish", "vault", "visit", "wade", "wait", "wake", "walk", "wander", "warn", "wash", "watch",
    "wave", "weave", "wedge", "weld", "whisper", "whistle", "wield", "win", "wink", "wipe", "wire", "withstand",
    "woo", "work", "wrap", "wreck", "wrench", "wrestle", "wriggle", "write", "yank", "yell",
))
"""Verbs in the form that follows "to"."""

NOUNS = frozenset((
    "bear", "bet", "blend", "blind", "boil", "brake", "brew", "camp", "chain", "chant", "copy", "craft", "dance",
    "deal", "delay", "drift", "dust", "elbow", "end", "face", "fall", "fast", "fire", "fish", "fold", "fool",
    "fumble", "glue", "grip", "guard", "guide", "jab", "land", "lasso", "lever", "light", "limp", "lob", "lock",
    "lunge", "measure", "mix", "order", "park", "patch", "pet", "pile", "pin", "plant", "play", "plug", "point",
    "polish", "pose", "program", "question", "race", "reason", "recruit", "release", "report", "rest", "return",
    "ring", "rope", "row", "salute", "saw", "scale", "scrape", "seal", "shadow", "shake", "shield", "show", "shuffle",
    "signal", "slap", "smell", "solder", "splash", "stack", "stall", "stick", "stoke", "support", "swarm", "tail",
    "tap", "taste", "test", "tilt", "tip", "toss", "trace", "track", "trail", "train", "trap", "treat", "trick",
    "tune", "turn", "visit", "wave", "wire", "work",
))
"""Verbs whose forms are more often nouns, as in "traps in the floor". They count only before a word like "the"."""

DETERMINERS = frozenset((
    "a", "an", "another", "any", "both", "each", "every", "her", "his", "its", "my", "no", "our", "some", "these",
    "this", "those", "your", "one", "two", "three", "four", "five", "six", "him", "them", "it", "me", "us", "himself",
    "herself", "itself", "themselves", "myself", "everybody", "everyone", "somebody", "someone", "everything", "the",
))
"""Words that show, right after a verb, that it is a verb: "climbs the wall", "hides it"."""

PREPOSITIONS = frozenset((
    "aboard", "about", "above", "across", "against", "along", "among", "around", "at", "away", "back", "behind",
    "below", "beneath", "beside", "between", "beyond", "by", "down", "for", "forward", "from", "in", "inside",
    "into", "near", "off", "on", "onto", "out", "outside", "over", "past", "through", "to", "toward", "towards",
    "under", "up", "upon", "with", "within", "without",
))

CLAUSES = frozenset((
    "after", "although", "am", "are", "as", "because", "been", "before", "but", "can", "cannot", "could", "did",
    "do", "does", "don't", "had", "has", "have", "he", "how", "if", "i", "is", "may", "might", "must", "nor", "shall",
    "she", "should", "since", "so", "than", "that", "they", "though", "unless", "until", "was", "we", "were", "what",
    "when", "where", "whether", "which", "while", "who", "whom", "whose", "why", "will", "would", "you",
))
"""Words that may start another clause, whose verb would have to change, too."""
# fmt: on

MOTION = frozenset((
    "across", "around", "behind", "below", "beneath", "beyond", "down", "inside", "into", "off", "onto", "out",
    "outside", "over", "past", "through", "to", "toward", "towards", "under", "up",
))  # fmt: skip
"""Prepositions after which a place follows: a deed such as "over the wall" means to get there."""

QUESTIONS = frozenset(("how", "if", "what", "when", "where", "whether", "which", "who", "why"))

AUXILIARIES = frozenset((
    "am", "are", "can", "could", "did", "do", "does", "had", "has", "have", "is", "may", "should", "was", "were",
    "will", "would",
))  # fmt: skip
"""Verbs that come before the subject in a direct question: "what does he want"."""

FIRST_PERSON = {"i", "me", "my", "myself", "our", "us", "we"}

WANTING = frozenset(("attempt", "attempts", "attempting", "tries", "try", "trying", "wants"))
"""Words before "to" that only say that this is an attempt."""

SAYING = frozenset((
    "assure", "bluff", "claim", "confess", "convince", "explain", "hope", "know", "lie", "notice", "persuade",
    "pretend", "prove", "see", "show", "swear", "tell", "warn",
))  # fmt: skip
"""Verbs after which "that" begins what somebody says or thinks. After other verbs it describes a thing."""

ROLLS = frozenset(("attempt", "check", "damage", "of", "roll", "save", "skill", "test", "throw"))
"""Words that show that the word before them is a noun, as in "climb check"."""

SUBORDINATE = re.compile(r" (that|how|what|where|whether|which|who|why) ")
"""A word that begins a clause of its own inside a deed."""

LONGEST_THING = 6
"""The maximum number of words for a thing that a sentence can name in the middle."""

AND = {"and", "or", "then"}


def attempt(deed: str) -> str | None:
    """Return a deed in the form that follows "tried to"; `None` if that form is not certain.

    >>> attempt("Climbs the wall and looks at the river.")
    'climb the wall and look at the river'
    >>> attempt("hides, hoping that nobody looks")
    'hide, hoping that nobody would look'
    >>> attempt("klettert über die Mauer")
    """
    text, comma, rest = deed.strip().rstrip(".!").partition(",")
    if comma:
        before, after = attempt(text), _after_comma(rest)
        return before and after and f"{before}, {after}"
    if clause := SUBORDINATE.search(text):
        return _with_clause(attempt(text[: clause.start()]), clause[1], text[clause.end() :])
    words = text.split()
    lower = [word.lower().replace("\u2019", "'") for word in words]
    says_i = lower[:1] == ["i"] and not FIRST_PERSON & {*lower[1:]}
    words, lower = words[says_i:], lower[says_i:]
    if not words or not re.fullmatch(r"[\w '\u2019-]+", text) or CLAUSES & set(lower):
        return None
    start = 2 if lower[0] in WANTING and lower[1:2] == ["to"] else 1 if lower[0] == "to" else 0
    words, lower = words[start:], lower[start:]
    forms = _forms(words, is_base=bool(says_i or start)) if words else None
    return None if forms is None else _with_later_verbs(words, lower, forms)


def _with_clause(main: str | None, joint: str, clause: str) -> str | None:
    """Return a deed with the clause after it in the past: "see who was there"; `None` if this is not certain."""
    words = clause.split()
    if main is None or not re.fullmatch(r"[\w '\u2019-]+", clause) or {*map(str.lower, words)} & (AND | FIRST_PERSON):
        return None
    if joint != "that":
        return f"{main} {joint} {' '.join(BE.get(word, word) for word in words)}"
    return f"{main} that {' '.join(map(_would, words))}" if main.split()[0] in SAYING else None


def _after_comma(rest: str) -> str | None:
    """Return the words after a comma as a part of a sentence in the past: "hoping that nobody would look".

    Return `None` if they may not belong to the verb before the comma, as in ", then she runs".
    """
    before, that, after = rest.strip().rpartition(" that ")
    own, other = (before, after) if that else (after, "")
    first = [*own.lower().split(), ""][0]
    belongs = first.endswith("ing") or first in PREPOSITIONS | {"without"} or (own == "so" and other)
    all_words = {*re.findall(r"[\w'\u2019-]+", rest.lower())}
    if not (belongs and re.fullmatch(r"[\w '\u2019-]+", rest)) or all_words & (AND | FIRST_PERSON):
        return None
    if any(map(_is_present, own.split())):
        return None
    return f"{own}{that}{' '.join(map(_would, other.split()))}"


def _is_present(word: str) -> bool:
    return word in BE or (word in thirds() and thirds()[word] not in NOUNS)


BE = {"is": "was", "are": "were", "has": "had", "have": "had", "can": "could", "will": "would"}
"""The past tense of short verbs."""


def _would(word: str) -> str:
    """Return a verb of a present clause as it follows "hoping that": "would look" for "looks"."""
    return BE.get(word) or (f"would {thirds()[word]}" if _is_present(word) else word)


def _forms(words: list[str], *, is_base: bool) -> Mapping[str, str] | None:
    """Map the verbs, in the form that the first word of a deed has, to their base forms.

    Return `None` if that word may not be a verb. With `is_base`, it must be in the base form, as after "to" or "I".
    """
    first, second = words[0].lower(), words[1] if len(words) > 1 else ""
    after = second.lower()
    has_object = after in DETERMINERS | {"again", "hard"} or second != after  # a capital letter starts a name
    base = dict(zip(VERBS, VERBS, strict=True))
    if is_base:
        return base if first in VERBS else None
    if first in VERBS:
        is_verb = has_object or after.endswith("ly")
        return base if is_verb or (first not in NOUNS and after not in ROLLS) else None
    if first in _gerunds():
        return _gerunds()
    if (
        after in DETERMINERS
        and (unknown := UNKNOWN.fullmatch(first))
        and first not in {*thirds(), *PREPOSITIONS, *WANTING}
    ):
        return {first: f"{unknown[1]}y" if unknown[1] else unknown[2] or unknown[3]}
    verb = thirds().get(first, "")
    is_certain = verb and (has_object or after in MOTION or (verb not in NOUNS and after != "of"))
    return thirds() if is_certain else None


UNKNOWN = re.compile(
    r"(?!always|perhaps|sometimes|besides)(?:(\w{2,})ies|(\w{2,}(?:ss|sh|ch|x|zz|o))es|(\w{2,}[^sui\W])s)"
)
"""A pattern for verbs that are not in `VERBS`, if a word such as "the" follows: "bakes the bread"."""


def _with_later_verbs(words: list[str], lower: list[str], forms: Mapping[str, str]) -> str | None:
    """Change the first verb and each verb after "and". Return `None` if a word after "and" may be another verb."""
    changed = [forms[lower[0]], *words[1:]]
    for place in range(1, len(words)):
        if lower[place] in AND:
            following = [*lower[place + 1 : place + 3], "", ""]
            has_capital = words[place + 1 : place + 2] != lower[place + 1 : place + 2]
            if following[0] in AND | DETERMINERS or has_capital:
                continue
            is_last = following[1] == "" and forms.get(following[0]) not in NOUNS
            if following[0] not in forms or not (is_last or following[1] in DETERMINERS | PREPOSITIONS):
                return None
            changed[place + 1] = forms[following[0]]
    return " ".join(changed)


def question(deed: str) -> str | None:
    """Return a deed that is an indirect question, such as "how long it takes"; `None` for other deeds."""
    words = deed.rstrip(".").split()
    lower = [word.lower() for word in words]
    is_indirect = lower[0] in QUESTIONS and len(words) > 1 and lower[1] not in AUXILIARIES and deed[-1:] != "?"
    return " ".join([lower[0], *words[1:]]) if is_indirect else None


def is_thing(deed: str) -> bool:
    """Return True if a deed names a thing or a place, such as "the beam" or "over the wall"."""
    words = deed.lower().split()
    return words[0] in DETERMINERS | PREPOSITIONS and len(words) <= LONGEST_THING and not CLAUSES & {*words}


@cache
def _gerunds() -> dict[str, str]:
    """Map "climbing" to "climb", for all verbs. It also has forms that nobody types, such as "climbbing"."""
    regular = {f"{stem}ing": verb for verb in VERBS for stem in (verb, f"{verb}{verb[-1]}", verb.removesuffix("e"))}
    return regular | {f"{verb[:-2]}ying": verb for verb in VERBS if verb.endswith("ie")}


@cache
def thirds() -> dict[str, str]:
    """Map "climbs" to "climb", for all verbs."""
    return {_third(verb): verb for verb in VERBS}


def _third(verb: str) -> str:
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if re.search("[^aeiou]y$", verb) else f"{verb}s"
