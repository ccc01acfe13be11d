"""The side effects of a correction, one sentence each: what it also cancels, amends, keeps and asks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ledger.corrections.spots import is_added_by_correction
from ledger.errors import Flag, Run, entry_count
from ledger.events import types as events
from ledger.events.entry import Entry, lead_of
from ledger.events.subjects import FULL_NAMES, PLAYERS, QUESTIONS
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book
from ledger.values import Struct
from projections.log import Line, ShownVerdict, comment_entries, line, replayed_ruling
from projections.phrases import (
    MOST_NAMED,
    amendment_text,
    changed_numbers_phrase,
    describe_entry,
    name_with_owner,
    struck_together,
    tell,
)
from projections.wording import readable, sheet_value_text, type_words, typed_words

MOST_WAITING = 3
MOST_LISTED = 12
"""The maximum number of rulings to describe. A list of numbers stops after `MOST_WAITING`: "#3, #5, #8 and 4 more"."""


class SideEffect(Struct):
    """A side effect: a sentence, the new verdict if there is one, and a hint. With `waits`, somebody must answer."""

    says: str
    verdict: ShownVerdict | None = None
    waits: bool = False
    hint: str = ""


def open_questions_text(action: Line) -> str:
    """Describe the answer that an action needs, such as "choice needed"."""
    if isinstance(action.event, events.QuestionAsked):
        return "choice needed"
    if action.waits == (action.seq,):
        return "not revealed yet" if isinstance(action.event, events.RollSealed) else "decision needed"
    return f"{'open question' if len(action.waits) == 1 else 'open questions'}: {_first_numbers(action.waits)}"


def side_effects(book: Book, action: Line) -> list[SideEffect]:
    """Return the side effects of an action: further cancellations, amendments, open questions and hints."""
    struck = ((entry.seq, entry.event) for entry in action.entries)
    rewound = {seq for seq, event in struck if isinstance(event, events.ActionStruck) and event.how == "rewind"}
    grouped, told_together = _grouped_knock_ons(book, action)
    alone = (entry for entry in action.entries[1:] if entry.seq not in told_together)
    return [
        *(SideEffect(says=text) for text in _grouped_strikes(book, action)),
        *(one for entry in alone for one in _effects_of(book, action, entry, rewound)),
        *(SideEffect(says=text, waits=True) for text in grouped),
        *(SideEffect(says=text) for text in _other_editions(book, action)),
        *_changes_of_set_values(book, action),
        *_unfinished_moves(book, action),
        *(one for entry in action.entries for one in _other_effects(book, entry)),
        *(SideEffect(says=text) for text in _kept_by_rewind(book, action)),
    ]


def _grouped_knock_ons(book: Book, action: Line) -> tuple[list[str], set[int]]:
    """Return a line for each cause with more than `MOST_LISTED` knock-ons, and the entries of all these knock-ons."""
    by_cause: dict[tuple[str, str], dict[int, int]] = {}
    for entry in action.entries:
        if isinstance(entry.event, events.KnockOnFound):
            looked = [(who, full) for who, names in readable(entry.event.numbers).items() for full in names]
            cause = ", ".join(name_with_owner(book, who, full) for who, full in looked)
            by_cause.setdefault((cause, entry.event.finds), {})[entry.seq] = entry.event.about
    many = {cause: rulings for cause, rulings in by_cause.items() if len(rulings) > MOST_LISTED}
    texts = [
        KNOCK_ON_WORDS[finds].format(number=len(rulings), scores=cause, entries=_first_numbers(rulings.values()))
        + f" Each of these results opens a question. The first question is #{min(rulings)}."
        for (cause, finds), rulings in many.items()
    ]
    return texts, {seq for rulings in many.values() for seq in rulings}


def may_cascade(action: Line) -> bool:
    """Return True if a correction asks about entries that `--cascade` would redo, and was made without `--cascade`."""
    written = [entry.event for entry in action.entries]
    made = next((event for event in written[:2] if isinstance(event, events.ActionAmended | events.ActionStruck)), None)
    if made is None or made.cascade or (isinstance(made, events.ActionStruck) and made.how != "void"):
        return False
    return any(
        isinstance(event, events.MovesMissed | events.LinesMissed)
        or (isinstance(event, events.KnockOnFound) and event.finds == "otherwise")
        for event in written
    )


def why_cascade_redoes_nothing(action: Line) -> str:
    """Return a sentence which says that a correction's cascade redoes nothing, and why.

    Return "" if the cascade redoes something, or if the action has no cascade.
    """
    written = [entry.event for entry in action.entries]
    made = next((event for event in written[:2] if isinstance(event, events.ActionAmended | events.ActionStruck)), None)
    redone = (isinstance(event, events.ActionAmended) for event in written if event is not made)
    if made is None or not made.cascade or any(redone):
        return ""
    asks = any(isinstance(event, events.KnockOnFound) for event in written)
    why = "The GM must decide about the later results above." if asks else "No later result changes."
    return f"{Flag('cascade')} redoes nothing here. {why}"


def _grouped_strikes(book: Book, action: Line) -> Iterator[str]:
    """Yield a sentence for each kind of action that a strike cancels or brings back.

    If there are at most `MOST_NAMED` such actions, yield nothing, because the strike's own line names them.
    """
    strike = action.entries[0]
    if not isinstance(strike.event, events.ActionStruck) or strike.event.how == "choose":
        return
    acts = struck_together(book, strike)
    kinds: dict[str, list[int]] = {}
    for act in acts if len(acts) > MOST_NAMED else ():
        lead = lead_of(book.journal.action(act))
        event = lead.event
        kind = f"{event.system} {event.move}" if isinstance(event, events.MoveEvent) else type_words(lead.type)
        kinds.setdefault(kind, []).append(lead.seq)
    for kind, seqs in kinds.items():
        several = f"{entry_count(len(seqs))} ({kind}): {_first_numbers(seqs)}"
        entries = several if len(seqs) > 1 else describe_entry(book, seqs[0])
        yield f"brings back {entries}" if strike.event.how == "redo" else f"cancels {entries}"


KNOCK_ON_WORDS = {
    "otherwise": "{number} later results would change, because they used {scores}: {entries}.",
    "refused": ("The rules would now refuse {number} later results, because these results used {scores}: {entries}."),
    "other-dice": "{number} later results would need other dice, because they used {scores}: {entries}.",
}
"""For each effect that a correction can have on later results, the sentence about many results at once."""


def _first_numbers(seqs: Iterable[int]) -> str:
    numbers = [f"#{seq}" for seq in seqs]
    more = f" and {len(numbers) - MOST_WAITING} more" if len(numbers) > MOST_WAITING else ""
    return f"{', '.join(numbers[:MOST_WAITING])}{more}"


def _other_editions(book: Book, action: Line) -> Iterator[str]:
    """Yield a sentence for each amendment that used a different edition of the rules than the original."""
    for entry in action.entries:
        if isinstance(entry.event, events.ActionAmended):
            now, before = replayed_ruling(book, action.entries, entry, entry.event.about), book.entry(entry.event.about)
            editions = [other.event.edition for other in (now, before) if isinstance(other.event, events.MoveEvent)]
            if len(set(editions)) > 1:
                edition, old_edition = editions
                yield f"#{now.seq} uses edition {edition} of the rules, but #{before.seq} used edition {old_edition}"


def _kept_by_rewind(book: Book, action: Line) -> Iterator[str]:
    if isinstance(action.event, events.PlayRewound):
        from ledger.corrections.undoing import kept_actions  # lazy import: most commands correct nothing

        staying = [describe_entry(book, act) for act in kept_actions(book, action.event.to, action.seq)]
        more = f" and {len(staying) - MOST_LISTED} more" if len(staying) > MOST_LISTED else ""
        if staying:
            yield f"A rewind does not cancel these entries: {', '.join(staying[:MOST_LISTED])}{more}."


def _changes_of_set_values(book: Book, action: Line) -> Iterator[SideEffect]:
    """Yield a side effect for each score that somebody set by hand, if the correction changes the value."""
    first, last = action.entries[0].seq, action.entries[-1].seq
    for moved in action.moved if isinstance(action.event, events.Correction) else ():
        rows = (row for row in book.accounts.postings(moved.who, moved.score) if row.seq < first)
        for entry in (book.journal.entry(row.seq) for row in rows):
            event = entry.event
            value = event.sets.get(moved.score) if isinstance(event, events.ScoreAdjusted) else None
            if value is None or book.is_struck(entry.act):
                continue
            then, now = (
                book.accounts.balance(moved.who, moved.score, AsOf(seq=entry.since, corrected=True, known=known))
                for known in (first - 1, last)
            )
            if value == then != now:
                change, score = describe_entry(book, entry.seq), name_with_owner(book, moved.who, moved.score)
                old, new = sheet_value_text(value), sheet_value_text(now)
                yield SideEffect(says=f"{change} set {score} to {old}. With this correction, the value becomes {new}.")


def _set_values(book: Book, seq: int) -> str:
    """Describe the scores that a change by hand set, with their new values; "" for any other entry."""
    event = book.entry(seq).event
    if not isinstance(event, events.ScoreAdjusted):
        return ""
    names = {full: name_with_owner(book, event.who, full) for full in event.sets}
    return ", ".join(f"{names[full]} to {sheet_value_text(value)}" for full, value in event.sets.items())


def _unfinished_moves(book: Book, action: Line) -> Iterator[SideEffect]:
    """Yield a side effect for each move that a correction left unfinished, such as an attack that now hits."""
    if not isinstance(action.event, events.Correction):
        return
    from projections.questions import (  # lazy import: most commands correct nothing
        SHEET_QUESTION_TYPE,
        unfinished_moves,
    )

    last = action.entries[-1].seq
    for task in unfinished_moves(book, action.seq):
        if task.type == SHEET_QUESTION_TYPE and task.then is not None and task.seq <= last:
            says = f"#{task.seq} {task.name} {task.says}."
            yield SideEffect(says=says, waits=True, hint=f"To continue: {Run(task.then)}")


def _effects_of(book: Book, action: Line, entry: Entry, rewound: set[int]) -> Iterator[SideEffect]:
    """Yield the side effects that one entry of a correction has.

    `rewound` has the numbers of the entries that cancel actions for a rewind.
    """
    match entry.event:
        case events.FollowUp():
            yield SideEffect(says=f"#{entry.seq} {_subject(book, entry.event)}{tell(book, entry)}.", waits=True)
        case events.QuestionAsked() if entry.seq != action.seq and entry.seq in action.waits:
            from projections.questions import question_in_words  # lazy import: most moves ask no question

            who, question = _subject(book, entry.event), question_in_words(book, entry)
            yield SideEffect(says=f"#{entry.seq} {who}{question}; choice needed.", waits=True)
        case events.ActionAmended(about=about) as event if not event.inputs and (kept := _set_values(book, about)):
            change = describe_entry(book, about)
            yield SideEffect(says=f"{change} still sets {kept}")
        case events.ActionAmended() as event:
            again = line(book, [other for other in action.entries if other.seq >= entry.seq])
            amended, changes = describe_entry(book, event.about), amendment_text(book, event)
            says = f"amends {amended}{changes}"
            yield SideEffect(says=says, verdict=again.verdict)
        case events.ActionStruck(how="rewind" | "void" | "undo", strikes=act) if entry.cause is not None:
            yield SideEffect(says=f"cancels {describe_entry(book, act)}")
        case events.MovePlayed() | events.ScoreAdjusted() | events.ScoresGiven() | events.MarksSet() if (
            is_added_by_correction(entry, book.journal.entry)
        ):
            added = describe_entry(book, entry.seq)
            yield SideEffect(says=f"adds {added} (in effect from #{entry.since} on)")
        case events.QuestionClosed():
            yield SideEffect(says=tell(book, entry))
        case _ if entry.since < entry.seq and entry.cause in rewound:
            kept = describe_entry(book, entry.seq)
            yield SideEffect(says=f"keeps {kept} (in effect from #{entry.since} on)")


def unchanged_rulings(book: Book, first: int) -> list[str]:
    """Describe the later rulings that keep their result although a correction changes the numbers that they used.

    Call this during a dry run, before the correction is in the file. `first` is the first entry of the correction.
    """
    from ledger.corrections.in_place import knock_ons  # lazy import: most commands correct nothing

    candidates = knock_ons(book, first - 1, {})
    same = [stale for stale in candidates if stale.result == "same"]
    used = (changed_numbers_phrase(book, stale.part.root, stale.numbers) for stale in same)
    texts = [f"{ruling}; the result is the same" for ruling in used]
    more = _first_numbers(stale.part.root for stale in same[MOST_LISTED:])
    return [*texts[:MOST_LISTED], *([f"More rulings with the same result: {more}"] if more else [])]


def _subject(book: Book, event: events.Event) -> str:
    who = event.subject
    return f"{book.name_of(who)} " if who else ""


def _other_effects(book: Book, entry: Entry) -> Iterator[SideEffect]:
    match entry.event:
        case events.ActionAmended(about=amended):
            for comment in comment_entries(book, book.journal.entry(amended).act):
                if isinstance(comment.event, events.VerdictOverridden):
                    says = (
                        f"#{comment.seq} overrode only the old result; to override the new result too, use"
                        " override again"
                    )
                    yield SideEffect(says=says)
        case events.PlayerSeated(player=player, name=name) if entry.since < entry.seq:
            counts = book.entry(book.mark(FULL_NAMES, player) or book.mark(PLAYERS, player) or entry.seq)
            if isinstance(counts.event, events.PlayerSeated | events.Renamed) and counts.since > entry.since:
                old_name = book.name_of(player)
                if old_name != typed_words(name):
                    says = f"#{counts.seq} still has the name {old_name}; to change it there, amend #{counts.seq}"
                    yield SideEffect(says=says)
        case events.ActionStruck(how=how, strikes=first) if how != "amend":
            members = [member for act in entry.targets for member in book.journal.action(act)]
            yield from (SideEffect(says=says) for says in _further_effects(book, members, first))
            asked = dict.fromkeys(member.settled_question for member in members)
            again = (question for question in asked if question and book.question(question).is_open)
            yield from (SideEffect(says=f"question #{question} is open again", waits=True) for question in again)


def _further_effects(book: Book, canceled: Sequence[Entry], first: int) -> Iterator[str]:
    """Describe the further effects of canceling these entries. `first` is the action that was canceled directly."""
    reveals = [entry for entry in canceled if isinstance(entry.event, events.SecretRevealed)]
    for secret in (describe_entry(book, entry.seq) for entry in reveals):
        yield f"{secret}: the players have seen this secret, and a correction cannot hide it again"
    joins = (entry.event for entry in canceled if isinstance(entry.event, events.CharacterJoined))
    yield from filter(None, (_remaining_values(book, join) for join in joins))
    moves = ((entry.act, entry.event) for entry in canceled if isinstance(entry.event, events.MovePlayed))
    for act in dict.fromkeys(act for act, move in moves if move.answers is not None and act != first):
        yield f"{describe_entry(book, act)} is canceled too"
    settled = filter(None, (book.mark(QUESTIONS, str(entry.seq)) for entry in canceled))
    decisions = ((seq, book.journal.entry(seq).event) for seq in settled)
    adjusted = (
        seq for seq, event in decisions if isinstance(event, events.QuestionDecided) and event.choice == "adjust"
    )
    for decision in (describe_entry(book, seq) for seq in adjusted):
        yield f"{decision} adjusted a score; that change still counts"


def _remaining_values(book: Book, join: events.CharacterJoined) -> str:
    """Describe the scores that keep a value although their sheet was canceled.

    Return "" if there are no such scores, or if the character has a new sheet in this game.
    """
    prefix = f"{join.system}/"
    if book.mark(join.who, f"{prefix}sheet"):
        return ""
    scores = ((full, book.balance(join.who, full)) for full in book.accounts.scores(join.who, prefix))
    counts = ", ".join(f"{full.removeprefix(prefix)} {sheet_value_text(value)}" for full, value in scores if value)
    return counts and (
        f"these values of {book.name_of(join.who)} still count, even without the sheet in {join.system}: {counts}"
    )
