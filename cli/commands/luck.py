"""The command that shows what everybody rolled, and if the dice are consistent with fair dice."""

from __future__ import annotations

import click

from cli.command_types import view
from cli.context import View
from cli.param_types import ROLLER, SESSION_PREFIX, Die, SessionNumber
from cli.render import terminal
from ledger.errors import BadInput, Flag


@view("luck mara --die d20", "luck session:1", "odds, log, audit", key=("player", "sides", "source"))
@click.argument("who", type=ROLLER, required=False)
@click.option("--die", type=Die(), help="Show only this die, such as d20.")
@click.option("--session", type=SessionNumber(), help="Show only the dice of this session.")
@click.option("--source", type=click.Choice(["imported"]), help="Show the dice of imported rolls instead.")
def luck(asked: View, who: str | None, die: int | None, session: int | None, source: str | None) -> None:
    """Show what everybody rolled, and whether the dice are consistent with fair dice.

    Every die counts, even if it was dropped, rerolled or canceled. A sealed roll counts after you reveal it. To see
    only the dice of one character or player, type the name. Even then, the verdict on a die uses all rolls that the
    player made with that die.
    """
    from cli.render.luck import imported_lines, luck_lines, no_rolls_sentence
    from projections.imported_luck import imported_luck
    from projections.luck import luck as look  # help needs none of it

    if who is not None and who.startswith(SESSION_PREFIX):
        session, who = SessionNumber().convert(who, None, click.get_current_context()), None
    if source and session is not None:
        raise BadInput("Imported rolls do not belong to a session.", f"Leave out {Flag('session')}.")
    with asked.snapshot_at_point() as (book, when):
        thrower = None if who is None else asked.invocation.names(book, when=when).roller(who)
        whose = None if thrower is None else book.name_of(thrower)
        if source:
            with terminal.progress(book.head()) as count:
                imported = imported_luck(book, thrower, die, when, count)
            lines = imported_lines(imported, all_charts=die is not None)
            asked.show(book, imported, lambda: terminal.print_paged(lines))
            return
        with terminal.progress(book.head()) as count:
            dice = look(book, thrower, die, session, when, count)
        more = asked.invocation.verbose > 0
        lines = luck_lines(dice, all_charts=die is not None, more=more)
        asked.show(book, dice, lambda: terminal.print_paged(lines))
        if not (dice or asked.has_format):
            terminal.aside(no_rolls_sentence(whose, die, session))
