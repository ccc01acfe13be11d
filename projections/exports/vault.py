"""The notes of an Obsidian vault: the campaign, its sessions with their logs, and its characters.

The notes are values, and this module writes no files. Every action of the journal is a block with the id `entry-N`, so
that people can link to it. The properties of the notes are for Dataview and Bases.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cached_property
from itertools import chain, groupby

from ledger.archive.vault_folder import NoteName, Notes, refresh_vault
from ledger.commands.calendar import date_in
from ledger.errors import with_minus_sign
from ledger.events.commitments import ERASED
from ledger.events.entry import SECRET_START, Entry, lead_of
from ledger.events.subjects import CAMPAIGN, CAST, FULL_NAMES, PLAYER, is_npc
from ledger.events.types import DisputeRaised, Event, RollImported, RollSealed, SceneSet, SessionOpened
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.reading.points import Zone
from ledger.times import local_date
from ledger.values import Struct
from projections.chronicle import SessionSpan, session_spans
from projections.exports import FormatReport
from projections.exports.note_text import (
    Value,
    file_name,
    front_matter,
    link_text,
    markdown,
    property_text,
    safe_name,
    score_key,
)
from projections.log import FollowingMove, Line, ScoreMovement, ShownVerdict, line
from projections.phrases import ruling_shown, tell_act
from projections.questions import OpenQuestion, questions
from projections.recap import Recap, recap
from projections.replay import OnProgress
from projections.sheets import Sheet, rows_shown, sheets
from projections.side_effects import open_questions_text
from projections.wording import score_label, sheet_value_text

CAMPAIGN_NOTE = "Campaign"
FIRST_LOG_TITLE = "Before the first session"
"""The name of the note with the log of what happened before the first session."""

SESSIONS, CHARACTERS = "Sessions", "Characters"
GOOD, BAD = "✓", "✗"


class _Change(Struct):
    """The changed scores of a character in an action, as text.

    `seq` is the main entry of the action. `place` is the number of the log with the action, as in `_Vault._place`.
    """

    place: int
    seq: int
    text: str


def vault(
    book: Book,
    names: Mapping[str, NoteName],
    *,
    players: bool = False,
    reader: str | None = None,
    progress: OnProgress = abs,
) -> Notes:
    """Return the notes of a campaign, and the names of their files.

    `names` has the file names of earlier notes. These names do not change, even if the character or the session is
    renamed. So links stay valid. Only a file name with erased words changes. With `players`, leave out everything that
    players may not read. If the notes are for the player `reader`, keep the secret notes that this player may read.
    `progress` is called with the number of entries in each finished part.
    """
    return _Vault(book, names, players=players, reader=reader).notes(progress)


def write_vault(
    book: Book, path: str, *, players: bool, reader: str | None, zone: Zone, progress: OnProgress
) -> FormatReport:
    """Make a vault, or refresh it. See `Writer`, and `refresh_vault` for the errors."""

    def make(names: Mapping[str, NoteName]) -> Notes:
        with book.journal.reading():
            return vault(book, names, players=players, reader=reader, progress=progress)

    whom = "gm" if not players else reader or "players"
    done = refresh_vault(path, book.first_leaf().hex(), whom, make, private=whom != "players")
    tips = [f"Somebody changed {name}. It was left as it is." for name in done.changed]
    if done.changed:
        tips.append(
            "To get the new version of a note, move your text to another note, delete the note, and export again."
        )
    tips.append("To read the notes, open the folder as a vault in Obsidian.")
    counts = {"written": done.written, "unchanged": done.unchanged, "removed": done.removed, "left": len(done.changed)}
    shown = ", ".join(f"{name}: {number}" for name, number in counts.items() if number or name == "written")
    return FormatReport(f"the notes of the campaign ({shown})", done.__dict__, tuple(tips))


class _Vault:
    """A maker of the notes of one campaign."""

    def __init__(self, book: Book, names: Mapping[str, NoteName], *, players: bool, reader: str | None) -> None:
        self.book = book
        self.players = players
        self.reader = reader
        self.spans = [*session_spans(book)][::-1]
        self.firsts = [span.first for span in self.spans]
        self.characters = _characters(book)
        self.names = self._names(names)
        self.logs = defaultdict[int, list[str]](list)
        self.seen = defaultdict[str, dict[int, None]](dict)  # the logs in which a character appears, in order
        self.changes = defaultdict[str, list[_Change]](list)

    def notes(self, progress: OnProgress) -> Notes:
        for entries in self._actions():
            action = line(self.book, entries)
            if not self._is_hidden(action.event, answered=bool(action.answered)):
                self._add_action(action)
            if self._place(action.act) == 0:
                progress(len(entries))
        made = {CAMPAIGN_NOTE: self._campaign_note(), self._log_path(0): self._first_log_lines()}
        made |= {self._log_path(place): self._session_note(place, progress) for place in range(1, len(self.spans) + 1)}
        made |= {self._character_path(who): self._character_note(who) for who in self.characters}
        return Notes(texts={f"{path}.md": "\n".join(lines) + "\n" for path, lines in made.items()}, names=self.names)

    def _names(self, names: Mapping[str, NoteName]) -> dict[str, NoteName]:
        """Return the file names of all sessions and characters.

        Names from earlier exports come first, so that no new name can take one of them.
        """
        wanted = {f"session {span.number}": self._session_name(span) for span in self.spans}
        wanted |= {f"character {who}": self._character_name(who) for who in self.characters}
        taken = {name.casefold() for name in (CAMPAIGN_NOTE, FIRST_LOG_TITLE)}
        chosen = dict[str, NoteName]()
        for key in wanted:
            if (old := names.get(key)) and self._is_not_erased(old):
                chosen[key] = old.replace(file=file_name(old.file, key, taken))
        for key, (text, fallback, entry) in wanted.items():
            if key not in chosen:
                chosen[key] = NoteName(file=file_name(text, fallback, taken), entry=entry)
        return chosen

    def _is_not_erased(self, name: NoteName) -> bool:
        """Return True if the text of a name was not erased."""
        return name.entry == 0 or (name.entry <= self.book.head() and bool(self.book.words.texts_of(name.entry)))

    def _session_name(self, span: SessionSpan) -> tuple[str, str, int]:
        plain = f"Session {span.number}"
        title = "" if span.title == ERASED else safe_name(span.title)
        point = AsOf(seq=span.first, corrected=True)
        opened = self.book.entry_in_force("session", SessionOpened.type, point)
        return (f"{plain} - {title}", plain, opened.seq) if title and opened else (plain, plain, 0)

    def _character_name(self, who: str) -> tuple[str, str, int]:
        name = self.book.name_of(who)
        return name, f"Character {who}", 0 if name == who else self.book.accounts.mark(FULL_NAMES, who)

    def _actions(self) -> Iterator[list[Entry]]:
        for _, entries in groupby(self.book.journal.entries(1), key=lambda entry: entry.act):
            yield [self.book.fill_words(entry, secrets=self._shows_secrets(entry)) for entry in entries]

    def _shows_secrets(self, entry: Entry) -> bool:
        return not self.players or (self.reader is not None and self.reader in self.book.note_readers(entry))

    def _add_action(self, action: Line) -> None:
        place = self._place(action.act)
        if isinstance(action.event, SceneSet) and action.struck is None:
            self.logs[place] += ["", f"### {markdown(action.says.partition(': ')[2])}", ""]
        self.logs[place] += self._block(action, place)
        for who in {*action.names} & self.characters.keys():
            self.seen[who][place] = None
            if moved := ", ".join(_change_text(each) for each in action.moved if each.who == who):
                self.changes[who].append(_Change(place=place, seq=action.seq, text=_struck_through(moved, action)))

    def _place(self, seq: int) -> int:
        """Return the number of the log that contains an entry.

        This is the position of the entry's session in `spans`, counted from 1, or 0 before the first session.
        """
        return bisect_right(self.firsts, seq)

    def _block(self, action: Line, place: int) -> Iterator[str]:
        """Yield an action as an item of a list. Below it come its further results and the lines of a note.

        `place` is the number of the log that contains the action.
        """
        subject = ruling_shown(lead_of(action.entries)).subject
        says, *below = action.note or (action.says,)
        own_first = sorted(action.moved, key=lambda moved: moved.who != subject)
        moved = ", ".join(
            ("" if each.who == subject else f"{self._link_to(each.who, action.names[each.who])} ") + _change_text(each)
            for each in own_first
        )
        words = self._move_text(action.replace(says=says), self._link_to(subject, action.who))
        parts = [
            f"\\#{action.seq} {_struck_through(words, action)}",
            *self._remarks(action, place),
            *([f"\\[{markdown(action.dice)}\\]"] if action.dice else []),
            *([f"· {moved}"] if moved else []),
            f"^entry-{action.seq}",
        ]
        yield f"- {' '.join(parts)}"
        yield from (f"    - {markdown(text)}" for text in below if text.strip())
        rolls = [entry for entry in action.entries if isinstance(entry.event, RollImported)]
        for roll in rolls if len(rolls) > 1 else ():
            block = "" if roll.seq == action.seq else f" ^entry-{roll.seq}"
            yield f"    - \\#{roll.seq} {markdown(tell_act(self.book, roll))}{block}"
        for move in action.further:
            dice = f" \\[{markdown(move.dice)}\\]" if move.dice else ""
            yield f"    - \\#{move.seq} {self._move_text(move, markdown(move.who))}{dice} ^entry-{move.seq}"

    def _move_text(self, move: Line | FollowingMove, who: str) -> str:
        """Return who did what, with the result and the purpose. `who` is a link, or Markdown text."""
        colon = ":" if move.says and move.verdict and move.verdict.good is None else ""
        verdict = _verdict_text(move.verdict) if move.verdict else ""
        deed = f"({markdown(move.deed)})" if move.deed else ""
        return " ".join(filter(None, (who, markdown(f"{move.says}{colon}"), verdict, deed)))

    def _remarks(self, action: Line, place: int) -> Iterator[str]:
        """Yield remarks on an action: that it is secret, who entered it, and the later entries about it.

        `place` is the number of the log that contains the action.
        """
        if any(map(self._is_secret, action.entries)):
            yield "(secret)"
        if action.overridden:
            by, verdict = action.overridden
            yield f"(overruled by {self._entry_link(by, place)}: {_verdict_text(verdict)})"
        if action.waits:
            yield f"(? {markdown(open_questions_text(action))})"
        if action.answered:
            verb = "revealed" if isinstance(action.event, RollSealed) else "answered"
            yield f"({verb} by {self._entry_link(action.answered, place)})"
        yield from (f"(disputed by {self._entry_link(seq, place)})" for seq in action.disputed)
        if action.author:
            yield f"(entered by {markdown(action.author)})"
        if action.struck:
            yield f"({action.struck.how} by {self._entry_link(action.struck.by, place)})"

    def _is_secret(self, entry: Entry) -> bool:
        """Return True for an entry that is shown with a secret."""
        return SECRET_START in entry.stored and entry.with_secrets and not self.book.revealed(entry.seq)

    def _link_to(self, who: str, name: str) -> str:
        """Return a link to a character's note. If `who` has no note, return the name as text; "" for the campaign."""
        if who in self.characters:
            return _link(self._character_path(who), name)
        return "" if who == CAMPAIGN else markdown(name)

    def _entry_link(self, seq: int, place: int) -> str:
        """Return a link to the block of an entry.

        `place` is the number of the log that contains the link, or -1 if the link is outside the logs.
        """
        entry = self.book.journal.entry(seq)
        block = lead_of(self.book.journal.action(entry.act)).seq
        own = self._place(entry.act)
        return f"[[{'' if own == place else self._log_path(own)}#^entry-{block}|#{block}]]"

    def _log_path(self, place: int) -> str:
        name = self.names[f"session {self.spans[place - 1].number}"].file if place else FIRST_LOG_TITLE
        return f"{SESSIONS}/{name}"

    def _character_path(self, who: str) -> str:
        return f"{CHARACTERS}/{self.names[f'character {who}'].file}"

    def _log_link(self, place: int) -> str:
        return _link(self._log_path(place), _title(self.spans[place - 1]) if place else FIRST_LOG_TITLE)

    @cached_property
    def _title(self) -> str:
        return property_text(self.book.title())

    @cached_property
    def _questions(self) -> list[OpenQuestion]:
        """The open questions, without sealed rolls that are hidden from players."""
        asked = questions(self.book, facts=False)
        return [each for each in asked if not self._is_hidden(self.book.entry(each.seq).event, answered=False)]

    def _is_hidden(self, event: Event, *, answered: bool) -> bool:
        """Return True for an `unseen` sealed roll in notes for players, until the roll is revealed (`answered`)."""
        return self.players and isinstance(event, RollSealed) and event.unseen and not answered

    def _campaign_note(self) -> Iterator[str]:
        book = self.book
        players = [property_text(name) for name in book.players().values()]
        properties: dict[str, Value] = {
            "type": "campaign",
            "campaign": self._title,
            "aliases": [self._title],
            "date": self._started,
            **self._game_date(NOW),
            "sessions": len(self.spans),
            "entries": book.head(),
            "players": players,
            "characters": [f"[[{self._character_path(who)}]]" for who in self.characters],
            "questions": len(self._questions),
        }
        yield from front_matter(properties)
        yield from ("", f"# {markdown(book.title())}")
        yield from _section("Sessions", (f"{self._log_link(place)}, {span.date}" for place, span in self._places()))
        yield from ("", f"{self._log_link(0)}: how the campaign started.")
        yield from _section("Characters", map(self._character_line, self.characters))
        yield from _section("Open questions", map(self._question_line, self._questions))

    def _places(self) -> Iterator[tuple[int, SessionSpan]]:
        return enumerate(self.spans, start=1)

    @cached_property
    def _started(self) -> date:
        return date.fromisoformat(local_date(self.book.journal.entry(1).at, self.book.zone(1)))

    def _game_date(self, when: AsOf) -> dict[str, Value]:
        """Return the properties with the day and date in the game's world at a point; empty before the first day."""
        number = self.book.accounts.balance(CAMPAIGN, "day", when) or 0
        named = date_in(self.book.calendar(), number) if number else ""
        return {**({"day": number} if number else {}), **({"gamedate": property_text(named)} if named else {})}

    def _character_line(self, who: str) -> str:
        player = self._player(who)
        link = self._link_to(who, self.book.name_of(who))
        return f"{link}, played by {markdown(player)}" if player else link

    def _player(self, who: str) -> str:
        seat = self.book.player_of(who)
        return "" if seat is None else self.book.name_of(seat)

    def _question_line(self, question: OpenQuestion) -> str:
        name = "" if question.type == DisputeRaised.type else self._link_to(question.who, question.name)
        return " ".join(filter(None, (self._entry_link(question.seq, -1), name, markdown(question.says))))

    def _first_log_lines(self) -> Iterator[str]:
        yield from front_matter({"type": "log", "campaign": self._title, "date": self._started})
        yield from ("", f"# {FIRST_LOG_TITLE}", *self._log_lines(0))

    def _log_lines(self, place: int) -> Iterator[str]:
        yield from ("", "## Log", "", *self.logs[place])

    def _session_note(self, place: int, progress: OnProgress) -> Iterator[str]:
        span = self.spans[place - 1]
        told, title = recap(self.book, NOW, span.number), property_text(span.title)
        progress(span.last - span.first + 1)
        here = [who for who in self.characters if place in self.seen[who]]
        properties: dict[str, Value] = {
            "type": "session",
            "campaign": self._title,
            "session": span.number,
            "title": title,
            "aliases": [f"Session {span.number}", *([] if span.title in {"", ERASED} else [title])],
            "date": date.fromisoformat(span.date),
            **self._game_date(AsOf(seq=span.last, corrected=True)),
            "players": [property_text(name) for name in told.present],
            "characters": [f"[[{self._character_path(who)}]]" for who in here],
            "questions": len(told.waiting),
        }
        yield from front_matter(properties)
        yield from ("", f"# {markdown(_title(span))}")
        yield from ("", " · ".join(self._neighbors(place)))
        yield from _recap(told)
        yield from _section("Characters", (self._link_to(who, self.book.name_of(who)) for who in here))
        yield from self._log_lines(place)

    def _neighbors(self, place: int) -> Iterator[str]:
        yield _link(CAMPAIGN_NOTE, self.book.title())
        if place > 1:
            yield f"previous: {self._log_link(place - 1)}"
        if place < len(self.spans):
            yield f"next: {self._log_link(place + 1)}"

    def _character_note(self, who: str) -> Iterator[str]:
        book, name, player = self.book, self.book.name_of(who), self._player(who)
        own_sheets = sheets(book, [who])
        others = [name, who, *(short for short, owner in book.short_names().items() if owner == who)]
        file = self.names[f"character {who}"].file
        properties: dict[str, Value] = {
            "type": "character",
            "campaign": self._title,
            "name": property_text(name),
            "aliases": [each for each in dict.fromkeys(map(property_text, others)) if each != file],
            **({"player": property_text(player)} if player else {}),
            "playing": book.plays(who),
            "games": [*map(property_text, book.systems(who))],
            "sessions": [f"[[{self._log_path(place)}]]" for place in self.seen[who] if place],
        }
        taken = {*properties}
        properties |= {
            score_key(f"{page.system}/{score.name}", taken): score.value for page in own_sheets for score in page.scores
        }
        yield from front_matter(properties)
        yield from ("", f"# {markdown(name)}", "", self._played_in(player))
        yield from chain.from_iterable(map(_sheet, own_sheets))
        yield from _section("Changes", self._changes_of(who))

    def _played_in(self, player: str) -> str:
        campaign = _link(CAMPAIGN_NOTE, self.book.title())
        return f"Played by {markdown(player)} in {campaign}." if player else f"A character of {campaign}."

    def _changes_of(self, who: str) -> Iterator[str]:
        """Yield lines about the changed scores of a character: each session, and its changes below it."""
        changes = {place: [*group] for place, group in groupby(self.changes[who], key=lambda change: change.place)}
        for place in self.seen[who]:
            items = (f"    - {self._entry_link(each.seq, -1)} {each.text}" for each in changes.get(place, ()))
            yield "\n".join([self._log_link(place), *items])


def _characters(book: Book) -> dict[str, None]:
    """Return the characters of the players, also those who left. Leave out the GM's non-player characters."""
    names = {*book.accounts.mark_names(CAST), *book.accounts.subjects_with("marks", PLAYER)}
    seats = {who: book.mark(CAST, who) for who in sorted(names)}
    return {who: None for who, seat in seats.items() if book.player_of(who) or not (seat is None or is_npc(seat))}


def _title(span: SessionSpan) -> str:
    return f"Session {span.number}: {span.title}" if span.title else f"Session {span.number}"


def _link(path: str, shown: str) -> str:
    """Return a wiki link. Signs that would be markup are left out, because a link cannot escape them."""
    name = link_text(shown)
    return f"[[{path}|{name}]]" if name else f"[[{path}]]"


def _struck_through(text: str, action: Line) -> str:
    return f"~~{text}~~" if action.struck else text


def _change_text(moved: ScoreMovement) -> str:
    before, after = (with_minus_sign(sheet_value_text(value)) for value in (moved.before, moved.after))
    return f"{markdown(score_label(moved.score))} {before} → {after}"


def _verdict_text(verdict: ShownVerdict) -> str:
    mark = "" if verdict.good is None else f"{GOOD if verdict.good else BAD} "
    return markdown(f"{mark}{': '.join(filter(None, (verdict.says, verdict.result_text)))}")


def _section(title: str, items: Iterable[str]) -> Iterator[str]:
    """Yield a title and a list. Without items, yield nothing."""
    shown = [f"- {item}" for item in items]
    yield from ("", f"## {title}", "", *shown) if shown else ()


def _sentences(title: str, texts: Sequence[str]) -> Iterator[str]:
    yield from _section(title, map(markdown, texts))


def _recap(told: Recap) -> Iterator[str]:
    yield from _sentences("Who was there", told.there)
    if told.story:
        yield from ("", "## What happened")
    for scene in told.story:
        yield from ("", f"### {markdown(scene.title)}") if scene.title else ()
        yield from (text for each in (*scene.notes, *scene.deeds) for text in ("", markdown(each)))
    yield from _sentences("Corrections and decisions", told.corrections)
    yield from _sentences("Gained and lost", told.gains)
    yield from _sentences("Still open", told.open)
    yield from _sentences("For the record", told.appendix)


def _sheet(page: Sheet) -> Iterator[str]:
    rows = [f"| {markdown(row.label)} | {markdown(row.value)} |" for row in rows_shown(page)]
    yield from ("", f"## Sheet: {markdown(page.system)}", "")
    yield from ("| | |", "|---|---|", *rows) if rows else ("The sheet is empty.",)
