"""Phrases: what each event says of itself, in words that need no system."""

from collections.abc import Callable, Mapping
from typing import Any

from ledger.events.commitments import Secret, commitments
from ledger.events.entry import Entry, head_of
from ledger.events.subjects import CAMPAIGN, PLAYERS
from ledger.events.types import CORRECTING
from ledger.journal.book import Book
from ledger.tlog.policy import NONE, parse_policy

Body = Mapping[str, Any]

DONE = {
    "undo": "undone",
    "redo": "taken back",
    "void": "voided",
    "rewind": "rewound",
    "amend": "amended",
    "choose": "played again",
}
"""What became of an action, by how it was struck."""


def tell(book: Book, entry: Entry) -> str:
    """Return what an entry says of itself; a consequence is told by its name."""
    return TELLS.get(entry.type, _tell_plainly)(entry.body, book)


def named(book: Book, seq: int) -> str:
    """Return how an entry is named in a sentence about it: its number, and what it was."""
    told = book.entry(seq)
    while told.type not in TELLS and told.cause is not None:
        told = book.entry(told.cause)
    if told.type == "dice-thrown":
        told = head_of(book.action(told.act))
    if told.type in CORRECTING:
        return f"#{told.seq} ({brief(book, told)})"
    who = person(book, told.body.get("who", ""))
    verdict, amounts = told.body.get("verdict"), told.body.get("amounts", {})
    parts = [
        f"{who} {tell(book, told)}".strip(),
        verdict_words(verdict) if isinstance(verdict, dict) else "",
        *(f"{short(name)} {'+' if amount > 0 else ''}{number(amount)}" for name, amount in amounts.items()),
    ]
    return f"#{told.seq} ({', '.join(part for part in parts if part)})"


def brief(book: Book, entry: Entry) -> str:
    """Return what a correction did, in two words and a number."""
    told = BRIEFLY[entry.type]
    return told(entry.body, book) if callable(told) else f"{told} of {_number_of(book, entry.body['about'])}"


def _briefly_struck(body: Body, book: Book) -> str:
    struck = book.journal.action(body["strikes"])[0].body
    return f"{body['how']} of {_number_of(book, struck['strikes'] if body['how'] == 'redo' else body['strikes'])}"


def _number_of(book: Book, seq: int) -> str:
    """Return the number by which an entry is named."""
    return named(book, seq).partition(" ")[0]


BRIEFLY: Mapping[str, str | Callable[[Body, Book], str]] = {
    "action-struck": _briefly_struck,
    "play-rewound": lambda body, book: f"rewind to {_number_of(book, body['to'])}",
    "question-decided": lambda body, book: f"decision of #{body['question']}",
    "score-asserted": lambda body, book: f"what the paper of {body['who']} says",
    "limit-crossed": lambda body, book: f"{body['who']} {short(body['score'])} beyond its limits",
    "action-amended": "amend",
    "dispute-raised": "dispute",
    "verdict-overridden": "override",
    "knock-on-found": "knock-on",
    "secret-revealed": "reveal",
    "roll-sealed": lambda body, book: "sealed roll",
    "key-rotated": lambda body, book: "new key",
    "policy-set": lambda body, book: "policy",
    "history-forked": lambda body, book: "fork",
    "words-erased": lambda body, book: "erasure",
}
"""What a correction did: words before the entry that it is about, or the whole."""


def person(book: Book, who: str) -> str:
    """Return the name of a player by the handle; a character's handle is the name."""
    seat = book.mark(PLAYERS, who)
    return who if seat is None else book.words.of(seat).get("name", who)


def verdict_words(verdict: Body) -> str:
    """Return a verdict as it is read, with the margin where it is no secret."""
    margin = verdict["margin"]
    told = "" if not isinstance(margin, int) else f" ({margin:+d})".replace("-", "−")
    return f"{verdict['says']}{told}"


def words(text: str | None) -> str:
    """Return what somebody typed, in one line."""
    return "(erased)" if text is None else " ".join(text.split())


def short(full: str) -> str:
    """Return a score or mark without its system."""
    return full.partition("/")[2] or full


def number(value: Any) -> str:
    """Return a value of a sheet as it is read."""
    if value is None or value in ([], {}):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(number, value))
    if isinstance(value, Secret) or (isinstance(value, dict) and Secret.KEY in value):
        return "secret"
    if isinstance(value, dict):
        return ", ".join(f"{name} {number(held)}" for name, held in value.items())
    return str(value).replace("-", "−") if isinstance(value, int) else words(value)


def _because(body: Body) -> str:
    return "" if body["why"] is None else f": {words(body['why'])}"


def _tell_move(body: Body, book: Book) -> str:
    return f"{body['system']} {body['move']}"


def _tell_opening(body: Body, book: Book) -> str:
    return f"campaign opened: {words(body['title'])}"


def _tell_seat(body: Body, book: Book) -> str:
    plays = f", plays {', '.join(body['plays'])}" if body["plays"] else ""
    return f"{words(body['name'])} sits at the table as {body['player']}{' (GM)' if body['gm'] else ''}{plays}"


def _tell_join(body: Body, book: Book) -> str:
    return f"joins {body['system']}"


def _tell_session(body: Body, book: Book) -> str:
    names = ", ".join(person(book, who) for who in body["present"])
    present = f", present: {names}" if names else ""
    return f"session {body['number']} opened: {words(body['title'])}{present}"


def _tell_close(body: Body, book: Book) -> str:
    return f"session {body['number']} closed"


def _tell_scene(body: Body, book: Book) -> str:
    return f"scene: {words(body['title'])}"


def _tell_adjustment(body: Body, book: Book) -> str:
    return f"adjusted by hand: {words(body['why'])}"


def _tell_marks(body: Body, book: Book) -> str:
    values = ", ".join(f"{short(name)} = {value}" for name, value in body["values"].items())
    return f"{values}: {words(body['why'])}"


def _tell_note(body: Body, book: Book) -> str:
    return f"note: {words(body['text'])}"


def _tell_settings(body: Body, book: Book) -> str:
    held = {short(mark["name"]): mark["value"] for mark in body["marks"]}
    values = ", ".join(f"{name} = {value}{_flags(held.get(name))}" for name, value in body["values"].items())
    return f"settings of {body['system']}: {values}{_because({'why': body.get('why')})}"


def _flags(value: Any) -> str:
    """Return what a table says of itself with yes, beside its name."""
    flags = ", ".join(name for name, held in value.items() if held is True) if isinstance(value, dict) else ""
    return f" ({flags})" if flags else ""


def _tell_throw(body: Body, book: Book) -> str:
    return "throws by hand" if body["source"] == "typed" else "lets the machine throw"


def _tell_day(body: Body, book: Book) -> str:
    return f"day {body['day']} begins"


def _tell_roll(body: Body, book: Book) -> str:
    return f"rolls {body['notation']} = {body['total']}"


def _tell_strike(body: Body, book: Book) -> str:
    if body["how"] == "redo":
        undone = book.journal.entry(body["strikes"]).body["strikes"]
        return f"redo of {named(book, undone)}"
    if body["how"] == "choose":
        rulings = (each.seq for each in book.journal.action(body["strikes"]) if each.type == "move-played")
        return f"chosen after {named(book, max(rulings))}"
    return f"{body['how']} of {named(book, body['strikes'])}{_because(body)}"


def _tell_amendment(body: Body, book: Book) -> str:
    return f"amend of {named(book, body['about'])}{_because(body)}{said_otherwise(body, book)}"


def said_otherwise(body: Body, book: Book) -> str:
    """Return what an amendment says otherwise: inputs, and dice."""
    told = []
    for name, held in body["inputs"].items():
        if isinstance(held, dict) and set(held) not in ({"secret"}, {"word"}):
            told += [f"{short(each)} {number(value)}" for each, value in held.items()]
        else:
            shown = [person(book, each) for each in held] if name == "present" else held
            told.append(f"{name} {'secret' if isinstance(held, dict) else number(shown) or 'none'}")
    if body["faces"] is not None:
        told.append(f"faces {' '.join(map(str, body['faces']))}")
    return f"; {', '.join(told)}" if told else ""


def _tell_rewind(body: Body, book: Book) -> str:
    return f"rewind to {named(book, body['to'])}{_because(body)}"


def _tell_dispute(body: Body, book: Book) -> str:
    return f"{person(book, body['player'])} disputes {named(book, body['about'])}: {words(body['claim'])}"


def _tell_decision(body: Body, book: Book) -> str:
    asked = book.entry(body["question"])
    about = f" about {named(book, asked.body['about'])}" if "about" in asked.body else ""
    return f"question #{body['question']}{about} is decided, {CHOSEN[body['choice']]}{_because(body)}"


CHOSEN = {
    "uphold": "the ruling is upheld",
    "amend": "amended",
    "void": "voided",
    "stand": "it stands as it is",
    "adjust": "adjusted",
}


def _tell_override(body: Body, book: Book) -> str:
    return f"override of {named(book, body['about'])}{_because(body)}"


def _tell_assertion(body: Body, book: Book) -> str:
    return "; ".join(
        f"{short(full)}: the paper says {number(claimed)}, "
        + ("and so does the book" if claimed == body["stood"][full] else f"the book says {number(body['stood'][full])}")
        for full, claimed in body["claimed"].items()
    )


def looked_otherwise(book: Book, ruling: int, numbers: Mapping[str, Mapping[str, Any]]) -> str:
    """Return that a ruling looked at numbers, and what they are now."""
    body = book.entry(ruling).body
    held = {**body["looked"], CAMPAIGN: {f"{body['system']}/{name}": each for name, each in body["settings"].items()}}
    told = ", ".join(
        f"{'' if who == CAMPAIGN else f'{who} '}{short(full)} {number(held[who].get(full))}, now {number(value)}"
        for who, names in numbers.items()
        for full, value in names.items()
    )
    return f"{named(book, ruling)} looked at {told}"


def _tell_knock_on(body: Body, book: Book) -> str:
    came = {"refused": "it would be refused", "other-dice": "it would need other dice"}.get(body["finds"])
    if came is None:
        before, now = book.entry(body["about"]).body.get("verdict"), body["verdict"]
        came = "it would ask for a choice" if before else "it would ask otherwise"
        if now is not None:
            same = before is not None and verdict_words(before) == verdict_words(now)
            came = "what follows would be otherwise" if same else f"it would be {verdict_words(now)}"
    says = f": {body['says'].rstrip('.')}" if body["says"] else ""
    return f"{looked_otherwise(book, body['about'], body['numbers'])}; {came}{says}"


def _tell_limit(body: Body, book: Book) -> str:
    limit = f"below {number(body['least'])}" if body["value"] < body["least"] else f"above {number(body['most'])}"
    return f"{short(body['score'])} stands at {number(body['value'])}, {limit}"


def _tell_seal(body: Body, book: Book) -> str:
    ends = {None: "", "session-end": ", until the session ends"}.get(body["until"], f", until {body['until']}")
    return f"sealed roll{ends}"


def _tell_reveal(body: Body, book: Book) -> str:
    about = book.entry(body["about"], secrets=book.revealed(body["about"]))
    if about.type == "roll-sealed":
        ruling = about.body["ruling"]
        came = f": {person(book, ruling['who'])} {TELLS[ruling['type']](ruling, book)}" if "who" in ruling else ""
        return f"reveal of #{about.seq}{came}"
    kept = {field for field, kind, _ in commitments(book.journal.entry(about.seq).body) if kind == Secret.KEY}
    told = [f"{name} {number(held)}" for name, held in about.body.get("inputs", {}).items() if f"inputs.{name}" in kept]
    return f"reveal of {named(book, about.seq)}{'; ' if told else ''}{', '.join(told)}"


def _tell_key(body: Body, book: Book) -> str:
    alone = "" if body["note"].count("\n\u2014 ") > 1 else ", and the old one did not sign for it"
    return f"another key signs from here on: {body['key']}{alone}{_because(body)}"


def _tell_policy(body: Body, book: Book) -> str:
    policy = parse_policy(body["policy"])
    group = policy.groups.get(policy.quorum)
    if group is None:
        return f"to be witnessed by {'nobody' if policy.quorum == NONE else policy.quorum}"
    return f"to be witnessed by {group.threshold} of {', '.join(group.members)}"


def _tell_fork(body: Body, book: Book) -> str:
    return f"play goes on from here, though another history of {body['size']} entries is known"


def _tell_erasure(body: Body, book: Book) -> str:
    entries = ", ".join(f"#{seq}" for seq in body["erased"])
    return f"the words of {entries} were erased"


def _tell_plainly(body: Body, book: Book) -> str:
    return str(body["type"])


TELLS: Mapping[str, Callable[[Body, Book], str]] = {
    "move-played": _tell_move,
    "question-asked": _tell_move,
    "campaign-opened": _tell_opening,
    "player-seated": _tell_seat,
    "character-joined": _tell_join,
    "session-opened": _tell_session,
    "session-closed": _tell_close,
    "scene-set": _tell_scene,
    "score-adjusted": _tell_adjustment,
    "marks-set": _tell_marks,
    "note-written": _tell_note,
    "settings-changed": _tell_settings,
    "day-begun": _tell_day,
    "dice-thrown": _tell_throw,
    "dice-counted": _tell_roll,
    "action-struck": _tell_strike,
    "action-amended": _tell_amendment,
    "play-rewound": _tell_rewind,
    "dispute-raised": _tell_dispute,
    "question-decided": _tell_decision,
    "verdict-overridden": _tell_override,
    "score-asserted": _tell_assertion,
    "knock-on-found": _tell_knock_on,
    "limit-crossed": _tell_limit,
    "roll-sealed": _tell_seal,
    "secret-revealed": _tell_reveal,
    "key-rotated": _tell_key,
    "policy-set": _tell_policy,
    "history-forked": _tell_fork,
    "words-erased": _tell_erasure,
}
"""How an event is told."""
