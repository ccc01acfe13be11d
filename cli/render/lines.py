"""Lines: actions and entries as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from cli.render.terminal import BAD, GOOD, INDENT, WAITS, aside, colored, plainly, say, say_json
from ledger.errors import minus
from ledger.events.subjects import CAMPAIGN

if TYPE_CHECKING:
    from ledger.events.entry import Entry
    from ledger.events.types import AnyEvent, CharacterJoined, Consequence
    from ledger.journal.accounts import AsOf
    from ledger.journal.book import Book
    from ledger.scribe import Written
    from projections.log import Further, Line, ShownVerdict


def entries_json(entries: Iterable[Entry]) -> None:
    """Write opened entries as JSON, each with its leaf; an opened sealed roll includes its ruling."""
    from ledger.events.types import RollSealed

    def facts(entry: Entry) -> dict[str, Any]:
        sealed = entry.event if entry.type == RollSealed.type else None
        ruling = sealed.ruling.value or {} if isinstance(sealed, RollSealed) else {}
        return {**entry.body, **ruling, "type": entry.type, "leaf": entry.leaf.hex()}

    say_json(map(facts, entries))


def show_written(book: Book, done: Written, *, json: bool, verbose: bool) -> None:
    """Show the result of a command in one line, or as JSON; with `verbose`, also its working."""
    if json:
        entries_json(done.entries)
        if done.pool is not None:
            costs = [{"who": cost.who, **cost.scores} for cost in done.cost]
            say_json([{"pool": list(done.pool.sides), "cost": costs}])
    elif done.pool is not None:
        opens = "reveals a secret of the GM's: what comes of it is told once it is written"
        say(f"This throws {done.pool.in_words()}." if done.pool.sides else f"This {opens}.")
        for cost in done.cost:
            moved = ", ".join(f"{name} {minus(f'{amount:+d}')}" for name, amount in cost.scores.items())
            say(f"It costs {cost.who} {moved}, whatever the dice show.")
    else:
        from ledger.events.types import Correction
        from projections.log import line  # a sheet has no lines

        action = line(book, done.entries)
        say(f"{'would be ' if done.dry else ''}{headline(action)}")
        unmoved = ruled_the_same(book, done) if done.dry and isinstance(action.event, Correction) else []
        for text in [*following(book, action), *unmoved, *(working(action) if verbose else ())]:
            say(INDENT + text)
    if done.again:
        aside("This was written before, under the same id; nothing was written now.")


def headline(action: Line) -> str:
    """An action in one line."""
    return f"{colored(f'#{action.seq}', 'number')}{' ' * max(1, 5 - len(str(action.seq)))}{tale(action)}"


def tale(action: Line) -> str:
    """An action in one line, without its number."""
    from ledger.events.types import RollSealed

    text = action.says if action.who in {"", CAMPAIGN} else f"{action.who} {action.says}"
    parts = [colored(text, "struck") if action.struck else text]
    if action.verdict:
        parts.append(verdict(action.verdict))
    if action.overridden:
        by, instead = action.overridden
        parts[-1:] = [f"{parts[-1]}, overridden by #{by}: {verdict(instead)}"]
    if action.waits:
        parts.append(colored(f"{WAITS} {_waiting(action)}", "waits"))
    if action.answered:
        parts.append(f"{'revealed' if isinstance(action.event, RollSealed) else 'answered'} by #{action.answered}")
    if action.dice:
        parts.append(f" [{action.dice}]")
    if action.further:
        parts.append(_then(action))
    if action.moved:
        own_first = sorted(action.moved, key=lambda change: bool(change.who != action.who))
        parts.append(" " + ", ".join(_change(action, change) for change in own_first))
    parts += [f" (disputed by #{dispute})" for dispute in action.disputed]
    if action.struck:
        parts.append(f" ({action.struck.how} by #{action.struck.by})")
    return "  ".join(parts)


MOST_WAITING = 3
MOST_LISTED = 12
"""At most so many questions, and moves, are listed; the rest are counted."""

MOST_TOLD = 2
"""The line of an action names at most so many further moves; more are only counted."""


def _then(action: Line) -> str:
    if len(action.further) > MOST_TOLD:
        return f"and {len(action.further)} more"
    return f"then {', '.join(_shortly(move, action.who) for move in action.further)}"


def _shortly(move: Further, teller: str = "") -> str:
    who = "" if move.who in {teller, "", CAMPAIGN} else f"{move.who} "
    parts = [
        f"{who}{move.says}",
        *([verdict(move.verdict)] if move.verdict else []),
        *([f"[{move.dice}]"] if move.dice else []),
    ]
    return "  ".join(parts)


def verdict(outcome: ShownVerdict) -> str:
    """A verdict with its mark."""
    if outcome.good is None:
        return outcome.says
    return colored(f"{GOOD} {outcome.says}", "good") if outcome.good else colored(f"{BAD} {outcome.says}", "bad")


def _waiting(action: Line) -> str:
    from ledger.events.types import QuestionAsked, RollSealed

    if isinstance(action.event, QuestionAsked):
        return "waits for a choice"
    if action.waits == (action.seq,):
        return "waits to be revealed" if isinstance(action.event, RollSealed) else "waits for a decision"
    return f"{_some(action.waits)} {'waits' if len(action.waits) == 1 else 'wait'} for an answer"


def following(book: Book, action: Line) -> list[str]:
    """The further strikes, amendments and questions of a correction, a line each."""
    from ledger.events.types import ActionStruck

    texts: list[str] = []
    if len(action.further) > MOST_TOLD:
        texts = [f"{colored(f'#{move.seq}', 'number')} {_shortly(move)}" for move in action.further[-MOST_LISTED:]]
        before = len(action.further) - len(texts)
        texts[:0] = [f"… {before} before these; see them with 'campaign show {action.seq} --json'"] if before else []
    struck = ((entry.seq, entry.event) for entry in action.entries)
    rewound = {seq for seq, event in struck if isinstance(event, ActionStruck) and event.how == "rewind"}
    grouped, told_together = _grouped_knock_ons(action)
    alone = (entry for entry in action.entries[1:] if entry.seq not in told_together)
    texts += [text for entry in alone for text in _follows(book, action, entry, rewound)]
    texts += [colored(text, "waits") for text in grouped]
    texts += _other_editions(book, action)
    return texts + [text for entry in action.entries for text in _side_effects(book, entry)]


def _grouped_knock_ons(action: Line) -> tuple[list[str], set[int]]:
    """A line for each cause of more than a few knock-ons, and the entries that these lines are about."""
    from ledger.events.types import KnockOnFound
    from projections.phrases import whose
    from projections.wording import readable

    by_cause: dict[tuple[str, str], dict[int, int]] = {}
    for entry in action.entries:
        if isinstance(entry.event, KnockOnFound):
            looked = [(who, full) for who, names in readable(entry.event.numbers).items() for full in names]
            cause = ", ".join(whose(who, full) for who, full in looked)
            by_cause.setdefault((cause, entry.event.finds), {})[entry.seq] = entry.event.about
    many = {cause: rulings for cause, rulings in by_cause.items() if len(rulings) > MOST_LISTED}
    texts = [
        f"{WAITS} {len(rulings)} later rulings used {cause}, and {FINDS[finds]}: {_some(rulings.values())};"
        f" the first question is #{min(rulings)}."
        for (cause, finds), rulings in many.items()
    ]
    return texts, {seq for rulings in many.values() for seq in rulings}


FINDS = {
    "otherwise": "would come out differently",
    "refused": "would be refused",
    "other-dice": "would need other dice",
}


def _some(seqs: Iterable[int]) -> str:
    """The first few numbers of entries, and how many more there are."""
    numbers = [f"#{seq}" for seq in seqs]
    more = f" and {len(numbers) - MOST_WAITING} more" if len(numbers) > MOST_WAITING else ""
    return f"{', '.join(numbers[:MOST_WAITING])}{more}"


def _other_editions(book: Book, action: Line) -> Iterator[str]:
    """Which edition of the rules an amendment ruled by, if another one ruled before."""
    from ledger.events.types import ActionAmended, MoveEvent
    from projections.log import played_again

    for entry in action.entries:
        if isinstance(entry.event, ActionAmended):
            now, before = played_again(book, action.entries, entry, entry.event.about), book.entry(entry.event.about)
            editions = [other.event.edition for other in (now, before) if isinstance(other.event, MoveEvent)]
            if len(set(editions)) > 1:
                yield f"#{now.seq} is ruled by {editions[0]}; #{before.seq} was by {editions[1]}"


def _follows(book: Book, action: Line, entry: Entry, rewound: set[int]) -> Iterator[str]:
    """What an entry of a correction strikes, amends, keeps or asks; `rewound` are the strikes of a rewind."""
    from ledger.events.types import ActionAmended, ActionStruck, KnockOnFound, LimitCrossed, QuestionAsked
    from projections.log import line
    from projections.phrases import named, said_otherwise, tell

    match entry.event:
        case KnockOnFound() | LimitCrossed():
            yield colored(f"{WAITS} #{entry.seq} {_subject(entry.event)}{tell(book, entry)}.", "waits")
        case QuestionAsked() if entry.seq != action.seq and entry.seq in action.waits:
            from projections.questions import asked

            question = f"#{entry.seq} {_subject(entry.event)}{asked(book, entry)} waits for a choice."
            yield colored(f"{WAITS} {question}", "waits")
        case ActionAmended() as event:
            again = line(book, [other for other in action.entries if other.seq >= entry.seq])
            now = f": {verdict(again.verdict)}" if again.verdict else ""
            yield f"amends {named(book, event.about)}{said_otherwise(book, event)}{now}"
        case ActionStruck(how="rewind" | "void", strikes=act):
            yield f"cancels {named(book, act)}"
        case _ if entry.since < entry.seq and entry.cause in rewound:
            yield f"keeps {named(book, entry.seq)}, which takes effect from #{entry.since}"


def ruled_the_same(book: Book, done: Written) -> list[str]:
    """The later rulings that would read other numbers but come out the same.

    Ask during the dry run, while the file is as it was before the correction.
    """
    from ledger.corrections.knock_on import knock_ons
    from projections.phrases import looked_otherwise

    candidates = knock_ons(book, done.entries[0].seq - 1)
    same = [stale for stale in candidates if stale.finds == "same"]
    texts = [f"{looked_otherwise(book, stale.part.root, stale.numbers)}; it comes out the same" for stale in same]
    more = _some(stale.part.root for stale in same[MOST_LISTED:])
    return [*texts[:MOST_LISTED], *([f"{len(same) - MOST_LISTED} more come out the same: {more}"] if more else [])]


def _subject(event: AnyEvent) -> str:
    from projections.phrases import who_of

    who = who_of(event)
    return f"{who} " if who else ""


def _side_effects(book: Book, entry: Entry) -> list[str]:
    """What a strike does besides: answers that fall, adjustments that stay, questions that are open again."""
    from ledger.events.entry import answered as answered_question
    from ledger.events.entry import struck_in
    from ledger.events.types import (
        ActionAmended,
        ActionStruck,
        CharacterJoined,
        MovePlayed,
        QuestionDecided,
        VerdictOverridden,
    )
    from projections.log import about
    from projections.phrases import named

    event = entry.event
    if isinstance(event, ActionAmended):
        spoken = about(book, book.journal.entry(event.about).act)
        overrides = (other.seq for other in spoken if isinstance(other.event, VerdictOverridden))
        return [f"the override #{seq} was of the old ruling; say it again if it still holds" for seq in overrides]
    if not isinstance(event, ActionStruck) or event.how == "amend":
        return []

    def answers(move: AnyEvent) -> bool:
        return isinstance(move, MovePlayed) and move.answers is not None

    def adjusts(decision: AnyEvent) -> bool:
        return isinstance(decision, QuestionDecided) and decision.choice == "adjust"

    fallen = struck_in(event)
    struck = [member.event for act in fallen for member in book.journal.action(act)]
    left = (_left_on(book, join) for join in struck if isinstance(join, CharacterJoined))
    others = (act for act in fallen if act != event.strikes)
    answered = (act for act in others if any(answers(member.event) for member in book.journal.action(act)))
    questions = (member.seq for act in fallen for member in book.journal.action(act))
    decisions = (book.mark("#questions", str(question)) for question in questions)
    adjusted = (seq for seq in decisions if seq and adjusts(book.journal.entry(seq).event))
    asked = (answered_question(member.event) for act in fallen for member in book.journal.action(act))
    again = dict.fromkeys(question for question in asked if question and book.question(question).waits)
    return [
        *filter(None, left),
        *(f"{named(book, act)} is canceled with it" for act in answered),
        *(f"{named(book, seq)} adjusted a score, and still counts" for seq in adjusted),
        *(colored(f"{WAITS} question #{question} is open again", "waits") for question in again),
    ]


def _left_on(book: Book, join: CharacterJoined) -> str:
    """What still counts on a sheet that was struck; "" if nothing does, or there is a sheet again."""
    prefix = f"{join.system}/"
    if book.mark(join.who, f"{prefix}sheet"):
        return ""
    scores = ((full, book.balance(join.who, full)) for full in book.accounts.scores(join.who, prefix))
    counts = ", ".join(f"{full.removeprefix(prefix)} {plainly(value)}" for full, value in scores if value)
    return (
        counts
        and f"{join.who} has no sheet in {join.system} then, and what was written on it since still counts: {counts}"
    )


def working(action: Line) -> list[str]:
    """The working of an action, line by line; if it is of several characters, each line says whose it is."""
    from projections.log import working_of
    from projections.phrases import who_of

    worked = [(who_of(entry.event), *step) for entry in action.entries for step in working_of(entry)]
    several = len({who for who, _, _ in worked}) > 1
    steps = [(f"{who} {name}" if several and who != CAMPAIGN else name, text) for who, name, text in worked]
    width = max((len(name) for name, _ in steps), default=0)
    return [f"{name:<{width}}  {text}" for name, text in steps]


def typed_words(action: Line) -> list[str]:
    """What was typed with the moves of an action, such as a reason, a line each."""
    from ledger.events.commitments import Said
    from ledger.events.types import MoveEvent
    from projections.wording import typed_words as text_of

    moves = (entry.event for entry in action.entries if isinstance(entry.event, MoveEvent))
    said = ((name, value) for move in moves for name, value in move.inputs.items() if isinstance(value, Said))
    return [f"{name}: {text_of(value)}" for name, value in said]


def _change(action: Line, change: Any) -> str:
    who = "" if change.who == action.who else f"{change.who} "
    return f"{who}{change.score.partition('/')[2]} {plainly(change.before)} → {plainly(change.after)}"


def entry_page(book: Book, action: Line, names: Mapping[str, str], when: AsOf) -> None:
    """Show a whole action as known at a point: its line, working, comments and inputs, each entry with its leaf."""
    from ledger.events.types import DiceCounted, DiceThrown, MoveEvent
    from projections.log import about
    from projections.phrases import person, ruling_shown, tell, who_of

    say(headline(action))
    for text in [*following(book, action), *working(action)]:
        say(INDENT + text)
    for comment in about(book, action.act, when):
        say(f"{INDENT}#{comment.seq} {tell(book, comment)}")
    people = {person(book, who_of(ruling_shown(entry))) for entry in action.entries} - {"", CAMPAIGN}
    for entry in action.entries:
        event = ruling_shown(entry)
        who = person(book, who_of(event))
        other = who if len(people) > 1 and who not in {action.who, CAMPAIGN} else ""
        for name, value in _details(entry):
            say(f"{INDENT}{other and f'{other} '}{name}: {value}")
        if isinstance(event, DiceThrown):
            source = "typed in" if event.source == "typed" else "rolled by the computer"
            say(f"{INDENT}dice {source}{other and f', {other}'}")
        dice = event.dice if isinstance(event, DiceThrown | DiceCounted | MoveEvent) else ()
        for place, die in enumerate(dice, start=1):
            if die.dropped:
                say(f"{INDENT}die {place} of {len(dice)} ({die.face}) is dropped: {die.dropped}")
    at = action.at.replace("T", " ").replace("Z", " UTC")
    say(f"{INDENT}by {names.get(action.by, action.by)} ({action.by}), {at}")
    for entry in action.entries:
        cause = f", follows from #{entry.cause}" if entry.cause else ""
        say(f"{INDENT}entry #{entry.seq} {entry.type}{cause}, leaf {entry.leaf.hex()}")


def _details(entry: Entry) -> list[tuple[str, str]]:
    from ledger.events.types import ActionAmended, Consequence, MoveEvent
    from projections.phrases import ruling_shown
    from projections.wording import readable

    event = ruling_shown(entry)
    inputs = readable(event.inputs) if isinstance(event, MoveEvent | ActionAmended) else {}
    rows = [(name, plainly(value)) for name, value in inputs.items() if value not in (None, False, [], "", 0, {})]
    facts = _facts(event) if isinstance(event, Consequence) else {}
    if isinstance(event, ActionAmended):
        return [(f"amended {name}", text) for name, text in rows]
    return [(name, text) for name, text in rows if name != "who"] + [
        (f"{entry.type} {name}", plainly(value)) for name, value in facts.items()
    ]


def _facts(event: Consequence) -> Mapping[str, Any]:
    """The facts of a consequence that the working of its ruling does not tell already."""
    from ledger import systems

    game = systems.installed(event.system)
    kind = game.kind(event.kind) if game else None
    return {} if kind and kind.in_steps else event.facts
