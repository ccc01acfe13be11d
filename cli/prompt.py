"""Prompt: lines typed one after the other, each a command like any other; between two lines nothing is held open."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import click
from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory

from cli.context import Invocation
from cli.first_word import in_full, usual_games
from cli.options import Verb, with_usual
from cli.render import terminal
from cli.short import ALL, REASON, without_dice, words_of
from ledger import systems
from ledger.errors import LedgerError, Refused
from ledger.reading.placing import OTHER
from ledger.rules.move import Move

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from ledger.journal.book import Book

PROGRAM, AGAIN, WITH = "campaign", "again", "with"
HELP, TEXTS = "help", ("note", "scene")
ENDS = frozenset({"quit", "exit", "q"})
NOT_KEPT = re.compile(r"--se\w*|--uns\w*|--words")
"""A flag that makes a line secret; the history leaves such lines out, and moves that may hide what is said."""


class Prompt:
    """What is meant where nothing is said, and the last line that wrote something but no undo."""

    def __init__(self, invocation: Invocation, campaign: click.Group) -> None:
        self.invocation = invocation.but(at_prompt=True)
        self.campaign = campaign
        self.who: str | None = None
        self.last: list[str] = []

    def begin(self) -> None:
        """Open the campaign once: refuses (`Unreadable`) if there is none; a player's only character is meant."""
        with self.invocation.book() as book:
            self._mean(self.invocation.usual(book) or _only_character(self.invocation, book), None)

    def text(self) -> str:
        """What the prompt shows: who is meant, and the game, if one was said."""
        named = filter(None, (self.who, self.invocation.game))
        return f"{' '.join(named)}> "

    def do(self, line: str) -> bool:
        """Do what a line says; whether to go on."""
        line = line.strip().removeprefix(f"{PROGRAM} ").strip()
        words = words_of(line)
        if not words:
            return True
        if words[0] in TEXTS and " -" not in line:
            words = [words[0], "--", *filter(None, [_text(line.removeprefix(words[0]).strip())])]
        if words[0] == HELP:
            words = [*words[1:], "--help"]
        if words[0] in ENDS:
            return False
        try:
            if words[0] == WITH:
                self._with(words[1:])
                return True
            words = self._again(words[1:]) if words[0] == AGAIN else words
        except LedgerError as error:
            terminal.error(error)
            return True
        except click.Abort:
            return True
        before = self._head()
        with suppress(SystemExit, KeyboardInterrupt):
            self.campaign.main(args=[*words], prog_name=PROGRAM, obj=self.invocation)
        if self._head() > before and words[0] not in {"u", "undo", "redo"}:
            self.last = words
        return True

    def _head(self) -> int:
        with self.invocation.book() as book:
            return book.head()

    def may_hide(self, line: str) -> bool:
        """Whether a line plays a move that may hide what is said, whatever its flags."""
        words = words_of(line.strip().removeprefix(f"{PROGRAM} "))
        ctx = click.Context(self.campaign, obj=self.invocation, resilient_parsing=True)
        try:
            known = not words or self.campaign.get_command(ctx, words[0]) is not None
            game, *rest = words if known else in_full(self.invocation, words, ctx)
        except (LedgerError, click.ClickException, ValueError):
            return False
        system = systems.find(game) if systems.known(game) else None
        moves = system.rulebook().moves if system and rest else ()
        return any(move.hides is not Move.hides for move in moves if move.name().startswith(rest[0]))

    def _with(self, words: Sequence[str]) -> None:
        """Mean a character from now on, in a game; or nobody."""
        if len(words) > 2:  # noqa: PLR2004  a character and a game
            raise Refused("Type one character, and perhaps a game: with mara edge")
        with self.invocation.book() as book:
            who = self.invocation.names(book).character(words[0].removeprefix(OTHER)) if words else None
            game = None
            if words[1:]:
                game = systems.find(words[1]).name
            self._mean(who, game)

    def _mean(self, who: str | None, game: str | None) -> None:
        self.who = who
        self.invocation = self.invocation.but(who=who, game=game)

    def _again(self, words: Sequence[str]) -> list[str]:
        """The last line that wrote, without its dice, and what is typed now; refuses (`Refused`) if there is none."""
        if not self.last:
            raise Refused("Nothing was written at this prompt yet that could be repeated.")
        other = any(word.startswith(OTHER) for word in words)
        reasons = [word for word in self.last if word.startswith(f"{REASON} ")]
        kept = [word for word in without_dice(self.last) if word not in reasons]
        if other:
            kept = [word for word in kept if word != ALL and not word.startswith(OTHER)]
        return [*kept, *words, *reasons]


def _text(said: str) -> str:
    """A text as it was typed, without quotes around all of it."""
    whole = said[1:-1]
    return whole if len(said) > 1 and said[0] == said[-1] == '"' and '"' not in whole else said


def _only_character(invocation: Invocation, book: Book) -> str | None:
    """The character of the player at the keyboard, if there is exactly one."""
    from projections.status import seats

    seat = invocation.hand(book)
    plays = [who for seated in seats(book) if seated.seat == seat for who in seated.plays if who in book.cast()]
    return plays[0] if len(plays) == 1 else None


def run(invocation: Invocation, campaign: click.Group) -> None:
    """Read lines until the end, and do each; without a terminal, each is shown before its answer."""
    prompt = Prompt(invocation, campaign)
    prompt.begin()
    for line in _typed(prompt) if terminal.interactive() else _piped(prompt):
        if not prompt.do(line):
            return


def _piped(prompt: Prompt) -> Iterator[str]:
    for line in sys.stdin:
        terminal.say(f"{prompt.text()}{line.rstrip()}".rstrip())
        yield line


def _typed(prompt: Prompt) -> Iterator[str]:
    """Yield lines typed at the terminal; Ctrl-C drops a line, Ctrl-D ends."""
    file = os.path.join(prompt.invocation.home().folder, "history")
    os.makedirs(os.path.dirname(file), exist_ok=True)
    session = PromptSession[str](history=KeptHistory(file, prompt), completer=Words(prompt), complete_while_typing=True)
    while True:
        try:
            yield session.prompt(prompt.text, bottom_toolbar=_moment(prompt))
        except KeyboardInterrupt:
            continue
        except EOFError:
            return


def _moment(prompt: Prompt) -> str:
    """The bottom line: session, scene, day, and how much waits."""
    from projections.status import moment

    try:
        with prompt.invocation.look() as book:
            now = moment(book)
    except LedgerError as error:
        return error.sentence
    session = f"session {now.session}: {now.title}" if now.session else "no session is open"
    waits = f"{now.waiting} waiting: questions" if now.waiting else ""
    return terminal.escaped(" · ".join(filter(None, (session, now.scene, f"day {now.day}" if now.day else "", waits))))


class KeptHistory(FileHistory):
    """The lines of earlier prompts, for their owner alone; lines with secrets are left out."""

    def __init__(self, filename: str, prompt: Prompt) -> None:
        os.close(os.open(filename, os.O_CREAT | os.O_RDWR, 0o600))
        super().__init__(filename)
        self._prompt = prompt

    def store_string(self, string: str) -> None:
        """Keep a line, unless it has secrets."""
        if not (NOT_KEPT.search(string) or self._prompt.may_hide(string)):
            super().store_string(string)


class Words(Completer):
    """Completes the next word, and says what it would do."""

    def __init__(self, prompt: Prompt) -> None:
        self._prompt = prompt

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """The words that may be next, each with a line about it."""
        text = document.text_before_cursor
        words = words_of(text)
        begun = "" if not words or text[-1:].isspace() else words.pop()
        try:
            found = [*self._found(words, begun)]
        except (LedgerError, click.ClickException, click.Abort):
            return
        for name, says in found:
            yield Completion(name, start_position=-len(begun), display_meta=says)

    def _found(self, words: list[str], begun: str) -> Iterator[tuple[str, str]]:
        if not words:
            yield from ((name, says) for name, says in self._first() if name.startswith(begun))
        elif begun.startswith(OTHER) or words == [WITH]:
            with self._prompt.invocation.look() as book:
                mark = OTHER if begun.startswith(OTHER) else ""
                yield from ((f"{mark}{who}", "") for who in book.cast() if f"{mark}{who}".startswith(begun))
        else:
            for item in self._next(words, begun):
                yield item.value, item.help or ""

    def _first(self) -> Iterator[tuple[str, str]]:
        """What may begin a line."""
        invocation = self._prompt.invocation
        with invocation.look() as book:
            games = usual_games(invocation, book)
        for game in games if len(games) == 1 else ():
            for move in game.rulebook().moves:
                if not move.is_part:
                    yield move.name(), (move.__doc__ or "").splitlines()[0]
        ctx = click.Context(self._prompt.campaign)
        for name in self._prompt.campaign.list_commands(ctx):
            command = self._prompt.campaign.get_command(ctx, name)
            yield name, command.get_short_help_str() if command else ""
        yield WITH, "Mean a character from now on."
        yield AGAIN, "Repeat the last line, for another with @NAME."

    def _next(self, words: list[str], begun: str) -> list[CompletionItem]:
        from click.shell_completion import ShellComplete

        invocation, campaign = self._prompt.invocation, self._prompt.campaign
        ctx = click.Context(campaign, obj=invocation, resilient_parsing=True)
        args = in_full(invocation, words, ctx) if campaign.get_command(ctx, words[0]) is None else words
        command = campaign.get_command(ctx, args[0])
        if isinstance(command, Verb):
            args = [args[0], *with_usual(command, ctx, args[1:])]
        shell = ShellComplete(campaign, {"obj": invocation}, PROGRAM, "")
        return shell.get_completions(args, begun)
