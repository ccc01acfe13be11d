"""What holds for every move of every game, also of one that nobody here has heard of."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from ledger import systems
from ledger.answers import Choose, asked_move
from ledger.audit import verify
from ledger.book import Book
from ledger.campaign import Adjust, Note, Settle
from ledger.corrections import Undo
from ledger.deciding import Command
from ledger.dice import Throw, throw
from ledger.errors import LedgerError, Refused
from ledger.events import Secret, plain
from ledger.play import Play, Roll, table_of
from ledger.rules import CAST, HIDDEN, WORDS, Move, Table
from ledger.shape import Field
from ledger.systems import find
from table import accounts_of, last, opened_book, scribe, seeded_dice

MOVES = [(name, move) for name in systems.names() for move in find(name).play().moves]
IDS = [f"{name}-{move.name()}" for name, move in MOVES]
EACH_MOVE = pytest.mark.parametrize(("system", "move"), MOVES, ids=IDS)

NAMES = ("serious", "minor", "critical", "deception", "cunning", "presence", "flying")


def values(field: Field) -> st.SearchStrategy[Any]:
    """What may be said for an input, as its annotation describes it."""
    one: st.SearchStrategy[Any]
    if CAST in field.tags:
        one = st.sampled_from(["mara", "brak"])
    elif field.choices:
        one = st.sampled_from(field.choices)
    elif field.kind is bool:
        one = st.booleans()
    elif field.kind is int and field.limit:
        small = st.integers(max(field.limit.least, -12), min(field.limit.most, 40))
        one = st.one_of(small, small, st.integers(field.limit.least, field.limit.most))
    elif WORDS in field.tags:
        one = st.sampled_from(["rain", "high ground"])
    else:
        one = st.sampled_from(NAMES)
    if field.many:
        one = st.lists(one, max_size=2).map(tuple)
    if field.optional:
        one = st.none() | one
    return one if field.required else st.just(field.default) | one


def moves_of(move: type[Move]) -> st.SearchStrategy[Move]:
    """Moves with whatever may be said, the usable more often than the absurd."""
    return st.fixed_dictionaries({name: values(field) for name, field in move.fields().items()}).map(
        lambda inputs: move(**inputs)
    )


def playable(move: type[Move]) -> st.SearchStrategy[Move]:
    """A move whose inputs are left at their defaults more often, so that most of them can be played."""
    required = {name: values(field) for name, field in move.fields().items() if field.required}
    optional = {name: values(field) for name, field in move.fields().items() if not field.required}
    few = st.fixed_dictionaries(required, optional=optional).map(lambda inputs: move(**inputs))
    return few | moves_of(move)


def drawn_table(draw: Callable[[st.SearchStrategy[Any]], Any], system: str) -> Callable[[], Table]:
    """A sheet of any numbers that the scores allow; the same one each time it is asked for."""
    game = find(system)
    held: dict[tuple[str, str], Any] = {}

    def look(who: str, full: str) -> Any:
        short = full.removeprefix(f"{system}/")
        if (who, full) not in held:
            score = game.score(short)
            if score is None:
                held[who, full] = draw(st.none() | st.booleans())
            else:
                most = min(score.most, 12) if isinstance(score.most, int) else 12
                held[who, full] = draw(st.none() | st.integers(score.least, most))
        return held[who, full]

    settings = {setting.name: setting.default for setting in game.settings}
    return lambda: Table(system, look, settings)


@EACH_MOVE
@given(data=st.data())
def test_a_ruling_never_raises_once_the_dice_agreed_and_it_is_pure(system: str, move: type[Move], data: Any) -> None:
    made, seed = data.draw(playable(move)), data.draw(st.integers(0, 1000))
    table = drawn_table(data.draw, system)
    try:
        asked = made.dice(table())
    except LedgerError:
        return
    faces = throw(asked, seeded_dice(seed)).faces if asked else ()
    missing = made.choices(table())
    assert set(missing) <= set(move.chosen)
    if missing:
        fields = move.fields()
        made = made.but(
            **{name: data.draw(values(fields[name]).filter(lambda held: held is not None)) for name in missing}
        )
    try:
        made.agree(table(), faces)
    except LedgerError:
        return
    first, again = made.ruling(table(), faces), made.ruling(table(), faces)
    assert first == again
    assert made.cost(table()) == made.cost(table())
    assert set(first.dropped) <= set(range(len(faces)))


@EACH_MOVE
def test_every_input_is_described(system: str, move: type[Move]) -> None:
    assert (move.__doc__ or "").endswith(".")
    assert move.ids
    assert set(move.chosen) <= set(move.fields())
    for field in move.fields().values():
        assert field.says or (field.required and (field.choices or field.tags)), field.name
        assert not field.says.endswith(".")
        assert field.kind is not int or field.limit is not None
        assert HIDDEN not in field.tags or "secret" in move.fields()


class Watched:
    """Seeded dice that count how often they are thrown."""

    def __init__(self, seed: int) -> None:
        self.dice = seeded_dice(seed)
        self.thrown = 0

    def __call__(self, sides: int) -> int:
        self.thrown += 1
        return self.dice(sides)


def played(book: Book, system: str, made: Move, data: Any) -> Any:
    """Play a move to its ruling, with the machine's dice; None where it is refused, which is before they are thrown."""
    dice = Watched(data.draw(st.integers(0, 1000)))
    hand = scribe(book, chance=dice)
    try:
        done = hand.write(Play(system=system, move=made))
    except LedgerError:
        assert dice.thrown == 0
        return None
    try:
        if done.entries[-1].type != "question-asked" and not any(e.type == "question-asked" for e in done.entries):
            return done
        question = next(entry for entry in done.entries if entry.type == "question-asked")
        faces = [die["face"] for die in question.body["dice"]]
        fields = made.fields()
        chosen = {name: data.draw(st.sampled_from(fields[name].choices or faces)) for name in question.body["asks"]}
        return hand.write(Choose(question=question.seq, chosen=chosen))
    except LedgerError:
        return None


@EACH_MOVE
@given(data=st.data())
def test_each_ruling_can_be_worked_out_again_from_its_entry_alone(system: str, move: type[Move], data: Any) -> None:
    with opened_book() as book:
        done = played(book, system, data.draw(playable(move)), data)
        if done is None:
            return
        entry = last(done, "move-played")
        seq = next(each.seq for each in done.entries if each.type == "move-played")
        body = book.entry(seq, secrets=True).body
        again = move.revived(body["inputs"])

        def look(who: str, full: str) -> Any:
            return body["looked"][who][full]

        worked = again.ruling(Table(system, look, body["settings"]), [die["face"] for die in body["dice"]])
        assert revealed(worked.verdict) == body["verdict"]
        assert revealed(worked.steps) == body["steps"]
        assert worked.dropped == {place: die["dropped"] for place, die in enumerate(entry["dice"]) if die["dropped"]}
        followed = [each for each in done.entries if each.cause == seq]
        kinds = [each.kind.name for each in worked.consequences]
        assert [each.type for each in followed][len(followed) - len(kinds) :] == kinds


def revealed(value: Any) -> Any:
    """A value as JSON has it, with its secrets told."""
    held = plain(value)
    if isinstance(held, Secret):
        return int(held.text or "")
    if isinstance(held, dict):
        return {name: revealed(each) for name, each in held.items()}
    return [revealed(each) for each in held] if isinstance(held, list) else held


@EACH_MOVE
@given(data=st.data())
def test_every_action_can_be_undone(system: str, move: type[Move], data: Any) -> None:
    with opened_book() as book:
        before = accounts_of(book)
        actions = len(list(book.acts_backwards()))
        if played(book, system, data.draw(playable(move)), data) is None and not book.questions():
            return
        for _ in range(len(list(book.acts_backwards())) - actions):
            scribe(book).write(Undo())
        assert accounts_of(book) == before
        assert verify(book).entries == book.journal.head()


def commands(data: Any) -> Command:
    """Any command of play or correction."""
    system, move = data.draw(st.sampled_from(MOVES))
    command: Command = data.draw(
        st.one_of(
            playable(move).map(lambda made: Play(system=system, move=made)),
            st.just(Undo()),
            st.builds(Note, text=st.just("a note")),
            st.builds(Roll, who=st.just("mara"), notation=st.sampled_from(["3d6", "d%", "4d6kh3-1"])),
            st.builds(
                Adjust,
                who=st.sampled_from(["mara", "brak"]),
                amounts=st.sampled_from([{"edge/edge": -1}, {"edge/edge": 1, "coin/coins": -2}, {"coin/debt.bank": 2}]),
                why=st.just("so"),
            ),
            st.just(Settle(system="coin", values={"taxed": "yes"})),
        )
    )
    return command


@given(data=st.data())
def test_any_evening_leaves_accounts_equal_to_the_journal(data: Any) -> None:
    evening(data, 8)


@pytest.mark.slow
@settings(max_examples=1500)
@given(data=st.data())
def test_any_of_a_thousand_long_evenings_leaves_accounts_equal_to_the_journal(data: Any) -> None:
    evening(data, 20)


def evening(data: Any, longest: int) -> None:
    """Say this and that, and then check the whole journal."""
    with opened_book() as book:
        for _ in range(data.draw(st.integers(1, longest))):
            command = commands(data)
            note(repr(command))
            waiting = book.questions()
            if waiting and data.draw(st.booleans()):
                asked = book.entry(waiting[0], secrets=True)
                fields = asked_move(asked, {}).fields()
                faces = [die["face"] for die in asked.body["dice"]]
                command = Choose(
                    question=waiting[0],
                    chosen={
                        name: data.draw(st.sampled_from(fields[name].choices or faces)) for name in asked.body["asks"]
                    },
                )
            head, dice = book.journal.head(), Watched(data.draw(st.integers(0, 99)))
            try:
                scribe(book, chance=dice).write(command)
            except LedgerError:
                assert (book.journal.head(), dice.thrown) == (head, 0)
        whole = verify(book)
        assert whole.entries == book.journal.head()


@given(data=st.data())
def test_undoing_all_that_was_done_gives_the_empty_sheets(data: Any) -> None:
    with opened_book() as book:
        for _ in range(data.draw(st.integers(0, 5))):
            try:
                scribe(book, seed=data.draw(st.integers(0, 99))).write(commands(data))
            except LedgerError:
                continue
        with pytest.raises(Refused, match="nothing left to undo"):
            while True:
                scribe(book).write(Undo())
        assert book.cast() == []
        assert {who for who in accounts_of(book) if not who.startswith(("#", "p1"))} == set()
        verify(book)


def test_the_table_answers_from_what_was_looked_at_before(book: Book) -> None:
    table = table_of(book, "edge", {"looked": {"mara": {"edge/edge": 99}}, "settings": {"injuries": ["a"]}})
    assert (table.score("mara", "edge"), table.score("mara", "maximum"), table.find("mara", "care")) == (99, 4, None)
    assert table.looked == {"mara": {"edge/edge": 99, "edge/maximum": 4, "edge/care": None}}


def test_a_throw_is_what_the_machine_or_a_hand_made_of_it() -> None:
    assert Throw(dice=(), source="typed").faces == ()
