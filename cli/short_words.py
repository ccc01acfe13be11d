"""The expansion of shortened words, and of the short forms of dice, amounts and reasons."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import dropwhile, islice, takewhile

import click

from cli.render import terminal
from ledger.errors import MINUS
from ledger.reading.names import SIGNS, is_range
from ledger.values import Field

IN_FULL = frozenset(
    {"void", "amend", "rewind", "erase", "import", "override", "reveal", "assert", "decide", "leave", "restore", "give"}
    | {"--for", "--fork"}
)
"""Commands and flags that cannot be shortened to their first letters."""

KEPT: Mapping[str, str] = {"l": "log"}
"""Short forms that keep their meaning although other commands start with the same letters."""

COMMON_FLAGS = (
    *("--faces", "--seal", "--until", "--unseen", "--secret", "--new", "--for", "--why", "--yes", "--help"),
    *("--by", "--once", "--dry-run", "--json", "--fork", "--verbose", "--file"),
)
SHORT_FLAGS = frozenset({"-f", "-h", "-v", "-vv"})
"""Short flags. In every command, these words and the `COMMON_FLAGS` cannot be the value of an option."""

JOINED_FILE = "-v*f.*[=./]"
"""A pattern for a file that is joined to its flag, such as `-froad.campaign`. Commands refuse it with a hint."""

FLAG_IN_TEXT = "--[a-z]|-(f|h|v|vv)$"
"""A pattern for words that count as flags even inside a text, such as a note."""

DICE, FLAG = "=", "--faces"
REASON = ";"
ALL = "all"
POOL = "pool"
"""The name of the argument that takes dice notation."""

OPERATORS = (*SIGNS, "*", "/", "<", ">")
ADVANTAGES = frozenset({"adv", "advantage", "dis", "disadvantage"})
OTHER = "@[a-z][a-z0-9-]*"
HANDLE = rf"(?!.* -)[^\W\d](?:[\w'. -]|[^\x00-\x7f{MINUS}])*"
"""A pattern for a word that may be the name of a character, in any script, perhaps with spaces."""
AMOUNT = f"[{SIGNS}][0-9]+"
SIGNED = tuple(SIGNS)
NAME = "[a-z][^=]*"
AMOUNT_OF = f"({AMOUNT})((?!d[0-9%])[a-z][^=]*)"
"""A pattern for an amount followed by its score without a space, such as `-1edge`."""

SCORE_WITH_AMOUNT = f"([a-z][^=+{MINUS}]*)([+{MINUS}][0-9]+)"
"""A pattern for a score and its amount, such as `edge+1`. Hyphens are not signs: names like `bandit-1` have hyphens."""

FITS = (str.__eq__, str.startswith)
"""The tests for a name and a typed word, the stricter first: the name equals the word, or starts with the word."""

DICE_START = "=[0-9,]*"
FACES = "[0-9,]+"
FACES_AND_SIGNS = f"{FACES}|[0{SIGNS}]+"
FATE_DICE = "[dD][fF]"
QUOTED = r"""(?<![^\s=])("[^"]*"|'[^']*')(?=[\s;]|$)"""
WORD = rf"""([^\s"'=]*=)?{QUOTED}|\S+"""
"""A pattern for a typed word. Quotes keep words together, also after `=`. An apostrophe in a word is not a quote."""

HAS_DICE = r"(?<![a-zA-Z0-9.])[0-9]*[dD](?:[0-9%(]|[fF](?![a-zA-Z]{3}))"
"""A pattern for dice anywhere in a word, such as `d20`, `3#d20+5`, `stealth+d20` or `4dF`."""

JOINED = rf"([0-9]+|(?=[^=]*{HAS_DICE})\S*[^\s<>!=])=([0-9,]*|[0{SIGNS}]*)"
"""A pattern for a number or dice followed by `=` and the rolled faces without spaces, such as `d20=17`."""

COMPARES = r"[0-9%f)](xo?|e|rr?|ro|cs|cf|f|p|k|uo?|!{1,2}[po]?|min?|max?)$|[<>=][0-9]+df$"
"""A pattern for the end of notation whose last modifier can compare, so that an equals sign may follow."""

LAST_DICE = r"(?:^|\s)=[\s0-9,]*[0-9][\s0-9,]*$"


def full_name(word: str, names: Iterable[str], ctx: click.Context) -> str | None:
    """Return the name that equals the word, or the only name that starts with it.

    - no name starts with the word, or the word is a full name of something else: return `None`
    - several names do: ask at the terminal, or raise `UsageError` without one
    - only names in `IN_FULL` do: raise `UsageError`
    """
    candidates = [*names]
    if word in candidates or KEPT.get(word) in candidates:
        return KEPT.get(word, word)
    fitting = [name for name in candidates if word and name.startswith(word)]
    short = [name for name in fitting if name not in IN_FULL]
    if len(short) > 1 and terminal.interactive() and not ctx.resilient_parsing:
        meant: str = click.prompt(f"Which one do you mean by {word!r}", type=click.Choice(sorted(short)), err=True)
        return meant
    if len(short) > 1:
        *others, last = sorted(short)
        raise click.UsageError(f"{word!r} could be {', '.join(others)} or {last}.", ctx)
    if fitting and not short and word not in IN_FULL:
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
    in_text, words = False, list[str]()
    left = iter(args)
    for word in left:
        if word == "--" and not in_text:
            return [*words, word, *left]
        in_text = text_argument(command) is not None and (in_text or not word.startswith("-"))
        flag, equals, value = word.partition("=")
        known = (full_name(flag, flags, ctx) if flag.startswith("--") and flag != "--" else None) or flag
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
    """Yield the words as values of an option. Raise `UsageError` for a flag, dice or a reason."""
    for word in words:
        begun = word.partition("=")[0]
        known = any(name.startswith(begun) for name in (*flags, *COMMON_FLAGS))
        forgotten = begun in SHORT_FLAGS or (known and len(begun) > len("--"))
        dice = FLAG in flags and flag != FLAG and starts_dice(word)
        if (begun.startswith("-") and forgotten) or dice or word.startswith(f"{REASON} "):
            shown = option.make_metavar(ctx)
            what, example = ("a text", "'high ground'") if shown == "TEXT" else (shown, shown)
            meant = f" If {word} is the text, type {flag}={word}" if shown == "TEXT" else ""
            raise click.UsageError(f"{flag} takes {what}: {flag} {example} {word}.{meant}", ctx)
        yield word


def faces_flag(ctx: click.Context, args: Sequence[str]) -> list[str]:
    """Rewrite typed dice as the option `--faces`. Raise `UsageError` if no faces follow the equals sign.

    - `= 7 3` becomes `--faces 7,3`
    - `= 7 3, 9 9` for several characters becomes `--faces 7,3;9,9`
    - `= 737` becomes `--faces =737`, which is split when the dice are known
    """
    args = _split_faces(ctx.command, args)
    places = are_positional(ctx.command, args)
    own = (place for place, word in enumerate(args) if places[place] and starts_dice(word))
    place = next(own, None)
    if place is None:
        return [*args]
    may_have_signs = any(re.search(FATE_DICE, word) for word in args)
    is_face = partial(re.fullmatch, FACES_AND_SIGNS if may_have_signs else FACES)
    faces = [args[place].removeprefix(DICE), *takewhile(is_face, args[place + 1 :])]
    if may_have_signs and any(sign in face for face in faces for sign in SIGNS):
        faces_typed = [each for face in faces for each in (face.removeprefix(DICE) if "," not in face else [face])]
        text = " ".join(faces_typed)
    else:
        text = " ".join(faces).strip(" ,")
    if not text:
        raise click.UsageError("Type the dice after the equals sign, as in: = 7 3", ctx)
    rolls = [roll.strip() for roll in (text.split(",") if any(map(is_several, args[:place])) else [text])]
    typed = (f"{DICE}{roll}" if roll.isdecimal() else ",".join(re.split("[ ,]+", roll)) for roll in rolls)
    return [FLAG, ";".join(typed), *args[:place], *args[place + len(faces) :]]


def join_pool(command: click.Command, args: Sequence[str], cast: Callable[[], Collection[str]]) -> list[str]:
    """Join the words of dice notation, such as `d20 + 5 adv`, into the last word, after `--` and the character.

    The first word is the character, unless an operator follows. So is a word without an operator beside it that starts
    the name of one in the `cast`; and `all`, a range, or a name with `@`.
    """
    if not _takes_pool(command):
        return [*args]
    places = are_positional(command, args)
    own = [word for word, is_own in zip(args, places, strict=True) if is_own]
    who = next((word for word in own if re.fullmatch(OTHER, word) or is_several(word)), None)
    if who is None and len(own) > 1:
        if _may_be_name(own[0]) and own[1] not in OPERATORS:
            who = own[0]
        else:
            could_be = _without_operators(own)
            who = next((word for word in could_be if any(name.startswith(word) for name in cast())), None)
    elif who is not None and own[0] != who and _may_be_name(own[0]) and own[1] not in OPERATORS:
        raise click.UsageError(f"Name {own[0]} or {who}, not both.")
    if not own or own == [who]:
        return [*args]
    if who is not None:
        own.remove(who)
    flags = [word for word, is_own in zip(args, places, strict=True) if not is_own and word != "--"]
    return [*flags, "--", *filter(None, [who]), " ".join(own)]


def join_terms(command: click.Command, args: Sequence[str]) -> list[str]:
    """Join each term of dice notation to the word before it, so `stealth + 2 15 adv` becomes two words."""
    places = are_positional(command, ("term" if _is_subtracted(word) else word for word in args))
    joined, flags = list[str](), list[str]()
    for word, is_own in zip(args, places, strict=True):
        if not is_own:
            flags += [word] if word != "--" else []
        elif joined and (word in ADVANTAGES or word.startswith(OPERATORS) or joined[-1].endswith(OPERATORS)):
            joined[-2 if word in ADVANTAGES and joined[1:] and joined[-1].isdecimal() else -1] += f" {word}"
        else:
            joined.append(word)
    return [*flags, *(["--"] if any(word.startswith("-") for word in joined) else []), *joined]


def _may_be_name(word: str) -> bool:
    is_name = re.fullmatch(HANDLE, word) is not None
    return is_name and re.search(HAS_DICE, word) is None and word not in ADVANTAGES


def _without_operators(words: Sequence[str]) -> Iterator[str]:
    """Yield the words of dice notation that could be names, and that no operator joins to other words."""
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        if _may_be_name(word) and not before.endswith(OPERATORS) and not after.startswith(OPERATORS):
            yield word


def _takes_pool(command: click.Command) -> bool:
    return any(isinstance(param, click.Argument) and param.name == POOL for param in command.params)


def _is_subtracted(word: str) -> bool:
    """Return True for a hyphen with a part of dice notation, such as `-1`, `-(d6)` or `-stealth`. It is not a flag."""
    is_flag = word in SHORT_FLAGS or re.match(JOINED_FILE, word) is not None
    return word.startswith("-") and not is_flag and re.match(r"-[^\W_]|-\(", word) is not None


def subtracts_dice(word: str) -> bool:
    """Return True for dice notation that starts with a hyphen, such as `-d6+20`."""
    return _is_subtracted(word) and re.search(HAS_DICE, word) is not None


def _split_faces(command: click.Command, args: Sequence[str]) -> list[str]:
    """Separate a number or dice from its faces: `25=7` as `25 =7`, and `d20=17` as `d20 =17`."""
    numbers = {flag for param in command.params if param.type.name == "N" for flag in param.opts}
    apart: list[str] = []
    for before, word, own in zip(["", *args], args, are_positional(command, args), strict=False):
        joined = _joined(word) if own or before in numbers else None
        signs = [DICE, joined[2]] if joined and any(sign in joined[2] for sign in SIGNS) else None
        apart += [joined[1], *(signs or [f"{DICE}{joined[2]}"])] if joined else [word]
    return apart


def _joined(word: str) -> re.Match[str] | None:
    """Match dice and their faces in one word. In `6d6x=5`, the equals sign belongs to the notation instead."""
    joined = re.fullmatch(JOINED, word) if DICE in word else None
    return None if joined and re.search(COMPARES, joined[1], re.IGNORECASE) else joined


def without_dice(words: Sequence[str]) -> list[str]:
    """Return the words of a line without its typed dice and its `--once` id."""
    remaining: list[str] = []
    left = iter(words)
    for word in left:
        found = None if remaining and remaining[-1].startswith("--") else _joined(word)
        if word in {FLAG, "--once"}:
            next(left, None)
        elif found or starts_dice(word):
            remaining += [found[1]] if found else []
            remaining += dropwhile(partial(re.fullmatch, FACES), left)
        elif not word.startswith((f"{FLAG}=", "--once=")):
            remaining.append(word)
    return remaining


def words_of(line: str) -> list[str]:
    """Split a line into words. Quotes keep words together. The reason after a semicolon becomes the last word.

    Dice at the end of the reason move in front of it.
    """
    without_quotes = re.sub(QUOTED, lambda quoted: " " * len(quoted[0]), line)
    place = without_quotes.find(REASON) if REASON in without_quotes else len(line)
    words_typed, reason = line[:place], line[place + 1 :].strip()
    dice = re.search(LAST_DICE, reason)
    if dice is not None:
        words_typed, reason = f"{words_typed} {dice[0]}", reason[: dice.start()].strip()
    words = [unquoted(found) for found in re.finditer(WORD, words_typed)]
    return [*words, f"{REASON} {reason}"] if reason else words


def unquoted(found: re.Match[str]) -> str:
    """Return a word that `WORD` matched, without its quotes."""
    return f"{found[1] or ''}{found[2][1:-1]}" if found[2] else found[0]


def are_positional(command: click.Command, args: Iterable[str]) -> list[bool]:
    """Return True for each positional word, and False for each flag and each value of a flag.

    All words after `--` are positional. Inside a command's text, `--` and `-2` are positional too. In a command that
    takes dice notation, so are `-2` and `-stealth`.
    """
    valued = {flag for option in command.params if takes_value(option) for flag in option.opts}
    text, has_pool = text_argument(command), _takes_pool(command)
    places: list[bool] = []
    ended, before = False, ""
    for word in args:
        in_text = text is not None and True in places
        is_flag = word.startswith("-") and word not in {"-", "--"}
        is_flag = is_flag and not (in_text and not re.match(FLAG_IN_TEXT, word))
        is_flag = is_flag and not (has_pool and _is_subtracted(word))
        ends = word == "--" and before not in valued and not in_text
        places.append(ended or not (ends or is_flag or before in valued))
        ended, before = ended or ends, "" if before in valued else word
    return places


def own_words(command: click.Command, args: Sequence[str]) -> list[str]:
    """Return the positional words, including amounts such as `-1`."""
    return [word for word, own in zip(args, _are_positional_or_amounts(command, args), strict=True) if own]


def has_dice(command: click.Command, args: Sequence[str]) -> bool:
    """Return True if the words contain typed dice, as in `= 7 3`. Return False for a command that takes a text."""
    return text_argument(command) is None and any(map(starts_dice, own_words(command, args)))


# The next functions first make a cheap test: compiling a pattern takes longer than all other work on a line.


def starts_dice(word: str) -> bool:
    """Return True if a word starts typed dice: `=` or `=7`."""
    return word.startswith(DICE) and re.fullmatch(DICE_START, word) is not None


def is_amount(word: str) -> bool:
    """Return True if a word is an amount, with or without its score: `-1` or `-1edge`."""
    signed = word.startswith(SIGNED) and word[1:2].isdigit()
    return signed and re.fullmatch(f"{AMOUNT}|{AMOUNT_OF}", word) is not None


def is_several(word: str) -> bool:
    """Return True if a word means several characters: `all`, or a range like `gob-1..3`."""
    return word == ALL or is_range(word)


def text_argument(command: click.Command) -> click.Argument | None:
    """Return the argument that takes a text of any number of words, such as a note; `None` if there is none."""
    arguments = (param for param in command.params if isinstance(param, click.Argument))
    return next((param for param in arguments if param.name in {"text", "title"} and param.nargs < 0), None)


def typed_text(command: click.Command, ctx: click.Context, rest: str) -> list[str]:
    """Split the words after a command that takes a text. The text becomes one word, as typed, without outer quotes."""
    found = [*re.finditer(WORD, rest)]
    words = full_flags(command, ctx, map(unquoted, found))
    check_lists(command, ctx, words)
    words_in_place = are_positional(command, words)
    begins = [place for place, own in enumerate(words_in_place) if own]
    if not begins or not all(words_in_place[begins[0] : begins[-1] + 1]):
        return words
    first, last = found[begins[0]], found[begins[-1]]
    text = rest[first.start() : last.end()]
    return [
        *(word for word, own in zip(words, words_in_place, strict=True) if not own and word != "--"),
        "--",
        text[1:-1] if first is last and first[2] == text else text,
    ]


def with_text(command: click.Command, ctx: click.Context, args: Sequence[str]) -> list[str]:
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


def check_lists(command: click.Command, ctx: click.Context, args: Sequence[str]) -> None:
    """Raise `UsageError` if a word follows the value of a list option. Such a line probably lacks a comma."""
    options = (param for param in command.params if isinstance(param, click.Option))
    lists = {flag for option in options if (option.metavar or "").endswith("…") for flag in option.opts}
    places = are_positional(command, args)
    for place in range(len(args) - 2):
        flag, value, word = args[place : place + 3]
        if flag in lists and not places[place] and places[place + 2] and word != "--":
            raise click.UsageError(
                f"{word!r} cannot follow {flag} {value}. If {word} is another name, add a comma:"
                f" {flag} {value},{word}. If not, put {word} before {flag}.",
                ctx,
            )


def reason_flag(ctx: click.Context, args: Sequence[str], command: click.Command) -> list[str]:
    """Rewrite `; text` as the deed of a roll or a move: `--for text`. For other commands, rewrite it as the reason.

    The reason is `--why text`, or `--claim text` for a dispute. If a command requires a reason, the text is the reason.
    A command with a text but none of these flags keeps the text. Raise `UsageError` for others, and for a late flag.
    """
    if not (args and args[-1].startswith(f"{REASON} ")):
        return [*args]
    typed = [word.partition("=")[0] for word in args[-1].split() if re.match(FLAG_IN_TEXT, word)]
    own = {flag for param in command.get_params(ctx) for flag in (*param.opts, *param.secondary_opts) if typed}
    late = next((word for word in typed if any(flag.startswith(word) for flag in own)), None)
    if late is not None:
        raise click.UsageError(f"Put {late} before the semicolon.", ctx)
    params = {param.name: param for param in command.params}
    needs_why = "why" in params and params["why"].required
    name = next((name for name in ("for", "why", "claim")[needs_why:] if name in params), None)
    if name is not None:
        return [*args[:-1], f"--{name}", args[-1].removeprefix(REASON).strip()]
    if not params.keys().isdisjoint({"text", "title"}):
        return [*args]
    raise click.UsageError("This command takes no reason. Write the reason with 'note'.", ctx)


def joined(words: Sequence[str]) -> list[str]:
    """Rewrite `edge = 2` and `edge =2` as `edge=2`."""
    left, pairs = iter(words), list[str]()
    for word in left:
        if pairs and word.startswith(DICE) and re.fullmatch(NAME, pairs[-1]):
            pairs[-1] += word if word != DICE else f"{DICE}{next(left, '')}"
        elif re.fullmatch(f"{NAME}{DICE}", word):
            pairs.append(f"{word}{next(left, '')}")
        else:
            pairs.append(word)
    return pairs


def amounts(command: click.Command, args: Sequence[str], all_characters: Callable[[], Collection[str]]) -> list[str]:
    """Rewrite `-1 edge`, `-1edge`, `edge -1` and `edge+1` as changes like `edge=-1`.

    A word that names one of `all_characters` is not taken for a score.
    """
    words: list[str] = []
    for word, own in zip(args, _are_positional_or_amounts(command, args), strict=True):
        found = (re.fullmatch(AMOUNT_OF, word) or re.fullmatch(SCORE_WITH_AMOUNT, word)) if own else None
        words += [word] if found is None else [*found.groups()]
    free = _are_positional_or_amounts(command, words)
    amounts_at = [place for place, word in enumerate(words) if free[place] and re.fullmatch(AMOUNT, word)]
    names_at = [place for place, word in enumerate(words) if free[place] and word != ALL and re.fullmatch(NAME, word)]
    if amounts_at and len(names_at) == len(amounts_at) + 1:
        characters = all_characters()
        fitting = (place for fits in FITS for place in names_at if any(fits(who, words[place]) for who in characters))
        names_at.remove(next(fitting, names_at[0]))
    if len(names_at) != len(amounts_at):
        return words
    rest = [word for place, word in enumerate(words) if place not in {*amounts_at, *names_at}]
    return [*rest, *(f"{words[name]}={words[amount]}" for name, amount in zip(names_at, amounts_at, strict=True))]


def bonus_flags(command: click.Command, args: Sequence[str], bonus: Field | None) -> list[str]:
    """Rewrite signed numbers, each with its words, as the input `bonus` of a move, and the words as `--why`.

    The words end at a number, dice, a flag or a name with `@`. Several bonuses are added up. Raise `UsageError` if the
    move takes no bonus, or if a reason is missing.
    """
    found, rest, is_open = list[tuple[str, list[str]]](), list[str](), False
    for word, own in zip(args, _are_positional_or_amounts(command, args), strict=True):
        if own and re.fullmatch(AMOUNT, word):
            found.append((word, []))
            is_open = True
        elif is_open and own and not (word.isdecimal() or starts_dice(word) or re.fullmatch(OTHER, word)):
            found[-1][1].append(word)
        else:
            rest.append(word)
            is_open = False
    if not found:
        return rest
    if bonus is None:
        raise click.UsageError(f"{command.name} does not take a bonus or a penalty, such as {found[0][0]}.")
    bare = next((typed for typed, words in found if not words), None)
    if bare is not None and (bonus.keyed or "--why" not in rest):
        raise click.UsageError(f"{bare} needs a reason. Type it after the number: {bare} rain")
    flag, numbers = f"--{bonus.name}", [int(typed.replace(MINUS, "-")) for typed, _ in found]
    if bonus.keyed:
        named = (f"{'-'.join(words).lower()}={number}" for number, (_, words) in zip(numbers, found, strict=True))
        return [*(word for pair in named for word in (flag, pair)), *rest]
    reasons = [" ".join(found[0][1])] if len(found) == 1 else [" ".join([typed, *words]) for typed, words in found]
    return [flag, str(sum(numbers)), *([] if bare else ["--why", ", ".join(reasons)]), *rest]


def _are_positional_or_amounts(command: click.Command, args: Sequence[str]) -> list[bool]:
    """Do the same as `are_positional`, but count amounts such as `-1` as positional."""
    words = (re.sub(f"^{AMOUNT}", "amount", word) if word.startswith(SIGNED) else word for word in args)
    return are_positional(command, words)
