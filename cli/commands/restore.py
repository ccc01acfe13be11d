"""The command that replaces the campaign's file with a backup, and lists the entries that would be lost."""

from __future__ import annotations

from contextlib import suppress
from os import path
from shlex import quote
from typing import TYPE_CHECKING

import click

from cli.command_types import verb
from cli.context import Invocation
from cli.options import json_option
from cli.render import terminal
from ledger.errors import BadInput, NoCampaign, NotWhole, Run, Unreadable, count_of, entry_count

if TYPE_CHECKING:
    from ledger.archive.restore import RestorePlan

MOST_SHOWN = 20

MOVE_WORD_COUNT = 2
"""The number of words after `restore` if the user means Byzantine's move `restore`: a character and a connection."""


@verb("restore road.backup", "restore road.backup --dry-run", "backup, verify, log")
@click.argument("words", metavar="BACKUP", nargs=-1)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@click.option("--dry-run", "dry", is_flag=True, help="Check the backup, show what would be lost, and write nothing.")
@click.option("--clock-ok", is_flag=True, help="Use this computer's clock, even if its time does not fit the entries.")
@json_option
def restore(invocation: Invocation, words: tuple[str, ...], yes: bool, dry: bool, clock_ok: bool, json_: bool) -> None:
    """Replace the campaign's file with a backup.

    The command first checks the backup, shows the entries that would be lost, and asks you to confirm. The old file is
    kept under a new name. The record will always show the restore. If the restore is interrupted, repeat the command.
    """
    from cli.evidence import restore_proof_hint
    from ledger.archive.restore import load_backup, plan_restore  # help needs none of it
    from ledger.archive.restore import restore as put_back
    from ledger.journal.store import engine_for
    from ledger.trust.heads import witnesses
    from ledger.trust.home import KnownHeads

    backup, file = _backup(words), _target(invocation)
    name = engine_for(file).name()
    home = invocation.home()
    with load_backup(backup, file) as copy:
        known = KnownHeads(home, home.last_written(file))
        with terminal.progress(copy.head()) as count:
            restoring = plan_restore(copy, file, known.heads(copy), count)
        facts = {"file": file, "backup": backup, "entries": restoring.counts.entries, "lost": restoring.lost}
        facts["differs"] = restoring.first_difference
        if not restoring.is_done:
            _show(restoring, backup, file, "" if yes else f" To see all actions: {Run('log')}", json=json_)
        if restoring.is_done or dry:
            if json_:
                terminal.say_json([{**facts, "kept": None, "head": restoring.old[0]}])
            same = f"{name} is already the same as this backup. Nothing was written."
            terminal.aside(same if restoring.is_done else "Dry run: nothing was written.")
            return
        hint = "To restore, add --yes. To only check the backup, add --dry-run."
        if not (yes or terminal.ask_to_confirm(f"Replace {name} with this backup?", hint)):
            return
        scribe = invocation.replace(clock_ok=clock_ok).scribe(copy, checked=True)
        old_file = put_back(copy, restoring, file, invocation.today(), scribe)
        known.keep(known.state_after_commit(copy))
        entries, head, signers = restoring.counts.entries, copy.head(), witnesses(copy)
    with terminal.done_even_if_unprinted(f"{backup} was restored"):
        if json_:
            terminal.say_json([{**facts, "kept": old_file, "head": head}])
        else:
            terminal.say(f"{name} now has the {entry_count(entries)} of {backup}.")
    for seq, left in enumerate(restoring.histories, entries + 1):
        terminal.aside(
            f"#{seq} records that this restore replaced a history of {entry_count(left.size)}. To see the entry:"
            f" {Run('show', seq)}"
        )
    for size, seq in restoring.signed_heads if signers else ():
        terminal.aside(restore_proof_hint(signers, size, seq))
    if old_file is not None:
        short = engine_for(old_file).name()
        called = short if engine_for(short).owns(old_file) else old_file
        terminal.aside(f"The old file is now {called}. Keep it until you are sure that you do not need it.")
        terminal.aside(f"To see the lost entries, type: {Run('-f', quote(called), 'log')}")


def _backup(words: tuple[str, ...]) -> str:
    if len(words) == MOVE_WORD_COUNT and any(map(_is_file_name, words)):
        backup, file = sorted(words, key=_exists, reverse=True)
        raise BadInput(
            "Type only the name of the backup. The backup then replaces the campaign's file.",
            f"To replace {file}: {Run('-f', quote(file), 'restore', quote(backup))}",
        )
    if len(words) == MOVE_WORD_COUNT:
        raise BadInput(
            "This command restores a backup file.",
            f"To restore a connection: {Run('byzantine restore', ' '.join(words))}",
        )
    if len(words) != 1:
        raise BadInput("Name one backup file.", Run("restore", "road.backup"))
    if not _exists(words[0]):
        raise BadInput(f"There is no backup at {words[0]}.", f"Name the file that {Run('backup')} made.")
    return words[0]


def _is_file_name(word: str) -> bool:
    return _exists(word) or "." in word or path.dirname(word) != ""


def _exists(address: str) -> bool:
    from ledger.journal.store import engine_for

    return engine_for(address).exists()


def _target(invocation: Invocation) -> str:
    try:
        return invocation.path()
    except NoCampaign:
        raise BadInput(
            "There is no campaign here, so the restored file needs a name.",
            Run("-f", "road.campaign", "restore", "BACKUP"),
        ) from None


def _show(restoring: RestorePlan, backup: str, file: str, see: str, *, json: bool) -> None:
    """Show how the backup differs from the file. If not all lost entries are listed, append the hint `see`."""
    from ledger.journal.store import engine_for

    last, engine = restoring.counts.entries, engine_for(file)
    name = engine.name()
    terminal.aside(f"{backup} is complete: {entry_count(last)}.")
    if away := restoring.counts.away:
        secrets = count_of(away, "secret")
        terminal.aside(
            f"This backup lacks {secrets} of the GM, as a copy for players does. The restored file will lack them, too."
        )
    if not restoring.was_read and engine.exists():
        terminal.aside(f"A part of {name} cannot be read.")
    if restoring.first_difference is not None:
        terminal.aside(f"The histories in {backup} and {name} differ from #{restoring.first_difference} on.")
    elif restoring.conflicting_size is not None:
        seen = entry_count(restoring.conflicting_size)
        terminal.aside(f"{backup} differs from the {seen} that this computer has seen before.")
    if restoring.lost is None and not restoring.was_read:
        terminal.aside("Entries may be lost: this computer does not know how many entries the file had.")
    elif restoring.lost is None:
        terminal.aside("No entries are lost.")
    else:
        first, to = restoring.lost
        number = to - first + 1
        entries_text = f"#{first}" if number == 1 else f"#{first} to #{to}"
        terminal.aside(f"{count_of(number, 'entry is', 'entries are')} lost: {entries_text}.")
        if restoring.was_read and not json:
            _show_lost(file, first, see)


def _show_lost(file: str, first: int, see: str) -> None:
    from cli.render.lines import headline
    from ledger.events.types import WordsErased
    from ledger.journal.book import open_book
    from projections.log import lines as look

    with suppress(NotWhole, Unreadable), open_book(file) as book, book.journal.reading():
        if book.head() < first:
            return
        actions = [action for action in look(book, book.head() - first + 1) if action.entries[-1].seq >= first]
        for action in actions[:MOST_SHOWN]:
            terminal.aside(f"  {headline(action)}")
        if len(actions) > MOST_SHOWN:
            terminal.aside(f"  and {count_of(len(actions) - MOST_SHOWN, 'more action')}.{see}")
        erasures = [entry.seq for entry in book.journal.entries(first) if isinstance(entry.event, WordsErased)]
        if erasures:
            erasures_text = ", ".join(f"#{seq}" for seq in erasures)
            terminal.aside(f"{erasures_text} erased some texts, but the backup brings them back. Erase them again.")
