"""Amend: strike an action, and play it again in its place with one part changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ledger.commands.decider import BookDraft, Record, State, TableCommand
from ledger.commands.play import PlayMove, ruling_since
from ledger.corrections.following_moves import Follower, followers, moves_after
from ledger.corrections.in_place import InPlace, decide_again, play_again, with_changes
from ledger.corrections.knock_on import ruled_now
from ledger.corrections.parts import OPENING, ActionPart, entries_of, part_of, parts
from ledger.corrections.strike import carried_marks, check_stands, committed_reason, strike_of
from ledger.errors import Refused, WrongFaces
from ledger.events.commitments import Secret
from ledger.events.entry import Entry, about_of, lead_of, plain
from ledger.events.facts import Mark
from ledger.events.subjects import ABOUT, CAMPAIGN, HOLD, OFFER, PLAYERS, QUESTIONS, entry_number
from ledger.events.types import (
    ActionAmended,
    Correction,
    DiceThrown,
    Event,
    MoveEvent,
    MovePlayed,
    PlayerSeated,
    QuestionAsked,
    QuestionDecided,
)
from ledger.rules.dice import as_stored
from ledger.rules.move import Move
from ledger.values import Struct


def amend(
    draft: BookDraft,
    about: int,
    inputs: Mapping[str, Any],
    faces: tuple[int, ...] | None = None,
    *,
    why: str | None = None,
    cascade: bool = False,
    cause: int | None = None,
) -> None:
    """Strike an action and play it again in its place, with one part changed. The opening is never struck.

    Direct consequences of that part are played again, or dropped if they no longer apply. Typed `faces` also cover
    these, in order; dice beyond the typed ones stay as rolled. Other parts are copied, but a cascade also replays those
    that would now come out differently. Refuse an action that cannot be struck, a change that the rules refuse in
    that place, and a change that asks for a choice before the consequences.
    """
    act, replaced = part_of(draft, about)
    part_copies = [
        (part, [] if part.root == replaced.root else copied_entries(draft, part)) for part in parts(draft, act)
    ]
    links = {link.part.root: link for link in followers(draft, act, replaced)}
    command = with_changes(replaced.said, inputs)
    _check_replaceable(draft, act, replaced, command)
    sketch = decide_again(draft, replaced, command, faces or ())
    root = next(added.event for added in sketch.added if not isinstance(added.event, DiceThrown))
    fields = root.inputs if isinstance(root, MoveEvent) else plain(root)
    amendment = ActionAmended(
        named=about,
        about=replaced.root,
        inputs={name: value if isinstance(value, Mapping) else fields[name] for name, value in inputs.items()},
        faces=as_stored(faces),
        cascade=cascade,
        why=committed_reason(why),
        marks=carried_marks(draft, act, draft.next),
    )
    cancel = None if act == OPENING else strike_of(draft, act, draft.next + 1, "amend", whole=True)
    strike = draft.add(amendment, cause)
    strike = strike if cancel is None else draft.add(cancel, strike)
    if sketch.conceals or _hides(replaced):
        draft.conceal()
    hand, moves = [*(faces or ())], dict[int, tuple[Move, ...]]()
    first = next((part.root for part in (replaced, *(link.part for link in links.values())) if part.thrown), None)
    for part, copies in part_copies:
        link, is_own = links.get(part.root), part.root == replaced.root
        said = command if is_own else link.said_now(moves) if link else part.said
        if said is None:
            continue
        outcome = ruled_now(draft, part, draft.began) if cascade or link else None
        differs = outcome is not None and outcome.finds == "otherwise" and not is_held(draft, part)
        if is_own or said != part.said or differs or (link and hand and part.thrown):
            began, typed = draft.next, hand if is_own or link else None
            play_again(InPlace(draft, part, draft, cause=strike, faces=typed, first=first), part, said)
            if _hides(part.replace(said=said)):
                draft.conceal()
            if is_own or link:
                moves[part.root] = _following_now(draft, part, said, began, links.values())
        else:
            write_again(draft, copies, strike)
            moves[part.root] = moves_after(draft, part.said, part.rulings[-1])
    if hand:
        raise _faces_left(replaced, [link.part for link in links.values()], hand)


def _check_replaceable(draft: BookDraft, act: int, part: ActionPart, command: TableCommand) -> None:
    """Refuse to amend a struck action, and anything in the opening except the GM's name.

    Nothing strikes the opening: the GM's new seating replaces the old one until it is struck itself.
    """
    if act != OPENING:
        check_stands(draft, act, part.root)
    if draft.entry(part.place).act != OPENING:
        return
    if command != part.said.changed({"name": command.__dict__["name"]}):
        raise Refused(f"#{part.place} seated the GM when the campaign was created. Only the GM's name can be amended.")
    seated = draft.entry(part.root).event
    assert isinstance(seated, PlayerSeated)  # noqa: S101  the opening has no other part
    now = draft.as_of(part.place + 1).mark(PLAYERS, seated.player)
    if act == OPENING and now != part.root:
        amendment = lead_of(draft.action(draft.entry(now).act)).seq
        raise Refused(f"#{part.root} was amended by #{amendment}.", f"#{now} took its place.")


def _following_now(
    draft: BookDraft, part: ActionPart, said: TableCommand, first: int, links: Iterable[Follower]
) -> tuple[Move, ...]:
    """The moves that follow from a part that was played again since `first`.

    Refuses (`Refused`) if it asks for a choice, and something followed from it.
    """
    if not isinstance(said, PlayMove):
        return ()
    ruling = ruling_since(draft, first)
    after = next((link.part.root for link in links if link.lead == part.root), None)
    if after is not None and isinstance(ruling.event, QuestionAsked):
        hint = f"Amend #{part.root}, where the choice can be said: campaign amend {part.root} --help"
        raise Refused(f"Replaying #{part.root} would ask for a choice, but #{after} depends on it.", hint)
    return moves_after(draft, said, ruling)


def _faces_left(replaced: ActionPart, later: Sequence[ActionPart], faces: Sequence[int]) -> WrongFaces:
    """The refusal of typed faces that no dice took."""
    thrown = [part.root for part in (replaced, *later) if part.thrown]
    if not thrown:
        return WrongFaces(f"#{replaced.root} rolled no dice, so there are no faces to enter.")
    left = ", ".join(map(str, faces))
    return WrongFaces(f"Too many dice: {left} more than needed.", "Enter one face for each die, in the order rolled.")


class Copied(Struct):
    """An entry to write again unchanged, with the entries that speak about it."""

    entry: Entry
    event: Event
    spoken: tuple[int, ...]


def copied_entries(record: Record, part: ActionPart) -> list[Copied]:
    """The entries of a part, before its action is struck; refuses (`Away`) if this file lacks a secret of them.

    Disputes, decisions and overrides about them go along.
    """
    copies = []
    for entry in entries_of(record, part):
        spoken = [] if isinstance(entry.event, Correction) else record.comments_on(entry.act)
        same = tuple(seq for seq in spoken if place_spoken_about(record, seq) == part.place)
        copies.append(Copied(entry=entry, event=record.copy(entry.seq), spoken=same))
    return copies


def write_again(draft: BookDraft, copies: Sequence[Copied], cause: int) -> None:
    """Write the copies of a part, each counting from its old place; nothing is ruled again."""
    numbers: dict[int | None, int] = {}
    for copy in copies:
        numbers[copy.entry.seq] = draft.next
        marks = [renumber_mark(mark, numbers) for mark in copy.event.marks]
        marks += [Mark(who=ABOUT, name=f"{draft.began + 1}:{seq}", value=True) for seq in copy.spoken]
        event = copy.event.replace(marks=tuple(marks))
        if isinstance(event, MovePlayed) and event.answers in numbers:
            event = event.replace(answers=numbers[event.answers])
        draft.add(event, numbers.get(copy.entry.cause, cause), copy.entry.since)


def place_spoken_about(state: State, seq: int) -> int:
    """The place of the part that an entry speaks about, 0 if it speaks about none."""
    event = state.entry(seq).event
    about = about_of(state.entry(event.question).event if isinstance(event, QuestionDecided) else event)
    return 0 if about is None else part_of(state, about)[1].place


def renumber_mark(mark: Mark, numbers: Mapping[int | None, int]) -> Mark:
    """A mark of a copied entry; the entry numbers in it become those of the copies."""
    name, value = mark.name, mark.value
    if mark.who == QUESTIONS:
        name = str(numbers.get(entry_number(name), name))
    if type(value) is int and (mark.who[0] == "#" or name == OFFER or (mark.who, name) == (CAMPAIGN, "scene")):
        value = numbers.get(value, value)
    return Mark(who=mark.who, name=name, value=value)


def looked_at_a_secret(ruling: Entry) -> bool:
    """Whether a ruling used a secret that the GM has not revealed."""
    event = ruling.event
    assert isinstance(event, MoveEvent)  # noqa: S101  only moves read sheets
    values = [*event.inputs.values(), *(value for sheet in event.looked.values() for value in sheet.values())]
    return any(isinstance(value, Secret) and value.text is None for value in values)


def is_held(state: State, part: ActionPart) -> bool:
    """Whether a question holds one of a part's characters."""
    cast = part.said.move.cast() if isinstance(part.said, PlayMove) else ()
    return any((state.balance(who, HOLD) or 0) > 0 for who in cast)


def _hides(part: ActionPart) -> bool:
    return isinstance(part.said, PlayMove) and part.said.move.hides
