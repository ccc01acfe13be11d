"""The story in sentences: what somebody at the table reads aloud about each action. It contains no secrets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any, Literal

from ledger import systems
from ledger.events import types as events
from ledger.events.commitments import CommittedText, Secret
from ledger.events.entry import lead_of
from ledger.events.subjects import CAMPAIGN, CAST
from ledger.journal.book import Book
from ledger.values import Struct
from projections.attempts import DETERMINERS, attempt
from projections.log import Line
from projections.phrases import deed_words, person, ruling_shown, with_names
from projections.prose import (
    PLURAL,
    capitalized,
    change_sentences,
    ended,
    listed,
    notation_in_words,
    number,
    quoted_sentence,
    sentence,
    times,
)
from projections.wording import (
    act_words,
    field_names,
    joined,
    matching,
    readable,
    score_label,
    sentence_shown,
    type_words,
    typed_words,
    value_text,
    wording_of,
)

GM = "The GM"

OPEN, SEALED = "A choice is still open.", "It is not revealed yet."
LATER = {OPEN: "The choice was made later.", SEALED: "It was revealed later."}
"""What a full chronicle says of a choice that was made, and of a sealed roll that was revealed."""


class Clause(Struct):
    """What somebody did, and how it went, as parts of a sentence.

    - `who`: the name, or "" if `did` is a sentence by itself.
    - `did`: the words after the name, in the past tense.
    - `outcome`: how it went: words that can follow the name or "it"; "" for an act that cannot fail.
    - `deed`: what was attempted, word for word, if it is not a part of `did`.
    - `then`: a sentence after it, such as what the GM ruled instead of the outcome.
    - `kind`: a deed, a note, a new day, or other bookkeeping for the appendix.
    - `each`: True if the words need "each" after several names: "Mara and Brak each gained 50 gold".
    """

    who: str
    did: str
    outcome: str = ""
    deed: str = ""
    then: str = ""
    kind: Literal["deed", "note", "day", "appendix"] = "deed"
    each: bool = False


def prose_name(book: Book, who: str) -> str:
    """Return a name for a sentence. A short name gets a capital letter."""
    if who in {"", CAMPAIGN}:
        return GM
    name = person(book, who)
    return capitalized(name) if name == who else name


def sentences_of(book: Book, line: Line) -> list[str]:
    """Tell an action in sentences. Without any words for the story, use the words of the log."""
    told = [text for clause in clauses(book, [line]) for text in _told([clause])]
    told += ["This result is disputed."] if line.disputed else []
    return told or [_logged(book, line)]


def clauses(book: Book, lines: Iterable[Line]) -> list[Clause]:
    """Return the clauses of the lines of an action, in order; an empty list for an action that the story leaves out."""
    found, deed = list[Clause](), ""
    for line in lines:
        shown = {line.seq, *(move.seq for move in line.further)}
        for entry in line.entries:
            event = ruling_shown(entry)
            deed = deed_words(event) or deed
            clause = _clause(book, event, deed) if entry.seq in shown else None
            if clause is not None:
                deed = ""
                found.append(_as_ruled(clause, line) if entry.seq == line.seq else clause)
    return [*_chained(found)]


def _as_ruled(clause: Clause, line: Line) -> Clause:
    """Return the clause without an open choice that was made, or with the GM's verdict instead of its outcome."""
    if line.overridden is None:
        return clause.replace(then=LATER[clause.then]) if line.answered and clause.then else clause
    return clause.replace(outcome="", then=f"The GM ruled: {quoted_sentence(line.overridden[1].says)}")


def _chained(found: Iterable[Clause]) -> Iterator[Clause]:
    """Join acts of one character in one action: "attacked Brak with the pistol and hit"."""
    last: Clause | None = None
    for clause in found:
        is_plain = last and not (last.outcome or last.deed or last.then or clause.outcome or clause.deed)
        if last and is_plain and last.who and (last.who, last.kind) == (clause.who, clause.kind):
            last = clause.replace(did=f"{last.did} and {clause.did}")
            continue
        if last:
            yield last
        last = clause
    if last:
        yield last


def _clause(book: Book, event: events.Event, deed: str) -> Clause | None:  # noqa: C901, PLR0911  one case per event
    who = prose_name(book, event.subject)
    match event:
        case events.MovePlayed():
            return _move_clause(book, event, who, deed)
        case events.QuestionAsked():
            done = done_words(_named(book, event))
            return _attempted(book, who, done, deed).replace(then=OPEN)
        case events.TurnRolled():
            return Clause(who=who, did=f"rolled {number(event.total)} for initiative", kind="appendix")
        case events.DiceCounted():
            return _roll_clause(book, event, who, deed)
        case events.ScoresGiven():
            gifts = listed(_amount(name, amount) for name, amount in event.amounts.items())
            why = _reason(event.why)
            return Clause(who=who, did=f"gave {prose_name(book, event.to)} {gifts}", deed=why, each=True)
        case events.ScoreAdjusted():
            return _adjustment(who, event)
        case events.DayBegun():
            return Clause(who="", did=sentence(f"{day_in_words(book, event.day)} began"), kind="day")
        case events.NoteWritten():
            is_secret = isinstance(event, events.NoteKept) and event.text.text is None
            hidden = "There is a secret note." if is_secret else "A note was erased."
            text = hidden if event.text.text is None else sentence(typed_words(event.text))
            return Clause(who="", did=text, kind="note")
        case events.RollSealed():
            return Clause(who="A sealed roll", did="was made", then=SEALED)
        case events.TurnSkipped(always=True):
            return Clause(who=prose_name(book, event.who), did="took no more turns", kind="appendix")
        case _ if type(event) in TOLD:
            return Clause(who="", did=sentence(_template(book, event)), kind="appendix")
    return None


def _reason(why: CommittedText | None) -> str:
    return "" if why is None or why.text is None else typed_words(why)


def _adjustment(who: str, event: events.ScoreAdjusted) -> Clause:
    why, changed = _reason(event.why), changes_in_words("", event.amounts, complete=True)
    if len(changed) == 1 and not changed[0].startswith("'"):
        return Clause(who=who, did=changed[0].strip(" ."), deed=why, kind="appendix", each=True)
    told = " ".join(changes_in_words(who, event.amounts, complete=True)) or f"The numbers of {who} stayed the same."
    return Clause(who="", did=f"{told[:-1]}: {quoted_sentence(why)}" if why else told, kind="appendix")


def day_in_words(book: Book, day: int) -> str:
    """Return a day of the campaign with its date, if there is a calendar."""
    from ledger.commands.calendar import date_in  # few entries need it

    date = date_in(book.calendar(), day)
    return f"day {day}{f' ({date})' if date else ''}"


TOLD: Mapping[type[events.Event], str] = {
    events.CharacterJoined: "{who} got a sheet for {system}",
    events.CharacterLeft: "{who} left the table",
    events.CharacterReturned: "{who} came to the table",
    events.NpcsSeated: "{names} came to the table until the end of the session",
    events.SessionOpened: "session {number} began: {title}",
    events.SessionClosed: "session {number} ended",
    events.SceneSet: "a new scene began: {title}",
    events.TurnAdded: "{who} had initiative {number}",
    events.TurnBegan: "in round {round}, it was {who}'s turn",
    events.TurnSkipped: "in round {round}, {who}'s turn was skipped",
    events.TurnsEnded: "the turn order ended",
}
"""The sentences for events that need only their fields."""


def _template(book: Book, event: events.Event) -> str:
    values = {name: getattr(event, name) for name in field_names(TOLD[type(event)])}
    shown = {
        name: prose_name(book, value)
        if name == "who"
        else listed(prose_name(book, each) for each in value)
        if name == "names"
        else typed_words(value)
        if name == "title"
        else str(value)
        for name, value in values.items()
    }
    return TOLD[type(event)].format_map(shown)


def _move_clause(book: Book, event: events.MovePlayed, who: str, deed: str) -> Clause | None:
    event = _named(book, event)
    wording = wording_of(event.system, event.move)
    kind: Literal["deed", "appendix"] = "appendix" if wording is not None and wording.appendix else "deed"
    story = story_words(event)
    if story == "":
        return None
    if story and story[0].isupper():
        return Clause(who="", did=sentence(story), kind=kind)
    if deed and event.verdict.good is not None:
        return _attempted(book, who, story or done_words(event), deed, outcome_words(event))
    if story:
        return Clause(who=who, did=story, deed=deed, kind=kind)
    outcome = "" if event.verdict.good is None else outcome_words(event)
    return Clause(who=who, did=done_words(event), outcome=outcome, deed=deed, kind=kind)


def _attempted(book: Book, who: str, done: str, deed: str, outcome: str = "") -> Clause:
    """Return the clause of an attempt. Quote the deed if its grammar is not certain."""
    if not deed:
        return Clause(who=who, did=done, outcome=outcome)
    tried = _tried_to(book, deed)
    return Clause(who=who, did=tried, deed="" if tried else deed, outcome=outcome)


def _tried_to(book: Book, deed: str) -> str:
    """Return a deed as "tried to …", with names instead of short names; "" if its grammar is not certain."""
    words = (attempt(deed) or "").split()
    for place in range(1, len(words)):
        if words[place - 1] not in DETERMINERS and book.mark(CAST, words[place]) is not None:
            words[place] = prose_name(book, words[place])
    return f"tried to {' '.join(words)}" if words else ""


def _roll_clause(book: Book, event: events.DiceCounted, who: str, deed: str) -> Clause:
    total, notation = number(event.total), notation_in_words(event.notation)
    if event.margin is not None:
        outcome = "succeeded" if event.margin >= 0 else "failed"
        return _attempted(book, who, f"rolled {notation}", deed, outcome)
    tried = _tried_to(book, deed)
    if tried:
        return Clause(who=who, did=f"{tried} and rolled {total}")
    return Clause(who=who, did=f"rolled {total}" if deed else f"rolled {event.notation} and got {total}", deed=deed)


def _named(book: Book, event: Any) -> Any:
    return with_names(event, partial(prose_name, book), (who for who in event.looked if who != CAMPAIGN))


ACTS = events.ActionStruck | events.ActionAmended | events.PlayRewound | events.VerdictOverridden
ACTS |= events.SecretRevealed
"""The corrections whose words in the log start with a verb."""


def _logged(book: Book, line: Line) -> str:
    """Return the words of the log as sentences."""
    event, says = line.event, line.says
    if isinstance(event, events.Consequence):
        says = type_words(event.kind)
    if isinstance(event, ACTS) and not says.startswith("the "):
        says = f"{prose_name(book, line.by)} {says}"
    elif isinstance(event, events.MarksSet):
        says = f"the sheet of {prose_name(book, event.who)} changed: {listed(map(_label, event.values))}"
    elif line.who not in {"", CAMPAIGN}:
        says = f"{prose_name(book, ruling_shown(lead_of(line.entries)).subject)}: {says}"
    told = [f"{capitalized(says)}: {quoted_sentence(line.deed)}" if line.deed else sentence(says)]
    told += [] if line.verdict is None else [f"The result: {ended(line.verdict.says)}"]
    return " ".join([*told, *(["The GM has to decide."] if line.waits else [])])


def story(parts: Iterable[Clause]) -> list[str]:
    """Return the sentences for clauses in order. Join those that are equal: "Mara and Brak …", "three times"."""
    joined_parts = list[list[Clause]]()
    for clause in parts:
        group = joined_parts[-1] if joined_parts else []
        if group and _is_same_act(group, clause):
            group.append(clause)
        else:
            joined_parts.append([clause])
    return [text for group in joined_parts for text in _told(group)]


def _is_same_act(group: Sequence[Clause], clause: Clause) -> bool:
    """Return True if a clause repeats the acts of a group: by the same character, or by others who fared alike."""
    first = group[0]
    if (
        not first.who
        or first.then
        or clause.then
        or first.replace(who="", outcome="") != clause.replace(who="", outcome="")
    ):
        return False
    names = {each.who for each in group}
    if names == {clause.who}:
        if _is_compound(first):
            return False
        return clause.outcome == first.outcome or (not clause.deed and clause.did.startswith(("rolled", "tried")))
    return len(names) == len(group) and clause.who not in names and clause.outcome == first.outcome


def _is_compound(clause: Clause) -> bool:
    """Return True for "tried to climb the wall and look around", to which the outcome cannot be added with "and"."""
    return " and " in clause.did or " or " in clause.did


def _told(group: Sequence[Clause]) -> list[str]:
    """Return the sentences for a group of equal acts."""
    first = group[0]
    if not first.who:
        return [first.did]
    names = [*dict.fromkeys(each.who for each in group)]
    who = capitalized(listed(names))
    if len(names) == 1 and len(group) > 1:
        return [*_repeated(who, group)]
    attempts = {1: "The attempt", 2: "Both attempts"}.get(len(names), "All attempts")
    if first.deed and not first.did:
        result = first.then or f"{attempts} {first.outcome}."
        return [f"{who} attempted this: {quoted_sentence(first.deed)} {result}"]
    each = " each" if first.each and len(names) > 1 else ""
    if first.outcome and _is_compound(first):
        return [f"{who} {first.did}. {attempts} {first.outcome}."]
    did = f"{who}{each} {first.did}{f' and {first.outcome}' if first.outcome else ''}"
    told = f"{did}: {quoted_sentence(first.deed)}" if first.deed else sentence(did)
    return [f"{told} {first.then}".strip()]


def _repeated(who: str, group: Sequence[Clause]) -> Iterator[str]:
    """Yield sentences for acts that a character repeated."""
    first = group[0]
    runs = [(outcome, len([*same])) for outcome, same in groupby(group, key=lambda each: each.outcome)]
    if first.deed and not first.did:
        attempts = "Both attempts" if len(group) == 2 else "All attempts"  # noqa: PLR2004  two
        yield f"{who} attempted this {times(len(group))}: {quoted_sentence(first.deed)} {attempts} {first.outcome}."
        return
    if len(group) == len(runs) == 2 and "." not in runs[0][0]:  # noqa: PLR2004  two
        verb = first.did.partition(" ")[0]
        yield sentence(f"{who} {first.did} and {runs[0][0]}, then {verb} again and {runs[1][0]}")
        return
    for place, (outcome, count) in enumerate(runs):
        did = f"{who} {first.did}{' again' if place else ''}{f' {times(count)}' if count > 1 else ''}"
        every = "both times" if count == 2 else "every time"  # noqa: PLR2004  two
        if not outcome:
            yield f"{did}: {quoted_sentence(first.deed)}" if first.deed else sentence(did)
        elif count == 1:
            yield sentence(f"{did} and {outcome}")
        elif "," in outcome or "." in outcome:
            yield f"{did}. {sentence(f'{every}, {who} {outcome}')}"
        else:
            yield sentence(f"{did} and {outcome} {every}")


def changes_in_words(who: str, amounts: Mapping[str, int], *, complete: bool = False) -> list[str]:
    """Return sentences about the changed scores of a character. The keys of `amounts` are the scores' full names.

    Leave out scores that only the rules keep track of, unless the sentences must be `complete`.
    """
    told = [(full, amount) for full, amount in amounts.items() if amount and (complete or unit_words(full) is not None)]
    return change_sentences(who, [(_counted(full, amount), _label(full), amount) for full, amount in told])


def _label(full: str) -> str:
    if full.endswith(".max"):
        of = full.removesuffix(".max")
        return f"maximum {(unit_words(of) or ('', ''))[1] or _label(of)}"
    return score_label(full).replace(".", " ").replace("-", " ")


def _counted(full: str, amount: int) -> str:
    """Return an amount of a score, such as "five hit points"; "" if it is not certain that the score can be counted."""
    one, many = unit_words(full) or ("", "")
    label = _label(full)
    if not many and abs(amount) != 1 and PLURAL.fullmatch(label):
        many = label
    unit = one if abs(amount) == 1 else many
    return f"{number(abs(amount))} {unit}" if unit else ""


def _amount(full: str, amount: int) -> str:
    return _counted(full, amount) or f"{number(amount)} {_label(full)}"


def unit_words(full: str) -> tuple[str, str] | None:
    """Return the words for 1 of a score, and for several. Each is "" without words for it.

    Return `None` for a score whose changes the recap leaves out.
    """
    system, _, name = full.partition("/")
    game = systems.installed(system)
    family, _, own = name.partition(".")
    units = game.units if game else {}
    found = units.get(name, units.get(f"{family}.*", ("", "")) if own else ("", ""))
    return found and (found[0].format(own), found[1].format(own))


def story_words(event: events.MovePlayed) -> str | None:
    """Return all that the recap says of a move after the character's name; "" to leave it out.

    Return `None` if the game has no such text for this verdict.
    """
    wording = wording_of(event.system, event.move)
    match = matching(wording.story, event.verdict.says) if wording else None
    if match is None:
        return None
    text, parts = match
    values = _story_values(event.inputs, (text,))
    return _filled(text, parts or (), values) if field_names(text) <= {*values, "", *map(str, range(9))} else None


def done_words(event: events.MoveEvent) -> str:
    """Return the act of the character, for the recap: "rolled for stealth"."""
    wording = wording_of(event.system, event.move)
    if wording and wording.did:
        return joined(wording.did, _story_values(event.inputs, wording.did)) or "rolled the dice"
    act = act_words(event.system, event.move, event.inputs)
    is_attempt = not isinstance(event, events.MovePlayed) or event.verdict.good is not None
    return f"{'rolled for' if is_attempt else 'played'} {act}"


def outcome_words(event: events.MovePlayed) -> str:
    """Return how an attempt went, for the recap: "failed badly"."""
    says, outcome = event.verdict.says, "succeeded" if event.verdict.good else "failed"
    game = systems.installed(event.system)
    text, parts = (matching(game.outcomes, says) if game else None) or ("", None)
    if text:
        return _filled(text, parts or (), {"outcome": outcome})
    return outcome if says in {"success", "failure"} else f"{outcome}: {sentence_shown(event.system, says)}"


def _story_values(inputs: Mapping[str, Any], pieces: Sequence[str]) -> dict[str, str]:
    values = {name: readable(inputs[name]) for name in field_names(*pieces) if inputs.get(name)}
    return {name: _story_text(value) for name, value in values.items() if not isinstance(value, Secret)}


def _story_text(value: Any) -> str:
    if isinstance(value, list):
        return listed(map(_story_text, value))
    if type(value) is int:
        return number(value)
    return notation_in_words(value_text(value))


def _filled(text: str, parts: Sequence[str], values: Mapping[str, str]) -> str:
    return text.format(*(number(int(part)) if part.isdecimal() else part for part in parts), **values)
