"""The invocation and the flags that each command receives."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import environ, getcwd, path
from typing import TYPE_CHECKING, Any, Literal

import click

from cli.render import terminal
from cli.short_words import check_no_password
from ledger.errors import BadInput, Flag, Malformed, NoCampaign, OtherCampaign, Refused
from ledger.reading.names import Names
from ledger.values import Struct

if TYPE_CHECKING:
    from datetime import datetime

    from ledger.audit.remembered import Memory
    from ledger.events.commitments import SaltSource
    from ledger.journal.accounts import AsOf
    from ledger.journal.book import Book
    from ledger.rules.dice import RandomBelow
    from ledger.scribe import Scribe
    from ledger.tlog.note import Signer
    from ledger.trust.home import Home, HomeSnapshot
    from ledger.trust.key_program import KeyProgram


class OpenCampaign(Struct):
    """The campaign that a prompt has open. `first` is the hash of the first entry, which identifies the campaign."""

    file: str
    first: bytes

    def check(self, book: Book) -> None:
        """Raise `OtherCampaign` if the file now holds a different campaign."""
        if book.first_leaf() != self.first:
            from ledger.journal.store import engine_for  # already loaded: the book is open

            raise OtherCampaign(engine_for(self.file).name())


class Invocation(Struct):
    """The settings that every command receives, and methods that open the campaign, the home and the keys.

    The campaign is opened only when needed. `once` is the command's id. Tests pass a clock, random numbers and salts.
    """

    file: str | None = None
    by: str | None = None
    verbose: int = 0
    who: str | None = None
    game: str | None = None
    at_prompt: bool = False
    place: OpenCampaign | None = None
    once: str | None = None
    clock_ok: bool = False
    clock: Callable[[], datetime] | None = None
    chance: RandomBelow | None = None
    salts: SaltSource | None = None

    def named_file(self) -> str | None:
        """Return the file from `-f` or `CAMPAIGN_FILE`, or `None`. Raise `BadInput` for an empty text or a password."""
        if self.file == "":
            raise BadInput("-f needs a file name.")
        file = self.file or environ.get("CAMPAIGN_FILE") or None
        check_no_password(filter(None, [file]))
        return file

    def path(self) -> str:
        """Return the campaign's address: usually the path of the file, with symbolic links resolved.

        Use the named file, else the prompt's open file, else the nearest file in this or a parent folder.
        """
        from ledger.journal.store import engine_for  # help and `try` need no file

        file = self.named_file()
        if file is None and self.place is not None:
            return self.place.file
        return engine_for(engine_for(current_folder()).nearest() if file is None else file).resolved()

    @contextmanager
    def book(self, file: str | None = None) -> Iterator[Book]:
        """Open the campaign or `file` for writing.

        If the command repeats the `--once` id of a saved command, yield the campaign as it was before that command.
        """
        from ledger.journal.book import open_book  # help and `try` need no file

        address = file or self.path()
        with open_book(address) as book, naming_backup(book):
            if (moved_to := book.journal.storage.moved_to()) is not None:
                terminal.aside(f"This campaign has moved to {moved_to}. Here, you see it as it was then.")
            if self.place is not None and self.place.file == address:
                self.place.check(book)
            if self.once is None:
                yield book
                return
            from ledger.reading.repeated import campaign_before_repeat  # few commands have an id

            with campaign_before_repeat(book, self.once) as read:
                yield read

    @contextmanager
    def snapshot(self) -> Iterator[Book]:
        """Open a snapshot of the campaign for reading. Later writes by others do not change the snapshot.

        If the reader of the output is slow, the output is held back until the snapshot is closed.
        """
        # While a snapshot is open, SQLite cannot clear the write-ahead log, which may contain erased words. A slow
        # reader of the output must not keep the snapshot open.
        with terminal.hold_output(), self.book() as book, book.journal.reading():
            yield book

    @contextmanager
    def snapshot_with_home(self) -> Iterator[tuple[Book, HomeSnapshot]]:
        """Open a `snapshot`, and yield it with the heads and keys that are saved in the user's home.

        The home is read first, so that the snapshot covers every saved head.
        """
        with terminal.hold_output(), self.book() as book:
            memory = self.home().snapshot()
            with book.journal.reading():
                yield book, memory

    def warning(self) -> str:
        """Return a warning if other users of this computer can read the GM's secrets; "" if they cannot."""
        from shlex import quote

        from ledger.journal.store import engine_for

        file = self.path()
        if not engine_for(file).read_by_others():
            return ""
        return f"Others on this computer can read the GM's secrets in this file. To stop that: chmod 600 {quote(file)}"

    def player_handle(self, book: Book) -> str:
        """Return the handle of the player at the keyboard: from `--by`, else from `CAMPAIGN_BY`, else the GM's."""
        name = self.by if self.by is not None else environ.get("CAMPAIGN_BY")
        names = self.names(book)
        return names.gm() if name is None else names.player(name, writes=True)

    @property
    def has_usual(self) -> bool:
        """True if the prompt or `CAMPAIGN_WHO` sets a usual character."""
        return bool(self.who or environ.get("CAMPAIGN_WHO"))

    def usual_character(self, book: Book) -> str | None:
        """Return the usual character, for lines that name nobody; `None` if there is none.

        Raise `Nobody` if this character does not play now.
        """
        typed = self.who or environ.get("CAMPAIGN_WHO")
        return self.names(book).character(typed) if typed else None

    def names(self, book: Book, *, new: bool = False, when: AsOf | None = None) -> Names:
        """Return the names of a campaign, now or at `when`. If a typed name is ambiguous, the user must pick one.

        At the prompt, an ambiguous name is an error, because the next line may be a command.
        With `new`, a name that looks like a misspelled name from the sheet is accepted as a new name.
        """
        return (Names if self.at_prompt else AskingNames)(book, new=new, when=when)

    def point_at(self, book: Book, at: str | None, corrected: bool) -> AsOf:
        """Return the point in the history that `--at` names, else the present. A date means the end of that day."""
        from ledger.journal.accounts import NOW

        if at is None:
            return NOW.replace(corrected=corrected)
        from ledger.reading.points import read_point  # most views show the present

        return read_point(book, at, corrected, self.with_local_zone)

    def with_local_zone(self, local: datetime) -> datetime:
        """Return a local time with the time zone of this computer."""
        from ledger.times import in_local_zone  # few commands need it

        return in_local_zone(local)

    def home(self) -> Home:
        """Return the user's home: a folder for keys and heads that is not part of any campaign."""
        from ledger.trust.home import Home  # views save nothing

        keys = environ.get("CAMPAIGN_KEYS") or None
        state = environ.get("XDG_STATE_HOME") or path.join(path.expanduser("~"), ".local", "state")
        return Home(
            environ.get("CAMPAIGN_HOME") or path.join(state, "campaign"), keys if keys and path.isdir(keys) else None
        )

    def key_program(self) -> KeyProgram | None:
        """Return the program that keeps the keys, from `CAMPAIGN_KEYS`, or `None` if the keys are in a folder."""
        keys = environ.get("CAMPAIGN_KEYS")
        if not keys or path.isdir(keys):
            return None
        from ledger.trust.key_program import KeyProgram  # few people have one

        return KeyProgram(program=keys)

    def make_key(self, origin: str, *, dry: bool = False) -> Signer:
        """Make a key for the campaign with this origin. Unless a program keeps it, the caller must call `keep_key`.

        With `dry`, nobody will use the key, so the program is not asked for it.
        """
        from ledger.tlog.note import make_skey

        program = None if dry else self.key_program()
        return make_skey(origin, self.seed()) if program is None else program.make_key(origin)

    def keep_key(self, key: Signer) -> None:
        """Store a key that `make_key` returned, unless a program keeps it."""
        from ledger.tlog.note import Skey

        if isinstance(key, Skey):
            self.home().keep_key(key)

    def memory_of_checks(self, kind: Literal["verify", "audit"], *, recalls: bool = True) -> Memory:
        """Return the memory of earlier checks of this kind, in the user's home. See `Memory.recalls`."""
        from ledger.audit.remembered import Memory  # only checks need it

        return Memory(self.home().folder, kind, self.today(), recalls=recalls)

    def now(self) -> datetime:
        """Return the time, in the time zone of this computer."""
        from ledger.scribe import utc_now  # views need no time

        return (self.clock or utc_now)().astimezone()

    def today(self) -> str:
        """Return today's date in the time zone of this computer, in ISO format."""
        return self.now().date().isoformat()

    def seed(self) -> bytes:
        """Return 32 random bytes for a key."""
        from ledger.events.commitments import random_salt

        return (self.salts or random_salt)()

    def new_origin(self) -> str:
        """Return a random name for a campaign's signatures. It is not the title, because a title can be erased."""
        return f"campaign/{self.seed()[:8].hex()}"

    def key(self, book: Book) -> Signer | None:
        """Return the current key for signing, or `None` if this computer cannot sign.

        Look in `CAMPAIGN_KEY`, in the home or `CAMPAIGN_KEYS`, and beside the campaign's file. If `CAMPAIGN_KEYS` is a
        program, only the program knows if it has the key. Raise `BadInput` if `CAMPAIGN_KEY` contains anything but a
        private key.
        """
        from ledger.events.subjects import CAMPAIGN, KEY
        from ledger.tlog.note import parse_skey  # only a signature needs a key
        from ledger.trust.keyfile import find_key, keys_beside

        text, signs = environ.get("CAMPAIGN_KEY"), book.mark(CAMPAIGN, KEY)
        if signs is None:
            return None
        if text:
            try:
                key = parse_skey(text)
            except Malformed:
                hint = "Set the variable to the whole text of the key file. The text starts with PRIVATE+KEY+."
                raise BadInput("The environment variable CAMPAIGN_KEY does not contain a private key.", hint) from None
            if str(key.vkey) == signs:
                return key
        if (program := self.key_program()) is not None:
            return program.key(signs)
        return find_key(signs, [self.home().key_file(signs), *keys_beside(self.path())])

    def check_may_see_secrets(self, book: Book, may: str = f"use {Flag('secrets')}", hint: str = "") -> None:
        """Raise `Refused` if the player at the keyboard is not a GM. `may` says what only a GM can do."""
        by = self.player_handle(book)
        if not Names(book).is_gm(by):
            raise Refused(f"{book.players()[by]} is not a GM. Only a GM can {may}.", hint)

    def scribe(self, book: Book, by: str | None = None, *, checked: bool = False, secrets: bool = False) -> Scribe:
        """Return a scribe that writes in the name of player `by` (default: the player at the keyboard).

        With `secrets`, the scribe's dry runs show secrets.

        Unless the caller has `checked` the book, the scribe compares the book with the heads saved on this computer.
        """
        from ledger.events.commitments import random_salt
        from ledger.scribe import Scribe, ignore_event, utc_now  # views do not write

        return Scribe(
            book.current,
            by=by or self.player_handle(book),
            clock=self.clock or utc_now,
            chance=self.chance,
            salts=self.salts or random_salt,
            log=technical_log() if self.verbose > 1 else ignore_event,
            home=None if checked else self.home(),
            last_written=None if checked else self.home().last_written(self.path()),
            clock_ok=self.clock_ok,
            shows_secrets=secrets,
        )


@contextmanager
def naming_backup(book: Book) -> Iterator[None]:
    """After the block, print the name of the backup if the block upgraded the campaign."""
    try:
        yield
    finally:
        if (backup := book.journal.storage.upgrade_backup()) is not None:
            from ledger.journal.store import engine_for
            from ledger.journal.upgrading import backup_sentence

            terminal.aside(backup_sentence(engine_for(backup).name()))


class Flags(Struct):
    """The options that say how to write a command and show the result. They are not inputs of the command."""

    once: str | None = None
    dry: bool = False
    json_: bool = False
    fork: bool = False
    clock_ok: bool = False
    more: int = 0
    yes: bool = False
    secrets: bool = False
    faces: Any = None
    seal: bool = False
    until: str | None = None
    unseen: bool = False

    @classmethod
    def taken_from(cls, params: dict[str, Any]) -> Flags:
        """Remove the flags from the typed parameters of a command, and return the flags."""
        return cls(**{name: params.pop(name) for name in cls._fields if name in params})


class Output(Struct):
    """The format of what a command shows: json, csv, markdown or html, or `None` for text that people read.

    With `bom`, a CSV file starts with a byte order mark.
    """

    form: str | None
    bom: bool

    @classmethod
    def taken_from(cls, params: dict[str, Any]) -> Output:
        """Take the format options out of the typed parameters. Raise `BadInput` if two options exclude each other."""
        old = [name for name in ("markdown", "html", "json") if params.pop(f"{name}_", False)]
        flags = {name: Flag(name) for name in old}
        chosen: str | None = params.pop("format_")
        if chosen is not None:
            flags.setdefault(chosen, Flag("format", chosen))
        if len(flags) > 1:
            one, *_, other = flags.values()
            raise BadInput(f"Use {one} or {other}, not both.")
        output = cls(form=next(iter(flags), None), bom=params.pop("bom"))
        if output.bom and output.form != "csv":
            raise BadInput(f"{Flag('bom')} works only with {Flag('format', 'csv')}.")
        return output

    def show(
        self,
        rows: Iterable[Struct | Mapping[str, Any]],
        pages: Callable[[], object],
        campaign: str = "",
        key: Sequence[str] = (),
        each: str = "",
    ) -> None:
        """Print the rows in the chosen format. If the user chose none, call `pages` to print them for people.

        `campaign` is the title of the campaign. For `key` and `each`, see `table_lines`.
        """
        if self.form is None:
            pages()
        else:
            terminal.say_rows(rows, self.form, _title(campaign), key, each, bom=self.bom)


def _title(campaign: str) -> str:
    """Return the title of a page: the campaign, and the command with its arguments."""
    ctx = click.get_current_context()
    arguments = (ctx.params.get(str(param.name)) for param in ctx.command.params if isinstance(param, click.Argument))
    typed = [each if isinstance(each, str) else " ".join(map(str, each)) for each in arguments if each]
    return ": ".join(filter(None, (campaign, " ".join([*ctx.command_path.split()[1:], *typed]))))


class View(Struct):
    """The options that all views share. A view is a command that only shows something.

    `key` and `each` say how the rows become a table; see `table_lines`.
    """

    invocation: Invocation
    at: str | None
    corrected: bool
    output: Output
    key: Sequence[str]
    each: str

    @property
    def has_format(self) -> bool:
        """True if the user chose a format for programs or documents."""
        return self.output.form is not None

    @contextmanager
    def snapshot_at_point(self) -> Iterator[tuple[Book, AsOf]]:
        """Open a snapshot of the campaign, and yield it with the point in the history that the view shows."""
        with self.invocation.snapshot() as book:
            when = self.invocation.point_at(book, self.at, self.corrected)
            yield (book if self.at is None else book.named_at(when)), when

    def show(self, book: Book, rows: Iterable[Struct | Mapping[str, Any]], pages: Callable[[], object]) -> None:
        """Print the rows in the chosen format. If the user chose none, call `pages` to print them for people."""
        self.output.show(rows, pages, book.title(), self.key, self.each)


class AskingNames(Names):
    """The names of a campaign. If a typed name is ambiguous, a lookup asks at the terminal which name is meant."""

    def decide_meaning(self, typed: str, names: Sequence[str]) -> str:
        """Ask which of the `names` is meant. Raise `AmbiguousName` if there is no terminal."""
        if not terminal.is_interactive():
            return super().decide_meaning(typed, names)
        choice = click.Choice([*map(terminal.escaped, names)])
        with self.book.journal.paused():
            answer: str = click.prompt(f"Which one do you mean by {typed!r}", type=choice, err=True)
        return answer


def resolve_replaced(book: Book, seq: int) -> int:
    """If another entry replaced entry `seq`, ask which of the two the user means, and return it. Else return `seq`.

    The question is asked at the terminal. Without a terminal, return `seq`.
    """
    if not terminal.is_interactive() or not book.is_struck(book.entry(seq).act):
        return seq
    from ledger.corrections.actions import replacement_of  # most entries were not struck

    instead = replacement_of(book, seq)
    question = f"#{seq} was canceled and replaced by #{instead}. Do you mean #{instead}?"
    return seq if instead is None or not terminal.answers_yes(question) else instead


def current_folder() -> str:
    """Return the current folder. Raise `NoCampaign` if it was deleted."""
    try:
        return getcwd()
    except OSError:
        raise NoCampaign from None


def technical_log() -> Callable[..., object]:
    """Return a function that writes technical details to standard error."""
    import structlog  # its import takes longer than a roll

    structlog.configure(
        processors=[structlog.processors.add_log_level, structlog.dev.ConsoleRenderer(colors=False)],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    log: Callable[..., object] = structlog.get_logger().info
    return log
