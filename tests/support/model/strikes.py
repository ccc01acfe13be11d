"""Strikes, copies, and what is said at the table: what writes entries, and asks nothing."""

from collections.abc import Callable, Sequence

from model.book import CORRECTIONS, Book, Entry
from model.edge import OFFER, No, OtherDice, Outcome, Own, Said
from model.table import ruled

Faces = tuple[int, ...] | Callable[[tuple[int, ...]], tuple[int, ...]] | None
"""Faces that a hand typed, or will type for these sides; None for the machine's, or those that lie already."""


STAYING = {
    "player-seated", "character-joined", "session-opened", "session-closed", "settings-changed", "note-written",
    "npcs-seated", "character-left", "character-returned",
}  # fmt: skip


class Striking(Book):
    """What a correction is made of."""

    def _thrown(self, sides: tuple[int, ...], faces: Faces) -> tuple[tuple[int, ...], str]:
        if faces is None:
            return tuple(self.rolls(side) for side in sides), "machine"
        if callable(faces):
            return faces(sides), "typed"
        if len(faces) != len(sides) or any(not 1 <= face <= side for face, side in zip(faces, sides, strict=True)):
            raise No("wrong faces")
        return faces, "typed"

    def _write(
        self, outcome: Outcome, said: Said, cause: int | None, since: int | None, throw: int | None = None
    ) -> Entry:
        """Write dice, ruling and consequences; those of an old place with the old dice, unless others were typed."""
        dice = {"faces": outcome.faces, "sides": outcome.sides, "source": outcome.source}
        if outcome.sides and throw is None:
            throw = self.add("dice-thrown", cause, since, **dice).seq
        more = {"said": said, "looked": outcome.looked, "verdict": outcome.verdict, "throw": throw, **dice}
        own = self.head + 1
        marks = {key: own if value is Own else value for key, value in outcome.marks.items()}
        root = self.add(outcome.type, cause, since, posts=dict(outcome.posts), marks=marks, **more)
        for kind, posts, marks in outcome.follows:
            self.add(kind, root.seq, since, posts=dict(posts), marks=dict(marks))
        return root

    def _check_stands(self, act: int) -> None:
        if act == 1 or not self.stands(act):
            raise No("does not stand")

    def _check_replaceable(self, own: Entry) -> None:
        """Refuse a struck action, and a seating of the opening that another seating has replaced."""
        if own.act != 1:
            self._check_stands(own.act)
        elif self.mark("#players", "p1", own.seq) != own.seq:
            raise No("was amended")

    def _targets(self, act: int) -> list[int]:
        return [one for entry in self.acts[act] if entry.type == "action-struck" for one in entry.facts["falls"]]

    def _strike(
        self, act: int, how: str, cause: int | None = None, whole: bool = False, also: Sequence[int] = ()
    ) -> Entry:
        falls = [act, *also]
        for fallen in falls if whole else ():
            falls += [target for target in self._targets(fallen) if target not in falls]
        before = set(self.fallen())
        falls = list(dict.fromkeys(falls))
        marks = {("#struck", str(fallen)): self.head + 1 for fallen in falls}
        strike = self.add("action-struck", cause, marks=marks, facts={"falls": falls, "how": how})
        for risen in sorted(before - self.fallen()):
            self._check_alone(risen)
        return strike

    def _check_alone(self, risen: int) -> None:
        """Refuse to let stand again what has another answer by now, or was played in its place by another."""
        fallen = self.fallen()
        places = {self.place(root) for root in self.roots(risen) if root.since < root.seq}
        for entry in self.acts[risen]:
            question = entry.facts.get("question")
            answers = (
                one
                for one in self.entries
                if question is not None
                and one.marks.get(("#questions", str(question)))
                and one.act not in {risen, *fallen}
            )
            if next(answers, None) is not None:
                raise No("answered since")
            joined = (one for one in self.entries if entry.type == one.type == "character-joined")
            if any(
                one.said and entry.said and one.said.who == entry.said.who and one.act not in {risen, *fallen}
                for one in joined
            ):
                raise No("another sheet")
        for act in self.acts:
            if act not in {1, risen, *fallen} and any(self.place(root) in places for root in self.roots(act)):
                raise No("played again since")

    def _voided(self, act: int, cause: int | None, also: Sequence[int] = ()) -> None:
        self._check_stands(act)
        first = self.entry(act)
        if first.type == "roll-sealed" and self.answered_by(act):
            raise No("revealed")
        self._strike(act, "void", cause, also=also)

    def _decided_in(self, act: int) -> list[int]:
        entries = (
            one for one in self.acts[act] if one.type not in {"move-played", "knock-on-found", "question-closed"}
        )
        marks = ((name, value) for one in entries for (who, name), value in one.marks.items() if who == "#questions")
        return [int(name) for name, value in marks if value]

    def _copy(self, root: Entry, cause: int) -> None:
        numbers: dict[int | None, int] = {}
        for entry in self.part(root):
            numbers[entry.seq] = self.head + 1
            marks = {
                key: self.head + 1
                if (key[0][0] == "#" and not isinstance(value, tuple)) or (key[1] == OFFER and value)
                else value
                for key, value in entry.marks.items()
            }
            same = {name: getattr(entry, name) for name in ("said", "faces", "sides", "source", "throw", "looked")}
            more = {"posts": dict(entry.posts), "marks": marks, "verdict": entry.verdict, "facts": dict(entry.facts)}
            self.add(entry.type, numbers.get(entry.cause, cause), entry.since, **same, **more)

    def _again(self, root: Entry, said: Said, faces: Faces = None) -> Outcome:
        """A part ruled again in its place, with its own dice or others that were typed; nothing is written."""

        def thrown(sides: tuple[int, ...]) -> tuple[tuple[int, ...], str]:
            if faces is None:
                if sides != root.sides:
                    raise OtherDice("other dice")
                return root.faces, root.source
            if not root.sides or not sides or root.source == "machine":
                raise No("no typed dice")
            return self._thrown(sides, faces)

        outcome = ruled(said, self.before(self.place(root)), thrown)
        if faces is not None and not outcome.sides:
            raise No("no dice")
        if root.sides and not outcome.sides:
            raise OtherDice("no dice")
        return outcome


def stays(entry: Entry) -> bool:
    return entry.type in STAYING or (entry.type in CORRECTIONS and entry.type != "roll-sealed")
