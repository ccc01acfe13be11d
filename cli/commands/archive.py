"""The commands for backups, moves to another address, exports to plain files, and imports from them."""

from __future__ import annotations

from base64 import b64encode
from contextlib import nullcontext
from os import path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from cli.command_types import verb
from cli.context import Invocation, naming_backup
from cli.options import json_option
from cli.param_types import Completed, OneOf
from cli.render import terminal
from ledger.errors import BadInput, Refused, Run, count_of, entry_count, quoted
from ledger.journal.schema import CAMPAIGN_SUFFIX
from projections.exports import FORMATS

if TYPE_CHECKING:
    from ledger.archive.export import ExportReport
    from ledger.archive.import_ import ImportReport
    from ledger.journal.book import Book
    from ledger.reading.names import Names

EXPORT_SUFFIX, ALL_PLAYERS = "-export", "players"
EXPORT_READERS = Completed("players|NAME", lambda book, ctx: [ALL_PLAYERS, *book.players().values()])


class FormatName(OneOf):
    """The name of an export format. For a format that only views have, the error says what to type instead."""

    def __init__(self) -> None:
        super().__init__([*FORMATS])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the typed name of an export format. Raise `UsageError` for any other text."""
        view_form = str(value)
        if view_form in {"csv", "markdown", "html"}:
            self.fail(f"An export cannot be {view_form}, but a view can: {Run('log', format=view_form)}", param, ctx)
        return super().convert(value, param, ctx)


@verb("export --for players", "export --format hledger", "import, backup, verify")
@click.argument("folder", metavar="[PATH]", required=False)
@click.option(
    "--format",
    "form",
    type=FormatName(),
    help="Write for another program instead: hledger (and ledger), Beancount, or Obsidian (a folder of notes).",
)
@click.option(
    "--for",
    "whom",
    type=EXPORT_READERS,
    help=(
        "For players: leave out all secrets. For one player: leave out only the secrets that this player cannot read."
    ),
)
@json_option
def export(invocation: Invocation, folder: str | None, form: str | None, whom: str | None, json_: bool) -> None:
    """Export the campaign as plain files in a new folder, or for another program.

    A small program in the folder checks the files. --for players removes all secrets. Players can still see that a
    secret exists. --for Ana keeps the secret notes that Ana may read. If you erase a text later, your earlier exports
    still contain it.
    """
    from ledger.archive.export import export as write  # help needs none of it
    from ledger.archive.export import keeps_secrets
    from ledger.journal.store import engine_for

    with invocation.book() as book:
        if whom is None and (form is None or FORMATS[form].has_secrets):
            hint = f"For an export without secrets: {_players_export_command(form)}"
            invocation.check_may_see_secrets(book, "make an export with secrets", hint)
        called = engine_for(invocation.path()).name().removesuffix(CAMPAIGN_SUFFIX)
        ending = EXPORT_SUFFIX if form is None else FORMATS[form].ending
        name = _folder(called + ending if folder is None else folder)
        reader = None if whom in {None, ALL_PLAYERS} else _reader(invocation.names(book), str(whom))
        if form is not None:
            _export_as(invocation, book, form, name, players=whom is not None, reader=reader, json=json_)
            return
        given_to = book.players().get(str(reader), "")
        with book.journal.reading(), terminal.progress(book.head()) as count:
            if keeps_secrets(book, players=whom is not None, reader=reader):
                _say_secrets(given_to)
            done = write(book, name, players=whom is not None, reader=reader, progress=count)
        with terminal.done_even_if_unprinted(f"{name} was written"):
            _show_export(done, name, json=json_, verbose=invocation.verbose > 0)


def _players_export_command(form: str | None = None) -> Run:
    """Return the command that exports without secrets. `form` is the format; `None` means plain files."""
    if form is None:
        return Run("export", **{"for": "players"})
    return Run("export", **{"format": form, "for": "players"})


def _say_secrets(given_to: str) -> None:
    """Print that an export will contain secrets: all, or those that the player `given_to` may read."""
    if given_to:
        show = Run("show", "ENTRY", secrets=True)
        terminal.aside(f"This export contains secret notes. Give it only to {given_to}.")
        terminal.aside(f"To read a secret note, {given_to} imports the export and types: {show}")
    else:
        terminal.aside(f"This export contains the GM's secrets. For players, use: {_players_export_command()}")


def _say_secrets_in(form: str, given_to: str) -> None:
    """Print that an export in this format will contain secrets: all, or those that `given_to` may read."""
    if given_to:
        terminal.aside(f"This export contains secret notes. Give it only to {given_to}.")
    else:
        terminal.aside(f"This export contains the GM's secrets. For players, use: {_players_export_command(form)}")


def _export_as(
    invocation: Invocation, book: Book, form: str, name: str, *, players: bool, reader: str | None, json: bool
) -> None:
    """Write the campaign to `name` in the format `form`, and print what it contains.

    `reader` is the handle of a player who gets an export with the secrets that this player may read.
    """
    from ledger.archive.export import keeps_secrets

    write = FORMATS[form].writer()
    if FORMATS[form].has_secrets and keeps_secrets(book, players=players, reader=reader):
        _say_secrets_in(form, book.players().get(str(reader), ""))
    with terminal.progress(book.head()) as count:
        zone = invocation.with_local_zone
        report = write(book, name, players=players, reader=reader, zone=zone, progress=count)
    with terminal.done_even_if_unprinted(f"{name} was written"):
        if json:
            terminal.say_json([{"file": name, "format": form, **report.facts}])
        else:
            terminal.say(f"{name} contains {report.says}.")
        for tip in report.tips:
            terminal.aside(tip)


@verb("backup road.backup", "backup road.backup --json", "verify, export, key")
@click.argument("file")
@json_option
def backup(invocation: Invocation, file: str, json_: bool) -> None:
    """Copy the campaign into a new file, and check the copy. Others can keep playing during the backup.

    A backup on a different disk is safest. If you keep it in the same folder, choose a name that does not end in
    .campaign. Otherwise, commands cannot tell which file is the campaign. The backup does not contain the signing key.
    Also export the key once, and keep that file apart from the backups.
    """
    from cli.evidence import has_readable_key
    from ledger.archive.backup import backup as copy  # help needs none of it
    from ledger.events.subjects import CAMPAIGN, KEY

    with invocation.book() as book, terminal.progress(book.head()) as count:
        facts, key = copy(book, file, count), book.mark(CAMPAIGN, KEY)
        once = has_readable_key(invocation, book) and not invocation.home().has_second_copy(str(key))
    with terminal.done_even_if_unprinted(f"{file} was created"):
        if json_:
            terminal.say_json([{"file": file, **facts.__dict__}])
        else:
            terminal.say(
                f"{file} is a complete copy ({entry_count(facts.entries)}) and was checked. It does not contain the"
                " signing key."
            )
    if once:
        terminal.aside(
            f"Also export the key once, and keep that file apart from the backups: {Run('key export', 'FILE')}"
        )


@verb("move road.campaign new.campaign", "move road.campaign new.campaign --dry-run", "backup, export, key")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--dry-run", "dry", is_flag=True, help="Check the campaign and the new address, and write nothing.")
@json_option
def move(invocation: Invocation, source: str, target: str, dry: bool, json_: bool) -> None:
    """Move a campaign to another address, such as from a file to a PostgreSQL database, or back.

    FROM and TO are files, or addresses such as postgresql://host/database?campaign=road. All texts, secrets and
    checkpoints move, and the command checks the new campaign. After that, you can still read the old campaign, but
    nobody can change it. The signing key stays on this computer. If the move is interrupted, repeat the command.
    """
    from cli.evidence import check_not_contradicted
    from ledger.archive.moving import can_move, check_can_leave  # help needs none of it
    from ledger.archive.moving import move as move_to
    from ledger.audit.verify import verify
    from ledger.journal.book import open_book
    from ledger.journal.store import engine_for
    from ledger.trust.home import KnownHeads

    if engine_for(source).owns(target):
        raise BadInput("FROM and TO are the same campaign.")
    home = invocation.home()
    memory, known = home.snapshot(), KnownHeads(home, home.last_written(target))

    def check(copy: Book) -> None:
        check_not_contradicted(memory, copy, ())

    with open_book(source) as book, naming_backup(book):
        is_new = can_move(book, target)
        with terminal.progress(book.head()) as count:
            if dry and is_new:
                check_can_leave(book)
                with book.journal.reading():
                    verify(book, count)
                    check(book)
            elif is_new:
                move_to(book, target, count, check)
                known.keep(known.state_after_commit(book))
        entries, moved = book.head(), is_new and not dry
    with terminal.done_even_if_unprinted(f"{source} has moved to {target}") if moved else nullcontext():
        if json_:
            terminal.say_json([{"from": source, "to": target, "entries": entries, "moved": moved}])
        elif moved:
            terminal.say(f"{source} has moved to {target} ({entry_count(entries)}), and the new campaign was checked.")
    if moved:
        terminal.aside("You can still read the old campaign, but nobody can change it.")
        terminal.aside(f"From now on, use the new address: {Run('-f', quote(target), 'status')}")
    elif is_new:
        terminal.aside(f"{source} is complete ({entry_count(entries)}) and can move to {target}.")
        terminal.aside("Dry run: nothing was written.")
    else:
        terminal.aside(f"{source} has already moved to {target}. Nothing was written.")


def _reader(names: Names, typed: str) -> str:
    """Return the handle of the player who gets an export. Raise `Refused` for a GM, who may read all secrets."""
    seat = names.player(typed)
    if names.is_gm(seat):
        raise Refused(
            f"{names.book.players()[seat]} is a GM, and may read all secrets.", f"To export everything: {Run('export')}"
        )
    return seat


def _folder(typed: str) -> str:
    folder = typed.rstrip("/")
    if not folder:
        raise BadInput(f"{typed!r} is not a folder name.")
    return folder


def _show_export(done: ExportReport, name: str, *, json: bool, verbose: bool) -> None:
    if json:
        terminal.say_json([{"folder": name, **done.__dict__, "root": done.root.hex()}])
    else:
        root = f" Fingerprint: {b64encode(done.root).decode()}" if verbose else ""
        terminal.say(f"{name} contains {entry_count(done.entries)}, with {_text_count(done.words)}.{root}")
        if done.left_out:
            terminal.say(f"The export leaves out {count_of(done.left_out, 'secret text', 'secret texts')}.")
    if done.signed < done.entries:
        says = f"The entries after #{done.signed} are not signed." if done.signed else "The entries are not signed."
        terminal.aside(says)
        terminal.aside(f"To sign all entries, type {Run('checkpoint')}. Then export again.")
    terminal.aside(f"To check the export on another computer: {Run('import', name, dry_run=True)}")
    terminal.aside(
        "To check it without installing the program, type this in a copy of the source code that you trust:"
        " python3 ledger/archive/standalone.py FOLDER"
    )
    if verbose:
        terminal.aside(
            "If you trust a copy of verify.py, compare its fingerprint (SHA-256) with this one from"
            f" the export: {done.verifier}"
        )


@verb("import road-export", "import messages.json --dry-run", "export, verify, backup")
@click.argument("folder", metavar="PATH")
@click.option("--format", "form", help="The format of the file, if it cannot be recognized.")
@click.option("--mapping", help="A file that says who the people in the log are. A dry run makes such a file.")
@click.option(
    "--remap",
    is_flag=True,
    help="Cancel the evenings to which another mapping gave other people, and add them again. Needs --mapping.",
)
@click.option(
    "--update-sheets",
    is_flag=True,
    help="Also change the numbers that a sheet already has. Needs [sheets] in the mapping file.",
)
@click.option(
    "--check", is_flag=True, help="Compare the file with the rolls that were imported earlier. Write nothing."
)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@click.option("--dry-run", "dry", is_flag=True, help="Check the export, or show what is in the file. Write nothing.")
@json_option
@click.option("--fork", is_flag=True, help="Add the rolls even if this computer knows a newer version of the campaign.")
@click.option("--clock-ok", is_flag=True, help="Add the rolls even if this computer's clock seems wrong.")
def import_(
    invocation: Invocation,
    folder: str,
    form: str | None,
    mapping: str | None,
    remap: bool,
    update_sheets: bool,
    check: bool,
    yes: bool,
    dry: bool,
    json_: bool,
    fork: bool,
    clock_ok: bool,
) -> None:
    """Make a campaign file from an export, or add the rolls in another program's log to this campaign.

    PATH is a file, a folder or a zip file. The command checks every entry of an export, and -f names the new file. A
    log comes from Foundry, Roll20, Avrae on Discord or D&D Beyond, or is a table (CSV). Imported rolls change no score.
    The mapping file of a Foundry world can also name numbers for free sheets.
    """
    if form or mapping or remap or update_sheets or check or _is_log(folder):
        from cli.commands.import_logs import import_log

        flags = {"remap": remap, "update": update_sheets, "check": check, "dry": dry, "yes": yes, "json": json_}
        import_log(invocation.replace(clock_ok=clock_ok), folder, form, mapping, **flags, fork=fork)
    else:
        _import_export(invocation, folder, yes=yes, dry=dry, json_=json_)


def _is_log(place: str) -> bool:
    """Return True if `place` may be the log of another program, not an export of a campaign.

    A log is a file other than a journal, or a folder without the files of an export.
    """
    from ledger.archive.format import CHECKPOINTS_FILE, JOURNAL_FILE, WORDS_FILE

    if path.isfile(place):
        return path.basename(place) != JOURNAL_FILE
    parts = (path.join(place, name) for name in (JOURNAL_FILE, WORDS_FILE, CHECKPOINTS_FILE))
    return path.exists(place) and not any(map(path.lexists, parts))


def _import_export(invocation: Invocation, folder: str, *, yes: bool, dry: bool, json_: bool) -> None:
    from cli.evidence import check_not_contradicted
    from ledger.archive.format import JOURNAL_FILE, count_entries
    from ledger.archive.import_ import import_export
    from ledger.journal.store import engine_for

    export_folder = _folder(folder)
    if not path.lexists(folder):
        raise Refused(f"There is no file or folder called {quoted(folder)}.")
    where = (
        path.dirname(export_folder) or "."
        if path.basename(export_folder) == JOURNAL_FILE and path.isfile(export_folder)
        else export_folder
    )
    called = path.basename(path.abspath(where)).removesuffix(EXPORT_SUFFIX)
    file = invocation.named_file() or f"{called}{CAMPAIGN_SUFFIX}"
    entries = count_entries(where)
    if not dry:
        engine_for(file).check_free()
        hint = "To import, add --yes. To only check the export, add --dry-run."
        if not (
            yes or terminal.ask_to_confirm(f"Import {entry_count(entries)} from {export_folder} into {file}?", hint)
        ):
            return
    memory = invocation.home().snapshot()

    def check(book: Book) -> None:
        if book.head() != entries:
            raise Refused(f"{export_folder} has changed since you looked. Nothing was written.", "Repeat the command.")
        check_not_contradicted(memory, book, (), may_be_older=True)

    with terminal.progress(entries) as count:
        done = import_export(where, None if dry else file, count, check)
    with nullcontext() if dry else terminal.done_even_if_unprinted(f"{file} was created"):
        _show_import(done, None if dry else file, json=json_, verbose=invocation.verbose > 0)


def _text_count(number: int) -> str:
    return count_of(number, "title, note or other text", "titles, notes and other texts")


def _show_import(done: ImportReport, file: str | None, *, json: bool, verbose: bool) -> None:
    verified, root = done.counts, f" Fingerprint: {b64encode(done.root).decode()}" if verbose else ""
    if json:
        facts = {"file": file, **verified.__dict__, "checkpoints": done.checkpoints, "root": done.root.hex()}
        facts["read_only"] = done.read_only
        terminal.say_json([facts])
    else:
        contents = f"{entry_count(verified.entries)}, with {_text_count(verified.words)}.{root}"
        terminal.say(f"The export is complete: {contents}" if file is None else f"{file} contains {contents}")
        if verified.away:
            terminal.say(f"The export does not include {count_of(verified.away, 'secret')}.")
    terminal.aside(
        "The import checked every entry itself. It did not run the export's own verify.py, because anyone can alter"
        " that file."
    )
    if file is None:
        terminal.aside("Dry run: nothing was written.")
    elif done.read_only:
        terminal.aside("This is a read-only player copy. You can view and check it, but not change it.")
    else:
        terminal.aside(
            "Exports never contain the signing key. If the key is not on this computer yet:"
            f" {Run('key import', 'FILE')}"
        )
