"""The command that the prompt runs for `again` after an amendment. It repeats the amended entry with new dice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli.command_types import EntryCommand, Verb
from cli.commands import amend_flags
from cli.commands.moves import ask_after, write_move
from cli.context import Flags, Invocation
from cli.options import writing_options
from ledger.reading.placing import AT_SIGN

if TYPE_CHECKING:
    from ledger.commands.decider import TableCommand
    from ledger.journal.book import Book


class Repeat(Verb):
    """A command that repeats an entry with new dice. It has the flags of `amend`; `@jonas` means `--who jonas`."""

    def join_pairs(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Replace `@jonas` with `--who=jonas`."""
        return [f"--who={word.removeprefix(AT_SIGN)}" if word.startswith(AT_SIGN) else word for word in args]


def _repeat_verb(book: Book, seq: int, ctx: click.Context) -> Verb:
    from ledger.corrections.actions import part_of
    from ledger.reading.amendments import changed_inputs

    part, invocation = part_of(book, seq)[1], ctx.find_object(Invocation) or Invocation()

    def callback(flags: Flags, new: bool = False, **typed: Any) -> None:
        with invocation.book() as opened:
            changes = changed_inputs(invocation.names(opened, new=new), part, amend_flags.typed_inputs(typed))
            question = write_move(invocation, opened, _without_choices(part.command).changed(changes), flags)
        ask_after(invocation, question, flags)

    return Repeat(again.name, params=[*amend_flags.options(book, seq), *writing_options()], callback=callback)


def _without_choices(command: TableCommand) -> TableCommand:
    """Return a command without the choices that somebody made after the roll."""
    from ledger.commands.play import PlayMove

    if not isinstance(command, PlayMove):
        return command
    fields = command.move.fields()
    return command.changed({name: fields[name].default for name in (*command.move.chosen, *command.move.offered)})


again = EntryCommand(
    "again",
    find=_repeat_verb,
    hidden=True,
    help="Repeat an entry with new dice. If the entry was amended, this repeats the corrected version.",
)
