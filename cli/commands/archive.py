"""Archive: a copy of a campaign, and a campaign as plain files and back."""

from __future__ import annotations

from contextlib import nullcontext
from os import path
from typing import TYPE_CHECKING

import click

from cli.context import SUFFIX, Invocation, key_file
from cli.inputs import OneOf
from cli.options import Verb, json_option, pass_invocation
from cli.render import terminal
from ledger.errors import BadInput, Taken

if TYPE_CHECKING:
    from ledger.archive.export import Exported
    from ledger.archive.import_ import Imported

EXPORT = "-export"


@click.command(cls=Verb, example="export --for players", another="export road-export", near="import, backup, verify")
@click.argument("folder", metavar="[FOLDER]", required=False)
@click.option("--for", "whom", type=OneOf(["players"]), metavar="players", help="Without what the GM keeps secret.")
@json_option
@pass_invocation
def export(invocation: Invocation, folder: str | None, whom: str | None, json_: bool) -> None:
    """Write the campaign into a new folder of plain files, with a program of one file that checks them.

    Words that are erased later stay in the exports that were made before. For players the words of all that the GM
    keeps secret are left out; that something was kept, or rolled unseen, can still be told from the entries.
    """
    from ledger.archive.export import export as write  # help needs none of it

    with invocation.book() as book:
        name = _folder(path.basename(invocation.path()).removesuffix(SUFFIX) + EXPORT if folder is None else folder)
        with terminal.progress(book.head()) as count:
            done = write(book, name, players=whom is not None, progress=count)
        with terminal.telling(f"{name} is written"):
            _show_export(done, name, json=json_)
    if done.kept:
        terminal.aside("It holds what the GM keeps secret; for players: campaign export --for players")


@click.command(cls=Verb, example="backup road.backup", another="backup road.backup --json", near="verify, export, key")
@click.argument("file")
@json_option
@pass_invocation
def backup(invocation: Invocation, file: str, json_: bool) -> None:
    """Copy the campaign into a new file, also while others write; the copy is checked before it gets its name.

    It is safest on another disk. Beside the campaign its name should not end in .campaign, or commands would ask which
    of the two is meant. The key that signs is not in the copy; keep one of it too.
    """
    from ledger.archive.backup import backup as copy  # help needs none of it

    with invocation.book() as book, terminal.progress(book.head()) as count:
        whole = copy(book, file, count)
    with terminal.telling(f"{file} is made"):
        if json_:
            terminal.say_json([{"file": file, **whole.__dict__}])
        else:
            terminal.say(f"{file} holds all {whole.entries} entries, and is whole; the key is not in it.")


def _folder(typed: str) -> str:
    named = typed.rstrip("/")
    if not named:
        raise BadInput(f"{typed!r} names no folder.")
    return named


def _show_export(done: Exported, name: str, *, json: bool) -> None:
    if json:
        terminal.say_json([{"folder": name, **done.__dict__, "root": done.root.hex()}])
    else:
        left_out = f", {done.left_out} left out" if done.left_out else ""
        terminal.say(f"{name} holds {done.entries} entries, {done.words} words{left_out}; root {done.root.hex()}.")
    if done.signed < done.entries:
        what = f"only the first {done.signed} entries are" if done.signed else "none of it is"
        terminal.aside(f"It is not signed: {what}; sign it with 'campaign checkpoint', and export it again.")
    whose = "Whoever has it checks it with a verify.py from a release or a checkout that they trust"
    terminal.aside(f"{whose}: python3 verify.py {name}")
    terminal.aside(f"The SHA-256 of the one in it, to compare: {done.verifier}")


@click.command(
    "import",
    cls=Verb,
    example="import road-export",
    another="import road-export --dry-run",
    near="export, verify, backup",
)
@click.argument("folder")
@click.option("--yes", is_flag=True, help="Write without asking first.")
@click.option("--dry-run", "dry", is_flag=True, help="Check all of it, and write nothing.")
@json_option
@pass_invocation
def import_(invocation: Invocation, folder: str, yes: bool, dry: bool, json_: bool) -> None:
    """Make a campaign file of an export, each entry checked as it comes; -f names the new file."""
    from cli.evidence import contradicted
    from ledger.archive.format import JOURNAL, entries_in
    from ledger.archive.import_ import take_in
    from ledger.journal.making import tidy

    named = _folder(folder)
    where = path.dirname(named) or "." if path.basename(named) == JOURNAL and path.isfile(named) else named
    called = path.basename(path.abspath(where)).removesuffix(EXPORT)
    file = invocation.named() or f"{called}{SUFFIX}"
    entries = entries_in(where)
    if not dry:
        if path.lexists(file):
            tidy(file)
            raise Taken(file, "Name another file with -f FILE.")
        if not (yes or _confirm(f"Write the {entries} entries of {named} into {file}?")):
            return
    memory = invocation.home().remembered()
    with terminal.progress(entries) as count:
        done = take_in(
            where, None if dry else file, count, lambda book: contradicted(memory, book, (), may_be_older=True)
        )
    with nullcontext() if dry else terminal.telling(f"{file} is made"):
        _show_import(done, None if dry else file, json=json_)


def _confirm(question: str) -> bool:
    """Ask. Refuses (`BadInput`) without a terminal."""
    if not terminal.interactive():
        raise BadInput(
            "This asks before it writes, and there is no terminal to ask on.",
            "Say --yes, or --dry-run to check it and write nothing.",
        )
    if click.confirm(question, err=True):
        return True
    terminal.aside("Nothing was written.")
    return False


def _show_import(done: Imported, file: str | None, *, json: bool) -> None:
    whole = done.whole
    if json:
        facts = {"file": file, **whole.__dict__, "checkpoints": done.checkpoints, "root": done.root.hex()}
        facts["read_only"] = done.read_only
        terminal.say_json([facts])
    else:
        away = f", {whole.away} secrets not among them" if whole.away else ""
        contents = f"{whole.entries} entries, {whole.words} words{away}; root {done.root.hex()}."
        terminal.say(f"The export is whole: {contents}" if file is None else f"{file} holds {contents}")
    terminal.aside("Its verify.py was not looked at: take one from a release or a checkout that you trust.")
    if file is None:
        terminal.aside("A dry run: nothing was written.")
    elif done.read_only:
        terminal.aside("It is a copy for players: it can be looked at and checked, and not written.")
    else:
        terminal.aside(f"What signs its history is in no export; it belongs in {key_file(file)}.")
