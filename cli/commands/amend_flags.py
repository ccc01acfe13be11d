"""The flags of `amend`, one for each input of the entry that can be changed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from cli.command_types import Verb
from cli.options import faces_option, new_option, writing_options
from cli.param_types import Completed
from cli.run import parameter_of
from cli.typed_amounts import modifier_flags
from cli.usual import cast_now
from ledger.errors import Advice, Flag, LedgerError, Run
from ledger.hints import parts_of
from ledger.rules.inputs import BONUS, CAST, name_prefixes
from ledger.values import Field

if TYPE_CHECKING:
    from ledger.commands.decider import Command
    from ledger.journal.book import Book

RESERVED_FLAGS = frozenset({"why", "cascade", "yes", "secrets", "faces", "without", "new"}) | {
    name for option in writing_options() for name in (option.name or "", option.opts[0].strip("-").replace("-", "_"))
}
"""The names of flags about the amendment itself. If an input has one of these names, its flag is `--its-NAME`."""

ITS_PREFIX = "its_"


def options(book: Book, seq: int) -> list[click.Parameter]:
    """Return the flags to amend an entry: one per input, and `--without`, `--new` and `--faces` if they apply."""
    from ledger.commands.at_table import Adjust, SetMarks  # help needs none of it
    from ledger.corrections.actions import part_of
    from ledger.reading.amendments import amendable_inputs

    action, part = part_of(book, seq)
    fields = amendable_inputs(part.command)
    params: list[click.Parameter] = [_option(name, field, part.command) for name, field in fields.items()]
    optional = [
        name.replace("_", "-") for name, field in fields.items() if not field.required and field.kind is not bool
    ]
    if optional:
        kind = Completed("NAME", lambda book, ctx: optional)
        says = "Remove this part of the original command, such as a flag."
        params.append(click.Option(["--without"], type=kind, multiple=True, help=says))
    if isinstance(part.command, Adjust | SetMarks) or any(map(name_prefixes, fields.values())):
        params.append(new_option())
    faces = faces_option("The correct dice, in order. If you type fewer dice, the remaining ones keep their values.")
    return [*params, *([faces] if action.takes_faces(book, part) else [])]


def flags_of_other_parts(book: Book, seq: int) -> dict[str, str]:
    """Map the flags of the other entries in the same action to hints. Each hint says how to amend the flag's entry."""
    from ledger.corrections.actions import part_of
    from projections.phrases import describe_entry

    action, own = part_of(book, seq)
    hints: dict[str, str] = {}
    for part in action.parts:
        for flag in (flag for param in options(book, part.root) for flag in param.opts if part.root != own.root):
            says = (
                f"This flag belongs to a different entry, {describe_entry(book, part.root)}. Type:"
                f" {Run('amend', part.root, flag, '…')}"
            )
            hints.setdefault(flag, says)
    return hints


def fixed_flags(book: Book, seq: int) -> dict[str, str]:
    """Return a hint for each flag that the original command has and `amend` lacks.

    The hint says how to change the input of the flag in another way.
    """
    from ledger.corrections.actions import part_of
    from ledger.events.types import DayBegun, NoteWritten

    action, part = part_of(book, seq)
    match part.rulings[-1].event:
        case DayBegun():
            void = Run("void", action.act, why="TEXT")
            says = (
                "You cannot amend the number of days. First void these days, and then start the right number of days."
                f" To void them: {void}"
            )
            return dict.fromkeys(("--count", "--to"), says)
        case NoteWritten(type=NoteWritten.type):
            erase = Run("erase", part.root)
            says = (
                "Everybody may have read this note, so it cannot become secret. Erase it before you"
                f" write a secret note: {erase}"
            )
            return dict.fromkeys(("--secret", "--only"), says)
    return {}


def typed_inputs(typed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the flags that were typed, by the names of their inputs: `why` for `--its-why`."""
    return {name.removeprefix(ITS_PREFIX): value for name, value in typed.items() if value not in (None, ())}


class AmendVerb(Verb):
    """A command with the flags to amend an entry. `+1 rain` means `--bonus 1 --its-why rain`."""

    def __init__(self, *args: Any, fields: Mapping[str, Field], has_reason: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._fields = fields
        self._has_reason = has_reason  # the entry has a reason of its own, which a bare `+2` keeps

    def join_pairs(self, ctx: click.Context, args: list[str]) -> list[str]:
        takes_bonus = any(BONUS in field.tags for field in self._fields.values())
        if not takes_bonus:
            return args
        return modifier_flags(self, args, self._fields, "--its-why", has_reason=self._has_reason)

    def too_many_error(self, ctx: click.Context, extra: Sequence[str], words: Sequence[str]) -> click.UsageError:
        """Return the error for `extra` words. If they name a character, say which flag changes the character."""
        wrong = super().too_many_error(ctx, extra, words)
        name = extra[0]
        flags = [f"--{key.replace('_', '-')} {name}" for key, field in self._fields.items() if CAST in field.tags]
        if flags and name in cast_now(ctx):
            wrong = click.UsageError(f"{wrong.message} Type {' or '.join(flags)}.", ctx)
        return wrong


def name_its_flags(error: LedgerError, params: Iterable[click.Parameter]) -> None:
    """Rewrite the flags in an error of the original command to the names that these flags have in `amend`.

    For example, the reason of a bonus is `--its-why` in `amend`, because `--why` is the reason of the amendment.
    """
    names = {flag.name.removeprefix(ITS_PREFIX) for flag in params if flag.name and flag.name.startswith(ITS_PREFIX)}
    error.sentence, error.hint = (_with_its_flags(text, names) for text in (error.sentence, error.hint))


def _with_its_flags(text: str, names: Collection[str]) -> Advice:
    return Advice("".join(_prefixed_flag(part, names) if isinstance(part, Flag) else part for part in parts_of(text)))


def _prefixed_flag(flag: Flag, names: Collection[str]) -> Flag:
    name, *value = flag.words
    return Flag(f"{ITS_PREFIX}{name}", *value) if name in names else flag


def _option(name: str, field: Field, command: Command) -> click.Parameter:
    from ledger.commands.play import PlayMove

    if field.keyed and not isinstance(command, PlayMove):
        return click.Argument([field.name], nargs=-1, metavar="[NAME=VALUE]…")
    name = f"{ITS_PREFIX}{name}" if name in RESERVED_FLAGS else name
    flag = name.replace("_", "-")
    text = field.says or ("the character" if CAST in field.tags else f"the {field.name}")
    text = f"{text}, in the original command" if name.startswith(ITS_PREFIX) else text
    says = f"{text[:1].upper()}{text[1:]}.{' Names that you leave out stay the same.' if field.keyed else ''}"
    if field.kind is bool:
        otherwise = flag.removeprefix("no-") if flag.startswith("no-") else f"no-{flag}"
        return click.Option([f"--{flag}/--{otherwise}", name], default=None, help=says)
    kind = parameter_of(field, getattr(command, "system", "")).type
    return click.Option([f"--{flag}", name], type=kind, multiple=field.many or field.keyed, default=None, help=says)
