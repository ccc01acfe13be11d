"""Short: what may be typed shorter, and what it stands for. A word that fits two names is refused, never guessed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import dropwhile, islice, takewhile

import click

from cli.render import terminal

IN_FULL = frozenset({"void", "amend", "rewind", "erase", "import", "override", "reveal", "assert", "decide", "leave"})
"""Commands that are never meant by their first letters."""

COMMON_FLAGS = (
    *("--faces", "--seal", "--until", "--unseen", "--secret", "--new", "--why", "--yes", "--help"),
    *("--by", "--once", "--dry-run", "--json", "--fork", "--verbose", "--file"),
)
SHORT_FLAGS = frozenset({"-f", "-h", "-v", "-vv"})
"""Flags that many commands have. No option takes one of them for its value, even where the command does not have it."""

DICE, FLAG = "=", "--faces"
REASON = ";"
ALL = "all"
AMOUNT = "[+-][0-9]+"
BEGINS = "=[0-9,]*"
FACES = "[0-9,]+"
QUOTED = '"[^"]*"'
WORD = r'"([^"]*)"(?=\s|$)|(\S+)'
JOINED = r"(?<=\s)([0-9]+)=(?=[0-9])"
LAST_DICE = r"(?:^|\s)=[\s0-9,]*[0-9][\s0-9,]*$"


def full(word: str, names: Iterable[str], ctx: click.Context) -> str | None:
    """The name that a word is, or the only one that it begins; `None` if there is none.

    A terminal asks which of several is meant. Refuses (`UsageError`) to guess without one, and the letters of a command
    that is typed in full alone.
    """
    there = [*names]
    if word in there:
        return word
    begun = [name for name in there if word and name.startswith(word)]
    short = [name for name in begun if name not in IN_FULL]
    if len(short) > 1 and terminal.interactive() and not ctx.resilient_parsing:
        meant: str = click.prompt(f"Which one is {word!r}", type=click.Choice(sorted(short)), err=True)
        return meant
    if len(short) > 1:
        *others, last = sorted(short)
        raise click.UsageError(f"{word!r} could be {', '.join(others)} or {last}.", ctx)
    if begun and not short:
        raise click.UsageError(f"Type {' or '.join(begun)} in full.", ctx)
    return short[0] if short else None


def full_flags(command: click.Command, ctx: click.Context, args: Sequence[str]) -> list[str]:
    """The words with each flag in full; an unknown flag and the value of an option stay as they were typed.

    Refuses like `full`, and (`UsageError`) an option whose value is a flag: its text was forgotten.
    """
    options = [param for param in command.get_params(ctx) if isinstance(param, click.Option)]
    flags = [flag for option in options for flag in (*option.opts, *option.secondary_opts) if flag.startswith("--")]
    valued = {flag: option for option in options if takes_value(option) for flag in option.opts}
    words: list[str] = []
    left = iter(args)
    for word in left:
        if word == "--":
            return [*words, word, *left]
        flag, equals, value = word.partition("=")
        known = (full(flag, flags, ctx) if flag.startswith("--") else None) or flag
        words.append(f"{known}{equals}{value}")
        if known in valued and not equals:
            words += islice(_values(valued[known], known, [*flags, *COMMON_FLAGS], ctx, left), 1)
    return words


def takes_value(option: click.Option) -> bool:
    """Whether the next word is the value of an option."""
    return not (option.is_flag or option.count)


def _values(
    option: click.Option, flag: str, flags: Collection[str], ctx: click.Context, words: Iterable[str]
) -> Iterator[str]:
    """Yield the words, the first of them a value; refuses (`UsageError`) a flag in its place."""
    for word in words:
        begun = word.partition("=")[0]
        forgotten = begun in SHORT_FLAGS or (len(begun) > len("--") and any(name.startswith(begun) for name in flags))
        if begun.startswith("-") and forgotten:
            shown = option.make_metavar(ctx)
            what, example = ("a text", "'high ground'") if shown == "TEXT" else (shown, shown)
            meant = f" To enter the text {word}, type {flag}={word}" if shown == "TEXT" else ""
            raise click.UsageError(f"{flag} takes {what}: {flag} {example} {word}.{meant}", ctx)
        yield word


def faces_flag(ctx: click.Context, args: Sequence[str]) -> list[str]:
    """The words with `= 7 3` as `--faces 7,3`; after `all`, commas divide the rolls: `= 7 3, 9 9` is `7,3;9,9`.

    Digits with nothing between them, `= 737`, are `=737`: the dice say how they are read. Refuses
    (`UsageError`) no faces.
    """
    before = ["", *args]
    own = (place for place, word in enumerate(args) if re.fullmatch(BEGINS, word) and before[place] != FLAG)
    place = next(own, None)
    if place is None:
        return [*args]
    faces = [args[place].removeprefix(DICE), *takewhile(partial(re.fullmatch, FACES), args[place + 1 :])]
    text = " ".join(faces).strip(" ,")
    if not text:
        raise click.UsageError("After = come the faces of the dice, as in = 7 3.", ctx)
    rolls = [roll.strip() for roll in (text.split(",") if ALL in args[:place] else [text])]
    typed = (f"{DICE}{roll}" if roll.isdecimal() else ",".join(re.split("[ ,]+", roll)) for roll in rolls)
    return [FLAG, ";".join(typed), *args[:place], *args[place + len(faces) :]]


def without_dice(words: Sequence[str]) -> list[str]:
    """The words of a line without its typed dice, and without its id."""
    kept: list[str] = []
    left = iter(words)
    for word in left:
        if word in {FLAG, "--once"}:
            next(left, None)
        elif not (re.fullmatch(BEGINS, word) or word.startswith((f"{FLAG}=", "--once="))):
            kept.append(word)
        else:
            kept += dropwhile(partial(re.fullmatch, FACES), left) if re.fullmatch(BEGINS, word) else ()
    return kept


def words_of(line: str) -> list[str]:
    """The words of a line; double quotes keep words together, and what follows a semicolon is one word.

    Dice after the reason are taken before it, and a number and its dice apart: `25=7`.
    """
    unquoted = re.sub(QUOTED, lambda quoted: " " * len(quoted[0]), line)
    place = unquoted.find(REASON) if REASON in unquoted else len(line)
    said, reason = line[:place], line[place + 1 :].strip()
    dice = re.search(LAST_DICE, reason)
    if dice is not None:
        said, reason = f"{said} {dice[0]}", reason[: dice.start()].strip()
    words = [found[2] if found[1] is None else found[1] for found in re.finditer(WORD, re.sub(JOINED, r"\1 =", said))]
    return [*words, f"{REASON} {reason}"] if reason else words


def reason_flag(ctx: click.Context, args: Sequence[str], command: click.Command) -> list[str]:
    """The words with `; reason` as `--why reason`, or as the claim of a dispute; in a text it is a word like others.

    Refuses (`UsageError`) a reason that the command does not take.
    """
    if not (args and args[-1].startswith(f"{REASON} ")):
        return [*args]
    flags = {flag for param in command.params for flag in param.opts}
    flag = next((flag for flag in ("--why", "--claim") if flag in flags), None)
    if flag is not None:
        return [*args[:-1], flag, args[-1].removeprefix(REASON).strip()]
    if not flags.isdisjoint({"text", "title"}):
        return [*args]
    raise click.UsageError("This takes no reason; write it with 'note'.", ctx)


def amounts(words: Sequence[str]) -> list[str]:
    """The words with `-1 edge` as `edge=-1`."""
    changed: list[str] = []
    for word in words:
        if changed and re.fullmatch(AMOUNT, changed[-1]) and not word.startswith("-"):
            changed[-1] = f"{word}={changed[-1]}"
        else:
            changed.append(word)
    return changed
