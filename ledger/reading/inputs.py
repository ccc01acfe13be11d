"""Run: a command is written and shown; what must be asked is asked at the terminal."""

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from cli import resolve
from cli.context import Desk
from cli.options import WHO, Completed, OneOf, WholeNumber, score_under
from cli.render import lines, terminal
from ledger.errors import BadInput, Refused
from ledger.rules.inputs import CAST, HIDDEN, Tag
from ledger.rules.move import Move
from ledger.values import Field

if TYPE_CHECKING:
    from ledger.commands.decider import Command
    from ledger.commands.play import Play, Roll
    from ledger.journal.book import Book
    from ledger.scribe import Written


def parameter(field: Field) -> click.Parameter:
    """Return the argument or option of an input."""
    kind: Any = Completed("TEXT", lambda book, ctx: [])
    if field.keyed:
        names = WHO if CAST in field.tags else kind
        kind = Completed(f"{names.name}={'N' if field.kind is int else 'NAME'}", names.complete)
    elif CAST in field.tags:
        kind = WHO
    elif field.choices:
        kind = OneOf(field.choices)
    elif field.kind is int:
        kind = WholeNumber(field.limit)
    for tag in field.tags:
        if isinstance(tag, Tag) and tag.name == "score":
            kind = score_under(tag.of)
    alone = field.required and not (field.many or field.keyed) and (CAST in field.tags or _names_something(field))
    if alone:
        return click.Argument([field.name], type=kind)
    flag = f"--{field.name.replace('_', '-')}"
    if field.kind is bool:
        return click.Option([flag, field.name], is_flag=True, help=_sentence(field))
    several = field.many or field.keyed
    return click.Option([flag, field.name], type=kind, multiple=several, required=field.required, help=_sentence(field))


def _names_something(field: Field) -> bool:
    return bool(field.choices) or any(
        isinstance(tag, Tag) and tag.name in {"handle", "score", "alone"} for tag in field.tags
    )


def _sentence(field: Field) -> str:
    default = field.default if field.default not in (None, False, (), 0, {}) else None
    shown = "" if default is None else f" [default: {default}]"
    hidden = " It may be kept from the players." if HIDDEN in field.tags else ""
    return f"{field.says[:1].upper()}{field.says[1:]}.{shown}{hidden}"


def named_inputs(book: "Book", move: type[Move], said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs that were said, names resolved; what was not said keeps its default."""
    found: dict[str, Any] = {}
    for field in move.fields().values():
        held = said.get(field.name)
        if held is None or ((field.many or field.keyed) and not held):
            continue
        if field.keyed:
            found[field.name] = _by_name(book, field, held)
            continue
        if field.many and (CAST in field.tags or _names_something(field)):
            held = tuple(name for each in held for name in each.split(","))
        if CAST in field.tags:
            held = tuple(_resolve(book, held)) if field.many else resolve.character(book, str(held))
        found[field.name] = held
    for field in move.fields().values():
        for tag in field.tags:
            if field.name in found and isinstance(tag, Tag) and tag.name == "score" and not field.keyed:
                held = found[field.name]
                find = partial(_on_sheet, book, found["who"], tag.of)
                found[field.name] = tuple(map(find, held)) if field.many else find(held)
    return found


def _by_name(book: "Book", field: Field, typed: tuple[str, ...]) -> dict[str, Any]:
    """Return values by name, from NAME=VALUE words; refuses (`BadInput`) what cannot be one."""
    from ledger.rules.inputs import handle  # kept beside its only use

    flag = f"--{field.name.replace('_', '-')}"
    said = resolve.pairs([each for word in typed for each in word.split(",")], f"what {flag} takes, NAME=VALUE")
    cast = book.cast()
    known_as: dict[str, str] = {}
    for typed_name, value in said.items():
        known = CAST in field.tags or typed_name.lower() in cast
        name = resolve.character(book, typed_name) if known else handle(typed_name)
        if name in known_as:
            raise BadInput(f"{flag} names {name} twice.")
        known_as[name] = value
    if field.kind is not int:
        return {name: handle(value) for name, value in known_as.items()}
    numbers = {name: resolve.whole(value) for name, value in known_as.items()}
    for name, number in numbers.items():
        if field.limit and not field.limit.least <= number <= field.limit.most:
            raise BadInput(f"{flag} {name}={number} is not within {field.limit.least} to {field.limit.most}.")
    return numbers


def _resolve(book: "Book", typed: Iterable[str]) -> Iterable[str]:
    return (resolve.character(book, name) for name in typed)


def _on_sheet(book: "Book", who: str, prefix: str, typed: str) -> str:
    from ledger.rules.inputs import handle  # kept beside its only use

    known = (full.partition("/")[2] for full in resolve.known_scores(book, who))
    there = [name.removeprefix(f"{prefix}.") for name in known if name.startswith(f"{prefix}.")]
    return resolve.pick(typed, there) or handle(typed)


def sealed(at_desk: Desk, said: "Play | Roll", flags: Mapping[str, Any]) -> "Command":
    """Return what was said, sealed where the flags want that; refuses (`BadInput`) a flag of a seal without one.

    So it does a date that is over.
    """
    if not flags.get("seal"):
        if flags.get("until") is not None or flags.get("unseen"):
            raise BadInput("--until and --unseen go with --seal.")
        return said
    from ledger.corrections.seals import Sealed, until  # an open roll needs no seal

    ends = None if flags["until"] is None else until(flags["until"])
    if ends is not None and ends < at_desk.today():
        raise BadInput(f"{ends} is over already.")
    return Sealed(said=said, until=ends, unseen=flags["unseen"])


def put(
    at_desk: Desk,
    book: "Book",
    said: "Command",
    flags: Mapping[str, Any],
    *,
    asking: bool = False,
    agreed: "Written | None" = None,
) -> "Written":
    """Write a command, and show what it came to; of what was agreed to, only as it was agreed to.

    While `asking` nothing is written, as in a dry run.
    """

    def shown(done: "Written") -> None:
        lines.written(book, done, json=flags["json_"], verbose=bool(flags["more"] or at_desk.verbose))
        if flags["dry"]:
            terminal.talk("A dry run: nothing was written.")

    scribe, faces, dry = at_desk.scribe(book), flags.get("faces"), flags["dry"] or asking
    fork = flags.get("fork", False)
    done = scribe.write(said, faces=faces, once=flags["once"], dry=dry, rehearsed=shown, agreed=agreed, fork=fork)
    if not done.dry:
        shown(done)
    return done


def choice_of(book: "Book", question: int) -> list[Field]:
    """Return the inputs that a question waits for, or waited for, or that a ruling offers."""
    from ledger.corrections.questions import asked_move  # only a choice needs it

    asked = book.entry(question, secrets=True)
    move = asked_move(asked, {})
    return [move.fields()[name] for name in asked.body.get("asks", move.offered)]


def chosen_inputs(fields: Iterable[Field], typed: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was chosen; names with commas between them are taken apart."""
    found = dict(typed)
    for field in fields:
        held = typed[field.name]
        if field.many and held is not None:
            found[field.name] = tuple(",".join([held] if isinstance(held, str) else held).split(","))
    return found


def answer_words(book: "Book", question: int) -> str:
    """Return the words that answer a question, with a place for each choice."""
    from ledger.corrections.questions import CHOICES
    from ledger.events.types import RollSealed

    kind = book.entry(question).type
    if kind == RollSealed.type:
        return f"campaign reveal {question}"
    if kind in CHOICES:
        return f"campaign decide {question} {'|'.join(CHOICES[kind])} --why TEXT"
    flags = (f"--{field.name} {_placeholder(field)}" for field in choice_of(book, question))
    return f"campaign choose {question} {' '.join(flags)}"


def _placeholder(field: Field) -> str:
    if field.choices or field.kind is int:
        return "|".join(field.choices) or "N"
    return "NAME,NAME…" if field.many else "TEXT"


def say_offer(done: "Written") -> None:
    """Say what may still be chosen after a ruling."""
    from ledger.events.subjects import OFFER

    for entry in done.entries:
        if any(mark["name"] == OFFER and mark["value"] == entry.seq for mark in entry.body["marks"]):
            terminal.talk(f"Until the next move of {entry.body['who']}: campaign choose {entry.seq} --help")


def ask(at_desk: Desk, question: int, flags: Mapping[str, Any]) -> None:
    """Ask on a terminal for what the rules let one choose, else say how to; nobody waits under the lock."""
    import sys  # kept beside its only use

    with at_desk.book() as book:
        fields, words = choice_of(book, question), answer_words(book, question)
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty()):
        terminal.talk(f"Choose with: {words}")
        return
    while True:
        try:
            typed = {
                field.name: click.prompt(f"{field.says[:1].upper()}{field.says[1:]}", type=parameter(field).type)
                for field in fields
            }
            write_choice(at_desk, question, chosen_inputs(fields, typed), {**flags, "once": None})
        except Refused as refused:
            terminal.error(refused)
        except click.Abort:
            terminal.talk(f"Question #{question} still waits. Choose with: {words}")
            raise
        else:
            return


def write_choice(at_desk: Desk, question: int, chosen: Mapping[str, Any], flags: Mapping[str, Any]) -> None:
    """Write the answer to a question, or what is taken up of an offer, and show the ruling."""
    from ledger.corrections.answers import Choose, Take  # only a choice needs them

    with at_desk.book() as book:
        if book.entry(question).type == "question-asked":
            put(at_desk, book, Choose(question=question, chosen=dict(chosen)), {**flags, "faces": None})
        else:
            done = put(at_desk, book, Take(ruling=question, chosen=dict(chosen)), flags)
            if not (done.dry or done.again):
                say_offer(done)


YES = click.Option(["--yes"], is_flag=True, help="Write without asking first.")


def agreed(at_desk: Desk, said: Callable[["Book"], "Command"], flags: Mapping[str, Any]) -> "Written | None":
    """Show what a correction would write, ask, and write it as it was agreed to; nobody waits under the lock.

    Return what was written, None where nothing was.
    """
    with at_desk.book() as book:
        command = said(book)
        if flags["yes"] or flags["dry"]:
            done = put(at_desk, book, command, flags)
            return None if done.dry else done
        if not (sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty()):
            raise BadInput(
                "This asks before it writes, and there is no terminal to ask on.",
                "Say --yes, or --dry-run to see what it would write.",
            )
        plan = put(at_desk, book, command, flags, asking=True)
    if plan.again:
        return None
    if not click.confirm("Write it?", err=True):
        terminal.talk("Nothing was written.")
        return None
    with at_desk.book() as book:
        return put(at_desk, book, said(book), flags, agreed=plan)
