"""Lines: how actions and entries read."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from cli.render.terminal import BAD, GOOD, INDENT, WAITS, as_json, colored, plainly, say, talk

CAMPAIGN = "campaign"
"""Who it is that a move of the whole table is of."""

if TYPE_CHECKING:
    from ledger.events.entry import Entry
    from ledger.events.types import AnyEvent
    from ledger.journal.book import Book
    from ledger.scribe import Written
    from projections.log import Further, Line, ShownVerdict


def entries_json(entries: Iterable["Entry"]) -> None:
    """Write entries, their words opened, each with its leaf; a sealed roll that was opened has its ruling in it."""
    from ledger.events.types import RollSealed

    def facts(entry: "Entry") -> dict[str, Any]:
        sealed = entry.event if entry.type == RollSealed.type else None
        ruling = sealed.ruling.value or {} if isinstance(sealed, RollSealed) else {}
        return {**entry.body, **ruling, "type": entry.type, "leaf": entry.leaf.hex()}

    as_json(map(facts, entries))


def written(book: "Book", done: "Written", *, json: bool, verbose: bool) -> None:
    """Show what a command came to: the answer in one line, the working where it is wanted."""
    if json:
        entries_json(done.entries)
        if done.pool is not None:
            costs = [{"who": each.who, **each.scores} for each in done.cost]
            as_json([{"pool": list(done.pool.sides), "cost": costs}])
    elif done.pool is not None:
        opens = "opens what the GM keeps secret: what it comes to is not told before it is written"
        say(f"This throws {done.pool}." if done.pool.sides else f"This {opens}.")
        for each in done.cost:
            moved = ", ".join(f"{name} {amount:+d}".replace(" -", " −") for name, amount in each.scores.items())
            say(f"It costs {each.who} {moved}, whatever the dice show.")
    else:
        from ledger.events.types import Correction
        from projections.log import line  # a look at a sheet has no lines

        told = line(book, done.entries)
        say(headline(told))
        unmoved = ruled_the_same(book, done) if done.dry and isinstance(told.event, Correction) else []
        for text in [*following(book, told), *unmoved, *(working(told) if verbose else ())]:
            say(INDENT + text)
    if done.again:
        talk("This was written before, under the same id; nothing was written now.")


def headline(told: "Line") -> str:
    """An action in one line."""
    return f"{colored(f'#{told.seq}', 'number')}{' ' * max(1, 5 - len(str(told.seq)))}{tale(told)}"


def tale(told: "Line") -> str:
    """An action in one line, without its number."""
    from ledger.events.types import RollSealed

    text = told.says if told.who in {"", CAMPAIGN} else f"{told.who} {told.says}"
    parts = [colored(text, "struck") if told.struck else text]
    if told.verdict:
        parts.append(verdict(told.verdict))
    if told.overridden:
        by, instead = told.overridden
        parts[-1:] = [f"{parts[-1]}, overridden by #{by}: {verdict(instead)}"]
    if told.waits:
        parts.append(colored(f"{WAITS} {_waiting(told)}", "waits"))
    if told.answered:
        parts.append(f"{'revealed' if isinstance(told.event, RollSealed) else 'answered'} by #{told.answered}")
    if told.dice:
        parts.append(f" [{told.dice}]")
    if told.further:
        parts.append(f"then {_then(told)}")
    if told.moved:
        parts.append(" " + ", ".join(_moved(told, each) for each in told.moved))
    parts += [f" (disputed by #{dispute})" for dispute in told.disputed]
    if told.struck:
        parts.append(f" ({told.struck.how} by #{told.struck.by})")
    return "  ".join(parts)


MOST_WAITING = 3
MOST_LISTED = 12
"""Of more questions, and of more moves than these, the others are counted."""

MOST_TOLD = 2
"""Of the moves of an action so many are told in its line; more are counted."""


def _then(told: "Line") -> str:
    if len(told.further) > MOST_TOLD:
        return f"{len(told.further)} moves more"
    return ", ".join(_shortly(each, told.who) for each in told.further)


def _shortly(each: "Further", teller: str = "") -> str:
    who = "" if each.who in {teller, "", CAMPAIGN} else f"{each.who} "
    parts = [
        f"{who}{each.says}",
        *([verdict(each.verdict)] if each.verdict else []),
        *([f"[{each.dice}]"] if each.dice else []),
    ]
    return "  ".join(parts)


def verdict(told: "ShownVerdict") -> str:
    """A verdict with its mark."""
    if told.good is None:
        return told.says
    return colored(f"{GOOD} {told.says}", "good") if told.good else colored(f"{BAD} {told.says}", "bad")


def _waiting(told: "Line") -> str:
    from ledger.events.types import QuestionAsked, RollSealed

    if isinstance(told.event, QuestionAsked):
        return "waits for a choice"
    if told.waits == (told.seq,):
        return "waits to be revealed" if isinstance(told.event, RollSealed) else "waits for a decision"
    numbers = ", ".join(f"#{seq}" for seq in told.waits[:MOST_WAITING])
    more = f" and {len(told.waits) - MOST_WAITING} more" if len(told.waits) > MOST_WAITING else ""
    return f"{numbers}{more} {'waits' if len(told.waits) == 1 else 'wait'} for an answer"


def following(book: "Book", told: "Line") -> list[str]:
    """The further strikes, amendments and questions of a correction, a line each."""
    from ledger.events.types import ActionStruck

    found: list[str] = []
    if len(told.further) > MOST_TOLD:
        found = [f"{colored(f'#{each.seq}', 'number')} {_shortly(each)}" for each in told.further[-MOST_LISTED:]]
        before = len(told.further) - len(found)
        found[:0] = [f"… {before} before these; see them with 'campaign show {told.seq} --json'"] if before else []
    struck = ((each.seq, each.event) for each in told.entries)
    rewound = {seq for seq, event in struck if isinstance(event, ActionStruck) and event.how == "rewind"}
    found += [text for entry in told.entries[1:] for text in _follows(book, told, entry, rewound)]
    return found + [text for entry in told.entries for text in _lost(book, entry)]


def _follows(book: "Book", told: "Line", entry: "Entry", rewound: set[int]) -> Iterator[str]:
    """Yield what an entry of a correction strikes, amends, keeps or asks; `rewound` are the strikes of a rewind."""
    from ledger.events.types import ActionAmended, ActionStruck, KnockOnFound, LimitCrossed, QuestionAsked
    from projections.log import line
    from projections.phrases import named, said_otherwise, tell

    match entry.event:
        case KnockOnFound() | LimitCrossed():
            yield colored(f"{WAITS} #{entry.seq} {_subject(entry.event)}{tell(book, entry)}.", "waits")
        case QuestionAsked() if entry.seq != told.seq:
            asked = f"#{entry.seq} {_subject(entry.event)}{tell(book, entry)} waits for a choice."
            yield colored(f"{WAITS} {asked}", "waits")
        case ActionAmended() as event:
            again = line(book, [each for each in told.entries if each.seq >= entry.seq])
            now = f": {verdict(again.verdict)}" if again.verdict else ""
            yield f"amends {named(book, event.about)}{said_otherwise(book, event)}{now}"
        case ActionStruck(how="rewind" | "void", strikes=act):
            yield f"strikes {named(book, act)}"
        case _ if entry.since < entry.seq and entry.cause in rewound:
            yield f"keeps {named(book, entry.seq)}, which counts since #{entry.since}"


def ruled_the_same(book: "Book", done: "Written") -> list[str]:
    """The later rulings that would look at other numbers and be ruled the same; of a dry run, while it lasts."""
    from ledger.corrections.knock_on import knock_ons
    from projections.phrases import looked_otherwise

    found = knock_ons(book, done.entries[0].seq - 1)
    same = (each for each in found if each.finds == "same")
    return [f"{looked_otherwise(book, each.part.root, each.numbers)}; it is ruled the same" for each in same]


def _subject(event: "AnyEvent") -> str:
    from projections.phrases import who_of

    who = who_of(event)
    return f"{who} " if who else ""


def _lost(book: "Book", entry: "Entry") -> list[str]:
    """The answers that fall with a strike, and the GM's verdicts that were about what an amendment replaces."""
    from ledger.events.entry import struck_in
    from ledger.events.types import ActionAmended, ActionStruck, MovePlayed, QuestionDecided, VerdictOverridden
    from projections.log import about
    from projections.phrases import named

    event = entry.event
    if isinstance(event, ActionAmended):
        spoken = about(book, book.journal.entry(event.about).act)
        overrides = (each for each in spoken if isinstance(each.event, VerdictOverridden))
        return [f"the override #{each.seq} was of the old ruling; say it again if it still holds" for each in overrides]
    if not isinstance(event, ActionStruck) or event.how == "amend":
        return []

    def answers(each: "AnyEvent") -> bool:
        return isinstance(each, MovePlayed) and each.answers is not None

    def adjusts(each: "AnyEvent") -> bool:
        return isinstance(each, QuestionDecided) and each.choice == "adjust"

    fallen = struck_in(event)
    others = (act for act in fallen if act != event.strikes)
    answered = (act for act in others if any(answers(each.event) for each in book.journal.action(act)))
    asked = (each.seq for act in fallen for each in book.journal.action(act))
    decisions = (book.mark("#questions", str(question)) for question in asked)
    adjusted = (each for each in decisions if each and adjusts(book.journal.entry(each).event))
    return [f"with it falls {named(book, act)}" for act in answered] + [
        f"{named(book, each)} adjusted a score, and still counts" for each in adjusted
    ]


def working(told: "Line") -> list[str]:
    """The working of an action, line by line."""
    from projections.log import counting

    found = [each for entry in told.entries for each in counting(entry)]
    width = max((len(name) for name, _ in found), default=0)
    return [f"{name:<{width}}  {text}" for name, text in found]


def _moved(told: "Line", moved: Any) -> str:
    who = "" if moved.who == told.who else f"{moved.who} "
    return f"{who}{moved.score.partition('/')[2]} {plainly(moved.before)} → {plainly(moved.after)}"


def entry_page(book: "Book", told: "Line", names: Mapping[str, str]) -> None:
    """Show an action whole: the line, the working, what was said, and every entry with its leaf."""
    from ledger.events.types import DiceCounted, DiceThrown, MoveEvent
    from projections.log import about
    from projections.phrases import shown, tell

    say(headline(told))
    for text in [*following(book, told), *working(told)]:
        say(INDENT + text)
    for each in about(book, told.act):
        say(f"{INDENT}#{each.seq} {tell(book, each)}")
    for entry in told.entries:
        for name, held in _said(entry):
            say(f"{INDENT}{name}: {held}")
        event = shown(entry)
        if isinstance(event, DiceThrown):
            say(f"{INDENT}thrown by {'hand' if event.source == 'typed' else 'the machine'}")
        dice = event.dice if isinstance(event, DiceThrown | DiceCounted | MoveEvent) else ()
        for place, die in enumerate(dice, start=1):
            if die.dropped:
                say(f"{INDENT}die {place} of {len(dice)} ({die.face}) is dropped: {die.dropped}")
    say(f"{INDENT}by {names.get(told.by, told.by)} ({told.by}), {told.at.replace('T', ' ').replace('Z', ' UTC')}")
    for entry in told.entries:
        cause = f", follows from #{entry.cause}" if entry.cause else ""
        say(f"{INDENT}entry #{entry.seq} {entry.type}{cause}, leaf {entry.leaf.hex()}")


def _said(entry: "Entry") -> list[tuple[str, str]]:
    from ledger.events.types import ActionAmended, Consequence, MoveEvent
    from projections.phrases import readable, shown

    event = shown(entry)
    inputs = readable(event.inputs) if isinstance(event, MoveEvent | ActionAmended) else {}
    found = [(name, plainly(held)) for name, held in inputs.items() if held not in (None, False, [], "", 0, {})]
    facts = [(name, plainly(held)) for name, held in event.facts.items()] if isinstance(event, Consequence) else []
    if isinstance(event, ActionAmended):
        return [(f"amended {name}", text) for name, text in found]
    return [(name, text) for name, text in found if name != "who"] + [
        (f"{entry.type} {name}", text) for name, text in facts
    ]
