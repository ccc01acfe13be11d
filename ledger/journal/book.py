"""The book: one open campaign file, and every lookup in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self

from ledger.errors import SecretNotHere, TablesDiffer
from ledger.events.canonical import canonical_json
from ledger.events.commitments import LOST_TEXT, CommittedText, Secret, check_words, opened_mark, prepare_for_rewriting
from ledger.events.entry import SECRET_START, Entry
from ledger.events.rows import BOUND, canceled_and_restored
from ledger.events.subjects import (
    ABOUT,
    CALENDAR,
    CAMPAIGN,
    CAST,
    FULL_NAMES,
    HOLD,
    KEY,
    LEFT,
    PLAYER,
    PLAYERS,
    PRESENT,
    QUESTIONS,
    SHORT_NAMES,
    STRUCK,
    ZONE,
    Question,
    in_cast,
    player_of,
    plays,
)
from ledger.journal.accounts import NOW, Accounts, AsOf
from ledger.journal.store import Journal, engine_for

if TYPE_CHECKING:
    from ledger.events.types import Event
    from ledger.journal.records import Backdated

AFTER_ALL_SCALARS = "z"
"""A text that sorts after the JSON text of every value that is not an object."""


class Book:
    """The journal, the accounts and the words of one campaign."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.accounts = Accounts(journal.storage.rows, journal.storage.entries)
        self.words = journal.storage.words
        self._erasures: tuple[int, list[dict[str, Any]]] = (-1, [])  # cached for one head
        self._names_at = NOW

    def __enter__(self) -> Book:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def current(self) -> Book:
        """The campaign as it is now: this book, or the book from which an `EarlierBook` was made."""
        return self

    def close(self) -> None:
        """Close the campaign's file."""
        self.journal.storage.close()

    def head(self) -> int:
        return self.journal.head()

    def first_leaf(self) -> bytes:
        """Return the leaf of the first entry, or b"" for an empty journal. This leaf identifies the campaign."""
        return next((entry.leaf for entry in self.journal.stored(1, 1)), b"")

    def balance(self, who: str, score: str) -> int | None:
        return self.accounts.balance(who, score)

    def last_gain_action(self, who: str, score: str, when: AsOf = NOW) -> int:
        seq = self.accounts.last_gain_action(who, score, when)
        return self.journal.entry(seq).act if seq else 0

    def mark(self, who: str, name: str) -> Any:
        return self.accounts.mark(who, name)

    def is_struck(self, act: int, when: AsOf = NOW) -> bool:
        return self.accounts.mark(STRUCK, str(act), when) is not None

    def has_score(self, who: str, score: str, when: AsOf = NOW) -> bool:
        """Return True if a score is not 0, or if it has a posting that is not struck, even a posting of 0."""
        if self.accounts.balance(who, score, when):
            return True
        from ledger.events.types import ActionStruck  # not needed for a score other than 0

        moved = (self.journal.entry(row.seq) for row in self.accounts.latest_postings(who, score, when))
        return any(entry.type != ActionStruck.type and not self.is_struck(entry.act, when) for entry in moved)

    def question(self, seq: int, when: AsOf = NOW) -> Question:
        answer = self.accounts.mark(QUESTIONS, str(seq), when)
        return Question(seq=seq, is_open=answer is False, answered_by=answer or None)

    def as_of(self, place: int, known: int | None = None) -> AsOfBook:
        return AsOfBook(self, AsOf(seq=place - 1, corrected=True, known=BOUND if known is None else known))

    def scores(self, who: str, prefix: str) -> list[str]:
        return [full.removeprefix(prefix) for full in self.accounts.scores(who, prefix) if self.balance(who, full)]

    def score_names(self, who: str) -> list[str]:
        return [full for full in self.accounts.scores(who) if "/" in full and self.balance(who, full) is not None]

    def mark_names(self, who: str) -> list[str]:
        return [full for full in self.accounts.mark_names(who) if "/" in full and self.mark(who, full) is not None]

    def scores_used_before(self) -> Collection[str]:
        return ()

    def secret(self, mark: Mapping[str, Any]) -> Secret:
        text = self._text(mark)
        if text is None:
            raise SecretNotHere(mark["at"])
        return Secret(text=text)

    def _text(self, mark: Mapping[str, Any]) -> str | None:
        entry = self.journal.entry(mark["at"])
        field = next((field for field, _, digest in entry.committed if digest in mark.values()), "")
        return self.words.texts_of(entry.seq).get(field)

    def reveal(self, value: Any) -> Any:
        """Return the typed text or revealed secret behind a commitment. Return any other value unchanged."""
        return opened_mark(value, self._text, self.revealed)

    def sheets(self, when: AsOf = NOW) -> list[tuple[str, str]]:
        sheets = sorted((game, who) for who in self.cast(when) for game in self.systems(who, when))
        return [(who, game) for game, who in sheets]

    def corrected_rows(self, head: int) -> Iterator[Backdated]:
        yield from self.accounts.rows.backdated_rows(head)

    def canceled_and_restored(self, targets: list[int], act: int) -> tuple[list[int], list[int]]:
        return canceled_and_restored(self.accounts.state_before(BOUND), targets, act)

    def comments_on(self, act: int, when: AsOf = NOW) -> list[int]:
        names = [name for name in self.accounts.mark_names(ABOUT, f"{act}:") if self.accounts.mark(ABOUT, name, when)]
        return sorted(int(name.partition(":")[2]) for name in names)

    def current_players(self) -> dict[str, str]:
        return self.players()

    def current_full_names(self) -> dict[str, str]:
        return self.full_names()

    def copy(self, seq: int) -> Event:
        """Return an entry's event with its texts, for a new entry. Raise `SecretNotHere` if a secret is missing."""
        entry = self.entry(seq, secrets=True)
        if entry.lacks_secret:
            raise SecretNotHere(seq)
        copy: Event = prepare_for_rewriting(entry.event)
        return copy

    def contains_head(self, size: int, root: bytes) -> bool:
        """Return True if the first `size` entries have this root. Equal roots mean equal entries, byte for byte."""
        return size <= self.head() and self.root(size) == root

    def check_words(self, seq: int) -> None:
        entry, words = self.journal.entry(seq), self.words.salts_and_texts(seq)
        erased = {field: seq for field, kind, _ in entry.committed if kind == CommittedText.KEY and field not in words}
        check_words(seq, entry.raw, words, erased)

    def root(self, size: int) -> bytes:
        return self.journal.root(size)

    def consistency_proof(self, size1: int, size2: int) -> list[bytes]:
        return self.journal.consistency_proof(size1, size2)

    def erasable_fields(self, seq: int) -> dict[int, tuple[str, ...]]:
        """Return the fields that still have a text, by entry number, for an entry and the entries linked to it.

        The linked entries are its copies, its question, its answers, its amendments, and the entry that it amends.
        """
        again = self._linked_entries(seq)
        from ledger.events.types import ActionAmended  # only an erasure needs it

        amendments = self.journal.search((ActionAmended.type,), min(again), ("about",))
        amended = {entry.seq for entry in amendments if entry.about in again}
        fields_left = {number: self._words_left(number) for number in sorted(again | amended)}
        return {number: fields for number, fields in fields_left.items() if fields}

    def _linked_entries(self, seq: int) -> set[int]:
        """Return the numbers of an entry, its copies, its question, its answers, and the entry that it amends."""
        from ledger.events.types import ActionAmended, MovePlayed, QuestionAsked

        seqs, waiting = set[int](), {seq}
        while waiting:
            entry = self.journal.entry(waiting.pop())
            seqs.add(entry.seq)
            place = self.place(entry)
            candidates = [
                *self.journal.entries_since(place, place),
                *self.journal.entries_since(entry.since, entry.since),
                *self.journal.action(self.journal.entry(place).act),
            ]
            waiting |= {other.seq for other in candidates if self.place(other) == place}
            if isinstance(entry.event, QuestionAsked):
                later = self.journal.search((MovePlayed.type,), entry.seq, ("answers",))
                waiting |= {move.seq for move in later if move.answers == entry.seq}
            if isinstance(entry.event, ActionAmended):
                waiting.add(entry.event.about)
            waiting -= seqs
        return seqs

    def _words_left(self, seq: int) -> tuple[str, ...]:
        texts, committed = self.words.texts_of(seq), self.journal.entry(seq).committed
        return tuple(field for field, kind, _ in committed if kind == CommittedText.KEY and field in texts)

    def search(self, types: Iterable[str], first: int, naming: Iterable[str]) -> Iterator[Entry]:
        yield from self.journal.search(types, first, naming)

    def action(self, act: int, *, secrets: bool = False) -> list[Entry]:
        return [self.fill_words(entry, secrets=secrets) for entry in self.journal.action(act)]

    def entry(self, seq: int, *, secrets: bool = False) -> Entry:
        return self.fill_words(self.journal.entry(seq), secrets=secrets)

    def place(self, entry: Entry) -> int:
        """Return the entry at which a part of an action takes effect. `entry` is the root (first entry) of the part."""
        return entry.earliest_place(self.journal.entry)

    def are_same_part(self, one: Entry, other: Entry) -> bool:
        """Return True if two roots belong to the same part of an action, such as a root and its copy or replacement."""
        return self.place(one) == self.place(other)

    def fill_words(self, entry: Entry, texts: Mapping[str, str] | None = None, *, secrets: bool = False) -> Entry:
        """Return an entry with its words: `texts` if given, or else the stored words.

        Secrets stay closed unless they were revealed or `secrets` is set.
        """
        if not entry.has_words:
            return entry
        texts = self._words_of(entry) if texts is None else texts
        return entry.replace(texts=texts, with_secrets=secrets or self._shows_secrets(entry))

    def _words_of(self, entry: Entry) -> Mapping[str, str]:
        """Return the words of an entry. `LOST_TEXT` replaces missing words that no entry erased."""
        texts = self.words.texts_of(entry.seq)
        if entry.stored.count(b'{"word":"') + entry.stored.count(b'{"secret":"') <= len(texts):
            return texts
        missing = {field for field, kind, _ in entry.committed if kind == CommittedText.KEY and field not in texts}
        lost = missing - self._erased_fields(entry.seq) if missing else missing
        return {**texts, **dict.fromkeys(lost, LOST_TEXT)} if lost else texts

    def _erased_fields(self, seq: int) -> set[str]:
        from ledger.events.types import WordsErased  # most words still exist

        if self._erasures[0] != (head := self.head()):
            entries = [entry.raw["erased"] for entry in self.journal.search((WordsErased.type,), 1, ("erased",))]
            self._erasures = head, [erased for erased in entries if isinstance(erased, dict)]
        return {field for erased in self._erasures[1] for field in erased.get(str(seq), ())}

    def _shows_secrets(self, entry: Entry) -> bool:
        """Return True if an entry shows its secrets, because they were revealed. A sealed roll never shows them."""
        if SECRET_START not in entry.stored:
            return False
        from ledger.events.types import RollSealed  # most entries have no secret

        return entry.type != RollSealed.type and self.revealed(entry.seq)

    def revealed(self, seq: int) -> bool:
        """Return True if the secrets of an entry were revealed, or if the end of a contest made them public."""
        from ledger.journal.revealed import is_revealed  # most entries have no secret

        return is_revealed(self.journal, self.accounts, seq)

    def note_readers(self, entry: Entry) -> set[str]:
        """Return the players who may read a secret note: its first author, and the players that it names."""
        from ledger.events.types import NoteKept  # few entries are secret notes

        note = entry.event
        return {self.journal.entry(entry.since).by, *note.players} if isinstance(note, NoteKept) else set()

    def mark_entry(self, who: str, name: str) -> int:
        return self.accounts.mark_entry(who, name)

    def acts_backwards(self, last: int | None = None) -> Iterator[int]:
        seq = self.journal.head() if last is None else last
        while seq > 0:
            yield (act := self.journal.entry(seq).act)
            seq = act - 1

    def cast(self, when: AsOf = NOW) -> list[str]:
        """Return the handles of the characters that play. A non-player character plays until the session closes."""
        session = self.accounts.mark(CAMPAIGN, "session", when)
        this_session = canonical_json({"session": session}).decode()
        seats = self.accounts.values_between(CAST, this_session, this_session, when)
        seats |= self.accounts.values_between(CAST, "", AFTER_ALL_SCALARS, when)
        cast = {name for name, seat in seats.items() if in_cast(seat, session)}
        return sorted(cast.union(self.player_characters(when)))

    def characters_who_left(self) -> list[str]:
        """Return the handles of the characters that left the table and did not return."""
        return [who for who in self.accounts.mark_names(CAST) if self.mark(CAST, who) is False]

    def plays(self, who: str, when: AsOf = NOW) -> bool:
        """Return True if `cast` lists this character."""
        if not who.isprintable():  # SQLite does not accept a lone surrogate
            return False
        return plays(lambda subject, name: self.accounts.mark(subject, name, when), who)

    def player_characters(self, when: AsOf = NOW) -> dict[str, str]:
        """Return the players' handles, by character, with or without a sheet. Leave out characters that left."""
        seats = self._seats(when, left=False)
        owned = ((who, self.player_of(who, when)) for who in self.accounts.subjects_with("marks", PLAYER))
        played = ((who, seat) for who, seat in owned if isinstance(seat, str) and seat in seats)
        return {who: seat for who, seat in played if self.accounts.mark(CAST, who, when) is not False}

    def player_of(self, who: str, when: AsOf = NOW) -> Any:
        """Return the handle of the player who plays a character, or `None` if nobody does."""
        return player_of(lambda subject, name: self.accounts.mark(subject, name, when), who)

    def characters_of(self, seat: str, when: AsOf = NOW) -> list[str]:
        """Return a player's characters, with or without a sheet. Leave out characters that left."""
        entries = (self.journal.entry(seq) for seq, _ in self.accounts.mark_entries(PLAYERS, seat, when))
        seated = (entry.raw.get("plays") for entry in entries)  # as JSON, because a sheet needs no decoded events
        candidates = dict.fromkeys(
            who for names in seated if isinstance(names, list) for who in names if isinstance(who, str)
        )
        played = (who for who in candidates if self.player_of(who, when) == seat)
        return [who for who in played if self.accounts.mark(CAST, who, when) is not False]

    def entry_in_force(self, name: str, kind: str, when: AsOf = NOW) -> Entry | None:
        """Return the entry of this type that gave a campaign's mark its value, or `None` if the mark has no value."""
        row = self.accounts.mark_row(CAMPAIGN, name, when)
        if row is None or row.value == "null":
            return None
        entry = self.journal.entry(row.seq)
        if entry.type == kind:
            return entry
        entries = (self.journal.entry(row.since), *self.journal.entries_since(row.since, row.since))
        known = (entry for entry in entries if entry.type == kind and entry.seq <= when.last)
        latest = sorted(known, key=lambda entry: entry.seq, reverse=True)
        return next((entry for entry in latest if not self.is_struck(entry.act, when)), None)

    def present_players(self, when: AsOf = NOW) -> set[str] | None:
        from ledger.events.types import SessionOpened  # not needed to show a sheet

        opened = self.entry_in_force("session", SessionOpened.type, when)
        if opened is None or not opened.raw["present"]:
            return None
        marks = {seat: self.accounts.values(seat, when) for seat in self._seats(when, left=False)}
        present = {seat for seat, own in marks.items() if own.get("gm") or own.get(PRESENT) == opened.raw["number"]}
        return {*opened.raw["present"], *present} & marks.keys()

    def last_handle_number(self, when: AsOf = NOW) -> int:
        return max((int(handle[1:]) for handle in self.accounts.names_ever_set(PLAYERS, when)), default=0)

    def holding_question(self, who: str, when: AsOf = NOW) -> int:
        for seq in self.questions(when):
            if any((posting.who, posting.score) == (who, HOLD) for posting in self.journal.entry(seq).event.postings):
                return seq
        raise TablesDiffer(f"{who} is marked as having an open question, but there is no such question")

    def systems(self, who: str, when: AsOf = NOW) -> list[str]:
        """Return the games in which a character has a sheet."""
        sheets = self.accounts.mark_names(who, suffix="/sheet")
        return [full.removesuffix("/sheet") for full in sheets if self.accounts.mark(who, full, when)]

    def players(self, when: AsOf = NOW) -> dict[str, str]:
        """Return the names of the players at the table, by handle, in the order `p1`, `p2`, …

        An erased name becomes the handle.
        """
        return self._with_names(self._seats(when, left=False), when)

    def former_players(self, when: AsOf = NOW) -> dict[str, str]:
        """Return the names of the players who left the table, by handle."""
        return self._with_names(self._seats(when, left=True), when)

    def _seats(self, when: AsOf, *, left: bool) -> dict[str, int]:
        """Map each player at the table to the entry that seated the player. With `left`, map those who left instead."""
        seats = sorted(self.accounts.values(PLAYERS, when).items(), key=lambda item: int(item[0][1:]))
        ever_left = self.accounts.subjects_with("marks", LEFT)
        left_seats = {who for who in ever_left if self.accounts.mark(who, LEFT, when) is not None}
        return {seat: seq for seat, seq in seats if (seat in left_seats) == left}

    def _with_names(self, seats: Mapping[str, int], when: AsOf) -> dict[str, str]:
        names = {**seats, **(self.accounts.values(FULL_NAMES, when) if seats else {})}
        return {handle: self.words.texts_of(names[handle]).get("name", handle) for handle in seats}

    def full_names(self, when: AsOf = NOW) -> dict[str, str]:
        names = self.accounts.values(FULL_NAMES, self._names_at if when is NOW else when).items()
        return {who: text for who, seq in names if (text := self.words.texts_of(seq).get("name")) is not None}

    def characters_with_names(self) -> set[str]:
        """Return the characters that have a full name, at the point that `named_at` set."""
        return {*self.accounts.values(FULL_NAMES, self._names_at)}

    def calendar(self, when: AsOf = NOW) -> str | None:
        """Return the calendar's text, or `None` if none is set. Without `when`, use the point that `named_at` set."""
        seq = self.accounts.mark(CAMPAIGN, CALENDAR, self._names_at if when is NOW else when)
        return None if seq is None else self.words.texts_of(seq).get("calendar")

    def short_names(self, when: AsOf = NOW) -> dict[str, str]:
        """Return the character of each additional short name."""
        return self.accounts.values(SHORT_NAMES, when)

    def name_of(self, who: str, when: AsOf = NOW) -> str:
        """Return the name to show for a character or a player's handle: the full name, or else `who`.

        Without `when`, use the point that `named_at` set.
        """
        when = self._names_at if when is NOW else when
        seq = self.accounts.mark(FULL_NAMES, who, when) or self.accounts.mark(PLAYERS, who, when)
        return who if seq is None else self.words.texts_of(seq).get("name", who)

    def named_at(self, when: AsOf) -> Self:
        """Return this book with the names and the calendar of an earlier point. Everything else stays as it is."""
        from copy import copy  # few looks need it

        book = copy(self)
        book._names_at = when
        return book

    def questions(self, when: AsOf = NOW) -> list[int]:
        asked = self.accounts.values_of(QUESTIONS, list(self.accounts.open_questions(when)), when)
        return sorted(int(name) for name, waits in asked.items() if waits is False)

    def origin(self) -> str | None:
        """Return the name of the campaign's first key, or `None` if there isn't one.

        The campaign signs its heads with this name. Later keys do not change the name, so a forger cannot choose it.
        """
        keys = self.accounts.mark_entries(CAMPAIGN, KEY)
        return str(self.accounts.mark(CAMPAIGN, KEY, AsOf(seq=keys[0][0]))).partition("+")[0] if keys else None

    def zone(self, seq: int) -> int | None:
        """Return the time zone at an entry, in minutes east of UTC, or None before a session sets a zone."""
        offset: int | None = self.accounts.mark(CAMPAIGN, ZONE, AsOf(seq=seq, corrected=True))
        return offset

    def zones(self) -> list[tuple[int, int | None]]:
        """Return each time zone with the first entry to which it applies, as pairs of entry and zone, in order."""
        places = sorted({since for _, since in self.accounts.mark_entries(CAMPAIGN, ZONE)})
        return [(1, None), *((place, self.zone(place)) for place in places)]

    def title(self) -> str:
        """Return the title of the campaign, or `campaign` if the title was erased."""
        return self.words.texts_of(1).get("title", CAMPAIGN)


class EarlierBook(Book):
    """The campaign as it was after entry `last`, but without the words that were erased since."""

    def __init__(self, book: Book, last: int) -> None:
        from ledger.journal.overlay import Overlay  # few commands need an earlier state

        super().__init__(Journal(Overlay(book.journal.storage, last)))
        self._now = book

    @property
    def current(self) -> Book:
        return self._now

    def _erased_fields(self, seq: int) -> set[str]:
        return self._now._erased_fields(seq)

    def _words_left(self, seq: int) -> tuple[str, ...]:
        erased, committed = super()._erased_fields(seq), self.journal.entry(seq).committed
        return tuple(field for field, kind, _ in committed if kind == CommittedText.KEY and field not in erased)


class AsOfBook(Book):
    """The campaign with the marks and scores of an earlier point. A move can be played again there.

    The book still has all entries. Open questions block nobody, because none blocked the move when it was first
    played.
    """

    def __init__(self, book: Book, when: AsOf) -> None:
        super().__init__(book.journal)
        self.accounts = Accounts(self.accounts.rows, book.journal.storage.entries, when)
        self._book = book

    def balance(self, who: str, score: str) -> int | None:
        return 0 if score == HOLD else super().balance(who, score)

    def fill_words(self, entry: Entry, texts: Mapping[str, str] | None = None, *, secrets: bool = False) -> Entry:
        return self._book.fill_words(entry, texts, secrets=secrets)

    def current_players(self) -> dict[str, str]:
        return self._book.players()

    def current_full_names(self) -> dict[str, str]:
        return self._book.full_names()


def open_book(address: str) -> Book:
    """Open a campaign. Raise `Unreadable` for a campaign that this program cannot read."""
    return Book(Journal(engine_for(address).open()))
