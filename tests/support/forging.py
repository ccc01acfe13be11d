"""Forging: a campaign's entries as a forger holds them, with all that hangs on their numbers, and files made of them.

The forger knows the program and all words with their salts, and has the key: bodies are canonical, leaves, tree,
accounts and words fit. Whatever is found in such a file is found by what it says.
"""

from collections.abc import Mapping
from contextlib import suppress
from copy import deepcopy
from hashlib import sha256
from typing import Any

from ledger.errors import LedgerError
from ledger.events.canonical import canonical_json, parse_json, substitute, walk
from ledger.events.commitments import COMMITMENT_PATTERN, CommittedText, Secret, commitment
from ledger.journal.book import Book
from ledger.journal.records import StoredWord
from ledger.journal.store import memory_journal

Body = dict[str, Any]

NAMING = ("seq", "since", "act", "cause", "answers", "question", "about", "named", "to", "strikes", "throw")
"""The fields of an entry that name another."""

MARKING = ("offer", "scene", "policy")
"""The marks whose value names an entry, beside those of the journal's own subjects."""

NEW = 100_000
"""Entries that are put in have numbers from here on, until all are numbered anew."""


class Forged:
    """The entries of a campaign, to be changed at will; `words` has each text and its salt by commitment."""

    def __init__(self, bodies: list[Body], words: Mapping[str, tuple[bytes, str]]) -> None:
        self.bodies = deepcopy(bodies)
        self.words = dict(words)
        self._new = NEW

    def actions(self) -> list[list[Body]]:
        """The entries, action by action."""
        actions: list[list[Body]] = []
        for body in self.bodies:
            if not actions or actions[-1][0]["act"] != body["act"]:
                actions.append([])
            actions[-1].append(body)
        return actions

    def cut(self, last: int) -> None:
        """Leave nothing after an entry."""
        self.bodies = [body for body in self.bodies if body["seq"] <= last]

    def copied(self, bodies: list[Body]) -> list[Body]:
        """Copies of entries, to be put in: with new numbers of their own among each other, and new salts."""
        numbers = {body["seq"]: self._new + place for place, body in enumerate(bodies)}
        self._new += len(bodies)
        copies = []
        for body in bodies:
            copy = self._named(deepcopy(body), numbers)
            for field, value in list(walk(copy)):
                if (digest := _digest(value)) in self.words:
                    salt, text = self.words[digest]
                    copy = self.reworded(copy, field, text, sha256(salt).digest())
            copies.append(copy)
        return copies

    def reworded(self, body: Body, field: str, text: str, salt: bytes) -> Body:
        """The entry with other words, or another secret, in a field, and a commitment to them."""
        kind = next(kind for path, value in walk(body) if path == field for kind in value)
        digest = commitment(salt, text)
        self.words[digest] = (salt, text)
        reworded: Body = substitute(body, {field: {kind: digest}})
        return reworded

    def number(self) -> None:
        """Number all entries anew, in their order, wherever they are named."""
        numbers = {body["seq"]: place for place, body in enumerate(self.bodies, 1)}
        if any(old != new for old, new in numbers.items()):
            self.bodies = [self._named(body, numbers) for body in self.bodies]

    def _named(self, body: Body, numbers: Mapping[int, int]) -> Body:
        """An entry in which entries have other numbers."""
        body = self._sealed(body, numbers) if body["type"] == "roll-sealed" else body
        for name in NAMING:
            if type(body.get(name)) is int and (name != "to" or body["type"] == "play-rewound"):
                body[name] = numbers.get(body[name], body[name])
        if isinstance(body.get("throws"), list):
            body["throws"] = [numbers.get(seq, seq) if type(seq) is int else seq for seq in body["throws"]]
        if body["type"] == "words-erased" and isinstance(body["erased"], dict):
            body["erased"] = {_renamed(name, numbers): fields for name, fields in body["erased"].items()}
        for mark in body["marks"]:
            _name_in_mark(mark, numbers)
        return body

    def _sealed(self, body: Body, numbers: Mapping[int, int]) -> Body:
        """A sealed roll, which names its dice from its own number on."""
        old, new = body["seq"], numbers.get(body["seq"], body["seq"])
        for field in ("ruling", "consequences"):
            salt, text = self.words.get(_digest(body[field]), (b"", ""))
            if not text:
                continue
            value = parse_json(text)
            for event in value if isinstance(value, list) else [value]:
                if "throws" in event:
                    event["throws"] = [seq - old + new for seq in event["throws"]]
                if "throw" in event:
                    event["throw"] += new - old
                for mark in event["marks"]:
                    if mark["who"][0] == "#" or mark["name"] in MARKING:
                        mark["value"] = mark["value"] - old + new if type(mark["value"]) is int else mark["value"]
            body = self.reworded(body, field, canonical_json(value).decode(), salt)
        return body

    def book(self) -> Book:
        """A campaign in memory that says this, with all its tables."""
        book = Book(memory_journal())
        with book.journal.writing():
            for body in self.bodies:
                stored = canonical_json(body)
                book.journal.append(body["seq"], stored)
                for field, value in walk(body):
                    if (digest := _digest(value)) in self.words:
                        book.words.keep(StoredWord(body["seq"], field, *self.words[digest]))
                with suppress(LedgerError, KeyError, TypeError, ValueError, AttributeError):
                    book.accounts.post(body)
        return book


def read(book: Book) -> Forged:
    """The entries of a campaign as they are, with their words."""
    bodies: list[Body] = []
    words: dict[str, tuple[bytes, str]] = {}
    for entry in book.journal.entries():
        bodies.append(entry.raw)
        kept = book.words.salts_and_texts(entry.seq)
        words |= {digest: kept[field] for field, _, digest in entry.committed if field in kept}
    return Forged(bodies, words)


def _digest(value: Any) -> str:
    """The commitment in a value, "" if it is none."""
    if isinstance(value, dict) and len(value) == 1:
        ((kind, digest),) = value.items()
        if kind in {CommittedText.KEY, Secret.KEY} and isinstance(digest, str) and COMMITMENT_PATTERN.fullmatch(digest):
            return digest
    return ""


def _name_in_mark(mark: Body, numbers: Mapping[int, int]) -> None:
    if type(mark["value"]) is int and (mark["who"][:1] == "#" or mark["name"] in MARKING):
        mark["value"] = numbers.get(mark["value"], mark["value"])
    if mark["who"] in {"#about", "#questions", "#struck", "#revealed"}:
        mark["name"] = ":".join(_renamed(name, numbers) for name in mark["name"].split(":"))


def _renamed(name: str, numbers: Mapping[int, int]) -> str:
    return str(numbers.get(int(name), name)) if name.isdigit() else name
