"""The names of characters and players: which ones are free, and the command that changes them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain
from typing import Annotated, ClassVar

from ledger.commands.decider import PageForm, Record, State, TableCommand, TableDraft
from ledger.errors import BadInput, Flag, Nobody, Refused, quoted
from ledger.events.commitments import CommittedText
from ledger.events.subjects import CAMPAIGN, CAST, PLAYER, PLAYERS, SHORT_NAMES
from ledger.events.types import Renamed
from ledger.rules import inputs
from ledger.rules.inputs import LONGEST_NAME, RESERVED_PATTERN, Label, check_handle, checked_text
from ledger.rules.spelling import folded, normalized, skeleton

FullName = Annotated[str | None, Label(text="full name", example="Mara O'Malley"), "the full name, in any alphabet"]

PROMPT_WORD_PATTERN = r"all|again|with|npc|d[0-9]+([kd][hl][0-9]+)?"
"""The pattern of words that have another meaning at the prompt. A newly typed name cannot be one of them.

Only the code that reads typed text refuses these names. The commands accept them, because the audit also repeats the
commands of older campaigns, where characters may have such names.
"""

INVALID_FULL_NAME_PATTERN = rf"{PROMPT_WORD_PATTERN}|{RESERVED_PATTERN.pattern}|#?[0-9]+|[-@=;].*"
"""The pattern of full names that look like something else, such as an entry, a flag or dice."""


class Rename(TableCommand):
    """A command that changes the full name of a character or a player, or gives a character another short name."""

    writes: ClassVar[tuple[str, ...]] = (Renamed.type,)
    for_players: ClassVar[bool] = True
    form = PageForm(name="rename", heading="Names", button="Rename")
    who: Annotated[str, inputs.ANYBODY, Label(text="who")]
    name: Annotated[str | None, inputs.UNQUOTED_TEXT, Label(text="full name", example="Mara O'Malley")] = None
    short: Annotated[
        str | None,
        inputs.NEW_SHORT_NAME,
        Label(text="another short name"),
        "a different short name to type in commands",
    ] = None

    def decide(self, draft: TableDraft) -> None:
        is_player = draft.mark(PLAYERS, self.who) is not None
        if not (is_player or is_character(draft, self.who)):
            raise Nobody(quoted(self.who), "character")
        if self.name is None and self.short is None:
            raise BadInput("You did not type a new name.", f"Type the full name, or add {Flag('short', 'NAME')}.")
        if self.short is not None:
            if is_player:
                raise Refused("A player has no short name.", "People can type the first letters of the player's name.")
            check_new_handle(draft, self.short, self.who)
            if is_character(draft, self.short):
                raise _taken_error(self.short)
        self._check_changes(draft)
        name = (player_name if is_player else full_name)(draft, self.name, self.who) if self.name is not None else None
        draft.add(Renamed(who=self.who, name=name, short=self.short))

    def _check_changes(self, draft: TableDraft) -> None:
        before = {**draft.full_names(), **draft.players()}.get(self.who)
        has_name = self.name is None or self.name.strip() == before
        if has_name and (self.short is None or draft.mark(SHORT_NAMES, self.short) == self.who):
            raise Refused(f"{before or self.who} already has this name. Nothing was written.")

    def acting_characters(self, record: Record, seat: str) -> tuple[str, ...]:
        if record.mark(PLAYERS, self.who) is None:
            return (self.who,)
        return () if self.who == seat else (CAMPAIGN,)


def is_character(state: State, who: str) -> bool:
    """Return True if a character has this short name, even if the character left."""
    return state.mark(CAST, who) is not None or state.mark(who, PLAYER) is not None


def check_new_handle(draft: TableDraft, who: str, owner: str = "") -> None:
    """Raise `BadInput` if `who` is not a valid short name, or `Refused` if it is a name of another character.

    `owner` is the character who gets the name, or "" for a new character.
    """
    check_handle(who)
    other = draft.mark(SHORT_NAMES, who)
    if other not in {None, owner} or (not is_character(draft, who) and _is_name_of_another(draft, who, owner)):
        raise _taken_error(who)


def full_name(draft: TableDraft, name: str, who: str) -> CommittedText:
    """Return `name`, the name of `who`, as an event stores it. Raise `Refused` if it looks like another character's."""
    text = _checked_name(name)
    if re.fullmatch(INVALID_FULL_NAME_PATTERN, folded(name)):
        raise BadInput(f"{quoted(name)} cannot be the name of a character: it has another meaning in a command.")
    short = skeleton(name)
    other = draft.mark(SHORT_NAMES, short)
    if _is_name_of_another(draft, name, who) or (
        short != who and (is_character(draft, short) or other not in {None, who})
    ):
        raise _taken_error(name)
    return text


def player_name(draft: TableDraft, name: str, player: str) -> CommittedText:
    """Return `name`, the name of `player`, as an event stores it. Raise `Refused` if it looks like another player's."""
    check_player_name(name)
    text = _checked_name(name)
    both = chain(draft.players().items(), draft.former_players().items(), draft.current_players().items())
    if _looks_like_another(name, (other for seat, other in both if seat != player)):
        raise _taken_error(name)
    return text


def check_player_name(name: str) -> None:
    """Raise `BadInput` for a text that cannot be typed as a player's name, such as a text with a comma."""
    if RESERVED_PATTERN.fullmatch(name) or "," in name or name != name.strip():
        hint = (
            "A name cannot contain commas or look like a player number such as p2. It cannot start"
            " or end with a space. Add one player per command."
        )
        raise BadInput(f"{quoted(name)} cannot be a player's name.", hint)


def _checked_name(name: str) -> CommittedText:
    if not normalized(name):
        raise BadInput("A name cannot be empty.")
    return checked_text("A name", name.strip(), LONGEST_NAME)


def _is_name_of_another(draft: TableDraft, name: str, who: str) -> bool:
    both = chain(draft.full_names().items(), draft.current_full_names().items())
    return _looks_like_another(
        name, (full for other, full in both if other != who and draft.mark(PLAYERS, other) is None)
    )


def _looks_like_another(name: str, others: Iterable[str]) -> bool:
    return skeleton(name) in map(skeleton, others)


def _taken_error(name: str) -> Refused:
    return Refused(f"The name {name} is already taken.", "Choose a different name.")
