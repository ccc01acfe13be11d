"""The words of a typed line, and the texts in it, such as a note or a reason."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import partial

import click

from cli.short_words import FLAG_IN_TEXT_PATTERN, REASON_SIGN, are_positional, full_flags, text_argument

QUOTED_PATTERN = r"""(?<![^\s=])("[^"]*"|'[^']*')(?=[\s;]|$)"""
WORD_PATTERN = rf"""([^\s"'=]*=)?{QUOTED_PATTERN}|\S+"""
"""A pattern for a typed word. Quotes keep words together, also after `=`. An apostrophe in a word is not a quote."""

LIST_AFTER_FLAG_PATTERN = r"(--[a-z-]+\s+)((?:[^\s,;]+,\s+)+)"
"""A pattern for a flag and the first items of its list, each with a comma and blanks: `--present Ana, Ben, `."""

DICE_IN_TEXT_PATTERN = r"(?:^|\s)=[\s0-9,]*[0-9][\s0-9,]*(?:;|$)"
"""A pattern for dice after the words of a text. A second semicolon may continue the text: `; jumps = 12; far`."""

POSSIBLE_DICE_PATTERN = r"(?:^|\s)(=\s*[0-9]\S*)"
"""A pattern for words of a text that may be dice."""


def words_of(line: str) -> list[str]:
    """Split a line into words. Quotes keep words together. The reason after a semicolon becomes the last word.

    Dice in the reason become words before the reason.
    """
    without_quotes = re.sub(QUOTED_PATTERN, lambda quoted: " " * len(quoted[0]), line)
    place = without_quotes.find(REASON_SIGN) if REASON_SIGN in without_quotes else len(line)
    words_typed, reason = line[:place], line[place + 1 :].strip()
    dice = re.search(DICE_IN_TEXT_PATTERN, reason)
    if dice is not None:
        words_typed = f"{words_typed} {dice[0].removesuffix(REASON_SIGN)}"
        reason = f"{reason[: dice.start()].strip()} {reason[dice.end() :].strip()}".strip()
    words = [unquoted(match) for match in re.finditer(WORD_PATTERN, words_typed)]
    return [*words, f"{REASON_SIGN} {reason}"] if reason else words


def unquoted(match: re.Match[str]) -> str:
    """Return a word that `WORD_PATTERN` matched, without its quotes."""
    return f"{match[1] or ''}{match[2][1:-1]}" if match[2] else match[0]


def split_around_text(command: click.Command, ctx: click.Context, rest: str) -> list[str]:
    """Split the words after a command that takes a text. The text becomes one word, as typed, without outer quotes."""
    rest = re.sub(LIST_AFTER_FLAG_PATTERN, partial(_without_blanks, _list_flags(command)), rest)
    matches = [*re.finditer(WORD_PATTERN, rest)]
    words = full_flags(command, ctx, map(unquoted, matches))
    join_lists(command, ctx, words)
    words_in_place = are_positional(command, words)
    begins = [place for place, own in enumerate(words_in_place) if own]
    if not begins or not all(words_in_place[begins[0] : begins[-1] + 1]):
        return words
    first, last = matches[begins[0]], matches[begins[-1]]
    text = rest[first.start() : last.end()]
    return [
        *(word for word, own in zip(words, words_in_place, strict=True) if not own and word != "--"),
        "--",
        text[1:-1] if first is last and first[2] == text else text,
    ]


def move_text_to_end(command: click.Command, ctx: click.Context, args: Sequence[str]) -> list[str]:
    """Move the words of a text to the end, after `--`. Raise `UsageError` if there are flags inside the text."""
    text = text_argument(command)
    places = are_positional(command, args)
    if text is None or True not in places:
        return [*args]
    first, last = places.index(True), len(places) - places[::-1].index(True)
    if False in places[first:last]:
        place = first + places[first:last].index(False)
        after = next(number for number in range(place, last) if places[number])
        raise click.UsageError(
            f"You typed {args[after]!r} after {args[place]}. Put the whole {text.name} before {args[place]}.", ctx
        )
    flags = [word for word, own in zip(args, places, strict=True) if not own]
    return [*flags, *([] if "--" in flags else ["--"]), *args[first:last]]


def _list_flags(command: click.Command) -> set[str]:
    """Return the flags of the options that take a list, such as `--present`."""
    options = (param for param in command.params if isinstance(param, click.Option))
    return {flag for option in options if (option.metavar or "").endswith("…") for flag in option.opts}


def _without_blanks(flags: Collection[str], found: re.Match[str]) -> str:
    """Remove the blanks after the commas in the value of a flag. Return the text unchanged if the flag takes no list.

    `flags` are the flags that take lists. The typed flag may be the start of one of them.
    """
    is_list = any(flag.startswith(found[1].strip()) for flag in flags)
    return found[1] + re.sub(r"\s+", "", found[2]) if is_list else found[0]


def join_lists(command: click.Command, ctx: click.Context, args: Sequence[str]) -> list[str]:
    """Join the value of a list option with the words after its commas: `--present Ana, Ben` to `--present Ana,Ben`.

    Raise `UsageError` if another word follows. Such a line probably lacks a comma.
    """
    lists, joined = _list_flags(command), list[str]()
    for word in args:
        if joined[1:] and joined[-2] in lists and joined[-1].endswith(",") and not word.startswith("-"):
            joined[-1] += word
        else:
            joined.append(word)
    places = are_positional(command, joined)
    for place in range(len(joined) - 2):
        flag, value, word = joined[place : place + 3]
        if flag in lists and not places[place] and places[place + 2] and word != "--":
            text = text_argument(command)
            rest = word if text is None else f"the whole {text.name}"
            names = f"{value},{word.removesuffix(',')}"
            raise click.UsageError(
                (
                    f"{word!r} cannot come after {flag} {value}. For one more name, leave out the space:"
                    f" {flag} {names}. For anything else, put {rest} before {flag}."
                ),
                ctx,
            )
    return joined


def reason_flag(ctx: click.Context, args: Sequence[str], command: click.Command) -> list[str]:
    """Rewrite the text after a semicolon as a flag: the deed of a roll or a move, or else the reason.

    - The flag is `--for` for a deed, `--why` for a reason, and `--claim` for the reason of a dispute.
    - If a command requires a reason, the text is always the reason.
    - If a command has none of these flags but takes a text, such as a note, the line stays unchanged.

    Raise `UsageError` for all other commands, for a flag after the semicolon, and if the text of a roll may
    contain dice.
    """
    if not (args and args[-1].startswith(f"{REASON_SIGN} ")):
        return [*args]
    typed = [word.partition("=")[0] for word in args[-1].split() if re.match(FLAG_IN_TEXT_PATTERN, word)]
    own = {flag for param in command.get_params(ctx) for flag in (*param.opts, *param.secondary_opts) if typed}
    late = next((word for word in typed if any(flag.startswith(word) for flag in own)), None)
    if late is not None:
        raise click.UsageError(f"Put {late} before the semicolon.", ctx)
    params = {param.name: param for param in command.params}
    dice = re.search(POSSIBLE_DICE_PATTERN, args[-1]) if "faces" in params else None
    if dice is not None:
        meant = f"If {dice[1]!r} belongs to the text, leave out the equals sign."
        raise click.UsageError(f"Put the dice before the semicolon. {meant}", ctx)
    needs_why = "why" in params and params["why"].required
    name = next((name for name in ("for", "why", "claim")[needs_why:] if name in params), None)
    if name is not None:
        return [*args[:-1], f"--{name}", args[-1].removeprefix(REASON_SIGN).strip()]
    if not params.keys().isdisjoint({"text", "title"}):
        return [*args]
    raise click.UsageError("This command takes no reason. Write the reason with 'note'.", ctx)
