"""Seats: players who come back, leave, lend characters and hand over the game, and who is present."""

from collections.abc import Iterator

import pytest

from audits import decided
from ledger.audit.verify import verify
from ledger.commands.at_table import Adjust, CloseSession, Join, Note, OpenSession
from ledger.commands.decider import Command
from ledger.commands.naming import Rename
from ledger.commands.roll import Roll
from ledger.commands.seats import Leave, RecordArrival, Seat, SeatNpcs
from ledger.corrections.answers import Dispute
from ledger.corrections.undoing import Amend, Redo, Rewind, Undo, Void
from ledger.errors import BadInput, LedgerError, Nobody, Refused
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book
from ledger.scribe import Request
from projections.chronicle import chronicle
from projections.log import line
from projections.luck import luck
from projections.recap import recap
from projections.status import party
from table import check_refused, opened_book, scribe

EVENING = OpenSession(title="An evening", present=())
BEN = Seat(name="Ben", plays=("sam",), gm=False)
EVA = Seat(name="Eva", plays=(), gm=True)
STEPS_DOWN = Seat(name="Tom", plays=(), gm=False, no_gm=True)
LENT = Seat(name="Cleo", plays=("mara",), gm=False, session=True)


@pytest.fixture
def book() -> Iterator[Book]:
    """A campaign with Tom, the GM, and Ana, who plays mara. In the end it is whole, and is decided so again."""
    with opened_book(games=("edge",)) as book:
        yield book
        verify(book)
        assert decided(book)[0] == []


def write(book: Book, *commands: Command, by: str = "p1") -> int:
    """Write commands; return the first entry of the last one."""
    return [scribe(book, by=by).write(command).entries[0].seq for command in commands][-1]


def told(book: Book, seq: int) -> str:
    return line(book, book.action(book.entry(seq).act)).says


def test_a_player_who_left_is_no_longer_at_the_table(book: Book) -> None:
    seq = write(book, BEN, Leave(who="p3"))
    assert book.players() == {"p1": "Tom", "p2": "Ana"}
    assert book.former_players() == {"p3": "Ben"}
    assert told(book, seq) == "leaves the table; sam has no player now"
    assert book.name_of("p3") == "Ben"
    with pytest.raises(Nobody):
        write(book, Note(text="I am still here"), by="p3")
    with pytest.raises(Nobody):
        write(book, Roll(who="p3", notation="d6"))
    with pytest.raises(Nobody):
        write(book, Dispute(about=2, claim="x", player="p3"))


def test_the_character_of_a_player_who_left_plays_on_only_with_a_sheet(book: Book) -> None:
    write(book, BEN, Leave(who="p2"), Leave(who="p3"))
    assert book.cast() == ["brak", "mara"]
    assert not book.plays("sam")
    assert book.player_characters() == {}


def test_several_characters_without_a_player_are_named_together(book: Book) -> None:
    seq = write(book, Seat(name="Ben", plays=("sam", "pip"), gm=False), Leave(who="p3"))
    assert told(book, seq) == "leaves the table; sam and pip have no player now"
    assert told(book, write(book, Seat(name="Cy", plays=(), gm=False), Leave(who="p4"))) == "leaves the table"


def test_a_player_who_comes_back_has_the_old_seat_and_characters(book: Book) -> None:
    seq = write(book, Leave(who="p2"), Seat(name="ana", plays=(), gm=False))
    assert book.players() == {"p1": "Tom", "p2": "ana"}
    assert book.characters_of("p2") == ["mara"]
    assert told(book, seq) == "ana is back as player p2"
    assert write(book, Note(text="hello"), by="p2")


def test_a_character_that_was_taken_over_stays_with_the_new_player(book: Book) -> None:
    write(book, Leave(who="p2"))
    seq = write(book, Seat(name="Ben", plays=("mara",), gm=False))
    assert told(book, seq) == "Ben is player p3 and plays mara (until now played by Ana)"
    write(book, Seat(name="Ana", plays=(), gm=False))
    assert (book.characters_of("p2"), book.characters_of("p3")) == ([], ["mara"])


def test_a_departure_and_a_return_can_be_undone_amended_and_rewound(book: Book) -> None:
    left = write(book, Leave(who="p2"), Undo(), Redo()) - 2
    assert "p2" not in book.players()
    back = write(book, Seat(name="Ana", plays=(), gm=False))
    write(book, Amend(named=back, inputs={"plays": ("brak",)}, faces=None, cascade=False, why="and brak"))
    assert book.characters_of("p2") == ["mara", "brak"]
    write(book, Roll(who="mara", notation="d6"), Rewind(to=left - 1))
    assert book.players()["p2"] == "Ana"
    write(book, Leave(who="p2"), Undo())
    assert "p2" in book.players()


def test_a_rewind_keeps_a_departure(book: Book) -> None:
    first = write(book, Roll(who="mara", notation="d6"))
    write(book, Leave(who="p2"), Rewind(to=first - 1))
    assert book.former_players() == {"p2": "Ana"}


def test_a_new_player_cannot_look_like_one_who_left(book: Book) -> None:
    write(book, Leave(who="p2"))
    with pytest.raises(Refused, match="already taken"):
        write(book, Rename(who="p1", name="Аna"))  # a Cyrillic letter


def test_a_gm_steps_down_while_another_gm_is_there(book: Book) -> None:
    seq = write(book, EVA, STEPS_DOWN)
    assert (book.mark("p1", "gm"), book.mark("p3", "gm")) == (None, True)
    assert told(book, seq) == "Tom is player p1, no longer a GM"
    write(book, Undo())
    assert book.mark("p1", "gm") is True


def test_a_gm_who_leaves_is_no_longer_a_gm_after_the_return(book: Book) -> None:
    write(book, EVA, Leave(who="p1"))
    write(book, Seat(name="Tom", plays=(), gm=False), by="p3")
    assert (book.players()["p1"], book.mark("p1", "gm")) == ("Tom", None)


def test_a_lent_character_goes_back_when_the_session_closes(book: Book) -> None:
    seq = write(book, EVENING, LENT)
    assert told(book, seq) == "Cleo is player p3 and plays mara (usually played by Ana) until session 1 closes"
    assert (book.player_of("mara"), book.characters_of("p2"), book.characters_of("p3")) == ("p3", [], ["mara"])
    write(book, CloseSession())
    assert (book.player_of("mara"), book.characters_of("p2"), book.characters_of("p3")) == ("p2", ["mara"], [])
    write(book, EVENING)
    assert book.player_of("mara") == "p2"
    assert book.player_of("mara", AsOf(seq=seq)) == "p3"


def test_a_player_acts_for_a_lent_character_and_its_usual_player_does_not(book: Book) -> None:
    write(book, EVENING, LENT)
    roll = Roll(who="mara", notation="d6")
    assert (roll.refused_for(book, "p3"), roll.refused_for(book, "p2")) == ([], ["mara"])
    write(book, roll, by="p3")


def test_the_dice_of_a_lent_character_count_for_the_borrower(book: Book) -> None:
    write(book, Roll(who="mara", notation="d6"), EVENING, LENT, Roll(who="mara", notation="d6"), CloseSession())
    write(book, Roll(who="mara", notation="d6"))
    assert {(die.name, sum(die.faces)) for die in luck(book)} == {("Ana", 2), ("Cleo", 1)}


def test_the_dice_of_a_player_who_left_keep_the_name(book: Book) -> None:
    write(book, Roll(who="mara", notation="d6"), Leave(who="p2"))
    assert [die.name for die in luck(book)] == ["Ana"]


def test_a_lent_character_goes_back_if_the_borrower_leaves(book: Book) -> None:
    write(book, EVENING, LENT, Leave(who="p3"))
    assert book.player_of("mara") == "p2"


def test_a_character_that_is_given_away_is_no_longer_lent(book: Book) -> None:
    seq = write(book, EVENING, LENT, Seat(name="Ben", plays=("mara",), gm=False))
    assert book.player_of("mara") == "p4"
    assert told(book, seq) == "Ben is player p4 and plays mara (until now played by Ana)"
    write(book, Amend(named=seq, inputs={"name": "Benno"}, faces=None, cascade=False, why="the name"))
    assert book.player_of("mara") == "p4"
    write(book, Roll(who="mara", notation="d6"), Rewind(to=seq - 1))
    assert (book.player_of("mara"), book.players()["p4"]) == ("p4", "Benno")


def test_a_loan_can_be_amended_and_voided(book: Book) -> None:
    seq = write(book, EVENING, LENT)
    write(book, Amend(named=seq, inputs={"plays": ("brak",)}, faces=None, cascade=False, why="brak"))
    assert (book.player_of("mara"), book.player_of("brak")) == ("p2", "p3")
    act = book.acts_backwards()
    write(book, Void(strikes=next(act), why="nobody"), Void(strikes=seq, why="nobody"))
    assert book.player_of("brak") is None


def test_a_loan_that_is_sent_again_writes_nothing_new(book: Book) -> None:
    write(book, EVENING)
    first = scribe(book).write(LENT, once="a")
    assert scribe(book).write(LENT, once="a").entries[0].seq == first.entries[0].seq


ONE = OpenSession(title="One", present=("p2",))
BRAK = Seat(name="Ben", plays=("brak",), gm=False)
ROLL = Roll(who="brak", notation="d6")


def types(book: Book, *commands: Command, by: str = "p1") -> list[str]:
    """Write commands; return the types of all new entries."""
    head = book.head()
    write(book, *commands, by=by)
    return [book.journal.entry(seq).type for seq in range(head + 1, book.head() + 1)]


def test_a_player_who_acts_is_present_once_in_a_session(book: Book) -> None:
    write(book, BRAK, ONE)
    assert book.present_players() == {"p1", "p2"}
    assert types(book, ROLL) == ["dice-thrown", "dice-counted", "players-present"]
    assert book.present_players() == {"p1", "p2", "p3"}
    assert told(book, book.head()) == "Ben is present"
    assert types(book, ROLL) == ["dice-thrown", "dice-counted"]
    write(book, CloseSession(), ONE)
    assert book.present_players() == {"p1", "p2"}
    assert types(book, Note(text="me too"), by="p3") == ["note-written", "players-present"]


def test_an_undo_takes_back_the_action_and_not_the_presence(book: Book) -> None:
    write(book, BRAK, ONE, ROLL, Undo())
    assert book.present_players() == {"p1", "p2", "p3"}
    write(book, Redo(), Undo())
    assert types(book, ROLL) == ["dice-thrown", "dice-counted"]


def test_a_player_whom_the_gm_declared_absent_stays_absent(book: Book) -> None:
    write(book, BRAK, ONE, ROLL)
    write(book, Void(strikes=book.head(), why="the GM rolled"))
    assert types(book, ROLL) == ["dice-thrown", "dice-counted"]
    assert book.present_players() == {"p1", "p2"}
    write(book, RecordArrival(players=("p3",)))
    assert book.present_players() == {"p1", "p2", "p3"}


def test_a_typed_presence_can_be_undone_and_then_the_next_act_counts(book: Book) -> None:
    write(book, BRAK, Seat(name="Cleo", plays=(), gm=False), ONE)
    assert told(book, write(book, RecordArrival(players=("p3", "p4")))) == "Ben and Cleo are present"
    write(book, Undo())
    assert book.present_players() == {"p1", "p2"}
    assert types(book, ROLL)[-1] == "players-present"


def test_only_acts_show_who_is_present(book: Book) -> None:
    write(book, BRAK, ONE)
    assert types(book, Adjust(who="brak", amounts={"edge/edge": -1})) == ["score-adjusted"]
    assert types(book, SeatNpcs(names=("orc",)), Roll(who="orc", notation="d6"))[-1] == "dice-counted"
    assert types(book, Undo()) == ["action-struck"]
    assert types(book, Roll(who="p3", notation="d6"))[-1] == "dice-counted"


def test_a_roll_for_a_character_whose_player_left_shows_nothing(book: Book) -> None:
    write(book, BRAK, ONE, Leave(who="p3"))
    assert types(book, ROLL) == ["dice-thrown", "dice-counted"]


def test_a_player_who_borrows_a_character_is_present(book: Book) -> None:
    write(book, ONE)
    assert types(book, Seat(name="Eve", plays=("brak",), gm=False)) == ["player-seated"]
    assert types(book, LENT) == ["player-seated", "players-present"]


def test_a_gm_who_hands_over_or_leaves_shows_nothing(book: Book) -> None:
    write(book, EVA, ONE)
    assert types(book, STEPS_DOWN) == ["player-seated"]
    write(book, Seat(name="Tom", plays=(), gm=True), by="p3")
    assert types(book, Leave(who="p1")) == ["player-left"]


def test_everybody_is_present_in_a_session_that_lists_nobody(book: Book) -> None:
    write(book, BRAK, EVENING)
    assert book.present_players() is None
    assert types(book, ROLL) == ["dice-thrown", "dice-counted"]
    assert party(book) == ["mara", "brak"]


def test_all_is_everybody_present_and_outside_a_session_everybody_who_plays(book: Book) -> None:
    write(book, BRAK, ONE)
    assert party(book) == ["mara"]
    write(book, ROLL)
    assert party(book) == ["mara", "brak"]
    write(book, CloseSession())
    assert party(book) == ["mara", "brak"]
    write(book, Leave(who="p3"))
    assert party(book) == ["mara"]


def test_a_player_who_left_is_not_present(book: Book) -> None:
    write(book, BRAK, ONE, ROLL, Leave(who="p3"))
    assert book.present_players() == {"p1", "p2"}


def test_an_amended_list_counts_with_the_presences(book: Book) -> None:
    write(book, BRAK, Seat(name="Cleo", plays=(), gm=False))
    opened = write(book, ONE)
    head = write(book, ROLL)
    write(book, Amend(named=opened, inputs={"present": ("p4",)}, faces=None, cascade=False, why="Cleo came"))
    assert book.present_players() == {"p1", "p3", "p4"}
    assert book.present_players(AsOf(seq=head)) == {"p1", "p2"}


def test_a_session_whose_opening_was_undone_and_redone_keeps_its_list(book: Book) -> None:
    write(book, ONE, Undo())
    assert book.present_players() is None
    write(book, Redo())
    assert book.present_players() == {"p1", "p2"}


def test_a_command_that_is_sent_again_shows_no_presence(book: Book) -> None:
    write(book, BRAK, ONE)
    assert len(scribe(book).write_all([Request(command=ROLL, once="a")])) == 2
    assert len(scribe(book).write_all([Request(command=ROLL, once="a")])) == 1


def test_a_dry_run_shows_who_would_be_present(book: Book) -> None:
    write(book, BRAK, ONE)
    done = scribe(book).write_all([Request(command=ROLL, faces=(3,))], dry=True)
    assert [entry.type for one in done for entry in one.entries][-1] == "players-present"
    assert book.present_players() == {"p1", "p2"}


def test_the_chronicle_and_the_recap_name_who_came_later(book: Book) -> None:
    write(book, BRAK, ONE, ROLL)
    assert recap(book).present == ("Ana", "Ben", "Tom")
    assert [each.says for each in [*chronicle(book)][-1].lines] == ["rolls d6 = 2"]


def test_a_rewind_keeps_who_is_present(book: Book) -> None:
    first = write(book, BRAK, ONE, ROLL)
    write(book, Rewind(to=first - 1))
    assert book.present_players() == {"p1", "p2", "p3"}


REFUSED: list[tuple[str, list[Command], type[LedgerError], str]] = [
    ("the only GM leaves", [Leave(who="p1")], Refused, "Tom is the only GM."),
    ("the only GM steps down", [STEPS_DOWN], Refused, "Tom is the only GM."),
    ("the other GM left", [EVA, Leave(who="p3"), STEPS_DOWN], Refused, "Tom is the only GM."),
    ("no GM steps down", [Seat(name="Ana", plays=(), gm=False, no_gm=True)], Refused, "Ana is not a GM."),
    ("nobody steps down", [Seat(name="Zed", plays=(), gm=False, no_gm=True)], Refused, "Zed is not a GM."),
    ("up and down", [EVA, Seat(name="Tom", plays=(), gm=True, no_gm=True)], BadInput, "You cannot use --gm and --no-gm together."),
    ("a player leaves twice", [BEN, Leave(who="p3"), Leave(who="p3")], Nobody, "Nobody called 'p3'"),
    ("a character leaves twice", [Leave(who="mara"), Leave(who="mara")], Refused, "mara has already left the table."),
    ("no session to lend in", [LENT], Refused, "No session is open."),
    ("nothing to lend", [EVENING, Seat(name="Ana", plays=(), gm=False, session=True)], BadInput, "--session lends characters. To name the characters, add --plays WHO."),
    ("an unknown character to lend", [EVENING, Seat(name="Cleo", plays=("zed",), gm=False, session=True)], Nobody, "Nobody called 'zed'"),
    ("an own character to lend", [EVENING, Seat(name="Ana", plays=("mara",), gm=False, session=True)], Refused, "Ana already plays mara."),
    ("a monster to lend", [EVENING, SeatNpcs(names=("orc",)), Seat(name="Cleo", plays=("orc",), gm=False, session=True)], Refused, "orc is a non-player character"),
    ("nobody needs to arrive", [EVENING, RecordArrival(players=("p2",))], Refused, "Session 1 has no list of who is present, so everybody counts as present."),
    ("no session to arrive in", [RecordArrival(players=("p2",))], Refused, "No session is open."),
    ("who is listed arrives", [ONE, RecordArrival(players=("p2",))], Refused, "Ana is already present."),
    ("the GM arrives", [ONE, RecordArrival(players=("p1",))], Refused, "Tom is already present."),
    ("nobody of that name arrives", [ONE, RecordArrival(players=("p9",))], Nobody, "Nobody called 'p9'"),
    ("the name of who left for another", [Leave(who="p2"), Join(who="sam", system="edge", scores={}, name="Ana"), Leave(who="p2")], Nobody, "Nobody called 'p2'"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "commands", "error", "says"), REFUSED, ids=[row[0] for row in REFUSED])
def test_what_is_refused(what: str, commands: list[Command], error: type[LedgerError], says: str, book: Book) -> None:
    check_refused(book, commands, error, says)
