"""Who plays, and whose turn it is: what is said of it at the table, and what comes of it."""

from typing import Any

from model.edge import RULINGS, TABLE, No, Numbers, Outcome, Own, Ruling, Said, Thrown, plays, turns_ended

CAMPAIGN = "campaign"
Key = tuple[str, str]


def _check_plays(sheet: Numbers, who: str) -> None:
    if not plays(sheet, who):
        raise No("nobody")


def npc(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    session = sheet.mark(CAMPAIGN, "session")
    if session is None:
        raise No("no session is open")
    names = said.inputs["names"]
    if any(plays(sheet, who) or sheet.mark("#cast", who) is False for who in names):
        raise No("in use")
    return Outcome("npcs-seated", marks={("#cast", who): ("session", session) for who in names})


def leave(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    _check_plays(sheet, said.who)
    gone = None if isinstance(sheet.mark("#cast", said.who), tuple) else False
    return Outcome("character-left", marks={("#cast", said.who): gone})


def back(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    if sheet.mark("#cast", said.who) is not False:
        raise No("did not leave")
    return Outcome("character-returned", marks={("#cast", said.who): Own})


def add(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    _check_plays(sheet, said.who)
    return Outcome("turn-added", marks=_place(said.who, sheet, said.inputs["number"]))


def roll(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    _check_plays(sheet, said.who)
    faces, source = throw((20,))
    return Outcome("turn-rolled", (20,), faces, source, marks=_place(said.who, sheet, faces[0]))


def _place(who: str, sheet: Numbers, number: int) -> dict[Key, Any]:
    names = sheet.mark(CAMPAIGN, "turns") or ()
    added = names if who in names else (*names, who)
    return {(who, "turn"): number, (CAMPAIGN, "turns"): added}


def order(sheet: Numbers) -> list[tuple[int, str]]:
    """Numbers and names, the turn of each in its round."""
    names = sheet.mark(CAMPAIGN, "turns") or ()
    there = [(sheet.mark(who, "turn"), who) for who in names if plays(sheet, who)]
    return sorted((each for each in there if each[0] is not None), key=lambda each: each[0], reverse=True)


def begin(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    there, last = order(sheet), sheet.mark(CAMPAIGN, "turn")
    if not there:
        raise No("nobody is in the order")
    acted = sheet.mark(CAMPAIGN, "acted") or ()
    left = [each for each in there if each[1] not in acted]
    number = 1 if last is None else last[0] if left else last[0] + 1
    value, who = (left or there)[0]
    marks = {(CAMPAIGN, "turn"): (number, who, value), (CAMPAIGN, "acted"): (*(acted if left else ()), who)}
    return Outcome("turn-began", marks=marks)


def end(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    marks = turns_ended(sheet)
    if not marks:
        raise No("there is no order")
    return Outcome("turns-ended", marks=marks)


SAID: dict[str, Ruling] = {
    **TABLE,
    **RULINGS,
    "npc": npc,
    "leave": leave,
    "back": back,
    "turn": add,
    "turn-roll": roll,
    "next": begin,
    "end": end,
}


def ruled(said: Said, sheet: Numbers, throw: Thrown) -> Outcome:
    """What comes of something said, on these sheets, with dice from `throw`."""
    return SAID[said.kind](said, sheet, throw)
