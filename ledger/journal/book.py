"""The book: one open campaign file, with all that can be looked up in it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ledger.errors import Away, TablesDiffer
from ledger.events.canonical import changed, parse_json
from ledger.events.commitments import ERASED, Said, Secret, check_words, commitments, is_closed, opened
from ledger.events.entry import Entry
from ledger.events.rows import BOUND, flipped
from ledger.events.subjects import ABOUT, CAMPAIGN, CAST, HOLD, KEY, PLAYERS, QUESTIONS, REVEALED
from ledger.journal.accounts import NOW, Accounts, When
from ledger.journal.storage import Late
from ledger.journal.store import Journal, open_journal

SECRET, WORD = b'{"secret":"', b'{"word":"'
"""What stands in the bytes of an entry where the GM keeps something, and where words were typed."""


SEALED = "roll-sealed"
"""The type of an entry that stays closed also once it was revealed: what it told stands in entries of its own."""


class Book:
    """The journal, the accounts and the words of one campaign."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.accounts = Accounts(journal.storage.rows, journal.storage.entries)
        self.words = journal.storage.words

    def __enter__(self) -> "Book":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the campaign's file."""
        self.journal.storage.close()

    def head(self) -> int:
        """Return the number of the last entry."""
        return self.journal.head()

    def balance(self, who: str, score: str) -> int | None:
        """Return a score as it stands now, None where nothing was ever posted to it."""
        return self.accounts.balance(who, score)

    def mark(self, who: str, name: str) -> Any:
        """Return a mark as it stands now, None where it has no value."""
        return self.accounts.mark(who, name)

    def at(self, place: int, known: int | None = None) -> "Then":
        """Return what stood before an entry, as now known of it, or as known of it at another."""
        return Then(self, When(seq=place - 1, corrected=True, known=BOUND if known is None else known))

    def scores(self, who: str, prefix: str) -> list[str]:
        """Return what the scores under a prefix are called, those that are not 0, in order."""
        return [full.removeprefix(prefix) for full in self.accounts.scores(who, prefix) if self.balance(who, full)]

    def secret(self, mark: Mapping[str, Any]) -> Secret:
        """Return what a mark holds that the GM keeps secret; refuses (`Away`) what is not in this file."""
        text = self._kept(mark)
        if text is None:
            raise Away(mark["at"])
        return Secret(text=text)

    def _kept(self, mark: Mapping[str, Any]) -> str | None:
        entry = self.journal.entry(mark["at"])
        field = next((field for field, _, held in commitments(entry.body) if held == mark[Secret.KEY]), "")
        return self.words.of(entry.seq).get(field)

    def told(self, value: Any) -> Any:
        """Return the value of a mark as players see it: what the GM keeps once it was revealed, where it is here."""
        text = self._kept(value) if is_closed(value) and self.revealed(value["at"]) else None
        return value if text is None else parse_json(text)

    def sheets(self) -> list[tuple[str, str]]:
        """Return who has a sheet in which game, game by game."""
        cast = self.accounts.marked(CAST)
        games = {(full.removesuffix("/sheet"), who) for who in cast for full in self.accounts.marked(who)}
        return [(who, game) for game, who in sorted(games) if "/" not in game and self.mark(who, f"{game}/sheet")]

    def late(self, head: int) -> Iterator[Late]:
        """Yield the scores and marks that were put right after an entry, with the entry since which each row counts."""
        yield from self.accounts.late(head)

    def flipped(self, targets: list[int], act: int) -> tuple[list[int], list[int]]:
        """Return which actions stand no more once a strike of these is written in an action, and which stand again."""
        return flipped(self.accounts.before(BOUND), targets, act)

    def spoken(self, act: int, when: When = NOW) -> list[int]:
        """Return the entries that say something about an action, and stand: disputes, decisions, overrides."""
        names = [name for name in self.accounts.marked(ABOUT, f"{act}:") if self.accounts.mark(ABOUT, name, when)]
        return sorted(int(name.partition(":")[2]) for name in names)

    def everyone(self) -> dict[str, str]:
        """Return the names of the players as they are now, by their handles."""
        return Book.players(self)

    def copy(self, seq: int) -> dict[str, Any]:
        """Return an entry as it was said, its words and secrets open to be kept again.

        Refuses (`Away`) one of which a secret is not in this file.
        """
        body, texts = self.journal.entry(seq).body, self.words.of(seq)
        if any(kind == Secret.KEY and field not in texts for field, kind, _ in commitments(body)):
            raise Away(seq)
        found: dict[str, Any] = changed(
            body,
            {
                field: (Secret if kind == Secret.KEY else Said)(text=texts.get(field, ERASED))
                for field, kind, _ in commitments(body)
            },
        )
        return found

    def holds(self, size: int, root: bytes) -> bool:
        """Whether the first so many entries are those of a root, to the byte."""
        return size <= self.head() and self.root(size) == root

    def check_words(self, seq: int) -> None:
        """Refuse (`WrongEntry`) words of an entry that are not those that it committed to."""
        body, kept = self.journal.entry(seq).body, self.words.kept(seq)
        check_words(
            seq,
            body,
            kept,
            {field: seq for field, kind, _ in commitments(body) if kind == Said.KEY and field not in kept},
        )

    def root(self, size: int) -> bytes:
        """Return the root of the tree of the first so many entries."""
        return self.journal.root(size)

    def erasable(self, seq: int) -> dict[int, tuple[str, ...]]:
        """Return the words of an entry that are still there, and those that were written again, by entry.

        Again in its place, as part of a correction, in the answer to it, or in an amendment of it.
        """
        again = self._again(seq)
        amended = {
            each.seq
            for each in self.journal.naming(("action-amended",), seq, ("about",))
            if each.body["about"] in again
        }
        found = {each: self._words_left(each) for each in sorted(again | amended)}
        return {each: fields for each, fields in found.items() if fields}

    def _again(self, seq: int) -> set[int]:
        """Return the entries that say an entry again, and itself."""
        found, waiting = set[int](), {seq}
        while waiting:
            entry = self.journal.entry(waiting.pop())
            found.add(entry.seq)
            place = _place(entry)
            there = [*self.journal.since(place), *self.journal.action(self.journal.entry(place).act)]
            waiting |= {each.seq for each in there if _place(each) == place}
            if entry.type == "question-asked":
                later = self.journal.naming(("move-played", "question-asked"), entry.seq, ("answers",))
                waiting |= {each.seq for each in later if each.body["answers"] == entry.seq}
            elif entry.body.get("answers") is not None:
                waiting.add(entry.body["answers"])
            waiting -= found
        return found

    def _words_left(self, seq: int) -> tuple[str, ...]:
        left = self.words.of(seq)
        body = self.journal.entry(seq).body
        return tuple(field for field, kind, _ in commitments(body) if kind == Said.KEY and field in left)

    def written(self, types: Iterable[str], first: int, naming: Iterable[str]) -> Iterator[Entry]:
        """Yield the entries of some types, from one on, that name any of these; their words stay closed."""
        yield from self.journal.naming(types, first, naming)

    def action(self, act: int, *, secrets: bool = False) -> list[Entry]:
        """Return the entries of an action, their words opened."""
        return [self.opened(entry, secrets=secrets) for entry in self.journal.action(act)]

    def entry(self, seq: int, *, secrets: bool = False) -> Entry:
        """Return one entry, its words opened."""
        return self.opened(self.journal.entry(seq), secrets=secrets)

    def opened(self, entry: Entry, *, secrets: bool = False) -> Entry:
        """Return an entry with its words in their places; what the GM keeps secret stays closed unless asked for."""
        texts = self.words.of(entry.seq)
        told = secrets or (SECRET in entry.stored and entry.type != SEALED and self.revealed(entry.seq))
        return entry.but(body=opened(entry.body, texts, secrets=told), texts=texts, told=told)

    def revealed(self, seq: int) -> bool:
        """Whether what the GM had kept of an entry was told."""
        return self.mark(REVEALED, str(seq)) is not None

    def acts_backwards(self, last: int | None = None) -> Iterator[int]:
        """Yield the actions, the latest first."""
        seq = self.journal.head() if last is None else last
        while seq > 0:
            act = self.journal.entry(seq).act
            yield act
            seq = act - 1

    def cast(self, when: When = NOW, prefix: str = "") -> list[str]:
        """Return the characters, by handle."""
        names = self.accounts.marked(CAST, prefix)
        return [name for name in names if self.accounts.mark(CAST, name, when) is not None]

    def seats(self, when: When = NOW) -> int:
        """Return how many seats were ever taken, also by players whose seat was struck."""
        taken = self.accounts.marked(PLAYERS)
        return max((int(handle[1:]) for handle in taken if self.accounts.first(PLAYERS, handle) <= when.seq), default=0)

    def holding(self, who: str, when: When = NOW) -> int:
        """Return the first question that holds a character."""
        postings = ((seq, self.journal.entry(seq).body["postings"]) for seq in self.questions(when))
        for seq, held in postings:
            if any(posting["who"] == who and posting["score"] == HOLD for posting in held):
                return seq
        raise TablesDiffer(f"something holds {who}, and no question does")

    def systems(self, who: str, when: When = NOW) -> list[str]:
        """Return the games in which a character has a sheet."""
        sheets = [name for name in self.accounts.marked(who) if name.endswith("/sheet")]
        return [name.removesuffix("/sheet") for name in sheets if self.accounts.mark(who, name, when)]

    def players(self, when: When = NOW) -> dict[str, str]:
        """Return the players, their names by their handles; a name that was erased is the handle."""
        found: dict[str, str] = {}
        for handle in self.accounts.marked(PLAYERS):
            seq = self.accounts.mark(PLAYERS, handle, when)
            if seq is not None:
                found[handle] = self.words.of(seq).get("name", handle)
        return dict(sorted(found.items(), key=lambda item: int(item[0][1:])))

    def questions(self, when: When = NOW) -> list[int]:
        """Return the questions that wait for an answer, by number."""
        names = self.accounts.marked(QUESTIONS)
        return sorted(int(name) for name in names if self.accounts.mark(QUESTIONS, name, when) is False)

    def origin(self) -> str | None:
        """Return under what name the campaign signs its heads, None where it never had a key."""
        key = self.mark(CAMPAIGN, KEY)
        return None if key is None else str(key).partition("+")[0]

    def title(self) -> str:
        """Return the title of the campaign."""
        return self.words.of(1).get("title", CAMPAIGN)


class Then(Book):
    """The book as it stood at a point: decisions that are made again look here; its entries are those of the book.

    Nobody is held there: what is played again was free to be played.
    """

    def __init__(self, book: Book, when: When) -> None:
        super().__init__(book.journal)
        self._when = when

    def balance(self, who: str, score: str) -> int | None:
        """Return a score as it stood then, None where nothing was ever posted to it."""
        return 0 if score == HOLD else self.accounts.balance(who, score, self._when)

    def mark(self, who: str, name: str) -> Any:
        """Return a mark as it stood then, None where it had no value."""
        return self.accounts.mark(who, name, self._when)

    def seats(self, when: When | None = None) -> int:
        """Return how many seats had been taken then."""
        return super().seats(when or self._when)

    def players(self, when: When | None = None) -> dict[str, str]:
        """Return the players that sat at the table then."""
        return super().players(when or self._when)


def _place(entry: Entry) -> int:
    """Return since when an entry counts, or its own dice, where they were thrown for it."""
    thrown: list[int] = entry.body.get("throws", [])
    return min([entry.since, *(seq for seq in thrown if seq >= entry.act)])


def open_book(file: str) -> Book:
    """Open a campaign file; refuses with `Unreadable` where it is none that this program can read."""
    return Book(open_journal(file))
