"""Typed words: shortened commands and flags, passwords in addresses, and which words of a line are values of flags."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, takewhile

import click

from cli.render import terminal
from ledger.reading.typed_values import ALL, SIGNS, is_range

NEVER_SHORTENED = frozenset(
    {"void", "amend", "rewind", "erase", "import", "override", "reveal", "assert", "decide", "leave", "restore", "give"}
    | {"move", "token", "tables"}  # the letters `m`, `t` and `ta` are for commands of an evening
    | {"delay", "--for", "--fork"}  # `turns del` looks like a command that deletes
)
"""Commands and flags that cannot be shortened to their first letters."""

FIXED_SHORT_FORMS: Mapping[str, str] = {"l": "log"}
"""Short forms that keep their meaning although other commands start with the same letters."""

COMMON_FLAGS = (
    *("--faces", "--seal", "--until", "--unseen", "--secret", "--new", "--for", "--why", "--yes", "--help"),
    *("--by", "--once", "--dry-run", "--json", "--fork", "--verbose", "--file"),
)
SHORT_FLAGS = frozenset({"-f", "-h", "-v", "-vv"})
"""Short flags. In every command, these words and the `COMMON_FLAGS` cannot be the value of an option."""

JOINED_FILE_PATTERN = "-v*f.*[=./]"
"""A pattern for a file that is joined to its flag, such as `-froad.campaign`. Commands refuse it with a hint."""

FLAG_IN_TEXT_PATTERN = "--[a-z]|-(f|h|v|vv)$"
"""A pattern for words that count as flags even inside a text, such as a note."""

NOT_A_PORT = r"(?!\d*(?:[/,?\s]|$))"
"""A pattern that does not match before the port of a server, as in `host:5432/`."""

PASSWORD_PATTERN = (
    rf"(?i:\bpostgres[\w+]*:?/*[^/@?\[\s]*:{NOT_A_PORT}.*@|\w://[^/@?\[\s]*:{NOT_A_PORT}\S*@"
    r"|\bpostgres\S*[?&](?:\w*password|oauth_client_secret|scram_\w+_key)=)"
)
"""A pattern for addresses that contain a password."""

HELP = "help"

DICE_SIGN, FACES_FLAG = "=", "--faces"
REASON_SIGN = ";"
POOL_PARAMETER = "pool"
"""The name of the argument that takes dice notation."""

VERSUS_FLAG_NAME = "vs"
"""The word before the target of a roll, as in `d20 vs 15`."""

ADVANTAGE_WORDS = {"adv": "advantage", "advantage": "advantage", "dis": "disadvantage", "disadvantage": "disadvantage"}
"""The words for advantage and disadvantage, each with the name of the input that it fills."""

NAME_WITH_AT_PATTERN = "@[a-zA-Z][a-zA-Z0-9-]*"
LISTED_NAME_PATTERN = r"(?!d[0-9])[a-z][a-z0-9-]*(\.\.[0-9]+)?"
NAME_LIST_PATTERN = f"{LISTED_NAME_PATTERN}(,{LISTED_NAME_PATTERN})+"
AMOUNT_PATTERN = f"[{SIGNS}][0-9]+"
SIGNS_OF_AMOUNTS = tuple(SIGNS)
NAME_PATTERN = r"[^\W\d_][^=]*"
AMOUNT_OF_PATTERN = f"({AMOUNT_PATTERN})((?!d[0-9%]){NAME_PATTERN})"
"""A pattern for an amount followed by its score without a space, such as `-1edge`."""

MATCHERS_IN_ORDER = (str.__eq__, str.startswith)
"""The tests for a name and a typed word, the stricter first: the name equals the word, or starts with the word."""

DICE_START_PATTERN = "=[0-9,]*"

DICE_PATTERN = r"(?<![a-zA-Z0-9.])[0-9]*[dD](?:[0-9%(]|[fF](?![a-zA-Z]{3}))"
"""A pattern for dice anywhere in a word, such as `d20`, `3#d20+5`, `stealth+d20` or `4dF`."""


def has_password(word: str) -> bool:
    """Return True if a typed word is an address with a password, or contains one."""
    return (":" in word or "?" in word) and re.search(PASSWORD_PATTERN, word) is not None


def check_no_password(words: Iterable[str]) -> None:
    """Raise `BadInput` for an address with a password, so that no message repeats the password."""
    if any(map(has_password, words)):
        from ledger.journal.failures import password_in_address  # rarely needed

        raise password_in_address()


def full_name(word: str, names: Iterable[str], ctx: click.Context) -> str | None:
    """Return the name that a word means, in full. Return `None` if no name starts with the word.

    A word that equals a name means this name. A key of `FIXED_SHORT_FORMS` means its value. For any other word, find
    the names that start with the word:

    - If only one of them may be shortened (is not in `NEVER_SHORTENED`), return this name.
    - If several may be shortened, ask at the terminal. At the prompt, or without a terminal, raise `UsageError`.
    - If none may be shortened, raise `UsageError`, or return `None` if the word itself is in `NEVER_SHORTENED`.
    """
    candidates = [*names]
    if word in candidates or FIXED_SHORT_FORMS.get(word) in candidates:
        return FIXED_SHORT_FORMS.get(word, word)
    fitting = [name for name in candidates if word and name.startswith(word)]
    short = [name for name in fitting if name not in NEVER_SHORTENED]
    if len(short) > 1 and terminal.is_interactive() and not (ctx.resilient_parsing or terminal.is_at_prompt(ctx)):
        meant: str = click.prompt(f"Which one do you mean by {word!r}", type=click.Choice(sorted(short)), err=True)
        return meant
    if len(short) > 1:
        *others, last = sorted(short)
        raise click.UsageError(f"{word!r} could be {', '.join(others)} or {last}.", ctx)
    if fitting and not short and word not in NEVER_SHORTENED:
        raise click.UsageError(f"Type {' or '.join(fitting)} in full.", ctx)
    return short[0] if short else None


def full_flags(command: click.Command, ctx: click.Context, args: Iterable[str]) -> list[str]:
    """Expand each shortened flag. Unknown flags and the values of options stay as typed.

    Raise `UsageError` for an ambiguous flag, and for an option without a value.
    """
    options = [param for param in command.get_params(ctx) if isinstance(param, click.Option)]
    shown = [option for option in options if not option.hidden]
    flags = [flag for option in shown for flag in (*option.opts, *option.secondary_opts) if flag.startswith("--")]
    valued = {flag: option for option in options if takes_value(option) for flag in option.opts}
    elsewhere: Collection[str] = getattr(command, "elsewhere", ())
    in_text, words = False, list[str]()
    left = iter(args)
    for word in left:
        if word == "--" and not in_text:
            return [*words, word, *left]
        in_text = text_argument(command) is not None and (in_text or not word.startswith("-"))
        flag, equals, value = word.partition("=")
        may_be_short = flag.startswith("--") and flag != "--" and flag not in elsewhere
        known = (full_name(flag, flags, ctx) if may_be_short else None) or flag
        words.append(f"{known}{equals}{value}")
        if known in valued and not equals:
            value_typed = [*islice(_values(valued[known], known, flags, ctx, left), 1)]
            if not value_typed:
                raise click.BadOptionUsage(known, f"Option {known!r} requires an argument.", ctx)
            words += value_typed
    return words


def takes_value(param: click.Parameter) -> bool:
    """Return True if the option takes the next word as its value."""
    return isinstance(param, click.Option) and not (param.is_flag or param.count)


def _values(
    option: click.Option, flag: str, flags: Collection[str], ctx: click.Context, words: Iterable[str]
) -> Iterator[str]:
    """Yield the words after a flag: the option's values. Raise `UsageError` if a word is a flag, dice or a reason."""
    for word in words:
        begun = word.partition("=")[0]
        known = any(name.startswith(begun) for name in (*flags, *COMMON_FLAGS))
        forgotten = begun in SHORT_FLAGS or (known and len(begun) > len("--"))
        dice = FACES_FLAG in flags and flag != FACES_FLAG and starts_dice(word)
        if (begun.startswith("-") and forgotten) or dice or word.startswith(f"{REASON_SIGN} "):
            shown = option.make_metavar(ctx)
            what, example = ("a text", "'high ground'") if shown == "TEXT" else (shown, shown)
            meant = f" If {word} is the text, type {flag}={word}" if shown == "TEXT" else ""
            raise click.UsageError(f"{flag} takes {what}: {flag} {example} {word}.{meant}", ctx)
        yield word


def takes_pool(command: click.Command) -> bool:
    """Return True if the command takes dice notation, as in `roll d20+5`."""
    return any(isinstance(param, click.Argument) and param.name == POOL_PARAMETER for param in command.params)


def is_subtracted(word: str) -> bool:
    """Return True for a hyphen with a term of a roll, such as `-1` or `-stealth`. Such a word is not a flag."""
    is_flag = word in SHORT_FLAGS or re.match(JOINED_FILE_PATTERN, word) is not None
    return word.startswith("-") and not is_flag and re.match(r"-[^\W_]|-\(", word) is not None


def are_positional(command: click.Command, args: Iterable[str]) -> list[bool]:
    """Return True for each positional word, and False for each flag and each value of a flag.

    All words after `--` are positional. Inside a command's text, `--` and `-2` are positional too. In a command that
    takes dice notation, so are `-2` and `-stealth`.
    """
    valued = {flag for option in command.params if takes_value(option) for flag in option.opts}
    text, has_pool = text_argument(command), takes_pool(command)
    places: list[bool] = []
    ended, before = False, ""
    for word in args:
        in_text = text is not None and True in places
        is_flag = word.startswith("-") and word not in {"-", "--"}
        is_flag = is_flag and not (in_text and not re.match(FLAG_IN_TEXT_PATTERN, word))
        is_flag = is_flag and not (has_pool and is_subtracted(word))
        ends = word == "--" and before not in valued and not in_text
        places.append(ended or not (ends or is_flag or before in valued))
        ended, before = ended or ends, "" if before in valued else word
    return places


def positional_words(command: click.Command, args: Sequence[str]) -> list[str]:
    """Return the positional words, including amounts such as `-1`."""
    return [word for word, own in zip(args, are_positional_or_amounts(command, args), strict=True) if own]


# The next functions first make a cheap test: compiling a pattern takes longer than all other work on a line.


def starts_dice(word: str) -> bool:
    """Return True if a word starts typed dice: `=` or `=7`."""
    return word.startswith(DICE_SIGN) and re.fullmatch(DICE_START_PATTERN, word) is not None


def is_amount(word: str) -> bool:
    """Return True if a word is an amount, with or without its score: `-1` or `-1edge`."""
    signed = word.startswith(SIGNS_OF_AMOUNTS) and word[1:2].isdigit()
    return signed and re.fullmatch(f"{AMOUNT_PATTERN}|{AMOUNT_OF_PATTERN}", word) is not None


def means_several(word: str) -> bool:
    """Return True if a word means several characters: `all`, a range like `gob-1..3`, or a list like `brak,sil`."""
    return word == ALL or is_list(word) or is_range(word)


def is_list(word: str) -> bool:
    """Return True for names that are joined with commas, such as `brak,sil` or `mara,gob-1..3`."""
    return "," in word and re.fullmatch(NAME_LIST_PATTERN, word.lower()) is not None


def join_names(words: Sequence[str], is_name: Callable[[str], bool]) -> list[str]:
    """Join the names at the start of a line into a list: `brak, sil d20` and `brak sil d20` become `brak,sil d20`."""

    def may_be_listed(word: str) -> bool:
        return is_list(word) or is_range(word) or is_name(word.removesuffix(","))

    names = [*takewhile(may_be_listed, words)]
    return [",".join(name.removesuffix(",") for name in names), *words[len(names) :]] if names[1:] else [*words]


def in_lower_case(word: str) -> str:
    """Return a word in lower case, because phones capitalize the first letter. Leave dice notation as typed."""
    return word if re.search(DICE_PATTERN, word) else word.lower()


def text_argument(command: click.Command) -> click.Argument | None:
    """Return the argument that takes a text of any number of words, such as a note; `None` if there is none."""
    arguments = (param for param in command.params if isinstance(param, click.Argument))
    return next((param for param in arguments if param.name in {"text", "title"} and param.nargs < 0), None)


def are_positional_or_amounts(command: click.Command, args: Sequence[str]) -> list[bool]:
    """Return the result of `are_positional`, but with True for amounts such as `-1`, too."""
    words = (
        re.sub(f"^{AMOUNT_PATTERN}", "amount", word) if word.startswith(SIGNS_OF_AMOUNTS) else word for word in args
    )
    return are_positional(command, words)
