"""The entries of a campaign, what stands of them, and what they come to at any point."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from model.edge import STEPS, No, Said, plays

CORRECTIONS = {
    "action-struck", "action-amended", "play-rewound", "knock-on-found", "limit-crossed", "dispute-raised",
    "question-decided", "question-closed", "assertion-broken", "verdict-overridden", "score-asserted", "roll-sealed", "secret-revealed",
}  # fmt: skip
Who = tuple[str, str]


@dataclass
class Entry:
    """One entry: what it is, what it adds, and for what was said at the table how to say it again."""

    seq: int
    act: int
    cause: int | None
    since: int
    type: str
    posts: dict[Who, int] = field(default_factory=dict)
    marks: dict[Who, Any] = field(default_factory=dict)
    said: Said | None = None
    faces: tuple[int, ...] = ()
    sides: tuple[int, ...] = ()
    source: str = ""
    throw: int | None = None
    looked: dict[Who, Any] = field(default_factory=dict)
    verdict: tuple[Any, ...] | None = None
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Sheet:
    """The numbers at one point, as `Book.balance` and `Book.mark` read them."""

    book: "Book"
    at: int
    known: int

    def score(self, who: str, name: str) -> int:
        return self.book.balance(who, f"edge/{name}", self.at, self.known)

    def mark(self, who: str, name: str) -> Any:
        return self.book.mark(who, name, self.at, self.known)

    def sessions(self) -> int:
        return self.book.balance("campaign", "session", self.at, self.known)

    def number(self, who: str, name: str) -> Any:
        """What a ruling reads: a score, or the setting."""
        if who == "campaign":
            return self.mark(who, "edge/injuries") or STEPS
        return self.book.balance(who, name, self.at, self.known)


class Book:
    """All entries of a campaign; each number is added up anew."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.act = 1
        self.acts: dict[int, list[Entry]] = {}
        self._standing: dict[int, set[int]] = {}
        self.rolls: Callable[[int], int] = lambda sides: 1

    @property
    def head(self) -> int:
        return len(self.entries)

    def entry(self, seq: int) -> Entry:
        if not 1 <= seq <= self.head:
            raise No(f"no entry {seq}")
        return self.entries[seq - 1]

    def add(self, type_: str, cause: int | None = None, since: int | None = None, **more: Any) -> Entry:
        seq = self.head + 1
        entry = Entry(seq, self.act, cause, since or seq, type_, **more)
        self.entries.append(entry)
        self.acts.setdefault(entry.act, []).append(entry)
        self._standing.clear()
        return entry

    def back(self, head: int) -> None:
        """Forget all entries after `head`."""
        for entry in self.entries[head:]:
            self.acts.pop(entry.act, None)
        del self.entries[head:]
        self._standing.clear()

    def fallen(self, known: int | None = None) -> set[int]:
        """The actions that do not stand: a standing action strikes them, the latest being judged first."""
        known = self.head if known is None else known
        if known not in self._standing:
            struck: set[int] = set()
            for entry in reversed(self.entries[:known]):
                if entry.type == "action-struck" and entry.act not in struck:
                    struck |= set(entry.facts["falls"])
            self._standing[known] = struck
        return self._standing[known]

    def stands(self, act: int) -> bool:
        return act not in self.fallen()

    def _counting(self, at: int, known: int) -> Iterator[Entry]:
        fallen = self.fallen(known)
        return (entry for entry in self.entries[:known] if entry.since <= at and entry.act not in fallen)

    def balance(self, who: str, name: str, at: int | None = None, known: int | None = None) -> int:
        known = self.head if known is None else known
        key = (who, name)
        counting = self._counting(self.head if at is None else at, known)
        return sum(entry.posts[key] for entry in counting if key in entry.posts)

    def mark(self, who: str, name: str, at: int | None = None, known: int | None = None) -> Any:
        known = self.head if known is None else known
        key = (who, name)
        counting = self._counting(self.head if at is None else at, known)
        given = [(entry.since, entry.seq, entry) for entry in counting if key in entry.marks]
        return max(given, key=lambda one: one[:2])[2].marks[key] if given else None

    def before(self, place: int, known: int | None = None) -> Sheet:
        return Sheet(self, place - 1, self.head if known is None else known)

    def now(self) -> Sheet:
        return Sheet(self, self.head, self.head)

    def questions(self) -> list[int]:
        numbers = {int(name) for entry in self.entries for who, name in entry.marks if who == "#questions"}
        return sorted(seq for seq in numbers if self.mark("#questions", str(seq)) is False)

    def answered_by(self, question: int) -> int | None:
        return self.mark("#questions", str(question)) or None

    def sheets(self, at: int, known: int) -> dict[str, Any]:
        """Scores that are not 0 and marks that say something, by character; `at` and `known` as for a balance."""
        scores: dict[Who, int] = {}
        for entry in self._counting(at, known):
            for (who, name), amount in entry.posts.items():
                scores[who, name] = scores.get((who, name), 0) + amount
        cast = sorted({who for entry in self.entries for who, name in entry.marks if name == "edge/sheet"})
        shown: dict[str, Any] = {}
        for who in cast:
            if plays(Sheet(self, at, known), who) and self.mark(who, "edge/sheet", at, known):
                own = {name[5:]: value for (other, name), value in scores.items() if other == who and value}
                care = self.mark(who, "edge/care", at, known)
                shown[who] = {"scores": own, "marks": {"care": care} if care else {}}
        if day := scores.get(("campaign", "day"), 0):
            shown["campaign"] = {"scores": {"day": day}, "marks": {}}
        return shown

    def roots(self, act: int) -> list[Entry]:
        correcting = {entry.seq for entry in self.acts[act] if entry.type in CORRECTIONS}
        roots = (entry for entry in self.acts[act] if entry.cause is None or entry.cause in correcting)
        return [entry for entry in roots if entry.type not in CORRECTIONS | {"dice-thrown", "campaign-opened"}]

    def place(self, root: Entry) -> int:
        throws = [] if root.throw is None else [self.entry(root.throw)]
        late = root.since < root.seq
        return min([root.since, *(throw.since for throw in throws if late or throw.act == root.act)])

    def part_of(self, seq: int) -> Entry:
        """The root of the part that an entry belongs to."""
        entry = self.entry(seq)
        if entry.type == "campaign-opened":
            raise No("the opening")
        if entry.type == "roll-sealed":
            raise No("sealed, or revealed")
        if entry.type in CORRECTIONS:
            amended = [one for one in self.acts[entry.act] if one.type == "action-amended"]
            amendment = next((one for one in amended if entry.seq in {one.seq, one.cause}), None)
            if amendment is None:
                raise No("a correction")
            place = self.place(self.part_of(amendment.facts["about"]))
            later = (one for one in self.roots(entry.act) if one.seq > amendment.seq and self.place(one) == place)
            root = next(later, None)
            if root is None:
                raise No("nothing to play again")
            return root
        if entry.type == "dice-thrown":
            return next(one for one in self.acts[entry.act] if one.seq > seq and one.type != "dice-thrown")
        while entry.cause is not None and self.entry(entry.cause).type not in CORRECTIONS:
            entry = self.entry(entry.cause)
        return entry

    def part(self, root: Entry) -> list[Entry]:
        return [entry for entry in self.acts[root.act] if root.seq in {entry.seq, entry.cause}]

    def instead_of(self, about: int) -> int | None:
        try:
            root = self.part_of(about)
        except No:  # nothing takes the place of what is never played again
            return None
        act, place, seen = root.act, self.place(root), {root.act}
        while (by := self.mark("#struck", str(act))) is not None:
            act = self.entry(by).act
            successor = next((one for one in self.roots(act) if self.place(one) == place), None)
            if successor is None or act in seen:
                return None
            seen.add(act)
            root = successor
        return root.seq
