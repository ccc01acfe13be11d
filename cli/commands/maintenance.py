"""Commands to start a campaign, reveal secrets, erase texts, rebuild stored values, and set up shell completion."""

from __future__ import annotations

import re
from collections.abc import Collection
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from cli.command_types import Verb, verb
from cli.commands.plain import TypedCommand, plain_command
from cli.context import Flags, Invocation, current_folder
from cli.history import forget_lines
from cli.options import add_writing_options, json_option
from cli.render import terminal
from cli.run import entry_to_reveal, write, write_if_agreed
from ledger.errors import BadInput, NotWhole, Refused, Run, Unreadable, Unscrubbed, WriteFailed, count_of
from ledger.journal.schema import CAMPAIGN_SUFFIX

if TYPE_CHECKING:
    from ledger.commands.at_table import Open
    from ledger.journal.book import Book
    from ledger.tlog.note import Signer


@verb('init "The salt road"', "init 'The salt road' --gm Tom", "player, join, backup")
@click.argument("title")
@click.option("--gm", metavar="NAME", default="GM", help="The name of the GM. [default: GM]")
@add_writing_options
def init(invocation: Invocation, title: str, gm: str, flags: Flags) -> None:
    """Start a new campaign, as one file in this folder."""
    from ledger.commands.at_table import Open  # help needs none of it
    from ledger.journal.store import engine_for
    from ledger.rules.inputs import LONGEST_NAME, checked_text

    checked_text("A title", title, LONGEST_NAME)
    checked_text("A name", gm, LONGEST_NAME)
    path = invocation.named_file() or _new_file_name(title, again=flags.once is not None)
    is_repeated = flags.once is not None and engine_for(path).exists()
    key = invocation.make_key(invocation.new_origin(), dry=flags.dry or is_repeated)
    command = Open(title=title, gm=gm, key=str(key.vkey))
    if is_repeated:
        engine_for(path).tidy()
        with invocation.book(path) as book:
            write(invocation, book, command, flags)
    elif flags.dry:
        engine_for(path).check_free()
        terminal.aside(f"Dry run: {path} would be created. Nothing was written.")
    else:
        _begin(invocation, path, command, key, flags)
        if invocation.key_program() is None:
            terminal.aside(f"Your campaign is in {path}. The key that signs the campaign stays on this computer.")
        else:
            terminal.aside(f"Your campaign is in {path}. The program in CAMPAIGN_KEYS signs the campaign.")


def _begin(invocation: Invocation, path: str, command: Open, key: Signer, flags: Flags) -> None:
    from cli.render import lines
    from ledger.events.subjects import FIRST_GM_HANDLE
    from ledger.journal.book import Book
    from ledger.journal.store import Journal, engine_for

    with engine_for(path).creating() as storage:
        scribe = invocation.scribe(Book(Journal(storage)), by=FIRST_GM_HANDLE, checked=True)
        done = scribe.write(command, once=flags.once)
        invocation.keep_key(key)  # before the file gets its name, so that no campaign exists without its key
    with terminal.done_even_if_unprinted(f"{path} was created"), invocation.book(path) as book:
        lines.show_written(book, done, json=flags.json_, verbose=False)


def _new_file_name(title: str, *, again: bool) -> str:
    from ledger.journal.store import engine_for

    campaigns = engine_for(current_folder()).campaigns()
    if len(campaigns) == 1 and again:
        return campaigns[0]
    if campaigns:
        engine_for(campaigns[0]).tidy()
        raise Refused(
            f"There is already a campaign here: {campaigns[0]}.", "Choose a different file name with -f FILE."
        )
    from projections.exports.note_text import RESERVED_NAME_PATTERN  # only `init` needs it

    slug = re.sub(r"[^a-z0-9]+", "-", title.casefold()).strip("-")[:40] or "table"
    if RESERVED_NAME_PATTERN.match(slug):  # Windows would open a device
        slug = f"table-{slug}"
    return f"{slug}{CAMPAIGN_SUFFIX}"


@plain_command(
    "corrections.seals:Reveal",
    "reveal 25",
    "reveal 25 --dry-run",
    "questions, show, erase",
    more=[click.Argument(["entry"], metavar="ENTRY", required=False)],
)
def reveal(entered: TypedCommand) -> None:
    """Reveal a secret or a sealed roll.

    A revealed roll counts as if it had been open from the start.
    """
    entered.inputs["entry"] = entry_to_reveal(entered.invocation, entered.inputs["entry"])
    entered.write()


@verb("erase 31", "erase --player Ana", "show, export, void")
@click.argument("entries", metavar="[ENTRY]…", nargs=-1)
@click.option(
    "--player", metavar="NAME", help="Erase this player's name. Notes and other texts that mention the player stay."
)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@add_writing_options
def erase(invocation: Invocation, entries: tuple[str, ...], player: str | None, flags: Flags) -> None:
    """Erase the texts of entries for good: names, titles, notes, reasons and claims. Numbers stay."""
    from ledger.commands.custody import Erase
    from ledger.events.subjects import FULL_NAMES, PLAYERS

    if not entries and player is None:
        raise BadInput("Name the entries, or add --player NAME.")

    texts: set[str] = set()
    seqs: list[int] = []
    remains: set[str] = set()

    def command(book: Book) -> Erase:
        remains.add(book.journal.storage.remains_of_deleted_texts())
        names = invocation.names(book)
        seat = None if player is None else names.player(player, also_left=True)
        subjects = () if seat is None else (PLAYERS, FULL_NAMES)
        seats = [row for subject in subjects for row in book.accounts.mark_entries(subject, str(seat))]
        entry_seqs = [names.entry(typed) for typed in entries] + [seq for seq, _ in seats]
        texts.update(text for seq in entry_seqs for text in _erasable(book, seq))
        seqs[:] = dict.fromkeys(entry_seqs)
        return Erase(entries=tuple(seqs))

    try:
        done = write_if_agreed(invocation, command, flags)
    except Unscrubbed as left:
        _forget(invocation, texts)  # the hint uses entry numbers, because the name of a player is already erased
        raise Unscrubbed(left.why, left.when, Run("erase", " ".join(map(str, seqs)), yes=True)) from None
    if done is not None:
        _forget(invocation, texts)
        terminal.aside(
            "The texts are erased from this campaign. They may still be in backups, in exports, in tables, in Obsidian"
            " vaults, on other computers, and in your terminal's history of typed commands."
        )
        for sentence in filter(None, (*remains, _copies_with_texts(invocation, texts))):
            terminal.aside(sentence)
        _say_sealed_rolls_with_text(invocation, texts)


def _copies_with_texts(invocation: Invocation, texts: Collection[str]) -> str:
    """Return a sentence about copies beside the campaign that have an erased text or cannot be read; "" if none."""
    from ledger.journal.book import open_book
    from ledger.journal.store import engine_for

    names = list[str]()
    for address in engine_for(invocation.path()).kept_copies():
        has_text = True
        with suppress(NotWhole, Unreadable, WriteFailed), open_book(address) as copy:
            has_text = any(word.text in texts for word in copy.words.all())
        names += [engine_for(address).name()] * has_text
    if not names:
        return ""
    return (
        "Copies of the campaign in its folder still have the texts. If you no longer need the copies, delete:"
        f" {', '.join(names)}"
    )


def _say_sealed_rolls_with_text(invocation: Invocation, texts: Collection[str]) -> None:
    """Print which sealed rolls still contain an erased text."""
    from ledger.events.types import RollSealed

    with invocation.snapshot() as book:
        sealed = book.journal.search((RollSealed.type,), 1, ("thrown",))
        remaining = [
            f"#{entry.seq}"
            for entry in sealed
            if any(text in value for value in book.words.texts_of(entry.seq).values() for text in texts)
        ]
    if remaining:
        terminal.aside(f"The texts are still in the file, in these sealed rolls: {', '.join(remaining)}.")


def _erasable(book: Book, seq: int) -> list[str]:
    """Return the texts that an erasure of this entry would delete."""
    fields = book.erasable_fields(seq)
    return [text for number in fields for field, text in book.words.texts_of(number).items() if field in fields[number]]


def _forget(invocation: Invocation, texts: Collection[str]) -> None:
    """Remove lines with erased texts from the prompt's history. If that fails, print a warning."""
    folder = invocation.home().folder
    try:
        forget_lines(folder, texts)
    except OSError as error:
        terminal.aside(
            "The prompt's history of typed lines may still contain the texts. The history is in"
            f" {folder}, and could not be changed: {error.strerror}."
        )


@verb("rebuild", "rebuild --json", "verify, backup")
@json_option
def rebuild(invocation: Invocation, json_: bool) -> None:
    """Recompute all stored scores and values from the entries. The entries are checked first.

    If an entry is damaged, nothing changes.
    """
    from ledger.rebuild import rebuild as make  # help needs none of it

    with invocation.book() as book, terminal.progress(book.journal.head()) as count:
        done = make(book, count)
    with terminal.done_even_if_unprinted("The scores and values were rebuilt"):
        if json_:
            terminal.say_json([{"rebuilt": True, **done.__dict__}])
        else:
            terminal.say(
                f"Rebuilt from {count_of(done.entries, 'checked entry', 'checked entries')}:"
                f" {count_of(done.postings, 'score change')} and {count_of(done.marks, 'other value')}."
            )


@click.command(cls=Verb, example="completion bash --install", another="completion zsh", similar="init, systems")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.option("--install", is_flag=True, help="Install the script, so that the Tab key works in new terminal windows.")
def completion(shell: str, install: bool) -> None:
    """Let the Tab key complete what you type.

    Your shell needs a script for that. This command prints or installs the script.
    """
    from click.shell_completion import get_completion_class

    shell_class = get_completion_class(shell)
    assert shell_class is not None  # noqa: S101  click knows all three shells
    root = click.get_current_context().find_root().command
    script = shell_class(root, {}, "campaign", "_CAMPAIGN_COMPLETE").source()
    if install:
        from cli import shells  # only `--install` needs it

        shells.install_completion(shell, script)
    else:
        terminal.print_exactly(script)
