"""A plain model beside the program: after each command typed, all sheets, questions and new entries are as it says.

`model/` is lists and dictionaries, and shares nothing with the program.
"""

import json
import re
from random import Random
from typing import Any

from ledger.journal.book import Book, open_book
from ledger.reading.points import read_point
from model.campaign import Campaign
from model.edge import Asks, No
from model.words import Typed, Words
from projections.questions import questions
from projections.sheets import sheets, table_sheets
from torture.runs import Run, Trial, inside
from typed_evenings import FILE, Table


def run(run: Run) -> None:
    for trial in run.trials():
        with inside(trial.folder):
            Beside(run, trial).evening()


class Beside(Words):
    """One evening, typed at the program and told to the model."""

    def __init__(self, run: Run, trial: Trial) -> None:
        super().__init__(trial.random)
        self.run, self.table = run, Table(trial.random)
        self.head, self.refused = 0, ""

    def evening(self) -> None:
        self.table.type("-f road.campaign init 'The salt road' --gm Tom")
        self.table.type("player Ana --plays mara")
        self.model.type("opened")
        for who in ("mara", "brak"):
            self.typed(self._join(who, 4, 3))
        for _ in range(self.random.randint(20, 60)):
            if not self.step():
                return
        for sentence in self._struck():
            self.run.weakness(f"{sentence}\n{self._evening()}")

    def step(self) -> bool:
        """Type something and compare; whether the program did what the model says."""
        words = self.typed(self._drawn())
        self.run.count("commands")
        for sentence in self._entries() or ([] if self.refused else self._sheets(words)):
            self.run.weakness(f"{sentence}\n{self._evening()}")
            return False
        return True

    def typed(self, drawn: Typed) -> str:
        """Tell the model, then type it with the faces that the model saw."""
        words, verb, told = drawn
        machine, head = Random(self.table.minutes + 3), self.model.head  # noqa: S311  as the table draws
        self.model.rolls = lambda sides: machine.randrange(sides) + 1
        self.faces = [1, 1]
        self.refused = ""
        try:
            self.model.type(verb, **told)
        except Asks:
            return self.typed(self._drawn())
        except No as no:
            self.refused = str(no)
        if "FACES" in words:
            words = words.replace("FACES", ",".join(map(str, self.faces)))
        self.head = head
        self.table.type(words)
        return words

    # What is compared

    def _entries(self) -> list[str]:
        """The entries that the command wrote, and whether it was refused."""
        printed = self.table.printed[-1]
        code = int(printed.rsplit("(exit ", 1)[1].split(")")[0])
        if (code != 0) != bool(self.refused) or code not in {0, 2, 3}:
            return [f"exit {code}, where the model says {self.refused or 'yes'}:\n{printed}"]
        self.run.count("refused" if code else "written")
        rows = self.table.rows("SELECT body FROM entries WHERE seq > ? ORDER BY seq", self.head)
        on_disk = [_of_disk(json.loads(body)) for (body,) in rows]
        expected = [_of_model(self.model, entry) for entry in self.model.entries[self.head :]]
        if on_disk != expected:
            wrong = next((pair for pair in zip(on_disk, expected, strict=False) if pair[0] != pair[1]), (None, None))
            there = f"{len(on_disk)} entries, where the model says {len(expected)}; the first that differs:"
            return [f"{there}\n  {wrong[0]}\n  {wrong[1]}\n{printed}\nmodel: {expected}"]
        return []

    def _sheets(self, words: str) -> list[str]:
        """The sheets now and at earlier entries, and the questions; typed now and then, else read by the same views."""
        head = self.model.head
        looks = [("sheets --json", self.model.sheets(head, head)), self._questions()]
        typed = self.random.random() < 0.2
        for seq in [self.random.randint(1, head) for _ in range(1 if typed else 3)]:
            last = self.model.acts[self.model.entry(seq).act][-1].seq
            looks.append((f"sheets --at {seq} --json", self.model.sheets(last, last)))
            looks.append((f"sheets --at {seq} --corrected --json", self.model.sheets(last, head)))
        with open_book(FILE) as book:
            for look, expected in looks:
                shown = self._typed_look(look) if typed else self._read(book, look)
                self.run.count("views")
                if shown != expected:
                    return [f"after '{words}', '{look}' says {shown}, the model {expected}"]
        return []

    def _typed_look(self, look: str) -> Any:
        self.table.type(look)
        shown = [json.loads(line) for line in self.table.printed.pop().splitlines() if line.startswith("{")]
        if look.startswith("questions"):
            return [(row["seq"], row["type"], row["about"]) for row in shown if row["type"] != "offer"]
        return {row["who"]: _sheet(row["scores"], row["marks"]) for row in shown}

    def _read(self, book: Book, look: str) -> Any:
        if look.startswith("questions"):
            return [(one.seq, one.type, one.about) for one in questions(book)]
        at = look.split()[2] if "--at" in look else None
        point = read_point(book, at, "--corrected" in look, lambda local: local)
        shown = [*table_sheets(book, point), *sheets(book, book.cast(point), point)]
        return {one.who: _sheet({line.name: line.value for line in one.scores}, dict(one.marks)) for one in shown}

    def _questions(self) -> tuple[str, Any]:
        waiting = [self.model.entry(seq) for seq in self.model.questions()]
        return "questions --json", [(one.seq, one.type, one.facts.get("about")) for one in waiting]

    def _struck(self) -> list[str]:
        """Whether the log says of every action whether it stands."""
        self.table.type("log -n 999")
        lines = [line for line in self.table.printed.pop().splitlines() if line.startswith("#")]
        says = {int(line[1:].split()[0]) for line in lines if _is_struck(line)}
        heads = {self._lead(act) for act in self.model.fallen()}
        return [] if says == heads else [f"the log calls {sorted(says)} struck, the model {sorted(heads)}"]

    def _lead(self, act: int) -> int:
        own = self.model.acts[act]
        return next((one.seq for one in own if one.cause is None and one.type != "dice-thrown"), act)

    def _evening(self) -> str:
        return "".join(f"  {line}\n" for text in self.table.printed for line in text.splitlines() if line[:1] == "$")


def _is_struck(line: str) -> bool:
    return bool(re.search(r" \((undone|taken back|voided|rewound|amended|changed) by #\d+\)$", line))


def _sheet(scores: dict[str, int], marks: dict[str, Any]) -> dict[str, Any]:
    return {"scores": {name: value for name, value in scores.items() if value}, "marks": marks}


def _of_disk(body: dict[str, Any]) -> dict[str, Any]:
    """What the model knows of an entry, as it stands on disk."""
    entry = {name: body[name] for name in ("seq", "act", "cause", "since", "type")}
    entry["posts"] = {(row["who"], row["score"]): row["amount"] for row in body["postings"]}
    if body["type"] == "move-played":
        entry["verdict"] = tuple(body["verdict"][name] for name in ("says", "good", "margin"))
    if body["type"] == "turn-began":
        entry["turn"] = (body["round"], body["who"], body["number"])
    if body["type"] == "action-struck":
        entry["falls"] = sorted(int(mark["name"]) for mark in body["marks"] if mark["who"] == "#struck")
    if body["type"] == "knock-on-found":
        numbers = {(who, name): value or 0 for who, own in body["numbers"].items() for name, value in own.items()}
        entry |= {"about": body["about"], "finds": body["finds"], "numbers": numbers}
    if body["type"] == "question-closed":
        entry |= {name: body[name] for name in ("question", "reason")}
    if body["type"] == "assertion-broken":
        entry |= {name: body[name] for name in ("about", "who", "score", "claimed", "value")}
    if body["type"] == "limit-crossed":
        entry |= {name: body[name] for name in ("who", "score", "value", "most")}
    return entry


def _of_model(model: Campaign, entry: Any) -> dict[str, Any]:
    told = {name: getattr(entry, name) for name in ("seq", "act", "cause", "since", "type", "posts")}
    if entry.type == "move-played":
        told["verdict"] = entry.verdict
    if entry.type == "turn-began":
        told["turn"] = entry.marks["campaign", "turn"]
    if entry.type == "action-struck":
        told["falls"] = sorted(entry.facts["falls"])
    if entry.type == "knock-on-found":
        numbers = {
            key: list(value) if isinstance(value, tuple) else value for key, value in entry.facts["numbers"].items()
        }
        told |= {"about": entry.facts["about"], "finds": entry.facts["finds"], "numbers": numbers}
    if entry.type in {"question-closed", "assertion-broken"}:
        told |= entry.facts
    if entry.type == "limit-crossed":
        told |= {name: entry.facts[name] for name in ("who", "value", "most")}
        told["score"] = f"edge/{entry.facts['score']}"
    return told
