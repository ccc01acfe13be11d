"""The log: each action of the journal in one line, in words that need no system."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ledger.events.entry import Entry, head_of
from ledger.events.subjects import QUESTIONS, STRUCK
from ledger.journal.accounts import NOW, When
from ledger.journal.book import Book
from ledger.values import Shape
from projections.phrases import DONE, person, tell, verdict_words, words

ANSWERED = ("question-asked", "roll-sealed")


class Moved(Shape):
    """A score that an action moved, by its full name."""

    who: str
    score: str
    before: int
    after: int


class Struck(Shape):
    """What became of an action that counts no more, and the entry that struck it."""

    by: int
    how: str


class Verdict(Shape):
    """A headline; `good` is None where nothing is won or lost."""

    says: str
    good: bool | None


class Further(Shape):
    """What was played after the first move, in the same action."""

    seq: int
    who: str
    says: str
    verdict: Verdict | None
    dice: str


class Line(Shape):
    """One action: its headline, the number of the entry that holds it, what it moved, and what became of it.

    `waits` are its questions that nobody answered yet, `answered` is the entry that answered or revealed it;
    `overridden` is the GM's verdict in place of its own, with the entry that gave it; `disputed` are disputes about it
    that are open.
    """

    seq: int
    act: int
    at: str
    by: str
    type: str
    who: str
    says: str
    verdict: Verdict | None
    dice: str
    further: tuple[Further, ...]
    moved: tuple[Moved, ...]
    waits: tuple[int, ...]
    answered: int | None
    struck: Struck | None
    overridden: tuple[int, Verdict] | None
    disputed: tuple[int, ...]
    entries: tuple[Entry, ...]


def line(book: Book, entries: Sequence[Entry], when: When = NOW) -> Line:
    """Return the line of an action, or of one entry of it, opened; what became of it, as known at a point."""
    head = head_of(entries)
    ruling = _ruling(book, entries, head)
    spoken = [each for each in about(book, head.act, when) if _is_of(book, each, ruling, entries)]
    answer = book.accounts.mark(QUESTIONS, str(head.seq), when) if head.type in ANSWERED else None
    return Line(
        seq=head.seq,
        act=head.act,
        at=head.at,
        by=head.by,
        type=head.type,
        who=person(book, head.body.get("who", "")),
        says=tell(book, head),
        verdict=_verdict(ruling.body),
        dice=_dice(ruling),
        further=tuple(_further(book, entries, head)),
        moved=tuple(_moved_at_their_places(book, entries, when.known) if when.corrected else _moved(book, entries)),
        waits=tuple(entry.seq for entry in entries if _asks(entry) and _waits(book, entry.seq, when)),
        answered=answer or None,
        struck=struck(book, head.act, when),
        overridden=_overridden(spoken),
        disputed=tuple(each.seq for each in spoken if each.type == "dispute-raised" and _waits(book, each.seq, when)),
        entries=tuple(entries),
    )


def unclosed(entry: Entry) -> Entry:
    """Return a sealed roll that was opened for a look as the ruling that it holds; any other entry as it is."""
    ruling = entry.body.get("ruling", {})
    return entry.but(body={**entry.body, **ruling, "type": entry.type}) if "type" in ruling else entry


def _dice(ruling: Entry) -> str:
    return " ".join(str(die["face"]) for die in ruling.body.get("dice", []))


def _further(book: Book, entries: Sequence[Entry], head: Entry) -> Iterator[Further]:
    for entry in entries:
        if entry.type in {"move-played", "day-begun"} and entry.cause is None and entry.seq != head.seq:
            who, verdict = person(book, entry.body.get("who", "")), _verdict(entry.body)
            yield Further(seq=entry.seq, who=who, says=tell(book, entry), verdict=verdict, dice=_dice(entry))


def about(book: Book, act: int, when: When = NOW) -> list[Entry]:
    """Return the entries that say something about an action, and stand: disputes, decisions, overrides."""
    return [book.entry(seq) for seq in book.spoken(act, when)]


def struck(book: Book, act: int, when: When = NOW) -> Struck | None:
    """Return by what an action was struck, None where it stands."""
    by = book.accounts.mark(STRUCK, str(act), when)
    if by is None:
        return None
    strike = book.journal.entry(by)
    return Struck(by=head_of(book.journal.action(strike.act)).seq, how=DONE[strike.body["how"]])


def lines(book: Book, most: int | None, when: When = NOW, *, waiting: bool = False) -> list[Line]:
    """Return the lines up to a point, the latest last, at most so many; perhaps those alone that wait."""
    found: list[Line] = []
    known = NOW if when.corrected else when
    for act in book.acts_backwards(min(when.seq, book.journal.head())):
        if most is not None and len(found) == most:
            break
        told = line(book, [entry for entry in book.action(act) if entry.seq <= when.seq], known)
        if told.waits or not waiting:
            found.append(told)
    return found[::-1]


def counting(entry: Entry) -> list[tuple[str, str]]:
    """Return the working of an entry, name and line: the steps of a ruling, or how loose dice were counted."""
    if entry.type == "dice-counted":
        told = " + ".join(str(each) for each in entry.body["addends"]) + f" = {entry.body['total']}"
        gone = [f"{die['face']} ({die['dropped']})" for die in entry.body["dice"] if die["dropped"]]
        count = ("count", told.replace("-", "−").replace("+ −", "− "))
        return [count, ("dropped", ", ".join(gone))] if gone else [count]
    return [(step["name"], sentence(step)) for step in entry.body.get("steps", [])]


def sentence(step: Mapping[str, Any]) -> str:
    """Return a line of working as it is read, with what the GM keeps secret left out."""
    numbers = ("secret" if isinstance(number, dict) else number for number in step["numbers"])
    text: str = step["says"].format(*(str(number).replace("-", "−") for number in numbers))
    return text.replace("+ −", "− ")


def played_again(book: Book, entries: Sequence[Entry], amendment: Entry) -> Entry:
    """Return what an amendment played again of the entry that it is about; itself, where that is not among these."""
    strike = next((entry.seq for entry in entries if entry.cause == amendment.seq), None)
    roots = (entry for entry in entries if entry.cause == strike and entry.type != "dice-thrown" and strike)
    places = places_of(book, book.journal.entry(amendment.body["about"]))
    return next((entry for entry in roots if entry.since in places), amendment)


def places_of(book: Book, root: Entry) -> set[int]:
    """Return the entries since which a root, its dice, and what it answers count: one of them is its place."""
    asked = root.body.get("answers")
    if asked is not None:
        root = book.journal.entry(asked)
    throws = root.body.get("throws", [root.body["throw"]] if "throw" in root.body else [])
    return {root.since, *(book.journal.entry(seq).since for seq in throws)}


def _is_of(book: Book, spoken: Entry, ruling: Entry, entries: Sequence[Entry]) -> bool:
    """Whether something said about an action is about what is shown of it: that part, or a copy of it."""
    if "about" not in spoken.body:
        return False
    named = book.journal.entry(spoken.body["about"])
    if named.act == ruling.act and named.type != "move-played":
        return named.seq in {entry.seq for entry in entries} | set(ruling.body.get("throws", ()))
    return bool(places_of(book, named) & places_of(book, ruling))


def _asks(entry: Entry) -> bool:
    return any(mark["who"] == QUESTIONS and mark["value"] is False for mark in entry.body["marks"])


def _waits(book: Book, question: int, when: When) -> bool:
    return book.accounts.mark(QUESTIONS, str(question), when) is False


def _ruling(book: Book, entries: Sequence[Entry], head: Entry) -> Entry:
    """Return the entry whose verdict and dice the line of an action shows."""
    if head.body.get("how") == "choose":
        return next((entry for entry in entries if entry.type == "move-played"), head)
    if head.type == "secret-revealed":
        return next((entry for entry in entries if entry.type in {"move-played", "dice-counted"}), head)
    amendment = next((entry for entry in entries if entry.type == "action-amended"), None)
    return head if amendment is None else played_again(book, entries, amendment)


def _verdict(body: Mapping[str, Any]) -> Verdict | None:
    verdict = body.get("verdict")
    if verdict is None:
        return None
    if isinstance(verdict, str):
        return Verdict(says=words(verdict), good=body["good"])
    return Verdict(says=verdict_words(verdict), good=verdict["good"])


def _overridden(spoken: Sequence[Entry]) -> tuple[int, Verdict] | None:
    found = [entry for entry in spoken if entry.type == "verdict-overridden"]
    return (
        (found[-1].seq, Verdict(says=words(found[-1].body["verdict"]), good=found[-1].body["good"])) if found else None
    )


def _moved(book: Book, entries: Sequence[Entry]) -> Iterator[Moved]:
    first: dict[tuple[str, str], int] = {}
    last: dict[tuple[str, str], int] = {}
    for row in book.accounts.moved(entries[0].seq, entries[-1].seq, _subjects(book, entries)):
        first.setdefault((row.who, row.score), row.balance - row.amount)
        last[row.who, row.score] = row.balance
    for (who, score), before in first.items():
        if "/" in score and before != last[who, score]:
            yield Moved(who=who, score=score, before=before, after=last[who, score])


def _moved_at_their_places(book: Book, entries: Sequence[Entry], known: int) -> Iterator[Moved]:
    """Yield what entries moved, from where to where as now known of their places."""
    for who, score in _subjects(book, entries):
        first, last = entries[0], entries[-1]
        rows = book.accounts.register(who, score, When(seq=last.since, corrected=True, known=known))
        before = sum(row.amount for row in rows if (row.since, row.seq) < (first.since, first.seq))
        after = sum(row.amount for row in rows if (row.since, row.seq) <= (last.since, last.seq))
        if "/" in score and before != after:
            yield Moved(who=who, score=score, before=before, after=after)


def _subjects(book: Book, entries: Sequence[Entry]) -> list[tuple[str, str]]:
    found: dict[tuple[str, str], None] = {}
    for entry in entries:
        found |= {(posting["who"], posting["score"]): None for posting in entry.body["postings"]}
        for mark in entry.body["marks"]:
            if mark["who"] == STRUCK and entry.type == "action-struck":
                found |= dict.fromkeys(_subjects(book, book.journal.action(int(mark["name"]))))
    return list(found)
