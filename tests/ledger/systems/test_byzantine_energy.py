"""Byzantine over random days: no energy comes from nowhere or goes without a word, and nobody owes what kills.

Beside the book runs a model: plain numbers, unit by unit, that never looks at what was written.
"""

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from math import ceil
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from examples import examples
from ledger.commands.at_table import Join
from ledger.commands.days import NextDay
from ledger.commands.decider import Command
from ledger.commands.play import PlayMove
from ledger.corrections.answers import Choose
from ledger.errors import LedgerError
from ledger.events.entry import Entry
from ledger.rules.move import Move
from ledger.systems import find
from ledger.systems.byzantine import SYSTEM
from ledger.systems.byzantine.moves_connections import Alter, Connect, Lend, Reclaim, Restore, Withhold
from ledger.systems.byzantine.moves_contests import Commit, Contest, Resolve
from ledger.systems.byzantine.moves_days import Cancel, Harm, Invest, Night
from ledger.systems.byzantine.moves_fights import EnergyAttack, Kill
from ledger.systems.byzantine.moves_tasks import Attempt, Know, Task
from ledger.systems.byzantine.moves_ways import Go
from table import accounts_of, opened_book, scribe

Draw = Callable[[st.SearchStrategy[Any]], Any]

CAST = {
    "mara": {"energy": 9, "general": 22, "output.workshop": 5, "input.workshop": -2, "output.guild": 4},
    "brak": {"energy": 3, "general": 2, "output.workshop": 4, "input.guild": -3, "ability.streets": 3},
    "zoe": {"energy": 14, "input.workshop": -4, "output.workshop": 5, "project.climb": 30, "invested.climb": 60},
}
FLOW = {kind.name: kind.flow for kind in SYSTEM.rulebook().kinds}
CONNECTIONS, PROJECTS = ("workshop", "guild", "bread"), ("climb", "election")


class Life:
    """What one character should have, counted in plain numbers."""

    def __init__(self, scores: dict[str, int]) -> None:
        held = {name: dict[str, int]() for name in ("project", "today", "invested", "input", "output")}
        for full, number in scores.items():
            kind, _, name = full.partition(".")
            if kind in held:
                held[kind][name] = number
        self.energy, self.general = scores.get("energy", 0), scores.get("general", 0)
        self.recouped = self.set_aside = 0
        self.pools, self.today, self.invested = held["project"], held["today"], held["invested"]
        self.inputs, self.outputs = held["input"], held["output"]
        self.withheld: dict[str, str] = {}
        self.nights: list[str] = []
        self.night: str | None = None
        self.dead = False
        self.known = True
        """Whether the debt was tested since a connection or a night last made the coming morning another."""

    @property
    def debt(self) -> int:
        return max(0, -self.energy)

    def net(self, nights: Sequence[str]) -> int:
        """The net of the connections that count, after these bad nights in a row."""
        net = 0
        for name in {*self.inputs, *self.outputs}:
            kept = self.withheld.get(name)
            net += 0 if kept == "connection" else self.inputs.get(name, 0)
            net += 0 if kept else self.outputs.get(name, 0)
        quarters = min(4, sum(2 if night == "none" else 1 for night in nights))
        return net - ceil(net * quarters / 4) if net > 0 else net

    def coming(self) -> list[str]:
        """The bad nights in a row with the coming one."""
        return [*self.nights, self.night] if self.night else []

    def there(self) -> int:
        """What will be there at the next dawn, as it is known now."""
        return max(0, self.net(self.coming())) + self.general - tick(self.general) + self.recouped + self.set_aside // 5

    def spend(self, energy: int, project: str | None = None, order: Sequence[str] = ()) -> None:
        """Spend energy a unit at a time; whoever then owes what kills is dead."""
        owed, general, recouped = self.debt, self.general, self.recouped
        for _ in range(energy):
            for source in [*order, "project", "day", "general", "debt"]:
                if self.give(source, project):
                    break
        if (owed, general, recouped) != (self.debt, self.general, self.recouped):
            self.known = True
            if 2 * self.debt > self.there() and self.debt > 0:
                self.die()

    def lose(self, energy: int) -> None:
        """Lose energy of the day, and owe the rest; whoever then owes what kills is dead."""
        owed = self.debt
        self.energy -= energy
        if self.debt != owed:
            self.known = True
            if 2 * self.debt > self.there():
                self.die()

    def give(self, source: str, project: str | None) -> bool:
        """Take a unit from there; say whether there was one."""
        if source == "project" and project and self.pools.get(project, 0) > 0:
            self.pools[project] -= 1
        elif (source == "day" and self.energy > 0) or source == "debt":
            self.energy -= 1
        elif source == "general" and self.general:
            self.general -= 1
        elif source == "general" and self.recouped:
            self.recouped -= 1
        else:
            return False
        return True

    def die(self) -> None:
        """Die; the fives of the day are in the pools."""
        self.dead = True
        self.general, self.set_aside = self.general + self.set_aside // 5, 0
        for name in list(self.today):
            self.count(name)

    def invest(self, energy: int, project: str | None) -> None:
        self.energy -= energy
        if project is None:
            self.set_aside += energy
        else:
            self.today[project] = self.today.get(project, 0) + energy
            self.invested[project] = self.invested.get(project, 0) + energy

    def count(self, project: str) -> None:
        """Count the fives that went into a project."""
        self.pools[project] = self.pools.get(project, 0) + self.today.pop(project, 0) // 5 * 4

    def cancel(self, project: str) -> None:
        self.pools.pop(project, 0)
        self.today.pop(project, 0)
        self.recouped += self.invested.get(project, 0) // 10

    def dawn(self, fate: str | None = None) -> "list[tuple[str, int]] | None":
        """Break a day; return what each pool lost, None where the morning is put to the GM and nothing has happened."""
        new = deepcopy(self)
        ticks = new.night_falls()
        new.nights, new.night = new.coming(), None
        came, due = new.net(new.nights), 2 * self.debt
        new.energy = max(0, came)
        while due and (new.energy or new.general):
            if new.energy:
                new.energy -= 1
            else:
                new.general -= 1
            due -= 1
        if came < 0:
            new.energy = came
        poor = bool(due) or (2 * new.debt > max(0, new.net([])) + new.general - tick(new.general) and new.debt > 0)
        if poor and fate is None:
            return None
        if fate == "lives":
            while 2 * new.debt > new.there():
                new.energy += 1
        if fate == "dies":
            new.dead, new.energy, new.general = True, self.energy if self.energy < 0 else 0, self.night_general()
            new.energy += max(0, came)
        new.known = True
        self.__dict__ = new.__dict__
        return ticks

    def night_general(self) -> int:
        return self.general - tick(self.general) + self.recouped + self.set_aside // 5

    def night_falls(self) -> list[tuple[str, int]]:
        """Let the pools decay and what was put away come in; return what each pool lost."""
        ticks = [("general", tick(self.general))]
        self.general, self.recouped, self.set_aside = self.night_general(), 0, 0
        for name in {*self.pools, *self.today}:
            lost = tick(self.pools.get(name, 0))
            ticks.append((f"project.{name}", lost))
            self.pools[name] = self.pools.get(name, 0) - lost
            self.count(name)
        return [(pool, lost) for pool, lost in ticks if lost]

    def accounts(self) -> dict[str, int]:
        """What the sheet should say of energy."""
        shown = {"energy": self.energy, "general": self.general}
        shown |= {"general.recouped": self.recouped, "general.invested-today": self.set_aside}
        shown |= {f"project.{name}": held for name, held in self.pools.items()}
        shown |= {f"invested-today.{name}": held for name, held in self.today.items()}
        return {name: held for name, held in shown.items() if held}


def tick(pool: int) -> int:
    return min(pool, max(1, ceil(pool * 5 / 100)))


class City:
    """A book, the model beside it, and a count of what entered and what left, by what was written alone."""

    def __init__(self, twin: bool) -> None:
        self.book = opened_book(games=())
        self.twin = opened_book(games=()) if twin else None
        self.lives: dict[str, Life] = {}
        self.entered = self.left = 0
        self.pending: dict[int, tuple[str, ...]] = {}
        self.asked = 0
        for who in ("mara", "brak"):
            self.join(who)

    def __enter__(self) -> "City":
        return self

    def __exit__(self, *_: object) -> None:
        for book in filter(None, (self.book, self.twin)):
            book.close()

    def join(self, who: str) -> None:
        self.lives[who] = Life(CAST[who])
        self.count(self.write(Join(who=who, system="byzantine", scores=CAST[who])))

    def write(self, command: Command) -> Sequence[Entry]:
        """Write a command, in both books where there are two; the days of the twin begin one by one."""
        entries = scribe(self.book).write(command).entries
        if self.twin is not None and isinstance(command, NextDay):
            waiting = len(self.twin.questions())
            for _ in range(command.count or 1):
                if len(self.twin.questions()) == waiting:
                    scribe(self.twin).write(NextDay(count=1, until=None))
        elif self.twin is not None:
            said = command
            if isinstance(command, Choose):
                place = self.asked_before.index(command.question)
                said = command.replace(question=self.twin.questions()[place])
            scribe(self.twin).write(said)
        return entries

    def try_(self, command: Command) -> Sequence[Entry] | None:
        """Write a command; None where it is refused, which changes nothing."""
        head = self.book.head()
        self.asked_before = list(self.book.questions())
        try:
            entries = self.write(command)
        except LedgerError:
            assert self.book.head() == head
            return None
        self.count(entries)
        return entries

    def count(self, entries: Iterable[Entry]) -> None:
        """Count what enters and leaves by the flow of its kind; what moves within neither enters nor leaves."""
        for entry in entries:
            amounts = [
                posting["amount"]
                for posting in entry.body["postings"]
                if posting["score"].startswith("byzantine/")
                and find("byzantine").score(posting["score"].removeprefix("byzantine/")).unit == "energy"  # type: ignore[union-attr]
            ]
            flow = FLOW.get(entry.type, "in")
            if flow == "within":
                assert sum(amounts) == 0
            elif flow == "in":
                assert all(amount >= 0 for amount in amounts)
                self.entered += sum(amounts)
            else:
                assert all(amount <= 0 for amount in amounts)
                self.left -= sum(amounts)

    def check(self) -> None:
        """Compare the count, the model and the sheets, and look for a debt that should have killed."""
        held = accounts_of(self.book)
        sheets = {
            who: {
                name.removeprefix("byzantine/"): number
                for name, number in held[who].items()
                if name.partition(".")[0]
                in {f"byzantine/{each}" for each in ("energy", "general", "project", "invested-today")}
            }
            for who in self.lives
        }
        assert self.entered - self.left == sum(sum(sheet.values()) for sheet in sheets.values())
        assert sheets == {who: life.accounts() for who, life in self.lives.items()}
        for who, life in self.lives.items():
            assert (held[who].get("byzantine/dead") is True) == life.dead
            if not life.dead and life.known and who not in {each for pair in self.pending.values() for each in pair}:
                assert life.debt == 0 or 2 * life.debt <= life.there()
        if self.twin is not None:
            assert on_sheets(held) == on_sheets(accounts_of(self.twin))


def on_sheets(held: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {
        who: {name: value for name, value in each.items() if name.startswith("byzantine/") or name == "day"}
        for who, each in held.items()
        if who in CAST or who == "campaign"
    }


# What is played

KINDS = [
    *["day", "day", "day", "day", "attempt", "attempt", "attempt", "attempt", "invest", "invest", "attack", "night"],
    *["connect", "withhold", "restore", "lend", "reclaim", "alter", "cancel", "know", "opposed", "go", "led", "kill"],
    *["withhold", "withhold", "night", "attempt", "attack", "answer", "answer", "harm", "apart"],
]
SMALL = st.sampled_from([0, 1, 1, 2, 2, 3, 4, 5, 6, 8, 11, 14])
PROJECT = st.sampled_from([None, None, *PROJECTS])


WHO, AT = st.sampled_from(list(CAST)), st.sampled_from(["workshop", "workshop", "guild", "guild", "bread"])
WHY = st.just("x")
DRAWN: dict[str, st.SearchStrategy[Move]] = {
    "connect": st.builds(Connect, who=WHO, connection=AT, input=st.integers(-5, 0), output=st.integers(0, 5)),
    "withhold": st.builds(Withhold, who=WHO, connection=AT, output=st.booleans(), why=WHY),
    "restore": st.builds(Restore, who=WHO, connection=AT),
    "lend": st.builds(
        Lend, who=WHO, connection=st.just("bread"), input=st.integers(-3, 0), output=st.integers(0, 4), why=WHY
    ),
    "reclaim": st.builds(Reclaim, who=WHO, connection=st.just("bread")),
    "alter": st.builds(
        Alter,
        who=WHO,
        connection=AT,
        side=st.sampled_from(["input", "output"]),
        by=st.sampled_from([-1, 1]),
        energy=SMALL,
        costs=st.just(4),
        why=WHY,
        overdraft=st.booleans(),
    ),
    "night": st.builds(Night, who=WHO, sleep=st.sampled_from(["little", "none", "full"])),
    "invest": st.builds(Invest, who=WHO, energy=st.sampled_from([1, 2, 3, 5, 5, 5, 7, 10]), project=PROJECT),
    "cancel": st.builds(Cancel, who=WHO, project=st.sampled_from(PROJECTS)),
    "harm": st.builds(Harm, who=WHO, energy=st.integers(1, 14), why=WHY),
    "attempt": st.builds(
        Attempt,
        who=WHO,
        task=st.just("run"),
        costs=st.just(3),
        energy=SMALL,
        project=PROJECT,
        order=st.sampled_from([(), (), ("general",), ("day", "general"), ("general", "project")]),
        beside=st.sampled_from([{}, {}, {"brak": 1}, {"zoe": 2}]),
        overdraft=st.booleans(),
    ),
    "go": st.builds(Go, who=WHO, place=st.just("docks"), energy=SMALL),
    "led": st.builds(
        Go, who=WHO, place=st.just("docks"), energy=SMALL, among=st.just(("brak",)), ability=st.just("streets")
    ),
    "attack": st.builds(
        EnergyAttack,
        who=WHO,
        target=WHO,
        energy=st.integers(0, 8),
        answer=st.integers(0, 3),
        owing=st.booleans(),
        beside=st.sampled_from([{}, {}, {"zoe": 2}, {"brak": 1}]),
        against=st.sampled_from([{}, {}, {"mara": 0}, {"zoe": 3}]),
        take=st.none() | st.integers(0, 6),
        overdraft=st.booleans(),
    ),
    "kill": st.builds(
        Kill,
        who=WHO,
        target=WHO,
        energy=st.sampled_from([9, 40]),
        overdraft=st.booleans(),
        manner=WHY,
        how=st.none() | WHY,
    ),
}


def evening(draw: Draw, city: City, longest: int) -> None:
    """Play this and that; after each command compare."""
    played = refused = 0
    newcomer = draw(st.integers(0, 8))
    for turn in range(draw(st.integers(longest // 3, longest))):
        if turn == newcomer:
            city.join("zoe")
        kind = draw(st.sampled_from(KINDS))
        if kind == "day":
            done = skip(city, draw(st.sampled_from([1, 1, 1, 2, 3, 5])))
        elif kind == "answer":
            done = answer(draw, city)
        elif kind in {"know", "opposed"}:
            done = opposed(draw, city, kind)
        elif kind == "apart":
            done = apart(draw, city)
        else:
            done = one(draw, city, draw(DRAWN[kind]))
        played, refused = played + done, refused + (not done)
        city.check()
    event(f"mornings put to the GM: {city.asked}")
    event(f"played {10 * played // (played + refused)} of 10")
    event(f"deaths {sum(life.dead for life in city.lives.values())}")


def skip(city: City, count: int) -> bool:
    """Begin so many days; each pool of whoever lives ticks once a day, till somebody must be asked."""
    entries = city.try_(NextDay(count=count, until=None))
    if entries is None:
        return not any(who in {each for pair in city.pending.values() for each in pair} for who in city.lives)
    ticks: list[tuple[str, str, int]] = []
    begun = 0
    for _ in range(count):
        begun += 1
        poor = []
        for who, life in city.lives.items():
            if not life.dead:
                lost = life.dawn()
                poor += [who] if lost is None else []
                ticks += [(who, pool, number) for pool, number in lost or ()]
        if poor:
            break
    assert [entry.type for entry in entries].count("day-begun") == begun
    assert sorted(ticks) == ticked(entries)
    asked = {entry.seq: (entry.body["who"],) for entry in entries if entry.type == "question-asked"}
    assert sorted(pair[0] for pair in asked.values()) == sorted(poor)
    city.pending |= asked
    city.asked += len(asked)
    return True


def ticked(entries: Iterable[Entry]) -> list[tuple[str, str, int]]:
    facts = ((entry.body["who"], entry.body["facts"]) for entry in entries if entry.type == "decay-ticked")
    return sorted((who, each["pool"], each["lost"]) for who, each in facts)


def answer(draw: Draw, city: City) -> bool:
    """Answer what waits, if anything does."""
    if not city.pending:
        return False
    question = draw(st.sampled_from(sorted(city.pending)))
    who, *others = city.pending[question]
    if not others:
        fate = draw(st.sampled_from(["lives", "dies"]))
        entries = city.try_(Choose(question=question, chosen={"fate": fate, "how": "x"}))
        assert entries is not None
        lost = city.lives[who].dawn(fate)
        assert lost is not None
        assert sorted((who, *each) for each in lost) == ticked(entries)
    else:
        take = draw(st.integers(0, 4))
        entries = city.try_(Choose(question=question, chosen={"take": take}))
        if entries is None:
            return False
        took(city, entries)
    del city.pending[question]
    return True


def took(city: City, entries: Iterable[Entry]) -> None:
    for entry in entries:
        if entry.type == "energy-attacked":
            loser = city.lives[entry.body["who"]]
            owed = loser.debt
            loser.energy -= entry.body["facts"]["taken"]
            loser.known |= loser.debt != owed


def one(draw: Draw, city: City, move: Move) -> bool:
    """Play a move, and the same with words where it kills; then do it in the model."""
    entries = city.try_(PlayMove(system="byzantine", move=move))
    if entries is None and isinstance(move, Alter | Attempt | Go | Harm) and draw(st.integers(0, 3)) == 0:
        move = move.replace(how="x")
        entries = city.try_(PlayMove(system="byzantine", move=move))
    if entries is None:
        return False
    done(city, move, entries)
    return True


def done(city: City, move: Move, entries: Sequence[Entry]) -> None:  # noqa: C901, PLR0912, PLR0915  one case for each move
    life = city.lives[move.who]
    good = next((entry.body["verdict"]["good"] for entry in entries if entry.type == "move-played"), None)
    changed = True
    match move:
        case Connect():
            if move.input is not None:
                life.inputs[move.connection] = move.input
            if move.output is not None:
                life.outputs[move.connection] = move.output
            if not (life.inputs.get(move.connection) or life.outputs.get(move.connection)):
                life.withheld.pop(move.connection, None)
        case Withhold():
            life.withheld[move.connection] = "output" if move.output else "connection"
        case Restore():
            del life.withheld[move.connection]
        case Lend():
            life.inputs["bread"], life.outputs["bread"] = move.input, move.output
        case Reclaim():
            life.inputs["bread"] = life.outputs["bread"] = 0
            life.withheld.pop("bread", None)
        case Night():
            life.night = None if move.sleep == "full" else move.sleep
        case Alter():
            life.spend(move.energy)
            sides = life.inputs if move.side == "input" else life.outputs
            sides[move.connection] = sides.get(move.connection, 0) + (move.by if good else 0)
            changed = bool(good)
        case Invest():
            life.invest(move.energy, move.project)
            changed = False
        case Cancel():
            life.cancel(move.project)
            changed = False
        case Harm():
            life.lose(move.energy)
            changed = False
        case Attempt() | Go() | Know() | Kill():
            for who, energy in getattr(move, "beside", {}).items():
                city.lives[who].spend(energy)
            life.spend(move.energy or 0, move.project, move.order)
            changed = False
            if isinstance(move, Kill) and good:
                city.lives[move.target].die()
        case EnergyAttack():
            life.spend(move.energy, move.project)
            city.lives[move.target].spend(move.answer)
            for who, energy in {**move.beside, **move.against}.items():
                city.lives[who].spend(energy)
            assert not any(city.lives[who].dead for who in (move.who, move.target, *move.beside, *move.against))
            asked = [entry.seq for entry in entries if entry.type == "question-asked"]
            city.pending |= dict.fromkeys(asked, (move.who, move.target, *move.beside, *move.against))
            took(city, entries)
            changed = False
    life.known &= not changed


def opposed(draw: Draw, city: City, kind: str) -> bool:
    """Set a task that somebody opposes, and attempt it, or try to know its cost while that is obscured."""
    who, other = draw(st.permutations(sorted(city.lives)))[:2]
    name = f"task-{city.book.head()}"
    owing = draw(st.sampled_from([(), (other,)]))
    task = Task(task=name, costs=2, owing=owing, opposed_energy={other: draw(st.integers(0, 4))})
    if city.try_(PlayMove(system="byzantine", move=task)) is None:
        return False
    move: Move
    if kind == "know":
        against = draw(st.integers(0, 3))
        move = Know(who=who, task=name, energy=draw(SMALL), obscured={other: against}, owing=owing)
    else:
        against = task.opposed_energy[other]
        move = Attempt(who=who, task=name, energy=draw(SMALL), overdraft=draw(st.booleans()))
    entries = city.try_(PlayMove(system="byzantine", move=move))
    if entries is None:
        return False
    done(city, move, entries)
    city.lives[other].spend(against)
    assert not (against and city.lives[other].dead)
    return True


def apart(draw: Draw, city: City) -> bool:
    """Open a contest to which two commit apart, while this and that is played, and resolve it or call it off."""

    def written(move: Move) -> Sequence[Entry] | None:
        return city.try_(PlayMove(system="byzantine", move=move))

    who, other = draw(st.permutations(sorted(city.lives)))[:2]
    name = f"contest-{city.book.head()}"
    sides = Contest(contest=name, acting=(who,), against=(other,), kind=draw(st.sampled_from(["task", "attack"])))
    if written(sides) is None:
        return False
    commits = {
        each: Commit(
            who=each,
            contest=name,
            energy=draw(SMALL),
            obscure=draw(st.integers(0, 2)),
            project=draw(PROJECT),
            overdraft=draw(st.booleans()),
        )
        for each in (who, other)
    }
    for each, commit in commits.items():
        if written(commit) is None:
            commits[each] = commit.replace(project=None, energy=0, obscure=0, overdraft=False)
            assert written(commits[each]) is not None
    for _ in range(draw(st.integers(0, 2))):
        meanwhile = draw(DRAWN[draw(st.sampled_from(["attack", "attempt", "invest", "cancel"]))])
        one(
            draw,
            city,
            meanwhile.replace(take=0) if isinstance(meanwhile, EnergyAttack) and meanwhile.take is None else meanwhile,
        )
    take = draw(st.integers(0, 3)) if sides.kind == "attack" else None
    entries = written(Resolve(contest=name, take=take, how="x")) or written(
        Resolve(contest=name, take=0 if sides.kind == "attack" else None, how="x")
    )
    if entries is None:
        assert any(city.lives[each].dead for each in commits) or city.pending
        assert written(Contest(contest=name, off=True)) is not None
        return True
    for each, commit in commits.items():
        city.lives[each].spend(commit.energy + commit.obscure, commit.project)
    took(city, entries)
    return True


# With a twin, the days that one city skips are played one by one in another.


@pytest.mark.parametrize("twin", [False, True])
@examples(40)
@given(data=st.data())
def test_energy_is_conserved_each_pool_ticks_once_a_day_and_nobody_alive_owes_what_kills(data: Any, twin: bool) -> None:
    with City(twin=twin) as city:
        evening(data.draw, city, 22)


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.parametrize("twin", [False, True])
@settings(max_examples=1500)
@given(data=st.data())
def test_energy_is_conserved_over_thousands_of_evenings(data: Any, twin: bool) -> None:
    with City(twin=twin) as city:
        evening(data.draw, city, 27)
