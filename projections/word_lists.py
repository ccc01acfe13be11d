"""Lists of words that show the grammar of a typed deed or reason."""

from __future__ import annotations

# fmt: off
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
"""Words that may start another clause. If the text is reworded, the verb of that clause may have to change, too."""
# fmt: on

MOTION_PREPOSITIONS = frozenset((
    "across", "around", "away", "back", "behind", "below", "beneath", "beyond", "down", "inside", "into", "off", "onto",
    "out", "outside", "over", "past", "through", "to", "toward", "towards", "under", "up",
))  # fmt: skip
"""Prepositions before a place. A deed such as "over the wall" means to get to this place."""

QUESTION_WORDS = frozenset(("how", "if", "what", "when", "where", "whether", "which", "who", "whose", "why"))

AUXILIARIES = frozenset((
    "am", "are", "can", "could", "did", "do", "does", "had", "has", "have", "is", "may", "should", "was", "were",
    "will", "would",
))  # fmt: skip
"""Verbs that come before the subject in a direct question: "what does he want"."""

FIRST_PERSON = {"i", "me", "my", "myself", "our", "us", "we"}

WANTING_VERBS = frozenset(("attempt", "attempts", "attempting", "tries", "try", "trying", "wants"))
"""Words before "to" that only say that a deed is an attempt, as in "tries to climb"."""

SAYING_VERBS = frozenset((
    "assure", "bluff", "claim", "confess", "convince", "explain", "hope", "know", "lie", "notice", "persuade",
    "pretend", "prove", "say", "see", "show", "swear", "tell", "warn",
))  # fmt: skip
"""Verbs of speaking and thinking: after them, "that" starts a clause. After other verbs, "that" points to a thing."""

ROLL_NOUNS = frozenset(("attempt", "check", "damage", "of", "roll", "save", "skill", "test", "throw"))
"""Words that show that the word before them is a noun, as in "climb check"."""

# fmt: off
THING_NOUNS = frozenset((
    "acorn", "amulet", "anvil", "arrow", "axe", "bag", "ball", "bandage", "barrel", "beam", "beer", "bell", "blade",
    "blanket", "boat", "bolt", "bomb", "book", "boot", "bottle", "boulder", "bow", "branch", "bribe", "brick",
    "bridge", "bullet", "cable", "candle", "cannon", "cart", "ceiling", "cellar", "chain", "chair", "chandelier",
    "chest", "claw", "club", "console", "crossbow", "crowbar", "crown", "cup", "cure", "curse", "dagger", "dart",
    "debt", "disguise", "door", "drink", "duel", "elixir", "engine", "explosion", "fine", "fist", "gate", "gem",
    "gift", "grenade", "gun", "hammer", "harpoon", "hatch", "helmet", "herb", "horn", "horse", "idea", "joke", "key",
    "kit", "knife", "ladder", "lance", "lantern", "laser", "lesson", "letter", "lock", "mace", "map", "meal", "mine",
    "missile", "mushroom", "necklace", "needle", "net", "palace", "permit", "pipe", "pistol", "pit", "plan", "potion",
    "punch", "quest", "reactor", "reroll", "rescue", "reward", "ricochet", "ride", "rifle", "ring", "riot", "rock",
    "rocket", "rod", "roof", "room", "rope", "saddle", "safe", "salve", "scroll", "scythe", "shield", "ship", "shot",
    "shotgun", "slap", "sling", "song", "spear", "speech", "spike", "stab", "staff", "stake", "statue", "sting",
    "stone", "storm", "story", "stunt", "sword", "tail", "thorn", "ticket", "toll", "tonic", "tool", "torch", "tower",
    "trap", "trapdoor", "trick", "tusk", "vault", "wager", "wall", "wand", "whip", "window", "wire", "wound", "wreck",
))
# fmt: on
"""Things that people name without their article, as in "healing potion" or "dagger"."""

CONJUNCTIONS = {"and", "but", "or", "then"}
"""Words that join verbs, things or clauses."""

PAYMENTS = frozenset((
    "advance", "bail", "bonus", "bounty", "bribe", "deposit", "donation", "fee", "fine", "gift", "loan", "loot",
    "offering", "pay", "payment", "prize", "ransom", "reward", "share", "tax", "thanks", "tip", "toll", "tribute",
    "wage", "wages",
))  # fmt: skip
"""Words that follow "as" in the reason for a payment: "paid five gold as a bribe"."""

BOUGHT_GOODS = frozenset((
    "ale", "ammo", "armor", "bail", "beer", "bread", "breakfast", "cider", "coffee", "dinner", "food", "fuel",
    "help", "information", "lodging", "loot", "lunch", "mead", "medicine", "passage", "pay", "repairs", "rum",
    "salt", "salvage", "silence", "supper", "supplies", "surgery", "tea", "thanks", "training", "whiskey", "whisky",
    "wine", "work",
))  # fmt: skip
"""Things that people get or give without an article, as in "paid two gold for wine"."""

LEAVING_VERBS = frozenset((
    "bled", "choked", "collapsed", "deserted", "died", "disappeared", "drowned", "escaped", "fell", "fled", "flew",
    "froze", "left", "perished", "ran", "retreated", "returned", "rode", "starved", "stayed", "suffocated",
    "surrendered", "swam", "vanished", "went",
))  # fmt: skip
"""Verbs for the act of a character who left, as in "fled"."""
