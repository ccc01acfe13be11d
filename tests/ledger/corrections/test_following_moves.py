"""What followed at once from a move: an amendment of the move carries through to it, with its dice."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from edge_table import edge, has
from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.commands.at_table import Adjust, Join
from ledger.commands.play import PlayMove
from ledger.corrections.answers import AcceptOffer, Choose
from ledger.corrections.undoing import Amend, Redo, Undo
from ledger.errors import OtherDice, Refused, WrongFaces
from ledger.events.subjects import OFFER
from ledger.journal.book import Book
from ledger.rules.move import Move
from ledger.scribe import Written
from ledger.systems.edge.moves_fights import Attack
from ledger.systems.syscards.moves_acts import Rate
from projections.log import line
from table import TODAY, every_game, scribe
from terminal import Type, rows

SHOT = Attack(who="mara", weapon="pistol", whom="brak", skill=11)
TAKEN = "damage.physical"


@pytest.fixture
def armed(book: Book) -> Book:
    """Mara has a pistol and a rifle, and no edge; brak and cara may be hit."""
    has(book, weapon__pistol="2d6+4", weapon__rifle="3d6+4")
    scribe(book).write(Join(who="cara", system="edge", scores={"maximum": 1}))
    scribe(book).write(Adjust(who="mara", amounts={"edge/edge": -4}, why="tired"))
    return book


def attack(book: Book, *faces: int) -> Written:
    return scribe(book).write(PlayMove(system="edge", move=SHOT), faces=faces or None)


def seq_of(done: Written, move: str) -> int:
    return next(entry.seq for entry in done.entries if entry.body.get("move") == move)


def amend(book: Book, about: int, *faces: int, cascade: bool = False, **inputs: Any) -> Written:
    return scribe(book).write(Amend(named=about, inputs=inputs, faces=faces or None, cascade=cascade, why="so"))


def played(done: Written) -> dict[str, str]:
    return {entry.body["move"]: entry.body["verdict"]["says"] for entry in done.entries if entry.type == "move-played"}


def taken(book: Book) -> dict[str, int]:
    return {who: edge(book, who, TAKEN) for who in ("brak", "cara") if edge(book, who, TAKEN)}


def sound(book: Book) -> bool:
    verify(book)
    return audit(book, TODAY).findings == ()


@pytest.mark.parametrize(
    ("move", "inputs", "faces", "result"),
    [
        ("attack", {"whom": "cara"}, (), {"cara": 15}),
        ("attack", {"weapon": "rifle"}, (7, 6, 6, 5, 2), {"brak": 12}),
        ("attack", {"target": 24}, (), {"brak": 11}),
        ("attack", {"target": 40}, (), {}),
        ("attack", {"skill": 2}, (), {}),
        ("attack", {}, (2, 3), {}),
        ("attack", {}, (6, 7, 6, 6), {"brak": 12}),
        ("attack-roll", {"whom": "cara"}, (), {"cara": 15}),
        ("attack-roll", {"target": 40}, (), {}),
        ("damage-roll", {"modifier": 9}, (), {"brak": 14}),
        ("damage-roll", {}, (6, 6), {"brak": 12}),
    ],
)
def test_an_amendment_carries_through_to_what_followed(
    armed: Book, move: str, inputs: Mapping[str, Any], faces: tuple[int, ...], result: Mapping[str, int]
) -> None:
    done = attack(armed, 7, 6, 6, 5)
    amend(armed, seq_of(done, move), *faces, **inputs)
    assert (taken(armed), armed.questions()) == (result, [])
    assert sound(armed)
    scribe(armed).write(Undo())
    assert taken(armed) == {"brak": 11}
    scribe(armed).write(Redo())
    assert taken(armed) == result
    assert sound(armed)


def test_what_was_amended_in_a_later_part_stays_when_the_first_is_amended(armed: Book) -> None:
    done = attack(armed, 7, 6, 6, 5)
    again = amend(armed, seq_of(done, "damage-roll"), modifier=9)
    once_more = amend(armed, seq_of(again, "attack"), whom="cara")
    assert played(once_more)["damage-roll"] == "20 damage"
    assert taken(armed) == {"cara": 20}
    assert sound(armed)


def test_other_dice_of_what_follows_are_asked_for(armed: Book) -> None:
    done = attack(armed, 7, 6, 6, 5)
    head, first, wound = armed.head(), seq_of(done, "attack"), seq_of(done, "damage-roll")
    with pytest.raises(OtherDice, match=rf"With this change, #{wound} needs 3d6, but 2d6 were rolled\.") as refused:
        amend(armed, first, weapon="rifle")
    assert refused.value.hint.startswith(
        f"Enter the dice with --faces, starting with the dice of #{seq_of(done, 'attack-roll')}. To roll"
    )
    with pytest.raises(WrongFaces, match="You typed more dice than needed") as left:
        amend(armed, first, 7, 6, 6, 5, 1)
    assert left.value.hint == "Type one number for each die, in the order rolled."
    with pytest.raises(WrongFaces):
        amend(armed, first, 7, 6, 6)
    with pytest.raises(WrongFaces, match="rolled no dice"):
        amend(armed, seq_of(done, "soak"), 6)
    assert armed.head() == head


def test_other_dice_that_a_better_hit_would_grant_are_a_question(armed: Book) -> None:
    done = attack(armed, 7, 6, 6, 5)
    amend(armed, seq_of(done, "attack"), skill=16)
    assert [armed.entry(seq).body["finds"] for seq in armed.questions()] == ["other-dice"]
    assert taken(armed) == {"brak": 11}
    assert sound(armed)


def test_a_choice_that_would_wait_before_what_followed_is_said_in_its_own_part(armed: Book) -> None:
    scribe(armed).write(Adjust(who="mara", amounts={"edge/edge": 1}, why="rested"))
    done = attack(armed, 7, 6, 6, 5)
    assert list(played(done)) == ["attack", "attack-roll", "damage-roll"]
    blow, damage = seq_of(done, "attack-roll"), seq_of(done, "damage-roll")
    says = f"If #{blow} is redone, somebody must make a new choice. But #{damage} depends on the old result."
    with pytest.raises(Refused, match=says) as refused:
        amend(armed, seq_of(done, "attack"), 7, 6, 2, edge=True)
    assert refused.value.hint == (
        f"Instead, amend #{blow}. The amendment also changes the choice. To see how: campaign amend {blow} --help"
    )
    amend(armed, blow, 7, 6, 2, edge=True, drop=2)
    assert armed.mark("brak", "edge/dealt")["damage"] == 15
    assert sound(armed)


def test_the_dice_of_the_machine_stay_in_what_follows(armed: Book) -> None:
    done = attack(armed)
    before = [die["face"] for entry in done.entries if entry.type == "dice-thrown" for die in entry.body["dice"]]
    again = amend(armed, seq_of(done, "attack"), whom="cara")
    dice = [die["face"] for entry in again.entries if entry.type == "move-played" for die in entry.body["dice"]]
    assert dice == before
    assert sound(armed)


def test_a_die_of_a_throw_at_once_is_amended_where_the_rate_was_declared() -> None:
    with every_game() as book:
        move: Move = Rate(who="mara", rate=45, why="the fog", throw=True)
        done = scribe(book).write(PlayMove(system="syscards", move=move), faces=[17])
        again = amend(book, done.entries[0].seq, 72)
        assert [entry.body["dice"][0]["face"] for entry in again.entries if entry.body.get("move") == "throw"] == [72]
        assert sound(book)


def test_an_amendment_of_before_that_changed_nothing_of_what_followed_is_read_with_a_remark(
    armed: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = attack(armed, 7, 6, 6, 5)
    with monkeypatch.context() as before:
        before.setattr("ledger.corrections.actions.Action.followers", lambda *_: [])
        before.setattr("ledger.draft.BOOK_EDITION", 2)
        amend(armed, seq_of(done, "attack"), whom="cara")
    assert taken(armed) == {"brak": 11}
    report = audit(armed, TODAY)
    assert sound(armed)
    assert len(report.remarks) == 1
    scribe(armed).write(Undo())
    amend(armed, seq_of(done, "attack"), whom="cara")
    assert taken(armed) == {"cara": 15}
    assert sound(armed)


def test_in_a_copy_that_lacks_the_secret_of_a_hit_what_followed_is_not_played_anew(folder: Path, type_in: Type) -> None:
    for words in (
        "adjust mara edge=-4 --why tired",
        "set mara weapon.pistol=2d6+4 --why x",
        "edge attack mara pistol brak --skill 11 --target 19 --secret --faces 7,5,6,5",
        "export --for players",
        "-f pl.campaign import road-export --yes",
    ):
        assert type_in(words).exit_code == 0
    first = rows(type_in("-f road.campaign log -n 1 --json").stdout)[0]["seq"]
    for seq in (first, first + 2):
        assert type_in(f"-f pl.campaign amend {seq} --help").exit_code == 0
        refused = type_in(f"-f pl.campaign amend {seq} --whom mara --why x --yes")
        assert (refused.exit_code, "needs a secret of #" in refused.stderr) == (3, True)
        assert type_in(f"-f road.campaign amend {seq} --whom mara --why x --dry-run").exit_code == 0


def test_what_followed_from_a_choice_is_carried_through_too(armed: Book) -> None:
    scribe(armed).write(Adjust(who="mara", amounts={"edge/edge": 1}, why="rested"))
    asked = scribe(armed).write(PlayMove(system="edge", move=SHOT.replace(edge=True)), faces=[7, 3, 7])
    choice = Choose(question=seq_of(asked, "attack-roll"), chosen={"drop": 3})
    scribe(armed).write(choice, faces=[6, 6, 6, 6])
    assert taken(armed) == {"brak": 20}
    again = amend(armed, seq_of(asked, "attack"), whom="cara")
    assert taken(armed) == {"cara": 28}
    told = line(armed, armed.action(again.entries[0].act))
    assert [move.verdict.says for move in told.further if move.verdict] == [
        "complete success",
        "28 damage",
        "28 of 28 damage gets through",
    ]
    assert sound(armed)
    amend(armed, seq_of(again, "attack"), whom="brak")
    assert taken(armed) == {"brak": 20}
    assert sound(armed)
    scribe(armed).write(Undo())
    assert taken(armed) == {"cara": 28}
    assert sound(armed)


def test_a_choice_is_copied_with_its_question_where_only_what_followed_is_amended(armed: Book) -> None:
    scribe(armed).write(Adjust(who="mara", amounts={"edge/edge": 1}, why="rested"))
    asked = scribe(armed).write(PlayMove(system="edge", move=SHOT.replace(edge=True)), faces=[7, 3, 7])
    chosen = Choose(question=seq_of(asked, "attack-roll"), chosen={"drop": 3})
    done = scribe(armed).write(chosen, faces=[6, 6, 6, 6])
    again = amend(armed, seq_of(done, "damage-roll"), modifier=9)
    question = next(entry.seq for entry in again.entries if entry.type == "question-asked")
    assert [entry.body["answers"] for entry in again.entries if entry.body.get("answers")] == [question]
    assert sound(armed)


def test_what_followed_from_an_offer_that_was_taken_is_carried_through_too(armed: Book) -> None:
    scribe(armed).write(Adjust(who="mara", amounts={"edge/edge": 1}, why="rested"))
    attack(armed, 7, 6, 6, 5)
    boosted = scribe(armed).write(AcceptOffer(ruling=int(armed.mark("mara", OFFER)), chosen={"boost": 1}), faces=[3])
    assert taken(armed) == {"brak": 13}
    amend(armed, seq_of(boosted, "attack"), whom="cara")
    assert taken(armed) == {"cara": 18}
    assert sound(armed)
