"""The commands: what each typed command should do, or why it should be refused (`No`)."""

from collections.abc import Mapping
from typing import Any

from model.after import Aftermath
from model.book import CORRECTIONS, Entry
from model.edge import BY_GM, OFFER, No, Said, plays
from model.strikes import Faces, stays
from model.table import ruled

CHOICES = {
    "dispute-raised": ("uphold", "amend", "void"),
    "knock-on-found": ("stand", "amend", "void"),
    "limit-crossed": ("stand", "adjust"),
    "assertion-broken": ("stand", "adjust"),
    "score-asserted": ("stand", "adjust"),
}


class Campaign(Aftermath):
    """A campaign to type at."""

    def type(self, verb: str, **said: Any) -> None:
        """Do what a typed command should do; refuses (`No`), and then nothing is written."""
        head = self.head
        self.act = head + 1
        try:
            getattr(self, f"_{verb}")(**said)
        except No:
            self.back(head)
            raise

    def _opened(self) -> None:
        self.add("campaign-opened")
        self.add("player-seated", marks={("#players", "p1"): 2}, said=Said("seat", "p1", {}))
        self.act = 3
        self.add("player-seated", marks={("#players", "p2"): 3}, said=Said("seat", "p2", {}))

    def _say(self, said: Said, faces: Faces = None, seal: bool = False) -> None:
        """Something said at the table; sealed, nothing of it counts before it is revealed."""
        if said.who and said.kind not in {"join", "back"} and not plays(self.now(), said.who):
            raise No("nobody")
        outcome = ruled(said, self.now(), lambda sides: self._thrown(sides, faces))
        if not seal:
            self._write(outcome, said, None, None)
            moved = {said.who, *(who for entry in self.acts[self.act] for who, _ in entry.posts)} - {""}
            self._close(self.act, lambda question: question.facts.get("who") in moved)
            return
        if not outcome.sides:
            raise No("nothing to seal")
        self.add("roll-sealed", marks={("#questions", str(self.head + 1)): False}, facts={"roll": (outcome, said)})

    def _undo(self) -> None:
        for act in sorted(self.acts, reverse=True):
            if self.stands(act) and self.acts[act][0].facts.get("how") not in {"undo", "redo"}:
                if act == 1:
                    break
                self._strike(act, "undo")
                return
        raise No("nothing left")

    def _redo(self) -> None:
        for act in sorted(self.acts, reverse=True):
            how = self.acts[act][0].facts.get("how")
            if how not in {"undo", "redo"}:
                break
            if how == "undo" and self.stands(act):
                self._strike(act, "redo")
                return
        raise No("nothing to redo")

    def _void(self, seq: int) -> None:
        waiting = self.questions()
        self._voided(self.entry(seq).act, None)
        self._aftermath(waiting)

    def _rewind(self, to: int) -> None:
        waiting = self.questions()
        last = self.acts[self.entry(to).act][-1].seq
        acts = [
            act
            for act in sorted(self.acts)
            if act > last and self.stands(act) and any(one.since > last and not stays(one) for one in self.acts[act])
        ]
        if not acts:
            raise No("nothing counts since")
        kept = {act: [root for root in self.roots(act) if self.place(root) <= last or stays(root)] for act in acts}
        settled = [question for act in acts if kept[act] for question in self._decided_in(act)]
        rewind = self.add("play-rewound", facts={"to": to})
        rewind.marks |= {("#questions", str(question)): rewind.seq for question in settled}
        for act in acts:
            if not self.stands(act):
                continue
            strike = self._strike(act, "rewind", rewind.seq, whole=True)
            for root in kept[act]:
                self._copy(root, strike.seq)
        self._aftermath(waiting)

    def _amend(self, seq: int, changes: Mapping[str, Any], faces: Faces = None, cascade: bool = False) -> None:
        waiting = self.questions()
        self._check_changes(seq, changes, faces, cascade)
        self._amended(seq, changes, faces, cascade)
        self._aftermath(waiting, cascade)

    def _check_changes(self, seq: int, changes: Mapping[str, Any], faces: Faces, cascade: bool) -> None:
        said = self.part_of(seq).said
        if said is not None and not (faces or cascade) and said.otherwise(changes) == said:
            raise No("nothing would change")

    def _choose(self, seq: int, chosen: Mapping[str, int], faces: Faces = None) -> None:
        """Take up an offer: strike the action, and play the ruling again with its dice, and those that are added."""
        waiting, own = self.questions(), self._offering(seq)
        assert own.said is not None
        self._check_stands(own.act)
        settled = self._decided_in(own.act)
        strike, place = self._strike(own.act, "choose", whole=True), self.place(own)
        strike.marks |= {("#questions", str(question)): strike.seq for question in settled}
        for root in self.roots(own.act):
            if root is own:
                added: list[tuple[int, ...]] = []

                def thrown(sides: tuple[int, ...], more: list[tuple[int, ...]] = added) -> tuple[tuple[int, ...], str]:
                    missing = sides[len(own.sides) :]
                    new, source = self._thrown(missing, faces) if missing else ((), own.source)
                    more += [new] if missing else []
                    return (*own.faces, *new), "machine" if "machine" in {source, own.source} else "typed"

                said = own.said.otherwise(chosen)
                outcome = ruled(said, self.before(place), thrown)
                for new in added:
                    self.add("dice-thrown", strike.seq, place, faces=new)
                self._write(outcome, said, strike.seq, place, own.throw)
            else:
                self._copy(root, strike.seq)
        self._aftermath(waiting)
        crossed = (entry.facts for entry in self.acts[self.act] if entry.type == "limit-crossed")
        if any(facts["who"] == own.said.who and facts["value"] < 0 for facts in crossed):
            raise No("cannot be paid any more")

    def _offering(self, seq: int) -> Entry:
        """The ruling that offers a choice; refuses one whose character has made a move since."""
        ruling = self.entry(seq)
        who = ruling.said.who if ruling.said else ""
        if ruling.type != "move-played" or self.mark(who, OFFER) != seq:
            raise No("offers nothing")
        for one in self.entries:
            own = one.type == "move-played" and one.said and one.said.who == who and one.said.kind not in BY_GM
            if own and one.since > ruling.since and self.stands(one.act):
                raise No("offers nothing any more")
        return ruling

    def _reveal(self, seq: int) -> None:
        waiting = self.questions()
        if seq not in waiting or self.entry(seq).type != "roll-sealed":
            raise No("nothing waits")
        outcome, said = self.entry(seq).facts["roll"]
        reveal = self.add("secret-revealed", facts={"question": seq})
        reveal.marks["#questions", str(seq)] = reveal.seq
        self._write(outcome, said, reveal.seq, seq)
        self._aftermath(waiting)

    def _dispute(self, seq: int) -> None:
        about = self.entry(seq)
        if self.mark("#players", "p2") is None or (about.type == "roll-sealed" and self.answered_by(seq)):
            raise No("cannot be disputed")
        self._ask("dispute-raised", {"about": seq})

    def _override(self, seq: int) -> None:
        root = self.part_of(seq)
        if root.type != "move-played":
            raise No("no ruling")
        self._check_stands(root.act)
        self.add("verdict-overridden", facts={"about": root.seq})

    def _assert(self, who: str, claimed: Mapping[str, int]) -> None:
        if not plays(self.now(), who) or not self.mark(who, "edge/sheet"):
            raise No("nobody")
        stood = {name: self.balance(who, f"edge/{name}") for name in claimed}
        agreed = {
            ("#asserted", f"{who}:edge/{name}"): self.head + 1 for name in claimed if stood[name] == claimed[name]
        }
        facts = {"who": who, "claimed": dict(claimed)}
        asked = self.add("score-asserted", facts=facts) if stood == claimed else self._ask("score-asserted", facts)
        asked.marks |= agreed

    def _decide(
        self,
        seq: int,
        choice: str,
        changes: Mapping[str, Any] | None = None,
        faces: Faces = None,
        cascade: bool = False,
    ) -> None:
        waiting, question = self.questions(), self.entry(seq)
        about = question.facts.get("about")
        if choice == "amend" and about:
            self.part_of(about)
            if question.type == "dispute-raised" and self.stands(self.entry(about).act):
                self._check_changes(about, changes or {}, faces, cascade)
        if seq not in waiting or choice not in CHOICES.get(question.type, ()):
            raise No("does not wait for that")
        decision = self.add("question-decided", facts={"question": seq})
        decision.marks["#questions", str(seq)] = decision.seq
        if choice == "adjust":
            self._adjusted(question, decision.seq)
        if choice in {"void", "amend"}:
            assert about is not None
            correction = self.entry(about).type in CORRECTIONS
            act = self.entry(about).act if correction else self.part_of(about).act
            stood = self.stands(act)
            instead = None if stood else self.instead_of(about)
            if choice == "void" and stood:
                self._voided(act, decision.seq)
            elif choice == "void" and instead is not None:
                self._voided_with_replaced(instead, about, decision.seq)
            elif choice == "amend" and not stood and instead is None:
                raise No("was canceled")
            elif choice == "amend" and (stood or changes or faces):
                self._amended(instead or about, changes or {}, faces, cascade, decision.seq)
        self._aftermath(waiting, cascade)

    def _voided_with_replaced(self, instead: int, about: int, cause: int) -> None:
        """Void what stands in the place of an entry, and all that stood there before, down to the entry."""
        own, last = self.part_of(about), self.part_of(instead).act
        later = (act for act in self._targets(last) if act >= own.act)
        replaced = [act for act in later if any(self.place(root) == self.place(own) for root in self.roots(act))]
        if any(self.acts[act][0].type == "play-rewound" for act in (last, *replaced)):
            raise No("a rewind kept it")
        self._voided(last, cause, replaced)

    def _adjusted(self, question: Entry, cause: int) -> None:
        who = question.facts["who"]
        if question.type == "score-asserted":
            then = self.before(question.seq)
            amounts = {name: value - then.score(who, name) for name, value in question.facts["claimed"].items()}
        elif question.type == "assertion-broken":
            name = question.facts["score"].removeprefix("edge/")
            amounts = {name: question.facts["claimed"] - self.before(question.facts["about"]).score(who, name)}
        else:
            name = question.facts["score"]
            value, most = self._value_and_most(self.now(), who, name)
            amounts = {name: min(max(value, 0), most) - value}
        amounts = {name: amount for name, amount in amounts.items() if amount}
        if not amounts:
            raise No("nothing differs")
        said = Said("adjust", who, {"amounts": amounts})
        outcome = ruled(said, self.now(), lambda sides: ((), ""))
        self._write(outcome, said, cause, None)
