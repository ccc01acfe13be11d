"""Keep: begin a campaign, and see that its file is whole."""

import re
from collections.abc import Mapping
from os import unlink
from os.path import exists, isfile
from typing import TYPE_CHECKING, Any

import click

from cli import render
from cli.desk import SUFFIX, Desk, campaigns, here
from cli.moves import put
from cli.render import lines, pages
from cli.verb import Verb, as_json, pass_desk, writes
from ledger.errors import LedgerError, Refused

if TYPE_CHECKING:
    from ledger.campaign import Open


@click.command(cls=Verb, example='init "The salt road"')
@click.argument("title")
@click.option("--gm", metavar="NAME", default="GM", help="The name of the GM. [default: GM]")
@writes
@pass_desk
def init(at_desk: Desk, title: str, gm: str, **flags: Any) -> None:
    """Begin a campaign: one file, in this folder."""
    from ledger.campaign import Open  # help begins nothing
    from ledger.deciding import LONGEST_NAME, worded

    worded("A title", title, LONGEST_NAME)
    worded("A name", gm, LONGEST_NAME)
    path = at_desk.named() or _named_after(title, again=flags["once"] is not None)
    said = Open(title=title, gm=gm)
    if isfile(path) and flags["once"] is not None:
        with at_desk.book(path) as book:
            put(at_desk, book, said, flags)
    elif flags["dry"]:
        if exists(path):
            raise Refused(f"There is already something called {path}.", "Name another file with -f FILE.")
        render.talk(f"A dry run: {path} would be made; nothing was written.")
    else:
        _begin(at_desk, path, said, flags)
        render.talk(f"The campaign is in {path}.")


def _begin(at_desk: Desk, path: str, said: "Open", flags: Mapping[str, Any]) -> None:
    from ledger.book import Book
    from ledger.events import FIRST_SEAT
    from ledger.journal import create_journal

    opened = Book(create_journal(path))
    try:
        with opened as book:
            done = at_desk.scribe(book, by=FIRST_SEAT).write(said, once=flags["once"])
            lines.written(book, done, json=flags["json_"], verbose=False)
    except LedgerError:
        unlink(path)
        raise


def _named_after(title: str, *, again: bool) -> str:
    there = campaigns(here())
    if len(there) == 1 and again:
        return there[0]
    if there:
        raise Refused(f"There is already a campaign here: {there[0]}.", "Name another file with -f FILE.")
    slug = re.sub(r"[^a-z0-9]+", "-", title.casefold()).strip("-")[:40] or "table"
    return f"{slug}{SUFFIX}"


@click.command(cls=Verb, example="verify")
@as_json
@pass_desk
def verify(at_desk: Desk, json_: bool) -> None:
    """Check that the journal is whole: hashes, canonical form, order, accounts and words."""
    from ledger.audit import verify as check

    with at_desk.look() as book:
        bar = render.progress(book.journal.head())
        whole = check(book, bar.update)
        bar.done()
        if json_:
            render.as_json([{"whole": True, **whole.__dict__}])
        else:
            pages.whole(whole)


@click.command(cls=Verb, example="completion bash")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what a shell needs to complete names and scores."""
    from click.shell_completion import get_completion_class

    from cli.main import campaign  # the root imports this module

    found = get_completion_class(shell)
    assert found is not None  # noqa: S101  click knows the three
    render.say(found(campaign, {}, "campaign", "_CAMPAIGN_COMPLETE").source())
