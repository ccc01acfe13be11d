"""Deeds: what people typed about an attempt, as a clause of the story: "tried to hide", "made a roll for the chest"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ledger.events.entry import Entry, lead_of
from ledger.events.subjects import CAST
from ledger.events.types import MoveEvent
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book
from ledger.rules.system import Wording
from projections.attempts import FRAME_PATTERN, attempt, is_thing, question
from projections.clauses import FINDING_OUT, NO_PURPOSE, Clause, as_done, has_no_purpose, with_outcome
from projections.past_clauses import clause_in_reason
from projections.phrases import deed_words
from projections.prose import (
    ABOUT_ROLL_PATTERN,
    NAMED_ROLL_PATTERN,
    PLURAL_NOUN_PATTERN,
    PURPOSE_PATTERN,
    ROLL_PATTERN,
    SHORT_PURPOSE_PATTERN,
    TASK_PATTERN,
    capitalized,
    notation_in_words,
    tidied,
)
from projections.prose_names import CHARACTER_KINDS, prose_name, with_prose_names
from projections.reasons import after_doing, has_verb, with_article
from projections.targets import with_task_thing
from projections.verbs import NOUNS, VERBS, gerunds, infinitives_by_third_person
from projections.word_lists import (
    AUXILIARIES,
    DETERMINERS,
    MOTION_PREPOSITIONS,
    PREPOSITIONS,
    QUESTION_WORDS,
    THING_NOUNS,
)
from projections.wording import wording_of


def attempt_clause(book: Book, who: str, done: str, deed: str, outcome: str = "") -> Clause:
    """Return the clause of an attempt: the act `done` with its deed. Quote the deed if its grammar is not certain."""
    if not deed:
        return Clause(who=who, did=done, outcome=outcome)
    if save := SAVE_PATTERN.fullmatch(deed):
        deed, done = save["cause"], done if done.endswith(" save") else tidied(f"made a {save['name'] or ''}save")
    deed = with_task_thing(deed, done.removeprefix("worked on the "))
    if asked := question(deed):
        is_cause = done.endswith(" save") and asked.startswith("when ")
        return Clause(who=who, did=f"{done} {asked}" if is_cause else f"{FINDING_OUT}{asked}", outcome=outcome)
    if did := _speech(deed) or _told_deed(book, deed, done) or _told_clause(deed, done):
        return _as_plain_act(Clause(who=who, did=did, outcome=outcome))
    if _is_clause(deed):
        return Clause(who=who, did=_rolled_or(done), deed=deed, outcome=outcome)
    asked = _direct_question(deed)
    if (
        SHORT_PURPOSE_PATTERN.fullmatch(deed)
        and not asked
        and (ROLL_PATTERN.fullmatch(done) or _rolled_or(done) == "rolled")
    ):
        return Clause(who=who, did=f"{_rolled_or(done)} (\u201c{deed}\u201d)", outcome=outcome)
    return Clause(who=who, did="", deed=asked or deed, outcome=outcome)


def against_target(clause: Clause, target: str) -> Clause:
    """Return a roll without a deed as a roll against its target, or as an attack: "attacked the guard with the axe"."""
    is_named = target == "" or target in clause.did or not ROLL_PATTERN.fullmatch(clause.did)
    return _as_plain_act(clause if is_named else clause.replace(did=f"{clause.did} against {target}"))


def _as_plain_act(clause: Clause) -> Clause:
    """Return an attempt in the words of the table: "swung at the guard and missed", "searched the desk, but failed"."""
    if clause.outcome and (roll := ATTACK_ROLL_PATTERN.fullmatch(clause.did)):
        whom = f" {roll['whom']}" if roll["whom"] else ""
        weapon = f" with the {roll['weapon']}" if roll["weapon"] else ""
        outcome = clause.outcome.replace("failed", "missed").replace("succeeded", "hit")
        return clause.replace(did=f"attacked{whom}{weapon}{roll['quote'] or ''}", outcome=outcome)
    act, (did, outcome) = clause.did.removeprefix("tried to "), (as_done(clause.did), clause.outcome)
    is_blow = BLOW_PATTERN.match(act) is not None
    if is_blow or ATTACK_PATTERN.match(act):
        outcome = outcome.replace("failed", "missed")
    if did and not is_blow and ATTACK_PATTERN.match(act):
        return clause.replace(did=did, outcome=outcome.replace("succeeded", "hit"))
    is_plain = did and act.partition(" ")[0] in VERBS_WITHOUT_SUCCESS
    return clause.replace(did=did if is_plain else clause.did, outcome=outcome)


ATTACK_ROLL_PATTERN = re.compile(
    r"made an? (?:(?P<weapon>(?:[a-z]+ )?[a-z]*(?:axe|bite|blade|bow|claws?|club|dagger|dart|fists?|gun|hammer|javelin|"
    r"knife|lance|mace|pistol|rapier|revolver|rifle|saber|scimitar|sling|spear|staff|sword|tail|whip))(?: attack)?|"
    r"(?:melee |ranged )?attack) roll(?: with (?:dis)?advantage)?(?P<quote> \(.+?\))?(?: (?:against|for) (?P<whom>.+))?"
)
"""A pattern for a roll that is named after a weapon, such as "made a bow roll with advantage"."""

ATTACK_PATTERN = re.compile(
    r"attack\b|(?:charge|chop|fire|fling|hack|hurl|jab|kick|lash|launch|loose|lunge|punch|shoot|slash|snap|snipe|stab|"
    r"strike|swing|swipe|throw|thrust|toss) (?:[\w'-]+ ){0,3}?at "
)
"""A pattern for attacks that hit or miss: "swing at the guard", "throw her knife at him"."""

BLOW_PATTERN = re.compile(r"(?:hit|shoot|slash|stab) (?!at\b)")
"""A pattern for attacks that are told in the past tense only if they hit, as in "stab the guard"."""

VERBS_WITHOUT_SUCCESS = frozenset((
    "apologize", "argue", "ask", "bargain", "beg", "check", "examine", "flirt", "haggle", "inspect", "investigate",
    "knock", "listen", "look", "negotiate", "peer", "plead", "scan", "scout", "search", "study", "survey",
))  # fmt: skip
"""Verbs for what one simply does. Whether it helps is a question of its own: "searched the desk, but failed"."""


def _direct_question(deed: str) -> str:
    """Return a deed that is a direct question, such as "Does he know the way?"; "" for other deeds."""
    is_asked = deed.split(maxsplit=1)[0].lower() in AUXILIARIES | QUESTION_WORDS and deed[-1].isalnum()
    return capitalized(f"{deed.rstrip('?')}?") if deed.endswith("?") or is_asked else ""


SPEECH_PATTERN = re.compile('["\u201c]([^"\u201c\u201d]+)["\u201d]\\.?')
"""A pattern for a deed that is only direct speech."""

SPEECH_VERBS = {"?": "asked", "!": "shouted", "": "said"}
"""The verbs for direct speech, by its last character. The verb for "" is the usual one."""


def _speech(deed: str) -> str:
    """Return direct speech as an act: "said “we come in peace”"; "" for other deeds."""
    found = SPEECH_PATTERN.fullmatch(deed)
    text = capitalized(found[1].strip(" .,")) if found else ""
    return f"{SPEECH_VERBS.get(text[-1], SPEECH_VERBS[''])} \u201c{text}\u201d" if text else ""


def _is_clause(deed: str) -> bool:
    """Return True for a deed with a subject and a verb of its own, such as "the ghouls start to sing"."""
    words = deed.lower().rstrip(".!").split()
    return not DETERMINERS.isdisjoint(words[:1]) and has_verb(words)


def _told_clause(deed: str, done: str) -> str:
    """Return the act `done` with a deed that is a clause: "rolled a bravery save when the ghouls started to sing"."""
    clause = clause_in_reason(deed)
    is_reason = deed.lower().startswith("because ")
    told = f", {clause}" if is_reason else f" when{clause.removeprefix('because')}"
    is_told = clause.startswith("because ") and (is_reason or done.endswith(" save"))
    return f"{_rolled_or(done)}{told}" if is_told else ""


def _names_thing(deed: str) -> bool:
    return is_thing(deed) and not _is_clause(deed)


def _rolled_or(done: str) -> str:
    return "rolled" if has_no_purpose(done) else done


def _told_deed(book: Book, deed: str, done: str) -> str:
    """Return a deed in the past tense, such as "tried to hide" or "made a locks roll for the chest".

    `done` is the act in the game's words. `deed` may be only the end of the act, such as "the chest". Return ""
    if the deed must be quoted instead.
    """
    words = deed.rstrip(".!").split()
    told_save = _told_save(book, deed, done, words) if done.endswith(" save") else ""
    return told_save or tried_to(book, deed) or _told_purpose(book, deed, done, words)


SAVE_PATTERN = re.compile(
    r"(?:an? )?(?P<name>[a-z]+ )?sav(?:e|es|ing throw) (?:against|versus|vs\.?) (?P<cause>.+)", re.IGNORECASE
)
"""A pattern for a deed that names a save and its cause, such as "wisdom save against fear"."""


NOT_THINGS = DETERMINERS | PREPOSITIONS
"""Words that are not a part of a thing without an article."""


def _told_save(book: Book, deed: str, done: str, words: Sequence[str]) -> str:
    """Return a save with its cause or its goal: "rolled a bravery save against fear"; "" for other deeds.

    The words after "to" can be a cause or a goal, so they stay as they are: "to see the dead man's face".
    """
    is_event, tried = words[0].lower() in gerunds(), tried_to(book, deed)
    if cause := with_article(words) or (words[0].lower() if is_event and len(words) == 1 else ""):
        return f"{done} against {cause}"
    if is_event and PLURAL_NOUN_PATTERN.fullmatch(words[-1]) and not {*map(str.lower, words[1:])} & NOT_THINGS:
        return f"{done} against {' '.join(words).lower()}"  # "falling grain sacks"
    if is_event and tried:
        return f"{done} when {words[0].lower()} {with_prose_names(book, ' '.join(words)).partition(' ')[2]}"
    return f"{done} {tried.removeprefix('tried ')}" if tried.startswith("tried ") else ""


def _told_purpose(book: Book, deed: str, done: str, words: Sequence[str]) -> str:
    if (who := _character_named(book, words)) is not None:
        joint = "for" if book.player_of(who) else "against"
        return f"{_rolled_or(done)} {joint} {prose_name(book, who)}"
    thing, last = with_article(words), ["", *words][-1].lower()
    is_plural = PLURAL_NOUN_PATTERN.fullmatch(last) is not None
    if thing and not (is_plural and last in infinitives_by_third_person()):
        the = "" if thing.startswith(("a ", "an ", "the ")) else "the "
        return f"{_rolled_or(done)} for {thing}" if is_plural else _told_thing(book, f"{the}{thing}", done)
    if _rolled_or(done) == "rolled" and (named := NAMED_ROLL_PATTERN.fullmatch(deed)):
        return tidied(f"made a {named['name'].lower()} {'save' if named['save'] else 'roll'}")
    if _rolled_or(done) == "rolled" and (named := ABOUT_ROLL_PATTERN.fullmatch(deed)) and _names_roll(named["name"]):
        return tidied(f"made a {named['name'].lower()} roll {with_prose_names(book, named['rest'])}")
    if done.endswith(" save") and re.fullmatch("[A-Za-z]+", deed):
        return f"{done} against {deed.lower()}"
    return _told_thing(book, deed, done) if _names_thing(deed) else _told_way(book, words)


def _names_roll(word: str) -> bool:
    """Return True for a word that is neither a verb nor a thing, such as "insight" in "insight on the guard"."""
    return word.lower() not in {
        *VERBS,
        *gerunds(),
        *infinitives_by_third_person(),
        *THING_NOUNS,
        *PREPOSITIONS,
        *DETERMINERS,
    }


def _told_way(book: Book, words: Sequence[str]) -> str:
    """Return "tried to go after her" for "after her", and "tried to get over the wall" for "over the wall".

    Return "" for other deeds.
    """
    first, *rest = [word if place else word.lower() for place, word in enumerate(words)] or [""]
    if first == "after" and (rest in ([each] for each in ("her", "him", "it", "them")) or _character_named(book, rest)):
        return tried_to(book, f"go after {' '.join(rest)}")
    return tried_to(book, f"get {first} {' '.join(rest)}") if first in MOTION_PREPOSITIONS else ""


def _character_named(book: Book, words: Sequence[str]) -> str | None:
    """Return the character if the words are only a name, such as "boss" or "the boss"."""
    name = " ".join(words).lower().removeprefix("the ")
    full = (who for who, text in book.full_names().items() if text.lower().removeprefix("the ") == name)
    return name if name in book.accounts.mark_names(CAST) else next(full, None)


def _told_thing(book: Book, deed: str, done: str) -> str:
    """Combine an act with a deed that only names a thing or a place: "made a locks roll for the chest".

    `done` is the act alone, such as "made a locks roll".
    """
    first, *rest = deed.rstrip(".!").split()
    thing = with_prose_names(book, " ".join([first.lower(), *rest]))
    purpose = PURPOSE_PATTERN.search(done)
    if purpose and (verb := purpose[purpose.lastindex or 0]) in VERBS - NOUNS:
        return f"tried to {verb} {thing}"
    if first.lower() in MOTION_PREPOSITIONS:
        before, _, last = thing.rpartition(" ")
        is_bare = last in THING_NOUNS and before.rpartition(" ")[2] in PREPOSITIONS | {"of"}
        return f"tried to get {before} the {last}" if is_bare else f"tried to get {thing}"
    did = _rolled_or(done)
    joint = "against" if did.endswith(" save") else "for"
    return f"{did} {joint} {thing}" if first.lower() in DETERMINERS else f"{did} {thing}"


def with_task(book: Book, done: str) -> str:
    """Return "tried to climb out" for "worked on the climb out". Return other acts unchanged."""
    found = TASK_PATTERN.search(done)
    tried = found and attempt(with_prose_names(book, found[1] or found[2]))
    if not (found and tried):
        return done
    verb, *thing = tried.split()
    nouns = CHARACTER_KINDS | THING_NOUNS
    tried = f"{verb} the {thing[0]}" if len(thing) == 1 and thing[0] in nouns else tried  # "climb tower"
    return f"tried to {tried}" if found[1] else f"{done[: found.start()]}how much energy it would take to {tried}"


def tried_to(book: Book, deed: str) -> str:
    """Return a deed as "tried to …", with names instead of short names; "" if its grammar is not certain."""
    tried = re.sub("^know ", "remember ", attempt(with_prose_names(book, deed)) or "")
    said = FRAME_PATTERN.sub("", deed.rstrip(".!"))
    if (again := TRYING_PATTERN.fullmatch(said)) and is_thing(again["thing"]):
        return f"tried {with_prose_names(book, again['thing'])}"
    if refrains := REFRAINING_PATTERN.fullmatch(deed):
        kept = attempt(with_prose_names(book, f"to {refrains['act']}"))
        return f"tried {'never' if refrains['never'] else 'not'} to {kept}" if kept else ""
    if re.match("pretend to ", tried):
        return tried.replace("pretend", "pretended", 1)  # "tried to pretend to be" is hard to hear
    return f"tried to {tried}" if tried else ""


TRYING_PATTERN = re.compile("tr(?:y|ies|ying) (?P<thing>.+)", re.IGNORECASE)
"""A pattern for a deed such as "tries the back door"."""

REFRAINING_PATTERN = re.compile(
    r"(?:not|(?P<never>never)|do(?:es)? not|do(?:es)?n['\u2019]t) (?:to )?(?P<act>.+)", re.IGNORECASE
)
"""A pattern for what somebody tries to avoid, as in "not be seen" and "don't slip"."""


def earlier_deed(book: Book, entry: Entry) -> str:
    """Return the deed of the earlier action that prepared a move; "" without one.

    See `deed_from` of `Wording`. In syscards, a throw without a deed takes the deed of the roll that set its rate.
    """
    event = entry.event
    if not isinstance(event, MoveEvent):
        return ""
    mark = (wording_of(event.system, event.move) or Wording()).deed_from
    before = AsOf(seq=entry.since - 1, corrected=True, known=entry.seq)
    row = book.accounts.mark_row(event.subject, f"{event.system}/{mark}", before) if mark else None
    if row is None or row.value == "null":
        return ""
    return deed_words(lead_of(book.action(book.journal.entry(row.seq).act)).event)


def rolled_clause(book: Book, who: str, total: str, deed: str, done: str = NO_PURPOSE) -> Clause:
    """Return the clause of a roll that has a total, but no success or failure.

    `deed` says what the roll is for. `done` is the act in the game's words.
    """
    if asked := question(deed):
        return Clause(who=who, did=f"rolled {total} to find out {asked}")
    told = _speech(deed) or _told_deed(book, deed, done)
    if told.startswith(("tried", "pretended", *SPEECH_VERBS.values())):
        return with_outcome(_as_plain_act(Clause(who=who, did=told)), f"rolled {total}")
    if told.startswith("rolled for "):
        return Clause(who=who, did=f"rolled {total} {told.removeprefix('rolled ')}")
    if re.fullmatch("[A-Za-z]+( damage)?|damage (from|of|to) [\\w' -]+", deed) or (
        _names_thing(deed) and deed.split(maxsplit=1)[0] in DETERMINERS
    ):
        return Clause(who=who, did=f"rolled {total} for {notation_in_words(deed.rstrip('.!'))}")
    asked = _direct_question(deed)
    if SHORT_PURPOSE_PATTERN.fullmatch(deed) and after_doing(deed) is None and not asked:
        return Clause(who=who, did=f"rolled {total} for \u201c{deed}\u201d")
    return Clause(who=who, did=f"rolled {total}", deed=asked or deed)
