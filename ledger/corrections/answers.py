"""Disputes, assertions, overrides, choices, and decisions about questions.

After the dice are rolled, a move may ask the player for a choice. Its characters cannot act until the player answers.
Disputes, knock-ons, scores beyond their limits and wrong assertions wait for the GM. They hold nobody; play continues.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

from ledger import systems
from ledger.commands.at_table import Adjust
from ledger.commands.decider import BookDraft, Command, Record, State, describe_difference
from ledger.commands.play import PlayMove, installed_move, move_of
from ledger.commands.sheet import score_name, sheet_system, table_of, value_and_limits
from ledger.corrections.actions import (
    action_of,
    carried_marks,
    check_can_be_struck,
    check_not_revealed,
    entries_to_copy,
    part_of,
    replaced_actions,
    replacement_of,
    strike_of,
    write_copies,
)
from ledger.corrections.amend import (
    add_question,
    amend,
    ask_about_changes,
    plan_amendment,
    play_missed,
)
from ledger.corrections.in_place import InPlaceDraft, has_read_a_secret
from ledger.corrections.left_out import questions_about_lines, still_left_out
from ledger.corrections.missed import questions_about, still_missed
from ledger.corrections.questions import CHOICES, asked_move, is_offer_open, require_open_question, wrong_choice
from ledger.corrections.undoing import Cascade, void_actions
from ledger.errors import BadInput, Flag, Nobody, Refused, Run, SecretNotHere, with_minus_sign
from ledger.events import types as events
from ledger.events.commitments import with_texts
from ledger.events.entry import Entry, lead_of
from ledger.events.subjects import CAMPAIGN, is_seated
from ledger.rules.dice import stored_faces
from ledger.rules.inputs import ENTRY, LONGEST_NAME, RULING, SCORES, SPEAKER, Label, Reason, Typed, Who, checked_text


class Choose(Command):
    """A command that makes a choice for a move that asked after its roll. `chosen` has the chosen inputs."""

    writes: ClassVar[tuple[str, ...]] = (events.MovePlayed.type,)
    uses_reserve = True
    for_players: ClassVar[bool] = True
    question: int
    chosen: Mapping[str, Any]

    def decide(self, draft: BookDraft) -> None:
        move = asked_move(require_open_question(draft, self.question), self.chosen)
        question = draft.copy(self.question)
        assert isinstance(question, events.QuestionAsked)  # noqa: S101  `asked_move` accepts no others
        table = table_of(draft, question.system, question)
        faces = [die.face for die in question.dice]
        move.check_choice(table, faces)
        act = draft.action(draft.entry(self.question).act)
        written = {entry.type for entry in act if entry.cause == self.question}
        effects = move.roll_effects(table, faces)
        missing = [effect for effect in effects if effect.kind.name not in written]  # old editions wrote none of them
        answer = draft.next
        played = PlayMove(system=question.system, move=move, deed=with_texts(question.deed))
        played.rule_on(draft, table, question.dice, throws=question.throws, costs=missing, answers=self.question)
        if has_read_a_secret(draft.entry(self.question)):
            draft.declare_secret()
        played.continue_with(draft, answer)

    def acting_characters(self, record: Record, seat: str) -> Sequence[str]:
        return _who_chooses(record, self.question, self.chosen)

    def difference_from(self, entries: Sequence[Entry]) -> str | None:
        first = next((entry for entry in entries if isinstance(entry.event, events.MovePlayed) and entry.answers), None)
        if first is None:
            return None
        before = {"question": first.answers, **_inputs_before(first, self.chosen)}
        return describe_difference(first, before, {"question": self.question, **self.chosen})

    @classmethod
    def wrote(cls, first: Entry) -> bool:
        return first.answers is not None

    @classmethod
    def from_action(cls, state: State, entries: Sequence[Entry]) -> Self:
        """Make the command from its action. The names of the inputs come from the question."""
        ruling = lead_of(entries)
        question = ruling.answers
        assert question is not None  # noqa: S101  see `wrote`
        asked = state.entry(question).event
        names = asked.asks if isinstance(asked, events.QuestionAsked) else ()
        return cls(question=question, chosen=with_texts(_inputs_before(ruling, names)))


def _check_can_pay(draft: BookDraft, who: str) -> None:
    """Raise `Refused` if later entries have spent the points that `who` needs for a choice."""
    for entry in draft.action(draft.head_before + 1):
        event = entry.event
        if isinstance(event, events.LimitCrossed) and event.who == who and event.value < event.least:
            score, left = event.score.partition("/")[2], with_minus_sign(event.value)
            raise Refused(f"{who} does not have enough {score}: the {score} would drop to {left}.")


class AcceptOffer(Command):
    """A command that accepts a ruling's offer. The ruling is struck, and played again with its dice."""

    writes: ClassVar[tuple[str, ...]] = (events.ActionStruck.type,)
    how: ClassVar[str] = "choose"
    for_players: ClassVar[bool] = True
    ruling: int
    chosen: Mapping[str, Any]

    def decide(self, draft: BookDraft) -> None:
        """Play the ruling again with the choice.

        Raise `Refused` if the offer has expired, and `SecretNotHere` if this file lacks a secret of the ruling.
        """
        waiting, ruling = draft.questions(), draft.entry(self.ruling)
        if not is_offer_open(draft, ruling) or not isinstance(ruling.event, events.MovePlayed):
            raise Refused(f"The offer from #{self.ruling} has expired.")
        other = next((name for name in self.chosen if name not in move_of(ruling).offered), None)
        if other is not None:
            raise Refused(f"#{self.ruling} does not offer {Flag(other)}.")
        choice = next((name for name in self.chosen if with_texts(ruling.event.inputs).get(name)), None)
        if choice is not None:
            raise Refused(f"{Flag(choice)} was already chosen for #{self.ruling}.")
        action, own = part_of(draft, self.ruling)
        act = action.act
        part_copies = [(part, () if part is own else entries_to_copy(draft, part)) for part in action.parts]
        check_can_be_struck(draft, act)
        if not draft.has_known_dice:
            _check_secrets_present(draft, own.place)
        struck = strike_of(draft, act, draft.next, "choose", keeps_strikes=True)
        strike = draft.add(struck.replace(marks=(*struck.marks, *carried_marks(draft, act, draft.next))))
        command, first = own.command.changed(self.chosen), 0
        for part, copies in part_copies:
            if part is own:
                place, first = InPlaceDraft(draft, part, draft, cause=strike, rolls_missing_dice=True), draft.next
                place.decide(command)
                if has_read_a_secret(draft.entry(part.root)):
                    draft.declare_secret(place.costs)
            else:
                write_copies(draft, copies, strike)
        ask_about_changes(draft, waiting, pays_now=True)
        _check_can_pay(draft, own.who)
        assert isinstance(command, PlayMove)  # noqa: S101  only moves have offers
        command.continue_with(draft, first)

    def acting_characters(self, record: Record, seat: str) -> Sequence[str]:
        return _who_chooses(record, self.ruling, self.chosen)

    def difference_from(self, entries: Sequence[Entry]) -> str | None:
        first, strike = entries[0], entries[0].event
        if not (
            isinstance(strike, events.ActionStruck) and self.wrote(first) and strike.strikes <= self.ruling < first.seq
        ):
            return None
        rulings = [entry for entry in entries if isinstance(entry.event, events.MovePlayed)]
        played = next((ruling for ruling in rulings if any(_inputs_before(ruling, self.chosen).values())), rulings[0])
        return describe_difference(played, _inputs_before(played, self.chosen), self.chosen)

    @classmethod
    def from_action(cls, state: State, entries: Sequence[Entry]) -> Self:
        """Make the command from its action. The choice is the offered input that the struck ruling lacks."""
        strike, own = entries[0].event, {entry.seq: entry for entry in entries}
        assert isinstance(strike, events.ActionStruck)  # noqa: S101  this command writes nothing else first

        def lookup(seq: int) -> Entry:
            return own.get(seq) or state.entry(seq)

        places = {
            entry.earliest_place(lookup): entry for entry in entries if isinstance(entry.event, events.MovePlayed)
        }
        parts = (part for part in action_of(state, strike.strikes).parts if part.place in places)
        played = (
            (part.root, part.command.move, places[part.place]) for part in parts if isinstance(part.command, PlayMove)
        )
        for root, before, ruling in played:
            now, offered = with_texts(ruling.event.__dict__["inputs"]), move_of(ruling).offered
            if chosen := {name: now[name] for name in offered if now.get(name) and not getattr(before, name)}:
                return cls(ruling=root, chosen=chosen)
        raise Refused("This answer includes a choice that was not offered.")


def _who_chooses(state: State, seq: int, chosen: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the characters who make the choice `chosen` and pay for it, or `CAMPAIGN` if only the GM may choose."""
    event = state.entry(seq).event
    if not isinstance(event, events.MoveEvent):
        return (CAMPAIGN,)
    move = installed_move(event)
    return (event.who, *(move.payers_in(chosen) if move else ()))


def _inputs_before(ruling: Entry, names: Iterable[str]) -> dict[str, Any]:
    inputs = ruling.event.inputs if isinstance(ruling.event, events.MovePlayed) else {}
    return {name: inputs.get(name) for name in names}


def _check_secrets_present(record: Record, first: int) -> None:
    """Before a roll, raise `SecretNotHere` if this file lacks a secret of a ruling in entry `first` or later."""
    for entry in record.search(events.MOVE_TYPES, first, ("looked",)):
        if record.entry(entry.seq, secrets=True).lacks_secret:
            raise SecretNotHere(entry.seq)


class Dispute(Command):
    """A command that records a player's objection to an entry."""

    writes: ClassVar[tuple[str, ...]] = (events.DisputeRaised.type,)
    uses_reserve = True
    for_players: ClassVar[bool] = True
    about: Annotated[int, ENTRY, Typed(name="entry")]
    claim: Annotated[str, "the player's claim"]
    player: Annotated[str, SPEAKER, "who objects (default: the player who enters the command)"]

    def decide(self, draft: BookDraft) -> None:
        if not is_seated(draft.mark, self.player):
            raise Nobody(self.player, "player")
        check_not_revealed(draft, draft.entry(self.about))
        claim = checked_text("A claim", self.claim)
        draft.add(events.DisputeRaised(about=self.about, player=self.player, claim=claim))

    def acting_characters(self, record: Record, seat: str) -> Sequence[str]:
        return () if self.player == seat else (CAMPAIGN,)


class Override(Command):
    """A command that overrules a verdict. The dice and the consequences do not change."""

    writes: ClassVar[tuple[str, ...]] = (events.VerdictOverridden.type,)
    uses_reserve = True
    asks: ClassVar[bool] = True
    about: Annotated[int, RULING, Typed(name="entry")]
    verdict: Annotated[str, Label(text="new verdict")]
    good: Annotated[bool | None, "count the result as a success or as a failure"]
    why: Reason

    def decide(self, draft: BookDraft) -> None:
        ruling = draft.entry(self.about)
        if not isinstance(ruling.event, events.MovePlayed):
            raise Refused(f"#{self.about} is not a roll, so it has no result to overrule.")
        check_can_be_struck(draft, ruling.act)
        verdict, why = checked_text("A verdict", self.verdict, LONGEST_NAME), checked_text("A reason", self.why)
        draft.add(events.VerdictOverridden(about=self.about, verdict=verdict, good=self.good, why=why))


class AssertScores(Command):
    """A command that compares a paper sheet with the book. `claimed` maps full score names to the values on paper."""

    writes: ClassVar[tuple[str, ...]] = (events.ScoreAsserted.type,)
    for_players: ClassVar[bool] = True
    who: Who
    claimed: Annotated[Mapping[str, int], SCORES, Typed(name="scores")]

    def decide(self, draft: BookDraft) -> None:
        for full in self.claimed:
            name, _, short = full.partition("/")
            score_name(sheet_system(draft, self.who, name), short)
        stood = {full: draft.balance(self.who, full) or 0 for full in self.claimed}
        draft.add(events.ScoreAsserted(who=self.who, claimed=dict(self.claimed), stood=stood))

    def acting_characters(self, record: Record, seat: str) -> Sequence[str]:
        return (self.who,)


CASCADING_CHOICES = ("amend", "void", "play")
"""The choices that may redo the later entries that they affect."""


class Decide(Command):
    """A command with which the GM decides a question. Only the choice `amend` takes `inputs` or `faces`.

    The choices in `CASCADING_CHOICES` take `cascade`.
    """

    writes: ClassVar[tuple[str, ...]] = (events.QuestionDecided.type,)
    uses_reserve = True
    planned = True
    asks: ClassVar[bool] = True
    question: int
    choice: str
    why: Reason
    inputs: Mapping[str, Any]
    faces: tuple[int, ...] | None
    cascade: Cascade

    def decide(self, draft: BookDraft) -> None:
        waiting = draft.questions()
        question = require_open_question(draft, self.question)
        if self.choice not in CHOICES.get(question.type, ()):
            raise wrong_choice(question, self.choice)
        if self.choice != "amend" and (self.inputs or self.faces):
            raise BadInput(f"Inputs and {Flag('faces')} work only with 'amend'.")
        if self.choice not in CASCADING_CHOICES and self.cascade:
            raise BadInput(f"{Flag('cascade')} works only with 'amend', 'void' and 'play'.")
        about = question.about
        why = checked_text("A reason", self.why)
        decision = draft.add(events.QuestionDecided(question=self.question, choice=self.choice, why=why))
        if self.choice == "adjust":
            who, amounts = _differences(draft, question)
            draft.add(Adjust(who=who, amounts=amounts, why=self.why).event(draft), decision)
        elif self.choice == "play":
            _play_missed_parts(draft, question, decision, cascade=self.cascade)
        elif self.choice in {"void", "amend"} and about is not None:
            self._strike(draft, about, decision)
        how: Literal["void"] | None = "void" if self.choice in {"void", "amend"} else None
        ask_about_changes(draft, waiting, cascade=self.cascade, how=how)

    def _strike(self, draft: BookDraft, about: int, decision: int) -> None:
        """Void or amend entry `about`, as the GM chose in entry `decision`.

        If another entry has replaced `about`, a void strikes both entries. An amendment changes the replacement,
        with the new inputs or dice. Raise `Refused` for a void if a rewind kept the entry, because the rewind would
        be voided too.
        """
        entry = draft.entry(about)
        has_parts = not isinstance(entry.event, events.Correction | events.OfImport)
        act = part_of(draft, about)[0].act if has_parts else entry.act
        counts = not draft.is_struck(act)
        instead = None if counts else replacement_of(draft, about)
        if self.choice == "void" and counts:
            void_actions(draft, act, None, decision, cascade=self.cascade)
        elif self.choice == "void" and instead is not None:
            last, replaced = part_of(draft, instead)[0].act, replaced_actions(draft, instead, about)
            if any(isinstance(draft.entry(other).event, events.PlayRewound) for other in (last, *replaced)):
                raise Refused(f"#{instead} replaced #{about}.", f"Amend #{instead}, or void #{instead} first.")
            # without `replaced`, the disputed result would come back
            void_actions(draft, last, None, decision, replaced, cascade=self.cascade)
        elif self.choice == "amend" and not counts and instead is None:
            raise Refused(
                f"#{about} was canceled, so you cannot amend it.",
                f"Decide 'void' instead: {Run('decide', self.question, 'void', why='TEXT')}",
            )
        elif self.choice == "amend" and (counts or self.inputs or self.faces):
            target = instead or about
            part = part_of(draft, target)
            amend(draft, plan_amendment(draft, part, target, self.inputs, self.faces, cascade=self.cascade), decision)

    def difference_from(self, entries: Sequence[Entry]) -> str | None:
        decision = entries[0].event
        if not isinstance(decision, events.QuestionDecided):
            return None
        before = _decision_inputs(decision, entries, self.choice)
        return describe_difference(entries[0], before, {**self.__dict__, "faces": stored_faces(self.faces)})

    @classmethod
    def from_action(cls, state: State, entries: Sequence[Entry]) -> Self:
        decision = entries[0].event
        assert isinstance(decision, events.QuestionDecided)  # noqa: S101  this command writes nothing else first
        return cls(**with_texts(_decision_inputs(decision, entries, decision.choice)))


def _play_missed_parts(draft: BookDraft, question: Entry, decision: int, *, cascade: bool) -> None:
    """Play the missed parts of a question, as entry `decision` says. Ask again about each one that needs a choice.

    Raise `Refused` if none can be played.
    """
    event = question.event
    if isinstance(event, events.LinesMissed):
        parts = still_left_out(draft, event)
        play_missed(draft, parts, decision, cascade=cascade)
        lacking = still_left_out(draft, event)
        if len(lacking) == len(parts):
            says = f"These lines need dice or a choice, so {event.who}'s part cannot be played here."
            raise Refused(says, f"Enter the part by hand. To see the first line: {Run('show', event.lines[0])}")
        for about_lines in questions_about_lines(lacking):
            add_question(draft, about_lines, decision)
        return
    assert isinstance(event, events.MovesMissed)  # noqa: S101  only these two can be played
    missed = still_missed(draft, event)
    play_missed(draft, missed, decision, cascade=cascade)
    left = still_missed(draft, event)
    if len(left) == len(missed):
        raise Refused(
            f"{event.who}'s {event.move} needs a choice, so it cannot be played here.",
            f"Enter it by hand: {Run(f'{event.system} {event.move}', event.who, help=True)}",
        )
    for again in questions_about(left):
        add_question(draft, again, decision)


def _decision_inputs(decision: events.QuestionDecided, entries: Sequence[Entry], choice: str) -> dict[str, Any]:
    """Return the inputs of a decision, together with the inputs of the correction that it made."""
    facts: dict[str, Any] = {name: getattr(decision, name) for name in ("question", "choice", "why")}
    made = entries[1].event if choice in CASCADING_CHOICES and len(entries) > 1 else None
    return {
        **facts,
        "inputs": made.inputs if isinstance(made, events.ActionAmended) else {},
        "faces": made.faces if isinstance(made, events.ActionAmended) else None,
        "cascade": isinstance(made, events.ActionAmended | events.ActionStruck) and made.cascade,
    }


def _differences(record: Record, question: Entry) -> tuple[str, dict[str, int]]:
    """Return the character, and the score changes that settle the question. Raise `Refused` if there are none."""
    event = question.event
    if isinstance(event, events.ScoreAsserted):
        then = record.as_of(question.seq)
        amounts = {full: claimed - (then.balance(event.who, full) or 0) for full, claimed in event.claimed.items()}
    elif isinstance(event, events.AssertionBroken):
        amounts = {event.score: event.claimed - (record.as_of(event.about).balance(event.who, event.score) or 0)}
    else:
        assert isinstance(event, events.LimitCrossed)  # noqa: S101  only these three may be adjusted
        name, _, short = event.score.partition("/")
        score = sheet_system(record, event.who, name).score(short)
        assert score is not None  # noqa: S101  its limit was crossed
        value, least, most = value_and_limits(record, systems.find(name), event.who, score.for_name(short))
        amounts = {event.score: min(max(value, least), most) - value}
    differences = {full: amount for full, amount in amounts.items() if amount}
    if not differences:
        raise Refused(
            "There is nothing left to adjust.",
            f"To keep the scores as they are: {Run('decide', question.seq, 'keep', why='TEXT')}",
        )
    return event.who, differences
