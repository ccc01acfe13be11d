"""The state of play: session, players, turns and open questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from ledger.commands.calendar import date_in
from ledger.commands.sheet import is_played_by_gm
from ledger.commands.turns import TurnPlace, current_round, turn_order
from ledger.events.subjects import CAMPAIGN, CAST, PLAYER, is_npc
from ledger.events.types import Event, SceneSet, SessionOpened
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import AsOfBook, Book
from ledger.values import Struct
from projections.questions import DueQuestions, OpenQuestion, due_questions, open_offers
from projections.wording import typed_words

E = TypeVar("E", bound=Event)


class Moment(Struct):
    """The open session (or `None`), the scene, the day (0 before the first), and the number of open questions.

    `date` is the date of the day in the calendar of the game's world, or "".
    """

    session: int | None
    title: str
    scene: str
    day: int
    date: str
    waiting: int


class SeatedPlayer(Struct):
    """A player, with a seat, a name and characters. The first GM also plays the non-player characters.

    The characters without a player are in one `SeatedPlayer` with the name `NO_PLAYER` and the seat "".
    """

    seat: str
    name: str
    gm: bool
    plays: tuple[str, ...]


NO_PLAYER = "no player"


class TurnOrder(Struct):
    """The turn order. `who` has the turn in `round`. Before the first turn, `round` is 0 and `who` is empty.

    `acted` lists who has had a turn in this round. `names` has the names to show for everybody in the order.
    """

    round: int
    who: str
    acted: tuple[str, ...]
    order: tuple[TurnPlace, ...]
    names: Mapping[str, str]

    @property
    def name(self) -> str:
        """The name to show for the character who has the turn."""
        return self.names.get(self.who, self.who)

    def rows(self) -> list[dict[str, Any]]:
        """Return JSON rows, one for each place in the turn order. `turn` is True for the character whose turn it is."""
        turn = self.who if self.round else None
        return [
            {
                "who": at.who,
                "number": at.number,
                "round": self.round,
                "turn": at.who == turn,
                "acted": at.who in self.acted,
                "name": self.names[at.who],
            }
            for at in self.order
        ]


class Status(Struct):
    """The state of play, with the oldest open questions and the oldest sealed rolls. `more` counts the rest.

    `offers` has the choices that characters may still make before their next move. `names` has the full names of
    characters and players, by short name or handle.
    """

    campaign: str
    now: Moment
    here: tuple[SeatedPlayer, ...]
    turns: TurnOrder
    open_questions: tuple[OpenQuestion, ...]
    sealed: tuple[OpenQuestion, ...]
    offers: tuple[OpenQuestion, ...]
    more: int
    names: Mapping[str, str]

    def as_json(self) -> dict[str, Any]:
        """Return the state as JSON, with the fields of `now` at the top level. `more` is left out."""
        rest: dict[str, Any] = {
            "here": self.here,
            "turns": self.turns.rows(),
            "waits": self.open_questions,
            "sealed": self.sealed,
            "offers": self.offers,
        }
        rest["names"] = self.names
        return {"campaign": self.campaign, **self.now.__dict__, **rest}


MOST_TOLD = 5
"""The maximum number of open questions in a status. Sealed rolls have the same limit."""


def moment(book: Book, when: AsOf = NOW, due: DueQuestions | None = None) -> Moment:
    """Return the session, scene, day and number of open questions at a point. Leave out sealed rolls.

    To save time, pass an existing result of `due_questions` as `due`.
    """
    open_, _ = (due_questions(book, when) if due is None else due).split_sealed()
    session, scene = (
        _event_in_force(book, "session", SessionOpened, when),
        _event_in_force(book, "scene", SceneSet, when),
    )
    day = book.accounts.balance(CAMPAIGN, "day", when) or 0
    return Moment(
        session=session.number if session else None,
        title=typed_words(session.title) if session else "",
        scene=typed_words(scene.title) if scene else "",
        day=day,
        date=date_in(book.calendar(when), day) if day else "",
        waiting=len(open_),
    )


def _event_in_force(book: Book, name: str, kind: type[E], when: AsOf) -> E | None:
    entry = book.entry_in_force(name, kind.type, when)
    event = None if entry is None else book.entry(entry.seq).event
    return event if isinstance(event, kind) else None


def seats(book: Book, when: AsOf = NOW) -> list[SeatedPlayer]:
    """Return the players in the order of their seats, then `NO_PLAYER` if there are characters without a player."""
    names = book.players(when)
    gm = next((seat for seat in names if book.accounts.mark(seat, "gm", when)), "")
    cast = book.cast(when)
    places = book.accounts.values_of(CAST, cast, when)
    given = {who: book.player_of(who, when) for who in book.accounts.subjects_with("marks", PLAYER)}
    npcs = {who: None for who in cast if is_npc(places.get(who)) and given.get(who) is None}
    unplayed = tuple(who for who in cast if given.get(who) not in names and who not in npcs)
    seated = [
        SeatedPlayer(
            seat=seat,
            name=name,
            gm=bool(book.accounts.mark(seat, "gm", when)),
            plays=(*book.characters_of(seat, when), *(npcs if seat == gm else ())),
        )
        for seat, name in names.items()
    ]
    return [*seated, SeatedPlayer(seat="", name=NO_PLAYER, gm=False, plays=unplayed)] if unplayed else seated


def party(book: Book, game: str | None = None) -> list[str]:
    """Return the characters of present players, in the order of the seats, without non-player characters.

    With `game`, return only characters with a sheet in that game. If no present player has a character, return the
    characters that nobody plays.
    """
    here = _present_seats(book, NOW)
    seated_characters = [who for seated in here if seated.seat for who in seated.plays]
    played = _player_characters(book, game)
    return [who for who in seated_characters or (who for seated in here for who in seated.plays) if who in played]


def session_npcs(book: Book) -> list[str]:
    """Return the non-player characters who are now in play."""
    return [who for who in book.cast() if is_played_by_gm(book, who)]


def _player_characters(book: Book, game: str | None) -> set[str]:
    having = [who for who in book.cast() if game is None or book.mark(who, f"{game}/sheet")]
    return {who for who in having if not is_played_by_gm(book, who)}


def characters_left_out(book: Book, game: str | None = None) -> dict[str, str]:
    """Return the reason for each character that `party` leaves out. Skip non-player characters.

    With `game`, include only characters with a sheet in that game.
    """
    others = _player_characters(book, game) - set(party(book, game))
    seated = ((who, seat) for seat in seats(book) for who in seat.plays if who in others)
    return {who: f"{seat.name} is absent" if seat.seat else "no player" for who, seat in seated}


def turns(book: Book, when: AsOf = NOW) -> TurnOrder:
    """Return the turn order. If nobody takes turns, return an empty turn order."""
    state = AsOfBook(book, when)
    order = tuple(turn_order(state))
    now = current_round(state) if order else None
    names = {place.who: book.name_of(place.who, when) for place in order}
    return TurnOrder(
        round=now.round if now else 0,
        who=now.who if now else "",
        acted=now.acted if now else (),
        order=order,
        names=names,
    )


def status(book: Book, when: AsOf = NOW, *, facts: bool = True) -> Status:
    """Return the state of play, with the players who are present.

    If nobody recorded who is present, include all players. With `facts`, questions may include the GM's secrets.
    """
    due = due_questions(book, when)
    open_, sealed = due.split_sealed()
    return Status(
        campaign=book.title(),
        now=moment(book, when, due),
        here=_present_seats(book, when),
        turns=turns(book, when),
        open_questions=tuple(open_.first(MOST_TOLD, facts=facts)),
        sealed=tuple(sealed.first(MOST_TOLD, facts=facts)),
        offers=tuple(open_offers(book, when)),
        names=book.full_names(when),
        more=max(len(open_) - MOST_TOLD, 0) + max(len(sealed) - MOST_TOLD, 0),
    )


def _present_seats(book: Book, when: AsOf) -> tuple[SeatedPlayer, ...]:
    present = book.present_players(when)
    return tuple(seat for seat in seats(book, when) if present is None or seat.seat in {"", *present})
