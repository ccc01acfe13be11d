"""Strikes against a model: what stands is worked out from the words of the idea alone, by recursion."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from ledger.events.canonical import canonical_json
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book
from ledger.journal.store import memory_journal

Body = dict[str, Any]


class Model:
    """Plays, strikes, strikes of strikes, and amended moves that count since the move that they replace."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.book = Book(memory_journal())
        self.journal, self.accounts = self.book.journal, self.book.accounts
        self.actions: dict[int, list[Body]] = {}
        self.head = 0

    def write(self, act: int, kind: str, since: int = 0, **rows: Any) -> None:
        self.head += 1
        body = {"postings": [], "marks": [], **rows}
        body |= {"seq": self.head, "since": since or self.head, "act": act, "type": kind, "cause": None, "once": None}
        self.journal.append(self.head, canonical_json(body))
        self.accounts.post(body)
        self.actions.setdefault(act, []).append(body)

    def rows(self) -> dict[str, Any]:
        postings = [{"who": "m", "score": "s", "amount": self.random.randint(-3, 3)}]
        marks = [{"who": "m", "name": "k", "value": self.random.randint(1, 99)}]
        return {"postings": postings, "marks": marks if self.random.random() < 0.7 else []}

    def targets(self, act: int) -> list[int]:
        bodies = (body for body in self.actions[act] if body["type"] == "action-struck")
        return [int(mark["name"]) for body in bodies for mark in body["marks"]]

    def stands(self, act: int) -> bool:
        return not any(act in self.targets(other) and self.stands(other) for other in self.actions if other > act)

    def play(self) -> None:
        act = self.head + 1
        for _ in range(self.random.randint(1, 2)):
            self.write(act, "played", **self.rows())

    def strike(self, names: list[int], act: int = 0) -> int:
        act = act or self.head + 1
        marks = [{"who": "#struck", "name": str(name), "value": act} for name in names]
        self.write(act, "action-struck", marks=marks)
        return act

    def amend(self, act: int, within: int = 0) -> int:
        """Strike an action, with all that it struck, and play its moves again in their places."""
        names = [act]
        for name in names:
            names += [each for each in self.targets(name) if each not in names]
        self.random.shuffle(names)
        again = self.strike(names, within)
        for body in list(self.actions[act]):
            if body["type"] == "played" and self.random.random() < 0.8:
                self.write(again, "played", since=body["since"], **self.rows())
        return again

    def cascade(self, acts: list[int]) -> None:
        """Amend several actions in one, in the order of their places."""
        within = 0
        for act in sorted(acts):
            if self.stands(act):
                within = self.amend(act, within)

    def step(self) -> None:
        live = [act for act in self.actions if self.stands(act)]
        dice = self.random.random()
        if dice < 0.4 or not live:
            self.play()
        elif dice < 0.7:
            self.strike([self.random.choice(live)])
        elif dice < 0.85:
            self.amend(self.random.choice(live))
        else:
            self.cascade(self.random.sample(live, min(3, len(live))))

    def check(self) -> None:
        """Compare every point of time with what the standing actions say."""
        standing = [body for act, bodies in self.actions.items() if self.stands(act) for body in bodies]
        for act in self.actions:
            assert (self.accounts.mark("#struck", str(act)) is None) is self.stands(act)
        assert (self.accounts.balance("m", "s") or 0) == balance(standing, self.head)
        for seq in range(1, self.head + 1):
            known = AsOf(seq=seq, corrected=True)
            assert (self.accounts.balance("m", "s", known) or 0) == balance(standing, seq)
            assert self.accounts.mark("m", "k", known) == shown(standing, seq)


def balance(standing: list[Body], seq: int) -> int:
    return sum(row["amount"] for body in standing if body["since"] <= seq for row in body["postings"])


def shown(standing: list[Body], seq: int) -> int | None:
    values = [
        (body["since"], body["seq"], mark["value"])
        for body in standing
        for mark in body["marks"]
        if body["since"] <= seq and mark["who"] == "m"
    ]
    return max(values)[2] if values else None


@examples(300)
@given(random=st.randoms(use_true_random=False), steps=st.integers(3, 12))
def test_what_stands_is_what_the_standing_actions_say_at_every_point_of_time(random: Random, steps: int) -> None:
    model = Model(random)
    with model.book:
        for _ in range(steps):
            model.step()
        model.check()


def test_an_action_that_is_struck_twice_is_turned_round_once(request: pytest.FixtureRequest) -> None:
    model = Model(Random(1))  # noqa: S311  nothing is drawn
    request.addfinalizer(model.book.close)
    model.write(1, "played", postings=[{"who": "m", "score": "s", "amount": 5}])
    model.strike([1])
    model.strike([2])
    model.strike([1])
    model.strike([3])
    assert model.accounts.balance("m", "s") == 0
    model.check()
