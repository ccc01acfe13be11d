"""Completion at the prompt: suggestions for the word that is being typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import click
from click.shell_completion import CompletionItem, ShellComplete
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from cli import typed_text
from cli.command_types import Verb
from cli.context import Invocation
from cli.shorthand import AGAIN, PROGRAM, WITH, expand_first_word, usual_games
from cli.usual import with_usual
from ledger.errors import LedgerError
from ledger.reading.placing import AT_SIGN


class PromptCompleter(Completer):
    """A completer for the last word of the typed line. Each suggestion has a description."""

    def __init__(self, invocation: Callable[[], Invocation], campaign: click.Group) -> None:
        self._invocation = invocation  # with the usual character of this moment
        self._campaign = campaign

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Yield the possible next words; none if the campaign cannot be read or a typed word is ambiguous."""
        text = document.text_before_cursor
        words = typed_text.words_of(text)
        prefix = "" if not words or text[-1:].isspace() else words.pop()
        try:
            choices = [*self._suggestions(words, prefix)]
        except (LedgerError, click.ClickException, click.Abort):
            return
        for name, says in choices:
            yield Completion(name, start_position=-len(prefix), display_meta=says)

    def _suggestions(self, words: list[str], begun: str) -> Iterator[tuple[str, str]]:
        if not words:
            yield from ((name, says) for name, says in self._first_words() if name.startswith(begun))
        elif begun.startswith(AT_SIGN) or words == [WITH]:
            with self._invocation().snapshot() as book:
                mark = AT_SIGN if begun.startswith(AT_SIGN) else ""
                yield from ((f"{mark}{who}", "") for who in book.cast() if f"{mark}{who}".startswith(begun))
        else:
            for item in self._next_words(words, begun):
                yield item.value, item.help or ""

    def _first_words(self) -> Iterator[tuple[str, str]]:
        invocation = self._invocation()
        with invocation.snapshot() as book:
            games = usual_games(invocation, book)
        for game in games if len(games) == 1 else ():
            yield from ((name, (move.__doc__ or "").splitlines()[0]) for name, move in game.playable().items())
        ctx = click.Context(self._campaign)
        for name in self._campaign.list_commands(ctx):
            command = self._campaign.get_command(ctx, name)
            yield name, command.get_short_help_str() if command else ""
        yield WITH, "Switch to a character."
        yield AGAIN, "Repeat the last line (@NAME: for somebody else)."

    def _next_words(self, words: list[str], begun: str) -> list[CompletionItem]:
        invocation, campaign = self._invocation(), self._campaign
        ctx = click.Context(campaign, obj=invocation, resilient_parsing=True)
        args = expand_first_word(invocation, words, ctx) if campaign.get_command(ctx, words[0]) is None else words
        command = campaign.get_command(ctx, args[0])
        if isinstance(command, Verb):
            args = [args[0], *with_usual(command, ctx, args[1:])]
        shell = ShellComplete(campaign, {"obj": invocation}, PROGRAM, "")
        return shell.get_completions(args, begun)
