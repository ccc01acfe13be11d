"""Words to type, drawn with a seed, and what the model is told of them."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from model.campaign import Campaign
from model.edge import MOVES, OFFER, No, Said

CAST = ("mara", "mara", "mara", "brak", "brak", "wolf")
STEPS = ("minor", "serious", "critical", "life-threatening")

Typed = tuple[str, str, dict[str, Any]]
"""What is typed, the verb of the model, and what it is told."""


class Words:
    """Draws commands for a campaign that is under way."""

    def __init__(self, random: Random) -> None:
        self.random, self.model = random, Campaign()
        self.faces: list[int] = []
        self.first: tuple[int, ...] = ()

    def _drawn(self) -> Typed:
        kind, draw = self.random.random(), self.random.choice
        if kind < 0.5:
            said = draw((*MOVES, "check", "check", "damage", "adjust", "adjust", "adjust", "set", "settings", "note"))
            return getattr(self, f"_{said}")(draw(CAST))  # type: ignore[no-any-return]
        if kind < 0.62:
            return draw((self._roll, self._session, self._day, self._rejoin, *[self._at_table] * 4))()
        if kind < 0.7 and self.model.questions():
            return self._answer()
        if kind < 0.78 and (offers := self._offers()):
            return self._choose(draw((*offers, self._entry())))
        return draw(
            (
                self._undo, self._undo, self._redo, self._void, self._void, self._rewind, self._dispute,
                self._override, self._assert, self._amend, self._amend, self._amend, self._amend,
            )
        )()  # fmt: skip

    def _number(self) -> int:
        return self.random.choice([0, 1, 1, 2, 2, 3, 5, 8, 12])

    def _hand(self, sides: tuple[int, ...]) -> tuple[int, ...]:
        """Faces that fit, with what may have to be dropped first."""
        faces = [*self.first[: len(sides)], *(self.random.randint(1, side) for side in sides[len(self.first) :])]
        self.faces = faces
        return tuple(faces)

    def _say(self, words: str, kind: str, who: str, inputs: dict[str, Any], dice: bool = False) -> Typed:
        told: dict[str, Any] = {"said": Said(kind, who, inputs)}
        if dice and self.random.random() < 0.8:
            self.first = () if inputs.get("drop") is None else (inputs["drop"],)
            words, told["faces"] = f"{words} --faces FACES", self._hand
        if dice and kind != "turn-roll" and self.random.random() < 0.12:
            words, told["seal"] = f"{words} --seal", True
        return words, "say", told

    def _join(self, who: str, maximum: int, edge: int) -> Typed:
        scores = {"maximum": maximum, "edge": edge, "strength": 6, "armor.threshold": 5, "armor.reduction": 30}
        words = " ".join(f"{name}={value}" for name, value in scores.items())
        return self._say(f"join {who} edge {words}", "join", who, {"scores": scores})

    def _rejoin(self) -> Typed:
        return self._join(
            self.random.choice(("mara", "brak", "sam", "wolf", "wolf")),
            self.random.randint(0, 4),
            self.random.randint(0, 4),
        )

    def _check(self, who: str) -> Typed:
        inputs: dict[str, Any] = {"skill": self.random.randint(0, 14), "target": self.random.choice((15, 20, 25))}
        words = f"edge check {who} --skill {inputs['skill']} --target {inputs['target']}"
        for flag, words_of in (("advantage", "--advantage map"), ("disadvantage", "--disadvantage rain")):
            if self.random.random() < 0.2:
                inputs[flag], words = True, f"{words} {words_of}"
        for flag in ("related", "attack", "edge"):
            if self.random.random() < 0.3:
                inputs[flag], words = True, f"{words} --{flag}"
        if self.random.random() < 0.2:
            inputs["related_to"], words = ("climbing",), f"{words} --related-to climbing"
        if inputs.get("edge") and self.random.random() < 0.7:
            inputs["drop"] = self.random.randint(1, 10)
            words = f"{words} --drop {inputs['drop']}"
        return self._say(words, "check", who, inputs, dice=True)

    def _damage(self, who: str) -> Typed:
        inputs: dict[str, Any] = {"weapon": self.random.randint(1, 3), "edge": self.random.choice((0, 0, 0, 1))}
        words = f"edge damage {who} --weapon {inputs['weapon']}"
        words += f" --edge {inputs['edge']}" if inputs["edge"] else ""
        if self.random.random() < 0.5:
            return self._say(f"{words} --melee", "damage", who, inputs, dice=True)
        inputs["modifier"] = self._number()
        return self._say(f"{words} --modifier {inputs['modifier']}", "damage", who, inputs, dice=True)

    def _soak(self, who: str) -> Typed:
        damage = self.random.choice((self._number(), 20, 30))
        inputs: dict[str, Any] = {"damage": damage}
        words = f"edge soak {who} --damage {damage}"
        if self.random.random() < 0.3:
            inputs["armor"], words = "light", f"edge soak {who} light --damage {damage}"
        if self.random.random() < 0.3:
            inputs["kind"], words = "stun", f"{words} --kind stun"
        return self._say(words, "soak", who, inputs)

    def _heal(self, who: str) -> Typed:
        kind, amount = self.random.choice(("physical", "stun")), self.random.randint(1, 9)
        words = f"edge heal {who} {kind} --amount {amount} --why x"
        return self._say(words, "heal", who, {"kind": kind, "amount": amount})

    def _injure(self, who: str) -> Typed:
        severity = self.random.choice(STEPS)
        return self._say(f"edge injure {who} {severity} --why x", "injure", who, {"severity": severity})

    def _lessen(self, who: str) -> Typed:
        severity = self.random.choice(STEPS)
        return self._say(f"edge lessen {who} {severity}", "lessen", who, {"severity": severity})

    def _rest(self, who: str) -> Typed:
        kind = self.random.choice(("short", "long"))
        return self._say(f"edge rest {who} {kind}", "rest", who, {"kind": kind})

    def _award(self, who: str) -> Typed:
        amount = self.random.randint(1, 2)
        return self._say(f"edge award {who} --amount {amount} --why x", "award", who, {"amount": amount})

    def _burn(self, who: str) -> Typed:
        return self._say(f"edge burn {who} --against x", "burn", who, {})

    def _adjust(self, who: str) -> Typed:
        names = ("edge", "edge", "maximum", "strength", "disadvantage.any", "attack-dice", "armor.reduction")
        drawn = {
            self.random.choice(names): self.random.choice((-2, -1, 1, 2)) for _ in range(self.random.randint(1, 2))
        }
        return self._say(f"adjust {who} {_signed(drawn)} --why x", "adjust", who, {"amounts": drawn})

    def _set(self, who: str) -> Typed:
        value = self.random.choice(("yes", "no"))
        return self._say(f"set {who} edge/care={value} --why x", "set", who, {"values": {"care": value}})

    def _settings(self, who: str) -> Typed:
        steps = ",".join(STEPS[: self.random.randint(1, 4)])
        return self._say(f"settings edge injuries={steps} --why x", "settings", "", {"values": {"injuries": steps}})

    def _note(self, who: str) -> Typed:
        return self._say("note x", "note", "", {})

    def _roll(self) -> Typed:
        who, dice = self.random.choice(CAST), self.random.randint(1, 3)
        return self._say(f"roll {who} {dice}d6", "roll", who, {"dice": dice}, dice=True)

    def _session(self) -> Typed:
        verb = self.random.choice(("open", "close"))
        return self._say("session open T" if verb == "open" else "session close", verb, "", {})

    def _at_table(self) -> Typed:
        """Who plays, and whose turn it is."""
        who, number = self.random.choice((*CAST, "bear")), self.random.choice((-3, 0, 2, 7, 7, 12))
        said: tuple[Callable[[], Typed], ...] = (
            lambda: self._say("npc wolf bear", "npc", "", {"names": ("wolf", "bear")}),
            lambda: self._say("npc wolf", "npc", "", {"names": ("wolf",)}),
            lambda: self._say(f"leave {who}", "leave", who, {}),
            lambda: self._say(f"join {who}", "back", who, {}),
            lambda: self._say(f"turns add {who} {number}", "turn", who, {"number": number}),
            lambda: self._say(f"turns add {who} {number}", "turn", who, {"number": number}),
            lambda: self._say(f"turns roll {who} d20", "turn-roll", who, {}, dice=True),
            *[lambda: self._say("turns next", "next", "", {})] * 3,
            lambda: self._say("turns end", "end", "", {}),
        )
        return self.random.choice(said)()

    def _day(self) -> Typed:
        return self._say("day next", "day", "", {})

    # Corrections

    def _entry(self) -> int:
        head, draw = self.model.head, self.random.randint
        strikes = [entry.seq for entry in self.model.entries if entry.type == "action-struck"]
        return self.random.choice([draw(max(1, head - 12), head), draw(1, head), self.random.choice(strikes or [head])])

    def _undo(self) -> Typed:
        return "undo", "undo", {}

    def _redo(self) -> Typed:
        return "redo", "redo", {}

    def _void(self) -> Typed:
        seq = self._entry()
        return f"void {seq} --why x --yes", "void", {"seq": seq}

    def _rewind(self) -> Typed:
        seq = self.random.randint(max(1, self.model.head - 9), self.model.head)
        return f"rewind --to {seq} --yes", "rewind", {"to": seq}

    def _dispute(self) -> Typed:
        seq = self._entry()
        return f"dispute {seq} --claim x --player p2", "dispute", {"seq": seq}

    def _override(self) -> Typed:
        seq = self._entry()
        return f"override {seq} won --good --why x --yes", "override", {"seq": seq}

    def _assert(self) -> Typed:
        who = self.random.choice(CAST)
        claimed = {"edge": self.model.balance(who, "edge/edge") + self.random.choice((0, 0, 1, -1))}
        if self.random.random() < 0.4:
            claimed["maximum"] = self.random.randint(0, 5)
        words = " ".join(f"{name}={value}" for name, value in claimed.items())
        return f"assert {who} {words}", "assert", {"who": who, "claimed": claimed}

    def _amend(self) -> Typed:
        seq = self._entry()
        words, told = self._changes(seq)
        return f"amend {seq} {words} --why x --yes", "amend", {"seq": seq, **told}

    def _offers(self) -> list[int]:
        """The rulings whose offer was not ended by the next one of the same character."""
        return [seq for who in ("mara", "brak") if (seq := self.model.mark(who, OFFER))]

    def _choose(self, seq: int) -> Typed:
        """Take up what is offered, or no more, or never was."""
        said, faces = self.model.entry(seq).said, self.model.entry(seq).faces
        if said is None or said.kind not in {"check", "damage"}:
            return self._undo()
        told: dict[str, Any] = {"seq": seq}
        if said.kind == "check":
            face = self.random.choice(faces or (1,))
            return f"choose {seq} --drop-instead {face}", "choose", {**told, "chosen": {"drop_instead": face}}
        boost, words = self.random.randint(1, 2), ""
        if self.random.random() < 0.6:
            self.first, words, told["faces"] = (), "--faces FACES", self._hand
        return f"choose {seq} --boost {boost} {words}", "choose", {**told, "chosen": {"boost": boost}}

    def _answer(self) -> Typed:
        seq = self.random.choice(self.model.questions())
        question = self.model.entry(seq)
        if question.type == "roll-sealed":
            return f"reveal {seq}", "reveal", {"seq": seq}
        choices = ("uphold", "amend", "void") if question.type == "dispute-raised" else ("stand", "amend", "void")
        choice = self.random.choice(choices if "about" in question.facts else ("stand", "adjust", "adjust"))
        told: dict[str, Any] = {"seq": seq, "choice": choice}
        words = "--yes"
        if choice == "amend":
            changed, more = self._changes(question.facts["about"])
            words, told = f"{changed} --yes", {**told, **more}
        return f"decide {seq} {choice} --why x {words}", "decide", told

    def _changes(self, seq: int) -> tuple[str, dict[str, Any]]:
        """Words that say an entry otherwise, and what they mean."""
        cascade = self.random.random() < 0.4
        words, told = "--cascade" if cascade else "", {"changes": {}, "cascade": cascade}
        try:
            root = self.model.part_of(seq)
        except No:
            return ("", {"changes": {}})
        said = root.said
        assert said is not None
        changes, flags = self._otherwise(said)
        if root.source and self.random.random() < 0.4:
            self.first = () if said.inputs.get("drop") is None else (said.inputs["drop"],)
            flags, told = f"{flags} --faces FACES", {**told, "faces": self._hand}
        return f"{flags} {words}", {**told, "changes": changes}

    def _otherwise(self, said: Said) -> tuple[dict[str, Any], str]:
        draw: Mapping[str, Callable[[], tuple[dict[str, Any], str]]] = {
            "check": lambda: self._flag(said, ("skill", "skill", "target", "who", "edge", "attack", "related")),
            "damage": lambda: self._flag(said, ("weapon", "who")),
            "soak": lambda: self._flag(said, ("damage", "who")),
            "heal": lambda: self._flag(said, ("amount", "who")),
            "award": lambda: self._flag(said, ("amount", "who")),
            "rest": lambda: self._flag(said, ("kind", "who")),
            "injure": lambda: self._flag(said, ("severity", "who")),
            "lessen": lambda: self._flag(said, ("severity", "who")),
            "burn": lambda: self._flag(said, ("who",)),
            "turn": lambda: self._flag(said, ("number", "number", "who")),
            "adjust": lambda: self._amounts(said),
            "join": self._scores,
            "set": lambda: self._value("care", "edge/care", ("yes", "no")),
            "settings": lambda: self._value("injuries", "injuries", ("minor", "minor,serious", ",".join(STEPS))),
        }
        if said.kind not in draw or self.random.random() < 0.1:
            return {}, ""
        return draw[said.kind]()

    def _flag(self, said: Said, names: tuple[str, ...]) -> tuple[dict[str, Any], str]:
        name = self.random.choice(names)
        if name in {"edge", "attack", "related"}:
            value = not said.inputs.get(name)
            return {name: value}, f"--{name}" if value else f"--no-{name}"
        drawn: dict[str, tuple[Any, ...]] = {
            "who": CAST, "kind": ("short", "long"), "severity": STEPS, "target": (15, 20, 25), "amount": (1, 2),
        }  # fmt: skip
        choice = self.random.choice(drawn[name]) if name in drawn else self._number()
        return {name: choice}, f"--{name} {choice}"

    def _amounts(self, said: Said) -> tuple[dict[str, Any], str]:
        amounts = {self.random.choice(list(said.inputs["amounts"])): self.random.choice((-3, -1, 1, 3))}
        return {"amounts": amounts}, _signed(amounts)

    def _scores(self) -> tuple[dict[str, Any], str]:
        scores = {self.random.choice(("edge", "maximum", "strength")): self.random.randint(0, 6)}
        return {"scores": scores}, _signed(scores).replace("+", "")

    def _value(self, name: str, typed: str, values: tuple[str, ...]) -> tuple[dict[str, Any], str]:
        value = self.random.choice(values)
        return {"values": {name: value}}, f"{typed}={value}"


def _signed(amounts: Mapping[str, int]) -> str:
    return " ".join(f"{name}={amount:+}" for name, amount in amounts.items())
