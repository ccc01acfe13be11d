"""The commands that correct entries. Each correction is a new entry."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from cli.command_types import EntryCommand, Verb
from cli.commands.plain import TypedCommand, options_of, plain_command, write_only_command
from cli.context import Flags, Invocation, resolve_replaced
from cli.options import writing_options
from cli.param_types import SessionNumber
from cli.render import terminal
from cli.run import SECRETS, YES, only_question, write_all_if_agreed, write_if_agreed
from ledger.errors import BadInput, LedgerError, Refused, Run, UnknownName
from ledger.reading.typed_values import whole_number

if TYPE_CHECKING:
    from ledger.commands.decider import Command
    from ledger.events.entry import Entry
    from ledger.journal.book import Book


@plain_command(
    "corrections.undoing:Undo",
    "undo",
    "undo 2",
    "redo, void, amend, rewind",
    more=[click.Argument(["count"], metavar="[N]", default="1"), YES],
)
def undo(entered: TypedCommand) -> None:
    """Undo your last command, or your last N commands, with their dice, costs and effects.

    A command for several characters is undone for all of them. If others have added entries since then, undo shows
    those entries and asks you first. 'undo N' also asks you first if one of the commands opened or closed a session.
    """
    from cli.asides import say_not_undone
    from ledger.corrections.undoing import undos  # help needs none of it
    from ledger.events.types import ActionStruck

    invocation, flags, count = entered.invocation, entered.flags, entered.others["count"]
    number = count.removeprefix("#")
    if number != count:
        hint = f"To cancel that entry, even if somebody else wrote it: {Run('void', number, why='TEXT')}"
        raise BadInput(
            (
                f"{count} is the number of an entry, but this command needs a count. Type how many of"
                " your latest commands to undo."
            ),
            hint,
        )
    commands = [(undo, None) for undo in undos(whole_number(count))]
    asks = False
    if not (flags.yes or flags.dry):
        with invocation.book() as book:
            asks = book.current is book and _undoes_more_than_expected(invocation, book, len(commands))
    done = write_all_if_agreed(
        invocation, lambda book: [*commands], flags if asks else flags.replace(yes=not flags.dry)
    )
    strike = done[-1].entries[0].event if done and not done[-1].again else None
    if isinstance(strike, ActionStruck) and not flags.json_:
        with invocation.book() as book:
            say_not_undone(book, strike.strikes)


def _undoes_more_than_expected(invocation: Invocation, book: Book, count: int) -> bool:
    """Print the reasons to ask before `undo`, and return True if there are any.

    One reason is that others have added entries after the commands to undo. Another is that several commands are
    undone, and one of them opens or closes a session. Without a terminal, raise `Refused` if there is a reason.
    """
    from cli.render import lines
    from ledger.corrections.undoing import next_to_undo
    from ledger.events.entry import lead_of
    from ledger.events.types import SessionClosed, SessionOpened
    from projections.log import actions_by_others_since
    from projections.phrases import describe_entry

    hand = invocation.player_handle(book)
    acts = [*islice(next_to_undo(book, hand), count)]
    others = actions_by_others_since(book, acts[-1], hand) if len(acts) == count else []
    for action in others:
        terminal.aside(f"Since then, {book.name_of(action.by)} wrote: {lines.headline(action)}")
    leads = [lead_of(book.action(act)) for act in acts] if 1 < count == len(acts) else []
    sessions = [lead.seq for lead in leads if isinstance(lead.event, SessionOpened | SessionClosed)]
    for entry in map(partial(describe_entry, book), sessions):
        terminal.aside(f"The {count} commands include {entry}.")
    if others and not terminal.is_interactive():
        raise Refused(
            "Others have added entries since then. Nothing was undone.", "To undo your action anyway, add --yes."
        )
    if sessions and not terminal.is_interactive():
        raise Refused(
            "This would cancel the opening or the closing of a session. Nothing was undone.",
            "To undo these commands anyway, add --yes.",
        )
    return bool(others or sessions)


redo = write_only_command(
    "corrections.undoing:Redo",
    "Bring back what the last undo canceled.\n\nThis works only until something else is written. 'undo 3' cancels three"
    " commands one by one, and each redo brings back one of them. To bring back all three, repeat redo.",
    "redo",
    "redo --dry-run",
    "undo, void, log",
    instead=f"If #{{number}} canceled other actions, bring them back with: {Run('void', '{number}', why='TEXT')}",
)


@plain_command(
    "corrections.undoing:Void",
    'void 17 --why "the wrong character"',
    "void 15-18 20 --why 'never happened' --dry-run",
    "amend, undo, rewind, override",
    more=[
        click.Argument(["entry"], metavar="[ENTRY|A-B]…", nargs=-1),
        click.Option(
            ["--scene"], metavar="TITLE", help="Cancel what was played in the scene with this title or entry number."
        ),
        click.Option(["--session"], type=SessionNumber(), help="Cancel what was played in this session."),
    ],
)
def void(entered: TypedCommand) -> None:
    """Cancel one action or several.

    Name an entry, a range such as 15-18, a scene or a session. Each canceled action stays on record. If you name a
    range, a scene or a session, only what was played is canceled. Entries about players, sheets, settings and
    sessions stay. To cancel such an entry, type its number. The command first shows what would change, and then asks
    you to confirm. One 'undo' brings everything back.
    """
    from cli.asides import say_remapped_rolls, say_rest_of_lines  # help needs none of it
    from ledger.reading.stretches import is_one_entry, stretch_to_void
    from projections.phrases import describe_entry

    with entered.invocation.book() as book:
        names, typed = entered.names(book), entered.inputs["strikes"]
        scene, session = entered.others["scene"], entered.others["session"]
        if is_one_entry(typed) and scene is None and session is None:
            typed = [str(resolve_replaced(book, names.entry(typed[0])))]
        stretch = stretch_to_void(names, typed, scene, session)
        if stretch.staying and not entered.flags.json_:
            kept = ", ".join(describe_entry(book, seq) for seq in stretch.staying[:MOST_ENTRIES])
            more = f" and {len(stretch.staying) - MOST_ENTRIES} more" if len(stretch.staying) > MOST_ENTRIES else ""
            terminal.aside(f"This command keeps {kept}{more}. To cancel one of these entries, type its number.")
        if not entered.flags.json_:
            say_rest_of_lines(book, stretch.acts)
            say_remapped_rolls(book, stretch.acts)
        entered.inputs["strikes"], *also = stretch.acts
        entered.inputs["also"] = tuple(also)
    entered.write()


MOST_ENTRIES = 5
"""The maximum number of entries to list as not canceled, after a void of a range, a scene or a session."""


rewind = write_only_command(
    "corrections.undoing:Rewind",
    """Cancel everything that was played after the entry that you name.

    The command first shows a preview, and asks you to confirm. Players, sheets, sessions, scenes, settings and notes
    stay. The preview lists what stays, too.
    """,
    "rewind --to 12",
    'rewind --to 12 --why "we begin again at the gate" --dry-run',
    "void, undo, replay",
)


def _correction_verb(
    book: Book,
    about: int | None,
    ctx: click.Context,
    command: EntryCommand,
    build: Callable[..., Command],
    needs_change: str = "",
    *,
    cascades: bool,
) -> Verb:
    """Return a command that writes the correction that `build` makes.

    - `about`: the entry to amend. Its inputs become flags of the command. `None` for other corrections
    - `needs_change`: a command that lists the entry's flags. If it is given, an amendment that changes nothing is
      refused, and the hint of the error names this command
    - `cascades`: true if the command has the flag `--cascade`, and asks before it writes
    """
    from cli.commands import amend_flags
    from ledger.corrections.actions import part_of
    from ledger.corrections.undoing import Amend
    from ledger.reading.amendments import changed_inputs, check_changes, faces_for
    from projections.phrases import describe_entry

    invocation = ctx.find_object(Invocation) or Invocation()
    part = part_of(book, about)[1] if about else None
    was_amended = about is not None and book.is_struck(book.entry(about).act)

    def callback(flags: Flags, why: str, cascade: bool = False, new: bool = False, **typed: Any) -> None:
        def correction(book: Book) -> Command:
            changes = amend_flags.typed_inputs(typed)
            inputs = changed_inputs(invocation.names(book, new=new), part, changes) if part else {}
            faces = faces_for(part, flags.faces) if part else None
            if part and needs_change:
                shown, hint = describe_entry(book, about or 0), f"To list the flags of this entry: {needs_change}"
                check_changes(part, inputs, faces, cascade=cascade, shown=shown, hint=hint)
            return build(inputs=inputs, faces=faces, cascade=cascade, why=why)

        changes = cascade or flags.faces or amend_flags.typed_inputs(typed) or not was_amended
        try:
            write_if_agreed(invocation, correction, flags if cascades and changes else flags.replace(yes=True))
        except LedgerError as error:
            amend_flags.name_its_flags(error, amends)
            raise

    amends = amend_flags.options(book, about) if about else []
    params = [
        *amends,
        *options_of(Amend, *(["cascade"] if cascades else []), "why"),
        YES,
        SECRETS,
        *writing_options(),
    ]
    verb = amend_flags.AmendVerb(
        command.name,
        params=params,
        callback=callback,
        help=command.help,
        fields=part.command.input_fields() if part else {},
        has_reason=part is not None and part.command.input_values().get("why") is not None,
    )
    if about:
        verb.elsewhere = amend_flags.flags_of_other_parts(book, about) | amend_flags.fixed_flags(book, about)
        entry = describe_entry(book, about)
        verb.without_dice = f"{entry} has no dice."
    return verb


def _amend_verb(book: Book, seq: int, ctx: click.Context) -> Verb:
    from ledger.corrections.undoing import Amend

    seq = resolve_replaced(book, seq)
    build, needs_change = partial(Amend, named=seq), Run("amend", seq, help=True)
    return _correction_verb(book, seq, ctx, amend, build, needs_change, cascades=True)


amend = EntryCommand(
    "amend",
    find=_amend_verb,
    example='amend 17 --skill 12 --why "misheard"',
    another="amend 17 --faces 7,9 --why 'typed wrong' --dry-run",
    similar="void, override, undo, dispute, show",
    help="""Correct an entry.

    Use the flags of the original command. Anything that you leave out stays the same. --faces changes dice that
    were typed in. --without removes a part of the original command. In a list such as --rates mara=40, type only
    the items that change. If the correction affects later rulings, --cascade redoes them too. --why is required.
    The command shows the effects, and asks you before it writes.
    """,
)


dispute = write_only_command(
    "corrections.answers:Dispute",
    "Object to an entry. The question stays open until the GM decides. You can keep playing.",
    'dispute 17 --claim "the door gave me advantage"',
    "dispute 17 --claim 'my skill is 12' --player Ana",
    "decide, questions, amend",
)


def _named_question(book: Book, seq: int) -> Entry:
    """Return question `seq`, or the only open question about entry `seq`.

    If none is open, return the last one that was answered or canceled. Raise `UnknownName` if there is no question.
    """
    from ledger.corrections.questions import question_of
    from ledger.events.subjects import QUESTIONS

    try:
        return question_of(book, seq)
    except UnknownName:
        asked = [entry for entry in map(book.entry, book.questions()) if entry.about == seq]
        if len(asked) > 1:
            numbers = ", ".join(f"#{entry.seq}" for entry in asked)
            raise UnknownName(
                f"#{seq} has several open questions: {numbers}.", "Type the number of the question that you mean."
            ) from None
        newest_first = sorted(map(int, book.accounts.mark_names(QUESTIONS)), reverse=True)
        questions = (*asked, *map(book.entry, newest_first))
        question = next((entry for entry in questions if entry.about == seq), None)
        if question is None:
            raise
        return question


def _decide_verb(book: Book, seq: int, ctx: click.Context) -> Verb:
    from ledger.corrections.answers import CASCADING_CHOICES, Decide
    from ledger.corrections.questions import CHOICES, choices_of, stored_choice, wrong_choice
    from ledger.reading.amendments import must_change

    question = _named_question(book, seq)
    if ctx.params["choice"].startswith("-"):
        if question.type not in CHOICES:
            raise wrong_choice(question, "")
        *others, last = choices_of(question.type)
        raise click.UsageError(f"CHOICE is missing. Type {', '.join(others)} or {last}.", ctx)
    choice = stored_choice(question, ctx.params["choice"])
    about = question.about if choice == "amend" else None
    build = partial(Decide, question=question.seq, choice=choice)
    needs_change = Run("decide", question.seq, "amend", help=True) if about and must_change(book, question) else ""
    return _correction_verb(book, about, ctx, decide, build, needs_change, cascades=choice in CASCADING_CHOICES)


decide = EntryCommand(
    "decide",
    find=_decide_verb,
    the_only=only_question,
    metavar="[QUESTION]",
    words=[click.Argument(["choice"], metavar="CHOICE", default="-")],
    example='decide 30 keep --why "it was a wall"',
    another="decide 30 amend --skill 12 --why 'Ana is right'",
    similar="dispute, questions, amend, override",
    help="""Answer an open question, as the GM.

    If only one question is open, you can leave out its number. The answers depend on the question:

    'keep', 'void' or 'amend' for an entry that is disputed, or that used a number before it was corrected. 'amend'
    takes the flags of 'campaign amend'.

    'keep' or 'adjust' for a score beyond its limits ('adjust' sets it to the limit), and for a paper sheet that
    differs from the record ('adjust' uses the paper's number).

    'keep' or 'play' for a character who missed a dawn, a turn or a line for the group ('play' adds it).

    'amend', 'void' and 'play' ask you to confirm. With --cascade, they also redo the later entries that they affect.
    """,
)


override = write_only_command(
    "corrections.answers:Override",
    "Overrule a result. The dice stay on record, and your verdict replaces the old one.",
    'override 17 "success" --good --why "the rope was there"',
    "override 17 'she is seen' --bad --why 'the lamp'",
    "amend, void, decide",
    more=[click.Option(["--good/--bad"], default=None, help="Count the result as a success or as a failure.")],
)


@plain_command(
    "corrections.answers:AssertScores",
    "assert mara edge=3",
    "assert mara edge=3 maximum=4",
    "adjust, register, why, questions",
)
def assert_scores(entered: TypedCommand) -> None:
    """Record what a paper sheet says.

    If a number on it differs from the record, the command opens a question and shows the possible causes.
    """
    from cli.render import pages  # help needs none of it
    from ledger.events.types import ScoreAsserted

    with entered.invocation.book() as book:
        done = entered.write(book)
        event = done.entries[0].event if done else None
        if isinstance(event, ScoreAsserted) and not entered.flags.json_:
            differing = [full for full, value in event.stood.items() if value != event.claimed[full]]
            pages.show_since_agreement(book, event.who, differing)
