"""Amendments, which strike an action and play it again in its place with one part changed.

After any correction, `ask_about_changes` adds questions about scores beyond their limits and about later rulings that
used numbers that have changed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ledger import systems
from ledger.commands.decider import BookDraft, Record, Sketch, State, TableCommand
from ledger.commands.play import PlayMove, first_ruling
from ledger.commands.sheet import value_and_limits
from ledger.corrections import actions, in_place, left_out, missed, reasons, spots
from ledger.corrections.missed import MissedPart
from ledger.errors import LedgerError, Refused, Run, WrongFaces
from ledger.events import types as events
from ledger.events.commitments import CommittedText, Secret
from ledger.events.correction_events import StrikeKind
from ledger.events.entry import Entry, jsonable, lead_of
from ledger.events.facts import Mark
from ledger.events.rows import BOUND
from ledger.events.subjects import PLAYERS, QUESTIONS
from ledger.rules.dice import stored_faces
from ledger.rules.move import Move
from ledger.values import Struct


class AmendPlan(Struct):
    """The plan of an amendment, made before the action is struck.

    - `replaced`: the part to change, unless there are `missed` parts.
    - `command`: the changed command of the replaced part.
    - `sketch`: the new events of the replaced part, or None if the plan only adds `missed` parts.
    - `copies`: for each other part, the entries to copy, by the root of the part.
    - `faces`: the typed dice for the replaced part and its followers.
    - `missed`: the missed parts to add.
    """

    action: actions.Action
    replaced: actions.ActionPart
    followers: Mapping[int, actions.Follower]
    amendment: events.ActionAmended
    strike: events.ActionStruck | None
    command: TableCommand
    sketch: Sketch | None
    faces: tuple[int, ...]
    copies: Mapping[int, tuple[actions.EntryToCopy, ...]]
    missed: tuple[MissedPart, ...] = ()


def plan_amendment(
    draft: BookDraft,
    action_and_part: tuple[actions.Action, actions.ActionPart],
    named: int,
    inputs: Mapping[str, Any],
    faces: tuple[int, ...] | None = None,
    *,
    why: str | None = None,
    cascade: bool = False,
    sketch: Sketch | None = None,
    moves: tuple[MissedPart, ...] = (),
) -> AmendPlan:
    """Plan to strike an action and play it again, with one part changed or with missed parts added.

    - `action_and_part`: the action, and the part to change with `inputs` and `faces` if there are no `moves`.
    - `named`: the entry number that the user typed.
    - `sketch`: the new events of the changed part. Without it, this function decides the part again.
    - `moves`: the missed parts to add, instead of changing a part.

    Add nothing to the draft. Raise `Refused` if the action cannot be struck, and `SecretNotHere` if this file lacks a
    secret of the action. If the rules refuse the changed part in its old place, raise their error.
    """
    action, replaced = action_and_part
    act = action.act
    command = replaced.command.changed(inputs)
    _check_replaceable(draft, act, replaced, command)
    copied = [part for part in action.parts if moves or part is not replaced]
    copies = {part.root: actions.entries_to_copy(draft, part) for part in copied}
    links = {link.part.root: link for link in action.followers(draft, replaced)}
    if sketch is None and not moves:
        sketch = in_place.decide_again(draft, action, replaced, command, [*(faces or ())])
    fields = {} if sketch is None else _fields_of(sketch)
    amendment = events.ActionAmended(
        named=named,
        about=replaced.root,
        inputs={name: _input_to_record(value, fields.get(name)) for name, value in inputs.items()},
        faces=stored_faces(faces),
        cascade=cascade,
        why=actions.committed_reason(why),
        marks=actions.carried_marks(draft, act, draft.next),
    )
    strike = (
        None
        if act == actions.OPENING_SEQ
        else actions.strike_of(draft, act, draft.next + 1, "amend", keeps_strikes=True)
    )
    return AmendPlan(
        action=action,
        replaced=replaced,
        followers=links,
        amendment=amendment,
        strike=strike,
        command=command,
        sketch=sketch,
        faces=faces or (),
        copies=copies,
        missed=moves,
    )


def _fields_of(sketch: Sketch) -> dict[str, Any]:
    """Return the inputs of the root of a sketch (its ruling, or its first event), as an entry stores them."""
    root = next(added.event for added in sketch.added if not isinstance(added.event, events.DiceThrown))
    fields: dict[str, Any] = jsonable(root)
    return {**root.inputs, "deed": root.deed} if isinstance(root, events.MoveEvent) else fields


def _input_to_record(typed: Any, stored: Any) -> Any:
    """Return an input in the form that an amendment records.

    From a mapping, record only the values that were typed. If the mapping is hidden, record all of it as a secret.
    Record any other input as its entry stores it (`stored`). Keep texts in a form that can still be erased later.
    """
    if not isinstance(typed, Mapping) or isinstance(stored, Secret):
        return stored
    texts = {name: text for name, text in (stored or {}).items() if isinstance(text, CommittedText)}
    return {name: texts.get(name, value) for name, value in typed.items()}


def amend(draft: BookDraft, plan: AmendPlan, cause: int | None = None) -> None:
    """Add the entries of an amendment.

    - The replaced part is played again, unless the plan only adds missed parts.
    - A follower is played again if it changes, and dropped if it no longer follows.
    - In a cascade, any other part is played again if its result changes.
    - A part that is neither played again nor dropped is copied.

    The replaced part and its followers use the typed faces, in order. Raise `WrongFaces` if faces are left
    over, and `Refused` if a part with followers would ask for a choice. If the rules refuse a part in its old
    place, raise their error.
    """
    replaced, links = plan.replaced, plan.followers
    strike = draft.add(plan.amendment, cause)
    strike = strike if plan.strike is None else draft.add(plan.strike, strike)
    if replaced.hides or (plan.sketch is not None and plan.sketch.reveals_secret):
        draft.declare_secret()
    unused_faces, moves, is_planned = [*plan.faces], dict[int, tuple[Move, ...]](), True
    thrown = [part.root for part in (replaced, *(link.part for link in links.values())) if part.thrown]
    for part, start in missed.parts_and_starts(plan.action.parts):
        if part is None:
            missed.play_parts_missed_at(draft, plan.missed, start, strike)
            continue
        link, is_own, began = links.get(part.root), part is replaced, draft.next
        command = plan.command if is_own else link.new_command(moves) if link else part.command
        if command is None:
            continue
        if is_own and is_planned and plan.sketch is not None:
            del unused_faces[: add_sketch(draft, plan.sketch)]
        elif (is_own and not plan.missed) or command != part.command or _is_replayed(draft, plan, part, unused_faces):
            typed, first = unused_faces if is_own or link else None, next(iter(thrown), None)
            in_place.InPlaceDraft(draft, part, draft, cause=strike, faces=typed, first=first).decide(command)
            is_planned = False  # the replaced part may depend on it
        else:
            actions.write_copies(draft, plan.copies[part.root], strike)
            moves[part.root] = link.moves if link else ()
            continue
        if part.replace(command=command).hides:
            draft.declare_secret()
        if is_own or link:
            moves[part.root] = _following_now(draft, part, command, began, links.values())
    if unused_faces:
        raise _unused_faces_error(replaced.root, thrown, unused_faces)


def add_sketch(draft: BookDraft, sketch: Sketch) -> int:
    """Add the events of a sketch to a draft, and return the number of dice in them."""
    for added in sketch.added:
        draft.add(added.event, added.cause, added.since)
    return sum(len(added.event.dice) for added in sketch.added if isinstance(added.event, events.DiceThrown))


def _is_replayed(draft: BookDraft, plan: AmendPlan, part: actions.ActionPart, unused_faces: Sequence[int]) -> bool:
    """Return True if a part with unchanged inputs must be played again. `unused_faces` are typed dice for followers."""
    link = plan.followers.get(part.root)
    if link and unused_faces and part.thrown:
        return True
    outcome = in_place.rule_now(draft, plan.action, part, draft.head_before) if link or plan.amendment.cascade else None
    return in_place.would_change(draft, outcome)


def _check_replaceable(draft: BookDraft, act: int, part: actions.ActionPart, command: TableCommand) -> None:
    """Raise `Refused` if an action cannot be struck. In the campaign's first action, only the GM's name may change."""
    if act != actions.OPENING_SEQ:
        actions.check_can_be_struck(draft, act, part.root)
    if draft.entry(part.place).act != actions.OPENING_SEQ:
        return
    if command != part.command.changed({"name": command.__dict__["name"]}):
        raise Refused(f"#{part.place} added the GM when the campaign was created. You can amend only the GM's name.")
    player_event = draft.entry(part.root).event
    assert isinstance(player_event, events.PlayerSeated)  # noqa: S101  the opening has no other parts
    now = draft.as_of(part.place + 1).mark(PLAYERS, player_event.player)
    if act == actions.OPENING_SEQ and now != part.root:
        amendment = lead_of(draft.action(draft.entry(now).act)).seq
        raise Refused(f"#{part.root} was amended by #{amendment}.", f"#{now} replaced #{part.root}.")


def _following_now(
    draft: BookDraft, part: actions.ActionPart, command: TableCommand, first: int, links: Iterable[actions.Follower]
) -> tuple[Move, ...]:
    """Return the moves that follow from a part's new entries, which `command` wrote from entry `first` on.

    `links` are the followers before the amendment. Raise `Refused` if the part now asks for a choice, but had
    followers.
    """
    if not isinstance(command, PlayMove):
        return ()
    ruling = first_ruling(draft, first)
    after = next((link.part.root for link in links if link.lead == part.root), None)
    if after is not None and isinstance(ruling.event, events.QuestionAsked):
        hint = (
            f"Instead, amend #{part.root}. The amendment also changes the choice. To see how:"
            f" {Run('amend', part.root, help=True)}"
        )
        says = f"If #{part.root} is redone, somebody must make a new choice. But #{after} depends on the old result."
        raise Refused(says, hint)
    return command.moves_after(draft, ruling)


def _unused_faces_error(root: int, thrown: Sequence[int], faces: Sequence[int]) -> WrongFaces:
    if not thrown:
        return WrongFaces(f"#{root} rolled no dice, so there are no faces to enter.")
    left = ", ".join(map(str, faces))
    return WrongFaces(
        f"You typed more dice than needed. Left over: {left}.", "Type one number for each die, in the order rolled."
    )


def ask_about_changes(
    draft: BookDraft,
    waiting: Iterable[int],
    *,
    cascade: bool = False,
    how: StrikeKind | None = None,
    pays_now: bool = False,
) -> None:
    """Ask about each later ruling whose result would differ, and about each score beyond its limits.

    - `waiting`: the questions that were open before the command. A question that the command struck is asked
      again if its reason remains. A question that is still open is closed if its reason is gone.
    - `cascade`: amend these rulings instead of asking. Ask anyway if an open question stops a character of the
      ruling from acting.
    - `how`: how to strike a move that completed an earlier move, such as the armor check of an attack, if the
      result of the earlier move is gone. Without `how`, the later move stays, and a question is asked about it.
    - `pays_now`: the command spends points that the character has now. Scores that were later set by hand are
      not set again.
    """
    head, cause = draft.head_before, draft.head_before + 1
    if how is not None:
        _strike_completions(draft, head, cause, how)
    places, scores = _rulings_and_scores_to_recheck(draft, waiting)
    if cascade:
        parts = [*missed.missed_moves(draft, head), *left_out.left_out_parts(draft, head)]
        play_missed(draft, sorted(parts, key=lambda part: part.place), cause, cascade=True)
    scores_to_set = ScoresToSet(draft, cause, set_none=pays_now)
    restored = _restored_rulings(draft, cause)
    places = {ruling.earliest_place(draft.entry): in_place.numbers_read_by(ruling) for ruling in restored} | places
    found = in_place.knock_ons(draft, head, places, scores_to_set.set_values_again)
    for outcome in found if cascade else [*found]:
        if cascade and outcome.action.act != cause and in_place.would_change(draft, outcome):
            part = outcome.action, outcome.part
            amend(draft, plan_amendment(draft, part, outcome.part.root, {}, cascade=True, sketch=outcome.sketch), cause)
        else:
            ask_about(draft, outcome, cause)
    scores_to_set.set_values_again()
    for crossed in list(limits_crossed(draft, head, scores)):
        add_question(draft, crossed, cause)
    missing = missed.questions_about(missed.missed_moves(draft, head))
    lines = left_out.questions_about_lines(left_out.left_out_parts(draft, head))
    for event in [*missing, *lines, *reasons.contradictions(draft, head)]:
        add_question(draft, event, cause)
    reasons.close_questions(draft, cause)


class ScoresToSet:
    """The changes that set a score by hand, from the first corrected entry on, in order of place."""

    def __init__(self, draft: BookDraft, cause: int, *, set_none: bool = False) -> None:
        first = min((since for _, _, since in draft.corrected_rows(draft.head_before)), default=None)
        changes = () if first is None or set_none else draft.search((events.ScoreAdjusted.type,), first, ("sets",))
        earlier = (entry for entry in changes if entry.seq <= draft.head_before and entry.raw["sets"])
        self._waiting = deque(sorted(earlier, key=lambda entry: (entry.since, entry.seq)))
        self._draft, self._cause = draft, cause

    def set_values_again(self, before: int = BOUND) -> None:
        """Redo each change before place `before` that set a value, if a correction has altered this value.

        If the rules no longer allow the change, the value stays as the correction left it.
        """
        while self._waiting and self._waiting[0].since < before:
            entry = self._waiting.popleft()
            if not self._draft.is_struck(entry.act) and self._has_changed_value(entry):
                try:
                    plan = plan_amendment(self._draft, actions.part_of(self._draft, entry.seq), entry.seq, {})
                except LedgerError:
                    continue
                amend(self._draft, plan, self._cause)

    def _has_changed_value(self, entry: Entry) -> bool:
        event = entry.event
        assert isinstance(event, events.ScoreAdjusted)  # noqa: S101  only these were searched
        now, then = (self._draft.as_of(entry.since + 1, known) for known in (None, self._draft.head_before))
        values = event.sets.items()
        return any(then.balance(event.who, full) == value != now.balance(event.who, full) for full, value in values)


def play_missed(draft: BookDraft, moves: Sequence[MissedPart], cause: int, *, cascade: bool) -> None:
    """Play missed parts: amend each action that lacks some of them, and add these parts to the action.

    With `cascade`, the other parts of the action are also played again if their results change.
    """
    for act in dict.fromkeys(draft.entry(move.start).act for move in moves):
        in_action = [move for move in moves if draft.entry(move.start).act == act != cause]
        if any(missed.decide_missed(draft, moves, move, cause) for move in in_action):
            start = in_action[0].start
            part = actions.part_of(draft, start)
            plan = plan_amendment(draft, part, start, {}, cascade=cascade, moves=tuple(moves))
            amend(draft, plan, cause)


def _strike_completions(draft: BookDraft, head: int, cause: int, how: StrikeKind) -> None:
    """Strike moves (like armor checks) that completed an earlier move, if corrections removed the earlier result."""
    if not _may_be_completed(draft, head):
        return
    for outcome in in_place.knock_ons(draft, head, {}):
        if outcome.result == "refused" and outcome.action.act != cause and _has_lost_its_start(outcome):
            draft.add(actions.strike_of(draft, outcome.action.act, draft.next, how), cause)


def _has_lost_its_start(outcome: in_place.KnockOn) -> bool:
    """Return True for a move that completes an earlier move, if the mark from the earlier move is gone."""
    command = outcome.part.command
    gone = {full.rpartition("/")[2] for marks in outcome.numbers.values() for full in marks if marks[full] is None}
    return isinstance(command, PlayMove) and not gone.isdisjoint(command.move.completes)


def _may_be_completed(record: Record, head: int) -> bool:
    """Return True if a correction after entry `head` changed a mark that any installed move `completes`.

    This quick test reads no entries.
    """
    changed = {full for _, full, _ in record.corrected_rows(head)}
    games = filter(None, map(systems.installed, {full.partition("/")[0] for full in changed if "/" in full}))
    return any(
        f"{game.name}/{name}" in changed for game in games for move in game.rulebook().moves for name in move.completes
    )


def _rulings_and_scores_to_recheck(
    draft: BookDraft, waiting: Iterable[int]
) -> tuple[dict[int, in_place.ReadNames], set[tuple[str, str]]]:
    """Return the rulings and the scores to check again because of the questions in `waiting`.

    The first result maps the place of each ruling to the names that the ruling read. The second is a set of
    pairs of character and score.
    """
    places: dict[int, in_place.ReadNames] = {}
    scores = set[tuple[str, str]]()
    for seq, event in _questions_of_corrections(draft, waiting):
        struck = draft.question(seq).canceled
        if isinstance(event, events.LimitCrossed) and struck:
            scores |= {(event.who, event.score)}
        if isinstance(event, events.KnockOnFound):
            ruling = draft.entry(event.about)
            if struck or draft.is_struck(ruling.act):
                places[ruling.earliest_place(draft.entry)] = in_place.numbers_read_by(ruling)
    return places, scores


def _questions_of_corrections(record: Record, question_seqs: Iterable[int]) -> Iterator[tuple[int, events.FollowUp]]:
    """Yield each question in `question_seqs` that a correction asked: its number and its event."""
    asked = (entry for entry in map(record.entry, question_seqs) if entry.type in reasons.ASKED_TYPES)
    pairs = ((entry.seq, entry.event) for entry in asked)
    yield from ((seq, event) for seq, event in pairs if isinstance(event, events.FollowUp))


def _restored_rulings(state: State, act: int) -> Iterator[Entry]:
    """Yield the rulings that an action restored by canceling their strikes."""
    for strike in state.action(act):
        restored = {
            target
            for struck in strike.targets
            for target in actions.targets_of(state, struck)
            if not state.is_struck(target)
        }
        entries = (entry for target in sorted(restored) for entry in state.action(target))
        yield from (ruling for ruling in entries if isinstance(ruling.event, events.RulingEvent))


def ask_about(draft: BookDraft, knock_on: in_place.KnockOn, cause: int) -> None:
    """Add a question about a ruling, unless its new result is the same as the old one."""
    if knock_on.result == "same":
        return
    event = events.KnockOnFound(
        about=knock_on.part.root,
        finds=knock_on.result,
        numbers={who: dict(names) for who, names in knock_on.numbers.items()},
        verdict=knock_on.verdict,
        says=knock_on.says,
    )
    add_question(draft, event, cause)
    if in_place.has_read_a_secret(draft.entry(event.about)):
        draft.declare_secret()


def add_question(draft: BookDraft, event: events.FollowUp, cause: int) -> None:
    """Add a question. A question about a ruling closes the earlier questions about that ruling."""
    if isinstance(event, events.KnockOnFound):
        spot = spots.spot_of(draft.entry(event.about), draft.entry)
        same = [
            seq
            for seq, question in _questions_of_corrections(draft, draft.questions())
            if isinstance(question, events.KnockOnFound)
            and spots.spot_of(draft.entry(question.about), draft.entry) == spot
        ]
        event = event.replace(marks=tuple(Mark(who=QUESTIONS, name=str(seq), value=draft.next) for seq in same))
    draft.add(event, cause)


def limits_crossed(record: Record, head: int, recheck: Container[tuple[str, str]]) -> Iterator[events.LimitCrossed]:
    """Yield an event for each score that is beyond its limits because of corrections after entry `head`.

    Leave out a score if its value and limits are the same as at `head`, unless the score is in `recheck`.
    """
    late = sorted({(who, full) for who, full, _ in record.corrected_rows(head)})
    asked = _questions_of_corrections(record, record.questions() if late else ())
    waiting = [(question.who, question.score) for _, question in asked if isinstance(question, events.LimitCrossed)]
    for who, full in late:
        name, slash, short = full.partition("/")
        system = systems.installed(name) if slash else None
        score = system.score(short) if system else None
        if system is None or score is None:
            continue
        for bounded in (score.for_name(short), *system.bounded_by(short)):
            at = None if (who, f"{name}/{bounded.name}") in recheck else head
            now = value, least, most = value_and_limits(record, system, who, bounded)
            crossed = (who, f"{name}/{bounded.name}")
            if least <= value <= most or crossed in waiting:
                continue
            if at is None or now != value_and_limits(record.as_of(at + 1, at), system, who, bounded):
                waiting.append(crossed)
                yield events.LimitCrossed(who=who, score=crossed[1], value=value, least=least, most=most)
