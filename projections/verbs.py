"""Verbs that people type about acts, and their forms."""

from __future__ import annotations

import re
from functools import cache

# fmt: off
AMERICAN_VERBS = frozenset((
    "abseil", "absorb", "accelerate", "accept", "accuse", "acquire", "act", "adjust", "admire", "advise", "aid", "aim",
    "align", "ambush", "analyze", "answer", "anticipate", "apologize", "appear", "appease", "applaud", "appraise",
    "approach", "argue", "arm", "arrange", "arrest", "arrive", "ask", "assassinate", "assemble", "assure", "attack",
    "avenge", "avoid", "awaken", "bail", "bait", "bake", "balance", "bandage", "bang", "banish", "bargain", "barge",
    "barricade", "barter", "bash", "bathe", "batter", "be", "bear", "beat", "beckon", "become", "befriend", "beg",
    "begin", "behead", "believe", "bellow", "belong", "bend", "berate", "beseech", "besiege", "bet", "betray", "bid",
    "bind", "bite", "blackmail", "blame", "blare", "blast", "blend", "bless", "blind", "blindfold", "block", "blow",
    "bludgeon", "bluff", "blurt", "board", "boast", "boil", "bombard", "boost", "borrow", "bounce", "bow", "brace",
    "brake", "brandish", "brawl", "breach", "break", "breathe", "brew", "bribe", "bring", "browbeat", "browse", "build",
    "bully", "burn", "burrow", "burst", "bury", "bustle", "buy", "bypass", "cajole", "calculate", "call", "calm",
    "camp", "cancel", "canter", "capture", "carry", "carve", "cast", "catch", "cater", "celebrate", "chain", "channel",
    "chant", "charge", "charm", "chase", "cheat", "check", "cheer", "chew", "choke", "choose", "chop", "chuck",
    "circle", "claim", "clamber", "claw", "clean", "cleanse", "climb", "cling", "clobber", "close", "clutch", "coach",
    "coax", "collect", "comb", "come", "comfort", "command", "commandeer", "commit", "compete", "complete",
    "compliment", "compose", "compute", "conceal", "concentrate", "confess", "confide", "confront", "confuse",
    "congratulate", "conjure", "connect", "consecrate", "console", "consult", "consume", "contact", "continue",
    "convert", "convey", "convince", "cook", "cool", "cooperate", "copy", "corner", "corrupt", "cosy", "cough", "count",
    "counter", "counterfeit", "cover", "cower", "crack", "craft", "crank", "crash", "crawl", "creak", "create", "creep",
    "cringe", "cripple", "criticize", "crochet", "croon", "cross", "crouch", "crumple", "crush", "cry", "cuff",
    "cultivate", "curb", "cure", "curse", "curtsy", "cut", "dabble", "dance", "dangle", "dare", "dash", "daub",
    "daydream", "deal", "debate", "decapitate", "deceive", "decide", "decipher", "declare", "decode", "decrypt",
    "defeat", "defend", "deflect", "defrost", "defuse", "defy", "delay", "delete", "deliver", "delve", "demand",
    "demolish", "dent", "deny", "deploy", "destroy", "detach", "detain", "detect", "deter", "detonate", "detour",
    "develop", "devour", "diagnose", "dictate", "die", "dig", "dilute", "diminish", "direct", "disable", "disappear",
    "disarm", "discern", "discover", "disembowel", "disengage", "disguise", "dislodge", "dismantle", "dismount",
    "dispel", "disrupt", "dissolve", "dissuade", "distract", "ditch", "dive", "divert", "dock", "dodge", "douse",
    "download", "doze", "drag", "drain", "drape", "draw", "dress", "drift", "drill", "drink", "drive", "drizzle",
    "drop", "drown", "drum", "duck", "duel", "dupe", "dust", "earn", "eat", "eavesdrop", "echo", "educate", "eject",
    "elbow", "eliminate", "elude", "embarrass", "embrace", "emerge", "empty", "emulate", "enchant", "encourage",
    "encrypt", "end", "endure", "enforce", "engage", "enjoy", "enlist", "enrage", "entangle", "enter", "entertain",
    "entice", "entreat", "envision", "erase", "erect", "escape", "estimate", "evacuate", "evade", "evaluate",
    "exaggerate", "examine", "excavate", "exchange", "exclaim", "excuse", "exhaust", "exorcise", "expel", "explain",
    "explode", "exploit", "explore", "expose", "extinguish", "extract", "face", "faint", "fake", "fall", "fan", "fast",
    "fasten", "fear", "feed", "feel", "feign", "feint", "fend", "fetch", "fight", "filch", "fill", "find", "finish",
    "fire", "fish", "fix", "flail", "flank", "flash", "flatten", "flatter", "flee", "flicker", "fling", "flip", "flirt",
    "float", "flood", "flush", "flutter", "fly", "focus", "fold", "follow", "fool", "forage", "force", "foresee",
    "forge", "forget", "forgive", "fortify", "frame", "freeze", "frighten", "frisk", "frown", "fry", "fumble", "gag",
    "gain", "gallop", "gamble", "gather", "gauge", "gaze", "gesture", "get", "giggle", "give", "glance", "glare",
    "glide", "glimpse", "gloat", "glue", "gnaw", "go", "goad", "gobble", "grab", "grapple", "grasp", "greet", "grieve",
    "grill", "grin", "grind", "grip", "groan", "groom", "grope", "grovel", "grow", "growl", "grumble", "grunt",
    "guarantee", "guard", "guess", "guide", "gulp", "hack", "haggle", "hail", "halt", "hammer", "hamstring", "handcuff",
    "handle", "hang", "happen", "harass", "harvest", "hate", "haul", "haunt", "headbutt", "heal", "hear", "heat",
    "heave", "heckle", "help", "hesitate", "hew", "hex", "hide", "hinder", "hiss", "hit", "hobble", "hoist", "hold",
    "holler", "hoodwink", "hop", "hope", "hotwire", "hover", "howl", "huddle", "hug", "hum", "humiliate", "hunker",
    "hunt", "hurl", "hurry", "hurt", "hurtle", "hush", "hypnotize", "identify", "ignite", "ignore", "illuminate",
    "imitate", "impale", "impersonate", "implore", "impress", "improve", "improvise", "incite", "indulge", "infiltrate",
    "inflict", "inform", "inhale", "inject", "inquire", "insert", "insist", "inspect", "inspire", "install", "instruct",
    "insult", "intercept", "interpret", "interrogate", "interrupt", "intimidate", "invade", "invent", "investigate",
    "invite", "invoke", "irritate", "itch", "jab", "jam", "jimmy", "jingle", "jog", "join", "jostle", "joust", "juggle",
    "jump", "keep", "kick", "kidnap", "kill", "kindle", "kiss", "kneel", "knock", "know", "label", "lament", "land",
    "lash", "lasso", "laugh", "launch", "lay", "lead", "lean", "leap", "learn", "leave", "lecture", "lend", "lengthen",
    "let", "level", "lever", "lie", "lift", "light", "limp", "linger", "listen", "live", "load", "loan", "lob",
    "locate", "lock", "look", "loop", "loosen", "loot", "lose", "love", "lower", "lug", "lull", "lunge", "lurch",
    "lure", "lurk", "maim", "maintain", "make", "maneuver", "march", "marry", "mask", "master", "maul", "mean",
    "measure", "meddle", "mediate", "meditate", "meet", "melt", "memorize", "menace", "mend", "mention", "mesmerize",
    "migrate", "milk", "mimic", "misdirect", "mislead", "mix", "moan", "mock", "mollify", "moor", "motivate", "mount",
    "mourn", "move", "mumble", "murder", "murmur", "muster", "mutter", "muzzle", "nab", "nap", "navigate", "negotiate",
    "nibble", "nod", "notice", "notify", "nudge", "nurse", "obey", "object", "obscure", "observe", "obstruct", "occupy",
    "offend", "offer", "ooze", "open", "operate", "oppose", "orate", "orbit", "order", "organize", "oust", "outbid",
    "outdrink", "outflank", "outlast", "outmaneuver", "outpace", "outrun", "outshoot", "outsmart", "outwit", "overcome",
    "overhear", "overload", "overpower", "override", "overtake", "overthrow", "overturn", "owe", "pace", "pacify",
    "pack", "paddle", "paint", "palm", "pantomime", "paralyze", "pardon", "park", "parley", "parry", "participate",
    "pass", "patch", "paw", "pay", "peddle", "peek", "peel", "peep", "peer", "pelt", "penetrate", "perceive", "perch",
    "perform", "persuade", "pet", "petition", "pick", "pickpocket", "pierce", "pile", "pilfer", "pillage", "pilot",
    "pin", "pinch", "pinpoint", "pivot", "placate", "place", "plant", "plaster", "play", "plead", "pledge", "plow",
    "pluck", "plug", "plunder", "plunge", "pocket", "point", "poison", "polish", "ponder", "pose", "possess", "post",
    "pounce", "pour", "practice", "praise", "pray", "preach", "predict", "prepare", "press", "pretend", "prevent",
    "prick", "print", "prise", "probe", "procure", "program", "promise", "propose", "protect", "prove", "provoke",
    "prowl", "prune", "pry", "publish", "pull", "pummel", "pump", "punch", "puncture", "punish", "purchase", "purify",
    "pursue", "push", "put", "puzzle", "quell", "quench", "question", "quicken", "quiet", "quit", "race", "raid",
    "raise", "rake", "rally", "ram", "ransack", "ransom", "rappel", "rattle", "reach", "read", "realize", "rearm",
    "reason", "reassure", "reboot", "rebuild", "rebuke", "recall", "receive", "recharge", "recite", "reclaim",
    "recognize", "recollect", "reconstruct", "recover", "recruit", "redirect", "refill", "reflect", "refuse",
    "rehearse", "rein", "reject", "rejoin", "relax", "relay", "release", "relieve", "reload", "rely", "remain",
    "remark", "remember", "remind", "remove", "renew", "rent", "reopen", "repair", "repel", "reply", "report",
    "reposition", "reprogram", "reroute", "rescue", "research", "reset", "resist", "rest", "restart", "restrain",
    "resurrect", "resuscitate", "retell", "retort", "retreat", "retrieve", "return", "reveal", "reverse", "revive",
    "reward", "rewire", "ride", "ridicule", "rig", "ring", "rinse", "rip", "riposte", "ripple", "rise", "roam", "roar",
    "roast", "rob", "roll", "rope", "rotate", "rouse", "row", "rub", "ruin", "rummage", "run", "rush", "rustle",
    "sabotage", "saddle", "sail", "salute", "sample", "saunter", "save", "saw", "say", "scale", "scan", "scar", "scare",
    "scatter", "scavenge", "scent", "scheme", "schmooze", "scold", "scoop", "scorch", "score", "scour", "scout",
    "scowl", "scramble", "scrape", "scratch", "scream", "screech", "scribble", "scrub", "scry", "scurry", "scuttle",
    "seal", "search", "secure", "sedate", "seduce", "see", "seek", "seize", "sell", "send", "sense", "serenade",
    "serve", "set", "settle", "sever", "sew", "shadow", "shake", "shame", "sharpen", "shatter", "shelter", "shield",
    "shift", "shimmy", "shine", "shinny", "shiver", "shoot", "shoulder", "shout", "shove", "show", "shred", "shriek",
    "shrink", "shrug", "shuffle", "shut", "sidestep", "sidle", "sift", "sigh", "signal", "silence", "simulate", "sing",
    "sink", "sip", "siphon", "sit", "sizzle", "skate", "sketch", "skewer", "skid", "skin", "skip", "skulk", "slam",
    "slap", "slash", "slaughter", "slay", "sleep", "slice", "slide", "sling", "slink", "slip", "slither", "slouch",
    "slug", "smash", "smear", "smell", "smile", "smirk", "smother", "smuggle", "snack", "snap", "snare", "snarl",
    "snatch", "sneak", "sneer", "sniff", "snip", "snipe", "snore", "snuff", "soak", "soar", "sob", "sober", "soften",
    "solder", "solicit", "solve", "somersault", "soothe", "sort", "sow", "spar", "speak", "speed", "spell", "spend",
    "spill", "spin", "spit", "splash", "splice", "splint", "splinter", "split", "sponge", "sponsor", "spook", "spot",
    "spray", "spread", "spring", "sprint", "sprout", "spur", "spy", "squash", "squat", "squeak", "squeeze", "squint",
    "squirm", "stab", "stabilize", "stack", "stagger", "stalk", "stall", "stammer", "stampede", "stanch", "stand",
    "stare", "start", "startle", "starve", "stash", "staunch", "stay", "steady", "steal", "steer", "step", "stick",
    "stifle", "stir", "stitch", "stoke", "stomp", "stop", "stow", "straddle", "straighten", "strain", "strand",
    "strangle", "strap", "strategize", "stray", "strike", "strip", "stroke", "stroll", "struggle", "strum", "strut",
    "study", "stumble", "stun", "stunt", "subdue", "submerge", "submit", "suck", "suffocate", "summarize", "summon",
    "supervise", "supply", "support", "suppress", "surf", "surprise", "surrender", "surround", "survive", "suspend",
    "sustain", "suture", "swagger", "swallow", "swap", "swarm", "swat", "sway", "swear", "sweep", "swim", "swindle",
    "swing", "swipe", "swirl", "switch", "swoop", "synchronize", "tack", "tackle", "tail", "tailgate", "take", "talk",
    "tame", "tangle", "tap", "taper", "taste", "taunt", "teach", "tear", "tease", "teeter", "tell", "tempt", "tend",
    "terrify", "test", "tether", "thank", "thaw", "think", "thrash", "thread", "threaten", "throttle", "throw",
    "thrust", "thump", "thwart", "tickle", "tidy", "tie", "tighten", "tilt", "tinker", "tip", "tiptoe", "toast", "toil",
    "toll", "topple", "torch", "torment", "torture", "toss", "touch", "tow", "trace", "track", "trade", "trail",
    "train", "trample", "transcribe", "transform", "translate", "transmit", "transport", "trap", "travel", "tread",
    "treat", "trek", "tremble", "trespass", "trick", "trim", "trip", "trot", "trudge", "trust", "tug", "tumble", "tune",
    "tunnel", "turn", "tutor", "twirl", "twist", "twitch", "unbar", "unblock", "unbolt", "unbuckle", "unchain",
    "unclog", "uncoil", "uncork", "uncover", "understand", "undo", "undress", "unearth", "unfold", "unhook", "unhorse",
    "unjam", "unleash", "unload", "unlock", "unmask", "unpack", "unplug", "unravel", "unroll", "unscrew", "unseat",
    "unsheathe", "untangle", "untie", "unveil", "unwrap", "upend", "upload", "uproot", "urge", "use", "usher", "utter",
    "vanish", "vanquish", "vault", "veil", "ventilate", "venture", "verify", "visit", "vomit", "vouch", "vow", "wade",
    "waft", "wag", "wail", "wait", "wake", "walk", "wander", "want", "warble", "warm", "warn", "wash", "waste", "watch",
    "wave", "waver", "waylay", "weaken", "wean", "wear", "weave", "wedge", "weep", "welcome", "weld", "whack",
    "wheedle", "wheel", "whimper", "whine", "whip", "whirl", "whisper", "whistle", "whittle", "widen", "wield",
    "wiggle", "win", "winch", "wink", "wipe", "wire", "withdraw", "withstand", "wobble", "wonder", "woo", "work",
    "worship", "wound", "wrap", "wreck", "wrench", "wrest", "wrestle", "wriggle", "wring", "write", "yank", "yawn",
    "yell", "yield", "yodel", "zap",
))

BRITISH_VERBS = frozenset(f"{verb[:-2]}se" for verb in AMERICAN_VERBS if verb.endswith(("ize", "yze"))) | {
    "favour", "honour", "manoeuvre", "outmanoeuvre", "plough", "practise", "savour",
}

VERBS = AMERICAN_VERBS | BRITISH_VERBS
"""Verbs in the form that follows "to"."""

NOUNS = frozenset((
    "aid", "bake", "bang", "bear", "bet", "blare", "blend", "blind", "blow", "boil", "bounce", "brake", "brew", "camp",
    "chain", "chant", "compliment", "contact", "copy", "cough", "craft", "crank", "creak", "dance", "deal", "delay",
    "detour", "dress", "drift", "drizzle", "drum", "dust", "echo", "elbow", "end", "exchange", "excuse", "face", "fall",
    "fan", "fast", "fear", "fire", "fish", "flash", "flood", "fold", "fool", "frame", "fumble", "glue", "grill", "grin",
    "grip", "groan", "groom", "grunt", "guard", "guide", "halt", "headbutt", "hex", "hiss", "jab", "kidnap", "label",
    "lash", "lasso", "lean", "level", "lever", "light", "limp", "loan", "lob", "lock", "loop", "love", "lull", "lunge",
    "mask", "master", "maul", "measure", "menace", "mix", "moan", "moor", "murmur", "nap", "object", "order", "pace",
    "palm", "pardon", "park", "patch", "paw", "peer", "perch", "pet", "petition", "pile", "pin", "place", "plant",
    "plaster", "play", "pledge", "plug", "plunge", "pocket", "point", "polish", "pose", "post", "practice", "print",
    "probe", "program", "promise", "pump", "purchase", "puzzle", "question", "race", "raid", "rake", "ransom", "rattle",
    "reason", "recruit", "relay", "release", "rent", "report", "research", "rest", "return", "reverse", "reward",
    "ring", "rise", "roast", "rope", "row", "salute", "sample", "saw", "scale", "scar", "scent", "scheme", "scoop",
    "score", "scrape", "screech", "seal", "shadow", "shake", "shelter", "shield", "shiver", "shoulder", "show",
    "shriek", "shuffle", "sigh", "signal", "silence", "skate", "sketch", "skid", "skin", "slap", "slaughter", "sleep",
    "sling", "slug", "smear", "smell", "snack", "solder", "speed", "spell", "spit", "splash", "splice", "sponge",
    "sponsor", "spray", "spread", "spring", "spur", "squat", "squeak", "stack", "stall", "steady", "step", "stick",
    "stoke", "strain", "strand", "strap", "strip", "stunt", "supply", "support", "surf", "swarm", "swipe", "tack",
    "tail", "tangle", "tap", "taste", "test", "thread", "thump", "tilt", "tip", "toast", "toil", "toll", "torch",
    "toss", "trace", "track", "trail", "train", "trap", "treat", "trick", "trim", "tune", "tunnel", "turn", "tutor",
    "twirl", "usher", "veil", "visit", "vow", "wail", "waste", "wave", "wheel", "whine", "whip", "whirl", "winch",
    "wire", "work", "wound", "yawn", "yield", "yodel",
))
"""Words that are usually nouns, as in "traps in the floor". They are verbs only before a word such as "the"."""

IRREGULAR_PASTS = {
    "be": "was", "bear": "bore", "beat": "beat", "become": "became", "begin": "began", "bend": "bent", "bet": "bet",
    "bid": "bid", "bind": "bound", "bite": "bit", "bleed": "bled", "blow": "blew", "break": "broke", "bring": "brought",
    "browbeat": "browbeat", "build": "built", "burst": "burst", "buy": "bought", "cast": "cast", "catch": "caught",
    "choose": "chose", "cling": "clung", "come": "came", "creep": "crept", "cut": "cut", "deal": "dealt", "dig": "dug",
    "draw": "drew", "drink": "drank", "drive": "drove", "eat": "ate", "fall": "fell", "feed": "fed", "feel": "felt",
    "fight": "fought", "find": "found", "flee": "fled", "fling": "flung", "fly": "flew", "foresee": "foresaw",
    "forget": "forgot", "forgive": "forgave", "freeze": "froze", "get": "got", "give": "gave", "go": "went",
    "grind": "ground", "grow": "grew", "hamstring": "hamstrung", "hang": "hung", "hear": "heard", "hide": "hid",
    "hit": "hit", "hold": "held", "hurt": "hurt", "keep": "kept", "kneel": "knelt", "know": "knew", "lay": "laid",
    "lead": "led", "leave": "left", "lend": "lent", "let": "let", "light": "lit", "lose": "lost", "make": "made",
    "mean": "meant", "meet": "met", "mislead": "misled", "outbid": "outbid", "outdrink": "outdrank", "outrun": "outran",
    "overcome": "overcame", "overhear": "overheard", "override": "overrode", "overtake": "overtook",
    "overthrow": "overthrew", "pay": "paid", "put": "put", "quit": "quit", "read": "read", "rebuild": "rebuilt",
    "reset": "reset", "retell": "retold", "ride": "rode", "ring": "rang", "rise": "rose", "run": "ran", "say": "said",
    "see": "saw", "seek": "sought", "sell": "sold", "send": "sent", "set": "set", "shake": "shook", "shine": "shone",
    "shoot": "shot", "shrink": "shrank", "shut": "shut", "sing": "sang", "sink": "sank", "sit": "sat", "slay": "slew",
    "sleep": "slept", "slide": "slid", "sling": "slung", "slink": "slunk", "speak": "spoke", "speed": "sped",
    "spend": "spent", "spin": "spun", "spit": "spat", "split": "split", "spread": "spread", "spring": "sprang",
    "stand": "stood", "steal": "stole", "stick": "stuck", "strike": "struck", "swear": "swore", "sweep": "swept",
    "swim": "swam", "swing": "swung", "take": "took", "teach": "taught", "tear": "tore", "tell": "told",
    "think": "thought", "throw": "threw", "thrust": "thrust", "tread": "trod", "understand": "understood",
    "undo": "undid", "wake": "woke", "wear": "wore", "weave": "wove", "weep": "wept", "win": "won",
    "withdraw": "withdrew", "withstand": "withstood", "wring": "wrung", "write": "wrote",
}
"""The verbs whose past tense does not end with "ed"."""
# fmt: on


def past(verb: str) -> str:
    """Return the past tense of a verb in `VERBS`.

    >>> past("pass"), past("copy"), past("go"), past("stop")
    ('passed', 'copied', 'went', 'stopped')
    """
    if irregular := IRREGULAR_PASTS.get(verb):
        return irregular
    if re.search("[^aeiou]y$", verb):
        return f"{verb[:-1]}ied"
    return f"{verb}d" if verb.endswith("e") else f"{with_double_end(verb)}ed"


def with_double_end(verb: str) -> str:
    """Return a verb as it is before "ed" or "ing": "stopp" for "stop"."""
    return f"{verb}{verb[-1]}" if DOUBLED_END_PATTERN.fullmatch(verb) else verb


DOUBLED_END_PATTERN = re.compile(
    "[^aeiou]*(?:qu)?[aeiou][^aeiouwxy]|begin|commit|deter|dispel|eavesdrop|expel|forget|kidnap|outrun|outwit|program|"
    "rappel|repel|reprogram|reset|sidestep|submit|transmit|unbar|unplug|unwrap"
)
"""A pattern for verbs whose last letter is doubled before "ed" and "ing"."""


def gerund(base: str) -> str:
    """Return the "-ing" form of a verb.

    >>> gerund("stop"), gerund("take"), gerund("lie"), gerund("see")
    ('stopping', 'taking', 'lying', 'seeing')
    """
    if base.endswith("ie"):
        return f"{base[:-2]}ying"
    return f"{base.removesuffix('e') if re.search('.[^eoy]e$', base) else with_double_end(base)}ing"


@cache
def gerunds() -> dict[str, str]:
    """Map "climbing" to "climb", for all verbs. It also has forms that nobody types, such as "climbbing"."""
    regular = {
        f"{stem}ing": verb for verb in sorted(VERBS) for stem in (verb, f"{verb}{verb[-1]}", verb.removesuffix("e"))
    }
    return regular | {gerund(verb): verb for verb in sorted(VERBS)}


@cache
def infinitives_by_past() -> dict[str, str]:
    """Map "climbed" and "ran" to "climb" and "run", for all verbs whose past tense has a form of its own."""
    return {past(verb): verb for verb in sorted(VERBS) if past(verb) not in VERBS}


@cache
def infinitives() -> dict[str, str]:
    """Map each verb to itself."""
    return {verb: verb for verb in VERBS}


@cache
def infinitives_by_third_person() -> dict[str, str]:
    """Map "climbs" to "climb", for all verbs."""
    return {third_person(verb): verb for verb in VERBS}


def third_person(verb: str) -> str:
    """Return the form of a verb that follows "she", such as "climbs"."""
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if re.search("[^aeiou]y$", verb) else f"{verb}s"


def unlisted_verb(word: str) -> str:
    """Return the base form of a word that looks like the third person of a verb, such as "bake"; "" for other words."""
    found = UNLISTED_VERB_PATTERN.fullmatch(word)
    return f"{found[1]}y" if found and found[1] else (found[2] or found[3]) if found else ""


UNLISTED_VERB_PATTERN = re.compile(
    r"(?!always|perhaps|sometimes|besides)(?:(\w{2,})ies|(\w{2,}(?:ss|sh|ch|x|zz|o))es|(\w{2,}[^sui\W])s)"
)
"""A pattern for verbs that are not in `VERBS`, if a word such as "the" follows: "bakes the bread"."""
