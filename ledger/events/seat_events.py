"""Events about who is at the table: players, characters who come and go, and their names."""

from __future__ import annotations

from typing import ClassVar

from ledger.events.commitments import CommittedText
from ledger.events.facts import Event, Mark, Position, Posting, Seq, ShortText, StateBefore
from ledger.events.subjects import (
    CAMPAIGN,
    CAST,
    FULL_NAMES,
    LEFT,
    LENT,
    PLAYER,
    PLAYERS,
    PRESENT,
    SHORT_NAMES,
    in_cast,
    is_npc,
)


def _name_marks(who: str, name: CommittedText | None, at: Position) -> tuple[Mark, ...]:
    """Return the mark of a full name. Its value is the number of the entry that has the name."""
    return () if name is None else (Mark(who=FULL_NAMES, name=who, value=at.seq),)


class PlayerSeated(Event):
    """A player who is new or returns, or who gets new rights (`gm`) or more characters (`plays`).

    The player keeps earlier characters and rights; only `no_gm` takes away the rights of a GM. With `session`,
    the characters are only lent to the player, until this session closes.
    """

    type: ClassVar[str] = "player-seated"
    chronicle_rule = "never"
    survives_rewind = True
    player: ShortText
    name: CommittedText
    gm: bool
    plays: tuple[str, ...]
    no_gm: bool = False
    session: Seq | None = None

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        gm = (Mark(who=self.player, name="gm", value=self.gm or None),) if self.gm or self.no_gm else ()
        if self.session is None:
            played = [Mark(who=who, name=PLAYER, value=self.player) for who in self.plays]
            ended = [(who, LENT) for who in self.plays]
        else:
            loan = {"player": self.player, "session": self.session}
            played, ended = [Mark(who=who, name=LENT, value=loan) for who in self.plays], []
        given = {(mark.who, mark.name) for mark in self.marks} if at.is_backdated else set()
        removed_marks = (
            Mark(who=who, name=name, value=None)
            for who, name in [*ended, (self.player, LEFT)]
            if (who, name) in given or not (at.is_backdated or before.mark(who, name) is None)
        )
        return *played, *gm, Mark(who=PLAYERS, name=self.player, value=at.seq), *removed_marks


class PlayerLeft(Event):
    """The departure of a player. The player's characters stay, but nobody plays them."""

    type: ClassVar[str] = "player-left"
    chronicle_rule = "never"
    survives_rewind = True
    who: ShortText
    why: CommittedText | None = None

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return Mark(who=self.who, name=LEFT, value=True), Mark(who=self.who, name="gm", value=None)


class PlayersPresent(Event):
    """Players who are present in the open session, in addition to those listed when the session was opened.

    `acted` is the action that showed their presence, or None if somebody typed it.
    """

    type: ClassVar[str] = "players-present"
    chronicle_rule = "accompanied"
    survives_rewind = True
    session: Seq
    players: tuple[str, ...]
    acted: Seq | None

    @property
    def is_automatic(self) -> bool:
        return self.acted is not None

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return tuple(Mark(who=player, name=PRESENT, value=self.session) for player in self.players)


class CharacterJoined(Event):
    """A new sheet of a character in one game. `scores` has the typed scores. `postings` has all starting scores.

    `name` is the full name, if somebody typed it with the command.
    """

    type: ClassVar[str] = "character-joined"
    phrase = "joins {system}"
    chronicle_rule = "never"
    survives_rewind = True
    who: ShortText
    system: ShortText
    edition: ShortText
    scores: dict[str, int]
    name: CommittedText | None = None

    def own_postings(self) -> tuple[Posting, ...]:
        prefix = f"{self.system}/"
        stated = (posting for posting in self.postings if posting.who == self.who)
        starts = {posting.score: posting.amount for posting in stated if posting.score.startswith(prefix)}
        starts |= {prefix + name: value for name, value in self.scores.items() if value or prefix + name in starts}
        return tuple(Posting(who=self.who, score=score, amount=amount) for score, amount in starts.items())

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        seat = self.given_value(CAST, self.who) if at.is_backdated else before.mark(CAST, self.who)
        is_npc_seat = is_npc(seat) and {name: type(value) for name, value in seat.items()} == {"session": int}
        stays_npc = is_npc_seat and (
            at.is_backdated
            or (in_cast(seat, before.mark(CAMPAIGN, "session")) and before.mark(self.who, PLAYER) is None)
        )
        cast = Mark(who=CAST, name=self.who, value=seat if stays_npc else at.seq)
        return cast, Mark(who=self.who, name=f"{self.system}/sheet", value=True), *_name_marks(self.who, self.name, at)


class NpcsSeated(Event):
    """Non-player characters that the GM plays until this session closes."""

    type: ClassVar[str] = "npcs-seated"
    chronicle_rule = "never"
    survives_rewind = True
    session: Seq
    names: tuple[str, ...]

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return tuple(Mark(who=CAST, name=who, value={"session": self.session}) for who in self.names)


class CharacterLeft(Event):
    """The departure of a character, who keeps the sheets. A non-player character is removed from the cast."""

    type: ClassVar[str] = "character-left"
    phrase = "leaves the table{why}"
    chronicle_rule = "never"
    survives_rewind = True
    who: ShortText
    why: CommittedText | None = None

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        is_gms = is_npc(before.mark(CAST, self.who)) and before.mark(self.who, PLAYER) is None
        is_kept = self.given_value(CAST, self.who) is not None if at.is_backdated else not is_gms
        return (Mark(who=CAST, name=self.who, value=False if is_kept else None),)


class CharacterReturned(Event):
    """The return of a character to the table, with the old sheets; or the arrival of a character without a sheet."""

    type: ClassVar[str] = "character-returned"
    phrase = "returns to the table"
    chronicle_rule = "never"
    survives_rewind = True
    who: ShortText
    name: CommittedText | None = None

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return Mark(who=CAST, name=self.who, value=at.seq), *_name_marks(self.who, self.name, at)


class Renamed(Event):
    """A new full name of a character or a player, another short name of a character, or both."""

    type: ClassVar[str] = "renamed"
    chronicle_rule = "never"
    survives_rewind = True
    who: ShortText
    name: CommittedText | None
    short: ShortText | None

    @property
    def subject(self) -> str:
        return ""  # the phrase already has the old name

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        short = () if self.short is None else (Mark(who=SHORT_NAMES, name=self.short, value=self.who),)
        return *_name_marks(self.who, self.name, at), *short
