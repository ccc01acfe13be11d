"""Attempts: typed deeds ("climbs the wall") as the end of a sentence ("tried to climb the wall")."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

# fmt: off
VERBS = frozenset((
    "absorb", "accelerate", "accept", "accuse", "acquire", "act", "adjust", "admire", "advise", "aid", "aim", "align",
    "ambush", "analyze", "answer", "anticipate", "apologize", "appease", "applaud", "appraise", "approach", "argue",
    "arm", "arrange", "arrest", "arrive", "ask", "assassinate", "assemble", "attack", "avoid", "awaken", "bait", "bake",
    "balance", "bandage", "bang", "banish", "bargain", "barricade", "barter", "bash", "bathe", "bear", "beat", "beckon",
    "befriend", "beg", "begin", "bend", "besiege", "bet", "betray", "bid", "bind", "bite", "blackmail", "blame",
    "blast", "blend", "bless", "blind", "block", "bluff", "blurt", "board", "boast", "boil", "bombard", "borrow",
    "bounce", "bow", "brace", "brake", "brandish", "brawl", "breach", "break", "breathe", "brew", "bribe", "bring",
    "browse", "build", "bully", "burn", "burrow", "burst", "bury", "bustle", "buy", "bypass", "cajole", "calculate",
    "call", "calm", "camp", "cancel", "capture", "carry", "carve", "cast", "catch", "cater", "celebrate", "chain",
    "channel", "chant", "charge", "charm", "chase", "cheat", "check", "cheer", "chew", "chop", "circle", "claw",
    "clean", "cleanse", "climb", "cling", "close", "coach", "coax", "collect", "comb", "comfort", "command",
    "commandeer", "commit", "compete", "complete", "compliment", "compose", "compute", "conceal", "concentrate",
    "confess", "confide", "confront", "confuse", "congratulate", "conjure", "connect", "consecrate", "console",
    "consult", "consume", "contact", "continue", "convert", "convince", "cook", "cool", "cooperate", "copy", "corner",
    "corrupt", "cosy", "cough", "count", "counter", "cover", "cower", "crack", "craft", "crank", "crash", "crawl",
    "create", "creep", "cringe", "criticize", "crochet", "cross", "crouch", "crumple", "crush", "cry", "cuff",
    "cultivate", "curb", "cure", "curse", "curtsy", "cut", "dabble", "dance", "dangle", "dare", "dash", "daydream",
    "deal", "debate", "deceive", "decide", "decipher", "declare", "decode", "decrypt", "defeat", "defend", "deflect",
    "defrost", "defuse", "defy", "delay", "deliver", "delve", "demand", "demolish", "dent", "deny", "deploy", "destroy",
    "detach", "detain", "detect", "deter", "detonate", "detour", "develop", "devour", "dictate", "dig", "dilute",
    "diminish", "direct", "disable", "disappear", "disarm", "discern", "discover", "disengage", "disguise", "dismantle",
    "dispel", "dissolve", "dissuade", "distract", "ditch", "dive", "divert", "dock", "dodge", "download", "doze",
    "drag", "drain", "drape", "draw", "dress", "drift", "drill", "drink", "drive", "drizzle", "drop", "drown", "drum",
    "duck", "duel", "dust", "earn", "eat", "eavesdrop", "echo", "educate", "eject", "elbow", "eliminate", "elude",
    "embarrass", "embrace", "emerge", "empty", "emulate", "enchant", "encourage", "encrypt", "end", "endure", "enforce",
    "engage", "enjoy", "enlist", "enrage", "entangle", "enter", "entertain", "entice", "entreat", "envision", "erase",
    "erect", "escape", "estimate", "evacuate", "evade", "evaluate", "exaggerate", "examine", "excavate", "exchange",
    "exclaim", "excuse", "exhaust", "exorcise", "expel", "explain", "explode", "exploit", "explore", "expose",
    "extinguish", "extract", "face", "faint", "fake", "fall", "fan", "fast", "fasten", "feed", "feign", "feint", "fend",
    "fetch", "fight", "fill", "find", "finish", "fire", "fish", "fix", "flail", "flank", "flash", "flatten", "flatter",
    "flee", "flicker", "fling", "flip", "flirt", "float", "flood", "flush", "flutter", "fly", "focus", "fold", "follow",
    "fool", "forage", "force", "forge", "forget", "forgive", "fortify", "frame", "freeze", "frighten", "frown",
    "fry", "fumble", "gag", "gain", "gallop", "gamble", "gather", "gesture", "get", "giggle", "give", "glance", "glare",
    "glide", "glimpse", "gloat", "glue", "gnaw", "go", "grab", "grapple", "greet", "grieve", "grin", "grind", "grip",
    "groom", "grovel", "growl", "grumble", "grunt", "guarantee", "guard", "guess", "guide", "gulp", "hack",
    "haggle", "hail",
    "hammer", "handcuff", "handle", "hang", "harass", "harvest", "haul", "haunt", "heal", "hear", "heat", "heave",
    "heckle", "help", "hesitate", "hew", "hide", "hinder", "hiss", "hit", "hobble", "hoist", "hold", "hoodwink", "hop",
    "hotwire", "hover", "howl", "huddle", "hug", "hum", "humiliate", "hunt", "hurl", "hurry", "hurt", "hush",
    "hypnotize", "identify", "ignite", "ignore", "illuminate", "imitate", "impersonate", "impress", "improve",
    "improvise", "incite", "indulge", "infiltrate", "inflict", "inform", "inhale", "inject", "inquire", "insert",
    "insist", "inspect", "inspire", "install", "instruct", "insult", "intercept", "interpret", "interrogate",
    "interrupt", "intimidate", "invade", "invent", "investigate", "invite", "invoke", "irritate", "itch", "jab", "jam",
    "jingle", "jog", "join", "jostle", "joust", "juggle", "jump", "keep", "kick", "kidnap", "kill", "kindle", "kiss",
    "kneel", "knock", "know", "label", "lament", "land", "lasso", "laugh", "launch", "lay", "lead", "lean", "leap",
    "learn", "leave", "lecture", "lend", "lengthen", "level", "lever", "lie", "lift", "light", "limp", "linger",
    "listen", "load", "loan", "lob", "locate", "lock", "look", "loosen", "loot", "lose", "lower", "lug", "lull",
    "lunge", "lurch", "lure", "lurk", "maintain", "make", "march", "marry", "master", "measure", "meddle", "mediate",
    "meditate", "meet", "melt", "memorize", "mend", "mention", "mesmerize", "migrate", "milk", "mimic", "misdirect",
    "mislead", "mix", "mock", "mollify", "motivate", "mount", "mourn", "move", "murder", "muster", "muzzle", "nap",
    "navigate", "negotiate", "nibble", "nod", "notice", "notify", "nudge", "nurse", "obey", "object", "obscure",
    "observe", "obstruct", "occupy", "offend", "offer", "ooze", "open", "operate", "oppose", "orate", "orbit", "order",
    "organize", "oust", "outflank", "outmaneuver", "outpace", "outrun", "outsmart", "outwit", "overcome", "overhear",
    "overload", "overpower", "override", "overtake", "overthrow", "pace", "pacify", "pack", "paddle", "paint",
    "pantomime", "paralyze", "pardon", "park", "parley", "parry", "participate", "pass", "patch", "paw", "pay",
    "peddle", "peek", "peel", "peer", "penetrate", "perceive", "perform", "persuade", "pet", "petition", "pick",
    "pickpocket", "pierce", "pile", "pillage", "pilot", "pin", "pinch", "pinpoint", "pivot", "placate", "place",
    "plant", "plaster", "play", "plead", "pledge", "plow", "pluck", "plug", "plunder", "plunge", "point", "poison",
    "polish", "ponder", "pose", "possess", "post", "pounce", "pour", "practice", "praise", "pray", "preach", "predict",
    "prepare", "press", "pretend", "prevent", "prick", "print", "probe", "procure", "program", "promise", "propose",
    "protect", "provoke", "prowl", "prune", "pry", "publish", "pull", "pump", "punch", "puncture", "punish", "purchase",
    "purify", "pursue", "push", "put", "puzzle", "quell", "question", "quicken", "quiet", "quit", "race", "raid",
    "raise", "rake", "rally", "ram", "ransom", "rattle", "reach", "read", "rearm", "reason", "reassure", "reboot",
    "rebuild", "rebuke", "recall", "receive", "recite", "reclaim", "recognize", "reconstruct", "recover", "recruit",
    "redirect", "refill", "reflect", "refuse", "rehearse", "rein", "reject", "rejoin", "relax", "relay", "release",
    "relieve", "reload", "rely", "remark", "remember", "remind", "remove", "renew", "rent", "reopen", "repair", "repel",
    "reply", "report", "reposition", "reprogram", "reroute", "rescue", "research", "reset", "resist", "rest", "restart",
    "restrain", "resurrect", "retell", "retort", "retreat", "retrieve", "return", "reveal", "reverse", "revive",
    "reward", "rewire", "ride", "ridicule", "rig", "ring", "rinse", "rip", "riposte", "ripple", "roam", "roar", "roast",
    "rob", "roll", "rope", "rotate", "rouse", "row", "rub", "ruin", "rummage", "run", "rush", "rustle", "sabotage",
    "saddle", "sail", "salute", "sample", "saunter", "save", "saw", "scale", "scan", "scar", "scare", "scatter",
    "scavenge", "scent", "scheme", "scold", "scoop", "scorch", "score", "scour", "scout", "scowl", "scramble", "scrape",
    "scratch", "scream", "scribble", "scrub", "scurry", "seal", "search", "secure", "seduce", "see", "seek", "seize",
    "sell", "send", "sense", "serenade", "serve", "set", "settle", "sever", "sew", "shadow", "shake", "shame",
    "sharpen", "shatter", "shelter", "shield", "shift", "shiver", "shoot", "shout", "shove", "show", "shred", "shrink",
    "shrug", "shuffle", "shut", "sidestep", "sift", "sigh", "signal", "silence", "simulate", "sing", "sink", "sip",
    "siphon", "sit", "sizzle", "skate", "sketch", "skin", "skip", "slam", "slap", "slash", "slaughter", "slay", "sleep",
    "slice", "slide", "slip", "slither", "slouch", "slug", "smash", "smear", "smell", "smile", "smirk", "smother",
    "smuggle", "snack", "snap", "snare", "snarl", "snatch", "sneak", "sneer", "sniff", "snip", "snipe", "snore", "soak",
    "soar", "sob", "sober", "soften", "solder", "solicit", "solve", "somersault", "soothe", "sort", "sow", "spar",
    "speak", "speed", "spell", "spill", "spin", "spit", "splash", "splint", "splinter", "split", "sponge", "sponsor",
    "spook", "spot", "spray", "spread", "sprint", "sprout", "spur", "spy", "squash", "squat", "squeeze", "squint",
    "squirm", "stab", "stabilize", "stack", "stalk", "stall", "stammer", "stampede", "stand", "stare", "start",
    "startle", "starve", "stash", "stay", "steady", "steal", "steer", "step", "stick", "stifle", "stir", "stitch",
    "stoke", "stomp", "stop", "stow", "straddle", "straighten", "strain", "strand", "strangle", "strap", "strategize",
    "stray", "strike", "strip", "stroke", "stroll", "struggle", "strum", "strut", "study", "stumble", "stun", "stunt",
    "subdue", "submerge", "submit", "summarize", "summon", "supervise", "supply", "support", "suppress", "surf",
    "surprise", "surrender", "surround", "survive", "suspend", "sustain", "suture", "swagger", "swallow", "swap",
    "swarm", "swat", "sway", "swear", "sweep", "swim", "swindle", "swing", "swipe", "swirl", "switch", "swoop",
    "synchronize", "tack", "tackle", "tail", "tailgate", "take", "talk", "tame", "tangle", "tap", "taper", "taste",
    "taunt", "teach", "tear", "tease", "tell", "tempt", "tend", "test", "tether", "thank", "thaw", "think", "thrash",
    "thread", "threaten", "throttle", "throw", "thrust", "thwart", "tickle", "tidy", "tie", "tighten", "tilt", "tinker",
    "tip", "tiptoe", "toast", "toil", "topple", "torch", "torment", "torture", "toss", "touch", "tow", "trace", "track",
    "trade", "trail", "train", "trample", "transcribe", "transform", "translate", "transmit", "transport", "trap",
    "travel", "tread", "treat", "trek", "tremble", "trespass", "trick", "trim", "trip", "trot", "trudge", "trust",
    "tug", "tumble", "tune", "turn", "tutor", "twirl", "twist", "twitch", "unblock", "uncoil", "uncork", "uncover",
    "understand", "undo", "undress", "unearth", "unfold", "unhook", "unleash", "unload", "unlock", "unmask", "unpack",
    "unplug", "unravel", "unroll", "unscrew", "unsheathe", "untangle", "untie", "unveil", "unwrap", "upload", "uproot",
    "urge", "use", "usher", "utter", "vanish", "vanquish", "vault", "veil", "ventilate", "venture", "verify", "visit",
    "vomit", "vouch", "vow", "wade", "waft", "wag", "wail", "wait", "wake", "walk", "wander", "want", "warble", "warm",
    "warn", "wash", "waste", "watch", "wave", "waver", "waylay", "weaken", "wean", "weave", "wedge", "weep", "welcome",
    "weld", "whack", "wheel", "whimper", "whine", "whip", "whirl", "whisper", "whistle", "whittle", "widen", "wield",
    "wiggle", "win", "winch", "wink", "wipe", "wire", "withdraw", "withstand", "wobble", "wonder", "woo", "work",
    "worship", "wound", "wrap", "wreck", "wrench", "wrestle", "wriggle", "wring", "write", "yank", "yawn", "yell",
    "yodel",
))
"""Verbs in the form that follows "to"."""

NOUNS = frozenset((
    "aid", "bake", "bang", "bear", "bet", "blend", "blind", "boil", "bounce", "brake", "brew", "camp", "chain", "chant",
    "compliment", "contact", "copy", "cough", "craft", "crank", "dance", "deal", "delay", "detour", "dress", "drift",
    "drizzle", "drum", "dust", "echo", "elbow", "end", "exchange", "excuse", "face", "fall", "fan", "fast", "fire",
    "fish", "flash", "flood", "fold", "fool", "frame", "fumble", "glue", "grin", "grip", "groom", "grunt", "guard",
    "guide", "hiss", "jab", "kidnap", "label", "lasso", "lean", "level", "lever", "light", "limp", "loan", "lob",
    "lock", "lull", "lunge", "master", "measure", "mix", "nap", "object", "order", "pace", "pardon", "park", "patch",
    "paw", "peer", "pet", "petition", "pile", "pin", "place", "plant", "plaster", "play", "pledge", "plug", "plunge",
    "point", "polish", "pose", "post", "practice", "print", "probe", "program", "promise", "pump", "purchase", "puzzle",
    "question", "race", "raid", "rake", "ransom", "rattle", "reason", "recruit", "relay", "release", "rent", "report",
    "research", "rest", "return", "reverse", "reward", "ring", "roast", "rope", "row", "salute", "sample", "saw",
    "scale", "scar", "scent", "scheme", "scoop", "score", "scrape", "seal", "shadow", "shake", "shelter", "shield",
    "shiver", "show", "shuffle", "sigh", "signal", "silence", "skate", "sketch", "skin", "slap", "slaughter", "sleep",
    "slug", "smear", "smell", "snack", "solder", "speed", "spell", "spit", "splash", "sponge", "sponsor", "spray",
    "spread", "spur", "squat", "stack", "stall", "steady", "step", "stick", "stoke", "strain", "strand", "strap",
    "strip", "stunt", "supply", "support", "surf", "swarm", "swipe", "tack", "tail", "tangle", "tap", "taste", "test",
    "thread", "tilt", "tip", "toast", "toil", "torch", "toss", "trace", "track", "trail", "train", "trap", "treat",
    "trick", "trim", "tune", "turn", "tutor", "twirl", "usher", "veil", "visit", "vow", "wail", "waste", "wave",
    "wheel", "whine", "whip", "whirl", "winch", "wire", "work", "wound", "yawn", "yodel",
))
"""Words that are more often nouns than verbs, as in "traps in the floor". They are verbs only before "the" and such."""

DETERMINERS = frozenset((
    "a", "an", "another", "any", "both", "each", "every", "her", "his", "its", "my", "no", "our", "some", "these",
    "this", "those", "your", "one", "two", "three", "four", "five", "six", "him", "them", "it", "me", "us", "himself",
    "herself", "itself", "themselves", "myself", "everybody", "everyone", "somebody", "someone", "everything", "the",
))
"""Words that show that the word right before them is a verb: "climbs the wall", "hides it"."""

PREPOSITIONS = frozenset((
    "aboard", "about", "above", "across", "against", "along", "among", "around", "at", "away", "back", "behind",
    "below", "beneath", "beside", "between", "beyond", "by", "down", "for", "forward", "from", "in", "inside",
    "into", "near", "off", "on", "onto", "out", "outside", "over", "past", "through", "to", "toward", "towards",
    "under", "up", "upon", "with", "within", "without",
))

CLAUSE_WORDS = frozenset((
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
"""Prepositions before a place. A deed such as "over the wall" means to get to this place."""

QUESTIONS = frozenset(("how", "if", "what", "when", "where", "whether", "which", "who", "whose", "why"))

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
"""Verbs of speaking and thinking: after them, "that" starts a clause. After other verbs, "that" points to a thing."""

ROLL_NOUNS = frozenset(("attempt", "check", "damage", "of", "roll", "save", "skill", "test", "throw"))
"""Words that show that the word before them is a noun, as in "climb check"."""

SUBORDINATE = re.compile(
    r" (after|as|because|before|how|if|than|that|until|what|when|where|whether|which|while|who|why) "
)
"""A pattern for a word that starts a clause inside a deed."""

# fmt: off
THINGS = frozenset((
    "acorn", "amulet", "anvil", "arrow", "axe", "bag", "ball", "bandage", "barrel", "beam", "beer", "bell", "blade",
    "blanket", "boat", "bolt", "bomb", "book", "boot", "bottle", "boulder", "bow", "branch", "bribe", "brick", "bridge",
    "bullet", "candle", "cart", "ceiling", "chain", "chair", "chest", "claw", "club", "crossbow", "crown", "cup",
    "curse", "dagger", "dart", "debt", "disguise", "door", "drink", "duel", "elixir", "explosion", "fine", "fist",
    "gate", "gem", "gift", "grenade", "hammer", "harpoon", "helmet", "herb", "horse", "idea", "joke", "key", "kit",
    "knife", "ladder", "lance", "lantern", "lesson", "letter", "lock", "mace", "map", "meal", "mine", "mushroom",
    "necklace", "needle", "net", "palace", "permit", "pistol", "pit", "plan", "potion", "punch", "quest", "reroll",
    "rescue", "reward", "ricochet", "ride", "rifle", "ring", "riot", "rock", "rod", "roof", "room", "rope", "saddle",
    "salve", "scroll", "scythe", "shield", "ship", "shot", "shotgun", "slap", "sling", "song", "spear", "speech",
    "spike", "stab", "staff", "statue", "sting", "stone", "storm", "story", "stunt", "sword", "tail", "thorn", "ticket",
    "toll", "tonic", "tool", "torch", "trap", "trapdoor", "trick", "tusk", "wager", "wall", "wand", "whip", "window",
    "wound", "wreck",
))
# fmt: on
"""Things that people name without their article, as in "healing potion" or "dagger"."""

LONGEST_THING = 6
"""The maximum number of words for a thing that a sentence can name in the middle."""

CONJUNCTIONS = {"and", "or", "then"}


def attempt(deed: str) -> str | None:
    """Return a deed in the form that follows "tried to"; `None` if that form is not certain.

    >>> attempt("Climbs the wall and looks at the river.")
    'climb the wall and look at the river'
    >>> attempt("hides, hoping that nobody looks")
    'hide, hoping that nobody would look'
    >>> attempt("keeps quiet while the lantern passes")
    'keep quiet while the lantern passes'
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
    if not words or not re.fullmatch(r"[\w '\u2019-]+", text) or CLAUSE_WORDS & set(lower):
        return None
    start = 2 if lower[0] in WANTING and lower[1:2] == ["to"] else 1 if lower[0] == "to" else 0
    words, lower = words[start:], lower[start:]
    forms = _forms(words, is_base=bool(says_i or start)) if words else None
    return None if forms is None else _with_later_verbs(words, lower, forms)


def _with_clause(main: str | None, joint: str, clause: str) -> str | None:
    """Return the deed `main` with the clause that follows it, as in "see who was there".

    The clause stays as typed, except that short verbs, and verbs after "that", get the past tense. `joint` is the word
    between the deed and the clause. Return `None` without a deed, or if the past tense of the clause is not certain.
    """
    words = clause.split()
    if (
        main is None
        or not re.fullmatch(r"[\w '\u2019-]+", clause)
        or {*map(str.lower, words)} & (CONJUNCTIONS | FIRST_PERSON)
    ):
        return None
    if joint != "that":
        return f"{main} {joint} {' '.join(PAST_OF_SHORT_VERBS.get(word, word) for word in words)}"
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
    if not (belongs and re.fullmatch(r"[\w '\u2019-]+", rest)) or all_words & (CONJUNCTIONS | FIRST_PERSON):
        return None
    if any(map(_is_present, own.split())):
        return None
    return f"{own}{that}{' '.join(map(_would, other.split()))}"


def _is_present(word: str) -> bool:
    return word in PAST_OF_SHORT_VERBS or (
        word in infinitives_by_third_person() and infinitives_by_third_person()[word] not in NOUNS
    )


PAST_OF_SHORT_VERBS = {
    "is": "was", "are": "were", "has": "had", "have": "had", "can": "could", "will": "would", "wants": "wanted",
    "needs": "needed", "says": "said", "does": "did", "want": "wanted", "need": "needed", "say": "said",
}  # fmt: skip
"""Common verbs with their past tense, as in "hoping that nobody was there". Other verbs follow "would" instead."""


def _would(word: str) -> str:
    """Return a verb of a present clause as it follows "hoping that": "would look" for "looks"."""
    return PAST_OF_SHORT_VERBS.get(word) or (
        f"would {infinitives_by_third_person()[word]}" if _is_present(word) else word
    )


def _forms(words: list[str], *, is_base: bool) -> Mapping[str, str] | None:
    """Map verbs to their base forms, such as "climbs" to "climb".

    `words` are the words of a deed. All verbs in the map have the form of the first word. Return `None` if the
    first word may not be a verb. With `is_base`, the first word must be in the base form, as after "to" or "I".
    """
    first, second = words[0].lower(), words[1] if len(words) > 1 else ""
    after = second.lower()
    has_object = after in DETERMINERS | {"again", "hard"} or second != after  # a capital letter starts a name
    base = dict(zip(VERBS, VERBS, strict=True))
    if is_base:
        return base if first in VERBS else None
    if first in VERBS:
        is_verb = has_object or after.endswith("ly")
        return base if is_verb or (first not in NOUNS and after not in ROLL_NOUNS) else None
    if first in gerunds():
        return None if after in THINGS and len(words) == 2 else gerunds()  # noqa: PLR2004  "healing potion"
    if (
        after in DETERMINERS
        and (unknown := UNLISTED_VERB.fullmatch(first))
        and first not in {*infinitives_by_third_person(), *PREPOSITIONS, *WANTING}
    ):
        return {first: f"{unknown[1]}y" if unknown[1] else unknown[2] or unknown[3]}
    verb = infinitives_by_third_person().get(first, "")
    is_certain = verb and (has_object or after in MOTION or (verb not in NOUNS and after != "of"))
    return infinitives_by_third_person() if is_certain else None


UNLISTED_VERB = re.compile(
    r"(?!always|perhaps|sometimes|besides)(?:(\w{2,})ies|(\w{2,}(?:ss|sh|ch|x|zz|o))es|(\w{2,}[^sui\W])s)"
)
"""A pattern for verbs that are not in `VERBS`, if a word such as "the" follows: "bakes the bread"."""


def _with_later_verbs(words: list[str], lower: list[str], forms: Mapping[str, str]) -> str | None:
    """Return the words with the first verb, and each verb after "and", in its base form.

    `lower` has the words in small letters. Return `None` if it is not certain that a word after "and" is a verb.
    """
    changed = [forms[lower[0]], *words[1:]]
    for place in range(1, len(words)):
        if lower[place] in CONJUNCTIONS:
            following = [*lower[place + 1 : place + 3], "", ""]
            has_capital = words[place + 1 : place + 2] != lower[place + 1 : place + 2]
            if following[0] in CONJUNCTIONS | DETERMINERS | PREPOSITIONS or has_capital:
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
    if not is_indirect:
        return None
    asked = [lower[0], *map(_would, words[1:])]
    verb = 1 if asked[0] == "who" else -1 if asked[0] == "how" and asked[1] not in {"few", "many", "much"} else 0
    asked[verb] = f"would {base}" if (base := infinitives_by_third_person().get(asked[verb])) else asked[verb]
    return " ".join(asked)


def is_thing(deed: str) -> bool:
    """Return True if a deed names a thing or a place, such as "the beam" or "over the wall"."""
    words = deed.lower().split()
    return (
        words[0] in DETERMINERS - {"no"} | PREPOSITIONS and len(words) <= LONGEST_THING and not CLAUSE_WORDS & {*words}
    )


@cache
def gerunds() -> dict[str, str]:
    """Map "climbing" to "climb", for all verbs. It also has forms that nobody types, such as "climbbing"."""
    regular = {f"{stem}ing": verb for verb in VERBS for stem in (verb, f"{verb}{verb[-1]}", verb.removesuffix("e"))}
    return regular | {f"{verb[:-2]}ying": verb for verb in VERBS if verb.endswith("ie")}


@cache
def infinitives_by_third_person() -> dict[str, str]:
    """Map "climbs" to "climb", for all verbs."""
    return {_third_person(verb): verb for verb in VERBS}


def _third_person(verb: str) -> str:
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if re.search("[^aeiou]y$", verb) else f"{verb}s"
