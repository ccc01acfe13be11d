"""What holds for every move of every game, also of one that nobody here has heard of."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coin import Draw, Flip, Give, Wait
from evenings import MOVES, NAMES, STARTS, Watched, after_dice, evening, playable, values
from examples import examples
from ford import DUEL
from ledger.audit.verify import verify
from ledger.commands.decider import Command
from ledger.commands.play import PlayMove
from ledger.commands.sheet import table_of
from ledger.corrections.answers import AcceptOffer, Choose
from ledger.corrections.undoing import Undo
from ledger.errors import LedgerError, Refused
from ledger.events.commitments import Secret, open_secrets, secret
from ledger.events.entry import Entry, jsonable
from ledger.events.subjects import OFFER
from ledger.events.types import QuestionAsked
from ledger.journal.book import Book
from ledger.rules.dice import ThrownDice, throw
from ledger.rules.inputs import AT_TABLE, BONUS, HIDDEN
from ledger.rules.move import Move, Table, TableMove, check_dice
from ledger.rules.system import MarkSpec
from ledger.systems import find
from ledger.systems.byzantine.moves_tasks import Know
from ledger.systems.edge.moves_fights import Attack
from ledger.values import Field
from projections.wording import act_inputs, sentence_shown
from table import accounts_of, every_game, last, scribe, seeded_dice

IDS = [f"{name}-{move.name()}" for name, move in MOVES]
EACH_MOVE = pytest.mark.parametrize(("system", "move"), MOVES, ids=IDS)


def drawn_table(draw: Callable[[st.SearchStrategy[Any]], Any], system: str) -> Callable[[], Table]:
    """A sheet of any numbers that the scores allow; the same one each time it is asked for."""
    game = find(system)
    held: dict[tuple[str, str], Any] = {}

    def look(who: str, full: str) -> Any:
        short = full.removeprefix(f"{system}/")
        if (who, full) not in held and full.endswith("*"):
            held[who, full] = draw(st.lists(st.sampled_from(NAMES), max_size=3, unique=True))
        if (who, full) not in held and "/" not in full:
            held[who, full] = draw(st.integers(0, 5))
        if (who, full) not in held:
            score = game.score(short)
            if score is None:
                held[who, full] = draw(st.none() | marks(game.mark(short)))
            else:
                most = min(score.most, 12) if isinstance(score.most, int) else 12
                held[who, full] = draw(st.none() | st.integers(score.least, most))
        return held[who, full]

    settings = {setting.name: setting.default for setting in game.settings}
    return lambda: Table(system, look, settings)


def marks(declared: MarkSpec | None) -> st.SearchStrategy[Any]:
    """Values that people may type for a mark; of one that only moves set, nothing, or the names of a challenge."""
    if declared is None:
        return st.booleans()
    if declared.name == "in-challenge":
        return st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)
    typed = (*NAMES, ",".join(NAMES[:2]), "yes", "no", "0", "2")
    read = [declared.read(text) for text in typed if is_read(declared, text)]
    return st.sampled_from(read) if read else st.none()


def is_read(declared: MarkSpec, name: str) -> bool:
    try:
        declared.read(name)
    except LedgerError:
        return False
    return True


@EACH_MOVE
@examples(25)
@given(data=st.data())
def test_a_ruling_never_raises_once_the_dice_agreed_and_it_is_pure(system: str, move: type[Move], data: Any) -> None:
    made, seed = data.draw(playable(move)), data.draw(st.integers(0, 1000))
    table = drawn_table(data.draw, system)
    try:
        asked = made.dice(table())
    except LedgerError:
        return
    faces = throw(asked, seeded_dice(seed)).faces if asked else ()
    missing = made.choices(table(), faces)
    assert set(missing) <= set(move.chosen)
    if missing:
        fields = move.fields()
        made = made.replace(
            **{name: data.draw(values(fields[name]).filter(lambda held: held is not None)) for name in missing}
        )
    try:
        made.check_choice(table(), faces)
    except LedgerError:
        return
    first, again = made.ruling(table(), faces), made.ruling(table(), faces)
    assert first == again
    assert made.cost(table()) == made.cost(table())
    assert set(first.dropped) <= set(range(len(faces)))


@EACH_MOVE
def test_a_line_describes_a_move_by_inputs_that_are_never_hidden(system: str, move: type[Move]) -> None:
    fields = move.fields()
    assert all(HIDDEN not in fields[name].tags for name in act_inputs(system, move.name()))


@EACH_MOVE
def test_no_input_has_a_name_of_the_deed_and_a_bonus_has_its_words(system: str, move: type[Move]) -> None:
    fields = move.fields()
    assert fields.keys().isdisjoint({"deed", "for"})
    assert all(field.keyed or "why" in fields for field in fields.values() if BONUS in field.tags)
    assert sum(BONUS in field.tags for field in fields.values()) <= 1


def test_a_stored_verdict_with_names_has_better_words_for_the_whole_or_for_its_parts() -> None:
    assert sentence_shown("byzantine", "climb is done, and mara is dead") == "success, and mara dies"
    assert sentence_shown("byzantine", "3 into the general pool from the next dawn; 2 more make the next five") == (
        "the general pool gains 3 at dawn; 2 more energy completes the next set of 5"
    )
    assert sentence_shown("syscards", "a forced challenge of brak, aikido; brak needs 40, info of aikido") == (
        "challenges aikido (forced); brak needs 40 because of the info of aikido"
    )
    assert sentence_shown("byzantine", "words that no table has; climb is done") == "words that no table has; success"


def test_a_move_fits_players_unless_an_input_for_the_gm_is_filled_in() -> None:
    know = Know(who="mara", task="wall", energy=1)
    assert [move.fits_players() for move in (know, know.replace(costs=4))] == [True, False]


@EACH_MOVE
def test_every_input_is_described(system: str, move: type[Move]) -> None:
    assert (move.__doc__ or "").rstrip().endswith(".")
    assert move.ids
    assert set(move.chosen) <= set(move.fields())
    for field in move.fields().values():
        if AT_TABLE in field.tags:
            continue
        assert field.says or (field.required and (field.choices or field.tags)), field.name
        assert not field.says.endswith(".")
        assert field.kind is not int or field.limit is not None
        assert HIDDEN not in field.tags or "secret" in move.fields() or move.hides is not Move.hides


def played(book: Book, system: str, made: Move, data: Any) -> Any:
    """Play a move to its ruling, with the machine's dice; None where it is refused, which is before they are thrown."""
    dice = Watched(data.draw(st.integers(0, 1000)))
    hand = scribe(book, chance=dice)
    try:
        done = hand.write(PlayMove(system=system, move=made))
    except LedgerError:
        assert dice.thrown == 0
        return None
    try:
        if done.entries[-1].type != "question-asked" and not any(e.type == "question-asked" for e in done.entries):
            return done
        question = next(entry for entry in done.entries if entry.type == "question-asked")
        faces = [die["face"] for die in question.body["dice"]]
        asking = find(system).move(question.body["move"])
        assert asking is not None
        fields = asking.fields()
        chosen = {name: data.draw(after_dice(fields[name], faces)) for name in question.body["asks"]}
        return hand.write(Choose(question=question.seq, chosen=chosen))
    except LedgerError:
        return None


@EACH_MOVE
@examples(25)
@given(data=st.data())
def test_each_ruling_can_be_worked_out_again_from_its_entry_alone(system: str, move: type[Move], data: Any) -> None:
    with every_game() as book:
        done = played(book, system, data.draw(playable(move)), data)
        if done is None:
            return
        for entry in done.entries:
            if entry.type == "move-played":
                worked_out_again(book, entry.seq, done.entries)


def worked_out_again(book: Book, seq: int, entries: Sequence[Entry]) -> None:
    body = book.entry(seq, secrets=True).body
    move = find(body["system"]).move(body["move"])
    assert move is not None

    def look(who: str, full: str) -> Any:
        return body["looked"][who][full]

    table = Table(body["system"], look, body["settings"])
    worked = move.from_inputs(body["inputs"]).ruling(table, [die["face"] for die in body["dice"]])
    assert open_secrets(jsonable(worked.verdict)) == body["verdict"]
    assert open_secrets(jsonable(worked.steps)) == body["steps"]
    assert worked.dropped == {place: die["dropped"] for place, die in enumerate(body["dice"]) if die["dropped"]}
    followed = [each for each in entries if each.cause == seq]
    kinds = [each.kind.name for each in worked.consequences]
    assert [each.type for each in followed][len(followed) - len(kinds) :] == kinds


@EACH_MOVE
@examples(25)
@given(data=st.data())
def test_every_action_can_be_undone(system: str, move: type[Move], data: Any) -> None:
    with every_game() as book:
        before = accounts_of(book)
        actions = len(list(book.acts_backwards()))
        if played(book, system, data.draw(playable(move)), data) is None and not book.questions():
            return
        for _ in range(len(list(book.acts_backwards())) - actions):
            scribe(book).write(Undo())
        assert accounts_of(book) == before
        assert verify(book).entries == book.journal.head()


@given(data=st.data())
def test_any_evening_leaves_accounts_equal_to_the_journal(data: Any) -> None:
    with every_game() as book:
        evening(data.draw, book, 8)
        assert verify(book).entries == book.head()


@pytest.mark.slow
@pytest.mark.no_cover
@settings(max_examples=1500)
@given(data=st.data())
def test_any_of_a_thousand_long_evenings_leaves_accounts_equal_to_the_journal(data: Any) -> None:
    with every_game() as book:
        evening(data.draw, book, 20)
        assert verify(book).entries == book.head()


def test_the_table_answers_from_what_was_looked_at_before(book: Book) -> None:
    looked: dict[str, dict[str, Any]] = {"mara": {"edge/edge": 99}}
    asked = QuestionAsked(
        system="edge",
        edition="edge/1",
        move="check",
        who="mara",
        inputs={},
        settings={"injuries": ["a"]},
        looked=looked,
        throws=(),
        dice=(),
        kind="choice",
        asks=("drop",),
    )
    table = table_of(book, "edge", asked)
    assert (table.score("mara", "edge"), table.score("mara", "maximum"), table.find("mara", "care")) == (99, 4, None)
    assert table.looked == {"mara": {"edge/edge": 99, "edge/maximum": 4, "edge/care": None}}
    assert table.last_raise("mara", "maximum") == 4
    assert Table("edge", lambda who, full: 4, {}).last_raise("mara", "maximum") == 0
    assert Table("edge", lambda who, full: None, {}).day() == 0


def test_a_move_without_a_ruling_of_its_own_was_played() -> None:
    wait = find("coin").move("wait")
    assert wait is not None
    with every_game() as book:
        verdict = last(scribe(book).write(PlayMove(system="coin", move=wait(who="mara"))), "move-played")["verdict"]
    assert (verdict["says"], verdict["good"]) == ("played", None)


def test_only_dice_that_can_lie_on_the_table_are_ruled_on() -> None:
    check_dice([1, 6], count=2, sides=6)
    check_dice([1, 6, 3], sides=6)
    for faces, says in (([1, 7], "A d6 cannot show 7"), ([0], "A d6 cannot show 0")):
        with pytest.raises(Refused, match=says):
            check_dice(faces, sides=6)
    for faces in ([1], [1, 2, 3]):
        with pytest.raises(Refused, match=f"This roll needs 2 dice, not {len(faces)}"):
            check_dice(faces, count=2, sides=6)


@pytest.mark.parametrize(
    ("move", "throws"),
    [
        ("edge check", True),
        ("edge grant", False),
        ("syscards challenge", True),
        ("coin give", False),
        ("coin wait", False),
    ],
)
def test_a_move_throws_dice_if_it_or_one_that_it_leads_to_asks_for_some(move: str, throws: bool) -> None:
    game, _, name = move.partition(" ")
    kind = find(game).move(name)
    assert kind is not None
    assert kind.may_roll() is throws


def test_a_move_that_only_leads_to_dice_throws_some() -> None:
    class Before(Wait):
        may_lead_to = (Flip,)

    assert (Wait.may_roll(), Before.may_roll()) == (False, True)


def test_a_move_that_does_not_say_what_its_dice_are_may_throw_some() -> None:
    class Silent(Wait):
        def dice(self, table):  # type: ignore[no-untyped-def]  # as games of others may be written
            return None

    assert Silent.may_roll()


def test_the_cast_of_a_move_are_all_whom_it_names_each_once() -> None:
    assert Give(who="mara", to=("brak", "ilse", "brak")).characters() == ("mara", "brak", "ilse")
    assert DUEL.replace(rates={"brak": 50, "zoe": 60}).characters()[:2] == ("mara", "brak")
    assert Attack(who="mara").characters() == ("mara",)
    assert Attack(who="mara", whom="brak").characters() == ("mara", "brak")


def test_a_number_is_veiled_only_where_the_move_hides_it() -> None:
    hidden = Draw(who="mara", secret=True)
    assert (hidden.hidden(), Draw(who="mara").hidden(), Wait(who="mara").hidden()) == (("number",), (), ())
    assert (Draw(who="mara").hide_if_secret(7), hidden.hide_if_secret(7)) == (7, secret(7))


@pytest.mark.parametrize(
    ("held", "value"), [(secret(["wits"]), ["wits"]), (secret(["wits"]).replace(text=None), None)], ids=["here", "away"]
)
def test_a_secret_of_a_sheet_is_read_as_its_value_and_one_that_is_not_here_as_nothing(held: Secret, value: Any) -> None:
    table = Table("edge", lambda who, full: held, {})
    assert (table.find("mara", "on.ritual"), table.score("mara", "on.ritual")) == (value, 0)
    assert table.looked == {"mara": {"edge/on.ritual": held}}


def test_a_throw_is_what_the_machine_or_a_hand_made_of_it() -> None:
    assert ThrownDice(dice=(), source="typed").faces == ()


@pytest.mark.slow
def test_each_start_and_each_offer_is_really_played_at_random_and_undone() -> None:
    """What the properties draw from is not refused each time: over seeded evenings every game's moves are played."""
    found: set[tuple[str, str]] = set()
    for seed in range(60):
        dice = Random(seed)  # noqa: S311  seeded on purpose
        order = dice.sample(STARTS, len(STARTS))
        with every_game() as book:
            before = accounts_of(book)
            acts = len(list(book.acts_backwards()))
            for system, name, inputs in order:
                move = find(system).move(name)
                assert move is not None
                who = {} if issubclass(move, TableMove) else {"who": "mara"}
                for command in answered(book, PlayMove(system=system, move=move(**{**who, **inputs}))):
                    try:
                        done = scribe(book, seed=seed).write(command)
                    except LedgerError:
                        break
                    found |= {
                        (entry.body["system"], entry.body["move"])
                        for entry in done.entries
                        if entry.type == "move-played"
                    }
                    found |= {("", "taken") for entry in done.entries if entry.body.get("how") == "choose"}
            assert verify(book).entries == book.head()
            if seed % 30 == 0:
                for _ in range(len(list(book.acts_backwards())) - acts):
                    scribe(book).write(Undo())
                assert accounts_of(book) == before
    wanted = {(system, move.name()) for system, move in MOVES if system not in {"edge", "coin"}}
    assert wanted - found <= {
        ("byzantine", "dawn"),
        ("byzantine", "connect"),
        ("free", "rest"),
        ("multicheck", "afflict"),
        ("syscards", "act"),
    }
    assert ("", "taken") in found


def answered(book: Book, command: PlayMove) -> Iterator[Command]:
    """A move, and what answers its question or takes up its offer."""
    yield command
    for question in book.questions():
        asked = book.entry(question, secrets=True)
        if asked.type == "question-asked":
            fields = {name: field for name, field in asked_fields(asked).items() if name in asked.body["asks"]}
            values = {"order": ("mara", "brak"), "take": 1, "fate": "lives"}
            yield Choose(question=question, chosen={name: values.get(name, "so") for name in fields})
    offer = book.mark("mara", OFFER)
    if offer:
        yield AcceptOffer(ruling=offer, chosen={"reroll": True})


def asked_fields(asked: Entry) -> dict[str, Field]:
    move = find(asked.body["system"]).move(asked.body["move"])
    assert move is not None
    return move.fields()
