"""The parts of actions, strikes, and copies.

A part has the entries that one command wrote: a root entry, its dice, and its consequences. A question and its answer
are one part. Some parts follow immediately from another part, as damage follows from a hit. If the hit is played again,
the damage is played again with inputs from the new ruling. If the new ruling is not a hit, the damage is dropped. A
strike is a new entry that cancels an action and the answers to its questions. If the action is played again, its
unchanged parts are copied.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from ledger.commands.at_table import command_of_root
from ledger.commands.decider import BookDraft, Record, State, TableCommand
from ledger.commands.play import PlayMove
from ledger.corrections.spots import Spot, spot_of
from ledger.errors import Refused, Run, SecretNotHere
from ledger.events import types as events
from ledger.events.commitments import CommittedText
from ledger.events.correction_events import StrikeKind
from ledger.events.entry import Entry, lead_of
from ledger.events.facts import Mark
from ledger.events.subjects import ABOUT, IMPORTED, QUESTIONS, REVEALED, STRUCK
from ledger.rules.dice import ThrownDice
from ledger.rules.inputs import checked_text
from ledger.rules.move import Move
from ledger.values import Struct

OPENING_NOT_CANCELED = "You cannot cancel the start of the campaign."

OPENING_SEQ = 1
"""The action that opens the campaign and seats the GM. It cannot be struck; only the GM's name can be amended."""

INDEPENDENT_STARTS = (events.DayBegun, events.TurnBegan, events.RoundBegan)
"""The events that start an action whose other parts do not follow from each other."""


class ActionPart(Struct):
    """The part of an action that one command wrote. The part takes effect at entry `place`.

    - `spot`: the `place`, with the character and the game if a correction added the part later.
    - `rulings`: the root of the part, and the answer if the root is a question.
    - `entries`: the rulings and their consequences, with secrets.
    """

    rulings: tuple[Entry, ...]
    entries: tuple[Entry, ...]
    spot: Spot
    command: TableCommand
    thrown: ThrownDice | None

    @property
    def place(self) -> int:
        """The number of the entry at which the part takes effect."""
        return self.spot[0]

    @property
    def is_added_by_correction(self) -> bool:
        """True if a correction added the part to a day, to a turn, or to a line for a group."""
        return bool(self.spot[1])

    @property
    def root(self) -> int:
        """The number of the entry to name in an amendment: the ruling, or the only entry if there is no ruling."""
        return self.rulings[-1].seq

    @property
    def who(self) -> str:
        """The character or player who made the move or the roll; "" for other parts."""
        root = self.rulings[-1].event
        return root.who if isinstance(root, events.MoveEvent | events.DiceCounted) else ""

    @property
    def hides(self) -> bool:
        """True if the part is a move that hides its outcome from the players."""
        return isinstance(self.command, PlayMove) and self.command.move.hides


class Follower(Struct):
    """A part that followed from another part.

    - `lead`: the root of the other part.
    - `move`: the move of this part.
    - `number`: the position of `move`, from 0, among the moves that followed from `lead`.
    - `moves`: the moves that followed from this part.
    """

    part: ActionPart
    lead: int
    number: int
    move: Move
    moves: tuple[Move, ...]

    def new_command(self, moves: Mapping[int, Sequence[Move]]) -> TableCommand | None:
        """Return the command to replay the part, or None if its move is not in `moves`, the new moves of each lead."""
        command, new_moves = self.part.command, [*moves.get(self.lead, ())][self.number : self.number + 1]
        if not new_moves or type(new_moves[0]) is not type(self.move):
            return None
        inputs = new_moves[0].__dict__.items()
        return command.changed({name: value for name, value in inputs if value != getattr(self.move, name)})


class Action(Struct):
    """An action with its parts, in order."""

    act: int
    parts: tuple[ActionPart, ...]

    def later_roll(self, part: ActionPart) -> int | None:
        """If `part` has no dice, return the root of the next part with dice. Otherwise return None."""
        later = (other.root for other in self.parts if other.thrown and other.root > part.root)
        return None if part.thrown else next(later, None)

    def followers(self, state: State, lead: ActionPart) -> list[Follower]:
        """Return the direct and indirect followers of part `lead`. Raise `SecretNotHere` if a secret is missing."""
        moves, links = lead.command.moves_after(state, lead.rulings[-1]), list[Follower]()
        due = [(lead.root, number, move) for number, move in enumerate(moves)]
        for part in (part for part in self.parts if part.place > lead.place):
            if not due or not isinstance(part.command, PlayMove) or type(part.command.move) is not type(due[0][2]):
                break
            root, number, move = due.pop(0)
            moves = part.command.moves_after(state, part.rulings[-1])
            links.append(Follower(part=part, lead=root, number=number, move=move, moves=moves))
            due[:0] = [(part.root, later, follower) for later, follower in enumerate(moves)]
        return links

    def takes_faces(self, state: State, lead: ActionPart) -> bool:
        """Return True if part `lead` or one of its followers has dice. Ignore followers if this file lacks a secret."""
        if lead.thrown:
            return True
        with suppress(SecretNotHere):
            return any(link.part.thrown for link in self.followers(state, lead))
        return False


def action_of(state: State, act: int) -> Action:
    """Return an action with its parts. An import has no parts, because it cannot be played again."""
    entries = state.action(act, secrets=True)
    parts: list[ActionPart] = []
    for root in () if isinstance(entries[0].event, events.OfImport) else roots_of(entries):
        part, elsewhere = _part_and_others(state, root, entries)
        parts += (part, *elsewhere)
    return Action(act=act, parts=tuple(parts))


def roots_of(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the root of each part of an action. An answer to the action's own question is not a root."""
    correcting = {None, *(entry.seq for entry in entries if isinstance(entry.event, events.Correction))}
    for entry in entries:
        answers_here = (entry.answers or 0) >= entry.act
        other = isinstance(entry.event, events.Correction | events.DiceThrown | events.CampaignOpened) or answers_here
        if entry.cause in correcting and not other:
            yield entry


def _part_and_others(state: State, root: Entry, entries: Sequence[Entry]) -> tuple[ActionPart, Sequence[ActionPart]]:
    """Return the part with this `root`. If another action answered `root`, also return that action's other parts."""
    rulings, own, elsewhere = [root], [*entries], list[ActionPart]()
    answer = state.question(root.seq).answered_by if isinstance(root.event, events.QuestionAsked) else None
    if answer is not None:
        rulings.append(state.entry(answer, secrets=True))
        act = rulings[-1].act
        if act != root.act:
            own += state.action(act, secrets=True)
            elsewhere = [part for part in action_of(state, act).parts if part.root != answer]
    by_seq = {entry.seq: entry for entry in entries}

    def lookup(seq: int) -> Entry:
        return by_seq.get(seq) or state.entry(seq)

    part = ActionPart(
        rulings=tuple(rulings),
        entries=tuple(e for ruling in rulings for e in own if e.act == ruling.act and is_in_part(e, ruling)),
        spot=spot_of(root, lookup),
        command=command_of_root(rulings[-1]),
        thrown=_throw_of([lookup(seq).event for seq in root.throws], root.throws),
    )
    return part, elsewhere


def is_in_part(entry: Entry, root: Entry) -> bool:
    """Return True if an entry of an action belongs to the part with this root. A `QuestionClosed` never does."""
    return root.seq in {entry.seq, entry.cause} and not isinstance(entry.event, events.QuestionClosed)


def _throw_of(thrown: Sequence[events.Event], written: tuple[int, ...]) -> ThrownDice | None:
    throws = [event for event in thrown if isinstance(event, events.DiceThrown)]
    if not written:
        return None
    return ThrownDice(
        dice=tuple(die for throw in throws for die in throw.dice),
        source="machine" if any(throw.source == "machine" for throw in throws) else "typed",
        written=written,
        of=tuple(throw.who for throw in throws for _ in throw.dice),
    )


def asking_action(state: State, act: int) -> int:
    """Return the action with the first question that led to `act`. Return `act` itself if it answered no question."""
    lead = lead_of(state.action(act))
    question = lead.answers
    if question is None or state.question(question).answered_by != lead.seq:
        return act
    return asking_action(state, state.entry(question).act)


def part_of(state: State, seq: int) -> tuple[Action, ActionPart]:
    """Return the action that an amendment of an entry would strike, and the part to which the entry belongs.

    - An answer belongs to the part with the question.
    - An amendment belongs to the part that was played again.

    Raise `Refused` for a correction that is not an amendment, for sealed and imported rolls, and for the first
    entry of the campaign.
    """
    entry = state.entry(seq)
    if isinstance(entry.event, events.CampaignOpened):
        raise Refused(OPENING_NOT_CANCELED, f"To correct the GM's name: {Run('amend', 2, name='NAME', why='TEXT')}")
    check_not_revealed(state, entry)
    if isinstance(entry.event, events.RollSealed):
        raise Refused(f"#{seq} is sealed and cannot be amended.", f"Reveal it: {Run('reveal', seq)}")
    if isinstance(entry.event, events.OfImport):
        rolls = len(state.action(entry.act))
        what = "it" if rolls == 1 else f"all {rolls:,} rolls of its evening"
        hint = f"To cancel {what}: {Run('void', entry.act, why='TEXT')}"
        raise Refused(f"#{seq} comes from an import and cannot be amended.", hint)
    if isinstance(entry.event, events.Correction):
        return _amended_part(state, entry)
    root = root_of(state, entry)
    if (question := root.answers) is not None:
        root = state.entry(question)
    action = action_of(state, asking_action(state, root.act))
    asked_part = next((part for part in action.parts if part.rulings[0].seq == root.seq), None)
    if asked_part is None:
        raise Refused(f"#{seq} cannot be amended.")
    return action, asked_part


def check_not_revealed(state: State, entry: Entry) -> None:
    """Raise `Refused` for a sealed roll that was revealed, because the entries of the reveal replaced it."""
    reveal = state.question(entry.seq).answered_by if isinstance(entry.event, events.RollSealed) else None
    if reveal:
        raise Refused(
            f"#{entry.seq} was revealed by #{reveal}. The revealed roll is the one that counts.",
            f"See its entries: {Run('show', reveal)}",
        )


def _amended_part(state: State, entry: Entry) -> tuple[Action, ActionPart]:
    """Return the action of an amendment, and the part that the amendment played again."""
    amendments = [other for other in state.action(entry.act) if isinstance(other.event, events.ActionAmended)]
    amendment = next((other for other in amendments if entry.seq in {other.seq, other.cause}), None)
    if amendment is None or not isinstance(amendment.event, events.ActionAmended):
        raise Refused(
            f"#{entry.seq} is a correction, and corrections cannot be amended.",
            f"Void it with {Run('void', entry.seq, why='TEXT')}.",
        )
    spot, action = spot_of(state.entry(amendment.event.about), state.entry), action_of(state, entry.act)
    later = (part for part in action.parts if part.rulings[0].seq > amendment.seq and part.spot == spot)
    new_part = next(later, None)
    if new_part is None:
        raise Refused(f"#{entry.seq} cannot be amended.")
    return action, new_part


def root_of(state: State, entry: Entry) -> Entry:
    """Return the root of an entry's part. Dice and consequences belong to the part of their ruling."""
    if isinstance(entry.event, events.DiceThrown):
        later = (other for other in state.action(entry.act) if other.seq > entry.seq)
        return next((other for other in later if not isinstance(other.event, events.DiceThrown)), entry)
    while entry.cause is not None and not isinstance(state.entry(entry.cause).event, events.Correction):
        entry = state.entry(entry.cause)
    return entry


NOT_CARRIED_OVER = events.MoveEvent | events.KnockOnFound | events.QuestionClosed
"""Events that a correction writes again if they still apply. It does not carry over their marks on questions."""


def carried_marks(state: State, act: int, seq: int) -> tuple[Mark, ...]:
    """Return the marks that an action set on secrets and questions, with `seq` (a correction) as the new value."""
    written = (entry.event for entry in state.action(act))
    answering = (event for event in written if not isinstance(event, NOT_CARRIED_OVER))
    marks = (mark for event in answering for mark in event.marks if mark.who in {QUESTIONS, REVEALED})
    return tuple(mark.replace(value=seq) for mark in marks if mark.value not in {False, None})


def check_can_be_struck(state: State, act: int, about: int | None = None) -> None:
    """Raise `Refused` if an action is the opening, is about the book itself, or is already struck.

    If it is already struck, the hint names the entry that replaced `about` (default: the main entry of the action).
    """
    if act == OPENING_SEQ:
        raise Refused(OPENING_NOT_CANCELED)
    if isinstance(state.entry(act).event, events.OfTheBook):
        raise Refused(f"#{act} is about the record itself and cannot be canceled.")
    by = state.mark(STRUCK, str(act))
    if by is not None:
        strike = state.entry(by)
        canceled, by = (lead_of(state.action(first)).seq for first in (act, strike.act))
        instead = replacement_of(state, canceled if about is None else about)
        hint = f"#{instead} replaced #{about or canceled}." if instead else f"See {Run('show', by)}."
        raise Refused(f"#{canceled} was canceled by #{by}.", hint)


def replacement_of(state: State, about: int) -> int | None:
    """Return the root that now replaces struck entry `about`, or `None`."""
    try:
        action, part = part_of(state, about)
    except Refused:  # a correction, a sealed roll or the opening is never played again
        return None
    seen = [action.act]
    while (by := state.mark(STRUCK, str(action.act))) is not None:
        action = action_of(state, state.entry(by).act)
        successor = next((other for other in action.parts if other.spot == part.spot), None)
        if successor is None or action.act in seen:
            return None
        seen.append(action.act)
        part = successor
    return part.root


def replaced_actions(state: State, instead: int, about: int) -> list[int]:
    """Return the struck actions that contain older versions of a part.

    `about` is an entry of the oldest version to return, and `instead` is an entry of the current version.
    """
    action, part = part_of(state, about)
    targets = targets_of(state, part_of(state, instead)[0].act)
    later = (other for other in targets if other >= action.act)
    return [other for other in later if any(piece.spot == part.spot for piece in action_of(state, other).parts)]


def strike_of(
    record: Record,
    act: int,
    seq: int,
    how: StrikeKind,
    *,
    why: str | None = None,
    keeps_strikes: bool = False,
    also: Iterable[int] = (),
    cascade: bool = False,
) -> events.ActionStruck:
    """Return the event of entry `seq`, which strikes `act`, the actions in `also`, and the answers to their questions.

    Actions that a struck action had canceled are restored. With `keeps_strikes`, they stay canceled. Raise `Refused`
    if a restored action conflicts with another action that is not canceled.
    """
    targets = [act, *also]
    for target in targets if keeps_strikes else ():
        targets += [other for other in targets_of(record, target) if other not in targets]
    canceled, restored = record.canceled_and_restored(targets, seq)
    while answers := [answer for answer in _answering_actions(record, canceled) if answer not in targets]:
        targets += answers
        canceled, restored = record.canceled_and_restored(targets, seq)
    for other in restored:
        _check_unanswered(record, other, {*targets, *canceled})
        _check_unreplaced(record, other, {*targets, *canceled})
        _check_not_imported_again(record, other, {*targets, *canceled})
    marks = tuple(Mark(who=STRUCK, name=str(target), value=seq) for target in dict.fromkeys(targets))
    return events.ActionStruck(strikes=act, how=how, why=committed_reason(why), cascade=cascade, marks=marks)


def _check_unanswered(state: State, act: int, canceled: Container[int]) -> None:
    for entry in state.action(act):
        question = entry.settled_question
        answer = None if question is None else state.question(question).answered_by
        if answer and state.entry(answer).act not in canceled:
            raise Refused(f"#{question} already has an answer (#{answer}), so #{entry.seq} cannot be restored.")


def _check_unreplaced(record: Record, act: int, canceled: Container[int]) -> None:
    """Raise `Refused` if another action has replaced `act`, which is restored. Ignore `canceled` actions."""
    _check_one_sheet(record, act, canceled)
    spots = _old_spots(record, act)
    if not spots:
        return
    types = (events.ActionStruck.type, events.ActionAmended.type, events.SecretRevealed.type)
    later = record.search(types, min(spots)[0], ("strikes", "about"))
    for other in dict.fromkeys(entry.act for entry in later if entry.act != act and entry.act not in canceled):
        same = spots & _old_spots(record, other) if not record.is_struck(other) else ()
        if same:
            acts = (record.entry(min(same)[0]).act, act, other)
            place, head, instead = (lead_of(record.action(first)).seq for first in acts)
            raise Refused(
                f"#{head} and #{instead} both replace #{place}. Only one of them can count.",
                f"Void #{instead} first: {Run('void', instead, why='TEXT')}",
            )


def _check_one_sheet(record: Record, act: int, canceled: Container[int]) -> None:
    """Raise `Refused` if restoring `act` gives a character a second sheet in a game. Ignore `canceled` actions."""
    happened = (entry.event for entry in record.action(act))
    joins = {(event.who, event.system) for event in happened if isinstance(event, events.CharacterJoined)}
    for entry in record.search((events.CharacterJoined.type,), 1, ("system",)) if joins else ():
        who, game = entry.event.__dict__["who"], entry.event.__dict__["system"]
        if (who, game) in joins and entry.act != act and entry.act not in canceled and not record.is_struck(entry.act):
            raise Refused(
                f"A newer sheet for {who} in {game} was made at #{entry.seq}.",
                f"Void #{entry.seq} first: {Run('void', entry.seq, why='TEXT')}",
            )


def _check_not_imported_again(state: State, act: int, canceled: Container[int]) -> None:
    """Raise `Refused` if `act`, which is restored, has rolls that were imported again. Ignore `canceled` actions."""
    rolls = (entry.event for entry in state.action(act) if isinstance(entry.event, events.RollImported))
    for again in (state.mark(IMPORTED, roll.id) for roll in rolls):
        if again is not None and (other := state.entry(again)).act not in canceled:
            assert isinstance(other.event, events.RollImported)  # noqa: S101  only these have such a mark
            raise Refused(
                f"These rolls were imported again (#{other.event.log}). They would count twice.",
                f"Void #{other.event.log} first: {Run('void', other.event.log, why='TEXT')}",
            )


def _old_spots(state: State, act: int) -> set[Spot]:
    """Return the spots of the parts that an action plays again, copies or reveals."""
    roots = ((part.spot, part.rulings[0]) for part in action_of(state, act).parts)
    return {spot for spot, root in roots if root.since < root.seq}


def committed_reason(why: str | None) -> CommittedText | None:
    """Return a reason in the form that an entry stores, or `None` without a reason."""
    return None if why is None else checked_text("A reason", why)


def _answering_actions(state: State, acts: Iterable[int]) -> Iterator[int]:
    """Yield the actions that answered the questions that `acts` asked."""
    for act in acts:
        for entry in entries_to_check(state, act):
            answer = state.question(entry.seq).answered_by if isinstance(entry.event, events.QuestionAsked) else None
            if answer is not None:
                yield state.entry(answer).act


def entries_to_check(state: State, act: int) -> Sequence[Entry]:
    """Return the entries of an action. Leave out imported rolls: they affect nothing else, and may be thousands."""
    return () if state.entry(act).type == events.RollImported.type else state.action(act)


def targets_of(state: State, act: int) -> list[int]:
    """Return the actions that an action's strikes cancel, without duplicates."""
    return list(dict.fromkeys(target for entry in entries_to_check(state, act) for target in entry.targets))


class EntryToCopy(Struct):
    """An entry to copy. `comment_seqs` has the numbers of the entries about it, such as disputes."""

    entry: Entry
    event: events.Event
    comment_seqs: tuple[int, ...]


def entries_to_copy(record: Record, part: ActionPart) -> tuple[EntryToCopy, ...]:
    """Prepare copies of a part's entries, with the numbers of their comments. Call this before the action is struck.

    Raise `SecretNotHere` if this file lacks a secret of an entry.
    """
    acts = {entry.act for entry in part.entries if not isinstance(entry.event, events.Correction)}
    comment_seqs = {
        act: tuple(seq for seq in record.comments_on(act) if spot_of_subject(record, seq) == part.spot)
        for act in sorted(acts)
    }
    return tuple(
        EntryToCopy(
            entry=entry,
            event=record.copy(entry.seq),
            comment_seqs=() if isinstance(entry.event, events.Correction) else comment_seqs[entry.act],
        )
        for entry in part.entries
    )


def write_copies(draft: BookDraft, copies: Sequence[EntryToCopy], cause: int) -> None:
    """Write the copies of a part in the places of the originals. The rules are not applied again."""
    numbers: dict[int | None, int] = {}
    for copy in copies:
        numbers[copy.entry.seq] = draft.next
        about = (Mark(who=ABOUT, name=f"{draft.head_before + 1}:{seq}", value=True) for seq in copy.comment_seqs)
        event = renumbered(copy.event.replace(marks=(*copy.event.marks, *about)), numbers)
        draft.add(event, numbers.get(copy.entry.cause, cause), copy.entry.since)


def spot_of_subject(state: State, seq: int) -> Spot | None:
    """Return where the part that an entry is about stands; `None` if there is no such part."""
    entry = state.entry(seq)
    about = (state.entry(entry.event.question) if isinstance(entry.event, events.QuestionDecided) else entry).about
    with suppress(Refused):  # a strike and a sealed roll are not parts
        return None if about is None else part_of(state, about)[1].spot
    return None


def renumbered(event: events.Event, numbers: Mapping[int | None, int]) -> events.Event:
    """Return an event, with the new number from `numbers` for the question that the event answers, if any."""
    if isinstance(event, events.MovePlayed) and event.answers in numbers:
        return event.replace(answers=numbers[event.answers])
    return event
