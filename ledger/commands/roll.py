"""The command that rolls dice outside games."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

from ledger import systems
from ledger.commands.decider import Draft, Record, State, TableCommand
from ledger.commands.play import MoveNeeds, RollingCommand, counted_dice, record_dice
from ledger.commands.sheet import plays, settings_in_force
from ledger.errors import AmbiguousName, BadInput, Flag, Nobody, NotOnSheet, join_sorted, quoted
from ledger.events.commitments import CommittedText
from ledger.events.entry import Entry, lead_of
from ledger.events.subjects import is_seated
from ledger.events.types import DiceCounted
from ledger.rules.dice import Digits, Pool, ThrownDice
from ledger.rules.inputs import NOTATION, ROLLER, Deed, Label, SignedNumber, Typed, checked_text

if TYPE_CHECKING:
    from ledger.rules.notation import Notation

TypedFaces = Sequence[int] | Digits | None


def low_totals_succeed(state: State) -> bool:
    """Return True if the settings of any game say that a total at or below the target number succeeds."""
    games = map(systems.find, systems.names())
    return any(game.low_totals_succeed(settings_in_force(state, game)) for game in games if game.low_totals_succeed)


class RollNeeds(MoveNeeds):
    """The dice of a roll, and what `Roll.read` returned."""

    reading: tuple[Notation, dict[str, int], dict[str, int]]


class Roll(RollingCommand):
    """A command that rolls dice outside any game.

    `why` is the deed. The field has this name because entries store the deed as `why`.
    """

    writes: ClassVar[tuple[str, ...]] = (DiceCounted.type,)
    for_players: ClassVar[bool] = True
    may_repeat: ClassVar[bool] = True
    who: Annotated[str, ROLLER]
    notation: Annotated[str, NOTATION, Typed(name="pool"), Label(text="dice to roll", example="d20+2")]
    why: Annotated[Deed | None, Typed(name="for", also="why")] = None
    vs: Annotated[SignedNumber | None, Label(text="number to compare with"), "the number to compare the total with"] = (
        None
    )

    def ask(self, draft: Draft) -> MoveNeeds:
        if not plays(draft, self.who) and not is_seated(draft.mark, self.who):
            raise Nobody(quoted(self.who), "character")
        from ledger.rules.counting import check_values, pool_of  # not needed for the moves of games

        reading = notation, _, values = self.read(draft)
        if notation.times != 1:
            raise BadInput(f"{quoted(self.notation)} is {notation.times} rolls, but only one roll fits here.")
        check_values(notation, values)
        self._stored_deed()
        return RollNeeds(pool=pool_of(notation), reading=reading)

    def rule(self, draft: Draft, asked: MoveNeeds, thrown: ThrownDice | None) -> None:
        from ledger.rules.counting import count

        assert thrown is not None  # noqa: S101  a notation always asks for dice
        assert isinstance(asked, RollNeeds)  # noqa: S101  they come from `ask`
        (throw,) = record_dice(draft, self.who, thrown)
        notation, used, values = asked.reading
        result = count(notation, thrown.faces, values)
        event = DiceCounted(
            who=self.who,
            notation=notation.text,
            throw=throw,
            dice=counted_dice(thrown.dice, {place: why for place, why in enumerate(result.dropped) if why}),
            addends=result.addends,
            total=result.total,
            why=self._stored_deed(),
            scores=used,
            vs=self.vs,
            at_most=self.vs is not None and low_totals_succeed(draft),
        )
        draft.add(self.result_event(draft, event))

    def check_sheet(self, state: State) -> None:
        self.read(state)

    def _stored_deed(self) -> CommittedText | None:
        return None if self.why is None else checked_text(Flag("for"), self.why)

    def single_rolls(self, state: State, faces: TypedFaces) -> list[tuple[Self, TypedFaces]]:
        """Return each roll of a notation such as `3#d20+5`, with its share of the typed faces."""
        from ledger.rules.counting import pool_of

        notation, _, _ = self.read(state)
        if notation.times == 1 or not self.may_repeat:
            return [(self, faces)]
        single, pool = self.replace(notation=notation.text), pool_of(notation)
        if faces is None:
            return [(single, None)] * notation.times
        left = [*faces.faces(Pool(sides=pool.sides * notation.times))] if isinstance(faces, Digits) else [*faces]
        rolls = list[tuple[Self, TypedFaces]]()
        for number in range(notation.times):
            needed = len(pool.after(left).sides)
            is_last = number + 1 == notation.times  # it gets all that is left, so that unused dice are refused
            rolls.append((single, left if is_last else left[:needed]))
            left = left[needed:]
        return rolls

    def read(self, state: State) -> tuple[Notation, dict[str, int], dict[str, int]]:
        """Return the notation, and the values of its scores in two maps: by full name, and by typed word.

        If an old roll is decided again, look first among the scores that it used. Thus a typed word keeps its
        meaning even if the sheet has newer scores. Raise `NotOnSheet` for a word that is not a score, and
        `AmbiguousName` for a word that fits several scores.
        """
        from ledger.rules.cursor import NotRead

        names = state.score_names(self.who)
        earlier = [full for full in names if full in state.scores_used_before()]
        try:
            notation, named = self._read_with(earlier or names)
        except NotRead as wrong:
            if earlier:
                notation, named = self._read_with(names)
            elif not wrong.word or (wrong.word == self.notation and not names) or not plays(state, self.who):
                raise
            else:
                from difflib import get_close_matches  # only a wrong name needs it

                short = {full.partition("/")[2] for full in names}
                has = f"{self.who} has: {join_sorted(short)}." if names else f"{self.who} has no sheet with numbers."
                near = get_close_matches(wrong.word, short, n=2)
                hint = f"Did you mean {' or '.join(near)}? {has}" if near else has
                says = f"{self.who} has no score called {quoted(wrong.word)}."
                raise NotOnSheet(says, hint, lacks=wrong.word) from None
        values = {word: state.balance(self.who, full) or 0 for word, full in named.items()}
        return notation, {named[word]: value for word, value in values.items()}, values

    def _read_with(self, names: Iterable[str]) -> tuple[Notation, dict[str, str]]:
        """Return the notation, and a map from each typed word in it to the full name of the score.

        `names` has the full names of the possible scores. Raise `AmbiguousName` for a word that fits several of
        them.
        """
        from ledger.rules.expressions import score_words
        from ledger.rules.notation import read_notation

        candidates: dict[str, list[str]] = {}
        for full in names:
            for word in score_words(full):
                candidates.setdefault(word, []).append(full)
        notation = read_notation(self.notation, candidates)
        several = next((word for word in notation.scores() if len(candidates[word]) > 1), None)
        if several is not None:
            raise AmbiguousName(several, candidates[several])
        return notation, {word: candidates[word][0] for word in notation.scores()}

    def difference_from(self, entries: Sequence[Entry]) -> str | None:
        stored = self.recorded_inputs(lead_of(entries))["notation"]
        is_same = stored is not None and compact_notation(stored) == compact_notation(self.notation)
        return TableCommand.difference_from(self.replace(notation=stored) if is_same else self, entries)

    def result_event(self, draft: Draft, result: DiceCounted) -> DiceCounted:
        """Return the event to write for the result. Default: the result itself."""
        return result

    def acting_characters(self, record: Record, seat: str) -> Sequence[str]:
        return () if self.who == seat else (self.who,)


def compact_notation(notation: str) -> str:
    """Return dice notation in the form that older entries store: in lowercase letters and without blanks."""
    from ledger.rules.cursor import SIGN_SPELLINGS  # few commands roll plain dice

    return "".join(notation.split()).lower().translate(SIGN_SPELLINGS).replace("+-", "-")
