"""The commands that make, list and end tokens: the logins of programs that use the page's server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from cli.command_types import CommandGroup, pass_invocation, verb
from cli.context import Invocation, Output
from cli.options import row_options
from cli.render import terminal
from ledger.errors import Run, UnknownName, join_sorted, quoted

if TYPE_CHECKING:
    from ledger.journal.book import Book
    from web.sessions import Logins, Token


@click.group(
    cls=CommandGroup,
    invoke_without_command=True,
    example="token",
    another="token add dice-bot --player Ana",
    similar="serve, players",
)
@row_options
@pass_invocation
@click.pass_context
def token(ctx: click.Context, invocation: Invocation, output: Output) -> None:
    """Make tokens, list them, or end them.

    A token is a password for a program that uses the server of 'campaign serve'.
    """
    if ctx.invoked_subcommand is not None:
        return
    from ledger.times import from_seconds

    with invocation.snapshot() as book:
        names, tokens = book.players(), _tokens(invocation, book)
        rows = [
            {"name": each.label, "role": each.role, "player": names.get(each.seat), "since": from_seconds(each.begun)}
            for each in tokens
        ]
        output.show(rows, lambda: _show(rows), book.title(), key=("name",))


def _show(rows: Sequence[Mapping[str, str | None]]) -> None:
    from ledger.times import local_date

    for row in rows:
        role = "GM, " if row["role"] == "gm" else ""
        since = local_date(str(row["since"]), None)
        terminal.say(f"{row['name']}: {row['player'] or 'a spectator'} ({role}since {since})")
    if not rows:
        terminal.aside(f"There are no tokens. To make one: {Run('token add', 'NAME')}")


@verb("token add dice-bot --player Ana", "token add relay", "token, token end, serve", group=token)
@click.argument("name")
@click.option("--player", metavar="PLAYER", help="The program acts as this player or GM (default: a spectator).")
def token_add(invocation: Invocation, name: str, player: str | None) -> None:
    """Make a token for a program, and print the token.

    You see it only once, and it works until you end it. Without --player, the program can only look, like a
    spectator. If --player names a GM, the program can do everything.
    """
    from web.people import role_of

    with invocation.snapshot() as book:
        seat = "" if player is None else invocation.names(book).player(player)
        who = book.players().get(seat, "a spectator")
        now = int(invocation.now().timestamp())
        secret = _logins(invocation, book).make_token(name, role_of(book, seat), seat, now, invocation.seed())
    hint = f"To make a new token with this name, first end the old one: {Run('token end', name)}"
    with terminal.done_even_if_unprinted("The token was made", hint):
        terminal.say(secret)
    terminal.aside(f"A program with this token acts as {who}. Copy the token now: it is not shown again.")


@verb("token end dice-bot", "token end relay", "token, token add", group=token)
@click.argument("name")
def token_end(invocation: Invocation, name: str) -> None:
    """End a token. Programs that use it are logged out at once."""
    with invocation.snapshot() as book:
        public = {each.label: each.name for each in _tokens(invocation, book)}
        if name not in public:
            names = join_sorted(public)
            hint = f"There are these tokens: {names}." if public else f"To make a token: {Run('token add', 'NAME')}"
            raise UnknownName(f"There is no token called {quoted(name)}.", hint)
        _logins(invocation, book).end(public[name])
    terminal.say(f"The token {name} has ended.")


def _tokens(invocation: Invocation, book: Book) -> Sequence[Token]:
    """Return the tokens. Unlike `_logins`, this function does not create the file of logins if it is missing."""
    from ledger.journal.store import engine_for
    from web.sessions import Logins, has_logins  # few commands need the logins

    tables = engine_for(invocation.path()).login_tables()
    if tables is not None:
        return Logins(tables).tokens()
    return _logins(invocation, book).tokens() if has_logins(invocation.home().folder) else ()


def _logins(invocation: Invocation, book: Book) -> Logins:
    from web.sessions import Logins, login_tables  # few commands need the logins

    return Logins(login_tables(invocation.home().folder, book, invocation.path()))
