"""Functions that write a command, show the result, and ask questions at the terminal where needed."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

import click

from cli.context import Flags, Invocation
from cli.param_types import WHO, Completed, OneOf, WholeNumber, named_on_sheet
from cli.render import terminal
from cli.shorthand import LETTERS, MAIN_LETTER, PROMPT_WORDS
from ledger import systems
from ledger.errors import BadInput, ClockDiffers, Refused, Run
from ledger.events import types as events
from ledger.events.subjects import OFFER
from ledger.reading.move_inputs import choice_from, choice_of, with_seal
from ledger.reading.placing import has_place
from ledger.reading.typed_values import LAST
from ledger.rules.inputs import CAST, HIDDEN, flag_words, name_prefixes, numbers_by_name
from ledger.values import Field

if TYPE_CHECKING:
    from ledger.commands.decider import Command
    from ledger.events.entry import Entry
    from ledger.journal.accounts import AsOf
    from ledger.journal.book import Book
    from ledger.rules.dice import Digits
    from ledger.rules.move import Move, Table
    from ledger.scribe import Request, Written
    from projections.questions import OpenQuestion


def parameter_of(field: Field, game: str = "") -> click.Parameter:
    """Return the argument or option for an input. The shell completes score names from the character's `game` sheet."""
    kind: Any = Completed("TEXT", lambda book, ctx: [])
    if field.keyed:
        names = WHO if CAST in field.tags else kind
        kind = Completed(f"{names.name}={'N' if field.kind is int else 'NAME'}", names.complete)
    elif CAST in field.tags:
        kind = WHO
    elif field.choices:
        kind = OneOf(field.choices)
    elif field.kind is int:
        kind = WholeNumber(field.limit, numbers_by_name(field))
    if name_prefixes(field):
        kind = named_on_sheet(field, game)
    if has_place(field):
        return click.Argument([field.name], type=kind, required=field.required)
    flag = f"--{field.name.replace('_', '-')}"
    if field.kind is bool:
        return click.Option([flag, field.name], is_flag=True, help=_sentence(field))
    several = field.many or field.keyed
    return click.Option([flag, field.name], type=kind, multiple=several, required=field.required, help=_sentence(field))


def _sentence(field: Field) -> str:
    default = field.default if field.default not in (None, False, (), 0, {}) else None
    suffix = "" if default is None else f" [default: {default}]"
    hidden = " You can hide this number from the players." if HIDDEN in field.tags else ""
    return f"{field.says[:1].upper()}{field.says[1:]}.{suffix}{hidden}"


def write(invocation: Invocation, book: Book, command: Command, flags: Flags) -> Written:
    """Write one command, and show the result. See `write_all` for errors."""
    return write_all(invocation, book, [(command, flags.faces)], flags)[0]


def check_dice_of_one_roll(flags: Flags, line: str) -> None:
    """Raise `BadInput` if dice for several rolls were typed for one roll. `line` is the command for several rolls."""
    if isinstance(flags.faces, list):
        raise BadInput(
            "You typed dice for several rolls, but this is one roll.", f"To roll for several characters: {line}"
        )


def write_all(
    invocation: Invocation,
    book: Book,
    commands: Sequence[tuple[Command, Sequence[int] | Digits | None]],
    flags: Flags,
    *,
    asking: bool = False,
    agreed: Sequence[Written] | None = None,
    for_group: bool = False,
) -> list[Written]:
    """Write all commands with their typed faces, or write none of them. Show the results.

    With `asking`, show what the commands would write, but write nothing. Raise `ResultChanged` if a result differs
    from `agreed`. Set `for_group` if the user typed a group of characters, even a group of one.
    """
    from cli.asides import say_after_writing  # views do not write
    from ledger.scribe import requests_of

    def show(book: Book, written: Sequence[Written]) -> None:
        from cli.render import lines  # a refusal shows none

        for done in written:
            lines.show_written(book, done, json=flags.json_, verbose=bool(flags.more or invocation.verbose))
        if flags.dry:
            terminal.aside("Dry run: nothing was written.")

    if flags.secrets:
        invocation.check_may_see_secrets(book)
    dry, current = flags.dry or asking, book.current
    first = current.head() + 1
    seal = (invocation.today, flags.seal, flags.until, flags.unseen)
    sealed = [(with_seal(command, book, *seal), faces) for command, faces in commands]
    requests = [request.replace(for_group=for_group) for request in requests_of(sealed, flags.once, agreed)]
    try:
        written = _write_requests(invocation, book, flags, requests, dry=dry, show_plan=show)
        if not any(done.dry for done in written):
            seq = written[0].entries[0].seq
            with terminal.done_even_if_unprinted(f"#{seq} was written", f"See it with {Run('show', seq)}."):
                show(current, written)
                if not flags.json_:
                    say_after_writing(current, written)
    except KeyboardInterrupt:
        if current.head() >= first:
            terminal.aside(f"#{first} was written before you stopped. See it with {Run('show', first)}.")
        raise
    return written


def _write_requests(
    invocation: Invocation, book: Book, flags: Flags, requests: Sequence[Request], **options: Any
) -> list[Written]:
    """Write requests. If the clock seems wrong, ask at the terminal, and try again if the user confirms the time."""
    try:
        scribe = invocation.replace(clock_ok=flags.clock_ok).scribe(book, secrets=flags.secrets)
        return scribe.write_all(requests, fork=flags.fork, **options)
    except ClockDiffers as error:
        if not terminal.is_interactive():
            raise
        terminal.aside(error.sentence)
        if not terminal.answers_yes("Is this computer's clock right?"):
            raise
        scribe = invocation.replace(clock_ok=True).scribe(book, secrets=flags.secrets)
        return scribe.write_all(requests, fork=flags.fork, **options)


OPEN_HINT = f"See what is open with {Run('questions')}."

ACTIONS_SEARCHED = 20
"""The number of past actions to search for an offer that has expired."""

MOST_NAMED_QUESTIONS = 5
"""The maximum number of open questions that one message lists."""


def answer_words(book: Book, question: int) -> str:
    """Return the command line that answers a question, with a placeholder for each choice."""
    from ledger.corrections.questions import CHOICES, choices_of

    kind = book.entry(question).type
    if kind == events.RollSealed.type:
        has_sealed_text = "thrown" in book.words.texts_of(question)
        return Run("reveal", question) if has_sealed_text else "only the GM can reveal this roll, in the GM's file"
    if kind in CHOICES:
        return Run("decide", question, "|".join(choices_of(kind)), why="TEXT")
    return Run("choose", question, *map(flag_words, choice_of(book, question)))


def words_of_offer(book: Book, ruling: int) -> Run:
    """Return the command line that accepts the offer of a ruling."""
    from ledger.corrections.questions import asked_move, offers_in

    fields = asked_move(book.entry(ruling), {}).fields()
    flags = " or ".join(flag_words(fields[name]) for name in offers_in(book, ruling))
    return Run("choose", ruling, *flags.split(" "))


def answer_to(book: Book, question: OpenQuestion) -> str:
    """Return the command line that answers a question or takes an offer. If that is impossible, return the reason."""
    from projections.questions import OFFER_TYPE

    if question.then is not None:
        return Run(question.then)
    if question.type == OFFER_TYPE:
        return words_of_offer(book, question.seq)
    if question.system is not None and not systems.is_installed(question.system):
        return f"The game {question.system} is not installed here."
    return answer_words(book, question.seq)


def only_choice(invocation: Invocation, args: Sequence[str]) -> str:
    """Return the number of the only open choice or offer. If a flag in `args` fits some of them, ignore the others."""
    flags = [word.partition("=")[0] for word in args if re.match("--[a-z]", word)]
    with invocation.book() as book:
        answers = _open_choices(book)
        if not answers and (expired := _latest_offer(book)):
            raise Refused(f"No choice is open. The offer from #{expired} has expired.", OPEN_HINT)
    fitting = {
        seq: (says, words)
        for seq, (says, words) in answers.items()
        if isinstance(words, Run) and any(word.startswith(flag) for word in words.words for flag in flags)
    }
    return _only_open_number(fitting or answers, "choice")


def choice_flags(invocation: Invocation, args: Sequence[str]) -> list[str]:
    """Add the flag to a choice that was typed without it: `r` becomes `--r`, and `drop 3` becomes `--drop 3`.

    If the only open choice is a number, and belongs to entry 21, `3` becomes `21 --drop 3`. But if entry 3 has a
    choice of its own, `3` means this entry, and stays unchanged.
    """
    place = 1 if args and (args[0].removeprefix("#").isdecimal() or args[0] == LAST) else 0
    flags = [word.partition("=")[0] for word in args if re.match("--[a-z]", word)]
    for flag in () if "--help" in flags else flags:
        _full_choice(invocation, args[:place], flag.removeprefix("--"))
    if place and args[1:2] and args[1].isdecimal():
        with invocation.book() as book:
            return [args[0], *_number_flag(_choices_at(book, invocation.names(book).entry(args[0]))), *args[1:]]
    if args[place:] and args[place] != LAST and re.fullmatch("[a-z][a-z-]*", args[place]):
        return [*args[:place], f"--{_full_choice(invocation, args[:place], args[place])}", *args[place + 1 :]]
    alone = args and args[0].isdecimal() and not any(word.isalnum() or word.startswith("-") for word in args[1:2])
    if not alone:
        return [*args]
    with invocation.book() as book:
        if _has_choice(book, int(args[0])):
            return [*args]
        if not _open_choices(book) and not _latest_offer(book):
            return [*args]
    seq = only_choice(invocation, [])
    with invocation.book() as book:
        flags = _number_flag(choice_of(book, int(seq)))
    return [seq, *flags, *args] if flags else [*args]


def _number_flag(choices: Iterable[Field]) -> list[str]:
    """Return the flag of the only choice that is a number, such as `--drop`, or an empty list."""
    numbers = [field for field in choices if field.kind is int]
    return flag_words(numbers[0]).split()[:1] if len(numbers) == 1 else []


def _choices_at(book: Book, seq: int) -> list[Field]:
    """Return the choices of the questions and of the offers, open or not, in the action of entry `seq`."""
    from ledger.corrections.questions import offering_rulings

    asking = [entry.seq for entry in book.action(book.entry(seq).act) if entry.type == events.QuestionAsked.type]
    rulings = [ruling.seq for ruling in offering_rulings(book, seq)]
    return [field for asked in (*asking, *rulings) for field in choice_of(book, asked)]


def _full_choice(invocation: Invocation, entry: Sequence[str], typed: str) -> str:
    """Return the full name of the choice that starts with the typed word.

    Look at the choices of `entry`, or at all open choices if `entry` is empty. If no name starts with the word, return
    it unchanged if no choice is open, or if it is the start of a flag. Otherwise, raise `Refused`.
    """
    from cli.options import faces_option, options_of_all, writing_options  # only a choice needs them
    from cli.short_words import full_name

    with invocation.book() as book:
        answers, seq = _open_choices(book), invocation.names(book).entry(entry[0]) if entry else 0
        if entry:
            own = {each.seq for each in book.action(book.entry(seq).act)}
            answers = {asked: answer for asked, answer in answers.items() if asked in own}
        installed = [asked for asked, (_, words) in answers.items() if isinstance(words, Run)]
        choices = _choices_at(book, seq) if entry else [each for asked in installed for each in choice_of(book, asked)]
    name = full_name(typed, {field.name.replace("_", "-") for field in choices}, click.get_current_context())
    others = (*writing_options(), *options_of_all(()), faces_option())
    is_other = any(option.startswith(f"--{typed}") for other in others for option in other.opts)
    if name is None and answers and not is_other:
        _print_answers(answers)
        raise Refused(f"No open choice is called {typed!r}.", OPEN_HINT)
    return name or typed


def _open_choices(book: Book) -> dict[int, tuple[str, str]]:
    """Map the number of each open choice and offer to its sentence and the command that answers it."""
    from projections.questions import open_offers

    return {**_open_answers(book, {events.QuestionAsked.type}), **_with_answers(book, open_offers(book))}


def _latest_offer(book: Book) -> int | None:
    """Return the number of the latest ruling that offered a choice, or `None` if no recent ruling did."""
    for act in islice(book.acts_backwards(book.head()), ACTIONS_SEARCHED):
        for entry in () if book.is_struck(act) else book.journal.action(act):
            if any(mark.name == OFFER and mark.value == entry.seq for mark in entry.event.marks):
                return entry.seq
    return None


def _has_choice(book: Book, seq: int) -> bool:
    """Return True if any entry in the action of entry `seq` ever asked for an answer or offered a choice."""
    from ledger.corrections.questions import is_question, offering_rulings

    if not 1 <= seq <= book.head():
        return False
    entries = book.action(book.journal.entry(seq).act)
    return bool(offering_rulings(book, seq)) or any(map(is_question, entries))


def only_question(invocation: Invocation, args: Sequence[str]) -> str:
    """Return the number of the only open question for the GM to decide. Raise the errors of `_only_open_number`."""
    from ledger.corrections.questions import CHOICES

    with invocation.book() as book:
        return _only_open_number(_open_answers(book, CHOICES), "question")


def entry_to_reveal(invocation: Invocation, entry: str | None) -> str:
    """Return the typed number `entry`. If it is `None`, list the sealed rolls and raise `BadInput`."""
    if entry is None:
        with invocation.book() as book:
            _print_answers(_open_answers(book, {events.RollSealed.type}))
        raise BadInput(
            "Give the number of a sealed roll or of an entry with a secret.", f"Type: {Run('reveal', 'ENTRY')}"
        )
    return entry


def _only_open_number(answers: Mapping[int, tuple[str, str]], noun: str) -> str:
    """Return the only key of `answers`. Raise `Refused` for none ("No `noun` is open."), and `BadInput` for several."""
    if not answers:
        raise Refused(f"No {noun} is open.", OPEN_HINT)
    if len(answers) > 1:
        _print_answers(answers)
        raise BadInput(f"{len(answers)} {noun}s are open.", "Type the command again with the number of one of them.")
    return str(next(iter(answers)))


def _print_answers(answers: Mapping[int, tuple[str, str]]) -> None:
    for seq, (says, words) in islice(sorted(answers.items()), MOST_NAMED_QUESTIONS):
        terminal.aside(f"#{seq} {says}: {words}")


def _open_answers(book: Book, types: Collection[str]) -> dict[int, tuple[str, str]]:
    """Map the number of each open question of these types to the question and the command that answers it."""
    from projections.questions import questions

    return _with_answers(book, (question for question in questions(book, facts=False) if question.type in types))


def _with_answers(book: Book, waiting: Iterable[OpenQuestion]) -> dict[int, tuple[str, str]]:
    from cli.render.status import question_sentence

    return {
        question.seq: (question_sentence(question).removesuffix("."), answer_to(book, question)) for question in waiting
    }


def say_next(book: Book, done: Written) -> None:
    """Print the choices that an action still offers, and the command for the next step if there is one."""
    from cli.asides import say_typed_dice
    from ledger.commands.play import resumed_move

    if done.dry or done.again:
        return
    say_typed_dice(book.current, done)
    say_offers(book, done.entries, terminal.aside)
    last = [entry for entry in done.entries if isinstance(entry.event, events.MovePlayed)][-1:]
    for waits in filter(None, (resumed_move(book, entry.seq) for entry in last)):
        if waits.refused:
            terminal.aside(f"This move cannot continue yet: {waits.refused}")
        terminal.aside(f"To continue{f', roll {waits.pool}' if waits.pool else ''}: {Run(waits.words)}")


def say_offers(book: Book, entries: Sequence[Entry], say: Callable[[str], None], when: AsOf | None = None) -> None:
    """Print the open offers of these entries with `say`, each with the command that takes it."""
    if not any(mark.name == OFFER and mark.value == entry.seq for entry in entries for mark in entry.event.marks):
        return
    from cli.render.status import question_sentence
    from ledger.journal.accounts import NOW
    from projections.questions import open_offers

    rulings = {entry.seq for entry in entries}
    for offer in open_offers(book, when or NOW):
        if offer.seq in rulings:
            say(f"Before the next move, {question_sentence(offer)} Type: {answer_to(book, offer)}")


def say_choices(book: Book, done: Written) -> None:
    """Print the command that answers each question about a choice in an action."""
    question_seqs = [entry.seq for entry in done.entries if entry.type == events.QuestionAsked.type]
    for seq in () if done.dry or done.again else question_seqs:
        terminal.aside(f"To choose, type: {answer_words(book, seq)}")


def ask_choice(invocation: Invocation, question: int, flags: Flags) -> None:
    """Ask at the terminal for a choice, and write the choice. Without a terminal, print the command to type.

    An empty answer, or a command at the prompt, leaves the question open. The campaign is not locked while the user
    thinks.
    """
    from projections.questions import open_question, question_facts

    with invocation.book() as book:
        fields, words = choice_of(book, question), answer_words(book, question)
        facts_text, dice = question_facts(book, book.entry(question)), open_question(book, book.entry(question)).dice
    if facts_text:
        terminal.aside(f"{facts_text[:1].upper()}{facts_text[1:]}.")
    if not terminal.is_interactive():
        terminal.aside(f"To choose, type: {words}")
        return
    still_open = f"Question #{question} is still open. To choose, type: {words}"
    while True:
        try:
            typed = _ask_for(fields, dice)
            if typed is None:
                terminal.aside(still_open)
                return
            write_choice(invocation, question, typed, flags.replace(faces=None))
        except Refused as refused:
            terminal.print_error(refused)
        except click.Abort:
            terminal.aside(still_open)
            raise
        else:
            return


def _ask_for(fields: Sequence[Field], dice: Sequence[int]) -> dict[str, Any] | None:
    """Ask for each of these inputs. Questions about a die list the `dice`. Return `None` after an empty answer."""
    answers = dict[str, Any]()
    for field in fields:
        answer = terminal.ask(_choice_words(field, dice), partial(_read_answer, field), None, unanswered="")
        if answer is None:
            return None
        answers[field.name] = answer
    return answers


def _read_answer(field: Field, typed: str) -> Any:
    """Return the answer to a choice. Raise `TypedInstead` for a command, and `UsageError` for a wrong value."""
    ctx = click.get_current_context()
    root = ctx.find_root()
    commands = cast(click.Group, root.command).list_commands(root)
    if terminal.is_at_prompt(ctx) and typed.split(maxsplit=1)[0] in {*commands, *LETTERS, MAIN_LETTER, *PROMPT_WORDS}:
        raise terminal.TypedInstead(typed)
    return parameter_of(field).type.convert(typed, None, ctx)


def _choice_words(field: Field, dice: Sequence[int]) -> str:
    """Return the question to ask at the terminal. If the user must choose a die, the question lists the dice."""
    if dice and field.kind is int:
        name, rolled = field.name.replace("_", " "), ", ".join(map(str, dice))
        return f"You rolled {rolled}. Which die do you want to {name}?"
    return f"{field.says[:1].upper()}{field.says[1:]}:"


def write_choice(invocation: Invocation, question: int, typed: Mapping[str, Any], flags: Flags) -> None:
    """Write the answer to a question, or the choice from an offer, and show the result."""
    with invocation.book() as book:
        done = write(invocation, book, choice_from(book, question, typed), flags)
        if not flags.json_:
            say_next(book, done)


def with_proposals(move: Move, table: Callable[[], Table]) -> Move:
    """Return a move with the user's answers to the proposed numbers. Raise `Refused` if the sheets change meanwhile."""
    answers: dict[str, Any] = {}
    fields, proposals = move.fields(), move.proposals(table())
    for proposal in proposals:
        read = partial(WholeNumber(fields[proposal.input].limit).convert, param=None, ctx=None)
        shown = "" if proposal.number is None else f" [{proposal.number}]"
        number = terminal.ask(f"{proposal.says}{shown}:", read, proposal.number)
        if number is None:
            raise BadInput("This move needs every number, but you left one empty. Nothing was written.")
        if number != proposal.number:
            before = answers.get(proposal.input, getattr(move, proposal.input))
            answers[proposal.input] = {**before, proposal.name: number}
    if move.proposals(table()) != proposals:
        raise Refused("The sheets have changed since you were asked. Nothing was written.", "Repeat the command.")
    return move.replace(**answers)


YES = click.Option(["--yes"], is_flag=True, help="Do not ask for confirmation.")

SECRETS = click.Option(["--secrets"], is_flag=True, help="In the preview, also show what depends on the GM's secrets.")


def write_if_agreed(invocation: Invocation, build: Callable[[Book], Command], flags: Flags) -> Written | None:
    """Show what a correction would write. Write it if the user agrees, else return `None`."""
    return next(iter(write_all_if_agreed(invocation, lambda book: [(build(book), None)], flags)), None)


def write_all_if_agreed(
    invocation: Invocation, build: Callable[[Book], list[tuple[Command, Sequence[int] | Digits | None]]], flags: Flags
) -> list[Written]:
    """Show what commands would write. Write all of them if the user agrees, else none.

    The campaign is not locked while the user thinks. Raise `ResultChanged` if a result has changed in the meantime.
    """
    with invocation.book() as book:
        commands = build(book)
        if flags.yes or flags.dry or book.current is not book:
            return [done for done in write_all(invocation, book, commands, flags) if not done.dry]
        terminal.check_can_ask(hint := "Add --yes to write, or --dry-run to see what would be written.")
        plans = write_all(invocation, book, commands, flags, asking=True)
    if not terminal.ask_to_confirm("Save this?", hint):
        return []
    with invocation.book() as book:
        return write_all(invocation, book, build(book), flags, agreed=plans)
