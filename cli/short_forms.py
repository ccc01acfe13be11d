"""The short forms of the prompt, as `help` lists them."""

from __future__ import annotations

from cli.render import terminal
from cli.render.help import WIDEST_PAGE, rows_of, wrap_indented
from cli.sections import SECTIONS
from cli.short_words import HELP
from cli.shorthand import AGAIN, LETTERS, MAIN_LETTER, WITH
from ledger.reading.placing import AT_SIGN
from ledger.reading.typed_values import ALL

SHORT_FORMS = (
    ("d20, 3d6+2", "Roll dice, without the rules of a game."),
    ("edge=4, -1 edge", "Set a score, or lower it by 1."),
    (f"{WITH} WHO [GAME]", "Use this character in the next lines."),
    (f"… {AT_SIGN}WHO", "Use another character in this line."),
    (f"… {ALL}", "Make a move for all characters whose players are present."),
    ("… = 7 6", "Enter the dice that you rolled, in order."),
    ("… +1 rain, … adv", "Give a bonus, a penalty or advantage. The reason may follow."),
    ("… ; TEXT", "In a move, say what the character attempts. In other commands, give the reason."),
    (AGAIN, f"Repeat your last action with new dice. For somebody else: {AGAIN} {AT_SIGN}WHO"),
    ("quit", "Close the prompt."),
)
"""The short forms that `help` lists after the letters."""


def show_short_forms() -> None:
    """Print the single letters, then `SHORT_FORMS`, each with its meaning at the prompt."""
    help_lines = {name: line for section in SECTIONS.values() for name, (_, line) in section.items()}
    main = (f"{MAIN_LETTER} …", "Make the main roll of the game.")
    letters = [main, *((key, help_lines[name]) for key, name in LETTERS.items())]
    width = min(terminal.width(), WIDEST_PAGE)
    start = "Start a line with a command or a move, without 'campaign'. You can shorten words to their first letters."
    more = f"For more about a command or a move: {HELP} COMMAND. To list all commands: --help"
    lines = [
        *wrap_indented(start, width, 0),
        "",
        *rows_of((*letters, *SHORT_FORMS), width),
        "",
        *wrap_indented(more, width, 0),
    ]
    for line in lines:
        terminal.say(line)
