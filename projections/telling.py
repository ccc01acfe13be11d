"""The story of each action in clauses, to read aloud at the table. It contains no secrets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from ledger import systems
from ledger.commands.at_table import is_shared
from ledger.commands.play import installed_move
from ledger.corrections.questions import offer_taken_up
from ledger.events import types as events
from ledger.events.commitments import CommittedText
from ledger.events.entry import Entry, lead_of
from ledger.events.subjects import CAMPAIGN, CAST, is_npc
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book
from ledger.rules.system import Wording
from projections.circumstances import circumstances
from projections.clauses import (
    NO_PURPOSE,
    Clause,
    ClauseKind,
    as_done,
    has_no_purpose,
    with_circumstance,
    with_outcome,
    with_quote,
)
from projections.deeds import against_target, attempt_clause, earlier_deed, rolled_clause, tried_to, with_task
from projections.log import Line, ShownVerdict, override_of
from projections.move_words import (
    done_words,
    effect_words,
    outcome_as_noun,
    outcome_words,
    still_to_choose,
    story_words,
)
from projections.named_moves import with_names, with_sides
from projections.past_clauses import clause_in_reason
from projections.phrases import deed_words, ruling_shown
from projections.prose import (
    ROLL_PATTERN,
    ROLLED_FOR_PATTERN,
    ROLLED_PATTERN,
    capitalized,
    figures,
    listed,
    notation_in_words,
    quoted_sentence,
    sentence,
    tidied,
    with_period,
)
from projections.prose_names import prose_name, with_prose_names
from projections.reasons import BECAUSE, as_gerund, cause, fate, is_harm, reason_as_ending, with_reason
from projections.score_changes import (
    amount_in_words,
    changes_in_words,
    conditions_in_words,
    is_condition,
    is_told,
    is_wound,
)
from projections.targets import PLAIN_ACT_PATTERN, target_of, with_target, without_own_name, without_target
from projections.verbs import gerunds
from projections.wording import (
    field_names,
    typed_words,
    value_text,
    wording_of,
)

SEALED_SENTENCE = "The result is not revealed yet."

REVEALED_START = "A secret note was revealed: "


def clauses(book: Book, lines: Iterable[Line]) -> list[Clause]:
    """Return the clauses of the lines of an action, in order; an empty list for an action that the story leaves out."""
    found, deed = list[Clause](), ""
    for line in lines:
        shown = {line.seq, *(move.seq for move in line.further)}
        for entry in line.entries:
            event = ruling_shown(entry)
            deed = without_own_name(book, event.subject, deed_words(event)) or deed or earlier_deed(book, entry)
            clause = _clause(book, entry, event, deed) if entry.seq in shown else None
            if clause is not None:
                deed, clause = "", _with_first_result(book, entry, clause)
                clause = _as_ruled(book, clause, line, entry)
                found.append(_with_states(book, clause, line) if entry.seq == line.seq else clause)
    return [*_chained(found)]


def _as_ruled(book: Book, clause: Clause, line: Line, entry: Entry) -> Clause:
    """Replace the outcome of a clause with the GM's verdict, or say that its choice or result came later."""
    overridden = line.overridden if entry.seq == line.seq else override_of(book, line.act, entry.seq)
    if overridden is None:
        is_late = line.answered and clause.then and entry.seq == line.seq
        later = "The result was revealed later." if clause.then == SEALED_SENTENCE else "The choice was made later."
        return clause.replace(then=later) if is_late else clause
    (seq, verdict), who = overridden, clause.who or prose_name(book, ruling_shown(entry).subject)
    ruled = _ruling_with_reason(_ruling(book, who, verdict), _why(book, seq))
    if not clause.who:
        return clause.replace(did=f"{clause.did} {ruled}", kind="deed")
    return clause.replace(outcome="", then=ruled, kind="deed")


def _ruling(book: Book, who: str, verdict: ShownVerdict) -> str:
    """Return the GM's verdict on an act of `who`: "ruled it a success for Mara: she found the key"."""
    says = verdict.says.rstrip(".!")
    plain = re.fullmatch(r"(?:it )?(?:a )?(fail|succe)\w*", says, re.IGNORECASE)
    good = plain[1].lower() == "succe" if plain and verdict.good is None else verdict.good
    counts = "" if good is None else f" it {'a success' if good else 'a failure'} for {who}"
    if plain:
        return f"ruled{counts}."
    clause, done = clause_in_reason(with_prose_names(book, says)), as_done(tried_to(book, says))
    happened = clause.removeprefix("because ") or (done and f"{who} {done}") or quoted_sentence(says)
    counts = counts.removesuffix(f" for {who}") if happened.startswith(who) else counts
    return with_period(f"ruled{counts}: {happened}")


def _with_states(book: Book, clause: Clause, line: Line) -> Clause:
    """Add the wounds and states that an attempt caused to its clause, such as "Brak was poisoned"."""
    lead = ruling_shown(lead_of(line.entries))
    if not isinstance(lead, events.MovePlayed) or lead.verdict.good is None:
        return clause
    caused = [entry.event for entry in line.entries if isinstance(entry.event, events.Consequence)]
    told = [
        sentence(words)
        for event in caused
        for posting in event.postings
        if is_wound(posting.score)
        for words in changes_in_words(prose_name(book, posting.who), {posting.score: posting.amount})
    ]
    told += [sentence(f"{prose_name(book, event.who)} {words}") for event in caused if (words := effect_words(event))]
    return clause.replace(then=" ".join(filter(None, [clause.then, *told])))


def _why(book: Book, seq: int) -> str:
    """Return the reason of entry `seq`, with names instead of short names; "" if it has no words."""
    why = _text(getattr(book.entry(seq).event, "why", None))
    return _with_names(book, why) if re.search(r"[^\W\d]{2}", why) else ""


def _ruling_with_reason(ruled: str, why: str) -> str:
    """Return a sentence about a ruling of the GM. The reason comes first, because the ruling ends with a quote."""
    if because := cause(why):
        return f"{capitalized(because)}, the GM {ruled}"
    return f"The GM said \u201c{why.rstrip('.')}\u201d and {ruled}" if why else f"The GM {ruled}"


def with_why(book: Book, seq: int, told: str) -> str:
    """Add the reason of a decision in entry `seq` to the sentences that tell the decision, unless they have it."""
    why = _why(book, seq)
    because, said = cause(why), quoted_sentence(why)
    because = "" if "\u201c" in because else because
    is_act = told.endswith((KEPT_SENTENCE, *CANCELED_BY_GM))
    if not why or (because or said.rstrip(".\u201d")).lower() in told.lower():
        return told
    if not because:
        return f"{told.removesuffix('.')} and said: {said}" if is_act else f"{told} The GM said: {said}"
    if is_act:
        comma = "" if because.startswith(BECAUSE) else ","
        return sentence(f"{told.removesuffix('.')}{comma} {because}")
    if re.search(r"After a correction, the (?:attack|attempt) [\w ]+\.$", told):
        return sentence(f"{told.removesuffix('.')}, {because}")
    return f"{told} {sentence(f'this was {because}')}"


KEPT_SENTENCE = "The GM kept the result."

CANCELED_BY_GM = ("The GM canceled this.", "The GM canceled the roll.")
"""The sentences about a disputed event that the GM canceled: any event, and a roll."""


def _with_first_result(book: Book, entry: Entry, clause: Clause) -> Clause:
    """Return a clause with both results of a roll, if the character accepted an offer after the roll.

    First comes the result before the offer: "rolled a failure. Mara then paid one PK …". Without an accepted offer,
    return the clause unchanged.
    """
    event, strike = entry.event, book.journal.entry(entry.cause).event if entry.cause else None
    if not (
        isinstance(event, events.MovePlayed) and isinstance(strike, events.ActionStruck) and strike.how == "choose"
    ):
        return clause
    first = book.entry(offer_taken_up(book, strike)).event
    assert isinstance(first, events.MovePlayed)  # noqa: S101  only a ruling makes an offer
    wording = wording_of(event.system, event.move) or Wording()
    accepted = [text for name, text in wording.offers.items() if event.inputs.get(name) != first.inputs.get(name)]
    before, now = _result_words(first), _result_words(event)
    if not (accepted and before and now):
        return clause
    is_bare = not clause.outcome or has_no_purpose(clause.did)
    rolled = f"{'got' if ROLL_PATTERN.fullmatch(clause.did) and not is_bare else 'rolled'} {outcome_as_noun(before)}"
    first_told = clause.replace(did=rolled, outcome="") if is_bare else with_outcome(clause.replace(outcome=""), rolled)
    outcome = outcome_as_noun(now)
    result = f", but it was still {outcome}" if before == now else f" and got {outcome}"
    then = sentence(f"{clause.who} then {listed(accepted)}{result}")
    return first_told.replace(then=f"{first_told.then} {then}".strip())


def _result_words(event: events.MovePlayed) -> str:
    return story_words(event) or ("" if event.verdict.good is None else outcome_words(event))


def _chained(found: Iterable[Clause]) -> Iterator[Clause]:
    """Join acts of one character in one action: "attacked Brak with the pistol and hit"."""
    last: Clause | None = None
    for clause in found:
        is_plain = last and not (last.outcome or clause.outcome or clause.deed)
        has_one = last and not (last.then and clause.then)
        if last and is_plain and has_one and last.who and (last.who, last.kind) == (clause.who, clause.kind):
            joint = ", and" if ", " in last.did else " and"
            did = f"{last.did}{joint} {clause.did}"
            last = clause.replace(did=did, deed=last.deed, then=last.then or clause.then)
            continue
        if last:
            yield last
        last = clause
    if last:
        yield last


def _clause(book: Book, entry: Entry, event: events.Event, deed: str) -> Clause | None:  # noqa: C901, PLR0911, PLR0912  one case per event
    who = prose_name(book, event.subject)
    match event:
        case events.MovePlayed():
            return _move_clause(book, event, who, deed)
        case events.QuestionAsked():
            done = done_words(event_with_names(book, event))
            tried = attempt_clause(book, who, done, with_target(deed, target_of(book, event)))
            return tried.replace(then=f"{tried.then} {still_to_choose(who, event)}".strip())
        case events.TurnRolled():
            return Clause(who=who, did=f"rolled {figures(event.total)} for initiative", kind="appendix")
        case events.DiceCounted():
            return _roll_clause(book, event, who, deed)
        case events.ScoresGiven():
            gifts = listed(amount_in_words(name, amount) for name, amount in event.amounts.items())
            to = prose_name(book, event.to)
            if is_npc(book.mark(CAST, event.who)) or (is_shared(book, event.who) and not is_shared(book, event.to)):
                return _with_reason(book, Clause(who=to, did=f"received {gifts} from {who}"), _text(event.why))
            return _with_reason(book, Clause(who=who, did=f"gave {to} {gifts}"), _text(event.why))
        case events.ScoreAdjusted():
            return _adjustment(book, who, event)
        case events.MarksSet():
            return _conditions_clause(book, entry, event)
        case events.DayBegun():
            return Clause(who="", did=day_in_words(book, event.day), kind="day")
        case events.NoteWritten():
            is_secret = isinstance(event, events.NoteKept) and event.text.text is None
            hidden = "There is a secret note." if is_secret else "A note was erased."
            if event.text.text is None:
                return Clause(who="", did=hidden, kind="note")
            quote = quoted_sentence(capitalized(typed_words(event.text)))
            return Clause(
                who="", did=f"{REVEALED_START if isinstance(event, events.NoteKept) else ''}{quote}", kind="note"
            )
        case events.RollSealed():
            return Clause(who="A sealed roll", did="was made", then=SEALED_SENTENCE)
        case events.TurnSkipped(always=True):
            out = Clause(who=prose_name(book, event.who), did="left the turn order", kind="appendix")
            return _with_reason(book, out, _text(event.why))
        case events.InitiativeSet():
            did = f"From then on, everybody rolled initiative {'in each round' if event.each_round else 'only once'}."
            return Clause(who="", did=did, kind="appendix")
        case events.CharacterLeft(why=why) if reason := _text(why):
            happened = fate(_with_names(book, reason))
            return _with_reason(book, Clause(who=who, did=happened or "left"), "" if happened else reason)
        case _ if type(event) in STORY_SENTENCES:
            return Clause(who="", did=sentence(_template(book, event)), kind="appendix")
    return None


def _with_reason(book: Book, clause: Clause, reason: str) -> Clause:
    """Return the clause with its reason: "to a stone", "after losing a bet", or a quote at the end."""
    did = with_reason(clause.did, _with_names(book, reason))
    return clause.replace(deed=reason) if did is None else clause.replace(did=did)


def _with_names(book: Book, reason: str) -> str:
    """Return a reason with names instead of short names, also at its start."""
    return with_prose_names(book, f"because {reason}").removeprefix("because ")


def _text(why: Any) -> str:
    return typed_words(why) if isinstance(why, CommittedText) and why.text is not None else ""


def _adjustment(book: Book, who: str, event: events.ScoreAdjusted) -> Clause:
    changed = changes_in_words("", event.amounts, complete=True)
    has_reason = re.search(r"[^\W\d]{2}", _text(event.why)) is not None
    kind: ClauseKind = "deed" if has_reason or any(map(is_wound, event.amounts)) else "appendix"
    kind = kind if any(is_told(full) for full, amount in event.amounts.items() if amount) else "rules"
    if len(changed) == 1 and not changed[0].startswith("'"):
        return _with_reason(book, Clause(who=who, did=changed[0].strip(), kind=kind), _text(event.why))
    phrases = changes_in_words(who, event.amounts, complete=True) or [f"the numbers of {who} stayed the same"]
    *first, last = map(capitalized, phrases)
    whole = _with_reason(book, Clause(who="", did=last), _text(event.why))
    return Clause(who="", did=" ".join([*map(with_period, first), with_quote(whole.did, whole.deed)]), kind=kind)


def _conditions_clause(book: Book, entry: Entry, event: events.MarksSet) -> Clause | None:
    """Return the clause of changed conditions, such as "was poisoned and prone"; `None` for other words on a sheet."""
    names = filter(is_condition, event.values)
    changes = [conditions_in_words(_words_before(book, entry, name), words_on_sheet(event, name)) for name in names]
    did = " and ".join(filter(None, changes))
    return _with_reason(book, Clause(who=prose_name(book, event.who), did=did), _text(event.why)) if did else None


def _words_before(book: Book, entry: Entry, name: str) -> str:
    """Return the words that a mark had before entry `entry` changed it; "" without any."""
    before = AsOf(seq=entry.since - 1, corrected=True, known=entry.seq)
    row = book.accounts.mark_row(entry.event.subject, name, before)
    event = book.entry(row.seq).event if row else None
    return words_on_sheet(event, name) if isinstance(event, events.MarksSet) else ""


def words_on_sheet(event: events.MarksSet, name: str) -> str:
    """Return the words that an event wrote on a sheet; "" if it removed them, or if they were erased."""
    value = event.values.get(name)
    text = _text(value) if isinstance(value, CommittedText) else value_text(value)
    return "" if text == "none" else re.sub(r",(?=\S)", ", ", text)


def day_in_words(book: Book, day: int) -> str:
    """Return the number of a day of the campaign, with its date if there is a calendar."""
    from ledger.commands.calendar import date_in  # few entries need it

    date = date_in(book.calendar(), day)
    return f"{day}{f' ({date})' if date else ''}"


STORY_SENTENCES: Mapping[type[events.Event], str] = {
    events.CharacterJoined: "{who} got a sheet for the game {system}",
    events.CharacterLeft: "{who} left the table",
    events.CharacterReturned: "{who} came to the table",
    events.NpcsSeated: "{names} came to the table, to stay until the end of the session",
    events.SessionOpened: "session {number} began: {title}",
    events.SessionClosed: "session {number} ended",
    events.SceneSet: "a new scene began: {title}",
    events.TurnAdded: "{who} had initiative {number}",
    events.TurnBegan: "in round {round}, it was {who}'s turn",
    events.TurnSkipped: "in round {round}, {who}'s turn was skipped",
    events.TurnDelayed: "in round {round}, {who}'s turn was delayed",
    events.RoundBegan: "round {round} began with new initiative",
    events.TurnsEnded: "the turn order ended",
    events.PlayerLeft: "{who} left the table",
    events.PlayersPresent: "{players} joined the session",
}
"""The sentences for events that need only their fields."""


def _game_title(system: str) -> str:
    game = systems.installed(system)
    return game.title.partition(":")[0] if game else system


def _template(book: Book, event: events.Event) -> str:
    values = {name: getattr(event, name) for name in field_names(STORY_SENTENCES[type(event)])}
    shown = {
        name: prose_name(book, value)
        if name == "who"
        else listed(prose_name(book, each) for each in value)
        if name in {"names", "players"}
        else typed_words(value)
        if name == "title"
        else _game_title(value)
        if name == "system"
        else str(value)
        for name, value in values.items()
    }
    return STORY_SENTENCES[type(event)].format_map(shown)


def _move_clause(book: Book, event: events.MovePlayed, who: str, deed: str) -> Clause | None:
    target = target_of(book, event)
    event = with_sides(event_with_names(book, event), partial(prose_name, book))
    wording = wording_of(event.system, event.move)
    kind: ClauseKind = "appendix" if wording is not None and wording.appendix else "deed"
    story = story_words(event)
    if story == "":
        return None
    if story and story[0].isupper():
        return Clause(who="", did=sentence(with_task(book, story)), kind=kind)
    did, is_attempt = story or done_words(event), event.verdict.good is not None
    if deed and is_attempt:
        tried = _attempt_clause(book, event, Clause(who=who, did=did, kind=kind), with_target(deed, target))
        return against_target(tried, target) if tried.did.endswith("\u201d)") else tried
    if deed:
        return _deed_clause(book, event, Clause(who=who, did=did, kind=kind), deed, target)
    clause = Clause(who=who, did=with_task(book, did), kind="appendix" if has_no_purpose(did) else kind)
    why = _text(event.inputs.get("why"))
    if not is_attempt:
        return _with_reason(book, clause, why)
    outcome = (
        ""
        if story
        else outcome_words(event).removesuffix(f" from {target}").removeprefix(f"succeeded. {capitalized(who)} ")
    )
    clause = against_target(clause.replace(outcome=outcome), target)
    told = with_circumstance(clause, circumstances(event))
    return told.replace(deed=why) if told == clause else told


def _attempt_clause(book: Book, event: events.MovePlayed, clause: Clause, deed: str) -> Clause:
    """Return the clause of a move that can fail, with its deed: "tried to hide despite the rain"."""
    wording = wording_of(event.system, event.move) or Wording()
    if wording.certain and (done := as_done(tried_to(book, deed))):
        return clause.replace(did=done)
    tried = attempt_clause(book, clause.who, clause.did, deed, outcome_words(event))
    told = with_circumstance(tried, circumstances(event))
    return told.replace(outcome="") if story_words(event) and told.did.startswith(clause.did) else told


def _deed_clause(book: Book, event: events.MovePlayed, clause: Clause, deed: str, target: str) -> Clause:
    """Return the clause of a move that cannot fail, with its deed: "took a short rest by the fire".

    If the act is a loss, an injury, a change of a sheet or a move of the GM, the deed becomes the reason: "suffered a
    minor injury from a bullet".
    """
    if rolled := ROLLED_FOR_PATTERN.fullmatch(clause.did) or ROLLED_PATTERN.fullmatch(clause.did):
        return rolled_clause(book, clause.who, rolled["total"], deed, clause.did)
    move, has_reason = installed_move(event), "why" in event.inputs
    if (has_reason and is_harm(clause.did)) or clause.kind == "appendix" or (move is not None and move.is_for_gm()):
        return _with_reason(book, clause.replace(kind="deed"), deed)
    tried = tried_to(book, deed)
    if clause.did.startswith("committed "):
        return clause.replace(did=clause.did + tried.removeprefix("tried")) if tried else clause.replace(deed=deed)
    if doing := as_gerund(tried):
        is_against, act = target != "" and target in clause.did, tried.removeprefix("tried to ")
        doing, act = (without_target(each, target) if is_against else each for each in (doing, act))
        joint = " for" if clause.did.startswith("earned ") else ","
        is_challenge = clause.did.startswith("challenged ")
        is_aim = is_challenge or (is_against and not PLAIN_ACT_PATTERN.match(doing))
        doing = f"trying to {act}" if doing and is_aim else doing  # it may fail: "trying to smash him into the wall"
        return clause.replace(did=f"{clause.did}{joint} {doing}" if doing else clause.did)
    if has_reason:
        return _with_reason(book, clause, deed)
    ending = reason_as_ending(deed)
    is_place = ending and not ending.startswith(" because") and gerunds().keys().isdisjoint(ending.split())
    return clause.replace(did=f"{clause.did}{ending}") if is_place else clause.replace(deed=deed)


def _roll_clause(book: Book, event: events.DiceCounted, who: str, deed: str) -> Clause:
    total, notation = figures(event.total), notation_in_words(event.notation)
    if event.margin is not None:
        outcome = "succeeded" if event.margin >= 0 else "failed"
        did = tidied(f"made a {notation} roll")
        did = NO_PURPOSE if has_no_purpose(did) else did
        is_plain = not deed and did == NO_PURPOSE
        return attempt_clause(book, who, did, deed, outcome).replace(kind="appendix" if is_plain else "deed")
    if deed:
        return rolled_clause(book, who, total, deed)
    did = tidied(f"rolled {total} for {notation}")
    return Clause(who=who, did=did, kind="appendix" if has_no_purpose(did) else "deed")


def event_with_names(book: Book, event: Any) -> Any:
    """Return a move with the names of the story in its inputs and its verdict."""
    return with_names(event, partial(prose_name, book), (who for who in event.looked if who != CAMPAIGN))
