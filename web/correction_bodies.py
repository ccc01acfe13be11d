"""Correcting: the bodies of choices after the dice and of what is said about earlier entries."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator

from ledger.corrections.actions import part_of
from ledger.corrections.answers import Assert, Choose, Decide, Dispute, Override, Take
from ledger.corrections.questions import offering_ruling, question_of, stored_choice
from ledger.corrections.seals import Reveal
from ledger.corrections.undoing import Amend, Redo, Rewind, Undo, Void, undone_next
from ledger.errors import BadInput
from ledger.events.types import DisputeRaised, KnockOnFound
from ledger.journal.book import Book
from ledger.reading.move_inputs import choice_of, chosen_inputs
from ledger.reading.names import Names, whole_numbers
from projections.log import Line, by_others_since, line
from web.campaign import Campaign, Submission
from web.people import Person
from web.problems import OthersWrote
from web.requests import Body, ByName, Faces, Text, Words, changes, none_if_empty, typed_values

MOST_UNDONE = 20


class ChooseBody(Body):
    """Make the choice that waits after the dice, or take up an offer."""

    entry: int
    inputs: dict[str, Any] = {}
    faces: Faces = None

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The choice; refuses one that leaves out what is asked."""
        ruling = offering_ruling(names.book, names.entry(str(self.entry)))
        asked = (ruling or question_of(names.book, self.entry)).seq
        fields = {field.name: field for field in choice_of(names.book, asked)}
        typed = typed_values(fields.values(), self.inputs)
        given = {name: value for name, value in typed.items() if value not in (None, (), False)}
        if not given or (ruling is None and len(given) < len(fields)):
            raise BadInput("Enter your choice.")
        if ruling is not None:
            return [(Take(ruling=asked, chosen=given), self.faces)]
        return [(Choose(question=asked, chosen=chosen_inputs(fields.values(), given)), self.faces)]


class UndoBody(Body):
    """Undo one's own last actions; where others wrote since, only if it says `anyway`."""

    count: int = 1
    anyway: bool = False

    def check(self, book: Book, person: Person) -> None:
        """Refuse (`OthersWrote`) to take back what others may have gone on from."""
        earliest = list(islice(undone_next(book, person.seat), max(self.count, 1)))[-1:]
        others = [one for act in earliest for one in by_others_since(book, act, person.seat)]
        if others and not self.anyway:
            raise OthersWrote(_short_line(line(book, book.action(earliest[0]))), map(_short_line, others))

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """An undo for each."""
        if not 1 <= self.count <= MOST_UNDONE:
            raise BadInput(f"You can undo your last 1 to {MOST_UNDONE} actions, not {self.count}.")
        return [(Undo(), None)] * self.count


def _short_line(action: Line) -> str:
    return " ".join(filter(None, (f"#{action.seq}", action.who, action.says)))


class RedoBody(Body):
    """Bring back what was undone last."""

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The redo."""
        return [(Redo(), None)]


class DisputeBody(Body):
    """Object to an entry."""

    entry: int
    claim: str

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The dispute of whoever says it."""
        return [(Dispute(about=names.entry(str(self.entry)), player=person.seat, claim=self.claim), None)]


class AssertBody(Body):
    """Say what the paper sheet says."""

    who: str
    scores: ByName

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The claims."""
        who = names.character(self.who)
        return [(Assert(who=who, claimed=names.scores(who, whole_numbers(self.scores))), None)]


class RevealBody(Body):
    """Reveal what was sealed or kept."""

    entry: int

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The reveal."""
        return [(Reveal(entry=names.entry(str(self.entry))), None)]


class VoidBody(Body):
    """Cancel the action of an entry."""

    asks: ClassVar[bool] = True
    entry: int
    why: str

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The void."""
        act = names.book.entry(names.entry(str(self.entry))).act
        return [(Void(strikes=act, why=self.why), None)]


class RewindBody(Body):
    """Cancel everything that was played after an entry."""

    asks: ClassVar[bool] = True
    to: int
    why: Text = None

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The rewind."""
        return [(Rewind(to=names.entry(str(self.to)), why=self.why), None)]


class AmendBody(Body):
    """Play an entry again in its place, as it should have been said."""

    asks: ClassVar[bool] = True
    entry: int
    why: str
    inputs: dict[str, Any] = {}
    without: Words = []
    faces: Faces = None
    cascade: bool = False

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The amendment."""
        seq = names.entry(str(self.entry))
        inputs, faces = changes(names, seq, self.inputs, self.without, self.faces)
        return [(Amend(named=seq, inputs=inputs, faces=faces, cascade=self.cascade, why=self.why), None)]


class OverrideBody(Body):
    """Decide against the dice."""

    asks: ClassVar[bool] = True
    entry: int
    verdict: str
    good: Annotated[bool | None, BeforeValidator(none_if_empty)] = None
    why: str

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The override."""
        about = part_of(names.book, names.entry(str(self.entry)))[1].root
        return [(Override(about=about, verdict=self.verdict, good=self.good, why=self.why), None)]


class DecideBody(Body):
    """Decide what a question asks."""

    asks: ClassVar[bool] = True
    entry: int
    choice: str
    why: str
    inputs: dict[str, Any] = {}
    without: Words = []
    faces: Faces = None
    cascade: bool = False

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The decision; what is said otherwise goes with amend alone."""
        question = question_of(names.book, names.entry(str(self.entry)))
        choice = stored_choice(question, self.choice)
        about = question.event.about if isinstance(question.event, DisputeRaised | KnockOnFound) else None
        inputs: dict[str, Any] = {}
        faces = None if self.faces is None else tuple(self.faces)
        if choice == "amend" and about:
            inputs, faces = changes(names, about, self.inputs, self.without, self.faces)
        decide = Decide(
            question=question.seq, choice=choice, why=self.why, inputs=inputs, faces=faces, cascade=self.cascade
        )
        return [(decide, None)]
