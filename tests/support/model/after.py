"""What follows a correction: rulings that read changed numbers, and scores beyond their limits."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from model.book import Entry, Sheet, Who
from model.edge import BOUNDED, LARGEST, OFFER, No, OtherDice
from model.strikes import Faces, Striking

Found = tuple[str, dict[Who, Any]]
"""What a ruling would find now, and the numbers that changed for it."""


class Aftermath(Striking):
    """Amendments, and the questions that corrections leave."""

    def _ask(self, type_: str, facts: dict[str, Any], cause: int | None = None) -> Entry:
        return self.add(type_, cause, marks={("#questions", str(self.head + 1)): False}, facts=facts)

    def _amended(
        self,
        seq: int,
        changes: Mapping[str, Any],
        faces: Faces,
        cascade: bool,
        cause: int | None = None,
    ) -> None:
        own = self.part_of(seq)
        act, began, settled = own.act, self.act - 1, self._decided_in(own.act)
        assert own.said is not None
        self._check_replaceable(own)
        said = own.said.otherwise(changes)
        self._again(own, said, faces)
        amendment = self.add("action-amended", cause, facts={"about": own.seq})
        amendment.marks |= {("#questions", str(question)): amendment.seq for question in settled}
        strike = amendment if act == 1 else self._strike(act, "amend", amendment.seq, whole=True)
        for root in self.roots(act):
            found = self._found(root, began) if cascade else None
            if root is own or (found is not None and found[0] == "otherwise"):
                again = said if root is own else root.said
                typed = faces if root is own else None
                assert again is not None
                new = self._again(root, again, typed)
                self._write(new, again, strike.seq, self.place(root), None if typed else root.throw)
            else:
                self._copy(root, strike.seq)

    def _found(self, root: Entry, began: int | None) -> Found | None:
        """What a ruling would find now: kind, changed numbers, and the outcome; None if its numbers are the same."""
        if root.type != "move-played":
            return None
        place = self.place(root)
        now = self.before(place)
        was = None if began is None else self.before(place, began)
        numbers = {}
        for (who, name), old in root.looked.items():
            value = now.number(who, name)
            if value != old and (was is None or value != was.number(who, name)):
                numbers[who, name] = value
        if not numbers:
            return None
        assert root.said is not None
        try:
            outcome = self._again(root, root.said)
        except OtherDice:
            return "other-dice", numbers
        except No:
            return "refused", numbers
        same = outcome.comes_to() == _comes_to(self.part(root))
        return "same" if same else "otherwise", numbers

    def _aftermath(self, waiting: Iterable[int], cascade: bool = False) -> None:
        began, cause = self.act - 1, self.act
        places, scores = self._asked_before(waiting)
        if cascade:
            self._cascade(began, cause, places)
        else:
            found = []
            for place, root in self._rulings():
                outcome = self._found(root, None if place in places else began)
                found += [(root, outcome)] if outcome else []
            for root, outcome in found:
                self._ask_about(root, outcome, cause)
        for who, name, value, most in list(self._beyond(began, scores)):
            self._ask("limit-crossed", {"who": who, "score": name, "value": value, "most": most}, cause)
        self._contradicted(began, cause)
        self._close(cause)

    def _close(self, cause: int, is_looked_at: Callable[[Entry], bool] = lambda _: True) -> None:
        """Close the earlier questions that are looked at, and that have nothing left to decide."""
        for seq in self.questions():
            question = self.entry(seq)
            if seq < self.act and is_looked_at(question) and (reason := self._gone(question)):
                marks = {("#questions", str(seq)): self.head + 1}
                self.add("question-closed", cause, marks=marks, facts={"question": seq, "reason": reason})

    def _contradicted(self, began: int, cause: int) -> None:
        """Ask about each agreed score that the correction changed in the past."""
        last = self.entry(cause).facts["to"] if self.entry(cause).type == "play-rewound" else began
        for who, full in sorted(self._late(began)):
            about = self.mark("#asserted", f"{who}:{full}")
            if about is None or about > last:
                continue
            claimed = self.entry(about).facts["claimed"][full.removeprefix("edge/")]
            now, was = (self.balance(who, full, about - 1, known) for known in (None, began))
            if now != claimed == was:
                facts = {"about": about, "who": who, "score": full, "claimed": claimed, "value": now}
                self._ask("assertion-broken", facts, cause)

    def _gone(self, question: Entry) -> str:
        """Why nothing is left to decide; "" while something is."""
        facts = question.facts
        if question.type == "knock-on-found":
            place = self.place(self.entry(facts["about"]))
            rulings = (one for one in self.entries if one.type in {"move-played", "question-asked"})
            root = next((one for one in rulings if self.stands(one.act) and self.place(one) == place), None)
            if root is None:
                return "canceled"
            found = self._found(root, None)
            return "settled" if found is None or found[0] == "same" else ""
        if question.type == "limit-crossed":
            value, most = self._value_and_most(self.now(), facts["who"], facts["score"])
            return "settled" if 0 <= value <= most else ""
        if question.type == "assertion-broken":
            if not self.stands(self.entry(facts["about"]).act):
                return "canceled"
            who, full = facts["who"], facts["score"]
            newest = self.mark("#asserted", f"{who}:{full}") == facts["about"]
            agrees = self.balance(who, full, facts["about"] - 1) == facts["claimed"]
            return "settled" if agrees or not newest else ""
        return ""

    def _rulings(self) -> list[tuple[int, Entry]]:
        rulings = [one for one in self.entries if one.type == "move-played" and self.stands(one.act)]
        return sorted(((self.place(one), one) for one in rulings), key=lambda pair: (pair[0], pair[1].seq))

    def _asked_before(self, waiting: Iterable[int]) -> tuple[set[int], set[Who]]:
        places, scores = set[int](), set[Who]()
        for strike in self.acts[self.act]:
            for fallen in strike.facts.get("falls", ()) if strike.type == "action-struck" else ():
                risen = {target for target in self._targets(fallen) if self.stands(target)}
                places |= {self.place(one) for act in risen for one in self.acts[act] if one.type == "move-played"}
        for seq in waiting:
            question, mark = self.entry(seq), self.mark("#questions", str(seq))
            if question.type == "limit-crossed" and mark is None:
                scores.add((question.facts["who"], question.facts["score"]))
            if question.type == "knock-on-found":
                ruling = self.entry(question.facts["about"])
                if mark is None or not self.stands(ruling.act):
                    places.add(self.place(ruling))
        return places, scores

    def _cascade(self, began: int, cause: int, places: set[int]) -> None:
        after = (0, 0)
        while True:
            for place, root in self._rulings():
                if (place, root.seq) <= after:
                    continue
                outcome = self._found(root, None if place in places else began)
                if outcome is None:
                    continue
                after = (place, root.seq)
                if outcome[0] == "otherwise" and root.act != cause:
                    self._amended(root.seq, {}, None, True, cause)
                    break
                self._ask_about(root, outcome, cause)
            else:
                return

    def _ask_about(self, root: Entry, found: Found, cause: int) -> None:
        finds, numbers = found
        if finds == "same":
            return
        place = self.place(root)
        older = [self.entry(seq) for seq in self.questions()]
        same = [
            one.seq
            for one in older
            if one.type == "knock-on-found" and self.place(self.entry(one.facts["about"])) == place
        ]
        facts = {"about": root.seq, "finds": finds, "numbers": numbers}
        question = self._ask("knock-on-found", facts, cause)
        question.marks |= {("#questions", str(seq)): question.seq for seq in same}

    def _value_and_most(self, sheet: Sheet, who: str, name: str) -> tuple[int, int]:
        most = BOUNDED.get(name, LARGEST)
        return sheet.score(who, name), sheet.score(who, most) if isinstance(most, str) else most

    def _beyond(self, began: int, again: set[Who]) -> Iterator[tuple[str, str, int, int]]:
        """Scores that a correction pushed beyond their limits, in order of name."""
        asked = [self.entry(seq).facts for seq in self.questions() if self.entry(seq).type == "limit-crossed"]
        waiting = {(facts["who"], facts["score"]) for facts in asked}
        for who, full in sorted(self._late(began)):
            if not full.startswith("edge/"):
                continue
            name = full[5:]
            for bounded in (name, *(other for other, most in BOUNDED.items() if most == name)):
                value, most = self._value_and_most(self.now(), who, bounded)
                if 0 <= value <= most or (who, bounded) in waiting:
                    continue
                before = self._value_and_most(self.before(began + 1, began), who, bounded)
                if (who, bounded) in again or before != (value, most):
                    waiting.add((who, bounded))
                    yield who, bounded, value, most

    def _late(self, began: int) -> set[Who]:
        """The scores that the command moved in an earlier place."""
        fell, falls = self.fallen(began), self.fallen()
        turned = (one for one in self.entries[:began] if (one.act in fell) != (one.act in falls))
        placed = (one for one in self.entries[began:] if one.since <= began)
        return {key for entries in (turned, placed) for one in entries for key in one.posts}


def _comes_to(entries: Sequence[Entry]) -> tuple[Any, dict[Who, int], dict[Who, Any]]:
    """A part's verdict, what it moved, and what it set."""
    moved: dict[Who, int] = {}
    for entry in entries:
        for key, amount in entry.posts.items():
            moved[key] = moved.get(key, 0) + amount
    marks = {key: value for entry in entries for key, value in entry.marks.items() if key[1] != OFFER}
    return entries[0].verdict, {key: amount for key, amount in moved.items() if amount}, marks
