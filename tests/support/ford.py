"""At the ford: a campaign in which four have a card, and short ways to play and to look."""

from typing import Any, Literal

from ledger.commands.at_table import ChangeSettings, Join
from ledger.commands.play import PlayMove
from ledger.journal.book import Book
from ledger.rules.move import Move
from ledger.scribe import Written
from ledger.systems.syscards.moves import Reject
from ledger.systems.syscards.moves_acts import Rate
from ledger.systems.syscards.moves_cards import Card, Mode, Price, Round
from ledger.systems.syscards.moves_challenges import Challenge, Clash
from table import opened_book, scribe

CAST = {"mara": 40, "brak": 40, "cara": 20, "dena": 5}
DUEL = Challenge(who="mara", against=("brak",))
WAITING = DUEL.replace(wait=True)
CLASH = Clash(who="mara", against=("brak",))


def at_the_ford() -> Book:
    book = opened_book(games=())
    for who, efficiency in CAST.items():
        scribe(book).write(Join(who=who, system="syscards", scores={"efficiency": efficiency}))
    return book


def play(book: Book, move: Move, *faces: int) -> Written:
    return scribe(book).write(PlayMove(system="syscards", move=move), faces=faces or None)


def kinds(done: Written) -> list[str]:
    """What an action wrote, apart from dice and rulings, in order."""
    return [entry.type for entry in done.entries if entry.type not in {"dice-thrown", "move-played"}]


def said(done: Written) -> str:
    """The verdict of the last ruling of an action."""
    return str([entry for entry in done.entries if entry.type == "move-played"][-1].body["verdict"]["says"])


def facts(done: Written, kind: str) -> dict[str, dict[str, Any]]:
    """The facts of the consequences of a kind, by whom they are about."""
    return {entry.body["who"]: entry.body["facts"] for entry in done.entries if entry.type == kind}


def steps(done: Written) -> dict[str, str]:
    """The working of the last ruling of an action, with its numbers in it."""
    last = [entry for entry in done.entries if entry.type == "move-played"][-1]
    return {step["name"]: step["says"].format(*step["numbers"]) for step in last.body["steps"]}


def score(book: Book, who: str, name: str = "efficiency") -> int:
    return book.balance(who, f"syscards/{name}") or 0


def mark(book: Book, who: str, name: str) -> Any:
    return book.mark(who, f"syscards/{name}")


def places(book: Book) -> list[str]:
    """Who was placed in the last challenge, in order."""
    placed = {who: mark(book, who, "priority") for who in CAST}
    return sorted((who for who in CAST if placed[who]), key=lambda who: (placed[who], who))


def rate(who: str, needed: int, *, throw: bool = True) -> Rate:
    return Rate(who=who, rate=needed, why="the fog", throw=throw)


def tie(book: Book) -> int:
    """A challenge in which brak and mara are tied behind cara; return the question."""
    done = play(book, DUEL.replace(against=("brak", "cara")), 80, 80, 90)
    (question,) = [entry.seq for entry in done.entries if entry.type == "question-asked"]
    return question


def settle(book: Book, **values: str) -> None:
    scribe(book).write(ChangeSettings(system="syscards", values=values))


Phase = Literal["begin", "prep", "action", "post"]


def started(book: Book, *phases: Phase) -> None:
    play(book, Round(phase="begin"))
    for phase in phases:
        play(book, Round(phase=phase))


def rejecting(book: Book, *phases: Phase, who: str = "brak", needed: int = 55) -> Written:
    play(book, Card(who=who, rejects=True))
    started(book, *phases)
    return play(book, Reject(who=who, rate=needed, why="a shield"))


def shop(book: Book, price: int = 3) -> None:
    """The Log is open; brak is a player, and cara a skill of his."""
    play(book, Card(who="brak"))
    play(book, Card(who="cara", owner="brak"))
    play(book, Price(item="efficiency", points=price))
    play(book, Price(item="extra-life", points=40))
    play(book, Mode(mode="deal"))
