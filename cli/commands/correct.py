"""Correct: each correction is a new entry."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from cli.asides import say_rest_of_line
from cli.context import Invocation, standing
from cli.options import EntryCommand, PairVerb, Verb, names_new, pass_invocation, write_options, writes
from cli.param_types import SCORE_CLAIMED, WHO
from cli.render import pages, terminal
from cli.run import YES, agreed, all_agreed, only_question, write
from ledger.errors import BadInput, Refused
from ledger.reading.names import pairs, whole_number, whole_numbers

if TYPE_CHECKING:
    from ledger.commands.decider import Command
    from ledger.journal.book import Book

MOST_UNDONE = 20

WHY = click.Option(["--why"], required=True, metavar="TEXT", help="The reason. It is saved with the entry.")
CASCADE = click.Option(
    ["--cascade"], is_flag=True, help="Also rule again on later entries that the correction affects."
)


@click.command(
    cls=Verb,
    params=[click.Argument(["count"], metavar="[N]", default="1"), YES, *write_options()],
    example="undo",
    another="undo 2",
    near="redo, void, amend, rewind",
)
@pass_invocation
def undo(invocation: Invocation, count: str, **flags: Any) -> None:
    """Undo your last action, or your last N actions, with their dice, costs and effects.

    If somebody else has added entries since then, undo shows those entries and asks first.
    """
    from ledger.corrections.undoing import Undo  # help needs none of it
    from ledger.events.types import ActionStruck

    number = count.removeprefix("#")
    if number != count or not 1 <= whole_number(number) <= MOST_UNDONE:
        hint = (
            f"To cancel that entry, even if somebody else wrote it: campaign void {number} --why TEXT"
            if number != count
            else ""
        )
        raise BadInput(f"undo takes a number of actions from 1 to {MOST_UNDONE}. You typed {count}.", hint)
    undos: list[tuple[Command, None]] = [(Undo(), None)] * int(number)
    others = False
    if not (flags["yes"] or flags["dry"]):
        with invocation.book() as book:
            others = book.now is book and _others_wrote_since(invocation, book, int(number))
    done = all_agreed(invocation, lambda book: [*undos], flags if others else {**flags, "yes": not flags["dry"]})
    undone = done[-1].entries[0].event if done and not done[-1].again else None
    if isinstance(undone, ActionStruck) and not flags["json_"]:
        with invocation.book() as book:
            say_rest_of_line(book, undone.strikes)


def _others_wrote_since(invocation: Invocation, book: Book, count: int) -> bool:
    """Show what others wrote since what would be undone; refuses (`Refused`) that where there is no terminal to ask."""
    from cli.render import lines
    from ledger.corrections.undoing import undone_next
    from projections.log import by_others_since

    hand = invocation.hand(book)
    undone = [*islice(undone_next(book, hand), count)]
    others = by_others_since(book, undone[-1], hand) if len(undone) == count else []
    for action in others:
        terminal.aside(f"Since then, {book.players().get(action.by, action.by)} wrote: {lines.headline(action)}")
    if others and not terminal.interactive():
        raise Refused(
            "Others have added entries since then. Nothing was undone.", "To undo your action anyway, add --yes."
        )
    return bool(others)


@click.command(
    cls=Verb,
    example="redo",
    another="redo --dry-run",
    near="undo, void, log",
    instead="If #{0} canceled actions, cancel #{0} to bring them back: campaign void {0} --why TEXT",
)
@writes
@pass_invocation
def redo(invocation: Invocation, **flags: Any) -> None:
    """Bring back the last action that was undone. You can do this until something else is written."""
    from ledger.corrections.undoing import Redo

    with invocation.book() as book:
        write(invocation, book, Redo(), flags)


@click.command(
    cls=Verb,
    params=[click.Argument(["entry"]), WHY, YES, *write_options()],
    example='void 17 --why "the wrong character"',
    another="void 17 --why 'entered twice' --dry-run",
    near="amend, undo, rewind, override",
)
@pass_invocation
def void(invocation: Invocation, entry: str, why: str, **flags: Any) -> None:
    """Cancel an action. void first shows what would change, and asks."""
    from ledger.corrections.undoing import Void

    with invocation.book() as book:
        seq = standing(book, invocation.names(book).entry(entry))
    agreed(invocation, lambda book: Void(strikes=book.entry(seq).act, why=why), flags)


@click.command(
    cls=Verb,
    params=[
        click.Option(["--to"], required=True, metavar="ENTRY", help="The last entry to keep."),
        click.Option(["--why"], metavar="TEXT", help="The reason. It is saved with the entry."),
        YES,
        *write_options(),
    ],
    example="rewind --to 12",
    another='rewind --to 12 --why "we begin again at the gate" --dry-run',
    near="void, undo, replay",
)
@pass_invocation
def rewind(invocation: Invocation, to: str, why: str | None, **flags: Any) -> None:
    """Cancel everything that was played after an entry. rewind first shows a preview, and asks.

    Players, sheets, sessions, scenes, settings and notes stay. The preview lists them too.
    """
    from ledger.corrections.undoing import Rewind

    agreed(invocation, lambda book: Rewind(to=invocation.names(book).entry(to), why=why), flags)


def _amends(book: Book, seq: int, ctx: click.Context) -> Verb:
    from cli.commands import amend_flags
    from ledger.corrections.actions import part_of
    from ledger.corrections.undoing import Amend
    from ledger.reading.amendments import changed_inputs, faces_for

    seq = standing(book, seq)
    invocation, part = ctx.find_object(Invocation) or Invocation(), part_of(book, seq)[1]

    def callback(why: str, faces: tuple[int, ...] | None = None, cascade: bool = False, **flags: Any) -> None:
        new = flags.pop("new", False)

        def command(book: Book) -> Amend:
            inputs = changed_inputs(invocation.names(book, new=new), part, amend_flags.given(flags))
            return Amend(named=seq, inputs=inputs, faces=faces_for(part, faces), cascade=cascade, why=why)

        agreed(invocation, command, flags)

    params = [*amend_flags.options(book, seq), WHY, CASCADE, YES, *write_options()]
    return Verb("amend", params=params, callback=callback, help=amend.help, elsewhere=amend_flags.elsewhere(book, seq))


@click.command(
    cls=EntryCommand,
    find=_amends,
    example='amend 17 --skill 12 --why "misheard"',
    another="amend 17 --faces 7,9 --why 'typed wrong' --dry-run",
    near="void, override, undo, dispute, show",
)
@click.argument("entry")
@click.argument("flags", metavar="[FLAGS]…", nargs=-1, type=click.UNPROCESSED)
def amend(entry: str, flags: tuple[str, ...]) -> None:
    """Correct an entry. Use the flags of the original command; anything you leave out stays the same.

    --faces changes dice that were typed in, and --without removes a part of the original command. For lists such as
    --rates mara=40, give only the items that change. --cascade also rules again on later entries that the correction
    affects. --why is required. amend shows the effects, and asks before it writes.
    """


@click.command(
    cls=Verb,
    example='dispute 17 --claim "the door gave me advantage"',
    another="dispute 17 --claim 'my skill is 12' --player Ana",
    near="decide, questions, amend",
)
@click.argument("entry")
@click.option("--claim", required=True, metavar="TEXT", help="The player's claim.")
@click.option("--player", metavar="NAME", help="Who objects (default: the player who types).")
@writes
@pass_invocation
def dispute(invocation: Invocation, entry: str, claim: str, player: str | None, **flags: Any) -> None:
    """Object to an entry. The question stays open until the GM decides. You can keep playing."""
    from ledger.corrections.answers import Dispute

    with invocation.book() as book:
        who = invocation.hand(book) if player is None else invocation.names(book).player(player)
        write(invocation, book, Dispute(about=invocation.names(book).entry(entry), player=who, claim=claim), flags)


def _decides(book: Book, seq: int, ctx: click.Context) -> Verb:
    from cli.commands import amend_flags
    from ledger.corrections.actions import part_of
    from ledger.corrections.answers import Decide
    from ledger.corrections.questions import CHOICES, choices_of, question_of, stored_choice, wrong_choice
    from ledger.events.types import DisputeRaised, KnockOnFound
    from ledger.reading.amendments import changed_inputs, faces_for

    invocation = ctx.find_object(Invocation) or Invocation()
    question = question_of(book, seq)
    if ctx.params["choice"].startswith("-"):
        if question.type not in CHOICES:
            raise wrong_choice(question, "")
        *others, last = choices_of(question.type)
        raise click.UsageError(f"Missing CHOICE: {', '.join(others)} or {last}.", ctx)
    choice = stored_choice(question, ctx.params["choice"])
    about = question.event.about if isinstance(question.event, DisputeRaised | KnockOnFound) else None
    part = part_of(book, about)[1] if choice == "amend" and about else None

    def callback(why: str, faces: tuple[int, ...] | None = None, cascade: bool = False, **flags: Any) -> None:
        new = flags.pop("new", False)

        def command(book: Book) -> Decide:
            inputs = changed_inputs(invocation.names(book, new=new), part, amend_flags.given(flags)) if part else {}
            own = faces_for(part, faces) if part else faces
            return Decide(question=question.seq, choice=choice, why=why, inputs=inputs, faces=own, cascade=cascade)

        asks = choice in {"amend", "void"}
        agreed(invocation, command, flags if asks else {**flags, "yes": True})

    own = [*amend_flags.options(book, about), CASCADE] if part and about else []
    return Verb("decide", params=[*own, WHY, YES, *write_options()], callback=callback, help=decide.help)


@click.command(
    cls=EntryCommand,
    find=_decides,
    the_only=only_question,
    example='decide 30 keep --why "it was a wall"',
    another="decide 30 amend --skill 12 --why 'Ana is right'",
    near="dispute, questions, amend, override",
)
@click.argument("entry", metavar="[QUESTION]")
@click.argument("choice", metavar="CHOICE", default="-")
@click.argument("flags", metavar="[FLAGS]…", nargs=-1, type=click.UNPROCESSED)
def decide(entry: str, choice: str, flags: tuple[str, ...]) -> None:
    """Answer an open question, as the GM. If only one question is open, you can leave out its number.

    If a player disputes an entry, or if a correction affects a later ruling, type keep, amend (with the flags of
    amend) or void. If a score is beyond its limits, type keep, or type adjust to set it to the limit. If a paper sheet
    differs from the record, type keep for the record's number, or adjust for the paper's number. amend and void ask
    before they write.
    """


@click.command(
    cls=Verb,
    example='override 17 "success" --good --why "the rope was there"',
    another="override 17 'she is seen' --bad --why 'the lamp'",
    near="amend, void, decide",
)
@click.argument("entry")
@click.argument("verdict")
@click.option("--good/--bad", default=None, help="Count it as a success or as a failure.")
@click.option("--why", required=True, metavar="TEXT", help="The reason. It is saved with the entry.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@writes
@pass_invocation
def override(invocation: Invocation, entry: str, verdict: str, good: bool | None, why: str, **flags: Any) -> None:
    """Overrule a result. The dice stay on record, and your verdict replaces the old one."""
    from ledger.corrections.actions import part_of
    from ledger.corrections.answers import Override
    from projections.phrases import named

    def command(book: Book) -> Override:
        action, part = part_of(book, invocation.names(book).entry(entry))
        about, thrown = part.root, action.later_roll(part)
        if thrown is not None:
            hint = f"To override that entry: campaign override {thrown} VERDICT --why TEXT"
            raise Refused(f"#{about} has no dice. The dice belong to {named(book, thrown)}.", hint)
        return Override(about=about, verdict=verdict, good=good, why=why)

    agreed(invocation, command, flags)


@click.command(
    "assert",
    cls=PairVerb,
    example="assert mara edge=3",
    another="assert mara edge=3 maximum=4",
    near="adjust, register, why, questions",
)
@click.argument("who", type=WHO)
@click.argument("scores", type=SCORE_CLAIMED, metavar="SCORE=N…", nargs=-1, required=True)
@names_new
@writes
@pass_invocation
def assert_scores(invocation: Invocation, who: str, scores: tuple[str, ...], **flags: Any) -> None:
    """Record what a paper sheet says.

    If a number on it differs from the record, the command opens a question and shows the possible causes.
    """
    from ledger.corrections.answers import Assert
    from ledger.events.types import ScoreAsserted

    typed = whole_numbers(pairs(scores, "a score like edge=3"))
    with invocation.book() as book:
        names = invocation.names(book, new=flags["new"])
        handle = names.character(who)
        done = write(invocation, book, Assert(who=handle, claimed=names.scores(handle, typed)), flags)
        event = done.entries[0].event
        if isinstance(event, ScoreAsserted) and not flags["json_"]:
            differing = [full for full, value in event.stood.items() if value != event.claimed[full]]
            pages.since_held(book, handle, differing)
