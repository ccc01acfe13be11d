"""Recorded: an action of the journal read back as the command that wrote it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from ledger.commands.at_table import Open
from ledger.commands.custody import AgreeToPolicy, SetPolicy
from ledger.commands.days import NextDay
from ledger.commands.decider import Command, State
from ledger.commands.play import PlayMove, Roll, move_of
from ledger.commands.recorded_commands import command_of_root
from ledger.commands.turns import NextTurn
from ledger.corrections.actions import ActionPart, parts
from ledger.corrections.answers import Assert, Choose, Decide, Dispute, Override, Take
from ledger.corrections.seals import Reveal, Sealed, sealed_events
from ledger.corrections.undoing import Amend, Redo, Rewind, Undo, Void
from ledger.errors import Refused
from ledger.events.commitments import ERASED, plain_value
from ledger.events.entry import Entry, lead_of, place_of
from ledger.events.types import (
    ActionAmended,
    ActionStruck,
    CampaignOpened,
    CharacterJoined,
    CharacterLeft,
    CharacterReturned,
    Consequence,
    DayBegun,
    DiceCounted,
    DiceThrown,
    DisputeRaised,
    HistoryForked,
    KeyRotated,
    KnockOnFound,
    LimitCrossed,
    MarksSet,
    MoveEvent,
    MovePlayed,
    NoteWritten,
    NpcsSeated,
    PlayerSeated,
    PlayRewound,
    PolicyAgreed,
    PolicySet,
    QuestionAsked,
    QuestionDecided,
    RollSealed,
    SceneSet,
    ScoreAdjusted,
    ScoreAsserted,
    SecretRevealed,
    SessionClosed,
    SessionOpened,
    SettingsChanged,
    TurnAdded,
    TurnBegan,
    TurnsEnded,
    Unknown,
    VerdictOverridden,
    WordsErased,
    agreeing_line,
)


def command_of(state: State, entries: Sequence[Entry]) -> Command | None:  # noqa: C901, PLR0911, PLR0912  a case an event
    """The command that wrote an action, its words and secrets open; `state` is the state before it.

    `None` where the file lacks what it came from: a private key, another history, words that were erased. Refuses
    (`Refused`) an action that no command begins like that, and (`UnknownName`) a move that is not known here.
    """
    first = lead_of(entries)
    event = first.event
    match event:
        case CampaignOpened(title=title, key=key):
            return Open(title=plain_value(title), gm=_gm(entries), key=key)
        case DayBegun(count=count, until=until):
            return NextDay(count=count, until=until)
        case TurnBegan():
            return NextTurn()
        case MovePlayed(answers=int(question)):
            return Choose(question=question, chosen=_chosen(state.entry(question), event.inputs))
        case ActionStruck(how="undo"):
            return Undo()
        case ActionStruck(how="redo"):
            return Redo()
        case ActionStruck(how="void", strikes=strikes, why=why):
            return Void(strikes=strikes, why=plain_value(why) or "")
        case ActionStruck(how="choose", strikes=strikes):
            return _taken(state, entries, strikes)
        case ActionAmended(named=named, inputs=inputs, faces=faces, cascade=cascade, why=why):
            reason = plain_value(why) or ""
            return Amend(named=named, inputs=plain_value(inputs), faces=faces, cascade=cascade, why=reason)
        case PlayRewound(to=to, why=why):
            return Rewind(to=to, why=plain_value(why))
        case DisputeRaised(about=about, player=player, claim=claim):
            return Dispute(about=about, player=player, claim=plain_value(claim))
        case VerdictOverridden(about=about, verdict=verdict, good=good, why=why):
            return Override(about=about, verdict=plain_value(verdict), good=good, why=plain_value(why))
        case ScoreAsserted(who=who, claimed=claimed):
            return Assert(who=who, claimed=claimed)
        case QuestionDecided(question=question, choice=choice, why=why):
            return Decide(question=question, choice=choice, why=plain_value(why), **_otherwise(entries, choice))
        case SecretRevealed(about=about):
            return Reveal(entry=about)
        case RollSealed(until=until, unseen=unseen):
            return Sealed(said=_sealed(first), until=until, unseen=unseen)
        case MovePlayed() | QuestionAsked() | DiceCounted() | PlayerSeated() | CharacterJoined() | SessionOpened():
            return command_of_root(first)
        case NpcsSeated() | CharacterLeft() | CharacterReturned() | TurnAdded() | TurnsEnded():
            return command_of_root(first)
        case SessionClosed() | SceneSet() | ScoreAdjusted() | MarksSet() | NoteWritten() | SettingsChanged():
            return command_of_root(first)
        case PolicySet(policy=policy):
            return SetPolicy(policy=policy)
        case PolicyAgreed(policy=seq):
            return AgreeToPolicy(policy=seq, line=agreeing_line(event))
        case KeyRotated() | HistoryForked() | WordsErased():
            return None
        case DiceThrown() | ActionStruck() | KnockOnFound() | LimitCrossed() | Consequence() | Unknown():
            raise Refused(f"{first.type} entries cannot be amended.")
        case _:
            assert_never(event)


def _gm(entries: Sequence[Entry]) -> str:
    """The name of the GM, whom the opening of a campaign seats."""
    names = (plain_value(entry.event.name) for entry in entries if isinstance(entry.event, PlayerSeated))
    return next(names, ERASED)


def _chosen(asked: Entry, inputs: Mapping[str, Any]) -> dict[str, Any]:
    names = asked.event.asks if isinstance(asked.event, QuestionAsked) else ()
    return {name: plain_value(inputs.get(name)) for name in names}


def _taken(state: State, entries: Sequence[Entry], act: int) -> Take:
    """The offer that was taken: an input that the ruling in the same place of the struck action did not have."""
    own = {entry.seq: entry for entry in entries}

    def lookup(seq: int) -> Entry:
        return own.get(seq) or state.entry(seq)

    places = {place_of(entry, lookup): entry for entry in entries if isinstance(entry.event, MovePlayed)}
    struck = [part for part in parts(state, act) if isinstance(part.said, PlayMove) and part.place in places]
    for part, chosen in ((part, _newly_chosen(part, places[part.place])) for part in struck):
        if chosen:
            return Take(ruling=part.root, chosen=chosen)
    raise Refused("It chooses something that was not offered.")


def _newly_chosen(part: ActionPart, ruling: Entry) -> dict[str, Any]:
    """The offered inputs that a ruling has, and the part that it replaces did not."""
    before, now = part.said.__dict__["move"].__dict__, plain_value(ruling.event.__dict__["inputs"])
    return {name: now[name] for name in move_of(ruling).offered if now.get(name) and not before.get(name)}


def _otherwise(entries: Sequence[Entry], choice: str) -> dict[str, Any]:
    """What a decision said otherwise: its amendment has that."""
    amended = entries[1].event if choice == "amend" and len(entries) > 1 else None
    if not isinstance(amended, ActionAmended):
        return {"inputs": {}, "faces": None, "cascade": False}
    return {"inputs": plain_value(amended.inputs), "faces": amended.faces, "cascade": amended.cascade}


def _sealed(entry: Entry) -> PlayMove | Roll:
    """The roll inside an opened seal."""
    ruling = next(event for event in sealed_events(entry) if isinstance(event, MoveEvent | DiceCounted))
    command = Roll if isinstance(ruling, DiceCounted) else PlayMove
    return command.from_entry(entry.saying(ruling))
